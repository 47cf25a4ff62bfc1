//! Checkpoints outside git: a folder of copies with a manifest.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::header::{Header, Kind, PathText, Saved};
use super::scan::Entry;
use super::sequence::private_folder;
use super::{Checkpoint, Clock, Error, Listing, Location, id_of};

const MANIFEST: &str = "manifest.json";
const UNFINISHED: &str = ".unfinished-";
const REMOVED: &str = ".removed-";
const ATTEMPTS_MAX: u32 = 3;

#[derive(Serialize, Deserialize)]
struct Manifest {
    header: Header,
    entries: Vec<Copied>,
}

#[derive(Serialize, Deserialize)]
struct Copied {
    path: PathText,
    kind: Kind,
    mode: u32,
    bytes: u64,
    modified_ns: i128,
    /// The copy's name in the checkpoint's folder.
    file: String,
}

/// Copies the entries. The folder gets its name last, so an interrupted checkpoint is none.
pub(super) fn write(
    copies: &Path,
    header: &mut Header,
    entries: &[Entry],
    clock: &Clock,
) -> Result<(), Error> {
    let session = copies.join(&header.session);
    private_folder(&session)?;
    let state = |path: &Path, source| Error::State { path: path.to_path_buf(), source };
    let unfinished = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(&session)
        .map_err(|it| state(&session, it))?;
    let mut copied = Vec::with_capacity(entries.len());
    let mut kept = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let file = index.to_string();
        let to = unfinished.path().join(&file);
        let bytes = match entry.kind {
            Kind::Link => copy_link(entry, &to),
            Kind::File => copy_file(entry, &to, clock),
        };
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(error) if error.is_gone() => continue,
            Err(error) => return Err(error),
        };
        kept.push(entry);
        copied.push(Copied {
            path: PathText(entry.path.clone()),
            kind: entry.kind,
            mode: entry.mode,
            bytes,
            modified_ns: entry.modified_ns,
            file,
        });
    }
    header.holds(kept.into_iter());
    let manifest = Manifest { header: header.clone(), entries: copied };
    let path = unfinished.path().join(MANIFEST);
    let text = serde_json::to_vec(&manifest).map_err(|error| state(&path, error.into()))?;
    let mut file = private_file(&path)?;
    file.write_all(&text).and_then(|()| file.sync_all()).map_err(|it| state(&path, it))?;
    let target = session.join(header.number.to_string());
    // Only an empty folder could be replaced by this, and nobody makes one.
    std::fs::rename(unfinished.path(), &target).map_err(|it| state(&target, it))?;
    // Its content has moved away: nothing to remove.
    let _ = unfinished.keep();
    let _ = File::open(&session).and_then(|folder| folder.sync_all());
    Ok(())
}

fn private_file(path: &Path) -> Result<File, Error> {
    OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(path)
        .map_err(|source| Error::State { path: path.to_path_buf(), source })
}

fn unreadable(entry: &Entry, source: io::Error) -> Error {
    Error::Unreadable { path: entry.on_disk.clone(), source }
}

fn copy_link(entry: &Entry, to: &Path) -> Result<u64, Error> {
    let target = std::fs::read_link(&entry.on_disk).map_err(|it| unreadable(entry, it))?;
    let target = target.into_os_string().into_vec();
    private_file(to)?.write_all(&target).map_err(|source| Error::State { path: to.to_path_buf(), source })?;
    Ok(target.len() as u64)
}

fn copy_file(entry: &Entry, to: &Path, clock: &Clock) -> Result<u64, Error> {
    let mut whole = false;
    let mut bytes = 0;
    for _ in 0..ATTEMPTS_MAX {
        let from = File::open(&entry.on_disk).map_err(|it| unreadable(entry, it))?;
        let before = from.metadata().map_err(|it| unreadable(entry, it))?;
        if !before.is_file() {
            return Err(unreadable(entry, io::Error::other("it is no file any more")));
        }
        let _ = std::fs::remove_file(to);
        let mut out = private_file(to)?;
        bytes = 0;
        let mut buffer = vec![0; 64 << 10];
        let mut from_length = (&from).take(before.len());
        loop {
            clock.check("copying files")?;
            let got = match from_length.read(&mut buffer) {
                Ok(0) => break,
                Ok(got) => got,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(unreadable(entry, error)),
            };
            out.write_all(&buffer[..got])
                .map_err(|source| Error::State { path: to.to_path_buf(), source })?;
            bytes += got as u64;
        }
        let after = from.metadata().map_err(|it| unreadable(entry, it))?;
        whole = bytes == before.len();
        if whole && before.len() == after.len() && before.modified().ok() == after.modified().ok() {
            return Ok(bytes);
        }
    }
    // A file that only grows (a log) is whole up to the length it had.
    if whole { Ok(bytes) } else { Err(Error::Changing { path: entry.on_disk.clone() }) }
}

