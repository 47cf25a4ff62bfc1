//! `opencode serve`: many sessions in one process, as the terminal, the desktop and editors use it.

use std::fs;

use serde_json::{Value, json};
use testkit::model::{Turn, call, say};
use testkit::opencode::{PATCH_MODEL, WINDOW_TOKENS, bash, delegate, edit, read, write};
use testkit::{Chat, Run, World};

use super::{MCP_SERVER, open, scenario};

fn audits(world: &World, session: &str) -> Vec<String> {
    let records = world.records(session);
    let turns = records.iter().filter(|it| it["kind"] == "turn" && it["audit"].is_string());
    turns.map(|it| it["audit"].as_str().unwrap().to_owned()).collect()
}

fn decisions(world: &World, session: &str) -> Vec<String> {
    world.ledger(session).into_iter().filter(|line| line.starts_with("decision")).collect()
}

#[test]
fn calls_of_every_kind_are_guarded_in_parallel_sessions() {
    let name = "calls_of_every_kind_are_guarded_in_parallel_sessions";
    let project = scenario(name)
        .file("~/photos/one.jpg", "precious")
        .file("notes.txt", "old\n")
        .file("test_cart.py", "def test_sum():\n    assert 1 + 2 == 3\n")
        .file("~/server.sh", MCP_SERVER);
    let Some(client) = open(project) else { return };
    let server = json!({
        "type": "local", "command": ["/bin/sh", client.world().path("~/server.sh")], "enabled": true,
    });
    // A program that is there and is no server.
    let mute = json!({ "type": "local", "command": ["/bin/false"], "enabled": true });
    let client = client.config(json!({ "mcp": { "files": server, "mute": mute } }));
    client.world().hostler_ok(&["session", "init"]);
    let serve = client.serve();
    let world = client.world();
    // Made up, in the provider's format.
    let secret = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let ours = world.path(".hostler/config.toml");
    let config = world.read(".hostler/config.toml");
    let plugin = world.path(".opencode/plugins/hostler.ts");
    let understood = || Turn::new([say("understood")]);

    let commands = |chat: &Chat<'_>| {
        chat.say("delete", [Turn::new([bash("rm -rf ~/"), bash("echo fine")]), understood()])
            .ran(&["fine"])
            .model_reads("[delete-root]");
        // Calls of one message are judged side by side.
        let mut all = decisions(world, chat.id());
        all.sort_unstable();
        assert_eq!(all, ["decision bash allowed", "decision bash blocked delete-root protected-path-shell"]);
    };
    let edits = |chat: &Chat<'_>| {
        let run = chat.say(
            "edit",
            [
                Turn::new([read(&ours)]),
                Turn::new([edit(&ours, "profile", "x"), write(&plugin, "")]),
                understood(),
            ],
        );
        run.model_reads("[protected");
        assert_eq!(decisions(world, chat.id()).iter().filter(|it| it.contains("blocked")).count(), 2);
    };
    let secrets = |chat: &Chat<'_>| {
        let content = format!("TOKEN = \"{secret}\"\n");
        chat.say("write", [Turn::new([write(world.path("config.py"), &content)]), understood()])
            .ran_nothing()
            .model_reads("[secret");
    };
    let mcp = |chat: &Chat<'_>| {
        let to = |path: &std::path::Path| call("files_write_file", &json!({ "path": path, "content": "{}" }));
        chat.say("mcp", [Turn::new([to(&plugin), to(&world.path("fine.json"))]), understood()])
            .model_reads("MCP-TOOL-RAN")
            .model_reads("[protected");
        let all = decisions(world, chat.id());
        assert!(all.contains(&"decision files_write_file allowed".to_owned()), "{all:?}");
    };
    let subagents = |chat: &Chat<'_>| {
        let run = chat.say(
            "delegate",
            [
                Turn::new([delegate("tidy the photos")]),
                Turn::new([bash("rm -rf ~/")]),
                Turn::new([say("I was stopped")]),
                Turn::new([say("the agent was stopped")]),
            ],
        );
        run.model_reads("[delete-root]").model_reads("I was stopped");
        let all = decisions(world, chat.id());
        assert!(all.iter().any(|it| it.contains("blocked") && it.ends_with("(subagent)")), "{all:?}");
    };
    let patches = |chat: &Chat<'_>| {
        let patch = |text: &str| call("apply_patch", &json!({ "patchText": text }));
        let config = "*** Begin Patch\n*** Update File: notes.txt\n@@\n-old\n+new\n*** Add File: .hostler/config.toml\n+profile = \"observe\"\n*** End Patch";
        let fine = "*** Begin Patch\n*** Update File: notes.txt\n@@\n-old\n+new\n*** End Patch";
        chat.say("patch", [Turn::new([patch(config)]), Turn::new([patch(fine)]), understood()])
            .model_reads("[protected");
        assert_eq!(world.read("notes.txt"), "new\n");
    };
    let checkpoints = |chat: &Chat<'_>| {
        world.write("draft.txt", "an untracked thought\n");
        let draft = world.path("draft.txt");
        let turns =
            [Turn::new([read(&draft)]), Turn::new([edit(&draft, "thought", "mistake")]), understood()];
        chat.say("edit", turns).ran(&["thought", "Edit"]);
        assert_eq!(world.read("draft.txt"), "an untracked mistake\n");
        let list = world.hostler_json(&["checkpoint", "list"]);
        let all = list["checkpoints"].as_array().unwrap();
        let own = all.iter().find(|it| it.to_string().contains("draft.txt"));
        let id = own.unwrap_or_else(|| panic!("{list}"))["id"].as_str().unwrap();
        world.hostler_ok(&["checkpoint", "restore", id]);
        assert_eq!(world.read("draft.txt"), "an untracked thought\n");
    };
    let tools = |chat: &Chat<'_>| {
        let run = chat.say(
            "log",
            [
                Turn::new([call("session-begin", &json!({ "purpose": "the tools" }))]),
                Turn::new([
                    call("session-log-work", &json!({ "desc": "the grammar is there" })),
                    call("session-add-work", &json!({ "text": "tell users why" })),
                    call("session-log-work", &json!({})),
                ]),
                Turn::new([call("session-status", &json!({}))]),
                understood(),
            ],
        );
        let results = run.tool_results();
        assert!(results[4].text.contains("tell users why"), "{results:#?}");
        assert!(results[3].is_error && results[3].text.contains("desc"), "{results:#?}");
        assert!(world.read("context.json").contains("the grammar is there"));
    };
    std::thread::scope(|scope| {
        scope.spawn(|| checkpoints(&serve.chat()));
        scope.spawn(|| tools(&serve.chat()));
        scope.spawn(|| commands(&serve.chat()));
        scope.spawn(|| edits(&serve.chat()));
        scope.spawn(|| secrets(&serve.chat()));
        scope.spawn(|| mcp(&serve.chat()));
        scope.spawn(|| subagents(&serve.chat()));
        scope.spawn(|| patches(&serve.chat().model(PATCH_MODEL)));
    });
    world.has("~/photos/one.jpg").lacks("config.py");
    assert_eq!(world.read(".hostler/config.toml"), config);
    // The host shook hands with its servers, and what came of it is told.
    let log = serve.printed();
    for (level, words) in
        [("INFO", "MCP server `files` has answered"), ("WARN", "MCP server `mute` has not answered")]
    {
        let said = |line: &str| line.contains(&format!("level={level}")) && line.contains(words);
        assert!(log.lines().any(said), "{level} {words}\n{log}");
    }
    assert!(!serve.printed().contains(&secret) || !world.home().join(".local/state/hostler").exists());
    world.hostler_ok(&["audit", "verify"]);
}

