//! What a query says, as it was written.
//!
//! Two trees are equal when they say the same, wherever in the text it stands. `Display` writes a tree as a query that
//! parses to an equal tree.

use std::fmt;
use std::sync::Arc;

/// Where something stands: a byte offset into the query. All are equal: a place is no part of what is said.
#[derive(Clone, Copy, Default)]
pub struct At(pub u32);

impl PartialEq for At {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for At {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "@{}", self.0)
    }
}

/// A name of a variable, label, type, key or parameter.
pub type Name = Arc<str>;

/// Queries joined by UNION.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// At least one.
    pub parts: Vec<Single>,
    /// UNION ALL: repeated rows stay.
    pub all: bool,
}

/// Clauses in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Single {
    /// At least one.
    pub clauses: Vec<Clause>,
}

/// A clause.
#[derive(Debug, Clone, PartialEq)]
pub enum Clause {
    /// `[OPTIONAL] MATCH patterns [WHERE …]`
    Match {
        /// OPTIONAL.
        optional: bool,
        /// At least one.
        patterns: Vec<PathPattern>,
        /// WHERE.
        filter: Option<Expr>,
        /// Where it stands.
        at: At,
    },
    /// `UNWIND list AS variable`
    Unwind {
        /// What is unwound.
        list: Expr,
        /// The name of each item.
        variable: Variable,
    },
    /// `WITH …`
    With(Projection),
    /// `RETURN …`
    Return(Projection),
}

/// What WITH and RETURN have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection {
    /// DISTINCT.
    pub distinct: bool,
    /// `*`: all variables in scope come first.
    pub all: bool,
    /// Expressions with their names.
    pub items: Vec<Item>,
    /// ORDER BY.
    pub order: Vec<SortItem>,
    /// SKIP.
    pub skip: Option<Expr>,
    /// LIMIT.
    pub limit: Option<Expr>,
    /// WHERE, of WITH only.
    pub filter: Option<Expr>,
    /// Where it stands.
    pub at: At,
}

/// `expression [AS alias]`
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// What is projected.
    pub expr: Expr,
    /// Its name.
    pub alias: Option<Name>,
    /// The text of the expression, which names the column where there is no alias.
    pub text: Text,
}

/// Text as it stood in the query; all are equal.
#[derive(Debug, Clone, Default)]
pub struct Text(pub Name);

impl PartialEq for Text {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// `expression [DESC]`
#[derive(Debug, Clone, PartialEq)]
pub struct SortItem {
    /// What is sorted by.
    pub expr: Expr,
    /// The highest first.
    pub descending: bool,
}

/// A variable and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// Where it stands.
    pub at: At,
}

/// `[variable =] [shortestPath(] (a)-[r]->(b)… [)]`
#[derive(Debug, Clone, PartialEq)]
pub struct PathPattern {
    /// The name of the path.
    pub variable: Option<Variable>,
    /// Which paths between its ends.
    pub selection: Selection,
    /// Where it begins.
    pub start: NodePattern,
    /// Each relationship and the node behind it.
    pub steps: Vec<(RelationshipPattern, NodePattern)>,
}

/// Which paths between two ends a pattern means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// All.
    All,
    /// One of the shortest.
    Shortest,
    /// All of the shortest.
    AllShortest,
}

/// Labels that must hold: all of the groups, any within a group.
pub type Labels = Vec<Vec<Name>>;

/// `(variable:Label {key: value})`
#[derive(Debug, Clone, PartialEq)]
pub struct NodePattern {
    /// Its name.
    pub variable: Option<Variable>,
    /// Labels that it must have.
    pub labels: Labels,
    /// Properties that it must have.
    pub properties: Vec<(Name, Expr)>,
    /// Where it stands.
    pub at: At,
}

