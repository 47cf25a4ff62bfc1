//! Numbers for a session's checkpoints, and which call made which: one small file under a lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hostler_model::SessionId;
use serde::{Deserialize, Serialize};

use super::{Clock, Error};

/// Calls remembered per session: a doubled registration runs at the same time as the first.
const CALLS_MAX: usize = 64;

/// Holds the session's lock until it is dropped, so that a doubled call waits for the first to end.
pub(super) struct Sequence {
    path: PathBuf,
    known: Option<Known>,
    _lock: File,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Known {
    last: u64,
    calls: Vec<(Call, u64)>,
}

/// A tool call together with what it asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Call {
    id: String,
    paths_digest: String,
}

impl Call {
    pub(super) fn new(id: &str, paths: &[PathBuf]) -> Self {
        let joined: Vec<&[u8]> = paths.iter().map(|path| path.as_os_str().as_bytes()).collect();
        let mut paths_digest = crate::journal::sha256_hex(&joined.join(&0));
        paths_digest.truncate(16);
        Self { id: id.to_owned(), paths_digest }
    }
}

/// Where a project's counters and copies are.
pub(super) fn folder(project_state: &Path) -> PathBuf {
    project_state.join("checkpoints")
}

/// Creates a folder that only its owner can enter.
pub(super) fn private_folder(path: &Path) -> Result<(), Error> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|source| Error::State { path: path.to_path_buf(), source })
}

impl Sequence {
    pub(super) fn open(project_state: &Path, session: &SessionId, clock: &Clock) -> Result<Self, Error> {
        let folder = folder(project_state).join(session.as_str());
        private_folder(&folder)?;
        let lock = lock(&folder.join("lock"), clock)?;
        let path = folder.join("sequence.json");
        // A damaged counter is the same as none: the numbers are also in what is stored.
        let known = std::fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok());
        Ok(Self { path, known, _lock: lock })
    }

    pub(super) fn number_of(&self, call: &Call) -> Option<u64> {
        self.known.iter().flat_map(|it| &it.calls).find(|(it, _)| it == call).map(|(_, number)| *number)
    }

    /// The next number, written down before it is used: an interrupted checkpoint leaves a gap, never a
    /// number that is used twice.
    pub(super) fn reserve(&mut self, last: impl FnOnce() -> Result<u64, Error>) -> Result<u64, Error> {
        let mut known = match self.known.take() {
            Some(known) => known,
            None => Known { last: last()?, calls: Vec::new() },
        };
        known.last += 1;
        let number = known.last;
        self.store(&known).map_err(|source| Error::State { path: self.path.clone(), source })?;
        self.known = Some(known);
        Ok(number)
    }

    /// Remembers the call. Best effort: without it a doubled registration makes a second checkpoint.
    pub(super) fn record(&mut self, call: Call, number: u64) {
        let mut known = self.known.take().unwrap_or_default();
        known.last = known.last.max(number);
        known.calls.push((call, number));
        let surplus = known.calls.len().saturating_sub(CALLS_MAX);
        known.calls.drain(..surplus);
        let _ = self.store(&known);
        self.known = Some(known);
    }

    fn store(&self, known: &Known) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer(&mut file, known)?;
        file.persist(&self.path)?;
        Ok(())
    }
}

fn lock(path: &Path, clock: &Clock) -> Result<File, Error> {
    let failed = |source| Error::State { path: path.to_path_buf(), source };
    let file =
        OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path).map_err(failed)?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {
                clock.check("waiting for another checkpoint of this session")?;
                std::thread::sleep(Duration::from_millis(1).min(clock.remaining()));
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
    }
}
