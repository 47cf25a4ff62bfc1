//! openCypher, the clauses that read: text -> tree -> plan -> rows of any [`Graph`].
//!
//! ```text
//! Query::parse        text -> tree, names and types checked -> plan     Error with line, column and caret
//! Query::run          plan, graph, parameters, limits -> Answer         rows are pushed; LIMIT stops the search
//!   run::matching     a pattern: start at the smallest set, widen, test each condition as soon as it can be
//!   run::project      WITH and RETURN: group, DISTINCT, ORDER BY, SKIP, LIMIT, WHERE
//! Graph               what a store implements; memory::Graph is one for tests
//! ```
//!
//! Invariant: no I/O and no clock. What a query costs is bounded by [`Limits`]; a caller that has a clock answers
//! [`Options::cancelled`]. Neither a query nor a graph can make it run out of stack: text, expressions and values nest to
//! bounded depth, and long paths are walked with a stack on the heap.

#![forbid(clippy::disallowed_methods, clippy::disallowed_macros)]

pub mod ast;
mod compile;
mod display;
mod error;
mod functions;
mod graph;
mod json;
mod lexer;
pub mod memory;
mod parse;
mod plan;
mod run;
mod temporal;
mod value;

pub use error::{Class, Code, Error, Phase};
pub use graph::{Direction, Edge, Element, Failure, Flow, Graph, LabelId, NodeId, TypeId};
pub use parse::{CLAUSES_MAX, EXPRESSION_DEPTH_MAX, QUERY_BYTES_MAX, RELATIONSHIPS_MAX, parse};
pub use run::{Answer, Limits, Options};
pub use temporal::Temporal;
pub use value::{List, Map, Mapping, Path, VALUE_DEPTH_MAX, Value};

/// A query that was read and checked, and can be run on any graph, any number of times.
#[derive(Debug)]
pub struct Query {
    source: String,
    plan: plan::Plan,
}

impl Query {
    /// Reads a query. What would change a graph is refused.
    pub fn parse(source: &str) -> Result<Self, Error> {
        let tree = parse(source)?;
        let plan = compile::compile(&tree).map_err(|it| it.located(source))?;
        Ok(Self { source: source.to_owned(), plan })
    }

    /// The names of the columns of the answer.
    pub fn columns(&self) -> &[ast::Name] {
        &self.plan.columns
    }

    /// Asks a graph.
    pub fn run(&self, graph: &dyn Graph, options: &Options<'_>) -> Result<Answer, Error> {
        run::run(&self.plan, graph, options).map_err(|it| it.located(&self.source))
    }
}
