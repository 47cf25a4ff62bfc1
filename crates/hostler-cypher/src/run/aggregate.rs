//! What is computed over the rows of a group. Null counts for nothing.

use std::cmp::Ordering;
use std::collections::HashSet;

use super::expression::add;
use super::{Result, Row, Run};
use crate::error::{Code, Error};
use crate::plan::{Aggregate, AggregateKind};
use crate::value::Value;

pub(crate) struct Accumulator {
    seen: Option<HashSet<Vec<u8>>>,
    count: u64,
    /// The sum, the least, the greatest.
    value: Value,
    /// What is collected.
    values: Vec<Value>,
    percentile: Option<f64>,
}

impl Accumulator {
    pub(crate) fn new(aggregate: &Aggregate) -> Self {
        Self {
            seen: aggregate.distinct.then(HashSet::new),
            count: 0,
            value: Value::Null,
            values: Vec::new(),
            percentile: None,
        }
    }

    pub(crate) fn add(&mut self, run: &Run<'_>, aggregate: &Aggregate, row: &mut Row) -> Result<()> {
        let Some(argument) = aggregate.arguments.first() else {
            self.count += 1;
            return Ok(());
        };
        if let Some(percentile) = aggregate.arguments.get(1) {
            self.percentile = Some(percentile_of(&run.eval(percentile, row)?, aggregate.at)?);
        }
        let value = run.eval(argument, row)?;
        if value.is_null() {
            return Ok(());
        }
        if let Some(seen) = &mut self.seen
            && !run.is_new(std::slice::from_ref(&value), seen)?
        {
            return Ok(());
        }
        self.count += 1;
        match aggregate.kind {
            AggregateKind::Count => {}
            AggregateKind::Sum | AggregateKind::Average => {
                if !matches!(value, Value::Integer(_) | Value::Float(_)) && !is_duration(&value) {
                    return Err(not_a_number(&value, aggregate.at));
                }
                self.value = match &self.value {
                    Value::Null => value,
                    total => add(run, total, &value, aggregate.at)?,
                };
            }
            AggregateKind::Min | AggregateKind::Max => {
                let wanted =
                    if aggregate.kind == AggregateKind::Min { Ordering::Less } else { Ordering::Greater };
                if self.value.is_null() || value.order(&self.value) == wanted {
                    self.value = value;
                }
            }
            AggregateKind::Collect => {
                run.hold(value.bytes(), aggregate.at)?;
                self.values.push(value);
            }
            AggregateKind::Deviation
            | AggregateKind::PopulationDeviation
            | AggregateKind::PercentileContinuous
            | AggregateKind::PercentileDiscrete => {
                if number(&value).is_none() {
                    return Err(not_a_number(&value, aggregate.at));
                }
                run.hold(value.bytes(), aggregate.at)?;
                self.values.push(value);
            }
        }
        Ok(())
    }

    #[expect(clippy::cast_precision_loss, reason = "an average is a float")]
    pub(crate) fn value(self, run: &Run<'_>, aggregate: &Aggregate) -> Result<Value> {
        let at = aggregate.at;
        Ok(match aggregate.kind {
            AggregateKind::Count => Value::Integer(i64::try_from(self.count).unwrap_or(i64::MAX)),
            AggregateKind::Sum if self.value.is_null() => Value::Integer(0),
            AggregateKind::Average => match number(&self.value) {
                Some(total) => Value::Float(total / self.count as f64),
                None => match &self.value {
                    Value::Temporal(total) => {
                        total.scaled(1.0 / self.count as f64).map_or(Value::Null, Value::temporal)
                    }
                    _ => Value::Null,
                },
            },
            AggregateKind::Sum | AggregateKind::Min | AggregateKind::Max => self.value,
            AggregateKind::Collect => run.built(Value::list(self.values), at)?,
            AggregateKind::Deviation => deviation(&self.values, 1.0),
            AggregateKind::PopulationDeviation => deviation(&self.values, 0.0),
            AggregateKind::PercentileContinuous | AggregateKind::PercentileDiscrete => {
                percentile(self.values, self.percentile.unwrap_or(0.0), aggregate.kind)
            }
        })
    }
}

fn is_duration(value: &Value) -> bool {
    matches!(value, Value::Temporal(it) if it.is_duration())
}

#[expect(clippy::cast_precision_loss, reason = "statistics are floats")]
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(it) => Some(*it as f64),
        Value::Float(it) => Some(*it),
        _ => None,
    }
}

fn not_a_number(value: &Value, at: usize) -> Error {
    let message = format!("this aggregation takes numbers, not {}", value.type_name());
    Error::typed(Code::InvalidArgumentValue, at, message)
}

fn percentile_of(value: &Value, at: usize) -> Result<f64> {
    let found = number(value).filter(|it| (0.0..=1.0).contains(it));
    found.ok_or_else(|| {
        Error::argument(Code::NumberOutOfRange, at, "a percentile is a number from 0.0 to 1.0")
    })
}

#[expect(clippy::cast_precision_loss, reason = "statistics are floats")]
fn deviation(values: &[Value], fewer: f64) -> Value {
    let numbers: Vec<f64> = values.iter().filter_map(number).collect();
    let count = numbers.len() as f64;
    if count <= fewer {
        return Value::Float(0.0);
    }
    let mean = numbers.iter().sum::<f64>() / count;
    Value::Float((numbers.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / (count - fewer)).sqrt())
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place in a list, from 0 to its length"
)]
fn percentile(mut values: Vec<Value>, wanted: f64, kind: AggregateKind) -> Value {
    values.sort_by(Value::order);
    let Some(last) = values.len().checked_sub(1) else { return Value::Null };
    if kind == AggregateKind::PercentileDiscrete {
        let place = ((wanted * values.len() as f64).ceil() as usize).saturating_sub(1);
        return values[place.min(last)].clone();
    }
    let place = wanted * last as f64;
    let low = (place.floor() as usize).min(last);
    let high = (place.ceil() as usize).min(last);
    match (number(&values[low]), number(&values[high])) {
        (Some(a), Some(b)) => Value::Float(a + (b - a) * (place - low as f64)),
        _ => Value::Null,
    }
}
