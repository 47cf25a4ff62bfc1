//! Python text -> tokens, with the faults that the tokenizer of `CPython` finds.

use std::borrow::Cow;
use std::cmp::Ordering;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Keyword,
    Number,
    /// A string without fields; of bytes or not.
    Text {
        bytes: bool,
    },
    /// The start of a string with fields.
    FieldsStart,
    /// Text between its fields.
    FieldsText,
    FieldsEnd,
    /// An operator or mark.
    Mark,
    Newline,
    Indent,
    Dedent,
    End,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) line: usize,
}

/// Where and why a text cannot be read.
#[derive(Debug)]
pub(super) struct Problem {
    /// In bytes.
    pub(super) at: usize,
    pub(super) line: usize,
    pub(super) message: Cow<'static, str>,
    /// It is a bracket that is never closed: what is wrong up to its line comes before it.
    pub(super) is_open: bool,
    /// It is an indentation: what is wrong before it comes before it.
    pub(super) is_indent: bool,
}

const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

const MARKS: &[&str] = &[
    "**=", "//=", ">>=", "<<=", "...", "!=", "%=", "&=", "**", "*=", "+=", "-=", "->", "//", "/=", ":=",
    "<<", "<=", "==", ">=", ">>", "@=", "^=", "|=", "%", "&", "(", ")", "*", "+", ",", "-", ".", "/", ":",
    ";", "<", "=", ">", "@", "[", "]", "^", "{", "|", "}", "~",
];

/// Most brackets inside each other, as `CPython` has it.
const BRACKETS_MAX: usize = 200;
/// Most levels of indentation, as `CPython` has it.
const INDENTS_MAX: usize = 100;
/// Most strings with fields inside each other, as `CPython` has it.
const FIELDS_MAX: usize = 150;
/// Most digits of a decimal number, as `CPython` has it.
const DIGITS_MAX: usize = 4300;

/// The tokens of `text`, up to the first problem. The last one is always the end.
pub(super) fn tokens(text: &str) -> (Vec<Token>, Option<Problem>) {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: if text.starts_with('\u{feff}') { 3 } else { 0 },
        line: 1,
        tokens: Vec::with_capacity(text.len() / 4),
        indents: vec![(0, 0)],
        brackets: Vec::new(),
        modes: Vec::new(),
    };
    let problem = lexer.run().err();
    if problem.is_some() {
        lexer.push(Kind::End, lexer.at);
    }
    (lexer.tokens, problem)
}

/// A string with fields that is open.
#[derive(Clone, Copy)]
struct Mode {
    quote: u8,
    triple: bool,
    raw: bool,
    /// Where it starts.
    start: usize,
    line: usize,
    /// How many brackets are open around the field being read; `None` in its text.
    field: Option<usize>,
    /// How many formats of fields are open.
    formats: usize,
}

struct Bracket {
    mark: u8,
    at: usize,
    line: usize,
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: usize,
    tokens: Vec<Token>,
    /// Columns with tabs to the next multiple of 8, and with tabs as 1.
    indents: Vec<(usize, usize)>,
    brackets: Vec<Bracket>,
    modes: Vec<Mode>,
}

