//! Markdown -> blocks of prose, without what is not the agent's own statement: code, quotes, HTML code.

/// Code spans and quotations are kept out of the prose; each stands there as one character of this range, whose
/// offset is its number in [`Text::spans`].
const SPAN_FIRST: u32 = 0xE000;
const SPANS_MAX: u32 = 0x1800;
/// A message above this many bytes is read from its beginning and its end.
const BYTES_MAX: usize = 256 * 1024;

/// A message, read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Text {
    /// Its blocks in order.
    pub(super) blocks: Vec<Block>,
    /// What the characters of the private range stand for.
    pub(super) spans: Vec<Span>,
    /// The rows that name columns, with the index of the row that follows.
    columns: Vec<(usize, String)>,
}

/// Something that is no prose but may be what prose is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Span {
    /// Inline code.
    Code(String),
    /// Between quotation marks.
    Quote(String),
}

/// One block of prose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// What it is.
    pub(super) kind: BlockKind,
    /// Its prose on one line; a table's row has its cells separated by ` | `.
    pub(super) text: String,
    /// Index of the heading above it.
    pub(super) heading: Option<usize>,
    /// Index of the paragraph that leads into it, for items and rows.
    pub(super) lead: Option<usize>,
    /// A check mark: done, or not.
    pub(super) checked: Option<bool>,
    /// The mark stands behind it, as that of a result: `Unit tests: ✅`.
    pub(super) marked_behind: bool,
}

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// A paragraph.
    Paragraph,
    /// An item of a list.
    Item,
    /// A row of a table.
    Row,
    /// A heading, or a line that is bold as a whole.
    Heading,
}

impl Text {
    /// What `c` stands for.
    pub(super) fn span(&self, c: char) -> Option<&Span> {
        self.spans.get((c as u32).checked_sub(SPAN_FIRST)? as usize)
    }

    /// The names of the columns of the table that a row stands in, separated as its cells are.
    pub(super) fn columns(&self, row: usize) -> Option<&str> {
        let (first, names) = self.columns.iter().rfind(|(first, _)| *first <= row)?;
        let same = self.blocks.get(*first..=row)?.iter().all(|block| block.kind == BlockKind::Row);
        same.then_some(names.as_str())
    }

    /// `text` with its spans put back, as the message has it.
    pub(super) fn restore(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match self.span(c) {
                Some(Span::Code(code)) => {
                    out.push('`');
                    out.push_str(code);
                    out.push('`');
                }
                Some(Span::Quote(quote)) => {
                    out.push('"');
                    out.push_str(quote);
                    out.push('"');
                }
                None => out.push(c),
            }
        }
        out
    }
}

/// Reads a message.
pub(super) fn read(message: &str) -> Text {
    let mut reader = Reader::default();
    let mut bounded = bounded(message);
    if bounded.contains(is_private) {
        bounded = bounded.replace(is_private, " ");
    }
    let prose = without_html_code(&bounded, &mut reader.text.spans);
    for line in prose.lines() {
        reader.line(line);
    }
    reader.flush();
    reader.text
}

fn is_private(c: char) -> bool {
    (SPAN_FIRST..SPAN_FIRST + SPANS_MAX).contains(&(c as u32)) || c == BOLD_END
}

/// The beginning and the end of what is too long to be a message.
fn bounded(message: &str) -> String {
    if message.len() <= BYTES_MAX {
        return message.to_owned();
    }
    let half = BYTES_MAX / 2;
    let head = (0..=half).rev().find(|at| message.is_char_boundary(*at)).unwrap_or(0);
    let from = message.len() - half;
    let tail = (from..=message.len()).find(|at| message.is_char_boundary(*at)).unwrap_or(message.len());
    format!("{}\n\n{}", &message[..head], &message[tail..])
}

