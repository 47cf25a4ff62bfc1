//! One writer at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::Error;

/// Longest pause between two tries.
const PAUSE_MAX: Duration = Duration::from_millis(20);

/// Held as long as it lives; the system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// `path` with `suffix` behind its name.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Takes the lock beside `database`, waiting for at most `wait`.
pub(crate) fn take(database: &Path, wait: Duration) -> Result<Lock, Error> {
    let path = beside(database, ".lock");
    // The file stays: one that is removed while another process waits for it would be two locks.
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(Error::io("open", &path))?;
    let since = Instant::now();
    let mut pause = Duration::from_micros(100);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Lock { _file: file }),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", &path)(error)),
        }
        let waited = since.elapsed();
        if wait <= waited {
            return Err(Error::busy(database, waited));
        }
        std::thread::sleep(pause.min(wait.saturating_sub(waited)));
        pause = (pause * 2).min(PAUSE_MAX);
    }
}
