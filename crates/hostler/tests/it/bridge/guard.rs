//! Tool calls: what is judged, what is said, and what happens when something is wrong with a line or with us.

use std::time::Instant;

use super::*;

#[track_caller]
fn denied(answer: &Value, why: &str) {
    let deny = answer.get("deny").and_then(Value::as_str).unwrap_or_default();
    assert!(deny.contains(why), "{answer}");
    let log = answer["log"].as_array().unwrap();
    assert!(log.iter().any(|line| line["level"] == "warn"), "{answer}");
}

// @traces 021-TEST-INTEG-010
#[test]
fn a_destructive_command_is_denied_with_the_way_out_and_a_harmless_one_runs() {
    let world = World::new();
    let mut plugin = Plugin::start(&world);
    assert_eq!(plugin.before("bash", &json!({ "command": "ls" })).get("deny"), None);
    denied(&plugin.before("bash", &json!({ "command": "rm -rf ~/" })), "delete");
    let asked = plugin.before("bash", &json!({ "command": "git push --force" }));
    denied(&asked, "A person has to decide this");
    denied(&asked, "hostler allow-once");
    denied(&plugin.before("bash", &json!({ "command": 5 })), "`command` of `bash` is not text");
    // Where a command runs, it runs there.
    let outside = json!({ "command": "rm -rf data", "workdir": "/srv" });
    denied(&plugin.before("bash", &outside), "delete");
    plugin.end();
    let decisions: Vec<_> = records(&world).into_iter().filter(|it| it.kind == "decision").collect();
    assert_eq!(decisions.len(), 4, "what the host would refuse is no decision");
    assert!(decisions.iter().all(|it| text(it, "host") == "opencode"));
}

#[test]
fn an_id_that_a_model_gives_to_two_calls_hides_neither() {
    let world = World::new();
    let mut plugin = Plugin::start(&world);
    for command in ["ls", "rm -rf ~/", "rm -rf ~/"] {
        plugin.ask(before(SESSION, "call_0", "bash", &json!({ "command": command })));
    }
    plugin.end();
    let records = records(&world);
    let all: Vec<_> =
        records.iter().filter(|it| it.kind == "decision").map(|it| text(it, "status")).collect();
    assert_eq!(all, ["allowed", "blocked"], "the third one is the second one, told again");
}

// @traces 021-TEST-INTEG-009
#[test]
fn an_edit_and_a_write_keep_the_file_first() {
    let world = World::new().configured("version = 1\n");
    let mut plugin = Plugin::start(&world);
    let args = json!({ "filePath": world.path("README.md"), "oldString": "shop", "newString": "market" });
    assert_eq!(plugin.before("edit", &args).get("deny"), None);
    world.write("new.txt", "one\n");
    let args = json!({ "filePath": world.path("new.txt"), "content": "two\n" });
    assert_eq!(plugin.before("write", &args).get("deny"), None);
    plugin.end();
    let kept: Vec<_> = records(&world).into_iter().filter(|it| !text(it, "checkpoint").is_empty()).collect();
    assert_eq!(kept.len(), 2);
    let listed = world.hostler(&["checkpoint", "list", "--json"]);
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    assert_eq!(listed["checkpoints"].as_array().unwrap().len(), 2, "{listed}");
}

