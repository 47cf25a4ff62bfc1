//! The tools, called as a client calls them.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::{Site, ask, call, call_one, request};

const SESSION: &[&str] = &[
    "session-status",
    "session-begin",
    "session-end",
    "session-log-work",
    "session-log-achievement",
    "session-add-work",
    "session-complete-work",
    "session-update-state",
    "session-log-choice",
];
const GRAPH: &[&str] = &[
    "kg-query",
    "kg-sync",
    "kg-queue-status",
    "kg-flush-queue",
    "kg-file-context",
    "kg-daemon-start",
    "kg-daemon-stop",
    "kg-daemon-status",
    "kg-find-file",
    "kg-find-entity",
    "kg-stats",
    "kg-cxp-thread",
];
const CONVERSATION: &[&str] = &["conv-sync", "conv-status", "conv-query"];
const REVIEW: &[&str] = &["code-review", "code-fix"];
const RAG: &[&str] = &["rag_search", "rag_index", "rag_status", "rag_get"];

/// A project that `hostler init` set up.
fn configured() -> Site {
    let site = Site::new();
    site.write(".hostler/config.toml", "version = 1\n");
    site
}

fn listed(site: &Site, arguments: &[&str]) -> Vec<Value> {
    let said = ask(site, arguments, &[request(1, "tools/list", Value::Null)]);
    let result = &said.to(1)["result"];
    assert!(result.get("nextCursor").is_none(), "some clients read the first page alone");
    result["tools"].as_array().unwrap().clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|it| it["name"].as_str().unwrap()).collect()
}

// @traces 021-US-006-AC01 021-US-006-AC02 021-US-006-AC03 021-US-006-AC04
#[test]
fn every_tool_is_listed_under_its_name() {
    let tools = listed(&configured(), &[]);
    assert_eq!(names(&tools), [SESSION, GRAPH, CONVERSATION, REVIEW, RAG].concat());
}

// @traces 021-US-006-AC05
#[test]
fn every_tool_says_what_it_does_and_what_it_takes() {
    for tool in listed(&configured(), &[]) {
        let description = tool["description"].as_str().unwrap();
        assert!(80 < description.len() && description.ends_with('.'), "{tool}");
        let schema = &tool["inputSchema"];
        assert_eq!(
            (&schema["type"], &schema["additionalProperties"]),
            (&json!("object"), &json!(false)),
            "{tool}"
        );
        let properties = schema["properties"].as_object().unwrap();
        for (name, property) in properties {
            let typed =
                ["string", "boolean", "integer", "array", "object"].iter().any(|it| property["type"] == *it);
            assert!(typed && 5 < property["description"].as_str().unwrap().len(), "{name}: {tool}");
        }
        for required in schema["required"].as_array().into_iter().flatten() {
            assert!(properties.contains_key(required.as_str().unwrap()), "{tool}");
        }
        let hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
        assert!(hints.iter().all(|it| tool["annotations"][*it].is_boolean()), "{tool}");
        jsonschema::meta::validate(schema).unwrap();
        if let Some(output) = tool.get("outputSchema") {
            assert_eq!(output["type"], "object");
            jsonschema::meta::validate(output).unwrap();
        }
    }
}

/// What a client sees: a change of it is a change for every model.
#[test]
fn the_list_is_what_it_was() {
    let mut told = Vec::new();
    for tool in listed(&configured(), &[]) {
        let hints: Vec<String> = tool["annotations"]
            .as_object()
            .unwrap()
            .iter()
            .filter(|(_, hint)| **hint == json!(true))
            .map(|(name, _)| name.trim_end_matches("Hint").to_owned())
            .collect();
        let takes: Vec<String> = tool["inputSchema"]["properties"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, it)| {
                let required =
                    tool["inputSchema"]["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
                let entries = it["items"]["type"].as_str().map(|of| format!(" of {of}")).unwrap_or_default();
                format!(
                    "{name}{}: {}{entries}",
                    if required { "" } else { "?" },
                    it["type"].as_str().unwrap()
                )
            })
            .collect();
        let gives: Vec<&String> =
            tool["outputSchema"]["properties"].as_object().into_iter().flatten().map(|it| it.0).collect();
        told.push(format!(
            "{} ({}) [{}]\n  takes {takes:?}\n  gives {gives:?}\n  {}\n",
            tool["name"].as_str().unwrap(),
            tool["title"].as_str().unwrap(),
            hints.join(", "),
            tool["description"].as_str().unwrap(),
        ));
    }
    insta::assert_snapshot!(told.concat());
}

