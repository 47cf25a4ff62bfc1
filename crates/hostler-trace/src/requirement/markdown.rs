//! Markdown: lists and checklists, tables, headings, bold paragraphs, front matter.

use std::borrow::Cow;

use super::{Columns, Draft, Error, Options, Part, data, done, place};
use crate::inline::{Fence, without_code};

/// Reads one document. What stands in code blocks and comments is an example, what is struck out is gone.
pub(super) fn read(path: &str, text: &str, options: &Options<'_>) -> Result<Vec<Draft>, Error> {
    let mut reader =
        Reader { options, out: Vec::new(), current: Current::None, spec: None, title: None, whole: None };
    let body_from = reader.front_matter(path, text)?;
    let mut lines = Lines::new(text, body_from);
    while let Some(Line { number, text, code }) = lines.next() {
        let (number, text, code) = (*number, text.clone(), *code);
        if code {
            reader.code(&text);
        } else if text.contains('|') && lines.peek().is_some_and(|it| !it.code && is_delimiter(&it.text)) {
            reader.table(&text, &mut lines);
        } else {
            reader.line(number, &text);
        }
    }
    reader.finish();
    Ok(reader.out)
}

/// One line of a text.
struct Line<'t> {
    /// From 1.
    number: usize,
    /// Without comments.
    text: Cow<'t, str>,
    /// It stands in a block of code: an example that defines nothing, though it may belong to what does.
    code: bool,
}

/// The lines of a text.
struct Lines<'t> {
    lines: Vec<Line<'t>>,
    at: usize,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str, from: usize) -> Self {
        let mut lines = Vec::new();
        let (mut fence, mut in_comment): (Option<Fence>, bool) = (None, false);
        for (at, line) in text.lines().enumerate().skip(from) {
            let mut push = |text, code| lines.push(Line { number: at + 1, text, code });
            // What was left out separates what is around it.
            if let Some(open) = fence {
                fence = Some(open).filter(|it| !it.is_closed_by(line));
                push(Cow::Borrowed(if fence.is_some() { line } else { "" }), fence.is_some());
                continue;
            }
            if !in_comment {
                fence = Fence::opened_by(line);
            }
            let text =
                if fence.is_some() { Cow::Borrowed("") } else { without_comments(line, &mut in_comment) };
            push(text, false);
        }
        Self { lines, at: 0 }
    }

    fn next(&mut self) -> Option<&Line<'t>> {
        self.at += 1;
        self.lines.get(self.at - 1)
    }

    fn peek(&self) -> Option<&Line<'t>> {
        self.lines.get(self.at)
    }
}

/// A line without its comments; `in_comment` goes on from line to line.
fn without_comments<'t>(line: &'t str, in_comment: &mut bool) -> Cow<'t, str> {
    let prose = without_code(line);
    if !*in_comment && !prose.contains("<!--") {
        return Cow::Borrowed(line);
    }
    let (mut out, mut from) = (String::new(), 0);
    loop {
        let mark = if *in_comment { "-->" } else { "<!--" };
        let rest = if *in_comment { line } else { &prose };
        let found = rest.get(from..).and_then(|it| it.find(mark)).map(|it| from + it);
        if !*in_comment {
            out.push_str(line.get(from..found.unwrap_or(line.len())).unwrap_or_default());
        }
        let Some(found) = found else { return Cow::Owned(out) };
        (from, *in_comment) = (found + mark.len(), !*in_comment);
    }
}

/// What the next line may still belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Current {
    None,
    /// The last draft is a list item that began at this column, or a paragraph; after a blank line, only what is indented
    /// more belongs to it.
    Item {
        indent: usize,
        blank: bool,
    },
    /// The last requirement that a heading names, by its place.
    Heading {
        at: usize,
    },
}

struct Reader<'a> {
    options: &'a Options<'a>,
    out: Vec<Draft>,
    current: Current,
    /// What front matter says.
    spec: Option<String>,
    /// The document's first heading.
    title: Option<String>,
    /// The draft that front matter made, still without a text.
    whole: Option<usize>,
}

