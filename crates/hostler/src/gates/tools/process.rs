//! Starting a program, waiting for it as long as it may take, and ending it with everything that it started.
//!
//! Each program is a process group of its own. A [`Warden`] knows the groups that run: it ends one on request, and all
//! of them when this process goes away, whoever killed it. Environments are passed on and never written anywhere.

use std::ffi::OsString;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// More of an output than this is read and dropped: no tool's answer about some files is longer.
const OUTPUT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// A program that has ended may have left children that hold its output open; they are waited for this long.
const GRACE: Duration = Duration::from_millis(250);

/// How long the end of a group may take.
const CLOSING_TIME_MAX: Duration = Duration::from_secs(1);

/// Variables that would change what tools print, or that belong to the build of somebody else's package.
const REMOVED: &[&str] = &["FORCE_COLOR", "CLICOLOR_FORCE", "PYTHONHOME", "PY_COLORS", "MYPY_FORCE_COLOR"];

/// What to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    /// The program, absolute.
    pub(super) program: PathBuf,
    /// Its arguments.
    pub(super) arguments: Vec<OsString>,
    /// Where it starts.
    pub(super) folder: PathBuf,
    /// Folders that come first on its `PATH`.
    pub(super) path: Vec<PathBuf>,
    /// Further variables; `None` takes one away.
    pub(super) variables: Vec<(&'static str, Option<OsString>)>,
    /// What it reads.
    pub(super) input: Option<Vec<u8>>,
}

/// What a program came to that ended by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    /// Its exit code; 128 and the signal for one that was killed, as shells count.
    pub(super) code: i32,
    /// What it printed.
    pub(super) stdout: String,
    /// What it printed as errors.
    pub(super) stderr: String,
    /// It printed more than is kept.
    pub(super) is_cut: bool,
}

impl Answer {
    /// The first line of what it said about itself, for a reason.
    pub(super) fn complaint(&self) -> String {
        let said = first_line(self.stderr.lines().chain(self.stdout.lines()));
        if said.is_empty() { "no output".to_owned() } else { said }
    }
}

/// The first line that says something, not longer than anybody reads.
pub(super) fn first_line<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let line = lines.map(str::trim).find(|it| !it.is_empty()).unwrap_or_default();
    line.chars().take(200).collect()
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// The program could not be started.
    #[error("`{}` does not start: {source}", program.display())]
    Start {
        /// Which.
        program: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It was ended with its children.
    #[error("`{}` did not end within {limit:?} and was stopped", program.display())]
    TimedOut {
        /// Which.
        program: PathBuf,
        /// How long it had.
        limit: Duration,
    },
    /// The system did not tell how it ended.
    #[error("how `{}` ended is not known: {source}", program.display())]
    Lost {
        /// Which.
        program: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Ends process groups: on request, and whatever still runs when its input closes, which the system does when this
/// process is gone.
pub(super) struct Warden {
    shell: Mutex<Option<(Child, ChildStdin)>>,
}

/// Reads `+group`, `-group` (ended) and `!group` (to be ended); at the end of the input ends what is left.
const WATCH: &str = r#"
groups=' '
while read -r line; do
  group=${line#?}
  case $line in
    +*) groups="$groups$group " ;;
    -*) groups="${groups%% "$group" *} ${groups#* "$group" }" ;;
    !*) kill -s KILL -- "-$group" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
"#;

impl Warden {
    /// Starts one. Where no shell can be started, groups are ended one by one, and not at the end of this process.
    pub(super) fn new() -> Self {
        let shell = Command::new("/bin/sh")
            .args(["-c", WATCH])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // What ends our group must not end the one who cleans up behind us.
            .process_group(0)
            .spawn()
            .ok()
            .and_then(|mut child| child.stdin.take().map(|stdin| (child, stdin)));
        Self { shell: Mutex::new(shell) }
    }

    fn tell(&self, sign: char, group: u32) -> bool {
        let mut shell = self.shell.lock().unwrap_or_else(PoisonError::into_inner);
        shell.as_mut().is_some_and(|(_, stdin)| writeln!(stdin, "{sign}{group}").is_ok())
    }

    fn end(&self, group: u32) {
        if !self.tell('!', group) {
            let line = format!("kill -s KILL -- -{group}");
            let _ = Command::new("/bin/sh").args(["-c", &line]).stderr(Stdio::null()).status();
        }
    }
}

impl Drop for Warden {
    fn drop(&mut self) {
        let mut shell = self.shell.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((mut child, stdin)) = shell.take() {
            drop(stdin);
            let _ = child.wait();
        }
    }
}

