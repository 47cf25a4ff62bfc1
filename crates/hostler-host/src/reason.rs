//! The words of a decision, for the agent and the user: short, with the rule's name, a way out, and the
//! original command so that the user can run it by hand.

use std::fmt::Write;

use hostler_model::text::shorten;
use hostler_model::{Action, Decision, Finding, Verdict};

/// Findings told one by one; the others are counted.
const FINDINGS_MAX: usize = 4;
/// Of one finding's problem or suggestion, in characters.
const PART_CHARS_MAX: usize = 350;
/// Of the command that the user can run by hand, in characters.
const COMMAND_CHARS_MAX: usize = 1_500;

/// A recorded decision.
#[derive(Debug, Clone, Copy)]
pub struct Reference<'a> {
    /// Its id, for `hostler explain`.
    pub decision: &'a str,
    /// Its code, for `hostler allow-once`.
    pub code: &'a str,
}

/// Why a call was stopped. Without `reference` the decision could not be recorded.
pub fn stopped(decision: &Decision, action: &Action, reference: Option<Reference<'_>>) -> String {
    let mut out = findings(decision, |finding| Verdict::from(finding.mode).blocks());
    if let Some(by_hand) = by_hand(action) {
        let _ = write!(out, " {by_hand}");
    }
    if let Some(Reference { decision, code }) = reference {
        let _ = write!(
            out,
            "\nDetails: hostler explain {decision}. To let it through once, the user runs: hostler allow-once {code}"
        );
    }
    out
}

/// What a call that goes ahead is told.
pub fn warned(decision: &Decision) -> String {
    findings(decision, |finding| Verdict::from(finding.mode) == Verdict::Warn)
}

/// Every finding, for the record.
pub fn found(decision: &Decision) -> String {
    findings(decision, |_| true)
}

fn findings(decision: &Decision, told: impl Fn(&Finding) -> bool) -> String {
    let mut out = String::new();
    let mut count = 0_usize;
    for finding in decision.findings.iter().filter(|finding| told(finding)) {
        count += 1;
        if FINDINGS_MAX < count {
            continue;
        }
        if count != 1 {
            out.push('\n');
        }
        let problem = sentence(&shorten(&finding.problem, PART_CHARS_MAX));
        let _ = write!(out, "[{}] {problem}", finding.rule);
        if let Some(instead) = &finding.instead {
            let _ = write!(out, " Instead: {}", sentence(&shorten(instead, PART_CHARS_MAX)));
        }
    }
    if FINDINGS_MAX < count {
        let _ = write!(out, "\nand {} more.", count - FINDINGS_MAX);
    }
    out
}

fn by_hand(action: &Action) -> Option<String> {
    match action {
        Action::Shell { command } => {
            Some(format!("The user can run it by hand: {}", shorten(command, COMMAND_CHARS_MAX)))
        }
        Action::Write { path: Some(path), .. }
        | Action::Edit { path: Some(path), .. }
        | Action::NotebookEdit { path: Some(path), .. } => {
            Some(format!("The user can change it by hand: {}", shorten(path, PART_CHARS_MAX)))
        }
        _ => None,
    }
}

fn sentence(text: &str) -> String {
    let ended = text.ends_with(['.', '!', '?', '…']);
    if ended { text.to_owned() } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use hostler_model::Mode;

    use super::*;

    fn finding(mode: Mode, problem: &str, instead: Option<&str>) -> Finding {
        Finding {
            rule: "delete-outside",
            mode,
            problem: problem.to_owned(),
            instead: instead.map(str::to_owned),
            snapshot: Vec::new(),
        }
    }

    fn shell(command: &str) -> Action {
        Action::Shell { command: command.to_owned() }
    }

    // @traces REQ-020-143 021-CONST-V-007 021-US-005-AC07
    #[test]
    fn a_reason_names_the_rule_the_way_out_and_the_command() {
        let decision = Decision {
            verdict: Verdict::Deny,
            findings: vec![
                finding(Mode::Deny, "`rm -rf /srv` deletes outside the project", Some("move it to `/tmp`")),
                finding(Mode::Warn, "only told", None),
            ],
            ..Decision::default()
        };
        let reference = Some(Reference { decision: "361ac4e6-7", code: "k4x9" });
        insta::assert_snapshot!(stopped(&decision, &shell("rm -rf /srv"), reference), @r"
        [delete-outside] `rm -rf /srv` deletes outside the project. Instead: move it to `/tmp`. The user can run it by hand: rm -rf /srv
        Details: hostler explain 361ac4e6-7. To let it through once, the user runs: hostler allow-once k4x9
        ");
        insta::assert_snapshot!(warned(&decision), @"[delete-outside] only told.");
    }

    #[test]
    fn a_reason_stays_short_whatever_was_found() {
        let long = "x".repeat(100_000);
        let decision = Decision {
            verdict: Verdict::Ask,
            findings: vec![finding(Mode::Ask, &long, Some(&long)); 50],
            ..Decision::default()
        };
        let text = stopped(&decision, &shell(&long), Some(Reference { decision: "a-1", code: "code" }));
        assert!(text.chars().count() < 5_000, "{}", text.chars().count());
        assert!(text.contains("and 46 more.") && text.ends_with("hostler allow-once code"), "{text}");
    }
}
