//! The client as a person uses it: in a terminal of `tmux`, read off its screen.

use std::ffi::{OsStr, OsString};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::json;

use crate::client;
use crate::model::{ModelServer, Turn};
use crate::world::{API_KEY, World};

/// How long something may take to stand on the screen.
const WAIT_MAX: Duration = Duration::from_secs(60);
/// Between two looks at it.
const PAUSE: Duration = Duration::from_millis(50);

/// A terminal with the client in it; both end with it.
#[derive(Debug)]
pub struct Terminal {
    folder: tempfile::TempDir,
    // Answers as long as the client runs.
    _server: ModelServer,
}

impl Terminal {
    /// Starts the client in the project of `world`, in a terminal of this size; the model says these turns. `None`,
    /// with the reason printed, where there is no `tmux`.
    ///
    /// # Panics
    /// When it does not start, or there is no `tmux` and nothing may be skipped.
    #[track_caller]
    pub fn open(
        test: &str,
        world: &World,
        (columns, lines): (u16, u16),
        turns: impl IntoIterator<Item = Turn>,
    ) -> Option<Self> {
        let found = Command::new("tmux").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !found.is_ok_and(|status| status.success()) {
            client::skip(test, "no `tmux`");
            return None;
        }
        match Self::start(world, columns, lines, turns.into_iter().collect()) {
            Ok(terminal) => Some(terminal),
            Err(error) => panic!("the client does not start in a terminal: {error:#}"),
        }
    }

    fn start(world: &World, columns: u16, lines: u16, turns: Vec<Turn>) -> anyhow::Result<Self> {
        let server = ModelServer::start(turns)?;
        // What a person answered when the client was started for the first time.
        let project = world.project().display().to_string();
        let answered = json!({
            "hasCompletedOnboarding": true,
            "theme": "dark",
            "customApiKeyResponses": { "approved": [API_KEY], "rejected": [] },
            "projects": { project: { "hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true } },
        });
        world.write("~/.claude.json", answered.to_string());
        let client = world.interactive(&server);
        // The path of a socket holds some hundred bytes: not below a long target folder.
        let terminal = Self { folder: tempfile::tempdir()?, _server: server };
        let mut tmux = terminal.tmux();
        tmux.env_clear().envs(client.get_envs().filter_map(|(name, value)| Some((name, value?))));
        tmux.env("TERM", "xterm-256color").current_dir(world.project());
        tmux.args(["-f", "/dev/null", "new-session", "-d", "-x"]).arg(columns.to_string());
        tmux.arg("-y").arg(lines.to_string()).arg(client.get_program()).args(client.get_args());
        let output = tmux.output().context("`tmux` does not start")?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(terminal)
    }

    /// Types a line and sends it.
    ///
    /// # Panics
    /// When the terminal is gone.
    #[track_caller]
    pub fn types(&self, line: &str) {
        // The client shows what is typed; a line end that comes with it would be taken for a part of pasted text.
        self.send(&["-l", line]);
        self.shows(line);
        self.send(&["Enter"]);
    }

    /// Waits until `text` stands on the screen, and returns all of it.
    ///
    /// # Panics
    /// When it does not in time.
    #[track_caller]
    pub fn shows(&self, text: &str) -> String {
        let since = Instant::now();
        loop {
            let screen = self.screen();
            if screen.contains(text) {
                return screen;
            }
            assert!(since.elapsed() < WAIT_MAX, "no `{text}` on the screen:\n{screen}");
            std::thread::sleep(PAUSE);
        }
    }

    #[track_caller]
    fn screen(&self) -> String {
        self.run(&["capture-pane", "-p"])
    }

    #[track_caller]
    fn send(&self, keys: &[&str]) {
        self.run(&[&["send-keys"], keys].concat());
    }

    #[track_caller]
    fn run(&self, arguments: &[&str]) -> String {
        match self.tmux().args(arguments).output() {
            Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
            other => panic!("tmux {arguments:?}: {other:?}"),
        }
    }

    fn tmux(&self) -> Command {
        let mut command = Command::new("tmux");
        let socket: OsString = self.folder.path().join("tmux").into();
        command.arg("-S").arg(socket).stdin(Stdio::null()).env_remove(OsStr::new("TMUX"));
        command
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.tmux().arg("kill-server").output();
    }
}
