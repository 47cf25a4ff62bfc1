//! The one document on stdout, given once: by the call itself, or by the watchdog when time is up.

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Somebody has begun to answer.
static GIVEN: AtomicBool = AtomicBool::new(false);
/// The answer is out: what is done now, nobody waits for.
static PRINTED: AtomicBool = AtomicBool::new(false);
/// The watchdog is there.
static WATCHED: AtomicBool = AtomicBool::new(false);
/// What the watchdog knows.
static WATCH: Mutex<Watch> = Mutex::new(Watch { deadline: None, late: String::new() });
/// What is done once the answer was given.
static AFTERWARDS: Mutex<Vec<Box<dyn FnOnce() + Send>>> = Mutex::new(Vec::new());

/// When time is up, and what is said then.
#[derive(Debug)]
struct Watch {
    deadline: Option<Instant>,
    /// The best that is known so far.
    late: String,
}

impl Watch {
    /// The latest deadline counts: what may take longer than what was watched before it is not ended by that.
    fn set(&mut self, deadline: Instant, late: String) {
        self.deadline = self.deadline.max(Some(deadline));
        self.late = late;
    }

    /// How long there still is time; `None` when it is up.
    fn left(&self, now: Instant) -> Option<Duration> {
        self.deadline?.checked_duration_since(now).filter(|left| !left.is_zero())
    }
}

/// Prints `document`, unless the watchdog is already answering; then it waits for the process to end.
pub(super) fn give(document: &str) {
    if GIVEN.swap(true, Ordering::SeqCst) {
        std::thread::sleep(Duration::from_secs(1));
        return;
    }
    print(document);
    PRINTED.store(true, Ordering::SeqCst);
    let actions = AFTERWARDS.lock().map(|mut actions| std::mem::take(&mut *actions)).unwrap_or_default();
    for action in actions {
        action();
    }
}

/// Does `action` when the answer was given, and not when the watchdog answered instead.
pub(super) fn afterwards(action: impl FnOnce() + Send + 'static) {
    if let Ok(mut actions) = AFTERWARDS.lock() {
        actions.push(Box::new(action));
    }
}

/// From now on `late` is said at `deadline` if nothing was said by then, and the process ends; where something is
/// watched already, at the later deadline of both. Only calls that touch files which may hang (a dead network mount),
/// that start a process or that read what somebody typed come here: the thread is not on the path of a plain call.
pub(super) fn watch(deadline: Instant, late: String) {
    if let Ok(mut watch) = WATCH.lock() {
        watch.set(deadline, late);
    }
    if WATCHED.swap(true, Ordering::SeqCst) {
        return;
    }
    let left = || WATCH.lock().ok().and_then(|watch| watch.left(Instant::now()));
    let watchdog = move || {
        while let Some(left) = left() {
            std::thread::sleep(left);
        }
        if !GIVEN.swap(true, Ordering::SeqCst) {
            let document = WATCH.lock().map(|watch| watch.late.clone()).unwrap_or_default();
            print(&document);
            std::process::exit(0);
        }
        if PRINTED.load(Ordering::SeqCst) {
            std::process::exit(0);
        }
    };
    // Without a thread the call is slower than it should be at worst.
    let _ = std::thread::Builder::new().name("watchdog".to_owned()).spawn(watchdog);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_watches_in_one_call_the_later_deadline_and_the_last_words_count() {
        let now = Instant::now();
        let seconds = Duration::from_secs;
        let mut watch = Watch { deadline: None, late: String::new() };
        assert_eq!(watch.left(now), None);
        watch.set(now + seconds(4), "a reminder took too long".to_owned());
        assert_eq!(watch.left(now), Some(seconds(4)));
        // The watchdog sleeps for four seconds and asks again.
        watch.set(now + seconds(8), "the close goes on by itself".to_owned());
        assert_eq!(watch.left(now + seconds(4)), Some(seconds(4)));
        watch.set(now + seconds(4), "the view took too long".to_owned());
        assert_eq!(
            (watch.left(now + seconds(4)), watch.late.as_str()),
            (Some(seconds(4)), "the view took too long")
        );
        assert_eq!(watch.left(now + seconds(8)), None);
    }
}
