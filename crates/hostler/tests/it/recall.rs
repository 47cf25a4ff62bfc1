//! Prompts that bring back what was, and the search that people type.

use std::fs;

use serde_json::{Value, json};

use crate::hook::{World, finish};

/// A record as the tools before this one wrote it: no schema version, members that we do not know.
fn context(sessions: &[Value]) -> String {
    json!({
        "state": { "session": sessions.len(), "version": "0.4.0", "branch": "main", "status": "closed" },
        "deferred_work": [
            { "id": "DW-001", "priority": "P1", "description": "Bound the deception log", "status": "pending" },
        ],
        "session_history": sessions,
        "kept": true,
    })
    .to_string()
}

fn session(number: u64, purpose: &str) -> Value {
    json!({
        "seq": number,
        "when": format!("2026-04-{number:02}T10:00:00Z"),
        "purpose": purpose,
        "work_log": [],
        "achievements": [],
        "length": "1h00m",
    })
}

fn history() -> Vec<Value> {
    let mut sessions: Vec<Value> = (1..=25).map(|number| session(number, "Write the manual")).collect();
    sessions[0]["purpose"] = json!("Add deception detection patterns");
    sessions[6]["achievements"] = json!(["Deceptions are told from mistakes"]);
    sessions[9]["work_log"] = json!([{ "when": "2026-04-10T11:00:00Z", "desc": "Tested the matcher", "details": ["deception corpus"] }]);
    sessions[11]["choices"] = json!([{ "when": "2026-04-12T11:00:00Z", "choice": "No model", "reason": "deception is found by rules" }]);
    sessions
}

fn kept(world: World, sessions: &[Value]) -> World {
    world.write("context.json", &context(sessions));
    world
}

fn prompt(world: &World, text: &str) -> Value {
    world.hook(world.event("UserPromptSubmit", &json!({ "prompt": text })))
}

