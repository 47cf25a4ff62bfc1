//! The bridge as the plugin speaks with it: lines in, lines out. Every line in either direction has the published form.

mod guard;
mod life;
mod load;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use hostler_ledger::journal::{self, Record};
use serde_json::{Value, json};

use crate::hook::World;

/// A session of the host.
const SESSION: &str = "ses_4a71c09f2ffeQm3XbT0aYkLw81";
/// A subagent's.
const CHILD: &str = "ses_4a71b2d10ffeHn8RzUe5pVd2Kc";
/// Nothing that is waited for takes so long.
const PATIENCE: Duration = Duration::from_secs(60);

static FORM: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let text = include_str!("../../../../../docs/bridge.schema.json");
    jsonschema::validator_for(&serde_json::from_str(text).unwrap()).unwrap()
});

#[track_caller]
fn check_form(line: &Value) {
    let errors: Vec<String> =
        FORM.iter_errors(line).map(|it| format!("{}: {it}", it.instance_path())).collect();
    assert!(errors.is_empty(), "{line}: {errors:?}");
}

/// A child and its two pipes. Answers are told apart by their ids, whoever waits for them.
struct Plugin {
    child: Child,
    stdin: Option<Arc<Mutex<ChildStdin>>>,
    answers: Receiver<Value>,
    early: BTreeMap<u64, Value>,
    /// What nobody asked for.
    unasked: Vec<Value>,
    next: u64,
    directory: String,
}

impl Plugin {
    /// A child that has been greeted.
    fn start(world: &World) -> Self {
        let mut plugin = Self::mute(world);
        let hello = plugin.greet("serve");
        assert_eq!(hello["hello"]["active"], true);
        plugin
    }

    fn mute(world: &World) -> Self {
        let (child, stdin, answers) = spawn(world);
        let directory = world.path("").display().to_string().trim_end_matches('/').to_owned();
        Self {
            child,
            stdin: Some(stdin),
            answers,
            early: BTreeMap::new(),
            unasked: Vec::new(),
            next: 1,
            directory,
        }
    }

    fn greet(&mut self, mode: &str) -> Value {
        let directory = self.directory.clone();
        self.ask(json!({
            "hook": "hello",
            "input": {
                "protocol": 1, "plugin": "0.1.0", "flavour": 1, "host": "1.18.33", "directory": directory,
                "worktree": directory, "pid": std::process::id(), "mode": mode,
            },
        }))
    }

    /// Sends a line of this hook and returns its id.
    fn send(&mut self, mut line: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        line["id"] = id.into();
        if line.get("directory").is_none() && line["hook"] != "hello" {
            line["directory"] = self.directory.clone().into();
        }
        check_form(&line);
        self.write(line.to_string().as_bytes());
        id
    }

    fn write(&self, line: &[u8]) {
        let mut stdin = self.stdin.as_ref().unwrap().lock().unwrap();
        stdin.write_all(&[line, b"\n"].concat()).unwrap();
    }

    #[track_caller]
    fn answer(&mut self, id: u64) -> Value {
        loop {
            if let Some(answer) = self.early.remove(&id) {
                return answer;
            }
            let answer = self.answers.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("{id}: {error}"));
            if let Some(id) = answer["id"].as_u64() {
                assert!(self.early.insert(id, answer).is_none(), "{id} was answered twice");
            } else {
                self.unasked.push(answer);
            }
        }
    }

    #[track_caller]
    fn ask(&mut self, line: Value) -> Value {
        let id = self.send(line);
        self.answer(id)
    }

    /// A tool call that is about to run.
    #[track_caller]
    fn before(&mut self, tool: &str, args: &Value) -> Value {
        let call = format!("call_{}", self.next);
        self.ask(before(SESSION, &call, tool, args))
    }

    /// A tool call from its beginning to its end.
    #[track_caller]
    fn call(&mut self, tool: &str, args: &Value, output: &Value) -> Value {
        let call = format!("call_{}", self.next);
        let allowed = self.ask(before(SESSION, &call, tool, args));
        assert_eq!(allowed.get("deny"), None, "{allowed}");
        self.ask(after(SESSION, &call, tool, args, output))
    }

    #[track_caller]
    fn event(&mut self, session: &str, kind: &str, properties: &Value) -> Value {
        self.ask(json!({ "hook": "event", "session": session, "event": { "type": kind, "properties": properties } }))
    }

    #[track_caller]
    fn prompt(&mut self, text: &str) -> Value {
        let part = json!({ "id": format!("prt_{}", self.next), "type": "text", "text": text });
        self.ask(json!({ "hook": "chat.message", "session": SESSION, "output": { "message": {}, "parts": [part] } }))
    }

    /// The end of a turn with these last words.
    #[track_caller]
    fn idle(&mut self, message: &str, text: &str) -> Value {
        self.ask(json!({
            "hook": "event",
            "session": SESSION,
            "event": { "type": "session.idle", "properties": { "sessionID": SESSION } },
            "last": { "message": message, "text": text },
        }))
    }

    /// Closes stdin and waits for the end, which has to be a good one. Answers that nobody asked for before.
    #[track_caller]
    fn end(mut self) -> Vec<Value> {
        drop(self.stdin.take());
        let rest: Vec<Value> = self.answers.iter().collect();
        assert!(self.child.wait().unwrap().success());
        rest
    }
}

