//! Atomic replacement of a file that keeps its links, mode, owner and attributes.
//!
//! Two doors. [`write_atomic`] is for files that only we write. A user's file goes through [`Snapshot`]:
//! read once, edited by the caller, replaced only if nothing changed in between.
//!
//! A replacement is always a temporary file beside the *resolved* target, synced, then renamed over it,
//! then the folder is synced. A crash leaves the old bytes or the new bytes, and at worst one
//! [`LEFTOVER_PREFIX`]`*`[`LEFTOVER_SUFFIX`] file. Where a rename would break something the user relies on
//! (a hard link's other name, another owner, a mount point) nothing is written.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

/// How the name of a temporary file of ours begins. It does not contain the target's name: that may be
/// as long as the file system allows already.
pub const LEFTOVER_PREFIX: &str = ".hostler-";
/// How it ends.
pub const LEFTOVER_SUFFIX: &str = ".tmp";
/// Largest file that [`Snapshot::read`] accepts, bytes. Settings files are kilobytes.
pub const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Longest chain of dangling links that is followed by hand; Linux's own limit.
const LINK_HOPS_MAX: usize = 40;
/// How long a bounded wait for a lock sleeps between two tries.
const LOCK_POLL: Duration = Duration::from_millis(2);

/// Why a file could not be read or replaced. Nothing was changed, whatever the variant.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system refused an operation.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder, a device, a socket.
    #[error("`{path}` is not a regular file")]
    NotAFile {
        /// The resolved path.
        path: PathBuf,
    },
    /// Larger than what is read of such a file.
    #[error("`{path}` has {bytes} bytes, more than the {bytes_max} that are read")]
    TooLarge {
        /// The resolved path.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The largest size.
        bytes_max: u64,
    },
    /// Renaming over one name would leave the others with the old content.
    #[error(
        "`{path}` has {links} hard links, and replacing it would split them; break the link first: `cp -p '{path}' '{path}.new' && mv '{path}.new' '{path}'`"
    )]
    HardLinked {
        /// The resolved path.
        path: PathBuf,
        /// Number of names.
        links: u64,
    },
    /// The file's owner took away the permission to write.
    #[error("`{path}` is read-only; make it writable (`chmod u+w '{path}'`) or edit its source")]
    ReadOnlyFile {
        /// The resolved path.
        path: PathBuf,
    },
    /// No temporary file can be made beside the target.
    #[error(
        "folder `{folder}` is read-only, so `{path}` cannot be replaced; if a tool such as Nix, stow or chezmoi owns it, change its source"
    )]
    ReadOnlyFolder {
        /// Folder of the resolved path.
        folder: PathBuf,
        /// The path as it was asked for.
        path: PathBuf,
    },
    /// Owner or group cannot be kept.
    #[error("`{path}` belongs to user {uid}, group {gid}, which this user cannot keep; run as its owner")]
    ForeignOwner {
        /// The resolved path.
        path: PathBuf,
        /// Owner's user id.
        uid: u32,
        /// Owner's group id.
        gid: u32,
    },
    /// A single file bound into a container.
    #[error("`{path}` is a mount point and cannot be replaced; edit it outside the container")]
    Mounted {
        /// The resolved path.
        path: PathBuf,
    },
    /// The name is a link: whoever made it decides what would be replaced.
    #[error("`{path}` is a link to `{target}`; name the file that is to be written itself")]
    Link {
        /// The path as it was asked for.
        path: PathBuf,
        /// What it points to.
        target: PathBuf,
    },
    /// A link in the project leads out of it.
    #[error(
        "`{path}` leads to `{target}`, outside the project `{root}`, and is not followed; put the file itself there"
    )]
    Outside {
        /// The path as it was asked for.
        path: PathBuf,
        /// Where its links lead.
        target: PathBuf,
        /// The top folder of the project.
        root: PathBuf,
    },
    /// A link to a file that could only be made with the folders it lies in.
    #[error(
        "`{path}` is a link to `{target}`, whose folder does not exist; make the folder, or remove the link"
    )]
    Dangling {
        /// The path as it was asked for.
        path: PathBuf,
        /// Where its links lead.
        target: PathBuf,
    },
    /// Files of ours are written by us alone.
    #[error("`{path}` lies in `{folder}`, where hostler keeps its own files; name a file elsewhere")]
    Ours {
        /// The resolved path.
        path: PathBuf,
        /// The folder of ours.
        folder: PathBuf,
    },
    /// Somebody else wrote it between our read and our write.
    #[error("`{path}` changed while it was being edited, nothing was written; run the command again")]
    Changed {
        /// The resolved path.
        path: PathBuf,
    },
}

