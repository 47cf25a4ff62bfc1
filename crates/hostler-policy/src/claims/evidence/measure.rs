//! Numbers and notable lines of an output.

use super::text::{has, head, lines, shorten, tail};
use super::{MEASURES_MAX, Measure, NOTABLE_MAX};

/// So much of an output's end, and of its beginning, is searched for numbers and notable lines, in bytes.
const SEARCHED_TAIL_BYTES: usize = 24 * 1024;
const SEARCHED_HEAD_BYTES: usize = 8 * 1024;

/// Fewest lines, and the share of alike ones in percent, from which a line of another shape stands out.
const ALIKE_LINES_MIN: usize = 10;
const ALIKE_PERCENT_MIN: usize = 80;

fn searched(text: &str) -> (&str, &str) {
    if text.len() <= SEARCHED_HEAD_BYTES + SEARCHED_TAIL_BYTES {
        ("", text)
    } else {
        (head(text, SEARCHED_HEAD_BYTES), tail(text, SEARCHED_TAIL_BYTES))
    }
}

/// Numbers with what they count, the last ones first.
pub(super) fn measures(text: &str) -> Vec<Measure> {
    let (first, last) = searched(text);
    let mut out: Vec<Measure> = Vec::new();
    for line in lines(last).rev().chain(lines(first).rev()) {
        let mut found = of_line(line);
        found.reverse();
        for measure in found {
            if !out.contains(&measure) {
                out.push(measure);
            }
        }
        if MEASURES_MAX <= out.len() {
            out.truncate(MEASURES_MAX);
            break;
        }
    }
    out
}

fn of_line(line: &str) -> Vec<Measure> {
    let mut out = Vec::new();
    let bytes = line.as_bytes();
    let mut at = 0;
    while let Some(offset) = bytes[at..].iter().position(u8::is_ascii_digit) {
        let start = at + offset;
        let mut end = start;
        while end < bytes.len()
            && (bytes[end].is_ascii_digit()
                || (matches!(bytes[end], b'.' | b',') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit)))
        {
            end += 1;
        }
        at = end;
        if let Some(value) = number(&line[start..end])
            && stands_alone(line, start, end)
        {
            let negative = 0 < start && bytes[start - 1] == b'-';
            let (unit, _) = unit(&line[end..]);
            let label = label(&line[..start - usize::from(negative)]);
            out.push(Measure { value: if negative { -value } else { value }, unit, label });
        }
    }
    out
}

/// `1,234.5`; a version or address is none.
fn number(text: &str) -> Option<f64> {
    let dots = text.matches('.').count();
    if 1 < dots || 18 < text.len() {
        return None;
    }
    let whole = text.split('.').next().unwrap_or(text);
    let grouped = !whole.contains(',') || whole.split(',').skip(1).all(|group| group.len() == 3);
    if !grouped || text.split('.').nth(1).is_some_and(|it| it.contains(',')) {
        return None;
    }
    text.chars().filter(|c| *c != ',').collect::<String>().parse().ok()
}

/// No part of a name, path, version, date, time or hash.
fn stands_alone(line: &str, start: usize, end: usize) -> bool {
    let before = line[..start].chars().next_back();
    let ahead = line[..start].chars().rev().nth(1);
    let fine_before = match before {
        None => true,
        Some('-') => ahead.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '=' | ':')),
        Some(c) => {
            c.is_whitespace()
                || "([{=:~<>|$€£+\"'│≈/".contains(c)
                    && !(c == '/' && ahead.is_none_or(|c| !c.is_ascii_digit()))
        }
    };
    // Times of day: `12:30:05`; positions: `file.rs:3:4`.
    let clock = before == Some(':') && ahead.is_some_and(char::is_alphanumeric);
    let after = line[end..].chars().next();
    let fine_after = match after {
        None => true,
        Some(':') => line[end + 1..].chars().next().is_none_or(|c| !c.is_ascii_digit()),
        Some('-' | '_' | '@' | '#') => false,
        Some('.') => line[end + 1..].chars().next().is_none_or(char::is_whitespace),
        Some(c) => !c.is_ascii_digit(),
    };
    // `3f2a`: letters right behind are a unit only when they are one.
    let fine_unit = match after {
        Some(c) if c.is_alphabetic() => unit(&line[end..]).1,
        _ => true,
    };
    fine_before && !clock && fine_after && fine_unit
}

const UNITS: &[&str] = &[
    "ms", "s", "m", "h", "d", "us", "µs", "ns", "min", "sec", "secs", "b", "kb", "mb", "gb", "tb", "kib",
    "mib", "gib", "k", "x", "px", "rps", "qps", "hz", "mhz", "ghz", "bytes", "kbps", "mbps", "loc", "mo",
    "c",
];

/// The word behind a number, lower case, and whether it can stand right behind it.
fn unit(rest: &str) -> (String, bool) {
    if rest.starts_with('%') {
        return ("%".to_owned(), true);
    }
    let joined: String = rest.chars().take_while(|c| c.is_alphabetic() || *c == '/').collect();
    if joined.starts_with(char::is_alphabetic) {
        let lower = joined.to_lowercase();
        let ends = rest[joined.len()..].chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '_');
        let rate = lower.split_once('/').is_some_and(|(a, _)| UNITS.contains(&a) || a.len() < 4);
        let known = ends && (UNITS.contains(&lower.as_str()) || rate);
        return (lower, known);
    }
    let trimmed = rest.trim_start_matches([' ', '\t', ')', '(', '*', '`']);
    if trimmed.starts_with('%') {
        return ("%".to_owned(), true);
    }
    let word: String = trimmed.chars().take_while(|c| c.is_alphabetic() || matches!(c, '-' | '/')).collect();
    if 24 < word.len() || !word.starts_with(char::is_alphabetic) {
        return (String::new(), true);
    }
    (word.trim_end_matches(['-', '/']).to_lowercase(), true)
}

