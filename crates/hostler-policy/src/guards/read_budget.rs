//! More reads and searches in one session than work needs that searches first.
//!
//! Told at the first read beyond the budget and each time another budget is used up. Where the rule blocks, every
//! read beyond it is stopped. Without the fact nothing is found.

use hostler_model::{Facts, Mode};

use super::reading::{counted, instead, shown, want};
use super::{Example, Guard, Hit};
use crate::Case;

pub(crate) const GUARD: Guard = Guard {
    id: "read-budget",
    summary: "more files read in a session than its budget",
    standard: Mode::Warn,
    strict: Mode::Deny,
    needs: want,
    check,
    fires: &[
        Example::Read { path: "src/lib.rs", in_window: 0, in_session: 50 },
        Example::Read { path: "src/lib.rs", in_window: 0, in_session: 100 },
    ],
    silent: &[
        Example::Read { path: "src/lib.rs", in_window: 0, in_session: 49 },
        Example::Read { path: "src/lib.rs", in_window: 0, in_session: 51 },
        Example::Read { path: "CLAUDE.md", in_window: 0, in_session: 50 },
        Example::Bash("cat src/lib.rs"),
    ],
};

fn check(case: &Case<'_>, facts: &Facts) -> Vec<Hit> {
    let (Some(what), Some(count)) = (counted(case), facts.reads) else { return Vec::new() };
    let budget = case.settings.reads.per_session.max(1);
    let said = count.in_session % budget != 0 && case.settings.mode(&GUARD) < Mode::Ask;
    if count.in_session < budget || said {
        return Vec::new();
    }
    vec![Hit {
        problem: format!(
            "{} would be read {} of this agent in this session, whose budget is {budget}",
            shown(what),
            count.in_session + 1
        ),
        instead: Some(instead(case)),
        snapshot: Vec::new(),
    }]
}

#[cfg(test)]
mod tests;
