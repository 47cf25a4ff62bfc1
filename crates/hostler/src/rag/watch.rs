//! Keeps an index current: a run whenever something moved and then lay still.
//!
//! What is watched are the folders that the walk went into, and no others: what a build writes wakes nobody. Events are
//! a hint only, each run looks at the whole tree. So a lost event, a full queue or a system without a place for another
//! watch costs time and nothing else: then there is a run at fixed intervals.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::walk::Own;
use super::{Embedder, Error, Indexed, Options, Place, index};

/// Files lie still when nothing moved for so long.
const QUIET: Duration = Duration::from_millis(200);
/// A tree in which something always moves is looked at after so long.
const RESTLESS: Duration = Duration::from_secs(5);
/// Runs begin at least so many times as far apart as the last one took: a large tree must not keep a core busy.
const PAUSE_FACTOR: u32 = 5;
/// Between runs where not every folder can be watched.
const INTERVAL: Duration = Duration::from_secs(15);
/// Between runs where all are: events of network folders and of mounts may be missing.
const INTERVAL_WATCHED: Duration = Duration::from_secs(600);
/// How soon an end that is asked for is seen.
const POLL: Duration = Duration::from_millis(250);
/// Folders are watched one by one where the system can do that cheaply, so that those that are not walked stay out.
const ONE_BY_ONE: bool = cfg!(target_os = "linux");

