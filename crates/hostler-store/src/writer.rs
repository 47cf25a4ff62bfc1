//! The one that changes an index.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::TransactionBehavior;

use crate::batch::Batch;
use crate::error::Error;
use crate::lock::{self, Lock, beside};
use crate::reader::Reader;
use crate::schema::{self, Kind, STEPS, WAIT_MAX};

/// How long a checkpoint waits for readers.
const READERS_WAIT_MAX: Duration = Duration::from_millis(200);
/// A log that is left behind is read by the next one who opens the index; a larger one costs more than it saves.
const LOG_BYTES_MAX: u64 = 1 << 20;

/// Holds the lock of an index and changes it in batches.
#[derive(Debug)]
pub struct Writer {
    reader: Reader,
    _lock: Lock,
}

impl Writer {
    /// Opens the index at `path`, made with its folders where there is none, and brought up to date.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] when another writer still holds the lock after `wait`; [`Error::Foreign`], [`Error::Newer`] and
    /// [`Error::Damaged`] for what is not written to; [`Error::ReadOnly`] and [`Error::Full`].
    pub fn open(path: &Path, wait: Duration) -> Result<Self, Error> {
        let path = schema::real(path);
        let path = path.as_path();
        refuse_others(path)?;
        schema::make_folder(path)?;
        let lock = lock::take(path, wait)?;
        let connection = schema::open_to_write(path, STEPS)?;
        Ok(Self { reader: Reader::over(connection, path.to_path_buf()), _lock: lock })
    }

    /// Moves the index at `path` aside, with its log, and begins an empty one. Returns where the old one is now, if
    /// there was one.
    ///
    /// # Errors
    ///
    /// As [`Writer::open`]; a file that does not say that it is ours is refused as [`Error::Foreign`].
    pub fn rebuild(path: &Path, wait: Duration) -> Result<(Self, Option<PathBuf>), Error> {
        let path = schema::real(path);
        let path = path.as_path();
        refuse_others(path)?;
        schema::make_folder(path)?;
        let lock = lock::take(path, wait)?;
        let kind = schema::kind(path)?;
        let aside = if kind == Kind::Ours { Some(move_aside(path)?) } else { None };
        let connection = schema::open_to_write(path, STEPS)?;
        Ok((Self { reader: Reader::over(connection, path.to_path_buf()), _lock: lock }, aside))
    }

    /// Sets what stands under `key` in the index's own notes.
    pub fn set_meta(&mut self, key: &str, value: &str) -> Result<(), Error> {
        self.reader.set_meta(key, value)
    }

    /// Begins a transaction; without [`Batch::commit`] nothing of it happened.
    pub fn batch(&mut self) -> Result<Batch<'_>, Error> {
        let Reader { connection, path, .. } = &mut self.reader;
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(Error::sql("begin", path))?;
        Batch::begin(transaction, path)
    }

    /// Brings the log into the database, as far as readers allow it.
    pub fn checkpoint(&self) -> Result<(), Error> {
        let failed = |error| Error::sql("bring the log into the database", &self.reader.path)(error);
        let connection = &self.reader.connection;
        // Pages that a reader still needs stay in the log; the next checkpoint takes them.
        connection.busy_timeout(READERS_WAIT_MAX).map_err(failed)?;
        let done = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(failed);
        connection.busy_timeout(WAIT_MAX).map_err(failed)?;
        done
    }

    /// What is committed.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let log = beside(&self.reader.path, "-wal").metadata().map_or(0, |it| it.len());
        if LOG_BYTES_MAX < log {
            // Nothing is lost when it fails: the log stays.
            let _ = self.checkpoint();
        }
    }
}

/// Before the lock: nothing is put beside a file of somebody else.
fn refuse_others(path: &Path) -> Result<(), Error> {
    match schema::kind(path)? {
        Kind::Foreign(what) => Err(Error::Foreign { path: path.to_path_buf(), what }),
        Kind::Unmarked => schema::refuse_others(path),
        Kind::Missing | Kind::Empty | Kind::Ours => Ok(()),
    }
}

/// Renames a database and its log to the first free name.
fn move_aside(path: &Path) -> Result<PathBuf, Error> {
    let free = |number: u32| beside(path, &format!(".damaged-{number}"));
    let to = (1..u32::MAX).map(free).find(|it| !it.exists()).unwrap_or_else(|| free(0));
    for suffix in ["-wal", "-shm", "-journal", ""] {
        let from = beside(path, suffix);
        match std::fs::rename(&from, beside(&to, suffix)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io("move aside", &from)(error));
            }
            _ => {}
        }
    }
    Ok(to)
}
