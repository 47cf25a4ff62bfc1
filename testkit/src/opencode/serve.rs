//! `opencode serve`: one process, many sessions.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::http;
use super::{MODEL, OpenCode};
use crate::client::{Output, Slot};
use crate::model::{ModelServer, Turn};
use crate::session::Run;

/// How long a server may take to answer the first time.
const START_TIME_MAX: Duration = Duration::from_secs(60);
/// A first connection may hang where the next one does not.
const HEALTH_TIME_MAX: Duration = Duration::from_secs(2);
/// How long a turn may take.
const TURN_TIME_MAX: Duration = Duration::from_secs(90);
const POLL_TIME: Duration = Duration::from_millis(25);
/// How long a server may take to end when it is asked to.
const STOP_TIME_MAX: Duration = Duration::from_secs(5);

/// A running server; it ends when dropped.
#[derive(Debug)]
pub struct Serve<'c> {
    client: &'c OpenCode,
    model: ModelServer,
    child: Child,
    address: SocketAddr,
    log: PathBuf,
    _slot: Slot,
}

impl<'c> Serve<'c> {
    pub(super) fn start(client: &'c OpenCode) -> anyhow::Result<Self> {
        let slot = Slot::take();
        let model = ModelServer::start(Vec::new())?;
        // Free a moment ago: whoever takes it in between makes this test fail, not another one wrong.
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let log = client.world().home().join(format!("serve-{}.log", address.port()));
        let out = File::create(&log)?;
        let child = client
            .command(&model)
            .args(["serve", "--hostname", "127.0.0.1", "--port", &address.port().to_string()])
            .args(["--print-logs", "--log-level", "DEBUG"])
            .stdin(Stdio::null())
            .stdout(out.try_clone()?)
            .stderr(out)
            .process_group(0)
            .spawn()
            .context("the client")?;
        let mut serve = Self { client, model, child, address, log, _slot: slot };
        let deadline = Instant::now() + START_TIME_MAX;
        loop {
            if let Ok((200, _)) = http::request(address, "GET", "/global/health", None, HEALTH_TIME_MAX) {
                return Ok(serve);
            }
            if let Some(status) = serve.child.try_wait()? {
                bail!("ended with {status}: {}", serve.printed());
            }
            if deadline < Instant::now() {
                bail!("no answer within {} s: {}", START_TIME_MAX.as_secs(), serve.printed());
            }
            std::thread::sleep(POLL_TIME);
        }
    }

    /// What it printed so far, its log among it.
    pub fn printed(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// The process's id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a request; anything but success fails the test.
    ///
    /// # Panics
    /// When there is no answer in time, or another than success.
    #[track_caller]
    pub fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        match self.try_request(method, path, body) {
            Ok((status, answer)) if (200..300).contains(&status) => answer,
            Ok((status, answer)) => panic!("{method} {path}: {status} {answer}\n{}", self.printed()),
            Err(error) => panic!("{method} {path}: {error:#}\n{}", self.printed()),
        }
    }

    /// Status and document of an answer.
    ///
    /// # Errors
    /// When there is no answer in time.
    pub fn try_request(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<(u16, Value)> {
        let (status, bytes) = http::request(self.address, method, path, body, TURN_TIME_MAX)?;
        Ok((status, serde_json::from_slice(&bytes).unwrap_or_default()))
    }

    /// A new session in the project.
    #[track_caller]
    pub fn chat(&self) -> Chat<'_> {
        self.chat_in(self.client.world().project())
    }

    /// A new session in another folder.
    ///
    /// # Panics
    /// When the server does not make one.
    #[track_caller]
    pub fn chat_in(&self, folder: &Path) -> Chat<'_> {
        let query = format!("?directory={}", encoded(&folder.display().to_string()));
        let made = self.request("POST", &format!("/session{query}"), Some(&json!({})));
        let Some(id) = made["id"].as_str() else { panic!("no session was made: {made}") };
        Chat { serve: self, id: id.to_owned(), query, model: MODEL.to_owned() }
    }
}

impl Drop for Serve<'_> {
    fn drop(&mut self) {
        let group = format!("-{}", self.child.id());
        let signal =
            |name: &str| Command::new("kill").args([name, "--", &group]).stderr(Stdio::null()).status();
        let _ = signal("-TERM");
        let deadline = Instant::now() + STOP_TIME_MAX;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
            std::thread::sleep(POLL_TIME);
        }
        // What it started, too.
        let _ = signal("-KILL");
        let _ = self.child.wait();
    }
}

