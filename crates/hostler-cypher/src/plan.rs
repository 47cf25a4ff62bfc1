//! A query with every name resolved: variables are slots of a row, functions are functions.
//!
//! A row has a slot for each variable, for each element of a pattern without a name, and for each variable within an
//! expression. Slots are never shared within a row, so that a clause may write into the row that it was given and take
//! back what it wrote. WITH begins a new row.

use crate::ast::{Comparison, Labels, Name, Operator, Quantifier, Selection, TextTest};
use crate::functions::Function;
use crate::value::Value;

pub(crate) type Slot = usize;

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) columns: Vec<Name>,
    pub(crate) parts: Vec<Part>,
    pub(crate) all: bool,
}

/// One query of a UNION, or a subquery, which runs on the row of its surroundings.
#[derive(Debug)]
pub(crate) struct Part {
    /// The slots of the row that the first stage is given.
    pub(crate) width: usize,
    pub(crate) stages: Vec<Stage>,
}

#[derive(Debug)]
pub(crate) enum Stage {
    Match(Match),
    Unwind { list: Expr, slot: Slot },
    Project(Projection),
}

#[derive(Debug)]
pub(crate) struct Match {
    pub(crate) optional: bool,
    pub(crate) nodes: Vec<Node>,
    pub(crate) relationships: Vec<Relationship>,
    pub(crate) paths: Vec<Path>,
    /// WHERE, taken apart at AND.
    pub(crate) filters: Vec<Expr>,
    /// What becomes null where an optional match finds nothing.
    pub(crate) introduced: Vec<Slot>,
    pub(crate) at: usize,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) slot: Slot,
    pub(crate) bound: bool,
    pub(crate) labels: Labels,
    pub(crate) properties: Vec<(Name, Expr)>,
}

#[derive(Debug)]
pub(crate) struct Relationship {
    pub(crate) slot: Slot,
    pub(crate) bound: bool,
    /// Index of the node on the left, as written.
    pub(crate) left: usize,
    pub(crate) right: usize,
    pub(crate) arrow: crate::ast::Arrow,
    pub(crate) types: Vec<Name>,
    pub(crate) properties: Vec<(Name, Expr)>,
    /// Least and most, of variable-length ones.
    pub(crate) length: Option<(u64, u64)>,
    /// Found by the path that it belongs to, which is a shortest one.
    pub(crate) shortest: bool,
}

#[derive(Debug)]
pub(crate) struct Path {
    /// Where the path is to stand; shortest paths need none.
    pub(crate) slot: Option<Slot>,
    pub(crate) selection: Selection,
    pub(crate) start: usize,
    pub(crate) relationships: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct Projection {
    pub(crate) group: Option<Group>,
    /// Where the items are put, in the row that they are computed from (that of the group, if there is one).
    pub(crate) items: Vec<(Expr, Slot)>,
    pub(crate) distinct: bool,
    /// Descending or not.
    pub(crate) order: Vec<(Expr, bool)>,
    pub(crate) skip: Option<Expr>,
    pub(crate) limit: Option<Expr>,
    pub(crate) filter: Option<Expr>,
    /// The slots of the row that comes next, which begins with the items.
    pub(crate) width: usize,
}

#[derive(Debug)]
pub(crate) struct Group {
    /// They take the first slots of the group's row.
    pub(crate) keys: Vec<Expr>,
    /// They take the next.
    pub(crate) aggregates: Vec<Aggregate>,
    pub(crate) width: usize,
}

#[derive(Debug)]
pub(crate) struct Aggregate {
    pub(crate) kind: AggregateKind,
    pub(crate) distinct: bool,
    /// None for `count(*)`; a second one is the percentile.
    pub(crate) arguments: Vec<Expr>,
    pub(crate) at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AggregateKind {
    Count,
    Sum,
    Average,
    Min,
    Max,
    Collect,
    Deviation,
    PopulationDeviation,
    PercentileContinuous,
    PercentileDiscrete,
}

impl AggregateKind {
    pub(crate) fn of(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "count" => Self::Count,
            "sum" => Self::Sum,
            "avg" => Self::Average,
            "min" => Self::Min,
            "max" => Self::Max,
            "collect" => Self::Collect,
            "stdev" => Self::Deviation,
            "stdevp" => Self::PopulationDeviation,
            "percentilecont" => Self::PercentileContinuous,
            "percentiledisc" => Self::PercentileDiscrete,
            _ => return None,
        })
    }
}