#[test]
fn a_patch_is_judged_by_its_worst_part_kept_as_a_whole_and_recorded_once() {
    let world = World::new().configured("version = 1\n");
    world.write("old.txt", "old\n");
    let mut plugin = Plugin::start(&world);
    let patch = |body: &str| json!({ "patchText": format!("*** Begin Patch\n{body}\n*** End Patch") });
    let good = patch("*** Update File: README.md\n@@\n-# shop\n+# market\n*** Delete File: old.txt");
    assert_eq!(plugin.before("apply_patch", &good).get("deny"), None);
    let bad = patch(
        "*** Update File: README.md\n@@\n-# shop\n+# market\n*** Add File:.opencode/plugins/hostler.ts\n+x",
    );
    denied(&plugin.before("apply_patch", &bad), "settings of the host");
    let result = json!({ "title": "", "output": "Success.", "metadata": {} });
    plugin.ask(after(SESSION, "call_2", "apply_patch", &good, &result));
    plugin.end();
    let records = records(&world);
    let decisions: Vec<_> = records.iter().filter(|it| it.kind == "decision").collect();
    assert_eq!(decisions.len(), 2);
    let paths = decisions[0].attributes["paths"].to_string();
    assert!(paths.contains("README.md") && paths.contains("old.txt"), "{paths}");
    assert_ne!(text(decisions[0], "checkpoint"), "");
    let results: Vec<_> =
        records.iter().filter(|it| it.kind == "result").map(|it| text(it, "gen_ai.tool.call.id")).collect();
    assert_eq!(results, ["call_2", "call_2#2"]);
}

// @traces 021-CONST-IX-004 021-TEST-UNIT-002 021-TEST-UNIT-006
#[test]
fn in_profile_strict_the_fifty_first_read_of_a_session_is_denied_and_another_session_begins_at_none() {
    let world = World::new().configured("version = 1\nprofile = \"strict\"\n[reads]\nper_window = 1000\n");
    let mut plugin = Plugin::start(&world);
    let args = json!({ "filePath": world.path("README.md") });
    for number in 1..=50 {
        let answer = plugin.before("read", &args);
        assert_eq!(answer.get("deny"), None, "read {number}: {answer}");
    }
    denied(&plugin.before("read", &args), "read-budget");
    let other = plugin.ask(before("ses_other", "call_x", "read", &args));
    assert_eq!(other.get("deny"), None, "{other}");
    plugin.end();
}

#[test]
fn a_warning_comes_with_the_result_since_there_is_no_place_for_it_before() {
    let world = World::new().configured("version = 1\n[rules]\ndelete-inside = \"warn\"\n");
    let mut plugin = Plugin::start(&world);
    let args = json!({ "command": "rm -rf build" });
    let before = plugin.ask(before(SESSION, "call_a", "bash", &args));
    assert_eq!(before.get("deny"), None);
    assert_eq!(before["toast"]["variant"], "info", "{before}");
    let after_it = plugin.ask(after(SESSION, "call_a", "bash", &args, &ran("", 0)));
    assert!(after_it["append"].as_str().unwrap().starts_with("hostler: [delete-inside]"), "{after_it}");
    let other = plugin.call("bash", &json!({ "command": "ls" }), &ran("", 0));
    assert_eq!(other.get("append"), None);
    plugin.end();
}

// @traces 021-CONST-VI-005
#[test]
fn what_is_wrong_with_a_line_or_with_us_costs_that_line_alone_and_shows_the_model_nothing_of_us() {
    let world = World::new().set("HOSTLER_FAULT", "panic:hook");
    let mut plugin = Plugin::start(&world);
    for command in ["ls", "rm -rf ~/"] {
        // A fault of ours decides nothing, and is told to the user, not to the model.
        let answer = plugin.before("bash", &json!({ "command": command }));
        assert_eq!(answer.get("deny"), None);
        assert_eq!(answer["toast"]["variant"], "error");
        assert_eq!(answer["log"][0]["level"], "error");
        for member in ["append", "parts", "context", "prompt", "args"] {
            assert_eq!(answer.get(member), None);
        }
    }
    plugin.write(b"{\"id\":900,\"hook\":\"to");
    assert!(plugin.answer(900)["fault"].as_str().unwrap().contains("not JSON"));
    plugin.write(b"\xff\xfe");
    plugin.write(b"");
    let huge = format!("{{\"id\":901,\"hook\":\"tool.execute.before\",\"x\":\"{}\"}}", "x".repeat(17 << 20));
    plugin.write(huge.as_bytes());
    assert!(plugin.answer(901)["fault"].as_str().unwrap().contains("larger than"));
    let relative = json!({ "id": 902, "hook": "tool.execute.before", "session": SESSION, "directory": "shop",
        "input": { "tool": "bash" }, "output": { "args": { "command": "ls" } } });
    plugin.write(relative.to_string().as_bytes());
    assert!(plugin.answer(902)["fault"].as_str().unwrap().contains("`directory`"));
    plugin.write(b"{\"id\":903,\"hook\":\"hook.of.tomorrow\"}");
    assert_eq!(plugin.answer(903).as_object().unwrap().len(), 1);
    assert_eq!(plugin.ask(json!({ "hook": "ping" })).as_object().unwrap().len(), 1);
    plugin.end();
}

