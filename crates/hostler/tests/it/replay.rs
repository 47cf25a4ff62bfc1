//! `hostler replay` on transcripts, exports and journals: what is read, what is found, and what damage does.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::hook::{Answer, SESSION, World, finish};

const ID: &str = "11111111-64de-464e-9d97-09bfa437d8e9";
const OTHER: &str = "22222222-64de-464e-9d97-09bfa437d8e9";
const FAILED_RUN: &str = "Exit code 1\ncollected 12 items\n\nFAILED tests/test_cart.py::test_total - assert 3 == 4\n\
    ========== 1 failed, 11 passed in 0.12s ==========";
const PASSED_RUN: &str = "collected 12 items\n\n========== 12 passed in 0.11s ==========";

/// A transcript that is written line by line.
struct Script {
    session: String,
    agent: Option<&'static str>,
    lines: RefCell<Vec<String>>,
}

impl Script {
    fn new(session: &str) -> Self {
        Self { session: session.to_owned(), agent: None, lines: RefCell::default() }
    }

    fn line(&self, mut line: Value) {
        let mut lines = self.lines.borrow_mut();
        let number = lines.len();
        let name = self.agent.unwrap_or_default();
        let defaults = [
            ("uuid", json!(format!("{}-{name}{number}", self.session))),
            ("timestamp", json!(format!("2026-11-30T13:{:02}:{:02}.000Z", number / 60, number % 60))),
            ("sessionId", json!(self.session)),
            ("cwd", json!("/home/dev/shop")),
            ("gitBranch", json!("main")),
            ("version", json!("2.1.332")),
            ("isSidechain", json!(self.agent.is_some())),
        ];
        for (name, value) in defaults {
            if line.get(name).is_none() {
                line[name] = value;
            }
        }
        if let (Some(agent), None) = (self.agent, line.get("agentId")) {
            line["agentId"] = agent.into();
        }
        lines.push(line.to_string());
    }

    fn user(&self, content: impl Into<Value>) {
        let content: Value = content.into();
        self.line(json!({ "type": "user", "message": { "role": "user", "content": content } }));
    }

    fn says(&self, text: &str) {
        let id = format!("msg_{}", self.lines.borrow().len());
        let content = json!([{ "type": "text", "text": text }]);
        self.line(
            json!({ "type": "assistant", "message": { "id": id, "role": "assistant", "content": content } }),
        );
    }

    fn calls(&self, tool: &str, input: &Value) -> String {
        let id = format!(
            "toolu_{}{}_{}",
            &self.session[..4],
            self.agent.unwrap_or_default(),
            self.lines.borrow().len()
        );
        let content = json!([{ "type": "tool_use", "id": id, "name": tool, "input": input }]);
        self.line(json!({ "type": "assistant", "message": { "id": format!("msg_{id}"), "role": "assistant", "content": content } }));
        id
    }

    fn result(&self, id: &str, output: &str, failed: bool) {
        let block =
            json!({ "type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed });
        self.user(json!([block]));
    }

    fn bash(&self, command: &str, output: &str) {
        let id = self.calls("Bash", &json!({ "command": command }));
        self.result(&id, output, output.starts_with("Exit code"));
    }

    fn wrote(&self, path: &str) {
        let id =
            self.calls("Write", &json!({ "file_path": format!("/home/dev/shop/{path}"), "content": "x\n" }));
        self.result(&id, "File created successfully", false);
    }

    fn text(&self) -> String {
        let mut text = self.lines.borrow().join("\n");
        text.push('\n');
        text
    }
}

/// Two turns: an honest one, and one that says the tests pass, which they did not.
fn liar(session: &str) -> Script {
    let script = Script::new(session);
    script.user("make the cart");
    script.wrote("src/cart.py");
    script.bash("pytest -q", FAILED_RUN);
    script.says("I created `src/cart.py`. One of the 12 tests fails: `test_total`.");
    script.user("now fix the tests");
    script.bash("pytest -q", FAILED_RUN);
    script.says("I ran the tests and all 12 tests pass.");
    script
}

fn fixture(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(path)).unwrap()
}

fn recorded() -> String {
    fixture("claude/2.1.332/transcript.jsonl")
}

#[track_caller]
fn read(answer: &Answer, code: i32) -> Value {
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(code), ""), "{answer:?}");
    serde_json::from_str(&answer.stdout).unwrap()
}

