//! The user's git, run in the user's name: identity, signing, hooks and credentials are theirs. Nothing waits for an
//! answer that nobody can give, and nothing takes longer than it may.

use std::ffi::OsStr;
use std::io::{ErrorKind, IsTerminal, Read, Seek, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use hostler_ledger::redact::redact;
use hostler_model::text::shorten;

/// What a look at the repository may take.
const LOOK_TIME_MAX: Duration = Duration::from_secs(20);
/// How long the end of what was stopped is waited for.
const STOP_TIME_MAX: Duration = Duration::from_secs(2);
/// Bytes of an answer that are read.
const ANSWER_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Characters of what git says that are told.
const MESSAGE_CHARS_MAX: usize = 300;

/// Variables that tie git to another repository or index than the one of its working directory: it sets them for
/// hooks, in which we may run.
const FOREIGN: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REFLOG_ACTION",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Why git did not do it.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// There is no git.
    #[error("`git` is not in `PATH`; install it")]
    Missing,
    /// It was stopped.
    #[error(
        "`git {what}` took more than {seconds} s and was stopped; run it by hand to see what it waits for"
    )]
    TimedOut {
        /// The command.
        what: String,
        /// How long it was given.
        seconds: u64,
    },
    /// It said no.
    #[error("`git {what}` failed: {message}")]
    Refused {
        /// The command.
        what: String,
        /// What it said.
        message: String,
    },
    /// It could not be started or heard.
    #[error("`git {what}` could not be run: {source}")]
    Io {
        /// The command.
        what: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// What git answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    what: String,
    code: Option<i32>,
    /// What it printed.
    pub(super) stdout: String,
    stderr: String,
}

impl Answer {
    /// It succeeded.
    pub(super) fn ok(&self) -> bool {
        self.code == Some(0)
    }

    /// It said no, and nothing went wrong: what was asked for is not there.
    fn no(&self) -> bool {
        self.code == Some(1)
    }

    /// The first line that it printed.
    pub(super) fn line(&self) -> Option<&str> {
        self.stdout.lines().next().map(str::trim).filter(|it| !it.is_empty())
    }

    /// What it said of its failure: the lines that tell why, else the last ones.
    pub(super) fn problem(&self) -> String {
        let lines: Vec<&str> = self.stderr.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
        let telling: Vec<&str> = lines
            .iter()
            .copied()
            .filter(|it| {
                ["fatal:", "error:", "remote:", "ERROR:", "!"].iter().any(|mark| it.starts_with(mark))
            })
            .collect();
        let told = if telling.is_empty() { lines[lines.len().saturating_sub(3)..].to_vec() } else { telling };
        let text = if told.is_empty() {
            match self.code {
                Some(code) => format!("exit code {code}"),
                None => "it was killed".to_owned(),
            }
        } else {
            told.join("; ")
        };
        shorten(&redact(&text), MESSAGE_CHARS_MAX)
    }

    /// Itself if it succeeded.
    pub(super) fn succeeded(self) -> Result<Self, Error> {
        if self.ok() { Ok(self) } else { Err(Error::Refused { message: self.problem(), what: self.what }) }
    }
}

/// The repository of a working directory.
#[derive(Debug, Clone)]
pub(super) struct Git {
    root: PathBuf,
}

