//! JSON that keeps the order of its members, and how it is written.

use serde_json::{Map, Value};

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
            let name = if names.contains(&name.as_str()) { format!("{name}_unread") } else { name.clone() };
            kept.push((name, Self::from(value)));
        }
        Self::Object(kept)
    }
}

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

/// How a document is laid out, so that what is added to it looks like what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Style {
    /// One step of indentation; `None`: everything on one line.
    pub(super) indent: Option<String>,
    /// `\n` or `\r\n`.
    pub(super) line_end: &'static str,
}

impl Default for Style {
    fn default() -> Self {
        Self { indent: Some("  ".to_owned()), line_end: "\n" }
    }
}

impl Style {
    /// Begins a line at `depth`; nothing where all is on one line.
    pub(super) fn line(&self, depth: usize, out: &mut String) {
        if let Some(indent) = &self.indent {
            out.push_str(self.line_end);
            for _ in 0..depth {
                out.push_str(indent);
            }
        }
    }

    /// Writes `value`, which begins at `depth`.
    pub(super) fn write(&self, value: &Json, depth: usize, out: &mut String) {
        match value {
            Json::Plain(value) => out.push_str(&value.to_string()),
            Json::Array(items) => self.write_all(items, ['[', ']'], depth, out, |item, out| {
                self.write(item, depth + 1, out);
            }),
            Json::Object(members) => {
                self.write_all(members, ['{', '}'], depth, out, |(name, value), out| {
                    self.name(name, out);
                    self.write(value, depth + 1, out);
                });
            }
        }
    }

    /// Writes `"name": `.
    pub(super) fn name(&self, name: &str, out: &mut String) {
        out.push_str(&Value::from(name).to_string());
        out.push_str(if self.indent.is_some() { ": " } else { ":" });
    }

    /// Writes a list between its brackets.
    pub(super) fn write_all<T>(
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
            self.line(depth + 1, out);
            one(item, out);
        }
        if !items.is_empty() {
            self.line(depth, out);
        }
        out.push(close);
    }
}
