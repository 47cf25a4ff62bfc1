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

#[test]
fn notes_of_scripts_reach_a_line_the_next_one_or_what_follows() {
    let with = |before: &str, behind: &str| format!("{before}try {{\n  f();\n}} catch {{{behind}\n}}\n");
    check("src/a.ts", &with("", ""), &["empty_catch"]);
    check("src/a.ts", "function a_b() {} // eslint-disable-line camelcase\n", &[]);
    check("src/a.ts", "function a_b() {} // eslint-disable-line no-console\n", &["naming"]);
    check("src/a.ts", &with("/* eslint-disable no-empty -- closed by others */\n", ""), &[]);
    check("src/a.ts", &with("/* eslint-disable */\n", ""), &[]);
    check(
        "src/a.ts",
        &with("/* eslint-disable no-empty */\n/* eslint-enable no-empty */\n", ""),
        &["empty_catch"],
    );
    check(
        "src/a.ts",
        "// eslint-disable-next-line @typescript-eslint/naming-convention\nfunction a_b() {}\n",
        &[],
    );
    check(
        "src/a.ts",
        "// biome-ignore lint/style/useNamingConvention: the protocol's name\nfunction a_b() {}\nfunction c_d() {}\n",
        &["naming"],
    );
    check("src/a.ts", "const text = \"/* eslint-disable */\";\nfunction a_b() {}\n", &["naming"]);
}

#[test]
fn attributes_reach_the_item_that_they_stand_on() {
    check("src/a.rs", "#[allow(non_snake_case)]\nfn aB() {}\n\nfn cD() {}\n", &["naming"]);
    check("src/a.rs", "#[expect(non_snake_case, reason = \"the protocol\")]\nfn aB() {}\n", &[]);
    check("src/a.rs", "#![allow(nonstandard_style)]\n\nfn aB() {}\n\nfn cD() {}\n", &[]);
    check("src/a.rs", "#[allow(\n    dead_code,\n    clippy::todo,\n)]\nfn a() {\n    todo!()\n}\n", &[]);
    check("src/a.rs", "#[allow(dead_code)]\nfn a() {\n    todo!()\n}\n", &["stop.stub"]);
    check(
        "src/a.rs",
        "fn a() {\n    let x = \"#![allow(nonstandard_style)]\";\n}\n\nfn cD() {}\n",
        &["naming"],
    );
    let java =
        |note: &str| format!("class A {{\n    {note}\n    int a_b() {{\n        return 1;\n    }}\n}}\n");
    check("src/A.java", &java(""), &["naming"]);
    check("src/A.java", &java("@SuppressWarnings(\"checkstyle:MethodName\")"), &[]);
    check("src/A.java", &java("@SuppressWarnings({\"unused\", \"java:S100\"})"), &[]);
    check("src/A.java", &java("@SuppressWarnings(\"all\")"), &[]);
    check("src/A.java", &java("@SuppressWarnings(\"unused\")"), &["naming"]);
}

#[test]
fn notes_of_go_are_about_what_begins_there() {
    let with =
        |note: &str| format!("package a\n\n{note}\nfunc F(err error) {{\n\tif err != nil {{\n\t}}\n}}\n");
    check("a.go", &with("//"), &["empty_catch"]);
    check("a.go", &with("//nolint:staticcheck // dropped on purpose"), &[]);
    check("a.go", &with("//nolint"), &[]);
    check("a.go", &with("//nolint:errcheck"), &["empty_catch"]);
}
