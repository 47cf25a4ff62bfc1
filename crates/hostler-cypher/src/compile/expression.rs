//! Expressions, with as much of their types as the text tells.

use super::projection::{has_aggregate, misplaced};
use super::{Compiler, Context, Result, Scope, Type};
use crate::ast::{self, Kind as Ast, Operator, Variable};
use crate::error::{Class, Code, Error, Phase};
use crate::functions;
use crate::plan::{AggregateKind, Expr, Kind, Part, Selector, Stage};
use crate::value::Value;

const NUMBERS: [Type; 3] = [Type::Integer, Type::Float, Type::Temporal];

fn wrong(at: usize, message: impl Into<String>) -> Error {
    Error::syntax(Code::InvalidArgumentType, at, message)
}

impl Compiler {
    /// An expression that is asked for a truth value.
    pub(super) fn predicate(&mut self, expr: &ast::Expr, scope: &Scope, context: &Context) -> Result<Expr> {
        if has_aggregate(expr) {
            return Err(misplaced(expr.at.0 as usize));
        }
        self.truth(expr, scope, &Context { predicate: true, ..context.clone() })
    }

    fn truth(&mut self, expr: &ast::Expr, scope: &Scope, context: &Context) -> Result<Expr> {
        let (compiled, kind) = self.expr(expr, scope, context)?;
        if kind.may_be(&[Type::Boolean]) {
            return Ok(compiled);
        }
        Err(wrong(expr.at.0 as usize, format!("true or false is expected here, not {}", kind.text())))
    }

    fn truths(&mut self, exprs: &[ast::Expr], scope: &Scope, context: &Context) -> Result<Vec<Expr>> {
        exprs.iter().map(|it| self.truth(it, scope, context)).collect()
    }

    fn boxed(&mut self, expr: &ast::Expr, scope: &Scope, context: &Context) -> Result<Box<Expr>> {
        Ok(Box::new(self.expr(expr, scope, context)?.0))
    }

    fn optional(
        &mut self,
        expr: Option<&ast::Expr>,
        scope: &Scope,
        context: &Context,
    ) -> Result<Option<Box<Expr>>> {
        expr.map(|it| self.boxed(it, scope, context)).transpose()
    }

    pub(super) fn expr(
        &mut self,
        expr: &ast::Expr,
        scope: &Scope,
        context: &Context,
    ) -> Result<(Expr, Type)> {
        let at = expr.at.0 as usize;
        // Only what passes a truth value on lets a pattern stand below it.
        let passes =
            matches!(expr.kind, Ast::And(_) | Ast::Or(_) | Ast::Xor(_) | Ast::Not(_) | Ast::Pattern(_));
        let kept;
        let context = if passes {
            context
        } else {
            kept = Context { predicate: false, ..context.clone() };
            &kept
        };
        let (kind, known) = self.kind(expr, at, scope, context)?;
        Ok((Expr { kind, at }, known))
    }

