//! How the plugin hears an answer: one line, put together from the reply and what was found out beside it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hostler_host::opencode::write::{Answer, Level, Log, Place};
use hostler_host::reply::Reply;

use super::out::Out;
use super::pool::Turnstile;
use crate::hook::{Caller, Voice};

/// What is said in the answer besides the reply.
#[derive(Clone, Default)]
pub(super) struct Beside(Arc<Mutex<Answer>>);

impl Beside {
    pub(super) fn lock(&self) -> MutexGuard<'_, Answer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A line for the host's log.
    pub(super) fn log(&self, level: Level, text: &str) {
        self.lock().log.push(Log::new(level, text));
    }
}

/// One line of the plugin.
pub(super) struct Line {
    pub(super) id: Option<u64>,
    pub(super) place: Place,
    pub(super) out: Arc<Out>,
    pub(super) beside: Beside,
    pub(super) turnstile: Turnstile,
    pub(super) turn_time_max: Duration,
    /// The message that ended a turn.
    pub(super) occasion: String,
    pub(super) said: AtomicBool,
}

impl Voice for Line {
    fn say(&self, reply: &Reply) {
        self.said.store(true, Ordering::SeqCst);
        let beside = std::mem::take(&mut *self.beside.lock());
        let answer = Answer::of(self.id, self.place, reply).with(beside);
        if answer != Answer::default() {
            self.out.write(&answer);
        }
    }

    fn remark(&self, text: &str) {
        if self.said.load(Ordering::SeqCst) {
            self.out.write(&Answer { log: vec![Log::new(Level::Info, text)], ..Answer::default() });
        } else {
            self.beside.log(Level::Info, text);
        }
    }

    fn turn_time_max(&self) -> Option<Duration> {
        Some(self.turn_time_max)
    }

    fn occasion(&self) -> Option<&str> {
        Some(&self.occasion)
    }

    fn settled(&self) {
        self.turnstile.leave();
    }

    fn watch(&self, _: &Caller) {
        // Every call is watched from its arrival.
    }

    fn is_last(&self) -> bool {
        false
    }
}
