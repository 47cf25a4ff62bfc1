//! Values that we write.

use super::parse::{Document, Kind, Node};

/// A value to be written. Objects keep the order in which their members are given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Number(i64),
    /// A string.
    String(String),
    /// `[…]`.
    Array(Vec<Value>),
    /// `{…}`.
    Object(Vec<(String, Value)>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

/// How the surrounding file is written.
#[derive(Debug, Clone)]
pub(super) struct Style {
    pub(super) eol: &'static str,
    pub(super) unit: String,
    /// No blank after `:` and `,`.
    pub(super) compact: bool,
}

impl Value {
    /// An object.
    pub fn object<const N: usize>(members: [(&str, Value); N]) -> Self {
        Self::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// Whether `node` means the same, whatever its layout and the order of its members.
    pub fn means(&self, document: &Document<'_>, node: &Node) -> bool {
        match (self, &node.kind) {
            (Self::Bool(ours), Kind::Bool(theirs)) => ours == theirs,
            (Self::Number(ours), Kind::Number) => {
                document.text[node.range.clone()].parse::<i64>() == Ok(*ours)
            }
            (Self::String(ours), Kind::String) => document.string(&node.range) == *ours,
            (Self::Array(ours), Kind::Array(theirs)) => {
                ours.len() == theirs.len()
                    && ours.iter().zip(theirs).all(|(ours, theirs)| ours.means(document, &theirs.value))
            }
            (Self::Object(ours), Kind::Object(theirs)) => {
                ours.len() == theirs.len()
                    && ours.iter().all(|(key, value)| {
                        document.get(node, key).is_some_and(|theirs| value.means(document, theirs))
                    })
            }
            _ => false,
        }
    }

    /// On one line.
    pub(super) fn inline(&self, style: &Style, out: &mut String) {
        let comma = if style.compact { "," } else { ", " };
        match self {
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(value) => out.push_str(&value.to_string()),
            Self::String(value) => quote(value, out),
            Self::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { comma });
                    item.inline(style, out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { comma });
                    key_and_colon(key, style, out);
                    value.inline(style, out);
                }
                out.push('}');
            }
        }
    }

    /// Over several lines, the first of which is already indented by `indent`. Arrays of scalars stay on
    /// one line: they are argument lists, read as one command.
    pub(super) fn lines(&self, style: &Style, indent: &str, out: &mut String) {
        let inner = format!("{}{indent}{}", style.eol, style.unit);
        match self {
            Self::Array(items) if items.iter().any(|it| matches!(it, Self::Array(_) | Self::Object(_))) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { "," });
                    out.push_str(&inner);
                    item.lines(style, &inner[style.eol.len()..], out);
                }
                out.push_str(style.eol);
                out.push_str(indent);
                out.push(']');
            }
            Self::Object(members) if !members.is_empty() => {
                out.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { "," });
                    out.push_str(&inner);
                    key_and_colon(key, style, out);
                    value.lines(style, &inner[style.eol.len()..], out);
                }
                out.push_str(style.eol);
                out.push_str(indent);
                out.push('}');
            }
            _ => self.inline(style, out),
        }
    }
}

pub(super) fn key_and_colon(key: &str, style: &Style, out: &mut String) {
    quote(key, out);
    out.push_str(if style.compact { ":" } else { ": " });
}

fn quote(text: &str, out: &mut String) {
    // Serialising a `str` to a `String` cannot fail.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}
