//! Rules' modes, what they found, and the decision that follows.

use std::path::PathBuf;

/// How strict a rule is. The order is the meaning: the strictest is last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Does not run.
    Off,
    /// Recorded, nobody is told.
    Observe,
    /// Goes ahead after a checkpoint of what it touches; asks when none could be made.
    Checkpoint,
    /// Goes ahead; the agent and the user are told.
    Warn,
    /// The user decides.
    Ask,
    /// Does not happen.
    Deny,
}

impl Mode {
    /// Stable lower-case name, as in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Observe => "observe",
            Self::Checkpoint => "checkpoint",
            Self::Warn => "warn",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// Reads [`Mode::name`] back.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Off, Self::Observe, Self::Checkpoint, Self::Warn, Self::Ask, Self::Deny]
            .into_iter()
            .find(|mode| mode.name() == name)
    }
}

/// A named set of modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// Records what would have happened and blocks nothing.
    Observe,
    /// Irrecoverable things are stopped, recoverable ones checkpointed.
    #[default]
    Standard,
    /// The letter of the source documents.
    Strict,
}

impl Profile {
    /// Stable lower-case name, as in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Observe => "observe",
            Self::Standard => "standard",
            Self::Strict => "strict",
        }
    }

    /// Reads [`Profile::name`] back.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Observe, Self::Standard, Self::Strict].into_iter().find(|it| it.name() == name)
    }
}

/// What becomes of a call. The order is the meaning: combining is `max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Verdict {
    /// We say nothing; the host's own permissions decide. Never an approval.
    #[default]
    Allow,
    /// Goes ahead; the agent and the user are told.
    Warn,
    /// The user decides.
    Ask,
    /// Does not happen.
    Deny,
}

impl Verdict {
    /// Stable lower-case name, as in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// The call does not go ahead by itself.
    pub fn blocks(self) -> bool {
        Self::Ask <= self
    }
}

impl From<Mode> for Verdict {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Off | Mode::Observe | Mode::Checkpoint => Self::Allow,
            Mode::Warn => Self::Warn,
            Mode::Ask => Self::Ask,
            Mode::Deny => Self::Deny,
        }
    }
}

/// What one rule found in one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule's id.
    pub rule: &'static str,
    /// The mode it ran in.
    pub mode: Mode,
    /// What was found, one sentence, naming the command or path.
    pub problem: String,
    /// What to do instead: a command or a step that itself passes the guards.
    pub instead: Option<String>,
    /// Paths that a checkpoint should keep before the call goes ahead.
    pub snapshot: Vec<PathBuf>,
}

/// One step of how a decision came about, for `explain`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The stage: `read`, `shell`, `facts`, or a rule's id.
    pub stage: String,
    /// What it saw or concluded.
    pub detail: String,
}

/// The decision on one event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decision {
    /// The strictest of all findings.
    pub verdict: Verdict,
    /// Every finding, strictest first.
    pub findings: Vec<Finding>,
    /// What a checkpoint must keep before the call may go ahead.
    pub snapshot: Vec<PathBuf>,
    /// How it came about.
    pub trace: Vec<Step>,
    /// Rules that failed (a fault of ours), each one sentence. They decide nothing and are told loudly.
    pub faults: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combining_verdicts_is_max() {
        assert!(
            Verdict::Allow < Verdict::Warn && Verdict::Warn < Verdict::Ask && Verdict::Ask < Verdict::Deny
        );
        assert_eq!(Verdict::from(Mode::Checkpoint), Verdict::Allow);
        assert!(Verdict::Ask.blocks() && !Verdict::Warn.blocks());
    }

    #[test]
    fn names_read_back() {
        for mode in [Mode::Off, Mode::Observe, Mode::Checkpoint, Mode::Warn, Mode::Ask, Mode::Deny] {
            assert_eq!(Mode::parse(mode.name()), Some(mode));
        }
        for profile in [Profile::Observe, Profile::Standard, Profile::Strict] {
            assert_eq!(Profile::parse(profile.name()), Some(profile));
        }
        assert_eq!(Mode::parse("Deny"), None);
    }
}
