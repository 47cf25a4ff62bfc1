//! Expressions on a row.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::{Result, Row, Run, grown};
use crate::ast::{Comparison, Labels, Operator, Quantifier, TextTest};
use crate::error::{Class, Code, Error, Phase};
use crate::graph::Element;
use crate::plan::{Expr, Kind, Selector, Slot};
use crate::value::{Map, Value};

fn wrong(at: usize, message: impl Into<String>) -> Error {
    Error::typed(Code::InvalidArgumentType, at, message)
}

impl Run<'_> {
    pub(crate) fn eval(&self, expr: &Expr, row: &mut Row) -> Result<Value> {
        let at = expr.at;
        Ok(match &expr.kind {
            Kind::Constant(it) => it.clone(),
            Kind::Slot(it) => row.get(*it).cloned().unwrap_or(Value::Null),
            Kind::Parameter(name) => self.options.parameters.get(name).cloned().ok_or_else(|| {
                let message = format!("the parameter `${name}` has no value");
                Error::new(Class::ParameterMissing, Code::MissingParameter, Phase::Run, at, message)
            })?,
            Kind::List(items) => {
                let items = items.iter().map(|it| self.eval(it, row)).collect::<Result<_>>()?;
                self.built(Value::list(items), at)?
            }
            Kind::Map(entries) => {
                let entries = entries.iter().map(|(key, it)| Ok((key.clone(), self.eval(it, row)?)));
                self.built(Value::map(entries.collect::<Result<_>>()?), at)?
            }
            Kind::MapProjection(base, selectors) => self.map_projection(base, selectors, row, at)?,
            Kind::Property(of, key) => {
                let of = self.eval(of, row)?;
                self.property(&of, key, at)?
            }
            Kind::Index(of, index) => {
                let (of, index) = (self.eval(of, row)?, self.eval(index, row)?);
                self.index(&of, &index, at)?
            }
            Kind::Slice(of, from, to) => self.slice(of, from.as_deref(), to.as_deref(), row, at)?,
            Kind::HasLabels(of, labels) => {
                let of = self.eval(of, row)?;
                self.tested_labels(&of, labels, at)?
            }
            Kind::And(items) => self.conjunction(items, false, row)?,
            Kind::Or(items) => self.conjunction(items, true, row)?,
            Kind::Xor(items) => {
                let mut truth = Some(false);
                for item in items {
                    let next = self.truth(item, row)?;
                    truth = truth.zip(next).map(|(a, b)| a != b);
                }
                truth.into()
            }
            Kind::Not(of) => self.truth(of, row)?.map(|it| !it).into(),
            Kind::Negate(of) => match self.eval(of, row)? {
                Value::Null => Value::Null,
                Value::Integer(it) => Value::Integer(it.checked_neg().ok_or_else(|| overflow(at))?),
                Value::Float(it) => Value::Float(-it),
                Value::Temporal(it) if it.is_duration() => {
                    it.scaled(-1.0).map_or(Value::Null, Value::temporal)
                }
                it => return Err(wrong(at, format!("`-` takes a number, not {}", it.type_name()))),
            },
            Kind::Compare(first, rest) => {
                let mut left = self.eval(first, row)?;
                let mut known = true;
                for (operator, next) in rest {
                    let right = self.eval(next, row)?;
                    match compared(*operator, &left, &right) {
                        Some(false) => return Ok(Value::Boolean(false)),
                        Some(true) => {}
                        None => known = false,
                    }
                    left = right;
                }
                if known { Value::Boolean(true) } else { Value::Null }
            }
            Kind::Arithmetic(operator, left, right) => {
                let (left, right) = (self.eval(left, row)?, self.eval(right, row)?);
                match operator {
                    Operator::Add => add(self, &left, &right, at)?,
                    _ => arithmetic(*operator, &left, &right, at)?,
                }
            }
            Kind::In(item, list) => {
                let (item, list) = (self.eval(item, row)?, self.eval(list, row)?);
                match list {
                    Value::Null => Value::Null,
                    Value::List(list) => {
                        self.work(list.items().len() as u64 / 8, at)?;
                        within(&item, list.items()).into()
                    }
                    it => return Err(wrong(at, format!("IN takes a list, not {}", it.type_name()))),
                }
            }
            Kind::Text(test, left, right) => {
                let (left, right) = (self.eval(left, row)?, self.eval(right, row)?);
                self.text_test(*test, &left, &right, at)?
            }
            Kind::IsNull(of, negated) => Value::Boolean(self.eval(of, row)?.is_null() != *negated),
            Kind::Case { operand, arms, otherwise } => {
                let operand = operand.as_ref().map(|it| self.eval(it, row)).transpose()?;
                for (when, then) in arms {
                    let when = self.eval(when, row)?;
                    let holds = match &operand {
                        Some(operand) => operand.equals(&when) == Some(true),
                        None => when == Value::Boolean(true),
                    };
                    if holds {
                        return self.eval(then, row);
                    }
                }
                otherwise.as_ref().map_or(Ok(Value::Null), |it| self.eval(it, row))?
            }
            Kind::Comprehension { slot, list, filter, map } => {
                let Some(list) = self.list(list, row)? else { return Ok(Value::Null) };
                let mut out = Vec::new();
                let mut bytes = 0;
                for item in list.items() {
                    self.step(at)?;
                    grown(row, *slot)[*slot] = item.clone();
                    if let Some(filter) = filter
                        && self.eval(filter, row)? != Value::Boolean(true)
                    {
                        continue;
                    }
                    let value = map.as_ref().map_or_else(|| Ok(item.clone()), |it| self.eval(it, row))?;
                    bytes += value.bytes();
                    self.fits(bytes, at)?;
                    out.push(value);
                }
                self.built(Value::list(out), at)?
            }
            Kind::Quantifier { kind, slot, list, filter } => {
                let Some(list) = self.list(list, row)? else { return Ok(Value::Null) };
                self.quantified(*kind, list.items(), *slot, filter.as_deref(), row, at)?
            }
            Kind::Reduce { accumulator, start, slot, list, body } => {
                let mut total = self.eval(start, row)?;
                let Some(list) = self.list(list, row)? else { return Ok(Value::Null) };
                for item in list.items() {
                    self.work(1 + total.bytes() as u64 / 1024, at)?;
                    grown(row, *slot)[*slot] = item.clone();
                    grown(row, *accumulator)[*accumulator] = total;
                    total = self.eval(body, row)?;
                }
                total
            }
            Kind::Call(function, arguments) => {
                let arguments = arguments.iter().map(|it| self.eval(it, row)).collect::<Result<Vec<_>>>()?;
                self.step(at)?;
                (function.run)(self, &arguments, at)?
            }
            Kind::PatternComprehension { part, map } => {
                let mut out = Vec::new();
                let mut bytes = 0;
                let _whole = self.part(part, row, &mut |row| {
                    let value = self.eval(map, row)?;
                    bytes += value.bytes();
                    self.fits(bytes, at)?;
                    out.push(value);
                    Ok(ControlFlow::Continue(()))
                })?;
                self.built(Value::list(out), at)?
            }
            Kind::Exists(parts) => {
                let mut found = false;
                for part in parts {
                    let _first = self.part(part, row, &mut |_| {
                        found = true;
                        Ok(ControlFlow::Break(()))
                    })?;
                    if found {
                        break;
                    }
                }
                Value::Boolean(found)
            }
            Kind::Count(parts, all) => {
                let mut count = 0;
                let mut seen = HashSet::new();
                for part in parts {
                    let _whole = self.part(part, row, &mut |row| {
                        count += i64::from(*all || self.is_new(row, &mut seen)?);
                        Ok(ControlFlow::Continue(()))
                    })?;
                }
                Value::Integer(count)
            }
        })
    }

    fn truth(&self, expr: &Expr, row: &mut Row) -> Result<Option<bool>> {
        match self.eval(expr, row)? {
            Value::Null => Ok(None),
            Value::Boolean(it) => Ok(Some(it)),
            it => Err(wrong(expr.at, format!("true or false is expected here, not {}", it.type_name()))),
        }
    }

    /// AND, and OR, which is the same with the answers swapped.
    fn conjunction(&self, items: &[Expr], decides: bool, row: &mut Row) -> Result<Value> {
        let mut known = true;
        for item in items {
            match self.truth(item, row)? {
                Some(it) if it == decides => return Ok(Value::Boolean(decides)),
                Some(_) => {}
                None => known = false,
            }
        }
        Ok(if known { Value::Boolean(!decides) } else { Value::Null })
    }

    fn list(&self, expr: &Expr, row: &mut Row) -> Result<Option<crate::value::List>> {
        match self.eval(expr, row)? {
            Value::Null => Ok(None),
            Value::List(it) => Ok(Some(it)),
            it => Err(wrong(expr.at, format!("a list is expected here, not {}", it.type_name()))),
        }
    }

    fn quantified(
        &self,
        kind: Quantifier,
        items: &[Value],
        slot: Slot,
        filter: Option<&Expr>,
        row: &mut Row,
        at: usize,
    ) -> Result<Value> {
        let (mut holds, mut fails, mut open) = (0_u64, 0_u64, 0_u64);
        for item in items {
            self.step(at)?;
            grown(row, slot)[slot] = item.clone();
            match filter.map_or_else(|| Ok(None), |it| self.truth(it, row))? {
                Some(true) => holds += 1,
                Some(false) => fails += 1,
                None => open += 1,
            }
        }
        Ok(match kind {
            Quantifier::All if fails > 0 => Some(false),
            Quantifier::Any if holds > 0 => Some(true),
            Quantifier::None if holds > 0 => Some(false),
            Quantifier::Single if holds > 1 => Some(false),
            _ if open > 0 => None,
            Quantifier::All | Quantifier::None => Some(true),
            Quantifier::Any => Some(false),
            Quantifier::Single => Some(holds == 1),
        }
        .into())
    }

    pub(crate) fn property(&self, of: &Value, key: &str, at: usize) -> Result<Value> {
        let failed = self.failed(at);
        match of {
            Value::Null => Ok(Value::Null),
            Value::Node(it) => self.graph.property(Element::Node(*it), key).map_err(failed),
            Value::Relationship(it) => self.graph.property(Element::Edge(*it), key).map_err(failed),
            Value::Map(it) => Ok(it.entries().get(key).cloned().unwrap_or(Value::Null)),
            Value::Temporal(it) => Ok(it.component(key).unwrap_or(Value::Null)),
            it => Err(wrong(at, format!("{} has no properties", it.type_name()))),
        }
    }

    pub(crate) fn properties(&self, of: &Value, at: usize) -> Result<Option<Map>> {
        let failed = self.failed(at);
        match of {
            Value::Null => Ok(None),
            Value::Node(it) => self.graph.properties(Element::Node(*it)).map(Some).map_err(failed),
            Value::Relationship(it) => self.graph.properties(Element::Edge(*it)).map(Some).map_err(failed),
            Value::Map(it) => Ok(Some(it.entries().clone())),
            it => Err(wrong(at, format!("{} has no properties", it.type_name()))),
        }
    }

    fn map_projection(&self, base: &Expr, selectors: &[Selector], row: &mut Row, at: usize) -> Result<Value> {
        let base = self.eval(base, row)?;
        if base.is_null() {
            return Ok(Value::Null);
        }
        let mut out = Map::new();
        for selector in selectors {
            match selector {
                Selector::All => out.extend(self.properties(&base, at)?.unwrap_or_default()),
                Selector::Property(key) => {
                    out.insert(key.clone(), self.property(&base, key, at)?);
                }
                Selector::Entry(key, value) => {
                    out.insert(key.clone(), self.eval(value, row)?);
                }
            }
        }
        self.built(Value::map(out), at)
    }

    fn index(&self, of: &Value, index: &Value, at: usize) -> Result<Value> {
        match (of, index) {
            (Value::List(list), Value::Integer(index)) => {
                let place = place_of(*index, list.items().len());
                Ok(place.and_then(|it| list.items().get(it)).cloned().unwrap_or(Value::Null))
            }
            (Value::Node(_) | Value::Relationship(_) | Value::Map(_), Value::String(key)) => {
                self.property(of, key, at)
            }
            (Value::Null, _)
            | (Value::List(_) | Value::Node(_) | Value::Relationship(_) | Value::Map(_), Value::Null) => {
                Ok(Value::Null)
            }
            (Value::List(_), it) => {
                Err(wrong(at, format!("an item of a list is found by an integer, not {}", it.type_name())))
            }
            (Value::Map(_) | Value::Node(_) | Value::Relationship(_), it) => Err(Error::typed(
                Code::MapElementAccessByNonString,
                at,
                format!("a property is found by a string, not {}", it.type_name()),
            )),
            (it, _) => Err(wrong(at, format!("{} has no items", it.type_name()))),
        }
    }

    fn slice(
        &self,
        of: &Expr,
        from: Option<&Expr>,
        to: Option<&Expr>,
        row: &mut Row,
        at: usize,
    ) -> Result<Value> {
        let list = self.list(of, row)?;
        let mut bound =
            |expr: Option<&Expr>, otherwise: i64| match expr.map(|it| self.eval(it, row)).transpose()? {
                None => Ok(Some(otherwise)),
                Some(Value::Null) => Ok(None),
                Some(Value::Integer(it)) => Ok(Some(it)),
                Some(it) => Err(wrong(at, format!("a list is cut at integers, not at {}", it.type_name()))),
            };
        let (from, to) = (bound(from, 0)?, bound(to, i64::MAX)?);
        let (Some(list), Some(from), Some(to)) = (list, from, to) else { return Ok(Value::Null) };
        let items = list.items();
        let within = |it: i64| {
            let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
            let it = if it < 0 { it.saturating_add(length) } else { it };
            usize::try_from(it.clamp(0, length)).unwrap_or(0)
        };
        let cut = items.get(within(from)..within(to)).unwrap_or_default();
        self.work(cut.len() as u64 / 8, at)?;
        Ok(Value::list(cut.to_vec()))
    }

    fn tested_labels(&self, of: &Value, labels: &Labels, at: usize) -> Result<Value> {
        match of {
            Value::Null => Ok(Value::Null),
            Value::Node(node) => {
                for group in labels {
                    let mut found = false;
                    for name in group {
                        if let Some(label) = self.label(name, at)? {
                            found = found || self.graph.has_label(*node, label).map_err(self.failed(at))?;
                        }
                    }
                    if !found {
                        return Ok(Value::Boolean(false));
                    }
                }
                Ok(Value::Boolean(true))
            }
            Value::Relationship(edge) => {
                for group in labels {
                    let mut found = false;
                    for name in group {
                        found = found || self.kind(name, at)? == Some(edge.kind);
                    }
                    if !found {
                        return Ok(Value::Boolean(false));
                    }
                }
                Ok(Value::Boolean(true))
            }
            it => Err(wrong(at, format!("a node has labels, {} has none", it.type_name()))),
        }
    }

    fn text_test(&self, test: TextTest, left: &Value, right: &Value, at: usize) -> Result<Value> {
        let (Value::String(left), Value::String(right)) = (left, right) else { return Ok(Value::Null) };
        self.work((left.len() + right.len()) as u64 / 256, at)?;
        Ok(Value::Boolean(match test {
            TextTest::StartsWith => left.starts_with(&**right),
            TextTest::EndsWith => left.ends_with(&**right),
            TextTest::Contains => left.contains(&**right),
            TextTest::Matches => self.pattern_matches(left, right, at)?,
        }))
    }

    fn pattern_matches(&self, text: &str, pattern: &str, at: usize) -> Result<bool> {
        if let Some(found) = self.patterns.borrow().get(pattern) {
            return Ok(found.is_match(text));
        }
        // The whole text must match.
        let built = regex::RegexBuilder::new(&format!("^(?:{pattern})$")).size_limit(1 << 20).build();
        let built = built.map_err(|error| {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim().to_owned();
            Error::argument(
                Code::InvalidArgumentValue,
                at,
                format!("the pattern after `=~` cannot be used: {reason}"),
            )
        })?;
        let found = built.is_match(text);
        let mut patterns = self.patterns.borrow_mut();
        if patterns.len() < 64 {
            patterns.insert(pattern.to_owned(), built);
        }
        Ok(found)
    }
}

