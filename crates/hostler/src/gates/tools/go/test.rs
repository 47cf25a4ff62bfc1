//! `go test` over the packages of changed test files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hostler_policy::checks::{Gate, Severity};
use serde::Deserialize;

use super::{EXTENSIONS, INSTALL, module, packages, place};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, Job, Purpose, Report, Tool, exited, words};

/// Tests.
pub(in super::super) const TEST: Tool = Tool {
    name: "go test",
    gates: &[Gate::Stop],
    extensions: EXTENSIONS,
    effort: Effort::Tests,
    purposes: &[Purpose::Stop, Purpose::Review],
    program: (&["go"], Ecosystem::System),
    files_max: None,
    choose: |layout, folder, _| module(layout, folder),
    takes: |_, path| Ok(path.file_stem().is_some_and(|it| it.to_string_lossy().ends_with("_test"))),
    // What vet says is told by vet.
    arguments: Some(|job| {
        Ok(words(&["test", "-json", "-vet=off"]).into_iter().chain(packages(job)).collect())
    }),
    text: None,
    read: |job, answer| findings(answer, &Files::of(job)),
    fix: None,
    is_formatter: false,
    install: INSTALL,
};

/// The test files of a job, by name: the runner names no folders.
struct Files {
    by_name: BTreeMap<String, PathBuf>,
}

impl Files {
    fn of(job: &Job<'_>) -> Self {
        Self::from(job.files.iter().map(|it| it.path.as_path()))
    }

    fn from<'p>(paths: impl Iterator<Item = &'p Path>) -> Self {
        let named = |it: &Path| Some((it.file_name()?.to_str()?.to_owned(), it.to_owned()));
        Self { by_name: paths.filter_map(named).collect() }
    }

    fn get(&self, name: &Path) -> Option<&PathBuf> {
        self.by_name.get(name.file_name()?.to_str()?)
    }

    fn first(&self) -> PathBuf {
        self.by_name.values().next().cloned().unwrap_or_default()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    test: Option<String>,
    output: Option<String>,
}

/// What is said of modules that are not there and cannot be had.
const MISSING: &[&str] = &["dial tcp", "module lookup disabled by GOPROXY=off"];

/// Reads `go test -json`, an event a line.
fn findings(answer: &Answer, files: &Files) -> Result<Vec<Report>, String> {
    match answer.code {
        0 => return Ok(Vec::new()),
        1 | 2 => {}
        128.. => return Err(format!("it was ended by signal {}, which no test decides", answer.code - 128)),
        _ => return Err(exited(answer)),
    }
    let mut said: BTreeMap<String, String> = BTreeMap::new();
    let mut failed: Vec<String> = Vec::new();
    for event in answer.stdout.lines().filter_map(|it| serde_json::from_str::<Event>(it).ok()) {
        match (event.action.as_str(), event.test, event.output) {
            ("output", Some(test), Some(output)) => said.entry(test).or_default().push_str(&output),
            ("fail", Some(test), _) => failed.push(test),
            _ => {}
        }
    }
    // A test around others fails with them.
    let is_around = |test: &String| failed.iter().any(|it| it.starts_with(&format!("{test}/")));
    let mut found: Vec<Report> = failed
        .iter()
        .filter(|it| !is_around(it))
        .map(|test| report(test, said.get(test).map_or("", String::as_str), files))
        .collect();
    if found.is_empty() {
        let outputs = || answer.stdout.lines().chain(answer.stderr.lines());
        // Without the modules that they need, nothing is known of the tests.
        if let Some(line) = outputs().find(|it| MISSING.iter().any(|said| it.contains(said))) {
            return Err(format!("modules are missing: {}", line.trim()));
        }
        let error = outputs().map(str::trim).find(|it| place(it).is_some());
        let error = error.map_or_else(|| answer.complaint(), str::to_owned);
        let message = format!("the tests do not compile: {error}");
        found.push(Report::new(files.first(), 1, "stop.test", Severity::Error, &message));
    }
    Ok(found)
}

fn report(test: &str, said: &str, files: &Files) -> Report {
    let placed = said.lines().find_map(|line| {
        let (path, row, message) = place(line)?;
        Some((files.get(&path)?.clone(), row, message.to_owned()))
    });
    let (file, line, why) = placed.unwrap_or_else(|| {
        let panic = said.lines().find(|it| it.starts_with("panic:")).unwrap_or("no reason given");
        (files.first(), 1, panic.to_owned())
    });
    Report::new(file, line, "stop.test", Severity::Error, &format!("`{test}` failed: {why}"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn answer(code: i32, stdout: &str, stderr: &str) -> Answer {
        Answer { code, stdout: stdout.to_owned(), stderr: stderr.to_owned(), is_cut: false }
    }

    #[track_caller]
    fn check(answer: &Answer, expected: &[(usize, &str)]) {
        let found =
            findings(answer, &Files::from([Path::new("/project/pkg/a_test.go")].into_iter())).unwrap();
        let found: Vec<_> = found.iter().map(|it| (it.finding.line, it.finding.message.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn failed_tests_are_findings() {
        check(
            &answer(1, include_str!("../recorded/go-test.jsonl"), ""),
            &[(6, "`TestF` failed: no"), (12, "`TestSub/inner` failed: sub")],
        );
        check(&answer(0, "", ""), &[]);
        let broken = "# x/pkg [x/pkg.test]\npkg/b.go:3:23: cannot use \"x\" as int value\n";
        check(
            &answer(2, "", broken),
            &[(1, "the tests do not compile: pkg/b.go:3:23: cannot use \"x\" as int value")],
        );
    }
    #[test]
    fn what_cannot_be_fetched_decides_nothing() {
        let files = Files::from([Path::new("/project/pkg/a_test.go")].into_iter());
        for said in [
            "a.go:22:2: example.com/a@v0.1.0: Get \"https://proxy.example.com/a.zip\": dial tcp: lookup proxy.example.com: no such host\n",
            "a.go:3:2: module lookup disabled by GOPROXY=off\n",
        ] {
            let found = findings(&answer(1, "", said), &files);
            assert!(found.unwrap_err().starts_with("modules are missing: a.go"), "{said}");
        }
    }
}
