#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;

use serde_json::json;

use super::*;

#[test]
fn names_are_unique_and_each_group_is_complete() {
    let names: BTreeSet<&str> = TOOLS.iter().map(|it| it.name).collect();
    assert_eq!(names.len(), TOOLS.len());
    let count = |group: Group| TOOLS.iter().filter(|it| it.group == group).count();
    assert_eq!(Group::ALL.iter().map(|it| count(*it)).collect::<Vec<_>>(), [9, 12, 3, 2, 4]);
    let prefixes = |group: Group| match group {
        Group::Session => "session-",
        Group::Graph => "kg-",
        Group::Conversation => "conv-",
        Group::Review => "code-",
        Group::Rag => "rag_",
    };
    for tool in TOOLS {
        assert!(tool.name.starts_with(prefixes(tool.group)), "{}", tool.name);
        assert_eq!(find(tool.name).unwrap().title, tool.title);
        // Words for models: what it does comes first, in a sentence that is not about the tool.
        assert!(tool.description.starts_with(|c: char| c.is_uppercase()) && !tool.description.contains("  "));
        assert!(!tool.arguments.iter().any(|it| matches!(it.kind, Kind::Object(_) | Kind::Objects(_))));
        assert_eq!(tool.properties().len(), tool.arguments.len());
    }
    assert!(find("session").is_none());
}

#[test]
fn what_changes_nothing_says_so_and_nothing_else_does() {
    let reads: Vec<&str> = TOOLS.iter().filter(|it| it.annotations.read_only()).map(|it| it.name).collect();
    let changing = [
        "session-begin",
        "session-end",
        "session-log-work",
        "code-fix",
        "kg-sync",
        "conv-sync",
        "kg-daemon-stop",
    ];
    assert!(changing.iter().all(|it| !reads.contains(it)), "{reads:?}");
    assert!(
        ["session-status", "code-review", "kg-stats", "kg-daemon-status"].iter().all(|it| reads.contains(it))
    );
    for tool in TOOLS {
        assert!(!(tool.annotations.read_only() && tool.annotations.destructive()), "{}", tool.name);
    }
}

#[test]
fn a_tool_that_falls_over_answers_in_words_of_ours() {
    const TOOL: Tool = Tool {
        name: "session-test",
        title: "A test",
        group: Group::Session,
        description: "Falls over.",
        arguments: &[],
        output: &[],
        annotations: Annotations::Reads,
        run: |_| panic!("a secret of ours"),
    };
    let folder = tempfile::tempdir().unwrap();
    let call = Call {
        arguments: &Map::new(),
        directory: folder.path(),
        session: None,
        host: Host::Foreign,
        progress: &|_, _, _| {},
        cancelled: &|| false,
    };
    let answer = run(&TOOL, &call);
    assert!(answer.failed && answer.structured.is_none() && !answer.text.contains("secret"), "{answer:?}");
    assert!(answer.text.contains("hostler doctor"), "{answer:?}");
}

#[test]
fn a_structured_answer_has_what_the_schema_says_and_nothing_else() {
    const INNER: &[Argument] = &[Argument::optional("d", Kind::Number, "a number")];
    let members = &[
        Argument::optional("a", Kind::Text, "a text"),
        Argument::required("b", Kind::Objects(INNER), "objects"),
        Argument::required("e", Kind::Object(INNER), "an object"),
    ];
    let value = json!({ "a": null, "b": [{ "c": 2, "d": 1 }, { "d": null }], "e": { "f": [] }, "g": 1 });
    assert_eq!(schema::shaped(members, value), json!({ "b": [{ "d": 1 }, {}], "e": {} }));
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a literal reads better")]
fn check(arguments: &[Argument], given: Value, expected: Result<Value, &str>) {
    let found = schema::checked(arguments, given.as_object().unwrap());
    match (found, expected) {
        (Ok(found), Ok(expected)) => assert_eq!(Value::Object(found), expected, "{given}"),
        (Err(found), Err(expected)) => assert!(found.contains(expected), "{given}: {found}"),
        (found, expected) => panic!("{given}: {found:?}, not {expected:?}"),
    }
}

#[test]
fn arguments_are_what_the_schema_says_or_refused() {
    let text =
        &[Argument::required("t", Kind::Text, "a text"), Argument::optional("o", Kind::Text, "another")];
    check(text, json!({ "t": "a" }), Ok(json!({ "t": "a" })));
    check(text, json!({ "t": "a", "o": "" }), Ok(json!({ "t": "a" })));
    check(text, json!({ "t": "a", "o": null }), Ok(json!({ "t": "a" })));
    check(text, json!({ "t": " " }), Err("`t` is empty"));
    check(text, json!({ "t": null }), Err("`t` is missing: a text"));
    check(text, json!({ "o": "a" }), Err("`t` is missing: a text"));
    check(text, json!({ "t": ["a"] }), Err("`t` has to be a text, not such a list"));
    check(text, json!({ "t": "a", "x": 1 }), Err("there is no argument `x`; this tool takes `t`, `o`"));
    check(&[], json!({ "x\n\u{7}": 1 }), Err("there is no argument `x  `; this tool takes no arguments"));
    let word = &[Argument::optional("w", Kind::OneOf(&["P0", "high"]), "a word")];
    check(word, json!({ "w": "HIGH " }), Ok(json!({ "w": "high" })));
    check(word, json!({ "w": "low" }), Err("`w` has to be one of `P0`, `high`, not the text `low`"));
    let number = &[Argument::optional("n", Kind::Number, "a number")];
    check(number, json!({ "n": 0 }), Ok(json!({ "n": 0 })));
    check(number, json!({ "n": "1" }), Err("`n` has to be a whole number from 0"));
    let flag = &[Argument::optional("f", Kind::Flag, "a flag")];
    check(flag, json!({ "f": false }), Ok(json!({ "f": false })));
    check(flag, json!({ "f": 1 }), Err("`f` has to be true or false, not `1`"));
    let texts = &[Argument::required("l", Kind::Texts, "texts")];
    check(texts, json!({ "l": ["a", "b"] }), Ok(json!({ "l": ["a", "b"] })));
    check(texts, json!({ "l": [] }), Err("`l` is an empty list"));
    check(texts, json!({ "l": [""] }), Err("`l` is empty"));
    check(texts, json!({ "l": vec!["a"; 501] }), Err("`l` has 501 entries; at most 500 are taken"));
    let some = &[Argument::required("s", Kind::SomeOf(&["1", "stop"]), "some")];
    check(some, json!({ "s": ["STOP", "1"] }), Ok(json!({ "s": ["stop", "1"] })));
    check(some, json!({ "s": [1] }), Err("`s` has to be a list of any of `1`, `stop`"));
    let members = &[Argument::optional("m", Kind::Members, "members")];
    check(members, json!({ "m": { "a": [1] } }), Ok(json!({ "m": { "a": [1] } })));
    check(members, json!({ "m": "{\"a\": 1}" }), Ok(json!({ "m": { "a": 1 } })));
    check(members, json!({ "m": "[1]" }), Err("`m` has to be an object, not the text `[1]`"));
    check(members, json!({ "m": 1 }), Err("`m` has to be an object, not `1`"));
}
