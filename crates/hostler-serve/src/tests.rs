//! A server over tools that wait, tell, fail and fall over, spoken to over two pipes.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::*;

/// Longer than anything here takes unless it hangs.
const HANGS: Duration = Duration::from_secs(60);

/// Tools whose calls wait until they are let go.
#[derive(Default)]
struct Bench {
    state: Mutex<State>,
    moved: Condvar,
    running: AtomicUsize,
    most: AtomicUsize,
}

#[derive(Default)]
struct State {
    let_go: bool,
    began: Vec<String>,
    saw_cancelled: Vec<String>,
}

impl Bench {
    fn let_go(&self) {
        self.state.lock().unwrap().let_go = true;
        self.moved.notify_all();
    }

    /// Waits until `test` holds of the state.
    fn until(&self, test: impl Fn(&State) -> bool) {
        let state = self.state.lock().unwrap();
        let (_state, timeout) = self.moved.wait_timeout_while(state, HANGS, |state| !test(state)).unwrap();
        assert!(!timeout.timed_out());
    }

    fn wait(&self, name: &str, call: &Call<'_>) -> Answer {
        let began = Instant::now();
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        let mut state = self.state.lock().unwrap();
        state.began.push(name.to_owned());
        self.moved.notify_all();
        while !state.let_go && !(call.cancelled)() && began.elapsed() < HANGS {
            state = self.moved.wait_timeout(state, Duration::from_millis(5)).unwrap().0;
        }
        if (call.cancelled)() {
            state.saw_cancelled.push(name.to_owned());
            self.moved.notify_all();
        }
        drop(state);
        self.running.fetch_sub(1, Ordering::SeqCst);
        answer("let go")
    }
}

fn answer(text: &str) -> Answer {
    Answer { text: text.to_owned(), structured: Some(json!({ "said": text })), ..Answer::default() }
}

/// The tools of the bench.
struct Fixture(Arc<Bench>);

impl Tools for Fixture {
    fn list(&self) -> Vec<Tool> {
        ["echo", "fail", "panic", "tell", "wait"].into_iter().map(tool).collect()
    }

    fn call(&self, name: &str, call: &Call<'_>) -> Option<Answer> {
        Some(match name {
            "echo" => answer(call.arguments.get("text").and_then(Value::as_str).unwrap_or("nothing")),
            "fail" => Answer { text: "no".to_owned(), failed: true, ..Answer::default() },
            "panic" => panic!("a secret of the server"),
            "tell" => {
                for (done, doing) in [(0.0, "begin"), (1.0, "middle"), (1.0, "again"), (2.0, "end")] {
                    (call.progress)(done, Some(2.0), doing);
                }
                answer("told")
            }
            "wait" => self.0.wait(call.arguments.get("name").and_then(Value::as_str).unwrap_or("one"), call),
            "who" => answer(call.client),
            _ => return None,
        })
    }
}

fn tool(name: &'static str) -> Tool {
    let schema = |value: Value| value.as_object().unwrap().clone();
    Tool {
        name,
        title: name,
        description: "a tool",
        input_schema: schema(json!({ "type": "object" })),
        output_schema: Some(schema(
            json!({ "type": "object", "properties": { "said": { "type": "string" } } }),
        )),
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
    }
}

/// A server and the client's ends of its streams.
struct Client {
    input: Option<PipeWriter>,
    output: Option<BufReader<PipeReader>>,
    server: JoinHandle<Result<(), Error>>,
    bench: Arc<Bench>,
}

impl Client {
    fn start() -> Self {
        let (their_input, input) = std::io::pipe().unwrap();
        let (output, their_output) = std::io::pipe().unwrap();
        let bench = Arc::new(Bench::default());
        let tools = Arc::new(Fixture(Arc::clone(&bench)));
        let server = Server {
            name: "bench".to_owned(),
            title: "Bench".to_owned(),
            version: "1.2.3".to_owned(),
            instructions: "use them".to_owned(),
            page_size: 2,
        };
        let server = std::thread::spawn(move || serve(server, tools, their_input, their_output));
        Self { input: Some(input), output: Some(BufReader::new(output)), server, bench }
    }

