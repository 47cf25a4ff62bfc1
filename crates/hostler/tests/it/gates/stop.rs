//! The ends of turns.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{ALONE, Session, commit, methods, nested};
use crate::hook::World;

const STUB: &str = "def discount(total):\n    pass\n";
const GOOD: &str = "def discount(total):\n    return total * 9 // 10\n";

// @traces REQ-020-032 REQ-020-036 REQ-020-037 REQ-020-038 REQ-020-043 020-ERR-001
#[test]
fn a_turn_does_not_end_on_a_file_that_does_not_parse() {
    let session = Session::new(ALONE, &[]);
    session.wrote("src/cart.py", "def total(prices:\n    return sum(prices)\n");
    let (reply, stderr) = session.end(false);
    assert_eq!(reply["decision"], "block", "{reply}");
    let reason = reply["reason"].as_str().unwrap();
    assert!(reason.contains("1 error in 1 file that this session changed"), "{reason}");
    assert!(reason.contains("Syntax errors (1):\n- src/cart.py:1 syntax: "), "{reason}");
    for step in
        ["\n1. Syntax: ", "\n2. Lint: ", "\n3. Stubs: ", "\n4. Nesting: ", "\n5. Size: ", "\n6. Tests: "]
    {
        assert!(reason.contains(step), "{step} in {reason}");
    }
    assert!(stderr.contains("src/cart.py:1 syntax: "), "{stderr}");
    session.wrote("src/cart.py", "def total(prices):\n    return sum(prices)\n");
    assert_eq!(session.end(true).0, json!({}));
}

// @traces REQ-020-039
#[test]
fn a_turn_that_broke_nothing_ends_without_a_word() {
    let session = Session::new(ALONE, &[]);
    assert_eq!(session.end(false).0, json!({}));
    session.wrote("src/cart.py", GOOD);
    assert_eq!(session.end(false).0, json!({}));
    // What was looked at and is as it was is not looked at again.
    assert_eq!(gates(&session).len(), 1);
    assert_eq!(session.end(false).0, json!({}));
    assert_eq!(gates(&session).len(), 1);
}

/// The records of looks at changes.
fn gates(session: &Session) -> Vec<Value> {
    let shown = session.world.hostler(&["--json", "audit", "show", "--kind", "gate"]);
    let document: Value = serde_json::from_str(&shown.stdout).unwrap();
    document.as_array().unwrap().iter().map(|record| record["attributes"].clone()).collect()
}

// @traces REQ-020-034 REQ-020-035 REQ-020-063 REQ-020-073 REQ-020-075 REQ-020-076 REQ-020-077 REQ-020-078 REQ-020-079
// @traces 020-ERR-004 020-ERR-005 020-ERR-006 020-ERR-007
#[test]
fn everything_that_is_broken_is_told_in_the_order_in_which_it_is_to_be_fixed() {
    let session = Session::new(ALONE, &[]);
    session.wrote("src/a_large.py", &"X = 1\n".repeat(501));
    session.wrote("src/b_class.py", &methods(16));
    let mut long = "class Long:\n    def first(self):\n        return 1\n".to_owned();
    for at in 0..300 {
        let _ = writeln!(long, "    x{at} = {at}");
    }
    session.wrote("src/c_long.py", &long);
    session.wrote("src/d_deep.py", &nested("walk", 5));
    session.wrote("src/e_stub.py", STUB);
    session.wrote("src/f_broken.py", "def f(:\n");
    let reason = session.blocked(false);
    let expected = [
        "\n\nSyntax errors (1):\n- src/f_broken.py:1 syntax",
        "\n\nStubs (1):\n- src/e_stub.py:1 stop.stub",
        "\n\nDeep nesting (1):\n- src/d_deep.py:",
        "\n\nGod objects and files (3):\n- src/a_large.py:",
    ];
    let mut from = 0;
    for part in expected {
        let at = reason[from..].find(part).unwrap_or_else(|| panic!("{part} after {from} in {reason}"));
        from += at;
    }
    let deep = reason.lines().find(|line| line.contains("d_deep")).unwrap();
    for word in ["walk", "5", "4"] {
        assert!(deep.contains(word), "{word} in {deep}");
    }
    assert!(reason.contains("16 public methods") || reason.contains("16"), "{reason}");
}

