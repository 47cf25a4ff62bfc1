//! Which notes reach which findings.

use super::super::tests::File;

#[track_caller]
fn check(path: &str, text: &str, left: &[&str]) {
    let found = File::new(path, text).review();
    let ids: Vec<&str> =
        found.iter().map(|it| it.check.as_str()).filter(|it| *it != "missing_logger").collect();
    assert_eq!(ids, left, "{text}\n{found:?}");
}

#[test]
fn notes_of_python_name_rules_or_mean_all() {
    check("src/a.py", "try:\n    f()\nexcept:\n    raise\n", &["bare_except"]);
    for note in [
        "# noqa",
        "# noqa: E722",
        "# NOQA:E722,W291",
        "# noqa: F401 E722 why",
        "# pylint: disable=bare-except",
    ] {
        check("src/a.py", &format!("try:\n    f()\nexcept:  {note}\n    raise\n"), &[]);
    }
    for note in ["# noqa: F401", "# noqas", "# see noqa: later", "# pylint: disable=line-too-long"] {
        check("src/a.py", &format!("try:\n    f()\nexcept:  {note}\n    raise\n"), &["bare_except"]);
    }
    check("src/a.py", "# ruff: noqa: E722\ntry:\n    f()\nexcept:\n    raise\n", &[]);
    check("src/a.py", "# flake8: noqa\ntry:\n    f()\nexcept:\n    raise\n", &[]);
    check("src/a.py", "T = '''# ruff: noqa'''\ntry:\n    f()\nexcept:\n    raise\n", &["bare_except"]);
    check("src/a.py", "def loadData(a):  # noqa: N802\n    return a\n", &[]);
    check("src/a.py", "def f(a=[]):  # noqa: B\n    return a\n", &["mutable_default"]);
    check("src/a.py", "def f(a=[]):  # noqa: B006\n    return a\n", &[]);
}

#[test]
fn a_note_that_means_all_leaves_a_secret_told() {
    let with = |note: &str| format!("API_KEY = \"zk_live_9f8e7d6c5b4a39281706\"{note}\n");
    check("src/a.py", &with("  # noqa"), &["secret"]);
    check("src/a.py", &with("  # noqa: S105"), &[]);
    check("src/a.py", &with("  # nosec"), &[]);
    check("src/a.py", &with("  # nosec B105"), &[]);
    check("src/a.py", &with("  # pragma: allowlist secret"), &[]);
    check("src/a.py", &with("  # gitleaks:allow"), &[]);
}

#[test]
fn broken_code_is_always_told() {
    check("src/a.py", "# ruff: noqa\ndef f(:  # noqa\n    return 1\n", &["syntax"]);
}

#[test]
fn a_pylint_note_on_its_own_line_holds_until_it_is_taken_back() {
    let text = "# pylint: disable=invalid-name\ndef loadData(a):\n    return a\n\n\n# pylint: enable=invalid-name\n\
                def saveData(a):\n    return a\n";
    check("src/a.py", text, &["naming"]);
}
