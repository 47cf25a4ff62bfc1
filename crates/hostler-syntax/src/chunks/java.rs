//! Java, cut where members end. These rules are a contract with indexes that others made: where a chunk begins and ends,
//! and what it is headed by, must not change, even where a syntax tree would know better.

use super::lines::{Lines, number};
use super::{Chunk, ChunkKind, file_name};

/// A member shorter than this goes on into the next one's chunk, in UTF-16 units as all lengths here.
const MEMBER_UNITS_MIN: usize = 400;

/// A chunk longer than this ends with its line.
const CHUNK_UNITS_MAX: usize = 1_400;

/// The chunks of a file; `None` if it has no braces.
pub(super) fn chunks(path: &str, lines: &Lines<'_>) -> Option<Vec<Chunk>> {
    let mut scan = Scan { lines, base: base(path), ..Scan::new(lines) };
    for row in 0..lines.count() {
        scan.row(row);
    }
    scan.flush(lines.count());
    scan.saw_brace.then_some(scan.chunks)
}

/// The name of the file without its extension.
fn base(path: &str) -> &str {
    let name = file_name(path);
    let stem = name.len().checked_sub(".java".len()).and_then(|at| name.split_at_checked(at));
    let stem = stem.filter(|(_, end)| end.eq_ignore_ascii_case(".java")).map_or(name, |(stem, _)| stem);
    if stem.is_empty() { "file" } else { stem }
}

struct Scan<'a> {
    lines: &'a Lines<'a>,
    base: &'a str,
    package: &'a str,
    class: &'a str,
    method: &'a str,
    depth: usize,
    saw_brace: bool,
    chunks: Vec<Chunk>,
    open: Option<Open>,
}

/// A chunk that goes on.
struct Open {
    first: usize,
    units: usize,
    heading: String,
    symbol: String,
    has_member: bool,
    /// Its first member has a name.
    is_method: bool,
}

/// What the braces of a line do.
#[derive(Default)]
struct Braces {
    /// The body of a member begins.
    enters: bool,
    /// The body of a member ends.
    leaves: bool,
}

impl<'a> Scan<'a> {
    fn new(lines: &'a Lines<'a>) -> Self {
        Self {
            lines,
            base: "",
            package: "",
            class: "",
            method: "",
            depth: 0,
            saw_brace: false,
            chunks: Vec::new(),
            open: None,
        }
    }

    fn row(&mut self, row: usize) {
        let line = self.lines.row(row);
        let braces = self.braces(line);
        if self.package.is_empty() {
            self.package = package(line).unwrap_or_default();
        }
        if self.class.is_empty() {
            self.class = class(line).unwrap_or_default();
        }
        if braces.enters {
            let first = self.open.as_ref().map_or(row, |it| it.first);
            self.method = called(self.lines.slice(first..=row)).unwrap_or(self.method);
        }
        let (heading, symbol) = (self.heading(), self.symbol());
        let open = self.open.get_or_insert_with(|| Open {
            first: row,
            units: 0,
            heading: heading.clone(),
            symbol: symbol.clone(),
            has_member: false,
            is_method: false,
        });
        if braces.enters && !open.has_member {
            (open.heading, open.symbol, open.has_member) = (heading, symbol, true);
            open.is_method = !self.method.is_empty();
        }
        open.units += line.encode_utf16().count() + 1;
        if (braces.leaves && MEMBER_UNITS_MIN <= open.units) || CHUNK_UNITS_MAX < open.units {
            self.flush(row + 1);
        }
    }

