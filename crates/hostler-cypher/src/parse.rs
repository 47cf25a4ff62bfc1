//! Text -> tree. The grammar is that of the crate `open-cypher`; this module bounds what that is asked to read, and
//! turns its tree, which holds every spelling, into ours, which holds what is meant.

use std::sync::Arc;

use open_cypher::ast as raw;
use open_cypher::{Diagnostic, DiagnosticCode, Keyword, Span, TokenKind};

use crate::ast::{
    Arrow, At, Clause, Comparison, Expr, Item, Kind, Labels, Length, Name, NodePattern, Operator,
    PathPattern, Projection, Quantifier, RelationshipPattern, Selection, Selector, Single, SortItem,
    Statement, Text, TextTest, Variable,
};
use crate::error::{Class, Code, Error, Phase};

/// Longer queries are refused; lists of any length come in as parameters.
pub const QUERY_BYTES_MAX: usize = 64 * 1024;
/// How deep expressions nest.
pub const EXPRESSION_DEPTH_MAX: usize = 100;
/// How many brackets and operators are open at once before the text is handed to the grammar, whose trees are freed
/// recursively.
const OPEN_OPERATORS_MAX: usize = 1_000;
/// How many clauses a query has, those of its subqueries as well: each costs stack while a row goes through it.
pub const CLAUSES_MAX: usize = 100;
/// How many relationships the patterns of a query have.
pub const RELATIONSHIPS_MAX: usize = 100;

/// Reads a query that only reads.
pub fn parse(source: &str) -> Result<Statement, Error> {
    read(source).map_err(|it| it.located(source))
}

fn read(source: &str) -> Result<Statement, Error> {
    bounded(source)?;
    let program = open_cypher::parse(source).map_err(|it| told(source, it.diagnostics()))?.program;
    let Some(statement) = program.statements.first() else {
        return Err(syntax(0, "the query is empty"));
    };
    let raw::StatementKind::Query(statement) = &statement.kind else {
        return Err(syntax(statement.span.start, "this is no query"));
    };
    if let Some(mode) = &statement.mode {
        return Err(syntax(mode.span.start, "EXPLAIN and PROFILE are not supported"));
    }
    let mut lower = Lower { source, clauses: 0, relationships: 0 };
    lower.query(&statement.query, Where::Outside)
}

fn syntax(at: usize, message: impl Into<String>) -> Error {
    Error::syntax(Code::UnexpectedSyntax, at, message)
}

fn too_much(at: usize, message: String) -> Error {
    Error::new(Class::ExecutionError, Code::LimitReached, Phase::Compile, at, message)
}

/// Refuses what would need more stack than there is: neither the grammar nor the freeing of its trees counts.
fn bounded(source: &str) -> Result<(), Error> {
    if source.len() > QUERY_BYTES_MAX {
        let message =
            format!("the query has more than {QUERY_BYTES_MAX} bytes; pass long lists as parameters");
        return Err(too_much(0, message));
    }
    let mut open = vec![0_usize];
    let mut total = 0;
    for token in &open_cypher::lex(source).tokens {
        match token.kind {
            TokenKind::Whitespace | TokenKind::LineComment | TokenKind::BlockComment => continue,
            TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => {
                open.push(1);
                total += 1;
            }
            TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace if open.len() > 1 => {
                total -= open.pop().unwrap_or_default();
                // What follows a bracket nests around it: `a[0][0]`, `(a)--(b)`.
                total += step(&mut open);
            }
            TokenKind::Comma
            | TokenKind::Pipe
            | TokenKind::Keyword(
                Keyword::Match
                | Keyword::Where
                | Keyword::Return
                | Keyword::With
                | Keyword::Unwind
                | Keyword::Union,
            ) => total -= reset(&mut open),
            TokenKind::Identifier
            | TokenKind::EscapedIdentifier
            | TokenKind::Parameter
            | TokenKind::Integer
            | TokenKind::Float
            | TokenKind::String => {}
            _ => total += step(&mut open),
        }
        if total > OPEN_OPERATORS_MAX {
            let message = format!("more than {OPEN_OPERATORS_MAX} operators and brackets nest here");
            return Err(too_much(token.span.start, message));
        }
    }
    Ok(())
}

fn step(open: &mut [usize]) -> usize {
    open.last_mut().map_or(0, |it| {
        *it += 1;
        1
    })
}