    fn kind(
        &mut self,
        expr: &ast::Expr,
        at: usize,
        scope: &Scope,
        context: &Context,
    ) -> Result<(Kind, Type)> {
        Ok(match &expr.kind {
            Ast::Null => (Kind::Constant(Value::Null), Type::Null),
            Ast::Boolean(it) => (Kind::Constant(Value::Boolean(*it)), Type::Boolean),
            Ast::Integer(it) => (Kind::Constant(Value::Integer(*it)), Type::Integer),
            Ast::Float(it) => (Kind::Constant(Value::Float(*it)), Type::Float),
            Ast::String(it) => (Kind::Constant(Value::String(it.clone())), Type::String),
            Ast::Parameter(it) => (Kind::Parameter(it.clone()), Type::Any),
            Ast::Variable(it) => {
                let known = scope.find(it).ok_or_else(|| context.missing(it, at))?;
                (Kind::Slot(known.slot), known.kind.clone())
            }
            Ast::List(items) => self.list(items, scope, context)?,
            Ast::Map(entries) => {
                let mut out = Vec::new();
                for (key, value) in entries {
                    out.push((key.clone(), self.expr(value, scope, context)?.0));
                }
                (Kind::Map(out), Type::Map)
            }
            Ast::MapProjection(base, selectors) => self.map_projection(base, selectors, scope, context)?,
            Ast::Property(of, key) => {
                let (of, known) = self.expr(of, scope, context)?;
                check_holder(&known, at)?;
                (Kind::Property(Box::new(of), key.clone()), Type::Any)
            }
            Ast::Index(of, index) => self.index(of, index, scope, context)?,
            Ast::Slice(of, from, to) => {
                let of = self.boxed(of, scope, context)?;
                let from = self.optional(from.as_deref(), scope, context)?;
                (Kind::Slice(of, from, self.optional(to.as_deref(), scope, context)?), Type::list())
            }
            Ast::HasLabels(of, labels) => {
                let (of, known) = self.expr(of, scope, context)?;
                if !known.may_be(&[Type::Node, Type::Relationship]) {
                    return Err(wrong(at, format!("a node has labels, {} has none", known.text())));
                }
                (Kind::HasLabels(Box::new(of), labels.clone()), Type::Boolean)
            }
            Ast::And(items) => (Kind::And(self.truths(items, scope, context)?), Type::Boolean),
            Ast::Or(items) => (Kind::Or(self.truths(items, scope, context)?), Type::Boolean),
            Ast::Xor(items) => (Kind::Xor(self.truths(items, scope, context)?), Type::Boolean),
            Ast::Not(of) => (Kind::Not(Box::new(self.truth(of, scope, context)?)), Type::Boolean),
            Ast::Negate(of) => {
                let (of, known) = self.expr(of, scope, context)?;
                if !known.may_be(&NUMBERS) {
                    return Err(wrong(at, format!("`-` takes a number, not {}", known.text())));
                }
                (Kind::Negate(Box::new(of)), known)
            }
            Ast::Compare(first, rest) => {
                let first = self.boxed(first, scope, context)?;
                let mut out = Vec::new();
                for (operator, next) in rest {
                    out.push((*operator, self.expr(next, scope, context)?.0));
                }
                (Kind::Compare(first, out), Type::Boolean)
            }
            Ast::Arithmetic(operator, left, right) => {
                let (left, a) = self.expr(left, scope, context)?;
                let (right, b) = self.expr(right, scope, context)?;
                let known = arithmetic(*operator, &a, &b, at)?;
                (Kind::Arithmetic(*operator, Box::new(left), Box::new(right)), known)
            }
            Ast::In(item, list) => {
                let item = self.boxed(item, scope, context)?;
                let (list, known) = self.expr(list, scope, context)?;
                if !known.may_be(&[Type::list()]) {
                    return Err(wrong(at, format!("IN takes a list, not {}", known.text())));
                }
                (Kind::In(item, Box::new(list)), Type::Boolean)
            }
            Ast::Text(test, left, right) => {
                let left = self.boxed(left, scope, context)?;
                (Kind::Text(*test, left, self.boxed(right, scope, context)?), Type::Boolean)
            }
            Ast::IsNull { operand, negated } => {
                (Kind::IsNull(self.boxed(operand, scope, context)?, *negated), Type::Boolean)
            }
            Ast::Case { operand, arms, otherwise } => {
                let operand = self.optional(operand.as_deref(), scope, context)?;
                let mut out = Vec::new();
                for (when, then) in arms {
                    let when = match operand {
                        Some(_) => self.expr(when, scope, context)?.0,
                        None => self.truth(when, scope, &Context { predicate: true, ..context.clone() })?,
                    };
                    out.push((when, self.expr(then, scope, context)?.0));
                }
                let otherwise = self.optional(otherwise.as_deref(), scope, context)?;
                (Kind::Case { operand, arms: out, otherwise }, Type::Any)
            }
            Ast::Comprehension { variable, list, filter, map } => {
                let (list, slot, inner, item) = self.item_scope(variable, list, scope, context)?;
                let filter = self.item_filter(filter.as_deref(), &inner, context)?;
                let mut known = item;
                let mut mapped = None;
                if let Some(map) = map {
                    let (map, kind) = self.expr(map, &inner, context)?;
                    (mapped, known) = (Some(Box::new(map)), kind);
                }
                (Kind::Comprehension { slot, list, filter, map: mapped }, Type::List(Box::new(known)))
            }
            Ast::Quantifier { kind, variable, list, filter } => {
                let (list, slot, inner, _) = self.item_scope(variable, list, scope, context)?;
                let filter = self.item_filter(filter.as_deref(), &inner, context)?;
                (Kind::Quantifier { kind: *kind, slot, list, filter }, Type::Boolean)
            }
            Ast::Reduce { accumulator, start, variable, list, body } => {
                let start = self.boxed(start, scope, context)?;
                let (list, slot, mut inner, _) = self.item_scope(variable, list, scope, context)?;
                let total = self.slot();
                inner.add(&accumulator.name, total, Type::Any);
                let body = self.boxed(body, &inner, context)?;
                (Kind::Reduce { accumulator: total, start, slot, list, body }, Type::Any)
            }
            Ast::Call { function, distinct, arguments } => {
                return self.call(function, *distinct, arguments, at, scope, context);
            }
            Ast::CountAll => return Err(misplaced(at)),
            Ast::Pattern(pattern) if context.predicate => {
                (self.exists_pattern(pattern, at, scope)?, Type::Boolean)
            }
            Ast::Pattern(_) => {
                let message = "a pattern is a condition: it stands in WHERE, `exists(…)` or a pattern comprehension `[… | …]`";
                return Err(Error::syntax(Code::UnexpectedSyntax, at, message));
            }
            Ast::PatternComprehension { pattern, filter, map } => {
                let mut inner = scope.clone();
                let matched = self.expression_pattern(pattern, filter.as_deref(), at, &mut inner, false)?;
                let (map, known) = self.expr(map, &inner, context)?;
                let part = Box::new(Part { width: 0, stages: vec![Stage::Match(matched)] });
                (Kind::PatternComprehension { part, map: Box::new(map) }, Type::List(Box::new(known)))
            }
            Ast::Exists(query) => {
                let (parts, _) = self.statement(query, Some(scope))?;
                (Kind::Exists(parts), Type::Boolean)
            }
            Ast::Count(query) => {
                let (parts, _) = self.statement(query, Some(scope))?;
                (Kind::Count(parts, query.all || query.parts.len() == 1), Type::Integer)
            }
        })
    }

