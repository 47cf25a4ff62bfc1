//! What an id looks like, and lists of them: `REQ-020-001`, `FR-001, FR-003`, `REQ-020-103..105`.

use regex::Regex;

/// Most ids that one range stands for.
pub const RANGE_IDS_MAX: u64 = 1_000;
/// Most ids that one tag cites.
pub const TAG_IDS_MAX: usize = 5_000;
/// Most ids that the tags of one file cite.
pub const FILE_IDS_MAX: usize = 20_000;
/// Longest id, bytes.
pub const ID_BYTES_MAX: usize = 128;

/// Groups of capitals and digits joined by hyphens; the last one ends in a number, parts of which may follow after
/// dots: `REQ-020-001`, `FR-001`, `US-008-AC01`, `021-CONST-II-001`, `REQ-1.2`, `FR-001a`.
const DEFAULT: &str = r"[A-Z0-9]+(?:-[A-Z0-9]+)*-[A-Z]{0,8}[0-9]+(?:\.[0-9]+)*[a-z]?";

/// Names of standards and encodings that have the shape of an id.
const NO_IDS: &[&str] = &[
    "CVE", "CWE", "IEC", "IEEE", "ISO", "RFC", "SHA", "UTC", "UTF", "MD", "GPL", "LGPL", "AGPL", "BSD",
    "ECMA", "WCAG",
];

/// A pattern could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is no pattern of ids: {why}")]
pub struct PatternError {
    /// As it was written.
    pub pattern: String,
    /// What the regular expression engine says, in one line.
    pub why: String,
}

/// What counts as an id.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// Matches a whole word.
    whole: Regex,
    /// Of our own making: [`NO_IDS`] are left out.
    default: bool,
}

impl Pattern {
    /// Words that one of `patterns` matches as a whole; ids as many projects write them where there is none.
    ///
    /// # Errors
    /// [`PatternError`] names the first one that is no regular expression, or is too large a one.
    pub fn new(patterns: &[String]) -> Result<Self, PatternError> {
        let default = patterns.is_empty();
        let one = |pattern: &str| {
            regex::RegexBuilder::new(&format!("^(?:{pattern})$")).size_limit(1 << 20).build().map_err(
                |error| {
                    let text = error.to_string();
                    let why =
                        text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
                    PatternError { pattern: pattern.to_owned(), why }
                },
            )
        };
        for pattern in patterns {
            one(pattern)?;
        }
        let all = if default { DEFAULT.to_owned() } else { patterns.join("|") };
        Ok(Self { whole: one(&all)?, default })
    }

    /// Whether `word` is an id.
    pub fn is_id(&self, word: &str) -> bool {
        if ID_BYTES_MAX < word.len() || !self.whole.is_match(word) {
            return false;
        }
        !self.default || {
            let first = word.split('-').next().unwrap_or_default();
            word.bytes().any(|it| it.is_ascii_uppercase()) && !NO_IDS.contains(&first)
        }
    }

