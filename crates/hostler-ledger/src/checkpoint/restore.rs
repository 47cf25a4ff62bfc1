//! What differs from a checkpoint, and putting it back.
//!
//! Writes only paths of the checkpoint that differ. Nothing that appeared since is deleted, whatever any
//! ignore file said then or says now; what is overwritten is kept in a checkpoint of its own first.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use hostler_model::SessionId;

use super::header::{Kind, Saved};
use super::{Checkpoint, Created, Error, Request, Vault, create};

/// Paths that appeared are told up to this many; a build folder may hold any number.
const APPEARED_MAX: usize = 10_000;

/// How a path differs from the checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DifferenceKind {
    /// A file or link that is gone.
    Missing,
    /// An empty folder that is gone.
    MissingFolder,
    /// Other bytes, or another link target.
    Content,
    /// Other permission bits, the same bytes.
    Mode,
    /// Something else stands there: a folder or link for a file, …
    Type,
    /// Not in the checkpoint: it appeared since. Never touched.
    Appeared,
}

/// One path that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Absolute.
    pub path: PathBuf,
    /// How.
    pub kind: DifferenceKind,
    /// What the checkpoint holds for it.
    pub saved: Option<Saved>,
}

/// What was put back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Restored {
    /// The checkpoint of what was overwritten, if anything was.
    pub before: Option<String>,
    /// Absolute paths that were written.
    pub written: Vec<PathBuf>,
    /// Absolute paths that appeared since, left as they are.
    pub appeared: Vec<PathBuf>,
    /// Absolute paths that were not restored, with the reason.
    pub conflicts: Vec<(PathBuf, String)>,
}

/// One path of a checkpoint that has to be written.
struct Task {
    path: PathBuf,
    /// `None` for an empty folder.
    saved: Option<Saved>,
    mode_only: bool,
}

