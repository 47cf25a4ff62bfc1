//! `golangci-lint`, where the project configured it.

use std::path::PathBuf;

use hostler_policy::checks::{Gate, Severity};
use serde::Deserialize;

use super::{EXTENSIONS, packages};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, Job, Purpose, Report, Tool, Use, exited, takes_all, words};

/// Lints.
pub(in super::super) const GOLANGCI: Tool = Tool {
    name: "golangci-lint",
    gates: &[Gate::Lint, Gate::Safety],
    extensions: EXTENSIONS,
    effort: Effort::Types,
    purposes: &[Purpose::Stop, Purpose::Review],
    program: (&["golangci-lint"], Ecosystem::System),
    files_max: None,
    choose: |layout, folder, _| {
        let names = [".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"];
        let file = layout.nearest(folder, &names)?;
        Some(Use { folder: file.parent()?.to_owned(), configured: Some(file), is_ours: false })
    },
    takes: takes_all,
    arguments: Some(|job| {
        let format: &[&str] = if is_second(job) {
            &["--output.json.path=stdout", "--show-stats=false"]
        } else {
            &["--out-format=json"]
        };
        let all = ["run", "--max-issues-per-linter=0", "--max-same-issues=0"];
        Ok(words(&all).into_iter().chain(words(format)).chain(packages(job)).collect())
    }),
    text: None,
    read: |_, answer| findings(answer),
    fix: None,
    is_formatter: false,
    install: "install it from https://golangci-lint.run",
};

/// Whether the configuration is one of the second version, which has other options.
fn is_second(job: &Job<'_>) -> bool {
    let text = job.chosen.configured.as_ref().and_then(|it| job.layout.text(it)).unwrap_or_default();
    text.lines().any(|line| {
        let line: String = line.chars().filter(|it| !matches!(it, ' ' | '"' | '\'' | ',')).collect();
        matches!(line.as_str(), "version:2" | "version=2")
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Document {
    issues: Option<Vec<Issue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Issue {
    from_linter: String,
    text: String,
    #[serde(default)]
    severity: String,
    pos: Position,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Position {
    filename: PathBuf,
    line: usize,
}

/// Reads the first JSON value of the output; words may follow it.
fn findings(answer: &Answer) -> Result<Vec<Report>, String> {
    let first = serde_json::Deserializer::from_str(&answer.stdout).into_iter::<Document>().next();
    let (0 | 1, Some(Ok(document))) = (answer.code, first) else { return Err(exited(answer)) };
    let report = |it: Issue| {
        let (check, severity) = match (it.from_linter.as_str(), it.severity.as_str()) {
            ("typecheck", _) => ("type", Severity::Error),
            (_, "error") => ("lint", Severity::Error),
            _ => ("lint", Severity::Warn),
        };
        Report::new(it.pos.filename, it.pos.line, check, severity, &it.text).code(Some(it.from_linter))
    };
    Ok(document.issues.unwrap_or_default().into_iter().map(report).collect())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn issues_are_findings() {
        let answer =
            |code, stdout: &str| Answer { code, stdout: stdout.into(), stderr: "why".into(), is_cut: false };
        let issue = r#"{"FromLinter":"errcheck","Text":"Error return value is not checked","Severity":"",
            "SourceLines":["\tf()"],"Pos":{"Filename":"pkg/a.go","Offset":52,"Line":6,"Column":3}}"#;
        let found =
            findings(&answer(1, &format!("{{\"Issues\":[{issue}],\"Report\":{{}}}}\n1 issues:\n"))).unwrap();
        let expected =
            Report::new("pkg/a.go", 6, "lint", Severity::Warn, "Error return value is not checked");
        assert_eq!(found, [expected.code(Some("errcheck"))]);
        assert_eq!(findings(&answer(0, "{\"Issues\":null}")).unwrap(), []);
        assert!(findings(&answer(3, "")).unwrap_err().contains("why"));
    }
}