/// One session of a server.
#[derive(Debug)]
pub struct Chat<'s> {
    serve: &'s Serve<'s>,
    id: String,
    query: String,
    model: String,
}

impl<'s> Chat<'s> {
    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Talks to another model.
    #[must_use]
    pub fn model(mut self, name: &str) -> Self {
        name.clone_into(&mut self.model);
        self
    }

    /// Types `prompt` and waits for the end of the turn; the model says `turns`.
    ///
    /// # Panics
    /// When there is no end in time, or script and conversation do not fit.
    #[track_caller]
    pub fn say(&self, prompt: &str, turns: impl IntoIterator<Item = Turn>) -> Run<'s> {
        self.send(&json!([{ "type": "text", "text": prompt }]), turns)
    }

    /// [`Chat::say`] with parts of any kind.
    ///
    /// # Panics
    /// As [`Chat::say`].
    #[track_caller]
    pub fn send(&self, parts: &Value, turns: impl IntoIterator<Item = Turn>) -> Run<'s> {
        self.begin(turns);
        self.serve.request("POST", &self.path("/message"), Some(&self.message(parts)));
        let run = self.so_far();
        if let Some(mismatch) = self.serve.model.mismatch_of(&self.id) {
            run.fail(&mismatch);
        }
        run
    }

    /// What the model will say, without a prompt of the user.
    pub fn begin(&self, turns: impl IntoIterator<Item = Turn>) {
        self.serve.model.script(&self.id, turns.into_iter().collect());
    }

    /// Types `prompt` and does not wait.
    ///
    /// # Panics
    /// When the server does not take it.
    #[track_caller]
    pub fn start(&self, prompt: &str, turns: impl IntoIterator<Item = Turn>) {
        self.begin(turns);
        let parts = json!([{ "type": "text", "text": prompt }]);
        self.serve.request("POST", &self.path("/prompt_async"), Some(&self.message(&parts)));
    }

    /// A request about this session, by what comes after its id in the path.
    ///
    /// # Panics
    /// When the answer is not success.
    #[track_caller]
    pub fn request(&self, method: &str, rest: &str, body: Option<&Value>) -> Value {
        self.serve.request(method, &self.path(rest), body)
    }

    /// Waits until `condition` holds for what has happened in the session.
    ///
    /// # Panics
    /// When it does not within the time of a turn.
    #[track_caller]
    pub fn until(&self, what: &str, mut condition: impl FnMut(&Run<'s>) -> bool) -> Run<'s> {
        let deadline = Instant::now() + TURN_TIME_MAX;
        loop {
            let run = self.so_far();
            if condition(&run) {
                return run;
            }
            if deadline < Instant::now() {
                run.fail(&format!("it never came to this: {what}"));
            }
            std::thread::sleep(POLL_TIME);
        }
    }

    /// What has happened in the session and in those that it started.
    ///
    /// # Panics
    /// When the server does not say.
    #[track_caller]
    pub fn so_far(&self) -> Run<'s> {
        let children = self.request("GET", "/children", None);
        let children = children.as_array().into_iter().flatten().filter_map(|it| it["id"].as_str());
        let all: Vec<&str> = [self.id.as_str()].into_iter().chain(children).collect();
        let mut events = Vec::new();
        for id in &all {
            let path = format!("/session/{id}/message{}", self.query);
            let messages = self.serve.request("GET", &path, None);
            let parts =
                messages.as_array().into_iter().flatten().filter_map(|it| it["parts"].as_array()).flatten();
            // As the client prints them when it runs without a person.
            events.extend(parts.map(|part| json!({ "type": "part", "sessionID": id, "part": part })));
        }
        let mut requests = self.serve.model.requests();
        requests.retain(|it| it.session.as_deref().is_some_and(|session| all.contains(&session)));
        let output = Output { code: None, stdout: String::new(), stderr: self.serve.printed() };
        Run::new(self.serve.client.world(), output, events, requests)
    }

    fn path(&self, rest: &str) -> String {
        format!("/session/{}{rest}{}", self.id, self.query)
    }

    fn message(&self, parts: &Value) -> Value {
        json!({ "model": { "providerID": "mock", "modelID": self.model }, "parts": parts })
    }
}

fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    text.bytes().map(|it| if plain(it) { char::from(it).to_string() } else { format!("%{it:02X}") }).collect()
}
