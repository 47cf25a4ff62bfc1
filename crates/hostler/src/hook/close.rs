//! Journals are sealed and archived when a session ends, or at the next start for those whose end was not told.

use std::time::{Duration, Instant};

use hostler_ledger::journal::{self, Closed, IDLE_MS, Sweep};
use hostler_model::{Event, EventKind};

use super::World;
use super::record::{Attributes, set};

/// What closing old sessions may take at a start; what is left goes at the next one.
const TIME_MAX: Duration = Duration::from_millis(500);

/// Closes what an event ends: at a session's end its journal, at a start those of sessions that went quiet. The
/// host gives the end little time; whatever a kill leaves is closed later. What went wrong, for the user.
pub(super) fn ended(event: &Event, world: &World, now_ms: i64) -> Option<String> {
    let (state, dirs) = (world.state()?, world.dirs.as_ref()?);
    let keys = dirs.keys();
    let swept = match &event.kind {
        EventKind::SessionEnd { .. } => {
            let mut sweep = Sweep::default();
            match journal::close(state, &event.session, now_ms, Some(&keys)) {
                Ok(closed) => sweep.closed.extend(closed),
                Err(error) => sweep.failed.push((event.session.clone(), error)),
            }
            sweep
        }
        EventKind::SessionStart { .. } => {
            let deadline = Instant::now() + TIME_MAX;
            match journal::close_all(
                state,
                Some(&event.session),
                now_ms,
                IDLE_MS,
                Some(deadline),
                Some(&keys),
            ) {
                Ok(sweep) => sweep,
                Err(error) => return Some(format!("ended sessions could not be looked for: {error}")),
            }
        }
        _ => return None,
    };
    told(&swept)
}

/// One sentence for each kind of trouble, however many journals have it.
fn told(sweep: &Sweep) -> Option<String> {
    let mut problems = Vec::new();
    if let Some((session, error)) = sweep.failed.first() {
        let others = match sweep.failed.len() {
            1 => String::new(),
            more => format!(" (and {} others)", more - 1),
        };
        problems.push(format!("the journal of session {session}{others} could not be archived: {error}"));
    }
    let unsigned = |closed: &Closed| closed.unsigned.clone();
    if let Some(reason) = sweep.closed.iter().find_map(unsigned) {
        problems.push(format!("ended sessions were sealed without a signature: {reason}"));
    }
    (!problems.is_empty()).then(|| problems.join("; "))
}

/// What the work began from, under OpenTelemetry's name: the commit that was checked out at the start.
pub(super) fn begun(event: &Event, world: &World, attributes: &mut Attributes) {
    if let (EventKind::SessionStart { .. }, Some(commit)) = (&event.kind, world.project.commit()) {
        set(attributes, "vcs.ref.head.revision", commit);
    }
}
