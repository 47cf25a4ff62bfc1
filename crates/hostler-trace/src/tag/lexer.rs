//! A text as code, strings and comments.

use std::ops::Range;

use super::language::{Family, Language, Quote};

/// What a part of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Code,
    Text,
    Comment,
}

/// A part of a text, by bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) part: Part,
    pub(super) range: Range<usize>,
}

/// How often a string or comment that never ends is taken back; a text with more of them is not in this language.
const RETRIES_MAX: usize = 32;
/// Longest regular expression, bytes.
const EXPRESSION_BYTES_MAX: usize = 4_096;
/// Longest character literal of Rust, bytes: `'\u{10ffff}'`.
const CHARACTER_BYTES_MAX: usize = 12;

/// Splits a text; the parts are in order and cover it.
pub(super) fn split(text: &str, language: &Language) -> Vec<Segment> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        language,
        out: Vec::new(),
        code_from: 0,
        retries_left: RETRIES_MAX,
    };
    lexer.run();
    lexer.out
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    language: &'a Language,
    out: Vec<Segment>,
    code_from: usize,
    retries_left: usize,
}

impl Lexer<'_> {
    fn run(&mut self) {
        let mut at = 0;
        while at < self.bytes.len() {
            at = match self.special(at) {
                Some((part, end)) => {
                    self.push(part, at..end);
                    end
                }
                None => at + 1,
            };
        }
        self.flush(self.bytes.len());
    }

    fn flush(&mut self, end: usize) {
        if self.code_from < end {
            self.out.push(Segment { part: Part::Code, range: self.code_from..end });
        }
    }

    fn push(&mut self, part: Part, range: Range<usize>) {
        if part == Part::Code {
            return;
        }
        self.flush(range.start);
        self.code_from = range.end;
        self.out.push(Segment { part, range });
    }

    fn at(&self, at: usize, mark: &str) -> bool {
        self.bytes.get(at..).is_some_and(|rest| rest.starts_with(mark.as_bytes()))
    }

    /// Where what begins at `at` ends, if it is no plain code.
    fn special(&mut self, at: usize) -> Option<(Part, usize)> {
        let byte = *self.bytes.get(at)?;
        if byte.is_ascii_whitespace() {
            return None;
        }
        let blocks = self.language.block.iter().filter(|(open, _)| self.at(at, open));
        // `--[[` is a block although `--` begins a line comment: the longest mark counts.
        if let Some((open, close)) = blocks.max_by_key(|it| it.0.len()) {
            let line_start = at == 0 || self.bytes.get(at - 1) == Some(&b'\n');
            if (!open.starts_with('=') || line_start)
                && let Some(end) = self.block_end(at, open, close)
            {
                return Some((Part::Comment, end));
            }
        }
        let word_starts = at == 0
            || self.bytes.get(at - 1).is_none_or(|it| it.is_ascii_whitespace() || b"({[;&|".contains(it));
        if self.language.line.iter().any(|mark| self.at(at, mark)) && (!self.language.word || word_starts) {
            return Some((Part::Comment, self.line_end(at)));
        }
        match self.language.family {
            Family::Rust => {
                if let Some(end) = self.rust(at) {
                    return Some(end);
                }
            }
            Family::Shell if self.at(at, "<<") => {
                if let Some(end) = self.here_document(at) {
                    return Some((Part::Text, end));
                }
            }
            Family::Script if byte == b'/' => {
                if let Some(end) = self.expression(at) {
                    return Some((Part::Text, end));
                }
            }
            Family::Braces if self.at(at, "R\"") => {
                if let Some(end) = self.raw_of_cpp(at) {
                    return Some((Part::Text, end));
                }
            }
            _ => {}
        }
        let quote = self.language.quotes.iter().find(|it| self.at(at, it.open))?;
        self.string_end(at, quote).map(|end| (Part::Text, end))
    }

    fn line_end(&self, at: usize) -> usize {
        memchr::memchr(b'\n', self.bytes.get(at..).unwrap_or_default()).map_or(self.bytes.len(), |it| at + it)
    }

    /// `None` once, when it never ends.
    fn unclosed(&mut self) -> Option<usize> {
        match self.retries_left.checked_sub(1) {
            Some(left) => {
                self.retries_left = left;
                None
            }
            None => Some(self.bytes.len()),
        }
    }

    /// Looks for an end that some text never has, as often as such a text may be taken back.
    fn find(&mut self, from: usize, find: impl Fn(&Self, usize) -> Option<usize>) -> Option<usize> {
        let left = self.retries_left.checked_sub(1)?;
        let found = find(self, from);
        if found.is_none() {
            self.retries_left = left;
        }
        found
    }

    fn block_end(&mut self, at: usize, open: &str, close: &str) -> Option<usize> {
        let (mut depth, mut end) = (1_usize, at + open.len());
        while end < self.bytes.len() {
            if self.at(end, close) {
                end += close.len();
                depth -= 1;
                if depth == 0 {
                    return Some(end);
                }
            } else if self.language.nests && self.at(end, open) {
                end += open.len();
                depth += 1;
            } else {
                end += 1;
            }
        }
        self.unclosed()
    }

    fn string_end(&mut self, at: usize, quote: &Quote) -> Option<usize> {
        let mut end = at + quote.open.len();
        while let Some(byte) = self.bytes.get(end) {
            if *byte == b'\\' && quote.escapes {
                end += 2;
            } else if self.at(end, quote.close) {
                end += quote.close.len();
                if quote.escapes || !self.at(end, quote.close) {
                    return Some(end);
                }
                end += quote.close.len();
            } else if *byte == b'\n' && !quote.lines {
                return Some(end);
            } else {
                end += 1;
            }
        }
        if quote.lines { self.unclosed() } else { Some(self.bytes.len()) }
    }

    /// Raw strings, characters and lifetimes.
    fn rust(&mut self, at: usize) -> Option<(Part, usize)> {
        let before = at.checked_sub(1).and_then(|it| self.bytes.get(it));
        let in_word = before.is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_');
        let bytes = self.bytes;
        let rest = bytes.get(at..)?;
        if matches!(rest.first(), Some(b'r' | b'b' | b'c')) {
            if in_word {
                return None;
            }
            let prefix = ["br", "cr", "r"].iter().find(|it| self.at(at, it))?;
            let from = at + prefix.len();
            let hashes = self.bytes.get(from..)?.iter().take_while(|it| **it == b'#').count();
            if self.bytes.get(from + hashes) != Some(&b'"') {
                return None;
            }
            let close = format!("\"{}", "#".repeat(hashes));
            let body = from + hashes + 1;
            let found = self.find(body, |it, body| {
                memchr::memmem::find(it.bytes.get(body..)?, close.as_bytes()).map(|it| body + it)
            });
            return found.map(|it| (Part::Text, it + close.len()));
        }
        if rest.first() == Some(&b'\'') {
            if rest.get(1) == Some(&b'\\') {
                let close = memchr::memchr(b'\'', rest.get(3..rest.len().min(CHARACTER_BYTES_MAX))?)?;
                return Some((Part::Text, at + 4 + close));
            }
            let character = self.text.get(at + 1..)?.chars().next()?;
            let after = at + 1 + character.len_utf8();
            return (self.bytes.get(after) == Some(&b'\'') && character != '\'')
                .then_some((Part::Text, after + 1));
        }
        None
    }

    /// `<<EOF`, `<<-'EOF'`: up to the line that is its word.
    fn here_document(&mut self, at: usize) -> Option<usize> {
        let rest = self.text.get(at + 2..)?;
        let rest = rest.strip_prefix('-').unwrap_or(rest).trim_start_matches([' ', '\t', '\\', '"', '\'']);
        let word: &str = rest.get(..rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?)?;
        if !word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return None;
        }
        let word = word.to_owned();
        self.find(self.line_end(at) + 1, |it, mut start| {
            while start < it.bytes.len() {
                let end = it.line_end(start);
                if it.text.get(start..end).is_some_and(|it| it.trim() == word) {
                    return Some(end);
                }
                start = end + 1;
            }
            None
        })
    }

    /// A regular expression where a value may begin.
    fn expression(&self, at: usize) -> Option<usize> {
        let before = self.text.get(..at)?.trim_end();
        let last = before.bytes().next_back();
        let value = last.is_none_or(|it| b"(,=:[!&|?{};+-*%~^<>".contains(&it)) || before.ends_with("return");
        if !value {
            return None;
        }
        let (mut end, mut class) = (at + 1, false);
        while let Some(byte) = self.bytes.get(end).filter(|_| end - at < EXPRESSION_BYTES_MAX) {
            match byte {
                b'\\' => end += 1,
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class => return Some(end + 1),
                b'\n' => return None,
                _ => {}
            }
            end += 1;
        }
        None
    }

    /// `R"x( … )x"`.
    fn raw_of_cpp(&mut self, at: usize) -> Option<usize> {
        let rest = self.bytes.get(at + 2..)?;
        let opens = memchr::memchr(b'(', rest.get(..rest.len().min(17))?)?;
        let close = [b")".as_slice(), rest.get(..opens)?, b"\""].concat();
        let found = self
            .find(at + 2, |it, from| memchr::memmem::find(it.bytes.get(from..)?, &close).map(|it| from + it));
        found.map(|it| it + close.len())
    }
}