    /// One that has said what it speaks.
    fn open() -> Self {
        let mut client = Self::start();
        client.say(&initialize("2025-06-18"));
        assert_eq!(client.hears()["result"]["protocolVersion"], "2025-06-18");
        client
    }

    fn say(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// The next line.
    fn hears(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.output.as_mut().unwrap().read_line(&mut line).unwrap(), 0, "the server said no more");
        serde_json::from_str(&line).unwrap()
    }

    /// Ends the stream in; what the server says until it ends.
    fn ends(mut self) -> Vec<Value> {
        drop(self.input.take());
        let lines =
            self.output.take().unwrap().lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap());
        let heard = lines.collect();
        self.server.join().unwrap().unwrap();
        heard
    }
}

fn initialize(version: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "bench-client", "version": "1" },
    }})
}

fn call(id: impl Into<Value>, name: &str, arguments: Value) -> Value {
    let params = Map::from_iter([("name".to_owned(), name.into()), ("arguments".to_owned(), arguments)]);
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": "tools/call", "params": params })
}

fn with_token(mut call: Value, token: impl Into<Value>) -> Value {
    call["params"]["_meta"] = json!({ "progressToken": token.into() });
    call
}

fn cancel(id: impl Into<Value>) -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id.into() } })
}

#[test]
fn a_call_is_answered_with_text_and_structure() {
    let mut client = Client::open();
    client.say(&call("a", "echo", json!({ "text": "grüße" })));
    let heard = client.hears();
    assert_eq!(heard["id"], "a");
    assert_eq!(heard["result"]["content"], json!([{ "type": "text", "text": "grüße" }]));
    assert_eq!(heard["result"]["structuredContent"], json!({ "said": "grüße" }));
    client.say(&call(2, "fail", json!({})));
    let heard = client.hears();
    assert_eq!(
        (&heard["result"]["isError"], &heard["result"]["content"][0]["text"]),
        (&json!(true), &json!("no"))
    );
    assert!(heard["result"].get("structuredContent").is_none());
    client.say(&call(3, "nobody", json!({})));
    assert_eq!(client.hears()["error"]["code"], -32602);
    client.say(&call(4, "who", json!({})));
    assert_eq!(client.hears()["result"]["content"][0]["text"], "bench-client");
    assert!(client.ends().is_empty());
}

#[test]
fn a_tool_that_falls_over_is_an_error_of_the_server_which_goes_on() {
    let mut client = Client::open();
    client.say(&call(1, "panic", json!({})));
    let heard = client.hears();
    assert_eq!((&heard["id"], &heard["error"]["code"]), (&json!(1), &json!(-32603)));
    assert!(!heard.to_string().contains("secret"), "{heard}");
    client.say(&call(2, "echo", json!({})));
    assert_eq!(client.hears()["id"], 2);
    assert!(client.ends().is_empty());
}

#[test]
fn a_call_that_outlives_the_stream_in_is_answered_with_its_progress() {
    let waits = Duration::from_millis(5_500);
    for (token, waits) in [(json!("text"), waits), (json!(7), Duration::ZERO)] {
        let mut client = Client::open();
        client.say(&call(1, "wait", json!({})));
        let bench = Arc::clone(&client.bench);
        bench.until(|state| state.began.len() == 1);
        // No line end, and the stream ends with it.
        client.write(with_token(call(2, "tell", json!({})), token.clone()).to_string().as_bytes());
        let opener = std::thread::spawn(move || {
            // Longer than the SDK would wait for open calls, were it told that the stream has ended.
            std::thread::sleep(waits);
            bench.let_go();
        });
        let heard = client.ends();
        opener.join().unwrap();
        let told: Vec<_> = heard
            .iter()
            .filter(|it| it["method"] == "notifications/progress")
            .map(|it| (it["params"]["progress"].as_f64().unwrap(), it["params"]["message"].as_str().unwrap()))
            .collect();
        // Numbers that do not grow are not told, and nothing is once the call is answered.
        let expected = [(0.0, "begin"), (1.0, "middle"), (2.0, "end")];
        assert_eq!(told, expected);
        assert!(heard.iter().all(|it| it["method"].is_null() || it["params"]["progressToken"] == token));
        let mut ids: Vec<u64> = heard.iter().filter_map(|it| it["id"].as_u64()).collect();
        ids.sort_unstable();
        assert_eq!(ids, [1, 2]);
        let answered = heard.iter().position(|it| it["id"] == 2).unwrap();
        let last = heard.iter().rposition(|it| it["method"] == "notifications/progress").unwrap();
        assert!(last < answered, "{heard:#?}");
    }
}