#[test]
fn a_set_of_findings_sends_back_twice_and_then_the_turn_ends_with_a_report() {
    let session = Session::new(ALONE, &[]);
    session.wrote("src/cart.py", STUB);
    session.blocked(false);
    session.blocked(true);
    let message = session.released(true);
    assert!(message.contains("src/cart.py:1 stop.stub") && message.contains("not any more"), "{message}");
    // The next turn did nothing to it and hears nothing of it.
    session.event("UserPromptSubmit", &json!({ "prompt": "thank you" }));
    assert_eq!(session.end(false).0, json!({}));
    let outcomes: Vec<Value> = gates(&session).iter().map(|record| record["outcome"].clone()).collect();
    assert_eq!(outcomes, ["sent-back", "sent-back", "released"]);
}

#[test]
fn an_agent_that_makes_progress_is_sent_back_again_and_one_that_makes_it_worse_is_not() {
    let session = Session::new(ALONE, &[]);
    session.wrote("src/a.py", STUB);
    session.wrote("src/b.py", STUB);
    session.blocked(false);
    session.blocked(true);
    session.wrote("src/a.py", GOOD);
    let reason = session.blocked(true);
    assert!(reason.contains("1 error in") && reason.contains("src/b.py"), "{reason}");
    session.wrote("src/c.py", STUB);
    let message = session.released(true);
    assert!(message.contains("2 errors in"), "{message}");
}

#[test]
fn only_what_is_new_counts() {
    let old = format!("{STUB}\n\n{}", nested("walk", 6));
    let session = Session::new(ALONE, &[("src/old.py", &old), ("src/broken.py", "def f(:\n")]);
    session.wrote("src/old.py", &format!("{old}\n\nLIMIT = 3\n"));
    assert_eq!(session.end(false).0, json!({}));
    // Worse than it was.
    session.wrote("src/old.py", &format!("{STUB}\n\n{}", nested("walk", 7)));
    let reason = session.blocked(false);
    assert!(reason.contains("stop.nesting") && !reason.contains("stop.stub"), "{reason}");
}

// @traces REQ-020-041 REQ-020-044 REQ-020-083
#[test]
fn the_session_answers_for_its_own_changes_whether_new_staged_committed_or_not() {
    let session = Session::new(ALONE, &[("src/a.py", GOOD), ("src/gone.py", GOOD)]);
    session.wrote("src/a.py", STUB);
    session.wrote("src/staged.py", STUB);
    session.world.git(&["add", "src/staged.py"]);
    session.wrote("src/committed.py", STUB);
    session.world.git(&["add", "src/committed.py"]);
    let identity = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"];
    session.world.git(&[&identity[..], &["commit", "--quiet", "-m", "c", "src/committed.py"]].concat());
    session.wrote("src/gone.py", STUB);
    std::fs::remove_file(session.world.path("src/gone.py")).unwrap();
    session.world.write(".gitignore", "ignored/\n");
    session.wrote("ignored/b.py", STUB);
    let reason = session.blocked(false);
    for name in ["src/a.py", "src/staged.py", "src/committed.py"] {
        assert!(reason.contains(&format!("- {name}:1 stop.stub")), "{name} in {reason}");
    }
    assert!(reason.contains("Stubs (3)"), "{reason}");
}

#[test]
fn what_the_user_changes_is_nobody_elses_business() {
    let world = World::new().configured(ALONE);
    world.write("src/mine.py", GOOD);
    commit(&world);
    // Not committed when the session begins.
    world.write("src/before.py", STUB);
    world.write("src/mine.py", STUB);
    let session = Session::begun(world);
    session.wrote("src/agent.py", GOOD);
    // Changed while the session goes on.
    session.world.write("src/during.py", STUB);
    assert_eq!(session.end(false).0, json!({}));
    session.wrote("src/agent.py", STUB);
    let reason = session.blocked(false);
    assert!(reason.contains("Stubs (1):\n- src/agent.py"), "{reason}");
    // What was not committed is what an edit of it is held against.
    session.wrote("src/agent.py", GOOD);
    session.wrote("src/before.py", &format!("{STUB}\n\nLIMIT = 3\n"));
    assert_eq!(session.end(true).0, json!({}));
}

