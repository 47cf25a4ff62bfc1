//! Who waits for one call, and the one answer that it gets: from the call itself, or from the watchdog when time is up.
//!
//! Everything that belongs to one call is in its [`Caller`], so that many may be answered at once in one process.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hostler_host::reply::Reply;

/// How one host hears an answer.
pub(crate) trait Voice: Send + Sync {
    /// Says the one answer. Called once.
    fn say(&self, reply: &Reply);

    /// Says something that hosts keep for whoever looks there.
    fn remark(&self, text: &str);

    /// How long the end of a turn may take; `None`: as long as is registered.
    fn turn_time_max(&self) -> Option<Duration> {
        None
    }

    /// What tells the end of a turn from another one that is the same in words, where the host says it.
    fn occasion(&self) -> Option<&str> {
        None
    }

    /// What follows does not decide any more how the session's next event is taken.
    fn settled(&self) {}

    /// Sees to it that [`Caller::late`] is called at the time that [`Caller::due`] says.
    fn watch(&self, caller: &Caller);

    /// The process ends with this call.
    fn is_last(&self) -> bool;
}

/// The one who waits for a call, for as long as the call lasts. Cheap to copy.
#[derive(Clone)]
pub(crate) struct Caller {
    /// When the call began.
    pub(super) started: Instant,
    /// When it has to be answered.
    pub(super) deadline: Instant,
    answer: Arc<Answer>,
}

struct Answer {
    voice: Box<dyn Voice>,
    /// Somebody has begun to answer.
    given: AtomicBool,
    /// The answer is out: what is done now, nobody waits for.
    out: AtomicBool,
    /// A watchdog is there.
    watched: AtomicBool,
    watch: Mutex<Watch>,
    /// What is done once the answer was given.
    afterwards: Mutex<Vec<Box<dyn FnOnce() + Send>>>,
}

/// When time is up, and what is said then.
#[derive(Debug, Default)]
struct Watch {
    deadline: Option<Instant>,
    /// The best that is known so far.
    late: Reply,
}

impl Watch {
    /// The latest deadline counts: what may take longer than what was watched before it is not ended by that.
    fn set(&mut self, deadline: Instant, late: Reply) {
        self.deadline = self.deadline.max(Some(deadline));
        self.late = late;
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}

impl Caller {
    /// One who began to wait at `started` and hears the answer through `voice`.
    pub(crate) fn new(started: Instant, deadline: Instant, voice: Box<dyn Voice>) -> Self {
        let answer = Answer {
            voice,
            given: AtomicBool::new(false),
            out: AtomicBool::new(false),
            watched: AtomicBool::new(false),
            watch: Mutex::default(),
            afterwards: Mutex::default(),
        };
        Self { started, deadline, answer: Arc::new(answer) }
    }

    /// The same, for a call whose work began at `started`.
    pub(crate) fn begun(self, started: Instant) -> Self {
        Self { started, ..self }
    }

    /// The same, for work that may take until `deadline`.
    pub(crate) fn until(&self, deadline: Instant) -> Self {
        Self { deadline: self.deadline.max(deadline), ..self.clone() }
    }

    /// Says `reply`, unless the watchdog has begun to answer.
    pub(crate) fn give(&self, reply: &Reply) {
        if self.answer.given.swap(true, Ordering::SeqCst) {
            if self.answer.voice.is_last() {
                // The process ends as soon as the watchdog has spoken.
                std::thread::sleep(Duration::from_secs(1));
            }
            return;
        }
        self.answer.voice.say(reply);
        self.answer.out.store(true, Ordering::SeqCst);
        let actions =
            std::mem::take(&mut *self.answer.afterwards.lock().unwrap_or_else(PoisonError::into_inner));
        for action in actions {
            action();
        }
    }

    /// Does `action` when the answer was given, and not when the watchdog answered instead.
    pub(crate) fn afterwards(&self, action: impl FnOnce() + Send + 'static) {
        self.answer.afterwards.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(action));
    }

    /// From now on `late` is said at `deadline` if nothing was said by then; where something is watched already, at
    /// the later deadline of both. Only calls that touch files which may hang (a dead network mount), that start a
    /// process or that read what somebody typed come here: the thread is not on the path of a plain call.
    pub(crate) fn watch(&self, deadline: Instant, late: Reply) {
        self.answer.watch.lock().unwrap_or_else(PoisonError::into_inner).set(deadline, late);
        if !self.answer.watched.swap(true, Ordering::SeqCst) {
            self.answer.voice.watch(self);
        }
    }

