//! One headless session of the client, and what can be said about it afterwards.

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::client::{self, Output};
use crate::model::{ModelServer, Request, Turn};
use crate::world::World;

/// A session being described.
#[derive(Debug)]
pub struct Session<'w> {
    world: &'w World,
    prompt: String,
    prompts: Vec<String>,
    arguments: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    folder: Option<PathBuf>,
    permissions: bool,
    loose: bool,
}

impl<'w> Session<'w> {
    pub(crate) fn new(world: &'w World) -> Self {
        Self {
            world,
            prompt: "do the thing".to_owned(),
            prompts: Vec::new(),
            arguments: Vec::new(),
            env: Vec::new(),
            folder: None,
            permissions: false,
            loose: false,
        }
    }

    /// What the user types.
    #[must_use]
    pub fn prompt(mut self, text: &str) -> Self {
        text.clone_into(&mut self.prompt);
        self
    }

    /// What the user types one after the other, each when the turn before has ended: commands such as `/clear` too.
    #[must_use]
    pub fn prompts(mut self, texts: &[&str]) -> Self {
        self.prompts = texts.iter().map(|text| (*text).to_owned()).collect();
        self
    }

    /// A further argument for the client.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// A variable for the client, and so for its hooks.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Runs the client in this folder instead of the project's.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Keeps the client's own permission prompts, which a headless session answers with no.
    #[must_use]
    pub fn with_permissions(mut self) -> Self {
        self.permissions = true;
        self
    }

    /// The conversation need not use up the script.
    #[must_use]
    pub fn loose(mut self) -> Self {
        self.loose = true;
        self
    }

    /// Runs the client to its end; the model says these turns, one after the other.
    ///
    /// # Panics
    /// When the client does not start or end in time, or when script and conversation do not fit.
    #[track_caller]
    pub fn play(self, turns: impl IntoIterator<Item = Turn>) -> Run<'w> {
        let server = match ModelServer::start(turns.into_iter().collect()) {
            Ok(server) => server,
            Err(error) => panic!("the model server does not start: {error}"),
        };
        let mut command = self.world.client(&server);
        if !self.permissions {
            command.arg("--dangerously-skip-permissions");
        }
        command.args(&self.arguments).arg("--print");
        if self.prompts.is_empty() {
            command.arg(&self.prompt);
        } else {
            command.args(["--input-format", "stream-json"]);
        }
        let message =
            |text: &String| json!({ "type": "user", "message": { "role": "user", "content": text } });
        let mut typed: Vec<String> = self.prompts.iter().map(|text| message(text).to_string()).collect();
        // Each line has an end, the last one too.
        typed.push(String::new());
        for (name, value) in &self.env {
            command.env(name, value);
        }
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let output = match client::run_typing(&mut command, &typed.join("\n")) {
            Ok(output) => output,
            Err(error) => panic!("the client failed: {error:#}"),
        };
        let events = output.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let run = Run::new(self.world, output, events, server.requests());
        if let (false, Some(mismatch)) = (self.loose, server.mismatch()) {
            run.fail(&mismatch);
        }
        run
    }
}

/// How a tool call came back to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The call's id.
    pub id: String,
    /// It failed, or was not run.
    pub is_error: bool,
    /// What the model reads.
    pub text: String,
}

/// A finished session. Assertions return the run, so that a test reads as one sentence.
#[derive(Debug)]
pub struct Run<'w> {
    world: &'w World,
    /// What the client's process left behind.
    pub output: Output,
    /// Its `stream-json` events.
    pub events: Vec<Value>,
    /// What it asked the model.
    pub requests: Vec<Request>,
}

impl<'w> Run<'w> {
    pub(crate) fn new(world: &'w World, output: Output, events: Vec<Value>, requests: Vec<Request>) -> Self {
        Self { world, output, events, requests }
    }

