//! What holds for every check.

#![expect(clippy::unwrap_used, clippy::format_collect, reason = "tests")]

use std::collections::BTreeSet;
use std::path::Path;

use hostler_syntax::{Facts, Language, facts};
use hostler_trace::tag::MARK;

use super::{
    CHECKS, Check, Example, Finding, Gate, Kind, Level, Settings, SettingsError, Severity, Source, kind,
    review, told,
};

/// A file with what was read of it.
pub(super) struct File {
    path: String,
    text: String,
    language: Option<Language>,
    facts: Option<Facts>,
    kind: Kind,
}

impl File {
    pub(super) fn new(path: &str, text: &str) -> Self {
        let language = Language::of(Path::new(path));
        let facts = language.map(|it| facts(it, text).unwrap());
        let kind = kind(path, text, facts.as_ref());
        Self { path: path.to_owned(), text: text.to_owned(), language, facts, kind }
    }

    pub(super) fn source(&self) -> Source<'_> {
        Source {
            path: &self.path,
            text: &self.text,
            language: self.language,
            facts: self.facts.as_ref(),
            kind: self.kind,
        }
    }

    pub(super) fn review(&self) -> Vec<Finding> {
        review(&self.source(), &Settings::default())
    }
}

#[test]
fn every_check_finds_something_in_what_it_is_for_and_nothing_in_what_it_is_not() {
    let mut wrong = Vec::new();
    for check in CHECKS {
        assert!(!check.fires.is_empty() && !check.silent.is_empty(), "`{}` has no examples", check.id);
        let hits = |Example(path, text): &Example| {
            let found = File::new(path, text).review();
            found.into_iter().filter(|it| it.check == check.id).collect::<Vec<_>>()
        };
        for example in check.fires {
            let found = hits(example);
            if found.is_empty() {
                wrong.push(format!("`{}` finds nothing in {example:?}", check.id));
            }
            for finding in found {
                let lines = example.1.lines().count().max(1);
                assert!((1..=lines).contains(&finding.line), "`{}`: {finding:?}", check.id);
                assert!(
                    !finding.message.is_empty() && !finding.message.ends_with('.'),
                    "`{}`: {finding:?}",
                    check.id
                );
                assert!(finding.severity <= check.severity, "`{}`: {finding:?}", check.id);
            }
        }
        for example in check.silent {
            wrong.extend(
                hits(example).iter().map(|it| format!("`{}` finds in {example:?}: {it:?}", check.id)),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Files in many languages, labelled before the checks were run on them.
#[test]
fn labelled_files_are_judged_as_labelled() {
    let mut wrong = Vec::new();
    for line in include_str!("tests/rows.jsonl").lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| row[key].as_str().unwrap();
        let label = |it: &serde_json::Value| {
            let text = |key: &str| it[key].as_str().unwrap().to_owned();
            (text("check"), text("severity"), usize::try_from(it["line"].as_u64().unwrap()).unwrap())
        };
        let mut expected: Vec<_> = row["expect"].as_array().unwrap().iter().map(label).collect();
        let found = File::new(text("path"), text("content")).review();
        let mut found: Vec<_> =
            found.into_iter().map(|it| (it.check, it.severity.name().to_owned(), it.line)).collect();
        expected.sort();
        found.sort();
        if expected != found {
            wrong.push(format!("{} ({}): expected {expected:?}, found {found:?}", text("id"), text("why")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn ids_are_unique_and_told_from_those_of_tools() {
    let mut seen = BTreeSet::new();
    for check in CHECKS {
        assert!(seen.insert(check.id), "`{}` is there twice", check.id);
        assert!(check.id.bytes().all(|it| it.is_ascii_lowercase() || b"._".contains(&it)), "{:?}", check.id);
        assert!(!check.summary.is_empty() && !check.summary.ends_with('.'), "`{}`", check.id);
        assert_eq!(check.id.starts_with("stop."), check.gate == Gate::Stop, "`{}`", check.id);
        assert_eq!(Gate::of(check.id), Some(check.gate));
        assert_eq!(Check::of(check.id).map(|it| it.id), Some(check.id));
    }
    assert_eq!(Gate::of("format"), Some(Gate::Syntax));
    assert_eq!(Gate::of("nonsense"), None);
    assert!(CHECKS.is_sorted_by_key(|it| it.gate), "reports go by the order of gates");
}

#[test]
fn the_manual_lists_every_check_with_its_gate() {
    let manual = include_str!("../../../../docs/gates.md");
    for check in CHECKS {
        let row = match check.gate.number() {
            Some(number) => format!("| {number} {} |", check.gate.title()),
            None => "| the end of a turn |".to_owned(),
        };
        let row = manual.lines().find(|it| it.starts_with(&row)).unwrap();
        let ours = row.split('|').nth(2).unwrap();
        assert!(ours.contains(&format!("`{}`", check.id)), "docs/gates.md has no `{}` in {row}", check.id);
    }
}

#[test]
fn gates_have_numbers_and_titles() {
    let shown = Gate::ALL.map(|it| (it.number(), it.title()));
    assert_eq!(
        shown,
        [
            (Some(1), "Syntax & Format"),
            (Some(2), "Lint"),
            (Some(3), "Runtime & Security"),
            (Some(4), "Complexity & Nesting"),
            (Some(5), "Naming & Design"),
            (None, "Stop"),
        ]
    );
}

/// What is found in a Python file of a package: check, severity and line.
fn found(path: &str, text: &str) -> Vec<(String, Severity, usize)> {
    File::new(path, text).review().into_iter().map(|it| (it.check, it.severity, it.line)).collect()
}

#[track_caller]
fn check(text: &str, expected: &[(&str, Severity, usize)]) {
    check_at("packages/core/a.py", text, expected);
}

/// Findings of the checks that are expected, and of no other but those that only inform.
#[track_caller]
fn check_at(path: &str, text: &str, expected: &[(&str, Severity, usize)]) {
    let found = found(path, text);
    let found: Vec<(&str, Severity, usize)> = found
        .iter()
        .map(|it| (it.0.as_str(), it.1, it.2))
        .filter(|it| expected.iter().any(|wanted| wanted.0 == it.0) || it.1 != Severity::Info)
        .collect();
    assert_eq!(found, expected, "{text}");
}

use Severity::{Error, Info, Warn};

/// A function of this complexity.
fn branches(complexity: usize) -> String {
    let ifs: String = (1..complexity).map(|it| format!("    if a == {it}:\n        return {it}\n")).collect();
    format!("def route(a):\n{ifs}    return 0\n")
}

/// A function that nests so deeply.
fn nested(depth: usize) -> String {
    let ifs: String = (1..=depth).map(|it| format!("{}if a:\n", "    ".repeat(it))).collect();
    format!("def walk(a):\n{ifs}{}return a\n", "    ".repeat(depth + 1))
}

/// A function of so many lines.
fn long(lines: usize) -> String {
    format!("def build(a):\n{}    return a\n", "    a += 1\n".repeat(lines - 2))
}

/// A class with so many public methods, and so many of its own.
fn methods(public: usize, private: usize) -> String {
    let one = |name: String| format!("    def {name}(self):\n        return 1\n");
    let public: String = (0..public).map(|it| one(format!("op_{it}"))).collect();
    let private: String = (0..private).map(|it| one(format!("_op_{it}"))).collect();
    format!("class Big:\n{public}{private}")
}

// @traces 021-TEST-UNIT-047 020-ERR-001
#[test]
fn syntax_errors_are_errors() {
    check("def f(:\n    return 1\n", &[("syntax", Error, 1)]);
    check("def f():\n    return 1\n", &[]);
}

// @traces 021-TEST-UNIT-051 REQ-020-043
#[test]
fn a_syntax_error_is_told_in_two_hundred_characters() {
    let file = File::new("src/a.py", &format!("def f(:\n    {} = 1\n", "x".repeat(1_000)));
    let found = file.review();
    let message = &found.first().unwrap().message;
    assert!(message.starts_with("syntax error: "), "{message}");
    assert!(message.chars().count() <= "syntax error: ".len() + 200, "{message}");
}

// @traces 021-TEST-UNIT-060 021-TEST-UNIT-061 021-TEST-UNIT-062 021-TEST-UNIT-063 021-CONST-I-003
#[test]
fn passwords_keys_secrets_and_tokens_are_errors() {
    check("DB_PASSWORD = \"n0t-A-real-Pa55\"\n", &[("secret", Error, 1)]);
    check("x = 1\nAPI_KEY = \"zk_live_9f8e7d6c5b4a39281706\"\n", &[("secret", Error, 2)]);
    check("CLIENT_SECRET = \"q8Zr41LmT0vXe93b\"\n", &[("secret", Error, 1)]);
    check("auth_token = \"9c1e5fd07ab34c22\"\n", &[("secret", Error, 1)]);
    check("import os\n\nTOKEN = os.environ[\"TOKEN\"]\n", &[]);
}

// @traces 021-TEST-UNIT-064
#[test]
fn prints_that_were_left_in_are_warnings() {
    check("def f(x):\n    print(x)\n    return x\n", &[("debug_print", Warn, 2)]);
    check("def f(x):\n    breakpoint()\n    return x\n", &[("debug_print", Warn, 2)]);
    check_at("packages/core/cli.py", "print(1)\n", &[]);
}

#[test]
fn of_one_mistake_one_error_is_told() {
    let file = File::new("src/a.ts", "let a = ;\nlet b = 1;\nlet c = ;\n");
    let lines = |found: Vec<Finding>| found.into_iter().map(|it| it.line).collect::<Vec<_>>();
    assert_eq!(lines(file.review()), [1, 3]);
    assert_eq!(lines(told(file.review(), &Settings::default())), [1]);
}

// @traces 021-TEST-UNIT-065
#[test]
fn temporary_comments_are_warnings_of_which_three_are_told() {
    let text = "# TODO: a\n# FIXME b\n# HACK c\n# XXX d\nX = 1\n";
    let file = File::new("src/a.py", text);
    let lines = |found: Vec<Finding>| found.into_iter().map(|it| it.line).collect::<Vec<_>>();
    assert_eq!(lines(file.review()), [1, 2, 3, 4]);
    assert_eq!(lines(told(file.review(), &Settings::default())), [1, 2, 3]);
    // One that is new is told, however many stood before it.
    let before = File::new("src/a.py", text);
    let after = File::new("src/a.py", &format!("{text}# TODO: e\n"));
    let old = before.review();
    let new = super::fresh(Some((&before.source(), &old)), (&after.source(), after.review()));
    assert_eq!(lines(told(new, &Settings::default())), [6]);
}

// @traces 021-TEST-UNIT-066
#[test]
fn a_bare_handler_is_one_error_whatever_it_does() {
    let with = |handler: &str| format!("logger = get_logger()\n\ntry:\n    f()\n{handler}\n");
    check(&with("except:\n    pass"), &[("bare_except", Error, 5)]);
    check(&with("except:\n    logger.exception('f')\n    raise"), &[("bare_except", Error, 5)]);
    check(&with("except OSError:\n    pass"), &[("except_pass", Error, 5)]);
    check(&with("except OSError:\n    ..."), &[("except_pass", Error, 5)]);
    check(&with("except OSError as error:\n    logger.warning(error)"), &[]);
}

// @traces 021-TEST-UNIT-067
#[test]
fn a_module_that_handles_and_cannot_log_is_a_warning() {
    let handler = "try:\n    f()\nexcept KeyError:\n    x = 1\n";
    check(handler, &[("missing_logger", Warn, 1)]);
    check(&format!("import structlog\n\nlog = structlog.get_logger()\n{handler}"), &[]);
    check(&format!("from app.log import logger\n\n{handler}"), &[]);
    check_at("packages/core/tests/test_a.py", handler, &[]);
}

// @traces 021-TEST-UNIT-068
#[test]
fn a_broad_handler_that_does_not_log_is_a_warning() {
    let with = |handler: &str| format!("logger = get_logger()\n\ntry:\n    f()\n{handler}\n");
    check(&with("except Exception:\n    x = 1"), &[("unlogged_exception", Warn, 5)]);
    check(&with("except (ValueError, BaseException):\n    x = 1"), &[("unlogged_exception", Warn, 5)]);
    check(&with("except Exception:\n    logger.exception('f')"), &[]);
    check(&with("except Exception:\n    raise"), &[]);
    check(&with("except KeyError:\n    x = 1"), &[]);
}

// @traces 021-TEST-UNIT-069
#[test]
fn defaults_that_are_shared_are_warnings() {
    for default in ["[]", "{}", "set()", "list()", "dict(a=1)", "{1, 2}", "[x for x in y]"] {
        check(&format!("def f(a, b={default}):\n    return a, b\n"), &[("mutable_default", Warn, 1)]);
    }
    for default in ["None", "()", "frozenset()", "0", "\"\""] {
        check(&format!("def f(a, b={default}):\n    return a, b\n"), &[]);
    }
}

// @traces 021-TEST-UNIT-070
#[test]
fn three_public_items_without_a_requirement_are_a_warning() {
    let items =
        |count: usize| (0..count).map(|it| format!("def f_{it}(a):\n    return a\n\n\n")).collect::<String>();
    check(&items(3), &[("traces", Warn, 1)]);
    check(&items(2), &[]);
    check(&format!("{}def _own(a):\n    return a\n", items(2)), &[]);
    check(&format!("{MARK}(reqs=[\"REQ-1\"])\n{}", items(3)), &[]);
    check(&format!("# {MARK} REQ-1\n{}", items(3)), &[]);
    check(&format!("\"\"\"Core.\n\n{MARK} REQ-1\n\"\"\"\n{}", items(3)), &[]);
    check_at("src/a.py", &items(3), &[]);
}

// @traces 021-TEST-UNIT-071
#[test]
fn references_to_requirements_are_told() {
    let first = |text: &str| {
        let found = File::new("src/a.py", text).review();
        found.into_iter().find(|it| it.check == "spec_reference").map(|it| (it.severity, it.line, it.message))
    };
    let expected = |line: usize, what: &str| Some((Info, line, format!("cites {what}")));
    assert_eq!(first(&format!("# {MARK} REQ-020-001\nX = 1\n")), expected(1, "REQ-020-001"));
    assert_eq!(first("X = 1  # see FR-007\nY = 2  # and REQ-1\n"), expected(1, "FR-007, REQ-1"));
    assert_eq!(
        first("def f():\n    \"\"\"Does what US-001-AC02 says.\"\"\"\n    return 1\n"),
        expected(2, "US-001-AC02")
    );
    assert_eq!(first("X = \"REQ-020-001\"  # UTF-8, RFC-2119\n"), None);
}

// @traces 021-TEST-UNIT-072 021-TEST-UNIT-073 021-TEST-UNIT-074
#[test]
fn more_than_ten_branches_are_an_error_and_more_than_seven_a_warning() {
    for (complexity, severity) in
        [(1, None), (7, None), (8, Some(Warn)), (10, Some(Warn)), (11, Some(Error)), (30, Some(Error))]
    {
        let found = File::new("src/a.py", &branches(complexity)).review();
        let found = found.iter().find(|it| it.check == "branches").map(|it| it.severity);
        assert_eq!(found, severity, "{complexity}");
    }
}

// @traces 021-TEST-UNIT-075 021-TEST-UNIT-076 021-TEST-UNIT-077
#[test]
fn more_than_five_levels_are_an_error_and_five_a_warning() {
    check(&nested(6), &[("nesting", Error, 1), ("stop.nesting", Error, 1)]);
    check(&nested(5), &[("nesting", Warn, 1), ("stop.nesting", Error, 1)]);
    check(&nested(4), &[]);
}

// @traces 021-TEST-UNIT-078
#[test]
fn more_than_a_hundred_characters_are_a_warning() {
    let line = |chars: usize| format!("X = 1\nT = \"{}\"\n", "x".repeat(chars - 6));
    check(&line(101), &[("line_length", Warn, 2)]);
    check(&line(100), &[]);
    check(&format!("T = \"{}\"\n", "\u{65e5}".repeat(94)), &[]);
}

// @traces 021-TEST-UNIT-079
#[test]
fn more_than_forty_lines_of_a_function_are_a_warning() {
    check(&long(41), &[("function_length", Warn, 1)]);
    check(&long(40), &[]);
    check(&format!("@cache(\n    1,\n)\n{}", long(40)), &[]);
}

// @traces 021-TEST-UNIT-080 021-TEST-UNIT-081 021-TEST-UNIT-082 021-TEST-UNIT-083 021-CONST-III-010
#[test]
fn functions_are_snake_case_and_classes_pascal_case() {
    check("def LoadData(a):\n    return a\n", &[("naming", Error, 1)]);
    check("class my_client:\n    x = 1\n", &[("naming", Error, 1)]);
    check("from typing import Final\n\nmax_size: Final = 3\n", &[("naming", Error, 3)]);
    check("def load_data(a):\n    return a\n", &[]);
    check("class MyClient:\n    x = 1\n", &[]);
}

// @traces 021-TEST-UNIT-084
#[test]
fn more_than_twenty_methods_are_a_warning() {
    check(&methods(10, 11), &[("god_object", Warn, 1)]);
    check(&methods(10, 10), &[]);
}

// @traces 021-TEST-UNIT-085
#[test]
fn more_than_fifteen_references_to_self_are_a_warning() {
    let with = |name: &str, count: usize| {
        let references: Vec<String> = (0..count).map(|it| format!("self.a{it}")).collect();
        format!(
            "class A:\n    def {name}(self):\n        x = [\n            {},\n        ]\n        return f(x)\n",
            references.join(",\n            ")
        )
    };
    check(&with("work", 16), &[("feature_envy", Warn, 2)]);
    check(&with("work", 15), &[]);
    check(&with("__init__", 20), &[]);
}

// @traces 021-TEST-UNIT-086 021-TEST-UNIT-087 021-TEST-UNIT-088 021-TEST-UNIT-089
#[test]
fn patterns_are_told_as_information() {
    let pattern = |text: &str| {
        let found = File::new("src/a.py", text).review();
        found.into_iter().find(|it| it.check == "pattern").map(|it| (it.severity, it.line, it.code.unwrap()))
    };
    let singleton = "class Conf:\n    _instance = None\n\n    def __new__(cls):\n        if cls._instance is None:\n            \
                     cls._instance = super().__new__(cls)\n        return cls._instance\n";
    let factory = "class ShapeFactory:\n    def create(self, kind):\n        return dict(kind=kind)\n";
    let builder = "class Query:\n    def where(self, a):\n        self.a = a\n        return self\n\n    def build(self):\n        \
                   return self.a\n";
    let data = "@dataclass\nclass Point:\n    x: int\n";
    for (text, line, name) in [
        (singleton, 1, "singleton"),
        (factory, 1, "factory"),
        (builder, 1, "builder"),
        (data, 2, "data class"),
    ] {
        assert_eq!(pattern(text), Some((Info, line, name.to_owned())), "{text}");
    }
    assert_eq!(pattern("class Point:\n    def __init__(self):\n        self.x = 1\n"), None);
}

/// Whether a turn's end finds a stub.
fn is_stub(path: &str, text: &str) -> bool {
    File::new(path, text).review().iter().any(|it| it.check == "stop.stub" && it.severity == Error)
}

// @traces REQ-020-063 REQ-020-064 REQ-020-069 REQ-020-070 REQ-020-071 REQ-020-072 020-ERR-004
#[test]
fn a_function_that_only_logs_assigns_appends_or_returns_nothing_is_a_stub() {
    for body in [
        "pass",
        "...",
        "\"\"\"Later.\"\"\"",
        "logger.info(\"sync %s\", a)",
        "log.debug(\"x\")\n    return None",
        "logging.warning(\"x\")\n    return",
        "self.logger.info(\"x\")",
        "ready = True\n    count = 0\n    return",
        "seen = []\n    seen.append(a)",
        "return None",
        "return",
        "raise NotImplementedError",
        "raise NotImplementedError(\"later\")",
    ] {
        assert!(is_stub("src/a.py", &format!("def sync(a):\n    {body}\n")), "{body}");
        assert!(!is_stub("tests/test_a.py", &format!("def sync(a):\n    {body}\n")), "{body}");
    }
    for body in [
        "return a",
        "f(a)",
        "x = f(a)\n    return x",
        "if a:\n        raise NotImplementedError\n    return a",
    ] {
        assert!(!is_stub("src/a.py", &format!("def sync(a):\n    {body}\n")), "{body}");
    }
}

// @traces REQ-020-065 REQ-020-066 REQ-020-067 REQ-020-068
#[test]
fn what_opens_closes_or_is_private_awaits_or_counts_is_no_stub() {
    for name in ["__init__", "__del__", "__enter__", "__exit__", "close", "cleanup", "_private"] {
        assert!(!is_stub("src/a.py", &format!("class A:\n    def {name}(self):\n        pass\n")), "{name}");
    }
    assert!(is_stub("src/a.py", "class A:\n    def public(self):\n        pass\n"));
    assert!(!is_stub("src/a.py", "async def f(g):\n    await g\n"));
    assert!(!is_stub("src/a.py", "class A:\n    def bump(self):\n        self.x += 1\n"));
}

// @traces REQ-020-073 REQ-020-074 REQ-020-075 REQ-020-076 020-ERR-005
#[test]
fn more_than_four_levels_stop_a_turn_and_are_told_with_name_line_and_depth() {
    for head in ["if a", "for a in b", "while a", "with a", "async for a in b", "async with a"] {
        let text = |depth: usize| {
            let heads: String = (0..depth).map(|it| format!("{}{head}:\n", "    ".repeat(it + 2))).collect();
            format!("class A:\n    async def walk(a, b):\n{heads}{}a = b\n", "    ".repeat(depth + 2))
        };
        let found = |depth: usize| {
            let found = File::new("src/a.py", &text(depth)).review();
            found.into_iter().find(|it| it.check == "stop.nesting").map(|it| it.message)
        };
        let message = found(5).unwrap();
        for part in ["`A.walk`", "line 2", "5 levels", "at most 4"] {
            assert!(message.contains(part), "{head}: {message}");
        }
        assert_eq!(found(4), None, "{head}");
    }
    let tries: String = (0..5).map(|it| format!("{}try:\n", "    ".repeat(it + 1))).collect();
    let ends: String =
        (0..5).rev().map(|it| format!("{0}finally:\n{0}    g()\n", "    ".repeat(it + 1))).collect();
    let text = format!("def f(g):\n{tries}{}g()\n{ends}", "    ".repeat(6));
    check(&text, &[("nesting", Warn, 1), ("stop.nesting", Error, 1)]);
}

// @traces REQ-020-077 REQ-020-078 REQ-020-079 REQ-020-080 REQ-020-081 020-ERR-006 020-ERR-007
#[test]
fn large_classes_and_files_stop_a_turn() {
    let stop = |path: &str, text: &str| {
        let found = File::new(path, text).review();
        found
            .into_iter()
            .filter(|it| it.check.starts_with("stop."))
            .map(|it| (it.check, it.metric))
            .collect::<Vec<_>>()
    };
    let class = |lines: usize| format!("class Big:\n{}", "    x = 1\n".repeat(lines - 1));
    let god = |metric: u64| vec![("stop.god_class".to_owned(), Some(metric))];
    assert_eq!(stop("src/a.py", &class(301)), god(301));
    assert_eq!(stop("src/a.py", &class(300)), []);
    assert_eq!(stop("src/a.py", &methods(16, 0)), god(16));
    assert_eq!(stop("src/a.py", &methods(15, 9)), []);
    let file = |lines: usize| "x = 1\n".repeat(lines);
    assert_eq!(stop("src/a.py", &file(501)), [("stop.file_lines".to_owned(), Some(501))]);
    assert_eq!(stop("src/a.py", &file(500)), []);
    for path in
        ["tests/test_a.py", "spike/a.py", "src/iterations/a.py", "ci/a.py", "src/a_pb2.py", "vendor/a.py"]
    {
        for text in [class(301), methods(16, 0), file(501)] {
            assert_eq!(stop(path, &text), [], "{path}");
        }
    }
}

// @traces 021-CONST-V-004
#[test]
fn errors_and_warnings_are_told_apart() {
    assert!(Info < Warn && Warn < Error);
    for severity in [Info, Warn, Error] {
        assert_eq!(Severity::parse(severity.name()), Some(severity));
    }
    assert_eq!(Severity::parse("fatal"), None);
}

// @traces 021-CONST-III-009
#[test]
fn limits_are_the_projects_and_no_file_sets_them() {
    let text = branches(9);
    let path = "src/a.py";
    let file = File::new(path, &text);
    let severity = |settings: &Settings| {
        let found = review(&file.source(), settings);
        found.iter().find(|it| it.check == "branches").map(|it| it.severity)
    };
    let mut settings = Settings::default();
    assert_eq!(severity(&settings), Some(Warn));
    settings.branches.error = 8;
    assert_eq!(severity(&settings), Some(Error));
    settings.set_level("branches", "warn").unwrap();
    assert_eq!(severity(&settings), Some(Warn));
    settings.set_level("branches", "off").unwrap();
    assert_eq!(severity(&settings), None);
    for note in ["# hostler: branches = 20", "# branches: off", "# flake8: max-complexity=20"] {
        assert_eq!(found(path, &format!("{note}\n{text}")).len(), 1, "{note}");
    }
}

#[test]
fn a_level_is_what_the_gravest_findings_get_and_milder_ones_stay_below() {
    let mut settings = Settings::default();
    let finding = |check: &str, severity| Finding { check: check.to_owned(), severity, ..Finding::default() };
    let applied = |settings: &Settings, check: &str, severity| {
        settings.apply(finding(check, severity)).map(|it| it.severity)
    };
    settings.levels.insert("todo".to_owned(), Level::At(Error));
    assert_eq!(applied(&settings, "todo", Warn), Some(Error));
    settings.levels.insert("branches".to_owned(), Level::At(Error));
    assert_eq!(applied(&settings, "branches", Warn), Some(Warn));
    settings.levels.insert("branches".to_owned(), Level::At(Info));
    assert_eq!(applied(&settings, "branches", Error), Some(Info));
    assert_eq!(applied(&settings, "branches", Warn), Some(Info));
    settings.set_level("lint", "off").unwrap();
    assert_eq!(applied(&settings, "lint", Error), None);
    assert_eq!(settings.set_level("lnt", "off"), Err(SettingsError::UnknownCheck("lnt".to_owned())));
    assert!(matches!(settings.set_level("lint", "loud"), Err(SettingsError::UnknownLevel { .. })));
}

#[test]
fn files_are_judged_by_what_they_are_for() {
    for (path, text, expected) in [
        ("src/a.py", "x = 1\n", Kind::Source),
        ("tests/a.py", "x = 1\n", Kind::Test),
        ("src/app/test_a.py", "x = 1\n", Kind::Test),
        ("conftest.py", "x = 1\n", Kind::Test),
        ("src/a.pyi", "x: int\n", Kind::Declaration),
        ("src/types.d.ts", "", Kind::Declaration),
        ("src/app/__main__.py", "x = 1\n", Kind::Script),
        ("src/app/tool.py", "import argparse\n", Kind::Script),
        ("src/app/tool.py", "from click import command\n", Kind::Script),
        ("src/app/tool.py", "from .click import command\n", Kind::Source),
        ("src/app/tool.py", "#!/usr/bin/env python3\n", Kind::Script),
        ("src/main.rs", "", Kind::Script),
        ("cmd/tool/a.go", "package main\n", Kind::Script),
        ("src/schema_pb2.py", "x = 1\n", Kind::Generated),
        ("src/a.py", "# Code generated by tool. DO NOT EDIT.\n", Kind::Generated),
        ("src/a.py", "HEAD = '# @generated'\n", Kind::Source),
        ("node_modules/a/index.js", "", Kind::Vendored),
        ("lib/vendor/a.py", "x = 1\n", Kind::Vendored),
        ("dist/index.mjs", "", Kind::Generated),
        ("src/dist/a.py", "x = 1\n", Kind::Source),
        ("src/vendors/a.py", "x = 1\n", Kind::Source),
    ] {
        assert_eq!(File::new(path, text).kind, expected, "{path} {text}");
    }
}

#[test]
fn others_code_is_not_judged_and_generated_code_only_parsed() {
    let text = "API_KEY = \"zk_live_9f8e7d6c5b4a39281706\"\n\n\ndef LoadData(a=[]):\n    print(a)\n";
    assert!(!found("src/a.py", text).is_empty());
    assert_eq!(found("vendor/a.py", text), []);
    assert_eq!(found("src/a_pb2.py", text), []);
    assert_eq!(found("src/a_pb2.py", "def f(:\n").len(), 1);
    assert_eq!(found("vendor/a.py", "def f(:\n"), []);
}

#[test]
fn findings_name_what_they_are_about_and_come_by_line() {
    let text = "class A:\n    class B:\n        def loadData(self, x=[]):\n            def innerName():\n                return x\n            \
                return innerName\n\n\nbad = lambda y={}: y\n";
    let found = File::new("src/a.py", text).review();
    let shown: Vec<(usize, &str, Option<&str>)> =
        found.iter().map(|it| (it.line, it.check.as_str(), it.symbol.as_deref())).collect();
    assert_eq!(
        shown,
        [
            (3, "mutable_default", Some("A.B.loadData")),
            (3, "naming", Some("A.B.loadData")),
            (4, "naming", Some("A.B.loadData.innerName")),
            (9, "mutable_default", None),
        ]
    );
}

#[test]
fn text_of_no_known_language_is_only_searched_for_secrets() {
    assert_eq!(found("deploy/values.yaml", "password: n0t-A-real-Pa55\n").len(), 1);
    assert_eq!(found("notes.txt", &"TODO x\n".repeat(600)), []);
}
