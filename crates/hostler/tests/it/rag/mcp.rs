//! The bare `hostler rag`: four tools over the Model Context Protocol, spoken to line by line.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::ground::Ground;

/// What the server said until it ended, after these lines and the end of its input.
fn speak(ground: &Ground, lines: &[String]) -> Vec<Value> {
    let mut child = ground
        .command(&[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(lines.join("\n").as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|it| serde_json::from_str(it).unwrap_or_else(|why| panic!("{why}: {it}"))).collect()
}

fn initialize(version: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": "init", "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "a-test", "version": "1" },
    }})
    .to_string()
}

fn call(id: u64, name: &str, arguments: &Value) -> String {
    let params = json!({ "name": name, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

/// The one answer to a request.
#[track_caller]
fn to(said: &[Value], id: impl Into<Value>) -> &Value {
    let id = id.into();
    let answers: Vec<&Value> =
        said.iter().filter(|it| it.get("method").is_none() && it["id"] == id).collect();
    let [answer] = answers.as_slice() else { panic!("{} answers to {id}: {said:#?}", answers.len()) };
    answer
}

/// Results of calls, in their order.
#[track_caller]
fn calls(ground: &Ground, calls: &[(&str, Value)]) -> Vec<Value> {
    let mut lines = vec![initialize("2025-06-18")];
    lines.extend(calls.iter().zip(1..).map(|((name, arguments), id)| call(id, name, arguments)));
    let said = speak(ground, &lines);
    (1..=calls.len() as u64).map(|id| to(&said, id)["result"].clone()).collect()
}

fn jam() -> Ground {
    let ground = Ground::with(&[
        ("docs/start here.md", "# Start\n\nSpread the quantum marmalade.\n"),
        ("src/jar.py", "class Jar:\n    def open(self):\n        return self.lid.turn()\n"),
    ]);
    ground.index();
    ground
}

// @traces RAG-012
#[test]
fn four_tools_are_served_under_the_name_that_clients_know() {
    let ground = jam();
    let said = speak(
        &ground,
        &[
            initialize("2025-06-18"),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string(),
            json!({ "jsonrpc": "2.0", "method": "notifications/of/nothing" }).to_string(),
            json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string(),
            json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }).to_string(),
            json!({ "jsonrpc": "2.0", "id": 3, "method": "rag/unknown" }).to_string(),
            "{ this is no JSON".to_owned(),
            call(4, "rag_search", &json!({ "query": "quantum marmalade" })),
            call(5, "session-status", &json!({})),
        ],
    );
    assert_eq!(to(&said, "init")["result"]["serverInfo"]["name"], "rag");
    assert_eq!(to(&said, 1)["result"], json!({}));
    let tools = to(&said, 2)["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["rag_search", "rag_index", "rag_status", "rag_get"]);
    for tool in tools {
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        assert_eq!(tool["outputSchema"]["type"], "object");
        let hints = &tool["annotations"];
        assert_eq!(hints["readOnlyHint"], tool["name"] != "rag_index", "{tool}");
        assert_eq!((&hints["idempotentHint"], &hints["destructiveHint"]), (&json!(true), &json!(false)));
    }
    assert_eq!(to(&said, 3)["error"]["code"], -32601);
    assert_eq!(to(&said, Value::Null)["error"]["code"], -32700);
    assert_eq!(to(&said, 4)["result"]["structuredContent"]["hits"][0]["path"], "docs/start here.md");
    assert_eq!(to(&said, 5)["error"]["code"], -32602);
    // Two notifications are answered by nothing.
    assert_eq!(said.len(), 7, "{said:#?}");
}

// @traces RAG-013 RAG-014 RAG-015
#[test]
fn structured_answers_are_what_the_schemas_say() {
    let ground = jam();
    let said = speak(
        &ground,
        &[
            initialize("2025-11-25"),
            json!({ "jsonrpc": "2.0", "id": "list", "method": "tools/list" }).to_string(),
            call(1, "rag_search", &json!({ "query": "open the jar", "k": 2, "explain": true })),
            call(2, "rag_status", &json!({})),
            call(3, "rag_get", &json!({ "id": 1 })),
            call(4, "rag_search", &json!({ "query": "jar", "glob": "nowhere/*" })),
        ],
    );
    let tools = to(&said, "list")["result"]["tools"].as_array().unwrap();
    for (id, name) in [(1, "rag_search"), (2, "rag_status"), (3, "rag_get"), (4, "rag_search")] {
        let result = &to(&said, id)["result"];
        assert_eq!(result["isError"], false, "{result}");
        let schema = &tools.iter().find(|it| it["name"] == name).unwrap()["outputSchema"];
        let errors: Vec<String> = jsonschema::validator_for(schema)
            .unwrap()
            .iter_errors(&result["structuredContent"])
            .map(|it| it.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:?}: {result}");
    }
    let hit = &to(&said, 1)["result"]["structuredContent"]["hits"][0];
    assert_eq!((&hit["path"], hit["start_line"].as_u64()), (&json!("src/jar.py"), Some(1)), "{hit}");
    let parts = hit["parts"].as_array().unwrap();
    let sum: f64 = parts.iter().map(|it| it["value"].as_f64().unwrap()).sum();
    assert!((sum - hit["score"].as_f64().unwrap()).abs() < 1e-9, "{hit}");
    let text = to(&said, 1)["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("1. src/jar.py:1-3 ("), "{text}");
    let status = &to(&said, 2)["result"]["structuredContent"];
    assert_eq!((&status["files"], &status["stale_files"]), (&json!(2), &json!(0)), "{status}");
    assert_eq!((&status["embedding_mode"], &status["dims"]), (&json!("local"), &json!(256)));
    let chunk = &to(&said, 3)["result"]["structuredContent"]["chunk"];
    assert!(chunk["text"].as_str().is_some_and(|it| !it.is_empty()) && chunk["id"] == 1, "{chunk}");
    assert_eq!(to(&said, 4)["result"]["structuredContent"]["hits"], json!([]));
    assert_eq!(to(&said, 4)["result"]["content"][0]["text"], "no hits");
}

#[test]
fn hits_link_their_files_for_clients_that_know_links() {
    let ground = jam();
    let content = |version: &str| {
        let said = speak(
            &ground,
            &[initialize(version), call(1, "rag_search", &json!({ "query": "quantum marmalade" }))],
        );
        to(&said, 1)["result"]["content"].as_array().unwrap().clone()
    };
    let newer = content("2025-06-18");
    assert_eq!(newer[1]["type"], "resource_link", "{newer:#?}");
    assert_eq!(newer[1]["name"], "docs/start here.md");
    let uri = newer[1]["uri"].as_str().unwrap();
    assert!(uri.starts_with("file:///") && uri.ends_with("/tree/docs/start%20here.md"), "{uri}");
    assert_eq!(content("2025-03-26").len(), 1);
}

// @traces RAG-013 RAG-015
#[test]
fn what_makes_no_sense_is_an_error_in_words() {
    let ground = jam();
    let wrong = [
        ("rag_search", json!({}), "`query` is missing"),
        ("rag_search", json!({ "query": " \n" }), "`query` is empty"),
        ("rag_search", json!({ "query": 5 }), "`query` has to be a text"),
        ("rag_search", json!({ "query": "x".repeat(1_000_000) }), "longer than 65536 bytes"),
        ("rag_search", json!({ "query": "jar", "k": 0 }), "from 1 to 500"),
        ("rag_search", json!({ "query": "jar", "k": -1 }), "a whole number from 0, not `-1`"),
        ("rag_search", json!({ "query": "jar", "k": "many" }), "a whole number"),
        ("rag_search", json!({ "query": "jar", "limit": 3 }), "there is no argument `limit`"),
        ("rag_get", json!({}), "`id` is missing"),
        ("rag_get", json!({ "id": 4_000_000 }), "no chunk with id 4000000"),
        ("rag_get", json!({ "id": u64::MAX }), "no chunk with id"),
        ("rag_index", json!({ "root": "no/such/folder" }), "no/such/folder"),
    ];
    let asked: Vec<(&str, Value)> = wrong.iter().map(|(name, it, _)| (*name, it.clone())).collect();
    for (result, (name, arguments, words)) in calls(&ground, &asked).iter().zip(&wrong) {
        let text = result["content"][0]["text"].as_str().unwrap();
        let shown: String = arguments.to_string().chars().take(60).collect();
        assert!(result["isError"] == true && text.contains(words), "{name} {shown}: {text}");
        assert!(result.get("structuredContent").is_none(), "{result}");
    }
    // Nothing was lost by it, and what is only odd is answered.
    let odd = [
        ("rag_search", json!({ "query": "\"AND\" OR (jar* NEAR/3 :^ -x" })),
        ("rag_search", json!({ "query": "jar", "k": 1_000_000_000_000_u64 })),
        ("rag_search", json!({ "query": "()*\"" })),
    ];
    let results = calls(&ground, &odd);
    assert!(results.iter().all(|it| it["isError"] == false), "{results:#?}");
    assert_eq!(results[0]["structuredContent"]["hits"][0]["path"], "src/jar.py");
    assert_eq!(results[1]["structuredContent"]["hits"][0]["path"], "src/jar.py");
    assert_eq!(results[2]["structuredContent"]["hits"], json!([]));
}

#[test]
fn without_an_index_the_tool_that_makes_one_is_named() {
    let ground = Ground::with(&[("a.md", "# A\n\npear\n")]);
    let results =
        calls(&ground, &[("rag_search", json!({ "query": "pear" })), ("rag_get", json!({ "id": 1 }))]);
    for result in &results {
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(result["isError"] == true && text.contains("`rag_index`"), "{text}");
    }
    let root = json!({ "root": ground.tree() });
    let [indexed] = calls(&ground, &[("rag_index", root)]).try_into().unwrap_or_else(|it| panic!("{it:?}"));
    assert_eq!((&indexed["structuredContent"]["files"], &indexed["isError"]), (&json!(1), &json!(false)));
    let text = indexed["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("index complete: files=1 rechunked=1 purged=0 chunks=1 "), "{text}");
    // Without a folder it is the one of the last run.
    let again = calls(&ground, &[("rag_index", json!({}))]);
    assert_eq!(again[0]["structuredContent"]["rechunked"], 0);
}

/// A tree that takes a while.
fn large() -> Ground {
    let ground = Ground::new();
    let mut text = String::new();
    for number in 0..60 {
        let _ = writeln!(text, "def function_{number}(argument):\n    return argument + {number}\n");
    }
    for number in 0..1_500 {
        ground.write(&format!("m{}/f{number}.py", number % 30), format!("{text}\nlast_{number} = 1\n"));
    }
    ground
}

#[test]
fn a_run_tells_how_far_it_is_and_stops_when_nobody_waits() {
    let ground = large();
    let index = |id: u64| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": "rag_index", "arguments": { "root": ground.tree() }, "_meta": { "progressToken": id },
        }})
        .to_string()
    };
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    let said = speak(&ground, &[initialize("2025-06-18"), index(1), cancel.to_string()]);
    assert!(!said.iter().any(|it| it["id"] == 1), "a call that was cancelled is answered");
    let said = speak(&ground, &[initialize("2025-06-18"), index(2)]);
    let result = &to(&said, 2)["result"];
    assert_eq!(result["structuredContent"]["files"], 1_500, "{result}");
    assert!(result["structuredContent"]["rechunked"].as_u64().unwrap() > 0, "the cancelled run did it all");
    let told: Vec<f64> = said
        .iter()
        .filter(|it| it["method"] == "notifications/progress" && it["params"]["progressToken"] == 2)
        .map(|it| it["params"]["progress"].as_f64().unwrap())
        .collect();
    assert!(!told.is_empty() && told.windows(2).all(|it| it[0] < it[1]), "{told:?}");
}
