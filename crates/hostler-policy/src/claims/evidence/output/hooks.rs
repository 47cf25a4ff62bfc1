//! Hook managers print what they run inside `git commit` and `git push`.

use super::super::text::{base, lines};
use super::super::{Run, RunOutcome};
use super::tests;
use crate::claims::Act;

/// What the hooks' output says was run, each with its verdict.
pub(in super::super) fn hooks(text: &str) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut note = |name: &str, passed: bool| {
        let name = name.trim().trim_matches(['`', '"', '\'', ':']);
        for act in acts(name) {
            match runs.iter_mut().find(|run| run.program == name && run.act == act) {
                Some(run) => {
                    if !passed {
                        run.outcome.passed = Some(false);
                    }
                }
                None => runs.push(Run {
                    act,
                    program: name.to_owned(),
                    scope: Vec::new(),
                    times: 1,
                    outcome: RunOutcome { passed: Some(passed), ..RunOutcome::default() },
                }),
            }
        }
    };
    let mut section = "";
    let mut refused = None;
    for line in lines(text) {
        let trimmed = line.trim();
        // lefthook: `┃  lint ❯ ` over what the hook prints, and under it `exit status 1`.
        if let Some(name) = trimmed.strip_prefix('┃').and_then(|it| it.trim().strip_suffix('❯')) {
            section = name.trim();
        } else if trimmed.strip_prefix("exit status ").is_some_and(|it| it != "0") && !section.is_empty() {
            note(section, false);
            section = "";
        }
        // husky: `husky - pre-commit script failed (code 1)`
        if let Some(rest) = trimmed.strip_prefix("husky - ")
            && (rest.contains("failed (code") || rest.contains("exited with code"))
        {
            refused = rest.split_whitespace().next();
        }
        // pre-commit: `ruff.......Passed`
        if let Some((name, rest)) = trimmed.split_once("...")
            && !name.is_empty()
        {
            match rest.trim_start_matches('.') {
                "Passed" => note(name, true),
                "Failed" => note(name, false),
                _ => {}
            }
            continue;
        }
        // lefthook's summary: `✔️ lint (0.50 seconds)`, `🥊 typecheck`; listings of lint-staged: `✔ eslint --fix`.
        let marked = |marks: &[&str]| {
            marks.iter().find_map(|mark| trimmed.strip_prefix(mark)).map(|rest| {
                let rest = rest.trim_start_matches(['\u{fe0f}', ' ']);
                rest.split(" (").next().unwrap_or(rest).split(" — ").next().unwrap_or(rest).trim()
            })
        };
        if let Some(name) = marked(&["✔", "✓", "✅"]) {
            note(tool_of(name), true);
        } else if let Some(name) = marked(&["🥊", "✖", "❌", "✗"]) {
            note(tool_of(name.split(" [FAILED]").next().unwrap_or(name)), false);
        }
    }
    if let Some(hook) = refused.filter(|_| runs.iter().all(|run| run.outcome.passed != Some(false))) {
        runs.push(Run {
            act: Act::Lint,
            program: hook.to_owned(),
            scope: Vec::new(),
            times: 1,
            outcome: RunOutcome { passed: Some(false), ..RunOutcome::default() },
        });
    }
    for summary in tests(text) {
        if summary.tool == super::Tool::Generic {
            continue;
        }
        let program = format!("{:?}", summary.tool).to_lowercase();
        match runs.iter_mut().find(|run| run.act == Act::Test) {
            Some(run) => {
                let failed = run.outcome.passed == Some(false);
                run.outcome = summary.outcome;
                if failed {
                    run.outcome.passed = Some(false);
                }
            }
            None => runs.push(Run {
                act: Act::Test,
                program,
                scope: Vec::new(),
                times: 1,
                outcome: summary.outcome,
            }),
        }
    }
    runs
}

/// The name of a hook, or the program of a command line.
fn tool_of(text: &str) -> &str {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or(text);
    match (first, words.next()) {
        ("npx" | "pnpm" | "yarn" | "bunx" | "npm", Some("run" | "exec")) => words.next().unwrap_or(first),
        ("npx" | "pnpm" | "yarn" | "bunx", Some(second)) => second,
        (_, None) => text,
        _ if acts(base(first)).is_empty() => text,
        _ => first,
    }
}

/// What a hook of this name judges.
pub(in super::super) fn acts(name: &str) -> Vec<Act> {
    let lower = name.to_lowercase();
    // A hook's name is short; anything longer is prose.
    if 60 < lower.len() || 6 < lower.split_whitespace().count() {
        return Vec::new();
    }
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let mut out = Vec::new();
    if has(&["lint", "ruff", "flake8", "clippy", "biome", "oxlint", "vet", "shellcheck", "rubocop"]) {
        out.push(Act::Lint);
    }
    if has(&["typecheck", "type-check", "tsc", "mypy", "pyright", "type check", "types"]) {
        out.push(Act::Typecheck);
    }
    if has(&["test", "vitest", "jest"]) {
        out.push(Act::Test);
    }
    if has(&[
        "format",
        "prettier",
        "fmt",
        "black",
        "isort",
        "end of file",
        "end-of-file",
        "trailing whitespace",
        "trim trailing",
    ]) {
        out.push(Act::Format);
    }
    if has(&["build", "compile"]) {
        out.push(Act::Build);
    }
    out
}
