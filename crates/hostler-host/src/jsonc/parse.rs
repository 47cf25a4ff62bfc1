//! Text -> ranges.

use std::ops::Range;

use super::{DEPTH_MAX, Error, Position};

/// A parsed text.
#[derive(Debug, Clone)]
pub struct Document<'t> {
    /// The text, a byte order mark included.
    pub text: &'t str,
    /// Its one value.
    pub root: Node,
    /// All comments, in order; a line comment does not contain its line end.
    pub comments: Vec<Range<usize>>,
    /// Offset of the first trailing comma.
    pub trailing_comma: Option<usize>,
}

/// A value and where it is.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its bytes, brackets and quotes included.
    pub range: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

/// What a value is. Scalars stay in the text.
#[derive(Debug, Clone)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, unread: users keep integers that no float holds.
    Number,
    /// A string; [`Document::string`] decodes it.
    String,
    /// `[…]`.
    Array(Vec<Item>),
    /// `{…}`.
    Object(Vec<Item>),
}

/// One element of an array or member of an object.
#[derive(Debug, Clone)]
pub struct Item {
    /// The key's bytes with its quotes, in an object.
    pub key: Option<Range<usize>>,
    /// The value.
    pub value: Node,
    /// Offset of the comma behind it.
    pub comma: Option<usize>,
}

impl Item {
    /// First byte: the key's or the value's.
    pub fn start(&self) -> usize {
        self.key.as_ref().map_or(self.value.range.start, |key| key.start)
    }

    /// Key (if any) and value, without the comma.
    pub fn range(&self) -> Range<usize> {
        self.start()..self.value.range.end
    }
}

impl Node {
    /// Items of an array or object; none for a scalar.
    pub fn items(&self) -> &[Item] {
        match &self.kind {
            Kind::Array(items) | Kind::Object(items) => items,
            _ => &[],
        }
    }

    /// For messages, with its article.
    pub fn type_name(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "a boolean",
            Kind::Number => "a number",
            Kind::String => "a string",
            Kind::Array(_) => "an array",
            Kind::Object(_) => "an object",
        }
    }

    /// The bytes between the brackets of a container.
    pub(super) fn inner(&self) -> Range<usize> {
        self.range.start + 1..self.range.end - 1
    }
}

impl<'t> Document<'t> {
    /// Reads `text`.
    ///
    /// # Errors
    /// [`Error::Syntax`] at the first character that does not fit.
    pub fn parse(text: &'t str) -> Result<Self, Error> {
        let mut parser = Parser {
            text,
            bytes: text.as_bytes(),
            at: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 },
            comments: Vec::new(),
            trailing_comma: None,
        };
        parser.trivia()?;
        let root = parser.value(0)?;
        parser.trivia()?;
        if parser.at != text.len() {
            return Err(parser.error("expected the end of the file"));
        }
        Ok(Self { text, root, comments: parser.comments, trailing_comma: parser.trailing_comma })
    }

    /// The decoded text of a string or key at `range`; a lone surrogate becomes U+FFFD.
    pub fn string(&self, range: &Range<usize>) -> String {
        unescape(&self.text[range.start + 1..range.end - 1])
    }

    /// The decoded string, if `node` is one.
    pub fn as_str(&self, node: &Node) -> Option<String> {
        matches!(node.kind, Kind::String).then(|| self.string(&node.range))
    }

    /// The first member of an object whose decoded key is `key`.
    pub fn get<'n>(&self, node: &'n Node, key: &str) -> Option<&'n Node> {
        self.member(node, key).map(|(_, item)| &item.value)
    }

    pub(super) fn member<'n>(&self, node: &'n Node, key: &str) -> Option<(usize, &'n Item)> {
        let Kind::Object(items) = &node.kind else { return None };
        items.iter().enumerate().find(|(_, item)| self.is_key(item, key))
    }

    pub(super) fn is_key(&self, item: &Item, key: &str) -> bool {
        item.key.as_ref().is_some_and(|range| self.string(range) == key)
    }

    /// Where byte `offset` is.
    pub fn position(&self, offset: usize) -> Position {
        Position::of(self.text, offset)
    }

    /// The first place that a strict JSON reader rejects, and what is there.
    pub fn first_extension(&self) -> Option<(Position, &'static str)> {
        let comment = self.comments.first().map(|range| (range.start, "a comment"));
        let comma = self.trailing_comma.map(|at| (at, "a trailing comma"));
        comment.into_iter().chain(comma).min().map(|(at, what)| (self.position(at), what))
    }
}

struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    comments: Vec<Range<usize>>,
    trailing_comma: Option<usize>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn error(&self, what: &str) -> Error {
        self.error_at(self.at, what.to_owned())
    }

    fn error_at(&self, offset: usize, what: String) -> Error {
        Error::Syntax { at: Position::of(self.text, offset), what }
    }

    fn trivia(&mut self) -> Result<(), Error> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'/') => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn comment(&mut self) -> Result<(), Error> {
        let start = self.at;
        let rest = &self.bytes[start..];
        let length = match rest.get(1) {
            Some(b'/') => rest.iter().position(|it| matches!(it, b'\r' | b'\n')).unwrap_or(rest.len()),
            Some(b'*') => match self.text[start + 2..].find("*/") {
                Some(inner) => inner + 4,
                None => return Err(self.error("this comment has no end")),
            },
            _ => return Err(self.error("expected a comment after `/`")),
        };
        self.at += length;
        self.comments.push(start..self.at);
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Node, Error> {
        let start = self.at;
        if DEPTH_MAX < depth {
            return Err(self.error("nested too deeply"));
        }
        let kind = match self.peek() {
            Some(b'{') => Kind::Object(self.items(depth, b'}')?),
            Some(b'[') => Kind::Array(self.items(depth, b']')?),
            Some(b'"') => {
                self.quoted()?;
                Kind::String
            }
            Some(b'-' | b'0'..=b'9') => {
                self.number()?;
                Kind::Number
            }
            _ => self.word()?,
        };
        Ok(Node { range: start..self.at, kind })
    }

    fn word(&mut self) -> Result<Kind, Error> {
        let words = [("null", Kind::Null), ("true", Kind::Bool(true)), ("false", Kind::Bool(false))];
        for (word, kind) in words {
            if self.bytes[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(kind);
            }
        }
        Err(match self.text[self.at..].chars().next() {
            None => self.error("expected a value, found the end of the file"),
            Some(found) => self.error(&format!("expected a value, found `{}`", found.escape_debug())),
        })
    }

    fn items(&mut self, depth: usize, close: u8) -> Result<Vec<Item>, Error> {
        let open = self.at;
        let mut items: Vec<Item> = Vec::new();
        self.at += 1;
        loop {
            self.trivia()?;
            if self.peek() == Some(close) {
                self.trailing_comma = self.trailing_comma.or_else(|| items.last()?.comma);
                self.at += 1;
                return Ok(items);
            }
            if items.last().is_some_and(|last| last.comma.is_none()) {
                return Err(self.unclosed(open, &format!("expected `,` or `{}`", char::from(close))));
            }
            if self.at == self.text.len() {
                return Err(self.unclosed(open, ""));
            }
            let key = if close == b'}' { Some(self.key(open)?) } else { None };
            let value = self.value(depth + 1)?;
            self.trivia()?;
            let comma = (self.peek() == Some(b',')).then_some(self.at);
            self.at += usize::from(comma.is_some());
            items.push(Item { key, value, comma });
        }
    }

    fn key(&mut self, open: usize) -> Result<Range<usize>, Error> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.unclosed(open, "expected a key in double quotes or `}`"));
        }
        self.quoted()?;
        let key = start..self.at;
        self.trivia()?;
        if self.peek() != Some(b':') {
            return Err(self.error("expected `:` after the key"));
        }
        self.at += 1;
        self.trivia()?;
        Ok(key)
    }

    /// At the end of the file the useful position is that of the bracket left open.
    fn unclosed(&self, open: usize, what: &str) -> Error {
        if self.at == self.text.len() {
            let opened = Position::of(self.text, open);
            return self.error(&format!(
                "the file ends before the `{}` of {opened} is closed",
                char::from(self.bytes[open])
            ));
        }
        self.error(what)
    }

    fn quoted(&mut self) -> Result<(), Error> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                None => return Err(self.error_at(start, "this string has no end".to_owned())),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(control @ 0..=0x1f) => {
                    let what =
                        format!("control character U+{control:04X} in a string; write it as an escape");
                    return Err(self.error(&what));
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<(), Error> {
        let length = match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') => {
                let digits = self.bytes.get(self.at + 2..self.at + 6);
                if !digits.is_some_and(|it| it.iter().all(u8::is_ascii_hexdigit)) {
                    return Err(self.error("expected four hexadecimal digits after `\\u`"));
                }
                6
            }
            _ => return Err(self.error("unknown escape in a string")),
        };
        self.at += length;
        Ok(())
    }

    fn number(&mut self) -> Result<(), Error> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        let whole = self.digits();
        let leading_zero = self.bytes[self.at - whole..].first() == Some(&b'0') && 1 < whole;
        let mut valid = whole != 0 && !leading_zero;
        if self.peek() == Some(b'.') {
            self.at += 1;
            valid &= self.digits() != 0;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            valid &= self.digits() != 0;
        }
        if valid { Ok(()) } else { Err(self.error_at(start, "this is not a JSON number".to_owned())) }
    }

    fn digits(&mut self) -> usize {
        let count = self.bytes[self.at..].iter().take_while(|it| it.is_ascii_digit()).count();
        self.at += count;
        count
    }
}

/// The escapes of `raw` were checked by the parser.
fn unescape(raw: &str) -> String {
    if !raw.contains('\\') {
        return raw.to_owned();
    }
    let mut units: Vec<u16> = Vec::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        let c = match c {
            '\\' => match chars.next() {
                Some('u') => {
                    let digits: String = chars.by_ref().take(4).collect();
                    units.push(u16::from_str_radix(&digits, 16).unwrap_or(0xfffd));
                    continue;
                }
                Some('b') => '\u{8}',
                Some('f') => '\u{c}',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some(other) => other,
                None => break,
            },
            other => other,
        };
        units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
    }
    String::from_utf16_lossy(&units)
}