/// From the end, where it is negative.
pub(crate) fn place_of(index: i64, length: usize) -> Option<usize> {
    let length = i64::try_from(length).ok()?;
    usize::try_from(if index < 0 { index.checked_add(length)? } else { index }).ok()
}

fn overflow(at: usize) -> Error {
    Error::argument(Code::NumberOutOfRange, at, "the result does not fit into a 64-bit integer")
}

fn within(item: &Value, items: &[Value]) -> Option<bool> {
    let mut known = true;
    for candidate in items {
        match item.equals(candidate) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => known = false,
        }
    }
    known.then_some(false)
}

pub(crate) fn compared(operator: Comparison, left: &Value, right: &Value) -> Option<bool> {
    match operator {
        Comparison::Equal => left.equals(right),
        Comparison::NotEqual => left.equals(right).map(|it| !it),
        _ => {
            let Some(order) = left.compare(right)? else { return Some(false) };
            Some(match operator {
                Comparison::Less => order.is_lt(),
                Comparison::LessOrEqual => order.is_le(),
                Comparison::Greater => order.is_gt(),
                _ => order.is_ge(),
            })
        }
    }
}

/// `+`: of numbers, text, lists, durations.
pub(crate) fn add(run: &Run<'_>, left: &Value, right: &Value, at: usize) -> Result<Value> {
    let joined = |a: &str, b: &str| {
        run.fits(a.len() + b.len(), at)?;
        run.work((a.len() + b.len()) as u64 / 256, at)?;
        Ok(Value::String(Arc::from([a, b].concat())))
    };
    Ok(match (left, right) {
        (Value::List(a), Value::List(b)) => {
            let items: Vec<_> = a.items().iter().chain(b.items()).cloned().collect();
            run.work(items.len() as u64 / 8, at)?;
            run.built(Value::list(items), at)?
        }
        (Value::Null, _) | (_, Value::Null) => Value::Null,
        (Value::List(a), it) => {
            run.work(a.items().len() as u64 / 8, at)?;
            run.built(Value::list(a.items().iter().chain([it]).cloned().collect()), at)?
        }
        (it, Value::List(b)) => {
            run.work(b.items().len() as u64 / 8, at)?;
            run.built(Value::list([it].into_iter().chain(b.items()).cloned().collect()), at)?
        }
        (Value::String(a), Value::String(b)) => joined(a, b)?,
        (Value::String(a), Value::Integer(_) | Value::Float(_) | Value::Boolean(_)) => {
            joined(a, &plain(right))?
        }
        (Value::Integer(_) | Value::Float(_) | Value::Boolean(_), Value::String(b)) => {
            joined(&plain(left), b)?
        }
        (Value::String(a), Value::Temporal(b)) => joined(a, &b.to_string())?,
        (Value::Temporal(a), Value::String(b)) => joined(&a.to_string(), b)?,
        (Value::Temporal(a), Value::Temporal(b)) => match a.plus(b, 1) {
            Some(it) => Value::temporal(it),
            None => {
                return Err(wrong(at, format!("{} and {} cannot be added", a.type_name(), b.type_name())));
            }
        },
        _ => arithmetic(Operator::Add, left, right, at)?,
    })
}

