#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

/// A recorded payload of version 2.1.332.
macro_rules! recorded {
    ($name:literal) => {
        include_bytes!(concat!("../../../../../fixtures/claude/2.1.332/payloads/", $name, ".json"))
    };
}

fn payload(tool: &str, input: &str) -> String {
    format!(
        r#"{{"session_id":"s1","cwd":"/p","hook_event_name":"PreToolUse","tool_name":{tool:?},"tool_input":{input}}}"#
    )
}

#[track_caller]
fn call_of(payload: &[u8]) -> ToolCall {
    read(payload).unwrap().call().unwrap().clone()
}

#[track_caller]
fn check_action(tool: &str, input: &str, expected: &Action) {
    assert_eq!(&call_of(payload(tool, input).as_bytes()).action, expected, "{tool} {input}");
}

// @traces REQ-020-131 REQ-020-153
#[test]
fn every_tool_of_the_client_is_read() {
    check_action("Bash", r#"{"command":"ls"}"#, &Action::Shell { command: "ls".into() });
    check_action(
        "Write",
        r#"{"file_path":"a","content":"b"}"#,
        &Action::Write { path: Some("a".into()), content: "b".into() },
    );
    let change = |old: &str, new: &str, all| Change { old: old.into(), new: new.into(), all };
    check_action(
        "Edit",
        r#"{"file_path":"a","old_string":"b","new_string":"c","replace_all":true}"#,
        &Action::Edit { path: Some("a".into()), changes: vec![change("b", "c", true)] },
    );
    check_action(
        "MultiEdit",
        r#"{"file_path":"a","edits":[{"old_string":"b","new_string":"c"},{"old_string":"d","new_string":"e"}]}"#,
        &Action::Edit {
            path: Some("a".into()),
            changes: vec![change("b", "c", false), change("d", "e", false)],
        },
    );
    check_action(
        "NotebookEdit",
        r#"{"notebook_path":"a.ipynb","new_source":"x"}"#,
        &Action::NotebookEdit { path: Some("a.ipynb".into()), source: "x".into() },
    );
    check_action("Read", r#"{"file_path":"a"}"#, &Action::Read { path: Some("a".into()) });
    check_action("Glob", r#"{"pattern":"*"}"#, &Action::Search { path: None, pattern: "*".into() });
    check_action(
        "Grep",
        r#"{"pattern":"x","path":"."}"#,
        &Action::Search { path: Some(".".into()), pattern: "x".into() },
    );
    for tool in ["Agent", "Task"] {
        check_action(
            tool,
            r#"{"prompt":"p","subagent_type":"general-purpose"}"#,
            &Action::Delegate { prompt: "p".into(), agent: "general-purpose".into() },
        );
    }
    check_action(
        "mcp__fs__write_file",
        r#"{"path":"/etc/hosts","deep":{"list":["a",1,{"b":"c"}]}}"#,
        &Action::Mcp {
            server: "fs".into(),
            tool: "write_file".into(),
            strings: vec![
                ("deep.list.0".into(), "a".into()),
                ("deep.list.2.b".into(), "c".into()),
                ("path".into(), "/etc/hosts".into()),
            ],
        },
    );
    check_action("TimeMachine", r#"{"to":1985}"#, &Action::Other);
    check_action("mcp__nothing", "{}", &Action::Other);
}

#[test]
fn a_path_that_is_none_is_none() {
    for input in
        [r#"{"content":"x"}"#, r#"{"file_path":"","content":"x"}"#, r#"{"file_path":7,"content":"x"}"#]
    {
        check_action("Write", input, &Action::Write { path: None, content: "x".into() });
    }
}

#[test]
fn input_is_complete_and_canonical() {
    let call = call_of(payload("New", r#"{"b":{"d":[1.50,1e2,-0],"c":"é\n"},"a":null}"#).as_bytes());
    assert_eq!(call.input, r#"{"a":null,"b":{"c":"é\n","d":[1.5,100.0,0]}}"#.replace(",0]", ",-0.0]"));
}

#[test]
fn recorded_events_are_read() {
    let start = read(recorded!("SessionStart-startup")).unwrap();
    assert_eq!(start.kind, EventKind::SessionStart { source: StartSource::Startup });
    assert_eq!((start.host, start.cwd.as_path()), (Host::ClaudeCode, std::path::Path::new("/home/dev/shop")));
    for (payload, source) in [
        (recorded!("SessionStart-resume").as_slice(), StartSource::Resume),
        (recorded!("SessionStart-compact"), StartSource::Compact),
        (recorded!("SessionStart-fork"), StartSource::Fork),
    ] {
        assert_eq!(read(payload).unwrap().kind, EventKind::SessionStart { source });
    }
    let subagent = read(recorded!("PreToolUse-Bash-subagent")).unwrap();
    assert_eq!(subagent.agent.as_ref().unwrap().kind, "general-purpose");
    assert_eq!(subagent.permission_mode.as_deref(), Some("bypassPermissions"));
    assert!(matches!(subagent.kind, EventKind::ToolBefore { .. }));
    let skill = call_of(recorded!("PreSkillShellCommand-Bash"));
    assert_eq!(skill.action, Action::Shell { command: "touch ran_by_skill; echo shellout".into() });
    let stop = read(recorded!("Stop")).unwrap();
    let EventKind::TurnEnd { last_message: Some(message), continuing: false } = stop.kind else {
        panic!("{stop:?}")
    };
    assert!(message.starts_with("The release notes"), "{message}");
    let compacting = read(recorded!("PreCompact")).unwrap();
    assert_eq!(compacting.kind, EventKind::Compacting { automatic: false });
    let end = read(recorded!("SessionEnd")).unwrap();
    assert_eq!(end.kind, EventKind::SessionEnd { reason: "other".into() });
    assert!(matches!(read(recorded!("UserPromptSubmit")).unwrap().kind, EventKind::Prompt { .. }));
    assert_eq!(read(recorded!("SubagentStart")).unwrap().kind, EventKind::SubagentStart);
    assert!(matches!(read(recorded!("SubagentStop")).unwrap().kind, EventKind::SubagentEnd { .. }));
    for other in
        [recorded!("PostToolBatch").as_slice(), recorded!("MessageDisplay"), recorded!("PostCompact")]
    {
        assert_eq!(read(other).unwrap().kind, EventKind::Other);
    }
}

#[track_caller]
fn check_outcome(payload: &[u8], ok: bool, exit: Option<i32>, output: &str) {
    let event = read(payload).unwrap();
    let EventKind::ToolAfter { outcome, .. } = event.kind else { panic!("{event:?}") };
    assert_eq!((outcome.ok, outcome.exit, outcome.output.as_str()), (ok, exit, output));
    assert!(outcome.duration_ms.is_some());
}

#[test]
fn recorded_outcomes_are_read() {
    check_outcome(recorded!("PostToolUse-Bash"), true, Some(0), "?? .claude/\n?? notes.txt\nreport.html");
    // The client reports a status that it takes for an answer as success, and does not tell it.
    check_outcome(recorded!("PostToolUse-Bash-condition-false"), true, None, "");
    check_outcome(recorded!("PostToolUse-Bash-background"), true, None, "");
    check_outcome(recorded!("PostToolUseFailure-Bash"), false, Some(3), "Exit code 3\nbad");
    check_outcome(recorded!("PostToolUse-Read"), true, None, "def total(prices):\n    return sum(prices)\n");
}

/// Recorded: the client sends half a surrogate pair as it came from the model, the shell gets U+FFFD.
#[test]
fn half_a_surrogate_pair_does_not_hide_a_command() {
    let recorded = recorded!("PreToolUse-Bash-half-a-pair");
    assert!(serde_json::from_slice::<Value>(recorded).is_err());
    assert_eq!(call_of(recorded).action, Action::Shell { command: "echo \u{fffd} x".into() });
    for (escaped, expected) in [
        (r"\ud83d\ude00 \ud800", "😀 \u{fffd}"),
        (r"\udc00\ud83d", "\u{fffd}\u{fffd}"),
        (r"\\ud800 \ud800", "\\ud800 \u{fffd}"),
        (r#"\"é\\\ud800"#, "\"é\\\u{fffd}"),
    ] {
        let payload = payload("Bash", &format!(r#"{{"command":"{escaped}"}}"#));
        assert_eq!(
            call_of(payload.as_bytes()).action,
            Action::Shell { command: expected.into() },
            "{escaped}"
        );
    }
}

#[track_caller]
fn check_error(payload: impl AsRef<[u8]>, expected: &str) {
    assert_eq!(read(payload.as_ref()).unwrap_err().to_string(), expected);
}

#[test]
fn damage_is_named() {
    check_error("", "the payload is empty");
    check_error(" \n\t", "the payload is empty");
    check_error(b"{\"session_id\": \"\xff\"}", "the payload is not UTF-8 (byte 16)");
    check_error("[]", "the payload is not a JSON object");
    check_error("{}", "the payload has no `hook_event_name`");
    check_error(r#"{"hook_event_name":null}"#, "the payload has no `hook_event_name`");
    check_error(r#"{"hook_event_name":1}"#, "`hook_event_name` is not a string");
    check_error(r#"{"hook_event_name":"Stop","cwd":"p"}"#, r#"`cwd` is not an absolute path: "p""#);
    check_error(r#"{"hook_event_name":"Stop","cwd":"/p"}"#, "the payload has no `session_id`");
    check_error(
        r#"{"hook_event_name":"Stop","cwd":"/p","session_id":"../x"}"#,
        "session id \"../x\" is not 1 to 128 ASCII letters, digits, `-` or `_`",
    );
    check_error(payload("Bash", r#"{"command":["rm"]}"#), "`command` is not a string");
    check_error(payload("Bash", "{}"), "the payload has no `command`");
    check_error(payload("Bash", "[1]"), "`tool_input` is not an object");
    let deep = payload("X", &format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200)));
    assert!(read(deep.as_bytes()).unwrap_err().to_string().contains("recursion limit"));
    let whole = recorded!("PreToolUse-Bash");
    for length in 1..whole.len() - 2 {
        assert!(matches!(read(&whole[..length]), Err(Error::NotJson(_))), "{length}");
    }
    assert!(matches!(read(&vec![b' '; PAYLOAD_BYTES_MAX + 1]), Err(Error::TooLarge)));
}

#[test]
fn a_damaged_payload_still_tells_its_event() {
    assert_eq!(event_name_hint(br#"{"hook_event_name": "PreToolUse", "tool"#), Some("PreToolUse"));
    assert_eq!(event_name_hint(br#"{"hook_event_name":"PostToolUseFailure"#), None);
    assert_eq!(event_name_hint(br#"{"hook_event_name":"PostToolUseFailure""#), Some("PostToolUseFailure"));
    assert_eq!(event_name_hint(b"{"), None);
}

#[test]
fn new_fields_events_and_types_of_what_nobody_judges_are_carried() {
    let event = read(
        br#"{"session_id":"s1","cwd":"/p","hook_event_name":"MoonRise","agent_id":7,"permission_mode":[],"new":{}}"#,
    )
    .unwrap();
    assert_eq!((event.name.as_str(), event.kind, event.agent), ("MoonRise", EventKind::Other, None));
    let bom = format!("\u{feff}{}", payload("Bash", r#"{"command":"ls"}"#));
    assert!(read(bom.as_bytes()).is_ok());
}

#[test]
fn a_foreign_shape_is_recognised() {
    let camel =
        br#"{"sessionId":"s1","timestamp":1,"cwd":"/p","toolName":"bash","toolArgs":"{\"command\":\"ls\"}"}"#;
    let event = read(camel).unwrap();
    assert_eq!((event.host, event.name.as_str()), (Host::Foreign, "preToolUse"));
    assert_eq!(event.call().unwrap().action, Action::Shell { command: "ls".into() });
    let after = br#"{"sessionId":"s1","cwd":"/p","toolName":"view","toolArgs":{},"toolResult":{"resultType":"failure"}}"#;
    assert!(matches!(
        read(after).unwrap().kind,
        EventKind::ToolAfter { outcome: Outcome { ok: false, .. }, .. }
    ));
    let snake = br#"{"session_id":"s1","cwd":"/p","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_result":{}}"#;
    assert_eq!(read(snake).unwrap().host, Host::Foreign);
    let nameless = br#"{"session_id":"s1","cwd":"/p","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    let event = read(nameless).unwrap();
    assert_eq!((event.host, event.name.as_str()), (Host::Foreign, "PreToolUse"));
    let start = read(br#"{"sessionId":"s1","cwd":"/p","source":"new"}"#).unwrap();
    assert_eq!((start.host, start.kind), (Host::Foreign, EventKind::Other));
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300)) {
        let _ = read(&bytes);
        let _ = event_name_hint(&bytes);
    }

    #[test]
    fn every_command_arrives_as_it_was_written(command in ".*") {
        let payload = payload("Bash", &serde_json::json!({ "command": command }).to_string());
        assert_eq!(call_of(payload.as_bytes()).action, Action::Shell { command });
    }
}
