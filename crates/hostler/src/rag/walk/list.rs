//! What folders hold, listed ahead of the one who goes through them.
//!
//! The walk is in order and in one thread; what takes its time is the system, which is asked about every folder and file.
//! Helpers ask about the folders that come next. Whoever needs a list that nobody has begun makes it himself, so nothing
//! ever waits for a helper that has something else to do.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::mtime_ns;

/// Lists that lie ready and nobody has taken yet.
const READY_MAX: usize = 32;
/// More helpers than these wait for the one who goes through.
const HELPERS_MAX: usize = 3;

/// What a folder holds.
pub(super) struct Item {
    /// Its name, reversibly as text: see [`super::file_of`].
    pub(super) text: String,
    /// Its name.
    pub(super) name: OsString,
    /// What it is.
    pub(super) kind: Kind,
}

/// What something in a folder is.
pub(super) enum Kind {
    Folder,
    File(io::Result<Stat>),
    /// A link, a pipe.
    Other,
}

/// Size and time of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stat {
    /// In bytes.
    pub(super) size: u64,
    /// See [`mtime_ns`].
    pub(super) mtime_ns: i64,
}

impl Item {
    pub(super) fn is_file(&self) -> bool {
        matches!(self.kind, Kind::File(_))
    }

    pub(super) fn is_folder(&self) -> bool {
        matches!(self.kind, Kind::Folder)
    }
}

type List = io::Result<Vec<Item>>;

/// Lists folders ahead.
#[derive(Default)]
pub(super) struct Lister {
    state: Mutex<State>,
    /// Something is wanted, or there is room.
    wanted: Condvar,
    /// A list is ready.
    ready: Condvar,
}

#[derive(Default)]
struct State {
    /// The next one last.
    wanted: Vec<PathBuf>,
    begun: usize,
    ready: HashMap<PathBuf, List>,
    stopped: bool,
}

/// Ends the helpers when it goes.
pub(super) struct Stop<'a>(&'a Lister);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.lock().stopped = true;
        self.0.wanted.notify_all();
    }
}

impl Lister {
    /// How many helpers there should be.
    pub(super) fn helpers() -> usize {
        std::thread::available_parallelism().map_or(0, |it| it.get() - 1).min(HELPERS_MAX)
    }

    pub(super) fn stop_on_drop(&self) -> Stop<'_> {
        Stop(self)
    }

    /// Lists what is wanted until it is stopped.
    pub(super) fn help(&self) {
        let mut state = self.lock();
        while !state.stopped {
            let room = state.ready.len() + state.begun < READY_MAX;
            let Some(folder) = (if room { state.wanted.pop() } else { None }) else {
                state = self.wanted.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.begun += 1;
            drop(state);
            let listed = list(&folder);
            state = self.lock();
            state.begun -= 1;
            state.ready.insert(folder, listed);
            self.ready.notify_one();
        }
    }

    /// These are gone through next, in this order.
    pub(super) fn want(&self, folders: impl DoubleEndedIterator<Item = PathBuf>) {
        let mut state = self.lock();
        state.wanted.extend(folders.rev());
        drop(state);
        self.wanted.notify_all();
    }

    /// What `folder` holds.
    pub(super) fn take(&self, folder: &Path) -> List {
        let mut state = self.lock();
        loop {
            if let Some(listed) = state.ready.remove(folder) {
                drop(state);
                self.wanted.notify_one();
                return listed;
            }
            if let Some(at) = state.wanted.iter().rposition(|it| it == folder) {
                state.wanted.remove(at);
                drop(state);
                return list(folder);
            }
            if state.begun == 0 {
                // Nobody was told that it is wanted.
                drop(state);
                return list(folder);
            }
            state = self.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn list(folder: &Path) -> List {
    let mut items = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_dir() => Kind::Folder,
            Ok(kind) if kind.is_file() => {
                Kind::File(entry.metadata().map(|meta| Stat { size: meta.len(), mtime_ns: mtime_ns(&meta) }))
            }
            _ => Kind::Other,
        };
        items.push(Item { text: text_of(&name), name, kind });
    }
    items.sort_unstable_by(by_path);
    // Two names may have one text; the index has one row for it.
    items.dedup_by(|a, b| a.text == b.text && a.is_folder() == b.is_folder());
    Ok(items)
}

/// The order of the paths that come of two names: a folder's go on with `/`.
fn by_path(a: &Item, b: &Item) -> Ordering {
    fn bytes(item: &Item) -> impl Iterator<Item = u8> {
        item.text.bytes().chain(item.is_folder().then_some(b'/'))
    }
    bytes(a).cmp(bytes(b))
}

/// A name as text, reversibly: see [`super::file_of`].
fn text_of(name: &OsStr) -> String {
    use std::fmt::Write as _;
    if let Some(text) = name.to_str() {
        return text.to_owned();
    }
    let mut out = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a `String` cannot fail.
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out
}
