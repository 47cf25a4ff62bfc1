//! What the source documents ask of the audit at the end of a turn and no other test shows.

use std::process::Command;

use serde_json::{Value, json};

use crate::hook::{World, document, finish};

const CONFIGURATION: &str = "[rules]\nresult-overlap = \"warn\"\nclaim-not-done = \"warn\"\n";
/// One thing of each severity that does not hold, after [`calls`].
const MESSAGE: &str = "I created the file `cart.py`. I read `settings.py`. All tests pass. That is all there is to tell about it.";
const SEVERITIES: [(&str, &str); 4] =
    [("✖ CRITICAL", "critical"), ("▲ HIGH", "high"), ("● MEDIUM", "medium"), ("· LOW", "low")];

fn world() -> World {
    let world = World::new().configured(CONFIGURATION);
    world.hook(world.event("SessionStart", &json!({ "source": "startup" })));
    world.hook(world.event("UserPromptSubmit", &json!({ "prompt": "add the cart and run the tests" })));
    world
}

fn with(fields: &Value, mut more: Value) -> Value {
    for (name, value) in fields.as_object().into_iter().flatten() {
        more[name] = value.clone();
    }
    more
}

/// Runs a part of the tests, and shows a long text of which the message says nothing.
fn calls(world: &World, agent: &Value) {
    let text = "wonderful elephants wander slowly through enormous savannahs, ".repeat(12);
    for (number, command, stdout) in
        [(1, "pytest -q tests/test_cart.py", "3 passed in 0.02s"), (2, "cat words.txt", text.as_str())]
    {
        let input = json!({ "command": command });
        let call =
            json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": format!("toolu_{number}") });
        let call = with(agent, call);
        world.hook(world.event("PreToolUse", &call));
        let response = json!({ "stdout": stdout, "stderr": "", "interrupted": false, "isImage": false });
        world.hook(world.event("PostToolUse", &with(&call, json!({ "tool_response": response }))));
    }
}

/// The reply to the end of a turn.
fn end(world: &World, event: &str, message: &str, agent: &Value) -> Value {
    let fields = with(agent, json!({ "last_assistant_message": message, "stop_hook_active": false }));
    let payload = world.event(event, &fields);
    let mut answer = finish(world.start(&["hook", "claude"]), payload.as_bytes());
    // What was found is told there as well.
    answer.stderr.clear();
    document(&answer)
}

/// Findings as the log has them, without their names.
fn findings(world: &World, folder: &str) -> Vec<Value> {
    let log = std::fs::read_to_string(world.state().join(folder).join("deception_log.jsonl")).unwrap();
    let entry: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    let mut findings = entry["findings"].as_array().unwrap().clone();
    for finding in &mut findings {
        finding.as_object_mut().unwrap().remove("id");
    }
    findings
}

/// The client shows no colours in what hooks say, so a mark of its own stands there for each severity; in a terminal
/// the report has colours.
// @traces REQ-020-096
#[test]
fn each_severity_has_its_mark_in_the_client_and_its_colour_in_a_terminal() {
    let world = world();
    calls(&world, &json!({}));
    let reply = end(&world, "Stop", MESSAGE, &json!({}));
    let told = reply["systemMessage"].as_str().unwrap();
    let places: Vec<usize> = SEVERITIES
        .iter()
        .map(|(mark, _)| told.find(mark).unwrap_or_else(|| panic!("no {mark} in {told}")))
        .collect();
    assert!(places.is_sorted(), "the gravest first: {told}");
    assert!(!told.contains('\u{1b}'), "{told}");

    let version = Command::new("script").arg("--version").output();
    if !version.is_ok_and(|it| String::from_utf8_lossy(&it.stdout).contains("util-linux")) {
        testkit::client::skip("colours in a terminal", "util-linux `script` is missing");
        return;
    }
    let line = format!("'{}' report", env!("CARGO_BIN_EXE_hostler"));
    let output = Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .current_dir(world.project())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", world.home())
        .env("TERM", "xterm")
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let colours: Vec<&str> = SEVERITIES
        .iter()
        .map(|(mark, name)| {
            let mark = mark.chars().next().unwrap();
            let line = shown.lines().find(|line| line.contains(&format!("{mark} {name:8}")));
            let line = line.unwrap_or_else(|| panic!("no {name} in {shown}"));
            line.split(mark).next().unwrap()
        })
        .collect();
    let different: std::collections::BTreeSet<&str> = colours.iter().copied().collect();
    assert_eq!(different.len(), SEVERITIES.len(), "{colours:?}");
    assert!(colours[..3].iter().all(|colour| colour.starts_with('\u{1b}')), "{colours:?}");
}

/// One message against the calls of its session: what was not made, not read, and went wrong unsaid.
// @traces 021-FR-007
#[test]
fn a_turn_is_held_against_its_calls_in_every_way() {
    let world = world();
    let call = json!({ "tool_name": "Bash", "tool_input": { "command": "npm install left-pad" }, "tool_use_id": "toolu_1" });
    world.hook(world.event("PreToolUse", &call));
    let error = "Exit code 1\nnpm error code E404\nnpm error 404 Not Found: left-pad";
    world.hook(world.event("PostToolUseFailure", &with(&call, json!({ "error": error }))));
    let message =
        "I created the file `cart.py`. I read `settings.py`. All done, everything works as intended.";
    end(&world, "Stop", message, &json!({}));
    let found: Vec<String> = findings(&world, "findings")
        .iter()
        .map(|it| format!("{} {}", it["severity"].as_str().unwrap(), it["type"].as_str().unwrap()))
        .collect();
    let expected = ["CRITICAL ACTION_DECEPTION", "CRITICAL ERROR_CONCEALMENT", "HIGH FILE_READING_DECEPTION"];
    assert_eq!(found, expected);
}

/// There is one audit: what ends a subagent's turn has no rules of its own.
// @traces REQ-020-125
#[test]
fn a_subagent_is_judged_as_the_agent_is() {
    let agent = json!({ "agent_id": "a1b2", "agent_type": "general-purpose" });
    let found = [("Stop", json!({}), "findings"), ("SubagentStop", agent, "subagent_findings")].map(
        |(event, agent, folder)| {
            let world = world();
            calls(&world, &agent);
            end(&world, event, MESSAGE, &agent);
            findings(&world, folder)
        },
    );
    assert_eq!(found[0].len(), SEVERITIES.len(), "{:?}", found[0]);
    assert_eq!(found[0], found[1]);
}
