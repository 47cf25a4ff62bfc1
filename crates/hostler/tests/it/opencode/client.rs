//! What we rely on in the client itself, seen by a bridge that says what it is told to.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use testkit::model::{Turn, call, say};
use testkit::opencode::{PATCH_MODEL, WINDOW_TOKENS, bash, delegate, write};
use testkit::{OpenCode, Run};

use super::plugin::{node, sources};
use super::{MCP_SERVER, bare};

const EVENTS: &[&str] = &["session.created", "session.idle", "session.compacted", "file.edited"];

/// A project whose plugin talks to the double of the bridge, with one tool of ours and one server of MCP.
fn open(name: &str) -> Option<OpenCode> {
    let node = node(name)?;
    let client = OpenCode::open(bare(name).file("notes.txt", "one\n").file("~/server.sh", MCP_SERVER))?;
    let double = client.world().path("~/double");
    let script = sources().join("bridge.mjs");
    client
        .world()
        .write("~/double", format!("#!/bin/sh\nexec '{}' '{}' \"$@\"\n", node.display(), script.display()));
    fs::set_permissions(&double, fs::Permissions::from_mode(0o755)).unwrap();
    let plugin = hostler_host::opencode::plugin::v1(double.to_str().unwrap(), "0.0.0");
    client.world().write(".opencode/plugins/hostler.ts", plugin);
    client.seed(".opencode");
    let text = json!({ "type": "string", "description": "what" });
    let tool = json!({
        "name": "session-add-work", "description": "adds work",
        "args": { "text": text, "priority": text }, "required": ["text"],
    });
    let hello = json!({ "deadline_ms": 5_000, "events": EVENTS, "tools": [tool] });
    let answers = json!({
        "experimental.chat.system.transform": { "append": "CONTEXT-OF-OURS" },
        "experimental.session.compacting": { "context": ["KEEP-THIS"] },
        "tool": { "text": "WORK-ADDED" },
        "shell.env": { "env": { "FROM_US": "1" } },
        "hello": {},
    });
    let server = client.world().path("~/server.sh");
    let log = client.world().path("~/lines.jsonl");
    Some(
        client
            .config(json!({ "mcp": { "files": {
                "type": "local", "command": ["/bin/sh", server], "enabled": true,
                "environment": { "TOKEN": "a-secret" },
            } } }))
            .env("DOUBLE_LOG", log)
            .env("DOUBLE_HELLO", hello.to_string())
            .env("DOUBLE_ANSWERS", answers.to_string()),
    )
}

fn orders(what: &Value) -> String {
    format!("@do{what}od@")
}

fn lines(client: &OpenCode, hook: &str) -> Vec<Value> {
    let text = client.world().read("~/lines.jsonl");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["hook"] == hook).collect()
}

/// The system messages of the requests that belong to the conversation.
fn systems(run: &Run<'_>) -> Vec<String> {
    let spoken = run.requests.iter().filter(|it| it.scripted);
    let messages = spoken.filter_map(|it| it.body["messages"].as_array());
    messages
        .map(|all| {
            let system =
                all.iter().filter(|it| it["role"] == "system").filter_map(|it| it["content"].as_str());
            system.collect::<Vec<_>>().join("\n---\n")
        })
        .collect()
}

