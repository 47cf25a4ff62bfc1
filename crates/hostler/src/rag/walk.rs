//! Every file below a folder that may be worth reading, in the order of their paths.
//!
//! One pass in one thread: the names of a folder are sorted before it is gone through, so that the list comes out in the
//! order in which the index keeps its rows, and the two are compared like the sheets of two sorted stacks. What the next
//! folders hold is asked ahead.

mod ignored;
mod list;
mod tracked;

use std::ffi::OsString;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use hostler_policy::shell::is_secret_file;

use self::ignored::{Ignored, Verdict};
use self::list::{Item, Kind, Lister, Stat};

/// Longer files are not indexed, bytes.
pub(crate) const FILE_BYTES_MAX: u64 = 512 * 1024;
/// Folders of tools and of packages that others wrote.
const FOREIGN: &[&str] = &[
    ".git",
    "node_modules",
    "__pycache__",
    ".next",
    ".venv",
    ".gradle",
    ".mvn",
    ".settings",
    ".idea",
    ".classpath",
];
/// Folders that most often hold what a build made, and sometimes hold sources: those that git tracks are gone into.
const MADE: &[&str] =
    &["dist", "pre-install", "graphify-out", "session", ".session", "target", "build", "out", "bin"];
/// Lock files and what systems leave behind.
const NAMES: &[&str] =
    &["package-lock.json", "yarn.lock", "pnpm-lock.yaml", "gradle.lockfile", ".DS_Store", "Thumbs.db"];
/// Extensions of what is no text for readers, also where it has no zero byte.
const EXTENSIONS: &[&str] = &[
    "jar", "war", "zip", "tar", "gz", "tgz", "7z", "rar", "class", "exe", "dll", "so", "dylib", "a", "o",
    "obj", "png", "jpg", "jpeg", "gif", "ico", "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "woff",
    "woff2", "ttf", "eot", "otf", "mp3", "mp4", "mov", "avi", "sqlite", "db", "wasm", "node", "pyc", "pyo",
    "bin", "iso", "img",
];
/// Longest file that leads to a git folder and is read, bytes.
const LINK_BYTES_MAX: u64 = 4096;
/// Most things that could not be read and are named.
const NOTES_MAX: usize = 20;

/// What was passed over, by cause. A folder counts once, whatever it holds.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Passed {
    /// Lock files and the like.
    pub(crate) names: u64,
    /// Files that most likely hold keys, passwords or tokens.
    pub(crate) secrets: u64,
    /// Longer than the limit.
    pub(crate) large: u64,
    /// Files and folders that an ignore file or the configuration leaves out.
    pub(crate) ignored: u64,
    /// Folders of tools, packages and builds.
    pub(crate) folders: u64,
    /// Links, which are not followed, and what is neither file nor folder.
    pub(crate) links: u64,
    /// Files and folders that could not be read.
    pub(crate) unreadable: u64,
}

/// The files of a tree, sorted by path.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// All paths one after the other: a million of them are one allocation.
    paths: String,
    files: Vec<Entry>,
    /// Folders that were gone into, the root first.
    pub(crate) folders: Vec<PathBuf>,
    /// What was passed over.
    pub(crate) passed: Passed,
    /// Paths that could not be read, relative: what the index has of them is kept.
    pub(crate) unreadable: Vec<String>,
    /// What is to be told.
    pub(crate) notes: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    end: u64,
    size: u32,
    mtime_ns: i64,
}

/// One file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found<'a> {
    /// Relative to the root, with `/`; bytes that are no UTF-8 as `\xHH`.
    pub(crate) path: &'a str,
    /// In bytes.
    pub(crate) size: u64,
    /// See [`mtime_ns`].
    pub(crate) mtime_ns: i64,
}

