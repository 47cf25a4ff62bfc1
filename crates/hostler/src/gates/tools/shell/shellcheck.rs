//! `shellcheck`.

use std::path::PathBuf;

use hostler_policy::checks::{Gate, Severity};
use serde::Deserialize;

use super::EXTENSIONS;
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, Purpose, Report, Tool, Use, exited, takes_all, with_paths, words};

/// Lints.
pub(in super::super) const SHELLCHECK: Tool = Tool {
    name: "shellcheck",
    gates: &[Gate::Lint],
    extensions: EXTENSIONS,
    effort: Effort::Lint,
    purposes: &[Purpose::Stop, Purpose::Review],
    program: (&["shellcheck"], Ecosystem::System),
    files_max: None,
    choose: |layout, folder, request| {
        let configured = layout.nearest(folder, &[".shellcheckrc", "shellcheckrc"]);
        let is_theirs = configured.is_some() || layout.has_hook(folder, &["shellcheck"]);
        let chosen = Use { folder: layout.root().to_owned(), configured, is_ours: !is_theirs };
        (is_theirs || request.purpose == Purpose::Review).then_some(chosen)
    },
    takes: takes_all,
    arguments: Some(|job| Ok(with_paths(job, &["--format", "json1"]))),
    text: Some(|_, _| words(&["--format", "json1", "-"])),
    read: |_, answer| findings(answer),
    fix: None,
    is_formatter: false,
    install: "install it from https://www.shellcheck.net",
};

#[derive(Deserialize)]
struct Document {
    comments: Vec<Comment>,
}

#[derive(Deserialize)]
struct Comment {
    file: PathBuf,
    line: usize,
    level: String,
    code: u32,
    message: String,
}

/// Reads `--format json1`.
fn findings(answer: &Answer) -> Result<Vec<Report>, String> {
    let document: Document = match (answer.code, serde_json::from_str(&answer.stdout)) {
        (0 | 1, Ok(document)) => document,
        _ => return Err(exited(answer)),
    };
    let report = |it: Comment| {
        let (check, severity) = match (it.level.as_str(), it.code) {
            // Its parser's own numbers.
            ("error", 1000..2000) => ("syntax", Severity::Error),
            ("error", _) => ("lint", Severity::Error),
            ("warning", _) => ("lint", Severity::Warn),
            _ => ("lint", Severity::Info),
        };
        Report::new(it.file, it.line, check, severity, &it.message).code(Some(format!("SC{}", it.code)))
    };
    Ok(document.comments.into_iter().map(report).collect())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn comments_are_findings() {
        let stdout = include_str!("../recorded/shellcheck.json").to_owned();
        let found = findings(&Answer { code: 1, stdout, stderr: String::new(), is_cut: false }).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|it| {
                (it.finding.check.as_str(), it.finding.line, it.finding.severity, it.finding.code.as_deref())
            })
            .collect();
        assert_eq!(
            found,
            [
                ("syntax", 1, Severity::Error, Some("SC1073")),
                ("syntax", 1, Severity::Error, Some("SC1072")),
                ("lint", 3, Severity::Info, Some("SC2086")),
                ("lint", 4, Severity::Warn, Some("SC2034")),
            ]
        );
        let wrong = Answer { code: 4, stdout: String::new(), stderr: "bad option".into(), is_cut: false };
        assert!(findings(&wrong).unwrap_err().contains("bad option"));
    }
}
