//! More reads and searches in a short time than a look at the right place takes.
//!
//! Told once a burst: a read right after one that was told says nothing new. Where the rule blocks, every read beyond
//! the limit is stopped, and a stopped one does not count. Without the fact nothing is found: a count that cannot be
//! kept is a fault of ours, and told as that.

use hostler_model::{Facts, Mode};

use super::reading::{counted, instead, shown, want};
use super::{Example, Guard, Hit};
use crate::Case;

pub(crate) const GUARD: Guard = Guard {
    id: "read-throttle",
    summary: "file after file read in a short time, where one search would tell which to read",
    standard: Mode::Warn,
    strict: Mode::Deny,
    needs: want,
    check,
    fires: &[
        Example::Read { path: "src/lib.rs", in_window: 3, in_session: 3 },
        Example::Read { path: "docs/settings.json.md", in_window: 9, in_session: 20 },
    ],
    silent: &[
        Example::Read { path: "src/lib.rs", in_window: 2, in_session: 40 },
        Example::Read { path: "context.json", in_window: 3, in_session: 3 },
        Example::Read { path: "deploy/.env", in_window: 3, in_session: 3 },
        Example::Read { path: "/home/dev/.claude/settings.json", in_window: 3, in_session: 3 },
        Example::Read { path: "CLAUDE.md", in_window: 3, in_session: 3 },
        Example::Read { path: "src/AGENTS.md", in_window: 3, in_session: 3 },
        Example::Bash("cat src/lib.rs README.md app.log"),
        Example::Write("src/a.rs", "x"),
    ],
};

fn check(case: &Case<'_>, facts: &Facts) -> Vec<Hit> {
    let (Some(what), Some(count)) = (counted(case), facts.reads) else { return Vec::new() };
    let limits = &case.settings.reads;
    let said = count.told && case.settings.mode(&GUARD) < Mode::Ask;
    if count.in_window < limits.per_window || said {
        return Vec::new();
    }
    vec![Hit {
        problem: format!(
            "{} is one read more than the {} that go through in {} s",
            shown(what),
            limits.per_window,
            limits.window_ms / 1_000
        ),
        instead: Some(instead(case)),
        snapshot: Vec::new(),
    }]
}

#[cfg(test)]
mod tests;
