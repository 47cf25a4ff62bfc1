//! Texts on one line, cut where they are too long.

/// What stands before the first match of a text that is cut, in characters.
const BEFORE_CHARS: usize = 60;

/// `text` on one line with single blanks, at most about `chars_max` characters of it around byte `at`. What is left
/// out is `…`; words stay whole where they are not longer than the line.
pub(super) fn around(text: &str, at: usize, chars_max: usize) -> String {
    let before = one_line(text.get(..at).unwrap_or_default());
    let line = one_line(text);
    let total = line.chars().count();
    if total <= chars_max {
        return line;
    }
    // Where the match stands in the line: after what is before it, and a blank where one was dropped at the end.
    let place = before.chars().count();
    let start = if place <= BEFORE_CHARS { 0 } else { (place - BEFORE_CHARS).min(total - chars_max) };
    let chars: Vec<char> = line.chars().collect();
    let mut start = start;
    let mut end = (start + chars_max).min(total);
    // To the next beginning of a word, unless the match would be lost.
    if 0 < start
        && let Some(blank) = chars[start..place.min(end)].iter().position(|c| *c == ' ')
    {
        start += blank + 1;
    }
    if end < total
        && let Some(blank) = chars[start..end].iter().rposition(|c| *c == ' ')
        && place < start + blank
    {
        end = start + blank;
    }
    let body: String = chars[start..end].iter().collect();
    let mut out = String::new();
    if 0 < start {
        out.push_str("… ");
    }
    out.push_str(body.trim_end());
    if end < total {
        out.push_str(" …");
    }
    out
}

/// White space and control characters become single blanks: a record is one line of a list, and moves no cursor.
fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|it| !it.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}