impl Reader<'_> {
    /// Reads the front matter and returns how many lines it takes.
    fn front_matter(&mut self, path: &str, text: &str) -> Result<usize, Error> {
        let mut lines = text.lines();
        if lines.next().map(str::trim_end) != Some("---") {
            return Ok(0);
        }
        let Some(inside) = lines.position(|it| matches!(it.trim_end(), "---" | "...")) else { return Ok(0) };
        let block: Vec<&str> = text.lines().skip(1).take(inside).collect();
        let block = block.join("\n");
        // A line between two rules is no front matter.
        if !block.contains(':') {
            return Ok(0);
        }
        self.out = data::yaml_from(path, &block, 2, self.options)?;
        let names = ["spec", "specification", "feature"];
        let value = |name: &str| {
            let found = block.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(':'));
            found.map(|it| it.trim().trim_matches(['"', '\'']).to_owned())
        };
        self.spec = self.options.columns.spec.as_deref().into_iter().chain(names).find_map(value);
        self.whole = (self.out.len() == 1).then_some(0);
        Ok(inside + 2)
    }

    fn line(&mut self, number: usize, line: &str) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            if let Current::Item { blank, .. } = &mut self.current {
                *blank = true;
            }
            return;
        }
        let indent = line.len() - line.trim_start().len();
        self.go_on(indent);
        if let Some(heading) = heading(trimmed) {
            self.current = Current::None;
            let named = heading.strip_prefix("Requirement ").or(heading.strip_prefix("Requirement: "));
            if let Some((id, rest)) = self.definition(named.unwrap_or(heading), true) {
                self.push(id, rest, None, number);
                self.current = Current::Heading { at: self.out.len() - 1 };
            } else if self.title.is_none() {
                self.title = Some(heading.to_owned());
            }
            return;
        }
        if let Some(item) = bullet(trimmed) {
            let (ticked, item) = checkbox(item);
            if let Some((id, rest)) = self.definition(item, ticked.is_some()) {
                self.push(id, rest, ticked, number);
                self.current = Current::Item { indent, blank: false };
                return;
            }
            match self.current {
                Current::Item { indent: parent, .. } if parent < indent => self.append(item),
                Current::Item { .. } => self.current = Current::None,
                _ => {}
            }
            if let Current::Heading { at } = self.current {
                self.append_to(at, item);
            }
            return;
        }
        let bold = trimmed.starts_with("**") || trimmed.starts_with("__");
        let colon = trimmed.split_whitespace().next().is_some_and(|it| it.ends_with(':'));
        if (bold || colon && !matches!(self.current, Current::Item { .. }))
            && let Some((id, rest)) = self.definition(trimmed, bold)
        {
            self.push(id, rest, None, number);
            self.current = Current::Item { indent, blank: false };
            return;
        }
        match self.current {
            Current::Item { .. } => self.append(trimmed),
            Current::Heading { at } => self.append_to(at, trimmed),
            Current::None => {}
        }
    }

    /// A paragraph that begins at this column: what was open before a blank line stays so only where it is indented less.
    fn go_on(&mut self, indent: usize) {
        match &mut self.current {
            Current::Item { indent: parent, blank } if *blank && *parent < indent => *blank = false,
            Current::Item { blank: true, .. } => self.current = Current::None,
            _ => {}
        }
    }

    /// A line of a block of code is part of what it explains.
    fn code(&mut self, line: &str) {
        self.go_on(line.len() - line.trim_start().len());
        match self.current {
            Current::Item { .. } => self.append(line),
            Current::Heading { at } => self.append_to(at, line),
            Current::None => {}
        }
    }

    fn append(&mut self, text: &str) {
        if let Some(at) = self.out.len().checked_sub(1) {
            self.append_to(at, text);
        }
    }

    fn append_to(&mut self, at: usize, text: &str) {
        if let Some(draft) = self.out.get_mut(at) {
            // A paragraph goes on; a list below an item, or text below a heading, is lines of its own.
            let separator = if matches!(self.current, Current::Item { .. }) { ' ' } else { '\n' };
            if !draft.text.is_empty() {
                draft.text.push(separator);
            }
            draft.text.push_str(&plain(text));
        }
    }

    fn push(&mut self, id: String, text: String, done: Option<bool>, line: usize) {
        self.out.push(Draft { id, spec: None, text, done, line });
    }

    /// An id at the beginning of `text` and what follows it, if that defines the id and does not merely mention it.
    /// `sure`: its place says so already.
    fn definition(&self, text: &str, sure: bool) -> Option<(String, String)> {
        if text.starts_with("~~") {
            return None;
        }
        let mut text = text;
        // Anchors to link to.
        while let Some(rest) = text.strip_prefix("<a ") {
            text = rest.split_once('>')?.1.trim_start().trim_start_matches("</a>").trim_start();
        }
        let inner = text.trim_start_matches(['*', '_', '`', '[']);
        let marked = inner.len() < text.len();
        let word = inner.split_whitespace().next()?;
        let mut end = word.len();
        while !self.options.pattern.is_id(&word[..end]) {
            end = word[..end].char_indices().next_back()?.0;
        }
        let tail = &inner[end..];
        // `FR-001-old` and `FR-0012` are other words.
        // Ranges and lists mention.
        if tail.starts_with("..")
            || tail.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '/' | ',' | ';'))
                && !tail.starts_with("-->")
        {
            return None;
        }
        let unmarked = tail.trim_start_matches(['*', '_', '`', ']']);
        let unmarked = match unmarked.strip_prefix('(') {
            Some(link) if tail.starts_with(']') || tail.contains("](") => {
                link.split_once(')').map_or(unmarked, |it| it.1)
            }
            _ => unmarked,
        };
        let rest = unmarked.trim_start();
        let separated =
            rest.trim_start_matches([':', '.', ')', '-', '–', '—', '|', '*', '_', ']']).trim_start();
        let has_separator = separated.len() < rest.len();
        let mention =
            ["and ", "or ", "to ", "through ", "is ", "are ", "was ", "were ", "see ", "has ", ", ", "& "];
        if !has_separator
            && !marked
            && !sure
            && (rest.is_empty() || mention.iter().any(|it| rest.starts_with(it)))
        {
            return None;
        }
        Some((word[..end].to_owned(), plain(separated)))
    }

    fn table(&mut self, head: &str, lines: &mut Lines<'_>) {
        self.go_on(head.len() - head.trim_start().len());
        let around = std::mem::replace(&mut self.current, Current::None);
        let before = self.out.len();
        let mut rows = vec![head.to_owned()];
        let names: Vec<String> = cells(head).iter().map(|it| plain(it)).collect();
        lines.next();
        let columns = self.options.columns;
        let at = |part| place(part, &names, columns);
        // Names that were configured for another source must not hide a table's own.
        let default = Columns::default();
        let or_known = |part| at(part).or_else(|| place(part, &names, &default));
        let (of_text, of_done, of_spec) = (or_known(Part::Text), or_known(Part::Done), or_known(Part::Spec));
        let of_id = or_known(Part::Id);
        while let Some(row) = lines.peek().filter(|it| !it.code && it.text.contains('|')) {
            let number = row.number;
            rows.push(row.text.to_string());
            let cells = cells(&row.text);
            lines.next();
            let id_at = of_id.unwrap_or(0);
            let found = cells.get(id_at).and_then(|it| self.definition(it, true));
            // One row may ask the same of several.
            let list = || of_id.and_then(|at| Some(self.options.pattern.list(&plain(cells.get(at)?)).ids));
            let found: Vec<(String, String)> = match found {
                Some(one) => vec![one],
                None => list().unwrap_or_default().into_iter().map(|id| (id, String::new())).collect(),
            };
            if found.is_empty() {
                continue;
            }
            let cell = |at: Option<usize>| at.and_then(|at| cells.get(at)).map(|it| plain(it));
            let of_text =
                of_text.or_else(|| (0..cells.len()).find(|at| *at != id_at && Some(*at) != of_done));
            let spec = cell(of_spec).filter(|it| !it.is_empty());
            let done = cell(of_done).and_then(|it| done(&it));
            self.out.extend(found.into_iter().map(|(id, rest)| {
                let text = if rest.is_empty() { cell(of_text).unwrap_or_default() } else { rest };
                Draft { id, spec: spec.clone(), text, done, line: number }
            }));
        }
        // A table that defines nothing is part of what it stands below.
        let last = self.out.len().checked_sub(1);
        let owner = match around {
            Current::Heading { at } => Some(at),
            Current::Item { .. } => last,
            Current::None => None,
        };
        if let Some(at) = owner.filter(|_| before == self.out.len()) {
            for row in &rows {
                self.append_to(at, row.trim());
            }
            self.current = around;
        } else if let Current::Heading { .. } = around {
            self.current = around;
        }
    }

    fn finish(&mut self) {
        if let Some(draft) = self.whole.and_then(|at| self.out.get_mut(at))
            && draft.text.trim().is_empty()
        {
            draft.text = self.title.take().unwrap_or_default();
        }
        for draft in &mut self.out {
            draft.spec = draft.spec.take().or_else(|| self.spec.clone());
        }
    }
}

fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    ((1..=6).contains(&level) && rest.starts_with([' ', '\t']))
        .then(|| rest.trim().trim_end_matches('#').trim_end())
}

/// What follows the mark of a list item.
fn bullet(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['-', '*', '+', '•', '◦', '☐', '☑']).or_else(|| {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        (rest.len() < line.len()).then(|| rest.strip_prefix(['.', ')'])).flatten()
    })?;
    rest.starts_with([' ', '\t']).then(|| rest.trim_start())
}

fn checkbox(item: &str) -> (Option<bool>, &str) {
    let rest = item.strip_prefix('[').and_then(|it| {
        let mark = it.chars().next()?;
        Some((mark, it[mark.len_utf8()..].strip_prefix(']')?))
    });
    match rest {
        Some(('x' | 'X' | '✓' | '✔', rest)) => (Some(true), rest.trim_start()),
        // `[ ]`, and marks of half-done, moved and cancelled ones; `[1](link)` is none.
        Some((_, rest)) if rest.starts_with([' ', '\t']) => (Some(false), rest.trim_start()),
        _ => (None, item),
    }
}

fn is_delimiter(line: &str) -> bool {
    line.contains('-')
        && line.contains('|')
        && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

/// The cells of a row: `\|` and what stands in code is text.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let (mut out, mut cell, mut in_code) = (Vec::new(), String::new(), false);
    let mut chars = row.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'|') => cell.extend(chars.next()),
            '|' if !in_code => out.push(std::mem::take(&mut cell).trim().to_owned()),
            _ => {
                in_code ^= c == '`';
                cell.push(c);
            }
        }
    }
    if !cell.trim().is_empty() {
        out.push(cell.trim().to_owned());
    }
    out
}

/// The words without emphasis.
fn plain(text: &str) -> String {
    text.replace("**", "").trim().to_owned()
}
