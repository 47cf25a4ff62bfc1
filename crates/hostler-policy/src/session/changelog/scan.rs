//! The lines of a changelog and what each is. Not a Markdown parser: enough to find headings and bullets, and to
//! pass over fenced code and comments.

use std::ops::Range;

use super::super::achievement::Category;
use super::style;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// Nothing or white space.
    Blank,
    /// A heading, its underline, or a line in bold that stands for one.
    Heading,
    /// An item of a list at the outermost level.
    Bullet {
        /// Everything before its text.
        prefix: &'a str,
        /// Its text.
        text: &'a str,
    },
    /// The address of a link.
    Reference,
    /// Inside a fence or comment.
    Opaque,
    /// Anything else: paragraphs, further lines and nested items.
    Text,
}

/// How a heading is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `## Text`
    Hashes,
    /// `Text` above a line of these.
    Underlined(char),
    /// `**Text**`
    Bold,
    /// `Text:`, a paragraph of its own.
    Label,
}

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heading {
    /// Its first line.
    pub(super) start: usize,
    /// The line after it.
    pub(super) end: usize,
    /// 1 for the outermost; a line in bold is below every other.
    pub(super) level: usize,
    /// How it is written.
    pub(super) form: Form,
    /// Without its marks.
    pub(super) text: String,
}

/// Level of a line that stands for a heading.
const BOLD_LEVEL: usize = 9;
/// Words of a label.
const LABEL_WORDS_MAX: usize = 3;

/// A text by lines.
#[derive(Debug)]
pub(super) struct Document<'a> {
    lines: Vec<&'a str>,
    kinds: Vec<Kind<'a>>,
    headings: Vec<Heading>,
    section_level: Option<usize>,
    /// The line end that most lines have.
    line_end: &'static str,
}

impl<'a> Document<'a> {
    pub(super) fn parse(text: &'a str) -> Self {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let crlf = lines.iter().filter(|it| it.ends_with("\r\n")).count();
        let line_end = if lines.len() < 2 * crlf { "\r\n" } else { "\n" };
        let mut document =
            Self { lines, kinds: Vec::new(), headings: Vec::new(), section_level: None, line_end };
        document.classify();
        document.section_level = document.level_of_sections();
        document
    }

    /// A single heading at the top is the title, also where it holds a version (`Changes since 2.0`).
    fn level_of_sections(&self) -> Option<usize> {
        let sections =
            || self.headings.iter().filter(|it| it.level != BOLD_LEVEL && style::is_section(&it.text));
        let titles = sections().filter(|it| it.level == 1).count();
        let below = sections().find(|it| it.level != 1);
        if titles == 1 { below.or_else(|| sections().next()) } else { sections().next() }.map(|it| it.level)
    }

    fn classify(&mut self) {
        let mut opaque_until = 0;
        for at in 0..self.lines.len() {
            let line = self.line(at);
            let kind = if at < opaque_until {
                Kind::Opaque
            } else if let Some(end) = self.opaque_end(at) {
                opaque_until = end;
                Kind::Opaque
            } else if line.trim().is_empty() {
                Kind::Blank
            } else {
                self.kind_of(at, line)
            };
            self.kinds.push(kind);
        }
    }

    /// The line after the fenced code or comment that begins at `at`. One that never ends would hide the whole file,
    /// and is taken as text.
    fn opaque_end(&self, at: usize) -> Option<usize> {
        let line = self.line(at).trim();
        let mut below = (at + 1)..self.lines.len();
        if let Some(rest) = line.strip_prefix("<!--") {
            let ends = |it: &usize| self.line(*it).contains("-->");
            return if rest.contains("-->") { Some(at + 1) } else { below.find(ends).map(|it| it + 1) };
        }
        let mark = ["```", "~~~"].into_iter().find(|it| line.starts_with(it))?;
        let length = line.len() - line.trim_start_matches(|c| mark.starts_with(c)).len();
        below.find(|it| self.line(*it).trim().starts_with(&line[..length])).map(|it| it + 1)
    }

