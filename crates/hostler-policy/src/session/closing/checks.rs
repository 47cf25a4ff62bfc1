//! Runs of tests and linters -> what a session says of them.

use serde::{Deserialize, Serialize};

use crate::claims::Act;
use crate::claims::evidence::Run;

/// Programs that are listed.
const LINES_MAX: usize = 12;

/// What tests and linters said in a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Checks {
    /// One line a program: `pytest: 12 passed`.
    pub lines: Vec<String>,
    /// How many tests the last whole runs counted; `None`: none of them told.
    pub test_count: Option<u64>,
    /// How they went, in words.
    pub test_state: Option<String>,
}

/// Sums up `runs`, oldest first. The last run of a program is what counts, and one of everything counts more than
/// one of a part.
pub fn checks(runs: &[Run]) -> Checks {
    let mut programs: Vec<&Run> = Vec::new();
    for run in runs.iter().filter(|it| judges(it.act)) {
        match programs.iter_mut().find(|it| it.program == run.program && it.act == run.act) {
            Some(last) if is_whole(run) || !is_whole(last) => *last = run,
            Some(_) => {}
            None => programs.push(run),
        }
    }
    let whole = || programs.iter().filter(|it| it.act == Act::Test && is_whole(it));
    let passed = sum(whole().map(|it| it.outcome.tests_passed));
    let failed = sum(whole().map(|it| it.outcome.tests_failed));
    let skipped = sum(whole().map(|it| it.outcome.tests_skipped));
    let counted = passed.is_some() || failed.is_some();
    let count = counted.then(|| passed.unwrap_or(0) + failed.unwrap_or(0) + skipped.unwrap_or(0));
    let all_passed = whole().all(|it| it.outcome.passed == Some(true));
    let state = match (count, failed.unwrap_or(0)) {
        (Some(count), failed) if 0 < failed => Some(format!("{}/{count} passing", passed.unwrap_or(0))),
        (Some(_), _) if all_passed => Some(format!("{} passing", passed.unwrap_or(0))),
        _ if whole().any(|it| it.outcome.passed == Some(false)) => Some("failing".to_owned()),
        _ if whole().next().is_some() && all_passed => Some("passing".to_owned()),
        _ => None,
    };
    let lines = programs.iter().take(LINES_MAX).map(|it| line(it)).collect();
    Checks { lines, test_count: count, test_state: state }
}

fn judges(act: Act) -> bool {
    matches!(act, Act::Test | Act::Lint | Act::Typecheck | Act::Build)
}

/// It was about everything, and its counts are those of all of it.
fn is_whole(run: &Run) -> bool {
    run.scope.is_empty() && !run.outcome.partial
}

fn sum(numbers: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    numbers.flatten().reduce(u64::saturating_add)
}

fn line(run: &Run) -> String {
    let outcome = &run.outcome;
    let count = |number: Option<u64>, one: &str, many: &str| match number {
        None | Some(0) => None,
        Some(1) => Some(format!("1 {one}")),
        Some(number) => Some(format!("{number} {many}")),
    };
    let told: Vec<String> = [
        count(outcome.tests_passed, "passed", "passed"),
        count(outcome.tests_failed, "failed", "failed"),
        count(outcome.tests_skipped, "skipped", "skipped"),
        count(outcome.errors, "error", "errors"),
        count(outcome.warnings, "warning", "warnings"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let words = match (told.is_empty(), outcome.passed) {
        (false, _) => told.join(", "),
        (true, Some(true)) => "passed".to_owned(),
        (true, Some(false)) => "failed".to_owned(),
        (true, None) => "ran, the output does not tell how it went".to_owned(),
    };
    let part = if run.scope.is_empty() { "" } else { " (a part)" };
    format!("{}{part}: {words}", run.program)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::evidence::RunOutcome;

    fn run(act: Act, program: &str, scope: &[&str], outcome: RunOutcome) -> Run {
        let scope = scope.iter().map(|it| (*it).to_owned()).collect();
        Run { act, program: program.to_owned(), scope, times: 1, outcome }
    }

    fn tests(program: &str, scope: &[&str], passed: u64, failed: u64) -> Run {
        let outcome = RunOutcome {
            passed: Some(failed == 0),
            tests_passed: Some(passed),
            tests_failed: Some(failed),
            ..RunOutcome::default()
        };
        run(Act::Test, program, scope, outcome)
    }

    fn verdict(passed: bool) -> RunOutcome {
        RunOutcome { passed: Some(passed), ..RunOutcome::default() }
    }

    #[track_caller]
    fn check(runs: &[Run], lines: &[&str], count: Option<u64>, state: Option<&str>) {
        let found = checks(runs);
        let expected = Checks {
            lines: lines.iter().map(|it| (*it).to_owned()).collect(),
            test_count: count,
            test_state: state.map(str::to_owned),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn the_last_whole_run_of_each_program_counts() {
        check(&[], &[], None, None);
        check(
            &[
                tests("pytest", &[], 10, 2),
                tests("pytest", &[], 12, 0),
                tests("pytest", &["tests/a.py"], 1, 0),
            ],
            &["pytest: 12 passed"],
            Some(12),
            Some("12 passing"),
        );
        check(
            &[tests("pytest", &[], 3, 12)],
            &["pytest: 3 passed, 12 failed"],
            Some(15),
            Some("3/15 passing"),
        );
        check(
            &[tests("cargo test", &[], 5, 0), tests("pytest", &[], 7, 1)],
            &["cargo test: 5 passed", "pytest: 7 passed, 1 failed"],
            Some(13),
            Some("12/13 passing"),
        );
    }

    #[test]
    fn a_part_says_nothing_of_the_whole() {
        check(&[tests("pytest", &["-k", "x"], 2, 0)], &["pytest (a part): 2 passed"], None, None);
        let mut cut = tests("cargo test", &[], 5, 0);
        cut.outcome.partial = true;
        check(&[cut], &["cargo test: 5 passed"], None, None);
    }

    #[test]
    fn linters_are_told_and_are_no_tests() {
        let errors =
            RunOutcome { passed: Some(false), errors: Some(1), warnings: Some(3), ..RunOutcome::default() };
        check(
            &[
                run(Act::Lint, "ruff check", &[], errors),
                run(Act::Typecheck, "mypy", &[], verdict(true)),
                run(Act::Build, "make", &[], RunOutcome::default()),
                run(Act::Format, "rustfmt", &[], verdict(true)),
            ],
            &[
                "ruff check: 1 error, 3 warnings",
                "mypy: passed",
                "make: ran, the output does not tell how it went",
            ],
            None,
            None,
        );
        check(
            &[run(Act::Test, "make test", &[], verdict(false))],
            &["make test: failed"],
            None,
            Some("failing"),
        );
        check(
            &[run(Act::Test, "make test", &[], verdict(true))],
            &["make test: passed"],
            None,
            Some("passing"),
        );
    }
}