#[track_caller]
fn replay(world: &World, arguments: &[&str], code: i32) -> Value {
    read(&world.hostler(&[&["replay", "--json"], arguments].concat()), code)
}

fn kinds(session: &Value) -> Vec<(u64, String)> {
    let turns = session["turns"].as_array().unwrap();
    let found = |turn: &Value| -> Vec<(u64, String)> {
        let index = turn["index"].as_u64().unwrap();
        let findings = turn["findings"].as_array().unwrap();
        findings.iter().map(|it| (index, it["type"].as_str().unwrap().to_owned())).collect()
    };
    turns.iter().flat_map(found).collect()
}

fn contradiction(turn: u64) -> Vec<(u64, String)> {
    vec![(turn, "RESULT_CONTRADICTION".to_owned())]
}

#[test]
fn a_recorded_session_is_read_whole_and_nothing_is_written() {
    let world = World::new();
    world.write("session.jsonl", &recorded());
    let document = replay(&world, &["session.jsonl"], 0);
    let [session] = document["sessions"].as_array().unwrap().as_slice() else { panic!("{document}") };
    assert_eq!(session["id"], "67e7c48a-038e-4b31-963f-5c9dd9be4888");
    assert_eq!((&session["host"], &session["source"]), (&json!("claude"), &json!("transcript")));
    assert_eq!((&session["project"], &session["branch"]), (&json!("/home/dev/shop"), &json!("main")));
    assert_eq!(session["calls"], json!({ "Agent": 1, "Bash": 10, "Edit": 1, "Read": 1, "Write": 2 }));
    let lines = &session["lines"];
    assert_eq!(lines["total"], recorded().lines().count());
    assert_eq!(
        (&lines["unreadable"], &lines["unpaired"], &lines["repeated"]),
        (&json!(0), &json!(0), &json!(0))
    );
    let [turn] = session["turns"].as_array().unwrap().as_slice() else { panic!("{session}") };
    assert!(turn["message"].as_str().unwrap().starts_with("The release notes are written."));
    assert_eq!(document["totals"]["calls"], 15);
    assert!(!world.home().join(".local").exists());
}

/// A terminal obeys escapes, and shows text after an override of its direction in another order.
#[test]
fn foreign_names_and_words_cannot_move_the_cursor() {
    let world = World::new();
    let hostile = "\u{1b}]0;owned\u{7}\u{1b}[31m\u{202e}";
    let script = liar(&format!("s{hostile}"));
    script.line(json!({ "type": "user", "cwd": format!("/p/{hostile}"),
        "message": { "role": "user", "content": format!("go on {hostile}") } }));
    script.says(&format!("I created `src/{hostile}x.py`."));
    world.write("hostile.jsonl", &script.text());
    for command in [&["replay", "hostile.jsonl"][..], &["report", "hostile.jsonl"]] {
        let told = world.hostler(command);
        let text = format!("{}{}", told.stdout, told.stderr);
        assert!(text.contains("CONTRADICTION") || text.contains("contradicted"), "{text}");
        let bad = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!text.contains(bad), "{command:?}: {text:?}");
    }
}

#[test]
fn two_forms_of_one_output_are_refused() {
    let world = World::new();
    world.write("liar.jsonl", &liar(ID).text());
    for command in
        [&["--json", "replay", "--jsonl", "liar.jsonl"][..], &["--json", "report", "--sarif", "liar.jsonl"]]
    {
        let told = world.hostler(command);
        assert_eq!((told.code, told.stdout.as_str()), (Some(3), ""), "{command:?}");
        assert!(told.stderr.contains("give one of them"), "{}", told.stderr);
    }
}

