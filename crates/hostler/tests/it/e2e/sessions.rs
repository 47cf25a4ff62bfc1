//! What is kept and recorded across calls, turns and sessions.

use testkit::model::{Turn, bash, call, edit, read, say, write};

use super::scenario;

#[test]
fn an_allowed_delete_comes_back_from_its_checkpoint() {
    let Some(world) =
        scenario("an_allowed_delete_comes_back_from_its_checkpoint").file(".gitignore", "build/\n").open()
    else {
        return;
    };
    // Ignored and untracked: no other copy exists.
    world.write("build/out.bin", "two days of work");
    world.write("build/deep/er.txt", "and more");
    let run = world.play([Turn::new([bash("rm -rf build")]), Turn::new([say("done")])]);
    run.ran(&[""]);
    world.lacks("build");
    let status = world.git(&["status", "--porcelain"]);
    let list = world.hostler_json(&["checkpoint", "list"]);
    let id = list["checkpoints"][0]["id"].as_str().unwrap_or_else(|| panic!("no id in {list}"));
    world.hostler_ok(&["checkpoint", "restore", id]);
    world.has_files(&[
        (".gitignore", "build/\n"),
        ("build/deep/er.txt", "and more"),
        ("build/out.bin", "two days of work"),
    ]);
    assert_eq!(world.git(&["status", "--porcelain"]), status);
    assert_eq!(world.git(&["stash", "list"]), "");
    run.chain_holds();
}

// @traces REQ-020-153 REQ-020-154 021-FR-014 021-CONST-II-006
#[test]
fn an_edit_comes_back_from_its_checkpoint() {
    let Some(world) = scenario("an_edit_comes_back_from_its_checkpoint").open() else { return };
    world.write("notes.txt", "an untracked thought\n");
    let notes = world.path("notes.txt");
    world
        .play([
            Turn::new([read(&notes)]),
            Turn::new([edit(&notes, "thought", "mistake")]),
            Turn::new([say("done")]),
        ])
        .ran(&["thought", "notes.txt"]);
    assert_eq!(world.read("notes.txt"), "an untracked mistake\n");
    let list = world.hostler_json(&["checkpoint", "list"]);
    let id = list["checkpoints"][0]["id"].as_str().unwrap_or_else(|| panic!("no id in {list}"));
    world.hostler_ok(&["checkpoint", "restore", id]);
    assert_eq!(world.read("notes.txt"), "an untracked thought\n");
}

#[test]
fn parallel_calls_are_all_recorded_in_one_chain() {
    let Some(world) = scenario("parallel_calls_are_all_recorded_in_one_chain").open() else { return };
    let files: Vec<_> = (0..8).map(|at| format!("{at}.txt")).collect();
    let calls = files.iter().map(|name| write(world.path(name), name));
    let calls = calls.chain((0..4).map(|at| bash(&format!("echo number {at}"))));
    let run = world.play([Turn::new(calls), Turn::new([say("done")])]);
    run.chain_holds();
    let ledger = world.ledger(&run.session_id());
    let count = |wanted: &str| ledger.iter().filter(|line| *line == wanted).count();
    assert_eq!(
        [
            count("decision Write allowed"),
            count("result Write ok"),
            count("decision Bash allowed"),
            count("result Bash ok 0"),
        ],
        [8, 8, 4, 4],
        "{ledger:#?}"
    );
    for name in &files {
        assert_eq!(&world.read(name), name);
    }
}

#[test]
fn a_resumed_session_goes_on_in_the_same_chain() {
    let Some(world) = scenario("a_resumed_session_goes_on_in_the_same_chain").open() else { return };
    let run = world.play([Turn::new([bash("echo one")]), Turn::new([say("done")])]);
    let first = [
        "session startup",
        "prompt",
        "decision Bash allowed",
        "result Bash ok 0",
        "turn",
        "session other",
        "seal",
    ];
    run.ledger(&first);
    let again = world
        .session()
        .arg("--resume")
        .arg(run.session_id())
        .play([Turn::new([bash("echo two")]), Turn::new([say("done")])]);
    assert_eq!(again.session_id(), run.session_id());
    let second = [
        "session resume",
        "prompt",
        "decision Bash allowed",
        "result Bash ok 0",
        "turn",
        "session other",
        "seal",
    ];
    again.ledger(&[first, second].concat());
    // Each end sealed, signed and archived what there was.
    let verified = world.hostler_json(&["audit", "verify"]);
    let levels: Vec<_> = verified["journals"].as_array().unwrap().iter().map(|it| &it["level"]).collect();
    assert_eq!(levels, ["signed", "signed"], "{verified}");
}

#[test]
fn a_compaction_is_recorded_on_both_sides() {
    let Some(world) = scenario("a_compaction_is_recorded_on_both_sides").open() else { return };
    let run = world.play([Turn::new([bash("echo one")]), Turn::new([say("done")])]);
    let compacted = world
        .session()
        .arg("--resume")
        .arg(run.session_id())
        .prompt("/compact keep the gist")
        .loose()
        .play([Turn::new([say("<summary>one was echoed</summary>")])]);
    compacted.chain_holds();
    let ledger = world.ledger(&run.session_id());
    let after = &ledger[7..];
    assert!(after.iter().any(|line| line == "compaction"), "{after:?}");
    assert!(after.iter().any(|line| line == "session compact"), "{after:?}");
}

