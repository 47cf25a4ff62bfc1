//! A home folder, a project in it, and the programs under test, all in one temporary folder.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};

use crate::client::{self, Output};
use crate::model::{ModelServer, Turn};
use crate::session::Session;

/// What the client sends to the scripted model; nobody looks at it.
pub(crate) const API_KEY: &str = "sk-ant-test-fake";
/// How long one command of ours may take.
const COMMAND_TIME_MAX: Duration = Duration::from_secs(60);

/// Events that a registration by [`Register::Settings`] listens to.
pub const EVENTS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PreSkillShellCommand",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "SessionEnd",
];

/// How the client comes to know of us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Register {
    /// Not at all.
    Nothing,
    /// `hostler init` in the project, with these further arguments.
    Init(Vec<String>),
    /// `--settings` with this program in exec form, with these arguments.
    Settings(PathBuf, Vec<String>),
}

/// A world being described; [`Scenario::open`] makes it.
#[derive(Debug, Clone)]
pub struct Scenario {
    name: String,
    hostler: PathBuf,
    base: PathBuf,
    project: String,
    git: bool,
    files: Vec<(String, Vec<u8>)>,
    register: Register,
    env: Vec<(OsString, OsString)>,
}

impl Scenario {
    /// A git project registered with `hostler init`. `hostler` is the program under test, `base` an existing
    /// folder for temporary ones: not the system's, where other rules for deleting hold.
    pub fn new(name: &str, hostler: impl Into<PathBuf>, base: impl Into<PathBuf>) -> Self {
        Self {
            name: name.to_owned(),
            hostler: hostler.into(),
            base: base.into(),
            project: "proj".to_owned(),
            git: true,
            files: Vec::new(),
            register: Register::Init(Vec::new()),
            env: Vec::new(),
        }
    }

    /// A file that is there, and committed if it is in the project; see [`World::path`].
    #[must_use]
    pub fn file(mut self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.files.push((path.to_owned(), content.as_ref().to_vec()));
        self
    }

    /// Names the project's folder.
    #[must_use]
    pub fn project(mut self, name: &str) -> Self {
        name.clone_into(&mut self.project);
        self
    }

    /// The project is no repository. The world then lies in the system's folder for temporary files: below the
    /// usual one stands the repository of this program itself.
    #[must_use]
    pub fn without_git(mut self) -> Self {
        self.git = false;
        self.base = std::env::temp_dir();
        self
    }

    /// How the client comes to know of us.
    #[must_use]
    pub fn register(mut self, register: Register) -> Self {
        self.register = register;
        self
    }

    /// Sets a variable for the client, and so for its hooks.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name.into(), value.as_ref().to_owned()));
        self
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Makes the world, for a client that is there.
    ///
    /// # Panics
    /// When it cannot be made.
    #[track_caller]
    pub(crate) fn open_for(self, client: &Path) -> World {
        let name = self.name.clone();
        match World::make(self, client) {
            Ok(world) => world,
            Err(error) => panic!("the world of `{name}` cannot be made: {error:#}"),
        }
    }

    /// Makes the world, if the client is here; else says why not.
    ///
    /// # Panics
    /// When the world cannot be made, or the client is missing and must not be.
    #[track_caller]
    pub fn open(self) -> Option<World> {
        let client = client::find_or_skip(&self.name)?;
        Some(self.open_for(client))
    }
}

/// A home folder with a project, gone when dropped; kept with `HOSTLER_TEST_KEEP=1`.
#[derive(Debug)]
pub struct World {
    folder: Option<tempfile::TempDir>,
    home: PathBuf,
    project: PathBuf,
    hostler: PathBuf,
    client: PathBuf,
    settings: Option<Value>,
    env: Vec<(OsString, OsString)>,
}

impl World {
    fn make(scenario: Scenario, client: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(&scenario.base)?;
        let folder = tempfile::Builder::new().prefix("world-").tempdir_in(&scenario.base)?;
        let home = folder.path().canonicalize()?.join("home");
        let project = home.join(&scenario.project);
        fs::create_dir_all(&project)?;
        let world = Self {
            folder: Some(folder),
            home,
            project,
            hostler: scenario.hostler,
            client: client.to_path_buf(),
            settings: match &scenario.register {
                Register::Settings(program, arguments) => Some(registration(program, arguments)),
                Register::Nothing | Register::Init(_) => None,
            },
            env: scenario.env,
        };
        for (path, content) in &scenario.files {
            let path = world.path(path);
            fs::create_dir_all(path.parent().context("a file has a folder")?)?;
            fs::write(path, content)?;
        }
        if scenario.git {
            world.try_git(&["init", "--quiet", "--initial-branch=main"])?;
            world.try_git(&["add", "--all"])?;
            world.try_git(&["commit", "--quiet", "--allow-empty", "--message=start"])?;
        }
        if let Register::Init(arguments) = &scenario.register {
            let mut all = vec!["init"];
            if !arguments.iter().any(|it| it == "--host") {
                all.extend(["--host", "claude"]);
            }
            all.extend(arguments.iter().map(String::as_str));
            let output = world.hostler(&all);
            anyhow::ensure!(output.code == Some(0), "`hostler init` failed: {output:?}");
        }
        Ok(world)
    }

