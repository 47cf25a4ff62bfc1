//! Limits of the rules that look at more than one call: `[reads]` and `[loop]`.

use hostler_policy::guards::Repeats;
use toml::{Table, Value};

use super::{Config, strings};

/// A window longer than this, in seconds, is no burst.
const WINDOW_S_MAX: i64 = 24 * 60 * 60;
/// Reads in a window whose times are kept.
const PER_WINDOW_MAX: i64 = 1_000;

impl Config {
    pub(super) fn apply_reads(&mut self, table: &Table, shown: &str) {
        for (key, value) in table {
            let wrong =
                |this: &mut Self, expected: &str| this.wrong(shown, &format!("reads.{key}"), expected);
            match (key.as_str(), value) {
                ("window_s", Value::Integer(seconds)) if (1..=WINDOW_S_MAX).contains(seconds) => {
                    self.settings.reads.window_ms = seconds * 1_000;
                }
                ("window_s", _) => wrong(self, "a number of seconds, 1 to 86400"),
                ("per_window", Value::Integer(reads)) if (1..=PER_WINDOW_MAX).contains(reads) => {
                    self.settings.reads.per_window = reads.unsigned_abs();
                }
                ("per_window", _) => wrong(self, "a whole number, 1 to 1000"),
                ("per_session", Value::Integer(reads)) if 1 <= *reads => {
                    self.settings.reads.per_session = reads.unsigned_abs();
                }
                ("per_session", _) => wrong(self, "a whole number, 1 or more"),
                ("exempt", _) => match strings(value) {
                    // Both files' names count, as with `protected`.
                    Some(names) => self.settings.reads.exempt.extend(names),
                    None => wrong(self, "a list of file names in quotes"),
                },
                ("instead", _) => match strings(value) {
                    Some(commands) => self.settings.reads.instead = commands,
                    None => wrong(self, "a list of commands in quotes"),
                },
                (other, _) => self.unknown(shown, &format!("reads.{other}")),
            }
        }
    }

    pub(super) fn apply_loop(&mut self, table: &Table, shown: &str) {
        for (key, value) in table {
            match (key.as_str(), value.as_integer().and_then(|times| u64::try_from(times).ok())) {
                ("repeats", Some(max)) if (2..=Repeats::LIMIT).contains(&max) => {
                    self.settings.repeats = Repeats { max };
                }
                ("repeats", _) => {
                    let expected = format!("a whole number, 2 to {}", Repeats::LIMIT);
                    self.wrong(shown, "loop.repeats", &expected);
                }
                (other, _) => self.unknown(shown, &format!("loop.{other}")),
            }
        }
    }
}
