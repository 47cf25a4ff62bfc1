//! Patterns: which of their elements are known, which are new.

use super::{Compiler, Context, Result, Scope, Type, bound, undefined};
use crate::ast::{self, Kind, Name, PathPattern, Selection, Variable};
use crate::error::{Code, Error};
use crate::plan::{Expr, Match, Node, Path, Relationship, Slot};

/// How a pattern may use variables.
#[derive(Clone, Copy, PartialEq)]
enum Names {
    /// New ones are introduced.
    New,
    /// All of them must be known: a pattern that is a predicate.
    Known,
}

/// Properties that are compiled once all variables are known: of a node or a relationship, which one, what they say.
type Waiting<'a> = (bool, usize, &'a [(Name, ast::Expr)]);

struct Building<'a> {
    matched: Match,
    scope: &'a mut Scope,
    /// Relationships of this clause by name: each stands once.
    seen: Vec<Name>,
    names: Names,
}

impl Compiler {
    pub(super) fn clause_match(
        &mut self,
        patterns: &[PathPattern],
        filter: Option<&ast::Expr>,
        optional: bool,
        at: usize,
        scope: &mut Scope,
    ) -> Result<Match> {
        let mut matched = self.patterns(patterns, at, scope, Names::New)?;
        matched.optional = optional;
        if let Some(filter) = filter {
            matched.filters = self.filters(filter, scope)?;
        }
        Ok(matched)
    }

    /// A pattern within an expression. New variables stay in the scope that is handed in.
    pub(super) fn expression_pattern(
        &mut self,
        pattern: &PathPattern,
        filter: Option<&ast::Expr>,
        at: usize,
        scope: &mut Scope,
        predicate: bool,
    ) -> Result<Match> {
        let names = if predicate { Names::Known } else { Names::New };
        let mut matched = self.patterns(std::slice::from_ref(pattern), at, scope, names)?;
        if let Some(filter) = filter {
            matched.filters = self.filters(filter, scope)?;
        }
        Ok(matched)
    }

    /// A condition taken apart at AND, so that each part is tested as early as can be.
    pub(super) fn filters(&mut self, filter: &ast::Expr, scope: &Scope) -> Result<Vec<Expr>> {
        match &filter.kind {
            Kind::And(items) => {
                let mut out = Vec::new();
                for item in items {
                    out.extend(self.filters(item, scope)?);
                }
                Ok(out)
            }
            _ => Ok(vec![self.predicate(filter, scope, &Context::default())?]),
        }
    }

    fn patterns(
        &mut self,
        patterns: &[PathPattern],
        at: usize,
        scope: &mut Scope,
        names: Names,
    ) -> Result<Match> {
        let matched = Match {
            optional: false,
            nodes: Vec::new(),
            relationships: Vec::new(),
            paths: Vec::new(),
            filters: Vec::new(),
            introduced: Vec::new(),
            at,
        };
        let mut building = Building { matched, scope, seen: Vec::new(), names };
        let mut properties: Vec<Waiting<'_>> = Vec::new();
        for pattern in patterns {
            self.path(pattern, &mut building, &mut properties)?;
        }
        let Building { mut matched, scope, .. } = building;
        // Only now: properties may speak of any variable of the clause.
        for (of_node, index, entries) in properties {
            for (key, value) in entries {
                let (value, _) = self.expr(value, scope, &Context::default())?;
                if of_node {
                    matched.nodes[index].properties.push((key.clone(), value));
                } else {
                    matched.relationships[index].properties.push((key.clone(), value));
                }
            }
        }
        Ok(matched)
    }

