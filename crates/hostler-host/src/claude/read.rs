//! Hook payloads of Claude Code -> [`hostler_model::Event`].
//!
//! What a guard judges is read strictly: a wrong type there is an error, which the caller tells loudly.
//! Everything else is read leniently, so that a new field, event or tool of the client costs nothing.

use std::borrow::Cow;
use std::path::PathBuf;

use hostler_model::{
    Action, Agent, BadSessionId, Change, Event, EventKind, Host, Outcome, SessionId, StartSource, ToolCall,
};
use serde_json::{Map, Value};

/// The largest payload that is read, in bytes.
pub const PAYLOAD_BYTES_MAX: usize = 16 * 1024 * 1024;

/// A payload that could not be understood.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nothing on stdin.
    #[error("the payload is empty")]
    Empty,
    /// More than [`PAYLOAD_BYTES_MAX`].
    #[error("the payload is larger than {} MiB", PAYLOAD_BYTES_MAX / (1024 * 1024))]
    TooLarge,
    /// Bytes that are no text.
    #[error("the payload is not UTF-8 (byte {0})")]
    NotUtf8(usize),
    /// Text that is no JSON; truncated and too deeply nested payloads too.
    #[error("the payload is not JSON: {0}")]
    NotJson(serde_json::Error),
    /// JSON that is no object.
    #[error("the payload is not a JSON object")]
    NotAnObject,
    /// A field that is needed is not there.
    #[error("the payload has no `{0}`")]
    Missing(&'static str),
    /// A field has another type than the client documents.
    #[error("`{field}` is not {expected}")]
    WrongType {
        /// The field.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// A session name that could not name a file.
    #[error("{0}")]
    Session(#[from] BadSessionId),
    /// A working directory that says nothing about where a path leads.
    #[error("`cwd` is not an absolute path: {0:?}")]
    RelativeCwd(String),
}

/// Reads one payload. [`Event::host`] is [`Host::Foreign`] when its shape is that of another client
/// that runs Claude Code's registrations.
///
/// # Errors
/// [`Error`]; the caller tells it and decides nothing, or denies where the user chose to fail closed.
pub fn read(payload: &[u8]) -> Result<Event, Error> {
    if PAYLOAD_BYTES_MAX < payload.len() {
        return Err(Error::TooLarge);
    }
    let text = std::str::from_utf8(payload).map_err(|error| Error::NotUtf8(error.valid_up_to()))?;
    // Some shells of other systems put a byte order mark before what they pipe.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(Error::Empty);
    }
    match parse(text)? {
        Value::Object(fields) => event(&fields),
        _ => Err(Error::NotAnObject),
    }
}

/// The event that a payload claims to be, found without reading it as JSON: what a refusal is
/// addressed to when the payload is damaged.
pub fn event_name_hint(payload: &[u8]) -> Option<&'static str> {
    const KEY: &[u8] = b"\"hook_event_name\"";
    let at = payload.windows(KEY.len()).position(|window| window == KEY)?;
    let rest = payload.get(at + KEY.len()..)?;
    let value = rest.iter().position(|byte| *byte == b'"').and_then(|start| rest.get(start + 1..))?;
    NAMES
        .iter()
        .copied()
        .find(|name| value.strip_prefix(name.as_bytes()).is_some_and(|after| after.first() == Some(&b'"')))
}

/// Events of version 2.1.332.
const NAMES: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PermissionRequest",
    "PermissionDenied",
    "PreSkillShellCommand",
    "Setup",
];

/// One tool call as it stands in a transcript or a payload: name, input and the client's id of it.
///
/// # Errors
/// [`Error::WrongType`] when what a guard judges has the wrong type.
pub fn tool_call(tool: &str, input: &Value, id: Option<&str>) -> Result<ToolCall, Error> {
    let fields = input.as_object().ok_or(Error::WrongType { field: "tool_input", expected: "an object" })?;
    Ok(ToolCall {
        id: id.map(str::to_owned),
        tool: tool.to_owned(),
        action: action(tool, fields)?,
        input: canonical(input),
    })
}

