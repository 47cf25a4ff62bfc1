//! Text -> text with one entry more, less, or newer.
//!
//! Layout follows the neighbours: an entry goes on its own line if the last one is on its own line, with
//! that one's indentation and line end, and its comma goes directly behind the item, before any comment.
//! Removal is the mirror image. What the text alone cannot tell afterwards (who made a container, what was
//! between the brackets of an empty one) is kept in a [`Ledger`].

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Error;
use super::parse::{Document, Item, Kind, Node};
use super::value::{Style, Value, key_and_colon};

/// Longest indentation step that is taken for one; aligned columns are wider.
const UNIT_COLUMNS_MAX: usize = 8;

/// What to insert into the container at a path.
#[derive(Debug, Clone, Copy)]
pub enum New<'a> {
    /// As last element of an array.
    Element(&'a Value),
    /// As last member of an object.
    Member(&'a str, &'a Value),
}

/// One step from a container to what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// Into an object, by decoded key.
    Key(&'a str),
    /// Into an array.
    Index(usize),
}

impl std::fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Key(key) => f.write_str(key),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// What an insertion did to a container, beyond the entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Container {
    /// Keys from the root.
    pub path: Vec<String>,
    /// What was between its brackets if it was empty; nothing if it did not exist.
    pub empty_inner: Option<String>,
}

/// All that insertions did to the containers of one file: with it, removal is exact.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// In the order of the insertions.
    pub containers: Vec<Container>,
}

impl Ledger {
    /// Adds what one more insertion did. The first note about a container is the true one.
    pub fn note(&mut self, containers: Vec<Container>) {
        for it in containers {
            if !self.containers.iter().any(|known| known.path == it.path) {
                self.containers.push(it);
            }
        }
    }

