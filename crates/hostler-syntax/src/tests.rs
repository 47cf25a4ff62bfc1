#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn python(text: &str) -> Syntax {
    read(Language::Python, text).unwrap()
}

/// Handlers as `line: types`, with `!` before a silent one.
#[track_caller]
fn handlers(text: &str, expected: &[&str]) {
    assert_eq!(shown(&python(text)), expected, "{text}");
}

fn shown(syntax: &Syntax) -> Vec<String> {
    syntax
        .handlers
        .iter()
        .map(|it| format!("{}{}: {}", if it.silent { "!" } else { "" }, it.line, it.types.join(" ")))
        .collect()
}

#[test]
fn handlers_are_read_with_their_types() {
    handlers("try:\n    f()\nexcept:\n    g()\n", &["3: "]);
    handlers("try:\n    f()\nexcept: pass", &["!3: "]);
    handlers("try:\n    f()\nexcept ValueError:\n    pass\n", &["!3: ValueError"]);
    handlers("try:\n    f()\nexcept ValueError as e:\n    ...\n", &["!3: ValueError"]);
    handlers("try:\n    f()\nexcept (OSError, a.B):\n    pass\n", &["!3: OSError a.B"]);
    handlers(
        "try:\n    f()\nexcept (\n    OSError,\n    a . B,  # c\n) as e:\n    pass\n",
        &["!3: OSError a . B"],
    );
    handlers("try:\n    f()\nexcept (OSError):\n    pass\n", &["!3: OSError"]);
    handlers("try:\n    f()\nexcept OSError, ValueError:\n    pass\n", &["!3: OSError ValueError"]);
    handlers("try:\n    f()\nexcept* OSError as group:\n    pass\n", &["!3: OSError"]);
    handlers("try:\n    f()\nexcept errors():\n    return\n", &["3: errors()"]);
    handlers("try:\r\n    f()\r\nexcept OSError:\r\n    pass\r\n", &["!3: OSError"]);
    handlers("\u{feff}try:\n\tf()\nexcept OSError:\n\tpass\n", &["!3: OSError"]);
    handlers(
        "async def f():\n    try:\n        await g()\n    except A:\n        try:\n            h()\n        except B:\n            pass\n    else:\n        pass\n    finally:\n        pass\n",
        &["4: A", "!7: B"],
    );
}

#[test]
fn a_body_is_silent_when_it_does_nothing() {
    handlers("try:\n    f()\nexcept A:\n    # known\n    pass\n", &["!3: A"]);
    handlers("try:\n    f()\nexcept A:\n    pass  # known\n", &["!3: A"]);
    handlers("try:\n    f()\nexcept A:\n    pass; pass\n", &["!3: A"]);
    handlers("try:\n    f()\nexcept A:\n    pass\n    ...\n", &["!3: A"]);
    handlers("try:\n    f()\nexcept A:\n    log(1)\n    pass\n", &["3: A"]);
    handlers("try:\n    f()\nexcept A:\n    'why'\n", &["3: A"]);
    handlers("try:\n    f()\nexcept A:\n    continue\n", &["3: A"]);
}

#[test]
fn strings_comments_and_names_are_no_handlers() {
    for text in [
        "S = '''\ntry:\n    f()\nexcept:\n    pass\n'''\n",
        "# except: pass\n",
        "s = f\"except: {x}\"\n",
        "except_ = {'except': 1}\n",
        "class E(Exception):\n    pass\n",
    ] {
        handlers(text, &[]);
        assert!(!python(text).has_errors, "{text}");
    }
}

#[test]
fn broken_code_gives_what_can_be_read() {
    let broken = python("def f(:\n    try:\n        g()\n    except:\n        pass\n");
    assert!(broken.has_errors);
    assert_eq!(shown(&broken), ["!4: "]);
    for text in
        ["", "(", "\0", "except", "except:", "try:", "    x", "é = 'ü", "f'{", "x\\", "\\\n", "\t\r\n \x0c"]
    {
        python(text);
        read_part(Language::Python, text).unwrap();
    }
}