#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) kind: Kind,
    pub(crate) at: usize,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Constant(Value),
    Parameter(Name),
    Slot(Slot),
    List(Vec<Expr>),
    Map(Vec<(Name, Expr)>),
    MapProjection(Box<Expr>, Vec<Selector>),
    Property(Box<Expr>, Name),
    Index(Box<Expr>, Box<Expr>),
    Slice(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    HasLabels(Box<Expr>, Labels),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Xor(Vec<Expr>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Compare(Box<Expr>, Vec<(Comparison, Expr)>),
    Arithmetic(Operator, Box<Expr>, Box<Expr>),
    In(Box<Expr>, Box<Expr>),
    Text(TextTest, Box<Expr>, Box<Expr>),
    IsNull(Box<Expr>, bool),
    Case {
        operand: Option<Box<Expr>>,
        arms: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    Comprehension {
        slot: Slot,
        list: Box<Expr>,
        filter: Option<Box<Expr>>,
        map: Option<Box<Expr>>,
    },
    Quantifier {
        kind: Quantifier,
        slot: Slot,
        list: Box<Expr>,
        filter: Option<Box<Expr>>,
    },
    Reduce {
        accumulator: Slot,
        start: Box<Expr>,
        slot: Slot,
        list: Box<Expr>,
        body: Box<Expr>,
    },
    Call(&'static Function, Vec<Expr>),
    PatternComprehension {
        part: Box<Part>,
        map: Box<Expr>,
    },
    Exists(Vec<Part>),
    /// UNION without ALL counts each row once.
    Count(Vec<Part>, bool),
}

#[derive(Debug)]
pub(crate) enum Selector {
    All,
    Property(Name),
    Entry(Name, Expr),
}

impl Expr {
    /// Every slot that it reads.
    pub(crate) fn slots(&self, each: &mut impl FnMut(Slot)) {
        self.slots_dyn(each);
    }

    fn slots_dyn(&self, each: &mut dyn FnMut(Slot)) {
        match &self.kind {
            Kind::Constant(_) | Kind::Parameter(_) => {}
            Kind::Slot(it) => each(*it),
            Kind::List(items)
            | Kind::And(items)
            | Kind::Or(items)
            | Kind::Xor(items)
            | Kind::Call(_, items) => {
                for item in items {
                    item.slots_dyn(each);
                }
            }
            Kind::Map(entries) => entries.iter().for_each(|it| it.1.slots_dyn(each)),
            Kind::MapProjection(base, selectors) => {
                base.slots_dyn(each);
                for selector in selectors {
                    if let Selector::Entry(_, it) = selector {
                        it.slots_dyn(each);
                    }
                }
            }
            Kind::Property(of, _)
            | Kind::HasLabels(of, _)
            | Kind::Not(of)
            | Kind::Negate(of)
            | Kind::IsNull(of, _) => {
                of.slots_dyn(each);
            }
            Kind::Index(a, b) | Kind::Arithmetic(_, a, b) | Kind::In(a, b) | Kind::Text(_, a, b) => {
                a.slots_dyn(each);
                b.slots_dyn(each);
            }
            Kind::Slice(of, from, to) => {
                of.slots_dyn(each);
                from.iter().chain(to).for_each(|it| it.slots_dyn(each));
            }
            Kind::Compare(first, rest) => {
                first.slots_dyn(each);
                for (_, next) in rest {
                    next.slots_dyn(each);
                }
            }
            Kind::Case { operand, arms, otherwise } => {
                operand.iter().chain(otherwise).for_each(|it| it.slots_dyn(each));
                for (when, then) in arms {
                    when.slots_dyn(each);
                    then.slots_dyn(each);
                }
            }
            Kind::Comprehension { list, filter, map, .. } => {
                list.slots_dyn(each);
                filter.iter().chain(map).for_each(|it| it.slots_dyn(each));
            }
            Kind::Quantifier { list, filter, .. } => {
                list.slots_dyn(each);
                if let Some(filter) = filter {
                    filter.slots_dyn(each);
                }
            }
            Kind::Reduce { start, list, body, .. } => {
                for part in [start, list, body] {
                    part.slots_dyn(each);
                }
            }
            Kind::PatternComprehension { part, map } => {
                part.slots_dyn(each);
                map.slots_dyn(each);
            }
            Kind::Exists(parts) | Kind::Count(parts, _) => parts.iter().for_each(|it| it.slots_dyn(each)),
        }
    }
}

impl Part {
    /// Slots of rows that begin within are given too: more than enough, never fewer.
    fn slots_dyn(&self, each: &mut dyn FnMut(Slot)) {
        for stage in &self.stages {
            match stage {
                Stage::Match(it) => {
                    it.nodes.iter().for_each(|it| each(it.slot));
                    it.relationships.iter().for_each(|it| each(it.slot));
                    let of_nodes = it.nodes.iter().flat_map(|it| &it.properties);
                    let of_edges = it.relationships.iter().flat_map(|it| &it.properties);
                    of_nodes.chain(of_edges).for_each(|it| it.1.slots_dyn(each));
                    it.filters.iter().for_each(|it| it.slots_dyn(each));
                }
                Stage::Unwind { list, .. } => list.slots_dyn(each),
                Stage::Project(it) => {
                    if let Some(group) = &it.group {
                        group.keys.iter().for_each(|it| it.slots_dyn(each));
                        group
                            .aggregates
                            .iter()
                            .flat_map(|it| &it.arguments)
                            .for_each(|it| it.slots_dyn(each));
                    }
                    it.items.iter().for_each(|it| it.0.slots_dyn(each));
                    it.order.iter().for_each(|it| it.0.slots_dyn(each));
                    it.filter.iter().for_each(|it| it.slots_dyn(each));
                }
            }
        }
    }
}
