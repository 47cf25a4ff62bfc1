//! The real Claude Code with the server in its configuration.

use serde_json::{Value, json};
use testkit::model::{Turn, call, say};
use testkit::{Scenario, World};

fn scenario(name: &str) -> Option<World> {
    let broken = "def f(:\n    pass\n";
    let scenario = Scenario::new(name, env!("CARGO_BIN_EXE_hostler"), env!("CARGO_TARGET_TMPDIR"));
    let world = scenario.file("a.py", broken).open()?;
    world.hostler_ok(&["session", "init"]);
    Some(world)
}

/// The server, with a copy of what the client says to it.
fn configuration(world: &World, groups: &str) -> String {
    let script = "tee \"$0\" | \"$1\" mcp --tools \"$2\"";
    let arguments = json!(["-c", script, world.path("~/said.jsonl"), world.program(), groups]);
    let server = json!({ "command": "sh", "args": arguments });
    json!({ "mcpServers": { "hostler": server } }).to_string()
}

#[test]
fn claude_code_lists_the_tools_and_calls_them() {
    let Some(world) = scenario("claude_code_lists_the_tools_and_calls_them") else { return };
    let run = world
        .session()
        .arg("--mcp-config")
        .arg(configuration(&world, "session,review"))
        .arg("--strict-mcp-config")
        .play([
            Turn::new([call("mcp__hostler__session-status", &json!({}))]),
            Turn::new([call("mcp__hostler__code-review", &json!({ "files": ["a.py"], "whole": true }))]),
            Turn::new([call("mcp__hostler__session-log-work", &json!({ "desc": "Looked at a.py" }))]),
            Turn::new([say("done")]),
        ]);
    let results = run.tool_results();
    assert_eq!(results.len(), 3, "{results:#?}");
    assert!(results.iter().all(|it| !it.is_error), "{results:#?}");
    assert!(
        results[0].text.contains("\"active\":true") || results[0].text.contains("Session #1"),
        "{results:#?}"
    );
    assert!(results[1].text.contains("a.py") && results[1].text.contains("syntax"), "{results:#?}");
    assert!(results[2].text.contains("Looked at a.py"), "{results:#?}");
    // It asks for the stateless revision first, is answered, and stays with it.
    let said = world.read("~/said.jsonl");
    let methods: Vec<String> = said
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["method"].as_str().unwrap_or_default().to_owned()
        })
        .collect();
    assert_eq!(methods.first().map(String::as_str), Some("server/discover"), "{said}");
    assert!(!methods.iter().any(|it| it == "initialize"), "{said}");
    // What a model is told of the tools together.
    run.model_reads("hostler keeps the record of work sessions of this project");
    let record: Value = serde_json::from_str(&world.read("context.json")).unwrap();
    assert_eq!(record["session_history"][0]["work_log"][0]["desc"], "Looked at a.py");
}

#[test]
fn claude_code_reads_what_is_wrong_with_a_call() {
    let Some(world) = scenario("claude_code_reads_what_is_wrong_with_a_call") else { return };
    let run = world
        .session()
        .arg("--mcp-config")
        .arg(configuration(&world, "session,kg,conversation,review"))
        .arg("--strict-mcp-config")
        .play([
            Turn::new([call("mcp__hostler__code-review", &json!({ "files": ["gone.py"] }))]),
            Turn::new([say("done")]),
        ]);
    let results = run.tool_results();
    assert!(results[0].is_error && results[0].text.contains("`gone.py` is not looked at"), "{results:#?}");
}