    /// The home folder.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The project's folder: where the client and our commands run.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// The program under test.
    pub fn program(&self) -> &Path {
        &self.hostler
    }

    /// `~/…` in the home folder, anything else in the project.
    pub fn path(&self, path: &str) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => self.project.join(path),
        }
    }

    /// The content of a file.
    ///
    /// # Panics
    /// When it cannot be read.
    #[track_caller]
    pub fn read(&self, path: &str) -> String {
        match fs::read(self.path(path)) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => panic!("`{path}` cannot be read: {error}"),
        }
    }

    /// Writes a file behind the agent's back.
    ///
    /// # Panics
    /// When it cannot be written.
    #[track_caller]
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        let result =
            path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, content));
        if let Err(error) = result {
            panic!("`{}` cannot be written: {error}", path.display());
        }
    }

    /// Asserts the whole content of the project, `.git`, `.claude` and `.hostler` aside: every file with its
    /// text.
    ///
    /// # Panics
    /// When it differs.
    #[track_caller]
    pub fn has_files(&self, expected: &[(&str, &str)]) -> &Self {
        let mut found = BTreeMap::new();
        collect(&self.project, &self.project, &mut found);
        let expected: BTreeMap<String, String> =
            expected.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        assert_eq!(found, expected, "files of the project");
        self
    }

    /// Asserts that something stands at `path`.
    ///
    /// # Panics
    /// When nothing does.
    #[track_caller]
    pub fn has(&self, path: &str) -> &Self {
        assert!(fs::symlink_metadata(self.path(path)).is_ok(), "`{path}` is missing");
        self
    }

    /// Asserts that nothing stands at `path`.
    ///
    /// # Panics
    /// When something does.
    #[track_caller]
    pub fn lacks(&self, path: &str) -> &Self {
        assert!(fs::symlink_metadata(self.path(path)).is_err(), "`{path}` is there");
        self
    }

    /// Runs `git` in the project and returns what it printed.
    ///
    /// # Panics
    /// When it fails.
    #[track_caller]
    pub fn git(&self, arguments: &[&str]) -> String {
        match self.try_git(arguments) {
            Ok(text) => text,
            Err(error) => panic!("{error:#}"),
        }
    }

    fn try_git(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let mut command = self.command(OsStr::new("git"));
        // An identity for the test's own commits only: a checkpoint must do without one.
        command.args(["-c", "user.name=A Developer", "-c", "user.email=dev@example.invalid"]).args(arguments);
        let output = client::run_bounded(&mut command, "", COMMAND_TIME_MAX)?;
        anyhow::ensure!(output.code == Some(0), "git {arguments:?} failed: {}", output.stderr);
        Ok(output.stdout)
    }

    /// Runs our program in the project as the user would: nothing tells it of a client.
    ///
    /// # Panics
    /// When it does not start or does not end.
    #[track_caller]
    pub fn hostler(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(self.hostler.as_os_str());
        command.args(arguments);
        for (name, value) in &self.env {
            command.env(name, value);
        }
        match client::run_bounded(&mut command, "", COMMAND_TIME_MAX) {
            Ok(output) => output,
            Err(error) => panic!("hostler {arguments:?}: {error:#}"),
        }
    }

    /// Runs our program in a terminal, in which a person types `typed`.
    ///
    /// # Panics
    /// When it does not start or does not end.
    #[track_caller]
    pub fn hostler_in_terminal(&self, arguments: &[&str], typed: &str) -> Output {
        let line = format!("'{}' {}", self.hostler.display(), arguments.join(" "));
        let mut command = self.command(OsStr::new("script"));
        command.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
        match client::run_bounded(&mut command, typed, COMMAND_TIME_MAX) {
            Ok(output) => output,
            Err(error) => panic!("hostler {arguments:?} in a terminal: {error:#}"),
        }
    }

    /// Runs our program and returns what it printed.
    ///
    /// # Panics
    /// When it fails.
    #[track_caller]
    pub fn hostler_ok(&self, arguments: &[&str]) -> String {
        let output = self.hostler(arguments);
        assert_eq!(output.code, Some(0), "hostler {arguments:?}: {output:?}");
        output.stdout
    }

    /// Runs our program with `--json` and returns the document.
    ///
    /// # Panics
    /// When it fails or prints anything else.
    #[track_caller]
    pub fn hostler_json(&self, arguments: &[&str]) -> Value {
        let mut all = vec!["--json"];
        all.extend(arguments);
        let text = self.hostler_ok(&all);
        match serde_json::from_str(&text) {
            Ok(document) => document,
            Err(error) => panic!("hostler {arguments:?} printed no JSON ({error}): {text}"),
        }
    }

    /// A command with a clean environment, in the project.
    pub(crate) fn command(&self, program: &OsStr) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.project).env_clear();
        for name in ["PATH", "LD_LIBRARY_PATH"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        for (name, value) in [("LANG", "C.UTF-8"), ("TERM", "dumb"), ("GIT_CONFIG_NOSYSTEM", "1")] {
            command.env(name, value);
        }
        command.env("HOME", &self.home);
        command
    }

    /// The journal of a session, one short line per record: kind, tool or source, status, rules.
    ///
    /// # Panics
    /// When there is none or it holds what is no record.
    #[track_caller]
    pub fn ledger(&self, session: &str) -> Vec<String> {
        self.records(session).iter().map(summary).collect()
    }

    /// The records of a session as they were written, of archived journals and the live one, by number.
    ///
    /// # Panics
    /// When there is none or it holds what is no record.
    #[track_caller]
    pub fn records(&self, session: &str) -> Vec<Value> {
        let projects = self.home.join(".local/state/hostler/projects");
        let below =
            |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path());
        let mut found = Vec::new();
        for project in below(projects.clone()) {
            let days = below(project.join("archive")).collect::<Vec<_>>();
            for path in days.into_iter().chain([project.join("sessions")]).flat_map(below) {
                let stem = path.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
                let rest = stem.strip_prefix(session);
                if path.extension().is_some_and(|it| it == "jsonl")
                    && rest.is_some_and(|it| it.is_empty() || it.starts_with('_'))
                {
                    found.extend(fs::read_to_string(path).ok());
                }
            }
        }
        assert!(!found.is_empty(), "no journal of `{session}` below `{}`", projects.display());
        let line = |line: &str| match serde_json::from_str(line) {
            Ok(record) => record,
            Err(error) => panic!("a journal line is no JSON ({error}): {line}"),
        };
        let mut records: Vec<Value> = found.iter().flat_map(|text| text.lines().map(line)).collect();
        records.sort_by_key(|record| record["seq"].as_u64());
        records
    }

    /// A headless session of the client in this world.
    pub fn session(&self) -> Session<'_> {
        Session::new(self)
    }

    /// A session in which the model says these turns, one after the other.
    ///
    /// # Panics
    /// See [`Session::play`].
    #[track_caller]
    pub fn play(&self, turns: impl IntoIterator<Item = Turn>) -> crate::session::Run<'_> {
        self.session().play(turns)
    }

    /// Runs a command of the client that needs no model, such as `plugin validate`.
    ///
    /// # Panics
    /// When it does not start or does not end.
    #[track_caller]
    pub fn client_command(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(self.client.as_os_str());
        command.args(arguments);
        match client::run(&mut command) {
            Ok(output) => output,
            Err(error) => panic!("client {arguments:?}: {error:#}"),
        }
    }

    /// The client as a person starts it, talking to `server`.
    pub(crate) fn interactive(&self, server: &ModelServer) -> Command {
        let mut command = self.command(self.client.as_os_str());
        for (name, value) in [
            // The client refuses to skip permissions as root unless it is told that nothing can be lost.
            ("IS_SANDBOX", "1"),
            ("ANTHROPIC_API_KEY", API_KEY),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            // Subagents are waited for: the order of requests is the order of the script.
            ("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1"),
        ] {
            command.env(name, value);
        }
        command.env("ANTHROPIC_BASE_URL", server.url());
        for (name, value) in &self.env {
            command.env(name, value);
        }
        if let Some(settings) = &self.settings {
            command.arg("--settings").arg(settings.to_string());
        }
        command
    }

    /// The client's command line up to the prompt, talking to `server`.
    pub(crate) fn client(&self, server: &ModelServer) -> Command {
        let mut command = self.interactive(server);
        command.args(["--output-format", "stream-json", "--verbose", "--include-hook-events"]);
        command
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::env::var_os("HOSTLER_TEST_KEEP").is_some_and(|value| value == "1")
            && let Some(folder) = self.folder.take()
        {
            let _ = folder.keep();
        }
    }
}

