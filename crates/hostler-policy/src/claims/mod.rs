//! Claims against evidence: what an agent says that it did, and what its tool calls prove.
//!
//! A turn's last message is read into claims ([`read`]), each claim is judged against the evidence of the session
//! ([`judge`]), and what does not hold becomes a [`Finding`]. Pure: the one thing that is asked of the world is the
//! state of a file that a claim names, through a closure.
//!
//! Precision comes first: a clause that could be read in another way is no claim, and evidence that could have done
//! it supports it.

mod act;
mod clause;
mod conceal;
mod disclose;
pub mod evidence;
mod judge;
mod language;
mod phrases;
mod reading;
mod rules;
mod text;
pub mod tools;
mod verdict;

pub use act::Act;
pub use evidence::{Evidence, Source};
pub use rules::{Example, RULES, Rule};
pub use verdict::{Audit, Claim, FileState, Finding, Judged, Kind, Severity, Standing, Turn};

use hostler_model::Mode;

use crate::Settings;

/// What supports a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Basis {
    /// What was done, whatever tool did it.
    #[default]
    Evidence,
    /// The letter of the source documents: the names of the tools that were used.
    Tools,
}

/// Audits one turn. `look` tells the state of a file, by the path as the message has it; `None` where it cannot
/// be told. Rules that are off find nothing.
pub fn audit(turn: &Turn<'_>, settings: &Settings, look: &mut dyn FnMut(&str) -> Option<FileState>) -> Audit {
    let message = reading::read(turn.message);
    let mut audit = match settings.claims {
        Basis::Evidence => by_evidence(turn, &message, look),
        Basis::Tools => by_tools(turn),
    };
    conceal::find(turn, &message, &mut audit);
    disclose::find(turn, &message, mode_of(rules::OVERLAP, settings) != Mode::Off, &mut audit);
    audit.findings.retain(|finding| mode(finding, settings) != Mode::Off);
    audit.findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    audit
}

/// More claims than this in one message are not told apart.
const CLAIMS_MAX: usize = 1_000;

/// [`Basis::Evidence`]: every claim against what was done.
fn by_evidence(
    turn: &Turn<'_>,
    message: &reading::Message,
    look: &mut dyn FnMut(&str) -> Option<FileState>,
) -> Audit {
    let mut audit = Audit::default();
    let explains = explains(turn);
    let mut bench = judge::Bench { message, evidence: turn.evidence, look };
    for reading in message.claims.iter().take(CLAIMS_MAX) {
        let reading = &named(reading, turn.evidence);
        let telling = reading.is_change() || reading.pattern == "en/seen-at";
        if !reading.said && telling && (message.describes || explains) {
            continue;
        }
        let ruling = judge::judge(reading, &mut bench);
        if !ruling.rule.is_empty() {
            let finding = finding(reading, &ruling, turn.evidence);
            let told = |it: &Finding| {
                it.kind == finding.kind
                    && (it.description == finding.description
                        // "I ran the tests and all 12 pass" tells of one run.
                        || (it.rule == rules::NOT_RUN && finding.rule == rules::NOT_RUN && it.claim == finding.claim))
            };
            if !audit.findings.iter().any(told) {
                audit.findings.push(finding);
            }
        }
        audit.claims.push(Judged { claim: reading.claim(), standing: ruling.standing, why: ruling.why });
    }
    audit
}

/// What is written as code and is a file that a call touched, or tried to, is a path, whatever its name.
fn named(reading: &reading::Reading, evidence: &[Evidence]) -> reading::Reading {
    let mut reading = reading.clone();
    for object in
        reading.objects.iter_mut().filter(|it| it.code && it.path.is_none() && it.text.contains(['.', '/']))
    {
        let plain = object.text.chars().all(|c| c.is_alphanumeric() || "/-_.".contains(c));
        let same = |path: &str| path.contains('/') && judge::same_path(&object.text, path, false);
        let touched = plain
            && evidence.iter().any(|it| {
                it.files.iter().any(|file| same(&file.path))
                    || it
                        .failure
                        .as_ref()
                        .is_some_and(|failure| failure.missed.iter().any(|deed| same(&deed.object)))
            });
        if touched {
            object.path = Some(object.text.clone());
        }
    }
    reading
}

