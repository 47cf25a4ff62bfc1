//! WITH and RETURN on rows: grouping, DISTINCT, ORDER BY, SKIP, LIMIT, WHERE, in this order.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use super::aggregate::Accumulator;
use super::order::{Sorted, by_keys};
use super::{Result, Row, Run, Sink, grown, key_of};
use crate::error::{Class, Code, Error, Phase};
use crate::graph::Flow;
use crate::plan::{Expr, Projection};
use crate::value::Value;

/// What a projection remembers between rows.
#[derive(Default)]
pub(crate) struct State {
    by_key: HashMap<Vec<u8>, usize>,
    groups: Vec<(Vec<Value>, Vec<Accumulator>)>,
    seen: HashSet<Vec<u8>>,
    sorted: Vec<Sorted>,
    amounts: Option<(usize, Option<usize>)>,
    skipped: usize,
    given: usize,
}

impl Run<'_> {
    pub(crate) fn project(
        &self,
        projection: &Projection,
        state: &mut State,
        row: &mut Row,
        next: &mut Sink<'_>,
    ) -> Result<Flow> {
        self.step(0)?;
        let Some(group) = &projection.group else { return self.emit(projection, state, row, next) };
        let keys = group.keys.iter().map(|it| self.eval(it, row)).collect::<Result<Vec<_>>>()?;
        let key = key_of(&keys);
        let index = if let Some(index) = state.by_key.get(&key) {
            *index
        } else {
            self.hold(
                key.len() + keys.iter().map(Value::bytes).sum::<usize>() + 96 * group.aggregates.len() + 64,
                0,
            )?;
            state.groups.push((keys, group.aggregates.iter().map(Accumulator::new).collect()));
            state.by_key.insert(key, state.groups.len() - 1);
            state.groups.len() - 1
        };
        for (aggregate, accumulator) in group.aggregates.iter().zip(&mut state.groups[index].1) {
            accumulator.add(self, aggregate, row)?;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// All rows have come: what was held back goes on.
    pub(crate) fn finish(
        &self,
        projection: &Projection,
        state: &mut State,
        next: &mut Sink<'_>,
    ) -> Result<Flow> {
        let mut flow = ControlFlow::Continue(());
        if let Some(group) = &projection.group {
            let mut groups = std::mem::take(&mut state.groups);
            if groups.is_empty() && group.keys.is_empty() {
                groups.push((Vec::new(), group.aggregates.iter().map(Accumulator::new).collect()));
            }
            for (keys, accumulators) in groups {
                let mut row = keys;
                for (aggregate, accumulator) in group.aggregates.iter().zip(accumulators) {
                    row.push(accumulator.value(self, aggregate)?);
                }
                row.resize(group.width.max(row.len()), Value::Null);
                flow = self.emit(projection, state, &mut row, next)?;
                if flow.is_break() {
                    break;
                }
            }
        }
        if projection.order.is_empty() {
            return Ok(flow);
        }
        let mut sorted = std::mem::take(&mut state.sorted);
        sorted.sort_by(|a, b| by_keys(a, b, &projection.order));
        for Sorted { row, kept, bytes, .. } in sorted {
            self.release(bytes);
            flow = self.give(projection, state, row, kept, next)?;
            if flow.is_break() {
                break;
            }
        }
        Ok(flow)
    }

    fn emit(
        &self,
        projection: &Projection,
        state: &mut State,
        row: &mut Row,
        next: &mut Sink<'_>,
    ) -> Result<Flow> {
        let (skip, limit) = self.amounts(projection, state)?;
        if limit == Some(0) {
            return Ok(ControlFlow::Break(()));
        }
        let mut values = Vec::with_capacity(projection.width.max(projection.items.len()));
        for (item, slot) in &projection.items {
            let value = self.eval(item, row)?;
            values.push(value.clone());
            grown(row, *slot)[*slot] = value;
        }
        if projection.distinct && !self.is_new(&values, &mut state.seen)? {
            return Ok(ControlFlow::Continue(()));
        }
        let kept = match &projection.filter {
            Some(filter) => self.eval(filter, row)? == Value::Boolean(true),
            None => true,
        };
        if projection.order.is_empty() {
            return self.give(projection, state, values, kept, next);
        }
        let keys = projection.order.iter().map(|it| self.eval(&it.0, row)).collect::<Result<Vec<_>>>()?;
        let bytes = 64 + keys.iter().chain(&values).map(Value::bytes).sum::<usize>();
        self.hold(bytes, 0)?;
        state.sorted.push(Sorted { keys, row: values, kept, bytes });
        // With a limit, no more than twice as many rows are held.
        if let Some(wanted) = limit.map(|it| it.saturating_add(skip))
            && state.sorted.len() >= wanted.saturating_mul(2).max(1024)
        {
            // The sort is stable: of equal rows the first stay first.
            state.sorted.sort_by(|a, b| by_keys(a, b, &projection.order));
            self.release(state.sorted.drain(wanted..).map(|it| it.bytes).sum());
        }
        Ok(ControlFlow::Continue(()))
    }

    fn give(
        &self,
        projection: &Projection,
        state: &mut State,
        mut values: Row,
        kept: bool,
        next: &mut Sink<'_>,
    ) -> Result<Flow> {
        let (skip, limit) = self.amounts(projection, state)?;
        if state.skipped < skip {
            state.skipped += 1;
            return Ok(ControlFlow::Continue(()));
        }
        if limit.is_some_and(|it| state.given >= it) {
            return Ok(ControlFlow::Break(()));
        }
        state.given += 1;
        if kept {
            values.resize(projection.width.max(values.len()), Value::Null);
            if next(&mut values)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        let enough = limit.is_some_and(|it| state.given >= it);
        Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn amounts(&self, projection: &Projection, state: &mut State) -> Result<(usize, Option<usize>)> {
        if let Some(known) = state.amounts {
            return Ok(known);
        }
        let skip = projection.skip.as_ref().map(|it| self.amount(it)).transpose()?.unwrap_or(0);
        let limit = projection.limit.as_ref().map(|it| self.amount(it)).transpose()?;
        state.amounts = Some((skip, limit));
        Ok((skip, limit))
    }

    fn amount(&self, expr: &Expr) -> Result<usize> {
        let wrong =
            |code, message: String| Error::new(Class::SyntaxError, code, Phase::Run, expr.at, message);
        match self.eval(expr, &mut Vec::new())? {
            Value::Integer(it) => usize::try_from(it).map_err(|_| {
                wrong(
                    Code::NegativeIntegerArgument,
                    format!("SKIP and LIMIT take no negative number, which {it} is"),
                )
            }),
            it => Err(wrong(
                Code::InvalidArgumentType,
                format!("SKIP and LIMIT take an integer, not {}", it.type_name()),
            )),
        }
    }
}
