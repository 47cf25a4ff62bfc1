//! Definitions and what is around them -> chunks that cover all rows.

use std::ops::Range;

use super::{FUNCTION_ROWS_MAX, Found, Item, ItemKind};
use crate::chunks::cut::{Cuts, Limit, REST};
use crate::chunks::lines::{Lines, number};
use crate::chunks::text::{self, PARAGRAPH_CHARS_MAX};
use crate::chunks::{Chunk, ChunkKind};

/// How much of a function is one chunk.
const FUNCTION: Limit = Limit { rows: FUNCTION_ROWS_MAX, bytes: 4_000 };

/// A function of a type with more rows is one of its own.
const SMALL_ROWS_MAX: usize = 3;

/// What is left of a text between functions and has no more rows and bytes goes with what is next to it.
const LEFT: Limit = Limit { rows: 2, bytes: 80 };

/// What a chunk is headed by.
#[derive(Clone)]
struct Place {
    heading: String,
    symbol: String,
    kind: ChunkKind,
}

impl Place {
    fn of(&self, item: &Item) -> Self {
        let heading = if self.heading.is_empty() {
            item.name.clone()
        } else {
            format!("{} > {}", self.heading, item.name.replace('.', " > "))
        };
        let symbol = match item.kind {
            ItemKind::Namespace => self.symbol.clone(),
            _ if self.symbol.is_empty() => item.name.clone(),
            _ => format!("{}.{}", self.symbol, item.name),
        };
        let kind = match item.kind {
            ItemKind::Function => ChunkKind::Function,
            ItemKind::Type => ChunkKind::Type,
            ItemKind::Namespace => ChunkKind::Code,
        };
        Self { heading, symbol, kind }
    }
}

/// Rows that become a chunk.
struct Span {
    first: usize,
    last: usize,
    /// By its place in [`Layout::places`].
    place: usize,
    /// What it is a part of.
    owner: usize,
    /// It may be merged with others of its owner.
    is_loose: bool,
    doc: Option<Range<usize>>,
}

/// The chunks of a text.
pub(super) fn chunks(module: &str, found: &Found, lines: &Lines<'_>) -> Vec<Chunk> {
    let top = Place { heading: module.to_owned(), symbol: String::new(), kind: ChunkKind::Code };
    let mut layout = Layout { lines, cuts: &found.cuts, places: vec![top], spans: Vec::new() };
    layout.cover(0..lines.count(), &found.items, 0, found.doc.as_ref(), REST);
    layout.join();
    layout.merge();
    layout.chunks()
}

struct Layout<'a> {
    lines: &'a Lines<'a>,
    cuts: &'a Cuts,
    places: Vec<Place>,
    spans: Vec<Span>,
}

