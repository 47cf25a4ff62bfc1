//! Where Python can be cut, told by its lines: they say it, and reading them takes a tenth of the time that a tree does.

use std::ops::Range;

use super::{FUNCTION_ROWS_MAX, Found, Item, ItemKind, NESTED_ROWS_MIN};
use crate::chunks::cut::Cuts;
use crate::chunks::lines::Lines;

/// What a row inside of brackets counts as indented at least, so that a part rather begins with any statement.
const BRACKET_DEPTH: usize = 500;

/// What the lines of a text say about where it can be cut.
pub(super) fn read(lines: &Lines<'_>) -> Found {
    let mut scan = Scan {
        lines,
        bytes: lines.text.as_bytes(),
        cuts: Cuts::new(lines.count()),
        brackets: 0,
        above: None,
        awaits_doc: Documented::Module,
        doc: None,
        open: Vec::new(),
        items: Vec::new(),
    };
    let mut row = 0;
    while row < lines.count() {
        row = scan.line(row);
    }
    scan.close(0);
    let mut items = scan.items;
    prune(&mut items, false);
    Found { items, doc: scan.doc, cuts: scan.cuts }
}

/// Leaves out what is too small for a chunk of its own.
fn prune(items: &mut Vec<Item>, is_nested: bool) {
    if is_nested {
        items.retain(|it| NESTED_ROWS_MIN <= it.rows());
    }
    for item in items {
        if item.kind == ItemKind::Function && item.last + 1 - item.first <= FUNCTION_ROWS_MAX {
            item.items.clear();
        }
        prune(&mut item.items, is_nested || item.kind == ItemKind::Function);
    }
}

/// What a string may be the documentation of.
#[derive(Clone, Copy)]
enum Documented {
    Nothing,
    Module,
    /// The definition with this indentation.
    Definition(usize),
}

/// Comments and decorators that may belong to what follows.
struct Above {
    first: usize,
    last: usize,
    indent: usize,
    /// Bytes of the comments.
    doc: Option<Range<usize>>,
}

struct Scan<'a> {
    lines: &'a Lines<'a>,
    bytes: &'a [u8],
    cuts: Cuts,
    /// How many brackets are open.
    brackets: usize,
    above: Option<Above>,
    /// What the next statement may document.
    awaits_doc: Documented,
    doc: Option<Range<usize>>,
    /// Definitions around the line, with their indentation.
    open: Vec<(usize, Item)>,
    items: Vec<Item>,
}