impl Error {
    fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { action, path, source }
    }
}

/// Writes a file of ours: parent folders are made (mode 0700), the content replaces the old one
/// atomically, the mode is 0600.
///
/// # Errors
/// See [`Error`]; the old content, or its absence, stays.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let real = resolve(path)?;
    let folder = parent(&real)?;
    create_folders(folder, Access::Private)?;
    let mut temporary = temporary_in(folder, path, Access::Private)?;
    fill(&mut temporary, bytes, &real)?;
    temporary.persist(&real).map_err(|failed| rename_error(failed.error, &real))?;
    sync_folder(folder)
}

/// Who may read a file or folder that we create.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Its owner: 0600, folders 0700.
    Private,
    /// What the user's umask gives to any new file: 0644, folders 0755 at most.
    Shared,
}

impl Access {
    #[cfg(unix)]
    const fn file_mode(self) -> u32 {
        match self {
            Self::Private => 0o600,
            Self::Shared => 0o644,
        }
    }

    #[cfg(unix)]
    const fn folder_mode(self) -> u32 {
        match self {
            Self::Private => 0o700,
            Self::Shared => 0o755,
        }
    }
}

/// A file as it was read, or its absence.
#[derive(Debug)]
pub struct Snapshot {
    asked: PathBuf,
    real: PathBuf,
    content: Option<Content>,
}

#[derive(Debug)]
struct Content {
    bytes: Vec<u8>,
    meta: Metadata,
}

impl Snapshot {
    /// Reads `path` through all its links. A missing file is a snapshot without bytes.
    ///
    /// # Errors
    /// A loop of links, no permission, not a regular file, too large.
    pub fn read(path: &Path) -> Result<Self, Error> {
        Self::read_within(path, FILE_BYTES_MAX)
    }

