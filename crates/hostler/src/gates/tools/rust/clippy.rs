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

    #[test]
    fn messages_are_findings() {
        let stdout = include_str!("../recorded/clippy.jsonl").to_owned();
        let found = findings(&Answer { code: 101, stdout, stderr: String::new(), is_cut: false }).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|it| {
                let finding = &it.finding;
                (
                    finding.check.as_str(),
                    finding.line,
                    finding.severity,
                    finding.code.as_deref().unwrap_or_default(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("lint", 2, Severity::Warn, "unused_variables"),
                ("lint", 3, Severity::Warn, "clippy::needless_return"),
                ("lint", 6, Severity::Error, "clippy::absurd_extreme_comparisons"),
                ("lint", 6, Severity::Warn, "unused_comparisons"),
                ("type", 2, Severity::Error, "E0308"),
            ]
        );
        let missing = Answer {
            code: 101,
            stdout: String::new(),
            stderr: "error: no such command: `clippy`".into(),
            is_cut: false,
        };
        assert!(findings(&missing).unwrap_err().contains("no such command"));
    }
}