// @traces 021-CONST-VI-002
#[test]
fn a_claim_that_does_not_hold_is_sent_back_and_corrected() {
    let name = "a_claim_that_does_not_hold_is_sent_back_and_corrected";
    let config = "[rules]\nclaim-not-done = \"deny\"\n";
    let Some(client) = open(scenario(name).file(".hostler/config.toml", config)) else { return };
    let serve = client.serve();
    let world = client.world();
    let chat = serve.chat();
    let path = world.path("src/report.py");
    let first = say("I created `src/report.py` with the totals.");
    let long = format!("write the report {}", "and check it twice ".repeat(20));
    chat.start(
        &long,
        [
            Turn::new([bash("echo looking around")]),
            Turn::new([first]),
            Turn::new([write(&path, "total = 4\n")]),
            Turn::new([say("I created `src/report.py` now.")]),
        ],
    );
    let run = chat.until("the claim holds", |_| audits_so_far(world, chat.id()).len() == 2);
    run.model_reads("hostler compared your last message with the record of your tool calls");
    assert_eq!(audits(world, chat.id()), ["sent-back", "clean"]);
    assert_eq!(world.read("src/report.py"), "total = 4\n");
    // The client's log tells what we did, and no more of what the user wrote than its beginning.
    let log = serve.printed();
    assert!(log.lines().any(|line| line.contains("level=INFO") && line.contains("is active in")), "{log}");
    assert!(!log.contains(&"and check it twice ".repeat(6)), "{log}");
}

