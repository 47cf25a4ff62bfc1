use std::borrow::Cow;
use std::fmt::Write;

use proptest::prelude::*;
use serde_json::json;

use super::super::words::Folder;
use super::super::*;

fn bound(raw: &str, query: &str) -> u32 {
    Query::search(query).bound(raw, &mut Folder::new())
}

#[track_caller]
fn check(raw: &str, query: &str, expected: u32) {
    assert_eq!(bound(raw, query), expected, "{query:?} in {raw}");
}

#[test]
fn json_that_lacks_a_word_is_passed_over() {
    check(r#"{"purpose": "Deception detection"}"#, "deception", 1);
    check(r#"{"purpose": "Deception detection"}"#, "deception parser", 1);
    check(r#"{"purpose": "Deception detection"}"#, "parser", 0);
    check(r#"{"purpose":"the tests"}"#, "tests", 1);
    check(r#"{"purpose":"the test"}"#, "tests", 1);
}

#[test]
fn names_of_members_are_not_texts() {
    check(r#"{"branch": "main"}"#, "branch", 0);
    check(r#"{"work_log" : []}"#, "work log", 0);
    check(r#"{"purpose": "a branch"}"#, "branch", 1);
    check(r#"{"purpose": "say \"branch\": twice"}"#, "branch", 1);
    check(r#"{"list": ["branch", "x"]}"#, "branch", 1);
}

#[test]
fn values_that_are_no_texts_and_ends_of_words_are_passed_over() {
    check(r#"{"branch": "main"}"#, "main", 0);
    check(r#"{"branch" : "feature/main"}"#, "main", 0);
    check(r#"{"branch": "main", "purpose": "the main loop"}"#, "main", 1);
    check(r#"{"purpose": "\"branch\": \"main\""}"#, "main", 1);
    check(r#"{"achievements": ["main"]}"#, "main", 1);
    check(r#"{"achievements": ["branch", "main"]}"#, "main", 1);
    check(r#"{"hosts": [{"host": "claude", "id": "main"}]}"#, "main claude", 0);
    check(r#"{"purpose": "domain"}"#, "main", 0);
    check(r#"{"purpose": "a\nmain, b\\nmain"}"#, "main", 1);
    check(r#"{"purpose": "b\\nmain"}"#, "main", 0);
    check(r#"{"purpose": "mains"}"#, "main", 1);
    check(r#"{"purpose": "testing"}"#, "tests", 0);
    check(r#"{"purpose": "testsuite"}"#, "tests", 1);
    check(r#"{"purpose": "cities"}"#, "ci", 0);
    check(r#"{"purpose": "émain"}"#, "main", 1);
}

#[test]
fn escapes_are_read() {
    check(r#"{"purpose": "caf\u00e9"}"#, "CAFÉ", 1);
    check(r#"{"purpose": "\u7f13\u5b58"}"#, "缓存", 1);
    check(r#"{"purpose": "\u0064eception"}"#, "deception", 1);
    check(r#"{"purpose": "\ud835\udcb3 deception \ud835"}"#, "deception", 1);
    check(r#"{"purpose": "STRA\u1e9eE"}"#, "strasse", 1);
    check(r#"{"purpose": "\\u0041bc"}"#, "u0041bc", 1);
    check(r#"{"purpose": "a\u0022branch\u0022: b"}"#, "branch", 1);
    check(r#"{"purpose": "line\ndeception"}"#, "deception", 1);
    check("{\"purpose\": \"cut \\u00", "deception", 0);
}

struct Raw(String);

impl Entry for Raw {
    fn raw(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(&self.0))
    }

    fn read(&self) -> Option<Record> {
        let value: serde_json::Value = serde_json::from_str(&self.0).ok()?;
        let text = value["purpose"].as_str()?.to_owned();
        Some(Record { number: 1, when: String::new(), texts: vec![(Kind::Purpose, text)] })
    }
}

/// Every character that is not ASCII as an escape, as other programs write it.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").unwrap();
            }
        }
    }
    out
}

proptest! {
    // What the text of the JSON says never hides what the parsed record says.
    #[test]
    fn the_bound_is_never_below_what_is_found(
        texts in proptest::collection::vec("[a-cA-Cſß éÉ缓存\u{212a}kKıİ\"\\\\:_\n-]{0,24}", 1..4),
        words in proptest::collection::vec("[a-cſßé缓存kı]{1,6}", 1..4),
        escape in any::<bool>(),
    ) {
        let text = texts.join(" ");
        let query = Query::search(&words.join(" "));
        let raw = json!({ "purpose": text, "branch": "main" }).to_string();
        let raw = if escape { escaped(&raw) } else { raw };
        let hits = query.hits(&text);
        let bound = query.bound(&raw, &mut Folder::new());
        prop_assert!(hits.score().terms <= bound, "{query:?} in {raw}");
        let limits = Limits::default();
        let found = search([Raw(raw)].into_iter(), &[], &query, &limits);
        prop_assert_eq!(found.matches.is_empty(), hits.first.is_none());
    }
}