/// JSON text with sorted keys and no blanks: equal inputs have equal texts.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write_canonical(value, &mut out);
    out
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index != 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            // Whether the map keeps its order is a feature of the JSON crate that any dependency can turn on.
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_unstable_by_key(|(key, _)| key.as_str());
            out.push('{');
            for (index, (key, item)) in sorted.into_iter().enumerate() {
                if index != 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write_canonical(item, out);
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

/// Parses JSON as the client's own runtime would. That runtime allows half a surrogate pair in a
/// string and hands it to programs as U+FFFD; the parser here refuses it, and an agent could use that
/// to slip a command past every guard.
pub(crate) fn parse(text: &str) -> Result<Value, Error> {
    serde_json::from_str(text).or_else(|error| match replace_lone_surrogates(text) {
        Cow::Borrowed(_) => Err(Error::NotJson(error)),
        Cow::Owned(text) => serde_json::from_str(&text).map_err(Error::NotJson),
    })
}

pub(super) fn replace_lone_surrogates(text: &str) -> Cow<'_, str> {
    let unit = |at: usize| -> Option<u16> {
        let escape = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(escape, 16).ok()
    };
    let high = |unit: Option<u16>| matches!(unit, Some(0xd800..=0xdbff));
    let low = |unit: Option<u16>| matches!(unit, Some(0xdc00..=0xdfff));
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        at += found;
        let here = unit(at);
        if high(here) && low(unit(at + 6)) {
            at += 12;
        } else if high(here) || low(here) {
            out.push_str(text.get(copied..at).unwrap_or_default());
            out.push_str("\\ufffd");
            at += 6;
            copied = at;
        } else {
            // Past the backslash and what it escapes, which may be a character of several bytes.
            at += 1 + text.get(at + 1..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

type Fields = Map<String, Value>;

fn event(fields: &Fields) -> Result<Event, Error> {
    if !fields.contains_key("hook_event_name") && fields.contains_key("sessionId") {
        return foreign(fields);
    }
    // The two ways in which the other client's payload differs where it uses these names.
    let (result, named) = (fields.contains_key("tool_result"), fields.contains_key("hook_event_name"));
    let name = match (named, fields.contains_key("tool_name")) {
        (false, true) if result => "PostToolUse",
        (false, true) => "PreToolUse",
        _ => required(fields, "hook_event_name")?,
    };
    let host = if result || !named { Host::Foreign } else { Host::ClaudeCode };
    let cwd = cwd(fields)?;
    Ok(Event {
        host,
        session: SessionId::parse(required(fields, "session_id")?)?,
        cwd,
        // A subagent has a transcript of its own, told when it ends.
        transcript: text(fields, "agent_transcript_path")
            .or_else(|| text(fields, "transcript_path"))
            .map(PathBuf::from),
        agent: text(fields, "agent_id").map(|id| Agent {
            id: id.to_owned(),
            kind: text(fields, "agent_type").unwrap_or_default().to_owned(),
        }),
        permission_mode: text(fields, "permission_mode").map(str::to_owned),
        kind: kind(name, fields)?,
        name: name.to_owned(),
    })
}

fn kind(name: &str, fields: &Fields) -> Result<EventKind, Error> {
    let last_message = || text(fields, "last_assistant_message").map(str::to_owned);
    let continuing = || flag(fields, "stop_hook_active");
    Ok(match name {
        "SessionStart" => EventKind::SessionStart {
            source: match text(fields, "source") {
                Some("startup") => StartSource::Startup,
                Some("resume") => StartSource::Resume,
                Some("clear") => StartSource::Clear,
                Some("compact") => StartSource::Compact,
                Some("fork") => StartSource::Fork,
                _ => StartSource::Other,
            },
        },
        "UserPromptSubmit" => {
            EventKind::Prompt { text: text(fields, "prompt").unwrap_or_default().to_owned() }
        }
        // The second is a command inside the text of a slash command or skill, which no agent's call
        // announces and an agent may have written.
        "PreToolUse" | "PreSkillShellCommand" => EventKind::ToolBefore { call: call(fields)? },
        "PostToolUse" => {
            let call = call(fields)?;
            let outcome = success(fields, &call);
            EventKind::ToolAfter { call, outcome }
        }
        "PostToolUseFailure" => EventKind::ToolAfter { call: call(fields)?, outcome: failure(fields) },
        "Stop" => EventKind::TurnEnd { last_message: last_message(), continuing: continuing() },
        "SubagentStart" => EventKind::SubagentStart,
        "SubagentStop" => EventKind::SubagentEnd { last_message: last_message(), continuing: continuing() },
        "PreCompact" => EventKind::Compacting { automatic: text(fields, "trigger") == Some("auto") },
        "SessionEnd" => {
            EventKind::SessionEnd { reason: text(fields, "reason").unwrap_or_default().to_owned() }
        }
        _ => EventKind::Other,
    })
}

/// Copilot CLI under its own event names: camel case, no event name, arguments perhaps as JSON text.
fn foreign(fields: &Fields) -> Result<Event, Error> {
    let cwd = cwd(fields)?;
    let call = match text(fields, "toolName") {
        None => None,
        Some(tool) => {
            let input = match fields.get("toolArgs") {
                Some(Value::String(json)) => parse(json)?,
                Some(input) => input.clone(),
                None => Value::Object(Map::new()),
            };
            // Its shell tool has the name in lower case.
            let tool = if tool == "bash" { "Bash" } else { tool };
            Some(tool_call(tool, &input, text(fields, "toolCallId"))?)
        }
    };
    let result = fields.get("toolResult");
    let (name, kind) = match (call, result) {
        (Some(call), None) => ("preToolUse", EventKind::ToolBefore { call }),
        (Some(call), Some(result)) => {
            let ok = result.get("resultType").and_then(Value::as_str).is_none_or(|it| it == "success");
            let outcome = Outcome { ok, output: output(Some(result)), ..Outcome::default() };
            ("postToolUse", EventKind::ToolAfter { call, outcome })
        }
        (None, _) => ("other", EventKind::Other),
    };
    Ok(Event {
        host: Host::Foreign,
        name: name.to_owned(),
        session: SessionId::parse(required(fields, "sessionId")?)?,
        cwd,
        transcript: None,
        agent: None,
        permission_mode: None,
        kind,
    })
}

fn cwd(fields: &Fields) -> Result<PathBuf, Error> {
    let cwd = PathBuf::from(required(fields, "cwd")?);
    if !cwd.is_absolute() {
        return Err(Error::RelativeCwd(cwd.display().to_string().chars().take(80).collect()));
    }
    Ok(cwd)
}

fn call(fields: &Fields) -> Result<ToolCall, Error> {
    let tool = required(fields, "tool_name")?;
    let input = fields.get("tool_input").ok_or(Error::Missing("tool_input"))?;
    tool_call(tool, input, text(fields, "tool_use_id"))
}

fn action(tool: &str, input: &Fields) -> Result<Action, Error> {
    let path = |key: &str| text(input, key).filter(|path| !path.is_empty()).map(str::to_owned);
    let words = |key: &str| text(input, key).unwrap_or_default().to_owned();
    Ok(match tool {
        "Bash" => Action::Shell { command: required(input, "command")?.to_owned() },
        "Write" => Action::Write { path: path("file_path"), content: words("content") },
        "Edit" => Action::Edit { path: path("file_path"), changes: vec![change(input)] },
        "MultiEdit" => {
            let edits = input.get("edits").and_then(Value::as_array);
            Action::Edit {
                path: path("file_path"),
                changes: edits.into_iter().flatten().filter_map(Value::as_object).map(change).collect(),
            }
        }
        "NotebookEdit" => Action::NotebookEdit { path: path("notebook_path"), source: words("new_source") },
        "Read" => Action::Read { path: path("file_path") },
        "Grep" | "Glob" => Action::Search { path: path("path"), pattern: words("pattern") },
        "Agent" | "Task" => Action::Delegate { prompt: words("prompt"), agent: words("subagent_type") },
        "WebFetch" => Action::Fetch { address: words("url") },
        "WebSearch" => Action::Fetch { address: words("query") },
        "TodoWrite" | "TaskCreate" | "TaskUpdate" | "TaskList" | "TaskGet" | "EnterPlanMode"
        | "ExitPlanMode" | "AskUserQuestion" => Action::Plan,
        _ => match tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            Some((server, tool)) => {
                let mut strings = Vec::new();
                for (key, value) in input {
                    collect_strings(key, value, &mut strings);
                }
                Action::Mcp { server: server.to_owned(), tool: tool.to_owned(), strings }
            }
            None => Action::Other,
        },
    })
}

fn change(fields: &Fields) -> Change {
    let words = |key: &str| text(fields, key).unwrap_or_default().to_owned();
    Change { old: words("old_string"), new: words("new_string"), all: flag(fields, "replace_all") }
}

pub(crate) fn collect_strings(path: &str, value: &Value, out: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => out.push((path.to_owned(), text.clone())),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect_strings(&format!("{path}.{index}"), item, out);
            }
        }
        Value::Object(fields) => {
            for (key, item) in fields {
                collect_strings(&format!("{path}.{key}"), item, out);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn success(fields: &Fields, call: &ToolCall) -> Outcome {
    let response = fields.get("tool_response").or_else(|| fields.get("tool_result"));
    let interrupted =
        response.and_then(|it| it.get("interrupted")).and_then(Value::as_bool).unwrap_or_default();
    let has = |key: &str| response.is_some_and(|it| it.get(key).is_some());
    // The client tells no status here. A failure comes under another event; what it takes for an answer
    // (`grep` that finds nothing) and what still runs are marked.
    let finished = !interrupted && !has("returnCodeInterpretation") && !has("backgroundTaskId");
    let exit = (finished && matches!(call.action, Action::Shell { .. })).then_some(0);
    Outcome {
        ok: !interrupted,
        interrupted,
        exit,
        output: output(response),
        duration_ms: fields.get("duration_ms").and_then(Value::as_u64),
    }
}

fn failure(fields: &Fields) -> Outcome {
    let error = text(fields, "error").unwrap_or_default();
    let exit = error
        .strip_prefix("Exit code ")
        .map(|rest| rest.split('\n').next().unwrap_or(rest))
        .and_then(|code| code.trim().parse().ok());
    Outcome {
        ok: false,
        interrupted: flag(fields, "is_interrupt"),
        exit,
        output: error.to_owned(),
        duration_ms: fields.get("duration_ms").and_then(Value::as_u64),
    }
}

/// What a tool printed or returned, as text; its JSON where it has no text form that is known here.
fn output(response: Option<&Value>) -> String {
    match response {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) if blocks.iter().all(|block| block.get("text").is_some()) => {
            let texts: Vec<_> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
            texts.join("\n")
        }
        Some(other) => match (other.get("stdout"), other.get("stderr")) {
            (Some(Value::String(stdout)), Some(Value::String(stderr))) if stderr.is_empty() => stdout.clone(),
            (Some(Value::String(stdout)), Some(Value::String(stderr))) => format!("{stdout}\n{stderr}"),
            _ => other
                .pointer("/file/content")
                .and_then(Value::as_str)
                .map_or_else(|| canonical(other), str::to_owned),
        },
    }
}

fn required<'a>(fields: &'a Fields, key: &'static str) -> Result<&'a str, Error> {
    match fields.get(key) {
        None | Some(Value::Null) => Err(Error::Missing(key)),
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(Error::WrongType { field: key, expected: "a string" }),
    }
}

fn text<'a>(fields: &'a Fields, key: &str) -> Option<&'a str> {
    fields.get(key).and_then(Value::as_str)
}

fn flag(fields: &Fields, key: &str) -> bool {
    fields.get(key).and_then(Value::as_bool).unwrap_or_default()
}

#[cfg(test)]
mod tests;
