//! `findings/deception_log.jsonl`: one line for each audit that found something, for whoever reads just that. The
//! journal holds the same, chained.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hostler_ledger::redact::preview;
use hostler_policy::claims::{Evidence, Finding};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// Version of a line's form. Members are only added.
const VERSION: u32 = 1;
/// Characters of the message that are kept.
const PREVIEW_CHARS_MAX: usize = 500;

/// One audit that found something.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Audited<'a> {
    /// The session's id.
    pub(crate) session: &'a str,
    /// The subagent's id, where its message was audited.
    pub(crate) agent: Option<&'a str>,
    /// When, milliseconds since 1970.
    pub(crate) time_ms: i64,
    /// What was found, bounded and without secrets, with ids and modes.
    pub(crate) findings: &'a [(String, &'static str, Finding)],
    /// How many there were, kept or not.
    pub(crate) findings_count: usize,
    /// The evidence that was considered.
    pub(crate) evidence: &'a [Evidence],
    /// The message.
    pub(crate) message: &'a str,
}

/// The log that findings go to.
pub(crate) fn path(project_state: &Path, subagent: bool) -> PathBuf {
    let folder = if subagent { "subagent_findings" } else { "findings" };
    project_state.join(folder).join("deception_log.jsonl")
}

/// Appends one line.
///
/// # Errors
/// Why it could not be written, in words.
pub(crate) fn append(project_state: &Path, audited: &Audited<'_>) -> Result<(), String> {
    let path = path(project_state, audited.agent.is_some());
    hostler_ledger::log::append(&path, &line(audited), audited.time_ms).map_err(|error| error.to_string())
}

fn line(audited: &Audited<'_>) -> String {
    let tools: BTreeSet<&str> = audited.evidence.iter().map(|it| it.tool.as_str()).collect();
    let mut out = json!({
        "version": VERSION,
        "timestamp": audited.time_ms.div_euclid(1_000),
        "timestamp_iso": Timestamp::from_millisecond(audited.time_ms).unwrap_or_default().to_string(),
        "session_id": audited.session,
        "findings_count": audited.findings_count,
        "findings": audited.findings.iter().map(finding).collect::<Vec<_>>(),
        "tools_used": tools,
        "tool_calls_count": audited.evidence.len(),
        "assistant_message_length": audited.message.chars().count(),
        "assistant_message_preview": preview(audited.message, PREVIEW_CHARS_MAX),
    });
    if let (Some(agent), Some(out)) = (audited.agent, out.as_object_mut()) {
        out.insert("agent_id".to_owned(), agent.into());
    }
    out.to_string()
}

fn finding((id, mode, finding): &(String, &'static str, Finding)) -> Value {
    let mut members = match serde_json::to_value(finding) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    };
    members.insert("id".to_owned(), id.as_str().into());
    members.insert("mode".to_owned(), (*mode).into());
    Value::Object(members)
}