    fn path<'a>(
        &mut self,
        pattern: &'a PathPattern,
        building: &mut Building<'_>,
        properties: &mut Vec<Waiting<'a>>,
    ) -> Result<()> {
        let start = self.node(&pattern.start, building)?;
        properties.push((true, start, &pattern.start.properties));
        let mut left = start;
        let mut relationships = Vec::new();
        for (relationship, node) in &pattern.steps {
            // The relationship is looked at first, so that what it says of a name counts.
            let slot = self.relationship(relationship, building)?;
            let right = self.node(node, building)?;
            properties.push((true, right, &node.properties));
            let index = building.matched.relationships.len();
            building.matched.relationships.push(Relationship {
                slot: slot.0,
                bound: slot.1,
                left,
                right,
                arrow: relationship.arrow,
                types: relationship.types.clone(),
                properties: Vec::new(),
                length: relationship.length.map(|it| (it.min.unwrap_or(1), it.max.unwrap_or(u64::MAX))),
                shortest: pattern.selection != Selection::All,
            });
            properties.push((false, index, &relationship.properties));
            relationships.push(index);
            left = right;
        }
        let mut slot = None;
        if let Some(variable) = &pattern.variable {
            if building.scope.find(&variable.name).is_some() {
                return Err(bound(variable));
            }
            slot = Some(self.introduce(variable, Type::Path, building));
        }
        if slot.is_some() || pattern.selection != Selection::All {
            building.matched.paths.push(Path { slot, selection: pattern.selection, start, relationships });
        }
        Ok(())
    }

    fn introduce(&mut self, variable: &Variable, kind: Type, building: &mut Building<'_>) -> Slot {
        let slot = self.slot();
        building.scope.add(&variable.name, slot, kind);
        building.matched.introduced.push(slot);
        slot
    }

    fn node(&mut self, pattern: &ast::NodePattern, building: &mut Building<'_>) -> Result<usize> {
        let (slot, is_bound) = match &pattern.variable {
            None => {
                let slot = self.slot();
                building.matched.introduced.push(slot);
                (slot, false)
            }
            Some(variable) => match building.scope.find(&variable.name) {
                Some(known) if !known.kind.may_be(&[Type::Node]) => {
                    return Err(conflict(variable, &known.kind, "a node"));
                }
                Some(known) => (known.slot, true),
                None if building.names == Names::Known => {
                    return Err(undefined(&variable.name, variable.at.0 as usize));
                }
                None => (self.introduce(variable, Type::Node, building), false),
            },
        };
        let nodes = &mut building.matched.nodes;
        if let Some(index) = nodes.iter().position(|it| it.slot == slot) {
            nodes[index].labels.extend(pattern.labels.iter().cloned());
            return Ok(index);
        }
        let (labels, properties) = (pattern.labels.clone(), Vec::new());
        nodes.push(Node { slot, bound: is_bound, labels, properties });
        Ok(nodes.len() - 1)
    }

    fn relationship(
        &mut self,
        pattern: &ast::RelationshipPattern,
        building: &mut Building<'_>,
    ) -> Result<(Slot, bool)> {
        let kind = match pattern.length {
            Some(_) => Type::List(Box::new(Type::Relationship)),
            None => Type::Relationship,
        };
        let Some(variable) = &pattern.variable else {
            let slot = self.slot();
            building.matched.introduced.push(slot);
            return Ok((slot, false));
        };
        let known = building.scope.find(&variable.name).cloned();
        if let Some(known) = &known
            && !known.kind.may_be(std::slice::from_ref(&kind))
        {
            return Err(conflict(variable, &known.kind, kind.text()));
        }
        if building.seen.contains(&variable.name) {
            let message = format!("the relationship `{}` cannot stand twice in one pattern", variable.name);
            return Err(Error::syntax(
                Code::RelationshipUniquenessViolation,
                variable.at.0 as usize,
                message,
            ));
        }
        building.seen.push(variable.name.clone());
        match known {
            Some(known) => Ok((known.slot, true)),
            None if building.names == Names::Known => Err(undefined(&variable.name, variable.at.0 as usize)),
            None => Ok((self.introduce(variable, kind, building), false)),
        }
    }
}

fn conflict(variable: &Variable, known: &Type, wanted: &str) -> Error {
    let message = format!("`{}` is {}, and cannot be {wanted} here", variable.name, known.text());
    Error::syntax(Code::VariableTypeConflict, variable.at.0 as usize, message)
}