impl Git {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_path_buf() }
    }

    /// Asks something that changes nothing.
    pub(super) fn look(&self, arguments: &[&str]) -> Result<Answer, Error> {
        let mut command = self.command();
        command
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("LC_ALL", "C")
            .args(["-c", "color.ui=false", "-c", "log.showSignature=false", "-c", "core.quotePath=false"])
            .args(arguments);
        run(command, arguments, None, LOOK_TIME_MAX)
    }

    /// The first line of the answer; `None` where git says no.
    pub(super) fn line(&self, arguments: &[&str]) -> Result<Option<String>, Error> {
        let answer = self.look(arguments)?;
        Ok(answer.line().filter(|_| answer.ok()).map(str::to_owned))
    }

    /// A commit's full name; `None`: there is none of that name, as on a branch without commits.
    pub(super) fn commit(&self, name: &str) -> Result<Option<String>, Error> {
        let name = format!("{name}^{{commit}}");
        found(self.look(&["rev-parse", "--quiet", "--verify", &name])?)
    }

    /// The object that a reference, named in full, leads to; `None`: there is no such reference.
    pub(super) fn reference(&self, name: &str) -> Result<Option<String>, Error> {
        found(self.look(&["rev-parse", "--quiet", "--verify", name])?)
    }

    /// The branch that is checked out, born or not; `None` on a detached head. Its own name and not a shortened one:
    /// that would be `heads/main` where a tag is called `main`.
    pub(super) fn branch(&self) -> Result<Option<String>, Error> {
        let name = found(self.look(&["symbolic-ref", "--quiet", "HEAD"])?)?;
        Ok(name.and_then(|it| it.strip_prefix("refs/heads/").map(str::to_owned)))
    }

    /// Does something, with `input` to read.
    pub(super) fn act(
        &self,
        arguments: &[&str],
        input: Option<&str>,
        limit: Duration,
    ) -> Result<Answer, Error> {
        let mut command = self.command();
        command.args(arguments);
        run(command, arguments, input, limit)
    }

    /// Talks to a remote. Helpers that know the credentials are asked; a person is not.
    pub(super) fn talk(&self, arguments: &[&str], limit: Duration) -> Result<Answer, Error> {
        let mut command = self.command();
        command
            .env("GIT_ASKPASS", "false")
            .env("SSH_ASKPASS_REQUIRE", "never")
            .env("GCM_INTERACTIVE", "never")
            .args(arguments);
        let configured = || self.line(&["config", "--get", "core.sshCommand"]).ok().flatten();
        let ssh = std::env::var("GIT_SSH_COMMAND").ok().or_else(configured);
        // Another program than OpenSSH has other options.
        let openssh =
            |ssh: &str| ssh.split_whitespace().next().is_some_and(|it| it == "ssh" || it.ends_with("/ssh"));
        match ssh {
            Some(ssh) if openssh(&ssh) => {
                command.env("GIT_SSH_COMMAND", format!("{ssh} -o BatchMode=yes"));
            }
            None if std::env::var_os("GIT_SSH").is_none() => {
                command.env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=15");
            }
            _ => {}
        }
        run(command, arguments, None, limit)
    }

    /// What is set here is seen by the user's hooks as well, so it is little: their language is theirs.
    fn command(&self) -> Command {
        let mut command = Command::new("git");
        for name in FOREIGN {
            command.env_remove(name);
        }
        for (name, _) in std::env::vars_os() {
            // Traces go to the terminal or to files that nobody expects us to write.
            if name.as_encoded_bytes().starts_with(b"GIT_TRACE") {
                command.env_remove(name);
            }
        }
        if !is_attended() {
            // A passphrase that is asked for in a terminal would be asked for in the middle of a client's screen.
            command.env_remove("GPG_TTY");
        }
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_EDITOR", "false").env("GIT_PAGER", "cat");
        command.current_dir(&self.root);
        command
    }
}

/// The first line of an answer; `None` where what was asked for is not there.
fn found(answer: Answer) -> Result<Option<String>, Error> {
    if answer.no() {
        return Ok(None);
    }
    Ok(answer.succeeded()?.line().map(str::to_owned))
}

/// A path below the top folder as git takes it for just that, whatever characters it has.
pub(super) fn literal(path: &str) -> String {
    format!(":(top,literal){path}")
}

/// Whether a person sits at the terminal.
fn is_attended() -> bool {
    std::io::stdin().is_terminal()
}

