//! Reads and repeated calls through the real program: what the agent is told, and what counts.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;

use hostler_ledger::state;
use hostler_model::SessionId;
use serde_json::{Value, json};

use crate::hook::{SESSION, World, document, finish};

/// Wide enough that no machine is so slow that reads leave it.
const WIDE: &str = "[reads]\nwindow_s = 3600\n";

fn strict() -> World {
    World::new().set("HOSTLER_PROFILE", "strict").configured(WIDE)
}

fn read(world: &World, path: &str, id: &str) -> Value {
    // Another part of the file each time: the very same read again is another rule's business.
    let offset: u32 = id.bytes().map(u32::from).sum();
    world.hook(world.payload("Read", &json!({ "file_path": world.path(path), "offset": offset }), id))
}

fn now_ms() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(now.as_millis()).unwrap()
}

fn decision(reply: &Value) -> &str {
    reply["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or("none")
}

fn reason(reply: &Value) -> &str {
    reply["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default()
}

fn counter(world: &World, name: &str) -> u64 {
    let session = SessionId::parse(SESSION).unwrap();
    state::load(&world.state(), &session).unwrap().counter(name)
}

// @traces REQ-020-184 REQ-020-186 REQ-020-192 REQ-020-193 REQ-020-194 REQ-020-195 020-ERR-021
#[test]
fn the_fourth_read_in_a_window_is_denied_with_what_to_search_with() {
    let world = strict();
    let grep = world.payload("Grep", &json!({ "pattern": "fn main", "path": "src" }), "t2");
    let glob = world.payload("Glob", &json!({ "pattern": "**/*.rs" }), "t3");
    assert_eq!(read(&world, "README.md", "t1"), json!({}));
    assert_eq!(world.hook(grep), json!({}));
    assert_eq!(world.hook(glob), json!({}));
    let reply = read(&world, "README.md", "t4");
    assert_eq!(decision(&reply), "deny", "{reply}");
    let words = reason(&reply);
    for part in
        ["[read-throttle] ", "README.md", "`/code classes PATTERN`", "MATCH (f:File)", "RETURN f.path"]
    {
        assert!(words.contains(part), "{part} in {words}");
    }
    // Other tools go through, and so do files that never count.
    assert_eq!(world.hook(world.payload("Bash", &json!({ "command": "ls" }), "t5")), json!({}));
    for (at, path) in ["CLAUDE.md", ".env", "context.json", ".claude/settings.json"].iter().enumerate() {
        assert_eq!(read(&world, path, &format!("e{at}")), json!({}), "{path}");
    }
    assert_eq!(counter(&world, "stopped"), 1);
}

#[test]
fn a_read_that_is_denied_does_not_count() {
    let world = World::new().set("HOSTLER_PROFILE", "strict").configured(
        "[reads]\nwindow_s = 3600\nper_window = 100\nper_session = 3\n[rules]\nread-throttle = \"off\"\n",
    );
    for id in ["t1", "t2", "t3"] {
        assert_eq!(read(&world, "README.md", id), json!({}));
    }
    for id in ["t4", "t5", "t6"] {
        let reply = read(&world, "README.md", id);
        assert_eq!(decision(&reply), "deny");
        assert!(reason(&reply).contains("would be read 4 of this agent"), "{reply}");
    }
    // A hook that is registered twice asks twice about one call.
    let reply = read(&world, "README.md", "t6");
    assert!(reason(&reply).contains("would be read 4 of this agent"), "{reply}");
}

#[test]
fn in_standard_a_burst_is_told_once() {
    let world = World::new().configured(WIDE);
    let replies: Vec<Value> = (0..8).map(|at| read(&world, "README.md", &format!("t{at}"))).collect();
    let told: Vec<usize> = (0..8).filter(|at| replies[*at].get("systemMessage").is_some()).collect();
    assert_eq!(told, [3], "{replies:#?}");
    let words = replies[3]["systemMessage"].as_str().unwrap();
    assert!(words.starts_with("hostler: [read-throttle] ") && words.contains("git grep"), "{words}");
    let context = replies[3]["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("[read-throttle]"), "{context}");
    assert!(replies.iter().all(|reply| decision(reply) == "none"));
}

#[test]
fn a_subagent_has_a_window_of_its_own() {
    let world = strict();
    for id in ["t1", "t2", "t3"] {
        read(&world, "README.md", id);
    }
    let mut payload: Value =
        serde_json::from_str(&world.payload("Read", &json!({ "file_path": world.path("README.md") }), "t4"))
            .unwrap();
    payload["agent_id"] = "a1b2".into();
    payload["agent_type"] = "Explore".into();
    assert_eq!(world.hook(payload.to_string()), json!({}));
    assert_eq!(decision(&read(&world, "README.md", "t5")), "deny");
}

#[test]
fn parallel_reads_never_get_the_same_place() {
    let world = strict();
    let children: Vec<_> = (0..8)
        .map(|at| {
            let input = json!({ "file_path": world.path("README.md"), "offset": at });
            (world.start(&["hook", "claude"]), world.payload("Read", &input, &format!("p{at}")))
        })
        .collect();
    let threads: Vec<_> = children
        .into_iter()
        .map(|(child, payload)| std::thread::spawn(move || document(&finish(child, payload.as_bytes()))))
        .collect();
    let replies: Vec<Value> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    let allowed = replies.iter().filter(|reply| decision(reply) == "none").count();
    assert!((1..=3).contains(&allowed), "{replies:#?}");
    // Those that were denied were taken back: the window has exactly three places.
    let later = (0..4).filter(|at| decision(&read(&world, "README.md", &format!("q{at}"))) == "none").count();
    assert_eq!(allowed + later, 3);
}

// @traces REQ-020-185 REQ-020-197
#[test]
fn a_count_that_cannot_be_kept_is_told_on_stderr_and_decides_nothing() {
    let world = strict();
    let before_ms = now_ms();
    read(&world, "README.md", "t0");
    let file = world.state().join(format!("sessions/{SESSION}.state.json"));
    let state: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let last = state["reads"].as_object().unwrap().values().next().unwrap()["last"].as_array().unwrap();
    let times: Vec<i64> = last.iter().map(|it| it["ms"].as_i64().unwrap()).collect();
    assert!(times.len() == 1 && (before_ms..=now_ms()).contains(&times[0]), "{state}");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    for id in ["t1", "t2", "t3", "t4", "t5"] {
        let payload = world.payload("Read", &json!({ "file_path": world.path("README.md") }), id);
        let answer = finish(world.start(&["hook", "claude"]), payload.as_bytes());
        let reply: Value = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!((answer.code, decision(&reply)), (Some(0), "none"), "{answer:?}");
        assert!(answer.stderr.starts_with("hostler: this read was not counted: "), "{answer:?}");
    }
}

// @traces REQ-020-196
#[test]
fn what_is_no_json_is_answered_and_counts_nothing() {
    let world = strict();
    for payload in ["", "{", "not json", "[1,2"] {
        let answer = finish(world.start(&["hook", "claude"]), payload.as_bytes());
        let reply: Value = serde_json::from_str(&answer.stdout).unwrap();
        // Empty for what the client acts on; the user is told.
        let members: Vec<&str> = reply.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!((answer.code, members), (Some(0), vec!["systemMessage"]), "{answer:?}");
        let words = reply["systemMessage"].as_str().unwrap();
        assert!(words.starts_with("hostler: the payload is"), "{words}");
    }
    for id in ["t1", "t2", "t3"] {
        assert_eq!(read(&world, "README.md", id), json!({}));
    }
}

/// What is not configured: in strict the read after the fiftieth is stopped, in standard it is told.
// @traces 021-FR-013 021-CONST-I-005
#[test]
fn a_session_has_fifty_reads() {
    for (profile, stopped) in [("strict", true), ("standard", false)] {
        let world = World::new()
            .set("HOSTLER_PROFILE", profile)
            .configured("[reads]\nper_window = 1000\nwindow_s = 3600\n");
        for at in 0..50 {
            assert_eq!(read(&world, "README.md", &format!("t{at}")), json!({}), "{profile}: read {}", at + 1);
        }
        let reply = read(&world, "README.md", "last");
        assert_eq!(decision(&reply) == "deny", stopped, "{profile}: {reply}");
        assert!(reply.to_string().contains("[read-budget] "), "{profile}: {reply}");
    }
}

#[test]
fn limits_are_configured_and_what_is_wrong_with_them_is_told() {
    let world = World::new().set("HOSTLER_PROFILE", "strict").configured(
        "[reads]\nwindow_s = 3600\nper_window = 1\nexempt = [\"notes.md\"]\ninstead = [\"just find NAME\"]\n",
    );
    assert_eq!(read(&world, "README.md", "t1"), json!({}));
    assert_eq!(read(&world, "docs/notes.md", "t2"), json!({}));
    let reply = read(&world, "README.md", "t3");
    assert!(reason(&reply).contains("use `just find NAME`; or "), "{reply}");
    for (text, key) in [
        ("[reads]\nwindow_s = 0\n", "reads.window_s"),
        ("[reads]\nper_window = \"3\"\n", "reads.per_window"),
        ("[reads]\nper_session = -1\n", "reads.per_session"),
        ("[reads]\nexempt = \"x\"\n", "reads.exempt"),
        ("[loop]\nrepeats = 1\n", "loop.repeats"),
        ("reads = 3\n", "reads"),
    ] {
        let world = World::new().configured(text);
        let reply = world.hook(world.payload("Bash", &json!({ "command": "ls" }), "t1"));
        let message = reply["systemMessage"].as_str().unwrap();
        assert!(message.contains(&format!("`{key}` must be")), "{text}: {message}");
    }
}

fn bash(world: &World, command: &str, id: &str, output: &str) -> Value {
    let input = json!({ "command": command });
    let reply = world.hook(world.payload("Bash", &input, id));
    let mut after: Value = serde_json::from_str(&world.payload("Bash", &input, id)).unwrap();
    after["hook_event_name"] = "PostToolUse".into();
    after["tool_response"] = json!({ "stdout": output, "stderr": "", "interrupted": false });
    world.hook(after.to_string());
    reply
}

fn is_loop(reply: &Value) -> bool {
    reply["systemMessage"].as_str().is_some_and(|words| words.contains("[loop-guard]"))
}

#[test]
fn the_third_same_call_with_the_same_result_is_told() {
    let world = World::new();
    let told: Vec<bool> =
        (0..7).map(|at| is_loop(&bash(&world, "make check", &format!("t{at}"), "failed\n"))).collect();
    assert_eq!(told, [false, false, true, false, false, true, false]);
}

#[test]
fn calls_without_a_result_are_no_row() {
    let world = World::new();
    world.write(".hostler/config.toml", "[rules]\nloop-guard = \"deny\"\n");
    for at in 0..5 {
        let reply = world.hook(world.payload("Bash", &json!({ "command": "ls" }), &format!("p{at}")));
        assert_eq!(reply, json!({}), "call {at} of several at once");
    }
}

#[test]
fn another_call_another_result_or_a_word_of_the_user_ends_the_row() {
    let world = World::new();
    let again = |id: &str, output: &str| is_loop(&bash(&world, "make check", id, output));
    let row = |ids: &[&str]| ids.iter().map(|id| again(id, "failed\n")).collect::<Vec<_>>();
    assert_eq!(row(&["a1", "a2", "a3"]), [false, false, true]);
    assert!(!is_loop(&bash(&world, "ls", "b1", "")));
    assert_eq!(row(&["c1", "c2", "c3"]), [false, false, true]);
    // Another result begins a row of its own.
    assert!(!again("d1", "1 failed\n") && !again("d2", "2 failed\n") && !again("d3", "2 failed\n"));
    assert!(again("d4", "2 failed\n"), "the third after a result that stayed the same twice");
    world.hook(world.event("UserPromptSubmit", &json!({ "prompt": "once more" })));
    assert!(!again("e1", "2 failed\n") && !again("e2", "2 failed\n"));
    // The second process of a hook that is registered twice is no further call.
    let payload = world.payload("Bash", &json!({ "command": "make check" }), "e2");
    assert_eq!(world.hook(payload), json!({}));
    // Elsewhere the same words are another call, and the row begins anew.
    let elsewhere = world.payload("Bash", &json!({ "command": "make check" }), "w1");
    fs::create_dir_all(world.path("src")).unwrap();
    let mut elsewhere: Value = serde_json::from_str(&elsewhere).unwrap();
    elsewhere["cwd"] = json!(world.path("src"));
    assert_eq!(world.hook(elsewhere.to_string()), json!({}));
    assert_eq!(row(&["f1", "f2"]), [false, false]);
    // What a subagent does in between is another row.
    let mut payload: Value =
        serde_json::from_str(&world.payload("Bash", &json!({ "command": "make check" }), "s1")).unwrap();
    payload["agent_id"] = "a1b2".into();
    assert_eq!(world.hook(payload.to_string()), json!({}));
    assert!(again("f3", "failed\n"));
}
