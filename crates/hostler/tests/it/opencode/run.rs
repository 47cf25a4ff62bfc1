//! `opencode run`: one prompt, nobody to ask, and the process is gone right after.

use serde_json::{Value, json};
use testkit::model::{Turn, call, say};
use testkit::opencode::{PATCH_MODEL, bash, delegate, edit, read, write};
use testkit::{Register, Scenario, World};

use super::{MCP_SERVER, bare, open, scenario};

// @traces 021-TEST-INTEG-010 021-TEST-INTEG-011
#[test]
fn a_denied_delete_does_not_run_and_the_model_reads_why() {
    let name = "a_denied_delete_does_not_run_and_the_model_reads_why";
    let Some(client) = open(scenario(name).file("~/photos/one.jpg", "precious")) else { return };
    let run = client.play([
        Turn::new([bash("rm -rf ~/")]),
        Turn::new([bash("echo fine; exit 3")]),
        Turn::new([say("understood")]),
    ]);
    run.ran(&["fine"])
        .model_reads("[delete-root]")
        .model_reads("Instead: name the single files")
        .model_reads("The user can run it by hand: rm -rf ~/")
        .ledger(&[
            "session startup",
            "prompt",
            "decision bash blocked delete-root protected-path-shell",
            "decision bash allowed",
            "result bash failed 3",
            "turn",
            "session dispose",
            "seal",
        ]);
    client.world().has("~/photos/one.jpg");
}

#[test]
fn the_same_inside_a_subagent() {
    let Some(client) = open(scenario("the_same_inside_a_subagent").file("~/photos/one.jpg", "precious"))
    else {
        return;
    };
    let run = client.play([
        Turn::new([delegate("tidy the photos")]),
        Turn::new([bash("rm -rf ~/"), write(client.world().path("~/.config/opencode/opencode.json"), "{}")]),
        Turn::new([say("I was stopped")]),
        Turn::new([say("the agent was stopped")]),
    ]);
    run.model_reads("[delete-root]").model_reads("[protected").model_reads("I was stopped").chain_holds();
    client.world().has("~/photos/one.jpg").lacks("~/.config/opencode/opencode.json");
    let ledger = client.world().ledger(&run.session_id());
    let inside: Vec<_> = ledger.into_iter().filter(|line| line.contains("blocked")).collect();
    assert_eq!(inside.len(), 2, "{inside:?}");
    assert!(inside.iter().all(|line| line.ends_with("(subagent)")), "{inside:?}");
}

// @traces 021-TEST-INTEG-009
#[test]
fn an_edit_comes_back_from_its_checkpoint() {
    let Some(client) = open(scenario("an_edit_comes_back_from_its_checkpoint")) else { return };
    let world = client.world();
    world.write("notes.txt", "an untracked thought\n");
    let notes = world.path("notes.txt");
    client
        .play([
            Turn::new([read(&notes)]),
            Turn::new([edit(&notes, "thought", "mistake")]),
            Turn::new([say("done")]),
        ])
        .ran(&["thought", "Edit"])
        .chain_holds();
    assert_eq!(world.read("notes.txt"), "an untracked mistake\n");
    let list = world.hostler_json(&["checkpoint", "list"]);
    let id = list["checkpoints"][0]["id"].as_str().unwrap_or_else(|| panic!("no id in {list}"));
    world.hostler_ok(&["checkpoint", "restore", id]);
    assert_eq!(world.read("notes.txt"), "an untracked thought\n");
}

/// A project in which sessions are kept.
fn kept(name: &str) -> Scenario {
    scenario(name).file(".gitignore", ".opencode/\n.hostler/\nopencode.json\n")
}

fn done() -> [Turn; 1] {
    [Turn::new([say("done")])]
}

#[track_caller]
fn record(world: &World) -> Value {
    serde_json::from_str(&world.read("context.json")).unwrap()
}

#[track_caller]
fn sessions(world: &World) -> Vec<Value> {
    record(world)["session_history"].as_array().unwrap().clone()
}

// @traces 021-TEST-INTEG-003 021-TEST-INTEG-004 021-US-002-AC01 021-US-002-AC03
#[test]
fn a_session_begins_with_the_record_and_goes_on_when_it_is_resumed() {
    let Some(client) = open(kept("a_session_begins_with_the_record_and_goes_on_when_it_is_resumed")) else {
        return;
    };
    let world = client.world();
    world.hostler_ok(&["session", "init"]);
    world.hostler_ok(&["session", "add-work", "--text", "tell users why", "--priority", "P1"]);
    let first = client.session().prompt("write the parser").play(done());
    first.model_reads("Session #1 goes on").model_reads("tell users why").chain_holds();
    assert_eq!(sessions(world)[0]["purpose"], "write the parser");
    assert!(first.output.stderr.contains("session #1 began"), "{:?}", first.output);
    let id = first.session_id();
    let second = client.session().resume(&id).prompt("and go on").play(done());
    assert_eq!(second.session_id(), id);
    second.model_reads("tell users why");
    let all = sessions(world);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0]["hosts"][0]["id"], id, "{all:?}");
}

