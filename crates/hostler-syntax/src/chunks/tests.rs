mod files;

use std::fmt::Write;

use proptest::prelude::{Just, Strategy, prop, prop_oneof};
use proptest::proptest;

use super::*;

/// What `chunks` must hold for every file: see the invariant of the module.
#[track_caller]
fn covers(path: &str, text: &str) -> Chunks {
    let lines: Vec<&str> = text.split('\n').collect();
    let out = chunks(path, text);
    let mut covered = vec![false; lines.len()];
    let mut before = 1;
    for chunk in &out.chunks {
        let (first, last) = (chunk.first_line as usize, chunk.last_line as usize);
        assert!(before <= first && first <= last && last <= lines.len(), "{path}: {chunk:?}");
        before = first;
        let whole = lines[first - 1..last].join("\n");
        if first == last && chunk.text.len() < whole.len() {
            assert!(whole.contains(&chunk.text), "{path}: {chunk:?}");
        } else {
            assert_eq!(chunk.text, whole, "{path}");
        }
        assert!(!chunk.text.trim().is_empty(), "{path}: {chunk:?}");
        assert!(chunk.text.get(chunk.doc.clone()).is_some(), "{path}: {chunk:?}");
        covered[first - 1..last].fill(true);
    }
    for (at, line) in lines.iter().enumerate() {
        let is_blank = line.trim_matches(|it: char| it.is_whitespace() || it == '\u{feff}').is_empty();
        assert!(covered[at] || is_blank, "{path}: line {} is lost: {line}", at + 1);
    }
    out
}

/// The chunks of a file, one a line: `FIRST-LAST KIND HEADING | SYMBOL | first line of what documents it`.
#[track_caller]
fn shown(path: &str, text: &str) -> String {
    let mut out = String::new();
    for it in covers(path, text).chunks {
        let doc = it.text[it.doc.clone()].lines().next().unwrap_or_default();
        let line = format!(
            "{}-{} {:?} {} | {} | {doc}",
            it.first_line, it.last_line, it.kind, it.heading, it.symbol
        );
        writeln!(out, "{}", line.trim_end_matches([' ', '|'])).ok();
    }
    out
}

#[track_caller]
fn check(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(shown(path, text).lines().collect::<Vec<_>>(), expected, "{path}");
}

// Any mixture of what the rules look for, in every kind of file.
proptest! {
    #[test]
    fn no_line_is_lost_whatever_the_file(
        path in prop::sample::select(PATHS),
        parts in prop::collection::vec(part(), 0..80),
    ) {
        covers(path, &parts.concat());
    }
}

const PATHS: &[&str] = &[
    "a.py", "a.ts", "a.tsx", "a.js", "a.rs", "a.go", "a.java", "a.c", "a.cpp", "a.cs", "a.rb", "a.php",
    "a.kt", "a.swift", "a.scala", "a.sh", "a.md", "a.rst", "a.ipynb", "a.json", "a.toml", "a.yaml", "a.csv",
    "a.html", "Makefile", "",
];

fn part() -> impl Strategy<Value = String> {
    let word = prop::sample::select(PARTS).prop_map(str::to_owned);
    let long = (1_usize..6_000).prop_map(|it| "long ".repeat(it / 5));
    let line = "\\PC{0,40}\n".prop_map(|it| it);
    prop_oneof![12 => word, 3 => Just("\n".to_owned()), 2 => line, 1 => long]
}

const PARTS: &[&str] = &[
    "def f(a):\n",
    "    return 1\n",
    "class A(B):\n",
    "  \"\"\"doc\n  more\"\"\"\n",
    "@mark\n",
    "# c\n",
    "// c\n",
    "/** d */\n",
    "{\n",
    "}\n",
    "function f() {\n",
    "fn f() {\n",
    "impl A {\n",
    "package a.b;\n",
    "class C {\n",
    "  void m(int a) {\n",
    "\"",
    "'",
    "(",
    ")\n",
    "\\\n",
    "\r\n",
    "\t",
    "# A\n",
    "## B\n",
    "===\n",
    "---\n",
    "```\n",
    "\"cells\": [\n",
    "\"cell_type\": \"markdown\",\n",
    "\"outputs\": [\n",
    "]\n",
    "a: 1\n",
    "[t]\n",
    "a,b\n",
    "\u{feff}",
    "é漢𝒳",
    "\u{c}",
    "\u{85}",
    "end\n",
    "if x:\n",
];

/// Every file of ours in the language that it is in, each cut short at many places as well.
#[test]
fn no_line_of_real_files_is_lost() {
    for (path, text) in files::SAMPLES {
        for at in (0..=text.len()).step_by(7).chain([text.len()]).filter(|it| text.is_char_boundary(*it)) {
            covers(path, &text[..at]);
        }
    }
}

