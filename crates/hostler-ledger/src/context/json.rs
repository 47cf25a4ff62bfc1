//! JSON that keeps the order of its members, and changes of a text that leave alone what did not change.

use serde_json::{Map, Value};

use super::scan::{self, Span};

/// A value whose objects keep their order: the reader of a file wants `id` before `notes`.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    /// No object and no array.
    Plain(Value),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub(super) fn text(text: &str) -> Self {
        Self::Plain(Value::String(text.to_owned()))
    }

    pub(super) fn number(number: u64) -> Self {
        Self::Plain(number.into())
    }

    pub(super) fn texts(texts: &[String]) -> Self {
        Self::Array(texts.iter().map(|it| Self::text(it)).collect())
    }

    /// An object of those members that are there, and of `other`. A name of `other` that belongs to us holds what
    /// could not be read as what it should be; it gives way and is kept beside.
    pub(super) fn object(known: Vec<(&str, Option<Self>)>, other: &Map<String, Value>) -> Self {
        let mut kept: Vec<(String, Self)> = Vec::with_capacity(known.len() + other.len());
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        for (name, value) in known {
            if let Some(value) = value {
                kept.push((name.to_owned(), value));
            }
        }
        for (name, value) in other {
            let mut kept_as = name.clone();
            while names.contains(&kept_as.as_str()) || (kept_as != *name && other.contains_key(&kept_as)) {
                kept_as.push_str(UNREAD);
            }
            kept.push((kept_as, Self::from(value)));
        }
        Self::Object(kept)
    }

    /// The same value, whatever the order of its members.
    fn is(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Plain(ours), theirs) => ours == theirs,
            (Self::Array(ours), Value::Array(theirs)) => {
                ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| ours.is(theirs))
            }
            (Self::Object(ours), Value::Object(theirs)) => {
                ours.len() == theirs.len()
                    && ours.iter().all(|(name, ours)| theirs.get(name).is_some_and(|it| ours.is(it)))
            }
            _ => false,
        }
    }

    fn is_text(&self) -> bool {
        matches!(self, Self::Plain(Value::String(_)))
    }

    pub(super) fn to_value(&self) -> Value {
        match self {
            Self::Plain(value) => value.clone(),
            Self::Array(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Self::Object(members) => {
                Value::Object(members.iter().map(|(name, value)| (name.clone(), value.to_value())).collect())
            }
        }
    }
}

/// What is put behind a member's name when the name belongs to something else.
const UNREAD: &str = "_unread";

impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        match value {
            Value::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            Value::Object(members) => {
                Self::Object(members.iter().map(|(name, value)| (name.clone(), Self::from(value))).collect())
            }
            plain => Self::Plain(plain.clone()),
        }
    }
}

/// A text that is known to be JSON as a value. What the library does not build is kept as its text: nesting beyond
/// its limit, half of a surrogate pair.
pub(super) fn parse(text: &str) -> Value {
    parse_within(text, 0)
}

/// How many levels are taken apart by hand in search of what the library does not build.
const LEVELS_MAX: u32 = 8;

fn parse_within(text: &str, level: u32) -> Value {
    if let Ok(value) = serde_json::from_str(text) {
        return value;
    }
    let text = text.trim();
    match text.as_bytes().first() {
        Some(b'"') => serde_json::from_str(&without_half_pairs(text)).unwrap_or_else(|_| Value::from(text)),
        Some(b'{') if level < LEVELS_MAX => scan::members(text)
            .into_iter()
            .map(|(name, span)| (name, parse_within(span.of(text), level + 1)))
            .collect::<Map<_, _>>()
            .into(),
        Some(b'[') if level < LEVELS_MAX => {
            scan::elements(text).into_iter().map(|span| parse_within(span.of(text), level + 1)).collect()
        }
        _ => Value::from(text),
    }
}

