//! How much each agent of a session has read: the times of the last reads, and how many there were.

use hostler_model::{ReadCount, ReadWindow};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::State;

/// Where it is kept in the state.
const MEMBER: &str = "reads";
/// Agents that are remembered; the one that read nothing for the longest time is forgotten first.
const AGENTS_MAX: usize = 64;
/// Times that are kept beyond those of a full window.
const BEYOND_MAX: usize = 16;
/// Quiet after a burst was told gets twice as long with each, up to this: who was told often knows.
const QUIET_MS_MAX: i64 = 60 * 60 * 1_000;
/// A call that looked at the clock later may have counted first; no call takes longer.
const AHEAD_MS_MAX: i64 = 10_000;

/// One read by one agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentRead<'a> {
    /// Empty for the session's own agent, else the subagent's id.
    pub agent: &'a str,
    /// The host's id of the call. A call that is counted twice (a hook that is registered twice) counts once.
    pub id: Option<&'a str>,
    /// When, milliseconds since 1970.
    pub now_ms: i64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Agent {
    /// Reads in the session.
    total: u64,
    /// The last ones, oldest first.
    last: Vec<Kept>,
    /// Bursts that were told.
    bursts: u32,
    /// Until then nothing is said again, milliseconds since 1970.
    quiet_until_ms: i64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    ms: i64,
    id: String,
    told: bool,
}

impl Agent {
    /// Whether a read beyond the limit is told, and notes that it is: once a burst, which goes on as long as each
    /// read beyond the limit follows the one before within a window.
    fn speaks(&mut self, now_ms: i64, window_ms: i64) -> bool {
        let quiet_max_ms = window_ms.max(QUIET_MS_MAX);
        // A clock that was set back must not silence it for long either.
        let quiet =
            now_ms < self.quiet_until_ms && self.quiet_until_ms <= now_ms.saturating_add(quiet_max_ms);
        let quiet_ms = if quiet {
            window_ms
        } else {
            self.bursts = self.bursts.saturating_add(1);
            let doubled = window_ms.saturating_mul(1 << (self.bursts - 1).min(12));
            doubled.min(quiet_max_ms)
        };
        let until_ms = now_ms.saturating_add(quiet_ms);
        self.quiet_until_ms = if quiet { self.quiet_until_ms.max(until_ms) } else { until_ms };
        !quiet
    }
}

impl State {
    /// Counts a read and tells what was before it. Times that left the window are forgotten, and so are those that
    /// lie far in the future: a clock that was set back must not stop an agent until it is there again.
    pub fn count_read(&mut self, read: &AgentRead<'_>, window: &ReadWindow) -> ReadCount {
        let mut agent = self.reader(read.agent);
        let id = read.id.unwrap_or_default();
        let since_ms = read.now_ms.saturating_sub(window.window_ms);
        let until_ms = read.now_ms.saturating_add(AHEAD_MS_MAX);
        agent.last.retain(|kept| since_ms < kept.ms && kept.ms <= until_ms);
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let known = agent.last.iter().position(|kept| !id.is_empty() && kept.id == id);
        if let Some(at) = known {
            let later = number(agent.last.len() - at);
            return ReadCount {
                in_window: number(at),
                in_session: agent.total.saturating_sub(later),
                told: agent.last[at].told,
            };
        }
        let in_window = number(agent.last.len());
        let told = window.per_window <= in_window && !agent.speaks(read.now_ms, window.window_ms);
        let count = ReadCount { in_window, in_session: agent.total, told };
        agent.last.push(Kept { ms: read.now_ms, id: id.to_owned(), told });
        let kept_max = usize::try_from(window.per_window).unwrap_or(usize::MAX).saturating_add(BEYOND_MAX);
        let surplus = agent.last.len().saturating_sub(kept_max);
        agent.last.drain(..surplus);
        agent.total = agent.total.saturating_add(1);
        self.keep_reader(read.agent, &agent);
        count
    }

    /// Whether a read was counted.
    pub fn has_reads(&self) -> bool {
        self.document.contains_key(MEMBER)
    }

    /// Forgets every read: the work that they were counted for is over.
    pub fn clear_reads(&mut self) {
        self.document.remove(MEMBER);
    }

    /// Takes the count of a read back: it was denied.
    pub fn uncount_read(&mut self, read: &AgentRead<'_>) {
        let mut agent = self.reader(read.agent);
        let id = read.id.unwrap_or_default();
        let at = agent.last.iter().rposition(|kept| kept.id == id && kept.ms <= read.now_ms);
        if let Some(at) = at {
            agent.last.remove(at);
            agent.total = agent.total.saturating_sub(1);
            self.keep_reader(read.agent, &agent);
        }
    }

    fn reader(&self, agent: &str) -> Agent {
        let kept = self.document.get(MEMBER).and_then(|readers| readers.get(agent));
        // What cannot be read begins anew, as a damaged state does.
        kept.and_then(|kept| Agent::deserialize(kept).ok()).unwrap_or_default()
    }

    fn keep_reader(&mut self, name: &str, agent: &Agent) {
        let readers = self.object(MEMBER);
        if AGENTS_MAX <= readers.len() && !readers.contains_key(name) {
            let last_ms = |agent: &Value| agent["last"].as_array()?.last()?["ms"].as_i64();
            let idle = readers.iter().min_by_key(|(_, agent)| last_ms(agent)).map(|(name, _)| name.clone());
            if let Some(idle) = idle {
                readers.remove(&idle);
            }
        }
        readers.insert(name.to_owned(), serde_json::json!(agent));
    }
}

#[cfg(test)]
mod tests;