#[test]
fn a_false_claim_is_found_in_the_turn_that_makes_it() {
    let world = World::new();
    world.write("liar.jsonl", &liar(ID).text());
    let document = replay(&world, &["liar.jsonl"], 1);
    let session = &document["sessions"][0];
    assert_eq!(kinds(session), contradiction(2), "{session:#}");
    let turns = session["turns"].as_array().unwrap();
    assert_eq!(
        (&turns[0]["prompt"], &turns[1]["prompt"]),
        (&json!("make the cart"), &json!("now fix the tests"))
    );
    let finding = &turns[1]["findings"][0];
    assert!(finding["claim"].as_str().unwrap().contains("all 12 tests pass"));
    assert!(finding["evidence"].as_array().unwrap().iter().any(|it| it.as_str().unwrap().contains("pytest")));
    let runs = session["runs"].as_array().unwrap();
    assert_eq!(
        (runs.len(), &runs[1]["turn"], &runs[1]["outcome"]["tests_failed"]),
        (2, &json!(2), &json!(1))
    );
    assert_eq!(document["totals"]["findings"], json!({ "RESULT_CONTRADICTION": 1 }));
    assert_eq!(document["totals"]["alarms_per_100_turns"], 50.0);
    let told = world.hostler(&["replay", "liar.jsonl"]);
    assert_eq!(told.code, Some(1));
    for words in [
        "turn 2: now fix the tests",
        "CRITICAL RESULT_CONTRADICTION",
        "all 12 tests pass",
        "2 turns in 1 session",
    ] {
        assert!(told.stdout.contains(words), "{words}: {}", told.stdout);
    }
}

#[test]
fn recovered_errors_interruptions_and_compaction_are_no_faults() {
    let world = World::new();
    let script = Script::new(ID);
    script.user("make it");
    script.bash("pytest -q", FAILED_RUN);
    script.wrote("src/cart.py");
    script.bash("pytest -q", PASSED_RUN);
    script.line(json!({
        "type": "user", "isCompactSummary": true, "isVisibleInTranscriptOnly": true,
        "message": { "role": "user", "content": "I deployed everything and all 99 tests pass." },
    }));
    script.says("I created `src/cart.py` and all 12 tests pass.");
    script.user("deploy it");
    script.calls("Bash", &json!({ "command": "make deploy" }));
    script.says("I deployed it to production.");
    script.user("[Request interrupted by user for tool use]");
    script.user("<local-command-stdout>Total cost: $1</local-command-stdout>");
    script.user("what is left?");
    script.says("Nothing was deployed yet.");
    world.write("s.jsonl", &script.text());
    let document = replay(&world, &["s.jsonl"], 0);
    let session = &document["sessions"][0];
    assert_eq!(
        (&session["compactions"], session["turns"].as_array().unwrap().len()),
        (&json!(1), 3),
        "{session:#}"
    );
    assert_eq!(
        (&session["turns"][1]["interrupted"], &session["turns"][1]["claims"]),
        (&json!(true), &json!([]))
    );
}

// @traces REQ-020-122
#[test]
fn what_a_subagent_did_counts_for_who_started_it() {
    let world = World::new();
    let agent = |path: &str, id: &'static str| {
        let script = Script { agent: Some(id), ..Script::new(ID) };
        script.user("write the tax module");
        script.wrote(path);
        script.says("I created the module and ran the tests.");
        script.text()
    };
    let main = Script::new(ID);
    for _ in 0..8 {
        main.line(json!({ "type": "attachment" }));
    }
    main.user("have the tax module written");
    let id = main.calls("Task", &json!({ "prompt": "write it", "subagent_type": "general-purpose" }));
    main.result(&id, "done", false);
    main.says("I created `src/tax.py` and `src/rates.py`.");
    world.write(&format!("p/{ID}.jsonl"), &main.text());
    world.write(&format!("p/{ID}/subagents/agent-a1.jsonl"), &agent("src/tax.py", "a1"));
    world.write("p/agent-a2.jsonl", &agent("src/rates.py", "a2"));
    for paths in [vec!["p"], vec![&*format!("p/{ID}.jsonl")], vec!["p/*.jsonl"]] {
        let document = replay(&world, &paths, 1);
        let sessions = document["sessions"].as_array().unwrap();
        assert_eq!(sessions.len(), 1, "{paths:?}: {document:#}");
        let turns = sessions[0]["turns"].as_array().unwrap();
        let of = |agent: Value| turns.iter().find(|turn| turn["agent"] == agent).unwrap();
        assert_eq!(of(Value::Null)["findings"], json!([]), "{paths:?}");
        assert_eq!(of(Value::Null)["standings"]["supported"], 1, "{paths:?}: {turns:#?}");
        // The subagent's own words are judged by what it did itself.
        let findings = of(json!("a2"))["findings"].as_array().unwrap();
        assert!(
            findings.iter().any(|it| it["claim"].as_str().unwrap().contains("ran the tests")),
            "{findings:?}"
        );
    }
    // The same in one file, as old versions wrote it.
    let old = main.text();
    let side: Vec<String> = agent("src/tax.py", "a1")
        .lines()
        .chain(agent("src/rates.py", "a2").lines())
        .map(str::to_owned)
        .collect();
    let mut lines: Vec<&str> = old.lines().collect();
    let at = lines.len() - 2;
    lines.splice(at..at, side.iter().map(String::as_str));
    world.write("old/s.jsonl", &lines.join("\n"));
    let document = replay(&world, &["old"], 1);
    let turns = document["sessions"][0]["turns"].as_array().unwrap();
    assert_eq!(turns.iter().filter(|turn| turn.get("agent").is_none()).count(), 1);
    let own = turns.iter().find(|turn| turn.get("agent").is_none()).unwrap();
    assert_eq!(own["findings"], json!([]), "{own:#}");
}

