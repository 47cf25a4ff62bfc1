//! `context.md` follows `context.json`, whoever changed it.
//!
//! Commands of ours render it themselves. A tool call that names the record, a prompt and a start look whether it
//! is current: two looks at files, and the template engine only where it is not.

use hostler_ledger::state;
use hostler_model::{Event, EventKind};
use memchr::memmem;

use super::{Caller, World, fault_reply};
use crate::session::{Sessions, locate, render};

/// Counts in the session's state that a failure was told.
const TOLD: &str = "view-told";

/// Renders the view anew where the record changed. What went wrong, for the user, once a session: nothing is
/// blocked by it.
pub(super) fn refreshed(event: &Event, world: &World, caller: &Caller) -> Option<String> {
    if !may_have_changed(event) {
        return None;
    }
    let sessions = Sessions::find(&event.cwd, &world.project, world.dirs.as_ref()?, &world.config)?;
    if !render::is_stale(&sessions) {
        return None;
    }
    let late = "making `context.md` took too long; run `hostler session render`";
    caller.watch(caller.deadline, fault_reply(late, false));
    let problem = match render::refresh(&sessions, false) {
        Ok(view) => view.problem?,
        Err(error) => error.to_string(),
    };
    tell(event, world, caller, &problem)
}

/// Says on stderr what is wrong with the view; the words for the user, if this session's did not hear them yet.
pub(super) fn tell(event: &Event, world: &World, caller: &Caller, problem: &str) -> Option<String> {
    caller.remark(&format!("hostler: {problem}"));
    let told = state::update(world.state()?, &event.session, |state| state.add(TOLD, 1));
    told.is_ok_and(|count| count == 1).then(|| format!("hostler: {problem}"))
}

/// Whether the event can have to do with the record: at a start and a prompt anybody may have changed it, among
/// tool calls those that name it.
fn may_have_changed(event: &Event) -> bool {
    match &event.kind {
        EventKind::SessionStart { .. } | EventKind::Prompt { .. } => true,
        EventKind::ToolAfter { call, .. } => {
            memmem::find(call.input.as_bytes(), locate::FILE.as_bytes()).is_some()
        }
        _ => false,
    }
}