/// Runs `command` to its end, or stops it and whatever it started when `limit` has passed. Answers go through files:
/// a helper that stays in the background may hold a pipe open for ever.
fn run(
    mut command: Command,
    arguments: &[&str],
    input: Option<&str>,
    limit: Duration,
) -> Result<Answer, Error> {
    let what = arguments.iter().find(|it| !it.starts_with('-')).copied().unwrap_or_default().to_owned();
    let failed = |source: std::io::Error| match source.kind() {
        ErrorKind::NotFound => Error::Missing,
        _ => Error::Io { what: what.clone(), source },
    };
    let mut out = tempfile::tempfile().map_err(failed)?;
    let mut err = tempfile::tempfile().map_err(failed)?;
    let stdin = match input {
        None => Stdio::null(),
        Some(text) => {
            let mut file = tempfile::tempfile().map_err(failed)?;
            file.write_all(text.as_bytes()).and_then(|()| file.rewind()).map_err(failed)?;
            file.into()
        }
    };
    command.stdin(stdin).stdout(out.try_clone().map_err(failed)?).stderr(err.try_clone().map_err(failed)?);
    // A person may answer a hook that asks, and stop it; otherwise whatever git starts is stopped with it.
    let attended = is_attended();
    if !attended {
        command.process_group(0);
    }
    let mut child = command.spawn().map_err(failed)?;
    let id = child.id();
    let (ended, wait) = mpsc::channel();
    std::thread::spawn(move || {
        // Nobody listens any more when we were stopped ourselves.
        let _ = ended.send(child.wait());
    });
    let Ok(status) = wait.recv_timeout(limit) else {
        stop(id, !attended);
        // What is in the hands of the system (a dead network drive) ends when that lets it.
        let _ = wait.recv_timeout(STOP_TIME_MAX);
        return Err(Error::TimedOut { what, seconds: limit.as_secs() });
    };
    let status = status.map_err(failed)?;
    let read = |file: &mut std::fs::File| {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.take(ANSWER_BYTES_MAX).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let stdout = read(&mut out).map_err(failed)?;
    let stderr = read(&mut err).map_err(failed)?;
    Ok(Answer { what, code: status.code(), stdout, stderr })
}

/// Ends a process, or its whole group. Every system that has git has a shell, and the shell has `kill`.
fn stop(id: u32, group: bool) {
    let line = if group { format!("kill -s KILL -- -{id}") } else { format!("kill -s KILL {id}") };
    let _ = Command::new("sh").args([OsStr::new("-c"), OsStr::new(&line)]).stderr(Stdio::null()).status();
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::os::unix::fs::OpenOptionsExt;
    use std::time::Instant;

    use super::*;

    /// On Linux and macOS.
    const O_NONBLOCK: i32 = if cfg!(target_os = "macos") { 4 } else { 0o4000 };

    fn shell(script: &str, limit: Duration) -> Result<Answer, Error> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command, &["-x", "push"], Some("in\n"), limit)
    }

    #[test]
    fn an_answer_is_what_was_printed() {
        let answer =
            shell("cat; echo 'hint: no' >&2; echo 'fatal: because' >&2; exit 3", LOOK_TIME_MAX).unwrap();
        assert_eq!(
            (answer.line(), answer.code, answer.problem().as_str()),
            (Some("in"), Some(3), "fatal: because")
        );
        let refused = answer.succeeded().unwrap_err().to_string();
        assert_eq!(refused, "`git push` failed: fatal: because");
        assert_eq!(shell("exit 2", LOOK_TIME_MAX).unwrap().problem(), "exit code 2");
    }

    #[test]
    fn what_takes_too_long_is_stopped_with_all_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        // Both wait for a writer that never comes.
        let script = format!("cat '{0}' & cat '{0}'", pipe.display());
        let error = shell(&script, Duration::from_millis(200)).unwrap_err();
        assert!(matches!(error, Error::TimedOut { .. }), "{error}");
        // Nobody reads any more, which a writer that does not wait is told.
        let begun = Instant::now();
        let reader = || std::fs::OpenOptions::new().write(true).custom_flags(O_NONBLOCK).open(&pipe).is_ok();
        while reader() {
            assert!(begun.elapsed() < Duration::from_secs(10), "a process that was started goes on");
        }
    }

    #[test]
    fn a_helper_that_stays_does_not_hold_us() {
        let begun = Instant::now();
        let answer = shell("sleep 30 & echo done", LOOK_TIME_MAX).unwrap();
        assert_eq!(answer.line(), Some("done"));
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
}