/// What follows a comma begins anew; the bracket itself stays open.
fn reset(open: &mut [usize]) -> usize {
    let kept = usize::from(open.len() > 1);
    open.last_mut().map_or(0, |it| std::mem::replace(it, kept) - kept)
}

/// The first complaint of the grammar in the words of the TCK.
fn told(source: &str, diagnostics: &[Diagnostic]) -> Error {
    let Some(first) = diagnostics.iter().min_by_key(|it| it.primary_span.start) else {
        return syntax(0, "the query cannot be read");
    };
    let at = first.primary_span.start;
    let text = source.get(at..first.primary_span.end.max(at)).unwrap_or_default();
    let rest = source.get(at..).unwrap_or_default();
    let before = &source[..at.min(source.len())];
    // A number and a name without anything between them.
    let number = rest.starts_with(char::is_alphanumeric) && in_number(before);
    let code = match first.code {
        DiagnosticCode::InvalidNumber => Code::InvalidNumberLiteral,
        DiagnosticCode::InvalidEscape if text.contains("\\u") || text.contains("\\U") => {
            Code::InvalidUnicodeLiteral
        }
        DiagnosticCode::InvalidToken | DiagnosticCode::UnexpectedToken if number => Code::InvalidNumberLiteral,
        DiagnosticCode::InvalidToken if rest.starts_with(|it: char| !it.is_ascii()) => {
            Code::InvalidUnicodeCharacter
        }
        _ if in_relationship(before) => Code::InvalidRelationshipPattern,
        _ => Code::UnexpectedSyntax,
    };
    // What could follow is said where it is little: an expression can go on in twenty ways.
    let (what, expected) = first.message.split_once("; expected ").unwrap_or((&first.message, ""));
    let few = !expected.is_empty() && expected.matches('`').count() <= 12;
    let mut message = if few { format!("{what}; expected {expected}") } else { what.to_owned() };
    if let Some(help) = first.help.as_ref().filter(|it| it.len() < 200) {
        message = format!("{message}; {help}");
    }
    Error::syntax(code, at, message)
}

/// Whether the text ends with a number, in whatever base.
fn in_number(before: &str) -> bool {
    let word = before.rfind(|it: char| !it.is_alphanumeric()).map_or(before, |it| &before[it + 1..]);
    word.starts_with(|it: char| it.is_ascii_digit())
}

/// Whether the text ends within the brackets of a relationship: `-[:TYPE*`.
fn in_relationship(before: &str) -> bool {
    let Some(open) = before.rfind('[') else { return false };
    !before[open..].contains(']') && before[..open].trim_end().ends_with('-')
}

/// Where a query stands.
#[derive(Clone, Copy, PartialEq)]
enum Where {
    Outside,
    /// In the braces of EXISTS or COUNT: RETURN may be left out.
    Subquery,
}

struct Lower<'a> {
    source: &'a str,
    clauses: usize,
    relationships: usize,
}

type Result<T, E = Error> = std::result::Result<T, E>;

fn at(span: Span) -> At {
    At(u32::try_from(span.start).unwrap_or(u32::MAX))
}

fn name(from: &raw::Name) -> Name {
    Name::from(from.kind.text.as_str())
}

fn variable(from: &raw::Name) -> Variable {
    Variable { name: name(from), at: at(from.span) }
}

fn ungrouped(mut expr: &raw::Expr) -> &raw::Expr {
    while let raw::ExprKind::Parenthesized(inner) = &expr.kind {
        expr = inner;
    }
    expr
}