/// Other languages write half a character, cut in the middle, as `\ud83d`; it becomes the mark for what is lost.
fn without_half_pairs(text: &str) -> String {
    let half = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok().filter(|it| (0xd800..0xe000).contains(it))
    };
    let mut whole = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(letter) = text.get(at..).and_then(|it| it.chars().next()) {
        let width = match (half(at), half(at + 6)) {
            (Some(0xd800..0xdc00), Some(0xdc00..)) => 12,
            (Some(_), _) => {
                whole.push_str("\\ufffd");
                at += 6;
                continue;
            }
            // An escape is taken whole: `\\u` is no beginning of one.
            _ if letter == '\\' => 2,
            _ => letter.len_utf8(),
        };
        whole.push_str(text.get(at..at + width).unwrap_or_default());
        at += width;
    }
    whole
}

/// How a document is laid out, so that what is added to it looks like what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Style {
    /// One step of indentation; `None`: everything on one line.
    pub(super) indent: Option<String>,
    /// What stands before the first byte of the line on which the value begins.
    pub(super) base: String,
    /// `\n` or `\r\n`.
    pub(super) line_end: &'static str,
    /// A blank after `:`, and after `,` on one line.
    pub(super) spaced: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { indent: Some("  ".to_owned()), base: String::new(), line_end: "\n", spaced: true }
    }
}

impl Style {
    /// How `text` is laid out as a whole.
    pub(super) fn of(text: &str) -> Self {
        let line_end = if text.lines().next().is_some_and(|it| text[it.len()..].starts_with("\r\n")) {
            "\r\n"
        } else {
            "\n"
        };
        // The second line is one step in.
        let second = text.split_once('\n').map(|(_, rest)| rest).filter(|it| !it.trim().is_empty());
        let blanks = |line: &str| line[..line.len() - line.trim_start_matches([' ', '\t']).len()].to_owned();
        let indent = second.map(blanks);
        let spaced = indent.is_some() || text.contains("\": ");
        Self { indent, base: String::new(), line_end, spaced }
    }

    /// The same for a value that begins at `at` of `text`.
    pub(super) fn at(&self, text: &str, at: usize) -> Self {
        let line = text.get(..at).unwrap_or_default();
        let line = &line[line.rfind('\n').map_or(0, |it| it + 1)..];
        let base = line[..line.len() - line.trim_start().len()].to_owned();
        Self { base, ..self.clone() }
    }

    /// The same for what looks like `example`: one that is on one line has companions on one line.
    pub(super) fn like(&self, example: &str) -> Self {
        let one_line = !example.contains('\n') && !matches!(example, "{}" | "[]" | "");
        let indent = if one_line { None } else { self.indent.clone() };
        let spaced =
            if one_line { example.contains("\": ") || !example.contains("\":") } else { self.spaced };
        Self { indent, spaced, ..self.clone() }
    }

    /// Begins a line at `depth`, after a comma or a bracket.
    pub(super) fn line(&self, depth: usize, after_comma: bool, out: &mut String) {
        match &self.indent {
            Some(indent) => {
                out.push_str(self.line_end);
                out.push_str(&self.base);
                for _ in 0..depth {
                    out.push_str(indent);
                }
            }
            None if self.spaced && after_comma => out.push(' '),
            None => {}
        }
    }

    /// Writes `"name": `.
    pub(super) fn name(&self, name: &str, out: &mut String) {
        out.push_str(&Value::from(name).to_string());
        out.push_str(if self.spaced { ": " } else { ":" });
    }

    /// Writes `value`, whose line is at `depth`.
    pub(super) fn write(&self, value: &Json, depth: usize, out: &mut String) {
        match value {
            Json::Plain(value) => out.push_str(&value.to_string()),
            Json::Array(items) => self.list(items, ['[', ']'], depth, out, |item, out| {
                self.write(item, depth + 1, out);
            }),
            Json::Object(members) => self.list(members, ['{', '}'], depth, out, |(name, value), out| {
                self.name(name, out);
                self.write(value, depth + 1, out);
            }),
        }
    }