type Outcome<T = ()> = Result<T, Problem>;

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn problem<T>(&self, at: usize, message: impl Into<Cow<'static, str>>) -> Outcome<T> {
        Err(Problem { at, line: self.line, message: message.into(), is_open: false, is_indent: false })
    }

    fn push(&mut self, kind: Kind, start: usize) {
        self.tokens.push(Token { kind, start, end: self.at, line: self.line });
    }

    fn run(&mut self) -> Outcome {
        if let Some(at) = memchr_null(self.bytes) {
            self.line = 1 + self.bytes.iter().take(at).filter(|it| **it == b'\n').count();
            return self.problem(at, "the source contains a null byte");
        }
        let mut is_line_start = true;
        loop {
            if let Some(mode) = self.modes.last().copied().filter(|it| it.field.is_none()) {
                self.fields_text(mode)?;
                continue;
            }
            if is_line_start && self.brackets.is_empty() {
                is_line_start = false;
                if self.indentation()? {
                    is_line_start = true;
                    continue;
                }
            }
            if self.bytes.len() <= self.at {
                return self.end();
            }
            is_line_start = self.code()? || (is_line_start && !self.brackets.is_empty());
        }
    }

    fn end(&mut self) -> Outcome {
        if let Some(mode) = self.modes.last().copied() {
            self.line = mode.line;
            return self.problem(mode.start, "the f-string is not closed");
        }
        if let Some(bracket) = self.brackets.last() {
            let (at, mark) = (bracket.at, char::from(bracket.mark));
            let message = format!("`{mark}` is never closed").into();
            return Err(Problem { at, line: bracket.line, message, is_open: true, is_indent: false });
        }
        if self.tokens.last().is_some_and(|it| !matches!(it.kind, Kind::Newline | Kind::Dedent)) {
            self.push(Kind::Newline, self.at);
        }
        for _ in 1..self.indents.len() {
            self.push(Kind::Dedent, self.at);
        }
        self.push(Kind::End, self.at);
        Ok(())
    }

    /// Reads the indentation of a line; whether the line is empty.
    fn indentation(&mut self) -> Outcome<bool> {
        self.indent().map_err(|it| Problem { is_indent: true, ..it })
    }

    fn indent(&mut self) -> Outcome<bool> {
        let (mut column, mut narrow) = (0_usize, 0_usize);
        loop {
            match self.peek(0) {
                b' ' => (column, narrow) = (column + 1, narrow + 1),
                b'\t' => (column, narrow) = ((column / 8 + 1) * 8, narrow + 1),
                b'\x0c' => (column, narrow) = (0, 0),
                b'\\' if matches!(self.peek(1), b'\n' | b'\r') => {
                    // The indentation is that of the first line.
                    self.at += 1;
                    self.line_end();
                    let (before, before_narrow) = (column, narrow);
                    while matches!(self.peek(0), b' ' | b'\t' | b'\x0c') {
                        self.at += 1;
                    }
                    (column, narrow) = (before, before_narrow);
                    if self.bytes.len() <= self.at {
                        return self.problem(self.at, "the text ends after a line continuation");
                    }
                    continue;
                }
                _ => break,
            }
            self.at += 1;
        }
        match self.peek(0) {
            b'#' => {
                self.comment();
                return Ok(self.line_end() || self.at < self.bytes.len());
            }
            b'\n' | b'\r' => return Ok(self.line_end()),
            _ if self.bytes.len() <= self.at => return Ok(false),
            _ => {}
        }
        let (top, top_narrow) = self.indents.last().copied().unwrap_or_default();
        let mixed = "the indentation mixes tabs and spaces inconsistently";
        match column.cmp(&top) {
            Ordering::Equal if narrow != top_narrow => return self.problem(self.at, mixed),
            Ordering::Equal => {}
            Ordering::Greater => {
                if narrow <= top_narrow {
                    return self.problem(self.at, mixed);
                }
                if INDENTS_MAX <= self.indents.len() {
                    return self.problem(self.at, "too many levels of indentation");
                }
                self.indents.push((column, narrow));
                self.push(Kind::Indent, self.at);
            }
            Ordering::Less => {
                while self.indents.last().is_some_and(|(it, _)| column < *it) {
                    self.indents.pop();
                    self.push(Kind::Dedent, self.at);
                }
                let (top, top_narrow) = self.indents.last().copied().unwrap_or_default();
                if column != top {
                    return self.problem(self.at, "the indentation matches no outer level");
                }
                if narrow != top_narrow {
                    return self.problem(self.at, mixed);
                }
            }
        }
        Ok(false)
    }

    fn comment(&mut self) {
        while !matches!(self.peek(0), b'\n' | b'\r') && self.at < self.bytes.len() {
            self.at += 1;
        }
    }

    /// Passes over the end of a line; whether there was one.
    fn line_end(&mut self) -> bool {
        match (self.peek(0), self.peek(1)) {
            (b'\r', b'\n') => self.at += 2,
            (b'\r' | b'\n', _) => self.at += 1,
            _ => return false,
        }
        self.line += 1;
        true
    }

    /// Reads one token of code; whether a line of code ended.
    fn code(&mut self) -> Outcome<bool> {
        let start = self.at;
        match self.peek(0) {
            b' ' | b'\t' | b'\x0c' => self.at += 1,
            b'#' => self.comment(),
            b'\n' | b'\r' => {
                let is_inside = !self.brackets.is_empty();
                if !is_inside {
                    self.push(Kind::Newline, start);
                }
                self.line_end();
                return Ok(!is_inside);
            }
            b'\\' => {
                self.at += 1;
                if !self.line_end() {
                    return self.problem(start, "only a line end may follow a line continuation");
                }
                if self.bytes.len() <= self.at {
                    return self.problem(start, "the text ends after a line continuation");
                }
            }
            b'0'..=b'9' => self.number()?,
            b'.' if self.peek(1).is_ascii_digit() => self.number()?,
            b'"' | b'\'' => self.string(start)?,
            b'_' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => self.word()?,
            _ => self.mark()?,
        }
        Ok(false)
    }

    fn word(&mut self) -> Outcome {
        let start = self.at;
        let prefix = self
            .bytes
            .get(start..)
            .unwrap_or_default()
            .iter()
            .take(3)
            .position(|it| !matches!(it | 0x20, b'r' | b'b' | b'u' | b'f' | b't'));
        if let Some(length @ 1..=2) = prefix
            && matches!(self.peek(length), b'"' | b'\'')
            && is_prefix(self.rest().get(..length).unwrap_or_default())
        {
            self.at += length;
            return self.string(start);
        }
        let text = self.text;
        for letter in text.get(start..).unwrap_or_default().chars() {
            if !is_name(letter, start == self.at) {
                if letter.is_ascii() {
                    break;
                }
                let message = format!("`{letter}` (U+{:04X}) is no character of Python", u32::from(letter));
                return self.problem(self.at, message);
            }
            self.at += letter.len_utf8();
        }
        let is_keyword = KEYWORDS.binary_search(&self.text.get(start..self.at).unwrap_or_default()).is_ok();
        self.push(if is_keyword { Kind::Keyword } else { Kind::Name }, start);
        Ok(())
    }

    fn digits(&mut self, is_digit: impl Fn(u8) -> bool) -> Outcome<usize> {
        let start = self.at;
        loop {
            while is_digit(self.peek(0)) {
                self.at += 1;
            }
            if self.peek(0) != b'_' {
                return Ok(self.at - start);
            }
            if !is_digit(self.peek(1)) || self.at == start {
                return self.problem(self.at, "the number is not valid");
            }
            self.at += 1;
        }
    }

    fn number(&mut self) -> Outcome {
        let start = self.at;
        let invalid = "the number is not valid";
        if self.peek(0) == b'0' && matches!(self.peek(1) | 0x20, b'x' | b'o' | b'b') {
            let base = self.peek(1) | 0x20;
            self.at += 2;
            if self.peek(0) == b'_' {
                self.at += 1;
            }
            let count = self.digits(|it| match base {
                b'x' => it.is_ascii_hexdigit(),
                b'o' => matches!(it, b'0'..=b'7'),
                _ => matches!(it, b'0' | b'1'),
            })?;
            if count == 0 || self.peek(0).is_ascii_digit() {
                return self.problem(start, invalid);
            }
        } else {
            let mut is_integer = true;
            let mut length = 0;
            if self.peek(0) != b'.' {
                length = self.digits(|it| it.is_ascii_digit())?;
            }
            let has_leading_zero = self.bytes.get(start) == Some(&b'0')
                && self
                    .bytes
                    .get(start..self.at)
                    .unwrap_or_default()
                    .iter()
                    .any(|it| matches!(it, b'1'..=b'9'));
            if self.peek(0) == b'.' {
                is_integer = false;
                self.at += 1;
                if self.peek(0).is_ascii_digit() {
                    self.digits(|it| it.is_ascii_digit())?;
                }
            }
            if self.peek(0) | 0x20 == b'e' {
                let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
                if self.peek(1 + sign).is_ascii_digit() {
                    is_integer = false;
                    self.at += 1 + sign;
                    self.digits(|it| it.is_ascii_digit())?;
                } else if sign == 1 {
                    return self.problem(start, invalid);
                }
            }
            if self.peek(0) | 0x20 == b'j' {
                is_integer = false;
                self.at += 1;
            }
            if is_integer && has_leading_zero {
                return self.problem(start, "a decimal integer does not begin with zeros");
            }
            if is_integer && DIGITS_MAX < length {
                return self.problem(start, "the integer has too many digits");
            }
        }
        // `1if x else y` is taken, with a warning.
        let follows = ["and", "else", "for", "if", "in", "is", "not", "or"];
        let next = self.rest().chars().next().unwrap_or(' ');
        if is_name(next, false) && !follows.iter().any(|it| self.rest().starts_with(it)) {
            return self.problem(start, invalid);
        }
        self.push(Kind::Number, start);
        Ok(())
    }

    /// Reads a string whose prefix begins at `start`; the quote is next.
    fn string(&mut self, start: usize) -> Outcome {
        let prefix = self.text.get(start..self.at).unwrap_or_default().to_ascii_lowercase();
        let (raw, bytes) = (prefix.contains('r'), prefix.contains('b'));
        let quote = self.peek(0);
        let triple = self.peek(1) == quote && self.peek(2) == quote;
        let first_line = self.line;
        self.at += if triple { 3 } else { 1 };
        if prefix.contains(['f', 't']) {
            if FIELDS_MAX <= self.modes.len() {
                return self.problem(start, "too many f-strings inside each other");
            }
            self.push(Kind::FieldsStart, start);
            self.modes.push(Mode { quote, triple, raw, start, line: first_line, field: None, formats: 0 });
            return Ok(());
        }
        let unclosed = |line| {
            Err(Problem {
                at: start,
                line,
                message: "the string is not closed".into(),
                is_open: false,
                is_indent: false,
            })
        };
        loop {
            let next = self.peek(0);
            if self.bytes.len() <= self.at {
                return unclosed(first_line);
            }
            if next == quote && (!triple || (self.peek(1) == quote && self.peek(2) == quote)) {
                self.at += if triple { 3 } else { 1 };
                break;
            }
            match next {
                b'\\' => self.escape(raw, bytes)?,
                b'\n' | b'\r' if !triple => return unclosed(first_line),
                b'\n' | b'\r' => {
                    self.line_end();
                }
                0x80.. if bytes => {
                    return self.problem(self.at, "bytes hold only ASCII characters");
                }
                _ => self.at += 1,
            }
        }
        self.tokens.push(Token { kind: Kind::Text { bytes }, start, end: self.at, line: first_line });
        Ok(())
    }

    /// Passes over a backslash and what belongs to it.
    fn escape(&mut self, raw: bool, bytes: bool) -> Outcome {
        let start = self.at;
        self.at += 1;
        if self.line_end() || raw {
            if raw && self.at == start + 1 {
                self.character();
            }
            return Ok(());
        }
        let digits = match self.peek(0) {
            b'x' => 2,
            b'u' if !bytes => 4,
            b'U' if !bytes => 8,
            b'N' if !bytes => {
                self.at += 1;
                let name =
                    self.rest().strip_prefix('{').and_then(|it| it.split_once('}')).map(|(it, _)| it.len());
                let Some(length) = name.filter(|it| 0 < *it) else {
                    return self.problem(start, "`\\N` needs the name of a character in braces");
                };
                self.at += length + 2;
                return Ok(());
            }
            _ => {
                self.character();
                return Ok(());
            }
        };
        let hex = self.bytes.get(self.at + 1..self.at + 1 + digits).unwrap_or_default();
        let value = hex
            .iter()
            .try_fold(0_u32, |sum, it| Some(sum.wrapping_mul(16) + char::from(*it).to_digit(16)?))
            .filter(|it| hex.len() == digits && *it <= 0x0010_FFFF);
        if value.is_none() {
            return self.problem(
                start,
                format!("`\\{}` needs {digits} hexadecimal digits", char::from(self.peek(0))),
            );
        }
        self.at += 1 + digits;
        Ok(())
    }

    fn character(&mut self) {
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
    }

    /// Reads text of a string with fields up to the next field or its end.
    fn fields_text(&mut self, mode: Mode) -> Outcome {
        let start = self.at;
        let in_format = 0 < mode.formats;
        loop {
            let next = self.peek(0);
            if self.bytes.len() <= self.at {
                return self.end();
            }
            let closes = next == mode.quote
                && (!mode.triple || (self.peek(1) == mode.quote && self.peek(2) == mode.quote));
            match next {
                _ if closes => {
                    if in_format {
                        return self.problem(self.at, "the field of the f-string is not closed by `}`");
                    }
                    if start < self.at {
                        self.push(Kind::FieldsText, start);
                    }
                    let end = self.at;
                    self.at += if mode.triple { 3 } else { 1 };
                    self.push(Kind::FieldsEnd, end);
                    self.modes.pop();
                    return Ok(());
                }
                b'\n' | b'\r' if !mode.triple => {
                    self.line = mode.line;
                    return self.problem(mode.start, "the f-string is not closed");
                }
                b'\n' | b'\r' => {
                    self.line_end();
                }
                b'{' if !in_format && self.peek(1) == b'{' => self.at += 2,
                b'}' if !in_format && self.peek(1) == b'}' => self.at += 2,
                b'{' => {
                    if start < self.at {
                        self.push(Kind::FieldsText, start);
                    }
                    self.open(b'{')?;
                    let depth = self.brackets.len();
                    if let Some(it) = self.modes.last_mut() {
                        it.field = Some(depth);
                    }
                    return Ok(());
                }
                b'}' if in_format => {
                    if start < self.at {
                        self.push(Kind::FieldsText, start);
                    }
                    self.close(b'}')?;
                    self.leave_format();
                    return Ok(());
                }
                b'}' => return self.problem(self.at, "a single `}` in an f-string is written `}}`"),
                b'\\' if matches!(self.peek(1), b'{' | b'}') => self.at += 1,
                b'\\' => self.escape(mode.raw, false)?,
                _ => self.at += 1,
            }
        }
    }

    /// A format has ended with its field: what is around it goes on.
    fn leave_format(&mut self) {
        if let Some(it) = self.modes.last_mut() {
            it.formats -= 1;
            it.field = None;
        }
    }

    fn open(&mut self, mark: u8) -> Outcome {
        if BRACKETS_MAX <= self.brackets.len() {
            return self.problem(self.at, "too many brackets inside each other");
        }
        self.brackets.push(Bracket { mark, at: self.at, line: self.line });
        self.at += 1;
        self.push(Kind::Mark, self.at - 1);
        Ok(())
    }

    fn close(&mut self, mark: u8) -> Outcome {
        let opens = match mark {
            b')' => b'(',
            b']' => b'[',
            _ => b'{',
        };
        match self.brackets.last() {
            None => return self.problem(self.at, format!("`{}` closes nothing", char::from(mark))),
            Some(it) if it.mark != opens => {
                let (open, line) = (char::from(it.mark), it.line);
                return self.problem(
                    self.at,
                    format!("`{}` does not close the `{open}` of line {line}", char::from(mark)),
                );
            }
            Some(_) => {}
        }
        self.brackets.pop();
        self.at += 1;
        self.push(Kind::Mark, self.at - 1);
        Ok(())
    }

    fn mark(&mut self) -> Outcome {
        let start = self.at;
        let next = self.peek(0);
        let field = self.modes.last().and_then(|it| it.field);
        let in_field = field == Some(self.brackets.len());
        match next {
            b'(' | b'[' | b'{' => return self.open(next),
            b'}' if in_field => {
                self.close(next)?;
                if let Some(it) = self.modes.last_mut() {
                    it.field = None;
                }
                return Ok(());
            }
            b')' | b']' | b'}' => return self.close(next),
            b':' if in_field => {
                self.at += 1;
                self.push(Kind::Mark, start);
                if let Some(it) = self.modes.last_mut() {
                    it.formats += 1;
                    it.field = None;
                }
                return Ok(());
            }
            b'!' if in_field && self.peek(1) != b'=' => {
                self.at += 1;
                self.push(Kind::Mark, start);
                return Ok(());
            }
            _ => {}
        }
        let Some(mark) = MARKS.iter().find(|it| self.rest().starts_with(**it)) else {
            return self.problem(start, format!("`{}` is not valid here", char::from(next)));
        };
        self.at += mark.len();
        self.push(Kind::Mark, start);
        Ok(())
    }
}

fn memchr_null(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|it| *it == 0)
}

fn is_prefix(prefix: &str) -> bool {
    let prefix = prefix.to_ascii_lowercase();
    matches!(prefix.as_str(), "r" | "u" | "b" | "f" | "t" | "rb" | "br" | "rf" | "fr" | "rt" | "tr")
}

fn is_name(letter: char, is_first: bool) -> bool {
    letter == '_'
        || if is_first { unicode_ident::is_xid_start(letter) } else { unicode_ident::is_xid_continue(letter) }
}
