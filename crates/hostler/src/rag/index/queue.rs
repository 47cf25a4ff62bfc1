//! Workers that read and cut files, in front of one that writes them in their order.
//!
//! A file is taken while what is taken and not yet written stays below a number of bytes. The one that is next to be
//! written is always taken, so nothing ever waits for itself.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::plan::{Job, Plan};
use crate::rag::Embedder;
use crate::rag::look::{Cause, Looked, Stamp, look};
use crate::rag::ready::Ready;
use crate::rag::walk::Walked;

/// Bytes of files that are in memory at once. A file takes a multiple of its bytes once it is cut.
const IN_FLIGHT_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Files that are in memory at once.
const IN_FLIGHT_MAX: usize = 512;
/// More threads than this wait for the one that writes.
const WORKERS_MAX: usize = 8;

/// What a worker made of a file.
pub(super) enum Done {
    /// It is to be written.
    Ready(Box<Ready>),
    /// It is what the index has.
    Same(Stamp),
    /// It is not to be indexed.
    Skipped(Stamp, Cause),
    /// It is gone, or too long by now.
    Gone,
    /// It could not be read.
    Unreadable(std::io::Error),
    /// It could not be cut.
    Fault(Stamp),
}

/// The files of a plan on their way.
pub(super) struct Queue<'a> {
    plan: &'a Plan,
    walked: &'a Walked,
    state: Mutex<State>,
    /// Something was done.
    done: Condvar,
    /// Something was written.
    room: Condvar,
}

#[derive(Default)]
struct State {
    /// The next to be taken.
    next: usize,
    /// The next to be written.
    written: usize,
    bytes: u64,
    done: BTreeMap<usize, Done>,
    stopped: bool,
}

/// Ends the workers when it goes.
pub(super) struct Stop<'a, 'b>(&'a Queue<'b>);

impl Drop for Stop<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().stopped = true;
        self.0.room.notify_all();
    }
}

impl<'a> Queue<'a> {
    pub(super) fn new(plan: &'a Plan, walked: &'a Walked) -> Self {
        Self { plan, walked, state: Mutex::default(), done: Condvar::new(), room: Condvar::new() }
    }

    /// How many workers there should be: none that would have nothing to do.
    pub(super) fn workers(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        cores.min(WORKERS_MAX).min(self.plan.jobs.len())
    }

    pub(super) fn stop_on_drop(&self) -> Stop<'_, 'a> {
        Stop(self)
    }

    /// Takes files until there are none.
    pub(super) fn work(&self, file_of: impl Fn(&str) -> PathBuf, embedder: &dyn Embedder) {
        while let Some((number, job)) = self.take() {
            let done = self.one(job, &file_of, embedder);
            self.lock().done.insert(number, done);
            self.done.notify_one();
        }
    }

    /// What became of a file; waits for it.
    pub(super) fn wait(&self, number: usize) -> Done {
        let mut state = self.lock();
        loop {
            if let Some(done) = state.done.remove(&number) {
                return done;
            }
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A file needs no memory any more.
    pub(super) fn written(&self, number: usize) {
        let mut state = self.lock();
        state.written = number + 1;
        state.bytes = state.bytes.saturating_sub(self.size(number));
        drop(state);
        self.room.notify_all();
    }

    fn take(&self) -> Option<(usize, Job)> {
        let mut state = self.lock();
        loop {
            let number = state.next;
            let job = *self.plan.jobs.get(number)?;
            if state.stopped {
                return None;
            }
            let size = self.size(number);
            let fits = state.bytes + size <= IN_FLIGHT_BYTES_MAX && number - state.written < IN_FLIGHT_MAX;
            if fits || number == state.written {
                state.next += 1;
                state.bytes += size;
                return Some((number, job));
            }
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn size(&self, number: usize) -> u64 {
        let job = self.plan.jobs.get(number);
        job.and_then(|job| self.walked.get(job.file())).map_or(0, |found| found.size)
    }

    fn one(&self, job: Job, file_of: &impl Fn(&str) -> PathBuf, embedder: &dyn Embedder) -> Done {
        let Some(found) = self.walked.get(job.file()) else { return Done::Gone };
        let path = found.path;
        match look(&file_of(path), path, self.plan.known(job)) {
            Ok(Looked::Same(stamp)) => Done::Same(stamp),
            Ok(Looked::Skipped(stamp, cause)) => Done::Skipped(stamp, cause),
            Ok(Looked::Gone) => Done::Gone,
            Ok(Looked::Text(stamp, hash, text)) => Ready::of(path, stamp, hash, &text, Some(embedder))
                .map_or(Done::Fault(stamp), |ready| Done::Ready(Box::new(ready))),
            Err(error) => Done::Unreadable(error),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