impl Vault<'_> {
    /// Every path that differs from the checkpoint, in order; `only` (absolute) narrows it, empty means all.
    pub fn differences(&self, checkpoint: &Checkpoint, only: &[PathBuf]) -> Result<Vec<Difference>, Error> {
        let root = self.root_of(checkpoint);
        let wanted = |path: &Path| only.is_empty() || only.iter().any(|it| path.starts_with(it));
        let files = self.files(checkpoint)?;
        let mut out = Vec::new();
        let mut candidates = Vec::new();
        let mut parents = Parents::new(&root);
        for file in &files {
            let path = root.join(&file.path);
            if !wanted(&path) {
                continue;
            }
            match first_look(&path, file, &mut parents) {
                Some(kind) => out.push(Difference { path, kind, saved: Some(file.clone()) }),
                None => candidates.push(file),
            }
        }
        self.contents(checkpoint, candidates.into_iter(), &mut |file, bytes| {
            self.clock.check("comparing files")?;
            let path = root.join(&file.path);
            let unreadable = |source| Error::Unreadable { path: path.clone(), source };
            let kind = if !same_content(&path, file, bytes).map_err(unreadable)? {
                DifferenceKind::Content
            } else if file.kind == Kind::File && mode(&path) != Some(file.mode) {
                DifferenceKind::Mode
            } else {
                return Ok(());
            };
            out.push(Difference { path, kind, saved: Some(file.clone()) });
            Ok(())
        })?;
        for folder in &checkpoint.header.empty_folders {
            let path = root.join(&folder.0);
            let there = parents.obstacle(&path).is_none() && is_folder(&path);
            if wanted(&path) && !there {
                out.push(Difference { path, kind: DifferenceKind::MissingFolder, saved: None });
            }
        }
        let known: BTreeSet<PathBuf> = files.iter().map(|it| root.join(&it.path)).collect();
        for path in self.appeared(checkpoint, &root, &known) {
            if wanted(&path) {
                out.push(Difference { path, kind: DifferenceKind::Appeared, saved: None });
            }
        }
        out.sort_by(|a, b| (&a.path, a.kind).cmp(&(&b.path, b.kind)));
        Ok(out)
    }

    /// What stands below the checkpoint's paths now and did not then.
    fn appeared(&self, checkpoint: &Checkpoint, root: &Path, known: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let header = &checkpoint.header;
        let mut out: Vec<PathBuf> = header
            .absent
            .iter()
            .map(|path| root.join(&path.0))
            .filter(|path| path.symlink_metadata().is_ok())
            .collect();
        let mut apart: BTreeSet<PathBuf> = header.skipped.iter().map(|it| root.join(&it.path.0)).collect();
        apart.insert(root.join(".git"));
        apart.insert(self.project_state.to_path_buf());
        let mut folders: Vec<PathBuf> = header.paths.iter().map(|path| root.join(&path.0)).collect();
        while let Some(folder) = folders.pop() {
            if !is_folder(&folder) {
                continue;
            }
            // What cannot be read cannot be told; nothing depends on it.
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if apart.contains(&path) {
                    continue;
                }
                if is_folder(&path) {
                    folders.push(path);
                } else if !known.contains(&path) && out.len() < APPEARED_MAX {
                    out.push(path);
                }
            }
        }
        out
    }

    /// Puts back what differs; `only` (absolute) narrows it, empty means all. The index, `HEAD` and every
    /// other path stay as they are.
    ///
    /// # Errors
    /// When what is about to be overwritten cannot be kept first, nothing is written. A later error names
    /// the path; what was written before it stays, and running it again goes on.
    pub fn restore(
        &self,
        checkpoint: &Checkpoint,
        only: &[PathBuf],
        time_ms: i64,
    ) -> Result<Restored, Error> {
        let damaged = |why: String| Error::Damaged { id: checkpoint.id.clone(), why };
        let root = self.root_of(checkpoint);
        if !is_folder(&root) {
            return Err(damaged(format!("its folder `{}` is gone", root.display())));
        }
        let scope: Vec<PathBuf> = checkpoint.header.paths.iter().map(|it| root.join(&it.0)).collect();
        let mut restored = Restored::default();
        let mut tasks = Vec::new();
        let mut overwritten = BTreeSet::new();
        let mut parents = Parents::new(&root);
        for Difference { path, kind, saved } in self.differences(checkpoint, only)? {
            if kind == DifferenceKind::Appeared {
                restored.appeared.push(path);
                continue;
            }
            match in_the_way(&path, saved.as_ref(), &scope, &mut parents) {
                Ok(stands) => overwritten.extend(stands),
                Err(reason) => {
                    restored.conflicts.push((path, reason));
                    continue;
                }
            }
            tasks.push(Task { path, saved, mode_only: kind == DifferenceKind::Mode });
        }
        restored.appeared.retain(|path| !overwritten.contains(path));
        if !overwritten.is_empty() {
            restored.before = self.keep_first(checkpoint, &overwritten, time_ms)?;
        }
        self.write(checkpoint, &root, &scope, &tasks)?;
        self.verify(checkpoint, &tasks)?;
        restored.written = tasks.into_iter().map(|it| it.path).collect();
        Ok(restored)
    }

    fn keep_first(
        &self,
        checkpoint: &Checkpoint,
        overwritten: &BTreeSet<PathBuf>,
        time_ms: i64,
    ) -> Result<Option<String>, Error> {
        let session = SessionId::parse(&checkpoint.header.session)
            .map_err(|error| Error::Damaged { id: checkpoint.id.clone(), why: error.to_string() })?;
        let paths: Vec<PathBuf> = overwritten.iter().cloned().collect();
        let reason = format!("before restoring {}", checkpoint.id);
        let created = create(&Request {
            place: self.place,
            session: &session,
            call: None,
            paths: &paths,
            reason: &reason,
            time_ms,
            project_state: self.project_state,
            deadline: self.clock.remaining(),
        })?;
        Ok(match created {
            Created::Checkpoint { id, .. } | Created::Same { id } => Some(id),
            Created::Nothing => None,
        })
    }

    fn write(
        &self,
        checkpoint: &Checkpoint,
        root: &Path,
        scope: &[PathBuf],
        tasks: &[Task],
    ) -> Result<(), Error> {
        let modes = &checkpoint.header.modes;
        let exceptions = modes.by_path();
        let mut made = Vec::new();
        let mut by_path = BTreeMap::new();
        for task in tasks {
            let failed = |source| Error::Write { path: task.path.clone(), source };
            let folder = match &task.saved {
                Some(_) => task.path.parent().unwrap_or(root),
                None => &task.path,
            };
            make_folders(root, folder, scope, &mut made).map_err(failed)?;
            match &task.saved {
                Some(saved) if task.mode_only => {
                    std::fs::set_permissions(&task.path, Permissions::from_mode(saved.mode))
                        .map_err(failed)?;
                }
                Some(saved) => drop(by_path.insert(saved.path.as_path(), (task, saved))),
                None => {}
            }
        }
        let files = by_path.values().map(|(_, saved)| *saved);
        self.contents(checkpoint, files, &mut |saved, bytes| {
            self.clock.check("restoring files")?;
            let Some((task, _)) = by_path.get(saved.path.as_path()) else { return Ok(()) };
            put(&task.path, saved, bytes).map_err(|source| Error::Write { path: task.path.clone(), source })
        })?;
        // Last and inside out: a folder may be one that nothing can be written into.
        for folder in made.into_iter().rev().filter(|it| scope.iter().any(|scope| it.starts_with(scope))) {
            let relative = folder.strip_prefix(root).unwrap_or(&folder);
            let mode = exceptions.get(relative).copied().unwrap_or_else(|| modes.usual_folder());
            std::fs::set_permissions(&folder, Permissions::from_mode(mode))
                .map_err(|source| Error::Write { path: folder.clone(), source })?;
        }
        Ok(())
    }

    /// Success is told only after looking again.
    fn verify(&self, checkpoint: &Checkpoint, tasks: &[Task]) -> Result<(), Error> {
        if tasks.is_empty() {
            return Ok(());
        }
        let paths: Vec<PathBuf> = tasks.iter().map(|it| it.path.clone()).collect();
        let written: BTreeSet<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let left = self.differences(checkpoint, &[])?;
        match left.into_iter().find(|it| written.contains(it.path.as_path())) {
            Some(it) => Err(Error::Write {
                path: it.path,
                source: io::Error::other("it differs again already; something else writes it"),
            }),
            None => Ok(()),
        }
    }
}

