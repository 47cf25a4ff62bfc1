//! Whether files are counted right.

#![expect(clippy::unwrap_used, reason = "tests")]

use serde_json::json;

use super::{Count, Row, Score, row_of};

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