    /// Reads ids from the beginning of `text` until something else stands there. They are separated by spaces, commas,
    /// semicolons or a slash between spaces; `..` makes a range of the number at the end, and `SPECIFICATION/ID` names
    /// the specification. What was meant as an id and is none is a problem, not the end of the list.
    pub fn list(&self, text: &str) -> Ids {
        let mut out = Ids::default();
        let mut rest = text;
        loop {
            let ahead = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';'));
            out.open = rest.trim_end().ends_with(',') && ahead.is_empty();
            let listed = rest.trim_start().starts_with([',', ';']);
            let ahead =
                ahead.strip_prefix("/ ").filter(|_| !out.ids.is_empty()).map_or(ahead, str::trim_start);
            let end = ahead.find(ends_word).unwrap_or(ahead.len());
            let whole = &ahead[..end];
            let word = whole.trim_end_matches(['.', ':', '!', '?', '*', '/', '-']);
            if let (Some(first), Some(last)) = (out.ids.last(), self.spoken_range(whole, &ahead[end..])) {
                out.problems.push(format!("`{first} {whole} {last}` is no range; write `{first}..{last}`"));
                return out;
            }
            if word.is_empty() {
                return out;
            }
            match word.split_once("..") {
                _ if self.qualified(word) => out.ids.push(word.to_owned()),
                Some((first, last)) if self.qualified(first) => {
                    Self::range(word, first, last.trim_start_matches(['.', '=']), &mut out);
                }
                _ if matches!(word, "and" | "&") && !out.is_empty() => {}
                _ if listed && self.nearly(word, out.ids.last()) => {
                    out.problems.push(format!("`{word}` in its list does not look like an id"));
                }
                _ => return out,
            }
            if TAG_IDS_MAX < out.ids.len() {
                out.ids.truncate(TAG_IDS_MAX);
                out.problems.push(format!("it cites more than {TAG_IDS_MAX} ids; the rest is left out"));
                return out;
            }
            rest = &ahead[end..];
            // What was stripped from the end of a word ends the list, too: a sentence is over.
            if word.len() < end
                && !rest.trim_start().starts_with([',', ';'])
                && !ahead[word.len()..end].eq(":")
            {
                return out;
            }
        }
    }

    fn qualified(&self, word: &str) -> bool {
        self.is_id(word) || word.rsplit_once('/').is_some_and(|(spec, id)| !spec.is_empty() && self.is_id(id))
    }

    /// The other end of `FR-001 to FR-003`, if `word` is such a word.
    fn spoken_range<'t>(&self, word: &str, after: &'t str) -> Option<&'t str> {
        if !matches!(word, "to" | "through" | "until" | "-" | "–" | "—") {
            return None;
        }
        let last = after.trim_start();
        let last = &last[..last.find(ends_word).unwrap_or(last.len())];
        let last = last.trim_end_matches(['.', ':', '!', '?']);
        self.qualified(last).then_some(last)
    }

    /// Written as an id would be but for its case or an underscore, or the number alone: `fr-007`, `FR_005`, `012`.
    fn nearly(&self, word: &str, before: Option<&String>) -> bool {
        let same_width = |id: &String| digits(id) == word.len();
        let number = word.bytes().all(|it| it.is_ascii_digit()) && before.is_some_and(same_width);
        number || word.len() <= ID_BYTES_MAX && self.is_id(&word.to_uppercase().replace('_', "-"))
    }

    /// `REQ-020-001..031`, `REQ-020-001..REQ-020-031`.
    fn range(word: &str, first: &str, last: &str, out: &mut Ids) {
        let (stem, from) = first.split_at(first.len() - digits(first));
        let (head, to) = last.split_at(last.len() - digits(last));
        let same = head.is_empty() || head == stem || stem.rsplit_once('/').is_some_and(|(_, id)| id == head);
        let problem = match (from.parse::<u64>(), to.parse::<u64>()) {
            (Ok(low), Ok(high)) if same && low <= high && high - low < RANGE_IDS_MAX => {
                let width = from.len();
                out.ids.extend((low..=high).map(|number| format!("{stem}{number:0width$}")));
                return;
            }
            (Ok(low), Ok(high)) if same && low <= high => {
                format!("the range `{word}` has more than {RANGE_IDS_MAX} ids")
            }
            (Ok(_), Ok(_)) if same => format!("the range `{word}` runs backwards"),
            _ => format!("`{word}` is no range: both ends must be alike but for the number"),
        };
        out.problems.push(problem);
    }
}

/// What a list of ids came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ids {
    /// In order; ranges one by one.
    pub ids: Vec<String>,
    /// What could not be read, as half sentences.
    pub problems: Vec<String>,
    /// It ends with a comma: more may follow on the next line.
    pub open: bool,
}

impl Ids {
    /// Nothing that looks like an id was found.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.problems.is_empty()
    }

    /// Adds what `more` holds.
    pub fn extend(&mut self, more: Self) {
        self.ids.extend(more.ids);
        self.problems.extend(more.problems);
        self.open = more.open;
    }
}

/// How many digits `text` ends in.
fn digits(text: &str) -> usize {
    text.len() - text.trim_end_matches(|c: char| c.is_ascii_digit()).len()
}