impl Lower<'_> {
    fn query(&mut self, query: &raw::Query, place: Where) -> Result<Statement> {
        let raw::QueryKind::Regular(query) = &query.kind else {
            return Err(syntax(query.span.start, "the query cannot be read"));
        };
        let mut parts = vec![self.single(&query.head, place)?];
        let mut all = None;
        for branch in &query.unions {
            let this = branch.operator.kind == raw::UnionOperator::All;
            if *all.get_or_insert(this) != this {
                return Err(Error::syntax(
                    Code::InvalidClauseComposition,
                    branch.operator.span.start,
                    "UNION and UNION ALL cannot be mixed in one query",
                ));
            }
            parts.push(self.single(&branch.query, place)?);
        }
        Ok(Statement { parts, all: all.unwrap_or(false) })
    }

    fn single(&mut self, query: &raw::SingleQuery, place: Where) -> Result<Single> {
        let mut clauses = Vec::new();
        for clause in &query.kind.clauses {
            if matches!(clauses.last(), Some(Clause::Return(_))) {
                let message = "RETURN ends a query; nothing can follow but UNION";
                return Err(Error::syntax(Code::InvalidClauseComposition, clause.span.start, message));
            }
            self.clauses += 1;
            if self.clauses > CLAUSES_MAX {
                return Err(too_much(
                    clause.span.start,
                    format!("the query has more than {CLAUSES_MAX} clauses"),
                ));
            }
            clauses.push(self.clause(clause, place)?);
        }
        match clauses.last() {
            Some(Clause::Return(_)) => {}
            Some(_) if place == Where::Subquery => {}
            _ => return Err(syntax(query.span.end, "a query ends with RETURN")),
        }
        Ok(Single { clauses })
    }

    fn clause(&mut self, clause: &raw::Clause, place: Where) -> Result<Clause> {
        use raw::ClauseKind as It;
        let start = clause.span.start;
        let keyword = match &clause.kind {
            It::Match(it) => {
                if it.mode.is_some() || !it.hints.is_empty() {
                    return Err(syntax(start, "path modes and index hints are not supported in MATCH"));
                }
                let patterns = it.pattern.parts.iter().map(|it| self.path(it)).collect::<Result<_>>()?;
                let filter = self.optional(it.where_clause.as_ref())?;
                return Ok(Clause::Match { optional: it.optional, patterns, filter, at: at(clause.span) });
            }
            It::Unwind(it) => {
                return Ok(Clause::Unwind {
                    list: self.expr(&it.expression, 0)?,
                    variable: variable(&it.variable),
                });
            }
            It::With(it) => {
                let filter = self.optional(it.where_clause.as_ref())?;
                return Ok(Clause::With(self.projection(&it.projection, filter, clause.span)?));
            }
            It::Return(it) => {
                return Ok(Clause::Return(self.projection(&it.projection, None, clause.span)?));
            }
            It::Call(it) => {
                return Err(match &it.target {
                    raw::CallTarget::Procedure { name, .. } => Error::new(
                        Class::ProcedureError,
                        Code::ProcedureNotFound,
                        Phase::Compile,
                        name.span.start,
                        "there are no procedures here".to_owned(),
                    ),
                    _ => syntax(
                        start,
                        "CALL with a subquery is not supported; use WITH, EXISTS {…} or COUNT {…}",
                    ),
                });
            }
            It::Create(_) => "CREATE",
            It::Insert(_) => "INSERT",
            It::Merge(_) => "MERGE",
            It::Delete(_) => "DELETE",
            It::Set(_) => "SET",
            It::Remove(_) => "REMOVE",
            It::Foreach(_) => "FOREACH",
            It::LoadCsv(_) => "LOAD CSV",
            _ => {
                return Err(syntax(
                    start,
                    "this clause is not supported; use MATCH, UNWIND, WITH, WHERE and RETURN",
                ));
            }
        };
        if place == Where::Subquery {
            let message = format!("{keyword} cannot stand in a subquery expression");
            return Err(Error::syntax(Code::InvalidClauseComposition, start, message));
        }
        Err(Error::refused(
            start,
            format!("{keyword} is refused: queries here only read, the graph is kept by its index"),
        ))
    }

    fn optional(&mut self, from: Option<&raw::Expr>) -> Result<Option<Expr>> {
        from.map(|it| self.expr(it, 0)).transpose()
    }

    fn projection(
        &mut self,
        from: &raw::ProjectionClause,
        filter: Option<Expr>,
        span: Span,
    ) -> Result<Projection> {
        let mut all = false;
        let mut items = Vec::new();
        for item in &from.items {
            match &item.kind {
                raw::ProjectionItemKind::Wildcard => all = true,
                raw::ProjectionItemKind::Expression { expression, alias } => {
                    let text =
                        self.source.get(expression.span.start..expression.span.end).unwrap_or_default();
                    items.push(Item {
                        expr: self.expr(expression, 0)?,
                        alias: alias.as_ref().map(name),
                        text: Text(Name::from(text.trim())),
                    });
                }
                _ => return Err(syntax(item.span.start, "this is not supported here")),
            }
        }
        let order = from.order_by.iter().flat_map(|it| &it.items);
        let order = order.map(|it| {
            if it.nulls.is_some() {
                return Err(syntax(it.span.start, "NULLS FIRST and NULLS LAST are not supported"));
            }
            let descending =
                it.direction.as_ref().is_some_and(|it| it.kind == raw::SortDirection::Descending);
            Ok(SortItem { expr: self.expr(&it.expression, 0)?, descending })
        });
        Ok(Projection {
            distinct: from.quantifier.as_ref().is_some_and(|it| it.kind == raw::SetQuantifier::Distinct),
            all,
            order: order.collect::<Result<_>>()?,
            skip: self.optional(from.skip.as_ref().or(from.offset.as_ref()))?,
            limit: self.optional(from.limit.as_ref())?,
            items,
            filter,
            at: at(span),
        })
    }

    fn path(&mut self, part: &raw::PatternPart) -> Result<PathPattern> {
        let mut selection = match part.kind.selector.as_ref().map(|it| &it.kind) {
            None | Some(raw::PathSelector::All) => Selection::All,
            Some(raw::PathSelector::AnyShortest | raw::PathSelector::Any { count: None }) => {
                Selection::Shortest
            }
            Some(raw::PathSelector::AllShortest) => Selection::AllShortest,
            Some(_) => return Err(syntax(part.span.start, "this selection of paths is not supported")),
        };
        let mut factors = &part.kind.path.kind.factors;
        if let [raw::PathFactor { kind: raw::PathFactorKind::LegacyShortest { all, pattern }, .. }] =
            &factors[..]
        {
            selection = if *all { Selection::AllShortest } else { Selection::Shortest };
            factors = &pattern.kind.factors;
        }
        let mut path = self.factors(factors, part.span)?;
        path.variable = part.kind.binding.as_ref().map(variable);
        path.selection = selection;
        if selection != Selection::All && path.steps.len() != 1 {
            return Err(syntax(
                part.span.start,
                "a shortest path has one relationship pattern between two nodes",
            ));
        }
        Ok(path)
    }

    fn factors(&mut self, factors: &[raw::PathFactor], span: Span) -> Result<PathPattern> {
        let mut factors = factors.iter();
        let refused = |at: Span| {
            syntax(at.start, "a path is written as `(a)-[r]->(b)`; quantified parts are not supported")
        };
        let Some(raw::PathFactor { kind: raw::PathFactorKind::Node(start), span: start_span }) =
            factors.next()
        else {
            return Err(refused(span));
        };
        let mut path = PathPattern {
            variable: None,
            selection: Selection::All,
            start: self.node(start, *start_span)?,
            steps: Vec::new(),
        };
        while let Some(factor) = factors.next() {
            let raw::PathFactorKind::Relationship(relationship) = &factor.kind else {
                return Err(refused(factor.span));
            };
            let relationship = self.relationship(relationship, factor.span)?;
            let Some(raw::PathFactor { kind: raw::PathFactorKind::Node(node), span }) = factors.next() else {
                return Err(refused(factor.span));
            };
            path.steps.push((relationship, self.node(node, *span)?));
        }
        Ok(path)
    }

    fn node(&mut self, node: &raw::NodePattern, span: Span) -> Result<NodePattern> {
        no_inner_filter(node.where_clause.as_deref())?;
        Ok(NodePattern {
            variable: node.variable.as_ref().map(variable),
            labels: node.labels.as_ref().map(labels).transpose()?.unwrap_or_default(),
            properties: self.pattern_properties(node.properties.as_deref())?,
            at: at(span),
        })
    }

    fn relationship(&mut self, from: &raw::RelationshipPattern, span: Span) -> Result<RelationshipPattern> {
        no_inner_filter(from.where_clause.as_deref())?;
        self.relationships += 1;
        if self.relationships > RELATIONSHIPS_MAX {
            let message = format!("the patterns have more than {RELATIONSHIPS_MAX} relationships");
            return Err(too_much(span.start, message));
        }
        let mut types = from.labels.as_ref().map(labels).transpose()?.unwrap_or_default();
        if types.len() > 1 {
            return Err(syntax(span.start, "a relationship has one type; write alternatives as `:A|B`"));
        }
        let length = match (&from.legacy_quantifier, &from.graph_quantifier) {
            (Some(it), _) => Some(length(it, None)?),
            (None, Some(it)) => Some(length(it, Some(0))?),
            (None, None) => None,
        };
        Ok(RelationshipPattern {
            variable: from.variable.as_ref().map(variable),
            types: types.pop().unwrap_or_default(),
            length,
            properties: self.pattern_properties(from.properties.as_deref())?,
            arrow: match from.direction.kind {
                raw::RelationshipDirection::Left => Arrow::Left,
                raw::RelationshipDirection::Right => Arrow::Right,
                _ => Arrow::Both,
            },
            at: at(span),
        })
    }

    fn pattern_properties(&mut self, from: Option<&raw::Expr>) -> Result<Vec<(Name, Expr)>> {
        let Some(from) = from else { return Ok(Vec::new()) };
        match &from.kind {
            raw::ExprKind::Map(entries) => self.entries(entries, 0),
            raw::ExprKind::Parameter(_) => Err(Error::syntax(
                Code::InvalidParameterUse,
                from.span.start,
                "a parameter cannot stand for all properties in a pattern; write `{key: $parameter.key}`",
            )),
            _ => Err(syntax(from.span.start, "properties in a pattern are written as `{key: value}`")),
        }
    }

    fn entries(&mut self, entries: &[raw::MapEntry], depth: usize) -> Result<Vec<(Name, Expr)>> {
        entries.iter().map(|it| Ok((name(&it.key), self.expr(&it.value, depth)?))).collect()
    }

    fn boxed(&mut self, from: &raw::Expr, depth: usize) -> Result<Box<Expr>> {
        self.expr(from, depth).map(Box::new)
    }

    fn boxed_optional(&mut self, from: Option<&raw::Expr>, depth: usize) -> Result<Option<Box<Expr>>> {
        from.map(|it| self.boxed(it, depth)).transpose()
    }

    fn exprs(&mut self, from: &[raw::Expr], depth: usize) -> Result<Vec<Expr>> {
        from.iter().map(|it| self.expr(it, depth)).collect()
    }

    fn expr(&mut self, from: &raw::Expr, depth: usize) -> Result<Expr> {
        let from = ungrouped(from);
        if depth > EXPRESSION_DEPTH_MAX {
            let message = format!("expressions nest more than {EXPRESSION_DEPTH_MAX} levels deep");
            return Err(too_much(from.span.start, message));
        }
        Ok(Expr { kind: self.kind(from, depth + 1)?, at: at(from.span) })
    }

    fn kind(&mut self, from: &raw::Expr, depth: usize) -> Result<Kind> {
        use raw::ExprKind as It;
        let start = from.span.start;
        Ok(match &from.kind {
            It::Literal(it) => literal(it, false)?,
            It::Variable(it) => Kind::Variable(name(it)),
            It::Parameter(it) => Kind::Parameter(match &it.name {
                raw::ParameterName::Named(it) | raw::ParameterName::Positional(it) => Name::from(it.as_str()),
                _ => return Err(syntax(start, "this parameter is not supported")),
            }),
            It::List(items) => Kind::List(self.exprs(items, depth)?),
            It::Map(entries) => Kind::Map(self.entries(entries, depth)?),
            It::MapProjection(it) => self.map_projection(it, depth)?,
            It::Unary { operator, operand } => self.unary(operator.kind, operand, depth)?,
            It::Binary { .. } => self.binary(from, depth)?,
            It::Is { expression, negated, predicate } => {
                let operand = self.boxed(expression, depth)?;
                match predicate {
                    raw::IsPredicate::Null => Kind::IsNull { operand, negated: *negated },
                    raw::IsPredicate::Label(it) => {
                        let test = Kind::HasLabels(operand, labels(it)?);
                        if *negated {
                            Kind::Not(Box::new(Expr { kind: test, at: at(from.span) }))
                        } else {
                            test
                        }
                    }
                    _ => return Err(syntax(start, "only IS NULL, IS NOT NULL and IS label are supported")),
                }
            }
            It::Property { expression, key } => Kind::Property(self.boxed(expression, depth)?, name(key)),
            It::DynamicProperty { expression, key } | It::Index { expression, index: key } => {
                Kind::Index(self.boxed(expression, depth)?, self.boxed(key, depth)?)
            }
            It::Slice { expression, lower, upper } => Kind::Slice(
                self.boxed(expression, depth)?,
                self.boxed_optional(lower.as_deref(), depth)?,
                self.boxed_optional(upper.as_deref(), depth)?,
            ),
            It::Function(it) => self.call(it, depth)?,
            It::Case(it) => self.case(it, depth)?,
            It::ListComprehension(it) => Kind::Comprehension {
                variable: variable(&it.variable),
                list: self.boxed(&it.list, depth)?,
                filter: self.boxed_optional(it.predicate.as_deref(), depth)?,
                map: self.boxed_optional(it.projection.as_deref(), depth)?,
            },
            It::PatternComprehension(it) => {
                let mut pattern = self.one_path(&it.pattern)?;
                if let Some(binding) = &it.binding {
                    pattern.variable = Some(variable(binding));
                }
                Kind::PatternComprehension {
                    pattern: Box::new(pattern),
                    filter: self.boxed_optional(it.predicate.as_deref(), depth)?,
                    map: self.boxed(&it.projection, depth)?,
                }
            }
            It::Reduce(it) => Kind::Reduce {
                accumulator: variable(&it.accumulator),
                start: self.boxed(&it.initial, depth)?,
                variable: variable(&it.variable),
                list: self.boxed(&it.list, depth)?,
                body: self.boxed(&it.expression, depth)?,
            },
            It::QuantifiedPredicate(it) => Kind::Quantifier {
                kind: match it.kind.kind {
                    raw::QuantifiedPredicateKind::All => Quantifier::All,
                    raw::QuantifiedPredicateKind::Any => Quantifier::Any,
                    raw::QuantifiedPredicateKind::None => Quantifier::None,
                    _ => Quantifier::Single,
                },
                variable: variable(&it.variable),
                list: self.boxed(&it.list, depth)?,
                filter: Some(self.boxed(&it.predicate, depth)?),
            },
            It::Subquery(it) => {
                let query = Box::new(self.query(&it.query, Where::Subquery)?);
                match it.kind.kind {
                    raw::SubqueryExpressionKind::Exists => Kind::Exists(query),
                    raw::SubqueryExpressionKind::Count => Kind::Count(query),
                    _ => {
                        return Err(syntax(
                            start,
                            "COLLECT {…} is not supported; use a pattern comprehension",
                        ));
                    }
                }
            }
            It::Pattern(it) => {
                let pattern = self.one_path(it)?;
                if pattern.steps.is_empty() {
                    return Err(syntax(start, "a pattern in an expression has at least one relationship"));
                }
                Kind::Pattern(Box::new(pattern))
            }
            It::Parenthesized(it) => return self.kind(it, depth),
            _ => return Err(syntax(start, "an expression is expected here")),
        })
    }

    fn one_path(&mut self, pattern: &raw::Pattern) -> Result<PathPattern> {
        match &pattern.parts[..] {
            [part] => self.path(part),
            _ => Err(syntax(pattern.span.start, "a pattern in an expression is one path")),
        }
    }

    fn map_projection(&mut self, from: &raw::MapProjection, depth: usize) -> Result<Kind> {
        let mut selectors = Vec::new();
        for item in &from.items {
            selectors.push(match &item.kind {
                raw::MapProjectionItemKind::Property(it) => Selector::Property(name(it)),
                raw::MapProjectionItemKind::AllProperties => Selector::All,
                raw::MapProjectionItemKind::Variable(it) => {
                    Selector::Entry(name(it), Expr { kind: Kind::Variable(name(it)), at: at(it.span) })
                }
                raw::MapProjectionItemKind::Entry(it) => {
                    Selector::Entry(name(&it.key), self.expr(&it.value, depth)?)
                }
                _ => return Err(syntax(item.span.start, "this selector is not supported")),
            });
        }
        Ok(Kind::MapProjection(self.boxed(&from.base, depth)?, selectors))
    }

    fn unary(&mut self, operator: raw::UnaryOperator, operand: &raw::Expr, depth: usize) -> Result<Kind> {
        Ok(match operator {
            raw::UnaryOperator::Not => Kind::Not(self.boxed(operand, depth)?),
            raw::UnaryOperator::Plus => self.expr(operand, depth)?.kind,
            raw::UnaryOperator::Minus => match &operand.kind {
                raw::ExprKind::Literal(it @ raw::Literal { kind: raw::LiteralKind::Integer(_), .. }) => {
                    literal(it, true)?
                }
                _ => Kind::Negate(self.boxed(operand, depth)?),
            },
            _ => return Err(syntax(operand.span.start, "this operator is not supported")),
        })
    }

    /// AND, OR, XOR and comparisons of any length become one level.
    fn binary(&mut self, from: &raw::Expr, depth: usize) -> Result<Kind> {
        use raw::BinaryOperator as It;
        let raw::ExprKind::Binary { left, operator, right } = &from.kind else {
            return self.kind(from, depth);
        };
        let arithmetic = |it| Some(Kind::Arithmetic as fn(_, _, _) -> _).map(|make| (make, it));
        let operator = match operator.kind {
            it @ (It::Or | It::Xor | It::And) => {
                let items = self.chain(from, it, depth)?;
                return Ok(match it {
                    It::Or => Kind::Or(items),
                    It::Xor => Kind::Xor(items),
                    _ => Kind::And(items),
                });
            }
            It::Equal | It::NotEqual | It::Less | It::LessEqual | It::Greater | It::GreaterEqual => {
                return self.comparison(from, depth);
            }
            It::In => return Ok(Kind::In(self.boxed(left, depth)?, self.boxed(right, depth)?)),
            it @ (It::RegexMatch | It::StartsWith | It::EndsWith | It::Contains) => {
                let test = match it {
                    It::RegexMatch => TextTest::Matches,
                    It::StartsWith => TextTest::StartsWith,
                    It::EndsWith => TextTest::EndsWith,
                    _ => TextTest::Contains,
                };
                return Ok(Kind::Text(test, self.boxed(left, depth)?, self.boxed(right, depth)?));
            }
            It::Add | It::Concat => arithmetic(Operator::Add),
            It::Subtract => arithmetic(Operator::Subtract),
            It::Multiply => arithmetic(Operator::Multiply),
            It::Divide => arithmetic(Operator::Divide),
            It::Remainder => arithmetic(Operator::Modulo),
            It::Power => arithmetic(Operator::Power),
            _ => None,
        };
        let Some((make, operator)) = operator else {
            return Err(syntax(from.span.start, "this operator is not supported"));
        };
        Ok(make(operator, self.boxed(left, depth)?, self.boxed(right, depth)?))
    }

    fn chain(&mut self, from: &raw::Expr, wanted: raw::BinaryOperator, depth: usize) -> Result<Vec<Expr>> {
        let mut items = Vec::new();
        let mut next = from;
        while let raw::ExprKind::Binary { left, operator, right } = &next.kind
            && operator.kind == wanted
        {
            items.push(self.expr(right, depth)?);
            next = left;
        }
        items.push(self.expr(next, depth)?);
        items.reverse();
        Ok(items)
    }

    fn comparison(&mut self, from: &raw::Expr, depth: usize) -> Result<Kind> {
        let mut rest = Vec::new();
        let mut next = from;
        while let raw::ExprKind::Binary { left, operator, right } = &next.kind
            && let Some(operator) = comparison(operator.kind)
        {
            rest.push((operator, self.expr(right, depth)?));
            next = left;
        }
        rest.reverse();
        Ok(Kind::Compare(self.boxed(next, depth)?, rest))
    }

    fn call(&mut self, from: &raw::FunctionInvocation, depth: usize) -> Result<Kind> {
        let parts: Vec<_> = from.name.parts.iter().map(|it| it.kind.text.as_str()).collect();
        let function = parts.join(".");
        let distinct = from.quantifier.as_ref().is_some_and(|it| it.kind == raw::SetQuantifier::Distinct);
        if let [raw::Expr { kind: raw::ExprKind::Wildcard, span }] = &from.arguments[..] {
            if function.eq_ignore_ascii_case("count") {
                return Ok(Kind::CountAll);
            }
            return Err(syntax(span.start, "`*` stands for all rows only in `count(*)`"));
        }
        Ok(Kind::Call {
            function: Arc::from(function),
            distinct,
            arguments: self.exprs(&from.arguments, depth)?,
        })
    }

    fn case(&mut self, from: &raw::CaseExpression, depth: usize) -> Result<Kind> {
        let mut arms = Vec::new();
        for alternative in &from.alternatives {
            let then = self.expr(&alternative.then, depth)?;
            for when in &alternative.when {
                arms.push((self.expr(when, depth)?, then.clone()));
            }
        }
        Ok(Kind::Case {
            operand: self.boxed_optional(from.operand.as_deref(), depth)?,
            arms,
            otherwise: self.boxed_optional(from.else_expression.as_deref(), depth)?,
        })
    }
}