/// A hook registration in exec form, for [`EVENTS`].
pub fn registration(program: &Path, arguments: &[String]) -> Value {
    let entry = json!([{ "hooks": [
        { "type": "command", "command": program, "args": arguments, "timeout": 10 },
    ] }]);
    let hooks: serde_json::Map<String, Value> =
        EVENTS.iter().map(|event| ((*event).to_owned(), entry.clone())).collect();
    json!({ "hooks": hooks })
}

/// One record in a line of words.
fn summary(record: &Value) -> String {
    let mut words = vec![record["kind"].as_str().unwrap_or("?").to_owned()];
    for name in ["source", "reason", "gen_ai.tool.name", "status", "exit"] {
        match &record[name] {
            Value::String(word) => words.push(word.clone()),
            Value::Number(number) => words.push(number.to_string()),
            _ => {}
        }
    }
    words.extend(
        record["rules"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned),
    );
    if record["gen_ai.agent.id"].is_string() {
        words.push("(subagent)".to_owned());
    }
    words.join(" ")
}

fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if folder == root && [".git", ".claude", ".hostler"].iter().any(|own| name == **own) {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(root, &path, found);
        } else {
            let relative = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            let text = fs::read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            found.insert(relative, text.unwrap_or_else(|error| format!("<{error}>")));
        }
    }
}