/// Runs `call` to its end, at most for `limit`.
pub(super) fn run(warden: &Warden, call: &Call, limit: Duration) -> Result<Answer, Error> {
    let program = || call.program.clone();
    let mut command = Command::new(&call.program);
    command
        .args(&call.arguments)
        .current_dir(&call.folder)
        .stdin(if call.input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .env("NO_COLOR", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1");
    for name in REMOVED {
        command.env_remove(name);
    }
    if let Some(path) = search_path(&call.path) {
        command.env("PATH", path);
    }
    for (name, value) in &call.variables {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let deadline = Instant::now() + limit;
    let mut child = spawn(&mut command).map_err(|source| Error::Start { program: program(), source })?;
    let group = child.id();
    warden.tell('+', group);
    if let (Some(input), Some(mut stdin)) = (call.input.clone(), child.stdin.take()) {
        // A program that does not read its input must not hold us.
        thread::spawn(move || stdin.write_all(&input));
    }
    let stdout = Pipe::of(child.stdout.take());
    let stderr = Pipe::of(child.stderr.take());
    let (ended, wait) = mpsc::channel();
    thread::spawn(move || ended.send(child.wait()));
    let Ok(status) = wait.recv_timeout(limit) else {
        warden.end(group);
        let _ = wait.recv_timeout(CLOSING_TIME_MAX);
        warden.tell('-', group);
        return Err(Error::TimedOut { program: program(), limit });
    };
    // A child that was left behind may hold the output open.
    let grace = deadline.saturating_duration_since(Instant::now()).min(GRACE);
    if !(stdout.closes_within(grace) && stderr.closes_within(grace)) {
        warden.end(group);
        let _ = stdout.closes_within(CLOSING_TIME_MAX) && stderr.closes_within(CLOSING_TIME_MAX);
    }
    warden.tell('-', group);
    let status = status.map_err(|source| Error::Lost { program: program(), source })?;
    let (stdout, stderr) = (stdout.take(), stderr.take());
    Ok(Answer {
        code: status.code().or_else(|| status.signal().map(|it| 128 + it)).unwrap_or(-1),
        is_cut: stdout.1 || stderr.1,
        stdout: stdout.0,
        stderr: stderr.0,
    })
}

/// A program that another thread has just written may still be open for writing in a child of ours that is about to
/// start its own.
fn spawn(command: &mut Command) -> std::io::Result<Child> {
    const TRIES: usize = 20;
    for _ in 0..TRIES {
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => thread::yield_now(),
            other => return other,
        }
    }
    command.spawn()
}

/// `first` before the folders of our own `PATH`; `None` where that cannot be joined.
fn search_path(first: &[PathBuf]) -> Option<OsString> {
    let own = std::env::var_os("PATH").unwrap_or_default();
    let all = first.iter().cloned().chain(std::env::split_paths(&own));
    std::env::join_paths(all).ok()
}

/// One output, read on a thread of its own.
struct Pipe {
    kept: Arc<Mutex<(Vec<u8>, bool)>>,
    closed: mpsc::Receiver<()>,
    is_closed: std::cell::Cell<bool>,
}

impl Pipe {
    fn of(source: Option<impl Read + Send + 'static>) -> Self {
        let kept = Arc::new(Mutex::new((Vec::new(), false)));
        let (close, closed) = mpsc::channel();
        if let Some(mut source) = source {
            let kept = Arc::clone(&kept);
            thread::spawn(move || {
                let mut chunk = vec![0; 64 * 1024];
                loop {
                    match source.read(&mut chunk) {
                        Ok(0) => break,
                        Ok(count) => keep(&kept, chunk.get(..count).unwrap_or_default()),
                        Err(error) if error.kind() == ErrorKind::Interrupted => {}
                        Err(_) => break,
                    }
                }
                let _ = close.send(());
            });
        }
        Self { kept, closed, is_closed: std::cell::Cell::new(false) }
    }

    fn closes_within(&self, limit: Duration) -> bool {
        if !self.is_closed.get() {
            // The thread is gone, or was never there: closed.
            let is_open = matches!(self.closed.recv_timeout(limit), Err(mpsc::RecvTimeoutError::Timeout));
            self.is_closed.set(!is_open);
        }
        self.is_closed.get()
    }

    fn take(&self) -> (String, bool) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = std::mem::take(&mut kept.0);
        (
            String::from_utf8(bytes).unwrap_or_else(|it| String::from_utf8_lossy(it.as_bytes()).into_owned()),
            kept.1,
        )
    }
}

fn keep(kept: &Mutex<(Vec<u8>, bool)>, chunk: &[u8]) {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    let room = OUTPUT_BYTES_MAX - kept.0.len();
    let taken = chunk.get(..room.min(chunk.len())).unwrap_or_default();
    kept.0.extend_from_slice(taken);
    kept.1 |= taken.len() < chunk.len();
}

/// Whether `path` is a file that may be started.
pub(super) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests;