    fn read_within(path: &Path, bytes_max: u64) -> Result<Self, Error> {
        let real = resolve(path)?;
        // Before the opening: that of a pipe would wait for a writer.
        let meta = match fs::metadata(&real) {
            Ok(meta) => meta,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Self { asked: path.to_path_buf(), real, content: None });
            }
            Err(error) => return Err(Error::io("inspect", &real)(error)),
        };
        if !meta.is_file() {
            return Err(Error::NotAFile { path: real });
        }
        if bytes_max < meta.len() {
            return Err(Error::TooLarge { path: real, bytes: meta.len(), bytes_max });
        }
        let mut file = File::open(&real).map_err(Error::io("read", &real))?;
        let meta = file.metadata().map_err(Error::io("inspect", &real))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(Error::io("read", &real))?;
        Ok(Self { asked: path.to_path_buf(), real, content: Some(Content { bytes, meta }) })
    }

    /// The content, if the file exists.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.content.as_ref().map(|content| content.bytes.as_slice())
    }

    /// Where the file is once all links are followed.
    pub fn real_path(&self) -> &Path {
        &self.real
    }

    /// Permission bits, if the file exists.
    #[cfg(unix)]
    pub fn mode(&self) -> Option<u32> {
        use std::os::unix::fs::PermissionsExt;
        self.content.as_ref().map(|content| content.meta.permissions().mode() & 0o7777)
    }

    /// Whether [`Self::replace`] would be refused for what the file or its folder is: asked before the
    /// first of several files is written.
    ///
    /// # Errors
    /// The reason.
    pub fn check_replaceable(&self) -> Result<(), Error> {
        if let Some(content) = &self.content {
            refuse_unreplaceable(&self.real, &content.meta)?;
        }
        let folder = parent(&self.real)?;
        if folder.is_dir() {
            // The only honest test of a folder's permission is a file in it; it is removed on drop.
            temporary_in(folder, &self.asked, Access::Private)?;
        }
        Ok(())
    }

    /// Replaces the file by `bytes`, keeping mode, owner and attributes, and reads it back. A new file
    /// and its folders get `access`.
    ///
    /// # Errors
    /// See [`Error`]; in each case the file is as it was.
    pub fn replace(&self, bytes: &[u8], access: Access) -> Result<Self, Error> {
        let folder = parent(&self.real)?;
        create_folders(folder, access)?;
        if let Some(content) = &self.content {
            refuse_unreplaceable(&self.real, &content.meta)?;
        }
        let mut temporary = temporary_in(folder, &self.asked, access)?;
        temporary.write_all(bytes).map_err(Error::io("write beside", &self.real))?;
        if let Some(content) = &self.content {
            keep_metadata(temporary.as_file(), temporary.path(), &self.real, &content.meta)?;
        }
        temporary.as_file().sync_all().map_err(Error::io("sync", &self.real))?;
        self.check_unchanged()?;
        let renamed = if self.content.is_some() {
            temporary.persist(&self.real)
        } else {
            temporary.persist_noclobber(&self.real)
        };
        renamed.map_err(|failed| rename_error(failed.error, &self.real))?;
        sync_folder(folder)?;
        let after = Self::read(&self.asked)?;
        if after.bytes() == Some(bytes) { Ok(after) } else { Err(Error::Changed { path: self.real.clone() }) }
    }

    /// Removes the file. A link to it stays, dangling: the link is the user's.
    ///
    /// # Errors
    /// It changed since it was read, or its folder is read-only.
    pub fn remove(&self) -> Result<(), Error> {
        self.check_unchanged()?;
        if self.content.is_some() {
            fs::remove_file(&self.real).map_err(|error| rename_error(error, &self.real))?;
            sync_folder(parent(&self.real)?)?;
        }
        Ok(())
    }

    /// Copies the content to `to`, readable by no more people than the file itself.
    ///
    /// # Errors
    /// `to` cannot be written.
    pub fn back_up(&self, to: &Path) -> Result<(), Error> {
        let Some(content) = &self.content else { return Ok(()) };
        let folder = parent(to)?;
        create_folders(folder, Access::Private)?;
        let mut temporary = temporary_in(folder, to, Access::Private)?;
        temporary.write_all(&content.bytes).map_err(Error::io("write", to))?;
        temporary
            .as_file()
            .set_permissions(content.meta.permissions())
            .map_err(Error::io("set the mode of", to))?;
        temporary.as_file().sync_all().map_err(Error::io("sync", to))?;
        temporary.persist(to).map_err(|failed| rename_error(failed.error, to))?;
        sync_folder(folder)
    }

    /// The lost-update check: same file, same bytes as when it was read.
    fn check_unchanged(&self) -> Result<(), Error> {
        let now = Self::read(&self.asked)?;
        let same = now.real == self.real
            && match (&self.content, &now.content) {
                (None, None) => true,
                (Some(before), Some(now)) => {
                    identity(&before.meta) == identity(&now.meta) && before.bytes == now.bytes
                }
                _ => false,
            };
        if same { Ok(()) } else { Err(Error::Changed { path: self.real.clone() }) }
    }
}

/// An advisory lock between processes of ours, held until dropped; the system frees it if we are killed.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock file `path`, which is made with its folders.
    ///
    /// # Errors
    /// The lock file cannot be made, or the file system has no locks.
    pub fn acquire(path: &Path) -> Result<Self, Error> {
        let file = Self::open(path)?;
        file.lock().map_err(Error::io("lock", path))?;
        Ok(Self { _file: file })
    }

    /// As [`Self::acquire`], for no longer than `wait`; `None` when another process held it all that time.
    ///
    /// # Errors
    /// As [`Self::acquire`].
    pub fn acquire_within(path: &Path, wait: Duration) -> Result<Option<Self>, Error> {
        let deadline = Instant::now() + wait;
        let file = Self::open(path)?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self { _file: file })),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(LOCK_POLL);
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(Error::io("lock", path)(error)),
            }
        }
    }

    fn open(path: &Path) -> Result<File, Error> {
        create_folders(parent(path)?, Access::Private)?;
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path).map_err(Error::io("open", path))
    }
}

