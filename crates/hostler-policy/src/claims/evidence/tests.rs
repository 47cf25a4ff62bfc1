//! Tables: calls with their outputs, and what they prove.

#![expect(clippy::unwrap_used, reason = "tests")]

use hostler_model::{Action, Change, Outcome, Profile, ToolCall};

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

/// Evidence as short lines: files and deeds, runs, what else is known.
fn render(evidence: &Evidence) -> Vec<String> {
    let short = |path: &str| {
        path.strip_prefix("/home/dev/proj/").map_or_else(
            || if path == "/home/dev/proj" { ".".to_owned() } else { path.to_owned() },
            str::to_owned,
        )
    };
    let mut out = Vec::new();
    for file in &evidence.files {
        let tree = if file.tree { " tree" } else { "" };
        let times = if file.times == 1 { String::new() } else { format!(" x{}", file.times) };
        out.push(format!("{:?} {}{tree}{times}", file.act, short(&file.path)));
    }
    for deed in &evidence.deeds {
        out.push(format!("+{:?} {}", deed.act, deed.object).trim_end().to_owned());
    }
    for run in &evidence.runs {
        let mut line = format!("{:?} {}", run.act, run.program);
        if !run.scope.is_empty() {
            line.push_str(&format!(" [{}]", run.scope.join(" ")));
        }
        if 1 < run.times {
            line.push_str(&format!(" x{}", run.times));
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
                line.push_str(&format!(" {value}{word}"));
            }
        }
        if let Some(percent) = outcome.coverage_percent {
            line.push_str(&format!(" {percent}%"));
        }
        out.push(line);
    }
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

#[track_caller]
fn check(command: &str, ok: bool, output: &str, expected: &[&str]) {
    assert_eq!(render(&bash(command, ok, output)), expected, "{command:?}\n{output}");
}

/// Prints what is made of rows on a file, one JSON object with `c`, `ok`, `o` a line.
#[test]
#[ignore = "a look at recorded calls"]
fn look() {
    #[expect(clippy::disallowed_methods, reason = "a look by hand")]
    let path = std::env::var("EVIDENCE_ROWS").unwrap();
    #[expect(clippy::disallowed_methods, reason = "a look by hand")]
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let found =
            bash(row["c"].as_str().unwrap(), row["ok"].as_bool().unwrap(), row["o"].as_str().unwrap());
        let mut text = format!("$ {}\n", row["c"].as_str().unwrap().chars().take(400).collect::<String>());
        text.push_str(&format!("  = {}\n", found.summary));
        for line in render(&found) {
            text.push_str(&format!("  {line}\n"));
        }
        if let Some(failure) = &found.failure {
            text.push_str(&format!("  why: {}\n", failure.message));
        }
        if !found.notable.is_empty() {
            text.push_str(&format!("  notable: {:?}\n", found.notable));
        }
        eprint!("{text}");
    }
}

fn _unused(_: Change) {}

#[test]
fn lines_and_their_outputs() {
    check("pytest -q", false, "11 passed, 1 failed", &["Test pytest FAILED 11p 1f", "!Verdict pytest"]);
    check("npx tsc --noEmit", true, "", &["Typecheck tsc ok"]);
    check("cat > notes.md <<'EOF'\nx\nEOF", true, "", &["Create notes.md", "Edit notes.md"]);
}