// @traces 021-TEST-INTEG-013 021-TEST-INTEG-025 021-TEST-INTEG-026
#[test]
fn a_close_phrase_closes_the_session_with_what_was_achieved() {
    let Some(client) = open(kept("a_close_phrase_closes_the_session_with_what_was_achieved")) else { return };
    let world = client.world();
    world.hostler_ok(&["session", "init"]);
    world.write("~/.gitconfig", "[user]\nname = A Developer\nemail = dev@example.invalid\n");
    let first = client.session().prompt("write the parser").play([
        Turn::new([bash(
            "echo 1 > parser.txt && git add parser.txt && git commit -qm 'feat: Add the parser'",
        )]),
        Turn::new([say("done")]),
    ]);
    let closed =
        client.session().resume(&first.session_id()).prompt("ok, thanks. Close the session").play(done());
    closed.model_reads("Add the parser").chain_holds();
    let session = &sessions(world)[0];
    assert_eq!(session["outcome"], "closed", "{session}");
    assert!(session["achievements"].to_string().contains("Add the parser"), "{session}");
    assert_eq!(record(world)["state"]["status"], "closed");
}

// @traces 021-TEST-INTEG-012
#[test]
fn a_question_for_the_past_is_answered_from_the_record() {
    let Some(client) = open(kept("a_question_for_the_past_is_answered_from_the_record")) else { return };
    let world = client.world();
    world.hostler_ok(&["session", "init"]);
    world.hostler_ok(&["session", "begin", "--purpose", "cache"]);
    let choice = ["--choice", "evict by age", "--reason", "memory grew"];
    world.hostler_ok(&[&["session", "log-choice"][..], &choice].concat());
    let run = client.session().prompt("remember when we chose how to evict from the cache?").play(done());
    run.model_reads("evict by age");
}

// @traces 021-TEST-INTEG-005
#[test]
fn a_claim_that_does_not_hold_is_reported_at_the_end_of_a_run() {
    let Some(client) = open(scenario("a_claim_that_does_not_hold_is_reported_at_the_end_of_a_run")) else {
        return;
    };
    client.world().write("src/report.py", "total = 4\n");
    let run = client.play([Turn::new([say("I read `src/report.py` from top to end.")])]);
    assert!(run.output.stderr.contains("FILE_READING_DECEPTION"), "{}", run.output.stderr);
    run.model_never_reads("claim-not-read").chain_holds();
    let records = client.world().records(&run.session_id());
    let turn = records.iter().find(|it| it["kind"] == "turn").unwrap();
    assert_eq!(turn["audit"], "reported", "{turn}");
    // The end of the run waited for the audit, and for the record of the end.
    assert_eq!(records.last().unwrap()["kind"], "seal", "{records:#?}");
}

// @traces 021-US-002-AC04
#[test]
fn a_project_may_have_each_run_close_its_session() {
    let name = "a_project_may_have_each_run_close_its_session";
    let Some(client) = open(kept(name)) else { return };
    let world = client.world();
    world.hostler_ok(&["session", "init"]);
    world.write("~/.config/hostler/config.toml", "[session]\nclose_on_idle = true\n");
    world.write("~/.gitconfig", "[user]\nname = A Developer\nemail = dev@example.invalid\n");
    let run = client.session().prompt("write the parser").play([
        Turn::new([bash(
            "echo 1 > parser.txt && git add parser.txt && git commit -qm 'feat: Add the parser'",
        )]),
        Turn::new([say("done")]),
    ]);
    run.chain_holds();
    let session = &sessions(world)[0];
    assert_eq!(session["outcome"], "closed", "{session}");
    assert!(session["achievements"].to_string().contains("Add the parser"), "{session}");
}

// @traces 021-TEST-INTEG-008
#[test]
fn a_mock_in_a_test_is_denied_where_the_project_wants_that() {
    let name = "a_mock_in_a_test_is_denied_where_the_project_wants_that";
    let config = "[rules]\nmock-in-test = \"deny\"\n";
    let test = "def test_sum():\n    assert 1 + 2 == 3\n";
    let project = scenario(name).file(".hostler/config.toml", config).file("tests/test_cart.py", test);
    let Some(client) = open(project) else { return };
    let path = client.world().path("tests/test_cart.py");
    let mocked = "from unittest.mock import MagicMock\n\ndef test_sum():\n    assert MagicMock()\n";
    client
        .play([
            Turn::new([read(&path)]),
            Turn::new([edit(&path, test, mocked)]),
            Turn::new([edit(&path, "3\n", "3  # three\n")]),
            Turn::new([say("understood")]),
        ])
        .ran(&["test_sum", "Edit"])
        .model_reads("[mock-in-test]")
        .chain_holds();
    assert_eq!(client.world().read("tests/test_cart.py"), test.replace("3\n", "3  # three\n"));
}