/// Makes `folder` and its missing ancestors; returns those it made, outermost first.
///
/// # Errors
/// One could not be made.
pub fn create_folders(folder: &Path, access: Access) -> Result<Vec<PathBuf>, Error> {
    let mut missing: Vec<&Path> = folder.ancestors().take_while(|it| !it.exists()).collect();
    missing.reverse();
    let mut made = Vec::new();
    for it in missing {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, access.folder_mode());
        match builder.create(it) {
            Ok(()) => made.push(it.to_path_buf()),
            // Another process of ours was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && it.is_dir() => {}
            Err(error) => return Err(Error::io("make folder", it)(error)),
        }
    }
    if let Some(parent) = made.first().and_then(|it| it.parent()) {
        sync_folder(parent)?;
    }
    Ok(made)
}

/// Temporary files of ours in `folder` that a killed process left behind.
pub fn leftovers(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with(LEFTOVER_PREFIX) && name.ends_with(LEFTOVER_SUFFIX)
        })
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

/// Follows every link of `path`, also where the last target or its folders do not exist yet.
///
/// # Errors
/// A loop of links, or no permission to look.
pub fn resolve(path: &Path) -> Result<PathBuf, Error> {
    let path = std::path::absolute(path).map_err(Error::io("resolve", path))?;
    resolve_hops(&path, LINK_HOPS_MAX)
}

/// The resolved path of a file that the user told us to write: links of its folders are followed. A repository can
/// hold a link under any name that a command is likely to be given, so none is followed at the end; and nothing is
/// written below the folders `ours`.
///
/// # Errors
/// It is a link, or lies in `ours`; a loop of links, or no permission to look.
pub fn output_path(path: &Path, ours: &[PathBuf]) -> Result<PathBuf, Error> {
    let path = std::path::absolute(path).map_err(Error::io("resolve", path))?;
    if let Ok(target) = fs::read_link(&path) {
        return Err(Error::Link { path, target });
    }
    let real = resolve(&path)?;
    for folder in ours {
        if real.starts_with(resolve(folder)?) {
            return Err(Error::Ours { path: real, folder: folder.clone() });
        }
    }
    Ok(real)
}

/// Where `path` leads, if that is within `root`: a file that a project brings along may be a link to anything of the
/// user's. There need not be a file yet.
///
/// # Errors
/// It leads elsewhere, or to a folder that does not exist; a loop of links, or no permission to look.
pub fn within(path: &Path, root: &Path) -> Result<PathBuf, Error> {
    let real = resolve(path)?;
    if real != path {
        if !real.starts_with(resolve(root)?) {
            return Err(Error::Outside { path: path.to_path_buf(), target: real, root: root.to_path_buf() });
        }
        if fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink()) && !parent(&real)?.is_dir() {
            return Err(Error::Dangling { path: path.to_path_buf(), target: real });
        }
    }
    Ok(real)
}

/// Opens a regular file to read it. What it is is asked before, since the opening of a pipe waits for a writer.
///
/// # Errors
/// It is something else (`InvalidInput`), or cannot be opened.
pub fn open_regular(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, "it is no regular file"))
    }
}

fn resolve_hops(path: &Path, hops: usize) -> Result<PathBuf, Error> {
    match fs::canonicalize(path) {
        Ok(real) => return Ok(real),
        Err(error) if error.kind() == ErrorKind::NotFound && hops != 0 => {}
        Err(error) => return Err(Error::io("resolve", path)(error)),
    }
    let folder = resolve_hops(parent(path)?, hops - 1)?;
    if let Ok(target) = fs::read_link(path) {
        return resolve_hops(&folder.join(target), hops - 1);
    }
    match path.file_name() {
        Some(name) => Ok(folder.join(name)),
        None => Err(Error::io("resolve", path)(ErrorKind::NotFound.into())),
    }
}

fn parent(path: &Path) -> Result<&Path, Error> {
    path.parent().ok_or_else(|| Error::NotAFile { path: path.to_path_buf() })
}

fn temporary_in(folder: &Path, asked: &Path, access: Access) -> Result<NamedTempFile, Error> {
    temporary_named(LEFTOVER_PREFIX, folder, asked, access)
}