#[track_caller]
fn check(site: &Site, groups: &str, expected: &[&[&str]]) {
    assert_eq!(names(&listed(site, &["--tools", groups])), expected.concat(), "{groups}");
}

#[test]
fn groups_are_offered_as_asked_for() {
    let site = configured();
    check(&site, "session", &[SESSION]);
    check(&site, "kg", &[GRAPH]);
    check(&site, "conversation,review", &[CONVERSATION, REVIEW]);
    check(&site, "review,session", &[SESSION, REVIEW]);
    // What is not offered is not called either.
    let said = ask(&site, &["--tools", "review"], &[call(1, "session-status", json!({}))]);
    assert_eq!(said.to(1)["error"]["code"], -32602);
    let said = super::speak(&site, &["--tools", "everything"], b"");
    assert_eq!((said.code, said.lines.len()), (Some(3), 0));
    assert!(said.stderr.contains("it is none of session, kg, conversation, review"), "{said:?}");
}

// @traces 021-US-006-AC06 021-TEST-UNIT-156
#[test]
fn tools_of_the_graph_are_for_projects_that_are_set_up() {
    let site = Site::new();
    assert_eq!(names(&listed(&site, &[])), [SESSION, CONVERSATION, REVIEW, RAG].concat());
    let query = json!({ "cypher": "MATCH (n) RETURN n" });
    let refused = call_one(&site, "kg-query", query.clone());
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert!(refused["isError"] == true && text.contains("has no `.hostler/config.toml`"), "{refused}");
    // A project that is set up while the server runs is one from then on.
    site.write(".hostler/config.toml", "version = 1\n");
    assert_eq!(names(&listed(&site, &[])).len(), 30);
    let later = call_one(&site, "kg-query", query);
    assert!(later["content"][0]["text"].as_str().unwrap().starts_with("not available yet: "), "{later}");
}

#[test]
fn what_has_no_engine_yet_says_so_and_what_can_be_told_is_told() {
    let site = configured();
    let arguments = |name: &str| match name {
        "kg-query" => json!({ "cypher": "MATCH (n {a: $a}) RETURN n", "parameters": { "a": 1 }, "limit": 3 }),
        "kg-file-context" => json!({ "file": "a.py" }),
        "kg-find-file" => json!({ "pattern": "a" }),
        "kg-find-entity" => json!({ "name": "f", "kind": "Function" }),
        "kg-cxp-thread" => json!({ "thread_id": "1" }),
        "conv-query" => json!({ "query": "what was said" }),
        _ => json!({}),
    };
    let all = [GRAPH, CONVERSATION].concat();
    let messages: Vec<Value> = all.iter().map(|name| call(*name, name, arguments(name))).collect();
    let said = ask(&site, &[], &messages);
    for name in all {
        let (text, failed) = said.text(name);
        if name == "kg-daemon-status" {
            assert!(!failed && said.to(name)["result"]["structuredContent"] == json!({ "running": false }));
        } else {
            assert!(failed && text.starts_with("not available yet: "), "{name}: {text}");
        }
    }
}

/// What a tool that went well gives for programs is what its output schema says.
#[test]
fn structured_answers_are_what_the_schemas_say() {
    let site = configured();
    site.write("a.py", "def f(:\n    pass\n");
    let messages = [
        ("session-status", json!({})),
        ("session-begin", json!({ "purpose": "p", "objectives": ["o"] })),
        ("session-log-work", json!({ "desc": "d", "details": ["e"] })),
        ("session-log-achievement", json!({ "items": ["i"] })),
        ("session-log-choice", json!({ "choice": "c", "reason": "r" })),
        ("session-add-work", json!({ "text": "w" })),
        ("session-complete-work", json!({ "work": "DW-001" })),
        ("session-update-state", json!({ "test_count": 3 })),
        ("session-status", json!({ "all": true })),
        ("session-end", json!({})),
        ("session-status", json!({})),
        ("code-review", json!({ "files": ["a.py"], "gates": ["1"], "whole": true })),
        ("code-fix", json!({ "files": ["a.py"] })),
        ("kg-daemon-status", json!({})),
    ];
    let tools = listed(&site, &[]);
    for (name, arguments) in messages {
        let result = call_one(&site, name, arguments);
        assert_eq!(result["isError"], false, "{name}: {result}");
        let tool = tools.iter().find(|it| it["name"] == name).unwrap();
        let validator = jsonschema::validator_for(&tool["outputSchema"]).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&result["structuredContent"]).map(|it| it.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}: {result}");
    }
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a literal reads better")]
fn refused(site: &Site, name: &str, arguments: Value, words: &str) {
    let result = call_one(site, name, arguments.clone());
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(result["isError"] == true && text.contains(words), "{name} {arguments}: {text}");
    assert!(result.get("structuredContent").is_none(), "{result}");
}

