//! What a subagent reports.

use super::text::shorten;
use super::{Evidence, Failure, FailureKind};

/// Words with which a report says that something was not done.
const INABILITY: &[&str] = &[
    "was not able to",
    "were not able to",
    "wasn't able to",
    "am not able to",
    "could not",
    "couldn't",
    "failed to",
    "unable to",
    "did not",
    "didn't",
    "was unable",
    "cannot ",
    "can't ",
    "not been able",
    "gave up",
    "ran out of",
    "was blocked",
    "had to stop",
    "remains undone",
    "not completed",
];

/// Reads a subagent's report into `evidence`. The one place where reports are read: claims that a report makes
/// are to be added here.
pub(super) fn report(text: &str, evidence: &mut Evidence) {
    let text = text.trim();
    if let Some(sentence) = inability(text) {
        evidence.failure = Some(Failure {
            kind: FailureKind::Error,
            missed: Vec::new(),
            target: "subagent".to_owned(),
            message: shorten(sentence),
        });
        return;
    }
    evidence.opaque = true;
}

/// The first sentence that says that something was not done.
fn inability(text: &str) -> Option<&str> {
    text.lines()
        .flat_map(|line| line.split_inclusive(['.', '!', '?', ';']))
        .map(|sentence| sentence.trim().trim_start_matches(['-', '*', '•', '#', '>', ' ']))
        .filter(|sentence| !sentence.is_empty() && sentence.len() < 600)
        .find(|sentence| INABILITY.iter().any(|mark| super::text::has(sentence, mark)) && !harmless(sentence))
}

/// Findings about the code are no failures of the subagent: `the parser could not …`, `did not find any problems`.
fn harmless(sentence: &str) -> bool {
    const FINE: &[&str] = &[
        "did not find",
        "didn't find",
        "could not find any",
        "did not change",
        "didn't change",
        "did not modify",
        "did not need",
        "didn't need",
        "did not have to",
        "did not touch",
        "did not break",
        "did not see",
        "did not notice",
        "no longer",
    ];
    FINE.iter().any(|mark| super::text::has(sentence, mark))
}
