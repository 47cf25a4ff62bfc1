//! The real Claude Code, headless, talking to a [`ModelServer`](crate::ModelServer).

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::time::Duration;

use anyhow::{Context, bail};

/// The client version that these tests are written against.
pub const VERSION: &str = "2.1.332";
/// Where the client is: the native program, not the launcher of the npm package.
const CLIENT_VARIABLE: &str = "HOSTLER_CLAUDE_BIN";
/// A folder with a `node_modules` that holds the client.
const FOLDER_VARIABLE: &str = "HOSTLER_E2E_DIR";
/// Turns a skipped test into a failed one.
const REQUIRE_VARIABLE: &str = "HOSTLER_REQUIRE_ALL";

/// Clients that run at the same time, whatever the number of test threads.
const CLIENTS_MAX: usize = 3;
/// How long one headless session may take.
const SESSION_TIME_MAX: Duration = Duration::from_secs(120);

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

/// Says on the real stderr that `test` did not run, and why.
///
/// # Panics
/// With `HOSTLER_REQUIRE_ALL=1`: then nothing may be skipped.
pub fn skip(test: &str, reason: &str) {
    assert!(
        std::env::var_os(REQUIRE_VARIABLE).is_none_or(|value| value != "1"),
        "`{test}` cannot run and {REQUIRE_VARIABLE}=1 forbids to skip it: {reason}"
    );
    // Not `eprintln!`: the test harness would swallow it.
    let _ = writeln!(std::io::stderr(), "skipped `{test}`: {reason}");
}

fn find() -> anyhow::Result<PathBuf> {
    let path = match (std::env::var_os(CLIENT_VARIABLE), std::env::var_os(FOLDER_VARIABLE)) {
        (Some(path), _) => PathBuf::from(path),
        (None, Some(folder)) => {
            Path::new(&folder).join("node_modules/@anthropic-ai/claude-code-linux-x64/claude")
        }
        (None, None) => bail!(
            "no client: set `{CLIENT_VARIABLE}` to the native program of `@anthropic-ai/claude-code@{VERSION}`, \
             or `{FOLDER_VARIABLE}` to the folder in which it was installed with npm"
        ),
    };
    let output = Command::new(&path)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("`{}` does not start", path.display()))?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if version.split_whitespace().next() != Some(VERSION) {
        bail!("`{}` is version `{version}`; these tests need {VERSION}", path.display());
    }
    Ok(path)
}

/// One of [`CLIENTS_MAX`] places; free again when dropped.
#[derive(Debug)]
pub(crate) struct Slot;

static TAKEN: Mutex<usize> = Mutex::new(0);
static FREED: Condvar = Condvar::new();

fn taken() -> MutexGuard<'static, usize> {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Slot {
    pub(crate) fn take() -> Self {
        let mut count =
            FREED.wait_while(taken(), |count| *count == CLIENTS_MAX).unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        Self
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        *taken() -= 1;
        FREED.notify_one();
    }
}

/// What a process left behind.
#[derive(Debug, Clone)]
pub struct Output {
    /// Exit code; `None`: ended by a signal.
    pub code: Option<i32>,
    /// All of stdout.
    pub stdout: String,
    /// All of stderr.
    pub stderr: String,
}

/// Runs the client with `command`'s arguments and environment, alone in its process group, and ends the whole
/// group when it takes longer than a session may.
///
/// # Errors
/// When it does not start, or had to be ended.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<Output> {
    run_typing(command, "")
}

/// [`run`] with `input` on stdin.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_typing(command: &mut Command, input: &str) -> anyhow::Result<Output> {
    let _slot = Slot::take();
    run_bounded(command, input, SESSION_TIME_MAX)
}

/// Runs `command` with `input` on stdin, for at most `limit`.
///
/// # Errors
/// When it does not start, or had to be ended.
pub(crate) fn run_bounded(command: &mut Command, input: &str, limit: Duration) -> anyhow::Result<Output> {
    let mut child = command
        .stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .with_context(|| format!("`{}` does not start", command.get_program().display()))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A few bytes: they fit into the pipe whether or not anybody reads.
        let _ = stdin.write_all(input.as_bytes());
    }
    let (sender, receiver) = mpsc::channel();
    let streams: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|it| Box::new(it) as Box<dyn Read + Send>),
        child.stderr.take().map(|it| Box::new(it) as Box<dyn Read + Send>),
    ];
    for (index, stream) in streams.into_iter().enumerate() {
        let sender = sender.clone();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut stream) = stream {
                // What was read until the fault is still worth reporting.
                let _ = stream.read_to_end(&mut bytes);
            }
            let _ = sender.send((index, String::from_utf8_lossy(&bytes).into_owned()));
        });
    }
    let deadline = std::time::Instant::now() + limit;
    let mut texts = [String::new(), String::new()];
    for _ in 0..2 {
        let left = deadline.saturating_duration_since(std::time::Instant::now());
        if let Ok((index, text)) = receiver.recv_timeout(left) {
            texts[index] = text;
        } else {
            let group = format!("-{}", child.id());
            let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
            let _ = child.wait();
            let [stdout, stderr] = texts;
            bail!("ended after {} s\nstdout: {stdout}\nstderr: {stderr}", limit.as_secs());
        }
    }
    let status = child.wait().context("waiting for it")?;
    let [stdout, stderr] = texts;
    Ok(Output { code: status.code(), stdout, stderr })
}
