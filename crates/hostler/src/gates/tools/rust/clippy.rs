//! `cargo clippy`: what the compiler and the lints say of a package.

use std::path::PathBuf;

use hostler_policy::checks::{Gate, Severity};
use serde::Deserialize;

use super::{EXTENSIONS, package};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, Purpose, Report, Tool, exited, takes_all};

/// Types and lints.
pub(in super::super) const CLIPPY: Tool = Tool {
    name: "cargo clippy",
    gates: &[Gate::Lint, Gate::Safety],
    extensions: EXTENSIONS,
    effort: Effort::Types,
    purposes: &[Purpose::Stop, Purpose::Review],
    program: (&["cargo"], Ecosystem::Rust),
    files_max: None,
    choose: |layout, folder, _| package(layout, folder),
    takes: takes_all,
    arguments: Some(|_| {
        Ok(["clippy", "--quiet", "--all-targets", "--message-format", "json"].map(Into::into).to_vec())
    }),
    text: None,
    read: |job, answer| job.unless_broken_elsewhere(findings(answer)?),
    fix: None,
    is_formatter: false,
    install: "install Rust with `rustup component add clippy`",
};

#[derive(Deserialize)]
struct Line {
    reason: String,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    level: String,
    #[serde(rename = "message")]
    text: String,
    code: Option<Code>,
    #[serde(default)]
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Span {
    file_name: PathBuf,
    line_start: usize,
    is_primary: bool,
}

/// Reads cargo's messages, a JSON value a line. A file of more than one target is told more than once.
fn findings(answer: &Answer) -> Result<Vec<Report>, String> {
    let mut found: Vec<Report> = Vec::new();
    let mut any = false;
    for line in answer.stdout.lines() {
        let Ok(line) = serde_json::from_str::<Line>(line) else { continue };
        any = true;
        let Some(message) = line.message.filter(|_| line.reason == "compiler-message") else { continue };
        let new = report(&message).filter(|it| !found.contains(it));
        found.extend(new);
    }
    // Cargo ends with 101 for whatever it is; without a message it did not come as far as the compiler.
    if answer.code == 0 || (any && !found.is_empty()) { Ok(found) } else { Err(exited(answer)) }
}

fn report(message: &Message) -> Option<Report> {
    let code = message.code.as_ref().map(|it| it.code.as_str());
    let is_compilers = code.is_none_or(|it| it.starts_with("E0"));
    let (check, severity) = match (message.level.as_str(), is_compilers) {
        ("error", true) => ("type", Severity::Error),
        ("error", false) => ("lint", Severity::Error),
        ("warning", _) => ("lint", Severity::Warn),
        _ => return None,
    };
    let span = message.spans.iter().find(|it| it.is_primary)?;
    Some(Report::new(&span.file_name, span.line_start, check, severity, &message.text).code(code))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::gates::tools::testing::{answer, rows};

    #[test]
    fn messages_are_findings() {
        let found = findings(&answer(101, include_str!("../recorded/clippy.jsonl"), "")).unwrap();
        assert_eq!(
            rows(&found),
            [
                "src/lib.rs:2 lint warn unused_variables",
                "src/lib.rs:3 lint warn clippy::needless_return",
                "src/lib.rs:6 lint error clippy::absurd_extreme_comparisons",
                "src/lib.rs:6 lint warn unused_comparisons",
                "src/lib.rs:2 type error E0308",
            ]
        );
        let missing = answer(101, "", "error: no such command: `clippy`");
        assert!(findings(&missing).unwrap_err().contains("no such command"));
    }
}