#[test]
fn a_failing_command_is_recorded_with_its_exit_code() {
    let Some(world) = scenario("a_failing_command_is_recorded_with_its_exit_code").open() else { return };
    world
        .play([Turn::new([bash("echo before; exit 3")]), Turn::new([say("it failed")])])
        .model_reads("before")
        .ledger(&[
            "session startup",
            "prompt",
            "decision Bash allowed",
            "result Bash failed 3",
            "turn",
            "session other",
            "seal",
        ]);
}

#[test]
fn a_huge_output_leaves_a_small_record() {
    let Some(world) = scenario("a_huge_output_leaves_a_small_record").open() else { return };
    let run = world
        .play([Turn::new([bash("yes 'a long line of output' | head -c 4000000")]), Turn::new([say("done")])]);
    run.chain_holds();
    let records = world.records(&run.session_id());
    let result = records.iter().find(|record| record["kind"] == "result").unwrap();
    assert_eq!(result["ok"], true);
    assert!(result.to_string().len() < 4_096, "{} bytes", result.to_string().len());
}

#[test]
fn a_project_with_spaces_and_accents_in_its_path_works() {
    let Some(world) = scenario("a_project_with_spaces_and_accents_in_its_path_works")
        .project("Größere Pläne/my 'best' project")
        .file("old stuff/a b.txt", "keep")
        .open()
    else {
        return;
    };
    world.play([Turn::new([bash("rm -r 'old stuff'")]), Turn::new([say("done")])]).ran(&[""]).chain_holds();
    world.lacks("old stuff");
    let list = world.hostler_json(&["checkpoint", "list"]);
    let id = list["checkpoints"][0]["id"].as_str().unwrap();
    world.hostler_ok(&["checkpoint", "restore", id]);
    world.has_files(&[("old stuff/a b.txt", "keep")]);
}

#[test]
fn a_linked_work_tree_shares_evidence_and_keeps_its_files_apart() {
    let Some(world) =
        scenario("a_linked_work_tree_shares_evidence_and_keeps_its_files_apart").file("a.txt", "a").open()
    else {
        return;
    };
    world.git(&["worktree", "add", "--quiet", "../linked"]);
    let linked = world.path("~/linked");
    let settings = world.read(".claude/settings.local.json");
    world.write("~/linked/.claude/settings.local.json", settings);
    let run = world
        .session()
        .folder(&linked)
        .play([Turn::new([bash("rm a.txt"), bash("rm -rf ../proj")]), Turn::new([say("done")])]);
    run.ran(&[""]).model_reads("[delete-outside]").chain_holds();
    world.lacks("~/linked/a.txt").has_files(&[("a.txt", "a")]);
    let list = world.hostler_json(&["checkpoint", "list"]);
    let id = list["checkpoints"][0]["id"].as_str().unwrap_or_else(|| panic!("no checkpoint: {list}"));
    world.hostler_ok(&["checkpoint", "restore", id]);
    assert_eq!(world.read("~/linked/a.txt"), "a");
}

/// A server with one tool, in the shell that every machine has: answers by the id in the request.
pub(crate) const MCP_SERVER: &str = r#"
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9a-z"-]*\).*/\1/p')
  [ -n "$id" ] || continue
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"files","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"write_file","description":"writes","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}}}}]}' ;;
    *'"tools/call"'*) result='{"content":[{"type":"text","text":"MCP-TOOL-RAN"}]}' ;;
    *) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}\n' "$id"; continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

#[test]
fn an_mcp_tool_is_judged_by_its_arguments() {
    let Some(world) =
        scenario("an_mcp_tool_is_judged_by_its_arguments").file("~/server.sh", MCP_SERVER).open()
    else {
        return;
    };
    let servers = serde_json::json!({ "mcpServers": { "files": {
        "command": "/bin/sh", "args": [world.path("~/server.sh")],
    } } });
    let to = |path: &str| {
        call("mcp__files__write_file", &serde_json::json!({ "path": world.path(path), "content": "{}" }))
    };
    let run = world
        .session()
        .arg("--strict-mcp-config")
        .arg("--mcp-config")
        .arg(servers.to_string())
        .play([Turn::new([to(".claude/settings.json"), to("fine.json")]), Turn::new([say("done")])]);
    run.ran(&["MCP-TOOL-RAN"]).model_reads("[protected").chain_holds();
    let decisions: Vec<_> =
        world.ledger(&run.session_id()).into_iter().filter(|line| line.starts_with("decision")).collect();
    assert_eq!(decisions.len(), 2, "{decisions:?}");
    assert!(decisions.contains(&"decision mcp__files__write_file allowed".to_owned()), "{decisions:?}");
}

#[test]
fn a_tool_that_nobody_knows_disturbs_nothing() {
    let Some(world) = scenario("a_tool_that_nobody_knows_disturbs_nothing").open() else { return };
    world
        .play([
            Turn::new([call("Teleport", &serde_json::json!({ "to": "mars" })), bash("echo here")]),
            Turn::new([say("done")]),
        ])
        .ran(&["here"])
        .ledger(&[
            "session startup",
            "prompt",
            "decision Bash allowed",
            "result Bash ok 0",
            "turn",
            "session other",
            "seal",
        ]);
}
