//! What a session comes to: the one form that every source is brought into, and that reports are made of.
//!
//! Serialised for `hostler replay --json`; fields are only added, readers default what is absent.

use std::collections::BTreeMap;

use hostler_model::Verdict;
use hostler_policy::claims::evidence::FailureKind;
use hostler_policy::claims::{Act, Finding, Judged, Severity, Standing};
use serde::{Deserialize, Serialize};

/// Version of the serialised form.
pub(crate) const VERSION: u32 = 1;

/// One session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SessionSummary {
    /// [`VERSION`] of who wrote it.
    pub(crate) version: u32,
    /// The client's stable name: `claude`, `opencode`.
    pub(crate) host: String,
    /// Where it was read.
    pub(crate) source: Source,
    /// The host's id of the session.
    pub(crate) id: String,
    /// The working directory at the session's beginning, as recorded.
    pub(crate) project: Option<String>,
    /// The git branch at the session's beginning, where the record tells.
    pub(crate) branch: Option<String>,
    /// The file that it was read from; `-` for standard input.
    pub(crate) file: String,
    /// First time stamp, milliseconds since 1970.
    pub(crate) started_ms: Option<i64>,
    /// Last time stamp, milliseconds since 1970.
    pub(crate) ended_ms: Option<i64>,
    /// The turns in order; those of subagents after the turn that started them.
    pub(crate) turns: Vec<TurnSummary>,
    /// Turns without findings that are not listed, since there were too many.
    pub(crate) turns_omitted: u64,
    /// Tool calls by the tool's name in the host's words, subagents' included.
    pub(crate) calls: BTreeMap<String, u64>,
    /// Time in calls by tool, milliseconds; of the calls whose duration the record tells.
    pub(crate) tool_time_ms: BTreeMap<String, u64>,
    /// Calls that failed, and why.
    pub(crate) failures: Failures,
    /// What the guards said, or would have said.
    pub(crate) guards: Guards,
    /// Tests, builds, linters and type checkers that were really run, in order; bounded.
    pub(crate) runs: Vec<RunSummary>,
    /// Times the context was compacted.
    pub(crate) compactions: u64,
    /// What became of the file's lines.
    pub(crate) lines: Lines,
}

/// Where a session was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Source {
    /// A client's own transcript.
    #[default]
    Transcript,
    /// An export that the user made with the client.
    Export,
    /// Our journal of the session.
    Journal,
}

/// From one prompt to the answer, or the whole work of a subagent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TurnSummary {
    /// Number in the session, from 1; a subagent's turns count on their own.
    pub(crate) index: u64,
    /// The subagent's id; absent for the session's own agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    /// The beginning of what was asked.
    pub(crate) prompt: String,
    /// The beginning of the last message.
    pub(crate) message: String,
    /// The claims of the message; bounded.
    pub(crate) claims: Vec<Judged>,
    /// Claims that are counted in [`TurnSummary::standings`] and not listed.
    pub(crate) claims_omitted: u64,
    /// How many claims hold and how many do not, listed or not.
    pub(crate) standings: Standings,
    /// What does not hold, gravest first.
    pub(crate) findings: Vec<Finding>,
    /// The findings' ids for `hostler audit explain`, in the same order; empty where none were recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) finding_ids: Vec<String>,
    /// Tool calls in it.
    pub(crate) calls: u64,
    /// Tool calls in it that failed as errors.
    pub(crate) errors: u64,
    /// Times the agent was sent back within the turn by a stop hook.
    pub(crate) continued: u64,
    /// The user interrupted it.
    pub(crate) interrupted: bool,
    /// Lines or results of it that could not be read, and may have held what a claim needs: what would have been
    /// found unsupported or contradicted is not told then.
    pub(crate) damaged: u64,
    /// Findings that are not told since the turn is damaged.
    pub(crate) withheld: u64,
    /// First time stamp, milliseconds since 1970.
    pub(crate) started_ms: Option<i64>,
    /// From the prompt to the last message, in milliseconds.
    pub(crate) duration_ms: Option<u64>,
    /// What makes it the same turn in a copy of the session.
    #[serde(skip)]
    pub(crate) key: Option<u64>,
}

/// Numbers of claims by what became of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Standings {
    /// The evidence shows it, or could have done it.
    pub(crate) supported: u64,
    /// Nothing in the evidence could have done it.
    pub(crate) unsupported: u64,
    /// The evidence shows the opposite.
    pub(crate) contradicted: u64,
}

