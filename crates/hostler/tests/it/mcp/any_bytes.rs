//! Whatever stands on stdin: the process ends with it, by itself, and stdout holds lines of JSON alone.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use super::{Site, call, initialize, modern, request, speak};

const CASES: u32 = 60;

/// A line of a client that means well, and of one that does not.
fn line() -> impl Strategy<Value = Vec<u8>> {
    const KNOWN: &[&str] = &[
        "tools/list",
        "tools/call",
        "initialize",
        "server/discover",
        "ping",
        "notifications/cancelled",
        "notifications/initialized",
    ];
    let method = prop_oneof![
        7 => proptest::sample::select(KNOWN).prop_map(str::to_owned),
        1 => "[a-z/]{0,12}",
    ];
    let value = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!({ "name": "session-status", "arguments": { "all": true } })),
        Just(json!({ "name": "code-review", "arguments": { "files": ["../..", "a.py", ""] } })),
        Just(json!({ "requestId": 1 })),
    ];
    let message = (method, value.clone(), value.clone(), value).prop_map(|(method, id, params, meta)| {
        let mut message = request(id, method.as_str(), params);
        if message["params"].is_object() {
            message["params"]["_meta"] = meta;
        }
        message.to_string().into_bytes()
    });
    let good = prop_oneof![
        Just(initialize("2025-11-25")),
        Just(modern(request(1, "tools/list", json!({})), "2026-07-28")),
        Just(call(1, "session-status", json!({}))),
    ];
    prop_oneof![
        2 => proptest::collection::vec(any::<u8>(), 0..80),
        4 => message,
        2 => good.prop_map(|it| it.to_string().into_bytes()),
    ]
}

#[test]
fn any_bytes_are_survived_and_answered_in_lines_of_json() {
    let site = Site::bare();
    let input = (proptest::collection::vec(line(), 0..20), any::<bool>());
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&input, |(lines, ended)| {
            let mut bytes = lines.join(&b'\n');
            if ended {
                bytes.push(b'\n');
            }
            // `speak` fails at a line that is no JSON.
            let said = speak(&site, &[], &bytes);
            prop_assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
            for line in &said.lines {
                prop_assert_eq!(&line["jsonrpc"], "2.0");
                let kinds =
                    ["result", "error", "method"].iter().filter(|it| line.get(**it).is_some()).count();
                prop_assert_eq!(kinds, 1, "{}", line);
            }
            Ok(())
        })
        .unwrap();
}
