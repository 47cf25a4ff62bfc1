//! WITH and RETURN: names of columns, aggregation, what ORDER BY and WHERE may speak of.

use super::{Compiler, Context, Result, Scope, Type, undefined};
use crate::ast::{self, Expr, Item, Kind, Name};
use crate::error::{Code, Error};
use crate::plan::{self, Aggregate, AggregateKind, Group, Projection, Slot};
use crate::value::Value;

/// An item under the name of its column.
struct Column {
    name: Name,
    item: Expr,
    aggregates: bool,
}

/// Stands for a part of an expression that was computed already.
fn computed(prefix: &str, index: usize) -> Name {
    // A control character, which the grammar lets nobody write without back-quotes, and no person would.
    Name::from(format!("\u{1}{prefix}{index}"))
}

fn is_aggregate(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::CountAll => true,
        Kind::Call { function, .. } => AggregateKind::of(function).is_some(),
        _ => false,
    }
}

pub(super) fn has_aggregate(expr: &Expr) -> bool {
    is_aggregate(expr) || expr.children().into_iter().any(has_aggregate)
}

/// The parts of a list expression that are computed for each item: no aggregation can stand there.
fn check_bodies(expr: &Expr) -> Result<()> {
    let bodies: Vec<&Expr> = match &expr.kind {
        Kind::Comprehension { filter, map, .. } => filter.iter().chain(map).map(|it| &**it).collect(),
        Kind::Quantifier { filter, .. } => filter.iter().map(|it| &**it).collect(),
        Kind::Reduce { body, .. } => vec![body],
        _ => Vec::new(),
    };
    match bodies.into_iter().find(|it| has_aggregate(it)) {
        Some(found) => Err(misplaced(found.at.0 as usize)),
        None => expr.children().into_iter().try_for_each(check_bodies),
    }
}

pub(super) fn misplaced(at: usize) -> Error {
    Error::syntax(
        Code::InvalidAggregation,
        at,
        "an aggregation can only stand in WITH and RETURN, outside of lists' conditions",
    )
}

fn variables(expr: &Expr, out: &mut Vec<Name>) {
    if let Kind::Variable(name) = &expr.kind {
        out.push(name.clone());
    }
    for child in expr.children() {
        variables(child, out);
    }
}

/// Replaces each part, from the outside in, for which there is a name.
fn replace(expr: &mut Expr, name_of: &mut dyn FnMut(&Expr) -> Result<Option<Name>>) -> Result<()> {
    if let Some(name) = name_of(expr)? {
        expr.kind = Kind::Variable(name);
        return Ok(());
    }
    expr.children_mut().into_iter().try_for_each(|it| replace(it, name_of))
}

/// The items under names that only rewritten expressions use.
fn name_items(columns: &[Column], items: &[(plan::Expr, Slot)], scope: &mut Scope) {
    for (index, (column, (_, slot))) in columns.iter().zip(items).enumerate() {
        scope.add(&computed("item", index), *slot, Type::Any);
        if let Kind::Variable(name) = &column.item.kind
            && scope.find(name).is_none()
        {
            scope.add(name, *slot, Type::Any);
        }
    }
}

impl Compiler {
    pub(super) fn projection(
        &mut self,
        from: &ast::Projection,
        scope: &Scope,
        with: bool,
    ) -> Result<(Projection, Scope)> {
        let columns = columns(from, scope, with)?;
        for order in &from.order {
            check_bodies(&order.expr)?;
        }
        let aggregates = columns.iter().any(|it| it.aggregates);
        let mut out = Projection {
            group: None,
            items: Vec::new(),
            distinct: from.distinct,
            order: Vec::new(),
            skip: self.amount(from.skip.as_ref(), "SKIP")?,
            limit: self.amount(from.limit.as_ref(), "LIMIT")?,
            filter: None,
            width: 0,
        };
        let mut next = Scope::default();
        if aggregates {
            self.grouped(from, &columns, scope, &mut out, &mut next)?;
        } else {
            self.plain(from, &columns, scope, &mut out, &mut next)?;
        }
        // Said last: it is the least of what can be wrong.
        let nameless =
            from.items.iter().find(|it| it.alias.is_none() && !matches!(it.expr.kind, Kind::Variable(_)));
        if let Some(item) = nameless.filter(|_| with) {
            let message = "an expression in WITH needs a name: `… AS name`";
            return Err(Error::syntax(Code::NoExpressionAlias, item.expr.at.0 as usize, message));
        }
        // In the row that comes next, the items are the first slots.
        for (index, known) in next.0.iter_mut().enumerate() {
            known.slot = index;
        }
        Ok((out, next))
    }

