//! The real `OpenCode`, headless or as a server, talking to a [`ModelServer`].

mod http;
mod serve;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use anyhow::{Context, bail};
use serde_json::{Value, json};

use crate::client::{self, skip};
use crate::model::{ModelServer, Turn, call};
use crate::session::Run;
use crate::world::{Scenario, World};

pub use serve::{Chat, Serve};

/// The client version that these tests are written against.
pub const VERSION: &str = "1.18.33";
/// Where the client is: the native program, not the launcher of the npm package.
const CLIENT_VARIABLE: &str = "HOSTLER_OPENCODE_BIN";
/// The model that is asked unless a test names another.
pub const MODEL: &str = "mock-1";
/// A model by whose name the client offers `apply_patch` instead of `edit` and `write`.
pub const PATCH_MODEL: &str = "gpt-5-mock";
/// Tokens that the client believes a model can hold.
pub const WINDOW_TOKENS: u64 = 100_000;

/// The client, or `None` with the reason printed.
///
/// # Panics
/// When there is none and `HOSTLER_REQUIRE_ALL=1`.
pub fn find_or_skip(test: &str) -> Option<&'static Path> {
    static CLIENT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match CLIENT.get_or_init(|| find().map_err(|error| format!("{error:#}"))) {
        Ok(path) => Some(path),
        Err(reason) => {
            skip(test, reason);
            None
        }
    }
}

fn find() -> anyhow::Result<PathBuf> {
    let Some(path) = std::env::var_os(CLIENT_VARIABLE).map(PathBuf::from) else {
        bail!(
            "no client: set `{CLIENT_VARIABLE}` to the native program of `opencode-ai@{VERSION}`, such as \
             `node_modules/opencode-linux-x64/bin/opencode`"
        );
    };
    let version = printed(Command::new(&path).arg("--version"))?;
    if version.trim() != VERSION {
        bail!("`{}` is version `{}`; these tests need {VERSION}", path.display(), version.trim());
    }
    printed(Command::new("rg").arg("--version")).context("the client would load ripgrep from the network")?;
    Ok(path)
}

fn printed(command: &mut Command) -> anyhow::Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("`{}` does not start", command.get_program().display()))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A call of the shell tool.
pub fn bash(command: &str) -> Value {
    call("bash", &json!({ "command": command, "description": "run it" }))
}

/// A call that writes a whole file.
pub fn write(path: impl AsRef<Path>, content: &str) -> Value {
    call("write", &json!({ "filePath": path.as_ref(), "content": content }))
}

/// A call that reads a file.
pub fn read(path: impl AsRef<Path>) -> Value {
    call("read", &json!({ "filePath": path.as_ref() }))
}

/// A call that replaces text in a file.
pub fn edit(path: impl AsRef<Path>, old: &str, new: &str) -> Value {
    call("edit", &json!({ "filePath": path.as_ref(), "oldString": old, "newString": new }))
}

/// A call that starts a subagent and waits for it: the next turns are the subagent's until one has no call.
pub fn delegate(prompt: &str) -> Value {
    call("task", &json!({ "description": "a part", "prompt": prompt, "subagent_type": "general" }))
}

/// A world with the client in it.
#[derive(Debug)]
pub struct OpenCode {
    world: World,
    client: PathBuf,
    config: Value,
    env: Vec<(OsString, OsString)>,
}

impl OpenCode {
    /// Makes the world of `scenario`, if the client is here; else says why not.
    ///
    /// # Panics
    /// When the world cannot be made, or the client is missing and must not be.
    #[track_caller]
    pub fn open(scenario: Scenario) -> Option<Self> {
        let client = find_or_skip(scenario.name())?;
        Some(Self::new(scenario.open_for(client), client))
    }

    /// The client in a world that is there; nothing, when it is not here.
    ///
    /// # Panics
    /// When the client is missing and must not be.
    #[track_caller]
    pub fn of(world: World, test: &str) -> Option<Self> {
        let client = find_or_skip(test)?;
        Some(Self::new(world, client))
    }

    fn new(world: World, client: &Path) -> Self {
        let this = Self { world, client: client.to_owned(), config: json!({}), env: Vec::new() };
        // The client installs a package into each of its folders unless there is one that looks installed.
        this.seed("~/.config/opencode");
        this
    }

