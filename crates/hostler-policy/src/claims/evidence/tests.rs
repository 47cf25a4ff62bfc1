//! Tables: calls with their outputs, and what they prove.

#![expect(clippy::unwrap_used, reason = "tests")]

mod commands;
mod failures;
mod gaps;
mod outputs;
mod reports;
mod typed;

use std::fmt::Write as _;

use hostler_model::{Action, Outcome, Profile, ToolCall};
use proptest::prelude::*;

use super::{Actor, Evidence, Source, of};
use crate::testing::World;

fn evidence(tool: &str, action: Action, ok: bool, output: &str) -> Evidence {
    let world = World::sample(Profile::Standard);
    let call = ToolCall { id: None, tool: tool.to_owned(), action, input: "{}".to_owned() };
    let outcome = Outcome { ok, output: output.to_owned(), ..Outcome::default() };
    of(&Source {
        call: &call,
        outcome: &outcome,
        cwd: &world.place.root,
        place: &world.place,
        by: Actor::Agent,
    })
}

fn bash(command: &str, ok: bool, output: &str) -> Evidence {
    evidence("Bash", Action::Shell { command: command.to_owned() }, ok, output)
}

/// A path as the tables have it: relative to the project.
fn short(path: &str) -> String {
    match path.strip_prefix("/home/dev/proj") {
        Some("") => ".".to_owned(),
        Some(rest) if rest.starts_with('/') => rest[1..].to_owned(),
        _ => path.to_owned(),
    }
}

/// Evidence as short lines: files, `+` deeds, runs, `opaque`, `!` the failure, `-` what was missed.
fn render(evidence: &Evidence) -> Vec<String> {
    let mut out = Vec::new();
    for file in &evidence.files {
        let tree = if file.tree { " tree" } else { "" };
        let times = if file.times == 1 { String::new() } else { format!(" x{}", file.times) };
        let part = if file.part { " part" } else { "" };
        out.push(format!("{:?} {}{tree}{times}{part}", file.act, short(&file.path)));
    }
    for deed in &evidence.deeds {
        out.push(format!("+{:?} {}", deed.act, short(&deed.object)).trim_end().to_owned());
    }
    out.extend(runs(evidence));
    if evidence.opaque {
        out.push("opaque".to_owned());
    }
    if let Some(failure) = &evidence.failure {
        out.push(format!("!{:?} {}", failure.kind, short(&failure.target)));
        for deed in &failure.missed {
            out.push(format!("-{:?} {}", deed.act, short(&deed.object)).trim_end().to_owned());
        }
    }
    out
}

/// The runs: act, program, scope, verdict, counts with their first letters.
fn runs(evidence: &Evidence) -> Vec<String> {
    let run = |run: &super::Run| {
        let mut line = format!("{:?} {}", run.act, run.program);
        if !run.scope.is_empty() {
            write!(line, " [{}]", run.scope.join(" ")).unwrap();
        }
        if 1 < run.times {
            write!(line, " x{}", run.times).unwrap();
        }
        let outcome = &run.outcome;
        line.push_str(match outcome.passed {
            Some(true) => " ok",
            Some(false) => " FAILED",
            None => " ?",
        });
        for (value, word) in [
            (outcome.tests_passed, "p"),
            (outcome.tests_failed, "f"),
            (outcome.tests_skipped, "s"),
            (outcome.errors, "e"),
            (outcome.warnings, "w"),
            (outcome.units_passed, "u"),
        ] {
            if let Some(value) = value {
                write!(line, " {value}{word}").unwrap();
            }
        }
        if let Some(percent) = outcome.coverage_percent {
            write!(line, " {percent}%").unwrap();
        }
        line
    };
    evidence.runs.iter().map(run).collect()
}

#[track_caller]
fn check(command: &str, ok: bool, output: &str, expected: &[&str]) {
    assert_eq!(render(&bash(command, ok, output)), expected, "{command:?}\n{output}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn nothing_panics(command in "\\PC{0,80}", output in "(\\PC|\n|\t|\u{1b}\\[[0-9]{1,2}m){0,200}", ok: bool) {
        let found = bash(&command, ok, &output);
        prop_assert!(ok || (!found.ok && found.failure.is_some()));
        prop_assert!(found.ok || found.targets.is_empty() || found.failure.is_some());
    }

    #[test]
    fn nothing_panics_near_the_shapes_that_are_read(
        command in "(pytest|cargo test|git push|curl -o|npm run|sed -n|tar|mv|grep|docker|python -c|gh pr)( [-a-z./'\"=:0-9|&;$()]{0,12}){0,6}",
        output in "((Tests?|test result|Found|Ran|ok|FAIL|Summary|warning|error|✖|#|ℹ)[ :\\[\\]0-9a-z,.%|()é+~-]{0,40}\n){0,6}",
        ok: bool,
    ) {
        let found = bash(&command, ok, &output);
        prop_assert!(!found.summary.contains('\n'));
        prop_assert!(found.measures.len() <= super::MEASURES_MAX && found.notable.len() <= super::NOTABLE_MAX);
    }

    #[test]
    fn nothing_panics_near_patches_devices_and_scopes(
        command in "(patch|git apply|git merge|adb|xcrun simctl|jupyter|papermill|restic|crontab|chmod|touch|flask db|yarn workspace|nx run|\\./gradlew|go -C|artisan|head|sed|cat a|cd a/b|dotnet ef|hub|fly|emulator)( [-a-zé.:/'\"=0-9|&;$()+,]{0,12}){0,6}",
        output in "(( |patching file|Applied patch|create mode|delete mode| \\.\\.\\./|┃|exit status|husky - )[ :a-z0-9./|+é❯-]{0,30}\n){0,6}",
        ok: bool,
    ) {
        let found = bash(&command, ok, &output);
        prop_assert!(found.long_words.len() <= super::LONG_WORDS_MAX);
    }

    #[test]
    fn no_report_panics(report in "((I|We|The agent|Findings:|BLOCKING:|- `src/é.rs`|agentId:) ?[ `:.,a-zé0-9/*#]{0,40}(not |could not|failed to|anything|passed)?[.!;\n ]{0,2}){0,8}") {
        let action = Action::Delegate { prompt: report.clone(), agent: "é".to_owned() };
        let found = evidence("Task", action, true, &report);
        prop_assert!(found.notable.len() <= super::NOTABLE_MAX && found.files.len() <= 200);
    }
}