/// What a watcher tells.
#[derive(Debug)]
pub(crate) enum Told<'a> {
    /// A run ended, and changed the index or was the first.
    Indexed(&'a Indexed),
    /// Everything is indexed, and so many folders are watched.
    Waiting(usize),
    /// A run failed; the next one is tried.
    Failed(&'a Error),
    /// Something else that people should know.
    Note(String),
}

/// Keeps the index current until `cancelled`.
///
/// # Errors
/// The first run fails. What fails later is told, and tried again.
pub(crate) fn watch(
    place: &Place,
    root: Option<&Path>,
    embedder: &dyn Embedder,
    tell: &mut dyn FnMut(Told<'_>),
    cancelled: &dyn Fn() -> bool,
) -> Result<(), Error> {
    let (mut folders, moved) = Folders::new(&place.db);
    let mut options = Options { root, ..Options::default() };
    let (mut indexed_once, mut waiting) = (false, false);
    loop {
        let begun = Instant::now();
        // What moves from here on asks for another run.
        while moved.try_recv().is_ok() {}
        match index(place, options, embedder, &mut |_| {}, cancelled) {
            Ok(indexed) => {
                if !indexed_once || 0 < indexed.rechunked + indexed.purged {
                    tell(Told::Indexed(&indexed));
                }
                indexed_once = true;
                // From now on the index knows it.
                options.root = None;
                if folders.follow(&indexed, tell) {
                    // What came into a folder before it was watched.
                    continue;
                }
                if !waiting {
                    tell(Told::Waiting(folders.watched.len()));
                    waiting = true;
                }
            }
            Err(Error::Cancelled) => return Ok(()),
            Err(error) if indexed_once => tell(Told::Failed(&error)),
            Err(error) => return Err(error),
        }
        let interval = if folders.complete { INTERVAL_WATCHED } else { INTERVAL };
        if !rest(&moved, interval, begun.elapsed() * PAUSE_FACTOR, cancelled) {
            return Ok(());
        }
    }
}

/// Waits until something moved and lies still again, or `interval` is over, and for `pause` at least. `false` when the
/// caller asks for an end.
fn rest(moved: &Receiver<()>, interval: Duration, pause: Duration, cancelled: &dyn Fn() -> bool) -> bool {
    let begun = Instant::now();
    let wait = |time: Duration| match moved.recv_timeout(time) {
        Ok(()) => true,
        Err(RecvTimeoutError::Timeout) => false,
        Err(RecvTimeoutError::Disconnected) => {
            // Without a watcher nobody sends.
            std::thread::sleep(time);
            false
        }
    };
    while begun.elapsed() < interval && !wait(POLL) {
        if cancelled() {
            return false;
        }
    }
    let moving = Instant::now();
    while moving.elapsed() < RESTLESS && wait(QUIET) {}
    while begun.elapsed() < pause {
        if cancelled() {
            return false;
        }
        wait(POLL.min(pause.saturating_sub(begun.elapsed())));
    }
    !cancelled()
}

struct Folders {
    watcher: Option<RecommendedWatcher>,
    watched: HashSet<PathBuf>,
    /// Every folder is watched.
    complete: bool,
    told: bool,
}

impl Folders {
    fn new(db: &Path) -> (Self, Receiver<()>) {
        let (sender, receiver) = channel();
        let own = Own::of(db);
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // An error means that events may be missing.
            if event.is_ok_and(|event| !is_change(&event, &own)) {
                return;
            }
            // Nobody listens any more: the watcher is about to go.
            let _ = sender.send(());
        });
        let watcher = watcher.ok();
        (Self { watcher, watched: HashSet::new(), complete: false, told: false }, receiver)
    }

    /// Watches the folders that a run went into, and no others. Whether one is watched that was not.
    fn follow(&mut self, indexed: &Indexed, tell: &mut dyn FnMut(Told<'_>)) -> bool {
        let mode = if ONE_BY_ONE { RecursiveMode::NonRecursive } else { RecursiveMode::Recursive };
        let folders: HashSet<&PathBuf> =
            indexed.folders.iter().take(if ONE_BY_ONE { usize::MAX } else { 1 }).collect();
        let Some(watcher) = &mut self.watcher else {
            self.tell_incomplete("the system offers no way to watch folders", tell);
            return false;
        };
        self.watched.retain(|folder| {
            let stays = folders.contains(folder);
            if !stays {
                // It is most likely gone, and its watch with it.
                let _ = watcher.unwatch(folder);
            }
            stays
        });
        let before = self.watched.len();
        let mut failed = None;
        for folder in folders {
            if self.watched.contains(folder) {
                continue;
            }
            match watcher.watch(folder, mode) {
                Ok(()) => {
                    self.watched.insert(folder.clone());
                }
                Err(error) if matches!(error.kind, notify::ErrorKind::PathNotFound) => {}
                Err(error) => {
                    let full = matches!(error.kind, notify::ErrorKind::MaxFilesWatch);
                    failed = Some(error);
                    if full {
                        break;
                    }
                }
            }
        }
        self.complete = failed.is_none();
        if let Some(error) = failed {
            let why = match error.kind {
                notify::ErrorKind::MaxFilesWatch => {
                    "the system allows no more watches (`fs.inotify.max_user_watches`)".to_owned()
                }
                _ => error.to_string(),
            };
            self.tell_incomplete(&why, tell);
        }
        before < self.watched.len()
    }

    fn tell_incomplete(&mut self, why: &str, tell: &mut dyn FnMut(Told<'_>)) {
        if !self.told {
            self.told = true;
            let seconds = INTERVAL.as_secs();
            tell(Told::Note(format!(
                "not every folder is watched: {why}; looking every {seconds} s as well"
            )));
        }
    }
}

/// Whether an event says that a file may be another one now. Reading is none: our own runs read.
fn is_change(event: &Event, own: &Own) -> bool {
    let kind = match event.kind {
        EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) | EventKind::Any => true,
        EventKind::Access(_) | EventKind::Other => false,
    };
    let is_own = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.parent().is_some_and(|folder| own.is(folder, &name))
    };
    event.need_rescan() || kind && (event.paths.is_empty() || !event.paths.iter().all(is_own))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use notify::event::{AccessKind, CreateKind, Flag, ModifyKind};

    use super::*;

    #[track_caller]
    fn check(event: &Event, expected: bool) {
        assert_eq!(is_change(event, &Own::of(Path::new("/nowhere/rag.db"))), expected, "{event:?}");
    }

    #[test]
    fn reading_and_the_index_itself_wake_nobody() {
        let of = |kind, path: &str| Event::new(kind).add_path(path.into());
        check(&of(EventKind::Modify(ModifyKind::Any), "/p/a.rs"), true);
        check(&of(EventKind::Create(CreateKind::File), "/p/a.rs"), true);
        check(&of(EventKind::Access(AccessKind::Any), "/p/a.rs"), false);
        check(&of(EventKind::Modify(ModifyKind::Any), "/nowhere/rag.db-wal"), false);
        check(&of(EventKind::Modify(ModifyKind::Any), "/nowhere/rag.txt"), true);
        check(&Event::new(EventKind::Other), false);
        // Lost events.
        check(&Event::new(EventKind::Other).set_flag(Flag::Rescan), true);
    }

    #[test]
    fn a_rest_ends_when_something_moved_or_nobody_waits() {
        let (sender, receiver) = channel();
        sender.send(()).unwrap();
        assert!(rest(&receiver, Duration::from_secs(3600), Duration::ZERO, &|| false));
        assert!(!rest(&receiver, Duration::from_secs(3600), Duration::ZERO, &|| true));
        assert!(rest(&receiver, Duration::ZERO, Duration::ZERO, &|| false));
        drop(sender);
        assert!(rest(&receiver, Duration::from_millis(1), Duration::ZERO, &|| false));
    }
}
