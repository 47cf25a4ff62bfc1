//! A scripted model on 127.0.0.1, in the words of Anthropic's Messages API and of `OpenAI`'s chat completions: what
//! it says is written in the test.
//!
//! One thread per connection, one request per connection. Every socket has a time limit, so that a client
//! which never finishes its request cannot hold a test.

use std::collections::{HashMap, VecDeque};
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
    /// The client's session, where the client says so in a header.
    pub session: Option<String>,
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
struct Script {
    ordered: VecDeque<Turn>,
    matched: Vec<Turn>,
    exhausted: bool,
}

impl Script {
    fn new(turns: Vec<Turn>) -> Self {
        let (matched, ordered): (Vec<_>, Vec<_>) =
            turns.into_iter().partition(|turn| turn.matching.is_some());
        Self { ordered: ordered.into(), matched, exhausted: false }
    }

    fn mismatch(&self) -> Option<String> {
        let unused = self.ordered.len() + self.matched.iter().filter(|turn| !turn.sticky).count();
        if self.exhausted {
            return Some("the client asked for more turns than the script has".to_owned());
        }
        (unused != 0).then(|| format!("{unused} turns of the script were never asked for"))
    }
}

#[derive(Debug, Default)]
struct State {
    /// For whoever has no script of its own.
    script: Script,
    /// By session of the client.
    scripts: HashMap<String, Script>,
    requests: Vec<Request>,
}

impl State {
    /// The script of the first of these sessions that has one.
    fn script(&mut self, sessions: &[Option<String>]) -> &mut Script {
        let own = sessions.iter().flatten().find(|it| self.scripts.contains_key(*it)).cloned();
        match own.and_then(|session| self.scripts.get_mut(&session)) {
            Some(script) => script,
            None => &mut self.script,
        }
    }
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
        let state = Arc::new(Mutex::new(State { script: Script::new(turns), ..State::default() }));
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

    /// What the model says from now on in one session of the client, and in those that it starts from there.
    pub fn script(&self, session: &str, turns: Vec<Turn>) {
        lock(&self.state).scripts.insert(session.to_owned(), Script::new(turns));
    }

    /// [`ModelServer::mismatch`] of one session.
    pub fn mismatch_of(&self, session: &str) -> Option<String> {
        lock(&self.state).scripts.get(session).and_then(Script::mismatch)
    }

    /// Every request for an answer so far, in order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.state).requests.clone()
    }

    /// What does not fit between script and conversation: more requests than turns, or turns nobody asked for.
    pub fn mismatch(&self) -> Option<String> {
        lock(&self.state).script.mismatch()
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
    // Whose request it is, and who started that one.
    let (mut session, mut parent) = (None, None);
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        let Some((name, value)) = header.split_once(':') else { continue };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap_or(0),
            "x-session-id" => session = Some(value.to_owned()),
            "x-parent-session-id" => parent = Some(value.to_owned()),
            _ => {}
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
        ("POST", "/v1/messages" | "/v1/chat/completions") => {
            let raw = String::from_utf8_lossy(&raw);
            let body: Value = serde_json::from_str(&raw).unwrap_or_default();
            let (turn, content, id) = {
                let mut state = lock(state);
                let script = state.script(&[session.clone(), parent]);
                let (turn, scripted) = pick(script, &body, &raw);
                state.requests.push(Request { path: path.clone(), body: body.clone(), scripted, session });
                let content: Vec<Value> = turn.content.iter().map(numbered).collect();
                (turn, content, next_id())
            };
            match turn.status {
                Some(status) => reply_error(stream, status),
                None if route == "/v1/messages" => {
                    reply_message(stream, &body, &content, id, turn.input_tokens)
                }
                None => reply_completion(stream, &body, &content, id, turn.input_tokens),
            }
        }
        _ => reply_error(stream, 404),
    }
}

