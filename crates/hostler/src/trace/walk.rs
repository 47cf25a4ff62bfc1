//! Every source file of a project: what git would track, read at most once for each change.

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::Path;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use globset::GlobSet;
use hostler_trace::settings::{FILE_BYTES_MAX, Settings, globs_of};
use hostler_trace::{Pattern, Source, tag};
use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::project::Project;

use super::cache::{Cache, Draft, Seen, Stamp, stored};
use super::tracked::Tracked;

/// Folders whose content others wrote, where no `.gitignore` says so.
const FOREIGN: &[&str] =
    &[".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__", ".venv", "venv", ".tox"];
/// A file with a zero byte this early is no text, bytes.
const HEAD_BYTES: usize = 8 * 1024;
/// Longest file that leads to a git folder and is read, bytes.
const LINK_BYTES_MAX: u64 = 16 * 1024;
/// Most files that could not be read and are named.
const UNREADABLE_NAMED_MAX: usize = 10;

/// What the walk came to.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Files with tags, by path.
    pub(crate) sources: Vec<Source>,
    /// Every file that there is, also those that were passed over.
    pub(crate) paths: Vec<String>,
    pub(crate) counts: Counts,
    /// What could not be read; the first ones are named.
    pub(crate) notes: Vec<String>,
}

/// How many files.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Searched for tags.
    pub(crate) files: usize,
    /// Of these, known from the last time.
    pub(crate) known: usize,
    /// Passed over: no texts.
    pub(crate) binary: usize,
    /// Passed over: longer than the limit.
    pub(crate) large: usize,
    /// Could not be read.
    pub(crate) unreadable: usize,
}

/// One file as it was found.
struct Found {
    path: String,
    stamp: Stamp,
    binary: bool,
    /// As JSON.
    tags: String,
}

#[derive(Default)]
struct Collected {
    found: Vec<Found>,
    others: Vec<String>,
    counts: Counts,
    notes: Vec<String>,
}

struct Filter {
    include: Option<GlobSet>,
    exclude: GlobSet,
    tests: GlobSet,
    bytes_max: u64,
}

/// Walks the project. `state`: where the cache is; nothing is remembered without one.
pub(crate) fn walk(
    root: &Path,
    settings: &Settings,
    pattern: &Pattern,
    state: Option<&Path>,
) -> anyhow::Result<Walked> {
    let sources = &settings.sources;
    let filter = Filter {
        include: if sources.include.is_empty() { None } else { Some(globs_of(&sources.include)?) },
        exclude: globs_of(&sources.exclude)?,
        tests: globs_of(&sources.tests)?,
        bytes_max: sources.file_bytes_max.unwrap_or(FILE_BYTES_MAX),
    };
    // What a file's tags depend on besides the file.
    let key = format!("{:?} {}", settings.ids, filter.bytes_max);
    let file = state.map(|state| Cache::file(state, root));
    let cache = file.as_deref().map_or_else(Cache::empty, |file| Cache::load(file, &key));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_ns = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);

    let collected = Mutex::new(Collected::default());
    let in_git = Project::find(root).git_dir.is_some();
    let tracked = in_git.then(|| Tracked::ask(root));
    let look = |path: String, file: &Path, meta: &Metadata| look(path, file, meta, &filter, &cache, pattern);
    WalkBuilder::new(root)
        .hidden(false)
        // Files of this name are other programs', not git's.
        .ignore(false)
        // What lies above a repository says nothing about it.
        .require_git(in_git)
        .parents(in_git)
        .filter_entry(|entry| !is_foreign(entry))
        .threads(std::thread::available_parallelism().map_or(1, usize::from).min(8))
        .build_parallel()
        .run(|| {
            Box::new(|entry| {
                let result = visit(entry, root, &look);
                let mut all = collected.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                all.take(result);
                WalkState::Continue
            })
        });
    let mut collected = collected.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    for path in tracked.map(Tracked::paths).unwrap_or_default() {
        let foreign = path.split('/').any(|it| FOREIGN.contains(&it));
        let file = root.join(&path);
        let Ok(meta) = std::fs::symlink_metadata(&file) else { continue };
        if meta.is_file() && !foreign {
            collected.take(look(path, &file, &meta));
        }
    }
    let Collected { mut found, others, counts, mut notes } = collected;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    notes.sort();
    if UNREADABLE_NAMED_MAX < notes.len() {
        let more = notes.len() - UNREADABLE_NAMED_MAX;
        notes.truncate(UNREADABLE_NAMED_MAX);
        notes.push(format!("{more} more could not be read"));
    }

    let current = counts.known == found.len() && counts.known == cache.len();
    if let Some(file) = file.filter(|_| !current) {
        let mut draft = Draft::new(&key, now_ns);
        for it in &found {
            draft.add(&it.path, it.stamp, it.binary, &it.tags);
        }
        if let Err(error) = draft.write(&file) {
            notes.push(format!("what was read is not remembered: {error}"));
        }
    }
    notes.extend(unmatched(&sources.include, &found)?);
    let paths = found.iter().map(|it| it.path.clone()).chain(others).collect();
    let sources = found
        .into_iter()
        .filter(|it| !it.tags.is_empty())
        .map(|it| {
            let tags = serde_json::from_str(&it.tags).unwrap_or_default();
            Source {
                test: tag::is_test_path(&it.path) || filter.tests.is_match(&it.path),
                tags,
                path: it.path,
            }
        })
        .collect();
    Ok(Walked { sources, paths, counts, notes })
}