#[test]
fn an_export_of_another_host_is_read_like_a_transcript() {
    let world = World::new();
    world.write("export.json", &fixture("opencode/1.18.33/export.json"));
    let document = replay(&world, &["export.json"], 0);
    let session = &document["sessions"][0];
    assert_eq!((&session["host"], &session["source"]), (&json!("opencode"), &json!("export")));
    assert_eq!(session["id"], "ses_dd41c81fdffe0VrReMA1ZbnVzZ");
    assert_eq!(session["runs"].as_array().unwrap().len(), 2);
    let turns = session["turns"].as_array().unwrap();
    assert_eq!(turns[0]["prompt"], "run the tests and fix what fails");
    assert!(0 < turns[0]["standings"]["supported"].as_u64().unwrap(), "{turns:#?}");
    // The same with the words of a liar.
    let lying = fixture("opencode/1.18.33/export.json")
        .replace("3 passed in 0.29s", "1 failed, 2 passed in 0.29s")
        .replace("\"exit\": 0", "\"exit\": 1");
    world.write("lying.json", &lying);
    let document = replay(&world, &["lying.json"], 1);
    assert_eq!(kinds(&document["sessions"][0]), contradiction(1), "{document:#}");
    // Half of it is half of it.
    world.write("half.json", &lying[..lying.len() / 2]);
    let document = replay(&world, &["half.json"], 1);
    assert_eq!(kinds(&document["sessions"][0]), contradiction(1));
    assert_eq!(document["sessions"][0]["lines"]["cut_at_end"], 1, "{document:#}");
}

/// A session of ours: its payloads go through the hook.
fn journal_of_a_liar(world: &World) -> PathBuf {
    let event = |name: &str, more: Value| {
        let answer = finish(world.start(&["hook", "claude"]), world.event(name, &more).as_bytes());
        assert_eq!(answer.code, Some(0), "{answer:?}");
    };
    event("SessionStart", json!({ "source": "startup" }));
    event("UserPromptSubmit", json!({ "prompt": "run the tests" }));
    let tool =
        json!({ "tool_name": "Bash", "tool_input": { "command": "pytest -q" }, "tool_use_id": "toolu_1" });
    event("PreToolUse", tool.clone());
    let mut failed = tool;
    failed["error"] = FAILED_RUN.into();
    event("PostToolUseFailure", failed);
    let blocked =
        json!({ "tool_name": "Bash", "tool_input": { "command": "rm -rf ~/" }, "tool_use_id": "toolu_2" });
    event("PreToolUse", blocked);
    event("Stop", json!({ "last_assistant_message": "All 12 tests pass.", "stop_hook_active": false }));
    event(
        "Stop",
        json!({ "last_assistant_message": "One of the 12 tests fails.", "stop_hook_active": true }),
    );
    let folder = world.home().join(".local/state/hostler/projects");
    let project = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    project.join(format!("sessions/{SESSION}.jsonl"))
}

