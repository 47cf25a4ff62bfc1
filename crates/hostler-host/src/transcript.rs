//! What any host's record of a session says, in order: the neutral form that its readers bring it into.

use hostler_model::{Outcome, ToolCall};

/// One line or message of a record, with what it says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Entry {
    /// Where it belongs.
    pub meta: Meta,
    /// What it says, in order.
    pub items: Vec<Item>,
}

/// Where an entry belongs. Everything is as the host wrote it, and may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Meta {
    /// The entry's own id; the same entry in two files has the same.
    pub id: Option<String>,
    /// The entry before it.
    pub parent: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// The session that the entry was copied from.
    pub copied_from: Option<String>,
    /// The agent's working directory.
    pub cwd: Option<String>,
    /// The git branch; absent outside a repository.
    pub branch: Option<String>,
    /// The host's version.
    pub version: Option<String>,
    /// When, milliseconds since 1970 (UTC).
    pub at_ms: Option<i64>,
    /// It belongs to a subagent.
    pub sidechain: bool,
    /// The subagent's id; old versions tell none.
    pub agent: Option<String>,
}

/// One thing that was said or done.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// What a person typed; for a subagent, what it was asked.
    Prompt {
        /// The words.
        text: String,
    },
    /// What the agent said.
    Text {
        /// The words, as Markdown.
        text: String,
        /// The message that it is a part of.
        message: Option<String>,
    },
    /// A tool was called.
    Call {
        /// The call.
        call: ToolCall,
        /// A person did it, in the host's own shell.
        by_user: bool,
    },
    /// A tool answered.
    Result {
        /// The id of the call; a person's command has none.
        call: Option<String>,
        /// How it ended.
        outcome: Outcome,
    },
    /// Something else that matters to how the record is read.
    Notice(Notice),
}

/// What happened to the session itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// The context was compacted.
    Compacted,
    /// The user stopped the agent.
    Interrupted,
    /// A stop hook sent the agent back.
    Continued,
    /// The agent goes on by itself: a background task ended, another agent wrote. A turn without a prompt.
    Resumed,
}

/// What a line of a record came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// It was read.
    Entry(Box<Entry>),
    /// It is of a kind that holds no part of the conversation.
    PassedOver,
    /// It is damaged (cut, mixed up with another, not UTF-8, not JSON); these entries could be saved from it.
    Damaged(Vec<Entry>),
}

/// Milliseconds since 1970 of a time like `2026-11-30T13:26:10.569Z`; `None` for anything else.
pub fn time_ms(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', ' '])?;
    let mut date = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || !(1..=9_999).contains(&year) {
        return None;
    }
    let (clock, offset_minutes) = zone(time)?;
    let (whole, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let mut parts = whole.splitn(3, ':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next().unwrap_or(Some(0))?);
    if !(0..24).contains(&hour) || !(0..60).contains(&minute) || !(0..=60).contains(&second) {
        return None;
    }
    let milliseconds = format!("{:0<3}", fraction.get(..fraction.len().min(3))?).parse::<i64>().ok()?;
    let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - offset_minutes;
    Some((minutes * 60 + second) * 1_000 + milliseconds)
}

/// The clock and how many minutes it is ahead of UTC.
fn zone(time: &str) -> Option<(&str, i64)> {
    if let Some(clock) = time.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = time.rfind(['+', '-']) else { return Some((time, 0)) };
    let (clock, offset) = time.split_at_checked(at)?;
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let digits: String = offset.chars().filter(char::is_ascii_digit).collect();
    let hours: i64 = digits.get(..2)?.parse().ok()?;
    let minutes: i64 = digits.get(2..4).unwrap_or("0").parse().ok()?;
    Some((clock, sign * (hours * 60 + minutes)))
}

/// Days since 1970-01-01 in the Gregorian calendar (years of March, so that the leap day is the last).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_and_without_fractions_and_zones() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2026-11-30T13:26:10.569Z", Some(1_796_045_170_569)),
            ("2026-11-30T13:26:10.5Z", Some(1_796_045_170_500)),
            ("2026-11-30 13:26:10", Some(1_796_045_170_000)),
            ("2026-11-30T14:26:10.569123+01:00", Some(1_796_045_170_569)),
            ("2024-02-29T23:59Z", Some(1_709_251_140_000)),
            ("2026-13-01T00:00:00Z", None),
            ("2026-11-30", None),
            ("T", None),
            ("2026-11-30T1é:00:00Z", None),
            ("", None),
        ] {
            assert_eq!(time_ms(text), expected, "{text}");
        }
    }
}