impl Drop for Plugin {
    fn drop(&mut self) {
        // It has ended where all went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(world: &World) -> (Child, Arc<Mutex<ChildStdin>>, Receiver<Value>) {
    let mut child = world.start(&["bridge", "opencode"]);
    let stdin = Arc::new(Mutex::new(child.stdin.take().unwrap()));
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, answers) = channel();
    std::thread::spawn(move || forward(stdout, &sender));
    (child, stdin, answers)
}

fn forward(stdout: impl BufRead, sender: &Sender<Value>) {
    for line in stdout.lines() {
        let Ok(line) = line else { return };
        // A line that a kill cut short is none.
        let Ok(answer) = serde_json::from_str::<Value>(&line) else { continue };
        check_form(&answer);
        if sender.send(answer).is_err() {
            return;
        }
    }
}

fn before(session: &str, call: &str, tool: &str, args: &Value) -> Value {
    json!({
        "hook": "tool.execute.before", "session": session, "agent": "build",
        "input": { "tool": tool, "sessionID": session, "callID": call }, "output": { "args": args },
    })
}

fn after(session: &str, call: &str, tool: &str, args: &Value, output: &Value) -> Value {
    json!({
        "hook": "tool.execute.after", "session": session, "agent": "build",
        "input": { "tool": tool, "sessionID": session, "callID": call, "args": args }, "output": output,
    })
}

/// What a command's result looks like.
fn ran(output: &str, exit: i32) -> Value {
    json!({ "title": "", "output": output, "metadata": { "output": output, "exit": exit, "truncated": false } })
}

/// Every journal of the project, of all sessions.
fn journals(world: &World) -> Vec<PathBuf> {
    let projects = world.path("~/.local/state/hostler/projects");
    let Ok(folders) = std::fs::read_dir(projects) else { return Vec::new() };
    folders.flat_map(|folder| journal::files(&folder.unwrap().path()).unwrap()).collect()
}

/// Every record of the project, of all sessions.
fn records(world: &World) -> Vec<Record> {
    let mut records = Vec::new();
    for file in journals(world) {
        let mut reader = journal::read(&file).unwrap();
        records.extend(reader.by_ref());
        assert_eq!(reader.passed_over(), 0, "{}", file.display());
    }
    records
}

fn text<'a>(record: &'a Record, name: &str) -> &'a str {
    record.attributes.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[test]
fn the_published_form_takes_recorded_lines_and_refuses_others() {
    for line in include_str!("../../../../../fixtures/opencode/1.18.33/lines.jsonl").lines() {
        check_form(&serde_json::from_str(line).unwrap());
    }
    for line in [
        json!({ "id": 1, "deny": "" }),
        json!({ "id": -1 }),
        json!({ "id": 1, "dney": "a misspelt member" }),
        json!({ "id": 1, "log": [{ "level": "loud", "message": "x" }] }),
        json!({ "id": 1, "hook": "tool.execute.before", "session": "../x", "directory": "/x", "input": { "tool": "bash" }, "output": { "args": {} } }),
        json!({ "id": 1, "hook": "tool.execute.before", "session": "x", "directory": "x", "input": { "tool": "bash" }, "output": { "args": {} } }),
        json!({ "id": 1, "hook": "tool.execute.before", "session": "x", "directory": "/x", "input": {}, "output": { "args": {} } }),
        json!({ "hook": "ping" }),
    ] {
        assert!(!FORM.is_valid(&line), "{line}");
    }
}