impl Scan<'_> {
    /// Reads the statement, comment or blank line at `row`. The row after it.
    fn line(&mut self, row: usize) -> usize {
        let bytes = self.lines.bytes(row);
        let (indent, start) = self.indent(bytes.clone());
        match self.bytes.get(start).copied().filter(|_| start < bytes.end) {
            None | Some(b'\r') => row + 1,
            Some(b'#') => {
                self.cuts.note(row, indent);
                self.stands_above(row..row + 1, indent, Some(start..bytes.end));
                // A comment that is indented as a body is goes on with it.
                for (_, item) in self.open.iter_mut().filter(|(outer, _)| *outer < indent) {
                    item.last = item.last.max(row);
                }
                row + 1
            }
            Some(_) => self.statement(row, indent, start),
        }
    }

    fn statement(&mut self, row: usize, indent: usize, start: usize) -> usize {
        self.close(indent);
        let documented = std::mem::replace(&mut self.awaits_doc, Documented::Nothing);
        let doc = self.docstring(start).map(|end| start..end);
        match (documented, self.open.last_mut()) {
            (Documented::Module, None) => self.doc = doc,
            (Documented::Definition(own), Some((open, item))) if own == *open => {
                item.doc = doc.or(item.doc.take());
            }
            _ => {}
        }
        let rest = self.lines.text.get(start..self.lines.bytes(row).end).unwrap_or_default();
        // An `else` goes on with what is above it.
        let goes_on = ["elif", "else", "except", "finally"].iter().any(|it| rest.starts_with(it));
        self.cuts.note(row, indent + usize::from(goes_on));
        let definition = definition(rest);
        let next = self.skip(row, start);
        let last = next - 1;
        for (_, item) in &mut self.open {
            item.last = item.last.max(last);
        }
        if rest.starts_with('@') {
            self.stands_above(row..next, indent, None);
        } else if let Some((kind, name)) = definition {
            let above = self.above.take().filter(|it| it.last + 1 == row && it.indent == indent);
            let first = above.as_ref().map_or(row, |it| it.first);
            let doc = above.and_then(|it| it.doc);
            let item = Item { kind, name: name.to_owned(), first, last, own: row, doc, items: Vec::new() };
            self.open.push((indent, item));
            self.awaits_doc = Documented::Definition(indent);
        }
        next
    }

    /// Ends definitions that a statement with this indentation is no part of.
    fn close(&mut self, indent: usize) {
        while let Some((_, item)) = self.open.pop_if(|(own, _)| indent <= *own) {
            self.open.last_mut().map_or(&mut self.items, |(_, outer)| &mut outer.items).push(item);
        }
    }

    fn stands_above(&mut self, rows: Range<usize>, indent: usize, comment: Option<Range<usize>>) {
        self.cuts.hold(rows.clone());
        let (first, last) = (rows.start, rows.end - 1);
        match &mut self.above {
            Some(above) if above.last + 1 == first && above.indent == indent => {
                above.last = last;
                above.doc = match (above.doc.take(), comment) {
                    (Some(doc), Some(comment)) => Some(doc.start..comment.end),
                    (doc, comment) => doc.or(comment),
                };
            }
            _ => self.above = Some(Above { first, last, indent, doc: comment }),
        }
    }

    /// The width of the indentation of a row, and where it ends.
    fn indent(&self, bytes: Range<usize>) -> (usize, usize) {
        let mut width = 0;
        let mut at = bytes.start;
        while at < bytes.end {
            match self.bytes.get(at) {
                Some(b' ') => width += 1,
                Some(b'\t') => width += 8 - width % 8,
                Some(b'\x0c') => width = 0,
                // The mark of the byte order.
                Some(0xef) if at == 0 && self.bytes.starts_with(b"\xef\xbb\xbf") => at += 2,
                _ => break,
            }
            at += 1;
        }
        (width, at)
    }

    /// The row after the statement that goes on at `at`.
    fn skip(&mut self, mut row: usize, mut at: usize) -> usize {
        loop {
            let Some(byte) = self.bytes.get(at).copied() else { return self.lines.count() };
            match byte {
                b'\n' => {
                    row += 1;
                    if self.brackets == 0 {
                        return row;
                    }
                    if self.recovers(row) {
                        self.brackets = 0;
                        return row;
                    }
                    let bytes = self.lines.bytes(row);
                    let (_, start) = self.indent(bytes);
                    if !matches!(self.bytes.get(start), Some(b')' | b']' | b'}' | b'\n')) {
                        self.cuts.note(row, BRACKET_DEPTH + self.brackets);
                    }
                    at += 1;
                }
                // A line that goes on; the end of the text may follow.
                b'\\' => {
                    let ends = self.bytes.get(at + 1..).unwrap_or_default();
                    let end =
                        if ends.starts_with(b"\r\n") { 2 } else { usize::from(ends.starts_with(b"\n")) };
                    row += usize::from(0 < end);
                    at += 1 + end;
                }
                b'#' => at = self.lines.bytes(row).end,
                b'"' | b'\'' => {
                    let end = self.string(at);
                    while self.lines.bytes(row).end < end {
                        row += 1;
                    }
                    at = end;
                }
                b'(' | b'[' | b'{' => {
                    self.brackets += 1;
                    at += 1;
                }
                b')' | b']' | b'}' => {
                    self.brackets = self.brackets.saturating_sub(1);
                    at += 1;
                }
                _ => at += 1,
            }
        }
    }

    /// The row begins a definition: brackets that are open there will never be closed.
    fn recovers(&self, row: usize) -> bool {
        let line = self.lines.row(row).trim_start();
        definition(line).is_some()
    }

    /// The end of the string that begins at `at`. One that its line does not end ends with it.
    fn string(&self, at: usize) -> usize {
        let Some(quote) = self.bytes.get(at).copied() else { return at };
        let is_long = self.bytes.get(at..at + 3).is_some_and(|it| it.iter().all(|it| *it == quote));
        let mut end = at + if is_long { 3 } else { 1 };
        while let Some(byte) = self.bytes.get(end).copied() {
            match byte {
                // In raw strings as well, a backslash keeps a quote from ending them.
                b'\\' => end += if self.bytes.get(end + 1..end + 3) == Some(b"\r\n") { 3 } else { 2 },
                b'\n' if !is_long => return end,
                _ if byte == quote && !is_long => return end + 1,
                _ if byte == quote
                    && self.bytes.get(end..end + 3).is_some_and(|it| it.iter().all(|it| *it == quote)) =>
                {
                    return end + 3;
                }
                _ => end += 1,
            }
        }
        self.bytes.len()
    }

    /// The end of the string that the statement at `start` is, if it is one.
    fn docstring(&self, start: usize) -> Option<usize> {
        let quote = match self.bytes.get(start..start + 2)? {
            [b'"' | b'\'', _] => start,
            [b'r' | b'R' | b'u' | b'U', b'"' | b'\''] => start + 1,
            _ => return None,
        };
        Some(self.string(quote).min(self.bytes.len()))
    }
}

/// What a line begins.
fn definition(line: &str) -> Option<(ItemKind, &str)> {
    let (kind, rest) = if let Some(rest) = line.strip_prefix("class") {
        (ItemKind::Type, rest)
    } else {
        let line =
            line.strip_prefix("async").filter(|it| it.starts_with([' ', '\t'])).map_or(line, str::trim_start);
        (ItemKind::Function, line.strip_prefix("def")?)
    };
    let name = rest.trim_start_matches([' ', '\t']);
    if name.len() == rest.len() {
        return None;
    }
    let end = name.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(name.len());
    let (name, after) = name.split_at_checked(end)?;
    let goes_on = matches!(after.trim_start().chars().next(), Some('(' | ':' | '[' | '\\'));
    (!name.is_empty() && goes_on).then_some((kind, name))
}
