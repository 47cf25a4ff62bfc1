//! Notebooks, cut at their cells: source and outputs apart.

use std::ops::Range;

use super::cut::{Cuts, REST};
use super::lines::Lines;
use super::{Chunk, ChunkKind, data};

/// Most rows of outputs that stay in the chunk of their cell.
const OUTPUT_ROWS_MAX: usize = 10;

/// The level of a cell among brackets: the notebook, the list of cells, the cell.
const CELL_DEPTH: usize = 3;

/// The chunks of a notebook; `None` if it has no cells on lines of their own.
pub(super) fn chunks(module: &str, lines: &Lines<'_>) -> Option<Vec<Chunk>> {
    let cells = cells(lines);
    if cells.is_empty() {
        return None;
    }
    let mut cuts = Cuts::new(lines.count());
    for row in 0..lines.count() {
        data::note(&mut cuts, lines, row);
    }
    let mut out = Vec::new();
    let mut add = |rows: Range<usize>, kind, heading: &str| {
        if rows.is_empty() {
            return;
        }
        for part in cuts.split(lines, rows, REST) {
            data::add(lines, part, kind, heading, &mut out);
        }
    };
    let mut section = String::new();
    let mut next = 0;
    for (number, cell) in cells.iter().enumerate() {
        let rows = cell.rows.start.max(next)..cell.rows.end;
        if rows.is_empty() {
            continue;
        }
        add(next..rows.start, ChunkKind::Data, module);
        if let Some(title) = cell.title(lines) {
            title.clone_into(&mut section);
        }
        let cell_number = format!("cell {}", number + 1);
        let path = [module, &section, &cell_number];
        let heading = path.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" > ");
        match &cell.outputs {
            Some(outputs) if OUTPUT_ROWS_MAX < outputs.len() => {
                let outputs = outputs.start.max(rows.start)..outputs.end.min(rows.end);
                add(rows.start..outputs.start, ChunkKind::Cell, &heading);
                add(outputs.clone(), ChunkKind::Data, &heading);
                add(outputs.end..rows.end, ChunkKind::Cell, &heading);
            }
            _ => add(rows.clone(), ChunkKind::Cell, &heading),
        }
        next = rows.end;
    }
    add(next..lines.count(), ChunkKind::Data, module);
    Some(out)
}

struct Cell {
    rows: Range<usize>,
    outputs: Option<Range<usize>>,
    is_text: bool,
}

impl Cell {
    /// The first heading of a cell of text.
    fn title<'a>(&self, lines: &Lines<'a>) -> Option<&'a str> {
        self.rows.clone().filter(|_| self.is_text).find_map(|row| {
            let line = lines.row(row).trim().trim_start_matches("\"source\": [").trim_start();
            let title = line.strip_prefix("\"#")?.trim_start_matches('#').strip_prefix(' ')?;
            let title = title.trim_end_matches([',', '"', ']', '}', ' ']);
            Some(title.strip_suffix("\\n").unwrap_or(title).trim()).filter(|it| !it.is_empty())
        })
    }
}

/// The cells, in order of rows.
fn cells(lines: &Lines<'_>) -> Vec<Cell> {
    let mut scan =
        Scan { depth: 0, row: 0, key: "", cell_key: "", in_cells: false, cell: None, cells: Vec::new() };
    let text = lines.text;
    let mut bytes = text.bytes().enumerate();
    // Where the string began that goes on.
    let mut open: Option<usize> = None;
    let mut last = "";
    while let Some((at, byte)) = bytes.next() {
        match (open, byte) {
            (Some(_), b'\\') => {
                bytes.next();
            }
            (Some(start), b'"') => {
                last = text.get(start..at).unwrap_or_default();
                open = None;
                scan.text(last);
            }
            (None, b'"') => open = Some(at + 1),
            (None, b':') => scan.key(last),
            (None, b'{' | b'[') => scan.open(),
            (None, b'}' | b']') => scan.close(),
            _ => {}
        }
        scan.row += usize::from(byte == b'\n');
    }
    scan.cells
}

struct Scan<'a> {
    depth: usize,
    row: usize,
    /// The last key.
    key: &'a str,
    /// The last key of a cell itself.
    cell_key: &'a str,
    in_cells: bool,
    cell: Option<Cell>,
    cells: Vec<Cell>,
}

impl<'a> Scan<'a> {
    fn key(&mut self, key: &'a str) {
        self.key = key;
        if self.depth != CELL_DEPTH {
            return;
        }
        self.cell_key = key;
        if let Some(cell) = self.cell.as_mut().filter(|_| key == "outputs") {
            cell.outputs = Some(self.row..self.row + 1);
        }
    }

    fn text(&mut self, text: &str) {
        if self.depth == CELL_DEPTH
            && self.key == "cell_type"
            && let Some(cell) = &mut self.cell
        {
            cell.is_text |= text == "markdown";
        }
    }

    fn open(&mut self) {
        self.depth += 1;
        if self.depth + 1 == CELL_DEPTH {
            self.in_cells = self.key == "cells";
        } else if self.depth == CELL_DEPTH && self.in_cells {
            self.cell = Some(Cell { rows: self.row..self.row + 1, outputs: None, is_text: false });
        }
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        let end = self.row + 1;
        if self.depth == CELL_DEPTH
            && self.cell_key == "outputs"
            && let Some(outputs) = self.cell.as_mut().and_then(|it| it.outputs.as_mut())
        {
            outputs.end = end;
        } else if self.depth + 1 == CELL_DEPTH
            && let Some(mut cell) = self.cell.take()
        {
            cell.rows.end = end;
            self.cells.push(cell);
        }
    }
}