/// Which folders above a path are real ones; each is looked at once.
struct Parents {
    base: PathBuf,
    real: BTreeSet<PathBuf>,
}

impl Parents {
    fn new(base: &Path) -> Self {
        Self { base: base.to_path_buf(), real: BTreeSet::new() }
    }

    /// The first thing above `path` that stands there and is no real folder. A link is one: writing
    /// through it would change files elsewhere.
    fn obstacle(&mut self, path: &Path) -> Option<PathBuf> {
        let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
        above.reverse();
        for folder in above {
            if self.base.starts_with(folder) || self.real.contains(folder) {
                continue;
            }
            match folder.symlink_metadata() {
                Ok(meta) if meta.is_dir() => drop(self.real.insert(folder.to_path_buf())),
                Ok(_) => return Some(folder.to_path_buf()),
                Err(_) => return None,
            }
        }
        None
    }
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| meta.is_dir())
}

fn mode(path: &Path) -> Option<u32> {
    path.symlink_metadata().ok().map(|meta| meta.permissions().mode() & 0o777)
}

/// The difference as far as it shows without reading; `None` means that the content decides.
fn first_look(path: &Path, file: &Saved, parents: &mut Parents) -> Option<DifferenceKind> {
    if parents.obstacle(path).is_some() {
        return Some(DifferenceKind::Missing);
    }
    let Ok(meta) = path.symlink_metadata() else { return Some(DifferenceKind::Missing) };
    let same_kind = match file.kind {
        Kind::File => meta.is_file(),
        Kind::Link => meta.is_symlink(),
    };
    if !same_kind {
        return Some(DifferenceKind::Type);
    }
    (file.kind == Kind::File && meta.len() != file.bytes).then_some(DifferenceKind::Content)
}