#[test]
fn patches_and_tools_of_servers_are_guarded() {
    let name = "patches_and_tools_of_servers_are_guarded";
    let Some(client) = open(scenario(name).file("notes.txt", "old\n").file("~/server.sh", MCP_SERVER)) else {
        return;
    };
    let server = json!({
        "type": "local", "command": ["/bin/sh", client.world().path("~/server.sh")], "enabled": true,
    });
    let client = client.config(json!({ "mcp": { "files": server } }));
    let world = client.world();
    let plugin = world.path(".opencode/plugins/hostler.ts");
    let guarded = world.read(".opencode/plugins/hostler.ts");
    let patch = |text: &str| call("apply_patch", &json!({ "patchText": text }));
    let to = |path: &std::path::Path| call("files_write_file", &json!({ "path": path, "content": "{}" }));
    client
        .session()
        .arg("--model")
        .arg(format!("mock/{PATCH_MODEL}"))
        .play([
            Turn::new([
                patch("*** Begin Patch\n*** Delete File: .opencode/plugins/hostler.ts\n*** End Patch"),
                to(&plugin),
            ]),
            Turn::new([
                patch("*** Begin Patch\n*** Update File: notes.txt\n@@\n-old\n+new\n*** End Patch"),
                to(&world.path("fine.json")),
            ]),
            Turn::new([say("understood")]),
        ])
        .ran(&["notes.txt", "MCP-TOOL-RAN"])
        .model_reads("[protected")
        .chain_holds();
    assert_eq!(world.read(".opencode/plugins/hostler.ts"), guarded);
    assert_eq!(world.read("notes.txt"), "new\n");
}

#[test]
fn a_secret_in_a_file_of_a_prompt_is_flagged() {
    // Made up, in the provider's format.
    let secret = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let name = "a_secret_in_a_file_of_a_prompt_is_flagged";
    let Some(client) = open(scenario(name).file(".env", format!("TOKEN={secret}\n"))) else { return };
    let run = client.session().arg("--file").arg(".env").arg("--").prompt("look at it").play(done());
    let told = &run.output.stderr;
    assert!(told.contains(".env") && told.contains("looks like a secret"), "{:?}", run.output);
    let records = client.world().records(&run.session_id());
    assert!(records.iter().all(|it| !it.to_string().contains(&secret)), "{records:#?}");
}

// @traces 021-CONST-IX-004 021-US-002-AC05
#[test]
fn a_read_beyond_the_budget_is_denied_in_strict() {
    let name = "a_read_beyond_the_budget_is_denied_in_strict";
    let config = "profile = \"strict\"\n[reads]\nper_session = 2\n";
    let files = ["a.txt", "b.txt", "c.txt"];
    let with_files = files.iter().fold(scenario(name), |it, file| it.file(file, file));
    let Some(client) = open(with_files.file(".hostler/config.toml", config)) else { return };
    let paths = files.map(|file| client.world().path(file));
    let run =
        client.play(paths.iter().map(|path| Turn::new([read(path)])).chain([Turn::new([say("understood")])]));
    run.ran(&["a.txt", "b.txt"]).model_reads("[read-budget]").chain_holds();
    // The end of the client's session cleared its counters; what it did is in the archive.
    let again = client
        .session()
        .resume(&run.session_id())
        .play([Turn::new([read(&paths[2])]), Turn::new([say("understood")])]);
    assert!(again.tool_results().iter().any(|it| !it.is_error && it.text.contains("c.txt")), "{again:?}");
}

#[test]
fn a_project_with_spaces_and_accents_in_its_path_works() {
    let name = "a_project_with_spaces_and_accents_in_its_path_works";
    let project = scenario(name).project("Größere Pläne/my 'best' project").file("old stuff/a b.txt", "keep");
    let Some(client) = open(project) else { return };
    let world = client.world();
    let text = "line with ünïcode — and \"quotes\"\n";
    client
        .play([
            Turn::new([bash("rm -r 'old stuff'"), write(world.path("naïve file.txt"), text)]),
            Turn::new([say("done")]),
        ])
        .chain_holds();
    assert_eq!(world.read("naïve file.txt"), text);
    world.lacks("old stuff");
    let list = world.hostler_json(&["checkpoint", "list"]);
    let checkpoints = list["checkpoints"].as_array().unwrap();
    for checkpoint in checkpoints {
        world.hostler_ok(&["checkpoint", "restore", checkpoint["id"].as_str().unwrap()]);
    }
    assert_eq!(world.read("old stuff/a b.txt"), "keep");
}

