//! `hostler report`: what sessions come to, as text, as a page, as JSON and as SARIF.
//!
//! [`Report::of`] makes one document of the summaries, pure; every text in it went through [`hide::Hider`] by then,
//! so that no view can show what another one hides. The views ([`text`], [`html`], [`sarif`]) only lay it out.

mod build;
pub(crate) mod hide;
pub(crate) mod html;
pub(crate) mod sarif;
pub(crate) mod source;
pub(crate) mod text;
mod words;

use hostler_policy::claims::{Act, Kind, Severity, Standing};
use serde::Serialize;

pub(crate) use words::size;

use crate::replay::summary::{Source, Standings};

/// Version of the JSON document. Members are only added; a change of meaning makes a new number.
pub(crate) const VERSION: u32 = 1;

/// How a report is made.
#[derive(Debug)]
pub(crate) struct Options {
    /// Now, milliseconds since 1970.
    pub(crate) generated_ms: i64,
    /// Only sessions that went on after this moment; milliseconds since 1970.
    pub(crate) since_ms: Option<i64>,
    /// Whose days the days are.
    pub(crate) time_zone: jiff::tz::TimeZone,
    /// What is kept out of every text.
    pub(crate) hider: hide::Hider,
    /// What the reader should know about the sources: files that could not be read.
    pub(crate) notes: Vec<String>,
}

/// What was claimed, what held, and everything else that can be said about the sessions.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// [`VERSION`].
    pub(crate) version: u32,
    /// `hostler` and its version.
    pub(crate) generator: String,
    /// When, RFC 3339 in UTC.
    pub(crate) generated: String,
    /// The beginning of the period, RFC 3339 in UTC; all that there is without it.
    pub(crate) since: Option<String>,
    /// Paths, names, addresses and prompts were taken out.
    pub(crate) redacted: bool,
    /// The report in one sentence.
    pub(crate) headline: String,
    /// All sessions.
    pub(crate) totals: Figures,
    /// By day of the user's time zone, oldest first; only days on which something happened.
    pub(crate) days: Vec<Day>,
    /// By project, the one with most sessions first.
    pub(crate) projects: Vec<Project>,
    /// By tool, the one with most calls first.
    pub(crate) tools: Vec<Tool>,
    /// Guards that stopped or asked, most often first.
    pub(crate) guards: Vec<GuardCount>,
    /// Every finding, gravest first, then newest first.
    pub(crate) findings: Vec<Found>,
    /// Every session, newest first.
    pub(crate) sessions: Vec<Session>,
    /// What the reader should know: what could not be read, what is not listed.
    pub(crate) notes: Vec<String>,
    /// The user's time zone, for the views.
    #[serde(skip)]
    pub(crate) time_zone: jiff::tz::TimeZone,
    /// [`Options::generated_ms`], for the views.
    #[serde(skip)]
    pub(crate) generated_ms: i64,
}

/// Numbers, of one session or of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Figures {
    /// Sessions.
    pub(crate) sessions: u64,
    /// Sessions in which something was claimed that can be checked.
    pub(crate) sessions_with_claims: u64,
    /// Those of them in which every claim held.
    pub(crate) sessions_clean: u64,
    /// Turns, subagents' included.
    pub(crate) turns: u64,
    /// Claims by what became of them.
    pub(crate) claims: Standings,
    /// Findings by severity.
    pub(crate) findings: Severities,
    /// Findings of the kind `ERROR_CONCEALMENT`.
    pub(crate) errors_hidden: u64,
    /// Tool calls.
    pub(crate) calls: u64,
    /// Tool calls that should have worked and did not.
    pub(crate) calls_failed: u64,
    /// What the guards did.
    pub(crate) guards: Guarded,
    /// What the guards of today would do with the calls of sessions that ran without them.
    pub(crate) guards_replayed: Guarded,
    /// Runs of tests.
    pub(crate) tests: Tests,
    /// Time in tool calls, milliseconds, of those whose duration is known.
    pub(crate) tool_time_ms: u64,
}

