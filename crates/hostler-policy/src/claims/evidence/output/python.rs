//! pytest, unittest, tox, nox.

use super::super::text::{after, counted, leading_count};
use super::{RunOutcome, Summary, Tool, add, counts};

#[derive(Default)]
pub(super) struct Reader {
    /// `Ran 5 tests in 0.003s` was read, its verdict was not yet.
    ran: Option<u64>,
}

impl Reader {
    pub(super) fn line(&mut self, line: &str, found: &mut Vec<Summary>) {
        if let Some(outcome) = pytest(line) {
            add(found, Tool::Pytest, outcome);
            return;
        }
        if let Some(rest) = line.strip_prefix("Ran ")
            && rest.contains(" test")
            && rest.contains(" in ")
        {
            self.ran = leading_count(rest);
            return;
        }
        let verdict = line.trim_start();
        let verdict_like = verdict == "OK"
            || verdict == "FAILED"
            || verdict.starts_with("OK (")
            || verdict.starts_with("FAILED (")
            || verdict.starts_with("NO TESTS RAN");
        if let Some(ran) = self.ran.filter(|_| verdict_like) {
            self.ran = None;
            let number = |label: &str| after(verdict, label).unwrap_or(0);
            let failed = number("failures=") + number("errors=") + number("unexpected successes=");
            let skipped = number("skipped=");
            let mut outcome = counts(Some(ran.saturating_sub(failed + skipped)), Some(failed), Some(skipped));
            if verdict.starts_with("FAILED") {
                outcome.passed = Some(false);
            } else if ran == 0 {
                outcome.passed = None;
            }
            add(found, Tool::Unittest, outcome);
            return;
        }
        // tox and nox: `  py311: OK (2.10 seconds)`, `nox > Session tests was successful.`
        let tox = line.starts_with("  ") && line.contains(": ");
        if tox
            && (line.contains(": OK (") || line.contains(": FAIL "))
            && line.contains('=') == line.contains("=setup")
        {
            let ok = line.contains(": OK (");
            let outcome =
                RunOutcome { passed: Some(ok), units_passed: ok.then_some(1), ..RunOutcome::default() };
            match found.last_mut() {
                Some(last) if last.tool == Tool::Tox => {
                    last.outcome = super::sum(&last.outcome, &outcome);
                }
                _ => add(found, Tool::Tox, outcome),
            }
        }
    }
}

/// `== 2 failed, 46 passed, 1 warning in 2.13s ==`, with or without its frame.
fn pytest(line: &str) -> Option<RunOutcome> {
    let inner = line.trim().trim_matches('=').trim();
    let (list, time) = inner.rsplit_once(" in ")?;
    if !time.starts_with(|c: char| c.is_ascii_digit()) || !time.split([' ', '(']).next()?.ends_with('s') {
        return None;
    }
    if list == "no tests ran" {
        return Some(RunOutcome { passed: None, tests_passed: Some(0), ..RunOutcome::default() });
    }
    let parts = counted(list);
    if parts.is_empty() || parts.len() != list.split(", ").count() {
        return None;
    }
    let mut outcome = RunOutcome::default();
    let (mut passed, mut failed, mut skipped) = (None, 0, 0);
    for (number, word) in parts {
        match word.as_str() {
            "passed" | "xpassed" => passed = Some(passed.unwrap_or(0) + number),
            "failed" | "error" | "errors" => failed += number,
            "skipped" => skipped += number,
            "xfailed" | "deselected" | "rerun" | "subtests" => {}
            "warning" | "warnings" => outcome.warnings = Some(number),
            _ => return None,
        }
    }
    // `1 deselected in 0.01s`: nothing ran.
    let judged = passed.is_some() || failed != 0 || skipped != 0 || list.contains("xfailed");
    let warnings = outcome.warnings;
    outcome = counts(Some(passed.unwrap_or(0)), Some(failed), Some(skipped));
    outcome.warnings = warnings;
    if !judged {
        outcome.passed = None;
    }
    Some(outcome)
}
