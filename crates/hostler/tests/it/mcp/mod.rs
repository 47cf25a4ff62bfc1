//! `hostler mcp` as a process: the protocol line by line, the tools, real clients, and suites of others.

#![expect(clippy::unwrap_used, reason = "tests")]

mod any_bytes;
mod claude;
mod opencode;
mod protocol;
mod suites;
mod tools;

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::hook::finish;
use crate::session::Site;

/// What a server said until it ended.
#[derive(Debug)]
struct Said {
    code: Option<i32>,
    lines: Vec<Value>,
    stderr: String,
}

impl Said {
    /// The answer to a request; there is exactly one.
    #[track_caller]
    fn to(&self, id: impl Into<Value>) -> &Value {
        let id = id.into();
        let mut answers = self.lines.iter().filter(|it| it.get("method").is_none() && it["id"] == id);
        let answer = answers.next().unwrap_or_else(|| panic!("no answer to {id}: {self:#?}"));
        assert!(answers.next().is_none(), "two answers to {id}: {self:#?}");
        answer
    }

    /// What a model reads of a call, and whether it failed.
    #[track_caller]
    fn text(&self, id: impl Into<Value>) -> (&str, bool) {
        let result = &self.to(id)["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {self:#?}"));
        (text, result["isError"].as_bool().unwrap())
    }

    /// Each answer as `id code` or `id ok`, in an order that does not depend on which was done first.
    fn brief(&self) -> Vec<String> {
        let mut out: Vec<String> = self
            .lines
            .iter()
            .filter(|it| it.get("method").is_none())
            .map(|it| {
                format!(
                    "{} {}",
                    it["id"],
                    it["error"]["code"].as_i64().map_or("ok".to_owned(), |it| it.to_string())
                )
            })
            .collect();
        out.sort();
        out
    }
}

/// Runs `hostler mcp` in the project of `site`, says `input`, and hears what it says until it ends.
#[track_caller]
fn speak(site: &Site, arguments: &[&str], input: &[u8]) -> Said {
    let mut command = site.command(env!("CARGO_BIN_EXE_hostler"), &site.root());
    let answer = finish(command.arg("mcp").args(arguments).spawn().unwrap(), input);
    let lines = answer.stdout.lines().map(|line| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: `{line}` is not JSON: {answer:?}"))
    });
    Said { code: answer.code, lines: lines.collect(), stderr: answer.stderr.clone() }
}

/// [`speak`] with messages, after a handshake; it ends well and complains about nothing.
#[track_caller]
fn ask(site: &Site, arguments: &[&str], messages: &[Value]) -> Said {
    let mut input = String::new();
    for message in [&[initialize("2025-11-25")], messages].concat() {
        writeln!(input, "{message}").unwrap();
    }
    let said = speak(site, arguments, input.as_bytes());
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{said:?}");
    said
}

/// Calls one tool; what a model reads.
#[track_caller]
fn call_one(site: &Site, name: &str, arguments: Value) -> Value {
    ask(site, &[], &[call(1, name, arguments)]).to(1)["result"].clone()
}

fn initialize(version: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": "init", "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "a-test", "version": "1" },
    }})
}

fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    let mut message = json!({ "jsonrpc": "2.0", "id": id.into(), "method": method });
    if !params.is_null() {
        message["params"] = params;
    }
    message
}

fn call(id: impl Into<Value>, name: &str, arguments: Value) -> Value {
    let params = Map::from_iter([("name".to_owned(), name.into()), ("arguments".to_owned(), arguments)]);
    request(id, "tools/call", params.into())
}

/// A request of the stateless revision.
fn modern(mut request: Value, version: &str) -> Value {
    request["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "a-test", "version": "1" },
    });
    request
}
