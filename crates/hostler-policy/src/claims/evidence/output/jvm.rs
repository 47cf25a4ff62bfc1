//! Maven and Gradle.

use super::super::text::{after, counted};
use super::{RunOutcome, Summary, Tool, add, counts, sum};

#[derive(Default)]
pub(super) struct Reader {
    /// Totals of the modules; lines of single classes carry a time.
    totals: Option<RunOutcome>,
    classes: Option<RunOutcome>,
    maven: bool,
    verdict: Option<bool>,
    gradle: Option<RunOutcome>,
}

impl Reader {
    pub(super) fn line(&mut self, line: &str, _found: &mut [Summary]) {
        let bytes = line.as_bytes();
        let interesting = matches!(bytes.first(), Some(b'[' | b'B' | b'T' | b'0'..=b'9'));
        if !interesting {
            return;
        }
        let inner = ["[INFO] ", "[ERROR] ", "[WARNING] "].iter().find_map(|mark| line.strip_prefix(mark));
        self.maven |= inner.is_some();
        let text = inner.unwrap_or(line).trim();
        if text.starts_with("Tests run:") && text.contains("Failures:") {
            let number = |label: &str| after(text, label).unwrap_or(0);
            let (run, failed, skipped) =
                (number("Tests run:"), number("Failures:") + number("Errors:"), number("Skipped:"));
            let outcome = counts(Some(run.saturating_sub(failed + skipped)), Some(failed), Some(skipped));
            let place = if text.contains("Time elapsed") { &mut self.classes } else { &mut self.totals };
            *place = Some(match place.take() {
                Some(so_far) => sum(&so_far, &outcome),
                None => outcome,
            });
            self.maven = true;
        } else if text == "BUILD SUCCESS" {
            self.maven = true;
            self.verdict = Some(true);
        } else if text == "BUILD FAILURE" {
            self.maven = true;
            self.verdict = Some(false);
        } else if text.starts_with("BUILD SUCCESSFUL") {
            self.verdict = Some(true);
        } else if text.starts_with("BUILD FAILED") {
            self.verdict = Some(false);
        } else if text.contains(" completed, ") && text.contains(" test") {
            let parts = counted(text);
            let number = |name: &str| parts.iter().find(|(_, word)| word.starts_with(name)).map(|it| it.0);
            if let (Some(all), Some(failed)) = (number("test"), number("failed")) {
                let skipped = number("skipped").unwrap_or(0);
                self.gradle =
                    Some(counts(Some(all.saturating_sub(failed + skipped)), Some(failed), Some(skipped)));
            }
        }
    }

    pub(super) fn end(self, found: &mut Vec<Summary>) {
        let counted = if self.maven { self.totals.or(self.classes) } else { self.gradle };
        let tool = if self.maven { Tool::Maven } else { Tool::Gradle };
        match (counted, self.verdict) {
            (None, None) => {}
            (Some(mut outcome), verdict) => {
                if verdict == Some(false) {
                    outcome.passed = Some(false);
                }
                add(found, tool, outcome);
            }
            (None, verdict) => add(found, tool, RunOutcome { passed: verdict, ..RunOutcome::default() }),
        }
    }
}