fn no_inner_filter(filter: Option<&raw::Expr>) -> Result<()> {
    match filter {
        None => Ok(()),
        Some(it) => {
            Err(syntax(it.span.start, "WHERE within a pattern is not supported; write it after the patterns"))
        }
    }
}

fn comparison(operator: raw::BinaryOperator) -> Option<Comparison> {
    use raw::BinaryOperator as It;
    Some(match operator {
        It::Equal => Comparison::Equal,
        It::NotEqual => Comparison::NotEqual,
        It::Less => Comparison::Less,
        It::LessEqual => Comparison::LessOrEqual,
        It::Greater => Comparison::Greater,
        It::GreaterEqual => Comparison::GreaterOrEqual,
        _ => return None,
    })
}

/// All of the groups, any within a group: the grammar's tree, where it has that form.
fn labels(from: &raw::LabelExpression) -> Result<Labels> {
    use raw::LabelExpressionKind as It;
    match &from.kind {
        It::And(items) => items.iter().map(any_label).collect(),
        It::Parenthesized(inner) => labels(inner),
        _ => Ok(vec![any_label(from)?]),
    }
}

fn any_label(from: &raw::LabelExpression) -> Result<Vec<Name>> {
    use raw::LabelExpressionKind as It;
    match &from.kind {
        It::Name(it) => Ok(vec![name(it)]),
        It::Or(items) => {
            let mut out = Vec::new();
            for item in items {
                out.extend(any_label(item)?);
            }
            Ok(out)
        }
        It::Parenthesized(inner) => any_label(inner),
        _ => Err(syntax(from.span.start, "labels are written as `:A:B` (both) or `:A|B` (either)")),
    }
}

