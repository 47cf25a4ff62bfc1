//! The one document on stdout, given once: by the call itself, or by the watchdog when time is up.

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Somebody has begun to answer.
static GIVEN: AtomicBool = AtomicBool::new(false);
/// The watchdog is there.
static WATCHED: AtomicBool = AtomicBool::new(false);
/// What the watchdog says when time is up: the best that is known so far.
static FALLBACK: Mutex<String> = Mutex::new(String::new());
/// When time is up.
static DEADLINE: Mutex<Option<Instant>> = Mutex::new(None);

/// Prints `document`, unless the watchdog is already answering; then it waits for the process to end.
pub(super) fn give(document: &str) {
    if GIVEN.swap(true, Ordering::SeqCst) {
        std::thread::sleep(Duration::from_secs(1));
        return;
    }
    print(document);
}

/// From now on `late` is said at `deadline` if nothing was said by then, and the process ends; what was to be said
/// before, and when, counts no more. Only calls
/// that touch files which may hang (a dead network mount) or start a process come here: the thread is not
/// on the path of a plain call.
pub(super) fn watch(deadline: Instant, late: String) {
    if let Ok(mut fallback) = FALLBACK.lock() {
        *fallback = late;
    }
    if let Ok(mut current) = DEADLINE.lock() {
        *current = Some(deadline);
    }
    if WATCHED.swap(true, Ordering::SeqCst) {
        return;
    }
    let watchdog = move || {
        while let Some(left) = left(deadline) {
            std::thread::sleep(left);
        }
        if !GIVEN.swap(true, Ordering::SeqCst) {
            let document = FALLBACK.lock().map(|fallback| fallback.clone()).unwrap_or_default();
            print(&document);
            std::process::exit(0);
        }
    };
    // Without a thread the call is slower than it should be at worst.
    let _ = std::thread::Builder::new().name("watchdog".to_owned()).spawn(watchdog);
}

/// How much of the time is left; `None` when it is up.
fn left(first: Instant) -> Option<Duration> {
    let deadline = DEADLINE.lock().map_or(first, |current| current.unwrap_or(first));
    Some(deadline.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero())
}

/// Whether a watchdog is there, so that it pays to tell it more.
pub(super) fn is_watched() -> bool {
    WATCHED.load(Ordering::SeqCst)
}

/// Says something on stderr, which hosts keep for whoever looks there.
pub(super) fn remark(text: &str) {
    // A host that closed it reads nothing.
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn print(document: &str) {
    if document.is_empty() {
        return;
    }
    let mut out = std::io::stdout().lock();
    // A host that closed the pipe reads no answer at all.
    let _ = writeln!(out, "{document}").and_then(|()| out.flush());
}