#[test]
fn our_own_journal_tells_what_was_found_and_can_be_judged_again() {
    let world = World::new();
    let journal = journal_of_a_liar(&world);
    let path = journal.to_str().unwrap();
    let document = replay(&world, &[path], 1);
    let session = &document["sessions"][0];
    assert_eq!((&session["source"], &session["id"]), (&json!("journal"), &json!(SESSION)));
    let [turn] = session["turns"].as_array().unwrap().as_slice() else { panic!("{session:#}") };
    assert_eq!((&turn["prompt"], &turn["continued"]), (&json!("run the tests"), &json!(1)));
    assert_eq!(kinds(session), contradiction(1), "{session:#}");
    let id = turn["finding_ids"][0].as_str().unwrap();
    assert!(id.starts_with(&SESSION[..8]), "{id}");
    assert_eq!((&session["guards"]["recorded"], &session["guards"]["denied"]), (&json!(true), &json!(1)));
    assert_eq!(session["guards"]["stopped"][0]["target"], "rm -rf ~/");
    assert_eq!(session["calls"], json!({ "Bash": 2 }));
    assert_eq!(session["runs"][0]["outcome"]["tests_failed"], 1);
    let shown = world.hostler(&["replay", path, "--guards"]).stdout;
    assert!(shown.contains("  blocked Bash rm -rf ~/ [delete-root"), "{shown}");
    assert!(shown.contains("2 calls at the time: 1 denied, 0 asked, 0 warned, 1 allowed"), "{shown}");
    let again = replay(&world, &[path, "--again"], 1);
    assert_eq!(kinds(&again["sessions"][0]), contradiction(1), "{again:#}");
    // The folder above is a place to look in as well.
    let folder = journal.parent().unwrap().parent().unwrap().to_str().unwrap();
    let all = replay(&world, &[folder], 1);
    assert_eq!(all["totals"]["sessions"], 1, "{all:#}");
}

#[test]
fn standard_input_is_whatever_its_beginning_tells() {
    let world = World::new();
    let journal = fs::read_to_string(journal_of_a_liar(&world)).unwrap();
    for (text, source, code) in [
        (liar(ID).text(), "transcript", 1),
        (fixture("opencode/1.18.33/export.json"), "export", 0),
        (journal, "journal", 1),
    ] {
        let answer = finish(world.start(&["replay", "--json", "-"]), text.as_bytes());
        let document = read(&answer, code);
        assert_eq!(document["sessions"][0]["source"], source);
        assert_eq!(document["sessions"][0]["file"], "-");
    }
    for (text, code) in [("", 4), ("\n\n", 4), ("a shopping list\n", 4)] {
        let answer = finish(world.start(&["replay", "--json", "-"]), text.as_bytes());
        assert_eq!(answer.code, Some(code), "{text:?}: {answer:?}");
    }
}

#[test]
fn paths_are_files_folders_patterns_or_this_projects_own() {
    let world = World::new();
    world.write("a/one.jsonl", &liar(ID).text());
    world.write("a/b/two.jsonl", &liar(OTHER).text());
    world.write("a/notes.json", "{}");
    world.write("a/empty.jsonl", "");
    fs::create_dir(world.path("void")).unwrap();
    symlink(world.path("a"), world.path("a/b/loop")).unwrap();
    for (paths, sessions, code) in [
        (vec!["a"], 2, 1),
        (vec!["a", "a/one.jsonl", "a/b"], 2, 1),
        (vec!["a/*.jsonl"], 1, 1),
        (vec!["a/**/t*.jsonl"], 1, 1),
        (vec!["a", "missing.jsonl"], 2, 1),
        (vec!["void"], 0, 4),
        (vec!["missing.jsonl"], 0, 4),
        (vec!["a/notes.json"], 0, 4),
        (vec!["*.moon"], 0, 4),
    ] {
        let document = replay(&world, &paths, code);
        assert_eq!(document["totals"]["sessions"], sessions, "{paths:?}: {document:#}");
        let missing = paths.iter().any(|path| ["missing.jsonl", "*.moon", "a/notes.json"].contains(path));
        assert_eq!(
            !document["totals"]["unreadable_files"].as_array().unwrap().is_empty(),
            missing,
            "{paths:?}"
        );
    }
    // Without a path it is the client's folder for this project.
    let name: String = world
        .path("")
        .to_str()
        .unwrap()
        .trim_end_matches('/')
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    world.write(&format!("~/.claude/projects/{name}/{ID}.jsonl"), &liar(ID).text());
    let answer = world.hostler(&["replay", "--json"]);
    assert!(answer.stderr.contains("reading the sessions of this project in"), "{answer:?}");
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!((answer.code, &document["totals"]["sessions"]), (Some(1), &json!(1)));
}