/// Patterns of what is to be searched that no file matches; most often they are typed wrong.
fn unmatched(include: &[String], found: &[Found]) -> anyhow::Result<Vec<String>> {
    let mut out = Vec::new();
    for glob in include {
        let set = globs_of(std::slice::from_ref(glob))?;
        if !found.iter().any(|it| set.is_match(&it.path)) {
            out.push(format!("nothing is searched of `{glob}`: no file matches it"));
        }
    }
    Ok(out)
}

fn is_foreign(entry: &DirEntry) -> bool {
    if entry.depth() == 0 {
        return false;
    }
    let folder = entry.file_type().is_some_and(|it| it.is_dir());
    entry.file_name().to_str().is_some_and(|name| FOREIGN.contains(&name))
        // In a linked work tree `.git` is a file.
        && (folder || entry.file_name() == ".git")
        || folder && is_other_repository(entry.path())
}

/// A repository of its own, or another work tree of this one; what is checked out as a submodule is part of the project.
fn is_other_repository(folder: &Path) -> bool {
    let git = folder.join(".git");
    let Ok(meta) = std::fs::symlink_metadata(&git) else { return false };
    if !meta.is_file() {
        return git.join("HEAD").exists();
    }
    let target = read(&git, LINK_BYTES_MAX).unwrap_or_default();
    let target = String::from_utf8_lossy(&target);
    let kind = target.trim_end().rsplit(['/', '\\']).find(|it| matches!(*it, "modules" | "worktrees"));
    kind != Some("modules")
}

enum Visited {
    Nothing,
    /// It is not searched.
    Other(String),
    Found(Found, bool),
    Large(String),
    Unreadable(String),
}

impl Collected {
    fn take(&mut self, visited: Visited) {
        match visited {
            Visited::Nothing => {}
            Visited::Found(found, known) => {
                self.counts.files += usize::from(!found.binary);
                self.counts.binary += usize::from(found.binary);
                self.counts.known += usize::from(known);
                self.found.push(found);
            }
            Visited::Other(path) => self.others.push(path),
            Visited::Large(path) => {
                self.counts.large += 1;
                self.others.push(path);
            }
            Visited::Unreadable(note) => {
                self.counts.unreadable += 1;
                self.notes.push(note);
            }
        }
    }
}

fn visit(
    entry: Result<DirEntry, ignore::Error>,
    root: &Path,
    look: &impl Fn(String, &Path, &Metadata) -> Visited,
) -> Visited {
    let entry = match entry {
        Ok(entry) => entry,
        Err(error) => return Visited::Unreadable(format!("not read: {error}")),
    };
    // Links are not followed: what they lead to is in the project itself, or is not part of it.
    if !entry.file_type().is_some_and(|it| it.is_file()) {
        return Visited::Nothing;
    }
    let Ok(below) = entry.path().strip_prefix(root) else { return Visited::Nothing };
    let path = slashed(below);
    match entry.metadata() {
        Ok(meta) => look(path, entry.path(), &meta),
        Err(error) => Visited::Unreadable(format!("not read: `{path}`: {error}")),
    }
}

