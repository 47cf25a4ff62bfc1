//! A session from its beginning to its end, as `OpenCode` tells it.

use super::*;

fn record(world: &World) -> Value {
    serde_json::from_str(&std::fs::read_to_string(world.path("context.json")).unwrap()).unwrap()
}

/// A project with a record of sessions.
fn kept() -> World {
    let world = World::new();
    let init = world.hostler(&["session", "init"]);
    assert_eq!(init.code, Some(0), "{init:?}");
    world
}

fn created(plugin: &mut Plugin) -> Value {
    plugin.event(SESSION, "session.created", &json!({ "info": { "id": SESSION } }))
}

fn logged(answer: &Value, part: &str) -> bool {
    answer["log"]
        .as_array()
        .into_iter()
        .flatten()
        .any(|line| line["message"].as_str().unwrap().contains(part))
}

// @traces 021-TEST-INTEG-003 021-US-002-AC01 021-US-002-AC02 021-US-002-AC03 021-US-002-AC08 021-CONST-V-005 021-CONST-V-010
#[test]
fn a_session_begins_with_the_host_and_its_agent_is_told_where_the_project_stands() {
    let world = kept();
    let add = world.hostler(&["session", "add-work", "--text", "count the nails", "--priority", "high"]);
    assert_eq!(add.code, Some(0), "{add:?}");
    let mut plugin = Plugin::mute(&world);
    let hello = plugin.greet("serve");
    assert!(logged(&hello, "is active in `shop`") && logged(&hello, "/home/shop"), "{hello}");
    let answer = created(&mut plugin);
    assert!(logged(&answer, "session #1 began"), "{answer}");
    assert!(answer["toast"]["message"].as_str().unwrap().contains("count the nails"), "{answer}");
    let told =
        plugin.ask(json!({ "hook": "experimental.chat.system.transform", "session": SESSION, "input": {} }));
    let told = told["append"].as_str().unwrap();
    for part in ["Session #1", "Purpose:", "main", "Pending work", "count the nails"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let again =
        plugin.ask(json!({ "hook": "experimental.chat.system.transform", "session": SESSION, "input": {} }));
    assert_eq!(again["append"], told, "the same words each time, so that what the model caches stays");
    plugin.end();
    let record = record(&world);
    assert_eq!(record["state"]["status"], "active");
    assert_eq!(record["session_history"][0]["hosts"][0]["host"], "opencode");
}

// @traces 021-TEST-INTEG-004
#[test]
fn a_session_that_is_active_goes_on_with_another_host_session_and_with_a_host_that_was_started_anew() {
    let world = kept();
    let mut plugin = Plugin::start(&world);
    created(&mut plugin);
    plugin.end();
    // The same session of the host, in a new process: nobody says that it begins.
    let mut plugin = Plugin::start(&world);
    let answer = plugin.prompt("go on with the stock");
    assert!(logged(&answer, "session #1 goes on"), "{answer}");
    let answer = plugin.event("ses_other", "session.created", &json!({ "info": { "id": "ses_other" } }));
    assert!(logged(&answer, "session #1"), "{answer}");
    plugin.end();
    let history = record(&world)["session_history"].as_array().unwrap().clone();
    assert_eq!(history.len(), 1);
    assert_eq!(history[0]["hosts"].as_array().unwrap().len(), 2);
    let sources: Vec<String> =
        records(&world).iter().map(|it| text(it, "source").to_owned()).filter(|it| !it.is_empty()).collect();
    assert_eq!(sources, ["startup", "resume", "startup"]);
}

// @traces 021-CONST-V-005 021-TEST-INTEG-013 021-TEST-UNIT-007 021-US-002-AC05 021-CONST-VI-002
#[test]
fn a_session_is_closed_when_a_person_says_so_and_no_line_of_the_log_holds_what_was_typed_at_length() {
    let world = kept();
    let mut plugin = Plugin::start(&world);
    created(&mut plugin);
    let long = format!("please {} and tell me", "count every nail in the shop ".repeat(30));
    let answer = plugin.prompt(&long);
    for line in answer["log"].as_array().into_iter().flatten() {
        assert!(line["message"].as_str().unwrap().chars().count() <= 101, "{line}");
    }
    plugin.call(
        "read",
        &json!({ "filePath": world.path("README.md") }),
        &json!({ "output": "x", "metadata": {} }),
    );
    // In the quotes that `opencode run` puts around it.
    let answer = plugin.prompt("\"close the session\"");
    let told = answer["parts"][0].as_str().unwrap_or_default();
    assert!(told.contains("The user asked hostler to close the session"), "{answer}");
    assert!(logged(&answer, "Session #1 closed"), "{answer}");
    plugin.event(SESSION, "session.deleted", &json!({ "info": { "id": SESSION } }));
    plugin.end();
    let record = record(&world);
    assert!(record["session_history"][0]["length"].is_string(), "{record}");
    assert_ne!(record["state"]["status"], "active");
    // Its calls moved away with its journal, and reads are counted anew.
    let projects = world.path("~/.local/state/hostler/projects");
    let project = std::fs::read_dir(projects).unwrap().next().unwrap().unwrap().path();
    let session = hostler_model::SessionId::parse(SESSION).unwrap();
    assert!(!journal::path(&project, &session).exists());
    assert!(!hostler_ledger::state::load(&project, &session).unwrap().has_reads());
}

// @traces 021-TEST-INTEG-012
#[test]
fn remember_when_brings_back_what_earlier_sessions_say() {
    let world = kept();
    let mut plugin = Plugin::start(&world);
    created(&mut plugin);
    let log = world.hostler(&["session", "log-work", "--desc", "the harbour crane was painted green"]);
    assert_eq!(log.code, Some(0), "{log:?}");
    let answer = plugin.prompt("remember when we painted the harbour crane?");
    assert!(answer["parts"][0].as_str().unwrap_or_default().contains("painted green"), "{answer}");
    assert_eq!(plugin.prompt("and now the nails").get("parts"), None);
    plugin.end();
}

#[test]
fn a_false_claim_is_reported_at_the_end_of_the_turn_and_the_agent_is_sent_back_at_most_twice() {
    let world = World::new();
    let mut plugin = Plugin::start(&world);
    created(&mut plugin);
    plugin.prompt("run the tests");
    plugin.call(
        "bash",
        &json!({ "command": "cargo test" }),
        &ran("test result: FAILED. 1 passed; 2 failed\n", 101),
    );
    let said = "I ran the tests and all of them pass.";
    let mut prompts = 0;
    for turn in 0..3 {
        let answer = plugin.idle(&format!("msg_{turn}"), said);
        let report = answer["toast"]["message"].as_str().unwrap_or_default();
        assert!(report.contains("pass"), "{answer}");
        prompts += usize::from(answer.get("prompt").is_some());
        // A host tells some ends twice.
        let again = plugin.idle(&format!("msg_{turn}"), said);
        assert_eq!(again.as_object().unwrap().len(), 1, "{again}");
    }
    assert_eq!(prompts, 2);
    plugin.end();
    let turns: Vec<_> = records(&world).into_iter().filter(|it| it.kind == "turn").collect();
    assert_eq!(turns.len(), 3);
    assert_eq!(turns[0].attributes["continuing"], false);
    assert_eq!(turns[1].attributes["continuing"], true);
}

// @traces 021-TEST-INTEG-005 021-TEST-INTEG-006 021-US-002-AC04
#[test]
fn where_each_turn_is_a_session_its_end_audits_closes_and_clears() {
    let world = kept().configured("version = 1\n[session]\nclose_on_idle = true\n");
    let mut plugin = Plugin::start(&world);
    created(&mut plugin);
    plugin.prompt("count the nails");
    plugin.call(
        "read",
        &json!({ "filePath": world.path("README.md") }),
        &json!({ "output": "x", "metadata": {} }),
    );
    world.write("nails.txt", "40\n");
    world.git(&["add", "nails.txt"]);
    let author = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"];
    world.git(&[&author[..], &["commit", "--quiet", "--message=Count the nails"]].concat());
    let answer = plugin.idle("msg_1", "The nails are counted.");
    assert!(logged(&answer, "No issues detected") || answer.get("toast").is_some(), "{answer}");
    // The close is a process of its own, which the answer waits for as long as there is time.
    let closed = |record: &Value| record["session_history"][0]["length"].is_string();
    let until = std::time::Instant::now() + PATIENCE;
    while !closed(&record(&world)) && std::time::Instant::now() < until {
        std::thread::yield_now();
    }
    let record = record(&world);
    assert!(closed(&record), "{record}");
    assert!(record["session_history"][0]["achievements"].to_string().contains("Count the nails"), "{record}");
    plugin.end();
    let turns: Vec<_> = records(&world).into_iter().filter(|it| it.kind == "turn").collect();
    assert_eq!(turns.len(), 1);
    assert!(turns[0].attributes.contains_key("audit"));
    let projects = world.path("~/.local/state/hostler/projects");
    let project = std::fs::read_dir(projects).unwrap().next().unwrap().unwrap().path();
    let session = hostler_model::SessionId::parse(SESSION).unwrap();
    assert!(!hostler_ledger::state::load(&project, &session).unwrap().has_reads());
}

#[test]
fn a_subagent_is_audited_and_not_sent_back() {
    let world = World::new();
    let mut plugin = Plugin::start(&world);
    created(&mut plugin);
    plugin.prompt("have it counted");
    let line = |value: Value| {
        let mut line = value;
        line["parent"] = SESSION.into();
        line["agent"] = "general".into();
        line
    };
    let denied = plugin.ask(line(before(CHILD, "call_c", "bash", &json!({ "command": "rm -rf ~/" }))));
    assert!(denied.get("deny").is_some());
    let answer = plugin.ask(line(json!({
        "hook": "event", "session": CHILD, "event": { "type": "session.idle", "properties": {} },
        "last": { "message": "msg_c", "text": "All 200 tests pass." },
    })));
    assert!(answer.get("toast").is_some() && answer.get("prompt").is_none(), "{answer}");
    plugin.end();
    let records = records(&world);
    let of_child: Vec<_> = records.iter().filter(|it| text(it, "gen_ai.agent.id") == CHILD).collect();
    assert_eq!(of_child.iter().map(|it| it.kind.as_str()).collect::<Vec<_>>(), ["decision", "subagent"]);
    assert!(records.iter().all(|it| text(it, journal::SESSION) == SESSION), "one record for all of them");
}

// @traces 021-TEST-INTEG-011 021-TEST-INTEG-018
#[test]
fn a_summary_keeps_where_the_session_stands_and_what_was_done_last() {
    let world = kept();
    let mut plugin = Plugin::start(&world);
    created(&mut plugin);
    plugin.call("bash", &json!({ "command": "make count" }), &ran("39\n", 0));
    plugin.call("bash", &json!({ "command": "make test" }), &ran("no\n", 2));
    let line = json!({
        "hook": "tool.failed", "session": SESSION,
        "input": { "tool": "read", "callID": "call_f", "args": { "filePath": "none.txt" } },
        "output": { "error": "File not found: none.txt" },
    });
    plugin.ask(line);
    let answer =
        plugin.ask(json!({ "hook": "experimental.session.compacting", "session": SESSION, "input": {} }));
    let context = answer["context"].as_array().unwrap();
    assert!(context[0].as_str().unwrap().contains("Session #1"), "{answer}");
    let calls = context[1].as_str().unwrap();
    assert!(
        calls.ends_with("\n- bash make count\n- bash make test: failed\n- read none.txt: failed"),
        "{calls}"
    );
    plugin.end();
    let results: Vec<_> = records(&world).into_iter().filter(|it| it.kind == "result").collect();
    let told: Vec<_> = results.iter().map(|it| (text(it, "gen_ai.tool.name"), text(it, "status"))).collect();
    assert_eq!(told, [("bash", "ok"), ("bash", "failed"), ("read", "failed")]);
    assert_eq!(results[1].attributes["exit"], 2);
}

#[test]
fn files_that_a_prompt_mentions_are_judged_as_reads_and_secrets_in_them_are_told() {
    let attached = |plugin: &mut Plugin, path: &str, content: &str| {
        let at = plugin.next;
        let synthetic =
            |id: &str, text: String| json!({ "id": id, "type": "text", "synthetic": true, "text": text });
        let call = format!("Called the Read tool with the following input: {}", json!({ "filePath": path }));
        let parts = json!([
            { "id": format!("p1-{at}"), "type": "text", "text": "look at this" },
            synthetic(&format!("p2-{at}"), call),
            synthetic(&format!("p3-{at}"), content.to_owned()),
            { "id": format!("p4-{at}"), "type": "file", "mime": "text/plain", "url": format!("file://{path}") },
        ]);
        plugin.ask(json!({ "hook": "chat.message", "session": SESSION, "output": { "message": {}, "parts": parts } }))
    };
    let secret = "GITHUB_TOKEN=ghp_R4nd0mR4nd0mR4nd0mR4nd0mR4nd0m12345\n";
    let world = World::new();
    let path = world.path(".env").display().to_string();
    let mut plugin = Plugin::start(&world);
    let answer = attached(&mut plugin, &path, secret);
    assert!(
        answer["toast"]["message"].as_str().unwrap().contains("holds what looks like a secret"),
        "{answer}"
    );
    assert_eq!(answer.get("redact"), None);
    let answer = attached(&mut plugin, &path, "PORT=8080\n");
    assert_eq!(answer.get("toast"), None, "{answer}");
    // The key that journals are signed with is shown to no model.
    let key = world.path("~/.local/share/hostler/signing/ed25519.key");
    std::fs::create_dir_all(key.parent().unwrap()).unwrap();
    std::fs::write(&key, "key").unwrap();
    let answer = attached(&mut plugin, &key.display().to_string(), "key");
    let redacted = answer["redact"].as_array().unwrap();
    let parts: Vec<_> = redacted.iter().map(|it| it["part"].as_str().unwrap().split_at(2).0).collect();
    assert_eq!(parts, ["p3", "p4"]);
    assert!(redacted[0]["text"].as_str().unwrap().contains("is not shown"), "{answer}");
    plugin.end();
    let reads = records(&world)
        .iter()
        .filter(|it| it.kind == "decision" && text(it, "gen_ai.tool.name") == "read")
        .count();
    assert_eq!(reads, 3);
    world.write(".hostler/config.toml", "version = 1\nprofile = \"strict\"\n");
    let mut plugin = Plugin::start(&world);
    let answer = attached(&mut plugin, &path, secret);
    let redacted = &answer["redact"][0];
    assert!(redacted["part"].as_str().unwrap().starts_with("p3-"));
    assert!(!redacted["text"].as_str().unwrap().contains("ghp_"), "{answer}");
    plugin.end();
}

#[test]
fn what_a_person_runs_is_recorded_and_is_no_evidence_of_what_the_agent_did() {
    let world = World::new();
    let mut plugin = Plugin::start(&world);
    let mut line = after(SESSION, "call_u", "bash", &json!({ "command": "rm -rf ~/old" }), &ran("", 0));
    line["hook"] = "shell.user".into();
    assert_eq!(plugin.ask(line).as_object().unwrap().len(), 1);
    let env = plugin
        .ask(json!({ "hook": "shell.env", "session": SESSION, "input": { "cwd": "/", "callID": "call_1" } }));
    assert_eq!(env["env"], json!({ "HOSTLER_SESSION_ID": SESSION }));
    plugin.end();
    let records = records(&world);
    let own: Vec<_> = records.iter().filter(|it| text(it, "gen_ai.tool.call.id") == "call_u").collect();
    assert_eq!(own.iter().map(|it| it.kind.as_str()).collect::<Vec<_>>(), ["user-shell"]);
    assert_eq!(own[0].attributes.get("evidence"), None);
}

#[test]
fn the_end_waits_for_what_is_under_way_and_ends_the_sessions() {
    let world = World::new().set("HOSTLER_FAULT", "slow-audit:1500");
    for dispose in [true, false] {
        let mut plugin = Plugin::start(&world);
        created(&mut plugin);
        plugin.prompt("say something");
        plugin.send(json!({
            "hook": "event", "session": SESSION, "event": { "type": "session.idle", "properties": {} },
            "last": { "message": format!("msg_{dispose}"), "text": format!("Everything is done, {dispose}.") },
        }));
        if dispose {
            let last = plugin.ask(json!({ "hook": "dispose" }));
            assert_eq!(last.as_object().unwrap().len(), 1);
        }
        plugin.end();
        let records = records(&world);
        let turns = records.iter().filter(|it| it.kind == "turn").count();
        assert_eq!(turns, if dispose { 1 } else { 2 });
        let ends = records.iter().filter(|it| text(it, "reason") == "dispose").count();
        assert_eq!(ends, turns, "each end is told and its journal sealed");
    }
}

// @traces 021-CONST-IV-004 021-CONST-IV-007
#[test]
fn a_record_that_cannot_be_read_stops_nothing() {
    let world = kept();
    std::fs::remove_file(world.path("context.json")).unwrap();
    std::fs::create_dir(world.path("context.json")).unwrap();
    let mut plugin = Plugin::start(&world);
    created(&mut plugin);
    assert!(plugin.prompt("go on").get("fault").is_none());
    assert_eq!(plugin.before("bash", &json!({ "command": "ls" })).get("deny"), None);
    let answer = plugin.ask(
        json!({ "hook": "tool", "session": SESSION, "input": { "name": "session-status", "args": {} } }),
    );
    assert!(answer["text"].is_string(), "{answer}");
    plugin.end();
}

#[test]
fn the_tools_are_offered_with_their_arguments_and_answer() {
    let world = kept();
    let mut plugin = Plugin::mute(&world);
    let hello = plugin.greet("tui");
    let tools = hello["hello"]["tools"].as_array().unwrap();
    let begin = tools.iter().find(|tool| tool["name"] == "session-begin").unwrap();
    assert_eq!(begin["args"]["purpose"]["type"], "string");
    created(&mut plugin);
    let tool = |name: &str, args: Value| json!({ "hook": "tool", "session": SESSION, "input": { "name": name, "args": args, "callID": "c" } });
    let answer = plugin.ask(tool("session-status", json!({})));
    assert!(answer["text"].as_str().unwrap().contains('1') && answer.get("failed").is_none(), "{answer}");
    let answer = plugin.ask(tool("no-such-tool", json!({})));
    assert_eq!(answer["failed"], true);
    plugin.end();
}

#[test]
fn a_project_that_the_user_leaves_out_is_left_alone_and_a_project_cannot_leave_itself_out() {
    let world = World::new();
    world.write("~/.config/hostler/config.toml", "version = 1\n[activation]\npaths = [\"/srv/**\"]\n");
    let mut plugin = Plugin::mute(&world);
    assert_eq!(plugin.greet("run")["hello"]["active"], false);
    plugin.end();
    let world = World::new().configured("version = 1\n[activation]\npaths = [\"/srv/**\"]\n");
    Plugin::start(&world).end();
}

// @traces 021-TEST-UNIT-003 021-CONST-IV-003 021-FR-017
#[test]
fn servers_of_mcp_are_looked_for_while_everything_else_goes_on() {
    let world = World::new();
    let mut plugin = Plugin::start(&world);
    // One that takes a call and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}/mcp", silent.local_addr().unwrap());
    let servers = json!({
        "document-reader": { "type": "remote", "url": "http://127.0.0.1:3456/mcp" },
        "document-writer": { "type": "remote", "url": "http://localhost:3457/mcp" },
        "silent": { "type": "remote", "url": silent },
        "local": { "type": "local", "command": ["git", "serve"] },
        "off": { "type": "local", "command": ["no-such-program"], "enabled": false },
    });
    plugin.ask(json!({ "hook": "config", "input": { "mcp": servers } }));
    assert_eq!(plugin.before("bash", &json!({ "command": "ls" })).get("deny"), None);
    let mut told = BTreeMap::new();
    while told.len() < 4 {
        let line = plugin.unasked.pop().unwrap_or_else(|| plugin.answers.recv_timeout(PATIENCE).unwrap());
        let message = line["log"][0]["message"].as_str().unwrap();
        let name = message.split('`').nth(1).unwrap().to_owned();
        told.insert(name, line["log"][0]["level"].as_str().unwrap().to_owned());
    }
    assert_eq!(told.keys().collect::<Vec<_>>(), ["document-reader", "document-writer", "local", "silent"]);
    assert_eq!((told["local"].as_str(), told["silent"].as_str()), ("info", "warn"));
    // A tool of one of them is told from its server.
    plugin.before("document-reader_read_page", &json!({ "page": "1" }));
    plugin.end();
}

#[test]
fn a_greeting_leaves_a_sign_of_life() {
    let world = World::new();
    Plugin::start(&world).end();
    let projects = world.path("~/.local/state/hostler/projects");
    let project = std::fs::read_dir(projects).unwrap().next().unwrap().unwrap().path();
    let sign = std::fs::read_to_string(project.join("opencode/heartbeat.json")).unwrap();
    let sign: Value = serde_json::from_str(&sign).unwrap();
    assert_eq!(
        (sign["mode"].as_str(), sign["pid"].as_u64()),
        (Some("serve"), Some(u64::from(std::process::id())))
    );
}
