//! When sessions end by themselves: `[session]`.

use hostler_policy::session::start::IDLE_MINUTES;
use toml::Table;

use super::Config;
use super::closing::Read;

/// A session may go unattended for a year at most.
const IDLE_MINUTES_MAX: i64 = 366 * 24 * 60;

/// The life of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Life {
    /// Without activity for this long, in minutes, a session is closed at the next start.
    pub(crate) idle_minutes: u64,
    /// Each end of a turn closes the session.
    pub(crate) close_on_idle: bool,
}

impl Default for Life {
    fn default() -> Self {
        Self { idle_minutes: IDLE_MINUTES, close_on_idle: false }
    }
}

impl Life {
    /// [`Life::idle_minutes`] in milliseconds.
    pub(crate) fn idle_ms(&self) -> i64 {
        i64::try_from(self.idle_minutes).unwrap_or(i64::MAX).saturating_mul(60_000)
    }
}

impl Config {
    pub(super) fn apply_session(&mut self, table: &Table, shown: &str) {
        for (key, value) in table {
            match (key.as_str(), value.as_integer(), value.as_bool()) {
                ("idle_minutes", Some(minutes), _) if (1..=IDLE_MINUTES_MAX).contains(&minutes) => {
                    self.life.idle_minutes = minutes.unsigned_abs();
                }
                ("idle_minutes", _, _) => {
                    let expected = format!("a whole number, 1 to {IDLE_MINUTES_MAX}");
                    self.wrong(shown, "session.idle_minutes", &expected);
                }
                ("close_on_idle", _, Some(close)) => self.life.close_on_idle = close,
                ("close_on_idle", _, None) => self.wrong(shown, "session.close_on_idle", "true or false"),
                (other, _, _) => match self.closing.apply(other, value) {
                    Read::Known => {}
                    Read::Wrong(expected) => self.wrong(shown, &format!("session.{other}"), expected),
                    Read::Unknown => self.unknown(shown, &format!("session.{other}")),
                },
            }
        }
    }
}
