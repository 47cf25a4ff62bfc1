//! Whether files are counted right.

#![expect(clippy::unwrap_used, reason = "tests")]

use serde_json::json;

use super::{CHECKS, Count, Row, Score, Severity, row_of, rows};

fn row(content: &str, expect: &serde_json::Value) -> Row {
    row_of(&json!({"id": "a", "path": "src/a.py", "content": content, "why": "", "expect": expect})).unwrap()
}

#[track_caller]
fn check(content: &str, expect: &serde_json::Value, name: &str, expected: Count, verdicts: usize) {
    let score = Score::of(&[row(content, expect)]).unwrap();
    assert_eq!(score.checks.get(name).copied().unwrap_or_default(), expected, "{:?}", score.wrong);
    assert_eq!(score.verdicts.len(), verdicts);
}

const LOUD: &str = "def f(x):\n    print(x)\n    return x\n";

#[test]
fn a_label_is_met_by_its_check_near_its_line() {
    let label =
        |line: usize, severity: &str| json!([{"check": "debug_print", "severity": severity, "line": line}]);
    let none = Count::default();
    check(LOUD, &label(2, "warn"), "debug_print", Count { hits: 1, ..none }, 0);
    check(LOUD, &label(3, "warn"), "debug_print", Count { hits: 1, ..none }, 0);
    check(LOUD, &label(2, "error"), "debug_print", Count { hits: 1, severities: 1, ..none }, 1);
    check(LOUD, &label(9, "warn"), "debug_print", Count { alarms: 1, misses: 1, ..none }, 0);
    check(LOUD, &json!([]), "debug_print", Count { alarms: 1, ..none }, 0);
    check("x = 1\n", &label(2, "error"), "debug_print", Count { misses: 1, ..none }, 1);
}

#[test]
fn what_tools_find_is_not_counted() {
    let label = json!([{"check": "format", "severity": "error", "line": null}]);
    check("x = 1\n", &label, "format", Count::default(), 0);
}

#[test]
fn f1_is_the_mean_of_precision_and_recall() {
    assert_eq!(Count::default().f1(), None);
    let half = Count { hits: 1, alarms: 1, misses: 1, severities: 0 };
    assert!((half.f1().unwrap() - 0.5).abs() < 1e-9);
}

/// Files of our own, labelled by the definitions of the manual before any check was asked.
#[test]
fn every_row_of_ours_is_judged_as_it_is_labelled() {
    let file = crate::root().join("fixtures/review/rows.jsonl");
    let rows = rows(&file).unwrap();
    let score = Score::of(&rows).unwrap();
    assert_eq!((score.exact, score.wrong), (rows.len(), Vec::new()));
    // Half of them are right as they are, and every check of ours that tells of errors has something to find.
    assert!(rows.len() / 3 < rows.iter().filter(|row| row.expected.is_empty()).count());
    let errors = CHECKS.iter().filter(|check| check.severity == Severity::Error).map(|check| check.id);
    let unseen: Vec<&str> = errors.filter(|id| !score.checks.contains_key(*id)).collect();
    assert_eq!(unseen, [""; 0]);
}