fn same_content(path: &Path, file: &Saved, saved: &mut dyn Read) -> io::Result<bool> {
    if file.kind == Kind::Link {
        let mut target = Vec::new();
        saved.read_to_end(&mut target)?;
        return Ok(std::fs::read_link(path)?.as_os_str().as_bytes() == target);
    }
    let mut now = File::open(path)?;
    let (mut ours, mut theirs) = (vec![0; 64 << 10], vec![0; 64 << 10]);
    loop {
        let got = read_full(saved, &mut ours)?;
        let now_got = read_full(&mut now, &mut theirs)?;
        if ours[..got] != theirs[..now_got] {
            return Ok(false);
        }
        if got == 0 {
            return Ok(true);
        }
    }
}

fn read_full(from: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match from.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(got) => filled += got,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// What stands where the path will be written and has to be kept first; an error is a conflict.
fn in_the_way(
    path: &Path,
    saved: Option<&Saved>,
    scope: &[PathBuf],
    parents: &mut Parents,
) -> Result<Option<PathBuf>, String> {
    if let Some(obstacle) = parents.obstacle(path) {
        let ours = scope.iter().any(|it| obstacle.starts_with(it));
        let kind = obstacle.symlink_metadata().map_err(|error| error.to_string())?.file_type();
        if ours && (kind.is_file() || kind.is_symlink()) {
            return Ok(Some(obstacle));
        }
        let what = if kind.is_symlink() { "a link" } else { "no folder" };
        return Err(format!("`{}` is {what} now; move it away and restore again", obstacle.display()));
    }
    let Ok(meta) = path.symlink_metadata() else { return Ok(None) };
    if meta.is_dir() {
        let empty = std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
        return match (saved, empty) {
            (Some(_), false) => {
                Err("a folder with content stands there now; move it away and restore again".to_owned())
            }
            _ => Ok(Some(path.to_path_buf())),
        };
    }
    if meta.is_file() || meta.is_symlink() {
        return Ok(Some(path.to_path_buf()));
    }
    Err("a pipe, socket or device stands there now; move it away and restore again".to_owned())
}

/// Makes the folder and those above it, from the top: looking at the folder itself first would follow a
/// link above it. A file or link of the checkpoint's scope in their place goes (it has been kept).
fn make_folders(base: &Path, folder: &Path, scope: &[PathBuf], made: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut above: Vec<&Path> = folder.ancestors().filter(|it| !base.starts_with(it)).collect();
    above.reverse();
    for folder in above {
        match folder.symlink_metadata() {
            Ok(meta) if meta.is_dir() => continue,
            Ok(_) if scope.iter().any(|it| folder.starts_with(it)) => std::fs::remove_file(folder)?,
            Ok(_) => return Err(io::Error::from(ErrorKind::NotADirectory)),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        std::fs::create_dir(folder)?;
        made.push(folder.to_path_buf());
    }
    Ok(())
}

/// Replaces what stands at `path`: written next to it, then renamed.
fn put(path: &Path, saved: &Saved, bytes: &mut dyn Read) -> io::Result<()> {
    let folder = path.parent().ok_or(ErrorKind::InvalidInput)?;
    if is_folder(path) {
        std::fs::remove_dir(path)?;
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".hostler-restore-");
    if saved.kind == Kind::Link {
        let mut target = Vec::new();
        bytes.read_to_end(&mut target)?;
        let target = std::ffi::OsString::from_vec(target);
        let link = builder.make_in(folder, |at| std::os::unix::fs::symlink(&target, at))?;
        link.into_temp_path().persist(path)?;
        return Ok(());
    }
    let mut file = builder.tempfile_in(folder)?;
    io::copy(bytes, &mut file)?;
    file.flush()?;
    file.as_file().set_permissions(Permissions::from_mode(saved.mode))?;
    if let Some(modified) = saved.modified_ns.and_then(|ns| u64::try_from(ns).ok()) {
        file.as_file().set_modified(UNIX_EPOCH + Duration::from_nanos(modified))?;
    }
    file.persist(path)?;
    Ok(())
}
