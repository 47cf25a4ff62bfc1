//! Calls that are under way: who has waited for long enough is answered, whatever becomes of the call.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::pool::Pool;
use crate::hook::Caller;

/// How often is looked who has waited for long enough.
const TICK: Duration = Duration::from_millis(100);

/// Every call whose work is not through.
#[derive(Default)]
pub(super) struct Flights {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    next: u64,
    under_way: BTreeMap<u64, Caller>,
}

/// One call, until it is dropped.
pub(super) struct Flight {
    number: u64,
    flights: Arc<Flights>,
}

impl Drop for Flight {
    fn drop(&mut self) {
        let mut state = self.flights.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.under_way.remove(&self.number);
        if state.under_way.is_empty() {
            self.flights.changed.notify_all();
        }
    }
}

impl Flights {
    /// A call begins.
    pub(super) fn begin(self: &Arc<Self>, caller: Caller) -> Flight {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let number = state.next;
        state.next += 1;
        if state.under_way.is_empty() {
            self.changed.notify_all();
        }
        state.under_way.insert(number, caller);
        Flight { number, flights: self.clone() }
    }

    /// Waits until nothing is under way; `false`: something still is after `time_max`.
    pub(super) fn drain(&self, time_max: Duration) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = |state: &mut State| !state.under_way.is_empty();
        let (state, _) =
            self.changed.wait_timeout_while(state, time_max, waiting).unwrap_or_else(PoisonError::into_inner);
        state.under_way.is_empty()
    }

    /// Answers those who have waited for long enough, and sees to it that `pool` gets on; never returns.
    pub(super) fn watch(&self, pool: &Pool) {
        loop {
            let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let idle = |state: &mut State| state.under_way.is_empty();
            let state = self.changed.wait_while(state, idle).unwrap_or_else(PoisonError::into_inner);
            let now = Instant::now();
            let late = |caller: &&Caller| caller.due().is_some_and(|due| due <= now) && !caller.is_given();
            let late: Vec<Caller> = state.under_way.values().filter(late).cloned().collect();
            drop(state);
            for caller in late {
                caller.late();
            }
            pool.relieve();
            std::thread::sleep(TICK);
        }
    }
}
