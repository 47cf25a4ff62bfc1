//! What can go wrong with an index.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::ErrorCode;

/// `SQLITE_IOERR_SHMSIZE`.
const SHARED_SIZE: i32 = 4874;

/// Why an index could not be read or written. What was committed before is there, whatever the variant.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system refused an operation.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process writes to the index.
    #[error(
        "another process is writing to `{path}` (waited {waited_ms} ms); wait for it, or find it with `fuser '{path}.lock'`"
    )]
    Busy {
        /// The database.
        path: PathBuf,
        /// How long was waited, in milliseconds.
        waited_ms: u128,
    },
    /// A database or a file of somebody else.
    #[error(
        "`{path}` is not an index of hostler ({what}); it is left as it is: name another file with `RAG_DB`"
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        what: &'static str,
    },
    /// An index of a later version of hostler.
    #[error(
        "`{path}` has version {found} and this hostler knows up to {known}; update hostler, or name another file with `RAG_DB`"
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// The version that stands in it.
        found: i64,
        /// The latest version that is known here.
        known: i64,
    },
    /// An index of an earlier version, which a reader must not change.
    #[error("`{path}` has version {found} and is brought to {known} by `hostler rag index`")]
    Older {
        /// The database.
        path: PathBuf,
        /// The version that stands in it.
        found: i64,
        /// The version that is wanted here.
        known: i64,
    },
    /// An index of ours whose pages do not fit together.
    #[error(
        "`{path}` is damaged ({what}); `hostler rag index --rebuild` moves it aside and indexes the project anew"
    )]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What does not fit.
        what: String,
    },
    /// No space is left.
    #[error("no space is left for `{path}`; what was committed before is kept: free space and run it again")]
    Full {
        /// The database.
        path: PathBuf,
    },
    /// The file or its folder cannot be written.
    #[error("`{path}` cannot be written ({what}); name a file in a folder of yours with `RAG_DB`")]
    ReadOnly {
        /// The database.
        path: PathBuf,
        /// What the system or `SQLite` said.
        what: String,
    },
    /// A search expression that FTS5 does not take.
    #[error("the search expression is not valid: {what}")]
    Expression {
        /// What FTS5 said.
        what: String,
    },
    /// The caller gave what cannot be stored.
    #[error("`{path}` cannot be stored: {what}")]
    Input {
        /// The file that it was about.
        path: String,
        /// What is wrong with it.
        what: String,
    },
    /// A change of a batch failed before, so that the rest of it is not done.
    #[error("a change in `{path}` failed before, and nothing of its batch is kept: begin it again")]
    Spoiled {
        /// The database.
        path: PathBuf,
    },
    /// Anything else that `SQLite` said.
    #[error("cannot {action} in `{path}`: {source}")]
    Sql {
        /// What was tried, as a verb.
        action: &'static str,
        /// The database.
        path: PathBuf,
        /// What `SQLite` said.
        source: rusqlite::Error,
    },
}

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| {
            let path = path.to_path_buf();
            match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { path },
                io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                    Self::ReadOnly { path, what: source.to_string() }
                }
                _ => Self::Io { action, path, source },
            }
        }
    }

    pub(crate) fn busy(path: &Path, waited: Duration) -> Self {
        Self::Busy { path: path.to_path_buf(), waited_ms: waited.as_millis() }
    }

    /// What `SQLite` said about `path`, by what the user can do about it.
    pub(crate) fn sql(action: &'static str, path: &Path) -> impl FnOnce(rusqlite::Error) -> Self {
        move |source| {
            let path = path.to_path_buf();
            match source.sqlite_error_code() {
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                    Self::Damaged { path, what: source.to_string() }
                }
                Some(ErrorCode::DiskFull) => Self::Full { path },
                // The log's index could not grow.
                _ if source.sqlite_extended_error_code() == Some(SHARED_SIZE) => Self::Full { path },
                Some(ErrorCode::ReadOnly) => Self::ReadOnly { path, what: source.to_string() },
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                    Self::Busy { path, waited_ms: crate::schema::WAIT_MAX.as_millis() }
                }
                _ => Self::Sql { action, path, source },
            }
        }
    }
}
