//! `jest` over changed test files, and the report that `vitest` writes in the same form.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use hostler_policy::checks::{Gate, Severity};
use serde::Deserialize;

use super::{EXTENSIONS, beside, configured, depends, is_test};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::process::{Answer, first_line};
use crate::gates::tools::{Effort, Job, Purpose, Report, Tool, exited};

/// Tests.
pub(in super::super) const JEST: Tool = Tool {
    name: "jest",
    gates: &[Gate::Stop],
    extensions: EXTENSIONS,
    effort: Effort::Tests,
    purposes: &[Purpose::Stop, Purpose::Review],
    program: (&["jest"], Ecosystem::Node),
    files_max: None,
    choose: |layout, folder, _| {
        let configured = configured(layout, folder, FILES, Some("jest"));
        configured.or_else(|| depends(layout, folder, "jest")).map(beside)
    },
    takes: |_, path| Ok(is_test(path)),
    arguments: Some(|job| {
        let words = ["--ci", "--silent", "--testLocationInResults", "--json", "--runTestsByPath"];
        let report = format!("--outputFile={}", report(job)?.display());
        Ok(words.iter().map(OsString::from).chain([report.into()]).chain(job.paths()).collect())
    }),
    text: None,
    read: |job, answer| findings(answer, &fs::read_to_string(report(job)?).unwrap_or_default()),
    fix: None,
    is_formatter: false,
    install: "install it with `npm install --save-dev jest`",
};

const FILES: &[&str] =
    &["jest.config.js", "jest.config.ts", "jest.config.mjs", "jest.config.cjs", "jest.config.json"];

/// Where the report goes.
pub(super) fn report(job: &Job<'_>) -> Result<PathBuf, String> {
    Ok(job.scratch()?.join("report.json"))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Results {
    test_results: Vec<Suite>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Suite {
    name: PathBuf,
    status: String,
    #[serde(default)]
    message: String,
    assertion_results: Vec<Assertion>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Assertion {
    full_name: String,
    status: String,
    #[serde(default)]
    failure_messages: Vec<String>,
    location: Option<Location>,
}

#[derive(Deserialize)]
struct Location {
    line: usize,
}

/// Failed tests of a report, and files whose tests could not be collected.
pub(super) fn findings(answer: &Answer, report: &str) -> Result<Vec<Report>, String> {
    let results: Results = match (answer.code, serde_json::from_str(report)) {
        (0 | 1, Ok(results)) => results,
        (128.., _) => {
            return Err(format!("it was ended by signal {}, which no test decides", answer.code - 128));
        }
        _ => return Err(exited(answer)),
    };
    if results.test_results.is_empty() {
        return Err("it found no tests in the files".to_owned());
    }
    Ok(results.test_results.iter().filter(|it| it.status == "failed").flat_map(of_suite).collect())
}

fn of_suite(suite: &Suite) -> Vec<Report> {
    let failed = suite.assertion_results.iter().filter(|it| it.status == "failed");
    let mut found: Vec<Report> = failed
        .map(|it| {
            let text = it.failure_messages.first().map(String::as_str).unwrap_or_default();
            let line = traced(text, &suite.name).or(it.location.as_ref().map(|it| it.line)).unwrap_or(1);
            let message = format!("`{}` failed: {}", it.full_name, said(text));
            Report::new(&suite.name, line, "stop.test", Severity::Error, &message)
        })
        .collect();
    if found.is_empty() {
        let message = format!("its tests cannot be collected: {}", said(&suite.message));
        found.push(Report::new(&suite.name, 1, "stop.test", Severity::Error, &message));
    }
    found
}

/// The line of `file` that a trace names first.
fn traced(text: &str, file: &Path) -> Option<usize> {
    let spelled = format!("{}:", file.display());
    let at = text.find(&spelled)? + spelled.len();
    text.get(at..)?.split(':').next()?.parse().ok()
}

/// What a text says first, without the mark that jest puts before a heading.
fn said(text: &str) -> String {
    first_line(text.lines().filter(|it| !it.trim_start().starts_with('●')))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[track_caller]
    fn check(report: &str, expected: &[(&str, usize, &str)]) {
        let answer = Answer { code: 1, stdout: String::new(), stderr: String::new(), is_cut: false };
        let found = findings(&answer, report).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|it| (it.file.to_str().unwrap(), it.finding.line, it.finding.message.as_str()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_failed_is_told_with_its_place() {
        check(
            include_str!("../recorded/jest.json"),
            &[
                (
                    "/project/test/a.test.js",
                    1,
                    "`adds` failed: Error: expect(received).toBe(expected) // Object.is equality",
                ),
                (
                    "/project/test/b.test.js",
                    1,
                    "its tests cannot be collected: Cannot find module './missing' from 'test/b.test.js'",
                ),
            ],
        );
        check(
            include_str!("../recorded/vitest.json"),
            &[
                (
                    "/project/test/a.test.ts",
                    2,
                    "`adds` failed: AssertionError: expected 2 to be 3 // Object.is equality",
                ),
                (
                    "/project/test/b.test.ts",
                    1,
                    "its tests cannot be collected: No test suite found in file /project/test/b.test.ts",
                ),
            ],
        );
    }

    #[test]
    fn without_a_report_nothing_was_tested() {
        let answer = |code| Answer { code, stdout: String::new(), stderr: "broken".into(), is_cut: false };
        assert!(findings(&answer(1), "").unwrap_err().contains("broken"));
        assert!(findings(&answer(1), "{\"testResults\": []}").unwrap_err().contains("no tests"));
        assert!(findings(&answer(139), "").unwrap_err().contains("signal 11"));
    }
}