#[test]
fn samples_are_cut_at_their_symbols() {
    let all = files::SAMPLES.iter().fold(String::new(), |mut all, (path, text)| {
        write!(all, "== {path}\n{}", shown(path, text)).ok();
        all
    });
    insta::assert_snapshot!(all);
}

/// What [`crate::outline`] tells of Python by its tree, the lines tell as well.
#[test]
fn functions_of_python_are_those_of_its_tree() {
    for text in [files::PYTHON, files::ORDERS, include_str!("../languages/samples/sample.py")] {
        let cut = chunks("a.py", text).chunks;
        let outline = crate::outline(Language::Python, text).unwrap_or_default();
        let functions: Vec<_> =
            outline.definitions.iter().enumerate().filter(|(_, it)| !it.is_class).collect();
        assert!(!functions.is_empty());
        for (at, it) in functions {
            let path = outline.path(at);
            if path.iter().rev().skip(1).any(|it| !it.is_class) || it.last_line - it.line < 4 {
                continue;
            }
            let symbol = path.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join(".");
            let found: Vec<_> = cut.iter().filter(|it| it.symbol == symbol).collect();
            assert!(!found.is_empty(), "{symbol} of {cut:#?}");
            assert!(found.iter().all(|chunk| it.first_line <= chunk.last_line as usize), "{symbol}");
            assert!(found[0].first_line as usize <= it.first_line, "{symbol}");
            assert!(it.last_line <= found[found.len() - 1].last_line as usize, "{symbol}");
        }
    }
}

#[test]
fn python_is_cut_at_functions() {
    check(
        "pkg/mod.py",
        files::PYTHON,
        &[
            "1-6 Code mod |  | \"\"\"What it is for.\"\"\"",
            "9-13 Type mod > Store | Store | '''Keeps things.'''",
            "15-22 Function mod > Store > put | Store.put | r\"\"\"Puts.",
            "24-28 Type mod > Store | Store",
            "30-38 Function mod > Store > find | Store.find | # Two lines above,",
            "41-46 Function mod > fallback | fallback",
        ],
    );
    check("pkg/__init__.py", "x = 1\n", &["1-1 Code pkg"]);
}

#[test]
fn brackets_that_are_never_closed_end_before_the_next_definition() {
    let text = "x = foo(1,\n\ndef a(self):\n    one()\n    two()\n    three()\n    four()\n";
    check("a.py", text, &["1-7 Function a > a | a"]);
}

/// A long function is cut where its statements begin, and each part knows what it is a part of.
#[test]
fn long_functions_are_cut_between_statements() {
    let mut text = "def long(a):\n    \"\"\"What it does.\"\"\"\n".to_owned();
    for step in 0..60 {
        writeln!(text, "    if a == {step}:\n        b = {step}\n        c(b)").ok();
    }
    let parts = covers("a.py", &text).chunks;
    assert!(3 <= parts.len(), "{parts:#?}");
    for part in &parts {
        assert_eq!((part.symbol.as_str(), part.heading.as_str()), ("long", "a > long"));
        assert!(part.last_line - part.first_line < 73, "{part:?}");
    }
    assert!(parts[1..].iter().all(|it| it.text.starts_with("    if a")), "{parts:#?}");
    assert_eq!(&parts[0].text[parts[0].doc.clone()], "\"\"\"What it does.\"\"\"");
    assert!(parts[1..].iter().all(|it| it.doc.is_empty()));
}

/// Functions inside of one that is too long are found by their own names.
#[test]
fn functions_inside_long_ones_are_chunks() {
    let mut text = "function outer() {\n".to_owned();
    for name in ["first", "second", "third"] {
        writeln!(text, "  // About {name}.\n  function {name}(a) {{").ok();
        for step in 0..30 {
            writeln!(text, "    call{step}(a)").ok();
        }
        text.push_str("  }\n\n");
    }
    text.push_str("}\n");
    check(
        "lib/index.js",
        &text,
        &[
            "1-1 Function lib > outer | outer",
            "2-34 Function lib > outer > first | outer.first | // About first.",
            "36-68 Function lib > outer > second | outer.second | // About second.",
            "70-104 Function lib > outer > third | outer.third | // About third.",
        ],
    );
}

