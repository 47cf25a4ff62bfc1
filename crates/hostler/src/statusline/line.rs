//! The line itself: what is said, in which order it is left out where there is no room, and its colours.

use hostler_ledger::redact::{printable, redact};
use unicode_width::UnicodeWidthStr;

/// Between two parts.
const BETWEEN: &str = " · ";
/// A purpose is cut to this many columns before any part is left out; what room is left then is its own.
const PURPOSE_COLUMNS_MIN: usize = 12;
const PURPOSE_COLUMNS_MAX: usize = 48;
const BRANCH_COLUMNS_MAX: usize = 32;
/// The rank of the session that is going on: it stays longest.
const ACTIVE: u8 = 9;
/// How much of the context is much, in percent.
const CONTEXT_MUCH: u8 = 60;
const CONTEXT_ALMOST_ALL: u8 = 80;

/// How it is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) color: bool,
    /// Columns.
    pub(super) width: usize,
}

/// The work session that is going on, or the last one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Session {
    pub(super) number: u64,
    pub(super) purpose: String,
    pub(super) active: bool,
}

/// What is said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Line {
    pub(super) session: Option<Session>,
    pub(super) branch: Option<String>,
    pub(super) profile: &'static str,
    /// The configuration has mistakes.
    pub(super) faulty: bool,
    /// Nothing of this session is recorded.
    pub(super) silent: bool,
    /// Calls that were stopped.
    pub(super) stopped: u64,
    /// Findings that the agent did not take back.
    pub(super) findings: u64,
    pub(super) context_percent: Option<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Color {
    None,
    Dim,
    Green,
    Yellow,
    Red,
}

struct Part {
    text: String,
    color: Color,
    /// The higher, the longer it stays.
    rank: u8,
}

impl Line {
    pub(super) fn print(&self, style: Style) -> String {
        let mut parts = self.parts(PURPOSE_COLUMNS_MIN);
        while 1 < parts.len() && style.width < columns(&parts) {
            if let Some(at) = (0..parts.len()).min_by_key(|at| parts[*at].rank) {
                parts.remove(at);
            }
        }
        // What is left of the room is the purpose's.
        let spare = style.width.saturating_sub(columns(&parts));
        if let (Some(session), Some(first)) =
            (&self.session, parts.first_mut().filter(|it| it.rank == ACTIVE))
        {
            first.text = session.text(first.text.width() + spare);
        }
        let painted: Vec<String> =
            parts.iter().map(|part| paint(&cut(&part.text, style.width), part.color, style.color)).collect();
        painted.join(BETWEEN)
    }

    fn parts(&self, purpose_columns: usize) -> Vec<Part> {
        let part = |text: String, color, rank| Part { text, color, rank };
        let counted = |count: u64, one: &str, many: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {many}"),
        };
        let mut parts = Vec::new();
        if let Some(session) = &self.session {
            let number = columns_of_number(session.number);
            parts.push(if session.active {
                part(session.text(number + purpose_columns), Color::Green, ACTIVE)
            } else {
                part(format!("#{} closed", session.number), Color::Dim, 2)
            });
        }
        if let Some(branch) = &self.branch {
            parts.push(part(cut(&clean(branch), BRANCH_COLUMNS_MAX), Color::Dim, 3));
        }
        parts.push(if self.faulty {
            part(format!("{}: mistakes in its configuration", self.profile), Color::Yellow, 6)
        } else {
            part(self.profile.to_owned(), Color::Dim, 4)
        });
        if self.silent {
            parts.push(part("no record of this session".to_owned(), Color::Yellow, 7));
        }
        if 0 < self.stopped {
            parts.push(part(format!("{} stopped", self.stopped), Color::Yellow, 6));
        }
        if 0 < self.findings {
            parts.push(part(counted(self.findings, "finding", "findings"), Color::Red, 8));
        }
        if let Some(percent) = self.context_percent {
            let color = match percent {
                CONTEXT_ALMOST_ALL.. => Color::Red,
                CONTEXT_MUCH.. => Color::Yellow,
                _ => Color::None,
            };
            parts.push(part(format!("{percent}% context"), color, 5));
        }
        parts
    }
}

impl Session {
    /// Number and purpose in at most this many columns; never less than the number.
    fn text(&self, columns_max: usize) -> String {
        let room = columns_max.saturating_sub(columns_of_number(self.number)).min(PURPOSE_COLUMNS_MAX);
        format!("#{} {}", self.number, cut(&clean(&self.purpose), room)).trim_end().to_owned()
    }
}

/// Of `#12 `.
fn columns_of_number(number: u64) -> usize {
    format!("#{number} ").width()
}

fn columns(parts: &[Part]) -> usize {
    let between = BETWEEN.width() * parts.len().saturating_sub(1);
    parts.iter().map(|part| part.text.width()).sum::<usize>() + between
}

/// Longest text of others that is looked at, characters: what is shown has at most [`PURPOSE_COLUMNS_MAX`] columns.
const TEXT_CHARS_MAX: usize = 200;

