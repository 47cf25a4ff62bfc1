//! A scripted Anthropic Messages API on 127.0.0.1: what the model says is written in the test.
//!
//! One thread per connection, one request per connection. Every socket has a time limit, so that a client
//! which never finishes its request cannot hold a test.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

/// How long one read or write on a connection may take.
const SOCKET_TIME_MAX: Duration = Duration::from_secs(30);
/// Longest request body accepted, in bytes.
const BODY_BYTES_MAX: usize = 64 << 20;
/// What the model says when nothing is left in the script.
const EXHAUSTED: &str = "SCRIPT-EXHAUSTED";

/// One answer of the model.
#[derive(Debug, Clone)]
pub struct Turn {
    content: Vec<Value>,
    matching: Option<String>,
    sticky: bool,
    status: Option<u16>,
    input_tokens: u64,
}

impl Turn {
    /// An answer made of these blocks, see [`call`] and [`say`].
    pub fn new(content: impl IntoIterator<Item = Value>) -> Self {
        Self {
            content: content.into_iter().collect(),
            matching: None,
            sticky: false,
            status: None,
            input_tokens: 100,
        }
    }

    /// An HTTP error instead of an answer.
    pub fn error(status: u16) -> Self {
        Self { status: Some(status), ..Self::new([]) }
    }

    /// Answers the first request whose raw body contains `text`, out of order.
    #[must_use]
    pub fn when(mut self, text: &str) -> Self {
        self.matching = Some(text.to_owned());
        self
    }

    /// With [`Turn::when`]: answers every such request.
    #[must_use]
    pub fn always(mut self) -> Self {
        self.sticky = true;
        self
    }

    /// Reports this many input tokens: near the model's window, the client compacts by itself.
    #[must_use]
    pub fn input_tokens(mut self, count: u64) -> Self {
        self.input_tokens = count;
        self
    }
}

/// A text block.
pub fn say(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// A tool call.
pub fn call(tool: &str, input: &Value) -> Value {
    json!({ "type": "tool_use", "name": tool, "input": input })
}

/// A call of the shell tool.
pub fn bash(command: &str) -> Value {
    call("Bash", &json!({ "command": command, "description": "run it" }))
}

/// A call that writes a whole file.
pub fn write(path: impl AsRef<std::path::Path>, content: &str) -> Value {
    call("Write", &json!({ "file_path": path.as_ref(), "content": content }))
}

/// A call that reads a file.
pub fn read(path: impl AsRef<std::path::Path>) -> Value {
    call("Read", &json!({ "file_path": path.as_ref() }))
}

/// A call that replaces text in a file.
pub fn edit(path: impl AsRef<std::path::Path>, old: &str, new: &str) -> Value {
    call("Edit", &json!({ "file_path": path.as_ref(), "old_string": old, "new_string": new }))
}

/// A call that starts a subagent and waits for it: the next turns are the subagent's until one has no call.
pub fn delegate(prompt: &str) -> Value {
    call("Agent", &json!({ "description": "a part", "prompt": prompt, "subagent_type": "general-purpose" }))
}

/// One request that the client made.
#[derive(Debug, Clone)]
pub struct Request {
    /// Path with query.
    pub path: String,
    /// The body, `Null` if it was no JSON.
    pub body: Value,
    /// Answered from the script; `false`: a side request without tools.
    pub scripted: bool,
}

impl Request {
    /// Everything that was said *to* the model in this request: the text of all messages but its own.
    pub fn heard(&self) -> String {
        let mut out = String::new();
        for message in self.body["messages"].as_array().into_iter().flatten() {
            if message["role"] != "assistant" {
                texts(&message["content"], &mut out);
            }
        }
        out
    }
}

fn texts(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            out.push_str(text);
            out.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, out)),
        Value::Object(fields) => {
            for name in ["text", "content"] {
                texts(&fields.get(name).cloned().unwrap_or_default(), out);
            }
        }
        _ => {}
    }
}

#[derive(Debug, Default)]
struct State {
    ordered: VecDeque<Turn>,
    matched: Vec<Turn>,
    requests: Vec<Request>,
    exhausted: bool,
}

/// Ids are never given twice: a session that is resumed talks to another server, and its calls are other calls.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

fn next_id() -> u64 {
    NEXT_ID.fetch_add(1, Ordering::Relaxed)
}

/// The server; it stops when dropped.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    stop: Arc<AtomicBool>,
    acceptor: Option<JoinHandle<()>>,
}