#[test]
fn a_cancelled_call_is_told_and_gets_no_answer() {
    let mut client = Client::open();
    client.say(&call("x", "wait", json!({ "name": "first" })));
    client.bench.until(|state| state.began.len() == 1);
    client.say(&cancel("x"));
    client.bench.until(|state| state.saw_cancelled == ["first"]);
    // The id is free again, and its new call is not taken for the old one.
    client.bench.let_go();
    client.say(&call("x", "echo", json!({ "text": "second" })));
    assert_eq!(client.hears()["result"]["content"][0]["text"], "second");
    // Clients cancel what was answered; that is nothing.
    for id in [json!("x"), json!(99), json!(null)] {
        client.say(&cancel(id));
    }
    client.say(&call(3, "echo", json!({})));
    assert_eq!(client.hears()["id"], 3);
    assert!(client.ends().is_empty());
}

#[test]
fn a_second_request_under_a_live_id_is_refused_and_the_first_is_answered() {
    let mut client = Client::open();
    client.say(&call(1, "wait", json!({})));
    client.bench.until(|state| state.began.len() == 1);
    client.say(&call(1, "echo", json!({})));
    let heard = client.hears();
    assert_eq!((&heard["id"], &heard["error"]["code"]), (&json!(1), &json!(-32600)));
    client.bench.let_go();
    assert_eq!(client.hears()["result"]["content"][0]["text"], "let go");
    assert!(client.ends().is_empty());
}

#[test]
fn calls_run_side_by_side_as_many_as_there_are_threads() {
    let mut client = Client::open();
    let count = THREADS_MAX + 3;
    for id in 1..=count {
        client.say(&call(id, "wait", json!({})));
    }
    client.bench.until(|state| state.began.len() == THREADS_MAX);
    // The loop is not held up by them.
    client.say(&json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" }));
    assert_eq!(client.hears(), json!({ "jsonrpc": "2.0", "id": "p", "result": {} }));
    assert_eq!(client.bench.most.load(Ordering::SeqCst), THREADS_MAX);
    client.bench.let_go();
    assert_eq!(client.ends().len(), count);
}

#[test]
fn a_list_comes_in_pages_and_a_wrong_cursor_is_refused() {
    let mut client = Client::open();
    let mut names = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
        client.say(&json!({ "jsonrpc": "2.0", "id": names.len(), "method": "tools/list", "params": params }));
        let result = &client.hears()["result"];
        let page = result["tools"].as_array().unwrap();
        assert!(page.len() <= 2);
        names.extend(page.iter().map(|it| it["name"].as_str().unwrap().to_owned()));
        cursor = result["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(names, ["echo", "fail", "panic", "tell", "wait"]);
    client.say(&json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/list", "params": { "cursor": "zzz" } }));
    assert_eq!(client.hears()["error"]["code"], -32602);
    client.ends();
}

#[test]
fn a_client_that_reads_no_more_ends_the_server_and_its_calls() {
    let mut client = Client::open();
    client.say(&call(1, "wait", json!({})));
    client.bench.until(|state| state.began.len() == 1);
    drop(client.output.take());
    // What cannot be told shows that nobody listens.
    client.say(&call(2, "echo", json!({})));
    client.bench.until(|state| state.saw_cancelled.len() == 1);
    client.server.join().unwrap().unwrap();
    drop(client.input);
}

#[test]
fn a_client_that_reads_only_after_it_has_written_everything_gets_everything() {
    let mut client = Client::open();
    // More than a pipe holds, in both directions.
    let text = "x".repeat(2_000);
    for id in 1..=3_000 {
        client.say(&call(id, "echo", json!({ "text": text })));
    }
    let heard = client.ends();
    let mut ids: Vec<u64> = heard.iter().map(|it| it["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (1..=3_000).collect::<Vec<_>>());
}
