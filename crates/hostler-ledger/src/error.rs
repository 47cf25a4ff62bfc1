//! What can go wrong with a journal, a counter or a grant.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Why a record could not be written or read. Nothing that was recorded before is lost, whatever the variant.
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
    /// The disk took a part of a line; the part was cut off again.
    #[error("`{path}` took {written} of {bytes} bytes and was cut back; free space on its disk")]
    ShortWrite {
        /// The file.
        path: PathBuf,
        /// How much was taken.
        written: usize,
        /// How much there was.
        bytes: usize,
    },
    /// Another process holds the file for longer than any of ours does.
    #[error(
        "`{path}` stayed locked for {waited_ms} ms; find the process with `fuser '{path}'` and let it finish"
    )]
    Locked {
        /// The file.
        path: PathBuf,
        /// How long was waited, in milliseconds.
        waited_ms: u128,
    },
    /// A link, a folder, a pipe: something that may lead outside our folder.
    #[error("`{path}` is not a regular file of ours (a link or a special file); move it away")]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// Nothing near the end of a journal can be read, so nothing can be chained to it.
    #[error(
        "`{path}` has no readable record in its last {bytes} bytes; look with `hostler audit verify`, then move it into the archive folder beside its own"
    )]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// How far back was looked.
        bytes: u64,
    },
    /// A record that no reader would want.
    #[error("a record of {bytes} bytes is more than the {max} that fit a line")]
    TooLong {
        /// Its size.
        bytes: usize,
        /// The largest size.
        max: usize,
    },
    /// An attribute has a name that the line itself uses.
    #[error("attribute `{name}` has a name that belongs to the line itself")]
    Reserved {
        /// The name.
        name: String,
    },
}

impl Error {
    /// Wraps what the system said about `action` on `path`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { action, path, source }
    }

    pub(crate) fn locked(path: &Path, waited: Duration) -> Self {
        Self::Locked { path: path.to_path_buf(), waited_ms: waited.as_millis() }
    }
}

impl From<crate::file::Error> for Error {
    fn from(error: crate::file::Error) -> Self {
        match error {
            crate::file::Error::Io { action, path, source } => Self::Io { action, path, source },
            other => Self::Io {
                action: "replace",
                path: PathBuf::new(),
                source: io::Error::other(other.to_string()),
            },
        }
    }
}
