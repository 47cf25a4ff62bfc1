//! A plan run on a graph: rows are pushed from stage to stage, so that LIMIT stops the search that feeds it.

mod aggregate;
mod expand;
mod expression;
mod matching;
mod order;
mod project;
mod shortest;

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::rc::Rc;

use crate::ast::Name;
use crate::error::{Class, Code, Error, Phase};
use crate::graph::{Failure, Flow, Graph, LabelId, TypeId};
use crate::plan::{Part, Plan, Stage};
use crate::value::{Map, Value};

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;
pub(crate) type Row = Vec<Value>;
pub(crate) type Sink<'a> = dyn FnMut(&mut Row) -> Result<Flow> + 'a;

/// What a query may cost. There is no clock in here: a caller that has one answers through [`Options::cancelled`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Rows of the answer; further ones are left out, which [`Answer::truncated`] tells.
    pub rows_max: usize,
    /// Nodes, relationships, rows and items looked at.
    pub steps_max: u64,
    /// About how many bytes are held at once: by the answer, by sorting, grouping and DISTINCT, by one value.
    pub memory_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { rows_max: 100_000, steps_max: 50_000_000, memory_bytes_max: 256 * 1024 * 1024 }
    }
}

/// What a query is run with.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Values of `$name`.
    pub parameters: &'a Map,
    /// What it may cost.
    pub limits: Limits,
    /// Asked every thousand steps or so.
    pub cancelled: &'a dyn Fn() -> bool,
    /// What `datetime()`, `date()`, `timestamp()` say, in nanoseconds since 1970; `None`: they are errors.
    pub now_ns: Option<i128>,
    /// Where `rand()` starts.
    pub seed: u64,
}

fn never() -> bool {
    false
}

impl<'a> Options<'a> {
    /// The default limits, and nobody who cancels.
    pub fn new(parameters: &'a Map) -> Self {
        Self { parameters, limits: Limits::default(), cancelled: &never, now_ns: None, seed: 0 }
    }
}

/// What a query came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The names of the columns.
    pub columns: Vec<Name>,
    /// A value for each column.
    pub rows: Vec<Vec<Value>>,
    /// There were more rows than allowed.
    pub truncated: bool,
    /// How much was looked at.
    pub steps: u64,
}

pub(crate) struct Run<'a> {
    pub(crate) graph: &'a dyn Graph,
    pub(crate) options: &'a Options<'a>,
    steps: Cell<u64>,
    held_bytes: Cell<usize>,
    random: Cell<u64>,
    labels: RefCell<HashMap<Name, Option<LabelId>>>,
    kinds: RefCell<HashMap<Name, Option<TypeId>>>,
    /// By the address of the pattern, which stays where it is while the plan runs.
    prepared: RefCell<HashMap<usize, Rc<matching::Prepared>>>,
    patterns: RefCell<HashMap<String, regex::Regex>>,
}

pub(crate) fn run(plan: &Plan, graph: &dyn Graph, options: &Options<'_>) -> Result<Answer> {
    let run = Run {
        graph,
        options,
        steps: Cell::new(0),
        held_bytes: Cell::new(0),
        random: Cell::new(options.seed ^ 0x9E37_79B9_7F4A_7C15),
        labels: RefCell::default(),
        kinds: RefCell::default(),
        prepared: RefCell::default(),
        patterns: RefCell::default(),
    };
    let mut answer = Answer { columns: plan.columns.clone(), rows: Vec::new(), truncated: false, steps: 0 };
    let mut seen = HashSet::new();
    let distinct = plan.parts.len() > 1 && !plan.all;
    for part in &plan.parts {
        let mut row = vec![Value::Null; part.width];
        let _whole = run.part(part, &mut row, &mut |row| {
            let values = &row[..plan.columns.len().min(row.len())];
            if distinct && !run.is_new(values, &mut seen)? {
                return Ok(ControlFlow::Continue(()));
            }
            if answer.rows.len() >= options.limits.rows_max {
                answer.truncated = true;
                return Ok(ControlFlow::Break(()));
            }
            run.hold(values.iter().map(Value::bytes).sum(), 0)?;
            answer.rows.push(values.to_vec());
            Ok(ControlFlow::Continue(()))
        })?;
    }
    answer.steps = run.steps.get();
    Ok(answer)
}

