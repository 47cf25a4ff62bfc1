//! What the index holds, and how far it is behind the files.

use std::path::PathBuf;

use hostler_store::{FileRow, Reader};
use serde::Serialize;

use super::look::{Cause, Looked, look};
use super::walk::{Walked, file_of, walk};
use super::{Error, Place, meta};

/// The state of an index.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Status {
    /// The database.
    pub(crate) db: PathBuf,
    /// What is indexed.
    pub(crate) root: PathBuf,
    /// In the index.
    pub(crate) files: u64,
    /// In the index.
    pub(crate) chunks: u64,
    /// When an index run last ended, as RFC 3339.
    pub(crate) last_index_at: Option<String>,
    /// What the next run would change.
    pub(crate) stale_files: u64,
    /// Of these, not in the index.
    pub(crate) new_files: u64,
    /// Of these, with another content.
    pub(crate) changed_files: u64,
    /// Of these, not there or not to be indexed any more.
    pub(crate) gone_files: u64,
    /// Why that could not be told; empty where it could.
    pub(crate) stale_note: String,
    /// With a zero byte.
    pub(crate) skipped_binary: u64,
    /// With an extension that is left out.
    pub(crate) skipped_ext: u64,
    /// Lock files and the like.
    pub(crate) skipped_name: u64,
    /// Most likely with keys, passwords or tokens.
    pub(crate) skipped_secret: u64,
    /// Longer than 512 KB.
    pub(crate) skipped_size: u64,
    /// Left out by ignore files and the configuration; a folder counts once.
    pub(crate) skipped_ignored: u64,
    /// Folders of tools, packages and builds.
    pub(crate) skipped_folders: u64,
    /// Links and what is no file.
    pub(crate) skipped_links: u64,
    /// Could not be read.
    pub(crate) skipped_unreadable: u64,
    /// `local`, `model`, `remote`; `unindexed` where there is nothing.
    pub(crate) embedding_mode: String,
    /// What made the vectors.
    pub(crate) embedding_name: Option<String>,
    /// Numbers in a vector.
    pub(crate) dims: Option<u64>,
    /// Chunks that have one.
    pub(crate) vectors: u64,
    /// Of the database on disk.
    pub(crate) db_bytes: u64,
    /// What could not be read.
    pub(crate) notes: Vec<String>,
}

/// Tells the state of the index, by the times of the files and, where these differ, by their content.
///
/// # Errors
/// The index cannot be read. There being none is no error.
pub(crate) fn status(place: &Place, cancelled: &dyn Fn() -> bool) -> Result<Status, Error> {
    let mut status = Status {
        db: place.db.clone(),
        root: place.root.clone(),
        embedding_mode: "unindexed".to_owned(),
        ..Status::default()
    };
    let Some(reader) = Reader::open(&place.db)? else { return Ok(status) };
    let Some(root) = reader.meta(meta::ROOT)?.map(PathBuf::from) else { return Ok(status) };
    let counts = reader.counts()?;
    status.root.clone_from(&root);
    (status.files, status.chunks, status.vectors) = (counts.files, counts.chunks, counts.vectors);
    status.last_index_at = reader.meta(meta::LAST_INDEX_AT)?.and_then(|it| time(&it));
    if let Some(mode) = reader.meta(meta::EMBEDDING_MODE)? {
        status.embedding_mode = mode;
    }
    status.embedding_name = reader.meta(meta::EMBEDDING_NAME)?;
    status.dims = reader.meta(meta::DIMS)?.and_then(|it| it.parse().ok());
    let bytes = |suffix: &str| {
        let mut path = place.db.clone().into_os_string();
        path.push(suffix);
        std::fs::metadata(path).map_or(0, |it| it.len())
    };
    status.db_bytes = bytes("") + bytes("-wal");
    for (cause, count) in counts.skipped {
        match cause {
            it if it == Cause::Binary as u8 => status.skipped_binary = count,
            it if it == Cause::Extension as u8 => status.skipped_ext = count,
            _ => status.skipped_unreadable += count,
        }
    }
    if !root.is_dir() {
        status.stale_note = format!("root missing on disk: {}", root.display());
        return Ok(status);
    }
    let walked = walk(&root, &place.config.rag.ignore, &place.db, cancelled);
    if cancelled() {
        return Err(Error::Cancelled);
    }
    if reader.meta(meta::FORMAT)?.as_deref() != Some(super::format().as_str()) {
        status.stale_note.push_str("made by another version of hostler; the next run reads every file");
    }
    compare(&reader, &walked, &root, &mut status)?;
    let passed = walked.passed;
    status.skipped_name = passed.names;
    status.skipped_secret = passed.secrets;
    status.skipped_size = passed.large;
    status.skipped_ignored = passed.ignored;
    status.skipped_folders = passed.folders;
    status.skipped_links = passed.links;
    status.skipped_unreadable += passed.unreadable;
    status.stale_files = status.new_files + status.changed_files + status.gone_files;
    status.notes = walked.notes;
    Ok(status)
}

fn time(ms: &str) -> Option<String> {
    jiff::Timestamp::from_millisecond(ms.parse().ok()?).ok().map(|it| format!("{it:.3}"))
}

fn compare(
    reader: &Reader,
    walked: &Walked,
    root: &std::path::Path,
    status: &mut Status,
) -> Result<(), Error> {
    let mut next = 0;
    let is_new = |path: &str| matches!(look(&file_of(root, path), path, None), Ok(Looked::Text(..)));
    reader.files(&mut |row: FileRow| {
        while let Some(found) = walked.get(next).filter(|it| it.path < row.path.as_str()) {
            status.new_files += u64::from(is_new(found.path));
            next += 1;
        }
        let Some(found) = walked.get(next).filter(|it| it.path == row.path) else {
            status.gone_files += u64::from(row.skipped.is_none() && !walked.is_unreadable(&row.path));
            return;
        };
        next += 1;
        if row.size == found.size && row.mtime_ns == found.mtime_ns {
            return;
        }
        if row.skipped.is_some() {
            status.new_files += u64::from(is_new(found.path));
            return;
        }
        match look(&file_of(root, found.path), found.path, Some(&row.sha256)) {
            Ok(Looked::Same(_)) | Err(_) => {}
            Ok(Looked::Text(..)) => status.changed_files += 1,
            Ok(Looked::Skipped(..) | Looked::Gone) => status.gone_files += 1,
        }
    })?;
    for found in (next..walked.len()).filter_map(|it| walked.get(it)) {
        status.new_files += u64::from(is_new(found.path));
    }
    Ok(())
}