    fn find(&self, path: &[Step<'_>]) -> Option<&Container> {
        let steps = |it: &&Container| it.path.iter().map(|key| Step::Key(key)).eq(path.iter().copied());
        self.containers.iter().find(steps)
    }

    fn created(&self, path: &[Step<'_>]) -> bool {
        self.find(path).is_some_and(|it| it.empty_inner.is_none())
    }
}

/// An edited text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The whole new text.
    pub text: String,
    /// For [`Ledger::note`].
    pub containers: Vec<Container>,
}

/// Inserts `new` as the last item of the container at `path`, making missing containers with it.
///
/// # Errors
/// The text is not valid, a key of `path` is ambiguous, a container has another type.
pub fn insert(text: &str, path: &[&str], new: New<'_>) -> Result<Edited, Error> {
    let document = Document::parse(text)?;
    let steps: Vec<Step<'_>> = path.iter().map(|key| Step::Key(key)).collect();
    let found = Descent::along(&document, &steps)?;
    let missing = &path[found.indices.len()..];
    let deepest = found.deepest();
    if missing.is_empty() {
        match new {
            New::Element(_) => expect_array(&document, deepest, &steps)?,
            New::Member(key, _) => {
                expect_object(&document, deepest, &steps)?;
                if let Some((_, item)) = document.member(deepest.node, key) {
                    let at = document.position(item.start());
                    return Err(Error::DuplicateKey { key: key.to_owned(), first: at, second: at });
                }
            }
        }
    }
    let (mut key, mut value) = match new {
        New::Element(value) => (None, value.clone()),
        New::Member(key, value) => (Some(key), value.clone()),
    };
    for step in missing.iter().rev() {
        value = match key {
            None => Value::Array(vec![value]),
            Some(key) => Value::Object(vec![(key.to_owned(), value)]),
        };
        key = Some(step);
    }

    let entry = Entry { key, value: &value };
    let splices = match deepest.node.items().last() {
        Some(last) => found.after(&document, last, &entry),
        None => found.first_item(&document, &entry),
    };
    let edited = apply(text, splices);

    let mut expected = Tree::of(&document, &document.root);
    if let Some(container) = expected.at(&found.indices) {
        container.push(&entry);
    }
    verify(&document, &edited, &expected, None)?;

    let owned = |keys: &[&str]| keys.iter().map(|&key| key.to_owned()).collect();
    let depth = found.indices.len();
    let mut containers = Vec::new();
    if deepest.node.items().is_empty() {
        let empty_inner = Some(text[deepest.node.inner()].to_owned());
        containers.push(Container { path: owned(&path[..depth]), empty_inner });
    }
    for end in depth + 1..=path.len() {
        containers.push(Container { path: owned(&path[..end]), empty_inner: None });
    }
    Ok(Edited { text: edited, containers })
}

/// Replaces the value at `path`, if it means something else. One line stays one line.
///
/// # Errors
/// As [`insert`]; also if there is nothing at `path`.
pub fn replace(text: &str, path: &[Step<'_>], value: &Value) -> Result<String, Error> {
    let document = Document::parse(text)?;
    let (found, index) = Descent::to_item(&document, path)?;
    let item = &found.deepest().node.items()[index];
    if value.means(&document, &item.value) {
        return Ok(text.to_owned());
    }
    let old = item.value.range.clone();
    let mut written = String::new();
    let mut starts = found.starts();
    starts.push(item.start());
    starts.extend(item.value.items().first().map(Item::start));
    let style = style(&document, &starts, line_lead(text, item.start()).map_or("", |lead| lead.eol));
    if text[old.clone()].contains(['\n', '\r']) {
        value.lines(&style, line_indent(text, item.start()), &mut written);
    } else {
        value.inline(&style, &mut written);
    }
    let edited = apply(text, vec![(old.clone(), written)]);

    let mut expected = Tree::of(&document, &document.root);
    if let Some(container) = expected.at(&found.indices) {
        container.set(index, Tree::written(value));
    }
    verify(&document, &edited, &expected, Some(&old))?;
    Ok(edited)
}

/// Removes the item at `path`, and with it the containers that `ledger` says were made for it, if nothing else is in
/// them by now. Comments outside the item stay.
///
/// # Errors
/// As [`replace`].
pub fn remove(text: &str, path: &[Step<'_>], ledger: &Ledger) -> Result<String, Error> {
    let document = Document::parse(text)?;
    let (mut found, mut index) = Descent::to_item(&document, path)?;
    let ours = found.deepest().node.items()[index].range();
    let comments_beside = |outer: &Range<usize>| {
        document.comments.iter().filter(|it| contains(outer, it) && !contains(&ours, it)).collect::<Vec<_>>()
    };
    while let (Some(&in_parent), [_]) = (found.indices.last(), found.deepest().node.items()) {
        let depth = found.indices.len();
        let whole = found.chain[depth - 1].node.items()[in_parent].range();
        if !ledger.created(&path[..depth]) || !comments_beside(&whole).is_empty() {
            break;
        }
        found.chain.pop();
        found.indices.pop();
        index = in_parent;
    }

    let container = found.deepest().node;
    let target = container.items()[index].range();
    let beside: Vec<&str> =
        comments_beside(&container.inner()).into_iter().map(|it| &text[it.clone()]).collect();
    // What was there before us, or else nothing: only blanks would be left.
    let recorded = ledger.find(&path[..found.indices.len()]).and_then(|it| it.empty_inner.as_deref());
    let empty_inner = recorded.or(Some("")).filter(|inner| {
        container.items().len() == 1 && comments_of(inner).is_some_and(|comments| comments == beside)
    });
    let splices = match empty_inner {
        Some(inner) => vec![(container.inner(), inner.to_owned())],
        None => cut(&document, container.items(), index),
    };
    let edited = apply(text, splices);

    let mut expected = Tree::of(&document, &document.root);
    if let Some(container) = expected.at(&found.indices) {
        container.take(index);
    }
    verify(&document, &edited, &expected, Some(&target))?;
    Ok(edited)
}

/// The way from the root to a container, as far as it exists.
struct Descent<'n> {
    chain: Vec<Level<'n>>,
    /// Index of each step in its parent's items; one shorter than `chain`.
    indices: Vec<usize>,
}

#[derive(Clone, Copy)]
struct Level<'n> {
    node: &'n Node,
    /// Where its key starts, or the value if it is the root.
    start: usize,
}

struct Entry<'a> {
    key: Option<&'a str>,
    value: &'a Value,
}

type Splice = (Range<usize>, String);

