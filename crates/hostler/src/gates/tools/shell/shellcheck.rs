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
    use crate::gates::tools::testing::{answer, rows};

    #[test]
    fn comments_are_findings() {
        let found = findings(&answer(1, include_str!("../recorded/shellcheck.json"), "")).unwrap();
        assert_eq!(
            rows(&found),
            [
                "bad.sh:1 syntax error SC1073",
                "bad.sh:1 syntax error SC1072",
                "s.sh:3 lint info SC2086",
                "s.sh:4 lint warn SC2034",
            ]
        );
        let wrong = answer(4, "", "bad option");
        assert!(findings(&wrong).unwrap_err().contains("bad option"));
    }
}
