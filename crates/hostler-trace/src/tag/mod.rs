//! Tags in source files: `@traces` in comments of any language, and the decorator of the same name in Python.

mod arguments;
mod braces;
mod language;
mod lexer;
mod lines;
mod markdown;
mod python;

use serde::{Deserialize, Serialize};

use crate::{FILE_IDS_MAX, Pattern};
use language::Family;
use lexer::{Part, Segment};

pub use language::is_test_path;

/// How a tag begins in a comment.
pub const MARK: &str = "@traces";
/// Most lines that one tag goes on over.
const TAG_LINES_MAX: usize = 100;

/// One tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    /// Where it begins, from 1.
    pub line: usize,
    /// The ids that it cites, ranges one by one; `SPECIFICATION/ID` where it says so.
    pub ids: Vec<String>,
    /// The specification that the ids belong to, if it says so for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    /// The story, if it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<String>,
    /// How it is written.
    pub form: Form,
    /// What it sits on.
    pub owner: Owner,
    /// What could not be read in it, as half sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// How a tag is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// In a comment.
    Comment,
    /// As a decorator.
    Decorator,
}

/// What a tag sits on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// What it is.
    pub kind: Kind,
    /// Its name with those around it, the outermost first; empty for a file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// It is a test, or part of a test module.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
}

/// Kinds of what a tag sits on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The file as a whole.
    File,
    /// What is below a heading.
    Section,
    /// A module in a file.
    Module,
    /// A class, or another type.
    Class,
    /// A function or method, or a test that is called by a sentence.
    Function,
    /// A constant or another item.
    Item,
}

impl Kind {
    /// In a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Section => "section",
            Self::Module => "module",
            Self::Class => "class",
            Self::Function => "function",
            Self::Item => "item",
        }
    }
}

impl Owner {
    const FILE: Self = Self { kind: Kind::File, path: Vec::new(), test: false };
}

/// Whether `bytes` can hold a tag: a search for bytes, before anything is decoded.
pub fn may_hold(path: &str, bytes: &[u8]) -> bool {
    let mark: &[u8] = if is_python(path) { b"traces" } else { MARK.as_bytes() };
    memchr::memmem::find(bytes, mark).is_some()
}

fn is_python(path: &str) -> bool {
    [".py", ".pyi", ".pyw"].iter().any(|it| path.ends_with(it))
}

/// Reads the tags of one file, in order of lines.
pub fn read(path: &str, text: &str, pattern: &Pattern) -> Vec<Tag> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(language) = language::of(path, text) else { return Vec::new() };
    match language.family {
        Family::Python => {
            if let Some(tags) = python::read(text, pattern) {
                return tags;
            }
        }
        Family::Markdown => return markdown::read(text, pattern),
        _ if !text.contains(MARK) => return Vec::new(),
        _ => {}
    }
    let segments = lexer::split(text, language);
    let lines = comment_lines(text, &segments);
    let mentions = mentions(&lines, pattern, false);
    match language.family {
        Family::Rust | Family::Script | Family::Go | Family::Shell | Family::Braces => {
            braces::own(text, &segments, language, mentions)
        }
        Family::Lines | Family::Python => lines::own(text, mentions),
        _ => mentions.into_iter().map(|it| it.tag).collect(),
    }
}

/// One line of a comment.
#[derive(Debug, Clone)]
struct CommentLine<'t> {
    line: usize,
    text: &'t str,
    /// The segment that it is part of.
    segment: usize,
}

/// A tag as it was found, not yet owned.
#[derive(Debug)]
struct Mention {
    tag: Tag,
    segment: usize,
}

fn comment_lines<'t>(text: &'t str, segments: &[Segment]) -> Vec<CommentLine<'t>> {
    let mut out = Vec::new();
    let (mut line, mut counted_to) = (1, 0);
    for (at, segment) in segments.iter().enumerate().filter(|(_, it)| it.part == Part::Comment) {
        let newlines = |from: usize, to: usize| text.get(from..to).map_or(0, |it| it.matches('\n').count());
        line += newlines(counted_to, segment.range.start);
        counted_to = segment.range.start;
        let Some(comment) = text.get(segment.range.clone()) else { continue };
        let parts = comment.split('\n').enumerate();
        out.extend(parts.map(|(below, text)| CommentLine { line: line + below, text, segment: at }));
    }
    out
}