impl<'n> Descent<'n> {
    /// Goes as far as there are items; a key that is missing ends the way, everything else is an error.
    fn along(document: &'n Document<'_>, path: &[Step<'_>]) -> Result<Self, Error> {
        let root = Level { node: &document.root, start: document.root.range.start };
        let mut found = Self { chain: vec![root], indices: Vec::new() };
        for (depth, step) in path.iter().enumerate() {
            let level = found.deepest();
            let index = match step {
                Step::Key(key) => {
                    expect_object(document, level, &path[..depth])?;
                    refuse_duplicate(document, level.node, key)?;
                    document.member(level.node, key).map(|(index, _)| index)
                }
                Step::Index(index) => {
                    expect_array(document, level, &path[..depth])?;
                    Some(*index)
                }
            };
            let Some(index) = index else { break };
            let Some(item) = level.node.items().get(index) else { return Err(missing(path)) };
            found.indices.push(index);
            found.chain.push(Level { node: &item.value, start: item.start() });
        }
        Ok(found)
    }

    /// The container of the item at `path`, and the item's index.
    fn to_item(document: &'n Document<'_>, path: &[Step<'_>]) -> Result<(Self, usize), Error> {
        let mut found = Self::along(document, path)?;
        if found.indices.len() != path.len() {
            return Err(missing(path));
        }
        found.chain.pop();
        match found.indices.pop() {
            Some(index) => Ok((found, index)),
            None => Err(missing(path)),
        }
    }

    fn deepest(&self) -> Level<'n> {
        // `along` starts the chain with the root, and `remove` pops a level only together with an index.
        self.chain[self.indices.len()]
    }

    fn starts(&self) -> Vec<usize> {
        self.chain.iter().map(|level| level.start).collect()
    }

    fn after(&self, document: &Document<'_>, last: &Item, entry: &Entry<'_>) -> Vec<Splice> {
        let text = document.text;
        let behind = last.comma.map_or(last.value.range.end, |comma| comma + 1);
        let (end, line_comment) = same_line_comments(document, behind);
        let lead = line_lead(text, last.start()).filter(|lead| !lead.eol.is_empty());
        let mut starts = self.starts();
        starts.push(last.start());
        let style = style(document, &starts, lead.map_or("", |lead| lead.eol));
        let body = match lead {
            Some(lead) => entry.line(&style, lead.indent),
            None if line_comment => {
                let indent = format!("{}{}", line_indent(text, self.deepest().start), style.unit);
                entry.line(&style, &indent)
            }
            None => format!("{}{}", if style.compact { "" } else { " " }, entry.inline(&style)),
        };
        if last.comma.is_some() {
            vec![(end..end, body + ",")]
        } else if end == behind {
            vec![(end..end, format!(",{body}"))]
        } else {
            vec![(behind..behind, ",".to_owned()), (end..end, body)]
        }
    }

    fn first_item(&self, document: &Document<'_>, entry: &Entry<'_>) -> Vec<Splice> {
        let text = document.text;
        let level = self.deepest();
        let inner = level.node.inner();
        let lead = line_lead(text, level.start);
        let style = style(document, &self.starts(), lead.map_or("", |lead| lead.eol));
        let last_comment = document.comments.iter().rfind(|it| contains(&inner, it));
        let tail = last_comment.map_or(inner.start, |it| it.end);
        let has_line_end = |text: &str| text.contains(['\n', '\r']);
        let opens = (self.indices.is_empty() || lead.is_some()) && has_line_end(text);
        if !opens {
            let line_comment = last_comment.is_some_and(|it| text[it.clone()].starts_with("//"));
            let at = if line_comment { inner.end } else { tail };
            return vec![(at..at, entry.inline(&style))];
        }
        let base = line_indent(text, level.start);
        let line = entry.line(&style, &format!("{base}{}", style.unit));
        if has_line_end(&text[tail..inner.end]) {
            vec![(tail..tail, line)]
        } else {
            vec![(inner.end..inner.end, format!("{line}{}{base}", style.eol))]
        }
    }
}

impl Entry<'_> {
    fn inline(&self, style: &Style) -> String {
        let mut out = String::new();
        if let Some(key) = self.key {
            key_and_colon(key, style, &mut out);
        }
        self.value.inline(style, &mut out);
        out
    }

    /// A line end, then the entry with its indentation.
    fn line(&self, style: &Style, indent: &str) -> String {
        let mut out = format!("{}{indent}", style.eol);
        if let Some(key) = self.key {
            key_and_colon(key, style, &mut out);
        }
        self.value.lines(style, indent, &mut out);
        out
    }
}

