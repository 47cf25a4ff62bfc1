//! Where rows are cut that are too many for one chunk.

use std::cmp::Reverse;
use std::ops::Range;

use super::lines::Lines;

/// How much one chunk holds.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    pub(super) rows: usize,
    pub(super) bytes: usize,
}

/// How much of what is no function is one chunk.
pub(super) const REST: Limit = Limit { rows: 60, bytes: 3_000 };

impl Limit {
    pub(super) fn holds(self, lines: &Lines<'_>, rows: &Range<usize>) -> bool {
        rows.len() <= self.rows && lines.bytes_of(rows.start..=rows.end - 1).len() <= self.bytes
    }

    /// As much as a fifth more is better than a small rest.
    fn with_slack(self) -> Self {
        Self { rows: self.rows + self.rows / 5, bytes: self.bytes + self.bytes / 5 }
    }
}

/// How well a part can begin at each row.
pub(super) struct Cuts {
    /// How deep inside of others the thing is that begins at the row; `u16::MAX` where none does.
    depths: Vec<u16>,
    /// What stands there belongs to the row below: comments, decorators.
    holds_next: Vec<bool>,
}

impl Cuts {
    pub(super) fn new(count: usize) -> Self {
        Self { depths: vec![u16::MAX; count], holds_next: vec![false; count] }
    }

    pub(super) fn is_noted(&self, row: usize) -> bool {
        self.depths.get(row).is_none_or(|it| *it != u16::MAX)
    }

    pub(super) fn note(&mut self, row: usize, depth: usize) {
        if let Some(it) = self.depths.get_mut(row) {
            *it = u16::try_from(depth).unwrap_or(u16::MAX);
        }
    }

    pub(super) fn hold(&mut self, rows: Range<usize>) {
        for it in self.holds_next.get_mut(rows).unwrap_or_default() {
            *it = true;
        }
    }

    /// Cuts rows into parts that a limit holds: where the outermost things begin first, then after a blank row.
    pub(super) fn split(&self, lines: &Lines<'_>, rows: Range<usize>, limit: Limit) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        let mut start = rows.start;
        while !limit.with_slack().holds(lines, &(start..rows.end)) && start + 1 < rows.end {
            let mut end = start + 1;
            while end + 1 < rows.end && limit.holds(lines, &(start..end + 1)) {
                end += 1;
            }
            let earliest = (start + (end - start) / 2).max(start + 1);
            let next = (earliest..=end).min_by_key(|row| self.worth(lines, *row)).unwrap_or(end);
            out.push(start..next);
            start = next;
        }
        out.push(start..rows.end);
        out
    }

    /// How well a part can begin at `row`: the least is the best.
    fn worth(&self, lines: &Lines<'_>, row: usize) -> (u16, bool, Reverse<usize>) {
        let is_held = self.holds_next.get(row - 1).copied().unwrap_or(false);
        let depth = self.depths.get(row).copied().filter(|_| !is_held).unwrap_or(u16::MAX);
        (depth, !lines.is_blank(row - 1), Reverse(row))
    }
}
