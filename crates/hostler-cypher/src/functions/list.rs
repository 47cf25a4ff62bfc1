//! Of lists, and of anything.

use super::{Function, Tag, function, refused, size_integer};
use crate::error::{Code, Error};
use crate::run::{Result, Run};
use crate::value::Value;

const SIZED: &[Tag] = &[Tag::List, Tag::String];

pub(super) const FUNCTIONS: &[Function] = &[
    function("size", 1, 1, &[Tag::List, Tag::String, Tag::Map], Tag::Integer, size),
    function("head", 1, 1, &[Tag::List], Tag::Item, head),
    function("last", 1, 1, &[Tag::List], Tag::Item, last),
    function("tail", 1, 1, &[Tag::List], Tag::First, tail),
    function("reverse", 1, 1, SIZED, Tag::First, reverse),
    function("range", 2, 3, &[], Tag::Integers, range),
    function("coalesce", 1, usize::MAX, &[], Tag::Any, coalesce),
    function("isEmpty", 1, 1, &[Tag::List, Tag::String, Tag::Map], Tag::Boolean, is_empty),
];

fn size(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(match &arguments[0] {
        Value::Null => Value::Null,
        Value::List(it) => size_integer(it.items().len()),
        Value::String(it) => size_integer(it.chars().count()),
        Value::Map(it) => size_integer(it.entries().len()),
        it => return Err(refused("size", it, at)),
    })
}

fn is_empty(run: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(match size(run, arguments, at)? {
        Value::Integer(it) => Value::Boolean(it == 0),
        it => it,
    })
}

fn items<'v>(name: &str, value: &'v Value, at: usize) -> Result<Option<&'v [Value]>> {
    match value {
        Value::Null => Ok(None),
        Value::List(it) => Ok(Some(it.items())),
        it => Err(refused(name, it, at)),
    }
}

fn head(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(items("head", &arguments[0], at)?.and_then(|it| it.first()).cloned().unwrap_or(Value::Null))
}

fn last(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(items("last", &arguments[0], at)?.and_then(|it| it.last()).cloned().unwrap_or(Value::Null))
}

fn tail(run: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    let Some(found) = items("tail", &arguments[0], at)? else { return Ok(Value::Null) };
    run.work(found.len() as u64 / 8, at)?;
    Ok(Value::list(found.get(1..).unwrap_or_default().to_vec()))
}

fn reverse(run: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(match &arguments[0] {
        Value::Null => Value::Null,
        Value::String(it) => Value::from(it.chars().rev().collect::<String>()),
        Value::List(it) => {
            run.work(it.items().len() as u64 / 8, at)?;
            Value::list(it.items().iter().rev().cloned().collect())
        }
        it => return Err(refused("reverse", it, at)),
    })
}

fn range(run: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    let number = |index: usize| match arguments.get(index) {
        None => Ok(1),
        Some(Value::Integer(it)) => Ok(*it),
        Some(it) => {
            let message = format!("`range` takes integers, not {}", it.type_name());
            Err(Error::argument(Code::InvalidArgumentType, at, message))
        }
    };
    let (start, end, step) = (number(0)?, number(1)?, number(2)?);
    if step == 0 {
        return Err(Error::argument(Code::NumberOutOfRange, at, "the step of `range` cannot be 0"));
    }
    let reached = (i128::from(end) - i128::from(start)) / i128::from(step);
    let away = (end > start && step < 0) || (end < start && step > 0);
    let count = if away { 0 } else { usize::try_from(reached + 1).unwrap_or(usize::MAX) };
    run.fits(count.saturating_mul(std::mem::size_of::<Value>()), at)?;
    run.work(count as u64 / 8, at)?;
    let mut out = Vec::with_capacity(count);
    let mut next = start;
    for _ in 0..count {
        out.push(Value::Integer(next));
        next = next.saturating_add(step);
    }
    Ok(Value::list(out))
}

#[expect(clippy::unnecessary_wraps, reason = "all functions have one signature")]
fn coalesce(_: &Run<'_>, arguments: &[Value], _: usize) -> Result<Value> {
    Ok(arguments.iter().find(|it| !it.is_null()).cloned().unwrap_or(Value::Null))
}
