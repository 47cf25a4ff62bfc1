//! Of numbers.

use super::{Function, Tag, function, integer_of, refused};
use crate::error::{Code, Error};
use crate::run::{Result, Run};
use crate::value::Value;

const NUMBER: &[Tag] = &[Tag::Integer, Tag::Float];

pub(super) const FUNCTIONS: &[Function] = &[
    function("abs", 1, 1, NUMBER, Tag::First, abs),
    function("sign", 1, 1, NUMBER, Tag::Integer, sign),
    function("ceil", 1, 1, NUMBER, Tag::Float, |_, it, at| float("ceil", it, at, f64::ceil)),
    function("floor", 1, 1, NUMBER, Tag::Float, |_, it, at| float("floor", it, at, f64::floor)),
    function("round", 1, 3, NUMBER, Tag::Float, round),
    function("sqrt", 1, 1, NUMBER, Tag::Float, |_, it, at| float("sqrt", it, at, f64::sqrt)),
    function("exp", 1, 1, NUMBER, Tag::Float, |_, it, at| float("exp", it, at, f64::exp)),
    function("log", 1, 1, NUMBER, Tag::Float, |_, it, at| float("log", it, at, f64::ln)),
    function("log10", 1, 1, NUMBER, Tag::Float, |_, it, at| float("log10", it, at, f64::log10)),
    function("sin", 1, 1, NUMBER, Tag::Float, |_, it, at| float("sin", it, at, f64::sin)),
    function("cos", 1, 1, NUMBER, Tag::Float, |_, it, at| float("cos", it, at, f64::cos)),
    function("tan", 1, 1, NUMBER, Tag::Float, |_, it, at| float("tan", it, at, f64::tan)),
    function("cot", 1, 1, NUMBER, Tag::Float, |_, it, at| float("cot", it, at, |it| it.tan().recip())),
    function("asin", 1, 1, NUMBER, Tag::Float, |_, it, at| float("asin", it, at, f64::asin)),
    function("acos", 1, 1, NUMBER, Tag::Float, |_, it, at| float("acos", it, at, f64::acos)),
    function("atan", 1, 1, NUMBER, Tag::Float, |_, it, at| float("atan", it, at, f64::atan)),
    function("atan2", 2, 2, NUMBER, Tag::Float, atan2),
    function("degrees", 1, 1, NUMBER, Tag::Float, |_, it, at| float("degrees", it, at, f64::to_degrees)),
    function("radians", 1, 1, NUMBER, Tag::Float, |_, it, at| float("radians", it, at, f64::to_radians)),
    function("haversin", 1, 1, NUMBER, Tag::Float, |_, it, at| {
        float("haversin", it, at, |it| (1.0 - it.cos()) / 2.0)
    }),
    function("isNaN", 1, 1, NUMBER, Tag::Boolean, is_nan),
    function("pi", 0, 0, &[], Tag::Float, |_, _, _| Ok(Value::Float(std::f64::consts::PI))),
    function("e", 0, 0, &[], Tag::Float, |_, _, _| Ok(Value::Float(std::f64::consts::E))),
    function("rand", 0, 0, &[], Tag::Float, |run, _, _| Ok(Value::Float(run.random()))),
];

#[expect(clippy::cast_precision_loss, reason = "that is what a float makes of an integer")]
fn number(name: &str, value: &Value, at: usize) -> Result<Option<f64>> {
    match value {
        Value::Null => Ok(None),
        Value::Integer(it) => Ok(Some(*it as f64)),
        Value::Float(it) => Ok(Some(*it)),
        it => Err(refused(name, it, at)),
    }
}

fn float(name: &str, arguments: &[Value], at: usize, of: fn(f64) -> f64) -> Result<Value> {
    Ok(number(name, &arguments[0], at)?.map_or(Value::Null, |it| Value::Float(of(it))))
}

fn abs(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(match &arguments[0] {
        Value::Null => Value::Null,
        Value::Float(it) => Value::Float(it.abs()),
        Value::Integer(it) => Value::Integer(it.checked_abs().ok_or_else(|| {
            Error::argument(Code::NumberOutOfRange, at, "the result does not fit into a 64-bit integer")
        })?),
        it => return Err(refused("abs", it, at)),
    })
}

fn sign(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(number("sign", &arguments[0], at)?
        .map_or(Value::Null, |it| Value::Integer(i64::from(it > 0.0) - i64::from(it < 0.0))))
}

fn is_nan(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(number("isNaN", &arguments[0], at)?.map_or(Value::Null, |it| Value::Boolean(it.is_nan())))
}

fn atan2(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    let (y, x) = (number("atan2", &arguments[0], at)?, number("atan2", &arguments[1], at)?);
    Ok(y.zip(x).map_or(Value::Null, |(y, x)| Value::Float(y.atan2(x))))
}

/// Halves go up where nothing else is said, and away from zero with a precision, as Neo4j does.
fn round(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    let Some(it) = number("round", &arguments[0], at)? else { return Ok(Value::Null) };
    let Some(precision) = arguments.get(1) else { return Ok(Value::Float((it + 0.5).floor())) };
    let Some(precision) = integer_of("round", precision, at)? else { return Ok(Value::Null) };
    let Some(precision) = i32::try_from(precision).ok().filter(|it| (0..=300).contains(it)) else {
        return Err(Error::argument(Code::NumberOutOfRange, at, "the precision of `round` is from 0 to 300"));
    };
    let factor = 10_f64.powi(precision);
    let scaled = it * factor;
    let mode = arguments.get(2).map_or(Ok(Some("HALF_UP")), |it| super::text_of("round", it, at))?;
    let whole = match mode {
        None => return Ok(Value::Null),
        Some("UP") => scaled.signum() * scaled.abs().ceil(),
        Some("DOWN") => scaled.trunc(),
        Some("CEILING") => scaled.ceil(),
        Some("FLOOR") => scaled.floor(),
        Some("HALF_UP") => scaled.round(),
        Some("HALF_DOWN") => scaled.signum() * (scaled.abs() - 0.5).ceil(),
        Some("HALF_EVEN") => scaled.round_ties_even(),
        Some(other) => {
            let message = format!("`round` does not know the mode `{other}`");
            return Err(Error::argument(Code::InvalidArgumentValue, at, message));
        }
    };
    Ok(Value::Float(if scaled.is_finite() { whole / factor } else { it }))
}
