//! `cargo test` and `cargo nextest run` over changed integration tests.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use hostler_policy::checks::{Gate, Severity};

use super::{EXTENSIONS, package};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::layout::Layout;
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, Job, Purpose, Report, Tool, exited, junit};

/// Tests, where the project has no configuration of nextest.
pub(in super::super) const TEST: Tool = Tool {
    name: "cargo test",
    gates: &[Gate::Stop],
    extensions: EXTENSIONS,
    effort: Effort::Tests,
    purposes: &[Purpose::Stop, Purpose::Review],
    program: (&["cargo"], Ecosystem::Rust),
    files_max: None,
    choose: |layout, folder, _| package(layout, folder).filter(|_| !has_nextest(layout, folder)),
    takes: |job, path| Ok(target(&job.chosen.folder, path).is_some()),
    arguments: Some(|job| {
        let words = ["test", "--message-format", "short", "--color", "never"];
        Ok(words.iter().map(OsString::from).chain(targets(job)).collect())
    }),
    text: None,
    read: |job, answer| {
        let first = job.files.first().map_or(Path::new(""), |it| &it.path);
        findings(answer, &failures(&answer.stdout), first)
    },
    fix: None,
    is_formatter: false,
    install: "install Rust from https://rustup.rs",
};

/// Tests, where the project configures nextest.
pub(in super::super) const NEXTEST: Tool = Tool {
    name: "cargo nextest",
    program: (&["cargo-nextest"], Ecosystem::Rust),
    choose: |layout, folder, _| package(layout, folder).filter(|_| has_nextest(layout, folder)),
    arguments: Some(|job| {
        // Configuration of a tool is weaker than the project's.
        let scratch = job.scratch()?;
        let path = toml::Value::String(scratch.join(REPORT).display().to_string());
        let report = format!("[profile.default.junit]\npath = {path}\n");
        let file = scratch.join("nextest.toml");
        fs::write(&file, report)
            .map_err(|error| format!("`{}` cannot be written: {error}", file.display()))?;
        let words =
            ["nextest", "run", "--cargo-message-format", "short", "--color", "never", "--tool-config-file"];
        let file = format!("hostler:{}", file.display());
        Ok(words.iter().map(OsString::from).chain([file.into()]).chain(targets(job)).collect())
    }),
    read: |job, answer| {
        let report = fs::read_to_string(job.scratch()?.join(REPORT)).unwrap_or_default();
        let first = job.files.first().map_or(Path::new(""), |it| &it.path);
        let failures = junit::failures(&report).unwrap_or_default();
        let failures: Vec<Failure> = failures
            .into_iter()
            .map(|it| Failure { place: place(&it.text), name: it.name, message: it.message })
            .collect();
        findings(answer, &failures, first)
    },
    install: "install it with `cargo install cargo-nextest`",
    ..TEST
};

const REPORT: &str = "junit.xml";

fn has_nextest(layout: &Layout<'_>, folder: &Path) -> bool {
    layout.nearest(folder, &[".config/nextest.toml"]).is_some()
}

/// The test target of a file in the package's `tests` folder: `tests/NAME.rs`, or `tests/NAME/` with a `main.rs`.
fn target(package: &Path, path: &Path) -> Option<String> {
    let below = path.strip_prefix(package.join("tests")).ok()?;
    let first = Path::new(below.components().next()?.as_os_str());
    let is_folder = below.components().count() > 1;
    if is_folder && !package.join("tests").join(first).join("main.rs").is_file() {
        return None;
    }
    let name = if is_folder { first.as_os_str() } else { first.file_stem()? };
    name.to_str().map(str::to_owned)
}

fn targets(job: &Job<'_>) -> Vec<OsString> {
    let mut names: Vec<String> =
        job.files.iter().filter_map(|it| target(&job.chosen.folder, &it.path)).collect();
    names.sort();
    names.dedup();
    names.into_iter().flat_map(|it| ["--test".into(), it.into()]).collect()
}