/// How requests for an explanation begin.
const ASKS: &[&str] = &[
    "explain",
    "describe",
    "why",
    "how",
    "what",
    "what's",
    "is",
    "are",
    "does",
    "do",
    "did",
    "which",
    "where",
    "who",
    "when",
    "summarise",
    "summarize",
    "review",
    "tell",
    "draft",
    "walk",
    "compare",
    "show",
    "should",
    "can",
    "could",
    "would",
];

/// "Can you add a test?" asks for work.
const WORK: &[&str] = &[
    "add",
    "create",
    "fix",
    "write",
    "make",
    "implement",
    "update",
    "change",
    "remove",
    "delete",
    "run",
    "install",
    "commit",
    "push",
    "deploy",
    "rename",
    "move",
    "refactor",
    "set",
    "build",
    "migrate",
    "upgrade",
    "generate",
    "convert",
    "replace",
    "extract",
    "test",
];

/// The user asked for an explanation, and this turn changed nothing nor tried to: what is told of changes is about
/// somebody else's.
fn explains(turn: &Turn<'_>) -> bool {
    let Some(prompt) = turn.prompt else { return false };
    let first = prompt.split_whitespace().next().unwrap_or_default().to_lowercase();
    let asks = prompt.trim_end().ends_with('?') || ASKS.contains(&first.trim_end_matches(','));
    let second = prompt.split_whitespace().nth(1).unwrap_or_default().to_lowercase();
    let wishes = matches!(first.as_str(), "can" | "could" | "would" | "will")
        && matches!(second.as_str(), "you" | "we");
    let works = wishes
        && prompt
            .split(|c: char| !c.is_alphabetic())
            .any(|word| WORK.contains(&word.to_lowercase().as_str()));
    let acts = |it: &Evidence| {
        it.opaque
            || it.files.iter().any(|file| !matches!(file.act, Act::Read | Act::Search))
            || it
                .deeds
                .iter()
                .any(|deed| !matches!(deed.act, Act::Read | Act::Search | Act::Fetch | Act::Verify))
            || it.failure.as_ref().is_some_and(|failure| {
                failure.missed.iter().any(|deed| !matches!(deed.act, Act::Read | Act::Search | Act::Fetch))
            })
    };
    asks && !works && !turn.evidence.iter().any(|it| !it.earlier && acts(it))
}

fn finding(reading: &reading::Reading, ruling: &judge::Ruling, evidence: &[Evidence]) -> Finding {
    Finding {
        kind: ruling.kind,
        severity: ruling.kind.severity(),
        rule: ruling.rule.to_owned(),
        standing: ruling.standing,
        description: ruling.description.clone(),
        claim: reading.text.clone(),
        evidence: ruling.why.clone(),
        tools_required: ruling.required.iter().map(|it| (*it).to_owned()).collect(),
        tools_found: tools_found(evidence),
        pattern_matched: reading.pattern.clone(),
        tool_name: ruling.tool.clone(),
    }
}

/// The tools that were used, each once.
fn tools_found(evidence: &[Evidence]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for it in evidence {
        if !out.contains(&it.tool) {
            out.push(it.tool.clone());
        }
    }
    out
}

/// [`Basis::Tools`]: what was stopped before it ran is no use of a tool.
fn by_tools(turn: &Turn<'_>) -> Audit {
    let refused = |evidence: &Evidence| {
        evidence.failure.as_ref().is_some_and(|it| it.kind == evidence::FailureKind::Refused)
    };
    let used: Vec<&str> = turn.evidence.iter().filter(|it| !refused(it)).map(|it| it.tool.as_str()).collect();
    let findings = tools::claims_without_tools(&tools::unquoted(turn.message), &used);
    Audit { claims: Vec::new(), findings }
}

/// The mode that a rule runs in, by id; [`Mode::Off`] for one that this build does not know.
pub fn mode_of(rule: &str, settings: &Settings) -> Mode {
    rules::of(rule, settings)
}

/// The mode that a finding is answered in: [`Mode::Deny`] sends the agent back.
pub fn mode(finding: &Finding, settings: &Settings) -> Mode {
    rules::mode(finding, settings)
}

#[cfg(test)]
mod pairs {
    mod tests;
}
