//! `context.md` follows `context.json`, whoever changed it, through the hook.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::Site;
use crate::hook::{Answer, SESSION, finish};

/// A record that no command of ours wrote.
const BY_HAND: &str = "{\"schema_version\": 1, \"state\": {\"session\": 7, \"test_state\": \"by-hand\", \"status\": \"closed\"}, \
                       \"deferred_work\": [], \"session_history\": []}\n";

fn event(site: &Site, name: &str, more: &Value) -> Answer {
    event_of(site, SESSION, name, more)
}

fn event_of(site: &Site, session: &str, name: &str, more: &Value) -> Answer {
    let mut event = json!({ "session_id": session, "cwd": site.root(), "hook_event_name": name });
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let mut command = site.command(&site.program, &site.root());
    let answer = finish(command.args(["hook", "claude"]).spawn().unwrap(), event.to_string().as_bytes());
    assert_eq!(answer.code, Some(0), "{answer:?}");
    answer
}

/// A tool call that is done.
fn after(site: &Site, tool: &str, input: &Value) -> Answer {
    let more = json!({
        "tool_name": tool, "tool_input": input, "tool_response": "ok", "tool_use_id": "toolu_1",
    });
    event(site, "PostToolUse", &more)
}

fn message(answer: &Answer) -> String {
    let document: Value = serde_json::from_str(&answer.stdout).unwrap_or(Value::Null);
    document["systemMessage"].as_str().unwrap_or_default().to_owned()
}

/// The record is changed behind our back, then this happens.
#[track_caller]
fn check(happens: impl Fn(&Site) -> Answer, renders: bool) {
    let site = Site::new();
    let before = site.read("context.md");
    site.write("context.json", BY_HAND);
    let answer = happens(&site);
    assert!(answer.stderr.is_empty(), "{answer:?}");
    assert_eq!(site.read("context.md") != before, renders, "{answer:?}");
    assert_eq!(site.read("context.md").contains("by-hand"), renders);
    if renders {
        // The same as a command of ours makes.
        assert_eq!(site.json(&["render", "--dry-run"])["text"], site.read("context.md"));
    }
}

// @traces REQ-020-177 REQ-020-178 REQ-020-179 REQ-020-180 REQ-020-183
#[test]
fn the_view_follows_a_record_that_a_tool_changed() {
    for path in ["context.json", "./context.json"] {
        check(
            |site| after(site, "Write", &json!({ "file_path": site.path(path), "content": BY_HAND })),
            true,
        );
    }
    let edit =
        |site: &Site| json!({ "file_path": site.path("context.json"), "old_string": "a", "new_string": "b" });
    check(|site| after(site, "Edit", &edit(site)), true);
    check(|site| after(site, "Bash", &json!({ "command": "sed -i s/a/b/ context.json" })), true);
    check(|site| event(site, "UserPromptSubmit", &json!({ "prompt": "hello" })), true);
    // Everything else passes through in silence.
    for (tool, input) in [
        ("Write", json!({ "file_path": "src/a.py", "content": "x = 1\n" })),
        ("Edit", json!({ "file_path": "README.md", "old_string": "a", "new_string": "b" })),
        ("Bash", json!({ "command": "ls" })),
    ] {
        let answer = after(&Site::new(), tool, &input);
        assert!(matches!(answer.stdout.trim(), "" | "{}"), "{answer:?}");
        check(|site| after(site, tool, &input), false);
    }
}

#[test]
fn a_start_makes_the_view_anew() {
    check(|site| event(site, "SessionStart", &json!({ "source": "startup" })), true);
}

#[test]
fn reading_the_record_changes_nothing() {
    let site = Site::new();
    let before = fs::metadata(site.path("context.md")).unwrap().modified().unwrap();
    let answer = after(&site, "Bash", &json!({ "command": "cat context.json" }));
    assert!(matches!(answer.stdout.trim(), "" | "{}"), "{answer:?}");
    assert_eq!(fs::metadata(site.path("context.md")).unwrap().modified().unwrap(), before);
}

/// Told on stderr each time and to the user once a session, and the call goes ahead.
// @traces REQ-020-182
#[test]
fn a_view_that_cannot_be_made_is_told_and_blocks_nothing() {
    let input = json!({ "file_path": "context.json", "content": BY_HAND });
    let site = Site::new();
    site.write(".hostler/context.md.j2", "one\n{% if %}\n");
    site.write("context.json", BY_HAND);
    let first = after(&site, "Write", &input);
    assert!(first.stderr.contains("context.md.j2:2"), "{first:?}");
    assert!(message(&first).contains("context.md.j2:2"), "{first:?}");
    assert!(!first.stdout.contains("decision"), "{first:?}");
    // The usual form meanwhile.
    assert!(site.read("context.md").contains("by-hand"));
    site.write("context.json", &BY_HAND.replace("by-hand", "again"));
    let second = after(&site, "Write", &input);
    assert!(second.stderr.contains("context.md.j2:2") && message(&second).is_empty(), "{second:?}");
    let other = "11111111-64de-464e-9d97-09bfa437d8e9";
    site.write("context.json", BY_HAND);
    let prompt = event_of(&site, other, "UserPromptSubmit", &json!({ "prompt": "hello" }));
    assert!(message(&prompt).contains("context.md.j2:2"), "{prompt:?}");
    // A command of ours does its work all the same.
    let answer = site.run(&["add-work", "--text", "x"]);
    assert!(answer.code == Some(0) && answer.stderr.contains("context.md.j2:2"), "{answer:?}");

    let site = Site::new();
    site.write("context.md", "my own notes\n");
    site.write("context.json", BY_HAND);
    let answer = after(&site, "Write", &input);
    assert!(message(&answer).contains("was not made by hostler"), "{answer:?}");
    assert_eq!(site.read("context.md"), "my own notes\n");
    let forced = site.json(&["render", "--force"]);
    assert_eq!(forced["changed"], true);
    assert!(site.read("context.md").contains("by-hand"));
}

#[test]
fn a_view_that_is_read_only_is_told() {
    let site = Site::of_nobody();
    site.write("context.json", BY_HAND);
    let lock = |mode| fs::set_permissions(site.root(), fs::Permissions::from_mode(mode)).unwrap();
    lock(0o500);
    let answer = event(&site, "UserPromptSubmit", &json!({ "prompt": "hello" }));
    lock(0o700);
    assert!(answer.stderr.contains("context.md") && message(&answer).contains("context.md"), "{answer:?}");
}
