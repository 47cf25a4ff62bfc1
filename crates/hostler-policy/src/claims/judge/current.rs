//! "Up to date", "no changes": against the last output of the program that says so.

use super::super::evidence::{Channel, Evidence};
use super::super::reading::current::Current;
use super::{Bench, Ruling};

pub(super) fn judge(current: Current, bench: &Bench<'_>) -> Ruling {
    let last = bench
        .evidence
        .iter()
        .rev()
        .find(|it| it.channel == Channel::Shell && !it.earlier && asks(current, it));
    let Some(found) = last else { return Ruling::supported("no call of this turn asked") };
    // What was done after it was asked may have changed it.
    let after = bench.evidence.iter().skip_while(|it| !std::ptr::eq(*it, found)).skip(1);
    if after.clone().any(|it| it.opaque || !it.deeds.is_empty() || !it.files.is_empty()) {
        return Ruling::by(found);
    }
    if says_otherwise(current, found) {
        return Ruling::contradicted("the last output says otherwise".to_owned(), found);
    }
    Ruling::by(found)
}

fn has(evidence: &Evidence, word: &str) -> bool {
    evidence.words.iter().any(|it| it == word)
}

fn asks(current: Current, it: &Evidence) -> bool {
    match current {
        Current::Branch => has(it, "git") && (has(it, "status") || has(it, "rev-list")),
        Current::Generated => has(it, "git") && has(it, "diff") && it.summary.contains("--exit-code"),
        Current::Plan => {
            (has(it, "terraform") || has(it, "tofu") || has(it, "pulumi"))
                && (has(it, "plan") || has(it, "preview"))
        }
        Current::Packages => has(it, "outdated"),
    }
}

fn says_otherwise(current: Current, it: &Evidence) -> bool {
    match current {
        Current::Branch if has(it, "rev-list") => it.measures.iter().any(|measure| 0.0 < measure.value),
        Current::Branch => it.summary.contains("[behind") || it.summary.contains("behind '"),
        Current::Generated => !it.ok,
        // "2 to add, 0 to change, 1 to destroy".
        Current::Plan => it.measures.iter().any(|measure| measure.unit == "to" && 0.0 < measure.value),
        Current::Packages => !it.silent && !it.ok,
    }
}