fn read(folder: &Path) -> Result<Manifest, String> {
    #[derive(Deserialize)]
    struct Start {
        header: serde_json::Value,
    }
    let text = std::fs::read(folder.join(MANIFEST)).map_err(|error| error.to_string())?;
    let start: Start = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    Header::parse(start.header.to_string().as_bytes())?;
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

/// Removes one checkpoint. Renamed first, so that an interrupted removal leaves no damaged checkpoint.
pub(super) fn remove(folder: &Path) -> Result<(), Error> {
    let state = |source| Error::State { path: folder.to_path_buf(), source };
    let session = folder.parent().unwrap_or(folder);
    let going = tempfile::Builder::new().prefix(REMOVED).tempdir_in(session).map_err(state)?;
    std::fs::rename(folder, going.path().join("checkpoint")).map_err(state)?;
    going.close().map_err(state)
}

/// Whether a folder of this name is what an interrupted run left.
pub(super) fn is_leftover(name: &str) -> bool {
    name.starts_with(UNFINISHED) || name.starts_with(REMOVED)
}

/// The folders in a folder, by name.
pub(super) fn folders(path: &Path) -> Result<Vec<(String, PathBuf)>, Error> {
    let state = |source| Error::State { path: path.to_path_buf(), source };
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(state(error)),
    };
    let mut out = Vec::new();
    for entry in entries {
        let entry = entry.map_err(state)?;
        if entry.file_type().map_err(state)?.is_dir() {
            out.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
        }
    }
    out.sort();
    Ok(out)
}

pub(super) fn last_number(copies: &Path, session: &str) -> u64 {
    let found = folders(&copies.join(session)).unwrap_or_default();
    found.iter().filter_map(|(name, _)| name.parse().ok()).max().unwrap_or(0)
}

pub(super) fn list(copies: &Path, listing: &mut Listing) -> Result<(), Error> {
    for (session, folder) in folders(copies)? {
        for (number, folder) in folders(&folder)? {
            if number.parse::<u64>().is_err() {
                continue;
            }
            match read(&folder) {
                Ok(Manifest { header, .. }) => listing.checkpoints.push(Checkpoint {
                    id: id_of(&header.session, header.number),
                    header,
                    location: Location::Folder(folder),
                }),
                Err(why) => listing.damaged.push((format!("{session}/{number}"), why)),
            }
        }
    }
    Ok(())
}

pub(super) fn files(folder: &Path, id: &str) -> Result<Vec<Saved>, Error> {
    let damaged = |why| Error::Damaged { id: id.to_owned(), why };
    let manifest = read(folder).map_err(damaged)?;
    let mut files = Vec::with_capacity(manifest.entries.len());
    for it in manifest.entries {
        if it.file.parse::<usize>().is_err() {
            return Err(damaged(format!("`{}` is no name of a copy", it.file)));
        }
        files.push(Saved {
            path: it.path.0,
            kind: it.kind,
            mode: it.mode & 0o777,
            bytes: it.bytes,
            modified_ns: Some(it.modified_ns),
            content: it.file,
        });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

pub(super) fn contents<'f>(
    folder: &Path,
    files: impl Iterator<Item = &'f Saved>,
    each: &mut dyn FnMut(&'f Saved, &mut dyn Read) -> Result<(), Error>,
) -> Result<(), Error> {
    for file in files {
        let path = folder.join(std::ffi::OsStr::from_bytes(file.content.as_bytes()));
        let mut copy = File::open(&path).map_err(|source| Error::State { path: path.clone(), source })?;
        each(file, &mut copy)?;
    }
    Ok(())
}