/// The last word before a number, lower case.
fn label(before: &str) -> String {
    let trimmed = before.trim_end_matches(|c: char| !c.is_alphanumeric());
    let word: String = trimmed
        .chars()
        .rev()
        .take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    if 32 < word.len() || word.bytes().all(|byte| byte.is_ascii_digit()) {
        return String::new();
    }
    word.to_lowercase()
}

/// Words of lines that tell of problems.
const PROBLEMS: &[&str] = &[
    "skipped",
    "skipping",
    "warning",
    "warn:",
    "warn]",
    "error",
    "failed",
    "failure",
    "critical",
    "vulnerab",
    "deprecated",
    "denied",
    "duplicate",
    "conflict",
    "invalid",
    "unsupported",
    "exception",
    "rejected",
    "missing",
    "timeout",
    "timed out",
    "refused",
    "fatal",
    "severity",
    "corrupt",
    "unreachable",
    "expired",
    "mismatch",
    "orphan",
    "not found",
    "could not",
    "cannot",
    "unable",
];

/// The first two letters of [`PROBLEMS`]: a bit for the second in the number of the first.
const PROBLEM_STARTS: [u32; 26] = {
    let mut out = [0; 26];
    let mut index = 0;
    while index < PROBLEMS.len() {
        let word = PROBLEMS[index].as_bytes();
        out[(word[0] - b'a') as usize] |= 1 << (word[1] - b'a');
        index += 1;
    }
    out
};

/// Whether a line holds one of [`PROBLEMS`]: one pass, since every line of every output is asked.
fn tells_of_a_problem(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.windows(2).enumerate().any(|(at, pair)| {
        let letter = |byte: u8| byte.to_ascii_lowercase().checked_sub(b'a').filter(|it| *it < 26);
        let (Some(first), Some(second)) = (letter(pair[0]), letter(pair[1])) else { return false };
        PROBLEM_STARTS[usize::from(first)] & (1 << second) != 0
            && PROBLEMS.iter().any(|word| {
                bytes.get(at..at + word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word.as_bytes()))
            })
    })
}

/// Licences that ask for something in return.
const LICENCES: &[&str] = &["GPL", "SSPL", "BUSL", "UNLICENSED", "Commons Clause", "CC-BY-NC"];

/// `0 errors`, `no warnings`: a problem that is not there.
fn harmless(line: &str) -> bool {
    const NONE: &[&str] = &[
        "0 error",
        "0 warning",
        "0 failed",
        "0 failure",
        "0 vulnerab",
        "no error",
        "no warning",
        "no issues",
        "no vulnerab",
        "without error",
        "failed: 0",
        "failures: 0",
        "errors: 0",
        "skipped: 0",
        "fail 0",
        "error: null",
        "0 skipped",
        "0 critical",
        "0 duplicate",
        "no conflict",
        "0 invalid",
        "warnings: 0",
        "\"errors\": []",
        "0 missing",
        "0 conflict",
    ];
    let count = NONE.iter().filter(|it| has(line, it)).count();
    0 < count && PROBLEMS.iter().filter(|it| has(line, it)).count() <= count
}

/// Lines that tell of problems, and lines that differ in kind from a long run of alike ones.
pub(super) fn notable(text: &str) -> Vec<String> {
    let (first, last) = searched(text);
    let all: Vec<&str> =
        lines(first).chain(lines(last)).map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut out: Vec<String> = Vec::new();
    let note = |line: &str, out: &mut Vec<String>| {
        let short = shorten(line);
        if out.len() < NOTABLE_MAX && !out.contains(&short) {
            out.push(short);
        }
    };
    for line in &all {
        let address = line.contains("://") && !line.contains(' ');
        let problem = !address && tells_of_a_problem(line) && !harmless(line);
        if problem || LICENCES.iter().any(|word| line.contains(word)) {
            note(line, &mut out);
        }
        if NOTABLE_MAX <= out.len() {
            return out;
        }
    }
    for line in odd_ones(&all) {
        note(line, &mut out);
    }
    out
}

fn odd_ones<'a>(all: &[&'a str]) -> Vec<&'a str> {
    if all.len() < ALIKE_LINES_MIN {
        return Vec::new();
    }
    let shapes: Vec<String> = all.iter().map(|line| shape(line)).collect();
    let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for shape in &shapes {
        *counts.entry(shape).or_default() += 1;
    }
    let Some((common, count)) = counts.iter().max_by_key(|(_, count)| **count) else { return Vec::new() };
    if count * 100 < all.len() * ALIKE_PERCENT_MIN || *count == all.len() {
        return Vec::new();
    }
    all.iter().zip(&shapes).filter(|(_, shape)| shape.as_str() != *common).map(|(line, _)| *line).collect()
}

/// A line with every word as `w` and every number as `9`, up to a few of them.
fn shape(line: &str) -> String {
    let mut out = String::new();
    let mut last = ' ';
    for c in line.chars() {
        let class = match c {
            c if c.is_ascii_digit() => {
                if last == 'w' {
                    'w'
                } else {
                    '9'
                }
            }
            c if c.is_alphanumeric() || matches!(c, '_' | '-' | '.') => 'w',
            c if c.is_whitespace() => ' ',
            c => c,
        };
        if class == 'w' && last == '9' {
            out.pop();
        }
        if class != last || !matches!(class, 'w' | '9' | ' ') {
            out.push(class);
        }
        last = class;
        if 40 < out.len() {
            break;
        }
    }
    out
}
