//! What one recorded call proves, however hard its command line is to read.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use hostler_model::{Action, Outcome, Place, ToolCall};
use hostler_policy::claims::Evidence;
use hostler_policy::claims::evidence::{Actor, Source};
use hostler_policy::shell::may_take_long;

use crate::claims::kept::of_source;

/// How long a command line that is hard to read is worked on.
const HARD_TIME_MAX: Duration = Duration::from_secs(2);
/// After as many that took longer, no other one is tried: each goes on in a thread that nobody can end.
const GIVEN_UP_MAX: usize = 4;

/// Reads calls; one for all sessions.
#[derive(Debug, Default)]
pub(super) struct Extractor {
    given_up: AtomicUsize,
}

impl Extractor {
    /// What a call proves.
    pub(super) fn of(
        &self,
        call: &ToolCall,
        outcome: &Outcome,
        cwd: &Path,
        place: &Place,
        by: Actor,
    ) -> Evidence {
        let hard = matches!(&call.action, Action::Shell { command } if may_take_long(command));
        if !hard {
            return of_source(&Source { call, outcome, cwd, place, by });
        }
        self.in_time(call, outcome, cwd, place, by).unwrap_or_else(|| Evidence {
            tool: call.tool.clone(),
            by,
            ok: outcome.ok,
            opaque: true,
            summary: format!("{}: what it did takes too long to read", call.tool),
            ..Evidence::default()
        })
    }

    fn in_time(
        &self,
        call: &ToolCall,
        outcome: &Outcome,
        cwd: &Path,
        place: &Place,
        by: Actor,
    ) -> Option<Evidence> {
        if GIVEN_UP_MAX <= self.given_up.load(Ordering::Relaxed) {
            return None;
        }
        let (sender, receiver) = mpsc::channel();
        let (call, outcome, cwd, place) = (call.clone(), outcome.clone(), cwd.to_path_buf(), place.clone());
        let work = move || {
            let evidence =
                of_source(&Source { call: &call, outcome: &outcome, cwd: &cwd, place: &place, by });
            // Nobody listens any more when it took too long.
            let _ = sender.send(evidence);
        };
        std::thread::Builder::new().name("evidence".to_owned()).spawn(work).ok()?;
        let evidence = receiver.recv_timeout(HARD_TIME_MAX);
        if matches!(evidence, Err(mpsc::RecvTimeoutError::Timeout)) {
            self.given_up.fetch_add(1, Ordering::Relaxed);
        }
        evidence.ok()
    }
}
