//! File tools on protected paths. The classification is in [`super::protected`], shared with the shell.
//!
//! A link in the project that leads to a protected file is followed: the path as written and the path with links
//! resolved are both judged. Without that fact the written path alone decides.

use std::path::PathBuf;

use hostler_model::{Action, Facts, Mode, Needs};

use super::protected::{Protected, git_internals, protection};
use super::written::{changes_something, mcp_paths, resolve, target};
use super::{Example, Guard, Hit};
use crate::Case;

pub(crate) const GUARD: Guard = Guard {
    id: "protected-path",
    summary: "writing the host's settings, files of hostler, session records, and what the configuration protects",
    standard: Mode::Deny,
    strict: Mode::Deny,
    needs,
    check: |case, facts| check(case, facts, |path| protection(path, case.place, case.settings)),
    fires: &[
        Example::Write("~/.claude/settings.json", "{}"),
        Example::Edit("/home/dev/proj/.claude/settings.local.json", "deny", "allow"),
        Example::Write(".claude/hooks/guard.sh", "exit 0\n"),
        Example::Write("~/.claude/plans/../plans/p.md", "x"),
        Example::Write("/root/.claude/settings.json", "{}"),
        Example::Write("context.md", "x"),
        Example::Write("sub/context.json", "{}"),
        Example::Write("session/contract.json", "{}"),
        Example::Write(".hostler/config.toml", "profile = \"observe\"\n"),
        Example::Write("~/.local/state/hostler/projects/p/operations.jsonl", ""),
    ],
    silent: &[
        Example::Write("src/new_module.py", "x = 1\n"),
        Example::Write("plans/p.md", "x"),
        Example::Write("docs/context.md.txt", "x"),
        Example::Write(".claude/commands/review.md", "x"),
        Example::Write("src/settings.json", "{}"),
        Example::Write("~/notes/context.md", "x"),
        Example::Write("~/.claude/projects/p/memory/MEMORY.md", "x"),
    ],
};

/// Git's own files: asked about where people work, denied by the letter.
pub(crate) const GIT: Guard = Guard {
    id: "git-internals",
    summary: "writing files in `.git` by hand: hooks, settings, references",
    standard: Mode::Ask,
    strict: Mode::Deny,
    needs,
    check: |case, facts| check(case, facts, |path| git_internals(path, case.place)),
    fires: &[
        Example::Write(".git/hooks/pre-commit", "#!/bin/sh\n"),
        Example::Edit(".git/config", "a", "b"),
        Example::Write(".git/refs/heads/main", "0000\n"),
        Example::Write("vendor/lib/.git/hooks/post-checkout", "#!/bin/sh\n"),
    ],
    silent: &[
        Example::Write(".gitignore", "target\n"),
        Example::Write(".git/info/exclude", "target\n"),
        Example::Write(".github/workflows/ci.yml", "on: push\n"),
        Example::Write("githooks/pre-commit", "#!/bin/sh\n"),
    ],
};

/// The paths that the call writes, as written.
fn targets(case: &Case<'_>) -> Vec<String> {
    match case.action() {
        Some(Action::Mcp { tool, strings, .. }) if changes_something(tool) => mcp_paths(strings).collect(),
        _ => target(case).map(str::to_owned).into_iter().collect(),
    }
}

fn needs(case: &Case<'_>, needs: &mut Needs) {
    needs.paths.extend(targets(case).iter().map(|text| resolve(case, text)));
}

fn check(case: &Case<'_>, facts: &Facts, protected: impl Fn(&PathBuf) -> Option<Protected>) -> Vec<Hit> {
    targets(case)
        .iter()
        .filter_map(|shown| {
            let path = resolve(case, shown);
            let resolved = || {
                let fact = facts.paths.get(&path)?;
                [&fact.parent_real, &fact.real].into_iter().find_map(&protected)
            };
            let (Protected { why, instead }, through) = match protected(&path) {
                Some(found) => (found, ""),
                None => (resolved()?, " through a link"),
            };
            Some(Hit {
                problem: format!("`{shown}` is protected{through}: {why}"),
                instead: Some(instead),
                snapshot: Vec::new(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests;
