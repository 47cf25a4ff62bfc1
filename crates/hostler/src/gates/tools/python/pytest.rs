//! `pytest` over changed test files.

use std::fs;
use std::path::Path;

use hostler_policy::checks::{Gate, Severity};

use super::{beside_configuration, configured};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::layout::{Layout, lookup};
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, Job, Purpose, Report, Tool, Use, exited, junit};

/// Tests.
pub(in super::super) const PYTEST: Tool = Tool {
    name: "pytest",
    gates: &[Gate::Stop],
    extensions: &["py"],
    effort: Effort::Tests,
    purposes: &[Purpose::Stop, Purpose::Review],
    program: (&["pytest"], Ecosystem::Python),
    files_max: None,
    choose: |layout, folder, _| {
        let configured = configured(layout, folder, "pytest", &["pytest.ini", ".pytest.ini"], &["tox.ini"])
            .or_else(|| configured(layout, folder, "tool:pytest", &[], &["setup.cfg"]));
        Some(beside_configuration(layout, folder, configured))
    },
    takes,
    arguments: Some(|job| {
        let report = job.scratch()?.join(REPORT);
        let mut arguments: Vec<_> =
            ["-x", "-q", "--no-header", "-o", "junit_family=xunit1", "--junitxml"].map(Into::into).to_vec();
        arguments.push(report.into());
        // Options about what failed last stay understood; the project's own cache stays as it is.
        arguments
            .extend(["-o".into(), format!("cache_dir={}", job.scratch()?.join("cache").display()).into()]);
        arguments.extend(job.paths());
        Ok(arguments)
    }),
    text: None,
    read: |job, answer| {
        let report = fs::read_to_string(job.scratch()?.join(REPORT)).unwrap_or_default();
        let first = job.files.first().map_or(Path::new(""), |it| it.path.as_path());
        findings(answer, &report, first)
    },
    fix: None,
    is_formatter: false,
    install: "install it with `uv add --dev pytest` or `pip install pytest`",
};

/// What the report is called in the folder for it.
const REPORT: &str = "junit.xml";

/// Whether a file is a test that may be run; `Err`: the configuration takes it out.
fn takes(job: &Job<'_>, path: &Path) -> Result<bool, String> {
    if !is_test(job.layout, &job.chosen, path) {
        return Ok(false);
    }
    let tests = &job.request.settings.tests;
    let shown = path.strip_prefix(job.layout.root()).unwrap_or(path).display();
    let name = path.file_name().map(|it| it.to_string_lossy().to_lowercase()).unwrap_or_default();
    if let Some(word) = tests.excluded_names.iter().find(|it| name.contains(&it.to_lowercase())) {
        return Err(format!("`{shown}` was not run: its name has `{word}`, `gates.tests.excluded_names`"));
    }
    let has = |text: &str, words: &[String]| words.iter().find(|it| text.contains(it.as_str())).cloned();
    let text = job.layout.text(path).unwrap_or_default();
    if let Some(word) = has(&text, &tests.excluded_words) {
        return Err(format!("`{shown}` was not run: it uses `{word}`, `gates.tests.excluded_words`"));
    }
    for folder in path.parent().into_iter().flat_map(|it| job.layout.upward(it)) {
        let conftest = job.layout.text(&folder.join("conftest.py")).unwrap_or_default();
        if let Some(word) = has(&conftest, &tests.excluded_by_conftest) {
            return Err(format!(
                "`{shown}` was not run: a `conftest.py` above it uses `{word}`, `gates.tests.excluded_by_conftest`"
            ));
        }
    }
    Ok(true)
}

/// Named as pytest wants it, and where the project keeps tests: a script that is called `test_…` may do anything.
fn is_test(layout: &Layout<'_>, chosen: &Use, path: &Path) -> bool {
    const FOLDERS: &[&str] = &["tests", "test"];
    let name = path.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
    if !(name.starts_with("test_") || name.ends_with("_test")) {
        return false;
    }
    let below = path.strip_prefix(layout.root()).unwrap_or(path);
    let mut folders = below.parent().into_iter().flat_map(Path::components);
    if folders.any(|it| FOLDERS.contains(&it.as_os_str().to_string_lossy().as_ref())) {
        return true;
    }
    let configured = chosen.configured.as_ref().and_then(|file| layout.toml(file));
    let paths = configured.as_ref().and_then(|it| lookup(it, "tool.pytest.ini_options.testpaths"));
    let paths = paths.and_then(|it| it.as_array()).into_iter().flatten().filter_map(|it| it.as_str());
    paths.into_iter().any(|it| path.starts_with(chosen.folder.join(it)))
}

