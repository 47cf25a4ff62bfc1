//! Many sessions at once, told in order.

use std::collections::{BTreeMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::Options;
use super::evidence::Extractor;
use super::find::{Found, Job};
use super::read::{Outcome, Reader};
use super::summary::{SessionSummary, Totals};

/// Sessions that are read and wait for an earlier one to be told, at most.
const AHEAD_MAX: usize = 64;
/// Problems that are named.
const TOLD_MAX: usize = 100;

/// Told as work goes on.
pub(crate) trait Progress: Sync {
    /// So many more bytes were read.
    fn read(&self, bytes: u64);
}

/// Tells nothing.
impl Progress for () {
    fn read(&self, _: u64) {}
}

/// Reads all sessions and tells each to `each`, in the order in which they were found. A turn that stands in
/// several of them is told with the first.
///
/// # Errors
/// What `each` failed with; nothing more is read then.
pub(crate) fn sessions(
    found: &Found,
    options: &Options,
    progress: &dyn Progress,
    each: &mut dyn FnMut(&SessionSummary) -> anyhow::Result<()>,
) -> anyhow::Result<Totals> {
    let extractor = Extractor::default();
    let reader = Reader { options, extractor: &extractor, progress };
    let mut teller = Teller::new(found, each);
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let threads = if options.jobs == 0 { cores() } else { options.jobs }.min(found.jobs.len());
    if threads <= 1 {
        for job in &found.jobs {
            teller.tell(read(&reader, job))?;
        }
    } else {
        on_threads(threads, found, &reader, &mut teller)?;
    }
    Ok(teller.totals)
}

/// A fault of ours costs one session.
fn read(reader: &Reader<'_>, job: &Job) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| reader.read(job))).unwrap_or_else(|panic| Outcome {
        summary: None,
        problems: vec![format!(
            "{}: a fault of hostler's: {}",
            job.name().display(),
            crate::hook::panic_text(panic.as_ref())
        )],
        files: 0,
    })
}

#[derive(Default)]
struct Shared {
    next: usize,
    told: usize,
    ready: BTreeMap<usize, Outcome>,
    stopped: bool,
}

/// A thread that panicked while it held the lock has left whole values.
fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn on_threads(
    threads: usize,
    found: &Found,
    reader: &Reader<'_>,
    teller: &mut Teller<'_>,
) -> anyhow::Result<()> {
    let shared = Mutex::new(Shared::default());
    let changed = Condvar::new();
    let wait = |guard| changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let mut state = lock(&shared);
                    while !state.stopped && state.told + AHEAD_MAX <= state.next {
                        state = wait(state);
                    }
                    let index = state.next;
                    let Some(job) = found.jobs.get(index).filter(|_| !state.stopped) else { break };
                    state.next += 1;
                    drop(state);
                    let outcome = read(reader, job);
                    lock(&shared).ready.insert(index, outcome);
                    changed.notify_all();
                }
            });
        }
        for index in 0..found.jobs.len() {
            let mut state = lock(&shared);
            let outcome = loop {
                match state.ready.remove(&index) {
                    Some(outcome) => break outcome,
                    None => state = wait(state),
                }
            };
            state.told = index + 1;
            drop(state);
            changed.notify_all();
            if let Err(error) = teller.tell(outcome) {
                lock(&shared).stopped = true;
                changed.notify_all();
                return Err(error);
            }
        }
        Ok(())
    })
}

struct Teller<'e> {
    each: &'e mut dyn FnMut(&SessionSummary) -> anyhow::Result<()>,
    totals: Totals,
    seen: HashSet<u64>,
}

impl<'e> Teller<'e> {
    fn new(found: &Found, each: &'e mut dyn FnMut(&SessionSummary) -> anyhow::Result<()>) -> Self {
        let totals = Totals {
            version: super::summary::VERSION,
            files: found.empty,
            unreadable_files: found.problems.clone(),
            unreadable_files_omitted: found.problems_omitted,
            ..Totals::default()
        };
        Self { each, totals, seen: HashSet::new() }
    }

    fn tell(&mut self, outcome: Outcome) -> anyhow::Result<()> {
        let totals = &mut self.totals;
        totals.files += outcome.files;
        let room = TOLD_MAX.saturating_sub(totals.unreadable_files.len());
        totals.unreadable_files_omitted += outcome.problems.len().saturating_sub(room) as u64;
        totals.unreadable_files.extend(outcome.problems.into_iter().take(room));
        let Some(mut summary) = outcome.summary else { return Ok(()) };
        let before = summary.turns.len();
        let mut gone: HashSet<(u64, Option<String>)> = HashSet::new();
        summary.turns.retain(|turn| {
            let new = turn.key.is_none_or(|key| self.seen.insert(key));
            if !new {
                gone.insert((turn.index, turn.agent.clone()));
            }
            new
        });
        totals.turns_repeated += (before - summary.turns.len()) as u64;
        if !gone.is_empty() {
            summary.runs.retain(|run| !gone.contains(&(run.turn, run.agent.clone())));
        }
        totals.add(&summary);
        (self.each)(&summary)
    }
}