    fn kind_of(&mut self, at: usize, line: &'a str) -> Kind<'a> {
        let indented = line.starts_with("    ") || line.starts_with('\t');
        let trimmed = line.trim();
        let hashes = trimmed.bytes().take_while(|it| *it == b'#').count();
        if !indented && (1..=6).contains(&hashes) && trimmed[hashes..].starts_with(' ') {
            let text = trimmed[hashes..].trim().trim_end_matches('#').trim_end().to_owned();
            self.headings.push(Heading { start: at, end: at + 1, level: hashes, form: Form::Hashes, text });
            return Kind::Heading;
        }
        if let Some(mark) = underline(trimmed)
            && let Some(Kind::Text) = self.kinds.last()
            && !self.line(at - 1).starts_with(char::is_whitespace)
            && (at < 2 || self.kinds.get(at - 2).is_none_or(|it| *it != Kind::Text))
        {
            let text = self.line(at - 1).trim().to_owned();
            let level = if mark == '=' { 1 } else { 2 };
            self.headings.push(Heading {
                start: at - 1,
                end: at + 1,
                level,
                form: Form::Underlined(mark),
                text,
            });
            self.kinds[at - 1] = Kind::Heading;
            return Kind::Heading;
        }
        if !indented && let Some(text) = bold(trimmed) {
            self.headings.push(Heading {
                start: at,
                end: at + 1,
                level: BOLD_LEVEL,
                form: Form::Bold,
                text: text.to_owned(),
            });
            return Kind::Heading;
        }
        if !indented && self.is_label(at) {
            let text = trimmed.trim_end_matches(':').to_owned();
            let heading = Heading { start: at, end: at + 1, level: BOLD_LEVEL, form: Form::Label, text };
            self.headings.push(heading);
            return Kind::Heading;
        }
        if trimmed.starts_with('[') && trimmed.contains("]: ") && !indented {
            return Kind::Reference;
        }
        bullet(line).unwrap_or(Kind::Text)
    }

    /// A few words and a colon between empty lines, or above a list.
    fn is_label(&self, at: usize) -> bool {
        let line = self.line(at).trim_end();
        let words = line.strip_suffix(':').filter(|it| it.starts_with(char::is_alphabetic));
        let short =
            words.is_some_and(|it| it.split(' ').count() <= LABEL_WORDS_MAX && !it.contains(['.', ',', '`']));
        let apart = self.kinds.last().is_none_or(|it| matches!(it, Kind::Blank | Kind::Heading));
        let next = self.line(at + 1);
        short && apart && (next.trim().is_empty() || bullet(next).is_some())
    }

    /// A line without its end.
    pub(super) fn line(&self, at: usize) -> &'a str {
        let line = self.lines.get(at).copied().unwrap_or_default();
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        if at == 0 { line.trim_start_matches('\u{feff}') } else { line }
    }