/// What takes an item away so that its neighbours are as if it had never been there.
fn cut(document: &Document<'_>, items: &[Item], index: usize) -> Vec<Splice> {
    let text = document.text;
    let item = &items[index];
    let target = item.range();
    // The comma that goes with it: its own, or that of the item which becomes the last one.
    let (end, comma) = match item.comma {
        Some(comma) if is_blank(&text[target.end..comma]) => (comma + 1, None),
        Some(comma) => (target.end, Some(comma)),
        None => (target.end, index.checked_sub(1).and_then(|before| items[before].comma)),
    };
    let blanks = text[..target.start].len() - text[..target.start].trim_end_matches([' ', '\t']).len();
    let from = target.start - blanks;
    let first_inline = index == 0 && line_lead(text, target.start).is_none();
    let rest = &text[end..];
    let rest_blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let ends_line = rest[rest_blanks..].is_empty() || rest[rest_blanks..].starts_with(['\n', '\r']);
    let range = match line_lead(text, target.start) {
        Some(lead) => {
            let line_end = from - lead.eol.len();
            let behind_line_comment =
                document.comments.iter().any(|it| it.end == line_end && text[it.clone()].starts_with("//"));
            if behind_line_comment && !ends_line { target.start..end + rest_blanks } else { line_end..end }
        }
        None if first_inline && item.comma.is_some() => target.start..end + rest_blanks,
        None if first_inline => target.start..end,
        None => from..end,
    };
    let mut splices = vec![(range, String::new())];
    splices.extend(comma.map(|comma| (comma..comma + 1, String::new())));
    splices
}

#[derive(Clone, Copy)]
struct Lead<'t> {
    eol: &'t str,
    indent: &'t str,
}

/// The line end and indentation before `offset`, if only blanks stand between; in the first line of the
/// text the line end is empty.
fn line_lead(text: &str, offset: usize) -> Option<Lead<'_>> {
    let before = &text[..offset];
    let line = before.trim_end_matches([' ', '\t']);
    let indent = &before[line.len()..];
    let eol_length = match line.as_bytes() {
        [.., b'\r', b'\n'] => 2,
        [.., b'\n' | b'\r'] => 1,
        _ if line.is_empty() || line == "\u{feff}" => 0,
        _ => return None,
    };
    Some(Lead { eol: &line[line.len() - eol_length..], indent })
}

