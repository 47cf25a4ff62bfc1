//! Our answer -> the one JSON document that Claude Code reads.
//!
//! Every form here was measured on the real client. The client ignores a document that it does not
//! understand and lets the call run, so there is one typed serialiser and no other way out.

use hostler_model::{Event, Host};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::reply::{MESSAGE_CHARS_MAX, REASON_CHARS_MAX, Reply, Stop, TEXT_CHARS_MAX, chars_in_json, cut};

/// The document, without a trailing newline; `{}` when there is nothing to say. Empty for events whose
/// stdout the client takes as text, whatever it is: that goes into the prompt of a compaction.
pub fn write(event: &Event, reply: &Reply) -> String {
    write_for(event.host, &event.name, reply)
}

/// [`write()`] for an event of which only the name is known.
pub fn write_for(host: Host, event: &str, reply: &Reply) -> String {
    if reply.stop.is_none() && matches!(event, "PreCompact" | "PostCompact" | "WorktreeCreate") {
        return String::new();
    }
    // The other client gets the same words in two places.
    let mut budget = if host == Host::Foreign { TEXT_CHARS_MAX / 2 } else { TEXT_CHARS_MAX };
    let rest = reply.rest.as_deref();
    let mut fit = |text: &str, limit: usize| {
        let text = cut(text, limit.min(budget), rest);
        budget = budget.saturating_sub(chars_in_json(&text));
        text
    };
    let mut document = Document::default();
    let mut specific = Specific { hook_event_name: event, ..Specific::default() };
    match &reply.stop {
        None => {}
        Some(Stop::Deny(reason)) => {
            let reason = fit(reason, REASON_CHARS_MAX);
            if can_be_denied(event) {
                specific.permission_decision = Some("deny");
                specific.permission_decision_reason = Some(reason);
            } else {
                document.decision = Some("block");
                document.reason = Some(reason);
            }
        }
        Some(Stop::Ask(reason)) => {
            let reason = fit(reason, REASON_CHARS_MAX);
            // Another client may have nobody to ask, and one of them hangs then.
            specific.permission_decision = Some(if host == Host::Foreign { "deny" } else { "ask" });
            specific.permission_decision_reason = Some(reason);
        }
        Some(Stop::Continue(reason)) => {
            document.decision = Some("block");
            document.reason = Some(fit(reason, REASON_CHARS_MAX));
        }
    }
    document.system_message = reply.message.as_deref().map(|text| fit(text, MESSAGE_CHARS_MAX));
    if takes_context(event) {
        specific.additional_context = reply.context.as_deref().map(|text| fit(text, TEXT_CHARS_MAX));
    }
    if matches!(event, "PreToolUse" | "preToolUse") {
        specific.updated_input =
            reply.input.as_ref().and_then(|json| RawValue::from_string(json.clone()).ok());
    }
    if host == Host::Foreign {
        // The other client reads a refusal and context at the top under its own event names, and a
        // nested refusal under this client's names. Each ignores what it does not know.
        document.permission_decision = specific.permission_decision;
        document.permission_decision_reason.clone_from(&specific.permission_decision_reason);
        document.additional_context.clone_from(&specific.additional_context);
    }
    if !specific.is_empty() {
        document.hook_specific_output = Some(specific);
    }
    // Serialising plain strings into memory has no way to fail; `{}` is the answer that changes nothing.
    serde_json::to_string(&document).unwrap_or_else(|_| "{}".to_owned())
}

/// A document read back, as the client reads it for an event before a tool call. `None` when it is none.
pub fn parse(document: &str) -> Option<Reply> {
    let document: serde_json::Value = serde_json::from_str(document).ok()?;
    let specific = document.as_object()?.get("hookSpecificOutput");
    let text = |value: Option<&serde_json::Value>| value?.as_str().map(str::to_owned);
    let field = |key: &str| text(specific.and_then(|specific| specific.get(key)));
    let reason = field("permissionDecisionReason").unwrap_or_default();
    Some(Reply {
        stop: match field("permissionDecision").as_deref() {
            Some("deny") => Some(Stop::Deny(reason)),
            Some("ask") => Some(Stop::Ask(reason)),
            _ => None,
        },
        context: field("additionalContext"),
        message: text(document.get("systemMessage")),
        input: specific.and_then(|specific| specific.get("updatedInput")).map(super::read::canonical),
        rest: None,
    })
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Specific<'a>>,
}

/// Without its event's name the client ignores the whole document.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Specific<'a> {
    hook_event_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
}

impl Specific<'_> {
    fn is_empty(&self) -> bool {
        self.permission_decision.is_none()
            && self.permission_decision_reason.is_none()
            && self.updated_input.is_none()
            && self.additional_context.is_none()
    }
}

/// Events that ask whether something may run.
pub fn can_be_denied(event: &str) -> bool {
    matches!(event, "PreToolUse" | "preToolUse" | "PreSkillShellCommand")
}

/// Events whose context reaches the agent and changes nothing else. On `Stop` it would continue the turn.
fn takes_context(event: &str) -> bool {
    matches!(
        event,
        "PreToolUse"
            | "PostToolUse"
            | "PostToolUseFailure"
            | "PostToolBatch"
            | "UserPromptSubmit"
            | "SessionStart"
            | "preToolUse"
            | "postToolUse"
    )
}

#[cfg(test)]
mod tests;
