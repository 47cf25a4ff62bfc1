//! Gates: what is checked in files that an agent changes, while they are written and before a turn ends.
//!
//! [`review`] looks at files: our own checks in process, the project's tools beside them. What of it counts is new: what a
//! file had before the session ([`baseline`]) is nobody's fault now. [`changed`] tells which files a session changed, and
//! [`stop`] whether its turn may end.

pub(crate) mod baseline;
pub(crate) mod changed;
pub(crate) mod fix;
mod git;
pub(crate) mod record;
pub(crate) mod render;
pub(crate) mod review;
pub(crate) mod stop;
pub(crate) mod tools;
pub(crate) mod touched;

use std::fs::Metadata;
use std::path::Path;
use std::time::UNIX_EPOCH;

use hostler_ledger::journal;
use hostler_model::SessionId;

/// The variable in which our plugins name the session to what its agent starts.
pub(crate) const SESSION_VARIABLE: &str = "HOSTLER_SESSION_ID";
/// The variables in which the session is named to what its agent starts.
const SESSION_VARIABLES: [&str; 2] = [SESSION_VARIABLE, "CLAUDE_CODE_SESSION_ID"];

/// The session that somebody who types a command means: the one that starts it, else the one that did something last.
pub(crate) fn session(project_state: &Path) -> Option<SessionId> {
    let named = |name: &str| SessionId::parse(&std::env::var(name).ok()?).ok();
    let mut named = SESSION_VARIABLES.into_iter().filter_map(named);
    if let Some(session) = named.find(|session| journal::is_known(project_state, session)) {
        return Some(session);
    }
    let live = journal::live_sessions(project_state).ok()?;
    let modified = |session: &SessionId| {
        let path = journal::path(project_state, session);
        std::fs::metadata(path).ok().and_then(|meta| modified_ms(&meta))
    };
    live.into_iter().max_by_key(modified)
}

/// When a file was changed last, in milliseconds since 1970.
fn modified_ms(meta: &Metadata) -> Option<i64> {
    let since = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}
