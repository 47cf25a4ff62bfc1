//! The very same call again and again, with the same result each time: an agent that goes round in circles.
//!
//! In a row means that the agent called nothing else in between, that no result differed from the one before, and that
//! the user said nothing. Told at every multiple of the limit; where the rule blocks, every call from the limit on is
//! stopped, until another one is made. Without the fact nothing is found.

use hostler_model::{Action, Facts, Mode};

use super::reading::is_output;
use super::{Example, Guard, Hit};
use crate::Case;

/// When the same call in a row is a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeats {
    /// At this many times of the same call, at least 2.
    pub max: u64,
}

impl Repeats {
    /// More than this are not looked for: what is known of a session is read near its journal's end.
    pub const LIMIT: u64 = 20;
}

impl Default for Repeats {
    fn default() -> Self {
        Self { max: 3 }
    }
}

pub(crate) const GUARD: Guard = Guard {
    id: "loop-guard",
    summary: "the very same call again, with the same result each time",
    standard: Mode::Warn,
    strict: Mode::Warn,
    needs: |case, needs| needs.repeats |= counts(case),
    check,
    fires: &[Example::Again("cargo test", 2), Example::Again("git status", 5)],
    silent: &[
        Example::Again("sleep 30 && curl -s localhost:1/health", 2),
        Example::Again("gh run view 123 --json status", 2),
        Example::Again("cargo test", 1),
        // Told at the third time; the sixth is the next one.
        Example::Again("cargo test", 3),
        Example::Bash("cargo test"),
    ],
};

/// Commands that wait, or ask how something is that goes on elsewhere, with the first arguments of those that do other
/// things, too.
const WAITING: &[(&str, &[&str])] = &[
    ("sleep", &[]),
    ("watch", &[]),
    ("wait", &[]),
    ("jobs", &[]),
    ("ps", &[]),
    ("pgrep", &[]),
    ("tail", &[]),
    ("curl", &[]),
    ("gh", &["run", "pr", "workflow"]),
    ("glab", &["ci", "mr"]),
    ("kubectl", &["get", "rollout", "wait", "logs", "describe"]),
    ("docker", &["ps", "logs", "inspect", "compose"]),
    ("systemctl", &["status", "is-active"]),
];

/// Keeping a list changes nothing, of tools that are not known one may be a way to wait, and who waits asks again.
fn counts(case: &Case<'_>) -> bool {
    match case.action() {
        None | Some(Action::Plan | Action::Other) => false,
        Some(Action::Shell { command }) => !waits(command),
        Some(Action::Read { path: Some(path) }) => !is_output(path, case),
        Some(_) => true,
    }
}

fn waits(command: &str) -> bool {
    command.split([';', '&', '|', '\n', '(', ')']).any(|part| {
        let mut words = part.split_whitespace();
        let Some(name) = words.next() else { return false };
        let next = words.next().unwrap_or_default();
        WAITING.iter().any(|(program, asks)| *program == name && (asks.is_empty() || asks.contains(&next)))
    })
}

fn check(case: &Case<'_>, facts: &Facts) -> Vec<Hit> {
    let (Some(call), Some(before)) = (case.event.call(), facts.repeats) else { return Vec::new() };
    let max = case.settings.repeats.max.max(2);
    let nth = before + 1;
    let said = nth % max != 0 && case.settings.mode(&GUARD) < Mode::Ask;
    if nth < max || said || !counts(case) {
        return Vec::new();
    }
    vec![Hit {
        problem: format!(
            "this `{}` call is made {nth} times in a row with the same input, and its result did not change",
            call.tool
        ),
        instead: Some(
            "take the result as it is: change what it depends on, ask something else, or tell the user what is in \
             the way"
                .to_owned(),
        ),
        snapshot: Vec::new(),
    }]
}

#[cfg(test)]
mod tests;
