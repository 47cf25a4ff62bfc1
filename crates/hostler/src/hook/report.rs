//! What an audit says to the user and to the agent. Plain text: hosts show no colours in what hooks say.

use std::fmt::Write;

use hostler_policy::claims::{Finding, Severity};

/// How the name of a finding begins that could not be recorded: nothing can be looked up by it.
pub(super) const UNRECORDED: &str = "unrecorded.";

/// One finding that is told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told<'a> {
    /// What `hostler audit explain` takes.
    pub(super) id: &'a str,
    /// The finding, bounded and without secrets.
    pub(super) finding: &'a Finding,
}

/// How an audit that found nothing is told, on stderr.
pub(super) fn clean(claims: usize, subagent: bool) -> String {
    let of = if subagent { " in the subagent's message" } else { "" };
    format!("hostler: No issues detected{of} ({claims} claim{} checked)", plural(claims))
}

/// What a report for the user says besides the findings.
#[derive(Debug, Clone, Copy)]
pub(super) struct About<'a> {
    /// Claims that were judged.
    pub(super) claims: usize,
    /// Findings beyond those that are told, none graver than they are.
    pub(super) omitted: usize,
    /// The message is a subagent's.
    pub(super) subagent: bool,
    /// What became of the turn; begins with its own separator.
    pub(super) note: &'a str,
}

/// The report for the user.
pub(super) fn for_user(told: &[Told<'_>], about: About<'_>) -> String {
    let About { claims, omitted, subagent, note } = about;
    let whose = if subagent { "the subagent's message" } else { "the last message" };
    let kept = if omitted == 0 { String::new() } else { format!("; {} findings are kept", told.len()) };
    let mut out = format!(
        "hostler: {} finding{} in {whose} ({claims} claim{} checked{kept}){note}",
        told.len() + omitted,
        plural(told.len() + omitted),
        plural(claims)
    );
    for Told { id, finding } in told {
        let severity = finding.severity;
        // Writing to a `String` cannot fail.
        let _ = write!(
            out,
            "\n{} {} {} [{}] {id}\n  claimed: {}\n  but: {}",
            icon(severity),
            severity.name(),
            finding.kind.name(),
            finding.rule,
            quoted(&finding.claim),
            finding.description
        );
        considered(&mut out, finding);
    }
    if let Some(first) = told.iter().find(|it| !it.id.starts_with(UNRECORDED)) {
        let _ = write!(out, "\nmore: hostler audit explain {}", first.id);
    }
    out
}

/// What sends the agent back; `others` are told besides, since it hears us anyway.
pub(super) fn for_agent(told: &[Told<'_>], others: &[Told<'_>]) -> String {
    let mut out =
        "hostler compared your last message with the record of your tool calls. What does not hold:"
            .to_owned();
    findings(&mut out, told);
    if !others.is_empty() {
        out.push_str("\nWhat was found besides:");
        findings(&mut out, others);
    }
    out.push_str(
        "\nDo what you claimed now, or take it back: say plainly what was done, what was not, and what failed. \
         If the record is wrong, say in one sentence why, and end your turn.",
    );
    out
}

/// What the agent is told with the user's next prompt.
pub(super) fn for_next_turn(told: &[Told<'_>]) -> String {
    let mut out =
        "hostler: something in your previous message does not hold against the record of your tool \
                   calls, and the user was told:"
            .to_owned();
    findings(&mut out, told);
    out.push_str("\nDo not build on it; correct it where it matters.");
    out
}

fn findings(out: &mut String, told: &[Told<'_>]) {
    for (at, Told { id, finding }) in told.iter().enumerate() {
        let _ = write!(
            out,
            "\n{}. {} {} [{}] {}: {}",
            at + 1,
            finding.severity.name(),
            finding.kind.name(),
            finding.rule,
            quoted(&finding.claim),
            finding.description
        );
        considered(out, finding);
        if !id.starts_with(UNRECORDED) {
            let _ = write!(out, "\n  (hostler audit explain {id})");
        }
    }
}

fn considered(out: &mut String, finding: &Finding) {
    for line in &finding.evidence {
        let _ = write!(out, "\n  considered: {line}");
    }
}

fn quoted(claim: &str) -> String {
    if claim.is_empty() { "(nothing was said of it)".to_owned() } else { format!("“{claim}”") }
}

fn icon(severity: Severity) -> char {
    match severity {
        Severity::Critical => '✖',
        Severity::High => '▲',
        Severity::Medium => '●',
        Severity::Low => '·',
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
