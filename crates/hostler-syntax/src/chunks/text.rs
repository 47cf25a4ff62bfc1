//! Text without a structure that is known: cut at blank lines.

use std::ops::Range;

use super::lines::Lines;

/// How long a piece should be, in characters.
pub(super) const PIECE_CHARS: usize = 1_200;

/// How much of a piece the next one repeats at most, in characters.
const OVERLAP_CHARS: usize = 150;

/// Longest paragraph that is kept whole, in characters.
pub(super) const PARAGRAPH_CHARS_MAX: usize = 4_000;

/// How far before its end a window may be cut to end with a word, in characters.
const WORD_CHARS: usize = 200;

/// Rows, or a part of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) bytes: Range<usize>,
}

/// Cuts `rows` into pieces, paragraphs whole unless they are too long.
pub(super) fn pieces(lines: &Lines<'_>, rows: Range<usize>) -> Vec<Piece> {
    let mut out = Cutter { lines, done: Vec::new(), rows: None, chars: 0 };
    for paragraph in paragraphs(lines, rows) {
        let chars = lines.slice(paragraph.start..=paragraph.end - 1).chars().count();
        if chars <= PARAGRAPH_CHARS_MAX {
            out.add(paragraph, chars);
            continue;
        }
        out.flush();
        out.rows = None;
        for row in paragraph {
            let chars = lines.row(row).chars().count();
            if chars <= PARAGRAPH_CHARS_MAX {
                out.add(row..row + 1, chars);
            } else {
                out.flush();
                out.rows = None;
                out.windows(row);
            }
        }
        out.flush();
        out.rows = None;
    }
    out.flush();
    out.done
}

/// Runs of rows that are not blank.
fn paragraphs(lines: &Lines<'_>, rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut next = rows.start;
    std::iter::from_fn(move || {
        let start = (next..rows.end).find(|row| !lines.is_blank(*row))?;
        next = (start..rows.end).find(|row| lines.is_blank(*row)).unwrap_or(rows.end);
        Some(start..next)
    })
}

struct Cutter<'a> {
    lines: &'a Lines<'a>,
    done: Vec<Piece>,
    /// What the next piece has so far.
    rows: Option<Range<usize>>,
    chars: usize,
}

impl Cutter<'_> {
    fn add(&mut self, rows: Range<usize>, chars: usize) {
        if self.rows.is_some() && PIECE_CHARS < self.chars + chars {
            self.flush();
            self.repeat();
        }
        self.chars += chars + 1;
        self.rows = Some(self.rows.take().map_or(rows.start, |it| it.start)..rows.end);
    }

    fn flush(&mut self) {
        let Some(rows) = &self.rows else { return };
        let (first, last) = (rows.start, rows.end - 1);
        self.done.push(Piece { first, last, bytes: self.lines.bytes_of(first..=last) });
    }

    /// Begins a piece with the last rows of the one before it.
    fn repeat(&mut self) {
        let Some(before) = self.rows.take() else { return };
        self.chars = 0;
        for row in before.clone().rev() {
            let chars = self.chars + self.lines.row(row).chars().count() + 1;
            if OVERLAP_CHARS < chars || row == before.start {
                break;
            }
            self.chars = chars;
            if !self.lines.is_blank(row) {
                self.rows = Some(row..before.end);
            }
        }
        if self.rows.is_none() {
            self.chars = 0;
        }
    }

    /// Cuts a row that is too long.
    fn windows(&mut self, row: usize) {
        let bytes = self.lines.bytes(row);
        for window in windows(self.lines.row(row)) {
            let bytes = bytes.start + window.start..bytes.start + window.end;
            self.done.push(Piece { first: row, last: row, bytes });
        }
    }
}

/// Overlapping windows of a long line, each but the last about [`PIECE_CHARS`] long, blank ones left out.
fn windows(line: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    while let Some(rest) = line.get(start..).filter(|it| !it.is_empty()) {
        let place = |chars: usize| rest.char_indices().nth(chars).map(|(at, _)| at);
        let Some(end) = place(PIECE_CHARS) else {
            out.push(start..line.len());
            break;
        };
        let early = place(PIECE_CHARS - WORD_CHARS).unwrap_or(end);
        let word = rest.get(early..end).and_then(|it| it.rfind(' ')).map(|at| early + at);
        let end = word.unwrap_or(end);
        out.push(start..start + end);
        let back = rest.get(..end).unwrap_or_default().char_indices().rev().nth(OVERLAP_CHARS - 1);
        start += back.map_or(end, |(at, _)| at);
    }
    out.retain(|window| !line.get(window.clone()).unwrap_or_default().trim().is_empty());
    out
}
