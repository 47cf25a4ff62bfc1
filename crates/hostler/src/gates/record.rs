//! What the journal keeps of a review: which files, what was found, which tools ran. Claims about tests and linters are
//! held against it, as against the agent's own runs.

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use hostler_ledger::journal::{self, Entry};
use hostler_model::SessionId;
use hostler_policy::checks::Severity;
use hostler_policy::claims::evidence::{Channel, Run as Ran, RunOutcome, VERSION};
use hostler_policy::claims::{Act, Evidence};
use serde_json::{Map, Value};

use super::render;
use super::review::Report;
use super::tools::{Outcome, Run};
use crate::hook::World;

/// Who ran the tools, in evidence.
pub(crate) const TOOL: &str = "hostler";
/// The kind of the record.
pub(crate) const KIND: &str = "gate";
/// Findings and files that a record keeps; how many there were is kept in any case.
const FINDINGS_MAX: usize = 50;
const FILES_MAX: usize = 50;

/// The attributes of a review that was done for `purpose`.
pub(crate) fn attributes(purpose: &str, report: &Report) -> Map<String, Value> {
    let mut out = Map::new();
    let mut set = |name: &str, value: Value| out.insert(name.to_owned(), value);
    let (errors, warnings) = (report.count(Severity::Error), report.count(Severity::Warn));
    set("purpose", purpose.into());
    set("status", if report.fails() { "failed" } else { "passed" }.into());
    set("message", render::verdict(report).into());
    set("errors", errors.into());
    set("warnings", warnings.into());
    set("files_count", report.files.len().into());
    set("files", report.files.iter().take(FILES_MAX).map(|it| it.name.clone()).collect::<Vec<_>>().into());
    let findings = report.findings();
    // Errors first: they are what somebody looks for.
    let (grave, mild): (Vec<_>, Vec<_>) = findings.iter().partition(|(_, it)| it.severity == Severity::Error);
    let kept = grave.into_iter().chain(mild).take(FINDINGS_MAX);
    set("checked", kept.map(|(name, finding)| render::finding(name, finding)).collect::<Vec<_>>().into());
    set("runs", report.runs.iter().map(render::run).collect::<Vec<_>>().into());
    if !report.faults.is_empty() {
        set("faults", report.faults.clone().into());
    }
    set("hostler.version", env!("CARGO_PKG_VERSION").into());
    let evidence = evidence(report);
    if let Some(evidence) = serde_json::to_value(&evidence).ok().filter(|_| !evidence.runs.is_empty()) {
        set("evidence", evidence);
        set("evidence_v", VERSION.into());
    }
    out
}

/// The tools that ran, as evidence.
fn evidence(report: &Report) -> Evidence {
    let ran = |run: &Run| {
        let errors = match &run.outcome {
            Outcome::NotRun { .. } => return None,
            Outcome::Clean => 0,
            Outcome::Findings(found) => found.iter().filter(|(_, it)| it.severity == Severity::Error).count(),
        };
        let act = act(run);
        let count = (act != Act::Test).then(|| u64::try_from(errors).unwrap_or(u64::MAX));
        let outcome = RunOutcome { passed: Some(errors == 0), errors: count, ..RunOutcome::default() };
        let scope = report.files.iter().take(FILES_MAX).map(|file| file.name.clone()).collect();
        Some(Ran { act, program: run.tool.to_owned(), scope, times: 1, outcome })
    };
    let runs: Vec<Ran> = report.runs.iter().filter_map(ran).collect();
    Evidence {
        tool: TOOL.to_owned(),
        channel: Channel::Other,
        ok: true,
        summary: format!("gates: {}", render::verdict(report)),
        runs,
        ..Evidence::default()
    }
}

/// What kind of run a tool's is.
fn act(run: &Run) -> Act {
    let is = |words: &[&str]| words.iter().any(|word| run.tool.contains(word));
    if is(&["test", "jest"]) {
        Act::Test
    } else if is(&["mypy", "pyright", "tsc", "ty check"]) {
        Act::Typecheck
    } else if is(&["format", "black", "prettier", "fmt", "isort"]) {
        Act::Format
    } else if is(&["cargo check", "javac", "go build"]) {
        Act::Build
    } else {
        Act::Lint
    }
}

/// Keeps a review that somebody asked for in the session's journal; says so on stderr where it cannot be kept.
pub(crate) fn by_hand(world: &World, session: Option<&SessionId>, purpose: &str, report: &Report) {
    let (Some(state), Some(session)) = (world.state(), session) else { return };
    let time_ms = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
    let attributes = attributes(purpose, report);
    let entry = Entry { kind: KIND, time_ms, dedupe: None, durable: false, attributes };
    if let Err(error) = journal::append(state, session, &entry) {
        let _ = writeln!(std::io::stderr(), "warning: this review could not be recorded: {error}");
    }
}