#[test]
fn arguments_that_do_not_fit_are_told_in_words() {
    let site = Site::new();
    refused(&site, "session-begin", json!({}), "`purpose` is missing: what the session is for");
    refused(&site, "session-begin", json!({ "purpose": null }), "`purpose` is missing");
    refused(&site, "session-begin", json!({ "purpose": " \n" }), "`purpose` is empty");
    refused(&site, "session-begin", json!({ "purpose": 3 }), "`purpose` has to be a text, not `3`");
    refused(
        &site,
        "session-begin",
        json!({ "purpose": "p", "objectives": "one" }),
        "has to be a list of texts",
    );
    refused(
        &site,
        "session-begin",
        json!({ "purpose": "p", "objectives": ["a", 2] }),
        "has to be a list of texts",
    );
    refused(&site, "session-begin", json!({ "purpose": "p", "force": "yes" }), "has to be true or false");
    refused(
        &site,
        "session-begin",
        json!({ "purpose": "p", "goal": "g" }),
        "there is no argument `goal`; this tool takes `purpose`",
    );
    refused(&site, "session-begin", json!({ "purpose": "x".repeat(70_000) }), "is longer than 65536 bytes");
    refused(
        &site,
        "session-add-work",
        json!({ "text": "t", "priority": "now" }),
        "has to be one of `P0`, `P1`",
    );
    refused(
        &site,
        "session-update-state",
        json!({ "test_count": -1 }),
        "has to be a whole number from 0, not `-1`",
    );
    refused(&site, "session-update-state", json!({ "test_count": 1.5 }), "has to be a whole number");
    refused(&site, "session-update-state", json!({}), "nothing was given to record; give one of `version`");
    refused(&site, "session-log-achievement", json!({ "items": [] }), "`items` is an empty list");
    refused(
        &site,
        "code-review",
        json!({ "files": ["a.py"], "gates": ["9"] }),
        "has to be a list of any of `1`",
    );
    assert_eq!(site.record()["session_history"], json!([]));
    // What was not asked for and is filled in with nothing is nothing.
    let begun = call_one(
        &site,
        "session-begin",
        json!({ "purpose": "p", "version": "", "objectives": [], "branch": null }),
    );
    assert_eq!(begun["isError"], false, "{begun}");
    // A whole number with a fraction of nothing is a whole number.
    let updated = call_one(&site, "session-update-state", json!({ "test_count": 214.0 }));
    assert_eq!(updated["structuredContent"]["state"]["test_count"], 214, "{updated}");
}

// @traces 021-TEST-UNIT-145 021-TEST-UNIT-146 021-US-006-AC07
#[test]
fn the_status_is_told_with_and_without_a_session() {
    // A folder in which no sessions are kept.
    let bare = Site::bare();
    let result = call_one(&bare, "session-status", json!({}));
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("no active session: ") && result["isError"] == false, "{result}");
    assert_eq!(result["structuredContent"]["active"], false);
    refused(
        &bare,
        "session-log-work",
        json!({ "desc": "d" }),
        "no active session: no sessions are kept in this project",
    );
    // Any project with a record, without anything else of ours.
    let site = Site::new();
    let result = call_one(&site, "session-status", json!({}));
    assert!(result["content"][0]["text"].as_str().unwrap().starts_with("No active session"), "{result}");
    refused(&site, "session-log-work", json!({ "desc": "d" }), "no active session: nothing was recorded");
    refused(&site, "session-end", json!({}), "no active session: there is nothing to close");
    refused(&site, "session-update-state", json!({ "status": "active" }), "no active session");
    site.ok(&["begin", "--purpose", "Write the parser"]);
    let result = call_one(&site, "session-status", json!({}));
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("Session #1 | active | 0m\nPurpose: Write the parser\n"), "{text}");
    assert!(text.contains("Version: 1.2.0 | Branch: main"), "{text}");
    assert_eq!(result["structuredContent"]["session"]["seq"], 1);
}