/// A test that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Failure {
    name: String,
    place: Option<(PathBuf, usize)>,
    message: String,
}

/// The failed tests of what `cargo test` prints.
fn failures(output: &str) -> Vec<Failure> {
    let mut found: Vec<Failure> = Vec::new();
    let mut lines = output.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(name) = line.strip_prefix("---- ").and_then(|it| it.strip_suffix(" stdout ----")) else {
            continue;
        };
        let mut said = Vec::new();
        while let Some(line) = lines.next_if(|it| !it.starts_with("---- ") && *it != "failures:") {
            said.push(line);
        }
        let text = said.join("\n");
        let said =
            said.iter().map(|it| it.trim()).filter(|it| !it.is_empty() && !it.contains("panicked at "));
        let message = said.take(1).collect();
        found.push(Failure { name: name.to_owned(), place: place(&text), message });
    }
    found
}

/// Reads `panicked at tests/it.rs:3:5:`.
fn place(text: &str) -> Option<(PathBuf, usize)> {
    let line = text.lines().find_map(|it| it.split_once("panicked at ")).map(|it| it.1)?;
    let mut parts = line.trim_end_matches(':').rsplitn(3, ':');
    let (_, row, path) = (parts.next()?, parts.next()?, parts.next()?);
    Some((PathBuf::from(path), row.parse().ok()?))
}

/// What the exit code says: 0, 101 of cargo and 100 of nextest for tests that failed, 101 for what does not compile.
fn findings(answer: &Answer, failures: &[Failure], first: &Path) -> Result<Vec<Report>, String> {
    match answer.code {
        0 => return Ok(Vec::new()),
        100 | 101 => {}
        128.. => return Err(format!("it was ended by signal {}, which no test decides", answer.code - 128)),
        // nextest found no tests.
        4 => return Err("it found no tests in the files".to_owned()),
        _ => return Err(exited(answer)),
    }
    let report = |it: &Failure| {
        let (file, line) = it.place.clone().unwrap_or_else(|| (first.to_owned(), 1));
        let message = format!("`{}` failed: {}", it.name, it.message);
        Report::new(file, line, "stop.test", Severity::Error, &message)
    };
    let mut found: Vec<Report> = failures.iter().map(report).collect();
    if found.is_empty() {
        // `src/lib.rs:3:5: error[E0308]: mismatched types`
        let error = answer.stderr.lines().find(|it| it.contains(": error"));
        let Some(error) = error else { return Err(exited(answer)) };
        found.push(Report::new(
            first,
            1,
            "stop.test",
            Severity::Error,
            &format!("the tests do not compile: {}", error.trim()),
        ));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::gates::tools::testing::answer;

    #[test]
    fn failed_tests_are_findings_where_they_panicked() {
        let answered = answer(101, include_str!("../recorded/cargo-test.txt"), "");
        let found = findings(&answered, &failures(&answered.stdout), Path::new("tests/it.rs")).unwrap();
        let found: Vec<_> = found.iter().map(|it| (it.finding.line, it.finding.message.as_str())).collect();
        assert_eq!(
            found,
            [(3, "`bad` failed: assertion `left == right` failed"), (1, "`e` failed: Error: \"no\"")]
        );
    }

    #[test]
    fn what_does_not_compile_fails_and_what_did_not_run_does_not() {
        let broken =
            answer(101, "", "src/lib.rs:2:5: error[E0308]: mismatched types\nerror: could not compile\n");
        let found = findings(&broken, &[], Path::new("tests/it.rs")).unwrap();
        let message = "the tests do not compile: src/lib.rs:2:5: error[E0308]: mismatched types";
        assert_eq!(found[0].finding.message, message);
        assert!(findings(&answer(101, "", "error: no such command\n"), &[], Path::new("")).is_err());
        assert!(findings(&answer(139, "", ""), &[], Path::new("")).unwrap_err().contains("signal 11"));
        assert_eq!(findings(&answer(0, "", ""), &[], Path::new("")).unwrap(), []);
    }
}