#[track_caller]
fn part(text: &str, expected: &[&str]) {
    assert_eq!(shown(&read_part(Language::Python, text).unwrap()), expected, "{text}");
}

#[test]
fn parts_are_read_without_their_surroundings() {
    part("try:\n    g()\nexcept:\n    pass", &["!3: "]);
    part("        try:\n            g()\n        except A:\n            pass\n", &["!3: A"]);
    // The replaced text began after the indentation of its first line.
    part("try:\n            g()\n        except A:\n            pass", &["!3: A"]);
    part("if x:\n    try:\n        g()\n    except A:\n        pass", &["!4: A"]);
    // It began in the middle of the statement.
    part("except:\n    pass", &["!1: "]);
    part("    except (A, B):\n        pass\n", &["!1: A B"]);
    part("except A:\n        pass", &["!1: A"]);
    part("    return 1\nexcept A:\n    pass\nx = 1", &["!2: A"]);
    part("        return 1\n    except A:\n        pass\n    x = 1", &["!2: A"]);
    part("\n\nexcept A:\n    pass", &["!3: A"]);
    part("exceptional = 1\nx = 2", &[]);
}

#[track_caller]
fn mocks(text: &str, expected: &[&str]) {
    let found: Vec<String> =
        python(text).mocks.into_iter().map(|it| format!("{} {}", it.line, it.pattern)).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn mocks_are_found_by_where_they_come_from() {
    mocks("import unittest.mock\n", &["1 unittest.mock"]);
    mocks("from unittest import TestCase, mock\n", &["1 unittest.mock"]);
    mocks("from unittest.mock import (\n    MagicMock,\n    patch,\n)\n", &["1 unittest.mock"]);
    mocks("from unittest.mock import *\nMagicMock()\n", &["1 unittest.mock", "2 MagicMock"]);
    mocks("import mock\n", &["1 mock"]);
    mocks("from pytest_mock import MockerFixture\n", &["1 pytest-mock"]);
    mocks("import unittest.mock as um\num.patch('a')\n", &["1 unittest.mock", "2 patch"]);
    mocks("from unittest.mock import Mock as M\nx = M\n", &["1 unittest.mock", "2 Mock"]);
    mocks("from unittest import mock\n@mock.patch('a')\ndef f(): ...\n", &["1 unittest.mock", "2 @patch"]);
    mocks("def test(mocker):\n    mocker.patch('a')\n", &["1 mocker", "2 mocker"]);
    mocks(
        "def f():\n    x = p('a')\n    from unittest.mock import patch as p\n",
        &["2 patch", "3 unittest.mock"],
    );
}

#[test]
fn mocks_are_found_where_the_import_is_out_of_sight() {
    mocks("x = MagicMock()\n", &["1 MagicMock"]);
    mocks("x = AsyncMock(return_value=1)\n", &["1 AsyncMock"]);
    mocks("type(x).p = PropertyMock()\n", &["1 PropertyMock"]);
    mocks("x = Mock()\n", &["1 Mock"]);
    mocks("x = create_autospec(f)\n", &["1 create_autospec"]);
    mocks("@patch('a.b')\ndef f(m): pass\n", &["1 @patch"]);
    mocks("@patch.object(a, 'b')\ndef f(m): pass\n", &["1 @patch.object"]);
    mocks("with patch.dict('os.environ', {}):\n    pass\n", &["1 patch.dict"]);
    mocks("with patch('a') as a, patch('b') as b:\n    pass\n", &["1 patch", "1 patch"]);
    mocks("def f(m: MagicMock): pass\n", &["1 MagicMock"]);
    mocks("s = f'{MagicMock()}'\n", &["1 MagicMock"]);
    mocks("@mock.patch.object(a, 'b')\ndef f(m): pass\n", &["1 @patch.object"]);
}

#[test]
fn what_only_sounds_like_a_mock_is_none() {
    for text in [
        "# we never use MagicMock here\n",
        "s = 'MagicMock'\n",
        "class MockTurtle:\n    pass\n",
        "def test(monkeypatch):\n    monkeypatch.setattr(a, 'b', 1)\n",
        "client.patch('/users/1')\n",
        "from app.git import patch\npatch('a')\n",
        "def patch(x): ...\npatch(1)\n",
        "from app import mock\nmock.patch('a')\n",
        "from .mock import MagicMock\nMagicMock()\n",
        "def f(mock):\n    mock.patch('a')\n",
        "f(patch=1, MagicMock=2)\n",
        "patch = load()\n",
        "transport = httpx.MockTransport(handler)\n",
        "import mocking\nfrom unittest import TestCase\n",
        "x.Mock()\n",
    ] {
        mocks(text, &[]);
    }
}

#[track_caller]
fn relative(text: &str, expected: &[(usize, usize, &str)]) {
    let syntax = python(text);
    let found: Vec<_> =
        syntax.relative_imports.iter().map(|it| (it.line, it.level, it.module.as_str())).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn relative_imports_are_read_with_their_level() {
    relative("from . import utils\n", &[(1, 1, "")]);
    relative("from .a import b as c\n", &[(1, 1, "a")]);
    relative("from .a . b import (\n    c,\n    d,\n)\n", &[(1, 1, "a.b")]);
    relative("from ..core import x\n", &[(1, 2, "core")]);
    relative(
        "from .. import x\nfrom ... import y\nfrom .... import z\n",
        &[(1, 2, ""), (2, 3, ""), (3, 4, "")],
    );
    relative("from . . import x\n", &[(1, 2, "")]);
    relative("from.import x\nfrom.a import y\n", &[(1, 1, ""), (2, 1, "a")]);
    relative("def f():\n    if x:\n        from .a import *\n", &[(3, 1, "a")]);
    // A continued line that stands left of its statement, which the grammar does not read.
    relative("if x:\n    from .m import (\n  a, b)\n", &[(2, 1, "m")]);
    for text in [
        "import a.b\n",
        "from a import b\n",
        "from __future__ import annotations\n",
        "s = 'from . import x'\n",
    ] {
        relative(text, &[]);
    }
}

#[test]
fn languages_go_by_extension() {
    for (path, expected) in [
        ("a.py", Some(Language::Python)),
        ("/x/a.PYI", Some(Language::Python)),
        ("a.rs", Some(Language::Rust)),
        ("a.tsx", Some(Language::Tsx)),
        ("a.mjs", Some(Language::JavaScript)),
        ("a.hpp", Some(Language::Cpp)),
        ("a.bash", Some(Language::Bash)),
        ("a.pyc", None),
        ("py", None),
        (".py", None),
        ("a.txt", None),
    ] {
        assert_eq!(Language::of(Path::new(path)), expected, "{path}");
    }
}

#[test]
fn every_language_has_a_grammar_that_fits() {
    let extensions: Vec<&str> = GRAMMARS.iter().flat_map(|it| it.extensions).copied().collect();
    assert_eq!(extensions.iter().collect::<BTreeSet<_>>().len(), extensions.len(), "one language each");
    for grammar in GRAMMARS {
        assert_eq!(grammar.language.grammar().unwrap().extensions, grammar.extensions);
        assert_eq!(facts(grammar.language, "").unwrap(), Facts::default());
        if grammar.reader.is_some() {
            assert_eq!(read(grammar.language, "").unwrap(), Syntax::default());
        }
    }
}

#[test]
fn guards_and_tags_read_python_alone() {
    assert_eq!(read(Language::Rust, "fn f() {}"), Err(Error::Unread(Language::Rust)));
    assert_eq!(read_part(Language::Go, "x"), Err(Error::Unread(Language::Go)));
    assert_eq!(outline(Language::Bash, "x"), Err(Error::Unread(Language::Bash)));
    assert!(facts(Language::Rust, "fn f() {}").is_ok());
}

/// Blocks inside blocks, each one blank deeper than the last.
fn stairs(levels: usize, before: &str) -> String {
    (0..levels).map(|level| " ".repeat(level) + before + "if x:\n").collect()
}

#[test]
fn budgets_are_said_and_never_overrun() {
    let long = " ".repeat(BYTES_MAX + 1);
    assert_eq!(read(Language::Python, &long), Err(Error::TooLong { bytes: BYTES_MAX + 1 }));
    assert_eq!(read_part(Language::Python, &long), Err(Error::TooLong { bytes: BYTES_MAX + 1 }));
    let steps = stairs(2_000, "");
    assert_eq!(read(Language::Python, &steps), Err(Error::TooDeep { widths: 2_000 }));
    let joined = stairs(2_000, "\\\n ");
    assert_eq!(read(Language::Python, &joined), Err(Error::TooDeep { widths: 2_000 }));
    // An empty line after a continued one begins to count anew.
    let anew: String =
        (0..500).map(|level| " ".repeat(500 - level) + "\\\n\n" + &" ".repeat(level) + "if x:\n").collect();
    assert_eq!(read(Language::Python, &anew), Err(Error::TooDeep { widths: 500 }));
    assert!(read(Language::Python, &stairs(150, "")).is_ok());
}

#[test]
fn nesting_costs_no_stack() {
    for text in [
        "(".repeat(100_000),
        "a.".repeat(100_000),
        "not ".repeat(50_000),
        "f'{".repeat(20_000),
        "[[((".repeat(20_000),
    ] {
        python(&text);
    }
    let nested = format!("{}x{}\n", "(".repeat(5_000), ")".repeat(5_000));
    assert!(python(&nested).cut);
}

/// Text made of what Python is made of, so that more than the first token is read.
fn python_like() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "try",
        "except",
        "finally",
        "pass",
        "...",
        ":",
        "\n",
        "    ",
        "\t",
        "(",
        ")",
        "[",
        "{",
        "}",
        "'",
        "\"\"\"",
        "f'",
        "from",
        "import",
        ".",
        "..",
        "as",
        "*",
        "@",
        "patch",
        "mock",
        "mocker",
        "MagicMock",
        "Mock",
        "unittest.mock",
        "def",
        "class",
        "\\",
        "\r\n",
        "#",
        "é",
        "\0",
        ",",
        "=",
        "lambda",
        "async",
        " ",
        "\x0c",
        "$",
    ]);
    prop::collection::vec(words, 0..80).prop_map(|words| words.join(" ").replace(" \n ", "\n"))
}

proptest! {
    #[test]
    fn no_text_is_too_strange(text in any::<String>()) {
        let _ = read(Language::Python, &text);
        let _ = read_part(Language::Python, &text);
    }

    #[test]
    fn no_broken_code_is_too_strange(text in python_like()) {
        let lines = text.lines().count().max(1);
        for syntax in [read(Language::Python, &text), read_part(Language::Python, &text)] {
            let syntax = syntax.unwrap();
            let found = syntax.handlers.iter().map(|it| it.line)
                .chain(syntax.mocks.iter().map(|it| it.line))
                .chain(syntax.relative_imports.iter().map(|it| it.line));
            for line in found {
                prop_assert!((1..=lines).contains(&line), "line {line} of {lines}");
            }
        }
    }

    /// Indentation of the whole part is no reason to see less.
    #[test]
    fn a_part_reads_the_same_at_any_level(level in 0_usize..12) {
        let code = "try:\n    g()\nexcept (A, B):\n    pass\nfrom .m import x\n";
        let indent = "    ".repeat(level);
        let indented = format!("{indent}{}", code.trim_end().replace('\n', &format!("\n{indent}")));
        prop_assert_eq!(read_part(Language::Python, &indented), read(Language::Python, code));
    }
}
