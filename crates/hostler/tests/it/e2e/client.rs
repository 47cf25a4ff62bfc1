//! What we rely on in the client itself, seen by a hook that only records.

use std::collections::BTreeSet;

use serde_json::Value;
use testkit::model::{Turn, bash, delegate, edit, read, say, write};
use testkit::{Register, World};

use super::scenario;

/// A project whose hook appends every payload to a file and says nothing.
fn recorded(name: &str) -> Option<World> {
    scenario(name)
        .file("notes.txt", "one\ntwo\n")
        .register(Register::Settings(
            "/bin/sh".into(),
            vec!["-c".into(), "{ cat; echo; } >>\"$HOME/payloads.jsonl\"".into()],
        ))
        .open()
}

fn payloads(world: &World) -> Vec<Value> {
    let text = world.read("~/payloads.jsonl");
    text.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_client_sends_the_events_and_fields_that_we_read() {
    let Some(world) = recorded("the_client_sends_the_events_and_fields_that_we_read") else { return };
    let notes = world.path("notes.txt");
    let run = world.play([
        Turn::new([read(&notes), bash("echo 'a b'; exit 3")]),
        Turn::new([edit(&notes, "one", "1"), write(world.path("new.txt"), "new\n")]),
        Turn::new([say("all done")]),
    ]);
    run.ran(&["one", "", ""]);
    world.has_files(&[("notes.txt", "1\ntwo\n"), ("new.txt", "new\n")]);

    let payloads = payloads(&world);
    let names: BTreeSet<_> = payloads.iter().filter_map(|it| it["hook_event_name"].as_str()).collect();
    let expected = [
        "PostToolUse",
        "PostToolUseFailure",
        "PreToolUse",
        "SessionEnd",
        "SessionStart",
        "Stop",
        "UserPromptSubmit",
    ];
    assert_eq!(names, BTreeSet::from(expected));
    for payload in &payloads {
        assert_eq!(payload["session_id"], run.session_id());
        assert_eq!(payload["cwd"].as_str(), world.project().to_str());
    }
    let failure = payloads.iter().find(|it| it["hook_event_name"] == "PostToolUseFailure").unwrap();
    assert_eq!(failure["tool_input"]["command"], "echo 'a b'; exit 3");
    assert!(failure["error"].as_str().unwrap().starts_with("Exit code 3"), "{failure}");
    let calls: BTreeSet<_> = payloads.iter().filter_map(|it| it["tool_use_id"].as_str()).collect();
    assert_eq!(calls.len(), 4);
}

#[test]
fn a_subagents_calls_carry_its_id() {
    let Some(world) = recorded("a_subagents_calls_carry_its_id") else { return };
    world
        .play([
            Turn::new([delegate("count the NEEDLES")]),
            Turn::new([bash("echo from the subagent")]),
            Turn::new([say("counted")]),
            Turn::new([say("done")]),
        ])
        .model_reads("counted");
    let inside: Vec<_> = payloads(&world).into_iter().filter(|it| it["agent_id"].is_string()).collect();
    assert!(inside.iter().any(|it| it["tool_input"]["command"] == "echo from the subagent"), "{inside:#?}");
}
