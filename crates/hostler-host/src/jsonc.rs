//! JSON with comments: positions of values, and edits that only insert or remove our own text.
//!
//! A settings file belongs to its user: comments, key order, duplicate keys, escapes, column layouts and
//! line ends are theirs. So nothing here prints a parsed file again. [`Document::parse`] gives ranges,
//! [`insert`], [`replace`] and [`remove`] change the text at those ranges, and every result is parsed
//! again and compared with the change that was meant before it is returned ([`Error::Diverged`]).
//!
//! The grammar is RFC 8259 with `//` and `/* */` comments, one trailing comma per container and a byte
//! order mark. It is strict elsewhere: an editor that accepts what the host rejects hides a broken file.

mod edit;
mod parse;
mod value;

pub use edit::{Container, Edited, Ledger, New, Step, insert, remove, replace};
pub use parse::{Document, Item, Kind, Node};
pub use value::Value;

/// Deepest nesting that is read; the parser recurses once per level.
pub const DEPTH_MAX: usize = 200;

/// A place in a text, both counted from 1; columns are characters, a byte order mark is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Line; `\n`, `\r\n` and `\r` end one.
    pub line: usize,
    /// Character in the line.
    pub column: usize,
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl Position {
    /// Where byte `offset` of `text` is.
    pub fn of(text: &str, offset: usize) -> Self {
        let offset = (0..=offset.min(text.len())).rev().find(|it| text.is_char_boundary(*it)).unwrap_or(0);
        let before = text[..offset].strip_prefix('\u{feff}').unwrap_or(&text[..offset]);
        let mut line = 1;
        let mut line_start = 0;
        let bytes = before.as_bytes();
        for (index, byte) in bytes.iter().enumerate() {
            let ends_line = match byte {
                b'\n' => true,
                b'\r' => bytes.get(index + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends_line {
                line += 1;
                line_start = index + 1;
            }
        }
        Self { line, column: before[line_start..].chars().count() + 1 }
    }
}

/// Why a text was not edited. The message starts with `line:column`, ready to follow `path:`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Not the grammar above.
    #[error("{at}: {what}")]
    Syntax {
        /// First offending character.
        at: Position,
        /// What was found or expected there.
        what: String,
    },
    /// A key on the way to our entry occurs twice, and readers disagree about which one counts.
    #[error("{second}: key `{key}` occurs twice (first at {first}); keep one of them")]
    DuplicateKey {
        /// The decoded key.
        key: String,
        /// Position of the first.
        first: Position,
        /// Position of the second.
        second: Position,
    },
    /// A container on the way to our entry is something else.
    #[error("{at}: `{path}` is {found}, but must be {expected}")]
    WrongType {
        /// Where the value starts.
        at: Position,
        /// Keys joined by dots; `the file` for the root.
        path: String,
        /// With its article.
        found: &'static str,
        /// With its article.
        expected: &'static str,
    },
    /// No such entry.
    #[error("1:1: there is no `{path}`")]
    Missing {
        /// Keys joined by dots, and the entry.
        path: String,
    },
    /// The edited text does not mean what was intended: a fault of ours, and nothing may be written.
    #[error("1:1: the edit would change more than the entry; please report this file's shape")]
    Diverged,
}

/// The text of a file's bytes, a byte order mark included.
///
/// # Errors
/// [`Error::Syntax`] for UTF-16 and for the first byte that is not UTF-8.
pub fn decode(bytes: &[u8]) -> Result<&str, Error> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        let at = Position { line: 1, column: 1 };
        return Err(Error::Syntax { at, what: "the file is UTF-16; save it as UTF-8".to_owned() });
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
        let at = Position::of(valid, valid.len());
        Error::Syntax { at, what: "a byte here is not UTF-8; save the file as UTF-8".to_owned() }
    })
}

#[cfg(test)]
mod tests;