/// `-[variable:TYPE*1..3 {key: value}]->`
#[derive(Debug, Clone, PartialEq)]
pub struct RelationshipPattern {
    /// Its name.
    pub variable: Option<Variable>,
    /// Types, any of which will do; none: any type.
    pub types: Vec<Name>,
    /// How often, for variable-length patterns.
    pub length: Option<Length>,
    /// Properties that it, or each of it, must have.
    pub properties: Vec<(Name, Expr)>,
    /// Which way.
    pub arrow: Arrow,
    /// Where it stands.
    pub at: At,
}

/// `*minimum..maximum`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Length {
    /// At least as many; 1 where nothing is said.
    pub min: Option<u64>,
    /// At most as many.
    pub max: Option<u64>,
}

/// The direction of a relationship as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrow {
    /// `<--`
    Left,
    /// `-->`
    Right,
    /// `--` and `<-->`
    Both,
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub at: At,
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each says what it is")]
pub enum Kind {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    String(Name),
    Parameter(Name),
    Variable(Name),
    List(Vec<Expr>),
    Map(Vec<(Name, Expr)>),
    /// `variable {.key, .*, key: value, other}`
    MapProjection(Box<Expr>, Vec<Selector>),
    Property(Box<Expr>, Name),
    Index(Box<Expr>, Box<Expr>),
    Slice(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    HasLabels(Box<Expr>, Labels),
    /// Of two and more.
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Xor(Vec<Expr>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    /// `a < b <= c`: the first, and each further one with its operator.
    Compare(Box<Expr>, Vec<(Comparison, Expr)>),
    Arithmetic(Operator, Box<Expr>, Box<Expr>),
    In(Box<Expr>, Box<Expr>),
    Text(TextTest, Box<Expr>, Box<Expr>),
    IsNull {
        operand: Box<Expr>,
        negated: bool,
    },
    Case {
        operand: Option<Box<Expr>>,
        arms: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    Comprehension {
        variable: Variable,
        list: Box<Expr>,
        filter: Option<Box<Expr>>,
        map: Option<Box<Expr>>,
    },
    Quantifier {
        kind: Quantifier,
        variable: Variable,
        list: Box<Expr>,
        filter: Option<Box<Expr>>,
    },
    Reduce {
        accumulator: Variable,
        start: Box<Expr>,
        variable: Variable,
        list: Box<Expr>,
        body: Box<Expr>,
    },
    Call {
        function: Name,
        distinct: bool,
        arguments: Vec<Expr>,
    },
    CountAll,
    /// A pattern as a predicate.
    Pattern(Box<PathPattern>),
    PatternComprehension {
        pattern: Box<PathPattern>,
        filter: Option<Box<Expr>>,
        map: Box<Expr>,
    },
    Exists(Box<Statement>),
    Count(Box<Statement>),
}

/// A part of a map projection.
#[derive(Debug, Clone, PartialEq)]
pub enum Selector {
    /// `.*`
    All,
    /// `.key`
    Property(Name),
    /// `key: value`, and `variable` as `variable: variable`.
    Entry(Name, Expr),
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// An arithmetic operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
}

/// A test of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TextTest {
    StartsWith,
    EndsWith,
    Contains,
    Matches,
}

/// A quantifier over a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Quantifier {
    All,
    Any,
    None,
    Single,
}

impl Expr {
    /// The expressions directly within, but for those of patterns and subqueries, which have scopes of their own.
    pub fn children(&self) -> Vec<&Self> {
        let mut out: Vec<&Self> = Vec::new();
        match &self.kind {
            Kind::Null
            | Kind::Boolean(_)
            | Kind::Integer(_)
            | Kind::Float(_)
            | Kind::String(_)
            | Kind::Parameter(_)
            | Kind::Variable(_)
            | Kind::CountAll
            | Kind::Pattern(_)
            | Kind::PatternComprehension { .. }
            | Kind::Exists(_)
            | Kind::Count(_) => {}
            Kind::List(items) | Kind::And(items) | Kind::Or(items) | Kind::Xor(items) => out.extend(items),
            Kind::Call { arguments, .. } => out.extend(arguments),
            Kind::Map(entries) => out.extend(entries.iter().map(|it| &it.1)),
            Kind::MapProjection(base, selectors) => {
                out.push(base);
                out.extend(selectors.iter().filter_map(|it| match it {
                    Selector::Entry(_, value) => Some(value),
                    _ => None,
                }));
            }
            Kind::Property(of, _) | Kind::HasLabels(of, _) | Kind::Not(of) | Kind::Negate(of) => out.push(of),
            Kind::IsNull { operand, .. } => out.push(operand),
            Kind::Index(a, b) | Kind::Arithmetic(_, a, b) | Kind::In(a, b) | Kind::Text(_, a, b) => {
                out.extend([&**a, b]);
            }
            Kind::Slice(of, from, to) => {
                out.push(of);
                out.extend(from.iter().chain(to).map(|it| &**it));
            }
            Kind::Compare(first, rest) => {
                out.push(first);
                out.extend(rest.iter().map(|it| &it.1));
            }
            Kind::Case { operand, arms, otherwise } => {
                out.extend(operand.iter().map(|it| &**it));
                out.extend(arms.iter().flat_map(|(when, then)| [when, then]));
                out.extend(otherwise.iter().map(|it| &**it));
            }
            Kind::Comprehension { list, filter, map, .. } => {
                out.push(list);
                out.extend(filter.iter().chain(map).map(|it| &**it));
            }
            Kind::Quantifier { list, filter, .. } => {
                out.push(list);
                out.extend(filter.iter().map(|it| &**it));
            }
            Kind::Reduce { start, list, body, .. } => out.extend([&**start, list, body]),
        }
        out
    }

