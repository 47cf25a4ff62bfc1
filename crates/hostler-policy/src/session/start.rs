//! Whether a start of a client begins a session of work, goes on with the one that is active, or does nothing.

use hostler_model::StartSource;

/// A session that was begun less than this many milliseconds ago is not followed by another one.
pub const RECENT_MS: i64 = 300 * 1000;
/// A recorded time further ahead than this is wrong, milliseconds.
const AHEAD_MS_MAX: i64 = 24 * 60 * 60 * 1000;
/// Minutes without activity after which a session has ended, unless the configuration says otherwise.
pub const IDLE_MINUTES: u64 = 30;

/// What is known when a client starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Situation {
    /// Why it starts.
    pub source: StartSource,
    /// It is a subagent of another one.
    pub subagent: bool,
    /// The last session of the project.
    pub last: Option<Last>,
    /// Milliseconds since 1970.
    pub now_ms: i64,
    /// Milliseconds without activity after which a session has ended.
    pub idle_ms: i64,
}

/// The last session of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Last {
    /// It has no length: nobody closed it.
    pub active: bool,
    /// The client is one of its clients already.
    pub member: bool,
    /// When it was begun, milliseconds since 1970; `None` where the file does not say.
    pub begun_ms: Option<i64>,
    /// When one of its clients did something last, as far as is known.
    pub seen_ms: Option<i64>,
}

impl Last {
    /// Nobody has closed it and nobody works in it any more. Without any time it cannot be told.
    pub fn is_stale(&self, now_ms: i64, idle_ms: i64) -> bool {
        // A clock may be some hours off; a time that is far ahead tells nothing.
        let past = |time: Option<i64>| time.filter(|time| time.saturating_sub(now_ms) < AHEAD_MS_MAX);
        let seen = past(self.seen_ms).max(past(self.begun_ms));
        self.active && seen.is_some_and(|seen| idle_ms <= now_ms.saturating_sub(seen))
    }

    fn is_recent(&self, now_ms: i64) -> bool {
        // A clock that was set back a little makes it no older.
        self.begun_ms.is_some_and(|begun| now_ms.saturating_sub(begun).abs() < RECENT_MS)
    }
}

/// What a start does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// A new session begins.
    Begin,
    /// The active session is closed with what is known, and a new one begins.
    CloseStaleAndBegin,
    /// The active session goes on.
    Resume,
    /// The active session goes on with one more client.
    Join,
    /// No session is active and none begins.
    Nothing(Reason),
}

/// Why no session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A subagent works in its client's session.
    Subagent,
    /// A compaction is no start of work.
    Compaction,
    /// The last session was begun less than [`RECENT_MS`] ago.
    Recent,
}

/// Decides what a start does.
pub fn decide(situation: &Situation) -> Start {
    let Situation { source, subagent, last, now_ms, idle_ms } = *situation;
    let compacted = source == StartSource::Compact;
    if subagent {
        return Start::Nothing(Reason::Subagent);
    }
    match last {
        // The client that compacts is at work, whatever its journal says.
        Some(last) if last.is_stale(now_ms, idle_ms) && !compacted => Start::CloseStaleAndBegin,
        Some(Last { active: true, member: true, .. }) => Start::Resume,
        Some(Last { active: true, .. }) => Start::Join,
        _ if compacted => Start::Nothing(Reason::Compaction),
        Some(last) if last.is_recent(now_ms) => Start::Nothing(Reason::Recent),
        _ => Start::Begin,
    }
}

/// Decides what an open phrase does: as a start, but a person who asks for a session gets one, however recent the
/// last one is.
pub fn decide_opening(last: Option<Last>, now_ms: i64, idle_ms: i64) -> Start {
    match last {
        Some(last) if last.is_stale(now_ms, idle_ms) => Start::CloseStaleAndBegin,
        Some(Last { active: true, member, .. }) => {
            if member {
                Start::Resume
            } else {
                Start::Join
            }
        }
        _ => Start::Begin,
    }
}

#[cfg(test)]
mod tests;