// @traces REQ-020-045
#[test]
fn without_git_a_session_answers_for_the_files_that_it_made() {
    let world = World::new().configured(ALONE);
    world.write("src/old.py", STUB);
    std::fs::remove_dir_all(world.path(".git")).unwrap();
    let session = Session::begun(world);
    session.wrote("src/new.py", STUB);
    let reason = session.blocked(false);
    assert!(reason.contains("Stubs (1):\n- src/new.py"), "{reason}");
}

#[test]
fn an_unborn_branch_and_a_damaged_repository_hold_nobody_for_more() {
    let world = World::new().configured(ALONE);
    std::fs::remove_dir_all(world.path(".git")).unwrap();
    world.git(&["init", "--quiet"]);
    world.write("src/old.py", STUB);
    let session = Session::begun(world);
    session.wrote("src/new.py", STUB);
    let reason = session.blocked(false);
    assert!(reason.contains("Stubs (1):\n- src/new.py"), "{reason}");
    session.wrote("src/new.py", GOOD);
    std::fs::write(session.world.path(".git/index"), "no index").unwrap();
    assert_eq!(session.end(true).0, json!({}));
}

// @traces REQ-020-048
#[test]
fn not_more_than_thirty_files_are_looked_at() {
    // What is told has no room for the paths that a finding about what was said would name as well.
    let session = Session::new(&format!("[claims]\nenabled = false\n{ALONE}"), &[]);
    for at in 0..32 {
        session.wrote(&format!("src/m{at:02}.py"), STUB);
    }
    let (reply, _) = session.end(false);
    let reason = reply["reason"].as_str().unwrap();
    assert!(reason.contains("30 errors in 30 files") && reason.contains("- and 20 more"), "{reason}");
    let message = reply["systemMessage"].as_str().unwrap();
    assert!(message.contains("2 further changed files were not looked at"), "{message}");
}

// @traces REQ-020-080 REQ-020-081
#[test]
fn sizes_of_tests_and_of_generated_folders_are_not_measured() {
    let session = Session::new(ALONE, &[]);
    let large = "X = 1\n".repeat(501);
    for path in ["tests/test_large.py", "spike/a.py", "iterations/b.py", "ci/c.py"] {
        session.wrote(path, &large);
    }
    assert_eq!(session.end(false).0, json!({}));
    session.wrote("src/a.py", &large);
    assert!(session.blocked(false).contains("God objects and files (1):\n- src/a.py"));
}

#[test]
fn modes_and_profiles_say_what_becomes_of_it() {
    let check = |config: &str, stops: bool, tells: bool, records: usize| {
        let session = Session::new(&format!("{config}\n{ALONE}"), &[]);
        session.wrote("src/cart.py", STUB);
        let (reply, _) = session.end(false);
        assert_eq!(reply.get("decision").is_some(), stops, "{config}: {reply}");
        assert_eq!(reply.to_string().contains("stop.stub"), tells, "{config}: {reply}");
        assert_eq!(gates(&session).len(), records, "{config}");
    };
    check("[gates]\nstop = \"deny\"", true, true, 1);
    check("[gates]\nstop = \"warn\"", false, true, 1);
    check("[gates]\nstop = \"observe\"", false, false, 1);
    check("[gates]\nstop = \"off\"", false, false, 0);
    check("profile = \"observe\"", false, false, 1);
    check("[gates.checks]\n\"stop.stub\" = \"off\"", false, false, 1);
    check("[gates]\npaths = [\"packages/**\"]", false, false, 0);
}

#[test]
fn a_fault_of_ours_ends_no_turn_and_is_told() {
    let session = Session::new(ALONE, &[]);
    session.wrote("src/cart.py", STUB);
    let session = Session { world: session.world.set("HOSTLER_FAULT", "panic:gate"), next: session.next };
    let message = session.released(false);
    assert!(message.contains("not checked") && message.contains("hostler doctor"), "{message}");
}

#[test]
fn what_takes_too_long_holds_nobody_and_is_told() {
    let session = Session::new(ALONE, &[]);
    session.wrote("src/cart.py", STUB);
    // A registration that leaves three seconds.
    let entry =
        json!({ "type": "command", "command": "/opt/hostler", "args": ["hook", "claude"], "timeout": 3 });
    let settings = json!({ "hooks": { "Stop": [{ "hooks": [entry] }] } });
    session.world.write(".claude/settings.local.json", &settings.to_string());
    let session =
        Session { world: session.world.set("HOSTLER_FAULT", "slow-gate:20000"), next: session.next };
    let message = session.released(false);
    assert!(message.contains("the gates took longer than 2 s"), "{message}");
}