#[test]
fn where_faults_close_a_fault_denies() {
    let world =
        World::new().set("HOSTLER_FAULT", "panic:hook").configured("version = 1\non_fault = \"closed\"\n");
    let mut plugin = Plugin::start(&world);
    let answer = plugin.before("bash", &json!({ "command": "ls" }));
    denied(&answer, "on_fault = \"closed\"");
    let told = answer["deny"].as_str().unwrap();
    assert!(!told.contains(".rs") && !told.contains("injected"), "{told}");
    plugin.end();
}

#[test]
fn a_call_that_hangs_is_answered_in_time_and_holds_no_other_one() {
    let world = World::new().set("HOSTLER_FAULT", "slow:6000");
    world.write("data/x", "x\n");
    let mut plugin = Plugin::start(&world);
    let began = Instant::now();
    // It looks at files, which hang.
    let slow = plugin.send(before(SESSION, "call_slow", "bash", &json!({ "command": "rm -rf data" })));
    for _ in 0..5 {
        assert_eq!(plugin.before("bash", &json!({ "command": "pwd" })).get("deny"), None);
    }
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    let answer = plugin.answer(slow);
    assert!(Duration::from_secs(3) < began.elapsed() && began.elapsed() < Duration::from_secs(6));
    denied(&answer, "took longer than 4 s");
    plugin.end();
    // The work went on, and its record says that it came too late to count.
    let late = records(&world).into_iter().find(|it| text(it, "gen_ai.tool.call.id") == "call_slow").unwrap();
    assert_eq!(late.attributes["late"], true);
}

#[test]
fn a_configuration_that_changes_counts_at_once() {
    let world = World::new();
    let mut plugin = Plugin::start(&world);
    let args = json!({ "command": "rm -rf build" });
    assert_eq!(plugin.before("bash", &args).get("deny"), None);
    world.write(".hostler/config.toml", "version = 1\n[rules]\ndelete-inside = \"deny\"\n");
    denied(&plugin.before("bash", &args), "[delete-inside]");
    plugin.end();
}

#[test]
fn the_files_of_the_host_that_turn_us_on_are_out_of_reach() {
    let world = World::new().set("XDG_CONFIG_HOME", "/srv/settings");
    let mut plugin = Plugin::start(&world);
    for path in [
        world.path(".opencode/plugins/hostler.ts"),
        world.path(".opencode/plugin/hostler.ts"),
        world.path("opencode.json"),
        world.path(".opencode/opencode.jsonc"),
        "/srv/settings/opencode/opencode.json".into(),
        "/srv/settings/opencode/plugin/hostler.ts".into(),
        world.path(".hostler/config.toml"),
    ] {
        let args = json!({ "filePath": path, "content": "{}" });
        let answer = plugin.before("write", &args);
        assert!(answer["deny"].as_str().is_some_and(|it| it.contains("protected")), "{path:?}: {answer}");
        let answer = plugin.before("bash", &json!({ "command": format!("echo > {}", path.display()) }));
        assert!(answer.get("deny").is_some(), "{path:?}: {answer}");
    }
    let plan = json!({ "filePath": world.path(".opencode/plans/next.md"), "content": "# Next\n" });
    assert_eq!(
        plugin.before("write", &plan).get("deny"),
        None,
        "the host's own agent writes its plans there"
    );
    plugin.end();
}
