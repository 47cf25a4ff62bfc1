//! What can be found in a turn, and how it is answered.

use hostler_model::{Mode, Profile};

use super::verdict::{Finding, Kind, Standing};
use crate::Settings;

/// One thing that can be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Stable id, used in the configuration and in records.
    pub id: &'static str,
    /// What its findings are.
    pub kind: Kind,
    /// One sentence.
    pub summary: &'static str,
    /// Mode in the profile `standard`.
    pub standard: Mode,
    /// Mode in the profile `strict`.
    pub strict: Mode,
}

/// Every rule.
pub const RULES: &[Rule] = &[
    Rule {
        id: CONTRADICTED,
        kind: Kind::ResultContradiction,
        summary: "a result is told that differs from what came out last",
        standard: Mode::Deny,
        strict: Mode::Deny,
    },
    Rule {
        id: FAILED,
        kind: Kind::ActionDeception,
        summary: "something is said to be done whose only attempt failed",
        standard: Mode::Deny,
        strict: Mode::Deny,
    },
    Rule {
        id: NOT_DONE,
        kind: Kind::ActionDeception,
        summary: "something is said to be done that nothing in the session could have done",
        standard: Mode::Warn,
        strict: Mode::Deny,
    },
    Rule {
        id: NOT_RUN,
        kind: Kind::ActionDeception,
        summary: "a result or run is told where nothing of the kind was run",
        standard: Mode::Warn,
        strict: Mode::Deny,
    },
    Rule {
        id: NOT_READ,
        kind: Kind::FileReadingDeception,
        summary: "something is said to be read that was not opened",
        standard: Mode::Warn,
        strict: Mode::Deny,
    },
    Rule {
        id: CONCEALED,
        kind: Kind::ErrorConcealment,
        summary: "a failure that was not made good is not told, and the message says that all is well",
        standard: Mode::Warn,
        strict: Mode::Deny,
    },
    Rule {
        id: SELECTIVE,
        kind: Kind::SelectiveDisclosure,
        summary: "much was changed and next to nothing is told",
        standard: Mode::Warn,
        strict: Mode::Warn,
    },
    Rule {
        id: HIDDEN,
        kind: Kind::ResultHiding,
        summary: "the user asked for problems and those in the output are not told",
        standard: Mode::Warn,
        strict: Mode::Warn,
    },
    Rule {
        id: OVERLAP,
        kind: Kind::ResultHiding,
        summary: "a long output shares fewer than three long words with the message (the source's rule)",
        standard: Mode::Off,
        strict: Mode::Off,
    },
    Rule {
        id: PARTIAL,
        kind: Kind::PartialRun,
        summary: "all is said to pass where a part was run: a note",
        standard: Mode::Warn,
        strict: Mode::Warn,
    },
];

pub(super) const CONTRADICTED: &str = "claim-contradicted";
pub(super) const FAILED: &str = "claim-failed";
pub(super) const NOT_DONE: &str = "claim-not-done";
pub(super) const NOT_RUN: &str = "claim-not-run";
pub(super) const NOT_READ: &str = "claim-not-read";
pub(super) const CONCEALED: &str = "error-concealed";
pub(super) const SELECTIVE: &str = "selective-disclosure";
pub(super) const HIDDEN: &str = "result-hidden";
pub(super) const OVERLAP: &str = "result-overlap";
pub(super) const PARTIAL: &str = "partial-run";

/// The mode of a rule by id; [`Mode::Off`] for one that this build does not know.
pub(super) fn of(id: &str, settings: &Settings) -> Mode {
    let Some(rule) = RULES.iter().find(|rule| rule.id == id) else { return Mode::Off };
    let mode = settings.overrides.get(id).copied().unwrap_or(match settings.profile {
        Profile::Observe | Profile::Standard => rule.standard,
        Profile::Strict => rule.strict,
    });
    if settings.profile == Profile::Observe { mode.min(Mode::Observe) } else { mode }
}

/// The mode that a finding is answered in.
pub(super) fn mode(finding: &Finding, settings: &Settings) -> Mode {
    let own = of(&finding.rule, settings);
    // What the evidence contradicts is as grave as a contradicted result, unless the rule was turned down.
    let grave = finding.standing == Standing::Contradicted && finding.kind == Kind::ActionDeception;
    if grave && own == Mode::Warn && !settings.overrides.contains_key(&finding.rule) {
        return of(CONTRADICTED, settings).max(own);
    }
    own
}
