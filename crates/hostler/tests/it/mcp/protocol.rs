//! The protocol, case by case: what a client may do, and what it should not and does.

use serde_json::{Value, json};

use super::{Said, Site, ask, call, initialize, modern, request, speak};

/// What is answered to lines that come after a handshake.
#[track_caller]
fn check(lines: &[&str], expected: &[&str]) -> Said {
    check_after(&[&initialize("2025-06-18").to_string()], lines, &[&["\"init\" ok"], expected].concat())
}

/// What is answered to lines that come first.
#[track_caller]
fn check_fresh(lines: &[&str], expected: &[&str]) -> Said {
    check_after(&[], lines, expected)
}

#[track_caller]
fn check_after(before: &[&str], lines: &[&str], expected: &[&str]) -> Said {
    let site = Site::bare();
    let said = speak(&site, &[], ([before, lines].concat().join("\n") + "\n").as_bytes());
    let mut expected: Vec<String> = expected.iter().map(|it| (*it).to_owned()).collect();
    expected.sort();
    assert_eq!(said.brief(), expected, "{lines:?}: {said:#?}");
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{said:?}");
    said
}

#[track_caller]
fn check_version(asked: &str, answered: &str) {
    let said = check_fresh(&[&initialize(asked).to_string()], &["\"init\" ok"]);
    let result = &said.to("init")["result"];
    assert_eq!(result["protocolVersion"], answered, "{asked}");
    assert_eq!(result["serverInfo"]["name"], "hostler");
    assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(result["capabilities"], json!({ "tools": {} }));
    assert!(result["instructions"].as_str().unwrap().contains("session-status"));
}

#[test]
fn a_handshake_agrees_on_a_revision() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        check_version(version, version);
    }
    // The stateless revision has no handshake; who tries one all the same gets the newest that has.
    for version in ["2026-07-28", "2099-01-01", "", "nonsense"] {
        check_version(version, "2025-11-25");
    }
}

#[test]
fn a_handshake_that_lacks_what_it_needs_is_refused_and_may_be_tried_again() {
    let bad = request(1, "initialize", json!({ "protocolVersion": 3 })).to_string();
    let none = request(2, "initialize", Value::Null).to_string();
    check_fresh(
        &[&bad, &none, &initialize("2024-11-05").to_string()],
        &["1 -32602", "2 -32602", "\"init\" ok"],
    );
}

/// What a session of the older revisions looks like, with everything in one go and the end of the stream at once.
#[test]
fn requests_that_are_piped_in_are_all_answered() {
    let site = Site::bare();
    let mut messages = vec![json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })];
    messages.push(request(2, "tools/list", Value::Null));
    messages.extend((3..40).map(|id| call(id, "session-status", json!({}))));
    let said = ask(&site, &[], &messages);
    assert_eq!(said.lines.len(), 39);
    assert_eq!(said.to(2)["result"]["tools"][0]["name"], "session-status");
    assert!(said.text(39).0.starts_with("no active session"), "{said:?}");
}

#[test]
fn a_last_line_needs_no_end() {
    let site = Site::bare();
    let input = format!("{}\n{}", initialize("2025-06-18"), request(7, "ping", Value::Null));
    assert_eq!(speak(&site, &[], input.as_bytes()).brief(), ["\"init\" ok", "7 ok"]);
    let windows = input.replace('\n', "\r\n");
    assert_eq!(speak(&site, &[], windows.as_bytes()).brief(), ["\"init\" ok", "7 ok"]);
}

#[test]
fn what_is_no_json_is_answered_and_passed_over() {
    let ping = request(1, "ping", Value::Null).to_string();
    check(&["garbage", "{\"jsonrpc\":", "", "   ", &ping], &["null -32700", "null -32700", "1 ok"]);
    let site = Site::bare();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let utf16: Vec<u8> = ping.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = [b"\xEF\xBB\xBF", ping.as_bytes()].concat();
    for (line, expected) in [
        (b"\xff\xfe\x80".as_slice(), "null -32700"),
        (deep.as_bytes(), "null -32700"),
        (&utf16, "null -32700"),
        // A mark at the beginning is no fault of what follows.
        (&marked, "1 ok"),
    ] {
        let said = speak(&site, &[], &[line, b"\n"].concat());
        assert_eq!(said.brief(), [expected], "{said:?}");
    }
}