/// Takes `<pre>`, `<code>`, `<blockquote>`, what clients put into a conversation, and comments out; other tags become
/// blanks.
fn without_html_code(message: &str, spans: &mut Vec<Span>) -> String {
    if !message.contains('<') {
        return message.to_owned();
    }
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("<!--") {
            rest = after.find("-->").map_or("", |end| &after[end + 3..]);
            continue;
        }
        let Some((name, tag_end)) = tag(rest) else {
            out.push('<');
            rest = &rest[1..];
            continue;
        };
        if !matches!(name.as_str(), "pre" | "code" | "blockquote" | "q")
            && !INJECTED_TAGS.contains(&name.as_str())
        {
            out.push(if matches!(name.as_str(), "br" | "p" | "li" | "div" | "summary") { '\n' } else { ' ' });
            rest = &rest[tag_end..];
            continue;
        }
        let body = &rest[tag_end..];
        let close = format!("</{name}");
        let end = find_ignoring_case(body, &close);
        let inner = &body[..end.unwrap_or(body.len())];
        if name == "code" && !inner.contains('\n') {
            push_span(&mut out, spans, Span::Code(inner.trim().to_owned()));
        } else {
            out.push_str("\n\n");
        }
        rest = match end {
            Some(end) => body[end..].find('>').map_or("", |close| &body[end + close + 1..]),
            None => "",
        };
    }
    out.push_str(rest);
    out
}

/// The name of an opening or closing tag at the beginning of `text`, and where the tag ends.
fn tag(text: &str) -> Option<(String, usize)> {
    let body = text.strip_prefix("</").or_else(|| text.strip_prefix('<'))?;
    let name: String = body.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').take(24).collect();
    let after = body[name.len()..].chars().next()?;
    let known = |tags: &[&str]| tags.contains(&name.to_ascii_lowercase().as_str());
    if name.is_empty() || !(known(KNOWN_TAGS) || known(INJECTED_TAGS)) {
        return None;
    }
    if !(after == '>' || after == '/' || after.is_whitespace()) {
        return None;
    }
    let end = text.find('>')?;
    (end < 400).then(|| (name.to_ascii_lowercase(), end + 1))
}

/// What clients wrap their own words in: context that was injected, output of local commands, notices.
pub(super) const INJECTED_TAGS: &[&str] = &[
    "bash-input",
    "bash-stderr",
    "bash-stdout",
    "command-args",
    "command-message",
    "command-name",
    "local-command-stderr",
    "local-command-stdout",
    "system-reminder",
    "task-notification",
];

/// Tags that stand in Markdown; anything else between angle brackets is text (`Vec<String>`).
const KNOWN_TAGS: &[&str] = &[
    "a",
    "b",
    "blockquote",
    "br",
    "code",
    "details",
    "div",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "hr",
    "i",
    "img",
    "kbd",
    "li",
    "ol",
    "p",
    "pre",
    "q",
    "small",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
];

fn find_ignoring_case(text: &str, needle: &str) -> Option<usize> {
    let (text, needle) = (text.as_bytes(), needle.as_bytes());
    text.windows(needle.len()).position(|window| window.eq_ignore_ascii_case(needle))
}

fn push_span(out: &mut String, spans: &mut Vec<Span>, span: Span) {
    let index = u32::try_from(spans.len()).unwrap_or(u32::MAX);
    match char::from_u32(SPAN_FIRST + index).filter(|_| index < SPANS_MAX) {
        Some(c) => {
            spans.push(span);
            out.push(c);
        }
        None => out.push(' '),
    }
}

#[derive(Debug, Default)]
struct Reader {
    text: Text,
    /// The character, length and indentation of the fence that is open.
    fence: Option<(char, usize)>,
    /// The block that lines are added to.
    open: Option<Block>,
    heading: Option<usize>,
    lead: Option<usize>,
    blank_before: bool,
}

