//! Of text, and between kinds of values.

use std::sync::Arc;

use super::{Function, Tag, function, integer_of, refused, size_integer, text_of};
use crate::error::{Code, Error};
use crate::run::{Result, Run};
use crate::value::{Value, exact_integer, float_text};

const TEXT: &[Tag] = &[Tag::String];

pub(super) const FUNCTIONS: &[Function] = &[
    function("toLower", 1, 1, TEXT, Tag::String, |_, it, at| changed("toLower", it, at, str::to_lowercase)),
    function("lower", 1, 1, TEXT, Tag::String, |_, it, at| changed("lower", it, at, str::to_lowercase)),
    function("toUpper", 1, 1, TEXT, Tag::String, |_, it, at| changed("toUpper", it, at, str::to_uppercase)),
    function("upper", 1, 1, TEXT, Tag::String, |_, it, at| changed("upper", it, at, str::to_uppercase)),
    function("trim", 1, 1, TEXT, Tag::String, |_, it, at| changed("trim", it, at, |it| it.trim().to_owned())),
    function("lTrim", 1, 1, TEXT, Tag::String, |_, it, at| {
        changed("lTrim", it, at, |it| it.trim_start().to_owned())
    }),
    function("rTrim", 1, 1, TEXT, Tag::String, |_, it, at| {
        changed("rTrim", it, at, |it| it.trim_end().to_owned())
    }),
    function("replace", 3, 3, TEXT, Tag::String, replace),
    function("substring", 2, 3, TEXT, Tag::String, substring),
    function("left", 2, 2, TEXT, Tag::String, left),
    function("right", 2, 2, TEXT, Tag::String, right),
    function("split", 2, 2, &[Tag::String, Tag::List], Tag::Strings, split),
    function("char_length", 1, 1, TEXT, Tag::Integer, characters),
    function("character_length", 1, 1, TEXT, Tag::Integer, characters),
    function("toString", 1, 1, &[], Tag::String, to_string),
    function("toInteger", 1, 1, &[], Tag::Integer, to_integer),
    function("toFloat", 1, 1, &[], Tag::Float, to_float),
    function("toBoolean", 1, 1, &[], Tag::Boolean, to_boolean),
    function("toStringOrNull", 1, 1, &[], Tag::String, |run, it, at| {
        Ok(to_string(run, it, at).unwrap_or(Value::Null))
    }),
    function("toIntegerOrNull", 1, 1, &[], Tag::Integer, |run, it, at| {
        Ok(to_integer(run, it, at).unwrap_or(Value::Null))
    }),
    function("toFloatOrNull", 1, 1, &[], Tag::Float, |run, it, at| {
        Ok(to_float(run, it, at).unwrap_or(Value::Null))
    }),
    function("toBooleanOrNull", 1, 1, &[], Tag::Boolean, |run, it, at| {
        Ok(to_boolean(run, it, at).unwrap_or(Value::Null))
    }),
];

fn changed(name: &str, arguments: &[Value], at: usize, of: fn(&str) -> String) -> Result<Value> {
    Ok(text_of(name, &arguments[0], at)?.map_or(Value::Null, |it| Value::from(of(it))))
}

fn characters(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(text_of("char_length", &arguments[0], at)?.map_or(Value::Null, |it| size_integer(it.chars().count())))
}

fn replace(run: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    let text = text_of("replace", &arguments[0], at)?;
    let (search, new) = (text_of("replace", &arguments[1], at)?, text_of("replace", &arguments[2], at)?);
    let (Some(text), Some(search), Some(new)) = (text, search, new) else { return Ok(Value::Null) };
    if search.is_empty() {
        return Ok(arguments[0].clone());
    }
    let found = text.matches(search).count();
    run.fits(text.len().saturating_add(found.saturating_mul(new.len())), at)?;
    Ok(Value::from(text.replace(search, new)))
}

fn amount(name: &str, value: &Value, at: usize) -> Result<Option<usize>> {
    let Some(it) = integer_of(name, value, at)? else { return Ok(None) };
    usize::try_from(it).map(Some).map_err(|_| {
        Error::argument(
            Code::NegativeIntegerArgument,
            at,
            format!("`{name}` takes no negative number, which {it} is"),
        )
    })
}

