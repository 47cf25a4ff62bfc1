//! Requirements, the tags that cite them, and their tests: the files around `hostler-trace`.

use std::path::{Path, PathBuf};

use hostler_ledger::file::{Access, Snapshot};

/// A traceability matrix as it belongs into the project.
#[derive(Debug)]
pub(crate) struct Written {
    /// The file that it belongs into, absolute.
    pub(crate) file: PathBuf,
    /// Its text.
    pub(crate) text: String,
    /// What it comes to, in one line: `131 of 246 requirements traced, 120 tested, 2 failing, 1 unknown id`.
    pub(crate) headline: String,
    /// The file held something else, or was not there.
    pub(crate) changed: bool,
}

impl Written {
    /// Puts the text into the file, atomically; folders on the way are made. Does nothing where it is current.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn write(&self) -> anyhow::Result<()> {
        if !self.changed {
            return Ok(());
        }
        Snapshot::read(&self.file)?.replace(self.text.as_bytes(), Access::Shared)?;
        Ok(())
    }
}

/// The matrix of the project at `root`, as `trace.toml` there asks for it; the file is not written yet, see
/// [`Written::write`]. `state`: the project's evidence folder, where what was read is remembered; without one every
/// file is read anew. `None`: the project has neither a `trace.toml` nor a source of requirements in a usual place.
///
/// # Errors
/// When a source of requirements or the configuration cannot be read. A session closes all the same.
pub(crate) fn matrix(root: &Path, state: Option<&Path>) -> anyhow::Result<Option<Written>> {
    let _ = (root, state);
    Ok(None)
}
