//! The record as JSON, for `--json` and for templates: every member of ours is there, under one name.

use hostler_ledger::context::{Choice, Context, HostSession, Session, State, Work, WorkEntry};
use serde_json::{Value, json};

use super::effect;

/// The state.
pub(crate) fn state(state: &State) -> Value {
    json!({
        "session": state.session,
        "version": state.version,
        "branch": state.branch,
        "test_count": state.test_count,
        "test_state": state.test_state,
        "status": state.status.as_str(),
    })
}

/// An item of work.
pub(crate) fn work(work: &Work) -> Value {
    json!({
        "id": work.id,
        "priority": work.priority.as_str(),
        "description": work.description,
        "status": work.status.as_str(),
        "notes": work.notes,
    })
}

/// A session with everything in it.
pub(crate) fn session(session: &Session) -> Value {
    let entry = |it: &WorkEntry| json!({ "when": it.when, "desc": it.desc, "details": it.details });
    let choice = |it: &Choice| json!({ "when": it.when, "choice": it.choice, "reason": it.reason });
    let host = |it: &HostSession| json!({ "host": it.host, "id": it.id, "when": it.when });
    json!({
        "seq": session.seq,
        "when": session.when,
        "purpose": session.purpose,
        "objectives": session.objectives,
        "work_log": session.work_log.iter().map(entry).collect::<Vec<_>>(),
        "achievements": session.achievements,
        "choices": session.choices.iter().map(choice).collect::<Vec<_>>(),
        "length": session.length,
        "ended": session.ended,
        "outcome": session.outcome,
        "version": session.version,
        "branch": session.branch,
        "commit": session.commit,
        "hosts": session.hosts.iter().map(host).collect::<Vec<_>>(),
        "tag": session.tag,
        "updated": session.updated,
        "active": session.length.is_none(),
    })
}

/// What is current: state, active session, open work.
pub(crate) fn status(context: &Context) -> Value {
    let active = context.active().map(|(_, it)| session(&it));
    let open: Vec<Value> = effect::open_work(context).into_iter().map(work).collect();
    json!({
        "state": state(context.state()),
        "session": active,
        "work": open,
        "session_count": context.session_count(),
    })
}