// @traces RAG-004
#[test]
fn markdown_is_cut_at_headings() {
    check(
        "docs/a.md",
        "intro\n\n# A #\n\n## B\ntext\n```\n# no heading\n```\n\nTwo\nlines\n=====\nbody\n\n- item\n---\n",
        &["1-1 Section", "3-9 Section A > B", "11-17 Section Two lines"],
    );
    check(
        "a.md",
        "---\ntitle: x\n# no heading\n---\n# A\na\n### C\nc\n## B\nb\n#no heading\n",
        &["1-4 Section", "5-6 Section A", "7-8 Section A > C", "9-11 Section A > B"],
    );
    check("a.md", "~~~~\n```\n# no\n~~~~\n# A\n", &["1-4 Section", "5-5 Section A"]);
    check("a.md", "", &[]);
}

#[test]
fn long_sections_keep_their_heading() {
    let text = format!("# A\n\n{}", "A sentence that is read.\n\n".repeat(300));
    let parts = covers("a.md", &text).chunks;
    assert!(4 < parts.len());
    assert!(parts.iter().all(|it| it.heading == "A" && it.text.len() <= 1_300), "{parts:#?}");
}

#[test]
fn titles_with_underlines_are_headings() {
    check(
        "a.rst",
        "=====\nTitle\n=====\n\nintro\n\nPart\n----\n\n* item\n\nDeep\n~~~~\ntext\n\nOther\n-----\ntext\n",
        &[
            "1-5 Section Title",
            "7-10 Section Title > Part",
            "12-14 Section Title > Part > Deep",
            "16-18 Section Title > Other",
        ],
    );
    check("a.txt", "one\n\ntwo\n", &["1-3 Text"]);
}

// The recorded chunks are those that the rules were first written down for.
// @traces RAG-005
#[test]
fn java_is_cut_by_the_recorded_rules() {
    let recorded = include_str!("fixtures/Ledger.chunks");
    let found = covers("src/Ledger.java", include_str!("fixtures/Ledger.java")).chunks;
    let found: Vec<_> =
        found.iter().map(|it| format!("{}-{} {}", it.first_line, it.last_line, it.heading)).collect();
    assert_eq!(found, recorded.lines().collect::<Vec<_>>());
}

// @traces RAG-005
#[test]
fn members_of_java_are_merged_or_cut_by_their_length() {
    let member = |name: &str, lines: usize| {
        format!("    int {name}(int a) {{\n{}    }}\n", "        call(a, a, a, a);\n".repeat(lines))
    };
    let text = format!(
        "package p.q;\n\nclass K {{\n{}{}{}}}\n",
        member("small", 2),
        member("other", 2),
        member("large", 60)
    );
    let found = covers("K.java", &text).chunks;
    let headings: Vec<_> = found.iter().map(|it| it.heading.as_str()).collect();
    assert_eq!(headings[0], "package p.q; > K > small");
    assert!(found[0].text.contains("other") && found[0].text.contains("large"), "{found:#?}");
    assert!(found.iter().all(|it| it.text.len() <= 1_430), "{found:#?}");
    assert_eq!(found[1].heading, "package p.q; > K > large");
    check("K.java", "no braces\n", &["1-1 Text"]);
    // A constructor is called what its class is; without a package and a class, the file names it.
    check("K.java", "class K {\n  K(int a) {\n  }\n}\n", &["1-5 Function K > K | K.K"]);
    check("Odd.java", "{ {\n} }\n", &["1-3 Type Odd"]);
}

// @traces RAG-006
#[test]
fn text_is_cut_at_blank_lines() {
    let text =
        "A line of a paragraph, which is not long.\nAnother one of the same paragraph.\n\n".repeat(100);
    let found = covers("notes", &text).chunks;
    assert!(5 < found.len());
    for (at, it) in found.iter().enumerate() {
        assert!(it.text.len() <= 1_350 && (at + 1 == found.len() || 1_000 < it.text.len()), "{it:?}");
        // It ends where a paragraph does.
        assert!(it.text.ends_with("same paragraph."), "{it:?}");
    }
    for pair in found.windows(2) {
        let again: String = text
            .lines()
            .skip(pair[1].first_line as usize - 1)
            .take((pair[0].last_line + 1 - pair[1].first_line) as usize)
            .collect();
        assert!((50..=150).contains(&again.len()), "{again}");
    }
    // One that is not too long stays whole.
    let whole = "word word word\n".repeat(250);
    assert_eq!(covers("notes", &whole).chunks.len(), 1);
}

// @traces RAG-006
#[test]
fn a_long_paragraph_is_cut_into_windows() {
    for text in ["word word word\n".repeat(600), "word ".repeat(2_000), "漢".repeat(5_000)] {
        let found = covers("notes", &text).chunks;
        assert!(4 <= found.len(), "{}", found.len());
        assert!(found.iter().all(|it| it.text.chars().count() <= 1_200), "{found:#?}");
        for pair in found.windows(2) {
            let end = &pair[0].text[pair[0].text.char_indices().nth_back(39).map_or(0, |(at, _)| at)..];
            assert!(pair[1].text.chars().take(200).collect::<String>().contains(end.trim()), "{pair:#?}");
        }
    }
}

