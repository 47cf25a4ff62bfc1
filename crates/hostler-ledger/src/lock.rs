//! One file of ours, opened and locked against parallel processes, and certainly the one that the path names.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::Error;

/// How long a lock is waited for. A holder needs microseconds, so longer means a stopped process, and the
/// host would kill us (and let the call through) if we waited with it.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(2);
/// A path that changes hands this often while we look at it is being played with.
const ATTEMPTS_MAX: u32 = 1000;

/// Opens `path` for reading and appending under an exclusive lock, which ends with the file; also tells its length.
///
/// A missing file is made (0600, folders 0700) if `create`, else it is `None`. Links are refused: the name
/// is looked at before the open and compared with the open file under the lock. The second look is also
/// what notices that another process renamed the file away while we waited.
pub(crate) fn open(path: &Path, create: bool) -> Result<Option<(File, u64)>, Error> {
    for _ in 0..ATTEMPTS_MAX {
        let opened = match regular(path)? {
            Some(_) => OpenOptions::new().read(true).append(true).open(path),
            None if create => make(path),
            None => return Ok(None),
        };
        let file = match opened {
            Ok(file) => file,
            // Made or moved by somebody else since the look.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists) => continue,
            Err(error) => return Err(Error::io("open", path)(error)),
        };
        if let Some(length) = hold(&file, path)? {
            return Ok(Some((file, length)));
        }
    }
    Err(Error::NotAFile { path: path.to_path_buf() })
}

/// Locks an open file; its length under the lock, if it is the one that `path` names.
pub(crate) fn hold(file: &File, path: &Path) -> Result<Option<u64>, Error> {
    lock(file, path)?;
    let ours = file.metadata().map_err(Error::io("look at", path))?;
    let named = regular(path)?;
    let same = |named: &Metadata| named.dev() == ours.dev() && named.ino() == ours.ino();
    Ok(named.is_some_and(|named| same(&named)).then_some(ours.len()))
}

/// The file that `path` names, without following a link.
pub(crate) fn regular(path: &Path) -> Result<Option<Metadata>, Error> {
    match std::fs::symlink_metadata(path) {
        Ok(meta) if meta.is_file() => Ok(Some(meta)),
        Ok(_) => Err(Error::NotAFile { path: path.to_path_buf() }),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("look at", path)(error)),
    }
}

/// Makes `folder` and its parents, for the user alone.
pub(crate) fn create_folder(folder: &Path) -> Result<(), Error> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(Error::io("make folder", folder))
}

fn make(path: &Path) -> std::io::Result<File> {
    // `create_new` does not follow a link that dangles.
    let mut options = OpenOptions::new();
    options.read(true).append(true).create_new(true).mode(0o600);
    match options.open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if let Some(folder) = path.parent() {
                DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|source| {
                    // `NotFound` would send the caller round again.
                    std::io::Error::other(format!("its folder cannot be made: {source}"))
                })?;
            }
            options.open(path)
        }
        other => other,
    }
}

fn lock(file: &File, path: &Path) -> Result<(), Error> {
    let mut pause = Duration::from_micros(50);
    let mut since = None;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", path)(error)),
        }
        let waited = since.get_or_insert_with(Instant::now).elapsed();
        if WAIT_MAX <= waited {
            return Err(Error::locked(path, waited));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(2));
    }
}
