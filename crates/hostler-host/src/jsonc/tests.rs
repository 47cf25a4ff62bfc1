#![expect(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::*;

const PATH: [&str; 2] = ["hooks", "P"];

fn entry(name: &str) -> Value {
    let hook = Value::object([
        ("command", name.into()),
        ("args", Value::Array(vec!["hook".into(), "a \"b\"".into()])),
        ("timeout", Value::Number(10)),
        ("async", Value::Bool(false)),
    ]);
    Value::object([("matcher", "*".into()), ("hooks", Value::Array(vec![hook]))])
}

/// Inserts an element at [`PATH`]; a one-letter value keeps the tables below readable.
fn insert_into(text: &str, value: &Value) -> Result<(String, Ledger), Error> {
    let edited = insert(text, &PATH, New::Element(value))?;
    let mut ledger = Ledger::default();
    ledger.note(edited.containers);
    Ok((edited.text, ledger))
}

fn index_of(text: &str, value: &Value) -> usize {
    let document = Document::parse(text).unwrap();
    let hooks = document.get(&document.root, "hooks").unwrap();
    let items = document.get(hooks, "P").unwrap().items();
    items.iter().position(|it| value.means(&document, &it.value)).unwrap()
}

fn remove_from(text: &str, value: &Value, ledger: &Ledger) -> String {
    let index = index_of(text, value);
    remove(text, &[Step::Key("hooks"), Step::Key("P"), Step::Index(index)], ledger).unwrap()
}

#[track_caller]
fn check(before: &str, after: &str) {
    let ours = Value::from("X");
    let (edited, ledger) = insert_into(before, &ours).unwrap();
    assert_eq!(edited, after);
    assert_eq!(remove_from(&edited, &ours, &ledger), before, "removal");
}

