//! A call that every profile but `observe` stops, as the plugin would ask about it.

use serde_json::{Value, json};

use crate::claude::canary::{COMMAND, Outcome, SESSION};

/// The line about the call.
const CALL: u64 = 2;

/// What the plugin would send when it is loaded in `directory` and the agent wants to run [`COMMAND`].
pub fn lines(directory: &str, version: &str) -> String {
    let hello = json!({
        "id": 1,
        "hook": "hello",
        "input": {
            "protocol": super::read::PROTOCOL,
            "plugin": version,
            "flavour": 1,
            "host": "hostler doctor",
            "directory": directory,
            "worktree": directory,
            "pid": 0,
            "mode": "unknown",
        },
    });
    let session = format!("ses_{SESSION}");
    let call = json!({
        "id": CALL,
        "hook": "tool.execute.before",
        "session": session,
        "directory": directory,
        "input": { "tool": "bash", "sessionID": session, "callID": "call_hostler_doctor" },
        "output": { "args": { "command": COMMAND } },
    });
    format!("{hello}\n{call}\n")
}

/// What the plugin would do with the answers in `stdout`.
pub fn judge(stdout: &str) -> Outcome {
    let answers: Vec<Value> = stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let answer = |id: u64| answers.iter().find(|it| it["id"] == id);
    let Some(call) = answer(CALL) else {
        let said = stdout.trim().lines().next().unwrap_or_default();
        let start: String = said.chars().take(80).collect();
        return Outcome::NotDenied(match (said.is_empty(), answer(1)) {
            (true, _) => "it says nothing".to_owned(),
            (false, Some(_)) => "it does not answer about the call".to_owned(),
            (false, None) => format!("it does not answer with JSON lines: `{start}`"),
        });
    };
    if call["deny"].is_string() {
        return Outcome::Denied;
    }
    if let Some(hello) = answer(1).filter(|it| it["hello"]["active"] == false) {
        let protocol = &hello["hello"]["protocol"];
        return Outcome::NotDenied(format!("it says that it is not active (protocol {protocol})"));
    }
    match call["fault"].as_str() {
        Some(fault) => Outcome::NotDenied(format!("it says `{fault}`")),
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
    fn only_what_the_plugin_obeys_is_a_denial() {
        let hello = r#"{"id":1,"hello":{"protocol":1,"active":true}}"#;
        check(&format!("{hello}\n{}\n", r#"{"id":2,"deny":"no"}"#), "denied");
        check(&format!("{}\n{hello}\n", r#"{"id":2,"deny":"no"}"#), "denied");
        check(&format!("{hello}\n{}\n", r#"{"id":2}"#), "it does not decide");
        check(&format!("{hello}\n{}\n", r#"{"id":2,"fault":"broken"}"#), "it says `broken`");
        check(hello, "it does not answer about the call");
        check("", "it says nothing");
        check("usage: hostler", "it does not answer with JSON lines: `usage: hostler`");
        check(
            "{\"id\":1,\"hello\":{\"protocol\":1,\"active\":false}}\n{\"id\":2}\n",
            "it says that it is not active (protocol 1)",
        );
    }

    #[test]
    fn the_lines_are_ones_that_the_adapter_reads() {
        for line in lines("/tmp/x", "0.1.0").lines() {
            let read = super::super::read::read(line.as_bytes(), &super::super::read::Names::default());
            assert!(read.is_ok(), "{line}: {:?}", read.err());
        }
    }
}