impl Reader {
    fn line(&mut self, line: &str) {
        let trimmed = line.trim();
        if let Some((mark, length)) = self.fence {
            let run = trimmed.chars().take_while(|c| *c == mark).count();
            if length <= run && trimmed.chars().all(|c| c == mark) {
                self.fence = None;
            }
            return;
        }
        if let Some(fence) = fence(trimmed) {
            self.flush();
            self.fence = Some(fence);
            return;
        }
        if trimmed.is_empty() {
            self.flush();
            self.blank_before = true;
            return;
        }
        let indented = line.starts_with("    ") || line.starts_with('\t');
        let code = indented
            && self.blank_before
            && self.text.blocks.last().is_none_or(|it| it.kind != BlockKind::Item);
        self.blank_before = code;
        if trimmed.starts_with('>') || code {
            self.flush();
            return;
        }
        if trimmed.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | '─' | '━' | ' ')) {
            self.flush();
            return;
        }
        if let Some(title) = heading(trimmed) {
            self.flush();
            self.push(BlockKind::Heading, title, None);
            self.flush();
            return;
        }
        if trimmed.starts_with('|') && 1 < trimmed.matches('|').count() {
            self.flush();
            let cells: Vec<&str> = trimmed.trim_matches('|').split('|').map(str::trim).collect();
            let rule = cells.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':' | ' ')));
            if rule {
                // The row above names the columns: it states nothing.
                if let Some(names) = self.text.blocks.pop_if(|block| block.kind == BlockKind::Row) {
                    self.text.columns.push((self.text.blocks.len(), names.text));
                }
            } else {
                let row = cells.join(" | ");
                let (checked, _) = check_mark(&row);
                self.push(BlockKind::Row, &row, checked);
                self.flush();
            }
            return;
        }
        if let Some(item) = item(trimmed) {
            self.flush();
            let (checked, rest) = check_mark(item);
            self.push(BlockKind::Item, rest, checked);
            return;
        }
        let (checked, rest) = check_mark(trimmed);
        if checked.is_some() {
            self.flush();
            self.push(BlockKind::Item, rest, checked);
            return;
        }
        // A line break inside a paragraph ends a statement where people write one line per fact.
        match &mut self.open {
            Some(block) => {
                block.text.push('\n');
                block.text.push_str(trimmed);
            }
            None => self.push(BlockKind::Paragraph, trimmed, None),
        }
    }

    fn push(&mut self, kind: BlockKind, text: &str, checked: Option<bool>) {
        let lead = match kind {
            BlockKind::Item | BlockKind::Row => self.lead,
            BlockKind::Paragraph | BlockKind::Heading => None,
        };
        let bare = text.trim_end_matches('\u{fe0f}');
        let behind =
            (kind == BlockKind::Item && checked.is_none()).then(|| bare.strip_suffix(DONE)).flatten();
        let (text, checked) = match behind {
            Some(rest) => (rest.trim_end_matches([' ', ':', '–', '-']), Some(true)),
            None => (text, checked),
        };
        self.open = Some(Block {
            kind,
            text: text.to_owned(),
            heading: self.heading,
            lead,
            checked,
            marked_behind: behind.is_some(),
        });
    }

    fn flush(&mut self) {
        let Some(mut block) = self.open.take() else { return };
        block.text = inline(&block.text, &mut self.text.spans);
        if block.text.trim().is_empty() {
            return;
        }
        if block.kind == BlockKind::Paragraph && is_label(&block.text) {
            block.kind = BlockKind::Heading;
        }
        if block.text.ends_with(BOLD_END) {
            block.text.pop();
        }
        let index = self.text.blocks.len();
        match block.kind {
            BlockKind::Heading => {
                block.heading = None;
                self.heading = Some(index);
                self.lead = None;
            }
            BlockKind::Paragraph => self.lead = Some(index),
            BlockKind::Item | BlockKind::Row => {}
        }
        self.text.blocks.push(block);
    }
}

fn fence(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let run = line.chars().take_while(|c| *c == mark).count();
    let info = &line[run..];
    (3 <= run && !(mark == '`' && info.contains('`'))).then_some((mark, run))
}

fn heading(line: &str) -> Option<&str> {
    let hashes = line.chars().take_while(|c| *c == '#').count();
    let rest = &line[hashes..];
    (1..=6).contains(&hashes).then_some(())?;
    rest.starts_with([' ', '\t']).then(|| rest.trim().trim_end_matches('#').trim())
}

/// The text of an item of a list.
fn item(line: &str) -> Option<&str> {
    for mark in ["- ", "* ", "+ ", "• ", "‣ ", "◦ ", "· ", "– ", "— "] {
        if let Some(rest) = line.strip_prefix(mark) {
            return Some(rest.trim());
        }
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    let rest = rest.strip_prefix('.').or_else(|| rest.strip_prefix(')'))?;
    ((1..=3).contains(&digits) && rest.starts_with(' ')).then(|| rest.trim())
}

const DONE: &[char] = &['✅', '✔', '☑', '✓', '🟢', '👍'];
const NOT_DONE: &[char] = &['❌', '✗', '✘', '☐', '⬜', '🔲', '⏳', '🚧', '🔴', '🟡', '⏭', '⚠'];

/// A check mark, and the text without it. In a row it may stand in any cell.
fn check_mark(text: &str) -> (Option<bool>, &str) {
    for (mark, done) in [("[x]", true), ("[X]", true), ("[ ]", false), ("[-]", false), ("[~]", false)] {
        if let Some(rest) = text.strip_prefix(mark) {
            return (Some(done), rest.trim_start());
        }
    }
    let bare = text.trim_start_matches(['*', '_', ' ']);
    let mark = bare.chars().next();
    let rest = |text: &'static [char]| {
        mark.filter(|c| text.contains(c))
            .map(|c| bare[c.len_utf8()..].trim_start_matches('\u{fe0f}').trim_start())
    };
    if let Some(rest) = rest(DONE) {
        return (Some(true), rest);
    }
    if let Some(rest) = rest(NOT_DONE) {
        return (Some(false), rest);
    }
    if text.contains(" | ") {
        let done = text.contains(DONE);
        let open = text.contains(NOT_DONE);
        if done != open {
            return (Some(done), text);
        }
    }
    (None, text)
}