#[test]
fn one_line_stays_one_line() {
    check("{}", r#"{"hooks": {"P": ["X"]}}"#);
    check("{ }", r#"{"hooks": {"P": ["X"]} }"#);
    check(r#"{"a":1}"#, r#"{"a":1,"hooks":{"P":["X"]}}"#);
    check(r#"{"a": 1}"#, r#"{"a": 1, "hooks": {"P": ["X"]}}"#);
    check(r#"{"hooks": {"P": [1, 2]}}"#, r#"{"hooks": {"P": [1, 2, "X"]}}"#);
    check(r#"{"hooks": {"P": [ 1 ]}}"#, r#"{"hooks": {"P": [ 1, "X" ]}}"#);
    check(r#"{"hooks": {"P": [1,]}}"#, r#"{"hooks": {"P": [1, "X",]}}"#);
    check(r#"{"hooks": {"P": [1 /* one */]}}"#, r#"{"hooks": {"P": [1, /* one */ "X"]}}"#);
    check(r#"{"hooks": {"P": [/* none */]}}"#, r#"{"hooks": {"P": [/* none */"X"]}}"#);
}

#[test]
fn lines_follow_the_neighbour() {
    check("{}\n", "{\n  \"hooks\": {\n    \"P\": [\"X\"]\n  }\n}\n");
    check("{\n    \"a\": 1\n}", "{\n    \"a\": 1,\n    \"hooks\": {\n        \"P\": [\"X\"]\n    }\n}");
    check(
        "{\r\n\t\"hooks\": {\r\n\t\t\"Q\": []\r\n\t}\r\n}\r\n",
        "{\r\n\t\"hooks\": {\r\n\t\t\"Q\": [],\r\n\t\t\"P\": [\"X\"]\r\n\t}\r\n}\r\n",
    );
    check(
        "{\r \"hooks\": {\r  \"P\": [\r   1\r  ]\r }\r}",
        "{\r \"hooks\": {\r  \"P\": [\r   1,\r   \"X\"\r  ]\r }\r}",
    );
    // A bracket on the line of its last item.
    check("{\"hooks\": {\"P\": [\n  1]}}", "{\"hooks\": {\"P\": [\n  1,\n  \"X\"]}}");
    // Several items share a line.
    check("{\"hooks\": {\"P\": [\n  1, 2\n]}}", "{\"hooks\": {\"P\": [\n  1, 2, \"X\"\n]}}");
    check("\u{feff}{\n}\n", "\u{feff}{\n  \"hooks\": {\n    \"P\": [\"X\"]\n  }\n}\n");
}

#[test]
fn commas_and_comments_stay_with_their_items() {
    check("{\"hooks\": {\"P\": [\n  1 // one\n]}}", "{\"hooks\": {\"P\": [\n  1, // one\n  \"X\"\n]}}");
    check("{\"hooks\": {\"P\": [\n  1, // one\n]}}", "{\"hooks\": {\"P\": [\n  1, // one\n  \"X\",\n]}}");
    check("{\"hooks\": {\"P\": [\n  1   \n]}}", "{\"hooks\": {\"P\": [\n  1,\n  \"X\"   \n]}}");
    check(
        "{\"hooks\": {\"P\": [\n  1\n  // 2,\n  // 3\n]}}",
        "{\"hooks\": {\"P\": [\n  1,\n  \"X\"\n  // 2,\n  // 3\n]}}",
    );
    check(
        "{\"hooks\": {\"P\": [\n  1 /* a */ /* b\n c */ // d\n]}}",
        "{\"hooks\": {\"P\": [\n  1, /* a */ /* b\n c */ // d\n  \"X\"\n]}}",
    );
    // A line comment behind an inline item forces a line of its own.
    check("{ \"hooks\": {\"P\": [1]} // last\n}", "{ \"hooks\": {\"P\": [1, \"X\"]} // last\n}");
    check("{ \"a\": 1 // last\n}", "{ \"a\": 1, // last\n  \"hooks\": {\n    \"P\": [\"X\"]\n  }\n}");
    check("{ \"a\": 1, // last\n}", "{ \"a\": 1, // last\n  \"hooks\": {\n    \"P\": [\"X\"]\n  },\n}");
}

#[test]
fn an_empty_container_opens_where_lines_are_used() {
    let open = "{\n  \"hooks\": {\n    \"P\": [\n      \"X\"\n    ]\n  }\n}\n";
    check("{\n  \"hooks\": {\n    \"P\": []\n  }\n}\n", open);
    check("{\n  \"hooks\": {\n    \"P\": [\n    ]\n  }\n}\n", open);
    check("{\n  \"hooks\": {\n    \"P\": [\n\n    ]\n  }\n}\n", &open.replace("\"X\"\n", "\"X\"\n\n"));
    check(
        "{\n  \"hooks\": {\n    \"P\": [ // none\n    ]\n  }\n}\n",
        &open.replace("[\n      \"X\"", "[ // none\n      \"X\""),
    );
    check(
        "{\n  \"hooks\": {\n    \"P\": [\n      // none\n    ]\n  }\n}\n",
        &open.replace("[\n", "[\n      // none\n"),
    );
    check("{\n  \"hooks\": {\n    \"P\": [/* none */]\n  }\n}\n", &open.replace("[\n", "[/* none */\n"));
}

#[test]
fn indentation_is_the_nearest_and_aligned_columns_are_no_unit() {
    // As an aligning serialiser writes: the step from a key to its element is a column, not a unit.
    let before = "{\n    \"hooks\":  {\n                  \"P\":  []\n              }\n}\n";
    let (edited, _) = insert_into(before, &Value::object([("a", Value::Number(1))])).unwrap();
    assert_eq!(
        edited,
        "{\n    \"hooks\":  {\n                  \"P\":  [\n                      {\n                          \"a\": 1\n                      }\n                  ]\n              }\n}\n"
    );
    check(
        "{\n  \"hooks\": {\n\t\"P\": [\n\t 1\n\t]\n  }\n}\n",
        "{\n  \"hooks\": {\n\t\"P\": [\n\t 1,\n\t \"X\"\n\t]\n  }\n}\n",
    );
}

#[test]
fn keys_are_compared_decoded() {
    check(r#"{"\u0068ooks": {"\u0050": [1]}}"#, r#"{"\u0068ooks": {"\u0050": [1, "X"]}}"#);
    // Escapes, big numbers and lone surrogates elsewhere are bytes that stay.
    check(
        r#"{"a": "\/\ud83d", "b": 12345678901234567890.0e-5}"#,
        r#"{"a": "\/\ud83d", "b": 12345678901234567890.0e-5, "hooks": {"P": ["X"]}}"#,
    );
}

#[track_caller]
fn refused(text: &str, message: &str) {
    let error = insert_into(text, &Value::from("X")).unwrap_err();
    assert_eq!(error.to_string(), message, "{text:?}");
}

#[test]
fn what_is_refused_says_where() {
    refused("", "1:1: expected a value, found the end of the file");
    refused(" \n\t\n", "3:1: expected a value, found the end of the file");
    refused("{\n  \"a\": 1,\n  b\n}", "3:3: expected a key in double quotes or `}`");
    refused("{\"a\": 1 \"b\": 2}", "1:9: expected `,` or `}`");
    refused("{\"a\" 1}", "1:6: expected `:` after the key");
    refused("[1, , 2]", "1:5: expected a value, found `,`");
    refused("{\"é\": \u{1F600}}", "1:7: expected a value, found `\u{1F600}`");
    refused("{\"a\": \"x\ty\"}", "1:9: control character U+0009 in a string; write it as an escape");
    refused("{\"a\": \"\0\"}", "1:8: control character U+0000 in a string; write it as an escape");
    refused("{\"a\": \"\\x41\"}", "1:8: unknown escape in a string");
    refused("{\"a\": \"\\u12g4\"}", "1:8: expected four hexadecimal digits after `\\u`");
    refused("{\"a\": \"b}", "1:7: this string has no end");
    refused("{\"a\": 01}", "1:7: this is not a JSON number");
    refused("{\"a\": -}", "1:7: this is not a JSON number");
    refused("{\"a\": 1.}", "1:7: this is not a JSON number");
    refused("{\"a\": 1e}", "1:7: this is not a JSON number");
    refused("{\"a\": NaN}", "1:7: expected a value, found `N`");
    refused("{\"a\": +1}", "1:7: expected a value, found `+`");
    refused("{'a': 1}", "1:2: expected a key in double quotes or `}`");
    refused("{\u{a0}}", "1:2: expected a key in double quotes or `}`");
    refused("{} x", "1:4: expected the end of the file");
    refused("{} /", "1:4: expected a comment after `/`");
    refused("{} /* ", "1:4: this comment has no end");
    refused("{\r\n\"a\": [1,\r\n", "3:1: the file ends before the `[` of 2:6 is closed");
    refused("\u{feff}{,}", "1:2: expected a key in double quotes or `}`");
    refused("{}\u{feff}", "1:3: expected the end of the file");
    refused("[]", "1:1: `the file` is an array, but must be an object");
    refused("null", "1:1: `the file` is null, but must be an object");
    refused("{\"hooks\": null}", "1:11: `hooks` is null, but must be an object");
    refused("{\"hooks\": []}", "1:11: `hooks` is an array, but must be an object");
    refused("{\"hooks\": {\"P\": \"x\"}}", "1:17: `hooks.P` is a string, but must be an array");
    refused("{\"hooks\": {\"P\": {}}}", "1:17: `hooks.P` is an object, but must be an array");
    refused(
        "{\n\"hooks\": {},\n\"\\u0068ooks\": {}}",
        "3:1: key `hooks` occurs twice (first at 2:1); keep one of them",
    );
    refused(&"[".repeat(100_000), "1:202: nested too deeply");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let refusal = |bytes: &[u8]| decode(bytes).unwrap_err().to_string();
    assert_eq!(refusal(b"{\n \"a\": \"\xe9\"}"), "2:8: a byte here is not UTF-8; save the file as UTF-8");
    assert_eq!(refusal(b"\xff\xfe{\0}\0"), "1:1: the file is UTF-16; save it as UTF-8");
    assert_eq!(decode(b"\xef\xbb\xbf{}").unwrap(), "\u{feff}{}");
}

#[test]
fn members_are_inserted_replaced_and_removed() {
    let text = "{\n  \"mcp\": {\n    \"a\": 1\n  }\n}\n";
    let edited =
        insert(text, &["mcp"], New::Member("b", &Value::object([("c", Value::Bool(true))]))).unwrap();
    assert_eq!(
        edited.text,
        "{\n  \"mcp\": {\n    \"a\": 1,\n    \"b\": {\n      \"c\": true\n    }\n  }\n}\n"
    );
    let path = [Step::Key("mcp"), Step::Key("b")];
    let replaced = replace(&edited.text, &path, &Value::object([("d", Value::Number(2))])).unwrap();
    assert_eq!(replaced, edited.text.replace("\"c\": true", "\"d\": 2"));
    assert_eq!(remove(&replaced, &path, &Ledger::default()).unwrap(), text);
    let again = insert(&replaced, &["mcp"], New::Member("b", &Value::Bool(true))).unwrap_err();
    assert_eq!(again.to_string(), "4:5: key `b` occurs twice (first at 4:5); keep one of them");
    assert_eq!(
        remove(text, &[Step::Key("mcp"), Step::Key("z")], &Ledger::default()).unwrap_err().to_string(),
        "1:1: there is no `mcp.z`"
    );
}

#[test]
fn a_replacement_keeps_its_line_form_and_equal_meaning_is_no_change() {
    let path = [Step::Key("hooks"), Step::Key("P"), Step::Index(0)];
    let old = "{\"hooks\": {\"P\": [{\"b\": 2, \"a\": [ 1 ]}]}}";
    let same = Value::object([("a", Value::Array(vec![Value::Number(1)])), ("b", Value::Number(2))]);
    assert_eq!(replace(old, &path, &same).unwrap(), old);
    let newer = Value::object([("a", Value::Number(7))]);
    assert_eq!(replace(old, &path, &newer).unwrap(), "{\"hooks\": {\"P\": [{\"a\": 7}]}}");
    let lines = "{\n \"hooks\": {\n  \"P\": [\n   { // mine\n    \"a\": 1\n   } // yours\n  ]\n }\n}";
    assert_eq!(
        replace(lines, &path, &newer).unwrap(),
        "{\n \"hooks\": {\n  \"P\": [\n   {\n    \"a\": 7\n   } // yours\n  ]\n }\n}"
    );
}

#[test]
fn what_the_user_put_beside_ours_stays() {
    let ours = Value::from("X");
    let (_, ledger) = insert_into("{}\n", &ours).unwrap();
    let cut = |text: &str| remove_from(text, &ours, &ledger);
    // Another event in the `hooks` that we made; a comment in the list that we made.
    assert_eq!(
        cut("{\n  \"hooks\": {\n    \"P\": [\"X\"],\n    \"Q\": []\n  }\n}\n"),
        "{\n  \"hooks\": {\n    \"Q\": []\n  }\n}\n"
    );
    assert_eq!(
        cut("{\n  \"hooks\": {\n    \"P\": [\"X\" /* why */]\n  }\n}\n"),
        "{\n  \"hooks\": {\n    \"P\": [ /* why */]\n  }\n}\n"
    );
    // Cutting a line must not pull the next item into a comment.
    assert_eq!(cut("{\"hooks\": {\"P\": [1, // one\n\"X\", 2]}}"), "{\"hooks\": {\"P\": [1, // one\n2]}}");
    assert_eq!(cut("{\"hooks\": {\"P\": [\"X\", 2]}}"), "{\"hooks\": {\"P\": [2]}}");
}

/// Writes random texts: what is decided is read from `bytes`, so that shrinking them shrinks the text.
struct Writer<'b> {
    bytes: std::slice::Iter<'b, u8>,
    out: String,
    eol: &'static str,
}

impl Writer<'_> {
    fn choose(&mut self, among: u8) -> u8 {
        self.bytes.next().map_or(0, |it| it % among)
    }

    fn trivia(&mut self) {
        loop {
            let piece = match self.choose(14) {
                1 => " ".to_owned(),
                2 => "\t".to_owned(),
                3 | 4 => format!("{}  ", self.eol),
                5 => self.eol.to_owned(),
                6 => format!(" // \"}}],{{ hooks: [ {}", self.eol),
                7 => format!(" /* \"hooks\": [ */{}", self.eol),
                8 => format!("/* a{}  b ]}}, \" */", self.eol),
                9 => format!("// http://x/*y{}", self.eol),
                _ => return,
            };
            self.out.push_str(&piece);
        }
    }

    fn token(&mut self, token: &str) {
        self.out.push_str(token);
        self.trivia();
    }

    fn value(&mut self, depth: usize) {
        match self.choose(if 3 < depth { 5 } else { 9 }) {
            0 => self.token("1"),
            1 => self.token("\"//\\\"\\u0041{[\""),
            2 => self.token("-0.5e+10"),
            3 => self.token("null"),
            4 => self.token("\"\""),
            5 | 6 => self.array(depth),
            _ => self.object(depth, &[]),
        }
    }

    fn array(&mut self, depth: usize) {
        self.token("[");
        let count = self.choose(4);
        for index in 0..count {
            self.value(depth + 1);
            if index + 1 < count || self.choose(4) == 1 {
                self.token(",");
            }
        }
        self.out.push(']');
        self.trivia();
    }

    /// With the containers named by `path` somewhere among others, or without them.
    fn object(&mut self, depth: usize, path: &[&str]) {
        self.token("{");
        let count = self.choose(4);
        let own = if path.is_empty() || self.choose(4) == 1 { None } else { Some(self.choose(count + 1)) };
        for index in 0..=count {
            let named = own == Some(index);
            let member = index < count || named;
            if !member {
                break;
            }
            let key = if named { path[0].to_owned() } else { format!("k{index}") };
            self.token(&format!("\"{key}\""));
            self.token(":");
            match path {
                [_] if named => self.array(depth + 1),
                [_, rest @ ..] if named => self.object(depth + 1, rest),
                _ => self.value(depth + 1),
            }
            if index + 1 < count || (own == Some(count) && index < count) || self.choose(4) == 1 {
                self.token(",");
            }
        }
        self.out.push('}');
        self.trivia();
    }
}

fn random_text() -> impl Strategy<Value = String> {
    proptest::collection::vec(any::<u8>(), 0..160).prop_map(|bytes| {
        let mut writer = Writer { bytes: bytes.iter(), out: String::new(), eol: "\n" };
        writer.eol = ["\n", "\r\n", "\r"][usize::from(writer.choose(3))];
        if writer.choose(8) == 1 {
            writer.out.push('\u{feff}');
        }
        writer.trivia();
        writer.object(0, &PATH);
        writer.out
    })
}

/// Tokens without layout, and the comments: what an edit may not change by accident.
fn meaning(text: &str) -> (String, Vec<String>) {
    fn write(document: &Document<'_>, node: &Node, out: &mut String) {
        if node.items().is_empty() && !matches!(node.kind, Kind::Array(_) | Kind::Object(_)) {
            out.push_str(&document.text[node.range.clone()]);
            return;
        }
        out.push(char::from(document.text.as_bytes()[node.range.start]));
        for item in node.items() {
            if let Some(key) = &item.key {
                out.push_str(&document.text[key.clone()]);
                out.push(':');
            }
            write(document, &item.value, out);
            out.push(',');
        }
        out.push(char::from(document.text.as_bytes()[node.range.end - 1]));
    }
    let document = Document::parse(text).unwrap();
    let mut out = String::new();
    write(&document, &document.root, &mut out);
    let comments = document.comments.iter().map(|it| text[it.clone()].to_owned()).collect();
    (out, comments)
}

fn is_subsequence(part: &str, whole: &str) -> bool {
    let mut rest = whole.bytes();
    part.bytes().all(|wanted| rest.any(|it| it == wanted))
}

/// How many line ends of each kind: `\r\n`, `\n`, `\r`.
fn line_ends(text: &str) -> [usize; 3] {
    let pairs = text.matches("\r\n").count();
    [pairs, text.matches('\n').count() - pairs, text.matches('\r').count() - pairs]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn an_insertion_only_inserts_and_its_removal_restores(text in random_text()) {
        let ours = entry("ours");
        let (edited, ledger) = insert_into(&text, &ours).unwrap();
        prop_assert!(is_subsequence(&text, &edited));
        prop_assert_eq!(meaning(&text).1, meaning(&edited).1);
        let (before, after) = (line_ends(&text), line_ends(&edited));
        for (before, after) in before.into_iter().zip(after) {
            prop_assert!(before != 0 || after == 0 || line_ends(&text) == [0, 0, 0], "foreign line end");
        }
        if line_ends(&text) == [0, 0, 0] {
            prop_assert_eq!(after, [0, 0, 0], "one line stays one line");
        }
        let strict = |text: &str| Document::parse(text).unwrap().trailing_comma.is_none();
        prop_assert_eq!(strict(&text), strict(&edited));
        prop_assert_eq!(remove_from(&edited, &ours, &ledger), text);
    }

    #[test]
    fn another_tool_may_come_in_between(text in random_text()) {
        let (ours, theirs) = (entry("ours"), entry("theirs"));
        let (first, ledger) = insert_into(&text, &ours).unwrap();
        let (both, _) = insert_into(&first, &theirs).unwrap();
        let (alone, _) = insert_into(&text, &theirs).unwrap();
        prop_assert_eq!(meaning(&remove_from(&both, &ours, &ledger)), meaning(&alone));
    }

    #[test]
    fn entries_may_go_in_any_order(text in random_text(), backwards in any::<bool>()) {
        let mut edited = text.clone();
        let mut ledger = Ledger::default();
        let events = ["P", "Q", "R"];
        for event in events {
            let inserted = insert(&edited, &["hooks", event], New::Element(&entry("ours"))).unwrap();
            ledger.note(inserted.containers);
            edited = inserted.text;
        }
        let mut order = events;
        if backwards {
            order.reverse();
        }
        for event in order {
            let document = Document::parse(&edited).unwrap();
            let hooks = document.get(&document.root, "hooks").unwrap();
            let count = document.get(hooks, event).unwrap().items().len();
            let path = [Step::Key("hooks"), Step::Key(event), Step::Index(count - 1)];
            edited = remove(&edited, &path, &ledger).unwrap();
        }
        prop_assert_eq!(edited, text);
    }

    #[test]
    fn a_replacement_changes_nothing_else(text in random_text()) {
        let (edited, ledger) = insert_into(&text, &entry("old")).unwrap();
        let path = [Step::Key("hooks"), Step::Key("P"), Step::Index(index_of(&edited, &entry("old")))];
        let replaced = replace(&edited, &path, &entry("new")).unwrap();
        prop_assert_eq!(replace(&replaced, &path, &entry("new")).unwrap(), replaced.clone());
        prop_assert_eq!(&insert_into(&text, &entry("new")).unwrap().0, &replaced);
        prop_assert_eq!(remove_from(&replaced, &entry("new"), &ledger), text);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[\\[\\]{}:,\"/*\\\\ \r\nua0-9e.+-]{0,40}|.*") {
        if let Err(Error::Syntax { at, .. }) = Document::parse(&text) {
            prop_assert!(0 < at.line && 0 < at.column);
        }
    }

    #[test]
    fn what_a_strict_reader_takes_we_take(text in random_text()) {
        let stripped = meaning(&text).0.replace(",]", "]").replace(",}", "}");
        prop_assert!(serde_json::from_str::<serde_json::Value>(&stripped).is_ok(), "{stripped}");
        prop_assert!(Document::parse(&stripped).is_ok());
    }
}
