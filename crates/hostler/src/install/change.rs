//! One file before and after.

use std::path::{Path, PathBuf};

use anyhow::Context;
use hostler_ledger::file::{Access, Snapshot};

/// A planned replacement, creation or removal of a text file.
#[derive(Debug)]
pub(crate) struct Change {
    /// As it is named in the host's documentation, links not followed.
    pub(crate) path: PathBuf,
    /// The file as it was read.
    pub(crate) snapshot: Snapshot,
    /// The text to be there; `None`: no file.
    pub(crate) after: Option<String>,
    /// For a new file.
    pub(crate) access: Access,
}

impl Change {
    /// A change of nothing yet.
    pub(crate) fn of(path: &Path, access: Access) -> anyhow::Result<Self> {
        let snapshot = Snapshot::read(path)?;
        let mut change = Self { path: path.to_path_buf(), snapshot, after: None, access };
        change.after = change.before()?.map(str::to_owned);
        Ok(change)
    }

    /// The text as it was read.
    ///
    /// # Errors
    /// It is not UTF-8.
    pub(crate) fn before(&self) -> anyhow::Result<Option<&str>> {
        let decode = |bytes| hostler_host::jsonc::decode(bytes);
        self.snapshot.bytes().map(decode).transpose().map_err(|error| at(&self.path, &error))
    }

    /// Whether applying would write.
    pub(crate) fn changes(&self) -> bool {
        self.after.as_deref().map(str::as_bytes) != self.snapshot.bytes()
    }

    /// What applying does, as a past participle.
    pub(crate) fn action(&self) -> &'static str {
        match (self.snapshot.bytes(), &self.after) {
            _ if !self.changes() => "unchanged",
            (None, _) => "created",
            (_, None) => "removed",
            _ => "edited",
        }
    }

    /// Refuses what [`Self::apply`] would refuse, before anything is written.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        if self.changes() { Ok(self.snapshot.check_replaceable()?) } else { Ok(()) }
    }

    /// Writes, and reads back. Nothing is touched if nothing changes.
    pub(crate) fn apply(&self) -> anyhow::Result<()> {
        match &self.after {
            _ if !self.changes() => {}
            Some(text) => drop(self.snapshot.replace(text.as_bytes(), self.access)?),
            None => self.snapshot.remove()?,
        }
        Ok(())
    }

    /// Takes an applied change back, unless somebody wrote the file since.
    pub(crate) fn undo(&self) -> anyhow::Result<()> {
        let mut back = Self::of(&self.path, self.access)?;
        if self.changes() && back.after == self.after {
            back.after = self.before()?.map(str::to_owned);
            back.apply()?;
        }
        Ok(())
    }

    /// The change as a unified diff; empty if there is none.
    pub(crate) fn diff(&self) -> String {
        let before = self.before().ok().flatten().unwrap_or_default();
        let after = self.after.as_deref().unwrap_or_default();
        let name = |exists: bool| {
            if exists { self.path.display().to_string() } else { "/dev/null".to_owned() }
        };
        similar::TextDiff::from_lines(before, after)
            .unified_diff()
            .header(&name(self.snapshot.bytes().is_some()), &name(self.after.is_some()))
            .to_string()
    }
}

/// `path:line:column: message`, the form that editors jump to.
pub(crate) fn at(path: &Path, error: &hostler_host::jsonc::Error) -> anyhow::Error {
    anyhow::anyhow!("{}:{error}", path.display())
}

/// Removes those of `folders` that are empty, innermost first; others stay.
pub(crate) fn remove_empty(folders: &[PathBuf]) -> anyhow::Result<()> {
    for folder in folders.iter().rev() {
        if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none()) {
            std::fs::remove_dir(folder)
                .with_context(|| format!("cannot remove the empty folder `{}`", folder.display()))?;
        }
    }
    Ok(())
}