/// The same while the journal may not be there yet.
fn audits_so_far(world: &World, session: &str) -> Vec<String> {
    let projects = world.home().join(".local/state/hostler/projects");
    let journals = fs::read_dir(projects).into_iter().flatten().flatten();
    let there = journals.map(|it| it.path().join(format!("sessions/{session}.jsonl"))).any(|it| it.exists());
    if there { audits(world, session) } else { Vec::new() }
}

// @traces 021-CONST-V-001
#[test]
fn a_bridge_that_is_killed_is_there_again_and_one_that_is_removed_denies() {
    let name = "a_bridge_that_is_killed_is_there_again_and_one_that_is_removed_denies";
    let Some(client) = open(scenario(name)) else { return };
    let world = client.world();
    // A program of its own, for it is taken away.
    let program = world.path("~/bin/hostler");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::copy(world.program(), &program).unwrap();
    let plugin = hostler_host::opencode::plugin::v1(program.to_str().unwrap(), env!("CARGO_PKG_VERSION"));
    world.write(".opencode/plugins/hostler.ts", plugin);
    let serve = client.serve();
    let chat = serve.chat();
    let go = |text: &str| {
        chat.say(text, [Turn::new([bash(&format!("echo ran-{text}"))]), Turn::new([say("done")])])
    };
    go("first").model_reads("ran-first");

    let bridge = children(serve.id(), &program);
    assert_eq!(bridge.len(), 1, "{bridge:?}");
    kill(bridge[0]);
    go("second").model_reads("ran-second");
    assert_ne!(children(serve.id(), &program), bridge);

    let aside = world.path("~/bin/aside");
    fs::rename(&program, &aside).unwrap();
    for bridge in children_named(serve.id(), "aside") {
        kill(bridge);
    }
    let run = go("third");
    let last = run.tool_results().pop().unwrap();
    assert!(last.is_error && last.text.starts_with("hostler cannot judge this call"), "{last:?}");
    assert!(last.text.contains("hostler doctor") && !last.text.contains('\n'), "{last:?}");
    run.model_never_reads("ran-third\n");

    fs::rename(&aside, &program).unwrap();
    go("fourth").model_reads("ran-fourth");
    let log = serve.printed();
    for (level, words) in [
        ("INFO", "is active in"),
        ("ERROR", "the bridge ended (signal SIGKILL) and is started again"),
        ("ERROR", "cannot be started"),
        ("WARN", "bash was not run: hostler cannot judge this call"),
    ] {
        let said = |line: &&str| line.contains(&format!("level={level}")) && line.contains(words);
        assert!(log.lines().any(|line| said(&line)), "{level} {words}\n{log}");
    }
    world.hostler_ok(&["audit", "verify"]);
}

/// Processes that `parent` started, by their program.
fn children(parent: u32, program: &std::path::Path) -> Vec<u32> {
    children_named(parent, program.file_name().unwrap().to_str().unwrap())
}

