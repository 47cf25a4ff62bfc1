//! A text by its lines.

use std::ops::{Range, RangeInclusive};

/// A text with the places of its lines, which `\n` ends. Rows count from 0; what follows the last `\n` is a row.
pub(super) struct Lines<'a> {
    pub(super) text: &'a str,
    /// Where each row begins.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(ends).collect() }
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The bytes of a row, without its `\n`.
    pub(super) fn bytes(&self, row: usize) -> Range<usize> {
        self.bytes_of(row..=row)
    }

    /// The bytes of rows, without the last `\n`.
    pub(super) fn bytes_of(&self, rows: RangeInclusive<usize>) -> Range<usize> {
        let start = self.starts.get(*rows.start()).copied().unwrap_or(self.text.len());
        let end = self.starts.get(rows.end() + 1).map_or(self.text.len(), |next| next - 1);
        start..end.max(start)
    }

    pub(super) fn row(&self, row: usize) -> &'a str {
        self.text.get(self.bytes(row)).unwrap_or_default()
    }

    pub(super) fn slice(&self, rows: RangeInclusive<usize>) -> &'a str {
        self.text.get(self.bytes_of(rows)).unwrap_or_default()
    }

    pub(super) fn is_blank(&self, row: usize) -> bool {
        self.row(row).chars().all(|it| it.is_whitespace() || it == '\u{feff}')
    }

    /// `rows` without blank rows at both ends; `None` if all are blank.
    pub(super) fn trimmed(&self, rows: Range<usize>) -> Option<RangeInclusive<usize>> {
        let first = rows.clone().find(|row| !self.is_blank(*row))?;
        let last = rows.rev().find(|row| !self.is_blank(*row))?;
        Some(first..=last)
    }
}

/// The number that people give the line at `row`.
pub(super) fn number(row: usize) -> u32 {
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}
