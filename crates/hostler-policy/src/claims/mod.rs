//! Claims against evidence: what an agent says that it did, and what its tool calls prove.
//!
//! A turn's last message is read into claims ([`read`]), each claim is judged against the evidence of the session
//! ([`judge`]), and what does not hold becomes a [`Finding`]. Pure: the one thing that is asked of the world is the
//! state of a file that a claim names, through a closure.
//!
//! Precision comes first: a clause that could be read in another way is no claim, and evidence that could have done
//! it supports it.

mod act;
pub mod evidence;
mod rules;
pub mod tools;
mod verdict;

pub use act::Act;
pub use evidence::{Evidence, Source};
pub use rules::{RULES, Rule};
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
    if settings.claims == Basis::Tools {
        return by_tools(turn, settings);
    }
    let _ = look;
    Audit::default()
}

/// [`Basis::Tools`]: what was stopped before it ran is no use of a tool.
fn by_tools(turn: &Turn<'_>, settings: &Settings) -> Audit {
    let refused = |evidence: &Evidence| {
        evidence.failure.as_ref().is_some_and(|it| it.kind == evidence::FailureKind::Refused)
    };
    let used: Vec<&str> =
        turn.evidence.iter().filter(|it| !refused(it)).map(|it| it.tool.as_str()).collect();
    let mut findings = tools::claims_without_tools(&tools::unquoted(turn.message), &used);
    findings.retain(|finding| mode(finding, settings) != Mode::Off);
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