fn ends_word(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, ',' | ';' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '"' | '\'' | '`' | '|')
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(Pattern::new(&[]).unwrap().list(text).ids, expected, "{text}");
    }

    #[test]
    fn lists_and_ranges_are_read() {
        check("REQ-020-001", &["REQ-020-001"]);
        check(
            " REQ-020-001 FR-001, US-008-AC01;021-CONST-II-001",
            &["REQ-020-001", "FR-001", "US-008-AC01", "021-CONST-II-001"],
        );
        check("REQ-020-103..105", &["REQ-020-103", "REQ-020-104", "REQ-020-105"]);
        check("REQ-020-103..REQ-020-104", &["REQ-020-103", "REQ-020-104"]);
        check("US-1-AC08..10 and FR-2", &["US-1-AC08", "US-1-AC09", "US-1-AC10", "FR-2"]);
        check("021-photos/FR-001..002", &["021-photos/FR-001", "021-photos/FR-002"]);
        // A sentence ends the list, and so does what is no id.
        check("FR-001. FR-002 is elsewhere", &["FR-001"]);
        check("FR-001: FR-002", &["FR-001", "FR-002"]);
        check("FR-001 like FR-002", &["FR-001"]);
        check("FR-001 (see FR-002)", &["FR-001"]);
        check("FR-001 */ FR-002", &["FR-001"]);
        check("FR-001 -->", &["FR-001"]);
        check("FR-001*/", &["FR-001"]);
        check("FR-001..", &["FR-001"]);
        check("FR-004 / FR-006", &["FR-004", "FR-006"]);
        check("FR-004, fr-007, FR-008", &["FR-004", "FR-008"]);
        check("FR-001, 3 cases, and FR-002", &["FR-001"]);
        check("FR-001 and 2026-11-30", &["FR-001"]);
        check(&format!("FR-001 REQ-{}1", "0".repeat(ID_BYTES_MAX)), &["FR-001"]);
        check("UTF-8 is no id", &[]);
        check("2026-11-30", &[]);
        check("nothing", &[]);
        check("", &[]);
    }

    #[test]
    fn broken_ranges_are_told() {
        let pattern = Pattern::new(&[]).unwrap();
        for (text, said) in [
            ("REQ-1..REQ-2-3", "no range"),
            ("REQ-020-105..103", "backwards"),
            ("REQ-1..2000", "more than 1000"),
            ("REQ-1..99999999999999999999999", "no range"),
        ] {
            let list = pattern.list(text);
            assert!(list.ids.is_empty() && list.problems[0].contains(said), "{text}: {list:?}");
        }
        assert!(pattern.list("FR-001,").open && !pattern.list("FR-001").open);
        let many = ["FR-1..1000"; 7].join(" ");
        let list = pattern.list(&many);
        assert_eq!((list.ids.len(), list.problems.len()), (TAG_IDS_MAX, 1));
    }

    #[test]
    fn what_was_meant_as_an_id_is_told() {
        let pattern = Pattern::new(&[]).unwrap();
        for (text, said) in [
            ("FR-004, FR_005", "`FR_005` in its list does not look like an id"),
            ("FR-004, fr-007, FR-008", "`fr-007` in its list does not look like an id"),
            ("FR-011, 012", "`012` in its list does not look like an id"),
            ("FR-001 to FR-003", "`FR-001 to FR-003` is no range; write `FR-001..FR-003`"),
            ("FR-001 – FR-003.", "`FR-001 – FR-003` is no range; write `FR-001..FR-003`"),
        ] {
            assert_eq!(pattern.list(text).problems, [said], "{text}");
        }
        for text in ["FR-001, as users expect", "FR-001, 12 of them", "FR-001 to be done", "FR-001 - as ever"]
        {
            assert_eq!(pattern.list(text).problems, [""; 0], "{text}");
        }
        let wide = format!("REQ-{}1..3", "0".repeat(70_000));
        assert!(pattern.list(&wide).is_empty());
    }

    #[test]
    fn patterns_are_the_users() {
        let pattern = Pattern::new(&["REQ[0-9]{3}".to_owned(), "[a-z]+/[0-9]+".to_owned()]).unwrap();
        assert_eq!(pattern.list("REQ001 auth/12 FR-001").ids, ["REQ001", "auth/12"]);
        assert_eq!(pattern.list("REQ001..003").ids.len(), 3);
        let error = Pattern::new(&["REQ-(".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("`REQ-(` is no pattern of ids: "), "{error}");
    }
}
