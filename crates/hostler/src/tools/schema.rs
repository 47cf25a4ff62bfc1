//! What a tool takes and gives, in one small language: as JSON Schema for whoever calls, and as a check of what came.
//!
//! The schemas use nothing that a provider of models could stumble over: one `type` each, no references, no unions.

use serde_json::{Map, Value, json};

/// Bytes of one text; more than this is a file and no argument.
const TEXT_BYTES_MAX: usize = 64 * 1024;
/// Entries of one list.
const LIST_MAX: usize = 500;
/// The greatest number up to which all whole ones can be written as a fraction: 2 to the power of 53.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// A named value that a tool takes or gives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Argument {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it may be.
    pub(crate) kind: Kind,
    /// It is always there.
    pub(crate) required: bool,
    /// What it means, for a model.
    pub(crate) description: &'static str,
}

/// What a value may be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// A text that says something.
    Text,
    /// One of these texts, in any case.
    OneOf(&'static [&'static str]),
    /// A whole number from 0.
    Number,
    /// A number.
    Decimal,
    /// Yes or no.
    Flag,
    /// Texts, at least one.
    Texts,
    /// Of these texts, at least one.
    SomeOf(&'static [&'static str]),
    /// An object with these members.
    Object(&'static [Argument]),
    /// Objects with these members; none is fine.
    Objects(&'static [Argument]),
    /// Texts; none is fine.
    Lines,
    /// An object with any members, or a text that is one in JSON.
    Members,
}

impl Argument {
    /// One that has to be there.
    pub(crate) const fn required(name: &'static str, kind: Kind, description: &'static str) -> Self {
        Self { name, kind, required: true, description }
    }

    /// One that may be left out.
    pub(crate) const fn optional(name: &'static str, kind: Kind, description: &'static str) -> Self {
        Self { name, kind, required: false, description }
    }

    /// Its JSON Schema.
    pub(crate) fn schema(&self) -> Value {
        let mut schema = self.kind.schema();
        schema["description"] = self.description.into();
        schema
    }
}

impl Kind {
    fn schema(self) -> Value {
        match self {
            Self::Text => json!({ "type": "string" }),
            Self::OneOf(words) => json!({ "type": "string", "enum": words }),
            Self::Number => json!({ "type": "integer", "minimum": 0 }),
            Self::Decimal => json!({ "type": "number" }),
            Self::Flag => json!({ "type": "boolean" }),
            Self::Texts => json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
            Self::SomeOf(words) => {
                json!({ "type": "array", "items": { "type": "string", "enum": words }, "minItems": 1 })
            }
            Self::Lines => json!({ "type": "array", "items": { "type": "string" } }),
            Self::Members => json!({ "type": "object" }),
            Self::Object(members) => Value::Object(object(members, true)),
            Self::Objects(members) => json!({ "type": "array", "items": object(members, true) }),
        }
    }

    /// What it has to be, in words.
    fn words(self) -> String {
        match self {
            Self::Text => "a text".to_owned(),
            Self::OneOf(words) => format!("one of {}", listed(words)),
            Self::Number => "a whole number from 0".to_owned(),
            Self::Decimal => "a number".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Texts | Self::Lines => "a list of texts, such as `[\"…\"]`".to_owned(),
            Self::SomeOf(words) => format!("a list of any of {}", listed(words)),
            Self::Object(_) | Self::Members => "an object".to_owned(),
            Self::Objects(_) => "a list of objects".to_owned(),
        }
    }
}

/// The schema of an object. `open`: it may have further members.
pub(crate) fn object(members: &[Argument], open: bool) -> Map<String, Value> {
    let properties: Map<String, Value> = members.iter().map(|it| (it.name.to_owned(), it.schema())).collect();
    let required: Vec<&str> = members.iter().filter(|it| it.required).map(|it| it.name).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    if !open {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
    schema
}

/// The arguments of a call as a tool takes them: without what says nothing, words of a list as the list has them.
///
/// # Errors
/// The first thing that is wrong, for whoever called.
pub(crate) fn checked(
    expected: &[Argument],
    given: &Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    for name in given.keys() {
        if !expected.iter().any(|it| it.name == name) {
            let known: Vec<&str> = expected.iter().map(|it| it.name).collect();
            let takes = if known.is_empty() { "no arguments".to_owned() } else { listed(&known) };
            return Err(format!("there is no argument `{}`; this tool takes {takes}", shown(name)));
        }
    }
    let mut out = Map::new();
    for argument in expected {
        let name = argument.name;
        // Models fill in what they were not asked for with nothing.
        let value = given.get(name).filter(|it| argument.required && !it.is_null() || !is_blank(it));
        let Some(value) = value else {
            if argument.required {
                return Err(format!("`{name}` is missing: {}", argument.description));
            }
            continue;
        };
        out.insert(name.to_owned(), accepted(argument, value)?);
    }
    Ok(out)
}

/// A structured answer with what the tool says it gives and nothing else: whoever reads it pays for each word.
pub(crate) fn shaped(members: &[Argument], value: Value) -> Value {
    let Value::Object(mut value) = value else { return value };
    let kept = members.iter().filter_map(|member| {
        let value = value.remove(member.name).filter(|it| !it.is_null())?;
        let value = match (member.kind, value) {
            (Kind::Object(members), value) => shaped(members, value),
            (Kind::Objects(members), Value::Array(entries)) => {
                entries.into_iter().map(|it| shaped(members, it)).collect()
            }
            (_, value) => value,
        };
        Some((member.name.to_owned(), value))
    });
    Value::Object(kept.collect())
}

fn accepted(argument: &Argument, value: &Value) -> Result<Value, String> {
    let name = argument.name;
    let wrong = || format!("`{name}` has to be {}, not {}", argument.kind.words(), said(value));
    let text = |value: &Value| match value {
        Value::String(text) if text.trim().is_empty() => Err(format!("`{name}` is empty; say something")),
        Value::String(text) if TEXT_BYTES_MAX < text.len() => {
            Err(format!("`{name}` is longer than {TEXT_BYTES_MAX} bytes; say it in fewer words"))
        }
        Value::String(text) => Ok(Value::from(text.as_str())),
        _ => Err(wrong()),
    };
    let word = |words: &[&str], value: &Value| {
        let found = |text: &str| words.iter().find(|it| it.eq_ignore_ascii_case(text.trim()));
        value.as_str().and_then(found).map(|it| Value::from(*it)).ok_or_else(wrong)
    };
    let list = |entry: &dyn Fn(&Value) -> Result<Value, String>| {
        let entries = value.as_array().ok_or_else(wrong)?;
        if entries.is_empty() {
            return Err(format!("`{name}` is an empty list; name at least one"));
        }
        if LIST_MAX < entries.len() {
            return Err(format!("`{name}` has {} entries; at most {LIST_MAX} are taken", entries.len()));
        }
        entries.iter().map(entry).collect::<Result<Vec<_>, _>>().map(Value::from)
    };
    match argument.kind {
        Kind::Text => text(value),
        Kind::OneOf(words) => word(words, value),
        Kind::Number => whole(value).map(Value::from).ok_or_else(wrong),
        Kind::Decimal => value.as_f64().map(Value::from).ok_or_else(wrong),
        Kind::Flag => value.as_bool().map(Value::from).ok_or_else(wrong),
        Kind::Texts | Kind::Lines => list(&text),
        Kind::SomeOf(words) => list(&|value| word(words, value)),
        Kind::Members => match value {
            Value::Object(_) => Ok(value.clone()),
            // A person types it into a command, and the model passes it on as it was typed.
            Value::String(text) => {
                serde_json::from_str::<Map<String, Value>>(text).map(Value::from).map_err(|_| wrong())
            }
            _ => Err(wrong()),
        },
        Kind::Object(_) | Kind::Objects(_) => Err(wrong()),
    }
}

/// A whole number from 0; `3.0` is one in JSON Schema, and some clients write all numbers so.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64().filter(|it| (0.0..=WHOLE_MAX).contains(it) && it.fract() == 0.0)?;
        format!("{number:.0}").parse().ok()
    })
}

/// Nothing, or a text or list with nothing in it.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(entries) => entries.is_empty(),
        _ => false,
    }
}

fn said(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(value) => format!("`{value}`"),
        Value::Number(value) => format!("`{value}`"),
        Value::String(text) => format!("the text `{}`", shown(text)),
        Value::Array(_) => "such a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// A text of others, short and on one line.
fn shown(text: &str) -> String {
    const CHARS_MAX: usize = 40;
    let line: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(CHARS_MAX + 1).collect();
    if line.chars().count() <= CHARS_MAX { line } else { format!("{}…", line.trim_end()) }
}

fn listed(words: &[&str]) -> String {
    words.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")
}
