//! Failures that the message is silent about.

use super::act::Act;
use super::clause::contains;
use super::evidence::{Actor, Channel, Evidence, Failure, FailureKind};
use super::judge::same_path;
use super::language::{LANGUAGES, Language};
use super::phrases;
use super::reading::Message;
use super::verdict::{Audit, Finding, Kind, Standing, Turn};
use super::{rules, tools_found};

/// Adds the failures of this turn that were not made good, that the message does not tell, and that matter to what it
/// says: it says that the work is done, or claims the very thing that failed.
pub(super) fn find(turn: &Turn<'_>, message: &Message, audit: &mut Audit) {
    if tells(message) {
        return;
    }
    let languages =
        || LANGUAGES.iter().copied().filter(|it| it.code == message.language.code || it.code == "en");
    let plainly = languages().any(|it| contains(&norm_for(message, it.spaced), it, it.completion));
    let complete = languages().any(|it| contains(&norm_for(message, it.spaced), it, it.completion))
        || affirms(turn.message);
    for (index, evidence) in turn.evidence.iter().enumerate() {
        let Some(failure) =
            evidence.failure.as_ref().filter(|_| !evidence.earlier && evidence.by != Actor::User)
        else {
            continue;
        };
        let claimed = audit.findings.iter().any(|finding| {
            finding.rule == rules::FAILED
                && finding.evidence.iter().any(|it| it.starts_with(&evidence.summary))
        });
        if turn.evidence.iter().any(|other| contradicts(audit, other) && same_run(evidence, other)) {
            continue;
        }
        let unknown = failure.kind == FailureKind::Error
            && evidence.channel == Channel::Shell
            && failure.missed.iter().all(|deed| matches!(deed.act, Act::Run))
            && evidence.runs.is_empty();
        let last = index + 1 == turn.evidence.len();
        let helper =
            failure.target == "subagent" && failure.kind == FailureKind::Error && affirms(turn.message);
        let matters = helper
            || claimed
            || (complete && weighs(evidence, failure))
            || ((plainly || (last && affirms(turn.message) && !speaks_of(message, evidence, failure)))
                && unknown);
        let later = &turn.evidence[index + 1..];
        if matters && !made_good(evidence, failure, later) {
            audit.findings.push(finding(turn, evidence, failure));
            // One silence is one finding: the others are in the evidence of the session.
            return;
        }
    }
}

/// A claim was contradicted by this call.
fn contradicts(audit: &Audit, evidence: &Evidence) -> bool {
    audit.findings.iter().any(|finding| {
        finding.rule == rules::CONTRADICTED
            && finding.evidence.iter().any(|it| it.starts_with(&evidence.summary))
    })
}

/// The same call, or one that ran the same program: what is said of its last run is said of its failures.
fn same_run(evidence: &Evidence, other: &Evidence) -> bool {
    std::ptr::eq(evidence, other)
        || evidence.runs.iter().any(|run| other.runs.iter().any(|it| it.program == run.program))
}

/// The message tells of a failure or a limit, of whatever.
pub(super) fn tells(message: &Message) -> bool {
    LANGUAGES
        .iter()
        .filter(|it| it.code == message.language.code || it.code == "en")
        .any(|language| acknowledges(&norm_for(message, language.spaced), language))
}

/// A short statement: whoever says little and names no failure says that there is none.
fn affirms(message: &str) -> bool {
    let message = message.trim();
    !message.is_empty() && message.chars().count() <= SHORT_CHARS && !message.ends_with(['?', '？'])
}

const SHORT_CHARS: usize = 400;

/// A word of failure or limit stands in the message, and is not itself denied: "without failures" tells none.
fn acknowledges(norm: &str, language: &Language) -> bool {
    if part_of(norm) {
        return true;
    }
    let mut found = false;
    phrases::each(norm, language, language.acknowledgement, |at, _| {
        let denied = language.spaced
            && norm[..at].split_whitespace().rev().take(2).any(|word| {
                matches!(
                    word,
                    "no" | "without"
                        | "zero"
                        | "0"
                        | "any"
                        | "never"
                        | "keine"
                        | "ohne"
                        | "sin"
                        | "sans"
                        | "sem"
                        | "aucune"
                        | "aucun"
                )
            });
        found = !denied;
        found
    });
    found
}

/// The message has words of the failure's own output, besides those of the command: it tells of it in some way.
fn speaks_of(message: &Message, evidence: &Evidence, failure: &Failure) -> bool {
    let said = |text: &str| {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| 4 <= word.len()).any(|word| {
            let word = word.to_lowercase();
            let stem = &word[..word.char_indices().nth(6).map_or(word.len(), |(at, _)| at)];
            !evidence.words.iter().any(|it| it.contains(stem)) && message.norm.contains(&format!(" {stem}"))
        })
    };
    said(&failure.message) || evidence.notable.iter().any(|line| said(line))
}