/// Findings by severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Severities {
    /// Wrong in a way that does harm.
    pub(crate) critical: u64,
    /// Wrong in a way that misleads.
    pub(crate) high: u64,
    /// Worth a look.
    pub(crate) medium: u64,
    /// Notes.
    pub(crate) low: u64,
}

impl Severities {
    /// All of them.
    pub(crate) fn total(self) -> u64 {
        self.critical + self.high + self.medium + self.low
    }

    /// Name and number, gravest first.
    pub(crate) fn each(self) -> [(Severity, u64); 4] {
        [
            (Severity::Critical, self.critical),
            (Severity::High, self.high),
            (Severity::Medium, self.medium),
            (Severity::Low, self.low),
        ]
    }
}

/// Calls by what guards said to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Guarded {
    /// Did not happen.
    pub(crate) blocked: u64,
    /// The user was asked.
    pub(crate) asked: u64,
    /// Went on with a warning.
    pub(crate) warned: u64,
    /// Files were kept before they went on.
    pub(crate) checkpoints: u64,
}

impl Guarded {
    /// Something was said.
    pub(crate) fn any(self) -> bool {
        self != Self::default()
    }
}

/// Runs of tests by how they ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Tests {
    /// Ended well.
    pub(crate) passed: u64,
    /// Did not.
    pub(crate) failed: u64,
    /// Neither output nor exit status tells.
    pub(crate) unclear: u64,
}

impl Tests {
    /// All of them.
    pub(crate) fn total(self) -> u64 {
        self.passed + self.failed + self.unclear
    }
}

/// One day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Day {
    /// `2026-11-30`.
    pub(crate) date: String,
    /// Sessions that began.
    pub(crate) sessions: u64,
    /// Claims by what became of them.
    pub(crate) claims: Standings,
    /// Findings by severity.
    pub(crate) findings: Severities,
    /// Calls that were blocked or asked about, at the time or today.
    pub(crate) stopped: u64,
    /// Runs of tests.
    pub(crate) tests: Tests,
}

/// One project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Project {
    /// How it is called here.
    pub(crate) name: String,
    /// Its folder as an address, where it may be told.
    #[serde(skip)]
    pub(crate) root: Option<String>,
    /// Its numbers.
    pub(crate) figures: Figures,
}

/// One tool, in the host's words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Tool {
    /// Its name.
    pub(crate) name: String,
    /// Calls.
    pub(crate) calls: u64,
    /// Time in them, milliseconds, as far as known.
    pub(crate) time_ms: u64,
}

/// One guard that spoke.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct GuardCount {
    /// Its id.
    pub(crate) rule: String,
    /// Calls that it blocked, or would have.
    pub(crate) blocked: u64,
    /// Calls that it asked about, or would have.
    pub(crate) asked: u64,
}

/// One finding, and where it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(clippy::struct_field_names, reason = "the names of the finding's own members")]
pub(crate) struct Found {
    /// What `hostler audit explain` takes; absent for what was found in a transcript.
    pub(crate) id: Option<String>,
    /// Stays the same from report to report.
    pub(crate) fingerprint: String,
    /// Place in [`Report::sessions`].
    #[serde(skip)]
    pub(crate) session: usize,
    /// The session's id.
    #[serde(rename = "session")]
    pub(crate) session_id: String,
    /// The project's name.
    pub(crate) project: String,
    /// Place in [`Report::projects`].
    #[serde(skip)]
    pub(crate) project_index: usize,
    /// Number of the turn.
    pub(crate) turn: u64,
    /// The subagent whose turn it is.
    pub(crate) agent: Option<String>,
    /// When the turn began, milliseconds since 1970.
    pub(crate) at_ms: Option<i64>,
    /// What kind.
    #[serde(rename = "type")]
    pub(crate) kind: Kind,
    /// How grave.
    pub(crate) severity: Severity,
    /// The rule.
    pub(crate) rule: String,
    /// Unsupported or contradicted; a note is supported.
    pub(crate) standing: Standing,
    /// What is wrong, one sentence.
    pub(crate) description: String,
    /// The words of the message.
    pub(crate) claim: String,
    /// What was considered, one line each.
    pub(crate) evidence: Vec<String>,
    /// What would have supported it.
    pub(crate) tools_required: Vec<String>,
    /// The tools that were used.
    pub(crate) tools_found: Vec<String>,
    /// The tool whose result is at odds with the message.
    pub(crate) tool_name: Option<String>,
    /// The file that the claim names, relative to the project where it lies inside.
    pub(crate) file: Option<String>,
}

