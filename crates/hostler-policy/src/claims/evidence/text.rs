//! Outputs as text: cut to a bound, without colours, line by line.

use std::borrow::Cow;

use hostler_model::text::shortened_line;

/// Of a long output, so much is read of its beginning and of its end.
const HEAD_BYTES_MAX: usize = 64 * 1024;
const TAIL_BYTES_MAX: usize = 256 * 1024;

/// Longest line that is looked at, in bytes: longer ones hold data.
pub(super) const LINE_BYTES_MAX: usize = 2_000;

/// Characters of a line that evidence keeps.
const SHOWN_CHARS_MAX: usize = 200;

/// `output` within the bounds, without escape sequences, with every carriage return as a line's end.
pub(super) fn clean(output: &str) -> Cow<'_, str> {
    let cut = if HEAD_BYTES_MAX + TAIL_BYTES_MAX < output.len() {
        let head = head(output, HEAD_BYTES_MAX);
        let tail = tail(output, TAIL_BYTES_MAX);
        Cow::Owned(format!("{head}\n{tail}"))
    } else {
        Cow::Borrowed(output)
    };
    if cut.bytes().any(|byte| matches!(byte, 0x1b | b'\r' | 0x08)) {
        Cow::Owned(without_escapes(&cut))
    } else {
        cut
    }
}

/// At most `bytes` of the start of `text`, ending at a line's end where there is one.
pub(super) fn head(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let cut = &text[..end];
    cut.rfind('\n').map_or(cut, |at| &cut[..at])
}

/// At most `bytes` of the end of `text`, beginning at a line's beginning where there is one.
pub(super) fn tail(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let mut start = text.len() - bytes;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let cut = &text[start..];
    cut.find('\n').map_or(cut, |at| &cut[at + 1..])
}

fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next() {
                // Control sequence: ends with a letter or `~`.
                Some('[') => {
                    for c in chars.by_ref() {
                        if ('@'..='~').contains(&c) {
                            break;
                        }
                    }
                }
                // Operating system command: ends with BEL or ESC \.
                Some(']') => {
                    while let Some(c) = chars.next() {
                        if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                            break;
                        }
                    }
                }
                Some('(' | ')') => {
                    chars.next();
                }
                _ => {}
            },
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    out.push('\n');
                }
            }
            '\u{8}' => {
                out.pop();
            }
            c => out.push(c),
        }
    }
    out
}

/// The lines of a cleaned output that are worth reading.
pub(super) fn lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.lines().filter(|line| line.len() <= LINE_BYTES_MAX)
}

/// Of a text of more than 500 characters, the first `count` words of 6 or more letters, in lower case, each once.
pub(super) fn long_words(text: &str, count: usize) -> Vec<String> {
    const CHARS_MIN: usize = 500;
    const LETTERS_MIN: usize = 6;
    const LETTERS_MAX: usize = 40;
    let mut out: Vec<String> = Vec::new();
    if text.len() <= CHARS_MIN || text.chars().nth(CHARS_MIN).is_none() {
        return out;
    }
    // Words that are found stand near the beginning, or there are few.
    for word in head(text, 16 * 1024).split(|c: char| !c.is_alphabetic()) {
        if word.len() < LETTERS_MIN || !(LETTERS_MIN..=LETTERS_MAX).contains(&word.chars().count()) {
            continue;
        }
        if !out.iter().any(|it| it.eq_ignore_ascii_case(word)) {
            let lower = word.to_lowercase();
            if !out.contains(&lower) {
                out.push(lower);
            }
            if count <= out.len() {
                break;
            }
        }
    }
    out
}

/// `text` on one line and cut, for people.
pub(super) fn shorten(text: &str) -> String {
    shortened_line(text, SHOWN_CHARS_MAX)
}

/// `text` as an unsigned number, thousands separators allowed: `1,234`.
pub(super) fn count(text: &str) -> Option<u64> {
    let digits: String = text.chars().filter(|c| *c != ',').collect();
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.parse().ok())
        .flatten()
}

/// The number at the start of `text`.
pub(super) fn leading_count(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != ',').unwrap_or(text.len());
    count(text[..end].trim_end_matches(','))
}

/// Every number of the line with the word after it, lower case: `2 failed, 46 passed in 2.13s` gives
/// `(2, failed)`, `(46, passed)`.
pub(super) fn counted(line: &str) -> Vec<(u64, String)> {
    let mut out = Vec::new();
    let mut words = line
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '|' | ';' | '['))
        .filter(|word| !word.is_empty())
        .peekable();
    while let Some(word) = words.next() {
        if let (Some(number), Some(next)) = (count(word), words.peek()) {
            let name: String = next.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            if name.starts_with(char::is_alphabetic) {
                out.push((number, name));
            }
        }
    }
    out
}

/// The number after `label`: `Failures: 1` for `Failures:`, blanks in between.
pub(super) fn after(line: &str, label: &str) -> Option<u64> {
    let at = line.find(label)?;
    leading_count(line[at + label.len()..].trim_start())
}

/// The file or program name at the end of a path.
pub(super) fn base(path: &str) -> &str {
    path.trim_end_matches('/').rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Contains `needle`, whatever the case of ASCII letters; `needle` is lower case.
pub(super) fn has(text: &str, needle: &str) -> bool {
    let (text, needle) = (text.as_bytes(), needle.as_bytes());
    let Some(&first) = needle.first() else { return true };
    let Some(starts) = (text.len() + 1).checked_sub(needle.len()).and_then(|end| text.get(..end)) else {
        return false;
    };
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), starts)
        .any(|at| text.get(at..at + needle.len()).is_some_and(|window| window.eq_ignore_ascii_case(needle)))
}