impl Walked {
    /// How many files there are.
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    /// The file at `index`, if there are so many.
    pub(crate) fn get(&self, index: usize) -> Option<Found<'_>> {
        let entry = self.files.get(index)?;
        let start = index.checked_sub(1).and_then(|before| self.files.get(before)).map_or(0, |it| it.end);
        let range = usize::try_from(start).ok()?..usize::try_from(entry.end).ok()?;
        Some(Found { path: self.paths.get(range)?, size: u64::from(entry.size), mtime_ns: entry.mtime_ns })
    }

    /// Whether `path` is, or is below, what could not be read.
    pub(crate) fn is_unreadable(&self, path: &str) -> bool {
        self.unreadable.iter().any(|it| {
            path.strip_prefix(it.as_str())
                .is_some_and(|rest| it.is_empty() || rest.is_empty() || rest.starts_with('/'))
        })
    }

    fn fail(&mut self, path: &str, why: &dyn std::fmt::Display) {
        self.passed.unreadable += 1;
        self.unreadable.push(path.to_owned());
        if self.notes.len() < NOTES_MAX {
            let shown = if path.is_empty() { "the folder itself" } else { path };
            self.notes.push(format!("not read: `{shown}`: {why}"));
        }
    }

    fn add(&mut self, path: &str, stat: Stat) {
        let Some(size) = u32::try_from(stat.size).ok().filter(|it| u64::from(*it) <= FILE_BYTES_MAX) else {
            self.passed.large += 1;
            return;
        };
        self.paths.push_str(path);
        self.files.push(Entry { end: self.paths.len() as u64, size, mtime_ns: stat.mtime_ns });
    }
}

/// Nanoseconds since 1970; never 0, which the index keeps for times that say nothing.
pub(crate) fn mtime_ns(meta: &Metadata) -> i64 {
    let Ok(time) = meta.modified() else { return 0 };
    let ns = match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |ns| -ns),
    };
    if ns == 0 { 1 } else { ns }
}

/// Whether files of this extension are never indexed.
pub(crate) fn is_foreign_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    // A name that begins with a dot and has no other has no extension.
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    !stem.is_empty() && EXTENSIONS.iter().any(|it| extension.eq_ignore_ascii_case(it))
}

/// The file that `path` of the index names.
pub(crate) fn file_of(root: &Path, path: &str) -> PathBuf {
    let literal = root.join(path);
    if !path.contains("\\x") || literal.symlink_metadata().is_ok() {
        return literal;
    }
    raw(path).map_or(literal, |raw| root.join(raw))
}

#[cfg(unix)]
fn raw(path: &str) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt;
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some(at) = rest.find("\\x") {
        bytes.extend_from_slice(rest.get(..at)?.as_bytes());
        let code = u8::from_str_radix(rest.get(at + 2..at + 4)?, 16).ok()?;
        bytes.push(code);
        rest = rest.get(at + 4..)?;
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(OsString::from_vec(bytes))
}

#[cfg(not(unix))]
fn raw(_: &str) -> Option<OsString> {
    None
}

/// A folder that is being gone through.
struct Level {
    items: std::vec::IntoIter<(Item, Way)>,
    folder: PathBuf,
    /// Length of the relative path of the folder, with its `/`.
    prefix: usize,
}

/// What is done with something in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// It is gone into, or noted.
    In,
    /// The rules leave it out.
    Ignored,
    /// It is a folder of tools, packages or builds.
    Folder,
    /// It is a lock file or the like.
    Name,
    /// It most likely holds keys, passwords or tokens.
    Secret,
}

/// Walks `root`, which is absolute and a folder. `globs`: what the configuration leaves out; `db`: the index itself, which
/// is no part of what it is of.
/// `cancelled` ends it early; the caller asks again and drops what came of it.
pub(crate) fn walk(root: &Path, globs: &[String], db: &Path, cancelled: &dyn Fn() -> bool) -> Walked {
    let lister = Lister::default();
    std::thread::scope(|scope| {
        // Whatever ends this thread ends the helpers.
        let _stop = lister.stop_on_drop();
        for _ in 0..Lister::helpers() {
            scope.spawn(|| lister.help());
        }
        let mut walk = Walk::new(root, globs, &lister);
        walk.go(root, &Own::of(db), cancelled);
        walk.walked
    })
}

struct Walk<'a> {
    lister: &'a Lister,
    ignored: Ignored,
    walked: Walked,
    levels: Vec<Level>,
}

impl<'a> Walk<'a> {
    fn new(root: &Path, globs: &[String], lister: &'a Lister) -> Self {
        let mut walked = Walked::default();
        let ignored = Ignored::of(root, globs, &mut walked.notes);
        Self { lister, ignored, walked, levels: Vec::new() }
    }

