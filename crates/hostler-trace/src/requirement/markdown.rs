//! Markdown: lists and checklists, tables, headings, bold paragraphs, front matter.

use super::{Columns, Draft, Error, Options, Part, data, done, place};

/// Reads one document. What stands in code blocks and comments is an example, what is struck out is gone.
pub(super) fn read(path: &str, text: &str, options: &Options<'_>) -> Result<Vec<Draft>, Error> {
    let mut reader =
        Reader { options, out: Vec::new(), current: Current::None, spec: None, title: None, whole: None };
    let body_from = reader.front_matter(path, text)?;
    let mut lines = Lines::new(text, body_from);
    while let Some((number, line)) = lines.next() {
        if let Some(delimiter) = lines.peek().filter(|_| line.contains('|'))
            && is_delimiter(delimiter)
        {
            reader.table(line, &mut lines);
            continue;
        }
        reader.line(number, line);
    }
    reader.finish();
    Ok(reader.out)
}

/// The lines of a text with their numbers from 1, without code blocks and comments.
struct Lines<'t> {
    lines: Vec<(usize, &'t str)>,
    at: usize,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str, from: usize) -> Self {
        let mut lines = Vec::new();
        let (mut fence, mut in_comment): (Option<&str>, bool) = (None, false);
        for (at, line) in text.lines().enumerate().skip(from) {
            let trimmed = line.trim_start();
            if let Some(open) = fence {
                let closes =
                    trimmed.starts_with(open) && trimmed.trim_end().trim_matches(['`', '~']).is_empty();
                fence = if closes { None } else { Some(open) };
            } else if in_comment {
                in_comment = !line.contains("-->");
            } else if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
                fence = trimmed.get(..3);
            } else if let Some(open) = trimmed.strip_prefix("<!--") {
                in_comment = !open.contains("-->");
            } else {
                lines.push((at + 1, line));
                continue;
            }
            // Whatever was left out separates what is around it.
            lines.push((at + 1, ""));
        }
        Self { lines, at: 0 }
    }

    fn next(&mut self) -> Option<(usize, &'t str)> {
        let line = self.lines.get(self.at).copied();
        self.at += 1;
        line
    }

    fn peek(&self) -> Option<&'t str> {
        self.lines.get(self.at).map(|it| it.1)
    }
}

/// What the next line may still belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Current {
    None,
    /// The last draft is a list item that began at this column, or a paragraph.
    Item {
        indent: usize,
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
            if let Current::Item { .. } = self.current {
                self.current = Current::None;
            }
            return;
        }
        let indent = line.len() - line.trim_start().len();
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
                self.current = Current::Item { indent };
                return;
            }
            match self.current {
                Current::Item { indent: parent } if parent < indent => self.append(item),
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
            self.current = Current::Item { indent };
            return;
        }
        match self.current {
            Current::Item { .. } => self.append(trimmed),
            Current::Heading { at } => self.append_to(at, trimmed),
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
        if tail.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '/' | ',' | ';'))
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
        self.current = Current::None;
        let names: Vec<String> = cells(head).iter().map(|it| plain(it)).collect();
        lines.next();
        let columns = self.options.columns;
        let at = |part| place(part, &names, columns);
        // Names that were configured for another source must not hide a table's own.
        let default = Columns::default();
        let or_known = |part| at(part).or_else(|| place(part, &names, &default));
        let (of_text, of_done, of_spec) = (or_known(Part::Text), or_known(Part::Done), or_known(Part::Spec));
        while let Some(row) = lines.peek().filter(|it| it.contains('|')) {
            let Some((number, _)) = lines.next() else { break };
            let cells = cells(row);
            let id_at = or_known(Part::Id).unwrap_or(0);
            let Some((id, rest)) = cells.get(id_at).and_then(|it| self.definition(it, true)) else {
                continue;
            };
            let cell = |at: Option<usize>| at.and_then(|at| cells.get(at)).map(|it| plain(it));
            let of_text =
                of_text.or_else(|| (0..cells.len()).find(|at| *at != id_at && Some(*at) != of_done));
            let text = if rest.is_empty() { cell(of_text).unwrap_or_default() } else { rest };
            let spec = cell(of_spec).filter(|it| !it.is_empty());
            let done = cell(of_done).and_then(|it| done(&it));
            self.out.push(Draft { id, spec, text, done, line: number });
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
        Some((' ' | '-' | '/', rest)) => (Some(false), rest.trim_start()),
        Some(('x' | 'X' | '✓' | '✔', rest)) => (Some(true), rest.trim_start()),
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
