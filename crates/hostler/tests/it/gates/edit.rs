//! Edits before they land.

use serde_json::{Value, json};

use super::{ALONE, Session};

/// The reason of a refusal; nothing where nothing is decided.
fn reason(reply: &Value) -> Option<&str> {
    let specific = reply.get("hookSpecificOutput")?;
    (specific["permissionDecision"] == "deny").then(|| specific["permissionDecisionReason"].as_str().unwrap())
}

fn write(session: &Session, path: &str, content: &str) -> Value {
    session.before("Write", &json!({ "file_path": session.world.path(path), "content": content }))
}

fn edit(session: &Session, path: &str, old: &str, new: &str) -> Value {
    let input = json!({ "file_path": session.world.path(path), "old_string": old, "new_string": new });
    session.before("Edit", &input)
}

// @traces 021-TEST-UNIT-093 021-TEST-INTEG-015 021-TEST-INTEG-029 021-TEST-INTEG-034
#[test]
fn what_would_not_parse_does_not_land() {
    let session =
        Session::new(ALONE, &[("src/a.py", "def f(x):\n    return x\n"), ("src/b.py", "def f(:\n")]);
    let reply = write(&session, "src/new.py", "def f(:\n    return 1\n");
    let why = reason(&reply).unwrap();
    assert!(why.contains("line 1 of") && why.contains("does not parse"), "{why}");
    assert!(why.contains("Instead: write the change so that the whole file parses"), "{why}");
    let reply = edit(&session, "src/a.py", "return x", "return (x");
    assert!(reason(&reply).is_some_and(|why| why.contains("line 2 of")), "{reply}");
    // Who did not break it may go on with it, and who repairs it too.
    assert_eq!(edit(&session, "src/b.py", "def f(:", "def g(:"), json!({}));
    assert_eq!(edit(&session, "src/b.py", "def f(:\n", "def f():\n    return 1\n"), json!({}));
    let several = json!({ "file_path": session.world.path("src/a.py"), "edits": [
        { "old_string": "def f(x):", "new_string": "def f(x" },
        { "old_string": "def f(x", "new_string": "def f(x, y):" },
    ] });
    assert_eq!(session.before("MultiEdit", &several), json!({}));
}

// @traces 021-TEST-UNIT-091 021-TEST-INTEG-016
#[test]
fn what_is_no_code_is_not_reviewed() {
    let session = Session::new(&format!("profile = \"strict\"\n{ALONE}"), &[]);
    for path in ["notes.md", "a.txt", "data.csv", "Makefile"] {
        assert_eq!(write(&session, path, "def F(:\n"), json!({}), "{path}");
    }
}

const BAD_NAME: &str = "def ComputeTotal(items):\n    return sum(items)\n";

// @traces 021-FR-006 021-US-003-AC06 021-CONST-III-005
#[test]
fn errors_of_a_review_stop_an_edit_where_the_profile_says_so() {
    let strict = Session::new(&format!("profile = \"strict\"\n{ALONE}"), &[("src/old.py", BAD_NAME)]);
    let reply = write(&strict, "src/new.py", BAD_NAME);
    assert!(reason(&reply).is_some_and(|why| why.contains("(naming)")), "{reply}");
    // It was there before.
    assert_eq!(edit(&strict, "src/old.py", "sum(items)", "sum(items) + 1"), json!({}));
    let standard = Session::new(ALONE, &[]);
    assert_eq!(write(&standard, "src/new.py", BAD_NAME), json!({}));
}

// @traces 021-US-003-AC07 021-CONST-III-006 021-TEST-UNIT-094
#[test]
fn warnings_stop_no_edit() {
    let strict = Session::new(&format!("profile = \"strict\"\n{ALONE}"), &[]);
    let long = format!("NAMES = [{}]\n", "\"a\", ".repeat(40));
    let code = format!("# TODO: shorter\n{long}\n\ndef add(to=[]):\n    print(to)\n    return to\n");
    assert_eq!(write(&strict, "src/new.py", &code), json!({}));
}

// @traces 021-US-003-AC09 021-TEST-UNIT-090 021-TEST-UNIT-092
#[test]
fn a_project_says_which_files_are_reviewed() {
    let config = format!("profile = \"strict\"\n[gates]\npaths = [\"packages/**/*.py\"]\n{ALONE}");
    let session = Session::new(&config, &[]);
    assert!(reason(&write(&session, "packages/core/a.py", BAD_NAME)).is_some());
    assert_eq!(write(&session, "tools/a.py", BAD_NAME), json!({}));
    assert_eq!(write(&session, "tools/a.py", "def f(:\n"), json!({}));
}