/// Finds tags in lines of comments. `python`: a decorator in a comment is code that is switched off.
fn mentions(lines: &[CommentLine<'_>], pattern: &Pattern, python: bool) -> Vec<Mention> {
    let mut out = Vec::new();
    let mut left = FILE_IDS_MAX;
    for (at, comment) in lines.iter().enumerate() {
        let mut from = 0;
        while let Some(found) = comment.text.get(from..).and_then(|it| it.find(MARK)) {
            let start = from + found;
            from = start + MARK.len();
            let (Some(before), Some(rest)) = (comment.text.get(..start), comment.text.get(from..)) else {
                break;
            };
            if !stands_alone(before, rest) {
                continue;
            }
            let following = lines.get(at + 1..).unwrap_or_default();
            let contiguous = following
                .iter()
                .zip(comment.line + 1..)
                .take_while(|(next, line)| next.line == *line && !next.text.contains(MARK))
                .take(TAG_LINES_MAX)
                .map(|(next, _)| continued(next.text));
            let Some(mut tag) = parse(rest, contiguous, pattern, python) else { continue };
            let begins = continued(before).is_empty();
            if tag.ids.is_empty() && tag.problems.is_empty() {
                if !begins {
                    // The word in a sentence.
                    continue;
                }
                tag.problems.push("it cites nothing that looks like an id".to_owned());
            }
            tag.line = comment.line;
            let more = bound(&mut tag, &mut left);
            out.push(Mention { tag, segment: comment.segment });
            if !more {
                return out;
            }
        }
    }
    out
}

/// Takes the ids of `tag` from what is `left` for the file; whether there was enough.
fn bound(tag: &mut Tag, left: &mut usize) -> bool {
    let more = tag.ids.len() <= *left;
    if !more {
        tag.ids.truncate(*left);
        tag.problems.push(format!("the file cites more than {FILE_IDS_MAX} ids; the rest is left out"));
    }
    *left -= tag.ids.len();
    more
}

/// Not part of a longer word, and not quoted.
fn stands_alone(before: &str, rest: &str) -> bool {
    let open = before.chars().next_back().is_none_or(|c| c.is_whitespace() || "*/#-;%!({[>".contains(c));
    open && rest.chars().next().is_none_or(|c| c.is_whitespace() || ":(=".contains(c))
}

/// What a line of a comment says, without what decorates it.
fn continued(line: &str) -> &str {
    line.trim_start_matches(|c: char| c.is_whitespace() || "/*#-;%!\"'<.".contains(c))
}

/// `None`: it is no tag at all.
fn parse<'t>(
    rest: &str,
    mut following: impl Iterator<Item = &'t str>,
    pattern: &Pattern,
    python: bool,
) -> Option<Tag> {
    let mut tag = Tag {
        line: 0,
        ids: Vec::new(),
        spec: None,
        story: None,
        form: Form::Comment,
        owner: Owner::FILE,
        problems: Vec::new(),
    };
    if let Some(inside) = rest.strip_prefix('(') {
        let mut all = inside.to_owned();
        while !all.contains(')') {
            let Some(next) = following.next() else { break };
            all.push(' ');
            all.push_str(next);
        }
        let inside = all.split(')').next().unwrap_or_default();
        if inside.contains('=') || inside.trim_start().starts_with('{') {
            if python {
                return None;
            }
            arguments::read(inside, pattern, &mut tag);
        } else {
            let list = pattern.list(&inside.replace(['"', '\'', '[', ']'], " "));
            (tag.ids, tag.problems) = (list.ids, list.problems);
        }
        return Some(tag);
    }
    let mut list = pattern.list(rest.trim_start_matches([':', '=']));
    while list.open {
        let Some(next) = following.next() else { break };
        let more = pattern.list(next);
        if more.is_empty() {
            break;
        }
        list.extend(more);
    }
    (tag.ids, tag.problems) = (list.ids, list.problems);
    Some(tag)
}

#[cfg(test)]
mod tests;
