#![expect(clippy::expect_used, reason = "tests")]

use proptest::prelude::*;
use serde_json::value::RawValue;

use super::*;

/// The whole text is one value.
fn accepts(text: &str) -> bool {
    let bytes = text.as_bytes();
    value(bytes, space(bytes, 0)).is_ok_and(|end| space(bytes, end) == bytes.len())
}

#[track_caller]
fn check_fault(text: &str, at: (usize, usize), what: &str) {
    let bytes = text.as_bytes();
    let found = value(bytes, space(bytes, 0)).expect_err(text);
    assert_eq!((position(bytes, found.at), found.what), (at, what), "{text:?}");
}

#[test]
fn a_fault_is_told_by_line_and_column() {
    check_fault("{\n  \"a\": 1\n  \"b\": 2\n}", (3, 3), "expected `,` or `}`");
    check_fault("[1 2]", (1, 4), "expected `,` or `]`");
    check_fault("[1, 2", (1, 6), END);
    check_fault("{\"a\": \"öö", (1, 10), END);
    check_fault("{\"a\": \"b\nc\"}", (1, 9), "a control character in a string, or a missing quote before it");
    check_fault("{a: 1}", (1, 2), "expected a name in quotes");
    check_fault("{\"a\" 1}", (1, 6), "expected `:`");
    check_fault("{\"a\": 1,}", (1, 9), "expected a name in quotes");
    check_fault("[nul]", (1, 2), "expected a value");
    check_fault("[tru", (1, 5), END);
    check_fault(r#"["\x"]"#, (1, 4), "no such escape in a string");
    check_fault(r#"["\u12"]"#, (1, 7), "expected four hexadecimal digits after `\\u`");
    check_fault("[1.]", (1, 4), "not a number");
    check_fault("<<<<<<< HEAD", (1, 1), "expected a value");
}

#[test]
fn a_million_brackets_take_no_stack() {
    let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    assert!(accepts(&deep));
    assert!(!accepts(&deep[1..]));
}

/// JSON, and the same with one byte put, taken or exchanged.
fn almost_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        any::<f64>()
            .prop_filter("JSON has no such number", |it| it.is_finite())
            .prop_map(|it| it.to_string()),
        any::<i64>().prop_map(|it| it.to_string()),
        Just("1E+9".to_owned()),
        any::<String>().prop_map(|it| serde_json::to_string(&it).unwrap_or_default()),
        Just(r#""\u00e9\/\b""#.to_owned()),
    ];
    let whole = leaf.prop_recursive(4, 24, 4, |inner| {
        let name = any::<String>().prop_map(|it| serde_json::to_string(&it).unwrap_or_default());
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|it| format!("[ {}]", it.join(" ,\n"))),
            prop::collection::vec((name, inner), 0..4).prop_map(|it| {
                let members: Vec<_> = it.iter().map(|(name, value)| format!("{name} :\t{value}")).collect();
                format!("{{{}\r\n}}", members.join(", "))
            }),
        ]
    });
    let change = (any::<prop::sample::Index>(), 0_u8..4, "[\\[\\]{}\",:\\\\0-9e.ntu \n-]");
    (whole, change).prop_map(|(text, (at, how, other))| {
        let mut letters: Vec<char> = text.chars().collect();
        let at = at.index(letters.len());
        let other = other.chars().next().unwrap_or(' ');
        match how {
            0 => {}
            1 => letters[at] = other,
            2 => letters.insert(at, other),
            _ => {
                letters.remove(at);
            }
        }
        letters.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_is_json_is_what_the_library_says(text in almost_json()) {
        prop_assert_eq!(accepts(&text), serde_json::from_str::<&RawValue>(&text).is_ok(), "{:?}", text);
    }
}