/// In one line, without secrets and without what a terminal would act on or nobody would see.
fn clean(text: &str) -> String {
    let breaks = |c: char| {
        c.is_whitespace() || c.is_control() || printable(c.encode_utf8(&mut [0; 4])).len() != c.len_utf8()
    };
    let text: String = text.chars().take(TEXT_CHARS_MAX).collect();
    let words =
        redact(&text).split(breaks).filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    words.join(" ")
}

/// At most this many columns, the cut marked.
fn cut(text: &str, columns_max: usize) -> String {
    // Marks that combine take no columns.
    if text.width() <= columns_max && text.chars().count() <= 2 * columns_max {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars().take(2 * columns_max) {
        let mut longer = out.clone();
        longer.push(c);
        if columns_max <= longer.width() {
            break;
        }
        out = longer;
    }
    format!("{}…", out.trim_end())
}

fn paint(text: &str, color: Color, colored: bool) -> String {
    let code = match color {
        Color::None => return text.to_owned(),
        Color::Dim => 2,
        Color::Green => 32,
        Color::Yellow => 33,
        Color::Red => 31,
    };
    if colored { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Line {
        Line {
            session: Some(Session { number: 12, purpose: "Prices are rounded".to_owned(), active: true }),
            branch: Some("main".to_owned()),
            profile: "standard",
            stopped: 2,
            findings: 1,
            context_percent: Some(42),
            ..Line::default()
        }
    }

    #[track_caller]
    fn check(line: &Line, width: usize, expected: &str) {
        let printed = line.print(Style { color: false, width });
        assert_eq!(printed, expected);
        assert!(printed.width() <= width, "{} columns", printed.width());
    }

    #[test]
    fn where_there_is_no_room_what_matters_least_is_left_out() {
        let line = full();
        check(&line, 120, "#12 Prices are rounded · main · standard · 2 stopped · 1 finding · 42% context");
        check(&line, 60, "#12 Prices are rounded · 2 stopped · 1 finding · 42% context");
        check(&line, 50, "#12 Prices are rounded · 2 stopped · 1 finding");
        check(&line, 30, "#12 Prices are ro… · 1 finding");
        check(&line, 16, "#12 Prices are…");
        check(&line, 6, "#12 P…");
        check(&line, 1, "…");
    }

    #[test]
    fn what_is_not_known_is_left_out_and_what_is_wrong_is_said() {
        check(&Line { profile: "strict", ..Line::default() }, 80, "strict");
        let silent = Line { silent: true, ..full() };
        assert!(silent.print(Style { color: false, width: 120 }).contains("no record of this session"));
        let faulty = Line { faulty: true, ..full() };
        assert!(faulty.print(Style { color: false, width: 120 }).contains("standard: mistakes"));
        let closed = Line {
            session: Some(Session { active: false, ..full().session.unwrap_or_default() }),
            ..Line { profile: "standard", ..Line::default() }
        };
        check(&closed, 80, "#12 closed · standard");
    }

    #[test]
    fn a_purpose_cannot_write_to_the_terminal() {
        let purpose = "a\u{1b}]0;title\u{7}\n\tb \u{9b}31m wide 修正".to_owned();
        let session = Session { number: 1, purpose, active: true };
        let line = Line { session: Some(session), profile: "standard", ..Line::default() };
        check(&line, 80, "#1 a ]0;title b 31m wide 修正 · standard");
        check(&line, 30, "#1 a ]0;title b 31… · standard");
        let hidden = format!("x\u{202e}y\u{200b}z {}", "\u{301}".repeat(20_000));
        let session = Session { number: 1, purpose: hidden, active: true };
        let branch = Some("a\u{202e}b".to_owned());
        let printed = Line { session: Some(session), branch, profile: "standard", ..Line::default() }
            .print(Style { color: false, width: 80 });
        assert!(printed.starts_with("#1 x y z") && printed.contains(" · a b · "), "{printed:?}");
        assert!(printed.chars().count() < 200, "{printed:?}");
    }

    #[test]
    fn a_purpose_shows_no_secret() {
        let purpose = "use ghp_0123456789abcdefghijklmnopqrstuvwxyz now".to_owned();
        let session = Session { number: 1, purpose, active: true };
        let line = Line { session: Some(session), profile: "standard", ..Line::default() };
        check(&line, 120, "#1 use [redacted] now · standard");
    }

    #[test]
    fn colours_only_where_they_are_wanted() {
        let colored = full().print(Style { color: true, width: 120 });
        assert!(
            colored.contains("\u{1b}[31m1 finding\u{1b}[0m") && colored.contains("42% context"),
            "{colored:?}"
        );
        for (percent, code) in [(59, None), (60, Some("\u{1b}[33m")), (80, Some("\u{1b}[31m"))] {
            let line = Line { context_percent: Some(percent), profile: "standard", ..Line::default() };
            let colored = line.print(Style { color: true, width: 80 });
            let expected = code.map_or(format!(" · {percent}%"), |code| format!(" · {code}{percent}%"));
            assert!(colored.contains(&expected), "{colored:?}");
        }
    }
}
