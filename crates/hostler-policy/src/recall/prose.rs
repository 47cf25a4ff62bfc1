//! What of a prompt its author says: not the code, quotations and log lines that it carries.

use std::ops::Range;

/// A longer prompt, in bytes, is read from its beginning and its end: in between lies what was pasted.
const BYTES_MAX: usize = 128 * 1024;

/// A prompt without the blocks that are not its author's words.
#[derive(Debug)]
pub(super) struct Prose {
    text: String,
    /// Inline code and quotations, in order: a topic may stand there, a phrase may not.
    silent: Vec<Range<usize>>,
}

impl Prose {
    pub(super) fn of(prompt: &str) -> Self {
        let mut prose = Self { text: String::with_capacity(prompt.len().min(BYTES_MAX)), silent: Vec::new() };
        let prompt = unquoted(prompt.trim());
        if prompt.len() <= BYTES_MAX {
            prose.lines(prompt);
        } else {
            let head = floor(prompt, BYTES_MAX / 2);
            let tail = floor(prompt, prompt.len() - BYTES_MAX / 2);
            prose.lines(&prompt[..head]);
            prose.text.push('\n');
            prose.lines(&prompt[tail..]);
        }
        prose
    }

    /// Its prose; what was left out is an empty line.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether a range touches inline code or a quotation.
    pub(super) fn is_silent(&self, range: &Range<usize>) -> bool {
        let at = self.silent.partition_point(|it| it.end <= range.start);
        self.silent.get(at).is_some_and(|it| it.start < range.end)
    }

    /// Where the sentence that goes on at `from` ends: a mark that ends one, or an empty line.
    pub(super) fn sentence_end(&self, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        for (at, c) in rest.char_indices() {
            let after = &rest[at + c.len_utf8()..];
            let ends = match c {
                '。' | '！' | '？' | '｡' => true,
                '?' | '!' => after.chars().next().is_none_or(|c| c.is_whitespace() || c == '?' || c == '!'),
                // Not inside `context.json`, and not after `e.g.`.
                '.' => {
                    let mut next = after.trim_start().chars();
                    after.chars().next().is_none_or(char::is_whitespace)
                        && next.next().is_none_or(|c| !c.is_lowercase())
                }
                '\n' => after.trim_start_matches([' ', '\t']).starts_with('\n'),
                _ => false,
            };
            if ends {
                return from + at;
            }
        }
        self.text.len()
    }

    fn lines(&mut self, text: &str) {
        let mut fence: Option<(char, usize)> = None;
        // What comes first was trimmed: nothing is known of how it was indented.
        let mut after_blank = false;
        let mut after_code = false;
        for line in text.lines() {
            let trimmed = line.trim_start();
            let mark = fence_of(trimmed);
            let indented = line.starts_with("    ") || line.starts_with('\t');
            let code = match (fence, mark) {
                (Some((open, length)), Some((close, count))) => {
                    if open == close && length <= count && trimmed[count..].trim().is_empty() {
                        fence = None;
                    }
                    true
                }
                (Some(_), None) => true,
                (None, Some(open)) => {
                    fence = Some(open);
                    true
                }
                (None, None) => indented && (after_blank || after_code) && !trimmed.is_empty(),
            };
            if code || trimmed.starts_with('>') || is_log(trimmed) {
                self.text.push('\n');
            } else {
                self.line(line);
            }
            after_code = code && fence.is_none() && mark.is_none();
            after_blank = trimmed.is_empty();
        }
    }

    fn line(&mut self, line: &str) {
        let base = self.text.len();
        self.text.push_str(line);
        self.text.push('\n');
        let mut at = 0;
        let mut before: Option<char> = None;
        while let Some(c) = line[at..].chars().next() {
            let length = quoted(&line[at..], c, before);
            if 0 < length {
                self.silent.push(base + at..base + at + length);
                at += length;
                before = Some(c);
            } else {
                at += c.len_utf8();
                before = Some(c);
            }
        }
    }
}

/// How many bytes the code span or quotation takes that begins here with `c`; 0 when none does.
fn quoted(text: &str, c: char, before: Option<char>) -> usize {
    let close = match c {
        '`' => {
            let ticks = text.bytes().take_while(|it| *it == b'`').count();
            let body = &text[ticks..];
            return body.find(&text[..ticks]).map_or(0, |end| 2 * ticks + end);
        }
        '"' => '"',
        '“' | '„' => {
            return text[c.len_utf8()..]
                .find(['”', '“'])
                .map_or(0, |end| c.len_utf8() + end + '”'.len_utf8());
        }
        '«' => '»',
        '「' => '」',
        '\'' | '‘' => {
            // An apostrophe opens nothing, and closes nothing.
            if before.is_some_and(char::is_alphanumeric) {
                return 0;
            }
            let body = &text[c.len_utf8()..];
            let closes = |(at, found): &(usize, char)| {
                matches!(found, '\'' | '’')
                    && !body[at + found.len_utf8()..].starts_with(char::is_alphanumeric)
                    && !body[..*at].ends_with(char::is_whitespace)
                    && 0 < *at
            };
            let end = body.char_indices().find(closes).map(|(at, found)| at + found.len_utf8());
            return end.map_or(0, |end| c.len_utf8() + end);
        }
        _ => return 0,
    };
    text[c.len_utf8()..].find(close).map_or(0, |end| c.len_utf8() + end + close.len_utf8())
}

/// A message that is in quotation marks as a whole is its author's all the same.
fn unquoted(text: &str) -> &str {
    [('"', '"'), ('“', '”'), ('\'', '\'')]
        .into_iter()
        .find_map(|(open, close)| {
            let inner = text.strip_prefix(open)?.strip_suffix(close)?;
            (!inner.contains([open, close])).then_some(inner)
        })
        .unwrap_or(text)
}

/// A line that opens or closes a block of code: its character, and how many of them.
fn fence_of(line: &str) -> Option<(char, usize)> {
    let c = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let count = line.chars().take_while(|it| *it == c).count();
    let info = &line[count..];
    (3 <= count && (c == '~' || !info.contains('`'))).then_some((c, count))
}

/// A line of a log, a shell session or a trace: it begins with a time, a level or a prompt.
fn is_log(line: &str) -> bool {
    if line.starts_with("$ ") || line.starts_with("% ") || line.starts_with(">>> ") {
        return true;
    }
    let line = line.trim_start_matches(['[', '(', '<']);
    let shape: String = line.chars().take(19).map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    let time = ["9999-99-99T99:99", "9999-99-99 99:99", "9999/99/99 99:99", "99:99:99", "99/99/9999 99:99"];
    if time.iter().any(|it| shape.starts_with(it)) {
        return true;
    }
    // `Nov 30 17:43:58 host …`
    if shape.len() == 19 && shape.get(7..15).is_some_and(|it| it == "99:99:99") {
        return true;
    }
    let level: String = line.chars().take_while(char::is_ascii_uppercase).take(9).collect();
    let after = line[level.len()..].chars().next();
    matches!(level.as_str(), "TRACE" | "DEBUG" | "INFO" | "WARN" | "WARNING" | "ERROR" | "FATAL" | "CRITICAL")
        && matches!(after, Some(':' | ']' | ' ' | '\t' | '|'))
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