// @traces 021-FR-001
#[test]
fn a_served_client_does_what_the_plugin_relies_on() {
    let Some(client) = open("a_served_client_does_what_the_plugin_relies_on") else { return };
    let serve = client.serve();
    let chat = serve.chat();

    // Denials, changed arguments, notes on results; of tools of ours and of a server's, too.
    let denied = orders(&json!({ "say": { "deny": "NOT-HERE" } }));
    let changed = orders(&json!({ "say": { "args": { "command": "echo CHANGED $FROM_US" } } }));
    let noted = orders(&json!({ "say": { "append": "NOTE-OF-OURS" } }));
    let file = |content: &str| call("files_write_file", &json!({ "path": "x", "content": content }));
    let added = json!({ "text": "tell users why" });
    let run = chat.say(
        "go",
        [
            Turn::new([bash(&format!("touch denied {denied}")), bash(&format!("touch original {changed}"))]),
            Turn::new([
                file(&denied),
                file(&noted),
                call("session-add-work", &added),
                write("new.txt", "new\n"),
            ]),
            Turn::new([say("done")]),
        ],
    );
    let results: Vec<String> = run.tool_results().into_iter().map(|it| it.text).collect();
    assert_eq!(results[0], "NOT-HERE");
    assert!(results[1].starts_with("CHANGED 1\n"), "{results:?}");
    assert!(results[1].contains("[hostler changed this call before it ran: `command` = "), "{results:?}");
    assert_eq!(results[2], "NOT-HERE");
    assert!(results[3].starts_with("MCP-TOOL-RAN") && results[3].contains("NOTE-OF-OURS"), "{results:?}");
    assert_eq!(results[4], "WORK-ADDED");
    client.world().lacks("denied").lacks("original");

    // Context stands in the one system message of each request, once, and not in that for the title.
    let all = systems(&run);
    assert_eq!(all.len(), 3, "{all:?}");
    for system in &all {
        assert_eq!(system.matches("CONTEXT-OF-OURS").count(), 1, "{system}");
        assert!(!system.contains("\n---\n"), "{system}");
    }
    let others: Vec<_> =
        run.requests.iter().filter(|it| !it.scripted).map(|it| it.body.to_string()).collect();
    assert!(!others.is_empty() && others.iter().all(|it| !it.contains("CONTEXT-OF-OURS")), "{others:?}");

    // A tool of ours has optional arguments.
    let tools = run.requests.iter().rfind(|it| it.scripted).unwrap().body["tools"].clone();
    let ours = tools.as_array().unwrap().iter().find(|it| it["function"]["name"] == "session-add-work");
    let schema = &ours.unwrap()["function"]["parameters"];
    assert_eq!(schema["required"], json!(["text"]), "{schema}");
    assert!(schema["properties"]["priority"].is_object(), "{schema}");

    // Lines tell whose they are.
    let before = lines(&client, "tool.execute.before");
    assert!(before.iter().all(|it| it["session"] == chat.id() && it["agent"] == "build"), "{before:#?}");
    let servers = lines(&client, "config");
    assert_eq!(servers[0]["input"]["mcp"]["files"]["type"], "local");
    assert!(!client.world().read("~/lines.jsonl").contains("a-secret"));
    // A denied call did not fail.
    assert_eq!(lines(&client, "tool.failed"), Vec::<Value>::new());

    // A subagent's lines name the session that started it.
    let run = chat.say(
        "delegate",
        [
            Turn::new([delegate("look around")]),
            Turn::new([bash(&format!("echo inside {denied}"))]),
            Turn::new([say("looked")]),
            Turn::new([say("done")]),
        ],
    );
    run.model_reads("NOT-HERE").model_reads("looked");
    let inside = lines(&client, "tool.execute.before");
    let inside = inside.iter().find(|it| it["output"]["args"].to_string().contains("echo inside")).unwrap();
    assert_eq!((&inside["parent"], &inside["agent"]), (&json!(chat.id()), &json!("general")), "{inside}");

    // What a person runs is told as such, and has our variables.
    chat.request("POST", "/shell", Some(&json!({ "agent": "build", "command": "echo BY-HAND $FROM_US" })));
    let told = || lines(&client, "shell.user");
    let run = chat.until("the command of the user is told", |_| !told().is_empty());
    assert_eq!(told()[0]["input"]["args"]["command"], "echo BY-HAND $FROM_US");
    assert_eq!(told()[0]["output"]["output"], "BY-HAND 1\n");
    assert!(run.events.iter().any(|it| it["part"]["state"]["output"] == "BY-HAND 1\n"), "{:?}", run.events);

    // The end of a turn is told once, and goes on with what the bridge says.
    let claim = orders(&json!({ "say": { "prompt": "THAT-DOES-NOT-HOLD" } }));
    let run = chat.say("claim", [Turn::new([say(&claim)])]);
    chat.begin([Turn::new([say("CORRECTED")])]);
    drop(run);
    let run =
        chat.until("the turn goes on", |run| run.events.iter().any(|it| it["part"]["text"] == "CORRECTED"));
    run.model_reads("THAT-DOES-NOT-HOLD");
    let idle = || lines(&client, "event").into_iter().filter(|it| it["event"]["type"] == "session.idle");
    chat.until("the turn ends", |_| idle().any(|it| it["last"]["text"] == "CORRECTED"));
    let own = idle().filter(|it| it["last"]["text"] == claim.as_str()).count();
    assert_eq!(own, 1, "{:#?}", idle().collect::<Vec<_>>());
    assert!(
        lines(&client, "chat.message").iter().all(|it| !it.to_string().contains("\"THAT-DOES-NOT-HOLD\""))
    );

    // Patches are calls like any other.
    let patching = serve.chat().model(PATCH_MODEL);
    let patch = format!("*** Begin Patch\n*** Update File: notes.txt\n@@\n-one\n+{denied}\n*** End Patch");
    let run = patching.say(
        "patch",
        [Turn::new([call("apply_patch", &json!({ "patchText": patch }))]), Turn::new([say("done")])],
    );
    assert_eq!(run.tool_results()[0].text, "NOT-HERE");
    assert_eq!(client.world().read("notes.txt"), "one\n");

    // Files of a prompt pass by no hook but this.
    let url = format!("file://{}", client.world().path("notes.txt").display());
    let file = json!({ "type": "file", "mime": "text/plain", "filename": "notes.txt", "url": url });
    let text = format!("look at @notes.txt {}", orders(&json!({ "say": { "parts": ["ADDED-PART"] } })));
    let run = serve.chat().send(&json!([{ "type": "text", "text": text }, file]), [Turn::new([say("done")])]);
    run.model_reads("ADDED-PART").model_reads("1: one");

    // A summary keeps what it is told to; the client then goes on by itself.
    let long = serve.chat();
    let full = Turn::new([say("a long turn")]).input_tokens(WINDOW_TOKENS - 1_000);
    let run = long.say("long", [full, Turn::new([say("went on")])]);
    let summaries =
        run.requests.iter().filter(|it| !it.scripted && it.body.to_string().contains("KEEP-THIS"));
    assert_eq!(summaries.count(), 1);
    // Each turn of a life reaches the bridge; an updated message does as the message that it is.
    let events = lines(&client, "event");
    for event in EVENTS {
        assert!(events.iter().any(|it| it["event"]["type"] == *event), "{event}");
    }
    for hook in [
        "chat.message",
        "tool.execute.before",
        "tool.execute.after",
        "experimental.chat.system.transform",
        "experimental.session.compacting",
    ] {
        assert!(!lines(&client, hook).is_empty(), "{hook}");
    }
}

