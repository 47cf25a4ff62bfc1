//! cargo test and cargo nextest.

use super::super::text::counted;
use super::{Summary, Tool, add, counts, sum};
use crate::claims::evidence::RunOutcome;

#[derive(Default)]
pub(super) struct Reader {
    /// The sum over the test programs of one `cargo test`.
    sum: Option<RunOutcome>,
}

impl Reader {
    pub(super) fn line(&mut self, line: &str, found: &mut Vec<Summary>) {
        let trimmed = line.trim_start();
        if let Some(rest) = trimmed.strip_prefix("test result: ") {
            let ok = rest.starts_with("ok");
            let mut outcome = counts(Some(0), Some(0), None);
            for (number, word) in counted(rest) {
                match word.as_str() {
                    "passed" => outcome.tests_passed = Some(number),
                    "failed" => outcome.tests_failed = Some(number),
                    "ignored" => outcome.tests_skipped = Some(number).filter(|it| 0 < *it),
                    _ => {}
                }
            }
            outcome.passed = Some(ok);
            self.sum = Some(match self.sum.take() {
                Some(so_far) => sum(&so_far, &outcome),
                None => outcome,
            });
            return;
        }
        // A new `cargo test` begins.
        if trimmed.starts_with("Finished `test`") || trimmed.starts_with("Finished test ") {
            self.end(found);
            return;
        }
        if let Some(rest) = trimmed.strip_prefix("Summary [")
            && rest.contains("tests run:") | rest.contains("test run:")
        {
            let rest = rest.split_once(" run:").map_or("", |(_, rest)| rest);
            let (mut passed, mut failed, mut skipped) = (None, 0, 0);
            for (number, word) in counted(rest) {
                match word.as_str() {
                    "passed" => passed = Some(number),
                    "failed" | "timed" | "exec" => failed += number,
                    "skipped" => skipped += number,
                    _ => {}
                }
            }
            add(found, Tool::Nextest, counts(passed.or(Some(0)), Some(failed), Some(skipped)));
        }
    }

    pub(super) fn end(&mut self, found: &mut Vec<Summary>) {
        if let Some(outcome) = self.sum.take() {
            add(found, Tool::CargoTest, outcome);
        }
    }
}
