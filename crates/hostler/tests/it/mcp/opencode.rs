//! The real `OpenCode` with the server in its configuration, without our plugin.

use serde_json::{Value, json};
use testkit::model::{Turn, call, say};
use testkit::opencode::OpenCode;
use testkit::{Register, Scenario};

#[test]
fn opencode_lists_the_tools_and_calls_them() {
    let name = "opencode_lists_the_tools_and_calls_them";
    let scenario = Scenario::new(name, env!("CARGO_BIN_EXE_hostler"), env!("CARGO_TARGET_TMPDIR"))
        .register(Register::Nothing)
        .file("a.py", "def f(:\n    pass\n");
    let Some(client) = OpenCode::open(scenario) else { return };
    client.world().hostler_ok(&["session", "init"]);
    client.world().hostler_ok(&["session", "begin", "--purpose", "Look at a.py"]);
    let command = json!([client.world().program(), "mcp", "--tools", "session,review"]);
    let client = client
        .config(json!({ "mcp": { "hostler": { "type": "local", "command": command, "enabled": true } } }));
    let run = client.play([
        Turn::new([call("hostler_session-status", &json!({}))]),
        Turn::new([call("hostler_code-review", &json!({ "files": ["a.py"], "whole": true }))]),
        Turn::new([call("hostler_session-log-work", &json!({ "desc": "Looked at a.py" }))]),
        Turn::new([call("hostler_session-log-work", &json!({ "text": "Looked again" }))]),
        Turn::new([say("done")]),
    ]);
    run.model_reads("Purpose: Look at a.py")
        .model_reads("a.py:1 syntax")
        .model_reads("work logged: Looked at a.py")
        .model_reads("there is no argument `text`");
    let record: Value = serde_json::from_str(&client.world().read("context.json")).unwrap();
    assert_eq!(record["session_history"][0]["work_log"][0]["desc"], "Looked at a.py");
}
