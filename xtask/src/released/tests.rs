#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::released::ask::hunk;

/// A file in which every kind of edit and defect has a place.
const MODULE: &str = include_str!("tests/orders.py");

fn sample() -> Sample<'static> {
    Sample::new("shop/orders.py", MODULE).unwrap()
}

fn python() -> &'static Ground {
    GROUNDS.iter().find(|it| it.name == "python").unwrap()
}

/// Every kind of change that there is, made with many seeds.
fn every(make: Make, name: &str) -> Vec<Change> {
    let made: Vec<Change> =
        (0..40).filter_map(|seed| make(&sample(), &mut Random::new(seed, "shop/orders.py"))).collect();
    assert!(!made.is_empty(), "{name} has no place in the fixture");
    made
}

#[test]
fn every_change_is_what_it_is_meant_to_be() {
    let check = |name: &str, changes: &[Change], broken: bool| {
        let texts: Vec<(&str, &str)> =
            changes.iter().map(|it| (it.path.as_str(), it.after.as_str())).collect();
        // Where the compiler is missing, it is told, or is a failure.
        let Some(verdicts) = (python().judge)(&texts).unwrap() else { return };
        for (change, parses) in changes.iter().zip(verdicts) {
            assert_eq!(parses, !broken, "{name}, line {}:\n{}", change.line, change.after);
        }
    };
    for edit in python().harmless {
        check(edit.name, &every(edit.make, edit.name), false);
    }
    for defect in python().defects {
        check(defect.name, &every(defect.make, defect.name), defect.breaks_syntax);
    }
}

/// Our own checks in process: what they say of the file after it and did not before.
fn own(change: &Change) -> Vec<Found> {
    use hostler_policy::checks::{Settings, Severity, Source, fresh, kind, review};
    let settings = Settings::default();
    let facts = |text: &str| hostler_syntax::facts(hostler_syntax::Language::Python, text).unwrap();
    let (old, new) = (facts(&change.before), facts(&change.after));
    let source = |text, facts| Source {
        path: &change.path,
        text,
        language: Some(hostler_syntax::Language::Python),
        facts: Some(facts),
        kind: kind(&change.path, text, Some(facts)),
    };
    let (before, after) = (source(&change.before, &old), source(&change.after, &new));
    let findings = fresh(Some((&before, &review(&before, &settings))), (&after, review(&after, &settings)));
    let found = findings.into_iter().map(|it| Found {
        file: change.path.clone(),
        is_error: it.severity == Severity::Error,
        holds: false,
        check: it.check,
        line: it.line,
        message: it.message,
    });
    found.collect()
}

#[test]
fn our_own_checks_find_every_defect_that_is_theirs_and_nothing_in_harmless_edits() {
    for edit in python().harmless {
        for change in every(edit.make, edit.name) {
            let errors: Vec<Found> = own(&change).into_iter().filter(|it| it.is_error).collect();
            assert!(errors.is_empty(), "{}: {errors:?}\n{}", edit.name, change.after);
        }
    }
    for defect in python().defects.iter().filter(|it| !["stop.lint", "stop.test"].contains(&it.check)) {
        for change in every(defect.make, defect.name) {
            let found = own(&change);
            let missing = missed(
                &Defect { holds: [false, false], refused: [None, None], ..*defect },
                &change,
                0,
                None,
                &found,
            );
            assert!(missing.is_empty(), "{}: {missing:?}\n{}", defect.name, change.after);
            assert_eq!(others(defect, &change, None, &found), [""; 0], "{}\n{}", defect.name, change.after);
        }
    }
}

fn defect() -> Defect {
    Defect {
        refused: [None, Some("bare-except")],
        ..*python().defects.iter().find(|it| it.check == "bare_except").unwrap()
    }
}

fn found(check: &str, line: usize, holds: bool) -> Found {
    Found {
        file: "a.py".to_owned(),
        check: check.to_owned(),
        line,
        is_error: true,
        holds,
        message: String::new(),
    }
}

fn refusal(rule: &str, line: usize) -> Refusal {
    Refusal { rules: vec![(rule.to_owned(), Some(line))], reason: String::new() }
}

/// How many faults, and how many other errors, an answer to a bare handler on line 3 has in a profile.
#[track_caller]
fn check(profile: usize, refused: Option<&Refusal>, found: &[Found], faults: usize, other: usize) {
    let change = Change { path: "a.py".to_owned(), before: String::new(), after: String::new(), line: 3 };
    assert_eq!(missed(&defect(), &change, profile, refused, found).len(), faults);
    assert_eq!(others(&defect(), &change, refused, found).len(), other);
}