    pub(super) fn kind(&self, at: usize) -> Kind<'a> {
        self.kinds.get(at).copied().unwrap_or(Kind::Blank)
    }

    pub(super) fn kinds(&self) -> &[Kind<'a>] {
        &self.kinds
    }

    /// Headings that mean a category: after the first version, so that a title `Changes` is none.
    pub(super) fn categories(&self) -> impl Iterator<Item = (Category, &Heading)> {
        let first = self.sections().next().map_or(usize::MAX, |it| it.start);
        let below = self.headings.iter().filter(move |it| first < it.start);
        below.filter_map(|it| Some((style::category(&it.text)?, it)))
    }

    /// Headings of versions, in the order of the file.
    pub(super) fn sections(&self) -> impl Iterator<Item = &Heading> {
        let level = self.section_level;
        self.headings.iter().filter(move |it| Some(it.level) == level && style::is_section(&it.text))
    }

    /// The heading at `at` needs an empty line above it: a version's, or one that would be read as a part of the line above.
    pub(super) fn is_set_off(&self, at: usize) -> bool {
        let mut here = self.headings.iter().filter(|it| it.start == at);
        here.any(|it| {
            let version = Some(it.level) == self.section_level && style::is_section(&it.text);
            version || matches!(it.form, Form::Underlined(_) | Form::Label)
        })
    }

    /// A heading and what belongs to it.
    pub(super) fn section(&self, heading: &Heading) -> Range<usize> {
        // Some files have categories on the level of versions.
        let ends = |it: &&Heading| it.level <= heading.level && style::category(&it.text).is_none();
        let next = self.headings.iter().filter(|it| heading.start < it.start).find(ends);
        heading.start..next.map_or(self.lines.len(), |it| it.start)
    }

    /// Headings below that of a section.
    pub(super) fn headings_in(&self, section: Range<usize>) -> impl Iterator<Item = &Heading> {
        self.headings.iter().filter(move |it| section.start < it.start && it.start < section.end)
    }

    /// A heading inside `section` and its lines up to the next one.
    pub(super) fn below(&self, heading: &Heading, section: &Range<usize>) -> Range<usize> {
        let next = self.headings_in(section.clone()).find(|it| heading.start < it.start);
        heading.start..next.map_or(section.end, |it| it.start)
    }

    /// The line after the last one with content; addresses of links and comments at the end are left below.
    pub(super) fn content_end(&self, lines: Range<usize>) -> usize {
        let content = |kind: Kind<'_>| !matches!(kind, Kind::Blank | Kind::Reference);
        let last = lines.clone().rev().find(|at| content(self.kind(*at)));
        let Some(mut last) = last else { return lines.start };
        // A comment that ends the lines, set off by an empty one, is about what follows.
        let comment = |at: usize| self.kind(at) == Kind::Opaque;
        if comment(last) {
            let first = (lines.start..=last).rev().take_while(|at| comment(*at)).last().unwrap_or(last);
            let is_comment = self.line(first).trim_start().starts_with("<!--");
            if is_comment && lines.start < first && self.kind(first - 1) == Kind::Blank {
                last = (lines.start..first).rev().find(|at| content(self.kind(*at))).unwrap_or(lines.start);
            }
        }
        last + 1
    }

    /// Where something above `heading` goes: a comment that touches it stays with it.
    pub(super) fn before(&self, heading: &Heading) -> usize {
        let mut at = heading.start;
        while 0 < at && self.kind(at - 1) == Kind::Opaque {
            at -= 1;
        }
        at
    }

    /// The line before `at` belongs to a bullet above it.
    pub(super) fn continues_bullet(&self, at: usize) -> bool {
        let above = self.kinds.get(..at).unwrap_or_default();
        above.iter().rev().find(|it| **it != Kind::Text).is_some_and(|it| matches!(it, Kind::Bullet { .. }))
    }

    /// The text with lines put in before the lines that they name.
    pub(super) fn with(&self, edits: &[(usize, Vec<String>)]) -> String {
        let mut out = String::new();
        for at in 0..=self.lines.len() {
            for (_, lines) in edits.iter().filter(|(line, lines)| *line == at && !lines.is_empty()) {
                self.put(&mut out, at, lines);
            }
            out.push_str(self.lines.get(at).copied().unwrap_or_default());
        }
        out
    }

    /// A file without a last line end keeps it so.
    fn put(&self, out: &mut String, at: usize, lines: &[String]) {
        let open = !out.is_empty() && !out.ends_with('\n');
        if open {
            out.push_str(self.line_end);
        }
        for (index, line) in lines.iter().enumerate() {
            let above = out.strip_suffix(self.line_end).is_some_and(|it| it.is_empty() || it.ends_with('\n'));
            if line.is_empty() && above {
                continue;
            }
            out.push_str(line);
            let last = index + 1 == lines.len();
            if !(open && last && at == self.lines.len()) {
                out.push_str(self.line_end);
            }
        }
    }
}

fn underline(trimmed: &str) -> Option<char> {
    let mark = trimmed.chars().next().filter(|it| matches!(it, '=' | '-'))?;
    (3 <= trimmed.len() && trimmed.chars().all(|it| it == mark)).then_some(mark)
}

fn bold(trimmed: &str) -> Option<&str> {
    let inner = trimmed.trim_end_matches(':').strip_prefix("**")?.strip_suffix("**")?;
    (!inner.is_empty() && !inner.contains("**")).then_some(inner)
}

fn bullet(line: &str) -> Option<Kind<'_>> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let rest = &line[indent..];
    if 3 < indent || !rest.starts_with(['-', '*', '+']) {
        return None;
    }
    let spaces = rest[1..].len() - rest[1..].trim_start_matches([' ', '\t']).len();
    let (prefix, text) = line.split_at(indent + 1 + spaces);
    // An item below another one is a part of it.
    (0 < spaces && !text.is_empty() && indent < 2).then(|| Kind::Bullet { prefix, text: text.trim_end() })
}