/// `path`: as it is told; a name that is no text is another one in `file`.
fn look(
    path: String,
    file: &Path,
    meta: &Metadata,
    filter: &Filter,
    cache: &Cache,
    pattern: &Pattern,
) -> Visited {
    if filter.exclude.is_match(&path) || filter.include.as_ref().is_some_and(|it| !it.is_match(&path)) {
        return Visited::Other(path);
    }
    let stamp = Stamp::of(meta);
    if filter.bytes_max < stamp.size {
        return Visited::Large(path);
    }
    match cache.get(&path, stamp) {
        Some(Seen::Binary) => {
            return Visited::Found(Found { path, stamp, binary: true, tags: String::new() }, true);
        }
        Some(Seen::Text(tags)) => {
            let tags = tags.to_owned();
            return Visited::Found(Found { path, stamp, binary: false, tags }, true);
        }
        None => {}
    }
    let bytes = match read(file, filter.bytes_max) {
        Ok(bytes) => bytes,
        // It was removed in the meantime.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Visited::Nothing,
        Err(error) => return Visited::Unreadable(format!("not read: `{path}`: {error}")),
    };
    let (binary, tags) = match text(&path, &bytes) {
        Text::Binary => (true, String::new()),
        Text::NoTags => (false, String::new()),
        Text::Some(text) => match unharmed(|| tag::read(&path, &text, pattern)) {
            Some(tags) => (false, stored(&tags)),
            None => {
                return Visited::Unreadable(format!(
                    "not read: `{path}`: a fault of hostler; see `hostler doctor`"
                ));
            }
        },
    };
    Visited::Found(Found { path, stamp, binary, tags }, false)
}

/// A file that a reader fails on costs that file, and not all others.
fn unharmed<T>(read: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)).ok()
}

/// Reads at most one byte more than the limit, as a file may grow while it is read.
fn read(path: &Path, bytes_max: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

enum Text<'a> {
    Binary,
    NoTags,
    Some(std::borrow::Cow<'a, str>),
}

fn text<'a>(path: &str, bytes: &'a [u8]) -> Text<'a> {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Text::Some(decoded(bytes)),
        _ if memchr::memchr(0, &bytes[..bytes.len().min(HEAD_BYTES)]).is_some() => Text::Binary,
        _ if tag::may_hold(path, bytes) => Text::Some(decoded(bytes)),
        _ => Text::NoTags,
    }
}

/// UTF-8 with odd bytes replaced; UTF-16 where it says so.
pub(super) fn decoded(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    let units = |of: fn([u8; 2]) -> u16| -> String {
        let units = bytes.get(2..).unwrap_or_default().chunks_exact(2).map(|it| of([it[0], it[1]]));
        char::decode_utf16(units).map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xff, 0xfe, ..] => units(u16::from_le_bytes).into(),
        [0xfe, 0xff, ..] => units(u16::from_be_bytes).into(),
        _ => String::from_utf8_lossy(bytes),
    }
}

/// A path with `/`, whatever the system writes.
pub(super) fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' {
        text.into_owned()
    } else {
        text.replace(std::path::MAIN_SEPARATOR, "/")
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_fault_in_a_reader_is_caught() {
        assert_eq!(unharmed(|| 1), Some(1));
        assert_eq!(unharmed(|| -> usize { panic!("a reader's fault") }), None);
    }

    #[test]
    fn submodules_are_part_of_a_project_and_other_repositories_are_not() {
        let folder = tempfile::tempdir().unwrap();
        for (name, file, expected) in [
            ("sub", "gitdir: ../.git/modules/sub\n", false),
            ("deep", "gitdir: ../.git/worktrees/w/modules/a/modules/deep", false),
            ("tree", "gitdir: /home/p/.git/worktrees/tree\n", true),
            ("tree of sub", "gitdir: ../.git/modules/sub/worktrees/x\n", true),
            ("apart", "gitdir: /srv/apart.git\n", true),
            ("odd", "", true),
        ] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
            std::fs::write(folder.path().join(name).join(".git"), file).unwrap();
            assert_eq!(is_other_repository(&folder.path().join(name)), expected, "{name}");
        }
        std::fs::create_dir_all(folder.path().join("nested/.git")).unwrap();
        assert!(!is_other_repository(&folder.path().join("nested")));
        std::fs::write(folder.path().join("nested/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        assert!(is_other_repository(&folder.path().join("nested")));
        assert!(!is_other_repository(folder.path()));
    }
}