/// A short line that is bold as a whole or ends in a colon and stands alone: it names what follows.
fn is_label(text: &str) -> bool {
    text.len() < 80 && text.ends_with(BOLD_END)
}

/// Marks the end of a line that was bold as a whole, while blocks are made.
const BOLD_END: char = '\u{2}';

/// Takes emphasis, links, code spans and quotations out of a block.
fn inline(text: &str, spans: &mut Vec<Span>) -> String {
    let bold = {
        let line = text.trim();
        !line.contains('\n')
            && (4 < line.len() && line.starts_with("**") && line.trim_end_matches(':').ends_with("**"))
            && line.matches("**").count() == 2
    };
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        match c {
            '`' => {
                let run = chars[at..].iter().take_while(|c| **c == '`').count();
                match closing(&chars, at + run, run) {
                    Some(end) => {
                        let code: String = chars[at + run..end].iter().collect();
                        push_span(&mut out, spans, Span::Code(code.trim().to_owned()));
                        at = end + run;
                    }
                    None => at += run,
                }
            }
            '"' | '“' | '„' | '«' | '「' | '『' => {
                let closers: &[char] = match c {
                    '"' => &['"'],
                    '“' => &['”'],
                    '„' => &['“', '”'],
                    '«' => &['»'],
                    '「' => &['」'],
                    _ => &['』'],
                };
                let end = (at + 1..chars.len().min(at + 400)).find(|it| closers.contains(&chars[*it]));
                match end.filter(|end| !chars[at..*end].contains(&'\n')) {
                    Some(end) => {
                        let quote: String = chars[at + 1..end].iter().collect();
                        push_span(&mut out, spans, Span::Quote(quote));
                        at = end + 1;
                    }
                    None => at += 1,
                }
            }
            '_' => {
                // Emphasis, unless it is inside a word.
                let inside = |it: Option<&char>| it.is_some_and(|c| c.is_alphanumeric() || *c == '_');
                if inside(chars.get(at.wrapping_sub(1))) && inside(chars.get(at + 1)) {
                    out.push('_');
                }
                at += 1;
            }
            '[' => {
                // A link: its text stays.
                let close = (at + 1..chars.len().min(at + 300)).find(|it| chars[*it] == ']');
                match close {
                    Some(close) if chars.get(close + 1) == Some(&'(') => {
                        let end = (close + 2..chars.len().min(close + 600)).find(|it| chars[*it] == ')');
                        let label: String = chars[at + 1..close].iter().collect();
                        out.push_str(&inline(&label, spans));
                        at = end.map_or(close + 2, |end| end + 1);
                    }
                    _ => {
                        out.push('[');
                        at += 1;
                    }
                }
            }
            // Emphasis, and marks that only change how the character before them looks.
            '*' | '\u{fe0f}' | '\u{200d}' | '\u{200b}' => at += 1,
            _ => {
                out.push(c);
                at += 1;
            }
        }
    }
    let mut out = out.trim().to_owned();
    if bold {
        out.push(BOLD_END);
    }
    out
}

/// Where a run of exactly `run` backticks begins, from `from` on.
fn closing(chars: &[char], from: usize, run: usize) -> Option<usize> {
    let mut at = from;
    while at < chars.len() {
        if chars[at] == '`' {
            let length = chars[at..].iter().take_while(|c| **c == '`').count();
            if length == run {
                return Some(at);
            }
            at += length;
        } else {
            at += 1;
        }
    }
    None
}

#[cfg(test)]
mod tests;
