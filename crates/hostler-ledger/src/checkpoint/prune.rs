//! Old checkpoints go; nothing but references and copies of ours is touched.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::{Error, Location, Vault, copy};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Those that are at most this old, in milliseconds.
    pub age_ms_max: i64,
    /// The youngest, as long as together they hold at most this, in bytes.
    pub bytes_max: u64,
}

impl Default for Keep {
    fn default() -> Self {
        Self { age_ms_max: 14 * 24 * 60 * 60 * 1000, bytes_max: 2 << 30 }
    }
}

/// What went.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pruned {
    /// Ids, oldest first.
    pub removed: Vec<String>,
    /// What they held, in bytes.
    pub bytes: u64,
    /// How many stay.
    pub kept: usize,
}

impl Vault<'_> {
    /// Removes what `keep` does not cover; with `dry_run` only tells.
    ///
    /// Objects of removed references go with the user's next `git gc`.
    pub fn prune(&self, keep: &Keep, now_ms: i64, dry_run: bool) -> Result<Pruned, Error> {
        let listing = self.list()?;
        let mut pruned = Pruned::default();
        let mut bytes = 0u64;
        let mut references = Vec::new();
        let mut folders = Vec::new();
        let mut sessions = BTreeSet::new();
        for it in listing.checkpoints.iter().rev() {
            bytes = bytes.saturating_add(it.header.bytes);
            let old = keep.age_ms_max < now_ms.saturating_sub(it.header.time_ms);
            if !old && bytes <= keep.bytes_max {
                pruned.kept += 1;
                sessions.insert(it.header.session.as_str());
                continue;
            }
            pruned.removed.push(it.id.clone());
            pruned.bytes += it.header.bytes;
            match &it.location {
                Location::Reference(name) => references.push(name.as_str()),
                Location::Folder(folder) => folders.push(folder.as_path()),
            }
        }
        pruned.removed.reverse();
        if dry_run {
            return Ok(pruned);
        }
        if let Some(repository) = self.repository() {
            repository.delete(&references, &self.clock)?;
        }
        for folder in folders {
            copy::remove(folder)?;
        }
        self.sweep(&sessions)?;
        Ok(pruned)
    }

    /// Removes what interrupted runs left, and the folders of sessions without checkpoints, both only
    /// after a day: a session that still runs must not lose its counter.
    fn sweep(&self, sessions: &BTreeSet<&str>) -> Result<(), Error> {
        for (session, folder) in copy::folders(&self.copies())? {
            for (name, path) in copy::folders(&folder)? {
                if copy::is_leftover(&name) && is_old(&path) {
                    remove_all(&path)?;
                }
            }
            let idle = is_old(&folder.join("sequence.json"));
            if idle && !sessions.contains(session.as_str()) && copy::folders(&folder)?.is_empty() {
                remove_all(&folder)?;
            }
        }
        Ok(())
    }
}

fn remove_all(path: &Path) -> Result<(), Error> {
    std::fs::remove_dir_all(path).map_err(|source| Error::State { path: path.to_path_buf(), source })
}

fn is_old(path: &Path) -> bool {
    let modified = path.metadata().and_then(|meta| meta.modified());
    modified.is_ok_and(|it| SystemTime::now().duration_since(it).is_ok_and(|age| DAY < age))
}
