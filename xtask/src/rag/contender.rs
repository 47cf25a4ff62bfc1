//! A program that indexes and answers, ours or the source's: the same command line and the same tools.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde_json::{Value, json};

/// The hidden task that runs one command. Its only child is that command, so that the peak of memory, which the system
/// knows over all children of a process, is that of the command.
pub(super) const TIMED: &str = "timed";

/// A program under measurement, with a database of its own.
pub(super) struct Contender {
    pub(super) name: &'static str,
    words: Vec<OsString>,
    folder: PathBuf,
}

/// What one run of a command cost.
pub(super) struct Cost {
    pub(super) wall_ms: f64,
    pub(super) cpu_ms: f64,
    pub(super) rss_mb: f64,
    pub(super) stdout: String,
}

/// A place in the tree that an answer names.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hit {
    pub(super) path: String,
    pub(super) lines: (u64, u64),
}

impl Contender {
    /// `words`: the program and what comes before the command; `folder`: exists, for its database and its home.
    pub(super) fn new(name: &'static str, words: Vec<OsString>, folder: &Path) -> Self {
        Self { name, words, folder: folder.to_path_buf() }
    }

    fn database(&self) -> PathBuf {
        self.folder.join(format!("{}.db", self.name))
    }

    fn environment(&self, command: &mut Command) {
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.folder)
            .env("LANG", "C.UTF-8")
            .env("RAG_DB", self.database())
            .current_dir(&self.folder);
    }

    /// Runs a command to its end.
    pub(super) fn run(&self, arguments: &[&str]) -> anyhow::Result<Cost> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["rag", TIMED]).args(&self.words).args(arguments);
        self.environment(&mut command);
        let output = command.stdin(Stdio::null()).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{} {arguments:?}: {said}", self.name);
        let cost: Value = serde_json::from_slice(&output.stdout).context("the timer told no cost")?;
        let number = |name: &str| cost[name].as_f64().with_context(|| format!("no `{name}` in {cost}"));
        Ok(Cost {
            wall_ms: number("wall_ms")?,
            cpu_ms: number("cpu_ms")?,
            rss_mb: number("rss_mb")?,
            stdout: cost["stdout"].as_str().unwrap_or_default().to_owned(),
        })
    }

    /// Brings the index up to date with a tree.
    pub(super) fn index(&self, tree: &Path) -> anyhow::Result<Cost> {
        let cost = self.run(&["index", tree.to_str().context("a path in UTF-8")?])?;
        ensure!(cost.stdout.contains("index complete:"), "{}: no index: {}", self.name, cost.stdout);
        Ok(cost)
    }

    /// Takes the index away.
    pub(super) fn forget(&self) -> anyhow::Result<()> {
        for file in self.files()? {
            fs::remove_file(file)?;
        }
        Ok(())
    }

    /// The size of the index with what lies beside it.
    pub(super) fn size_mb(&self) -> anyhow::Result<f64> {
        let mut bytes = 0;
        for file in self.files()? {
            bytes += file.metadata()?.len();
        }
        #[expect(clippy::cast_precision_loss, reason = "sizes of files are far below 2^52")]
        Ok(bytes as f64 / 1e6)
    }

    fn files(&self) -> anyhow::Result<Vec<PathBuf>> {
        let start = format!("{}.db", self.name);
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_type()?.is_file() && entry.file_name().to_string_lossy().starts_with(&start) {
                files.push(entry.path());
            }
        }
        Ok(files)
    }

    /// Starts its server of tools.
    pub(super) fn serve(&self) -> anyhow::Result<Session> {
        let (program, rest) = self.words.split_first().context("a program")?;
        let mut command = Command::new(program);
        command.args(rest);
        self.environment(&mut command);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let stdin = child.stdin.take().context("stdin is a pipe")?;
        let stdout = BufReader::new(child.stdout.take().context("stdout is a pipe")?);
        let mut session = Session { child, stdin: Some(stdin), stdout, id: 0 };
        session.request(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "xtask", "version": "1" } }),
        )?;
        session.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(session)
    }
}

/// A session with a server over stdin and stdout.
pub(super) struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    id: u64,
}

impl Session {
    fn say(&mut self, message: &Value) -> anyhow::Result<()> {
        let stdin = self.stdin.as_mut().context("the session is open")?;
        Ok(stdin.write_all(format!("{message}\n").as_bytes())?)
    }

    fn request(&mut self, method: &str, parameters: &Value) -> anyhow::Result<Value> {
        self.id += 1;
        self.say(&json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": parameters }))?;
        let mut line = String::new();
        loop {
            line.clear();
            ensure!(self.stdout.read_line(&mut line)? != 0, "the server closed its output");
            let mut message: Value = serde_json::from_str(&line).with_context(|| line.clone())?;
            if message["id"] == self.id && message.get("method").is_none() {
                let result = message["result"].take();
                ensure!(!result.is_null(), "`{method}` failed: {message}");
                return Ok(result);
            }
        }
    }

    /// The hits of a query, best first, and how long they took in milliseconds.
    pub(super) fn search(&mut self, query: &str, k: u64) -> anyhow::Result<(Vec<Hit>, f64)> {
        let parameters = json!({ "name": "rag_search", "arguments": { "query": query, "k": k } });
        let start = Instant::now();
        let result = self.request("tools/call", &parameters)?;
        let took_ms = start.elapsed().as_secs_f64() * 1e3;
        if result["isError"] == true {
            bail!("`{query}`: {result}");
        }
        let hits = result["structuredContent"]["hits"].as_array();
        let hits = hits.with_context(|| format!("no hits in {result}"))?.iter().map(|hit| Hit {
            path: hit["path"].as_str().unwrap_or_default().to_owned(),
            lines: (hit["start_line"].as_u64().unwrap_or(0), hit["end_line"].as_u64().unwrap_or(0)),
        });
        Ok((hits.collect(), took_ms))
    }

    /// What the server took at its highest, in MB.
    pub(super) fn rss_mb(&self) -> anyhow::Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kb = peak.and_then(|it| it.trim().trim_end_matches(" kB").trim().parse::<f64>().ok());
        Ok(kb.context("the system tells no peak of memory")? * 1_024.0 / 1e6)
    }

    /// Ends the session as a client does.
    pub(super) fn close(mut self) -> anyhow::Result<()> {
        self.stdin = None;
        ensure!(self.child.wait()?.success(), "the server did not end well");
        Ok(())
    }
}

/// A measurement that fails leaves no server behind.
impl Drop for Session {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            // It may have ended on its own by now.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// The hidden task [`TIMED`].
pub(super) fn time_one(words: &[String]) -> anyhow::Result<bool> {
    let (program, rest) = words.split_first().context("a program to time")?;
    let start = Instant::now();
    let output = Command::new(program).args(rest).stdin(Stdio::null()).stderr(Stdio::piped()).output()?;
    let wall_ms = start.elapsed().as_secs_f64() * 1e3;
    ensure!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    #[expect(clippy::cast_precision_loss, reason = "microseconds of minutes, kilobytes of a process")]
    let (cpu_us, rss_kb) = (
        (usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64,
        usage.max_rss() as f64,
    );
    let cost = json!({
        "wall_ms": wall_ms,
        "cpu_ms": cpu_us / 1e3,
        "rss_mb": rss_kb * 1_024.0 / 1e6,
        "stdout": String::from_utf8_lossy(&output.stdout),
    });
    crate::tell(&cost.to_string());
    Ok(true)
}
