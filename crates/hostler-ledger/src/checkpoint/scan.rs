//! What stands at the requested paths, without reading a file.

use std::collections::BTreeSet;
use std::fs::{FileType, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::header::{Kind, PathText, Skipped};
use super::{Clock, Error, Limits, Request};

/// Everything that a checkpoint will hold.
pub(super) struct Found {
    /// The project's top folder, links resolved.
    pub(super) root: PathBuf,
    /// What was asked for and exists, without those below another.
    pub(super) paths: Vec<PathBuf>,
    pub(super) absent: Vec<PathBuf>,
    pub(super) entries: Vec<Entry>,
    /// All folders with their permission bits.
    pub(super) folders: Vec<(PathBuf, u32)>,
    pub(super) empty_folders: Vec<PathBuf>,
    pub(super) skipped: Vec<Skipped>,
    /// Whether all of it is below `root`.
    pub(super) all_inside: bool,
}

/// One file or link. `path` is relative to the root, or absolute when it lies outside.
pub(super) struct Entry {
    pub(super) path: PathBuf,
    pub(super) on_disk: PathBuf,
    pub(super) kind: Kind,
    pub(super) mode: u32,
    pub(super) bytes: u64,
    pub(super) modified_ns: i128,
}

impl Found {
    pub(super) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }
}

struct Scan<'a> {
    found: Found,
    limits: &'a Limits,
    clock: &'a Clock,
    /// Folders that are never part of a checkpoint, with the reason.
    apart: Vec<(PathBuf, &'static str)>,
    bytes: u64,
    seen: usize,
    largest: (PathBuf, u64),
}

pub(super) fn scan(request: &Request<'_>, limits: &Limits, clock: &Clock) -> Result<Found, Error> {
    let place = request.place;
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let root = real(&place.root);
    let home = place.home.as_deref().map(real);
    refuse_wide(&root, home.as_deref())?;

    let mut apart = vec![(real(request.project_state), "it is hostler's own folder")];
    for git in [&place.git_dir, &place.git_common_dir].into_iter().flatten() {
        apart.push((real(git), "it is the repository itself"));
    }
    if place.git_dir.is_some() {
        apart.push((root.join(".git"), "it is the repository itself"));
    }
    let found = Found {
        root: root.clone(),
        paths: Vec::new(),
        absent: Vec::new(),
        entries: Vec::new(),
        folders: Vec::new(),
        empty_folders: Vec::new(),
        skipped: Vec::new(),
        all_inside: true,
    };
    let mut scan = Scan { found, limits, clock, apart, bytes: 0, seen: 0, largest: (PathBuf::new(), 0) };

    let mut wanted = BTreeSet::new();
    for path in request.paths {
        if !path.is_absolute() {
            return Err(Error::Refused { path: path.clone(), why: "it is not an absolute path" });
        }
        let Some(path) = parent_resolved(path)? else {
            let path = scan.relative(path);
            scan.found.absent.push(path);
            continue;
        };
        refuse_wide(&path, home.as_deref())?;
        scan.refuse_apart(&path)?;
        // A write goes through a link: what it points to is at stake as well.
        let target = link_target(&path);
        wanted.extend(target.filter(|it| scan.refuse_apart(it).is_ok()));
        wanted.insert(path);
    }
    let mut last: Option<PathBuf> = None;
    for path in wanted {
        // Sorted by component, so whatever lies below a folder follows it.
        if last.as_deref().is_some_and(|last| path.starts_with(last)) {
            continue;
        }
        scan.all_below(&path)?;
        last = Some(path);
    }
    let mut found = scan.found;
    found.entries.sort_by(|a, b| a.path.cmp(&b.path));
    found.folders.sort();
    found.empty_folders.sort();
    Ok(found)
}

/// Home folders and file system roots are never meant: 42 GB have been copied that way.
fn refuse_wide(path: &Path, home: Option<&Path>) -> Result<(), Error> {
    let refused = |why| Err(Error::Refused { path: path.to_path_buf(), why });
    if path.parent().is_none() {
        return refused("it is the root of the file system");
    }
    if home.is_some_and(|home| home.starts_with(path)) {
        return refused("it is the home folder, or holds it; name the files, or work in a project folder");
    }
    Ok(())
}

