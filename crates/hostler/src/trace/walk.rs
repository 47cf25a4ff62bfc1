//! Every source file of a project: what git would track, read at most once for each change.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use globset::GlobSet;
use hostler_trace::settings::{FILE_BYTES_MAX, Settings, globs_of};
use hostler_trace::{Pattern, Source, tag};
use ignore::{DirEntry, WalkBuilder, WalkState};

use super::cache::{Cache, Draft, Seen, Stamp, stored};

/// Folders whose content others wrote, where no `.gitignore` says so.
const FOREIGN: &[&str] =
    &[".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__", ".venv", "venv", ".tox"];
/// A file with a zero byte this early is no text, bytes.
const HEAD_BYTES: usize = 8 * 1024;
/// Most files that could not be read and are named.
const UNREADABLE_NAMED_MAX: usize = 10;

/// What the walk came to.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Files with tags, by path.
    pub(crate) sources: Vec<Source>,
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
    WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .filter_entry(|entry| !is_foreign(entry))
        .threads(std::thread::available_parallelism().map_or(1, usize::from).min(8))
        .build_parallel()
        .run(|| {
            Box::new(|entry| {
                let result = visit(entry, root, &filter, &cache, pattern);
                let mut all = collected.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                all.take(result);
                WalkState::Continue
            })
        });
    let Collected { mut found, counts, mut notes } =
        collected.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
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
    Ok(Walked { sources, counts, notes })
}

fn is_foreign(entry: &DirEntry) -> bool {
    entry.depth() != 0
        && entry.file_name().to_str().is_some_and(|name| FOREIGN.contains(&name))
        // In a linked work tree `.git` is a file.
        && (entry.file_type().is_some_and(|it| it.is_dir()) || entry.file_name() == ".git")
}

enum Visited {
    Nothing,
    Found(Found, bool),
    Large,
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
            Visited::Large => self.counts.large += 1,
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
    filter: &Filter,
    cache: &Cache,
    pattern: &Pattern,
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
    if filter.exclude.is_match(&path) || filter.include.as_ref().is_some_and(|it| !it.is_match(&path)) {
        return Visited::Nothing;
    }
    let stamp = match entry.metadata() {
        Ok(meta) => Stamp::of(&meta),
        Err(error) => return Visited::Unreadable(format!("not read: `{path}`: {error}")),
    };
    if filter.bytes_max < stamp.size {
        return Visited::Large;
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
    let bytes = match read(entry.path(), filter.bytes_max) {
        Ok(bytes) => bytes,
        // It was removed in the meantime.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Visited::Nothing,
        Err(error) => return Visited::Unreadable(format!("not read: `{path}`: {error}")),
    };
    let (binary, tags) = match text(&path, &bytes) {
        Text::Binary => (true, String::new()),
        Text::NoTags => (false, String::new()),
        Text::Some(text) => (false, stored(&tag::read(&path, &text, pattern))),
    };
    Visited::Found(Found { path, stamp, binary, tags }, false)
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
    let units = |of: fn([u8; 2]) -> u16| -> String {
        let units = bytes.get(2..).unwrap_or_default().chunks_exact(2).map(|it| of([it[0], it[1]]));
        char::decode_utf16(units).map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xff, 0xfe, ..] => Text::Some(units(u16::from_le_bytes).into()),
        [0xfe, 0xff, ..] => Text::Some(units(u16::from_be_bytes).into()),
        _ if memchr::memchr(0, &bytes[..bytes.len().min(HEAD_BYTES)]).is_some() => Text::Binary,
        _ if tag::may_hold(path, bytes) => Text::Some(String::from_utf8_lossy(bytes)),
        _ => Text::NoTags,
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
