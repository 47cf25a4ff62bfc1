//! The index as other programs use it: the command line, and a session with its server that stays open.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Whatever takes longer than this hangs.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// A folder with a tree and databases of it.
pub(super) struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    pub(super) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("rag-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::create_dir(folder.path().join("tree")).unwrap();
        Self { folder }
    }

    pub(super) fn tree(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("tree")
    }

    /// Puts a file into the tree at once: who reads it meanwhile sees all of the old or all of the new one.
    pub(super) fn write(&self, path: &str, text: &str) {
        let path = self.tree().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let new = self.folder.path().join("new");
        fs::write(&new, text).unwrap();
        fs::rename(new, path).unwrap();
    }

    pub(super) fn database(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.db"))
    }

    /// Takes a database away, with what lies beside it.
    pub(super) fn forget(&self, name: &str) {
        for entry in fs::read_dir(self.folder.path()).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name().to_string_lossy().starts_with(&format!("{name}.db")) {
                fs::remove_file(entry.path()).unwrap();
            }
        }
    }

    /// `hostler rag …` with a database of this name.
    pub(super) fn command(&self, name: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hostler"));
        command
            .arg("rag")
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("RAG_DB", self.database(name))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a command to its end, which comes in time and is a good one; its output.
    #[track_caller]
    pub(super) fn run(&self, name: &str, arguments: &[&str]) -> String {
        let output = finish(self.command(name, arguments).spawn().unwrap());
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Brings a database up to date; its `index complete:` line.
    #[track_caller]
    pub(super) fn index(&self, name: &str) -> String {
        let said = self.run(name, &["index", self.tree().to_str().unwrap()]);
        let line = said.lines().find(|it| it.starts_with("index complete:"));
        line.unwrap_or_else(|| panic!("no end: {said}")).to_owned()
    }

    pub(super) fn serve(&self, name: &str) -> Session {
        Session::new(self.command(name, &[]))
    }
}

/// What a process said; it ends in time.
#[track_caller]
fn finish(child: Child) -> Output {
    let process = child.id();
    let (sender, ended) = channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let ended = ended.recv_timeout(PATIENCE);
    ended.unwrap_or_else(|_| panic!("process {process} hangs")).unwrap()
}

/// A session with the server, after a handshake.
pub(super) struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    id: u64,
}

/// A hit of a search.
#[derive(Debug)]
pub(super) struct Hit {
    pub(super) id: u64,
    pub(super) path: String,
    pub(super) lines: (usize, usize),
    pub(super) score: f64,
}

impl Session {
    fn new(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                // Nobody hears who has left.
                let _ = sender.send(line.unwrap());
            }
        });
        let stdin = child.stdin.take();
        let mut session = Self { child, stdin, lines, id: 0 };
        session.request(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": "a-test", "version": "1" } }),
        );
        session.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        session
    }

    fn say(&mut self, message: &Value) {
        self.stdin.as_mut().unwrap().write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    /// The result of a request, which comes in time.
    #[track_caller]
    fn request(&mut self, method: &str, parameters: &Value) -> Value {
        self.id += 1;
        self.say(&json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": parameters }));
        loop {
            let line = self.lines.recv_timeout(PATIENCE).unwrap_or_else(|it| panic!("{method}: {it}"));
            let mut message: Value = serde_json::from_str(&line).unwrap_or_else(|it| panic!("{it}: {line}"));
            if message["id"] == self.id && message.get("method").is_none() {
                assert!(message.get("error").is_none(), "{method} {parameters}: {message}");
                return message["result"].take();
            }
        }
    }

    /// The structured answer of a tool, which is no error.
    #[track_caller]
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let mut result = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert_ne!(result["isError"], true, "{tool} {arguments}: {result}");
        result["structuredContent"].take()
    }

    /// The hits of a search that has nothing to tell besides: it may take some before all files of the hits are current.
    #[track_caller]
    pub(super) fn search_current(&mut self, query: &str, k: u64) -> Vec<Hit> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            let answer = self.call("rag_search", &json!({ "query": query, "k": k }));
            if answer["notes"].as_array().is_none_or(Vec::is_empty) {
                return hits(&answer);
            }
        }
        panic!("`{query}` never gets current")
    }

    #[track_caller]
    pub(super) fn search(&mut self, query: &str, k: u64) -> Vec<Hit> {
        let answer = self.call("rag_search", &json!({ "query": query, "k": k }));
        hits(&answer)
    }

    /// The text of a hit as the server has it.
    #[track_caller]
    pub(super) fn text(&mut self, hit: &Hit) -> String {
        let answer = self.call("rag_get", &json!({ "id": hit.id }));
        answer["chunk"]["text"].as_str().unwrap_or_else(|| panic!("{hit:?}: {answer}")).to_owned()
    }

    /// Ends as a client ends it, in time and well.
    pub(super) fn close(mut self) {
        self.stdin = None;
        while self.lines.recv_timeout(PATIENCE).is_ok() {}
        assert!(self.child.wait().unwrap().success());
    }
}

#[track_caller]
fn hits(answer: &Value) -> Vec<Hit> {
    let hits = answer["hits"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let line = |it: &Value| usize::try_from(it.as_u64().unwrap()).unwrap();
    hits.iter()
        .map(|hit| Hit {
            id: hit["id"].as_u64().unwrap(),
            path: hit["path"].as_str().unwrap().to_owned(),
            lines: (line(&hit["start_line"]), line(&hit["end_line"])),
            score: hit["score"].as_f64().unwrap(),
        })
        .collect()
}

/// A test that fails leaves no server behind.
impl Drop for Session {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            // It may have ended on its own by now.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Lines `first..=last` of a file, as they stand.
pub(super) fn lines_of(tree: &Path, hit: &Hit) -> String {
    let text = fs::read_to_string(tree.join(&hit.path)).unwrap_or_else(|it| panic!("{it}: {hit:?}"));
    text.lines().skip(hit.lines.0 - 1).take(hit.lines.1 + 1 - hit.lines.0).collect::<Vec<_>>().join("\n")
}
