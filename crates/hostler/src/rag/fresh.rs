//! Are the files of these hits as they were? Those that are not are indexed anew before anybody reads the hits.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hostler_store::{Reader, Writer};

use super::look::{Cause, Looked, Stamp, look};
use super::ready::Ready;
use super::walk::{file_of, mtime_ns};
use super::{Embedder, Error, Place, meta};

/// How long a search waits for another writer: the index is then about to be current anyway.
const LOCK_WAIT: Duration = Duration::from_millis(20);

/// What became of the files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Fresh {
    /// Had changed, and are indexed anew.
    pub(crate) updated: Vec<String>,
    /// Are gone or no texts any more, and taken out.
    pub(crate) removed: Vec<String>,
    /// Have changed, and the index still has what they were.
    pub(crate) stale: Vec<String>,
    /// What is to be told.
    pub(crate) notes: Vec<String>,
}

impl Fresh {
    /// The index is another one than before.
    pub(crate) fn is_changed(&self) -> bool {
        !self.updated.is_empty() || !self.removed.is_empty()
    }
}

enum Change {
    Put(Box<Ready>),
    Touch(Stamp),
    Skip(Stamp, Cause),
    Remove,
}

/// Looks at `paths`, as the index has them, for no longer than about `time_max`. Never fails: what could not be looked
/// at is told.
pub(crate) fn freshen(
    place: &Place,
    paths: &[String],
    embedder: Option<&dyn Embedder>,
    time_max: Duration,
) -> Fresh {
    let deadline = Instant::now() + time_max;
    let mut fresh = Fresh::default();
    let result = changes(place, paths, embedder, deadline, &mut fresh).and_then(|changes| {
        if changes.is_empty() { Ok(()) } else { write(place, changes, deadline, &mut fresh) }
    });
    if let Err(error) = result {
        fresh.notes.push(format!("hits were not compared with their files: {error}"));
    }
    if !fresh.stale.is_empty() {
        let shown = fresh.stale.iter().take(3).map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
        let more = if 3 < fresh.stale.len() {
            format!(" and {} more", fresh.stale.len() - 3)
        } else {
            String::new()
        };
        fresh.notes.push(format!(
            "changed since they were indexed: {shown}{more}; read the files, or run `hostler rag index`"
        ));
    }
    fresh
}

fn changes(
    place: &Place,
    paths: &[String],
    embedder: Option<&dyn Embedder>,
    deadline: Instant,
    fresh: &mut Fresh,
) -> Result<Vec<(String, Change)>, Error> {
    let Some(reader) = Reader::open(&place.db)? else { return Ok(Vec::new()) };
    let Some(root) = reader.meta(meta::ROOT)?.map(PathBuf::from) else { return Ok(Vec::new()) };
    let mut changes = Vec::new();
    if !root.is_dir() {
        fresh.notes.push(format!("`{}` is not there; hits are as they were indexed", root.display()));
        return Ok(changes);
    }
    for path in paths.iter().collect::<BTreeSet<_>>() {
        if let Some(change) = one(&reader, &root, path, embedder, deadline, fresh)? {
            changes.push((path.clone(), change));
        }
    }
    Ok(changes)
}

fn one(
    reader: &Reader,
    root: &Path,
    path: &str,
    embedder: Option<&dyn Embedder>,
    deadline: Instant,
    fresh: &mut Fresh,
) -> Result<Option<Change>, Error> {
    let Some(row) = reader.file(path)?.filter(|it| it.skipped.is_none()) else { return Ok(None) };
    let file = file_of(root, path);
    let meta = file.symlink_metadata().ok().filter(std::fs::Metadata::is_file);
    if meta.is_some_and(|it| it.len() == row.size && mtime_ns(&it) == row.mtime_ns) {
        return Ok(None);
    }
    if deadline <= Instant::now() {
        fresh.stale.push(path.to_owned());
        return Ok(None);
    }
    Ok(match look(&file, path, Some(&row.sha256)) {
        // A time that says nothing is not worth a transaction.
        Ok(Looked::Same(stamp)) => (stamp.mtime_ns != row.mtime_ns).then_some(Change::Touch(stamp)),
        Ok(Looked::Text(stamp, hash, text)) => {
            let ready = Ready::of(path, stamp, hash, &text, embedder);
            Some(ready.map_or(Change::Skip(stamp, Cause::Fault), |it| Change::Put(Box::new(it))))
        }
        Ok(Looked::Skipped(stamp, cause)) => Some(Change::Skip(stamp, cause)),
        Ok(Looked::Gone) => Some(Change::Remove),
        Err(error) => {
            fresh.notes.push(format!("not read: `{path}`: {error}; its hits are as they were indexed"));
            None
        }
    })
}

fn write(
    place: &Place,
    changes: Vec<(String, Change)>,
    deadline: Instant,
    fresh: &mut Fresh,
) -> Result<(), Error> {
    let wait = LOCK_WAIT.min(deadline.saturating_duration_since(Instant::now()));
    let Ok(mut writer) = Writer::open(&place.db, wait) else {
        // Another process writes, or nobody may: the hits stay what they were, and that is told.
        let stale = changes.into_iter().filter(|(_, it)| !matches!(it, Change::Touch(_)));
        fresh.stale.extend(stale.map(|(path, _)| path));
        return Ok(());
    };
    let (mut updated, mut removed) = (Vec::new(), Vec::new());
    let mut batch = writer.batch()?;
    for (path, change) in changes {
        match change {
            Change::Put(ready) => {
                ready.put(&mut batch, &path)?;
                updated.push(path);
            }
            Change::Touch(stamp) => {
                batch.touch(&path, stamp.size, stamp.mtime_ns)?;
            }
            Change::Skip(stamp, cause) => {
                batch.skip(&path, cause as u8, stamp.size, stamp.mtime_ns)?;
                removed.push(path);
            }
            Change::Remove => {
                batch.remove(&path)?;
                removed.push(path);
            }
        }
    }
    batch.commit()?;
    fresh.updated = updated;
    fresh.removed = removed;
    Ok(())
}