fn length(from: &raw::Quantifier, star_min: Option<u64>) -> Result<Length> {
    let number = |text: &String| {
        text.parse().map_err(|_| {
            Error::syntax(
                Code::InvalidRelationshipPattern,
                from.span.start,
                format!("`{text}` is no length of a path"),
            )
        })
    };
    Ok(match &from.kind {
        raw::QuantifierKind::ZeroOrMore => Length { min: star_min, max: None },
        raw::QuantifierKind::OneOrMore => Length { min: None, max: None },
        raw::QuantifierKind::Optional => Length { min: Some(0), max: Some(1) },
        raw::QuantifierKind::Fixed(it) => Length { min: Some(number(it)?), max: Some(number(it)?) },
        raw::QuantifierKind::Range { lower, upper } => Length {
            min: lower.as_ref().map(number).transpose()?.or(star_min),
            max: upper.as_ref().map(number).transpose()?,
        },
        _ => return Err(syntax(from.span.start, "this repetition is not supported")),
    })
}

fn literal(from: &raw::Literal, negative: bool) -> Result<Kind> {
    let start = from.span.start;
    Ok(match &from.kind {
        raw::LiteralKind::Null => Kind::Null,
        raw::LiteralKind::Boolean(it) => Kind::Boolean(*it),
        raw::LiteralKind::String(it) => Kind::String(Name::from(it.value.as_str())),
        raw::LiteralKind::Float(it) => {
            let text = it.text.trim_end_matches(['f', 'F', 'd', 'D']).replace('_', "");
            match text.parse::<f64>() {
                Ok(value) if value.is_finite() => Kind::Float(value),
                Ok(_) => {
                    let message = format!("`{text}` is too large for a float");
                    return Err(Error::syntax(Code::FloatingPointOverflow, start, message));
                }
                Err(_) => {
                    return Err(Error::syntax(
                        Code::InvalidNumberLiteral,
                        start,
                        format!("`{text}` is no number"),
                    ));
                }
            }
        }
        raw::LiteralKind::Integer(it) => {
            let radix = match it.radix {
                raw::IntegerRadix::Decimal => 10,
                raw::IntegerRadix::Hexadecimal => 16,
                _ => 8,
            };
            let digits = it.text.trim_start_matches("0x").trim_start_matches("0X");
            let digits =
                if radix == 8 { digits.trim_start_matches("0o").trim_start_matches("0O") } else { digits };
            let digits = digits.replace('_', "");
            let value = i128::from_str_radix(&digits, radix).unwrap_or(i128::MAX);
            let value = i64::try_from(if negative { -value } else { value });
            Kind::Integer(value.map_err(|_| {
                Error::syntax(Code::IntegerOverflow, start, "the number does not fit into 64 bits")
            })?)
        }
        _ => return Err(syntax(start, "this literal is not supported")),
    })
}
