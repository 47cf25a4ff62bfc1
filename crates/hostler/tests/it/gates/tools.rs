//! The gates with tools of a project: real ones where they are here, and programs that stand for broken ones.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Session, commit};
use crate::hook::World;

/// Whether a program is here; says so when not.
fn has(test: &str, program: &str) -> bool {
    let status = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let there = status.is_ok_and(|status| status.success());
    if !there {
        testkit::client::skip(test, &format!("`{program} --version` does not work here"));
    }
    there
}

fn has_ruff(test: &str) -> bool {
    has(test, "ruff")
}

/// Only ruff, whatever else is here.
const RUFF: &str = "[gates.tools]\nmypy = \"off\"\npytest = \"off\"\n";

/// An environment of Python in the project, with one program in it.
fn environment(world: &World, name: &str, text: &str) {
    let program = |path: &str, text: &str| {
        world.write(path, text);
        fs::set_permissions(world.path(path), fs::Permissions::from_mode(0o755)).unwrap();
    };
    world.write(".venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.7\n");
    world.write(".gitignore", ".venv/\n");
    program(".venv/bin/python", "#!/bin/sh\nexit 1\n");
    program(&format!(".venv/bin/{name}"), text);
}

// @traces REQ-020-046 REQ-020-047 020-ERR-002
#[test]
fn what_cannot_work_holds_the_turn_and_what_is_only_untidy_does_not() {
    let name = "what_cannot_work_holds_the_turn_and_what_is_only_untidy_does_not";
    if !has_ruff(name) {
        return;
    }
    let session = Session::new(RUFF, &[("src/old.py", "def f():\n    return missing_before\n")]);
    session.wrote("src/a.py", "import os\n\n\ndef f(a):\n    return a == None\n");
    session.wrote("src/old.py", "def f():\n    return missing_before\n\n\nLIMIT = 3\n");
    assert_eq!(session.end(false).0, json!({}), "unused imports and what was there before hold nobody");
    session.wrote("src/a.py", "def f(a):\n    return a is \"x\" or missing_name\n");
    let reason = session.blocked(false);
    assert!(
        reason.contains("Lint errors (2):") && reason.contains("F632") && reason.contains("F821"),
        "{reason}"
    );
    assert!(!reason.contains("old.py"), "{reason}");
}

// @traces REQ-020-049 021-TEST-UNIT-057
#[test]
fn of_linters_not_more_is_shown_than_anybody_reads() {
    let name = "of_linters_not_more_is_shown_than_anybody_reads";
    if !has_ruff(name) {
        return;
    }
    let session = Session::new(RUFF, &[]);
    let mut code = String::new();
    for at in 0..20 {
        let _ = write!(code, "def f{at}(a):\n    return a == None\n\n\n");
    }
    session.wrote("src/a.py", &code);
    let shown = session.world.hostler(&["review", "src/a.py"]).stdout;
    assert_eq!(shown.matches(" lint E711: ").count(), 15, "{shown}");
    session.wrote("src/a.py", &code.replace("a == None", "missing"));
    let reason = session.blocked(false);
    assert_eq!(reason.matches(" stop.lint F821: ").count(), 10, "{reason}");
    assert!(reason.contains("Lint errors (20):") && reason.contains("- and 10 more"), "{reason}");
}

// @traces 021-US-003-AC08
#[test]
fn layout_is_mended_and_holds_nobody() {
    let name = "layout_is_mended_and_holds_nobody";
    if !has_ruff(name) {
        return;
    }
    let untidy = "def f( a ):\n    return a\n";
    let session = Session::new(
        RUFF,
        &[
            ("pyproject.toml", "[tool.ruff]\nline-length = 88\n"),
            ("src/old.py", "def g( a ):\n    return a\n"),
        ],
    );
    session.wrote("src/a.py", untidy);
    session.wrote("src/old.py", "def g( a ):\n    return a\n\n\nLIMIT = 3\n");
    let shown = session.world.hostler(&["review", "src/a.py"]).stdout;
    assert!(shown.contains("Quick fixes:\n  ruff format src/a.py\n  hostler fix src/a.py"), "{shown}");
    let message = session.released(false);
    assert!(message.contains("the project's formatter changed src/a.py"), "{message}");
    assert_eq!(fs::read_to_string(session.world.path("src/a.py")).unwrap(), "def f(a):\n    return a\n");
    // Nobody had laid it out before: doing so now would bury the change.
    assert!(fs::read_to_string(session.world.path("src/old.py")).unwrap().starts_with("def g( a )"));
    let reply = session.event("UserPromptSubmit", &json!({ "prompt": "go on" }));
    let context = reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("changed src/a.py after your last turn: read it again"), "{context}");
    assert_eq!(session.event("UserPromptSubmit", &json!({ "prompt": "go on" })), json!({}));
    // Where the project configures no formatter, none runs.
    let plain = Session::new(RUFF, &[]);
    plain.wrote("src/a.py", untidy);
    assert_eq!(plain.end(false).0, json!({}));
    assert_eq!(fs::read_to_string(plain.world.path("src/a.py")).unwrap(), untidy);
}