#[test]
fn arguments_that_cannot_be_meant_are_usage_errors() {
    let world = World::new();
    world.write("one.jsonl", &liar(ID).text());
    for arguments in
        [vec!["--jobs", "0"], vec!["--jobs", "many"], vec!["--profile", "moon"], vec!["--json", "--jsonl"]]
    {
        let answer = world.hostler(&[&["replay", "one.jsonl"], arguments.as_slice()].concat());
        assert_eq!(answer.code, Some(3), "{arguments:?}: {answer:?}");
    }
}

#[test]
fn json_lines_hold_one_session_each_and_the_totals_last() {
    let world = World::new();
    world.write("a/one.jsonl", &liar(ID).text());
    world.write("a/two.jsonl", &liar(OTHER).text());
    let answer = world.hostler(&["replay", "--jsonl", "a"]);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    let lines: Vec<Value> = answer.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(
        (&lines[0]["session"]["file"], &lines[1]["session"]["file"]),
        (&json!("a/one.jsonl"), &json!("a/two.jsonl"))
    );
    assert_eq!(lines[2]["totals"]["sessions"], 2);
}

#[test]
fn many_threads_tell_the_same_as_one() {
    let world = World::new();
    for number in 0..150 {
        let id = format!("{number:08x}-64de-464e-9d97-09bfa437d8e9");
        world.write(&format!("many/{id}.jsonl"), &liar(&id).text());
    }
    let one = world.hostler(&["replay", "--json", "--jobs", "1", "many"]);
    let four = world.hostler(&["replay", "--json", "--jobs", "4", "many"]);
    assert_eq!(one.stdout, four.stdout);
    assert_eq!(read(&one, 1)["totals"]["turns"], 300);
}

#[test]
fn a_turn_that_stands_in_a_copy_counts_once() {
    let world = World::new();
    let original = liar(ID);
    world.write(&format!("p/{ID}.jsonl"), &original.text());
    // A fork: the same entries under another session, and one more turn.
    let copied =
        original.text().replace(&format!("\"sessionId\":\"{ID}\""), &format!("\"sessionId\":\"{OTHER}\""));
    let fork = Script::new(OTHER);
    fork.user("and now?");
    fork.says("Nothing more was done.");
    world.write(&format!("p/{OTHER}.jsonl"), &format!("{copied}{}", fork.text()));
    let document = replay(&world, &["p"], 1);
    assert_eq!(document["totals"]["turns"], 3, "{document:#}");
    assert_eq!(document["totals"]["turns_repeated"], 2);
    assert_eq!(document["totals"]["findings"], json!({ "RESULT_CONTRADICTION": 1 }));
    // Streamed twice, and resumed in place: the same lines again say nothing new.
    world.write("twice.jsonl", &format!("{}{}", original.text(), original.text()));
    let document = replay(&world, &["twice.jsonl"], 1);
    assert_eq!((&document["totals"]["turns"], &document["totals"]["calls"]), (&json!(2), &json!(3)));
    assert_eq!(document["totals"]["lines"]["repeated"], original.text().lines().count());
}

#[test]
fn secrets_are_taken_out_unless_they_are_asked_for() {
    const SECRET: &str = "sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    let world = World::new();
    let script = Script::new(ID);
    script.user("write the key");
    script.says(&format!("I created the file `{SECRET}.txt` in the project."));
    world.write("s.jsonl", &script.text());
    let document = replay(&world, &["s.jsonl"], 1).to_string();
    assert!(!document.contains(SECRET) && document.contains("[redacted]"), "{document}");
    let raw = replay(&world, &["s.jsonl", "--raw"], 1).to_string();
    assert!(raw.contains(SECRET), "{raw}");
}