fn temporary_named(
    prefix: &str,
    folder: &Path,
    asked: &Path,
    access: Access,
) -> Result<NamedTempFile, Error> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).suffix(LEFTOVER_SUFFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(access.file_mode()));
    builder.tempfile_in(folder).map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            Error::ReadOnlyFolder { folder: folder.to_path_buf(), path: asked.to_path_buf() }
        }
        _ => Error::io("write into folder", folder)(error),
    })
}

fn fill(temporary: &mut NamedTempFile, bytes: &[u8], real: &Path) -> Result<(), Error> {
    temporary.write_all(bytes).map_err(Error::io("write beside", real))?;
    temporary.as_file().sync_all().map_err(Error::io("sync", real))
}

fn rename_error(error: io::Error, real: &Path) -> Error {
    let path = real.to_path_buf();
    match error.kind() {
        ErrorKind::ResourceBusy => Error::Mounted { path },
        ErrorKind::AlreadyExists => Error::Changed { path },
        _ => Error::io("replace", real)(error),
    }
}

/// A rename is durable only once its folder is. Some file systems cannot sync a folder and say so with
/// `EINVAL`; there is nothing more to do on them.
fn sync_folder(folder: &Path) -> Result<(), Error> {
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if !matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::PermissionDenied) => {
            Err(Error::io("sync folder", folder)(error))
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn identity(meta: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (meta.dev(), meta.ino())
}

#[cfg(not(unix))]
fn identity(meta: &Metadata) -> u64 {
    meta.len()
}

#[cfg(unix)]
fn refuse_unreplaceable(real: &Path, meta: &Metadata) -> Result<(), Error> {
    use std::os::unix::fs::MetadataExt;
    if 1 < meta.nlink() {
        return Err(Error::HardLinked { path: real.to_path_buf(), links: meta.nlink() });
    }
    // By the bits, not by `access(2)`: the superuser passes that, and the bits are the owner's wish.
    if meta.mode() & 0o222 == 0 {
        return Err(Error::ReadOnlyFile { path: real.to_path_buf() });
    }
    Ok(())
}

#[cfg(not(unix))]
fn refuse_unreplaceable(real: &Path, meta: &Metadata) -> Result<(), Error> {
    if meta.permissions().readonly() {
        return Err(Error::ReadOnlyFile { path: real.to_path_buf() });
    }
    Ok(())
}

/// Owner before mode: changing the owner clears set-id bits. Both before the rename, so that the name
/// never shows a file that others can or cannot read.
#[cfg(unix)]
fn keep_metadata(temporary: &File, temporary_path: &Path, real: &Path, meta: &Metadata) -> Result<(), Error> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let ours = temporary.metadata().map_err(Error::io("inspect", temporary_path))?;
    let uid = (ours.uid() != meta.uid()).then_some(meta.uid());
    let gid = (ours.gid() != meta.gid()).then_some(meta.gid());
    if uid.is_some() || gid.is_some() {
        fchown(temporary, uid, gid).map_err(|_| Error::ForeignOwner {
            path: real.to_path_buf(),
            uid: meta.uid(),
            gid: meta.gid(),
        })?;
    }
    temporary.set_permissions(meta.permissions()).map_err(Error::io("set the mode beside", real))?;
    copy_attributes(temporary, real)
}

#[cfg(not(unix))]
fn keep_metadata(temporary: &File, _: &Path, real: &Path, meta: &Metadata) -> Result<(), Error> {
    temporary.set_permissions(meta.permissions()).map_err(Error::io("set the mode beside", real))
}

/// Copies the user's attributes and the access control list. A file system without attributes has none
/// to lose; an attribute that cannot be written back is a refusal, since it would be lost.
#[cfg(unix)]
fn copy_attributes(temporary: &File, real: &Path) -> Result<(), Error> {
    use xattr::FileExt;
    let Ok(names) = xattr::list(real) else { return Ok(()) };
    for name in names {
        let kept = name.to_string_lossy();
        if !kept.starts_with("user.") && kept != "system.posix_acl_access" {
            continue;
        }
        let value = xattr::get(real, &name).map_err(Error::io("read the attributes of", real))?;
        if let Some(value) = value {
            temporary.set_xattr(&name, &value).map_err(Error::io("keep the attributes of", real))?;
        }
    }
    Ok(())
}

pub(crate) mod parts;
#[cfg(test)]
mod tests;