    /// Makes a folder of the client look as if its package had been installed.
    ///
    /// # Panics
    /// When it cannot be written.
    #[track_caller]
    pub fn seed(&self, folder: &str) {
        let folder = self.world.path(folder);
        let lock = json!({ "lockfileVersion": 3, "packages": { "": { "dependencies": {
            "@opencode-ai/plugin": VERSION,
        } } } });
        let made = fs::create_dir_all(folder.join("node_modules"))
            .and_then(|()| fs::write(folder.join("package-lock.json"), lock.to_string()));
        if let Err(error) = made {
            panic!("`{}` cannot be made: {error}", folder.display());
        }
    }

    /// Further configuration, over what the project and the user have.
    #[must_use]
    pub fn config(mut self, config: Value) -> Self {
        self.config = config;
        self
    }

    /// A variable for the client, and so for its plugins.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// Where it runs.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// One run without a person: `opencode run`.
    pub fn session(&self) -> Session<'_> {
        Session {
            client: self,
            prompt: "do the thing".to_owned(),
            arguments: Vec::new(),
            folder: None,
            loose: false,
        }
    }

    /// A run in which the model says these turns, one after the other.
    ///
    /// # Panics
    /// See [`Session::play`].
    #[track_caller]
    pub fn play(&self, turns: impl IntoIterator<Item = Turn>) -> Run<'_> {
        self.session().play(turns)
    }

    /// `opencode serve`, for many sessions.
    ///
    /// # Panics
    /// When it does not start.
    #[track_caller]
    pub fn serve(&self) -> Serve<'_> {
        match Serve::start(self) {
            Ok(serve) => serve,
            Err(error) => panic!("the client does not serve: {error:#}"),
        }
    }

    /// The client in a clean environment, talking to `server` and to nobody else.
    fn command(&self, server: &ModelServer) -> Command {
        let mut command = self.world.command(self.client.as_os_str());
        for (name, value) in [
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
            ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
            ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            // Nothing listens there: what wants to reach the network fails at once.
            ("HTTP_PROXY", "http://127.0.0.1:9"),
            ("HTTPS_PROXY", "http://127.0.0.1:9"),
            ("NO_PROXY", "127.0.0.1,localhost"),
            ("npm_config_registry", "http://127.0.0.1:9/"),
            ("npm_config_fetch_retries", "0"),
        ] {
            command.env(name, value);
        }
        command.env("OPENCODE_CONFIG_CONTENT", self.configuration(server).to_string());
        for (name, value) in &self.env {
            command.env(name, value);
        }
        command
    }

    fn configuration(&self, server: &ModelServer) -> Value {
        let model = json!({ "tool_call": true, "limit": { "context": WINDOW_TOKENS, "output": 4_096 } });
        let mut config = json!({
            "autoupdate": false, "share": "disabled", "snapshot": false,
            "model": format!("mock/{MODEL}"), "small_model": format!("mock/{MODEL}"),
            "enabled_providers": ["mock"],
            "provider": { "mock": {
                "npm": "@ai-sdk/openai-compatible",
                "options": { "baseURL": format!("{}/v1", server.url()), "apiKey": "fake" },
                "models": { MODEL: model, PATCH_MODEL: model },
            } },
        });
        if let (Some(all), Some(more)) = (config.as_object_mut(), self.config.as_object()) {
            all.extend(more.clone());
        }
        config
    }
}

/// A run being described.
#[derive(Debug)]
pub struct Session<'c> {
    client: &'c OpenCode,
    prompt: String,
    arguments: Vec<OsString>,
    folder: Option<PathBuf>,
    loose: bool,
}

impl<'c> Session<'c> {
    /// What the user types.
    #[must_use]
    pub fn prompt(mut self, text: &str) -> Self {
        text.clone_into(&mut self.prompt);
        self
    }

    /// A further argument for the client.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Goes on with a session.
    #[must_use]
    pub fn resume(self, session: &str) -> Self {
        self.arg("--session").arg(session)
    }

    /// Runs the client in this folder instead of the project's.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
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
    pub fn play(self, turns: impl IntoIterator<Item = Turn>) -> Run<'c> {
        let server = match ModelServer::start(turns.into_iter().collect()) {
            Ok(server) => server,
            Err(error) => panic!("the model server does not start: {error}"),
        };
        let mut command = self.client.command(&server);
        command.args(["run", "--format", "json"]).args(&self.arguments).arg(&self.prompt);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let output = match client::run(&mut command) {
            Ok(output) => output,
            Err(error) => panic!("the client failed: {error:#}"),
        };
        let events = output.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let run = Run::new(self.client.world(), output, events, server.requests());
        if let (false, Some(mismatch)) = (self.loose, server.mismatch()) {
            run.fail(&mismatch);
        }
        run
    }
}