    fn exists_pattern(&mut self, pattern: &ast::PathPattern, at: usize, scope: &Scope) -> Result<Kind> {
        let matched = self.expression_pattern(pattern, None, at, &mut scope.clone(), true)?;
        Ok(Kind::Exists(vec![Part { width: 0, stages: vec![Stage::Match(matched)] }]))
    }

    fn list(&mut self, items: &[ast::Expr], scope: &Scope, context: &Context) -> Result<(Kind, Type)> {
        let mut out = Vec::new();
        let mut common: Option<Type> = None;
        for item in items {
            let (item, kind) = self.expr(item, scope, context)?;
            common = Some(match common {
                None => kind,
                Some(it) if it == kind => it,
                Some(_) => Type::Any,
            });
            out.push(item);
        }
        Ok((Kind::List(out), Type::List(Box::new(common.unwrap_or(Type::Any)))))
    }

    fn map_projection(
        &mut self,
        base: &ast::Expr,
        selectors: &[ast::Selector],
        scope: &Scope,
        context: &Context,
    ) -> Result<(Kind, Type)> {
        let (base, known) = self.expr(base, scope, context)?;
        check_holder(&known, base.at)?;
        let mut out = Vec::new();
        for selector in selectors {
            out.push(match selector {
                ast::Selector::All => Selector::All,
                ast::Selector::Property(key) => Selector::Property(key.clone()),
                ast::Selector::Entry(key, value) => {
                    Selector::Entry(key.clone(), self.expr(value, scope, context)?.0)
                }
            });
        }
        Ok((Kind::MapProjection(Box::new(base), out), Type::Map))
    }

    fn index(
        &mut self,
        of: &ast::Expr,
        index: &ast::Expr,
        scope: &Scope,
        context: &Context,
    ) -> Result<(Kind, Type)> {
        let (of, held) = self.expr(of, scope, context)?;
        let (index, by) = self.expr(index, scope, context)?;
        let typed = |message: String| {
            Error::new(Class::TypeError, Code::InvalidArgumentType, Phase::Compile, index.at, message)
        };
        if !held.may_be(&[Type::list(), Type::Map, Type::Node, Type::Relationship]) {
            return Err(typed(format!("{} has no items", held.text())));
        }
        if matches!(held, Type::List(_)) && !by.may_be(&[Type::Integer]) {
            return Err(typed(format!("an item of a list is found by an integer, not {}", by.text())));
        }
        let known = match held {
            Type::List(item) => *item,
            _ => Type::Any,
        };
        Ok((Kind::Index(Box::new(of), Box::new(index)), known))
    }

