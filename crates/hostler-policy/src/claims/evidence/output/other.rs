//! rspec, minitest, phpunit, ctest, swift, mix, flutter.

use super::super::text::{after, counted, leading_count};
use super::{RunOutcome, Summary, Tool, add, counts};

#[derive(Default)]
pub(super) struct Reader {
    swift: Option<usize>,
    flutter: Option<usize>,
}

impl Reader {
    pub(super) fn line(&mut self, line: &str, found: &mut Vec<Summary>) {
        let line = line.trim();
        if let Some(outcome) = examples(line) {
            add(found, outcome.0, outcome.1);
        } else if let Some(outcome) = phpunit(line) {
            add(found, Tool::Phpunit, outcome);
        } else if let Some(outcome) = ctest(line) {
            add(found, Tool::Ctest, outcome);
        } else if let Some(outcome) = swift(line) {
            // Printed for every suite, the last one is the whole.
            replace(&mut self.swift, Tool::Swift, outcome, found);
        } else if let Some(outcome) = flutter(line) {
            replace(&mut self.flutter, Tool::Flutter, outcome, found);
        }
    }
}

fn replace(place: &mut Option<usize>, tool: Tool, outcome: RunOutcome, found: &mut Vec<Summary>) {
    if let Some(summary) = place.and_then(|index| found.get_mut(index)) {
        summary.outcome = outcome;
    } else {
        *place = Some(found.len());
        add(found, tool, outcome);
    }
}

/// `10 examples, 0 failures, 1 pending`; `5 runs, 7 assertions, 0 failures, 0 errors, 0 skips`;
/// `5 doctests, 10 tests, 1 failure, 2 skipped`.
fn examples(line: &str) -> Option<(Tool, RunOutcome)> {
    if !line.starts_with(|c: char| c.is_ascii_digit()) || !line.contains("failure") || 160 < line.len() {
        return None;
    }
    let parts = counted(line);
    if parts.len() < line.split(", ").count() {
        return None;
    }
    let number = |names: &[&str]| -> u64 {
        parts.iter().filter(|(_, word)| names.contains(&word.as_str())).map(|(number, _)| *number).sum()
    };
    let has = |names: &[&str]| parts.iter().any(|(_, word)| names.contains(&word.as_str()));
    let failed = number(&["failure", "failures", "error", "errors", "invalid"]);
    let skipped =
        number(&["pending", "pendings", "skips", "skipped", "omissions", "excluded", "notifications"])
            .saturating_sub(number(&["notifications"]));
    let (tool, all) = if has(&["example", "examples"]) {
        (Tool::Rspec, number(&["example", "examples"]))
    } else if has(&["assertions", "assertion"]) {
        (Tool::Minitest, number(&["runs", "run", "tests", "test"]))
    } else if has(&["test", "tests"]) {
        (Tool::Mix, number(&["test", "tests", "doctest", "doctests", "property", "properties"]))
    } else {
        return None;
    };
    Some((tool, counts(Some(all.saturating_sub(failed + skipped)), Some(failed), Some(skipped))))
}

/// `OK (5 tests, 7 assertions)`; `Tests: 5, Assertions: 7, Failures: 1.`; Pest: `Tests:  1 failed, 5 passed (12 assertions)`.
fn phpunit(line: &str) -> Option<RunOutcome> {
    if let Some(rest) = line.strip_prefix("OK (")
        && rest.contains("assertion")
    {
        return Some(counts(leading_count(rest), Some(0), None));
    }
    let rest = line.strip_prefix("Tests:")?;
    if line.contains("Assertions:") {
        let number = |label: &str| after(line, label).unwrap_or(0);
        let failed = number("Failures:") + number("Errors:");
        let skipped = number("Skipped:") + number("Incomplete:");
        return Some(counts(
            Some(number("Tests:").saturating_sub(failed + skipped)),
            Some(failed),
            Some(skipped),
        ));
    }
    if rest.contains("assertion") {
        let parts = counted(rest);
        let number = |name: &str| parts.iter().find(|(_, word)| word == name).map(|it| it.0);
        return Some(counts(Some(number("passed").unwrap_or(0)), number("failed"), number("skipped")));
    }
    None
}

/// `100% tests passed, 0 tests failed out of 5`.
fn ctest(line: &str) -> Option<RunOutcome> {
    let (_, rest) = line.split_once("% tests passed, ")?;
    let failed = leading_count(rest)?;
    let all = after(rest, "out of")?;
    Some(counts(Some(all.saturating_sub(failed)), Some(failed), None))
}

/// `Executed 5 tests, with 1 failure (0 unexpected) in …`; `Test run with 5 tests passed after …`.
fn swift(line: &str) -> Option<RunOutcome> {
    if let Some(rest) = line.strip_prefix("Executed ")
        && rest.contains(" test")
    {
        let all = leading_count(rest)?;
        let skipped = after(rest, "with ").filter(|_| rest.contains("skipped")).unwrap_or(0);
        let failed =
            counted(rest).into_iter().find(|(_, word)| word.starts_with("failure")).map_or(0, |it| it.0);
        return rest
            .contains("failure")
            .then(|| counts(Some(all.saturating_sub(failed + skipped)), Some(failed), Some(skipped)));
    }
    let (_, rest) = line.split_once("Test run with ")?;
    let all = leading_count(rest)?;
    if rest.contains(" passed after ") {
        return Some(counts(Some(all), Some(0), None));
    }
    rest.contains(" failed after ").then(|| RunOutcome { passed: Some(false), ..RunOutcome::default() })
}

/// `00:05 +10 ~1 -2: Some tests failed.`
fn flutter(line: &str) -> Option<RunOutcome> {
    let (clock, rest) = line.split_once(" +")?;
    let clock_like =
        clock.len() <= 8 && clock.contains(':') && clock.bytes().all(|it| it.is_ascii_digit() || it == b':');
    if !clock_like {
        return None;
    }
    let (numbers, text) = rest.split_once(": ")?;
    let verdict = text.starts_with("All tests passed")
        || text.starts_with("Some tests failed")
        || text.starts_with("All tests skipped");
    if !verdict {
        return None;
    }
    let mut parts = numbers.split_whitespace();
    let passed = parts.next().and_then(leading_count);
    let (mut failed, mut skipped) = (None, None);
    for part in parts {
        match part.split_at_checked(1) {
            Some(("-", number)) => failed = leading_count(number),
            Some(("~", number)) => skipped = leading_count(number),
            _ => {}
        }
    }
    Some(counts(passed, failed, skipped))
}
