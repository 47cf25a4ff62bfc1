//! Of dates, times and durations.

use super::{Function, Tag, function, integer_of, refused, text_of};
use crate::error::{Code, Error};
use crate::run::{Result, Run};
use crate::temporal::Temporal;
use crate::temporal::build::{self, Measure, Shape};
use crate::temporal::read;
use crate::value::{Map, Value};

macro_rules! shape {
    ($shape:expr, $name:literal, $truncate:literal, $($now:literal),*) => {
        &[
            function($name, 0, 1, &[], Tag::Temporal, |run, it, at| construct($name, $shape, run, it, at)),
            function($truncate, 2, 3, &[], Tag::Temporal, |_, it, at| truncate($shape, it, at)),
            $(function($now, 0, 1, &[], Tag::Temporal, |run, it, at| clock($shape, run, it, at)),)*
        ]
    };
}

pub(super) const DATE: &[Function] =
    shape!(Shape::Date, "date", "date.truncate", "date.transaction", "date.statement", "date.realtime");
pub(super) const LOCAL_TIME: &[Function] = shape!(
    Shape::LocalTime,
    "localtime",
    "localtime.truncate",
    "localtime.transaction",
    "localtime.statement",
    "localtime.realtime"
);
pub(super) const TIME: &[Function] =
    shape!(Shape::Time, "time", "time.truncate", "time.transaction", "time.statement", "time.realtime");
pub(super) const LOCAL_DATE_TIME: &[Function] = shape!(
    Shape::LocalDateTime,
    "localdatetime",
    "localdatetime.truncate",
    "localdatetime.transaction",
    "localdatetime.statement",
    "localdatetime.realtime"
);
pub(super) const DATE_TIME: &[Function] = shape!(
    Shape::DateTime,
    "datetime",
    "datetime.truncate",
    "datetime.transaction",
    "datetime.statement",
    "datetime.realtime"
);

pub(super) const FUNCTIONS: &[Function] = &[
    function("timestamp", 0, 0, &[], Tag::Integer, timestamp),
    function("datetime.fromepoch", 2, 2, &[], Tag::Temporal, from_epoch),
    function("datetime.fromepochmillis", 1, 1, &[], Tag::Temporal, from_epoch_millis),
    function("duration", 1, 1, &[], Tag::Temporal, duration),
    function("duration.between", 2, 2, &[], Tag::Temporal, |_, it, at| between(Measure::Parts, it, at)),
    function("duration.inMonths", 2, 2, &[], Tag::Temporal, |_, it, at| between(Measure::Months, it, at)),
    function("duration.inDays", 2, 2, &[], Tag::Temporal, |_, it, at| between(Measure::Days, it, at)),
    function("duration.inSeconds", 2, 2, &[], Tag::Temporal, |_, it, at| between(Measure::Seconds, it, at)),
];

fn told(at: usize, built: std::result::Result<Temporal, String>) -> Result<Value> {
    built.map(Value::temporal).map_err(|message| Error::argument(Code::InvalidArgumentValue, at, message))
}

/// The argument names a time zone, which `Z` is; null is null.
fn clock(shape: Shape, run: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    match arguments.first() {
        Some(Value::Null) => Ok(Value::Null),
        _ => now(shape, run, at),
    }
}

fn now_ns(run: &Run<'_>, at: usize) -> Result<i128> {
    run.options.now_ns.ok_or_else(|| {
        Error::argument(Code::InvalidArgumentValue, at, "the time is not known here; pass it as a parameter")
    })
}

fn now(shape: Shape, run: &Run<'_>, at: usize) -> Result<Value> {
    let now = now_ns(run, at)?;
    told(at, build::from_epoch(now).and_then(|it| it.shaped(shape)))
}

#[expect(clippy::cast_possible_truncation, reason = "milliseconds of any year that a clock shows")]
fn timestamp(run: &Run<'_>, _: &[Value], at: usize) -> Result<Value> {
    Ok(Value::Integer((now_ns(run, at)? / 1_000_000) as i64))
}

fn construct(name: &str, shape: Shape, run: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    match arguments.first() {
        None => now(shape, run, at),
        Some(Value::Null) => Ok(Value::Null),
        Some(Value::String(text)) => {
            told(at, build::parse(shape, text).ok_or_else(|| format!("`{text}` cannot be read by `{name}`")))
        }
        Some(Value::Map(map)) => told(at, build::from_map(shape, map.entries())),
        Some(Value::Temporal(it)) if !it.is_duration() => told(at, it.shaped(shape)),
        Some(it) => Err(refused(name, it, at)),
    }
}

fn truncate(shape: Shape, arguments: &[Value], at: usize) -> Result<Value> {
    let Some(unit) = text_of("truncate", &arguments[0], at)? else { return Ok(Value::Null) };
    let empty = Map::new();
    let map = match arguments.get(2) {
        None | Some(Value::Null) => &empty,
        Some(Value::Map(it)) => it.entries(),
        Some(it) => return Err(refused("truncate", it, at)),
    };
    match &arguments[1] {
        Value::Null => Ok(Value::Null),
        Value::Temporal(it) if !it.is_duration() => told(at, build::truncated(shape, unit, it, map)),
        it => Err(refused("truncate", it, at)),
    }
}

fn from_epoch(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    let seconds = integer_of("datetime.fromepoch", &arguments[0], at)?;
    let ns = integer_of("datetime.fromepoch", &arguments[1], at)?;
    let (Some(seconds), Some(ns)) = (seconds, ns) else { return Ok(Value::Null) };
    told(at, build::from_epoch(i128::from(seconds) * 1_000_000_000 + i128::from(ns)))
}

fn from_epoch_millis(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    let Some(millis) = integer_of("datetime.fromepochmillis", &arguments[0], at)? else {
        return Ok(Value::Null);
    };
    told(at, build::from_epoch(i128::from(millis) * 1_000_000))
}

fn duration(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    match &arguments[0] {
        Value::Null => Ok(Value::Null),
        Value::String(text) => {
            told(at, read::duration(text).ok_or_else(|| format!("`{text}` is no duration")))
        }
        Value::Map(map) => told(at, build::duration_from(map.entries())),
        Value::Temporal(it) if it.is_duration() => Ok(arguments[0].clone()),
        it => Err(refused("duration", it, at)),
    }
}

fn between(measure: Measure, arguments: &[Value], at: usize) -> Result<Value> {
    match (&arguments[0], &arguments[1]) {
        (Value::Null, _) | (_, Value::Null) => Ok(Value::Null),
        (Value::Temporal(from), Value::Temporal(to)) => told(at, build::between(measure, from, to)),
        (Value::Temporal(_), it) | (it, _) => Err(refused("duration", it, at)),
    }
}