fn children_named(parent: u32, name: &str) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{parent}/task")).unwrap().flatten();
    let lists = tasks.filter_map(|it| fs::read_to_string(it.path().join("children")).ok());
    let ids: Vec<u32> = lists
        .flat_map(|it| it.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
        .collect();
    let named = |id: &u32| {
        fs::read_link(format!("/proc/{id}/exe")).is_ok_and(|it| it.file_name().is_some_and(|it| it == name))
    };
    ids.into_iter().filter(named).collect()
}

fn kill(id: u32) {
    let status = std::process::Command::new("kill").args(["-KILL", &id.to_string()]).status().unwrap();
    assert!(status.success());
}

// @traces 021-TEST-INTEG-018
#[test]
fn the_record_survives_a_compaction() {
    let Some(client) = open(scenario("the_record_survives_a_compaction").file(".gitignore", ".opencode/\n"))
    else {
        return;
    };
    let world = client.world();
    world.hostler_ok(&["session", "init"]);
    world.hostler_ok(&["session", "add-work", "--text", "tell users why", "--priority", "P1"]);
    let serve = client.serve();
    let chat = serve.chat();
    let full = Turn::new([say("a long turn")]).input_tokens(WINDOW_TOKENS - 1_000);
    let run = chat.say("write the parser", [full, Turn::new([say("went on")])]);
    let summary = run.requests.iter().filter(|it| !it.scripted).map(|it| it.body.to_string());
    let summary = summary.into_iter().find(|it| it.contains("tell users why"));
    assert!(summary.is_some_and(|it| it.contains("write the parser")), "{:#?}", run.requests);
    run.model_reads("tell users why");
    let ledger = world.ledger(chat.id());
    assert!(ledger.iter().any(|line| line == "session compact"), "{ledger:?}");
}

#[test]
fn a_secret_in_a_file_of_a_prompt_is_taken_out_in_strict() {
    let secret = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let name = "a_secret_in_a_file_of_a_prompt_is_taken_out_in_strict";
    let project = scenario(name)
        .file(".env", format!("TOKEN={secret}\n"))
        .file(".hostler/config.toml", "profile = \"strict\"\n");
    let Some(client) = open(project) else { return };
    let serve = client.serve();
    let url = format!("file://{}", client.world().path(".env").display());
    let file = json!({ "type": "file", "mime": "text/plain", "filename": ".env", "url": url });
    let chat = serve.chat();
    let run =
        chat.send(&json!([{ "type": "text", "text": "look at @.env" }, file]), [Turn::new([say("done")])]);
    run.model_never_reads(&secret);
    assert!(run.heard().contains(".env"), "{}", run.heard());
    let records = client.world().records(chat.id());
    assert!(records.iter().all(|it| !it.to_string().contains(&secret)), "{records:#?}");
}

#[test]
fn what_a_person_runs_is_recorded_as_theirs_and_what_they_abort_ends_once() {
    let name = "what_a_person_runs_is_recorded_as_theirs_and_what_they_abort_ends_once";
    let Some(client) = open(scenario(name)) else { return };
    let serve = client.serve();

    let aborted = serve.chat();
    aborted.start("wait", [Turn::new([bash("touch began && sleep 60")])]);
    aborted.until("the command runs", |_| client.world().path("began").exists());
    aborted.request("POST", "/abort", None);
    let turns = || {
        let ledger = client.world().ledger(aborted.id());
        ledger.into_iter().filter(|line| line.split(' ').next() == Some("turn")).count()
    };
    aborted.until("the turn ended", |_| turns() == 1);
    // The client says twice that it is idle: by the end of the next turn, both have arrived.
    aborted.say("go on", [Turn::new([say("done")])]);
    aborted.until("the next turn ended", |_| turns() == 2);

    let chat = serve.chat();
    chat.request("POST", "/shell", Some(&json!({ "agent": "build", "command": "touch by-hand" })));
    client.world().has("by-hand");
    let by_user = |_: &Run<'_>| {
        let journal = client.world().records(chat.id());
        journal
            .iter()
            .any(|it: &Value| it["kind"] == "user-shell" && it.to_string().contains("touch by-hand"))
    };
    chat.say("go", [Turn::new([say("done")])]);
    chat.until("it is recorded", by_user);
}