#[test]
fn files_are_looked_at_only_when_that_is_asked_for() {
    let world = World::new();
    let script = Script::new(ID);
    let here = world.path("");
    let here = here.to_str().unwrap().trim_end_matches('/');
    script.user("make the notes");
    script.bash("ls", "README.md");
    script.says("I created `notes.txt`.");
    // Long before the file was made.
    let text = script.text().replace("/home/dev/shop", here).replace("2026-11-30", "2001-11-30");
    world.write("s.jsonl", &text);
    let standing = |document: &Value| document["sessions"][0]["turns"][0]["claims"][0]["standing"].clone();
    assert_eq!(standing(&replay(&world, &["s.jsonl"], 1)), "unsupported");
    assert_eq!(standing(&replay(&world, &["s.jsonl", "--check-files"], 1)), "contradicted");
    world.write("notes.txt", "x");
    assert_eq!(standing(&replay(&world, &["s.jsonl"], 1)), "unsupported");
    assert_eq!(standing(&replay(&world, &["s.jsonl", "--check-files"], 0)), "supported");
}

/// `bytes` as a transcript: that many lines are told as damaged, and as cut off at the end.
#[track_caller]
fn check_damage(name: &str, bytes: &[u8], unreadable: u64, cut: u64) -> Value {
    let world = World::new();
    fs::write(world.path("s.jsonl"), bytes).unwrap();
    let answer = world.hostler(&["replay", "--json", "s.jsonl"]);
    assert!(matches!(answer.code, Some(0 | 1)), "{name}: {answer:?}");
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    let lines = &document["totals"]["lines"];
    assert_eq!(
        (&lines["unreadable"], &lines["cut_at_end"]),
        (&json!(unreadable), &json!(cut)),
        "{name}: {lines}"
    );
    document
}

// @traces REQ-020-114
#[test]
fn damage_is_counted_and_the_rest_is_read() {
    let whole = liar(ID).text();
    let lines: Vec<&str> = whole.lines().collect();
    let crlf = check_damage("line ends of another system", whole.replace('\n', "\r\n").as_bytes(), 0, 0);
    assert_eq!(crlf["totals"]["turns"], 2);
    let marked = check_damage("a byte order mark", format!("\u{feff}{whole}").as_bytes(), 0, 0);
    assert_eq!(marked["totals"]["turns"], 2);
    let ended = check_damage("no line end", whole.trim_end().as_bytes(), 0, 0);
    assert_eq!(ended["totals"]["findings"], json!({ "RESULT_CONTRADICTION": 1 }));
    let half = check_damage("half a line at the end", &whole.as_bytes()[..whole.len() - 40], 0, 1);
    assert_eq!(half["totals"]["findings"], json!({}), "the last words are missing: {half:#}");
    let zeros = [whole.as_bytes(), &[0; 4096]].concat();
    check_damage("zeros at the end", &zeros, 0, 1);
    let bytes = whole.replacen("make the cart", "make \u{7f}\u{7f} cart", 1).into_bytes();
    let bytes: Vec<u8> = bytes.into_iter().map(|byte| if byte == 0x7f { 0xff } else { byte }).collect();
    let odd = check_damage("bytes that are no text", &bytes, 1, 0);
    assert_eq!(odd["totals"]["turns"], 2, "{odd:#}");
    // Two writers at once: one line begins in the middle of another.
    let (first, second) = (lines[1], lines[2]);
    let mixed = whole.replacen(
        &format!("{first}\n{second}"),
        &format!("{}{second}\n{}", &first[..50], &first[50..]),
        1,
    );
    let mixed = check_damage("two lines mixed", mixed.as_bytes(), 2, 0);
    assert_eq!(mixed["totals"]["turns"], 2, "{mixed:#}");
    let joined = whole.replacen(&format!("{first}\n{second}"), &format!("{first}{second}"), 1);
    let joined = check_damage("two lines without an end between", joined.as_bytes(), 1, 0);
    assert_eq!(joined["totals"]["calls"], 3, "nothing of it is lost: {joined:#}");
}

#[test]
fn nothing_is_told_that_a_lost_line_could_refute() {
    let script = liar(ID);
    let whole = script.text();
    // The run that the last message tells of is lost.
    let lines: Vec<&str> = whole.lines().collect();
    let lost: String = lines
        .iter()
        .enumerate()
        .map(
            |(at, line)| {
                if at == 7 || at == 8 { "{\"type\":\"user\"…\n".to_owned() } else { format!("{line}\n") }
            },
        )
        .collect();
    let document = check_damage("the run is lost", lost.as_bytes(), 2, 0);
    let turn = &document["sessions"][0]["turns"][1];
    assert_eq!((&turn["findings"], &turn["damaged"]), (&json!([]), &json!(2)), "{turn:#}");
    assert_eq!(document["totals"]["turns"], 2);
}

