//! Tree -> plan: names are resolved, types are checked as far as the text tells them.

mod expression;
mod pattern;
mod projection;

use crate::ast::{self, Clause, Name};
use crate::error::{Code, Error};
use crate::plan::{Part, Plan, Slot, Stage};

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// What the text says of a value; every value may be null as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Type {
    /// Nothing is known.
    Any,
    Null,
    Boolean,
    Integer,
    Float,
    String,
    List(Box<Type>),
    Map,
    Node,
    Relationship,
    Path,
    Temporal,
}

impl Type {
    pub(crate) fn list() -> Self {
        Self::List(Box::new(Self::Any))
    }

    /// Whether a value of it may be one of those; `List` stands for lists of anything.
    pub(crate) fn may_be(&self, wanted: &[Type]) -> bool {
        matches!(self, Self::Any | Self::Null)
            || wanted.iter().any(|it| it == self || matches!((it, self), (Self::List(_), Self::List(_))))
    }

    pub(crate) fn text(&self) -> &'static str {
        match self {
            Self::Any => "a value",
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Integer => "an integer",
            Self::Float => "a float",
            Self::String => "a string",
            Self::List(_) => "a list",
            Self::Map => "a map",
            Self::Node => "a node",
            Self::Relationship => "a relationship",
            Self::Path => "a path",
            Self::Temporal => "a temporal value",
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) name: Name,
    pub(crate) slot: Slot,
    pub(crate) kind: Type,
}

/// The variables that can be named at a place; the last of a name counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope(Vec<Known>);

impl Scope {
    pub(crate) fn find(&self, name: &str) -> Option<&Known> {
        self.0.iter().rev().find(|it| *it.name == *name)
    }

    pub(crate) fn add(&mut self, name: &Name, slot: Slot, kind: Type) {
        self.0.push(Known { name: name.clone(), slot, kind });
    }

    /// The visible ones, in the order of their names.
    fn visible(&self) -> Vec<&Known> {
        let mut out: Vec<&Known> = Vec::new();
        for known in self.0.iter().rev() {
            if !out.iter().any(|it| it.name == known.name) {
                out.push(known);
            }
        }
        out.sort_by(|a, b| a.name.cmp(&b.name));
        out
    }
}

/// What must not stand where an expression is compiled.
#[derive(Debug, Clone, Default)]
pub(crate) struct Context {
    /// Patterns are predicates: allowed where a truth value is asked for.
    predicate: bool,
    /// Names that exist, but cannot be used next to an aggregation.
    ambiguous: Vec<Name>,
}

pub(crate) struct Compiler {
    /// The slots of the row that is being built.
    width: usize,
}

pub(crate) fn compile(statement: &ast::Statement) -> Result<Plan> {
    let mut compiler = Compiler { width: 0 };
    let (parts, columns) = compiler.statement(statement, None)?;
    Ok(Plan { columns, parts, all: statement.all })
}

impl Compiler {
    fn slot(&mut self) -> Slot {
        self.width += 1;
        self.width - 1
    }

    /// With the scope around it, of a subquery, which runs on the same row.
    fn statement(
        &mut self,
        statement: &ast::Statement,
        outer: Option<&Scope>,
    ) -> Result<(Vec<Part>, Vec<Name>)> {
        let mut columns: Option<Vec<Name>> = None;
        let mut parts = Vec::new();
        for single in &statement.parts {
            let (part, names) = self.single(single, outer)?;
            match &columns {
                Some(columns) if outer.is_none() && *columns != names => {
                    let offset = single.clauses.last().map_or(0, offset_of);
                    let message = "the queries of a UNION return columns of the same names in the same order";
                    return Err(Error::syntax(Code::DifferentColumnsInUnion, offset, message));
                }
                Some(_) => {}
                None => columns = Some(names),
            }
            parts.push(part);
        }
        Ok((parts, columns.unwrap_or_default()))
    }

    fn single(&mut self, single: &ast::Single, outer: Option<&Scope>) -> Result<(Part, Vec<Name>)> {
        if outer.is_none() {
            self.width = 0;
        }
        let mut scope = outer.cloned().unwrap_or_default();
        let mut part = Part { width: 0, stages: Vec::new() };
        let mut columns = Vec::new();
        // The projection that begins the current row; none: it is the first.
        let mut begun_by = None;
        let mut first_width = 0;
        for clause in &single.clauses {
            match clause {
                Clause::Match { optional, patterns, filter, at } => {
                    let compiled =
                        self.clause_match(patterns, filter.as_ref(), *optional, at.0 as usize, &mut scope)?;
                    part.stages.push(Stage::Match(compiled));
                }
                Clause::Unwind { list, variable } => {
                    let (list, kind) = self.expr(list, &scope, &Context::default())?;
                    if scope.find(&variable.name).is_some() {
                        return Err(bound(variable));
                    }
                    let slot = self.slot();
                    let item = match kind {
                        Type::List(item) => *item,
                        _ => Type::Any,
                    };
                    scope.add(&variable.name, slot, item);
                    part.stages.push(Stage::Unwind { list, slot });
                }
                Clause::With(it) | Clause::Return(it) => {
                    let with = matches!(clause, Clause::With(_));
                    let (projection, next) = self.projection(it, &scope, with)?;
                    close(&mut part, begun_by, self.width);
                    if begun_by.is_none() {
                        first_width = self.width;
                    }
                    begun_by = Some(part.stages.len());
                    self.width = projection.items.len();
                    part.stages.push(Stage::Project(projection));
                    columns = next.0.iter().map(|it| it.name.clone()).collect();
                    scope = next;
                }
            }
        }
        close(&mut part, begun_by, self.width);
        if begun_by.is_some() {
            self.width = first_width;
        }
        Ok((part, columns))
    }
}

fn close(part: &mut Part, begun_by: Option<usize>, width: usize) {
    match begun_by.and_then(|it| part.stages.get_mut(it)) {
        Some(Stage::Project(it)) => it.width = width,
        _ => part.width = width,
    }
}

fn offset_of(clause: &Clause) -> usize {
    match clause {
        Clause::Match { at, .. } => at.0 as usize,
        Clause::Unwind { variable, .. } => variable.at.0 as usize,
        Clause::With(it) | Clause::Return(it) => it.at.0 as usize,
    }
}

pub(crate) fn bound(variable: &ast::Variable) -> Error {
    let message = format!("`{}` is a variable already", variable.name);
    Error::syntax(Code::VariableAlreadyBound, variable.at.0 as usize, message)
}

pub(crate) fn undefined(name: &str, at: usize) -> Error {
    Error::syntax(Code::UndefinedVariable, at, format!("`{name}` is no variable here"))
}
