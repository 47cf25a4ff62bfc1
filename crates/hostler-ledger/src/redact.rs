//! Secrets are removed before anything is written.
//!
//! One pass over the bytes; a few of them (`_ - . = :` and first letters of known keys) start a closer look
//! by hand-written scanners, so that ordinary text costs a table look-up per byte. What is judged is text
//! for people who read records: a word too many is removed rather than a secret too few, but code and prose
//! stay readable.

mod name;
mod token;
mod value;

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

/// What stands in a secret's place.
pub const MARK: &str = "[redacted]";

/// Secrets inside secrets are rare; a text that needs more passes than this is left as it is then.
const PASSES_MAX: usize = 8;
/// How much more than its length a preview looks at, so that a secret across the cut is seen as one.
const PREVIEW_MARGIN_BYTES: usize = 16 * 1024;

/// `text` without secrets: keys of known providers, private key blocks, passwords in URLs, in headers,
/// in assignments, and after options of commands. Doing it twice changes nothing more.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for _ in 0..PASSES_MAX {
        let spans = scan(&text);
        if spans.is_empty() {
            break;
        }
        text = Cow::Owned(replace(&text, &spans));
    }
    text
}

/// The value of an argument without secrets: its name, or the last part of its path (`users[0].password`), is seen with
/// it, and the whole of the value is one.
pub fn argument(path: &str, value: &str) -> String {
    const QUOTE: &str = "\"\"\"";
    let name = path.rsplit('.').next().unwrap_or(path).split('[').next().unwrap_or(path);
    // Quotes of its own would end it early.
    let plain = value.replace('"', "'");
    let named = format!("{name}: {QUOTE}{plain}{QUOTE}");
    let clean = redact(&named);
    let inner = clean.split_once(QUOTE).and_then(|(_, rest)| rest.strip_suffix(QUOTE));
    redact(inner.filter(|it| *it != plain).unwrap_or(value)).into_owned()
}

/// What [`redact`] takes out of `text`, for whoever keeps other texts that were made of it: there nothing before a
/// secret tells what it is.
pub fn secrets(text: &str) -> Vec<String> {
    scan(text).into_iter().map(|span| text[span].to_owned()).collect()
}

/// `text` without these `secrets` of another text, in whatever case, and without the beginning of one at which it was
/// cut. A short one is a secret only where it stands alone as a word.
pub fn without(text: &str, secrets: &[String]) -> String {
    const CHARS_SURE: usize = 12;
    const CUT_BYTES_MIN: usize = 6;
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let mut out = text.to_owned();
    for secret in secrets.iter().filter(|it| !it.is_empty()) {
        let mut clean = String::with_capacity(out.len());
        let mut from = 0;
        // The case of ASCII letters changes no position.
        let (lower, secret) = (out.to_ascii_lowercase(), secret.to_ascii_lowercase());
        for (at, _) in lower.match_indices(&secret) {
            let end = at + secret.len();
            let alone = !word(out[..at].chars().next_back()) && !word(out[end..].chars().next());
            if alone || CHARS_SURE <= secret.len() {
                clean.push_str(&out[from..at]);
                clean.push_str(MARK);
                from = end;
            }
        }
        clean.push_str(&out[from..]);
        out = clean;
        let end = out.trim_end_matches('…').len();
        let begins = |length: &usize| {
            let part = end.checked_sub(*length).and_then(|at| out.get(at..end));
            part.is_some_and(|it| secret.get(..*length).is_some_and(|start| start.eq_ignore_ascii_case(it)))
        };
        if let Some(length) = (CUT_BYTES_MIN..secret.len()).rev().find(begins) {
            out.replace_range(end - length..end, MARK);
        }
    }
    out
}

/// The beginning of `text` for a record: redacted first, then control and invisible characters escaped, then
/// cut at `chars_max` characters with a marker that says how much is missing. Looks at no more of a large
/// text than it shows.
pub fn preview(text: &str, chars_max: usize) -> String {
    let window_bytes = chars_max.saturating_mul(4).saturating_add(PREVIEW_MARGIN_BYTES);
    let window = &text[..floor_boundary(text, window_bytes)];
    let clean = redact(window);
    let mut out = String::with_capacity(clean.len().min(chars_max.saturating_mul(4)) + 32);
    let mut count = 0;
    let mut escaped = String::new();
    for (at, c) in clean.char_indices() {
        escaped.clear();
        escape(&mut escaped, c);
        let length = escaped.chars().count();
        if chars_max < count + length {
            let missing = clean.len() - at + (text.len() - window.len());
            // Writing to a `String` cannot fail.
            let _ = write!(out, "… [{missing} more bytes]");
            return out;
        }
        count += length;
        out.push_str(&escaped);
    }
    if window.len() < text.len() {
        let _ = write!(out, "… [{} more bytes]", text.len() - window.len());
    }
    out
}

/// `text` as a terminal may show it: control characters, and invisible ones that can reorder or hide text, are written
/// as escapes; line ends and tabs stay. Nothing is redacted.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| matches!(c, '\n' | '\t') || !(c.is_control() || is_invisible(c))) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if matches!(c, '\n' | '\t') { out.push(c) } else { escape(&mut out, c) }
    }
    Cow::Owned(out)
}

/// [`printable`] on one line: line ends and tabs are escapes as well.
pub fn printable_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| escape(&mut out, c));
    out
}

fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

fn escape(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if c.is_control() || is_invisible(c) => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        }
        c => out.push(c),
    }
}

/// The largest character boundary of `text` that is not after `at`.
pub(crate) fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|it| text.is_char_boundary(*it)).unwrap_or(0)
}

fn replace(text: &str, spans: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for span in spans {
        out.push_str(&text[from..span.start]);
        out.push_str(MARK);
        from = span.end;
    }
    out.push_str(&text[from..]);
    out
}

/// Secrets in `text`, in order, without overlap. Spans begin and end beside ASCII, so they are boundaries.
fn scan(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let found = match byte {
            b'_' | b'.' => token::ending_at(bytes, at),
            b'-' => token::ending_at(bytes, at)
                .or_else(|| token::private_key(text, at))
                .or_else(|| value::of_option(text, at)),
            b'A' | b'd' | b'e' | b'h' => token::starting_at(bytes, at),
            b'=' => value::assigned(text, at),
            b':' => value::in_url(bytes, at).or_else(|| value::assigned(text, at)),
            b' ' => value::after_bearer(bytes, at).or_else(|| value::after_name(text, at)),
            _ => None,
        };
        at += 1;
        if let Some(span) = found {
            let from = spans.last().map_or(0, |last| last.end);
            let span = span.start.max(from)..span.end;
            if span.start < span.end && &text[span.clone()] != MARK {
                at = at.max(span.end);
                spans.push(span);
            }
        }
    }
    spans
}

#[cfg(test)]
mod tests;