#[test]
fn both_reasons_come_in_one_answer() {
    let session = Session::new(&format!("[rules]\nclaim-not-done = \"deny\"\n{ALONE}"), &[]);
    session.wrote("src/cart.py", STUB);
    let fields =
        json!({ "last_assistant_message": "I created `src/other.py` too.", "stop_hook_active": false });
    let reply = session.event_loud("Stop", &fields);
    let reason = reply["reason"].as_str().unwrap();
    assert!(reason.contains("does not hold") && reason.contains("src/cart.py:1 stop.stub"), "{reason}");
}

// @traces REQ-020-033
#[test]
fn the_same_is_said_to_who_asks_by_hand() {
    let session = Session::new(ALONE, &[]);
    session.wrote("src/cart.py", STUB);
    let by_hand = session.world.hostler(&["gate"]);
    assert_eq!(by_hand.code, Some(1), "{by_hand:?}");
    assert_eq!(by_hand.stdout.trim_end(), session.blocked(false));
    let document: Value = serde_json::from_str(&session.world.hostler(&["--json", "gate"]).stdout).unwrap();
    assert_eq!(
        (&document["verdict"], &document["holding"][0]["check"]),
        (&json!("fail"), &json!("stop.stub"))
    );
    session.wrote("src/cart.py", GOOD);
    let by_hand = session.world.hostler(&["gate"]);
    assert!(by_hand.code == Some(0) && by_hand.stdout.contains("ALL GATES PASSED"), "{by_hand:?}");
    assert_eq!(session.world.hostler(&["gate", "--session", "nobody"]).code, Some(3));
}

// @traces REQ-020-042 REQ-020-084
#[test]
fn each_file_is_read_by_itself_and_one_that_cannot_be_takes_no_other_along() {
    let session = Session::new(ALONE, &[]);
    session.wrote("src/a.py", "def f(:\n");
    session.wrote("src/b.py", "if True:\nreturn 1\n");
    session.wrote("src/c.py", STUB);
    session.wrote("src/deep.py", &format!("X = {}1{}\n", "(".repeat(5_000), ")".repeat(5_000)));
    session.wrote("src/latin.py", "");
    std::fs::write(session.world.path("src/latin.py"), b"NAME = '\xe9'\n").unwrap();
    let reason = session.blocked(false);
    for name in ["src/a.py:1 syntax", "src/b.py:2 syntax", "src/c.py:1 stop.stub"] {
        assert!(reason.contains(&format!("- {name}")), "{name} in {reason}");
    }
    assert!(!reason.contains("latin.py"), "{reason}");
}

// Nothing in the payload but whose turn it is, and whether it was sent back before, has a part in the answer.
// @traces REQ-020-040
#[test]
fn what_a_payload_says_besides_changes_nothing() {
    let session = Session::new(ALONE, &[]);
    session.wrote("src/cart.py", STUB);
    let plain = session.blocked(false);
    let fields = json!({
        "last_assistant_message": "All of it is perfect.", "stop_hook_active": true,
        "transcript_path": "/nowhere/at/all.jsonl", "permission_mode": "plan", "files": ["src/other.py"],
        "decision": "approve", "background_tasks": [{ "id": "x" }],
    });
    assert_eq!(session.event_loud("Stop", &fields)["reason"], plain.as_str());
}

// @traces REQ-020-085
#[test]
fn the_project_is_where_the_client_was_started_whatever_folder_it_is_in() {
    let world = World::new().configured(ALONE);
    commit(&world);
    let root = world.path("").display().to_string();
    let session = Session::begun(world);
    session.wrote("src/cart.py", STUB);
    let elsewhere = session.world.path("~/elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let fields = json!({ "last_assistant_message": "Done.", "stop_hook_active": false, "cwd": elsewhere });
    // Without the variable the folder is the project, and nothing changed in it.
    assert!(session.event_loud("Stop", &fields).get("decision").is_none());
    let session = Session { world: session.world.set("CLAUDE_PROJECT_DIR", root), next: session.next };
    assert_eq!(session.event_loud("Stop", &fields)["decision"], "block");
}