/// One session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Session {
    /// The host's id.
    pub(crate) id: String,
    /// The client.
    pub(crate) host: String,
    /// Where it was read.
    pub(crate) source: Source,
    /// The project's name.
    pub(crate) project: String,
    /// The git branch.
    pub(crate) branch: Option<String>,
    /// The beginning of the first prompt; empty in a redacted report.
    pub(crate) title: String,
    /// First moment, milliseconds since 1970.
    pub(crate) started_ms: Option<i64>,
    /// Last moment, milliseconds since 1970.
    pub(crate) ended_ms: Option<i64>,
    /// Its numbers.
    pub(crate) figures: Figures,
    /// Its tools.
    pub(crate) tools: Vec<Tool>,
    /// The guards were there.
    pub(crate) guarded: bool,
    /// They spoke at the time; else their words are today's.
    pub(crate) guards_recorded: bool,
    /// Calls that were stopped or asked about, or would have been.
    pub(crate) stopped: Vec<Stopped>,
    /// Tests, builds, linters and type checkers that were really run.
    pub(crate) runs: Vec<Run>,
    /// Its turns.
    pub(crate) turns: Vec<Turn>,
    /// Times the context was compacted.
    pub(crate) compactions: u64,
}

/// A call that a guard stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Stopped {
    /// Stays the same from report to report.
    pub(crate) fingerprint: String,
    /// The tool.
    pub(crate) tool: String,
    /// The command or path.
    pub(crate) target: String,
    /// `blocked` or `asked`.
    pub(crate) status: String,
    /// The guards.
    pub(crate) rules: Vec<String>,
    /// What the agent was told.
    pub(crate) reason: String,
    /// When, milliseconds since 1970.
    pub(crate) at_ms: Option<i64>,
}

/// A run of a program that judges.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Run {
    /// Number of the turn.
    pub(crate) turn: u64,
    /// The subagent that made it.
    pub(crate) agent: Option<String>,
    /// When, milliseconds since 1970.
    pub(crate) at_ms: Option<i64>,
    /// Test, build, lint or type check.
    pub(crate) act: Act,
    /// The program.
    pub(crate) program: String,
    /// What it was narrowed to; empty: the whole.
    pub(crate) scope: Vec<String>,
    /// How it ended, where that can be told.
    pub(crate) passed: Option<bool>,
    /// The counts that its output states, `11 passed, 1 failed`.
    pub(crate) counts: String,
}

/// One turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Turn {
    /// Number in the session.
    pub(crate) index: u64,
    /// The subagent whose turn it is.
    pub(crate) agent: Option<String>,
    /// When it began, milliseconds since 1970.
    pub(crate) started_ms: Option<i64>,
    /// How long it took.
    pub(crate) duration_ms: Option<u64>,
    /// Tool calls in it.
    pub(crate) calls: u64,
    /// Times a stop hook sent the agent back.
    pub(crate) sent_back: u64,
    /// The user interrupted it.
    pub(crate) interrupted: bool,
    /// Claims by what became of them, listed or not.
    pub(crate) standings: Standings,
    /// The claims.
    pub(crate) claims: Vec<Claimed>,
    /// Claims that are counted and not listed.
    pub(crate) claims_omitted: u64,
}

/// One claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Claimed {
    /// The words of the message.
    pub(crate) text: String,
    /// What is said to be done.
    pub(crate) act: Act,
    /// Whether it holds.
    pub(crate) standing: Standing,
    /// Why.
    pub(crate) why: Vec<String>,
}
