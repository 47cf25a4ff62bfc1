//! What programs that judge print: counts and verdicts.
//!
//! Summaries have shapes of their own, so one pass over the lines offers each line to every family of test
//! runners; what a linter, compiler or type checker says is read for the one that was run.

mod check;
mod dotnet;
mod go;
mod hooks;
mod javascript;
mod jvm;
mod other;
mod python;
mod rust;

pub(super) use check::check;
pub(super) use hooks::hooks;

use super::RunOutcome;
use super::text::lines;

/// A program whose output is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Tool {
    Pytest,
    Unittest,
    Tox,
    CargoTest,
    Nextest,
    GoTest,
    Jest,
    Vitest,
    Mocha,
    NodeTest,
    Playwright,
    Cypress,
    Maven,
    Gradle,
    Rspec,
    Minitest,
    Phpunit,
    Dotnet,
    Ctest,
    Swift,
    Mix,
    Flutter,
    Deno,
    Bun,
    /// Words that many runners use: `3 passed, 1 failed`.
    Generic,
    Rustc,
    Rustfmt,
    GoCompiler,
    Gofmt,
    Golangci,
    Ruff,
    RuffFormat,
    Mypy,
    Pyright,
    Flake8,
    Pylint,
    Black,
    Isort,
    Tsc,
    Eslint,
    Biome,
    Prettier,
    Stylelint,
    Shellcheck,
    Hadolint,
    Terraform,
    PreCommit,
    Bundler,
    Make,
    /// A compiler, linter or builder without a reader of its own.
    Plain,
}

impl Tool {
    /// Prints a summary for each part of a run.
    pub(super) fn sums_up_parts(self) -> bool {
        matches!(
            self,
            Self::CargoTest | Self::GoTest | Self::Maven | Self::Dotnet | Self::Tox | Self::Generic
        )
    }

    /// Says nothing when all is well.
    pub(super) fn silent(self) -> bool {
        matches!(
            self,
            Self::Tsc
                | Self::GoCompiler
                | Self::Gofmt
                | Self::Eslint
                | Self::Flake8
                | Self::Shellcheck
                | Self::Hadolint
                | Self::Rustfmt
                | Self::Stylelint
                | Self::Isort
        )
    }
}

/// A summary in an output.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Summary {
    pub(super) tool: Tool,
    pub(super) outcome: RunOutcome,
}

/// Test summaries in the order in which they stand.
pub(super) fn tests(text: &str) -> Vec<Summary> {
    let mut found: Vec<Summary> = Vec::new();
    let mut python = python::Reader::default();
    let mut rust = rust::Reader::default();
    let mut go = go::Reader::default();
    let mut javascript = javascript::Reader::default();
    let mut jvm = jvm::Reader::default();
    let mut dotnet = dotnet::Reader::default();
    let mut other = other::Reader::default();
    for line in lines(text) {
        let line = line.trim_end();
        if line.is_empty() {
            continue;
        }
        go.line(line, &mut found);
        jvm.line(line, &mut found);
        let telling = line.bytes().any(|byte| byte.is_ascii_digit())
            || line.starts_with("OK")
            || line.starts_with("FAIL")
            || line.contains("passed")
            || line.contains("failed")
            || line.contains("tests ran")
            || line.contains("no tests")
            || line.contains("Failed!")
            || line.contains("Passed!");
        if !telling {
            continue;
        }
        let before = found.len();
        python.line(line, &mut found);
        rust.line(line, &mut found);
        let consumed = javascript.line(line, &mut found);
        dotnet.line(line, &mut found);
        other.line(line, &mut found);
        if found.len() == before && !consumed {
            generic(line, &mut found);
        }
    }
    rust.end(&mut found);
    go.end(&mut found);
    javascript.end(&mut found);
    jvm.end(&mut found);
    dotnet.end(&mut found);
    coverage(text, &mut found);
    found
}

/// Adds `outcome` to the last summary if it is of the same tool and `joins`, else after it.
fn add(found: &mut Vec<Summary>, tool: Tool, outcome: RunOutcome) {
    found.push(Summary { tool, outcome });
}

/// Passed unless something failed, with counts.
fn counts(passed: Option<u64>, failed: Option<u64>, skipped: Option<u64>) -> RunOutcome {
    RunOutcome {
        passed: Some(failed.unwrap_or(0) == 0),
        tests_passed: passed,
        tests_failed: Some(failed.unwrap_or(0)),
        tests_skipped: skipped.filter(|count| 0 < *count),
        ..RunOutcome::default()
    }
}

/// The sum of two outcomes: of parts of one run, or of runs in one output.
pub(super) fn sum(a: &RunOutcome, b: &RunOutcome) -> RunOutcome {
    fn plus(a: Option<u64>, b: Option<u64>) -> Option<u64> {
        match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
        }
    }
    RunOutcome {
        passed: match (a.passed, b.passed) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (None, other) | (other, None) => other,
            (Some(true), Some(true)) => Some(true),
        },
        tests_passed: plus(a.tests_passed, b.tests_passed),
        tests_failed: plus(a.tests_failed, b.tests_failed),
        tests_skipped: plus(a.tests_skipped, b.tests_skipped),
        errors: plus(a.errors, b.errors),
        warnings: plus(a.warnings, b.warnings),
        units_passed: plus(a.units_passed, b.units_passed),
        partial: a.partial || b.partial,
        coverage_percent: b.coverage_percent.or(a.coverage_percent),
    }
}