#[test]
fn notebooks_are_cut_at_cells() {
    check(
        "a/study.ipynb",
        files::NOTEBOOK,
        &[
            "1-2 Data study",
            "3-10 Cell study > Loading > cell 1",
            "11-14 Cell study > Loading > cell 2",
            "15-28 Data study > Loading > cell 2",
            "29-34 Cell study > Loading > cell 2",
            "35-39 Data study",
        ],
    );
    let on_one_line =
        format!("{{\"cells\": [{}]}}", "{\"cell_type\": \"code\", \"source\": []},".repeat(200));
    assert!(covers("a.ipynb", &on_one_line).chunks.iter().all(|it| it.text.len() <= 4_000));
}

#[test]
fn data_is_headed_by_its_keys() {
    let mut json = "{\n  \"small\": 1,\n  \"large\": {\n".to_owned();
    for number in 0..200 {
        writeln!(json, "    \"key{number}\": \"a value that is some words long\",").ok();
    }
    json.push_str("    \"last\": 1\n  }\n}\n");
    let found = covers("config/app.json", &json).chunks;
    assert!(2 < found.len());
    assert_eq!(found[0].heading, "app");
    assert!(found[1].heading.starts_with("app > large > key"), "{found:#?}");
    let table = format!("name,\"price\"\n{}", "a row of things,12\n".repeat(400));
    assert!(covers("t.csv", &table).chunks.iter().all(|it| it.heading == "t > name, price"));
    let toml = format!("[one]\n{}\n[two]\n{}", "a = 1\n".repeat(50), "b = 2\n".repeat(50));
    check("c.toml", &toml, &["1-51 Data c", "53-103 Data c > two"]);
}

#[test]
fn what_a_file_is_for_is_told_by_name_and_head() {
    #[track_caller]
    fn check(path: &str, text: &str, expected: Nature) {
        assert_eq!(chunks(path, text).nature, expected, "{path}");
        assert_eq!(Nature::from_code(expected.code()), Some(expected));
    }
    for path in
        ["src/a.py", "django/test/client.py", "Makefile", "CMakeLists.txt", "src/latest.ts", "Contest.java"]
    {
        check(path, "x = 1\n", Nature::Source);
    }
    for path in [
        "tests/a.py",
        "a/test_b.py",
        "a/conftest.py",
        "a/b_test.go",
        "src/a.spec.ts",
        "src/__tests__/a.js",
        "test/a.js",
        "src/test/java/A.java",
        "a/OrderTest.java",
        "spec/a_spec.rb",
        "Shop.Tests/Cart.cs",
        "crates/a/src/tests.rs",
        "a.bats",
    ] {
        check(path, "x\n", Nature::Test);
    }
    check("a_pb2.py", "x\n", Nature::Generated);
    check("a.go", "// Code generated by stringer. DO NOT EDIT.\n", Nature::Generated);
    check("generator.py", "text = 'do not edit'\n", Nature::Source);
    check("lib/a.min.js", "x\n", Nature::Minified);
    check("lib/a.js", &"var a=1;".repeat(600), Nature::Minified);
    check("vendor/a/b.go", "x\n", Nature::Vendored);
    check("README", "x\n", Nature::Prose);
    check("docs/a.rst", "x\n", Nature::Prose);
    check("package.json", "{}\n", Nature::Data);
    assert_eq!(Nature::from_code(200), None);
}

/// One line of a program made small is no chunk that fills a screen.
#[test]
fn lines_of_minified_code_are_cut_into_windows() {
    let found = covers("a.min.js", &format!("{}\n", "function a(b){return b+1};".repeat(2_000))).chunks;
    assert!(10 < found.len());
    assert!(found.iter().all(|it| it.text.len() <= 4_000));
}

#[test]
fn identifiers_are_cut_into_words() {
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(words(text).collect::<Vec<_>>(), expected, "{text}");
    }
    check("snake_case __init__ camelCase", &["snake", "case", "init", "camel", "Case"]);
    check(
        "HTTPServer parseURLs XMLHttpRequest",
        &["HTTP", "Server", "parse", "URLs", "XML", "Http", "Request"],
    );
    check("utf8 sha256sum v2", &["utf", "8", "sha", "256", "sum", "v", "2"]);
    check("naïve Größe e\u{301}te", &["naïve", "Größe", "e\u{301}te"]);
    check("漢字kana", &["漢", "字", "kana"]);
    check(" -> :: ", &[]);
    assert_eq!(identifiers("self._a.$b + c_d(1)").collect::<Vec<_>>(), ["self", "a", "b", "c_d", "1"]);
}
