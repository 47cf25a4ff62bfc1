//! The words every other crate speaks: events, actions, effects, facts, rules, decisions.
//!
//! Invariant: plain data. No I/O, no clock, no serialisation format, no dependency. A host's own
//! field names stop in `hostler-host`; what is stored is decided in `hostler-ledger`.

#![forbid(clippy::disallowed_methods, clippy::disallowed_macros)]

mod decision;
mod effect;
mod event;
mod facts;
mod ids;
pub mod lexical;
pub mod text;

pub use decision::{Decision, Finding, Mode, Profile, Step, Verdict};
pub use effect::{Coverage, Effect, EffectKind, Reach, Target};
pub use event::{Action, Agent, Change, Event, EventKind, Host, Outcome, StartSource, ToolCall};
pub use facts::{Content, Facts, FileKind, LintError, Needs, PathFact, Place, ReadCount, ReadWindow};
pub use ids::{BadSessionId, SessionId};