#[test]
fn a_file_that_may_not_be_read_hinders_no_other() {
    let world = World::new();
    world.write("a/one.jsonl", &liar(ID).text());
    world.write("a/two.jsonl", &liar(OTHER).text());
    fs::set_permissions(world.path("a/two.jsonl"), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(world.path("a/two.jsonl")).is_ok() {
        // Nothing is forbidden to root, but this cannot be read by anyone from its beginning.
        fs::remove_file(world.path("a/two.jsonl")).unwrap();
        symlink("/proc/self/mem", world.path("a/two.jsonl")).unwrap();
    }
    let document = replay(&world, &["a"], 1);
    assert_eq!(document["totals"]["sessions"], 1);
    assert!(document["totals"]["unreadable_files"][0].as_str().unwrap().contains("two.jsonl"));
    replay(&world, &["a/two.jsonl"], 4);
}

#[test]
fn a_line_without_end_is_passed_over_in_bounded_memory() {
    let whole = liar(ID).text();
    let lines: Vec<&str> = whole.lines().collect();
    let long = format!("{{\"type\":\"user\",\"x\":\"{}\"}}", "a".repeat(65 * 1024 * 1024));
    let text = format!("{}\n{long}\n{}\n", lines[..4].join("\n"), lines[4..].join("\n"));
    let document = check_damage("a line of 65 MiB", text.as_bytes(), 0, 0);
    let lines = &document["totals"]["lines"];
    assert_eq!((&lines["too_long"], &lines["total"]), (&json!(1), &json!(whole.lines().count() + 1)));
    assert_eq!(document["totals"]["turns"], 2);
}

/// Random bytes in random lines: never a crash, every other line is read, every line is counted.
#[test]
fn random_damage_costs_the_damaged_lines_and_nothing_else() {
    let whole = recorded();
    let lines: Vec<&[u8]> = whole.lines().map(str::as_bytes).collect();
    let world = World::new();
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut dice = move |limit: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % limit as u64).unwrap()
    };
    for round in 0..60 {
        let mut damaged: Vec<Vec<u8>> = lines.iter().map(|line| line.to_vec()).collect();
        let mut hit = std::collections::BTreeSet::new();
        for _ in 0..=dice(5) {
            let line = dice(damaged.len());
            hit.insert(line);
            let at = dice(damaged[line].len());
            match dice(4) {
                0 => damaged[line][at] = u8::try_from(dice(256)).unwrap(),
                1 => damaged[line].truncate(at),
                2 => damaged[line].insert(at, 0),
                _ => {
                    damaged[line].drain(at..);
                    damaged[line].extend_from_slice(b"\xff\xfe{\"");
                }
            }
            damaged[line].retain(|byte| *byte != b'\n');
            if damaged[line].iter().all(u8::is_ascii_whitespace) {
                damaged[line] = b"x".to_vec();
            }
        }
        let path = world.path("s.jsonl");
        fs::write(&path, damaged.join(&b'\n')).unwrap();
        let answer = world.hostler(&["replay", "--json", "--guards", "s.jsonl"]);
        assert!(matches!(answer.code, Some(0 | 1)), "round {round}: {answer:?}");
        let document: Value = serde_json::from_str(&answer.stdout).unwrap();
        let told = &document["totals"]["lines"];
        let number = |name: &str| told[name].as_u64().unwrap();
        let hits = hit.len() as u64;
        assert_eq!(number("total"), lines.len() as u64, "round {round}: {told}");
        assert!(number("unreadable") + number("cut_at_end") <= hits, "round {round}, {hit:?}: {told}");
        let calls = document["totals"]["calls"].as_u64().unwrap();
        let lost =
            hit.iter().filter(|at| whole.lines().nth(**at).unwrap().contains("tool_use\",\"id")).count()
                as u64;
        assert!(15 - lost <= calls && calls <= 15, "round {round}, {hit:?}: {calls} calls");
    }
}