#[test]
fn fixing_changes_what_the_session_changed_and_loses_no_import() {
    let name = "fixing_changes_what_the_session_changed_and_loses_no_import";
    if !has_ruff(name) {
        return;
    }
    let session = Session::new(RUFF, &[("src/other.py", "x = {'a':1}\n")]);
    session.wrote("src/a.py", "import sys\nimport os\n\nX = {'a':1}\n");
    let fixed = session.world.hostler(&["--json", "fix"]);
    let document: Value = serde_json::from_str(&fixed.stdout).unwrap();
    assert_eq!((fixed.code, &document["changed"]), (Some(0), &json!(["src/a.py"])), "{document}");
    let text = fs::read_to_string(session.world.path("src/a.py")).unwrap();
    assert!(
        text.contains("import os") && text.contains("import sys") && text.contains("X = {\"a\": 1}"),
        "{text}"
    );
    assert_eq!(fs::read_to_string(session.world.path("src/other.py")).unwrap(), "x = {'a':1}\n");
    let again = session.world.hostler(&["fix", "src/a.py"]);
    assert!(again.code == Some(0) && again.stdout.contains("nothing to change in 1 file"), "{again:?}");
}

#[test]
fn a_program_that_harms_a_file_is_undone() {
    let world = World::new().configured("[gates.tools]\nmypy = \"off\"\npytest = \"off\"\n");
    // Whatever it is asked, it takes the imports out.
    let script =
        "#!/bin/sh\nfor file in \"$@\"; do [ -f \"$file\" ] && sed -i '/^import/d' \"$file\"; done\nexit 0\n";
    environment(&world, "black", script);
    world.write("pyproject.toml", "[tool.black]\nline-length = 88\n");
    commit(&world);
    world.write("src/a.py", "import os\n\nX = os.name\n");
    let fixed = world.hostler(&["fix", "src/a.py"]);
    assert_eq!(
        fs::read_to_string(world.path("src/a.py")).unwrap(),
        "import os\n\nX = os.name\n",
        "{fixed:?}"
    );
    assert!(fixed.code == Some(4) && fixed.stdout.contains("`src/a.py` was put back"), "{fixed:?}");
}

// @traces REQ-020-087 021-CONST-IV-009
#[test]
fn a_tool_that_fails_holds_nobody_unless_it_is_required() {
    let check = |config: &str, holds: bool| {
        let world = World::new().configured(&format!(
            "[gates.tools]\nruff = \"off\"\nmypy = \"off\"\npytest = \"off\"\n{config}"
        ));
        environment(&world, "flake8", "#!/bin/sh\necho 'cannot be' >&2\nexit 70\n");
        world.write(".flake8", "[flake8]\n");
        commit(&world);
        let session = Session::begun(world);
        session.wrote("src/a.py", "LIMIT = 3\n");
        if holds {
            let reason = session.blocked(false);
            assert!(reason.contains("flake8 is required and did not run: "), "{reason}");
        } else {
            let message = session.released(false);
            assert!(message.contains("not checked, told once a session:\n- flake8: "), "{message}");
            session.wrote("src/a.py", "LIMIT = 4\n");
            assert_eq!(session.end(false).0, json!({}), "told twice");
        }
    };
    check("", false);
    check("flake8 = \"required\"\n", true);
}

