//! `context.json`: what a project's sessions leave behind, in one file for every host and work tree.
//!
//! The file is the user's and lies in the project; lock, ledger and backups lie in the project's evidence folder.
//!
//! Invariants: an update is one rename under one lock, so a reader sees the old file or the new one; no session is ever
//! taken out; what did not change stays byte for byte, whoever wrote it; what this build does not know stays in the
//! file. Before a rename the ledger tells what it changes, so a file that was damaged later can be put together again.
//!
//! `kind` tells it from other files of the name, `model` is what it says, `scan` and `layout` find that in the text, `document` holds text and changes, `json`
//! writes changes into a text, `check` is the schema; `ledger`, `delta`, `mend`, `merge` and `recover` are for the day when
//! the file is broken.

mod check;
mod delta;
mod document;
mod json;
mod kind;
mod layout;
mod ledger;
mod mend;
mod merge;
mod model;
mod recover;
mod scan;
mod store;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::Duration;

pub use document::Context;
pub use kind::{Kind, kind};
pub use model::{Choice, HostSession, Priority, Session, State, Status, Work, WorkEntry, WorkStatus};
#[doc(hidden)]
pub use store::Step;

/// The largest number that the schema allows: more than that many programs cannot tell from its neighbours.
pub const NUMBER_MAX: u64 = (1 << 53) - 1;
/// Version that this build writes. A file without one is older, and stays readable.
pub const SCHEMA_VERSION: u64 = 1;
/// Largest file that is read, bytes: some 400,000 sessions.
pub const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Why a context could not be read or changed. The file is as it was, whatever the variant.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is none to change.
    #[error("there is no `{path}`; begin one with `hostler session init`")]
    Missing {
        /// Where it would be.
        path: PathBuf,
    },
    /// A newer build wrote it.
    #[error(
        "`{path}` has schema version {version}, and this hostler ({build}) writes up to {SCHEMA_VERSION}; update hostler, nothing was changed",
        build = env!("CARGO_PKG_VERSION")
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u64,
    },
    /// Larger than [`FILE_BYTES_MAX`].
    #[error(
        "`{path}` has {bytes} bytes, more than the {FILE_BYTES_MAX} that are read; take out what does not belong there"
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// The change would make a file that no reader expects.
    #[error("`{path}` would not be valid, nothing was written: {}", problems.join("; "))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong, each with its place.
        problems: Vec<String>,
    },
    /// Somebody without our lock writes it all the time.
    #[error(
        "`{path}` changed {attempts} times while it was being updated, nothing was written; close the program that writes it and run the command again"
    )]
    Contended {
        /// The file.
        path: PathBuf,
        /// How often it was tried.
        attempts: u32,
    },
    /// The file, or its folder.
    #[error(transparent)]
    File(crate::file::Error),
    /// The lock or the ledger in the project's state folder.
    #[error(transparent)]
    Ledger(#[from] crate::journal::Error),
}

impl From<crate::file::Error> for Error {
    fn from(error: crate::file::Error) -> Self {
        match error {
            crate::file::Error::TooLarge { path, bytes, .. } => Self::TooLarge { path, bytes },
            other => Self::File(other),
        }
    }
}

/// What an update did.
#[derive(Debug)]
pub struct Updated<R> {
    /// What the change returned.
    pub value: R,
    /// The context as it is in the file now.
    pub context: Context,
    /// What was repaired or not understood, for the user.
    pub notes: Vec<String>,
    /// Whether anything was written.
    pub changed: bool,
}

/// A project's `context.json` and the folder that holds its lock, ledger and backups.
#[derive(Debug, Clone)]
pub struct Store {
    file: PathBuf,
    folder: ledger::Folder,
    /// Where links may lead.
    root: Option<PathBuf>,
    wait: Duration,
    at_step: fn(Step),
}