    fn go(&mut self, root: &Path, own: &Own, cancelled: &dyn Fn() -> bool) {
        let mut path = String::new();
        self.enter(root.to_path_buf(), &path);
        while let Some(level) = self.levels.last_mut() {
            path.truncate(level.prefix);
            let Some((item, way)) = level.items.next() else {
                self.ignored.leave();
                self.levels.pop();
                continue;
            };
            path.push_str(&item.text);
            match (way, item.kind) {
                (_, Kind::Other) => self.walked.passed.links += 1,
                (_, Kind::File(_)) if own.is(&level.folder, &item.text) => {}
                (Way::Ignored, _) => self.walked.passed.ignored += 1,
                (Way::Folder, _) => self.walked.passed.folders += 1,
                (Way::Name, _) => self.walked.passed.names += 1,
                (Way::Secret, _) => self.walked.passed.secrets += 1,
                (Way::In, Kind::File(Ok(stat))) => self.walked.add(&path, stat),
                // It was removed in the meantime.
                (Way::In, Kind::File(Err(error))) if error.kind() == std::io::ErrorKind::NotFound => {}
                (Way::In, Kind::File(Err(error))) => self.walked.fail(&path, &error),
                (Way::In, Kind::Folder) => {
                    if cancelled() {
                        return;
                    }
                    let folder = level.folder.join(&item.name);
                    path.push('/');
                    self.enter(folder, &path);
                }
            }
        }
    }

    fn enter(&mut self, folder: PathBuf, path: &str) {
        let items = match self.lister.take(&folder) {
            // Another work tree of a repository holds the same files once more.
            Ok(items) if !path.is_empty() && is_work_tree(&folder, &items) => {
                self.walked.passed.folders += 1;
                return;
            }
            Ok(items) => items,
            Err(error) => return self.walked.fail(path.trim_end_matches('/'), &error),
        };
        let names: Vec<&str> = items.iter().filter(|it| it.is_file()).map(|it| it.text.as_str()).collect();
        self.ignored.enter(&folder, &names, &mut self.walked.notes);
        let items: Vec<(Item, Way)> = items
            .into_iter()
            .map(|item| {
                let way = self.way(&folder, path, &item);
                (item, way)
            })
            .collect();
        let next = items.iter().filter(|(item, way)| *way == Way::In && item.is_folder());
        self.lister.want(next.map(|(item, _)| folder.join(&item.name)));
        self.walked.folders.push(folder.clone());
        self.levels.push(Level { items: items.into_iter(), folder, prefix: path.len() });
    }

    /// An ignore file may ask by `!name` for what is passed over by its name.
    fn way(&mut self, folder: &Path, path: &str, item: &Item) -> Way {
        let name = item.text.as_str();
        if name == ".git" {
            return Way::Folder;
        }
        let verdict = match item.kind {
            Kind::Other => return Way::In,
            Kind::Folder => self.ignored.verdict(folder, &item.name, true),
            Kind::File(_) => self.ignored.verdict(folder, &item.name, false),
        };
        match verdict {
            Verdict::Out => Way::Ignored,
            Verdict::In => Way::In,
            Verdict::None if item.is_file() => {
                if NAMES.contains(&name) {
                    Way::Name
                } else if is_secret_file(&format!("/{path}{name}")) {
                    Way::Secret
                } else {
                    Way::In
                }
            }
            Verdict::None => {
                let made = MADE.contains(&name) && !self.ignored.is_tracked(&format!("{path}{name}"));
                if made || FOREIGN.contains(&name) { Way::Folder } else { Way::In }
            }
        }
    }
}

/// The files of the index: the database, its log, its lock.
pub(super) struct Own {
    folder: PathBuf,
    name: String,
}

impl Own {
    pub(super) fn of(db: &Path) -> Self {
        let folder = db.parent().unwrap_or(db);
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
        let name = db.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self { folder, name }
    }

    /// Whether the file `name` in `folder` is one of them.
    pub(super) fn is(&self, folder: &Path, name: &str) -> bool {
        let rest = name.strip_prefix(self.name.as_str()).filter(|_| !self.name.is_empty());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.'])) && self.folder == folder
    }
}

fn is_work_tree(folder: &Path, items: &[Item]) -> bool {
    let small = |item: &Item| {
        item.text == ".git" && matches!(&item.kind, Kind::File(Ok(stat)) if stat.size < LINK_BYTES_MAX)
    };
    if !items.iter().any(small) {
        return false;
    }
    let text = std::fs::read_to_string(folder.join(".git")).unwrap_or_default();
    let kind = text.trim_end().rsplit(['/', '\\']).find(|it| matches!(*it, "modules" | "worktrees"));
    kind == Some("worktrees")
}

#[cfg(test)]
mod tests;