impl ModelServer {
    /// Listens on a free port and answers from `turns`.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start(turns: Vec<Turn>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let (matched, ordered): (Vec<_>, VecDeque<_>) = {
            let (matched, ordered): (Vec<_>, Vec<_>) =
                turns.into_iter().partition(|turn| turn.matching.is_some());
            (matched, ordered.into())
        };
        let state = Arc::new(Mutex::new(State { ordered, matched, ..State::default() }));
        let stop = Arc::new(AtomicBool::new(false));
        let acceptor = {
            let (state, stop) = (Arc::clone(&state), Arc::clone(&stop));
            std::thread::spawn(move || {
                for stream in listener.incoming() {
                    if stop.load(Ordering::SeqCst) {
                        return;
                    }
                    let Ok(stream) = stream else { continue };
                    let state = Arc::clone(&state);
                    // A client that hangs up mid-answer is its own business.
                    std::thread::spawn(move || drop(serve(&stream, &state)));
                }
            })
        };
        Ok(Self { address, state, stop, acceptor: Some(acceptor) })
    }

    /// The base URL for the client.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every `/v1/messages` request so far, in order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.state).requests.clone()
    }

    /// What does not fit between script and conversation: more requests than turns, or turns nobody asked for.
    pub fn mismatch(&self) -> Option<String> {
        let state = lock(&self.state);
        let unused = state.ordered.len() + state.matched.iter().filter(|turn| !turn.sticky).count();
        if state.exhausted {
            return Some("the client asked for more turns than the script has".to_owned());
        }
        (unused != 0).then(|| format!("{unused} turns of the script were never asked for"))
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes the acceptor; should that fail, the thread ends with the process.
        if TcpStream::connect_timeout(&self.address, Duration::from_secs(1)).is_ok()
            && let Some(acceptor) = self.acceptor.take()
        {
            let _ = acceptor.join();
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(stream: &TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(SOCKET_TIME_MAX))?;
    stream.set_write_timeout(Some(SOCKET_TIME_MAX))?;
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_ascii_whitespace();
    let (method, path) =
        (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or("/").to_owned());
    let mut length = 0;
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    if BODY_BYTES_MAX < length {
        return reply_error(stream, 413);
    }
    let mut raw = vec![0; length];
    reader.read_exact(&mut raw)?;
    let route = path.split('?').next().unwrap_or_default();
    match (method.as_str(), route) {
        ("HEAD", _) => reply_json(stream, 200, &Value::Null),
        ("POST", "/v1/messages/count_tokens") => reply_json(stream, 200, &json!({ "input_tokens": 100 })),
        ("POST", "/v1/messages") => {
            let raw = String::from_utf8_lossy(&raw);
            let body: Value = serde_json::from_str(&raw).unwrap_or_default();
            let (turn, content, id) = {
                let mut state = lock(state);
                let (turn, scripted) = pick(&mut state, &body, &raw);
                state.requests.push(Request { path, body: body.clone(), scripted });
                let content: Vec<Value> = turn.content.iter().map(numbered).collect();
                (turn, content, next_id())
            };
            match turn.status {
                Some(status) => reply_error(stream, status),
                None => reply_message(stream, &body, &content, id, turn.input_tokens),
            }
        }
        _ => reply_error(stream, 404),
    }
}

fn pick(state: &mut State, body: &Value, raw: &str) -> (Turn, bool) {
    let fits = |turn: &Turn| turn.matching.as_ref().is_some_and(|text| raw.contains(text.as_str()));
    if let Some(at) = state.matched.iter().position(fits) {
        let turn =
            if state.matched[at].sticky { state.matched[at].clone() } else { state.matched.remove(at) };
        return (turn, true);
    }
    // Titles, quota probes and the like come without tools and are no part of the conversation.
    if body["tools"].as_array().is_none_or(Vec::is_empty) {
        return (Turn::new([say("ok")]), false);
    }
    if let Some(turn) = state.ordered.pop_front() {
        return (turn, true);
    }
    state.exhausted = true;
    (Turn::new([say(EXHAUSTED)]), true)
}

fn numbered(block: &Value) -> Value {
    let mut block = block.clone();
    if block["type"] == "tool_use" && block.get("id").is_none() {
        block["id"] = json!(format!("toolu_test{:04}", next_id()));
    }
    block
}

fn reply_message(
    mut stream: &TcpStream,
    body: &Value,
    content: &[Value],
    id: u64,
    input_tokens: u64,
) -> std::io::Result<()> {
    let stop = if content.iter().any(|block| block["type"] == "tool_use") { "tool_use" } else { "end_turn" };
    let usage = json!({
        "input_tokens": input_tokens, "output_tokens": 10,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
    });
    let mut message = json!({
        "id": format!("msg_test{id:04}"), "type": "message", "role": "assistant",
        "model": body["model"], "usage": usage, "content": content,
        "stop_reason": stop, "stop_sequence": null,
    });
    if body["stream"] != true {
        return reply_json(stream, 200, &message);
    }
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let mut events = vec![json!({ "type": "message_start", "message": message })];
    for (index, block) in content.iter().enumerate() {
        let (start, delta) = if block["type"] == "text" {
            (say(""), json!({ "type": "text_delta", "text": block["text"] }))
        } else {
            let mut start = block.clone();
            start["input"] = json!({});
            (start, json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() }))
        };
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": start }));
        events.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    events.push(json!({
        "type": "message_delta",
        "delta": { "stop_reason": stop, "stop_sequence": null },
        "usage": { "output_tokens": 10 },
    }));
    events.push(json!({ "type": "message_stop" }));
    let mut out = String::from(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\
         request-id: req_test\r\nconnection: close\r\n\r\n",
    );
    for event in events {
        let name = event["type"].as_str().unwrap_or_default();
        // Writing to a `String` cannot fail.
        let _ = std::fmt::Write::write_fmt(&mut out, format_args!("event: {name}\ndata: {event}\n\n"));
    }
    stream.write_all(out.as_bytes())
}