impl Layout<'_> {
    /// Covers `rows`, which belong to the place `owner`.
    fn cover(
        &mut self,
        rows: Range<usize>,
        items: &[Item],
        owner: usize,
        doc: Option<&Range<usize>>,
        limit: Limit,
    ) {
        let mut next = rows.start;
        for item in items {
            // Two on one row are one.
            let first = item.first.max(next);
            let last = item.last.min(rows.end - 1);
            if last < first {
                continue;
            }
            self.rest(next..first, owner, doc, limit);
            self.item(item, first..last + 1, owner);
            next = last + 1;
        }
        self.rest(next..rows.end, owner, doc, limit);
    }

    fn item(&mut self, item: &Item, rows: Range<usize>, owner: usize) {
        let Some(place) = self.places.get(owner).map(|it| it.of(item)) else { return };
        let is_in_type = self.places.get(owner).is_some_and(|it| it.kind == ChunkKind::Type);
        let own = self.places.len();
        self.places.push(place);
        let doc = item.doc.as_ref();
        match item.kind {
            ItemKind::Function if item.items.is_empty() => {
                let is_small = is_in_type && item.rows() <= SMALL_ROWS_MAX;
                let parts = self.cuts.split(self.lines, rows, FUNCTION);
                let is_loose = is_small && parts.len() == 1;
                let part_of = if is_loose { owner } else { own };
                self.spans.extend(parts.into_iter().map(|part| Span {
                    first: part.start,
                    last: part.end - 1,
                    place: own,
                    owner: part_of,
                    is_loose,
                    doc: doc.cloned(),
                }));
            }
            ItemKind::Function => self.cover(rows, &item.items, own, doc, FUNCTION),
            // Members on the type's own row are not told apart.
            ItemKind::Type if rows.len() == 1 => self.rest(rows, own, doc, REST),
            ItemKind::Type | ItemKind::Namespace => self.cover(rows, &item.items, own, doc, REST),
        }
    }

    /// What is between definitions.
    fn rest(&mut self, rows: Range<usize>, owner: usize, doc: Option<&Range<usize>>, limit: Limit) {
        let Some(rows) = self.lines.trimmed(rows) else { return };
        let parts = self.cuts.split(self.lines, *rows.start()..rows.end() + 1, limit);
        self.spans.extend(parts.into_iter().map(|part| Span {
            first: part.start,
            last: part.end - 1,
            place: owner,
            owner,
            is_loose: true,
            doc: doc.cloned(),
        }));
    }

    fn fits(&self, rows: Range<usize>, limit: Limit) -> bool {
        limit.holds(self.lines, &rows)
    }

    /// Puts what is too little for a chunk to the nearer one of its neighbours, the ends of blocks to what they end.
    fn join(&mut self) {
        let mut out: Vec<Span> = Vec::with_capacity(self.spans.len());
        // Where the next one is to begin.
        let mut early: Option<usize> = None;
        let mut spans = std::mem::take(&mut self.spans).into_iter().peekable();
        while let Some(mut span) = spans.next() {
            let text = self.lines.slice(span.first..=span.last);
            let ends = (span.is_loose && !text.contains(char::is_alphanumeric)) || is_end(text);
            let before = out.last_mut().filter(|_| early.is_none());
            if !ends && !self.is_little(&span, before.as_deref()) {
                span.first = early.take().unwrap_or(span.first);
                out.push(span);
                continue;
            }
            let above = before.as_ref().map(|it| span.first - it.last);
            let below = spans.peek().map(|it| it.first - span.last);
            let is_nearer = matches!((above, below), (Some(above), Some(below)) if below < above);
            match before {
                Some(before) if ends || !is_nearer => before.last = span.last,
                _ if below.is_some() => early = early.or(Some(span.first)),
                _ => {
                    span.first = early.take().unwrap_or(span.first);
                    out.push(span);
                }
            }
        }
        self.spans = out;
    }

    /// Whether a span is a line or two between functions, and no part of the one before it.
    fn is_little(&self, span: &Span, before: Option<&Span>) -> bool {
        span.is_loose
            && before.is_none_or(|it| it.place != span.place)
            && self.places.get(span.place).is_some_and(|it| it.kind == ChunkKind::Code)
            && self.fits(span.first..span.last + 1, LEFT)
    }

    /// Merges small neighbours of one owner.
    fn merge(&mut self) {
        let mut out: Vec<Span> = Vec::with_capacity(self.spans.len());
        for span in std::mem::take(&mut self.spans) {
            if let Some(before) = out.last_mut()
                && before.is_loose
                && span.is_loose
                && before.owner == span.owner
                && self.fits(before.first..span.last + 1, REST)
            {
                if before.place != before.owner || span.place != span.owner {
                    before.doc = before.doc.take().filter(|_| before.place == before.owner).or(span.doc);
                }
                before.place = before.owner;
                before.last = span.last;
            } else {
                out.push(span);
            }
        }
        self.spans = out;
    }

    fn chunks(&self) -> Vec<Chunk> {
        let mut out = Vec::with_capacity(self.spans.len());
        for span in &self.spans {
            let Some(rows) = self.lines.trimmed(span.first..span.last + 1) else { continue };
            let Some(place) = self.places.get(span.place) else { continue };
            let (first, last) = (*rows.start(), *rows.end());
            let bytes = self.lines.bytes_of(rows);
            // Only one row is longer than what rows are cut into.
            if first == last && PARAGRAPH_CHARS_MAX < bytes.len() {
                let pieces = text::pieces(self.lines, first..last + 1);
                out.extend(pieces.into_iter().map(|it| self.chunk(span, place, first, last, it.bytes)));
            } else {
                out.push(self.chunk(span, place, first, last, bytes));
            }
        }
        out
    }

    fn chunk(&self, span: &Span, place: &Place, first: usize, last: usize, bytes: Range<usize>) -> Chunk {
        let text = self.lines.text.get(bytes.clone()).unwrap_or_default();
        let doc = span.doc.clone().unwrap_or(0..0);
        let doc = doc.start.max(bytes.start)..doc.end.min(bytes.end);
        let doc = if doc.is_empty() { 0..0 } else { doc.start - bytes.start..doc.end - bytes.start };
        Chunk {
            symbol: place.symbol.clone(),
            heading: place.heading.clone(),
            doc,
            kind: place.kind,
            first_line: number(first),
            last_line: number(last),
            text: text.to_owned(),
        }
    }
}

/// Whether a text only ends blocks.
fn is_end(text: &str) -> bool {
    text.split_whitespace().all(|it| {
        matches!(it.trim_end_matches([';', ')', ',']), "end" | "fi" | "done" | "esac" | "}" | "#endif" | "")
    })
}