/// The path with links in its parents resolved; `None` when it cannot exist.
fn parent_resolved(path: &Path) -> Result<Option<PathBuf>, Error> {
    let resolved = match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => std::fs::canonicalize(parent).map(|parent| parent.join(name)),
        _ => std::fs::canonicalize(path),
    };
    match resolved {
        Ok(path) => Ok(Some(path)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(source) => Err(Error::Unreadable { path: path.to_path_buf(), source }),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The regular file that a link leads to.
fn link_target(path: &Path) -> Option<PathBuf> {
    if !path.symlink_metadata().ok()?.is_symlink() {
        return None;
    }
    std::fs::canonicalize(path).ok().filter(|target| target.is_file())
}

fn special(kind: FileType) -> &'static str {
    if kind.is_fifo() {
        "a pipe has no content to keep"
    } else if kind.is_socket() {
        "a socket has no content to keep"
    } else {
        "a device has no content to keep"
    }
}

impl Scan<'_> {
    fn relative(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.found.root).unwrap_or(path).to_path_buf()
    }

    fn refuse_apart(&self, path: &Path) -> Result<(), Error> {
        match self.apart.iter().find(|(apart, _)| path.starts_with(apart)) {
            Some(&(_, why)) => Err(Error::Refused { path: path.to_path_buf(), why }),
            None => Ok(()),
        }
    }

    fn all_below(&mut self, wanted: &Path) -> Result<(), Error> {
        let unreadable = |path: &Path, source| Error::Unreadable { path: path.to_path_buf(), source };
        match wanted.symlink_metadata() {
            Ok(meta) => {
                self.found.all_inside &= wanted.starts_with(&self.found.root);
                let path = self.relative(wanted);
                self.found.paths.push(path);
                self.one(wanted, wanted, &meta)?;
                if !meta.is_dir() {
                    return Ok(());
                }
            }
            Err(error) if is_absent(&error) => {
                let path = self.relative(wanted);
                self.found.absent.push(path);
                return Ok(());
            }
            Err(source) => return Err(unreadable(wanted, source)),
        }
        let mut folders = vec![wanted.to_path_buf()];
        while let Some(folder) = folders.pop() {
            self.clock.check("looking for what to keep")?;
            let mut entries = 0usize;
            let listed = match std::fs::read_dir(&folder) {
                Ok(listed) => listed,
                // Gone since it was found.
                Err(error) if is_absent(&error) => continue,
                Err(source) => return Err(unreadable(&folder, source)),
            };
            for entry in listed {
                let path = entry.map_err(|source| unreadable(&folder, source))?.path();
                entries += 1;
                if let Some(&(_, why)) = self.apart.iter().find(|(apart, _)| *apart == path) {
                    self.skip(&path, why);
                    continue;
                }
                let meta = match path.symlink_metadata() {
                    Ok(meta) => meta,
                    // Gone since the folder was read.
                    Err(error) if is_absent(&error) => continue,
                    Err(source) => return Err(unreadable(&path, source)),
                };
                self.one(wanted, &path, &meta)?;
                if meta.is_dir() {
                    folders.push(path);
                }
            }
            if entries == 0 {
                let path = self.relative(&folder);
                self.found.empty_folders.push(path);
            }
        }
        Ok(())
    }

    fn one(&mut self, wanted: &Path, on_disk: &Path, meta: &Metadata) -> Result<(), Error> {
        let kind = meta.file_type();
        let mode = meta.permissions().mode() & 0o777;
        let path = self.relative(on_disk);
        self.seen += 1;
        if self.limits.entries_max < self.seen {
            return Err(self.too_large(wanted, format!("{} entries", self.limits.entries_max)));
        }
        if kind.is_dir() {
            self.found.folders.push((path, mode));
            return Ok(());
        }
        if !kind.is_file() && !kind.is_symlink() {
            self.skip(on_disk, special(kind));
            return Ok(());
        }
        let bytes = meta.len();
        self.bytes = self.bytes.saturating_add(bytes);
        if self.largest.1 <= bytes {
            self.largest = (on_disk.to_path_buf(), bytes);
        }
        if self.limits.bytes_max < self.bytes {
            return Err(self.too_large(wanted, format!("{} MiB", self.limits.bytes_max >> 20)));
        }
        let kind = if kind.is_file() { Kind::File } else { Kind::Link };
        let modified_ns = i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec());
        self.found.entries.push(Entry {
            path,
            on_disk: on_disk.to_path_buf(),
            kind,
            mode,
            bytes,
            modified_ns,
        });
        Ok(())
    }

    fn skip(&mut self, path: &Path, reason: &str) {
        let path = PathText(self.relative(path));
        self.found.skipped.push(Skipped { path, reason: reason.to_owned() });
    }

    fn too_large(&self, wanted: &Path, limit: String) -> Error {
        let (largest, largest_bytes) = self.largest.clone();
        Error::TooLarge { path: wanted.to_path_buf(), limit, largest, largest_bytes }
    }
}
