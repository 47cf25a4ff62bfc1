//! What is new after an edit.

#![expect(clippy::format_collect, reason = "tests")]

use proptest::prelude::*;

use super::super::tests::File;
use super::fresh;

/// The checks of what is new when `before` becomes `after`.
fn new_in(before: &str, after: &str) -> Vec<String> {
    let (before, after) = (File::new("src/a.py", before), File::new("src/a.py", after));
    let old = before.review();
    let new = fresh(Some((&before.source(), &old)), (&after.source(), after.review()));
    new.into_iter().map(|it| it.check).collect()
}

#[track_caller]
fn check(before: &str, after: &str, new: &[&str]) {
    assert_eq!(new_in(before, after), new, "before:\n{before}\nafter:\n{after}");
}

const BARE: &str = "def f(g):\n    try:\n        return g()\n    except:\n        return None\n";
const SECRET: &str = "API_KEY = \"zk_live_9f8e7d6c5b4a39281706\"\n";

/// A function of this complexity.
fn branchy(name: &str, complexity: usize) -> String {
    let ifs: String = (1..complexity).map(|it| format!("    if a == {it}:\n        return {it}\n")).collect();
    format!("def {name}(a):\n{ifs}    return 0\n")
}

#[test]
fn everything_in_a_new_file_is_new() {
    let file = File::new("src/a.py", BARE);
    assert_eq!(fresh(None, (&file.source(), file.review())).len(), file.review().len());
    assert!(!file.review().is_empty());
}

#[test]
fn what_stood_there_is_not_new() {
    check(BARE, BARE, &[]);
    check(BARE, &format!("import os\n\nX = os\n\n\n{BARE}"), &[]);
    check(SECRET, &format!("{SECRET}X = 1\n"), &[]);
    check("", SECRET, &["secret"]);
}

#[test]
fn one_that_goes_does_not_make_room_for_another() {
    let two = |first: &str, second: &str| {
        format!(
            "def f(g):\n    try:\n        return g()\n    {first}:\n        raise\n\n\ndef h(k):\n    try:\n        return \
             k(1)\n    {second}:\n        raise\n"
        )
    };
    check(&two("except", "except OSError"), &two("except OSError", "except"), &["bare_except"]);
    check(&two("except", "except OSError"), &two("except", "except"), &["bare_except"]);
    check(&two("except", "except"), &two("except OSError", "except"), &[]);
    check(SECRET, "API_KEY = \"zk_live_00aa7d6c5b4a39281777\"\n", &["secret"]);
    check(&branchy("route", 12), &branchy("other", 13), &["branches"]);
    check("def f(a):\n    pass\n", "def g(a):\n    pass\n", &["stop.stub"]);
}

#[test]
fn what_is_moved_or_renamed_is_not_new() {
    let other = "def other(a):\n    return a\n\n\n";
    check(&format!("{BARE}\n\n{other}"), &format!("{other}{BARE}"), &[]);
    let inside: String = BARE.lines().map(|it| format!("    {it}\n")).collect();
    check(BARE, &format!("class A:\n{inside}"), &[]);
    check(&branchy("route", 12), &branchy("dispatch", 12), &[]);
    check(
        "class A:\n    def loadData(self):\n        return 1\n",
        "class B:\n    def loadData(self, x):\n        return x\n",
        &[],
    );
    check(
        "class A:\n    def loadData(self):\n        return 1\n",
        "class A:\n    def saveData(self):\n        return 1\n",
        &["naming"],
    );
}

#[test]
fn a_measure_is_new_only_when_it_gets_worse() {
    check(&branchy("route", 12), &branchy("route", 12).replace("return 0", "return -1"), &[]);
    check(&branchy("route", 12), &branchy("route", 11), &[]);
    check(&branchy("route", 12), &branchy("route", 13), &["branches"]);
    check(&branchy("route", 7), &branchy("route", 8), &["branches"]);
    check(
        &branchy("route", 11),
        &format!("{}\n\n{}", branchy("route", 11), branchy("other", 11)),
        &["branches"],
    );
    let long = |lines: usize| "X = 1\n".repeat(lines);
    check(&long(600), &long(599), &[]);
    check(&long(600), &long(660), &[]);
    check(&long(600), &long(661), &["stop.file_lines"]);
    check(&long(499), &long(501), &["stop.file_lines"]);
}

#[test]
fn of_two_functions_with_one_name_each_is_compared_with_its_like() {
    let two =
        |first: usize, second: usize| format!("{}\n\n{}", branchy("route", first), branchy("route", second));
    check(&two(12, 14), &two(14, 12), &[]);
    check(&two(12, 14), &two(14, 13), &["branches"]);
}

#[test]
fn what_a_stub_is_called_counts_and_its_parameters_do_not() {
    check("def f(a):\n    pass\n", "def f(a, b):\n    pass\n", &[]);
}

