//! The close of a session as a process of its own: it goes on when the hook has answered, and when the client that
//! started the hook ends.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Bytes of what it prints that are read.
const TEXT_BYTES_MAX: u64 = 64 * 1024;

/// How far the close came while it was waited for.
#[derive(Debug)]
pub(super) enum End {
    /// It is through: whether well, what it says, and what it complains about.
    Over {
        /// Its exit code is 0.
        ok: bool,
        /// Its stdout.
        said: String,
        /// Its stderr.
        complained: String,
    },
    /// It goes on by itself.
    GoesOn,
}

/// Runs `hostler session end` in `cwd` with further arguments, and waits for it as long as `wait`.
///
/// # Errors
/// Why it could not be started or heard.
pub(super) fn run(cwd: &Path, arguments: &[&str], wait: Duration) -> std::io::Result<End> {
    // Files, not pipes: nobody reads them any more when it goes on after us.
    let (mut said, mut complained) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut child = Command::new(std::env::current_exe()?)
        .args(["session", "end", "--from-hook"])
        .args(arguments)
        .current_dir(cwd)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(said.try_clone()?)
        .stderr(complained.try_clone()?)
        // Who ends the hook, and its group with it, does not end the close.
        .process_group(0)
        .spawn()?;
    let (sender, receiver) = mpsc::channel::<std::io::Result<ExitStatus>>();
    let waiter = move || {
        // The receiver is gone when the time is up.
        let _ = sender.send(child.wait());
    };
    std::thread::Builder::new().name("close".to_owned()).spawn(waiter)?;
    let Ok(status) = receiver.recv_timeout(wait) else { return Ok(End::GoesOn) };
    Ok(End::Over { ok: status?.success(), said: text(&mut said)?, complained: text(&mut complained)? })
}

fn text(file: &mut File) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(TEXT_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}