    /// [`Self::write`] at depth 0, as a text of its own.
    pub(super) fn text(&self, value: &Json) -> String {
        let mut out = String::new();
        self.write(value, 0, &mut out);
        out
    }

    /// Writes a list between its brackets.
    pub(super) fn list<T>(
        &self,
        items: &[T],
        [open, close]: [char; 2],
        depth: usize,
        out: &mut String,
        mut one: impl FnMut(&T, &mut String),
    ) {
        out.push(open);
        for (position, item) in items.iter().enumerate() {
            if position != 0 {
                out.push(',');
            }
            self.line(depth + 1, position != 0, out);
            one(item, out);
        }
        if !items.is_empty() {
            self.line(depth, false, out);
        }
        out.push(close);
    }
}

/// `raw`, which was read as `old`, changed into `new`: parts that say the same stay byte for byte.
///
/// What is written has the shape that the schema asks for, also where `raw` had an older one; a word that was only
/// spelled in another way stays as it was spelled.
pub(super) fn patch(raw: &str, old: &Json, new: &Json, style: &Style) -> String {
    let mut out = String::with_capacity(raw.len());
    Patch { style }.value(raw, &parse(raw), Some(old), new, 0, &mut out);
    out
}

struct Patch<'a> {
    style: &'a Style,
}

impl Patch<'_> {
    fn value(
        &self,
        raw: &str,
        value: &Value,
        old: Option<&Json>,
        new: &Json,
        depth: usize,
        out: &mut String,
    ) {
        // An empty text was read as nothing, and what is there now stood under another name.
        let respelled = value.as_str().is_some_and(|it| !it.is_empty()) && new.is_text() && old == Some(new);
        if respelled || new.is(value) {
            out.push_str(raw);
            return;
        }
        match (value, new) {
            (Value::Object(values), Json::Object(members)) => {
                let spans: Vec<(String, Span)> = scan::members(raw);
                let style = self.style.like(raw);
                // The file's order first, then what is new.
                let mut order: Vec<&(String, Json)> = Vec::with_capacity(members.len());
                for (name, _) in &spans {
                    if let Some(member) = members.iter().find(|(it, _)| it == name)
                        && !order.iter().any(|(it, _)| it == name)
                    {
                        order.push(member);
                    }
                }
                order.extend(members.iter().filter(|(name, _)| !spans.iter().any(|(it, _)| it == name)));
                let before = |name: &str| match old {
                    Some(Json::Object(old)) => old.iter().find(|(it, _)| it == name).map(|(_, it)| it),
                    _ => None,
                };
                style.list(&order, ['{', '}'], depth, out, |(name, new), out| {
                    style.name(name, out);
                    // The last of several with one name is the one that counts.
                    match spans.iter().rfind(|(it, _)| it == name).zip(values.get(name)) {
                        Some(((_, span), value)) => Patch { style: &style }.value(
                            span.of(raw),
                            value,
                            before(name),
                            new,
                            depth + 1,
                            out,
                        ),
                        None => style.write(new, depth + 1, out),
                    }
                });
            }
            (Value::Array(values), Json::Array(items)) => {
                let spans = scan::elements(raw);
                let style = self.style.like(raw);
                let old = match old {
                    Some(Json::Array(old)) => old.as_slice(),
                    _ => &[],
                };
                let mut next = 0;
                style.list(items, ['[', ']'], depth, out, |new, out| {
                    // The same element further on means that those between are gone.
                    let same = old.iter().skip(next).position(|it| it == new).map(|it| next + it);
                    let place = same.unwrap_or(next);
                    next = place + 1;
                    match spans.get(place).zip(values.get(place)) {
                        Some((span, value)) => Patch { style: &style }.value(
                            span.of(raw),
                            value,
                            old.get(place),
                            new,
                            depth + 1,
                            out,
                        ),
                        None => style.write(new, depth + 1, out),
                    }
                });
            }
            _ => self.style.write(new, depth, out),
        }
    }
}