    fn plain(
        &mut self,
        from: &ast::Projection,
        columns: &[Column],
        scope: &Scope,
        out: &mut Projection,
        next: &mut Scope,
    ) -> Result<()> {
        for column in columns {
            let (item, kind) = self.expr(&column.item, scope, &Context::default())?;
            let slot = self.slot();
            next.add(&column.name, slot, kind);
            out.items.push((item, slot));
        }
        let mut after = if from.distinct { Scope::default() } else { scope.clone() };
        after.0.extend(next.0.iter().cloned());
        if from.distinct {
            name_items(columns, &out.items, &mut after);
        }
        for order in &from.order {
            if has_aggregate(&order.expr) {
                return Err(misplaced(order.expr.at.0 as usize));
            }
            let mut expr = order.expr.clone();
            if from.distinct {
                replace(&mut expr, &mut |it| Ok(same_item(columns, it)))?;
            }
            out.order.push((self.expr(&expr, &after, &Context::default())?.0, order.descending));
        }
        if let Some(filter) = &from.filter {
            if has_aggregate(filter) {
                return Err(misplaced(filter.at.0 as usize));
            }
            let mut filter = filter.clone();
            if from.distinct {
                replace(&mut filter, &mut |it| Ok(same_item(columns, it)))?;
            }
            out.filter = Some(self.predicate(&filter, &after, &Context::default())?);
        }
        Ok(())
    }

    fn grouped(
        &mut self,
        from: &ast::Projection,
        columns: &[Column],
        scope: &Scope,
        out: &mut Projection,
        next: &mut Scope,
    ) -> Result<()> {
        let keys: Vec<&Column> = columns.iter().filter(|it| !it.aggregates).collect();
        let mut group = Group { keys: Vec::new(), aggregates: Vec::new(), width: 0 };
        let mut grouped = Scope::default();
        let mut kinds = Vec::new();
        for (index, key) in keys.iter().enumerate() {
            let (expr, kind) = self.expr(&key.item, scope, &Context::default())?;
            grouped.add(&computed("key", index), index, kind.clone());
            if let Kind::Variable(name) = &key.item.kind {
                grouped.add(name, index, kind.clone());
            }
            kinds.push(kind);
            group.keys.push(expr);
        }
        // Aggregations are computed in the row of the surroundings.
        let mut calls: Vec<Expr> = Vec::new();
        let mut rewritten: Vec<Expr> = Vec::new();
        for column in columns.iter().filter(|it| it.aggregates) {
            check_bodies(&column.item)?;
            let mut item = column.item.clone();
            replace(&mut item, &mut |it| {
                if is_aggregate(it) {
                    let found = calls.iter().position(|known| known == it);
                    let index = found.unwrap_or_else(|| {
                        calls.push(it.clone());
                        calls.len() - 1
                    });
                    return Ok(Some(computed("aggregate", index)));
                }
                Ok(same_property(&keys, it))
            })?;
            rewritten.push(item);
        }
        for (index, call) in calls.iter().enumerate() {
            let (aggregate, kind) = self.aggregate(call, scope)?;
            grouped.add(&computed("aggregate", index), keys.len() + index, kind);
            group.aggregates.push(aggregate);
        }
        // From here on slots are those of the group's row.
        let width = std::mem::replace(&mut self.width, keys.len() + calls.len());
        let context =
            Context { ambiguous: scope.0.iter().map(|it| it.name.clone()).collect(), ..Context::default() };
        let (mut key, mut rewritten) = (0, rewritten.into_iter());
        for column in columns {
            let (item, kind) = if column.aggregates {
                let item = rewritten.next().unwrap_or_else(|| column.item.clone());
                self.expr(&item, &grouped, &context)?
            } else {
                key += 1;
                (plan::Expr { kind: plan::Kind::Slot(key - 1), at: 0 }, kinds[key - 1].clone())
            };
            let slot = self.slot();
            next.add(&column.name, slot, kind);
            out.items.push((item, slot));
        }
        let mut after = grouped;
        after.0.extend(next.0.iter().cloned());
        name_items(columns, &out.items, &mut after);
        let mut ambiguous = Vec::new();
        for key in keys.iter().filter(|it| !matches!(it.item.kind, Kind::Variable(_))) {
            variables(&key.item, &mut ambiguous);
        }
        for order in &from.order {
            let mut expr = order.expr.clone();
            let mixed = has_aggregate(&expr);
            replace(&mut expr, &mut |it| {
                let item = columns.iter().position(|column| column.item == *it);
                if let Some(index) = item.filter(|index| !mixed || columns[*index].aggregates) {
                    return Ok(Some(computed("item", index)));
                }
                if is_aggregate(it) {
                    let found = calls.iter().position(|known| known == it);
                    let missing = || {
                        let message = "ORDER BY can only use an aggregation that is returned as well";
                        Error::syntax(Code::UndefinedVariable, it.at.0 as usize, message)
                    };
                    return found.map(|index| Some(computed("aggregate", index))).ok_or_else(missing);
                }
                Ok(same_property(&keys, it))
            })?;
            let context = Context {
                ambiguous: if mixed { ambiguous.clone() } else { Vec::new() },
                ..Context::default()
            };
            out.order.push((self.expr(&expr, &after, &context)?.0, order.descending));
        }
        if let Some(filter) = &from.filter {
            let mut filter = filter.clone();
            replace(&mut filter, &mut |it| Ok(same_property(&keys, it)))?;
            out.filter = Some(self.predicate(&filter, &after, &Context::default())?);
        }
        group.width = std::mem::replace(&mut self.width, width);
        out.group = Some(group);
        Ok(())
    }