fn plain(value: &Value) -> String {
    match value {
        Value::Integer(it) => it.to_string(),
        Value::Float(it) => crate::value::float_text(*it),
        Value::Boolean(it) => it.to_string(),
        _ => String::new(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "that is what a float makes of an integer")]
fn arithmetic(operator: Operator, left: &Value, right: &Value, at: usize) -> Result<Value> {
    let out = match (left, right) {
        (Value::Null, _) | (_, Value::Null) => return Ok(Value::Null),
        (Value::Integer(a), Value::Integer(b)) => {
            let (a, b) = (*a, *b);
            if b == 0 && matches!(operator, Operator::Divide | Operator::Modulo) {
                return Err(Error::argument(
                    Code::InvalidArgumentValue,
                    at,
                    "an integer cannot be divided by zero",
                ));
            }
            let whole = match operator {
                Operator::Add => a.checked_add(b),
                Operator::Subtract => a.checked_sub(b),
                Operator::Multiply => a.checked_mul(b),
                Operator::Divide => a.checked_div(b),
                Operator::Modulo => Some(a.wrapping_rem(b)),
                Operator::Power => return Ok(Value::Float((a as f64).powf(b as f64))),
            };
            return whole.map(Value::Integer).ok_or_else(|| overflow(at));
        }
        (Value::Integer(a), Value::Float(b)) => floats(operator, *a as f64, *b),
        (Value::Float(a), Value::Integer(b)) => floats(operator, *a, *b as f64),
        (Value::Float(a), Value::Float(b)) => floats(operator, *a, *b),
        (Value::Temporal(a), Value::Temporal(b)) if operator == Operator::Subtract => match a.plus(b, -1) {
            Some(it) => return Ok(Value::temporal(it)),
            None => {
                return Err(wrong(at, format!("{} cannot be taken from {}", b.type_name(), a.type_name())));
            }
        },
        (Value::Temporal(a), Value::Integer(_) | Value::Float(_))
        | (Value::Integer(_) | Value::Float(_), Value::Temporal(a))
            if a.is_duration() && matches!(operator, Operator::Multiply | Operator::Divide) =>
        {
            let factor = match if matches!(left, Value::Temporal(_)) { right } else { left } {
                Value::Integer(it) => *it as f64,
                Value::Float(it) => *it,
                _ => 1.0,
            };
            let factor = if operator == Operator::Divide { 1.0 / factor } else { factor };
            return Ok(a.scaled(factor).map_or(Value::Null, Value::temporal));
        }
        _ => {
            let message =
                format!("{} and {} cannot be calculated with like this", left.type_name(), right.type_name());
            return Err(wrong(at, message));
        }
    };
    Ok(Value::Float(out))
}

fn floats(operator: Operator, a: f64, b: f64) -> f64 {
    match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        Operator::Modulo => a % b,
        Operator::Power => a.powf(b),
    }
}