    /// The list, the slot of its items, and a scope in which they have a name.
    fn item_scope(
        &mut self,
        variable: &Variable,
        list: &ast::Expr,
        scope: &Scope,
        context: &Context,
    ) -> Result<(Box<Expr>, usize, Scope, Type)> {
        let (list, kind) = self.expr(list, scope, context)?;
        let item = match kind {
            Type::List(item) => *item,
            it if it.may_be(&[]) => Type::Any,
            it => return Err(wrong(list.at, format!("a list is expected here, not {}", it.text()))),
        };
        let slot = self.slot();
        let mut inner = scope.clone();
        inner.add(&variable.name, slot, item.clone());
        Ok((Box::new(list), slot, inner, item))
    }

    fn item_filter(
        &mut self,
        filter: Option<&ast::Expr>,
        scope: &Scope,
        context: &Context,
    ) -> Result<Option<Box<Expr>>> {
        let Some(filter) = filter else { return Ok(None) };
        self.predicate(filter, scope, context).map(|it| Some(Box::new(it)))
    }

    fn call(
        &mut self,
        name: &str,
        distinct: bool,
        arguments: &[ast::Expr],
        at: usize,
        scope: &Scope,
        context: &Context,
    ) -> Result<(Kind, Type)> {
        if AggregateKind::of(name).is_some() {
            return Err(misplaced(at));
        }
        if name.eq_ignore_ascii_case("exists")
            && let [argument] = arguments
        {
            return Ok(match &argument.kind {
                Ast::Pattern(pattern) => (self.exists_pattern(pattern, at, scope)?, Type::Boolean),
                _ => (Kind::IsNull(self.boxed(argument, scope, context)?, true), Type::Boolean),
            });
        }
        let Some(function) = functions::find(name) else {
            let nearest =
                functions::nearest(name).map(|it| format!("; did you mean `{it}`?")).unwrap_or_default();
            let message = format!("there is no function `{name}`{nearest}");
            return Err(Error::syntax(Code::UnknownFunction, at, message));
        };
        if distinct {
            return Err(Error::syntax(
                Code::UnexpectedSyntax,
                at,
                "DISTINCT can only stand within an aggregation",
            ));
        }
        if !(function.least..=function.most).contains(&arguments.len()) {
            let (least, most) = (function.least, function.most);
            let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
            let message = format!("`{}` takes {wanted}, not {} arguments", function.name, arguments.len());
            return Err(Error::syntax(Code::InvalidNumberOfArguments, at, message));
        }
        let mut out = Vec::new();
        let mut first = Type::Any;
        for (index, argument) in arguments.iter().enumerate() {
            let (argument, kind) = self.expr(argument, scope, context)?;
            if index == 0 {
                if !function.first.is_empty() && !kind.may_be(&functions::types(function.first)) {
                    return Err(wrong(
                        argument.at,
                        format!("`{}` does not take {}", function.name, kind.text()),
                    ));
                }
                first = kind;
            }
            out.push(argument);
        }
        let known = function.result.of(&first);
        Ok((Kind::Call(function, out), known))
    }
}

/// Properties are of nodes, relationships, maps and temporal values.
fn check_holder(known: &Type, at: usize) -> Result<()> {
    if known.may_be(&[Type::Node, Type::Relationship, Type::Map, Type::Temporal]) {
        return Ok(());
    }
    let message = format!("{} has no properties", known.text());
    if *known == Type::Path {
        return Err(wrong(at, message));
    }
    Err(Error::new(Class::TypeError, Code::InvalidArgumentType, Phase::Compile, at, message))
}

fn arithmetic(operator: Operator, a: &Type, b: &Type, at: usize) -> Result<Type> {
    let listed = matches!(a, Type::List(_)) || matches!(b, Type::List(_));
    if operator == Operator::Add {
        let takes = |it: &Type| it.may_be(&[Type::Integer, Type::Float, Type::String, Type::Temporal]);
        if listed {
            return Ok(Type::list());
        }
        if takes(a) && takes(b) {
            let known = matches!((a, b), (Type::Integer, Type::Integer));
            return Ok(if known { Type::Integer } else { Type::Any });
        }
    } else if a.may_be(&NUMBERS) && b.may_be(&NUMBERS) {
        return Ok(match (operator, a, b) {
            (Operator::Power, Type::Integer | Type::Float, Type::Integer | Type::Float) => Type::Float,
            (_, Type::Integer, Type::Integer) => Type::Integer,
            (_, Type::Integer | Type::Float, Type::Integer | Type::Float) => Type::Float,
            _ => Type::Any,
        });
    }
    Err(wrong(at, format!("{} and {} cannot be calculated with like this", a.text(), b.text())))
}
