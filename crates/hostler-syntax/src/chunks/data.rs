//! Data and configuration, cut at the outermost keys that are small enough.

use std::ops::Range;

use super::cut::{Cuts, REST};
use super::lines::{Lines, number};
use super::text::{self, PARAGRAPH_CHARS_MAX};
use super::{Chunk, ChunkKind};

/// Longest key that is told, in bytes.
const KEY_BYTES_MAX: usize = 80;

/// Most names of columns that head a chunk of a table.
const COLUMNS_MAX: usize = 20;

/// The chunks of a file that says by its indentation what is inside of what, each headed by the keys around it.
pub(super) fn chunks(module: &str, lines: &Lines<'_>) -> Vec<Chunk> {
    let mut cuts = Cuts::new(lines.count());
    for row in 0..lines.count() {
        note(&mut cuts, lines, row);
    }
    let mut out = Vec::new();
    let mut around: Vec<(usize, &str)> = Vec::new();
    let parts = cuts.split(lines, 0..lines.count(), REST);
    for part in parts {
        let path: Vec<&str> = match (part.start, lines.trimmed(part.clone())) {
            (0, _) | (_, None) => Vec::new(),
            (_, Some(rows)) => enclosing(&around, lines, *rows.start()),
        };
        let heading = std::iter::once(module).chain(path).collect::<Vec<_>>().join(" > ");
        add(lines, part.clone(), ChunkKind::Data, &heading, &mut out);
        for row in part {
            enter(&mut around, lines, row);
        }
    }
    out
}

/// The chunks of a table, each headed by its columns.
pub(super) fn table(module: &str, lines: &Lines<'_>) -> Vec<Chunk> {
    let columns: Vec<&str> = lines
        .row(0)
        .split([',', ';', '\t'])
        .map(|it| it.trim().trim_matches('"'))
        .filter(|it| !it.is_empty() && it.len() <= KEY_BYTES_MAX)
        .take(COLUMNS_MAX)
        .collect();
    let heading = format!("{module} > {}", columns.join(", "));
    let heading = heading.trim_end_matches(" > ");
    let pieces = text::pieces(lines, 0..lines.count());
    pieces.into_iter().map(|it| it.chunk(lines, ChunkKind::Data, heading)).collect()
}

/// Adds `rows` as one chunk, or as windows of a row that is too long.
pub(super) fn add(
    lines: &Lines<'_>,
    rows: Range<usize>,
    kind: ChunkKind,
    heading: &str,
    out: &mut Vec<Chunk>,
) {
    let Some(rows) = lines.trimmed(rows) else { return };
    let text = lines.slice(rows.clone());
    if PARAGRAPH_CHARS_MAX < text.len() && rows.start() == rows.end() {
        let pieces = text::pieces(lines, *rows.start()..rows.end() + 1);
        out.extend(pieces.into_iter().map(|it| it.chunk(lines, kind, heading)));
    } else {
        out.push(Chunk {
            symbol: String::new(),
            heading: heading.to_owned(),
            doc: 0..0,
            kind,
            first_line: number(*rows.start()),
            last_line: number(*rows.end()),
            text: text.to_owned(),
        });
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Whether a line begins a table of TOML or a section.
fn is_table(line: &str) -> bool {
    line.starts_with('[') && line.trim_end().ends_with(']')
}

/// Notes how well a part can begin at `row`.
pub(super) fn note(cuts: &mut Cuts, lines: &Lines<'_>, row: usize) {
    let line = lines.row(row);
    let bare = line.trim_start();
    if bare.starts_with(['#', ';']) || bare.starts_with("//") {
        cuts.hold(row..row + 1);
    }
    if !bare.is_empty() && !bare.starts_with(['}', ']', ')']) {
        // A table holds what follows it, as if that were indented.
        cuts.note(row, 2 * indent(line) + usize::from(!is_table(line)));
    }
}

/// Goes on to the next row: `around` are the keys around it, with their indentation.
fn enter<'a>(around: &mut Vec<(usize, &'a str)>, lines: &Lines<'a>, row: usize) {
    let line = lines.row(row);
    let Some(key) = key(line) else { return };
    let depth = 2 * indent(line) + usize::from(!is_table(line));
    around.retain(|(outer, _)| *outer < depth);
    around.push((depth, key));
}

/// The keys around `row`, with its own.
fn enclosing<'a>(around: &[(usize, &'a str)], lines: &Lines<'a>, row: usize) -> Vec<&'a str> {
    let line = lines.row(row);
    let depth = 2 * indent(line) + usize::from(!is_table(line));
    around.iter().filter(|(outer, _)| *outer < depth).map(|(_, it)| *it).chain(key(line)).collect()
}

/// The key that a line begins with: `"a": 1`, `a: 1`, `- a: 1`, `a = 1`, `[a]`.
fn key(line: &str) -> Option<&str> {
    let bare = line.trim();
    let key = if is_table(bare) {
        bare.trim_matches(['[', ']'])
    } else {
        let bare = bare.trim_start_matches("- ");
        let end = match bare.strip_prefix('"') {
            Some(rest) => rest.find('"')? + 2,
            None => bare.find([':', '=', ' '])?,
        };
        let (key, rest) = bare.split_at_checked(end)?;
        if !rest.trim_start().starts_with([':', '=']) {
            return None;
        }
        key
    };
    let key = key.trim_matches(['"', '\'', ' ']);
    (!key.is_empty() && key.len() <= KEY_BYTES_MAX).then_some(key)
}
