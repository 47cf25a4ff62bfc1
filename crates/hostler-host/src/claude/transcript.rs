//! Transcripts of Claude Code: the tool calls in them.

use std::path::PathBuf;

use hostler_model::ToolCall;
use serde_json::Value;

use super::read::{self, Error};

/// One tool call of a session that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// The call.
    pub call: ToolCall,
    /// Where the agent was.
    pub cwd: PathBuf,
    /// It was in a git repository.
    pub git: bool,
    /// A subagent made it.
    pub subagent: bool,
}

/// The tool calls in one line, those that cannot be read as errors. `None` when the line is not JSON.
///
/// Most lines of a transcript are no messages, and new kinds appear with every version: what is not
/// understood holds no calls. A message that was streamed in parts stands there more than once, with the
/// same ids.
pub fn calls(line: &[u8]) -> Option<Vec<Result<Recorded, Error>>> {
    let entry: Value = serde_json::from_slice(line).ok()?;
    if entry.get("type").and_then(Value::as_str) != Some("assistant") {
        return Some(Vec::new());
    }
    let blocks = entry.pointer("/message/content").and_then(Value::as_array);
    let calls = blocks.into_iter().flatten().filter(|block| text(block, "type") == Some("tool_use"));
    Some(calls.filter_map(|block| recorded(&entry, block)).collect())
}

fn recorded(entry: &Value, block: &Value) -> Option<Result<Recorded, Error>> {
    let (tool, input) = (text(block, "name")?, block.get("input")?);
    Some(read::tool_call(tool, input, text(block, "id")).map(|call| Recorded {
        call,
        cwd: PathBuf::from(text(entry, "cwd").unwrap_or("/")),
        git: text(entry, "gitBranch").is_some_and(|branch| !branch.is_empty()),
        subagent: entry.get("isSidechain").and_then(Value::as_bool).unwrap_or_default(),
    }))
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use hostler_model::Action;

    use super::*;

    /// Recorded with version 2.1.332.
    const TRANSCRIPT: &str = include_str!("../../../../fixtures/claude/2.1.332/transcript.jsonl");

    #[test]
    fn every_call_of_a_recorded_session_is_found() {
        let calls: Vec<Recorded> = TRANSCRIPT
            .lines()
            .flat_map(|line| calls(line.as_bytes()).unwrap())
            .collect::<Result<_, _>>()
            .unwrap();
        let tools: Vec<&str> = calls.iter().map(|it| it.call.tool.as_str()).collect();
        assert_eq!(calls.len(), 15);
        assert_eq!(tools[..4], ["Bash", "Read", "Bash", "Bash"]);
        assert_eq!(calls[2].call.action, Action::Shell { command: "rm -rf build".into() });
        assert!(calls.iter().all(|it| it.git && !it.subagent && it.cwd.is_absolute()));
    }

    #[test]
    fn what_is_not_understood_holds_no_calls() {
        assert!(calls(b"not json").is_none());
        for line in [
            "{}",
            "[]",
            r#"{"type":"moon"}"#,
            r#"{"type":"assistant"}"#,
            r#"{"type":"assistant","message":{"content":"text"}}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"text"},{"type":"tool_use"},7]}}"#,
        ] {
            assert_eq!(calls(line.as_bytes()).unwrap().len(), 0, "{line}");
        }
        let wrong =
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{}}]}}"#;
        assert!(calls(wrong.as_bytes()).unwrap()[0].is_err());
    }
}