// @traces 021-TEST-UNIT-147 021-TEST-UNIT-148 021-TEST-UNIT-149 021-TEST-UNIT-150 021-TEST-UNIT-151
// @traces 021-TEST-UNIT-152 021-TEST-UNIT-153 021-TEST-UNIT-154
// @traces 021-TEST-INTEG-024 021-TEST-INTEG-026 021-TEST-INTEG-027
#[test]
fn a_session_from_begin_to_end_by_tools() {
    let site = Site::new();
    site.git(&["add", "--all"]);
    site.git(&["commit", "--quiet", "--message=record"]);
    let text = |name: &str, arguments: Value| {
        let result = call_one(&site, name, arguments);
        assert_eq!(result["isError"], false, "{name}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    };
    let begun = text("session-begin", json!({ "purpose": "Build the shop", "objectives": ["It sells"] }));
    assert!(begun.starts_with("Session #1 begun. Purpose: Build the shop\n- It sells"), "{begun}");
    refused(&site, "session-begin", json!({ "purpose": "Another" }), "session #1 is active since ");
    let worked = text(
        "session-log-work",
        json!({ "desc": "Wrote the basket", "details": ["token=abcdefgh12345678ijkl"] }),
    );
    assert!(worked.starts_with("Session #1: work logged: Wrote the basket\n- "), "{worked}");
    assert!(!worked.contains("abcdefgh12345678ijkl"), "{worked}");
    text("session-log-achievement", json!({ "items": ["The basket holds goods", "Prices add up"] }));
    text("session-log-choice", json!({ "choice": "Cents as integers", "reason": "Floats lose them" }));
    assert!(
        text("session-add-work", json!({ "text": "Add a till", "priority": "p1", "notes": "after that" }))
            .starts_with("DW-001 added (P1)")
    );
    assert!(text("session-add-work", json!({ "text": "Sweep the floor" })).starts_with("DW-002 added (P2)"));
    assert!(text("session-add-work", json!({ "text": "Add a till" })).starts_with("DW-001 is open already"));
    assert!(text("session-complete-work", json!({ "work": "sweep" })).starts_with("DW-002 completed"));
    refused(
        &site,
        "session-complete-work",
        json!({ "work": "dance" }),
        "no open work is or contains `dance`",
    );
    let state =
        json!({ "version": "1.3.0", "branch": "feature/x", "test_state": "3/15 passing", "status": "idle" });
    let updated = text("session-update-state", state);
    assert_eq!(
        updated,
        "State updated. Status: idle | Version: 1.3.0 | Branch: feature/x | Tests: 3/15 passing"
    );
    refused(
        &site,
        "session-update-state",
        json!({ "status": "closed" }),
        "close it with the tool `session-end`",
    );
    let recorded = &site.record()["session_history"][0];
    assert_eq!(recorded["purpose"], "Build the shop");
    assert_eq!(recorded["work_log"][0]["desc"], "Wrote the basket");
    assert_eq!(recorded["achievements"], json!(["The basket holds goods", "Prices add up"]));
    assert_eq!(recorded["choices"][0]["reason"], "Floats lose them");
    assert_eq!(site.record()["state"]["test_state"], "3/15 passing");
    // What git tells of the work goes into the record when it ends.
    site.write("basket.py", "GOODS = []\n");
    site.git(&["add", "--all"]);
    site.git(&["commit", "--quiet", "--message=feat: a basket for goods"]);
    let ended = call_one(
        &site,
        "session-end",
        json!({ "achievements": ["-- It sells"], "upcoming": ["Open the doors"], "push": false }),
    );
    assert_eq!(ended["isError"], false, "{ended}");
    let told = ended["content"][0]["text"].as_str().unwrap();
    assert!(told.starts_with("Session #1 closed ("), "{told}");
    let record = site.record();
    let achievements = record["session_history"][0]["achievements"].to_string();
    for achievement in ["The basket holds goods", "a basket for goods", "-- It sells"] {
        assert!(achievements.contains(achievement), "{achievement}: {achievements}");
    }
    assert_eq!(record["state"]["status"], "closed");
    assert!(record["session_history"][0]["length"].is_string(), "{record}");
    let open: Vec<&Value> = record["deferred_work"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["status"] == "pending")
        .map(|it| &it["description"])
        .collect();
    assert_eq!(open, ["Add a till", "Open the doors"]);
    assert_eq!(ended["structuredContent"]["closed"], true);
    assert!(site.read("context.md").contains("Build the shop"));
}

/// Waits until `test` holds.
#[track_caller]
fn until(test: impl Fn() -> bool) {
    let began = Instant::now();
    while !test() {
        assert!(began.elapsed() < Duration::from_secs(60), "it does not come to it");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_close_goes_on_when_the_server_is_killed() {
    let site = Site::new();
    site.write(".hostler/config.toml", "version = 1\n[session]\ncommit = true\ntag = false\n");
    site.git(&["config", "user.name", "A"]);
    site.git(&["config", "user.email", "a@example.invalid"]);
    site.git(&["add", "--all"]);
    site.git(&["commit", "--quiet", "--message=record"]);
    site.ok(&["begin", "--purpose", "p"]);
    let hook = ".git/hooks/pre-commit";
    site.write(hook, "#!/bin/sh\ntouch .git/waiting\nwhile [ ! -e .git/go ]; do sleep 0.02; done\n");
    fs::set_permissions(site.path(hook), fs::Permissions::from_mode(0o755)).unwrap();
    let commits = || fs::read_to_string(site.path(".git/logs/HEAD")).unwrap().lines().count();
    let before = commits();
    let mut command = site.command(env!("CARGO_BIN_EXE_hostler"), &site.root());
    let mut server = command.arg("mcp").process_group(0).spawn().unwrap();
    let input = format!("{}\n{}\n", super::initialize("2025-11-25"), call(1, "session-end", json!({})));
    server.stdin.as_mut().unwrap().write_all(input.as_bytes()).unwrap();
    until(|| site.path(".git/waiting").exists());
    // The server and all of its group.
    let group = format!("-{}", server.id());
    assert!(std::process::Command::new("kill").args(["-KILL", "--", &group]).status().unwrap().success());
    server.wait().unwrap();
    assert_eq!(commits(), before);
    site.write(".git/go", "");
    until(|| commits() == before + 1);
    until(|| !site.ok(&["status"]).contains("Close of #1"));
    assert_eq!(site.record()["state"]["status"], "closed");
}

#[test]
fn calls_at_once_are_all_recorded() {
    let site = Site::new();
    site.ok(&["begin", "--purpose", "p"]);
    let messages: Vec<Value> =
        (0..40).map(|id| call(id, "session-log-work", json!({ "desc": format!("step {id}") }))).collect();
    let said = ask(&site, &[], &messages);
    assert!((0..40).all(|id| !said.text(id).1), "{said:#?}");
    let record = site.record();
    let mut logged: Vec<&str> = record["session_history"][0]["work_log"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["desc"].as_str().unwrap())
        .collect();
    logged.sort_unstable();
    logged.dedup();
    assert_eq!(logged.len(), 40);
}

// @traces 021-CONST-IV-004 021-CONST-VI-005
#[test]
fn a_record_that_cannot_be_used_stops_nothing_else_and_shows_nothing_of_ours() {
    let site = Site::new();
    site.ok(&["begin", "--purpose", "p"]);
    site.write("a.py", "x = 1\n");
    // A folder under the name of the record, and a file where evidence belongs.
    fs::remove_file(site.path("context.json")).unwrap();
    fs::create_dir(site.path("context.json")).unwrap();
    let began = Instant::now();
    let mut messages: Vec<Value> = vec![
        call("session-begin", "session-begin", json!({ "purpose": "p" })),
        call("session-end", "session-end", json!({})),
        call("session-log-work", "session-log-work", json!({ "desc": "d" })),
        call("session-log-achievement", "session-log-achievement", json!({ "items": ["i"] })),
        call("session-log-choice", "session-log-choice", json!({ "choice": "c", "reason": "r" })),
        call("session-add-work", "session-add-work", json!({ "text": "t" })),
        call("session-complete-work", "session-complete-work", json!({ "work": "w" })),
        call("session-update-state", "session-update-state", json!({ "version": "2" })),
    ];
    messages.push(call("review", "code-review", json!({ "files": ["a.py"] })));
    let said = ask(&site, &[], &messages);
    assert!(began.elapsed() < Duration::from_secs(60));
    for name in SESSION.iter().skip(1) {
        let (text, failed) = said.text(*name);
        assert!(failed && text.starts_with("no active session"), "{name}: {text}");
        plain(text);
    }
    assert!(!said.text("review").1, "{said:#?}");
}

/// Nothing in a text that only we could make use of.
#[track_caller]
fn plain(text: &str) {
    for inner in ["panicked", "backtrace", ".rs:", "src/", "unwrap", "Error {", "Os {", "anyhow", "thread '"]
    {
        assert!(!text.contains(inner), "{inner}: {text}");
    }
    assert!(text.lines().count() <= 3 && text.len() < 600, "{text}");
}

// @traces 021-CONST-VI-005
#[test]
fn a_record_that_may_not_be_written_is_told_in_a_line() {
    let site = Site::of_nobody();
    site.ok(&["begin", "--purpose", "p"]);
    let chmod = |mode: &str| {
        let paths = [site.root(), site.path("context.json")];
        assert!(std::process::Command::new("chmod").arg(mode).args(paths).status().unwrap().success());
    };
    chmod("a-w");
    let result = site_call(&site, "session-log-work", json!({ "desc": "d" }));
    chmod("u+w");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(result["isError"], true, "{result}");
    assert!(text.contains("context.json"), "{text}");
    plain(text);
}

/// As [`call_one`], as the user who owns the site.
fn site_call(site: &Site, name: &str, arguments: Value) -> Value {
    let mut command = site.command(site.program(), &site.root());
    command.env("RUST_BACKTRACE", "1");
    let input = format!("{}\n{}\n", super::initialize("2025-11-25"), call(1, name, arguments));
    let answer = crate::hook::finish(command.arg("mcp").spawn().unwrap(), input.as_bytes());
    let line = answer.stdout.lines().last().unwrap_or_else(|| panic!("{answer:?}"));
    serde_json::from_str::<Value>(line).unwrap()["result"].clone()
}

#[test]
fn a_review_tells_what_is_new_and_a_fix_what_it_changed() {
    let site = Site::new();
    site.write("old.py", "try:\n    x = 1\nexcept:\n    pass\n");
    site.git(&["add", "--all"]);
    site.git(&["commit", "--quiet", "--message=old"]);
    site.write("new.py", "def f():\n    try:\n        return 1\n    except:\n        pass\n");
    let review = |arguments: Value| call_one(&site, "code-review", arguments);
    let found = review(json!({ "files": ["new.py", "old.py", "new.py"] }));
    let structured = &found["structuredContent"];
    assert_eq!(structured["files"], json!(["new.py", "old.py"]), "{found}");
    assert_eq!(structured["verdict"], "fail", "{found}");
    let files: Vec<&Value> =
        structured["findings"].as_array().unwrap().iter().map(|it| &it["file"]).collect();
    assert!(!files.is_empty() && files.iter().all(|it| **it == "new.py"), "{found}");
    let whole = review(json!({ "files": ["old.py"], "whole": true, "gates": ["3"] }));
    assert_eq!(whole["structuredContent"]["verdict"], "fail", "{whole}");
    assert!(
        whole["structuredContent"]["findings"].as_array().unwrap().iter().all(|it| it["gate"] == 3),
        "{whole}"
    );
    let absolute = review(json!({ "files": [site.path("old.py")] }));
    assert_eq!(absolute["structuredContent"]["verdict"], "pass", "{absolute}");
    for (file, words) in [
        ("gone.py", "No such file"),
        (".", "it is no regular file"),
        ("../../etc", "No such file"),
        ("/etc/passwd", "it lies outside of the project"),
        (".git/config", "it is no source of the project"),
    ] {
        refused(&site, "code-review", json!({ "files": [file] }), words);
        refused(&site, "code-fix", json!({ "files": [file] }), words);
    }
    site.write(".hostler/config.toml", "version = 1\n");
    refused(
        &site,
        "code-fix",
        json!({ "files": [".hostler/config.toml"] }),
        "it is no source of the project",
    );
    let fixed = call_one(&site, "code-fix", json!({ "files": ["old.py"] }));
    assert_eq!(fixed["structuredContent"]["files"], json!(["old.py"]), "{fixed}");
    let _: &Map<String, Value> = fixed["structuredContent"].as_object().unwrap();
}