#[test]
fn a_run_waits_for_what_the_plugin_has_queued() {
    let Some(client) = open("a_run_waits_for_what_the_plugin_has_queued") else { return };
    let claim = orders(&json!({ "wait_ms": 1_500, "say": { "prompt": "THAT-DOES-NOT-HOLD" } }));
    let run = client.play([Turn::new([write("new.txt", "new\n")]), Turn::new([say(&claim)])]);
    client.world().has("new.txt");
    assert_eq!(run.output.code, Some(0));
    let all: Vec<String> = client.world().read("~/lines.jsonl").lines().map(str::to_owned).collect();
    let hooks: Vec<Value> =
        all.iter().map(|line| serde_json::from_str::<Value>(line).unwrap()["hook"].clone()).collect();
    assert_eq!(hooks[hooks.len() - 2..], ["dispose", "end"], "{hooks:?}");
    // There is no next turn: it is only shown, and not where programs read.
    assert!(run.output.stderr.contains("THAT-DOES-NOT-HOLD"), "{:?}", run.output);
    assert!(!run.output.stdout.contains("\nTHAT-DOES-NOT-HOLD"));
    assert_eq!(lines(&client, "hello")[0]["input"]["mode"], "run");
    let created = lines(&client, "event").into_iter().find(|it| it["event"]["type"] == "session.created");
    assert_eq!(created.unwrap()["event"]["properties"]["info"]["version"], testkit::opencode::VERSION);
    let edited = lines(&client, "event").into_iter().any(|it| it["event"]["type"] == "file.edited");
    assert!(edited);
}