#[test]
fn a_linked_work_tree_is_guarded_and_shares_evidence() {
    let name = "a_linked_work_tree_is_guarded_and_shares_evidence";
    let Some(client) = open(scenario(name).file("a.txt", "a")) else { return };
    let world = client.world();
    world.git(&["worktree", "add", "--quiet", "../linked"]);
    let linked = world.path("~/linked");
    for file in [".opencode/plugins/hostler.ts", ".opencode/package-lock.json"] {
        world.write(&format!("~/linked/{file}"), world.read(file));
    }
    client.seed("~/linked/.opencode");
    let run = client
        .session()
        .folder(&linked)
        .play([Turn::new([bash("rm a.txt"), bash("rm -rf ../proj")]), Turn::new([say("done")])]);
    run.model_reads("[delete-outside]").chain_holds();
    world.lacks("~/linked/a.txt").has("a.txt");
}

#[test]
fn a_folder_without_git_is_guarded() {
    let name = "a_folder_without_git_is_guarded";
    let Some(client) = open(scenario(name).without_git().file("~/photos/one.jpg", "precious")) else {
        return;
    };
    let world = client.world();
    let run = client.play([
        Turn::new([bash("rm -rf ~/photos")]),
        Turn::new([write(world.path("fine.txt"), "fine\n")]),
        Turn::new([say("understood")]),
    ]);
    run.model_reads("[delete-outside]").chain_holds();
    world.has("~/photos/one.jpg").has("fine.txt");
}

#[test]
fn a_tool_that_nobody_knows_disturbs_nothing() {
    let Some(client) = open(scenario("a_tool_that_nobody_knows_disturbs_nothing")) else { return };
    let run = client.play([
        Turn::new([call("teleport", &json!({ "to": "mars" })), bash("echo here")]),
        Turn::new([say("done")]),
    ]);
    run.model_reads("here").chain_holds();
    let ledger = client.world().ledger(&run.session_id());
    assert!(ledger.iter().any(|line| line == "decision bash allowed"), "{ledger:?}");
}

#[test]
fn a_client_that_was_told_to_load_no_plugins_is_not_guarded() {
    let Some(client) = open(scenario("a_client_that_was_told_to_load_no_plugins_is_not_guarded")) else {
        return;
    };
    let world = client.world();
    let run = client
        .session()
        .arg("--pure")
        .play([Turn::new([bash("rm -rf .git && echo gone")]), Turn::new([say("done")])]);
    run.ran(&["gone"]);
    world.lacks(".git").lacks("~/.local/state/hostler/projects");
}

// @traces 021-TEST-INTEG-002
#[test]
fn a_project_that_is_not_ours_is_left_alone() {
    let Some(client) = open(bare("a_project_that_is_not_ours_is_left_alone").without_git()) else { return };
    let world = client.world();
    // A plugin for all projects of the user.
    let plugin = hostler_host::opencode::plugin::v1(env!("CARGO_BIN_EXE_hostler"), env!("CARGO_PKG_VERSION"));
    world.write("~/.config/opencode/plugins/hostler.ts", plugin);
    world.write("old.txt", "old\n");
    let run = client.play([Turn::new([bash("rm old.txt && echo gone")]), Turn::new([say("done")])]);
    run.ran(&["gone"]);
    world.lacks("old.txt").lacks("context.json").lacks(".hostler");
}

// @traces REQ-020-153
#[test]
fn the_strict_profile_stops_every_delete_and_every_overwrite() {
    let name = "the_strict_profile_stops_every_delete_and_every_overwrite";
    let arguments = ["--host", "opencode", "--profile", "strict"].map(str::to_owned).to_vec();
    let project =
        bare(name).file("build/out.bin", "1").file("notes.txt", "old\n").register(Register::Init(arguments));
    let Some(client) = open(project) else { return };
    let notes = client.world().path("notes.txt");
    client
        .play([
            Turn::new([read(&notes)]),
            Turn::new([bash("rm -rf build"), bash("echo x > notes.txt"), write(&notes, "new\n")]),
            Turn::new([say("understood")]),
        ])
        .ran(&["old"])
        .model_reads("The user can run it by hand: rm -rf build")
        .chain_holds();
    assert_eq!(client.world().read("notes.txt"), "old\n");
    client.world().has("build/out.bin");
}