// @traces 021-CONST-IX-009 REQ-020-082
#[test]
fn a_tool_that_hangs_is_ended_in_time_and_holds_nobody() {
    let world = World::new().configured(
        "[gates.tools]\nruff = \"off\"\nmypy = \"off\"\npytest = \"off\"\n[gates.seconds]\nlint = 1\n",
    );
    environment(&world, "flake8", "#!/bin/sh\nsleep 60 &\nwait\n");
    world.write(".flake8", "[flake8]\n");
    world.write("src/a.py", "LIMIT = 3\n");
    let begun = Instant::now();
    let answer = world.hostler(&["review", "src/a.py"]);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.stdout.contains("PARTLY (not checked by flake8: "), "{answer:?}");
    assert!(answer.stdout.contains("NO ERRORS FOUND; not everything was checked"), "{answer:?}");
}

#[test]
fn where_the_profile_says_so_what_cannot_work_does_not_land() {
    let name = "where_the_profile_says_so_what_cannot_work_does_not_land";
    if !has_ruff(name) {
        return;
    }
    let bad = "def same(a):\n    return a is \"x\"\n";
    let decides = |config: &str| {
        let session = Session::new(&format!("{config}\n{RUFF}"), &[("src/old.py", bad)]);
        let write = json!({ "file_path": session.world.path("src/a.py"), "content": bad });
        let reply = session.before("Write", &write);
        let edit = json!({
            "file_path": session.world.path("src/old.py"), "old_string": "def same(a)", "new_string": "def equal(a)",
        });
        assert_eq!(session.before("Edit", &edit), json!({}), "it stood there before");
        let unused =
            json!({ "file_path": session.world.path("src/b.py"), "content": "import os\nX = missing\n" });
        assert_eq!(session.before("Write", &unused), json!({}), "the next edit may settle that");
        reply.to_string()
    };
    assert!(decides("profile = \"strict\"").contains("[lint-error] line 2 of"));
    assert_eq!(decides(""), "{}");
}

// @traces 021-TEST-INTEG-030
#[test]
fn a_file_with_what_cannot_work_fails_at_the_second_gate() {
    let name = "a_file_with_what_cannot_work_fails_at_the_second_gate";
    if !has_ruff(name) {
        return;
    }
    let world = World::new().configured(RUFF);
    world.write("src/a.py", "def same(a):\n    return a is \"x\"\n");
    let answer = world.hostler(&["review", "src/a.py"]);
    let line = answer.stdout.lines().nth(1).unwrap_or_default();
    assert!(answer.code == Some(1) && line.starts_with("GATE 2: Lint"), "{answer:?}");
    assert!(line.contains("FAIL (1 error") && answer.stdout.contains("src/a.py:2 lint F632: "), "{answer:?}");
}

// @traces 021-US-003-AC03 021-TEST-INTEG-031
#[test]
fn types_imports_and_what_is_unsafe_are_the_third_gate() {
    let name = "types_imports_and_what_is_unsafe_are_the_third_gate";
    if !has(name, "mypy") || !has(name, "python3") {
        return;
    }
    let world =
        World::new().configured("[gates]\nimports = true\n[gates.tools]\nruff = \"off\"\npytest = \"off\"\n");
    world.write("pyproject.toml", "[tool.mypy]\n[project]\nname = \"shop\"\n");
    world.write("cart.py", "import no_such_module_anywhere  # type: ignore\n\nX: int = \"text\"\n");
    let code = "def load(path):\n    try:\n        return open(path)\n    except:\n        return None\n\n\n\
        # TODO: faster\nprint(load(\"a\"))\nPASSWORD = \"Tr0ub4dor-and-3x\"\nAPI_TOKEN = \"zk_live_9f8e7d6c5b4a39281706\"\n";
    world.write("unsafe.py", code);
    let answer = world.hostler(&["--json", "review", "--gate", "3", "cart.py", "unsafe.py"]);
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    let findings = document["findings"].as_array().unwrap();
    for (file, check, count) in [
        ("cart.py", "type", 1),
        ("cart.py", "import", 1),
        ("unsafe.py", "bare_except", 1),
        ("unsafe.py", "todo", 1),
        ("unsafe.py", "debug_print", 1),
        ("unsafe.py", "secret", 2),
    ] {
        let found = findings.iter().filter(|it| it["file"] == file && it["check"] == check).count();
        assert_eq!(found, count, "{check} in {file}: {document:#}");
    }
}

