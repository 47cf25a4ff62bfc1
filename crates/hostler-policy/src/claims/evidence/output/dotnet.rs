//! dotnet test and build.

use super::super::text::after;
use super::{RunOutcome, Summary, Tool, add, counts, sum};

#[derive(Default)]
pub(super) struct Reader {
    /// One line for each test assembly.
    sum: Option<RunOutcome>,
}

impl Reader {
    pub(super) fn line(&mut self, line: &str, found: &mut Vec<Summary>) {
        let trimmed = line.trim_start();
        if (trimmed.starts_with("Passed!") || trimmed.starts_with("Failed!")) && trimmed.contains("Total:") {
            let mut outcome =
                counts(after(trimmed, " Passed:"), after(trimmed, " Failed:"), after(trimmed, "Skipped:"));
            outcome.passed = Some(trimmed.starts_with("Passed!"));
            self.sum = Some(match self.sum.take() {
                Some(so_far) => sum(&so_far, &outcome),
                None => outcome,
            });
        } else if let Some(rest) = trimmed.strip_prefix("Test summary:") {
            add(
                found,
                Tool::Dotnet,
                counts(after(rest, "succeeded:"), after(rest, "failed:"), after(rest, "skipped:")),
            );
            self.sum = None;
        }
    }

    pub(super) fn end(self, found: &mut Vec<Summary>) {
        if let Some(outcome) = self.sum {
            add(found, Tool::Dotnet, outcome);
        }
    }
}