#[test]
fn a_defect_must_be_found_by_its_check_on_its_line_and_hold_as_it_should() {
    let (right, there) = (found("bare_except", 3, true), refusal("bare-except", 3));
    check(0, None, std::slice::from_ref(&right), 0, 0);
    check(1, Some(&there), std::slice::from_ref(&right), 0, 0);
    check(0, None, &[], 1, 0);
    check(0, None, &[found("bare_except", 4, true)], 1, 1);
    check(0, None, &[found("bare_except", 3, false)], 1, 0);
    check(0, None, &[found("except_pass", 3, true)], 1, 1);
    check(0, None, &[right.clone(), found("syntax", 9, true)], 0, 1);
    check(1, None, std::slice::from_ref(&right), 1, 0);
    check(1, Some(&refusal("bare-except", 7)), std::slice::from_ref(&right), 1, 0);
    check(1, Some(&refusal("review-error", 3)), &[right], 1, 1);
}

#[test]
fn a_harmless_edit_is_blocked_by_a_refusal_or_by_what_holds_the_turn() {
    assert_eq!(blocked(None, &[found("branches", 3, false)]).len(), 0);
    assert_eq!(blocked(None, &[found("branches", 3, true)]).len(), 1);
    assert_eq!(blocked(Some(&refusal("syntax-error", 1)), &[]).len(), 1);
}

#[test]
fn shares_are_as_equal_as_what_there_is_allows() {
    assert_eq!(shares(&[18, 24, 23, 17], 80), [18, 22, 23, 17]);
    assert_eq!(shares(&[100, 5], 20), [15, 5]);
    assert_eq!(shares(&[3, 4], 20), [3, 4]);
}

#[test]
fn an_edit_names_a_part_that_stands_there_once() {
    let before = "a\nb\na\nc\na\nd\n";
    for after in
        ["a\nb\nx\nc\na\nd\n", "a\nb\na\nc\nnew\na\nd\n", "a\nb\na\nc\na\nd\nz\n", "z\na\nb\na\nc\na\nd\n"]
    {
        let (old, new) = hunk(before, after);
        assert_eq!(before.matches(&old).count(), 1, "{old:?}");
        assert_eq!(before.replacen(&old, &new, 1), after);
    }
    assert_eq!(hunk("", "a\n"), (String::new(), "a\n".to_owned()));
}

/// A program that says the same of everything.
#[cfg(unix)]
fn of_one_opinion(folder: &Path, hook: &str, gate: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("program");
    let text = format!(
        "#!/bin/sh\ncat >/dev/null\nif [ \"$1\" = hook ]; then echo '{hook}'; else echo '{gate}'; fi\n"
    );
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// What is seen when that program is asked about a package of one file.
#[cfg(unix)]
fn seen(hook: &str, gate: &str) -> Seen {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("package");
    std::fs::create_dir_all(package.join("shop")).unwrap();
    std::fs::write(package.join("shop/orders.py"), MODULE).unwrap();
    let program = of_one_opinion(folder.path(), hook, gate);
    let mut seen = Seen::default();
    assert_eq!(seen.round(python(), &[package], 1, 1, &program).unwrap(), 1);
    seen
}

#[cfg(unix)]
#[test]
fn a_gate_that_finds_nothing_fails() {
    let seen = seen("{}", r#"{"runs":[{"tool":"ruff check","outcome":"clean"}],"findings":[],"holding":[]}"#);
    let [harmless, defects] = seen.packages["package"];
    assert_eq!((harmless.changes, harmless.faults), (1, 0));
    assert_eq!((defects.changes, defects.faults), (1, 1));
    assert!(!seen.faults.is_empty());
}

#[cfg(unix)]
#[test]
fn a_gate_that_refuses_everything_fails() {
    let deny = r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"[no] line 1 of `a`"}}"#;
    let seen = seen(deny, r#"{"runs":[{"tool":"ruff check","outcome":"clean"}],"findings":[],"holding":[]}"#);
    let [harmless, defects] = seen.packages["package"];
    assert_eq!((harmless.faults, defects.faults, defects.others), (1, 1, 1));
}

#[cfg(unix)]
#[test]
fn a_tool_that_did_not_run_is_no_pass() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("package");
    std::fs::create_dir_all(&package).unwrap();
    std::fs::write(package.join("orders.py"), MODULE).unwrap();
    let gate = r#"{"runs":[{"tool":"ruff check","outcome":"not_run"}],"findings":[],"holding":[]}"#;
    let program = of_one_opinion(folder.path(), "{}", gate);
    let error = Seen::default().round(python(), &[package], 1, 1, &program).unwrap_err();
    assert!(error.to_string().contains("`ruff check` did not run"), "{error}");
}
