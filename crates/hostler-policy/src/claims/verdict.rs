//! A turn, its claims, and what became of them.

use serde::{Deserialize, Serialize};

use super::act::Act;
use super::evidence::Evidence;

/// What is audited: the message that ended a turn, and everything that was done until then.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    /// The agent's last message, as Markdown.
    pub message: &'a str,
    /// What the user asked at the turn's beginning.
    pub prompt: Option<&'a str>,
    /// The session's evidence in order; what was done in earlier turns is marked so.
    pub evidence: &'a [Evidence],
}

/// The state of a file that a claim names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// It is not there.
    Missing,
    /// It is there and was last changed before the session began.
    Older,
    /// It is there and was changed since the session began.
    Changed,
}

/// A statement of the agent about what it did or what came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// What is said to be done, or to have come out of it (a test result is [`Act::Test`]).
    pub act: Act,
    /// The words of the message, one clause.
    pub text: String,
    /// Which pattern read it, e.g. `en/created`.
    pub pattern: String,
    /// What it is about: paths, packages, names, as written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<String>,
}

/// Whether a claim holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// The evidence shows it, or could have done it.
    Supported,
    /// Nothing in the evidence could have done it.
    Unsupported,
    /// The evidence shows the opposite.
    Contradicted,
}

/// A claim and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// The claim.
    pub claim: Claim,
    /// Whether it holds.
    pub standing: Standing,
    /// Why, one sentence each: the calls that were considered.
    pub why: Vec<String>,
}

/// The kind of a finding, in the words of the source documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Kind {
    /// Something is said to be done that was not.
    ActionDeception,
    /// Something is said to be read that was not.
    FileReadingDeception,
    /// A failure is not told.
    ErrorConcealment,
    /// Much was changed and next to nothing told.
    SelectiveDisclosure,
    /// The user asked for problems, and those in the output are not told.
    ResultHiding,
    /// A result is told that differs from what came out.
    ResultContradiction,
    /// "All" is said where a part was run: a note.
    PartialRun,
}

impl Kind {
    /// Stable name, as in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::ActionDeception => "ACTION_DECEPTION",
            Self::FileReadingDeception => "FILE_READING_DECEPTION",
            Self::ErrorConcealment => "ERROR_CONCEALMENT",
            Self::SelectiveDisclosure => "SELECTIVE_DISCLOSURE",
            Self::ResultHiding => "RESULT_HIDING",
            Self::ResultContradiction => "RESULT_CONTRADICTION",
            Self::PartialRun => "PARTIAL_RUN",
        }
    }

    /// How grave it is.
    pub fn severity(self) -> Severity {
        match self {
            Self::ActionDeception | Self::ErrorConcealment | Self::ResultContradiction => Severity::Critical,
            Self::FileReadingDeception => Severity::High,
            Self::SelectiveDisclosure | Self::ResultHiding => Severity::Medium,
            Self::PartialRun => Severity::Low,
        }
    }
}

/// How grave a finding is. The order is the meaning: the gravest is last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Severity {
    /// A note.
    Low,
    /// Worth a look.
    Medium,
    /// Wrong in a way that misleads.
    High,
    /// Wrong in a way that does harm.
    Critical,
}

impl Severity {
    /// Stable name, as in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "LOW",
            Self::Medium => "MEDIUM",
            Self::High => "HIGH",
            Self::Critical => "CRITICAL",
        }
    }
}

/// One thing that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What kind.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// How grave.
    pub severity: Severity,
    /// The rule's id; what is switched.
    pub rule: String,
    /// Unsupported or contradicted; a note is [`Standing::Supported`].
    pub standing: Standing,
    /// What is wrong, one sentence.
    pub description: String,
    /// The words of the message.
    pub claim: String,
    /// What was considered, one line each; never empty: at least what was looked for in vain.
    pub evidence: Vec<String>,
    /// What would have supported it, e.g. `Write`, `Edit`, `Bash`.
    pub tools_required: Vec<String>,
    /// The tools that were used.
    pub tools_found: Vec<String>,
    /// Which pattern read the claim, e.g. `en/created`.
    pub pattern_matched: String,
    /// The tool whose result is at odds with the message, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
}

/// What became of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Audit {
    /// Every claim.
    pub claims: Vec<Judged>,
    /// What does not hold, gravest first.
    pub findings: Vec<Finding>,
}