fn substring(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    let text = text_of("substring", &arguments[0], at)?;
    let start = amount("substring", &arguments[1], at)?;
    let length = arguments.get(2).map_or(Ok(Some(usize::MAX)), |it| amount("substring", it, at))?;
    let (Some(text), Some(start), Some(length)) = (text, start, length) else { return Ok(Value::Null) };
    Ok(Value::from(text.chars().skip(start).take(length).collect::<String>()))
}

fn left(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    let (text, length) = (text_of("left", &arguments[0], at)?, amount("left", &arguments[1], at)?);
    let (Some(text), Some(length)) = (text, length) else { return Ok(Value::Null) };
    Ok(Value::from(text.chars().take(length).collect::<String>()))
}

fn right(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    let (text, length) = (text_of("right", &arguments[0], at)?, amount("right", &arguments[1], at)?);
    let (Some(text), Some(length)) = (text, length) else { return Ok(Value::Null) };
    let skipped = text.chars().count().saturating_sub(length);
    Ok(Value::from(text.chars().skip(skipped).collect::<String>()))
}

fn split(run: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    let Some(text) = text_of("split", &arguments[0], at)? else { return Ok(Value::Null) };
    let Some(delimiter) = text_of("split", &arguments[1], at)? else { return Ok(Value::Null) };
    let parts: Vec<Value> = if delimiter.is_empty() {
        text.chars().map(|it| Value::from(it.to_string())).collect()
    } else {
        text.split(delimiter).map(Value::from).collect()
    };
    run.work(parts.len() as u64, at)?;
    run.built(Value::list(parts), at)
}

fn to_string(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(match &arguments[0] {
        Value::Null => Value::Null,
        Value::String(it) => Value::String(it.clone()),
        Value::Boolean(it) => Value::from(it.to_string()),
        Value::Integer(it) => Value::from(it.to_string()),
        Value::Float(it) => Value::from(float_text(*it)),
        Value::Temporal(it) => Value::String(Arc::from(it.to_string())),
        it => return Err(refused("toString", it, at)),
    })
}

#[expect(clippy::cast_possible_truncation, reason = "a float that is too large saturates, as in Java")]
fn to_integer(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    let of_float = |it: f64| {
        if it.is_nan() { Value::Null } else { Value::Integer(exact_integer(it.trunc()).unwrap_or(it as i64)) }
    };
    Ok(match &arguments[0] {
        Value::Null => Value::Null,
        Value::Integer(it) => Value::Integer(*it),
        Value::Float(it) => of_float(*it),
        Value::Boolean(it) => Value::Integer(i64::from(*it)),
        Value::String(it) => match it.trim().parse::<i64>() {
            Ok(whole) => Value::Integer(whole),
            Err(_) => decimal(it).map_or(Value::Null, of_float),
        },
        it => return Err(refused("toInteger", it, at)),
    })
}

/// A number as people write it: neither `inf` nor `NaN`, which Rust would read.
fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = text.bytes().all(|it| it.is_ascii_digit() || b"+-.eE".contains(&it));
    text.parse().ok().filter(|_| plain)
}

#[expect(clippy::cast_precision_loss, reason = "that is what a float makes of an integer")]
fn to_float(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(match &arguments[0] {
        Value::Null => Value::Null,
        Value::Integer(it) => Value::Float(*it as f64),
        Value::Float(it) => Value::Float(*it),
        Value::String(it) => decimal(it).map_or(Value::Null, Value::Float),
        it => return Err(refused("toFloat", it, at)),
    })
}

fn to_boolean(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(match &arguments[0] {
        Value::Null => Value::Null,
        Value::Boolean(it) => Value::Boolean(*it),
        Value::Integer(it) => Value::Boolean(*it != 0),
        Value::String(it) => match it.trim().to_lowercase().as_str() {
            "true" => Value::Boolean(true),
            "false" => Value::Boolean(false),
            _ => Value::Null,
        },
        it => return Err(refused("toBoolean", it, at)),
    })
}