#[test]
fn what_is_no_message_is_answered_with_the_id_that_it_has() {
    check(
        &[
            "[]",
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            "3",
            "null",
            r#"{"id":2,"method":"ping"}"#,
            r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":4}"#,
            r#"{"jsonrpc":"2.0","id":5,"method":6}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
        ],
        &[
            "null -32600",
            "null -32600",
            "null -32600",
            "null -32600",
            "2 -32600",
            "3 -32600",
            "4 -32600",
            "5 -32600",
            "1.5 -32600",
            "null -32600",
            "null -32600",
        ],
    );
}

#[test]
fn an_id_comes_back_as_it_was() {
    check(
        &[
            r#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":-1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":"","method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":"\u0000ä","method":"ping"}"#,
        ],
        &["18446744073709551615 ok", "-1 ok", "1.0 ok", "\"\" ok", "\"\\u0000ä\" ok"],
    );
}

#[test]
fn a_line_that_is_too_long_is_refused_and_the_next_is_served() {
    let site = Site::bare();
    let long = call(1, "session-status", json!({ "all": "x".repeat(17 * 1024 * 1024) })).to_string();
    let input = format!("{}\n{long}\n{}\n", initialize("2025-06-18"), request(2, "ping", Value::Null));
    assert_eq!(speak(&site, &[], input.as_bytes()).brief(), ["\"init\" ok", "2 ok", "null -32600"]);
    // What still fits is read, and its argument refused for what it is.
    let fits = call(1, "session-status", json!({ "all": "x".repeat(10 * 1024 * 1024) })).to_string();
    let said = speak(&site, &[], format!("{}\n{fits}\n", initialize("2025-06-18")).as_bytes());
    assert!(said.text(1).1 && said.text(1).0.len() < 300, "{said:?}");
}

#[test]
fn parameters_that_are_none_are_invalid_parameters() {
    check(
        &[
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":[]}"#,
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":"x"}"#,
            r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":7}}"#,
            r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"session-status","arguments":[]}}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"session-status","arguments":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"no-such-tool"}}"#,
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"cursor":"no-such-tool"}}"#,
            r#"{"jsonrpc":"2.0","id":10,"method":"tools/list","params":{"cursor":3}}"#,
            r#"{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"session-status","arguments":null}}"#,
        ],
        &[
            "1 -32602",
            "2 -32602",
            "3 -32602",
            "4 -32602",
            "5 -32602",
            "6 -32602",
            "7 -32602",
            "8 -32602",
            "9 -32602",
            "10 -32602",
            "11 ok",
        ],
    );
}

#[test]
fn methods_that_are_not_offered_are_unknown() {
    let methods = [
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "logging/setLevel",
        "roots/list",
        "tools/forget",
        "",
    ];
    for method in methods {
        check(&[&request(1, method, json!({})).to_string()], &["1 -32601"]);
    }
}

#[test]
fn a_client_that_asks_before_it_said_what_it_speaks_is_told_so() {
    let list = request(1, "tools/list", Value::Null).to_string();
    let status = call(2, "session-status", json!({})).to_string();
    let ping = request(3, "ping", Value::Null).to_string();
    let notice = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
    let cancelled =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    let said = check_fresh(
        &[
            &notice,
            &cancelled.to_string(),
            r#"{"jsonrpc":"2.0","method":"notifications/nonsense","params":3}"#,
            r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"x"}}"#,
            &list,
            &status,
            &ping,
            &initialize("2025-06-18").to_string(),
            &request(4, "tools/list", Value::Null).to_string(),
        ],
        &["1 -32602", "2 -32602", "3 ok", "\"init\" ok", "4 ok"],
    );
    assert!(said.to(1)["error"]["message"].as_str().unwrap().contains("initialize"), "{said:?}");
}

