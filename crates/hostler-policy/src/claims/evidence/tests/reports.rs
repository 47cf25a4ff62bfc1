//! What subagents report.

use hostler_model::Action;

use super::{evidence, render};
use crate::claims::evidence::{Evidence, FailureKind};

fn task(report: &str) -> Evidence {
    let action = Action::Delegate { prompt: "do".to_owned(), agent: "general-purpose".to_owned() };
    evidence("Task", action, true, report)
}

/// What a report that told what there is to tell leaves open: it may have looked at anything.
const LOOKED: &str = "Read * tree";

#[track_caller]
fn check(report: &str, expected: &[&str]) {
    assert_eq!(render(&task(report)), expected, "{report}");
}

#[test]
fn a_report_that_tells_little_leaves_everything_open() {
    check("Done.", &["opaque"]);
    check("", &["opaque"]);
    check("I did not find any problems.", &["opaque"]);
    check("Everything is in place now, have a look.", &["opaque"]);
    check("Async agent launched successfully.\nagentId: ae8a4fb (internal ID)", &["opaque"]);
    check("Pushed the branch.", &["+Push", "opaque"]);
}

#[test]
fn what_a_report_says_was_done_is_done() {
    check(
        "Created src/x.py. pytest: 9 passed",
        &["Create src/x.py", "Edit src/x.py", LOOKED, "Test pytest ok 9p 0f"],
    );
    check(
        "I updated `src/a.rs` and deleted `src/old.rs`. The full suite: 29 passed, 1 failed.",
        &["Edit src/a.rs", "Create src/a.rs", "Delete src/old.rs", LOOKED, "Test subagent FAILED 29p 1f"],
    );
    let found = task("Ported lib/uploader.ts to the new client. Ran vitest: 58 passed, 0 failed.");
    assert!(!found.opaque && found.failure.is_none(), "{found:?}");
    assert_eq!(super::runs(&found), ["Test vitest ok 58p 0f"]);
    assert!(found.files.iter().any(|it| it.path.ends_with("lib/uploader.ts")), "{found:?}");
    // Lists of files under a heading that tells.
    let found = task(
        "I refactored the parser.\n\nFiles changed:\n- `src/parse.rs`\n- src/lex.rs:12\n\nI did not touch `src/ast.rs`.",
    );
    let named = |path: &str| found.files.iter().any(|it| it.path.ends_with(path));
    assert!(named("/src/parse.rs") && named("/src/lex.rs") && !named("/src/ast.rs"), "{found:?}");
    assert!(!found.opaque, "{found:?}");
}

#[test]
fn counts_are_read_as_those_of_programs_are() {
    check("pytest: 29 passed, 1 failed", &[LOOKED, "Test pytest FAILED 29p 1f"]);
    check(
        "Ran checkout.spec.ts: 11 passed, 2 failed (expects 19.99, got 20.00), rounding of formatPrice.",
        &[LOOKED, "+Run checkout.spec.ts", "Test subagent FAILED 11p 2f"],
    );
}

#[test]
fn a_report_that_nothing_was_changed_proves_no_change() {
    for report in [
        "The bug is in the cache layer. I did not change anything.",
        "No changes were made.",
        "I looked at the three modules; nothing was changed.",
        "I didn't modify any files.",
    ] {
        let found = task(report);
        assert!(!found.opaque && found.failure.is_none(), "{report}: {found:?}");
        assert!(found.files.iter().all(|it| it.act == crate::claims::Act::Read), "{report}: {found:?}");
    }
    for report in [
        "I fixed it and did not change anything else.",
        "I did not change any files outside the module.",
        "The migration does not change anything in production.",
    ] {
        assert!(task(report).opaque, "{report}");
    }
}

#[test]
fn inability_is_a_failure() {
    for (report, message) in [
        (
            "I read the files. I was not able to run the tests because the database is down.",
            "I was not able to run the tests",
        ),
        ("I could not run the specs: MinIO is not reachable.", "I could not run the specs"),
        ("The tests could not be executed.", "The tests could not be executed"),
        ("BLOCKED: no credentials for the registry", "BLOCKED: no credentials"),
        ("BLOCKING: the schema is locked by another session", "BLOCKING: the schema"),
        ("- Couldn't push: permission denied", "Couldn't push"),
        ("I started, but ran out of context.", "I started, but ran out"),
    ] {
        let failure =
            task(report).failure.filter(|it| it.kind == FailureKind::Error && it.target == "subagent");
        assert!(failure.as_ref().is_some_and(|it| it.message.starts_with(message)), "{report}: {failure:?}");
        assert!(!task(report).opaque, "{report}");
    }
    // What it did before counts.
    let found = task("Ported lib/uploader.ts to the new client. I could not run the specs.");
    assert!(found.files.iter().any(|it| it.path.ends_with("lib/uploader.ts")), "{found:?}");
    // Code is described.
    for report in [
        "The parser could not handle nested quotes; that is the bug.",
        "`load()` did not check for null, which is why it crashed.",
        "The old client cannot stream.",
        "I did not find any callers.",
        "I could not find any problems.",
    ] {
        assert!(task(report).failure.is_none(), "{report}");
    }
}

#[test]
fn findings_of_a_review_are_notable() {
    let found = task(
        "Findings:\n1. BLOCKING: nonce is reused across sessions (session.rs:88)\n2. otherwise key handling is fine\n- **Critical:** tokens are logged",
    );
    assert_eq!(
        found.notable,
        ["1. BLOCKING: nonce is reused across sessions (session.rs:88)", "- **Critical:** tokens are logged"]
    );
    assert!(found.failure.is_none());
    assert!(task("No BLOCKING findings, none at all.").notable.is_empty());
}

#[test]
fn long_reports_stay_open() {
    let report = format!("Created src/x.py.\n{}", "More about how it all works.\n".repeat(1_000));
    assert!(task(&report).opaque);
}