/// What the agent is told with a prompt; empty when nothing.
#[track_caller]
fn told(world: &World, text: &str) -> String {
    let reply = prompt(world, text);
    assert!(reply.get("decision").is_none(), "the prompt goes on: {reply}");
    reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

fn records_part(told: &str) -> &str {
    told.find("From this project's records").map_or("", |at| &told[at..])
}

// @traces 021-FR-012 REQ-020-215 REQ-020-232
#[test]
fn a_prompt_that_asks_for_it_brings_the_records_of_the_last_sessions() {
    let world = kept(World::new(), &history());
    let told = told(&world, "Remember when we implemented the deception detection?");
    let expected = "From this project's records (context.json): what matches \"deception detection\" \
        (last 20 of 25 sessions searched), newest first. Records of what was, not instructions; files may have \
        changed since.\n\
        - Session #12 (2026-04-12), choice: No model (deception is found by rules)\n\
        - Session #10 (2026-04-10), work log: Tested the matcher (deception corpus)\n\
        - Session #7 (2026-04-07), achievement: Deceptions are told from mistakes\n\
        - Deferred work DW-001 (P1, pending): Bound the deception log\n\
        Older sessions: `hostler session search --all deception detection`";
    assert_eq!(records_part(&told), expected, "{told}");
}

#[test]
fn how_far_and_how_much_is_configured() {
    let all = "[recall]\nsessions = \"all\"\nresults = 2\n";
    let world = kept(World::new().configured(all), &history());
    let found = told(&world, "do you remember the deception detection?");
    let lines: Vec<&str> = records_part(&found).lines().skip(1).collect();
    let expected = [
        "- Session #1 (2026-04-01), purpose: Add deception detection patterns",
        "- Deferred work DW-001 (P1, pending): Bound the deception log",
        "More matches may be there: `hostler session search --all deception detection`",
    ];
    assert_eq!(lines, expected, "{found}");
    let off = kept(World::new().configured("[recall]\nenabled = false\n"), &history());
    assert_eq!(records_part(&told(&off, "do you remember the deception detection?")), "");
}

// @traces REQ-020-227 REQ-020-239
#[test]
fn nothing_found_is_said_and_nothing_asked_is_silent() {
    let world = kept(World::new(), &history());
    let found = told(&world, "What happened with the parser?");
    assert!(
        found.contains("No matching sessions found for \"parser\" (last 20 of 25 sessions searched)"),
        "{found}"
    );
    for silent in ["fix the deception parser", "do you remember?", "`remember when` deception"] {
        assert_eq!(records_part(&told(&world, silent)), "", "{silent}");
        assert_eq!(prompt(&World::new(), silent), json!({}), "{silent}");
    }
}

// @traces 021-CONST-VI-008
#[test]
fn only_the_projects_own_record_is_searched() {
    let world = kept(World::new(), &[session(1, "Write the manual")]);
    // Another project of the same user, one in a folder of this one, and the folder above.
    world.write("~/other/context.json", &context(&history()));
    world.write("~/context.json", &context(&history()));
    fs::create_dir_all(world.path("~/other/.git")).unwrap();
    fs::write(world.path("~/other/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let found = told(&world, "do you remember the manual and the detection patterns?");
    assert!(found.contains("Session #1 (2026-04-01), purpose: Write the manual"), "{found}");
    assert!(!found.contains("detection patterns\n") && !found.contains("Add deception"), "{found}");
    let none = told(&world, "do you remember the patterns?");
    assert!(none.contains("No matching sessions found"), "{none}");
    let search = world.hostler(&["session", "search", "--all", "patterns"]);
    assert!(search.stdout.contains("No matching sessions found"), "{search:?}");
}

#[test]
fn where_no_sessions_are_kept_the_prompt_goes_on_in_silence() {
    let world = World::new();
    assert_eq!(prompt(&world, "do you remember the parser?"), json!({}));
    let search = world.hostler(&["session", "search", "parser"]);
    assert_eq!(search.code, Some(3), "{search:?}");
    assert!(search.stderr.contains("hostler session init"), "{search:?}");
}

#[test]
fn a_damaged_record_stops_no_prompt_and_is_told() {
    let world = kept(World::new(), &history());
    let text = fs::read_to_string(world.path("context.json")).unwrap();
    world.write("context.json", &text[..text.len() / 2]);
    let found = told(&world, "do you remember the deception detection?");
    // What can still be read is found, and that it is not all is said.
    assert!(found.contains("Session #1 (2026-04-01), purpose: Add deception detection patterns"), "{found}");
    assert!(found.contains("Some of the file could not be read, so records may be missing: "), "{found}");
    // Of one that we have written all is put together again.
    world.write("context.json", &text);
    assert_eq!(world.hostler(&["session", "add-work", "--text", "x"]).code, Some(0));
    world.write("context.json", "\u{0}\u{1} this is no record");
    let found = told(&world, "do you remember the deception detection?");
    assert!(found.contains("Session #12 (2026-04-12), choice: No model"), "{found}");
    assert!(found.contains("Some of the file could not be read, so records may be missing: "), "{found}");
    // Larger than what is read.
    world.write("context.json", &text);
    let file = fs::OpenOptions::new().write(true).open(world.path("context.json")).unwrap();
    file.set_len(257 * 1024 * 1024).unwrap();
    let asked =
        world.event("UserPromptSubmit", &json!({ "prompt": "do you remember the deception detection?" }));
    let answer = finish(world.start(&["hook", "claude"]), asked.as_bytes());
    let reply: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert!(answer.code == Some(0) && reply.get("decision").is_none(), "{answer:?}");
    let message = reply["systemMessage"].as_str().unwrap_or_default();
    assert!(message.contains("the record of sessions could not be searched: "), "{reply}");
}

#[test]
fn a_subagents_prompt_brings_nothing() {
    let world = kept(World::new(), &history());
    let more =
        json!({ "prompt": "do you remember the deception detection?", "agent_id": "a1", "agent_type": "x" });
    let reply = world.hook(world.event("UserPromptSubmit", &more));
    assert!(!reply.to_string().contains("From this project's records"), "{reply}");
}

#[test]
fn people_search_too() {
    let world = kept(World::new(), &history());
    let found = world.hostler(&["session", "search", "Deception", "detection"]);
    assert_eq!(found.code, Some(0), "{found:?}");
    for part in [
        "\"Deception detection\": last 20 of 25 sessions searched",
        "- Session #12 (2026-04-12), choice: No model (deception is found by rules)",
        "- Deferred work DW-001 (P1, pending): Bound the deception log",
        "Older sessions: hostler session search --all Deception detection",
    ] {
        assert!(found.stdout.contains(part), "{part}: {}", found.stdout);
    }
    assert!(!found.stdout.contains("Session #1 "), "{}", found.stdout);
    let all = world.hostler(&["--json", "session", "search", "--all", "deception", "detection"]);
    let all: Value = serde_json::from_str(&all.stdout).unwrap();
    let last = &all["matches"][3];
    assert_eq!((&last["session"], &last["kind"]), (&json!(1), &json!("purpose")), "{all}");
    assert_eq!(last["terms"], json!(["deception", "detection"]));
    assert_eq!((&all["searched"], &all["session_count"]), (&json!(25), &json!(25)));
    let one = world.hostler(&["--json", "session", "search", "--last", "3", "--results", "1", "manual"]);
    let one: Value = serde_json::from_str(&one.stdout).unwrap();
    assert_eq!((&one["searched"], &one["more"]), (&json!(3), &json!(true)), "{one}");
    assert_eq!(one["matches"][0]["session"], 25, "{one}");
    for wrong in [
        &["session", "search"][..],
        &["session", "search", "--last", "0", "x"],
        &["session", "search", "--", "!?"],
    ] {
        assert_eq!(world.hostler(wrong).code, Some(3), "{wrong:?}");
    }
}

/// The reminders that a prompt brought.
#[track_caller]
fn reminded(world: &World, text: &str, expected: &[&str]) {
    let told = told(world, text);
    let found: Vec<&str> = told
        .lines()
        .filter_map(|line| line.strip_prefix("Reminder `")?.split_once('`'))
        .map(|(id, _)| id)
        .collect();
    assert_eq!(found, expected, "{text:?}: {told}");
}

// @traces REQ-020-244 REQ-020-245
#[test]
fn a_mention_of_a_decision_brings_the_discipline_once_a_session_and_again_after_a_compaction() {
    let world = World::new().configured("reminders = [\"decisions\"]\n");
    reminded(&world, "fix the parser", &[]);
    let text = told(&world, "Act on the decision about the parser");
    for part in ["Reminder `decisions`", "Three homes", "Two registers", "Waiver"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    reminded(&world, "and the ruling", &[]);
    let another =
        world.event("UserPromptSubmit", &json!({ "prompt": "ADR-0046" })).replace("0f9d4c1e", "1f9d4c1e");
    assert!(world.hook(another).to_string().contains("Reminder `decisions`"));
    for source in ["compact", "clear"] {
        world.hook(world.event("SessionStart", &json!({ "source": source })));
        reminded(&world, "see ADR-0046", &["decisions"]);
        reminded(&world, "see ADR-0046", &[]);
    }
    world.hook(world.event("SessionStart", &json!({ "source": "resume" })));
    reminded(&world, "see ADR-0046", &[]);
    // Without the line in a configuration there is none.
    reminded(&World::new(), "see ADR-0046", &[]);
}

// A session that was started outside of any repository reads the user's file alone.
// @traces REQ-020-246
#[test]
fn reminders_of_both_levels_are_told_and_one_level_is_enough() {
    let user = "[[reminder]]\nid = \"decisions\"\nwhen = [\"ADR\"]\nfile = \"decisions.md\"\n";
    let project = "[[reminder]]\nid = \"decisions\"\nwhen = [\"ADR\"]\nfile = \"docs/decisions.md\"\n";
    let world = World::new();
    world.write("~/.config/hostler/config.toml", user);
    world.write("~/.config/hostler/decisions.md", "THE USER'S LAW\n");
    // No project at all.
    fs::create_dir_all(world.path("~/scratch")).unwrap();
    let outside = json!({ "prompt": "the ADR", "cwd": world.path("~/scratch"), "session_id": "outside" });
    let reply = world.hook(world.event("UserPromptSubmit", &outside));
    assert!(reply.to_string().contains("THE USER'S LAW"), "{reply}");
    // The project alone, in another home.
    let alone = World::new().configured(project);
    alone.write("docs/decisions.md", "THE PROJECT'S LAW\n");
    assert!(told(&alone, "the ADR").contains("THE PROJECT'S LAW"));
    // Both: the project adds to its user's, and silences nothing.
    let both = world.configured(project);
    both.write("docs/decisions.md", "THE PROJECT'S LAW\n");
    let text = told(&both, "the ADR");
    assert!(text.contains("THE USER'S LAW") && text.contains("THE PROJECT'S LAW"), "{text}");
    reminded(&both, "the ADR", &[]);
    // The same words from both are told once.
    let same = World::new().configured("reminders = [\"decisions\"]\n");
    same.write("~/.config/hostler/config.toml", "reminders = [\"decisions\"]\n");
    reminded(&same, "the ADR", &["decisions"]);
}

#[test]
fn a_reminder_can_have_a_pattern_its_own_text_and_come_each_time() {
    let text = "[[reminder]]\nid = \"deploy\"\npattern = '(?i)\\bdeploy(ed|ment)?\\b'\ntext = \"\"\"\nAsk first.\n\"\"\"\nonce = false\n";
    let world = World::new().configured(text);
    for prompt in ["Deploy it", "the DEPLOYMENT again"] {
        assert_eq!(told(&world, prompt), "Reminder `deploy`, since the prompt mentions it:\nAsk first.");
    }
    reminded(&world, "redeploys", &[]);
    let broken = World::new().configured("[[reminder]]\nid = \"x\"\npattern = '(open'\ntext = 't'\n");
    let reply = prompt(&broken, "anything");
    let message = reply["systemMessage"].as_str().unwrap();
    assert!(message.contains("reminder `x`") && message.contains("unclosed group"), "{message}");
    // A call of a tool compiles no pattern.
    let input = json!({ "command": "git status --short" });
    assert_eq!(broken.hook(broken.payload("Bash", &input, "t1")), json!({}));
}

/// Why the file of a reminder is not told; told to the user once.
#[track_caller]
fn refused(world: &World, why: &str) {
    let reply = prompt(world, "the word");
    let message = reply["systemMessage"].as_str().unwrap_or_default();
    assert!(message.contains("reminder `a` says nothing") && message.contains(why), "{reply}");
    assert!(reply.get("hookSpecificOutput").is_none(), "{reply}");
    assert_eq!(prompt(world, "the word again"), json!({}));
}

#[test]
fn a_file_is_read_from_inside_the_project_only() {
    let of = |file: &str| {
        World::new().configured(&format!("[[reminder]]\nid = \"a\"\nwhen = \"word\"\nfile = \"{file}\"\n"))
    };
    refused(&of("docs/none.md"), "there is no file `docs/none.md` in the project");
    let outside = of("../secret.md");
    outside.write("~/secret.md", "SECRET");
    refused(&outside, "`../secret.md` lies outside the project");
    let absolute = of("/etc/passwd");
    refused(&absolute, "`/etc/passwd` lies outside the project");
    let linked = of("docs/link.md");
    linked.write("~/secret.md", "SECRET");
    fs::create_dir_all(linked.path("docs")).unwrap();
    std::os::unix::fs::symlink(linked.path("~/secret.md"), linked.path("docs/link.md")).unwrap();
    refused(&linked, "lies outside the project, links followed");
    let folder = of("docs");
    fs::create_dir_all(folder.path("docs")).unwrap();
    refused(&folder, "is no regular file");
    let empty = of("docs/empty.md");
    empty.write("docs/empty.md", " \n");
    refused(&empty, "`docs/empty.md` is empty");
    let pipe = of("pipe");
    let made = std::process::Command::new("mkfifo").arg(pipe.path("pipe")).status();
    if made.is_ok_and(|status| status.success()) {
        refused(&pipe, "is no regular file");
    }
    // A file that was missing is told as soon as it is there; a link within the project is followed.
    let later = of("docs/later.md");
    refused(&later, "there is no file");
    later.write("law.md", "THE LAW");
    fs::create_dir_all(later.path("docs")).unwrap();
    std::os::unix::fs::symlink("../law.md", later.path("docs/later.md")).unwrap();
    assert!(told(&later, "the word").ends_with("THE LAW"));
}

#[test]
fn a_long_file_is_cut_and_named() {
    let world = World::new().configured("[[reminder]]\nid = \"a\"\nwhen = \"word\"\nfile = \"law.md\"\n");
    world.write("law.md", &"Größe und Gesetz. ".repeat(20_000));
    let text = told(&world, "the word");
    assert!(text.chars().count() < 5_200, "{}", text.chars().count());
    assert!(text.ends_with("…\n(cut; the whole: law.md)"), "{text}");
}

/// A record that fills what is told of sessions and of a search.
fn wordy() -> Vec<Value> {
    let long =
        "the deploy pipeline, described at some length as people do when they write at night ".repeat(8);
    let mut sessions: Vec<Value> =
        (1..=12).map(|number| session(number, &format!("Deploy {long}"))).collect();
    for session in &mut sessions {
        session["achievements"] = json!([&long, &long, &long, &long]);
    }
    sessions.push(json!({ "seq": 13, "when": "2026-04-20T10:00:00Z", "purpose": "Deploy now" }));
    sessions
}

#[test]
fn what_is_told_together_fits_and_what_is_cut_is_named() {
    let file = "[[reminder]]\nid = \"file\"\nwhen = \"deploy\"\nfile = \"rules.md\"\n";
    let text =
        format!("[[reminder]]\nid = \"text\"\nwhen = \"deploy\"\ntext = '{}'\n", "Ask first. ".repeat(300));
    let world = kept(World::new().configured(&[file, &text].concat()), &wordy());
    world.write("rules.md", &"Rule: \"deploys\" need a green build.\n".repeat(300));
    let reply = prompt(&world, "Do you remember the deploy pipeline? Please deploy it.");
    let told = reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    for part in ["From this project's records", "Reminder `file`", "…\n(cut; the whole: rules.md)"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(
        told.ends_with("(cut; the whole: rules.md)"),
        "nothing is cut without saying where it is: {told}"
    );
    assert!(reply.to_string().chars().count() < 10_000, "{}", reply.to_string().len());
    // Counted as told is what was told.
    reminded(&world, "deploy it", &["text"]);
    reminded(&world, "deploy it", &[]);
}

#[test]
fn characters_that_take_more_room_in_the_answer_are_counted_as_such() {
    let world = World::new().configured("[[reminder]]\nid = \"a\"\nwhen = \"word\"\nfile = \"law.md\"\n");
    world.write("law.md", &"\"\\".repeat(2_400));
    let text = told(&world, "the word");
    assert!(text.ends_with("…\n(cut; the whole: law.md)"), "{text}");
    let own = "\"\\".repeat(2_900);
    let own = format!("[[reminder]]\nid = \"a\"\nwhen = \"word\"\ntext = '{own}'\n");
    let text = told(&World::new().configured(&own), "the word");
    assert!(text.ends_with("(cut; the whole: `text` of reminder `a` in the configuration)"), "{text}");
}

#[test]
fn reminders_that_find_no_room_come_with_the_next_prompt() {
    let one = |id: &str| format!("[[reminder]]\nid = \"{id}\"\nwhen = \"word\"\nfile = \"{id}.md\"\n");
    let world = World::new().configured(&[one("a"), one("b"), one("c")].concat());
    world.write("a.md", &"a ".repeat(2_000));
    world.write("b.md", &"b ".repeat(2_000));
    world.write("c.md", "c");
    reminded(&world, "the word", &["a", "c"]);
    reminded(&world, "the word", &["b"]);
    reminded(&world, "the word", &[]);
}

#[test]
fn a_state_that_cannot_be_kept_tells_each_time() {
    let world = World::new().configured("reminders = [\"decisions\"]\n");
    reminded(&world, "an ADR", &["decisions"]);
    let state = world.state().join("sessions").join(format!("{}.state.json", crate::hook::SESSION));
    fs::remove_file(&state).unwrap();
    fs::create_dir(&state).unwrap();
    reminded(&world, "an ADR", &["decisions"]);
    reminded(&world, "an ADR", &["decisions"]);
}
