#![expect(clippy::unwrap_used, reason = "tests")]

use super::Category::{Added, Changed, Deprecated, Fixed, Removed, Security};
use super::*;

fn commit(id: &str, subject: &str) -> Commit {
    Commit { id: format!("{id:0<40}"), subject: subject.to_owned(), body: String::new(), parents: 1 }
}

#[track_caller]
fn check(subject: &str, category: Option<Category>, entry: &str) {
    let found = of_commits(&[commit("a1", subject)]);
    let found: Vec<_> = found.iter().map(|it| (it.category, it.entry())).collect();
    assert_eq!(found, [(category, entry.to_owned())], "{subject:?}");
}

#[test]
fn kinds_of_conventional_commits() {
    check("feat: add search", Some(Added), "Add search");
    check("feat(api): add search", Some(Added), "api: add search");
    check("FIX(Parser): overflow on empty input", Some(Fixed), "Parser: overflow on empty input");
    check("perf: halve the start-up", Some(Changed), "Halve the start-up");
    check("docs: explain modes", None, "Explain modes");
    check("chore(deps): bump serde from 1 to 2", None, "deps: bump serde from 1 to 2");
    check(
        "fix(security): compare tokens in constant time",
        Some(Security),
        "security: compare tokens in constant time",
    );
    check("fix: CVE-2026-1234 in the parser", Some(Security), "CVE-2026-1234 in the parser");
    check("test: a vulnerability scanner in CI", None, "A vulnerability scanner in CI");
    check("deprecate: the old flag", Some(Deprecated), "The old flag");
}

#[test]
fn what_breaks_is_told_whatever_its_kind() {
    check("feat!: new answer format", Some(Added), "**Breaking:** New answer format");
    check("refactor(core)!: drop the v1 reader", Some(Removed), "**Breaking:** core: drop the v1 reader");
    check("chore!: ask for Rust 1.90", Some(Changed), "**Breaking:** Ask for Rust 1.90");
    for footer in ["BREAKING CHANGE: the old one is gone", "BREAKING-CHANGE: so is this"] {
        let commit = Commit { body: format!("Why.\n\n{footer}\n"), ..commit("a1", "build: switch to uv") };
        let found = of_commits(&[commit]);
        assert_eq!((found[0].breaking, found[0].category), (true, Some(Changed)), "{footer}");
    }
}

#[test]
fn other_subjects_are_read_by_their_words() {
    check("Add a status line", Some(Added), "Add a status line");
    check("Dropped support for Python 3.8", Some(Removed), "Dropped support for Python 3.8");
    check("Removal of the old parser", Some(Removed), "Removal of the old parser");
    check("Address review comments", Some(Changed), "Address review comments");
    check("net/http: add a timeout", Some(Added), "net/http: add a timeout");
    check("parser: fixes an overflow", Some(Fixed), "parser: fixes an overflow");
    check("fixture for the parser", Some(Changed), "Fixture for the parser");
    check("✨ feat(ui): dark mode", Some(Added), "ui: dark mode");
    check(":bug: fix: a crash", Some(Fixed), "A crash");
    check("iOS build", Some(Changed), "iOS build");
    check("Läuft jetzt auch ohne Netz", Some(Changed), "Läuft jetzt auch ohne Netz");
    check("see https://example.invalid/x for why", Some(Changed), "See https://example.invalid/x for why");
}

// @traces 021-TEST-UNIT-141
#[test]
fn checkpoints_merges_and_fixups_are_no_achievements() {
    for subject in [
        "checkpoint",
        "Checkpoint: before the refactoring",
        "checkpoint 3",
        "Checkpoint before rm -rf build",
        "auto-checkpoint 2026-11-30T12:00",
        "chore: checkpoint",
        "chore(checkpoint): state before delete",
        "[checkpoint] parser works",
        "hostler checkpoint 1234abcd-7: delete",
        "git checkpoint - before reset",
        "WIP",
        "wip: half of it",
        "WIP on main: 1234567 Add x",
        "snapshot 2026-11-30",
        "fixup! feat: add search",
        "squash! feat: add search",
        "Merge branch 'main' into side",
        "Merge pull request #12 from a/b",
        "chore(session): close session 12",
        "",
    ] {
        assert_eq!(of_commits(&[commit("a1", subject)]), [], "{subject:?}");
    }
    let merge = Commit { parents: 2, ..commit("a1", "Bring both sides together") };
    assert_eq!(of_commits(&[merge]), []);
    for subject in [
        "Checkpoint restore keeps modes",
        "Checkpoints are kept for a week",
        "Add checkpoint restore",
        "feat(session): snapshot of the state",
        "Snapshot tests for the report",
        "Merge sorted runs in one pass",
    ] {
        assert_eq!(of_commits(&[commit("a1", subject)]).len(), 1, "{subject:?}");
    }
}

#[test]
fn a_change_and_its_reversal_come_to_nothing() {
    let revert = |id: &str, of: &str| Commit {
        body: format!("This reverts commit {of:0<40}.\n"),
        ..commit(id, "Revert \"feat: add search\"")
    };
    let feature = || commit("a1", "feat: add search");
    assert_eq!(of_commits(&[revert("b2", "a1"), feature()]), []);
    // Undone and done again.
    let again = of_commits(&[revert("c3", "b2"), revert("b2", "a1"), feature()]);
    assert_eq!(again.iter().map(|it| it.text.as_str()).collect::<Vec<_>>(), ["feat: add search"]);
    // Of something that is older than the session.
    let older = of_commits(&[revert("b2", "ffff")]);
    assert_eq!(older[0].category, Some(Changed));
}

#[test]
fn oldest_first_and_each_text_once() {
    let commits = [commit("c3", "Fix typo"), commit("b2", "fix typo"), commit("a1", "Add x")];
    let found = of_commits(&commits);
    assert_eq!(found.iter().map(|it| it.text.as_str()).collect::<Vec<_>>(), ["Add x", "fix typo"]);
    assert_eq!(found[0].commit.as_deref().unwrap(), format!("{:0<40}", "a1"));
}
