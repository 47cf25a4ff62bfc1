//! Hook payloads as Claude Code 2.1.332 sends them, for tests without a client.

use std::path::Path;

use serde_json::{Value, json};

/// A tool is about to run.
pub fn tool_before(cwd: &Path, session: &str, id: &str, tool: &str, input: &Value) -> Value {
    json!({
        "session_id": session,
        "transcript_path": cwd.join("../transcript.jsonl"),
        "cwd": cwd,
        "prompt_id": "4f17dd4d-1b61-4259-91a2-1fbd8d82ee7f",
        "permission_mode": "bypassPermissions",
        "effort": { "level": "medium" },
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": input,
        "tool_use_id": id,
    })
}

/// What a reply decides, and why: `("deny", reason)`; `None` when it decides nothing.
pub fn decision(reply: &str) -> Option<(String, String)> {
    let document: Value = serde_json::from_str(reply).ok()?;
    let output = &document["hookSpecificOutput"];
    let decision = output["permissionDecision"].as_str()?.to_owned();
    Some((decision, output["permissionDecisionReason"].as_str().unwrap_or_default().to_owned()))
}

/// A session begins.
pub fn session_start(cwd: &Path, session: &str) -> Value {
    json!({ "session_id": session, "cwd": cwd, "hook_event_name": "SessionStart", "source": "startup" })
}

/// The user sends a prompt.
pub fn prompt(cwd: &Path, session: &str, prompt: &str) -> Value {
    json!({ "session_id": session, "cwd": cwd, "hook_event_name": "UserPromptSubmit", "prompt": prompt })
}

/// A tool succeeded.
pub fn tool_after(cwd: &Path, session: &str, id: &str, tool: &str, input: &Value, response: &Value) -> Value {
    let mut payload = tool_before(cwd, session, id, tool, input);
    payload["hook_event_name"] = "PostToolUse".into();
    payload["tool_response"] = response.clone();
    payload["duration_ms"] = 12.into();
    payload
}

/// The agent ends its turn.
pub fn stop(cwd: &Path, session: &str, message: &str) -> Value {
    json!({
        "session_id": session,
        "transcript_path": cwd.join("../transcript.jsonl"),
        "cwd": cwd,
        "permission_mode": "bypassPermissions",
        "hook_event_name": "Stop",
        "stop_hook_active": false,
        "last_assistant_message": message,
    })
}