fn reply_error(stream: &TcpStream, status: u16) -> std::io::Result<()> {
    let body = json!({ "type": "error", "error": { "type": "api_error", "message": "scripted error" } });
    reply_json(stream, status, &body)
}

fn reply_json(mut stream: &TcpStream, status: u16, body: &Value) -> std::io::Result<()> {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         request-id: req_test\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn post(server: &ModelServer, body: &Value) -> String {
        let mut stream = TcpStream::connect(server.address).unwrap();
        let body = body.to_string();
        write!(
            stream,
            "POST /v1/messages?beta=true HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply
    }

    #[test]
    fn turns_come_in_order_and_matching_ones_when_they_match() {
        let server = ModelServer::start(vec![
            Turn::new([say("first")]),
            Turn::new([say("special")]).when("needle"),
            Turn::error(529),
        ])
        .unwrap();
        let tools = json!([{ "name": "Bash" }]);
        let ask = |text: &str| json!({ "tools": tools, "messages": [{ "role": "user", "content": text }] });
        assert!(server.mismatch().is_some());
        assert!(post(&server, &ask("hello")).contains("first"));
        assert!(post(&server, &ask("a needle")).contains("special"));
        assert!(post(&server, &json!({ "messages": [] })).contains("\"ok\""));
        assert!(post(&server, &ask("hello")).starts_with("HTTP/1.1 529"));
        assert_eq!(server.mismatch(), None);
        assert!(post(&server, &ask("more")).contains(EXHAUSTED));
        assert!(server.mismatch().is_some());
        let heard: Vec<_> = server.requests().iter().map(Request::heard).collect();
        assert_eq!(heard, ["hello\n", "a needle\n", "", "hello\n", "more\n"]);
    }

    #[test]
    fn a_streamed_tool_call_carries_its_input_as_json_text() {
        let server = ModelServer::start(vec![Turn::new([bash("ls \"a b\"")])]).unwrap();
        let reply = post(&server, &json!({ "stream": true, "tools": [{}], "messages": [] }));
        let delta = reply.lines().find(|line| line.contains("input_json_delta")).unwrap();
        let event: Value = serde_json::from_str(delta.strip_prefix("data: ").unwrap()).unwrap();
        let input: Value = serde_json::from_str(event["delta"]["partial_json"].as_str().unwrap()).unwrap();
        assert_eq!(input["command"], "ls \"a b\"");
    }

    #[test]
    fn what_the_model_said_itself_is_not_what_it_heard() {
        let request = Request {
            path: String::new(),
            body: json!({ "messages": [
                { "role": "assistant", "content": [{ "type": "tool_use", "input": { "command": "mine" } }] },
                { "role": "user", "content": [
                    { "type": "tool_result", "content": "denied" },
                    { "type": "tool_result", "content": [{ "type": "text", "text": "nested" }] },
                ] },
                { "role": "system", "content": "hook" },
            ] }),
            scripted: true,
        };
        assert_eq!(request.heard(), "denied\nnested\nhook\n");
    }
}