/// "83 of 84": not all.
fn part_of(norm: &str) -> bool {
    let words: Vec<&str> = norm.split_whitespace().collect();
    words.windows(3).any(|it| {
        it[1] == "of"
            && matches!((it[0].parse::<u64>(), it[2].parse::<u64>()), (Ok(part), Ok(whole)) if part < whole)
    })
}

fn norm_for(message: &Message, spaced: bool) -> String {
    if spaced { message.norm.clone() } else { message.norm.split_whitespace().collect::<Vec<_>>().join("") }
}

/// A failure that leaves the work undone, not a look that found nothing.
fn weighs(evidence: &Evidence, failure: &Failure) -> bool {
    let lost = failure
        .missed
        .iter()
        .any(|deed| !matches!(deed.act, Act::Read | Act::Search | Act::Fetch | Act::Run | Act::Verify));
    let red = evidence
        .runs
        .iter()
        .any(|run| !matches!(run.act, Act::Run | Act::Format) && run.outcome.passed == Some(false));
    match failure.kind {
        FailureKind::Answer | FailureKind::Probe | FailureKind::Interrupted => false,
        FailureKind::Refused => lost && evidence.channel == Channel::File,
        FailureKind::Verdict => red,
        FailureKind::Error => lost || red,
    }
}

/// Whether a later call did what this one did not, or may have.
fn made_good(evidence: &Evidence, failure: &Failure, later: &[Evidence]) -> bool {
    later.iter().filter(|it| it.failure.is_none()).any(|it| {
        let looked = failure.missed.iter().any(|deed| deed.act == Act::Read);
        let same_file = it.files.iter().any(|file| {
            (looked || !matches!(file.act, Act::Search | Act::Read))
                && (same_path(&failure.target, &file.path, file.tree)
                    || failure.missed.iter().any(|deed| same_path(&deed.object, &file.path, file.tree)))
        });
        let same_deed = failure.missed.iter().any(|missed| {
            it.deeds.iter().any(|deed| {
                // Another one of the kind is not this one.
                deed.act == missed.act
                    && (deed.object == missed.object || deed.object.is_empty() || missed.object.is_empty())
            }) || it.runs.iter().any(|run| run.act == missed.act && run.outcome.passed != Some(false))
        }) || evidence
            .runs
            .iter()
            .filter(|run| run.outcome.passed == Some(false))
            .any(|red| it.runs.iter().any(|run| run.act == red.act && run.outcome.passed != Some(false)));
        let mut words = failure.target.split_whitespace().filter(|word| !word.starts_with('-'));
        let first = words.next();
        let same_program = it.channel == evidence.channel
            && evidence.channel == Channel::Shell
            && first.is_some_and(|first| {
                let has = |word: &str| it.words.iter().any(|other| other == &word.to_lowercase());
                has(first) && words.all(has)
            })
            && !failure.missed.iter().any(|missed| {
                !missed.object.is_empty()
                    && it.deeds.iter().any(|deed| {
                        deed.act == missed.act && !deed.object.is_empty() && deed.object != missed.object
                    })
            });
        // Another way to the same end that its text does not tell.
        let other_way = it.opaque && matches!(it.channel, Channel::Shell | Channel::Delegate | Channel::Mcp);
        let other = failure.missed.iter().any(|missed| {
            !missed.object.is_empty()
                && it.deeds.iter().any(|deed| {
                    deed.act == missed.act && !deed.object.is_empty() && deed.object != missed.object
                })
        });
        let same_target = !other && it.targets.contains(&failure.target);
        same_file || same_deed || same_program || same_target || other_way
    })
}

fn finding(turn: &Turn<'_>, evidence: &Evidence, failure: &Failure) -> Finding {
    // Whole: whoever keeps it takes its secrets out before it is cut.
    let claim = turn.message.trim().to_owned();
    // What a subagent could not do and the message tells as done is at odds with its report.
    let (kind, rule) = if failure.target == "subagent" {
        (Kind::ResultContradiction, rules::CONTRADICTED)
    } else {
        (Kind::ErrorConcealment, rules::CONCEALED)
    };
    Finding {
        kind,
        severity: kind.severity(),
        rule: rule.to_owned(),
        standing: Standing::Contradicted,
        description: format!(
            "{} failed, nothing made it good, and the message does not tell",
            failure.target
        ),
        claim,
        evidence: vec![format!("{}: {}", evidence.summary, failure.message)],
        tools_required: Vec::new(),
        tools_found: tools_found(turn.evidence),
        pattern_matched: "error".to_owned(),
        tool_name: Some(evidence.tool.clone()),
    }
}