/// Nobody is told of everything at once because a parenthesis was closed.
#[test]
fn what_stood_in_broken_code_is_not_new_once_it_parses() {
    let broken = format!("x = (\n\n\n{BARE}");
    check(&broken, &format!("x = ()\n\n\n{BARE}"), &[]);
    check("x = (\n", &format!("x = ()\n\n\n{BARE}"), &["bare_except"]);
    check(BARE, &broken, &["syntax"]);
    check(&broken, &broken.replace("(\n", "(  \n"), &[]);
}

proptest! {
    /// Whatever is put above, and however often.
    #[test]
    fn lines_above_make_nothing_new(
        above in proptest::collection::vec(
            prop_oneof![
                Just(""), Just("# a remark"), Just("import os"), Just("Y = 2"), Just("\"\"\"text\"\"\""),
                Just("if os:\n    Y = 3"),
            ],
            0..12,
        ),
        names in proptest::collection::vec("[a-d]", 1..4),
    ) {
        let mut text = format!("{SECRET}\n\n{BARE}\n\ndef stub(a):\n    pass\n\n\nclass my_class:\n    x = 1\n");
        for name in &names {
            text.push_str("\n\n");
            text.push_str(&branchy(name, 9));
        }
        let above: String = above.iter().flat_map(|it| [it, "\n"]).collect();
        prop_assert_eq!(new_in(&text, &format!("{above}{text}")), Vec::<String>::new());
    }

    /// One is mended and another made elsewhere: the count is the same, and the new one is told.
    #[test]
    fn a_swap_is_new(from in 0..6_usize, to in 0..6_usize, above in 0..5_usize) {
        prop_assume!(from != to);
        let file = |bad: usize| {
            (0..6)
                .map(|at| {
                    let handler = if at == bad { "except:" } else { "except OSError:" };
                    format!("def f_{at}(g):\n    try:\n        return g({at})\n    {handler}\n        raise\n\n\n")
                })
                .collect::<String>()
        };
        let after = format!("{}{}", "# a remark\n".repeat(above), file(to));
        prop_assert_eq!(new_in(&file(from), &after), ["bare_except"]);
    }

    /// The order of functions is nobody's business.
    #[test]
    fn another_order_makes_nothing_new(
        order in Just(vec![0, 1, 2, 3]).prop_shuffle(),
    ) {
        let parts = [BARE.to_owned(), branchy("route", 12), branchy("other", 9), "def stub(a):\n    pass\n".to_owned()];
        let join = |order: &[usize]| order.iter().map(|at| format!("{}\n\n", parts[*at])).collect::<String>();
        prop_assert_eq!(new_in(&join(&[0, 1, 2, 3]), &join(&order)), Vec::<String>::new());
    }
}

/// A swap in a large file is found, and in reasonable time: this must not compare each with each.
#[test]
fn large_files_are_compared_by_key() {
    let line = |at: usize| format!("X_{at} = \"{}\"\n", "x".repeat(101));
    let before: String = (0..10_000).map(line).collect();
    let after = before.replace("X_7 ", "Y_7 ");
    check(&before, &after, &["line_length"]);
}

/// Pieces of many languages, and of notes to linters, whole and broken.
const PIECES: &[&str] = &[
    "def f(a, b=[]):\n",
    "    try:\n",
    "    except:\n        pass\n",
    "class a_b:\n",
    "    return a\n",
    "# noqa",
    "# noqa: E722,",
    "// eslint-disable",
    "/* eslint-enable no-empty */",
    "//nolint:",
    "#[allow(",
    "#![expect(dead_code)]\n",
    "fn aB() { todo!() }\n",
    "@SuppressWarnings({\"a\", ",
    "func F_x() {\n",
    "}\n",
    "{",
    ")",
    "\"",
    "'''",
    "\t",
    "é日本\u{1f600}",
    "\r\n",
    "\\",
    "TODO",
    "# pylint: disable",
    "password = \"Tr0ub4dor-and-3\"\n",
    "impl A {\n",
    "catch (e) {}",
    "\u{0}",
    "#!/bin/sh\n",
    "@traces(",
    "# REQ-1..999999 ",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever stands in a file: nothing fails, lines are lines, and nothing is new in what is the same.
    #[test]
    fn any_text_can_be_judged(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..40),
        path in proptest::sample::select(&["a.py", "a.ts", "a.tsx", "a.js", "a.rs", "a.go", "A.java", "a.c", "a.cpp", "a.cs",
            "a.rb", "a.php", "a.kt", "a.swift", "a.scala", "a.sh", "a.pyi", "packages/a.py", "a.yaml"][..]),
        seam in 0..40_usize,
    ) {
        let before: String = pieces.concat();
        let after: String = pieces.iter().take(seam).chain(&["\n\n"]).chain(pieces.iter().skip(seam)).copied().collect();
        let (before, after) = (File::new(path, &before), File::new(path, &after));
        let old = before.review();
        let lines = before.source().text.lines().count() + 1;
        prop_assert!(old.iter().all(|it| (1..=lines).contains(&it.line)), "{old:?}");
        prop_assert_eq!(fresh(Some((&before.source(), &old)), (&before.source(), old.clone())), []);
        let new = fresh(Some((&before.source(), &old)), (&after.source(), after.review()));
        prop_assert!(new.len() <= after.review().len());
    }
}
