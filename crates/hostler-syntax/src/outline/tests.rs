#![expect(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::*;

/// `first..last kind path [decorators]` of each definition.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let outline = outline(Language::Python, text).unwrap();
    let show = |at: usize| {
        let it = &outline.definitions[at];
        let path: Vec<&str> = outline.path(at).into_iter().map(|it| it.name.as_str()).collect();
        let decorators: Vec<String> = it
            .decorators
            .iter()
            .map(|it| format!(" {}{:?}{:?}", it.name, it.positional, it.keywords))
            .collect();
        let kind = if it.is_class { "class" } else { "def" };
        format!("{}..{} {kind} {}{}", it.first_line, it.last_line, path.join("."), decorators.concat())
    };
    assert_eq!((0..outline.definitions.len()).map(show).collect::<Vec<_>>(), expected, "{text}");
}

#[test]
fn definitions_know_their_lines_and_what_is_around_them() {
    check(
        "class A(B):\n    x = 1\n\n    @p\n    @q.r\n    async def f(self):\n        def g(): pass\n\n        return g\n\ndef h():\n    pass\n",
        &["1..9 class A", "4..9 def A.f p[][] q.r[][]", "7..7 def A.f.g", "11..12 def h"],
    );
    let outline = outline(Language::Python, "class A:\n    def f(self):\n        pass\n\nx = 1\n").unwrap();
    assert_eq!((outline.around(3), outline.around(1), outline.around(5)), (Some(1), Some(0), None));
}

#[test]
fn decorators_tell_what_they_are_given() {
    let given = |value: &str| {
        let text = format!(
            "A = ['a', 'b']\nB = 'x' 'y'\nTWICE = 1\nTWICE = 2\nclass C:\n    D = ('d',)\nLOOP = LOOP\n@t({value})\ndef f(): pass\n"
        );
        outline(Language::Python, &text).unwrap().definitions.last().unwrap().decorators[0].positional.clone()
    };
    let text = |it: &str| Value::Text(it.to_owned());
    let list = |items: &[&str]| Value::List(items.iter().map(|it| text(it)).collect());
    let unknown = |it: &str| Value::Unknown(it.to_owned());
    for (value, expected) in [
        ("'a'", text("a")),
        ("\"\"\"a\"\"\"", text("a")),
        ("r'a' u'b'", text("ab")),
        ("['a', 'b']", list(&["a", "b"])),
        ("('a',)", list(&["a"])),
        ("{'a'}", list(&["a"])),
        ("('a')", text("a")),
        ("A", list(&["a", "b"])),
        ("A + ['c', B]", list(&["a", "b", "c", "xy"])),
        ("[*A, *C.D]", list(&["a", "b", "d"])),
        ("B + 'z'", text("xyz")),
        ("None", Value::Nothing),
        ("TWICE", unknown("TWICE")),
        ("LOOP", unknown("LOOP")),
        ("f'a{b}'", unknown("f'a{b}'")),
        ("b'a'", unknown("b'a'")),
        ("g(\n  1)", unknown("g( 1)")),
        ("A - B", unknown("A - B")),
    ] {
        assert_eq!(given(value), [expected], "{value}");
    }
}

#[test]
fn a_constant_that_doubles_itself_stays_small() {
    let doubled = (1..40).map(|at| format!("A{at} = [*A{0}, *A{0}]\n", at - 1));
    let mut text: String = std::iter::once("A0 = ['a', 'b']\n".to_owned()).chain(doubled).collect();
    text.push_str("@t(A39)\ndef f(): pass\n");
    let outline = outline(Language::Python, &text).unwrap();
    assert!(format!("{outline:?}").len() < 2_000_000);
}

#[test]
fn comments_and_docstrings_are_told_from_strings() {
    let text = "'''module'''\n# one\nx = '# no'\ndef f():\n    \"doc\"\n    'later' # two\n    g('''no''')\n";
    let outline = outline(Language::Python, text).unwrap();
    let found: Vec<(usize, &str, bool)> =
        outline.comments.iter().map(|it| (it.line, it.text.as_str(), it.documents)).collect();
    assert_eq!(
        found,
        [
            (1, "'''module'''", true),
            (2, "# one", false),
            (5, "\"doc\"", true),
            (6, "'later'", true),
            (6, "# two", false),
        ]
    );
}

#[test]
fn names_are_those_that_were_imported() {
    check(
        "from a.b import traces as t\nimport rtm as r\n@t()\n@r.traces\n@x.y.z(a=None)\ndef f(): pass\n",
        &["3..6 def f a.b.traces[][] rtm.traces[][] x.y.z[][(\"a\", Nothing)]"],
    );
}

proptest! {
    #[test]
    fn no_text_is_too_strange(text in "(@t\\(|\\)|def f\\(\\):|class A:|\n|    |'|\"\"\"|#|=|\\[|\\]|\\*|A|\\PC){0,60}") {
        let lines = text.lines().count().max(1);
        let outline = outline(Language::Python, &text).unwrap();
        for it in &outline.definitions {
            prop_assert!(it.first_line <= it.line && it.line <= it.last_line && it.last_line <= lines + 1, "{it:?}");
        }
    }
}
