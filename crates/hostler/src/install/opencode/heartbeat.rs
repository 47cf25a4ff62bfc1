//! What a running plugin last said of itself: the bridge keeps its greeting in the project's evidence.

use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// The file's place in the evidence of a project, as the bridge has it.
const FILE: &str = "opencode/heartbeat.json";

/// The last greeting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Heartbeat {
    /// When.
    pub(crate) time_ms: i64,
    /// The client's process.
    pub(crate) pid: u64,
    /// Its version.
    pub(crate) host: String,
    /// Which of its two kinds of plugins.
    pub(crate) flavour: u8,
    /// Version of the plugin.
    pub(crate) plugin: String,
    /// Version of the binary that answered.
    pub(crate) binary: String,
    /// Where the client runs.
    pub(crate) directory: PathBuf,
    /// How: `run`, `serve`, `tui`, `unknown`.
    pub(crate) mode: String,
}

impl Default for Heartbeat {
    fn default() -> Self {
        Self {
            time_ms: 0,
            pid: 0,
            host: String::new(),
            flavour: 1,
            plugin: String::new(),
            binary: String::new(),
            directory: PathBuf::new(),
            mode: "unknown".to_owned(),
        }
    }
}

impl Heartbeat {
    /// The last one of a project; one that cannot be read is none.
    pub(crate) fn load(evidence: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(evidence.join(FILE)).ok()?).ok()
    }

    /// The client in words, with its version where it says one.
    pub(crate) fn client(&self) -> String {
        let version = if self.host.is_empty() { String::new() } else { format!(" {}", self.host) };
        format!("OpenCode{version}, {}", self.mode)
    }

    /// How long ago it was, in words.
    pub(crate) fn age(&self, now: Timestamp) -> String {
        Timestamp::from_millisecond(self.time_ms).map_or_else(|_| "once".to_owned(), |then| ago(now, then))
    }
}

/// `5 minutes ago`.
pub(crate) fn ago(now: Timestamp, then: Timestamp) -> String {
    let past: SignedDuration = now.duration_since(then);
    let (count, unit) = match past.as_secs() {
        ..2 => return "just now".to_owned(),
        it @ 2..120 => (it, "seconds"),
        it @ 120..7_200 => (it / 60, "minutes"),
        it @ 7_200..172_800 => (it / 3_600, "hours"),
        it => (it / 86_400, "days"),
    };
    format!("{count} {unit} ago")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn an_age_is_told_in_the_largest_unit_that_fits() {
        let now = Timestamp::from_second(1_000_000_000).unwrap();
        for (seconds, expected) in [
            (-5, "just now"),
            (1, "just now"),
            (119, "119 seconds ago"),
            (120, "2 minutes ago"),
            (7_200, "2 hours ago"),
            (172_800, "2 days ago"),
        ] {
            let then = Timestamp::from_second(1_000_000_000 - seconds).unwrap();
            assert_eq!(ago(now, then), expected);
        }
    }
}