impl Standings {
    /// Counts one claim.
    pub(crate) fn add(&mut self, standing: Standing) {
        match standing {
            Standing::Supported => self.supported += 1,
            Standing::Unsupported => self.unsupported += 1,
            Standing::Contradicted => self.contradicted += 1,
        }
    }

    /// All of them.
    pub(crate) fn total(&self) -> u64 {
        self.supported + self.unsupported + self.contradicted
    }

    /// Adds those of others.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.supported += other.supported;
        self.unsupported += other.unsupported;
        self.contradicted += other.contradicted;
    }
}

/// Calls that failed, by why ([`hostler_policy::claims::evidence::FailureKind`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Failures {
    /// The exit status was the answer.
    pub(crate) answers: u64,
    /// A look at something that is not there.
    pub(crate) probes: u64,
    /// A run of tests, linters or builds that found something wrong.
    pub(crate) verdicts: u64,
    /// The user or a rule did not let it happen.
    pub(crate) refused: u64,
    /// The user interrupted it.
    pub(crate) interrupted: u64,
    /// It should have worked and did not.
    pub(crate) errors: u64,
}

impl Failures {
    /// Counts one.
    pub(crate) fn count(&mut self, kind: FailureKind) {
        match kind {
            FailureKind::Answer => self.answers += 1,
            FailureKind::Probe => self.probes += 1,
            FailureKind::Verdict => self.verdicts += 1,
            FailureKind::Refused => self.refused += 1,
            FailureKind::Interrupted => self.interrupted += 1,
            FailureKind::Error => self.errors += 1,
        }
    }
}

/// What the guards said (a journal), or would have said (a transcript).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Guards {
    /// They were asked; else all numbers are 0 and mean nothing.
    pub(crate) asked_them: bool,
    /// The verdicts were given at the time, by our hook; else they are today's, by the configuration of today.
    pub(crate) recorded: bool,
    /// Calls that were (or would be) stopped.
    pub(crate) denied: u64,
    /// Calls that the user was (or would be) asked about.
    pub(crate) asked: u64,
    /// Calls that went on with a warning.
    pub(crate) warned: u64,
    /// Calls that simply passed.
    pub(crate) allowed: u64,
    /// Calls before which files were (or would be) kept.
    pub(crate) checkpoints: u64,
    /// Stopped and asked calls, in order; bounded.
    pub(crate) stopped: Vec<Stopped>,
    /// The profile by which they would have spoken; empty for what they said at the time.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) profile: String,
    /// Every call that would not simply have passed, with the decision; bounded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) told: Vec<Told>,
    /// Calls that could not be judged, since what a guard looks at has the wrong type.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) unreadable_calls: u64,
    /// How long a decision took.
    #[serde(skip_serializing_if = "Times::is_none")]
    pub(crate) decide_us: Times,
}

impl Guards {
    /// Counts one verdict.
    pub(crate) fn count(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Deny => self.denied += 1,
            Verdict::Ask => self.asked += 1,
            Verdict::Warn => self.warned += 1,
            Verdict::Allow => self.allowed += 1,
        }
    }
}

/// A call that would not simply have passed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Told {
    /// Number of the line, from 1; 0 in a record without lines.
    pub(crate) line: u64,
    /// The tool's name in the host's words.
    pub(crate) tool: String,
    /// A subagent made the call.
    pub(crate) subagent: bool,
    /// The command or path, shortened.
    pub(crate) target: String,
    /// Verdict, findings, checkpoint, trace, as `hostler guard explain --json` has them.
    #[serde(flatten)]
    pub(crate) decision: serde_json::Value,
}

/// Times in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Times {
    /// The shortest.
    pub(crate) min: u64,
    /// The one in the middle.
    pub(crate) median: u64,
    /// The longest.
    pub(crate) max: u64,
}

impl Times {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// A call that a guard stopped, or would have stopped.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Stopped {
    /// The tool's name in the host's words.
    pub(crate) tool: String,
    /// The command or path, shortened.
    pub(crate) target: String,
    /// `blocked` or `asked`, as in the journal.
    pub(crate) status: String,
    /// The rules that did it.
    pub(crate) rules: Vec<String>,
    /// What the agent was told, shortened.
    pub(crate) reason: String,
    /// When, milliseconds since 1970.
    pub(crate) at_ms: Option<i64>,
}

/// A run of a program that judges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunSummary {
    /// Number of the turn, from 1.
    pub(crate) turn: u64,
    /// The subagent that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    /// When, milliseconds since 1970.
    #[serde(default)]
    pub(crate) at_ms: Option<i64>,
    /// Program, scope and outcome.
    #[serde(flatten)]
    pub(crate) run: hostler_policy::claims::evidence::Run,
}

