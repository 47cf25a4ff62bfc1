//! The functions, by name.

mod graph;
mod list;
mod mathematical;
mod temporal;
mod text;

use crate::compile::Type;
use crate::error::{Code, Error};
use crate::run::{Result, Run};
use crate::value::Value;

/// A function.
pub(crate) struct Function {
    /// As it is written; a query may write it in any case.
    pub(crate) name: &'static str,
    /// How many arguments.
    pub(crate) least: usize,
    pub(crate) most: usize,
    /// What the first argument may be; empty: anything.
    pub(crate) first: &'static [Tag],
    pub(crate) result: Tag,
    pub(crate) run: fn(&Run<'_>, &[Value], usize) -> Result<Value>,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name)
    }
}

/// A type, where one can be named without more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    Any,
    Boolean,
    Integer,
    Float,
    String,
    List,
    Nodes,
    Edges,
    Strings,
    Integers,
    Map,
    Node,
    Relationship,
    Path,
    Temporal,
    /// That of the first argument.
    First,
    /// That of the items of the first argument.
    Item,
}

impl Tag {
    /// The type of a result, given that of the first argument.
    pub(crate) fn of(self, first: &Type) -> Type {
        let list = |it| Type::List(Box::new(it));
        match self {
            Self::Any => Type::Any,
            Self::Boolean => Type::Boolean,
            Self::Integer => Type::Integer,
            Self::Float => Type::Float,
            Self::String => Type::String,
            Self::List => Type::list(),
            Self::Nodes => list(Type::Node),
            Self::Edges => list(Type::Relationship),
            Self::Strings => list(Type::String),
            Self::Integers => list(Type::Integer),
            Self::Map => Type::Map,
            Self::Node => Type::Node,
            Self::Relationship => Type::Relationship,
            Self::Path => Type::Path,
            Self::Temporal => Type::Temporal,
            Self::First => first.clone(),
            Self::Item => match first {
                Type::List(item) => (**item).clone(),
                _ => Type::Any,
            },
        }
    }
}

pub(crate) fn types(tags: &[Tag]) -> Vec<Type> {
    tags.iter().map(|it| it.of(&Type::Any)).collect()
}

const ALL: [&[Function]; 10] = [
    graph::FUNCTIONS,
    list::FUNCTIONS,
    mathematical::FUNCTIONS,
    text::FUNCTIONS,
    temporal::FUNCTIONS,
    temporal::DATE,
    temporal::LOCAL_TIME,
    temporal::TIME,
    temporal::LOCAL_DATE_TIME,
    temporal::DATE_TIME,
];

fn every() -> impl Iterator<Item = &'static Function> {
    ALL.into_iter().flatten()
}

/// The function of a name, in any case.
pub(crate) fn find(name: &str) -> Option<&'static Function> {
    every().find(|it| it.name.eq_ignore_ascii_case(name))
}

/// A function whose name is written almost like this.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    let name: Vec<char> = name.to_lowercase().chars().take(40).collect();
    let distance = |other: &str| {
        let other: Vec<char> = other.to_lowercase().chars().collect();
        let mut row: Vec<usize> = (0..=other.len()).collect();
        for (i, a) in name.iter().enumerate() {
            let mut corner = row[0];
            row[0] = i + 1;
            for (j, b) in other.iter().enumerate() {
                let changed = corner + usize::from(a != b);
                corner = row[j + 1];
                row[j + 1] = changed.min(corner + 1).min(row[j] + 1);
            }
        }
        row[other.len()]
    };
    let best = every().map(|it| (distance(it.name), it.name)).min()?;
    (best.0 <= 2 && best.0 < name.len()).then_some(best.1)
}

const fn function(
    name: &'static str,
    least: usize,
    most: usize,
    first: &'static [Tag],
    result: Tag,
    run: fn(&Run<'_>, &[Value], usize) -> Result<Value>,
) -> Function {
    Function { name, least, most, first, result, run }
}

/// The value is of a kind that the function does not take.
fn refused(name: &str, value: &Value, at: usize) -> Error {
    Error::typed(Code::InvalidArgumentValue, at, format!("`{name}` does not take {}", value.type_name()))
}

fn text_of<'v>(name: &str, value: &'v Value, at: usize) -> Result<Option<&'v str>> {
    match value {
        Value::Null => Ok(None),
        Value::String(it) => Ok(Some(it)),
        it => Err(refused(name, it, at)),
    }
}

fn integer_of(name: &str, value: &Value, at: usize) -> Result<Option<i64>> {
    match value {
        Value::Null => Ok(None),
        Value::Integer(it) => Ok(Some(*it)),
        it => Err(refused(name, it, at)),
    }
}

fn size_integer(length: usize) -> Value {
    Value::Integer(i64::try_from(length).unwrap_or(i64::MAX))
}