#[test]
fn the_stateless_revision_needs_no_handshake() {
    let lines = [
        modern(request(1, "server/discover", json!({})), "2026-07-28"),
        modern(request(2, "tools/list", json!({})), "2026-07-28"),
        modern(call(3, "session-status", json!({})), "2026-07-28"),
        modern(request(4, "ping", json!({})), "2026-07-28"),
        modern(request(5, "initialize", json!({})), "2026-07-28"),
        modern(request(6, "tools/list", json!({})), "2031-01-01"),
        request(7, "server/discover", json!({})),
        modern(request(8, "subscriptions/listen", json!({ "notifications": {} })), "2026-07-28"),
    ]
    .map(|it| it.to_string());
    let said = check_fresh(
        &lines.iter().map(String::as_str).collect::<Vec<_>>(),
        &["1 ok", "2 ok", "3 ok", "4 -32601", "5 -32601", "6 -32022", "7 -32602", "8 -32601"],
    );
    let discovered = &said.to(1)["result"];
    assert_eq!(discovered["resultType"], "complete");
    let versions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
    assert_eq!(discovered["supportedVersions"], json!(versions));
    assert_eq!(discovered["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "hostler");
    assert_eq!(discovered["capabilities"], json!({ "tools": {} }));
    assert!(discovered["ttlMs"].is_u64() && discovered["cacheScope"].is_string(), "{discovered}");
    let listed = &said.to(2)["result"];
    assert_eq!((&listed["resultType"], listed["ttlMs"].is_u64()), (&json!("complete"), true));
    assert_eq!(said.to(3)["result"]["resultType"], "complete");
    let unknown = &said.to(6)["error"]["data"];
    assert_eq!((&unknown["requested"], &unknown["supported"]), (&json!("2031-01-01"), &json!(versions)));
}

#[test]
fn what_the_stateless_revision_has_to_say_is_not_left_out() {
    let keys = ["protocolVersion", "clientCapabilities"];
    for key in keys {
        let mut message = modern(request(1, "tools/list", json!({})), "2026-07-28");
        let meta = message["params"]["_meta"].as_object_mut().unwrap();
        meta.remove(&format!("io.modelcontextprotocol/{key}")).unwrap();
        check_fresh(&[&message.to_string()], &["1 -32602"]);
    }
    // Who the client is, it may say.
    let mut message = modern(request(1, "tools/list", json!({})), "2026-07-28");
    let meta = message["params"]["_meta"].as_object_mut().unwrap();
    meta.remove("io.modelcontextprotocol/clientInfo").unwrap();
    check_fresh(&[&message.to_string()], &["1 ok"]);
}

#[test]
fn both_ways_of_speaking_work_side_by_side() {
    let said = check(
        &[
            &modern(call(1, "session-status", json!({})), "2026-07-28").to_string(),
            &call(2, "session-status", json!({})).to_string(),
            &initialize("2024-11-05").to_string().replace("\"init\"", "3"),
            &request(4, "ping", Value::Null).to_string(),
        ],
        &["1 ok", "2 ok", "3 ok", "4 ok"],
    );
    assert!(said.to(1)["result"].get("resultType").is_some());
    assert!(said.to(2)["result"].get("resultType").is_none());
}

#[test]
fn progress_is_told_under_the_token_that_was_given() {
    let site = Site::bare();
    site.write("a.py", "def f(:\n    pass\n");
    for token in [json!("a text"), json!(7)] {
        let mut review = call(1, "code-review", json!({ "files": ["a.py"] }));
        review["params"]["_meta"] = json!({ "progressToken": token });
        let said = ask(&site, &[], &[review]);
        let told: Vec<&Value> =
            said.lines.iter().filter(|it| it["method"] == "notifications/progress").collect();
        assert!(
            !told.is_empty() && told.iter().all(|it| it["params"]["progressToken"] == token),
            "{said:#?}"
        );
        let answered = said.lines.iter().position(|it| it["id"] == 1).unwrap();
        assert_eq!(answered, said.lines.len() - 1, "nothing is told of a call that is over: {said:#?}");
    }
    // Who gave none hears of none.
    let said = ask(&site, &[], &[call(1, "code-review", json!({ "files": ["a.py"] }))]);
    assert!(said.lines.iter().all(|it| it.get("method").is_none()), "{said:#?}");
}

#[test]
fn a_client_that_reads_no_more_ends_the_process() {
    let site = Site::bare();
    let mut command = site.command(env!("CARGO_BIN_EXE_hostler"), &site.root());
    let mut child = command.arg("mcp").spawn().unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    // The stream in stays open; what cannot be said ends it.
    std::io::Write::write_all(&mut input, format!("{}\n", initialize("2025-06-18")).as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
    drop(input);
}