    /// The same, to be changed; in the same order.
    pub fn children_mut(&mut self) -> Vec<&mut Self> {
        let mut out: Vec<&mut Self> = Vec::new();
        match &mut self.kind {
            Kind::Null
            | Kind::Boolean(_)
            | Kind::Integer(_)
            | Kind::Float(_)
            | Kind::String(_)
            | Kind::Parameter(_)
            | Kind::Variable(_)
            | Kind::CountAll
            | Kind::Pattern(_)
            | Kind::PatternComprehension { .. }
            | Kind::Exists(_)
            | Kind::Count(_) => {}
            Kind::List(items) | Kind::And(items) | Kind::Or(items) | Kind::Xor(items) => out.extend(items),
            Kind::Call { arguments, .. } => out.extend(arguments),
            Kind::Map(entries) => out.extend(entries.iter_mut().map(|it| &mut it.1)),
            Kind::MapProjection(base, selectors) => {
                out.push(base);
                out.extend(selectors.iter_mut().filter_map(|it| match it {
                    Selector::Entry(_, value) => Some(value),
                    _ => None,
                }));
            }
            Kind::Property(of, _) | Kind::HasLabels(of, _) | Kind::Not(of) | Kind::Negate(of) => out.push(of),
            Kind::IsNull { operand, .. } => out.push(operand),
            Kind::Index(a, b) | Kind::Arithmetic(_, a, b) | Kind::In(a, b) | Kind::Text(_, a, b) => {
                out.extend([&mut **a, b]);
            }
            Kind::Slice(of, from, to) => {
                out.push(of);
                out.extend(from.iter_mut().chain(to).map(|it| &mut **it));
            }
            Kind::Compare(first, rest) => {
                out.push(first);
                out.extend(rest.iter_mut().map(|it| &mut it.1));
            }
            Kind::Case { operand, arms, otherwise } => {
                out.extend(operand.iter_mut().map(|it| &mut **it));
                out.extend(arms.iter_mut().flat_map(|(when, then)| [when, then]));
                out.extend(otherwise.iter_mut().map(|it| &mut **it));
            }
            Kind::Comprehension { list, filter, map, .. } => {
                out.push(list);
                out.extend(filter.iter_mut().chain(map).map(|it| &mut **it));
            }
            Kind::Quantifier { list, filter, .. } => {
                out.push(list);
                out.extend(filter.iter_mut().map(|it| &mut **it));
            }
            Kind::Reduce { start, list, body, .. } => out.extend([&mut **start, list, body]),
        }
        out
    }
}
