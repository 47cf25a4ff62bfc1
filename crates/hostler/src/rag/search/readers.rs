//! Open indexes: a server is asked again and again, and what is open knows the pages that the last search read.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hostler_store::Reader;

use crate::rag::Error;

/// As many as calls run at once.
const KEPT_MAX: usize = 8;

static KEPT: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

struct Kept {
    path: PathBuf,
    /// Which file that was: device and number. One that took its place is another one.
    file: (u64, u64),
    reader: Reader,
}

/// Reads the index at `path`; `None` where there is none. The next call that reads it finds it open.
pub(super) fn with<T>(
    path: &Path,
    read: impl FnOnce(&Reader) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    let file = path.metadata().map(|it| (it.dev(), it.ino())).unwrap_or_default();
    let reader = match take(path, file) {
        Some(reader) => reader,
        None => match Reader::open(path)? {
            Some(reader) => reader,
            None => return Ok(None),
        },
    };
    let result = read(&reader)?;
    let mut kept = kept();
    if kept.len() < KEPT_MAX {
        kept.push(Kept { path: path.to_path_buf(), file, reader });
    }
    Ok(Some(result))
}

fn take(path: &Path, file: (u64, u64)) -> Option<Reader> {
    let mut kept = kept();
    kept.retain(|it| it.path != path || it.file == file);
    let at = kept.iter().position(|it| it.path == path)?;
    Some(kept.swap_remove(at).reader)
}

fn kept() -> MutexGuard<'static, Vec<Kept>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}
