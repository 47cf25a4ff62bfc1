//! go test, and gotestsum's last line.

use super::super::text::{counted, leading_count};
use super::{RunOutcome, Summary, Tool, add, coverage_of};

#[derive(Default)]
pub(super) struct Reader {
    packages_ok: u64,
    packages_failed: u64,
    tests_ok: u64,
    tests_failed: u64,
    tests_skipped: u64,
    coverage: Option<f64>,
    /// A package without tests, or a run whose only word is `PASS`.
    seen: bool,
    bare_pass: bool,
    bare_fail: bool,
}

impl Reader {
    pub(super) fn line(&mut self, line: &str, found: &mut Vec<Summary>) {
        if line.starts_with("ok  \t")
            || line.starts_with("ok \t")
            || (line.starts_with("ok  ") && package_line(line))
        {
            self.packages_ok += 1;
            self.coverage = coverage_of(line).or(self.coverage);
        } else if line.starts_with("FAIL\t") || (line.starts_with("FAIL  ") && package_line(line)) {
            self.packages_failed += 1;
        } else if line.starts_with("--- FAIL: ") {
            self.tests_failed += 1;
        } else if line.starts_with("--- PASS: ") {
            self.tests_ok += 1;
        } else if line.starts_with("--- SKIP: ") {
            self.tests_skipped += 1;
        } else if line.starts_with("?   \t") && line.ends_with("[no test files]") {
            self.seen = true;
        } else if line == "PASS" {
            self.bare_pass = true;
        } else if line == "FAIL" {
            self.bare_fail = true;
        } else if let Some(rest) = line.strip_prefix("DONE ")
            && rest.contains(" tests")
            && rest.contains(" in ")
        {
            let mut outcome = RunOutcome::default();
            let total = leading_count(rest).unwrap_or(0);
            let number = |name: &str| {
                counted(rest)
                    .iter()
                    .filter(|(_, word)| word.starts_with(name))
                    .map(|(it, _)| *it)
                    .sum::<u64>()
            };
            let (failed, skipped) = (number("failure") + number("error"), number("skipped"));
            outcome.tests_passed = Some(total.saturating_sub(failed + skipped));
            outcome.tests_failed = Some(failed);
            outcome.tests_skipped = Some(skipped).filter(|it| 0 < *it);
            outcome.passed = Some(failed == 0);
            *self = Self::default();
            add(found, Tool::GoTest, outcome);
        }
    }

    pub(super) fn end(self, found: &mut Vec<Summary>) {
        let go = 0 < self.packages_ok
            + self.packages_failed
            + self.tests_ok
            + self.tests_failed
            + self.tests_skipped;
        if !go {
            return;
        }
        let failed = 0 < self.packages_failed + self.tests_failed || self.bare_fail;
        let judged = 0 < self.packages_ok || self.bare_pass || 0 < self.tests_ok;
        let outcome = RunOutcome {
            passed: if failed { Some(false) } else { judged.then_some(true) },
            tests_passed: (0 < self.tests_ok).then_some(self.tests_ok),
            tests_failed: if 0 < self.tests_failed {
                Some(self.tests_failed)
            } else if failed {
                None
            } else {
                Some(0)
            },
            tests_skipped: (0 < self.tests_skipped).then_some(self.tests_skipped),
            units_passed: (0 < self.packages_ok).then_some(self.packages_ok),
            coverage_percent: self.coverage,
            ..RunOutcome::default()
        };
        add(found, Tool::GoTest, outcome);
    }
}

/// `ok  example.com/x  0.012s`, tabs lost: three columns, the second a package's path, the last a time or mark.
fn package_line(line: &str) -> bool {
    let columns: Vec<&str> = line.split_whitespace().collect();
    let [_, package, last, ..] = columns.as_slice() else { return false };
    let time = last.strip_suffix('s').is_some_and(|it| it.parse::<f64>().is_ok());
    (time || matches!(*last, "(cached)" | "[build" | "[setup")) && package.contains(['/', '.'])
}
