//! Whether a document is what `docs/context.schema.json` asks for, without a schema library in the binary.
//!
//! A test proves that both say the same.

use serde_json::{Map, Value};

use super::layout::STATE;
use super::model;

/// What is wrong, each with its place: `session_history[3].seq has to be a whole number`.
#[derive(Debug, Default)]
pub(super) struct Problems(pub(super) Vec<String>);

/// Up to here each whole number has a float of its own, so readers in any language see the same one.
const NUMBER_MAX: u64 = (1 << 53) - 1;

/// A value's kind, as the schema names it.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    /// Not empty.
    Word,
    Number,
    Texts,
}

/// A member's name, its kind, and whether it has to be there.
type Field = (&'static str, Kind, bool);

const STATE_FIELDS: &[Field] = &[
    ("session", Kind::Number, true),
    ("version", Kind::Text, true),
    ("branch", Kind::Text, true),
    ("test_count", Kind::Number, false),
    ("test_state", Kind::Text, false),
    ("status", Kind::Word, true),
];
const WORK_FIELDS: &[Field] = &[
    ("id", Kind::Word, true),
    ("priority", Kind::Word, true),
    ("description", Kind::Text, true),
    ("status", Kind::Word, true),
    ("notes", Kind::Text, false),
];
const SESSION_FIELDS: &[Field] = &[
    ("seq", Kind::Number, true),
    ("when", Kind::Text, true),
    ("purpose", Kind::Text, true),
    ("objectives", Kind::Texts, false),
    ("achievements", Kind::Texts, true),
    ("length", Kind::Text, false),
    ("ended", Kind::Text, false),
    ("outcome", Kind::Text, false),
    ("version", Kind::Text, false),
    ("branch", Kind::Text, false),
    ("commit", Kind::Text, false),
    ("tag", Kind::Text, false),
    ("updated", Kind::Text, false),
];
/// Lists of objects in a session.
const SESSION_LISTS: &[(&str, &[Field])] = &[
    ("work_log", &[("when", Kind::Text, false), ("desc", Kind::Text, true), ("details", Kind::Texts, false)]),
    ("choices", &[("when", Kind::Text, false), ("choice", Kind::Text, true), ("reason", Kind::Text, true)]),
    ("hosts", &[("host", Kind::Text, true), ("id", Kind::Text, true), ("when", Kind::Text, false)]),
];

/// The whole document.
#[cfg(test)]
pub(super) fn document(value: &Value) -> Vec<String> {
    use super::layout::{HISTORY, SCHEMA_VERSION, WORK};
    let mut problems = Problems::default();
    let Some(members) = problems.object("the document", value) else { return problems.0 };
    match members.get(SCHEMA_VERSION).map(|it| whole(it).is_some_and(|it| it == super::SCHEMA_VERSION)) {
        Some(true) => {}
        _ => problems.add(SCHEMA_VERSION, &format!("has to be {}", super::SCHEMA_VERSION)),
    }
    match members.get(STATE) {
        Some(state) => problems.state(state),
        None => problems.add(STATE, "is missing"),
    }
    problems.items(members, WORK, true, Problems::work);
    problems.items(members, HISTORY, true, Problems::session);
    problems.0
}

impl Problems {
    pub(super) fn add(&mut self, at: &str, what: &str) {
        self.0.push(format!("`{at}` {what}"));
    }

    /// The project's state.
    pub(super) fn state(&mut self, value: &Value) {
        self.fields(STATE, value, STATE_FIELDS);
    }

    /// An item of deferred work.
    pub(super) fn work(&mut self, at: &str, value: &Value) {
        self.fields(at, value, WORK_FIELDS);
    }

    /// A session.
    pub(super) fn session(&mut self, at: &str, value: &Value) {
        let Some(members) = self.fields(at, value, SESSION_FIELDS) else { return };
        for (name, fields) in SESSION_LISTS {
            self.items(members, name, false, |problems, inner, item| {
                problems.fields(&format!("{at}.{inner}"), item, fields);
            });
        }
    }

    fn object<'a>(&mut self, at: &str, value: &'a Value) -> Option<&'a Map<String, Value>> {
        let members = value.as_object();
        if members.is_none() {
            self.add(at, "has to be an object");
        }
        members
    }

    fn items(
        &mut self,
        members: &Map<String, Value>,
        name: &str,
        required: bool,
        mut one: impl FnMut(&mut Self, &str, &Value),
    ) {
        match members.get(name) {
            Some(Value::Array(items)) => {
                for (position, item) in items.iter().enumerate() {
                    one(self, &format!("{name}[{position}]"), item);
                }
            }
            Some(_) => self.add(name, "has to be an array"),
            None if required => self.add(name, "is missing"),
            None => {}
        }
    }

    fn fields<'a>(&mut self, at: &str, value: &'a Value, fields: &[Field]) -> Option<&'a Map<String, Value>> {
        let members = self.object(at, value)?;
        for (name, kind, required) in fields {
            let problem = match members.get(*name) {
                None if *required => "is missing",
                None => continue,
                Some(value) => match kind.problem(value) {
                    Some(problem) => problem,
                    None => continue,
                },
            };
            self.add(&format!("{at}.{name}"), problem);
        }
        Some(members)
    }
}

impl Kind {
    fn problem(self, value: &Value) -> Option<&'static str> {
        match self {
            Self::Text => (!value.is_string()).then_some("has to be a text"),
            Self::Word => {
                value.as_str().is_none_or(str::is_empty).then_some("has to be a text that is not empty")
            }
            Self::Number => whole(value).is_none().then_some("has to be a whole number"),
            Self::Texts => {
                let texts = value.as_array().is_some_and(|it| it.iter().all(Value::is_string));
                (!texts).then_some("has to be an array of texts")
            }
        }
    }
}

/// A whole number that is not below zero; `1.0` is one.
fn whole(value: &Value) -> Option<u64> {
    value.is_number().then(|| model::number(value)).flatten().filter(|it| *it <= NUMBER_MAX)
}