/// `3 passed, 1 failed`, `All 5 tests passed`, `12/14 tests passed`, `Passed: 5, Failed: 1`, in a line that says
/// little else.
fn generic(line: &str, found: &mut Vec<Summary>) {
    use super::text::{after, count, counted, has};
    if 160 < line.len() || !(has(line, "pass") || has(line, "fail")) {
        return;
    }
    let lower = line.to_lowercase();
    let mut passed = None;
    let mut failed = None;
    let mut skipped = None;
    for label in ["passed:", "passes:", "pass:", "passed =", "succeeded:"] {
        passed = passed.or_else(|| after(&lower, label));
    }
    for label in ["failed:", "failures:", "fail:", "failed ="] {
        failed = failed.or_else(|| after(&lower, label));
    }
    if passed.is_some() && failed.is_some() {
        add(found, Tool::Generic, counts(passed, failed, after(&lower, "skipped:")));
        return;
    }
    (passed, failed) = (None, None);
    let words: Vec<&str> =
        lower.split(|c: char| !(c.is_alphanumeric() || c == '/')).filter(|it| !it.is_empty()).collect();
    for (index, word) in words.iter().enumerate() {
        let next = words.get(index + 1).copied().unwrap_or_default();
        // `12/14 tests passed`, `12/12 passed`
        if let Some((part, whole)) = word.split_once('/')
            && let (Some(part), Some(whole)) = (count(part), count(whole))
            && part <= whole
            && (next == "passed"
                || (matches!(next, "tests" | "specs" | "checks" | "cases")
                    && words.get(index + 2) == Some(&"passed")))
        {
            add(found, Tool::Generic, counts(Some(part), Some(whole - part), None));
            return;
        }
        // `5 tests passed`, `all 5 tests passed`
        if let Some(number) = count(word)
            && matches!(next, "test" | "tests" | "specs" | "spec" | "checks" | "cases")
        {
            match words.get(index + 2).copied() {
                Some("passed") => passed = passed.or(Some(number)),
                Some("failed") => failed = failed.or(Some(number)),
                Some("skipped") => skipped = skipped.or(Some(number)),
                _ => {}
            }
        }
    }
    for (number, word) in counted(&lower) {
        match word.as_str() {
            "passed" | "passing" => passed = passed.or(Some(number)),
            "failed" | "failing" | "failures" | "failure" => failed = failed.or(Some(number)),
            "skipped" => skipped = skipped.or(Some(number)),
            _ => {}
        }
    }
    if passed.is_some() || (failed.is_some() && skipped.is_some()) {
        add(found, Tool::Generic, counts(passed, failed, skipped));
    } else if failed.is_some() && words.len() < 8 && !lower.contains(" with ") {
        add(found, Tool::Generic, counts(None, failed, skipped));
    }
}

/// Totals of line coverage: `TOTAL 120 20 83%`, `All files | 81.2 |`, `coverage: 81.2% of statements`,
/// `81.20% coverage, 65/80 lines covered`, `lines......: 83.1% (500 of 602 lines)`.
fn coverage(text: &str, found: &mut [Summary]) {
    let total = lines(text).rev().take(2_000).find_map(coverage_of);
    if let (Some(percent), Some(last)) = (total, found.last_mut()) {
        last.outcome.coverage_percent = Some(percent);
    }
}

/// The total that a line of a coverage report states.
pub(super) fn coverage_of(line: &str) -> Option<f64> {
    let trimmed = line.trim();
    let percent_at_end = |text: &str| -> Option<f64> { text.trim().strip_suffix('%')?.trim().parse().ok() };
    if let Some(rest) = trimmed.strip_prefix("TOTAL") {
        let columns: Vec<f64> = rest.split_whitespace().filter_map(percent_at_end).collect();
        // llvm-cov: regions, functions, lines, branches; pytest-cov: one.
        return if 3 <= columns.len() { columns.get(2).copied() } else { columns.last().copied() };
    }
    if trimmed.starts_with("All files") && trimmed.contains('|') {
        // % Stmts | % Branch | % Funcs | % Lines
        let columns: Vec<f64> = trimmed.split('|').skip(1).map_while(|it| it.trim().parse().ok()).collect();
        return columns.get(3).or_else(|| columns.first()).copied();
    }
    if let Some(rest) = trimmed.strip_prefix("lines") {
        let rest = rest.trim_start_matches(['.', ' ']).strip_prefix(':')?;
        return percent_at_end(rest.split_whitespace().next()?);
    }
    if let Some(rest) = trimmed.strip_prefix("total:") {
        return rest.trim_start().strip_prefix("(statements)").and_then(percent_at_end);
    }
    if let Some((before, _)) = trimmed.split_once("% coverage,") {
        return before.split_whitespace().last()?.parse().ok();
    }
    if let Some(rest) = trimmed.split_once("coverage: ").map(|(_, rest)| rest)
        && rest.contains("of statements")
    {
        return percent_at_end(rest.split_whitespace().next()?);
    }
    if let Some(rest) = trimmed.strip_prefix("Total coverage:").or_else(|| trimmed.strip_prefix("Coverage:"))
    {
        return percent_at_end(rest.split_whitespace().next()?);
    }
    None
}
