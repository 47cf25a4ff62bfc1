//! `eslint`, where the project configured it.

use std::path::PathBuf;

use hostler_policy::checks::{Gate, Severity};
use serde::Deserialize;

use super::{EXTENSIONS, beside, configured};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, Fix, Purpose, Report, Tool, exited, takes_all, with_paths, words};

/// Lints.
pub(in super::super) const ESLINT: Tool = Tool {
    name: "eslint",
    gates: &[Gate::Lint],
    extensions: EXTENSIONS,
    effort: Effort::Lint,
    purposes: &[Purpose::Stop, Purpose::Review, Purpose::Fix],
    program: (&["eslint"], Ecosystem::Node),
    files_max: None,
    choose: |layout, folder, _| configured(layout, folder, FILES, Some("eslintConfig")).map(beside),
    takes: takes_all,
    arguments: Some(|job| Ok(with_paths(job, &["--format", "json"]))),
    text: Some(|_, path| {
        [
            "--format".into(),
            "json".into(),
            "--stdin".into(),
            "--stdin-filename".into(),
            path.as_os_str().to_owned(),
        ]
        .to_vec()
    }),
    read: |_, answer| findings(answer),
    fix: Some(Fix::InPlace(|_| words(&["--fix"]), &[0, 1])),
    is_formatter: false,
    install: "install it with `npm install --save-dev eslint`",
};

const FILES: &[&str] = &[
    "eslint.config.js",
    "eslint.config.mjs",
    "eslint.config.cjs",
    "eslint.config.ts",
    "eslint.config.mts",
    "eslint.config.cts",
    ".eslintrc.js",
    ".eslintrc.cjs",
    ".eslintrc.yaml",
    ".eslintrc.yml",
    ".eslintrc.json",
    ".eslintrc",
];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Looked {
    file_path: PathBuf,
    messages: Vec<Message>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    rule_id: Option<String>,
    #[serde(default)]
    fatal: bool,
    severity: u8,
    #[serde(rename = "message")]
    text: String,
    line: Option<usize>,
}

/// Reads `--format json`.
fn findings(answer: &Answer) -> Result<Vec<Report>, String> {
    let looked: Vec<Looked> = match (answer.code, serde_json::from_str(&answer.stdout)) {
        (0 | 1, Ok(looked)) => looked,
        _ => return Err(exited(answer)),
    };
    let report = |file: &PathBuf, it: &Message| {
        let (check, severity) = match (&it.rule_id, it.fatal, it.severity) {
            (_, true, _) => ("syntax", Severity::Error),
            // Words about the file itself: the project ignores it.
            (None, ..) => return None,
            (_, _, 2) => ("lint", Severity::Error),
            _ => ("lint", Severity::Warn),
        };
        Some(Report::new(file, it.line.unwrap_or(1), check, severity, &it.text).code(it.rule_id.as_deref()))
    };
    let reports =
        looked.iter().flat_map(|it| it.messages.iter().filter_map(|message| report(&it.file_path, message)));
    Ok(reports.collect())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::gates::tools::testing::{answer, rows};

    #[test]
    fn the_projects_severities_count() {
        let found = findings(&answer(1, include_str!("../recorded/eslint.json"), "")).unwrap();
        assert_eq!(
            rows(&found),
            [
                "/project/src/b.js:2 lint warn eqeqeq",
                "/project/src/b.js:2 lint error no-debugger",
                "/project/src/bad.js:1 syntax error -",
            ]
        );
        let crashed = answer(2, "", "Oops!");
        assert!(findings(&crashed).unwrap_err().contains("Oops!"));
    }
}