impl Run<'_> {
    /// One more thing was looked at.
    pub(crate) fn step(&self, at: usize) -> Result<()> {
        self.work(1, at)
    }

    pub(crate) fn work(&self, steps: u64, at: usize) -> Result<()> {
        let before = self.steps.get();
        let after = before.saturating_add(steps);
        self.steps.set(after);
        if after > self.options.limits.steps_max {
            let message = format!(
                "the query looks at more than {} nodes, relationships and items; name labels, types or shorter paths",
                self.options.limits.steps_max
            );
            return Err(Error::limit(at, message));
        }
        if before >> 10 != after >> 10 && (self.options.cancelled)() {
            let message = "the query was stopped".to_owned();
            return Err(Error::new(Class::ExecutionError, Code::Cancelled, Phase::Run, at, message));
        }
        Ok(())
    }

    /// So much more is kept until the end.
    pub(crate) fn hold(&self, bytes: usize, at: usize) -> Result<()> {
        let held = self.held_bytes.get().saturating_add(bytes);
        self.held_bytes.set(held);
        self.fits(held, at)
    }

    pub(crate) fn release(&self, bytes: usize) {
        self.held_bytes.set(self.held_bytes.get().saturating_sub(bytes));
    }

    /// Whether a value of this size is allowed; building it counts as work.
    pub(crate) fn fits(&self, bytes: usize, at: usize) -> Result<()> {
        let max = self.options.limits.memory_bytes_max;
        if bytes <= max {
            return Ok(());
        }
        Err(Error::limit(
            at,
            format!("the query needs more than {max} bytes of memory; return fewer rows or smaller values"),
        ))
    }

    /// A list or map that does not nest too deep.
    pub(crate) fn built(&self, value: Value, at: usize) -> Result<Value> {
        self.fits(value.bytes(), at)?;
        if value.depth() > crate::value::VALUE_DEPTH_MAX {
            let message =
                format!("lists and maps nest more than {} levels deep", crate::value::VALUE_DEPTH_MAX);
            return Err(Error::limit(at, message));
        }
        Ok(value)
    }

    pub(crate) fn is_new(&self, values: &[Value], seen: &mut HashSet<Vec<u8>>) -> Result<bool> {
        let key = key_of(values);
        self.work(1 + key.len() as u64 / 256, 0)?;
        let bytes = key.len() + 48;
        let new = seen.insert(key);
        if new {
            self.hold(bytes, 0)?;
        }
        Ok(new)
    }

    #[expect(clippy::unused_self, reason = "it reads as what it is where it is used")]
    pub(crate) fn failed(&self, at: usize) -> impl Fn(Failure) -> Error + use<> {
        move |failure| {
            let message = format!("the graph cannot be read: {failure}");
            Error::new(Class::ExecutionError, Code::StoreFailure, Phase::Run, at, message)
        }
    }

    pub(crate) fn label(&self, name: &Name, at: usize) -> Result<Option<LabelId>> {
        if let Some(found) = self.labels.borrow().get(name) {
            return Ok(*found);
        }
        let found = self.graph.label(name).map_err(self.failed(at))?;
        self.labels.borrow_mut().insert(name.clone(), found);
        Ok(found)
    }

    pub(crate) fn kind(&self, name: &Name, at: usize) -> Result<Option<TypeId>> {
        if let Some(found) = self.kinds.borrow().get(name) {
            return Ok(*found);
        }
        let found = self.graph.relationship_type(name).map_err(self.failed(at))?;
        self.kinds.borrow_mut().insert(name.clone(), found);
        Ok(found)
    }

    /// From 0 to below 1; the same for the same seed.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are what a float holds")]
    pub(crate) fn random(&self) -> f64 {
        let mut state = self.random.get() | 1;
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        self.random.set(state);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Runs all stages on one row; a subquery on the row of its surroundings.
    pub(crate) fn part(&self, part: &Part, row: &mut Row, sink: &mut Sink<'_>) -> Result<Flow> {
        let mut states: Vec<_> = part.stages.iter().map(|_| project::State::default()).collect();
        let mut flow = self.push(&part.stages, &mut states, row, sink)?;
        for index in 0..part.stages.len() {
            if let Stage::Project(projection) = &part.stages[index] {
                let (before, after) = states.split_at_mut(index + 1);
                let rest = &part.stages[index + 1..];
                flow = self
                    .finish(projection, &mut before[index], &mut |row| self.push(rest, after, row, sink))?;
            }
        }
        Ok(flow)
    }

    fn push(
        &self,
        stages: &[Stage],
        states: &mut [project::State],
        row: &mut Row,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let (Some((stage, rest)), Some((state, states))) = (stages.split_first(), states.split_first_mut())
        else {
            return sink(row);
        };
        match stage {
            Stage::Match(it) => self.matches(it, row, &mut |row| self.push(rest, states, row, sink)),
            Stage::Unwind { list, slot } => {
                let flow = match self.eval(list, row)? {
                    Value::Null => ControlFlow::Continue(()),
                    Value::List(list) => {
                        let mut flow = ControlFlow::Continue(());
                        for item in list.items() {
                            self.step(0)?;
                            grown(row, *slot)[*slot] = item.clone();
                            flow = self.push(rest, states, row, sink)?;
                            if flow.is_break() {
                                break;
                            }
                        }
                        flow
                    }
                    single => {
                        grown(row, *slot)[*slot] = single;
                        self.push(rest, states, row, sink)?
                    }
                };
                grown(row, *slot)[*slot] = Value::Null;
                Ok(flow)
            }
            Stage::Project(it) => self.project(it, state, row, &mut |row| self.push(rest, states, row, sink)),
        }
    }
}

/// A row that has this slot.
pub(crate) fn grown(row: &mut Row, slot: usize) -> &mut Row {
    if row.len() <= slot {
        row.resize(slot + 1, Value::Null);
    }
    row
}

pub(crate) fn key_of(values: &[Value]) -> Vec<u8> {
    let mut key = Vec::new();
    for value in values {
        value.write_key(&mut key);
    }
    key
}