    /// Whether a watchdog is there, so that it pays to tell it more.
    pub(super) fn is_watched(&self) -> bool {
        self.answer.watched.load(Ordering::SeqCst)
    }

    /// When the watchdog has to speak; `None` where nothing is watched.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.answer.watch.lock().unwrap_or_else(PoisonError::into_inner).deadline
    }

    /// Says what is known, since time is up; `false` when somebody has begun to answer before.
    pub(crate) fn late(&self) -> bool {
        if self.answer.given.swap(true, Ordering::SeqCst) {
            return false;
        }
        let late = std::mem::take(&mut self.answer.watch.lock().unwrap_or_else(PoisonError::into_inner).late);
        self.answer.voice.say(&late);
        true
    }

    /// Somebody has begun to answer.
    pub(crate) fn is_given(&self) -> bool {
        self.answer.given.load(Ordering::SeqCst)
    }

    /// The call itself was answered, and is at most doing what nobody waits for.
    pub(super) fn is_out(&self) -> bool {
        self.answer.out.load(Ordering::SeqCst)
    }

    /// Says something beside the answer.
    pub(crate) fn remark(&self, text: &str) {
        self.answer.voice.remark(text);
    }

    /// How long the end of a turn may take; `None`: as long as is registered.
    pub(super) fn turn_time_max(&self) -> Option<Duration> {
        self.answer.voice.turn_time_max()
    }

    /// What tells the end of a turn from another one that is the same in words.
    pub(super) fn occasion(&self) -> &str {
        self.answer.voice.occasion().unwrap_or_default()
    }

    /// What follows in this call may run beside the session's next event.
    pub(super) fn settled(&self) {
        self.answer.voice.settled();
    }

    /// The process ends with this call.
    pub(super) fn is_last(&self) -> bool {
        self.answer.voice.is_last()
    }

    /// What is left of the time.
    pub(super) fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// How long the call has lasted.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Heard {
        said: Mutex<Vec<Option<String>>>,
        watches: Mutex<usize>,
    }

    impl Voice for Arc<Heard> {
        fn say(&self, reply: &Reply) {
            self.said.lock().unwrap_or_else(PoisonError::into_inner).push(reply.message.clone());
        }

        fn remark(&self, _: &str) {}

        fn watch(&self, _: &Caller) {
            *self.watches.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        }

        fn is_last(&self) -> bool {
            false
        }
    }

    fn reply(message: &str) -> Reply {
        Reply { message: Some(message.to_owned()), ..Reply::default() }
    }

    fn caller(heard: &Arc<Heard>, now: Instant) -> Caller {
        Caller::new(now, now + Duration::from_secs(4), Box::new(heard.clone()))
    }

    #[test]
    fn of_two_watches_in_one_call_the_later_deadline_and_the_last_words_count() {
        let (now, seconds) = (Instant::now(), Duration::from_secs);
        let heard = Arc::<Heard>::default();
        let caller = caller(&heard, now);
        assert_eq!((caller.due(), caller.is_watched()), (None, false));
        caller.watch(now + seconds(4), reply("a reminder took too long"));
        assert_eq!((caller.due(), caller.is_watched()), (Some(now + seconds(4)), true));
        // The watchdog sleeps for four seconds and asks again.
        caller.watch(now + seconds(8), reply("the close goes on by itself"));
        assert_eq!(caller.due(), Some(now + seconds(8)));
        caller.watch(now + seconds(4), reply("the view took too long"));
        assert_eq!(caller.due(), Some(now + seconds(8)));
        assert!(caller.late());
        assert_eq!(
            *heard.said.lock().unwrap_or_else(PoisonError::into_inner),
            [Some("the view took too long".into())]
        );
        assert_eq!(*heard.watches.lock().unwrap_or_else(PoisonError::into_inner), 1);
    }

    #[test]
    fn a_call_is_answered_once_and_what_follows_is_not_done_for_a_late_one() {
        let now = Instant::now();
        let done = Arc::new(AtomicBool::new(false));
        for late in [false, true] {
            done.store(false, Ordering::SeqCst);
            let heard = Arc::<Heard>::default();
            let caller = caller(&heard, now);
            let own = done.clone();
            caller.afterwards(move || own.store(true, Ordering::SeqCst));
            if late {
                assert!(caller.late());
            }
            caller.give(&reply("known"));
            assert!(!caller.late() && caller.is_given());
            assert_eq!(heard.said.lock().unwrap_or_else(PoisonError::into_inner).len(), 1);
            assert_eq!(done.load(Ordering::SeqCst), !late);
            assert_eq!(caller.is_out(), !late);
        }
    }
}
