use super::*;
use crate::reply::rewrite;

fn json(event: &str, reply: &Reply) -> String {
    write_for(Host::ClaudeCode, event, reply)
}

#[test]
fn nothing_to_say_is_an_empty_document() {
    for event in ["PreToolUse", "Stop", "SessionEnd", "Unknown"] {
        assert_eq!(json(event, &Reply::default()), "{}");
    }
}

/// Measured: `{}` from a hook of `PreCompact` stands in the prompt of the compaction.
#[test]
fn what_would_be_read_as_text_is_left_out() {
    let reply = Reply { message: Some("told".into()), ..Reply::default() };
    for event in ["PreCompact", "PostCompact", "WorktreeCreate"] {
        assert_eq!(json(event, &Reply::default()), "");
        assert_eq!(json(event, &reply), "");
    }
    let blocked = Reply { stop: Some(Stop::Deny("why".into())), ..Reply::default() };
    assert_eq!(json("PreCompact", &blocked), r#"{"decision":"block","reason":"why"}"#);
}

#[test]
fn a_denied_call() {
    let reply = Reply { stop: Some(Stop::Deny("why".into())), ..Reply::default() };
    insta::assert_snapshot!(json("PreToolUse", &reply), @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"why"}}"#);
    insta::assert_snapshot!(json("PreSkillShellCommand", &reply), @r#"{"hookSpecificOutput":{"hookEventName":"PreSkillShellCommand","permissionDecision":"deny","permissionDecisionReason":"why"}}"#);
    insta::assert_snapshot!(json("UserPromptSubmit", &reply), @r#"{"decision":"block","reason":"why"}"#);
}

#[test]
fn an_asked_call() {
    let reply = Reply { stop: Some(Stop::Ask("why".into())), ..Reply::default() };
    insta::assert_snapshot!(json("PreToolUse", &reply), @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"why"}}"#);
}

#[test]
fn context_and_message() {
    let reply = Reply {
        context: Some("for the agent".into()),
        message: Some("for the user".into()),
        ..Reply::default()
    };
    insta::assert_snapshot!(json("PostToolUse", &reply), @r#"{"systemMessage":"for the user","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"for the agent"}}"#);
    // Context would continue the turn there.
    insta::assert_snapshot!(json("Stop", &reply), @r#"{"systemMessage":"for the user"}"#);
}

#[test]
fn a_rewritten_input_is_complete() {
    let input =
        rewrite(r#"{"command":"pip install x","description":"d"}"#, &[("command", "uv add x".into())]);
    let reply = Reply { input, ..Reply::default() };
    insta::assert_snapshot!(json("PreToolUse", &reply), @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"uv add x","description":"d"}}}"#);
    assert_eq!(rewrite("[]", &[]), None);
    assert_eq!(json("PostToolUse", &reply), "{}");
}

#[test]
fn a_document_is_read_back() {
    let full = Reply {
        stop: Some(Stop::Ask("why".into())),
        context: Some("context".into()),
        message: Some("message".into()),
        input: Some(r#"{"command":"ls"}"#.into()),
        rest: None,
    };
    for reply in [full, Reply { stop: Some(Stop::Deny("no".into())), ..Reply::default() }, Reply::default()] {
        assert_eq!(parse(&json("PreToolUse", &reply)), Some(reply));
    }
    assert_eq!(parse(""), None);
    assert_eq!(parse("[]"), None);
}

#[test]
fn a_turn_that_goes_on() {
    let reply = Reply { stop: Some(Stop::Continue("two tests fail".into())), ..Reply::default() };
    insta::assert_snapshot!(json("Stop", &reply), @r#"{"decision":"block","reason":"two tests fail"}"#);
    insta::assert_snapshot!(json("SubagentStop", &reply), @r#"{"decision":"block","reason":"two tests fail"}"#);
}

#[test]
fn another_client_reads_the_same_answer() {
    let reply = Reply { stop: Some(Stop::Ask("why".into())), ..Reply::default() };
    insta::assert_snapshot!(write_for(Host::Foreign, "PreToolUse", &reply), @r#"{"permissionDecision":"deny","permissionDecisionReason":"why","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"why"}}"#);
}

#[track_caller]
fn check_budget(part: &str) {
    let reply = Reply {
        stop: Some(Stop::Deny(part.to_owned())),
        context: Some(part.into()),
        message: Some(part.into()),
        rest: Some("hostler explain a-1".into()),
        ..Reply::default()
    };
    for host in [Host::ClaudeCode, Host::Foreign] {
        let document = write_for(host, "PreToolUse", &reply);
        let length = document.encode_utf16().count();
        assert!(length < 10_000, "{length} for {:?}", part.chars().next());
        assert!(document.contains("(cut; the rest: hostler explain a-1)"), "{document}");
        assert!(serde_json::from_str::<serde_json::Value>(&document).is_ok());
    }
}

#[test]
fn a_reply_stays_below_the_clients_limit() {
    for unit in ["x", "\"", "\n", "\u{1}", "é", "😀", "line of text\n", "\\"] {
        check_budget(&unit.repeat(20_000));
    }
}

#[test]
fn a_cut_is_at_the_end_of_a_line() {
    let long = "one line of words\n".repeat(1_000);
    let cut = cut(&long, 100, None);
    assert!(cut.ends_with("one line of words\n… (cut)"), "{cut}");
    assert!(chars_in_json(&cut) <= 100);
}

proptest::proptest! {
    #[test]
    fn lengths_are_those_of_the_json(text in "\\PC*|[\\x00-\\x20\"\\\\a]*") {
        let json = serde_json::to_string(&text).unwrap_or_default();
        assert_eq!(chars_in_json(&text) + 2, json.encode_utf16().count());
    }
}
