//! What an agent said last, read from the end of a transcript: for a turn whose end comes without its message.

use serde_json::Value;

/// What one line says about the last message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spoken {
    /// The agent's words.
    Agent(String),
    /// The user's words: what the agent said before them belongs to an earlier turn.
    User,
    /// Anything else: tool calls, results, the client's own notes.
    Nothing,
}

/// Reads one line. `subagent`: the transcript is a subagent's own, whose lines are all marked as such; else marked
/// lines are no part of the conversation. `None` when the line is no JSON object.
pub fn spoken(line: &[u8], subagent: bool) -> Option<Spoken> {
    let Value::Object(line) = serde_json::from_slice(line).ok()? else { return None };
    let marked = |name: &str| line.get(name) == Some(&Value::Bool(true));
    if (marked("isSidechain") && !subagent) || marked("isMeta") {
        return Some(Spoken::Nothing);
    }
    let message = line.get("message").unwrap_or(&Value::Null);
    let content = message.get("content").unwrap_or(&Value::Null);
    let role = message.get("role").or(line.get("type"));
    Some(match role.and_then(Value::as_str) {
        Some("assistant") => match words(content) {
            text if text.trim().is_empty() => Spoken::Nothing,
            text => Spoken::Agent(text),
        },
        // A tool's result comes in the user's name, without words.
        Some("user") if !words(content).trim().is_empty() => Spoken::User,
        _ => Spoken::Nothing,
    })
}

/// The text of a message: a string, or the text blocks of a list.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| match block {
                Value::String(text) => Some(text.as_str()),
                block if block.get("type").and_then(Value::as_str) == Some("text") => {
                    block.get("text").and_then(Value::as_str)
                }
                _ => None,
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    /// Recorded with version 2.1.332.
    const TRANSCRIPT: &str = include_str!("../../../../fixtures/claude/2.1.332/transcript.jsonl");

    #[track_caller]
    fn check(line: &str, subagent: bool, expected: Spoken) {
        assert_eq!(spoken(line.as_bytes(), subagent), Some(expected), "{line}");
    }

    fn agent(text: &str) -> Spoken {
        Spoken::Agent(text.to_owned())
    }

    #[test]
    fn a_recorded_session_ends_with_what_was_said_last() {
        let lines: Vec<_> = TRANSCRIPT.lines().map(|line| spoken(line.as_bytes(), false).unwrap()).collect();
        let last = lines.iter().rev().find(|it| **it != Spoken::Nothing).unwrap();
        assert!(matches!(last, Spoken::Agent(text) if text.starts_with("The release notes are written.")));
    }

    // @traces REQ-020-091 REQ-020-115 REQ-020-116 REQ-020-117 REQ-020-122
    #[test]
    fn words_are_told_from_calls_results_and_notes() {
        check(r#"{"type":"assistant","message":{"content":"done"}}"#, false, agent("done"));
        check(
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"a"},{"type":"tool_use","name":"Bash","input":{}},{"type":"text","text":"b"}]}}"#,
            false,
            agent("a\nb"),
        );
        check(r#"{"message":{"role":"assistant","content":"done"}}"#, false, agent("done"));
        check(r#"{"type":"user","message":{"content":"go"}}"#, false, Spoken::User);
        let side = r#"{"type":"assistant","isSidechain":true,"message":{"content":"inside"}}"#;
        check(side, false, Spoken::Nothing);
        check(side, true, agent("inside"));
        for line in [
            "{}",
            r#"{"type":7,"isSidechain":[],"message":"text"}"#,
            r#"{"type":"system","message":{"content":"x"}}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"x"},7,null]}}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{}}]}}"#,
            r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"text"}]}}"#,
            r#"{"type":"user","isMeta":true,"message":{"content":"a reminder"}}"#,
        ] {
            check(line, false, Spoken::Nothing);
        }
        for line in ["", "not json", "[1]", "7", "{\"type\":"] {
            assert_eq!(spoken(line.as_bytes(), false), None, "{line}");
        }
    }
}