/// The blanks that the line of `offset` starts with.
fn line_indent(text: &str, offset: usize) -> &str {
    let line_start = text[..offset].rfind(['\n', '\r']).map_or(0, |it| it + 1);
    let line = &text[line_start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// `starts` are offsets of ever deeper values; `eol` is the nearest line end, if there is one.
fn style(document: &Document<'_>, starts: &[usize], eol: &str) -> Style {
    let text = document.text;
    let first_eol = text.find(['\n', '\r']).map_or("", |at| &text[at..]);
    let eol = match (eol, first_eol) {
        ("\r\n", _) => "\r\n",
        ("\r", _) => "\r",
        ("\n", _) => "\n",
        (_, first) if first.starts_with("\r\n") => "\r\n",
        (_, first) if first.starts_with('\r') => "\r",
        _ => "\n",
    };
    let step = |outer: &str, inner: &str| {
        inner.strip_prefix(outer).filter(|it| (1..=UNIT_COLUMNS_MAX).contains(&it.len())).map(str::to_owned)
    };
    let indents: Vec<&str> =
        starts.iter().filter_map(|&start| line_lead(text, start)).map(|lead| lead.indent).collect();
    let first = document.root.items().first().and_then(|item| line_lead(text, item.start()));
    let unit = indents
        .windows(2)
        .rev()
        .find_map(|pair| step(pair[0], pair[1]))
        .or_else(|| first.and_then(|lead| step("", lead.indent)))
        .unwrap_or_else(|| "  ".to_owned());
    Style { eol, unit, compact: text.contains("\":") && !text.contains("\": ") }
}

/// Where the comments behind `from` on its line end, and whether the last one ends the line.
fn same_line_comments(document: &Document<'_>, from: usize) -> (usize, bool) {
    let mut end = from;
    loop {
        let rest = &document.text[end..];
        let next = end + rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let Ok(index) = document.comments.binary_search_by_key(&next, |it| it.start) else {
            return (end, false);
        };
        end = document.comments[index].end;
        if document.text[next..].starts_with("//") {
            return (end, true);
        }
    }
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|it| matches!(it, b' ' | b'\t'))
}

fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn comments_of(inner: &str) -> Option<Vec<&str>> {
    let wrapped = format!("[{inner}]");
    let document = Document::parse(&wrapped).ok()?;
    Some(document.comments.iter().map(|it| &inner[it.start - 1..it.end - 1]).collect())
}

fn apply(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len() + 1024);
    let mut at = 0;
    for (range, new) in splices {
        out.push_str(&text[at..range.start]);
        out.push_str(&new);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

fn dotted(path: &[Step<'_>]) -> String {
    let steps: Vec<String> = path.iter().map(ToString::to_string).collect();
    if steps.is_empty() { "the file".to_owned() } else { steps.join(".").replace(".[", "[") }
}

fn missing(path: &[Step<'_>]) -> Error {
    Error::Missing { path: dotted(path) }
}

fn wrong_type(document: &Document<'_>, level: Level<'_>, path: &[Step<'_>], expected: &'static str) -> Error {
    Error::WrongType {
        at: document.position(level.node.range.start),
        path: dotted(path),
        found: level.node.type_name(),
        expected,
    }
}

fn expect_object(document: &Document<'_>, level: Level<'_>, path: &[Step<'_>]) -> Result<(), Error> {
    match level.node.kind {
        Kind::Object(_) => Ok(()),
        _ => Err(wrong_type(document, level, path, "an object")),
    }
}

fn expect_array(document: &Document<'_>, level: Level<'_>, path: &[Step<'_>]) -> Result<(), Error> {
    match level.node.kind {
        Kind::Array(_) => Ok(()),
        _ => Err(wrong_type(document, level, path, "an array")),
    }
}

fn refuse_duplicate(document: &Document<'_>, node: &Node, key: &str) -> Result<(), Error> {
    let mut positions = node
        .items()
        .iter()
        .filter(|item| document.is_key(item, key))
        .map(|item| document.position(item.start()));
    match (positions.next(), positions.next()) {
        (Some(first), Some(second)) => Err(Error::DuplicateKey { key: key.to_owned(), first, second }),
        _ => Ok(()),
    }
}

/// What a text means, with scalars and keys as they are written: two trees are equal only if no byte of
/// them changed.
#[derive(Debug, PartialEq, Eq)]
enum Tree {
    Scalar(String),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

impl Tree {
    fn of(document: &Document<'_>, node: &Node) -> Self {
        match &node.kind {
            Kind::Array(items) => {
                Self::Array(items.iter().map(|item| Self::of(document, &item.value)).collect())
            }
            Kind::Object(items) => Self::Object(
                items
                    .iter()
                    .map(|item| {
                        let key = item.key.clone().unwrap_or_default();
                        (document.text[key].to_owned(), Self::of(document, &item.value))
                    })
                    .collect(),
            ),
            _ => Self::Scalar(document.text[node.range.clone()].to_owned()),
        }
    }

    fn written(value: &Value) -> Self {
        let style = Style { eol: "\n", unit: String::new(), compact: true };
        let mut text = String::new();
        value.inline(&style, &mut text);
        match Document::parse(&text) {
            Ok(document) => Self::of(&document, &document.root),
            Err(_) => Self::Scalar(text),
        }
    }

    fn at(&mut self, indices: &[usize]) -> Option<&mut Self> {
        let Some((&first, rest)) = indices.split_first() else { return Some(self) };
        match self {
            Self::Scalar(_) => None,
            Self::Array(items) => items.get_mut(first)?.at(rest),
            Self::Object(members) => members.get_mut(first)?.1.at(rest),
        }
    }

    fn push(&mut self, entry: &Entry<'_>) {
        let value = Self::written(entry.value);
        match (self, entry.key) {
            (Self::Array(items), None) => items.push(value),
            (Self::Object(members), Some(key)) => {
                let mut quoted = String::new();
                Value::from(key)
                    .inline(&Style { eol: "\n", unit: String::new(), compact: true }, &mut quoted);
                members.push((quoted, value));
            }
            _ => {}
        }
    }

    fn set(&mut self, index: usize, value: Self) {
        match self {
            Self::Scalar(_) => {}
            Self::Array(items) => items[index] = value,
            Self::Object(members) => members[index].1 = value,
        }
    }

    fn take(&mut self, index: usize) {
        match self {
            Self::Scalar(_) => {}
            Self::Array(items) => drop(items.remove(index)),
            Self::Object(members) => drop(members.remove(index)),
        }
    }
}

/// The last line of defence: `edited` must mean `expected` and keep every comment outside `ours`.
fn verify(
    before: &Document<'_>,
    edited: &str,
    expected: &Tree,
    ours: Option<&Range<usize>>,
) -> Result<(), Error> {
    let after = Document::parse(edited).map_err(|_| Error::Diverged)?;
    let outside = |it: &&Range<usize>| !ours.is_some_and(|ours| contains(ours, it));
    let kept = before.comments.iter().filter(outside).map(|it| &before.text[it.clone()]);
    let now = after.comments.iter().map(|it| &edited[it.clone()]);
    if Tree::of(&after, &after.root) == *expected && kept.eq(now) { Ok(()) } else { Err(Error::Diverged) }
}