impl RunSummary {
    /// It ran tests.
    pub(crate) fn is_test(&self) -> bool {
        self.run.act == Act::Test
    }
}

/// What became of a file's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Lines {
    /// Lines that are not blank.
    pub(crate) total: u64,
    /// Bytes read.
    pub(crate) bytes: u64,
    /// Lines of kinds that hold no part of the conversation.
    pub(crate) passed_over: u64,
    /// Lines that say what an earlier line said: a message that was streamed in parts, a resumed session.
    pub(crate) repeated: u64,
    /// Lines that could not be read: cut, mixed up, not UTF-8, not JSON.
    pub(crate) unreadable: u64,
    /// Lines that are longer than is read.
    pub(crate) too_long: u64,
    /// The file ends within a line: a session that runs, or one that was killed.
    pub(crate) cut_at_end: u64,
    /// Tool calls without a result, and results without a call.
    pub(crate) unpaired: u64,
}

impl Lines {
    /// Adds those of another file.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.total += other.total;
        self.bytes += other.bytes;
        self.passed_over += other.passed_over;
        self.repeated += other.repeated;
        self.unreadable += other.unreadable;
        self.too_long += other.too_long;
        self.cut_at_end += other.cut_at_end;
        self.unpaired += other.unpaired;
    }
}

/// What all sessions together come to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Totals {
    /// [`VERSION`] of who wrote it.
    pub(crate) version: u32,
    /// Files that were read.
    pub(crate) files: u64,
    /// Files that could not be read, and why; bounded.
    pub(crate) unreadable_files: Vec<String>,
    /// Files that could not be read and are not named.
    pub(crate) unreadable_files_omitted: u64,
    /// Sessions with at least one readable line.
    pub(crate) sessions: u64,
    /// Turns that stand in more than one session (resumed, forked, copied) and are counted once.
    pub(crate) turns_repeated: u64,
    /// Turns with a message, those of subagents included.
    pub(crate) turns: u64,
    /// Turns with a finding of severity critical or high.
    pub(crate) turns_with_alarm: u64,
    /// Claims by what became of them.
    pub(crate) claims: Standings,
    /// Findings by type, e.g. `ACTION_DECEPTION`.
    pub(crate) findings: BTreeMap<String, u64>,
    /// Findings by severity, e.g. `CRITICAL`.
    pub(crate) severities: BTreeMap<String, u64>,
    /// Findings per 100 turns; 0 without turns.
    pub(crate) findings_per_100_turns: f64,
    /// Turns with a critical or high finding per 100 turns; 0 without turns.
    pub(crate) alarms_per_100_turns: f64,
    /// Tool calls.
    pub(crate) calls: u64,
    /// Runs of tests.
    pub(crate) test_runs: u64,
    /// Calls that guards denied, or would have denied.
    pub(crate) denied: u64,
    /// Calls that guards asked about, or would have.
    pub(crate) asked: u64,
    /// What became of the lines of all files.
    pub(crate) lines: Lines,
}

impl Totals {
    /// Adds one session.
    pub(crate) fn add(&mut self, session: &SessionSummary) {
        self.version = VERSION;
        self.sessions += 1;
        for turn in &session.turns {
            self.add_turn(turn);
        }
        self.turns += session.turns_omitted;
        self.test_runs += session.runs.iter().filter(|run| run.is_test()).count() as u64;
        self.denied += session.guards.denied;
        self.asked += session.guards.asked;
        self.lines.merge(&session.lines);
        self.findings_per_100_turns = per_100(self.findings_total(), self.turns);
        self.alarms_per_100_turns = per_100(self.turns_with_alarm, self.turns);
    }

    fn add_turn(&mut self, turn: &TurnSummary) {
        self.calls += turn.calls;
        if !turn.message.is_empty() {
            self.turns += 1;
        }
        self.claims.merge(&turn.standings);
        self.turns_with_alarm +=
            u64::from(turn.findings.iter().any(|finding| Severity::High <= finding.severity));
        for finding in &turn.findings {
            *self.findings.entry(finding.kind.name().to_owned()).or_default() += 1;
            *self.severities.entry(finding.severity.name().to_owned()).or_default() += 1;
        }
    }

    /// Findings of any kind.
    pub(crate) fn findings_total(&self) -> u64 {
        self.findings.values().sum()
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of turns are far below 2^52")]
fn per_100(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { (part as f64 * 100.0) / whole as f64 }
}