fn pick(script: &mut Script, body: &Value, raw: &str) -> (Turn, bool) {
    let fits = |turn: &Turn| turn.matching.as_ref().is_some_and(|text| raw.contains(text.as_str()));
    if let Some(at) = script.matched.iter().position(fits) {
        let turn =
            if script.matched[at].sticky { script.matched[at].clone() } else { script.matched.remove(at) };
        return (turn, true);
    }
    // Titles, quota probes and the like come without tools and are no part of the conversation.
    if body["tools"].as_array().is_none_or(Vec::is_empty) {
        return (Turn::new([say("ok")]), false);
    }
    if let Some(turn) = script.ordered.pop_front() {
        return (turn, true);
    }
    script.exhausted = true;
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

/// The same answer in the other API's words: always streamed, as its client asks for it.
fn reply_completion(
    mut stream: &TcpStream,
    body: &Value,
    content: &[Value],
    id: u64,
    input_tokens: u64,
) -> std::io::Result<()> {
    let chunk = |delta: Value, finish: Value, usage: Value| {
        json!({
            "id": format!("chatcmpl-test{id:04}"), "object": "chat.completion.chunk", "created": 1,
            "model": body["model"], "usage": usage,
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }],
        })
    };
    let mut chunks = vec![chunk(json!({ "role": "assistant", "content": "" }), Value::Null, Value::Null)];
    let mut calls = 0;
    for block in content {
        let delta = if block["type"] == "text" {
            json!({ "content": block["text"] })
        } else {
            let function = json!({ "name": block["name"], "arguments": block["input"].to_string() });
            calls += 1;
            json!({ "tool_calls": [
                { "index": calls - 1, "id": block["id"], "type": "function", "function": function },
            ] })
        };
        chunks.push(chunk(delta, Value::Null, Value::Null));
    }
    let finish = if calls == 0 { "stop" } else { "tool_calls" };
    let usage = json!({
        "prompt_tokens": input_tokens, "completion_tokens": 10, "total_tokens": input_tokens + 10,
    });
    chunks.push(chunk(json!({}), json!(finish), usage));
    let mut out = String::from(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n\r\n",
    );
    for chunk in chunks {
        // Writing to a `String` cannot fail.
        let _ = std::fmt::Write::write_fmt(&mut out, format_args!("data: {chunk}\n\n"));
    }
    out.push_str("data: [DONE]\n\n");
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
    fn a_session_with_a_script_of_its_own_is_answered_from_it_and_so_are_its_children() {
        let server = ModelServer::start(vec![Turn::new([say("common")])]).unwrap();
        server.script("ses_a", vec![Turn::new([say("first of a")]), Turn::new([bash("ls")])]);
        let ask = |headers: &str| {
            let body = json!({ "stream": true, "tools": [{}], "messages": [] }).to_string();
            let mut stream = TcpStream::connect(server.address).unwrap();
            let length = body.len();
            write!(
                stream,
                "POST /v1/chat/completions HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
            )
            .unwrap();
            let mut reply = String::new();
            stream.read_to_string(&mut reply).unwrap();
            reply
        };
        assert!(ask("X-Session-Id: ses_a\r\n").contains("first of a"));
        assert!(server.mismatch_of("ses_a").is_some());
        let child = ask("x-session-id: ses_b\r\nx-parent-session-id: ses_a\r\n");
        assert!(child.contains("\"finish_reason\":\"tool_calls\""), "{child}");
        assert!(child.ends_with("data: [DONE]\n\n"));
        assert!(ask("x-session-id: ses_c\r\n").contains("common"));
        assert_eq!((server.mismatch_of("ses_a"), server.mismatch()), (None, None));
        let sessions: Vec<_> = server.requests().into_iter().map(|it| it.session.unwrap()).collect();
        assert_eq!(sessions, ["ses_a", "ses_b", "ses_c"]);
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
            session: None,
        };
        assert_eq!(request.heard(), "denied\nnested\nhook\n");
    }
}