#[test]
fn a_review_that_somebody_types_imports_the_files_and_says_so() {
    if !has("a_review_that_somebody_types_imports_the_files_and_says_so", "python3") {
        return;
    }
    let quiet =
        "[gates.tools]\nruff = \"off\"\nmypy = \"off\"\npytest = \"off\"\n[gates.seconds]\nlint = 5\n";
    let world = World::new().configured(quiet);
    let ran = "from pathlib import Path\n\nPath(\"ran\").touch()\n";
    world.write("cart.py", &format!("import prices\n{ran}VALUE = prices.NONE\n"));
    world.write("prices.py", "VALUE = 1\n");
    // The end of a turn does not ask for it.
    let answer = world.hostler(&["gate", "--all"]);
    assert!(answer.code == Some(0) && !world.path("ran").exists(), "{answer:?}");

    let answer = world.hostler(&["review", "cart.py"]);
    assert!(answer.code == Some(1) && world.path("ran").exists(), "{answer:?}");
    assert!(answer.stdout.contains("cart.py:5 import AttributeError"), "{answer:?}");
    assert!(answer.stdout.contains("note: the project's code was run, by import"), "{answer:?}");
    assert!(!world.path("__pycache__").exists());
    let answer = world.hostler(&["--json", "review", "cart.py"]);
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(
        (&document["runs"][0]["tool"], &document["runs"][0]["ran_code"]),
        (&"import".into(), &true.into())
    );

    // One that does not end is ended with what it started.
    let hang = "import subprocess\n\nsubprocess.run([\"sh\", \"-c\", \"echo $$ > pid; exec sleep 600\"])\n";
    world.write("slow.py", hang);
    let answer = world.hostler(&["review", "slow.py"]);
    assert!(answer.code == Some(0) && answer.stdout.contains("did not end within"), "{answer:?}");
    let id = std::fs::read_to_string(world.path("pid")).unwrap();
    assert!(!std::path::Path::new("/proc").join(id.trim()).join("exe").exists(), "{id}");

    std::fs::remove_file(world.path("ran")).unwrap();
    let world = world.configured(&format!("[gates]\nimports = false\n{quiet}"));
    let answer = world.hostler(&["review", "cart.py"]);
    assert!(answer.code == Some(0) && !world.path("ran").exists(), "{answer:?}");
    assert!(answer.stdout.ends_with("ALL GATES PASSED\n"), "{answer:?}");
}

#[test]
fn what_an_agent_goes_on_with_is_not_laid_out_under_its_hands() {
    let name = "what_an_agent_goes_on_with_is_not_laid_out_under_its_hands";
    if !has_ruff(name) {
        return;
    }
    let config = format!("[rules]\nclaim-not-done = \"deny\"\n{RUFF}");
    let session = Session::new(&config, &[("pyproject.toml", "[tool.ruff]\nline-length = 88\n")]);
    let untidy = "def f( a ):\n    return a\n";
    session.wrote("src/a.py", untidy);
    let text = || fs::read_to_string(session.world.path("src/a.py")).unwrap();
    let end = |message: &str, continuing: bool| {
        let fields = json!({ "last_assistant_message": message, "stop_hook_active": continuing });
        session.event_loud("Stop", &fields)
    };
    assert_eq!(end("I created `src/other.py` too.", false)["decision"], "block");
    assert_eq!(text(), untidy);
    assert!(end("I was wrong: there is only `src/a.py`.", true).get("decision").is_none());
    assert_eq!(text(), "def f(a):\n    return a\n");
}

#[test]
fn what_the_gates_saw_fail_is_held_against_what_is_said_of_it() {
    let name = "what_the_gates_saw_fail_is_held_against_what_is_said_of_it";
    if !has(name, "pytest") {
        return;
    }
    let session = Session::new("[gates.tools]\nruff = \"off\"\nmypy = \"off\"\n", &[]);
    session.wrote("tests/test_cart.py", "def test_total():\n    assert 1 == 2\n");
    let reason = session.blocked(false);
    assert!(reason.contains("Failing tests (1):\n- tests/test_cart.py:"), "{reason}");
    let fields = json!({ "last_assistant_message": "All tests pass now.", "stop_hook_active": true });
    let reply = session.event_loud("Stop", &fields);
    let reason = reply["reason"].as_str().unwrap();
    assert!(reason.contains("[claim-contradicted]") && reason.contains("Failing tests (1)"), "{reason}");
}
