//! A user's file that may be large: read once, replaced from slices, never held in memory twice.

use super::{
    Access, Content, Error, ErrorKind, File, Metadata, NamedTempFile, Path, PathBuf, Read, Snapshot, Write,
    create_folders, fs, identity, io, keep_metadata, parent, refuse_unreplaceable, rename_error, resolve,
    sync_folder, temporary_named,
};

/// Bytes that are compared at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// A file as it was read, without its bytes: those belong to the reader.
#[derive(Debug)]
pub(crate) struct Original {
    asked: PathBuf,
    real: PathBuf,
    meta: Option<Metadata>,
}

/// New content beside the file, synced, not in its place yet.
#[derive(Debug)]
pub(crate) struct Prepared<'a> {
    original: &'a Original,
    temporary: NamedTempFile,
}

impl Original {
    /// Reads `path` through all its links; no bytes: there is no file.
    ///
    /// # Errors
    /// Not a regular file, more than `bytes_max` ([`Error::TooLarge`]), or not to be read.
    pub(crate) fn read(path: &Path, bytes_max: u64) -> Result<(Self, Option<Vec<u8>>), Error> {
        let Snapshot { asked, real, content } = Snapshot::read_within(path, bytes_max)?;
        let (meta, bytes) = match content {
            Some(Content { bytes, meta }) => (Some(meta), Some(bytes)),
            None => (None, None),
        };
        Ok((Self { asked, real, meta }, bytes))
    }

    /// Where the file is once all links are followed.
    pub(crate) fn real_path(&self) -> &Path {
        &self.real
    }

    /// Writes the parts one after the other into a file beside it, with its mode, owner and attributes. A new file
    /// and its folders get what the user's umask gives. The temporary file's name begins with `prefix`.
    ///
    /// # Errors
    /// See [`Error`].
    pub(crate) fn prepare(&self, parts: &[&[u8]], prefix: &str) -> Result<Prepared<'_>, Error> {
        let folder = parent(&self.real)?;
        create_folders(folder, Access::Shared)?;
        if let Some(meta) = &self.meta {
            refuse_unreplaceable(&self.real, meta)?;
        }
        let mut temporary = temporary_named(prefix, folder, &self.asked, Access::Shared)?;
        for part in parts {
            temporary.write_all(part).map_err(Error::io("write beside", &self.real))?;
        }
        if let Some(meta) = &self.meta {
            keep_metadata(temporary.as_file(), temporary.path(), &self.real, meta)?;
        }
        temporary.as_file().sync_all().map_err(Error::io("sync", &self.real))?;
        Ok(Prepared { original: self, temporary })
    }
}

impl Prepared<'_> {
    /// Whether the file still holds `content`, as it was read.
    ///
    /// # Errors
    /// It cannot be read any more.
    pub(crate) fn is_unchanged(&self, content: &[u8]) -> Result<bool, Error> {
        Ok(self.looks_unchanged()? && holds(&self.original.real, &[content])?)
    }

    /// By what the system says of the file: fast, and blind only for a write in the same instant.
    fn looks_unchanged(&self) -> Result<bool, Error> {
        let Original { asked, real, meta } = self.original;
        let now = match fs::metadata(real) {
            Ok(meta) => Some(meta),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(Error::io("inspect", real)(error)),
        };
        let same = match (meta, &now) {
            (None, None) => true,
            (Some(before), Some(now)) => {
                identity(before) == identity(now)
                    && before.len() == now.len()
                    && before.modified().ok() == now.modified().ok()
            }
            _ => false,
        };
        Ok(same && resolve(asked)? == *real)
    }

    /// Puts the new content in the file's place.
    ///
    /// # Errors
    /// [`Error::Changed`] if somebody wrote the file meanwhile; in each case it is as it was.
    pub(crate) fn commit(self) -> Result<(), Error> {
        let real = &self.original.real;
        if !self.looks_unchanged()? {
            return Err(Error::Changed { path: real.clone() });
        }
        let renamed = if self.original.meta.is_some() {
            self.temporary.persist(real)
        } else {
            self.temporary.persist_noclobber(real)
        };
        renamed.map_err(|failed| rename_error(failed.error, real))?;
        sync_folder(parent(real)?)
    }
}

/// Whether the file at `path` holds the parts one after the other, and nothing else.
///
/// # Errors
/// It cannot be read.
pub(crate) fn holds(path: &Path, parts: &[&[u8]]) -> Result<bool, Error> {
    let compare = || -> io::Result<bool> {
        let mut file = File::open(path)?;
        let mut buffer = vec![0; CHUNK_BYTES];
        for part in parts {
            for chunk in part.chunks(CHUNK_BYTES) {
                let found = &mut buffer[..chunk.len()];
                match file.read_exact(found) {
                    Ok(()) if found == chunk => {}
                    Ok(()) => return Ok(false),
                    Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(file.read(&mut buffer[..1])? == 0)
    };
    compare().map_err(Error::io("read back", path))
}

/// Keeps `bytes` in a new file at `path` with the mode of `like`, never over another one; an equal one that is there
/// already is enough. `false`: another one is there.
///
/// # Errors
/// It cannot be written.
pub(crate) fn keep(
    path: &Path,
    bytes: &[u8],
    like: &Original,
    prefix: &str,
    access: Access,
) -> Result<bool, Error> {
    if fs::symlink_metadata(path).is_ok() {
        return holds(path, &[bytes]);
    }
    let folder = parent(path)?;
    create_folders(folder, access)?;
    let mut temporary = temporary_named(prefix, folder, path, access)?;
    temporary.write_all(bytes).map_err(Error::io("write", path))?;
    if let Some(meta) = &like.meta {
        temporary
            .as_file()
            .set_permissions(meta.permissions())
            .map_err(Error::io("set the mode of", path))?;
    }
    temporary.as_file().sync_all().map_err(Error::io("sync", path))?;
    match temporary.persist_noclobber(path) {
        Ok(_) => sync_folder(folder).map(|()| true),
        Err(failed) if failed.error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(failed) => Err(rename_error(failed.error, path)),
    }
}
