//! Bounded queues and a bounded number of workers.
//!
//! Tool calls that are about to run come first and always find a worker: nothing else may take all of them. What a
//! session's events mean depends on their order, so those of one session are taken one by one; different sessions do not
//! wait for each other.

use std::collections::{HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hostler_model::SessionId;

/// Most threads.
const WORKERS_MAX: usize = 12;
/// Tool calls that run at once while none of them takes long: this many on a small machine, and on a larger one two more
/// than it has cores. More of them would only keep one another from the processor.
const GUARDS_MIN: usize = 4;
const GUARDS_BESIDE_CORES: usize = 2;
/// A tool call that has waited for so long waits for calls that do not work but wait themselves.
const LATE: Duration = Duration::from_millis(5);
/// Most jobs that wait, of tool calls and of everything else.
const WAITING_MAX: usize = 1_024;

/// What a job is, and therefore when it is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// A tool call waits for it.
    Guard,
    /// An event of a session.
    Session,
    /// The end of a turn, which may take a minute.
    Turn,
    /// A call of one of our own tools, and what belongs to no session.
    Free,
}

impl Lane {
    /// Most jobs of it that run at once. What is left of [`WORKERS_MAX`] is for tool calls alone.
    fn running_max(self) -> usize {
        match self {
            Self::Guard => WORKERS_MAX,
            Self::Session => 4,
            Self::Turn | Self::Free => 2,
        }
    }
}

/// The right of a job to keep the next event of its session waiting.
#[derive(Clone)]
pub(super) struct Turnstile {
    session: Option<SessionId>,
    left: Arc<AtomicBool>,
    shared: Arc<Shared>,
}

impl Turnstile {
    /// The session's next event may be taken, though the job goes on.
    pub(super) fn leave(&self) {
        let Some(session) = &self.session else { return };
        if !self.left.swap(true, Ordering::SeqCst) {
            let mut state = self.shared.lock();
            state.busy.remove(session);
            self.shared.help(&mut state);
        }
    }
}

type Work = Box<dyn FnOnce() + Send>;

struct Job {
    lane: Lane,
    since: Instant,
    turnstile: Turnstile,
    work: Work,
}

/// The workers.
#[derive(Clone)]
pub(super) struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    /// Tool calls that run at once while none of them takes long.
    guards_max: usize,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sees to it that somebody takes what waits. One that was woken for a job may still be counted as idle, so there have
    /// to be as many as there are jobs.
    fn help(self: &Arc<Self>, state: &mut State) {
        let others = usize::from(state.next_other().is_some());
        let free = self.guards_max.saturating_sub(state.running[Lane::Guard as usize]);
        let late = state.guards.front().is_some_and(|job| LATE <= job.since.elapsed());
        let wanted = state.guards.len().min(free.max(usize::from(late))) + others;
        if 0 < wanted {
            self.wake.notify_one();
        }
        if state.idle < wanted && state.workers < WORKERS_MAX {
            let shared = self.clone();
            let spawned = std::thread::Builder::new().name("worker".to_owned()).spawn(move || serve(&shared));
            state.workers += usize::from(spawned.is_ok());
        }
    }
}

#[derive(Default)]
struct State {
    guards: VecDeque<Job>,
    others: VecDeque<Job>,
    /// By lane.
    running: [usize; 4],
    /// Sessions of which an event is being taken.
    busy: HashSet<SessionId>,
    workers: usize,
    idle: usize,
}

impl State {
    /// The job to be taken next.
    fn take(&mut self) -> Option<Job> {
        let job = match self.guards.pop_front() {
            Some(job) => job,
            None => self.others.remove(self.next_other()?)?,
        };
        self.running[job.lane as usize] += 1;
        if let Some(session) = &job.turnstile.session {
            self.busy.insert(session.clone());
        }
        Some(job)
    }

    fn next_other(&self) -> Option<usize> {
        // Whose first event has to wait, the second one of it waits as well.
        let mut waiting: HashSet<&SessionId> = HashSet::new();
        self.others.iter().position(|job| {
            let session = job.turnstile.session.as_ref();
            let free = self.running[job.lane as usize] < job.lane.running_max()
                && session.is_none_or(|session| !self.busy.contains(session) && !waiting.contains(session));
            if !free {
                waiting.extend(session);
            }
            free
        })
    }

    fn has_work(&self) -> bool {
        !self.guards.is_empty() || self.next_other().is_some()
    }
}

impl Pool {
    pub(super) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let shared = Shared {
            state: Mutex::default(),
            wake: Condvar::new(),
            guards_max: (cores + GUARDS_BESIDE_CORES).clamp(GUARDS_MIN, WORKERS_MAX),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Sees to it that no call waits behind others that do not get on; to be called now and then while there are any.
    pub(super) fn relieve(&self) {
        self.shared.help(&mut self.shared.lock());
    }

    /// A turnstile for an event of `session`; without one nothing is kept waiting.
    pub(super) fn turnstile(&self, session: Option<SessionId>) -> Turnstile {
        Turnstile { session, left: Arc::default(), shared: self.shared.clone() }
    }

    /// Has `work` done; `false`: too much is waiting already, and it will not be done.
    pub(super) fn push(&self, lane: Lane, turnstile: Turnstile, work: Work) -> bool {
        let mut state = self.shared.lock();
        let queue = if lane == Lane::Guard { &mut state.guards } else { &mut state.others };
        if WAITING_MAX <= queue.len() {
            return false;
        }
        queue.push_back(Job { lane, since: Instant::now(), turnstile, work });
        self.shared.help(&mut state);
        true
    }
}

fn serve(shared: &Arc<Shared>) {
    let mut state = shared.lock();
    loop {
        let Some(Job { lane, turnstile, work, .. }) = state.take() else {
            if shared.guards_max < state.workers {
                state.workers -= 1;
                return;
            }
            state.idle += 1;
            let nothing = |state: &mut State| !state.has_work();
            state = shared.wake.wait_while(state, nothing).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
            continue;
        };
        shared.help(&mut state);
        drop(state);
        // The worker is there for the next one.
        let _ = catch_unwind(AssertUnwindSafe(work));
        turnstile.leave();
        state = shared.lock();
        state.running[lane as usize] -= 1;
    }
}

#[cfg(test)]
mod tests;
