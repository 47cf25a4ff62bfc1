//! The only effects of a decision: looks at what rules named in `Needs`.