    /// The world that it ran in.
    pub fn world(&self) -> &'w World {
        self.world
    }

    /// The session's id.
    ///
    /// # Panics
    /// When the client named none.
    #[track_caller]
    pub fn session_id(&self) -> String {
        let names = ["session_id", "sessionID"];
        let id = self.events.iter().find_map(|event| names.iter().find_map(|name| event[name].as_str()));
        match id {
            Some(id) => id.to_owned(),
            None => self.fail("the client named no session"),
        }
    }

    /// The client's last word.
    ///
    /// # Panics
    /// When there is none.
    #[track_caller]
    pub fn result(&self) -> &Value {
        match self.events.iter().rev().find(|event| event["type"] == "result") {
            Some(event) => event,
            None => self.fail("the client ended without a result"),
        }
    }

    /// Every tool result, in order; those of subagents too.
    pub fn tool_results(&self) -> Vec<ToolResult> {
        let mut out: Vec<ToolResult> = Vec::new();
        for request in &self.requests {
            for message in request.body["messages"].as_array().into_iter().flatten() {
                if let (Some(id), Some(text)) =
                    (message["tool_call_id"].as_str(), message["content"].as_str())
                    && out.iter().all(|known| known.id != id)
                {
                    // This API has no word for a failed call; the client's own events have.
                    let part = self.events.iter().map(|it| &it["part"]).find(|it| it["callID"] == id);
                    let is_error = part.is_some_and(|it| it["state"]["status"] == "error");
                    out.push(ToolResult { id: id.to_owned(), is_error, text: text.to_owned() });
                }
                for block in message["content"].as_array().into_iter().flatten() {
                    let Some(id) = block["tool_use_id"].as_str() else { continue };
                    if out.iter().all(|known| known.id != id) {
                        let text = match &block["content"] {
                            Value::String(text) => text.clone(),
                            other => other.to_string(),
                        };
                        out.push(ToolResult { id: id.to_owned(), is_error: block["is_error"] == true, text });
                    }
                }
            }
        }
        out
    }

    /// What the user is told by hooks: the texts of the client's informational messages.
    pub fn user_reads_all(&self) -> String {
        let system = self.events.iter().filter(|event| event["type"] == "system");
        system.map(Value::to_string).collect::<Vec<_>>().join("\n")
    }

    /// Asserts that no tool call went through.
    ///
    /// # Panics
    /// When one did, or when none was tried.
    #[track_caller]
    pub fn ran_nothing(&self) -> &Self {
        self.ran(&[]);
        if self.tool_results().is_empty() {
            self.fail("no tool was called at all");
        }
        self
    }

    /// Asserts which tool calls went through, by text in their results.
    ///
    /// # Panics
    /// When others did.
    #[track_caller]
    pub fn ran(&self, texts: &[&str]) -> &Self {
        let ran: Vec<String> =
            self.tool_results().into_iter().filter(|it| !it.is_error).map(|it| it.text).collect();
        let fits = ran.len() == texts.len() && ran.iter().zip(texts).all(|(it, text)| it.contains(text));
        if !fits {
            self.fail(&format!("went through: {ran:?}\nexpected: {texts:?}"));
        }
        self
    }

    /// Asserts that the model read `text` somewhere: in a tool result, a reminder, a system message. *Where* the
    /// client puts a hook's words depends on the model.
    ///
    /// # Panics
    /// When it did not.
    #[track_caller]
    pub fn model_reads(&self, text: &str) -> &Self {
        if !self.heard().contains(text) {
            self.fail(&format!("the model never read `{text}`, but:\n{}", self.heard()));
        }
        self
    }

    /// Asserts that the model did not read `text` anywhere.
    ///
    /// # Panics
    /// When it did.
    #[track_caller]
    pub fn model_never_reads(&self, text: &str) -> &Self {
        if self.heard().contains(text) {
            self.fail(&format!("the model read `{text}`:\n{}", self.heard()));
        }
        self
    }

    /// Asserts that the client showed `text` to the user.
    ///
    /// # Panics
    /// When it did not.
    #[track_caller]
    pub fn user_reads(&self, text: &str) -> &Self {
        // As the text stands inside JSON strings.
        let quoted = Value::from(text).to_string();
        if !self.user_reads_all().contains(quoted.trim_matches('"')) {
            self.fail(&format!("the user never read `{text}`, but:\n{}", self.user_reads_all()));
        }
        self
    }

    /// Asserts the whole journal of the session in [`World::ledger`]'s words, and that `hostler audit verify`
    /// finds its chain unbroken.
    ///
    /// # Panics
    /// When it differs.
    #[track_caller]
    pub fn ledger(&self, expected: &[&str]) -> &Self {
        let found = self.world.ledger(&self.session_id());
        if found != expected {
            self.fail(&format!("the journal has {found:#?}\nexpected: {expected:#?}"));
        }
        self.chain_holds()
    }

    /// Asserts that `hostler audit verify` finds every chain of the project unbroken.
    ///
    /// # Panics
    /// When it does not.
    #[track_caller]
    pub fn chain_holds(&self) -> &Self {
        let output = self.world.hostler(&["audit", "verify"]);
        if output.code != Some(0) {
            self.fail(&format!("`hostler audit verify`: {output:?}"));
        }
        self
    }

    /// Everything said to the model, in all requests.
    pub fn heard(&self) -> String {
        self.requests.iter().map(Request::heard).collect::<Vec<_>>().join("\n")
    }

    /// Fails with everything that is known of the run.
    #[track_caller]
    pub(crate) fn fail(&self, problem: &str) -> ! {
        let stdout: Vec<&str> = self.output.stdout.lines().map(cut).collect();
        panic!(
            "{problem}\n--- client exit {:?}\n--- stderr\n{}\n--- events\n{}\n--- requests: {}",
            self.output.code,
            self.output.stderr,
            stdout.join("\n"),
            self.requests.len()
        );
    }
}

fn cut(line: &str) -> &str {
    let end = line.char_indices().nth(600).map_or(line.len(), |(at, _)| at);
    &line[..end]
}