    fn braces(&mut self, line: &str) -> Braces {
        let mut out = Braces::default();
        let mut quote = None;
        let mut bytes = line.bytes().peekable();
        while let Some(byte) = bytes.next() {
            match (quote, byte) {
                (Some(_), b'\\') => {
                    bytes.next();
                }
                (Some(open), _) => quote = Some(open).filter(|it| *it != byte),
                (None, b'/') if bytes.peek() == Some(&b'/') => break,
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'{') => {
                    self.depth += 1;
                    self.saw_brace = true;
                    out.enters |= self.depth == 2;
                }
                (None, b'}') => {
                    self.depth = self.depth.saturating_sub(1);
                    out.leaves |= self.depth == 1;
                }
                _ => {}
            }
        }
        out
    }

    fn heading(&self) -> String {
        let package = Some(self.package).filter(|it| !it.is_empty()).map(|it| format!("package {it};"));
        let method = Some(self.method).filter(|it| !it.is_empty()).map(str::to_owned);
        package.into_iter().chain([self.type_name().to_owned()]).chain(method).collect::<Vec<_>>().join(" > ")
    }

    fn type_name(&self) -> &'a str {
        if self.class.is_empty() { self.base } else { self.class }
    }

    fn symbol(&self) -> String {
        let own = [self.class, self.method];
        own.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(".")
    }

    /// Ends the open chunk before the row `end`.
    fn flush(&mut self, end: usize) {
        let Some(open) = self.open.take() else { return };
        let text = self.lines.slice(open.first..=end - 1);
        if text.chars().all(is_blank) {
            return;
        }
        self.chunks.push(Chunk {
            symbol: open.symbol,
            heading: open.heading,
            doc: doc(text),
            kind: if open.is_method { ChunkKind::Function } else { ChunkKind::Type },
            first_line: number(open.first),
            last_line: number(end - 1),
            text: text.to_owned(),
        });
    }
}

/// The first doc comment.
fn doc(text: &str) -> std::ops::Range<usize> {
    let Some(start) = text.find("/**") else { return 0..0 };
    let rest = text.get(start..).unwrap_or_default();
    start..start + rest.find("*/").map_or(rest.len(), |end| end + "*/".len())
}

/// Blanks as JavaScript has them.
fn is_blank(letter: char) -> bool {
    (letter.is_whitespace() && letter != '\u{85}') || letter == '\u{feff}'
}

fn is_name(byte: char) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, '_' | '$')
}

/// What follows at least one blank.
fn after_blanks(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(is_blank);
    (rest.len() < text.len()).then_some(rest)
}

/// The package that a line names.
fn package(line: &str) -> Option<&str> {
    let rest = after_blanks(line.trim_start_matches(is_blank).strip_prefix("package")?)?;
    let end = rest.find(|it: char| !(it.is_ascii_alphanumeric() || matches!(it, '_' | '.')))?;
    let (name, rest) = rest.split_at_checked(end)?;
    (!name.is_empty() && rest.trim_start_matches(is_blank).starts_with(';')).then_some(name)
}

const MODIFIERS: &[&str] = &["public", "protected", "private", "abstract", "final", "sealed", "static"];

/// The type that a line begins.
fn class(line: &str) -> Option<&str> {
    let mut rest = line.trim_start_matches(is_blank);
    while let Some(mark) = rest.strip_prefix('@') {
        let name = mark.find(|it: char| !(it.is_ascii_alphanumeric() || it == '_')).filter(|end| 0 < *end)?;
        rest = after_blanks(mark.get(name..)?)?;
    }
    while let Some(after) = MODIFIERS.iter().find_map(|it| rest.strip_prefix(it).and_then(after_blanks)) {
        rest = after;
    }
    let after = ["class", "interface", "enum", "record"].iter().find_map(|it| rest.strip_prefix(it))?;
    let name = after_blanks(after)?;
    let name = name.split(|it| !is_name(it)).next().unwrap_or_default();
    (!name.is_empty() && !name.starts_with(|it: char| it.is_ascii_digit())).then_some(name)
}

/// The last name that a `(` follows.
fn called(text: &str) -> Option<&str> {
    text.rmatch_indices('(').find_map(|(at, _)| {
        let before = text.get(..at)?.trim_end_matches(is_blank);
        let start = before.trim_end_matches(is_name).len();
        let name = before.get(start..)?.trim_start_matches(|it: char| it.is_ascii_digit());
        (!name.is_empty()).then_some(name)
    })
}
