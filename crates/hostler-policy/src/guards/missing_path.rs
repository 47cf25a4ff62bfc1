//! A write that names no file. Hosts refuse it too, but late and each in its own words.

use hostler_model::{Action, Facts, Mode};

use super::{Example, Guard, Hit, nothing};
use crate::Case;

pub(crate) const GUARD: Guard = Guard {
    id: "missing-path",
    summary: "a write or an edit that names no file",
    standard: Mode::Deny,
    strict: Mode::Deny,
    needs: nothing,
    check,
    fires: &[Example::WriteNowhere, Example::Write("", "x"), Example::Edit(" \n", "a", "b")],
    silent: &[Example::Write("src/a.py", "x = 1\n"), Example::Write("src/a b.txt", ""), Example::Bash("ls")],
};

fn check(case: &Case<'_>, _: &Facts) -> Vec<Hit> {
    let (
        Some(Action::Write { path, .. } | Action::Edit { path, .. } | Action::NotebookEdit { path, .. }),
        Some(call),
    ) = (case.action(), case.event.call())
    else {
        return Vec::new();
    };
    if path.as_ref().is_some_and(|it| !it.trim().is_empty()) {
        return Vec::new();
    }
    vec![Hit {
        problem: format!("the call of `{}` names no file", call.tool),
        instead: Some("repeat it with the path of the file".to_owned()),
        snapshot: Vec::new(),
    }]
}

#[cfg(test)]
mod tests;
