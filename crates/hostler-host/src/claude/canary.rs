//! A call that every profile but `observe` stops, to see whether a registered hook is alive.

use serde_json::{Value, json};

/// The command that the canary asks about; nobody runs it.
pub const COMMAND: &str = "rm -rf /";
/// Session under which the canary appears, should anything record it.
pub const SESSION: &str = "hostler-doctor";

/// What the client would send before a shell command in `cwd`.
pub fn payload(cwd: &str) -> String {
    json!({
        "session_id": SESSION,
        "transcript_path": format!("{cwd}/transcript.jsonl"),
        "cwd": cwd,
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": { "command": COMMAND, "description": "hostler doctor asks, nothing runs" },
        "tool_use_id": "toolu_hostler_doctor",
    })
    .to_string()
}

/// What the client would do with a reply to [`payload`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The command does not run.
    Denied,
    /// The command runs, or the user is asked; with what the reply says.
    NotDenied(String),
}

/// Reads `stdout` as the client does: one JSON document that names the event, or nothing.
pub fn judge(stdout: &str) -> Outcome {
    let reply: Value = match serde_json::from_str(stdout.trim()) {
        Ok(reply) => reply,
        Err(_) if stdout.trim().is_empty() => return Outcome::NotDenied("it says nothing".to_owned()),
        Err(_) => {
            let start: String = stdout.trim().chars().take(80).collect();
            return Outcome::NotDenied(format!("it does not answer with one JSON document: `{start}`"));
        }
    };
    let specific = &reply["hookSpecificOutput"];
    if specific["hookEventName"] == "PreToolUse" && specific["permissionDecision"] == "deny" {
        return Outcome::Denied;
    }
    if let Some(message) = reply["systemMessage"].as_str() {
        return Outcome::NotDenied(format!("it says `{message}`"));
    }
    match specific["permissionDecision"].as_str() {
        Some(decision) => Outcome::NotDenied(format!("its decision is `{decision}`")),
        None => Outcome::NotDenied("it does not decide".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stdout: &str, expected: &str) {
        let said = match judge(stdout) {
            Outcome::Denied => "denied".to_owned(),
            Outcome::NotDenied(said) => said,
        };
        assert_eq!(said, expected, "{stdout}");
    }

    #[test]
    fn only_what_the_client_obeys_is_a_denial() {
        let reply = |decision: &str| {
            format!(
                r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{decision}"}}}}"#
            )
        };
        check(&format!(" {}\n", reply("deny")), "denied");
        check(&reply("ask"), "its decision is `ask`");
        check("", "it says nothing");
        check("{}", "it does not decide");
        check(r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#, "its decision is `deny`");
        check(r#"{"systemMessage":"not installed"}"#, "it says `not installed`");
        check(
            &format!("loaded profile\n{}", reply("deny")),
            &format!("it does not answer with one JSON document: `loaded profile\n{}`", &reply("deny")[..65]),
        );
    }

    #[test]
    fn the_payload_is_one_that_the_adapter_reads() {
        let event =
            crate::claude::read::read(payload("/tmp/x").as_bytes()).unwrap_or_else(|it| panic!("{it}"));
        assert_eq!(event.cwd.to_str(), Some("/tmp/x"));
    }
}
