//! Markdown, cut at its headings.

use super::lines::Lines;
use super::text::{self, Piece};
use super::{Chunk, ChunkKind};

/// Most levels of headings.
const LEVELS_MAX: usize = 6;

/// The sections of a document, each headed by the titles above it and its own.
pub(super) fn chunks(lines: &Lines<'_>) -> Vec<Chunk> {
    sections(lines, &headings(lines))
}

/// Cuts a document at its headings.
pub(super) fn sections(lines: &Lines<'_>, headings: &[Heading]) -> Vec<Chunk> {
    let mut out = Vec::new();
    let mut titles: Vec<(usize, String)> = Vec::new();
    let mut start = 0;
    let mut before: Option<&Heading> = None;
    for heading in headings {
        // A heading that only a lower one follows stands in that one's section.
        let is_alone = before
            .is_some_and(|it| it.level < heading.level && lines.trimmed(it.body..heading.row).is_none());
        if !is_alone {
            section(lines, start, heading.row, &titles, &mut out);
            start = heading.row;
        }
        titles.retain(|(level, _)| *level < heading.level);
        titles.push((heading.level, heading.title.clone()));
        before = Some(heading);
    }
    section(lines, start, lines.count(), &titles, &mut out);
    out
}

fn section(lines: &Lines<'_>, start: usize, end: usize, titles: &[(usize, String)], out: &mut Vec<Chunk>) {
    let Some(rows) = lines.trimmed(start..end) else { return };
    let heading = titles.iter().map(|(_, it)| it.as_str()).collect::<Vec<_>>().join(" > ");
    let whole = lines.slice(rows.clone());
    let pieces = if whole.chars().count() <= text::PARAGRAPH_CHARS_MAX {
        vec![Piece { first: *rows.start(), last: *rows.end(), bytes: lines.bytes_of(rows) }]
    } else {
        text::pieces(lines, *rows.start()..rows.end() + 1)
    };
    out.extend(pieces.into_iter().map(|it| it.chunk(lines, ChunkKind::Section, &heading)));
}

/// A heading of a document.
pub(super) struct Heading {
    /// How many others it may stand below, and one.
    pub(super) level: usize,
    pub(super) title: String,
    /// Where it begins.
    pub(super) row: usize,
    /// The row after it.
    pub(super) body: usize,
}

fn headings(lines: &Lines<'_>) -> Vec<Heading> {
    let mut out: Vec<Heading> = Vec::new();
    let mut fence: Option<Fence> = None;
    let mut row = front_matter(lines);
    // Where the paragraph that a row may belong to began.
    let mut paragraph: Option<usize> = None;
    while row < lines.count() {
        let line = lines.row(row);
        let here = row;
        row += 1;
        if let Some(open) = &fence {
            if open.is_closed_by(line) {
                fence = None;
            }
            continue;
        }
        fence = Fence::of(line);
        if fence.is_some() || line.trim().is_empty() {
            paragraph = None;
            continue;
        }
        if let Some((level, title)) = heading(line) {
            out.push(Heading { level, title, row: here, body: row });
            paragraph = None;
            continue;
        }
        match (paragraph, underline(line)) {
            (Some(first), Some(level)) => {
                let title = lines.slice(first..=here - 1).split_whitespace().collect::<Vec<_>>().join(" ");
                out.push(Heading { level, title, row: first, body: row });
                paragraph = None;
            }
            (None, _) if is_text(line) => paragraph = Some(here),
            _ => {}
        }
    }
    out
}

/// The row after the front matter; 0 without any.
fn front_matter(lines: &Lines<'_>) -> usize {
    let mark = lines.row(0).trim_start_matches('\u{feff}').trim_end();
    if !matches!(mark, "---" | "+++") {
        return 0;
    }
    let closes = |row: &usize| {
        let line = lines.row(*row).trim_end();
        line == mark || (mark == "---" && line == "...")
    };
    (1..lines.count()).find(closes).map_or(0, |row| row + 1)
}

/// A block of code that goes on.
struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    fn of(line: &str) -> Option<Self> {
        // A fence may stand in a list or a quote.
        let line = line.trim_start_matches([' ', '\t', '>']);
        let line = line.strip_prefix(['-', '*', '+']).map_or(line, str::trim_start);
        let mark = line.chars().next().filter(|it| matches!(it, '`' | '~'))?;
        let length = line.len() - line.trim_start_matches(mark).len();
        let info = line.get(length..).unwrap_or_default();
        (3 <= length && !(mark == '`' && info.contains('`'))).then_some(Self { mark, length })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim_start_matches([' ', '\t', '>']).trim_end();
        self.length <= line.len() && line.chars().all(|it| it == self.mark)
    }
}

/// Level and title of a line that is a heading.
fn heading(line: &str) -> Option<(usize, String)> {
    let line = line.trim_start_matches('\u{feff}');
    let indent = line.len() - line.trim_start_matches(' ').len();
    let line = line.trim_start_matches(' ');
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    if 3 < indent
        || level == 0
        || LEVELS_MAX < level
        || !(rest.is_empty() || rest.starts_with([' ', '\t', '\r']))
    {
        return None;
    }
    let title = rest.trim();
    let bare = title.trim_end_matches('#');
    let closes = bare.is_empty() || bare.ends_with([' ', '\t']);
    Some((level, if closes { bare.trim_end() } else { title }.to_owned()))
}

/// The level of the heading that a line makes of the paragraph above it.
fn underline(line: &str) -> Option<usize> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let line = line.trim();
    let level = match line.bytes().next()? {
        b'=' => 1,
        b'-' => 2,
        _ => return None,
    };
    let mark = if level == 1 { '=' } else { '-' };
    // One mark alone is more often an empty item of a list.
    (indent <= 3 && 2 <= line.len() && line.chars().all(|it| it == mark)).then_some(level)
}

/// Whether a line can begin a paragraph that an underline makes a heading of: no list, quote, table, code or element.
fn is_text(line: &str) -> bool {
    let bare = line.trim_start();
    let number = bare.trim_start_matches(|it: char| it.is_ascii_digit());
    let is_item = bare.starts_with("- ")
        || bare.starts_with("* ")
        || bare.starts_with("+ ")
        || (number.len() < bare.len() && number.starts_with(['.', ')']));
    let is_rule =
        bare.len() >= 3 && bare.trim_end().chars().all(|it| matches!(it, '-' | '*' | '_' | '=' | ' '));
    line.len() - bare.len() <= 3 && !is_item && !is_rule && !bare.starts_with(['>', '|', '<'])
}
