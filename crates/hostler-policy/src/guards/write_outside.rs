//! File tools outside the project. In `standard` the host's own question about folders that it was not given is
//! enough; `strict` asks whatever the host's permission mode is.
//!
//! The path as written decides. Where links lead is not followed here: a project that is itself reached through a
//! link would be outside of itself.

use std::path::Path;

use hostler_model::{Action, Facts, Mode, Place};

use super::written::{changes_something, mcp_paths, resolve, target};
use super::{Example, Guard, Hit, nothing};
use crate::Case;

pub(crate) const GUARD: Guard = Guard {
    id: "write-outside",
    summary: "writing or editing files outside the project",
    standard: Mode::Off,
    strict: Mode::Ask,
    needs: nothing,
    check,
    fires: &[
        Example::Write("/etc/hosts", "x"),
        Example::Write("../other/a.txt", "x"),
        Example::Edit("~/.bashrc", "a", "b"),
        Example::Write("src/../../a.txt", "x"),
    ],
    silent: &[
        Example::Write("src/a.txt", "x"),
        Example::Write("/home/dev/proj/a.txt", "x"),
        Example::Write("/tmp/a.txt", "x"),
        Example::Write("~/.claude/projects/p/memory/MEMORY.md", "x"),
        Example::WriteNowhere,
    ],
};

fn check(case: &Case<'_>, _: &Facts) -> Vec<Hit> {
    let targets: Vec<String> = match case.action() {
        // Other arguments may name anything; only what is surely a path on this machine counts.
        Some(Action::Mcp { tool, strings, .. }) if changes_something(tool) => {
            mcp_paths(strings).filter(|it| it.starts_with(['/', '~']) || it.starts_with("..")).collect()
        }
        _ => target(case).filter(|it| !it.trim().is_empty()).map(str::to_owned).into_iter().collect(),
    };
    targets
        .iter()
        .filter(|shown| is_outside(&resolve(case, shown), case.place))
        .map(|shown| Hit {
            problem: format!("`{shown}` is outside the project {}", case.place.root.display()),
            instead: Some("write below the project, or let the user decide".to_owned()),
            snapshot: Vec::new(),
        })
        .collect()
}

fn is_outside(path: &Path, place: &Place) -> bool {
    let within = |folder: &Path| path.starts_with(folder);
    let memory = place.host_dirs.iter().any(|dir| {
        path.strip_prefix(dir).is_ok_and(|below| {
            let mut names = below.iter();
            names.next().is_some_and(|it| it == "projects") && names.nth(1).is_some_and(|it| it == "memory")
        })
    });
    !within(&place.root) && !memory && !place.temp.iter().any(|it| within(it))
}

#[cfg(test)]
mod tests;