    fn aggregate(&mut self, call: &Expr, scope: &Scope) -> Result<(Aggregate, Type)> {
        let at = call.at.0 as usize;
        let Kind::Call { function, distinct, arguments } = &call.kind else {
            let aggregate =
                Aggregate { kind: AggregateKind::Count, distinct: false, arguments: Vec::new(), at };
            return Ok((aggregate, Type::Integer));
        };
        let kind = AggregateKind::of(function).unwrap_or(AggregateKind::Count);
        let wanted = match kind {
            AggregateKind::PercentileContinuous | AggregateKind::PercentileDiscrete => 2,
            _ => 1,
        };
        if arguments.len() != wanted {
            let message = format!("`{function}` takes {wanted}, not {} arguments", arguments.len());
            return Err(Error::syntax(Code::InvalidNumberOfArguments, at, message));
        }
        let mut compiled = Vec::new();
        for argument in arguments {
            if has_aggregate(argument) {
                let message = "an aggregation cannot stand within another one; use WITH in between";
                return Err(Error::syntax(Code::NestedAggregation, argument.at.0 as usize, message));
            }
            if is_random(argument) {
                let message = "`rand()` cannot stand within an aggregation";
                return Err(Error::syntax(Code::NonConstantExpression, argument.at.0 as usize, message));
            }
            compiled.push(self.expr(argument, scope, &Context::default())?.0);
        }
        let result = match kind {
            AggregateKind::Count => Type::Integer,
            AggregateKind::Collect => Type::list(),
            _ => Type::Any,
        };
        Ok((Aggregate { kind, distinct: *distinct, arguments: compiled, at }, result))
    }

    /// SKIP and LIMIT: known without any row.
    fn amount(&mut self, from: Option<&Expr>, clause: &str) -> Result<Option<plan::Expr>> {
        let Some(from) = from else { return Ok(None) };
        let at = from.at.0 as usize;
        let mut names = Vec::new();
        variables(from, &mut names);
        if !names.is_empty() || has_aggregate(from) {
            let message = format!("{clause} takes a number that does not depend on rows");
            return Err(Error::syntax(Code::NonConstantExpression, at, message));
        }
        let (expr, kind) = self.expr(from, &Scope::default(), &Context::default())?;
        if let plan::Kind::Constant(Value::Integer(..0)) = expr.kind {
            let message = format!("{clause} takes no negative number");
            return Err(Error::syntax(Code::NegativeIntegerArgument, at, message));
        }
        if !kind.may_be(&[Type::Integer]) {
            let message = format!("{clause} takes an integer, not {}", kind.text());
            return Err(Error::syntax(Code::InvalidArgumentType, at, message));
        }
        Ok(Some(expr))
    }
}

fn is_random(expr: &Expr) -> bool {
    matches!(&expr.kind, Kind::Call { function, .. } if function.eq_ignore_ascii_case("rand"))
        || expr.children().into_iter().any(is_random)
}

fn same_item(columns: &[Column], expr: &Expr) -> Option<Name> {
    columns.iter().position(|it| it.item == *expr).map(|it| computed("item", it))
}

/// `variable.key`, where just this is a key of the group.
fn same_property(keys: &[&Column], expr: &Expr) -> Option<Name> {
    let Kind::Property(of, _) = &expr.kind else { return None };
    let Kind::Variable(_) = of.kind else { return None };
    keys.iter().position(|it| it.item == *expr).map(|it| computed("key", it))
}

fn columns(from: &ast::Projection, scope: &Scope, with: bool) -> Result<Vec<Column>> {
    let at = from.at.0 as usize;
    let mut out: Vec<Column> = Vec::new();
    if from.all {
        for known in scope.visible() {
            let item = Expr { kind: Kind::Variable(known.name.clone()), at: from.at };
            out.push(Column { name: known.name.clone(), item, aggregates: false });
        }
        if out.is_empty() && from.items.is_empty() && !with {
            return Err(Error::syntax(
                Code::NoVariablesInScope,
                at,
                "`*` stands for all variables, and there are none",
            ));
        }
    }
    for Item { expr, alias, text } in &from.items {
        let name = match (alias, &expr.kind) {
            (Some(alias), _) => alias.clone(),
            (None, Kind::Variable(name)) => name.clone(),
            (None, _) => text.0.clone(),
        };
        if out.iter().any(|it| it.name == name) {
            let message = format!("two columns have the name `{name}`");
            return Err(Error::syntax(Code::ColumnNameConflict, expr.at.0 as usize, message));
        }
        out.push(Column { name, item: expr.clone(), aggregates: has_aggregate(expr) });
    }
    Ok(out)
}

impl Context {
    /// What to say of a name that is not in scope.
    pub(super) fn missing(&self, name: &Name, at: usize) -> Error {
        if self.ambiguous.contains(name) {
            let message = format!(
                "`{name}` differs between the rows that are aggregated; return it as a column of its own"
            );
            return Error::syntax(Code::AmbiguousAggregationExpression, at, message);
        }
        undefined(name, at)
    }
}