/// What the exit code says, with the report's words. A report of `first` stands in where there is none.
fn findings(answer: &Answer, report: &str, first: &Path) -> Result<Vec<Report>, String> {
    match answer.code {
        0 => Ok(Vec::new()),
        // Tests failed, or could not be collected.
        1 | 2 => {
            let failures = junit::failures(report);
            if answer.code == 1 && failures.as_ref().is_ok_and(Vec::is_empty) {
                // A threshold of coverage, say, that a part of the tests cannot reach.
                return Err(format!("no test failed, and yet it ended with {}", exited(answer)));
            }
            let mut found: Vec<Report> =
                failures.unwrap_or_default().iter().map(|it| failure(it, first)).collect();
            if found.is_empty() {
                let message = format!("the tests failed: {}", answer.complaint());
                found.push(Report::new(first, 1, "stop.test", Severity::Error, &message));
            }
            Ok(found)
        }
        5 => Err("it found no tests in the files".to_owned()),
        // A crash of the interpreter is no verdict on the tests.
        128.. => Err(format!("it was ended by signal {}, which no test decides", answer.code - 128)),
        _ => Err(exited(answer)),
    }
}

fn failure(failure: &junit::Failure, first: &Path) -> Report {
    let file = failure.file.as_deref().unwrap_or(first);
    // The last place in the file that the trace names is nearer to the cause than where the test begins.
    let spelled = format!("{}:", file.display());
    let traced = failure.text.lines().rev().find_map(|line| {
        let rest = line.strip_prefix(&spelled)?;
        rest.split(':').next()?.parse().ok()
    });
    // What the import of a module says comes last.
    let cause = failure.text.lines().rev().find_map(|it| it.strip_prefix("E   ")).map(str::trim);
    let message = match (failure.message.as_str(), cause) {
        ("collection failure", Some(cause)) => format!("`{}` cannot be collected: {cause}", failure.name),
        (said, _) => format!("`{}` failed: {said}", failure.name),
    };
    let line = traced.or(failure.line).unwrap_or(1);
    Report::new(file, line, "stop.test", Severity::Error, &message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(code: i32, stdout: &str) -> Answer {
        Answer { code, stdout: stdout.to_owned(), stderr: String::new(), is_cut: false }
    }

    #[track_caller]
    fn check(code: i32, report: &str, expected: Result<&[(usize, &str)], &str>) {
        let found = findings(&answer(code, "said\n"), report, Path::new("tests/test_a.py"));
        let found = found
            .map(|it| it.into_iter().map(|it| (it.finding.line, it.finding.message)).collect::<Vec<_>>());
        match (found, expected) {
            (Ok(found), Ok(expected)) => {
                let found: Vec<_> = found.iter().map(|it| (it.0, it.1.as_str())).collect();
                assert_eq!(found, expected);
            }
            (Err(why), Err(part)) => assert!(why.contains(part), "{why}"),
            (found, _) => panic!("{found:?}"),
        }
    }

    // @traces REQ-020-061 REQ-020-062
    #[test]
    fn the_exit_code_judges() {
        check(0, "", Ok(&[]));
        check(
            1,
            include_str!("../recorded/pytest.xml"),
            Ok(&[
                (7, "`tests.test_a.TestF.test_bad` failed: assert 1 == 2"),
                (16, "`tests.test_a.test_fixture` failed: failed on setup with \"ValueError: no\""),
            ]),
        );
        check(
            2,
            include_str!("../recorded/pytest-collection.xml"),
            Ok(&[(
                1,
                "`tests.test_b` cannot be collected: ModuleNotFoundError: No module named 'nonexistent'",
            )]),
        );
        check(1, "", Ok(&[(1, "the tests failed: said")]));
        check(1, "<testsuites/>", Err("no test failed"));
        check(3, "", Err("exit code 3"));
        check(4, "", Err("exit code 4"));
        check(5, "<testsuites/>", Err("no tests"));
        check(139, "", Err("signal 11"));
        check(137, "", Err("signal 9"));
    }
}
