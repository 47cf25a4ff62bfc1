//! reStructuredText, and plain text that underlines its titles as that does.

use super::lines::Lines;
use super::markdown::{self, Heading};
use super::{Chunk, paragraphs};

/// Shortest underline.
const MARKS_MIN: usize = 3;

/// The sections of a document, each headed by the titles above it and its own; paragraphs if it has no titles.
pub(super) fn chunks(lines: &Lines<'_>) -> Vec<Chunk> {
    let headings = headings(lines);
    if headings.is_empty() { paragraphs(lines) } else { markdown::sections(lines, &headings) }
}

/// The headings. How deep one is, only the order says in which their marks appear.
fn headings(lines: &Lines<'_>) -> Vec<Heading> {
    let mut out: Vec<Heading> = Vec::new();
    let mut marks: Vec<(char, bool)> = Vec::new();
    for row in 1..lines.count() {
        let title = lines.row(row - 1);
        let Some(mark) = mark(lines.row(row)).filter(|_| is_title(title, lines.row(row))) else { continue };
        let over = row.checked_sub(2).filter(|above| self::mark(lines.row(*above)) == Some(mark));
        let begins = over.unwrap_or(row - 1);
        // A title stands alone.
        if begins.checked_sub(1).is_some_and(|above| !lines.is_blank(above) && over.is_none())
            || out.last().is_some_and(|it| begins < it.body)
        {
            continue;
        }
        let kind = (mark, over.is_some());
        let level = marks.iter().position(|it| *it == kind).unwrap_or_else(|| {
            marks.push(kind);
            marks.len() - 1
        });
        out.push(Heading { level: level + 1, title: title.trim().to_owned(), row: begins, body: row + 1 });
    }
    out
}

/// The mark that a line consists of.
fn mark(line: &str) -> Option<char> {
    let line = line.trim_end();
    let first = line.chars().next().filter(|it| "=-~^\"'`#*+:._<>".contains(*it))?;
    (MARKS_MIN <= line.len() && line.chars().all(|it| it == first)).then_some(first)
}

/// Whether a line can be a title above this underline.
fn is_title(title: &str, underline: &str) -> bool {
    let bare = title.trim();
    let is_indented = title.starts_with([' ', '\t']);
    let chars = bare.chars().count();
    !bare.is_empty() && !is_indented && mark(title).is_none() && chars <= underline.trim_end().len() + 1
}
