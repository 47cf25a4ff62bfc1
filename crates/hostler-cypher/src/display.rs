//! A tree as a query that parses to an equal tree. Parentheses stand around every operand that is an operation.

use std::fmt::{Display, Formatter, Result};

use crate::ast::{
    Arrow, Clause, Comparison, Expr, Kind, Labels, Name, NodePattern, Operator, PathPattern, Projection,
    Quantifier, RelationshipPattern, Selection, Selector, Single, Statement, TextTest,
};

struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        write!(out, "`{}`", self.0.replace('`', "``"))
    }
}

struct Joined<'a, T>(&'a [T], &'a str);

impl<T: Display> Display for Joined<'_, T> {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        for (index, item) in self.0.iter().enumerate() {
            if index > 0 {
                out.write_str(self.1)?;
            }
            item.fmt(out)?;
        }
        Ok(())
    }
}

impl Display for Statement {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        Joined(&self.parts, if self.all { " UNION ALL " } else { " UNION " }).fmt(out)
    }
}

impl Display for Single {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        Joined(&self.clauses, " ").fmt(out)
    }
}

impl Display for Clause {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        match self {
            Self::Match { optional, patterns, filter, .. } => {
                out.write_str(if *optional { "OPTIONAL MATCH " } else { "MATCH " })?;
                Joined(patterns, ", ").fmt(out)?;
                filter.iter().try_for_each(|it| write!(out, " WHERE {it}"))
            }
            Self::Unwind { list, variable } => write!(out, "UNWIND {list} AS {}", Quoted(&variable.name)),
            Self::With(it) => write!(out, "WITH {it}"),
            Self::Return(it) => write!(out, "RETURN {it}"),
        }
    }
}

impl Display for Projection {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        if self.distinct {
            out.write_str("DISTINCT ")?;
        }
        if self.all {
            out.write_str(if self.items.is_empty() { "*" } else { "*, " })?;
        }
        for (index, item) in self.items.iter().enumerate() {
            write!(out, "{}{}", if index > 0 { ", " } else { "" }, item.expr)?;
            item.alias.iter().try_for_each(|it| write!(out, " AS {}", Quoted(it)))?;
        }
        for (index, item) in self.order.iter().enumerate() {
            let lead = if index > 0 { "," } else { " ORDER BY" };
            write!(out, "{lead} {}{}", item.expr, if item.descending { " DESC" } else { "" })?;
        }
        self.skip.iter().try_for_each(|it| write!(out, " SKIP {it}"))?;
        self.limit.iter().try_for_each(|it| write!(out, " LIMIT {it}"))?;
        self.filter.iter().try_for_each(|it| write!(out, " WHERE {it}"))
    }
}

impl Display for PathPattern {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        self.variable.iter().try_for_each(|it| write!(out, "{} = ", Quoted(&it.name)))?;
        out.write_str(match self.selection {
            Selection::All => "",
            Selection::Shortest => "shortestPath(",
            Selection::AllShortest => "allShortestPaths(",
        })?;
        self.start.fmt(out)?;
        self.steps.iter().try_for_each(|(relationship, node)| write!(out, "{relationship}{node}"))?;
        out.write_str(if self.selection == Selection::All { "" } else { ")" })
    }
}

fn write_labels(out: &mut Formatter<'_>, labels: &Labels) -> Result {
    let groups: Vec<_> = labels.iter().map(|it| quoted(it)).collect();
    match &groups[..] {
        [] => Ok(()),
        [one] => write!(out, ":{one}"),
        _ => write!(out, ":{}", Joined(&groups.iter().map(|it| format!("({it})")).collect::<Vec<_>>(), "&")),
    }
}

fn quoted(names: &[Name]) -> String {
    names.iter().map(|it| Quoted(it).to_string()).collect::<Vec<_>>().join("|")
}

fn write_properties(out: &mut Formatter<'_>, properties: &[(Name, Expr)]) -> Result {
    if properties.is_empty() { Ok(()) } else { write_map(out, properties) }
}

fn write_map(out: &mut Formatter<'_>, entries: &[(Name, Expr)]) -> Result {
    out.write_str("{")?;
    for (index, (key, value)) in entries.iter().enumerate() {
        write!(out, "{}{}: {value}", if index > 0 { ", " } else { "" }, Quoted(key))?;
    }
    out.write_str("}")
}

impl Display for NodePattern {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        out.write_str("(")?;
        self.variable.iter().try_for_each(|it| Quoted(&it.name).fmt(out))?;
        write_labels(out, &self.labels)?;
        write_properties(out, &self.properties)?;
        out.write_str(")")
    }
}

impl Display for RelationshipPattern {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        out.write_str(if self.arrow == Arrow::Left { "<-[" } else { "-[" })?;
        self.variable.iter().try_for_each(|it| Quoted(&it.name).fmt(out))?;
        if !self.types.is_empty() {
            write!(out, ":{}", quoted(&self.types))?;
        }
        if let Some(length) = self.length {
            out.write_str("*")?;
            length.min.iter().try_for_each(|it| it.fmt(out))?;
            if length.min.is_some() || length.max.is_some() {
                out.write_str("..")?;
            }
            length.max.iter().try_for_each(|it| it.fmt(out))?;
        }
        write_properties(out, &self.properties)?;
        out.write_str(if self.arrow == Arrow::Right { "]->" } else { "]-" })
    }
}

struct Operand<'a>(&'a Expr);

impl Display for Operand<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        match &self.0.kind {
            Kind::Integer(it) if *it < 0 => write!(out, "({it})"),
            Kind::Float(it) if it.is_sign_negative() => write!(out, "({})", self.0),
            Kind::Xor(_)
            | Kind::And(_)
            | Kind::Or(_)
            | Kind::Not(_)
            | Kind::Negate(_)
            | Kind::Compare(..)
            | Kind::Arithmetic(..)
            | Kind::In(..)
            | Kind::Text(..)
            | Kind::IsNull { .. }
            | Kind::HasLabels(..)
            | Kind::Pattern(_) => write!(out, "({})", self.0),
            _ => self.0.fmt(out),
        }
    }
}

fn write_chain(out: &mut Formatter<'_>, items: &[Expr], between: &str) -> Result {
    let items: Vec<_> = items.iter().map(Operand).collect();
    Joined(&items, between).fmt(out)
}

impl Display for Expr {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        match &self.kind {
            Kind::Null => out.write_str("null"),
            Kind::Boolean(it) => it.fmt(out),
            Kind::Integer(it) => it.fmt(out),
            Kind::Float(it) => write!(out, "{it:e}"),
            Kind::String(it) => write_string(out, it),
            Kind::Parameter(it) => write_parameter(out, it),
            Kind::Variable(it) => Quoted(it).fmt(out),
            Kind::List(items) => write!(out, "[{}]", Joined(items, ", ")),
            Kind::Map(entries) => write_map(out, entries),
            Kind::MapProjection(base, selectors) => write!(out, "{base} {{{}}}", Joined(selectors, ", ")),
            Kind::Property(of, key) => write!(out, "{}.{}", Operand(of), Quoted(key)),
            Kind::Index(of, index) => write!(out, "{}[{index}]", Operand(of)),
            Kind::Slice(of, from, to) => {
                write!(out, "{}[", Operand(of))?;
                from.iter().try_for_each(|it| it.fmt(out))?;
                out.write_str("..")?;
                to.iter().try_for_each(|it| it.fmt(out))?;
                out.write_str("]")
            }
            Kind::HasLabels(of, labels) => {
                Operand(of).fmt(out)?;
                write_labels(out, labels)
            }
            Kind::And(items) => write_chain(out, items, " AND "),
            Kind::Or(items) => write_chain(out, items, " OR "),
            Kind::Xor(items) => write_chain(out, items, " XOR "),
            Kind::Not(of) => write!(out, "NOT {}", Operand(of)),
            Kind::Negate(of) => match of.kind {
                // `-1` reads as one number.
                Kind::Integer(_) => write!(out, "-({of})"),
                _ => write!(out, "-{}", Operand(of)),
            },
            Kind::Compare(first, rest) => {
                Operand(first).fmt(out)?;
                rest.iter()
                    .try_for_each(|(operator, next)| write!(out, " {} {}", sign(*operator), Operand(next)))
            }
            Kind::Arithmetic(operator, left, right) => {
                let sign = match operator {
                    Operator::Add => "+",
                    Operator::Subtract => "-",
                    Operator::Multiply => "*",
                    Operator::Divide => "/",
                    Operator::Modulo => "%",
                    Operator::Power => "^",
                };
                write!(out, "{} {sign} {}", Operand(left), Operand(right))
            }
            Kind::In(item, list) => write!(out, "{} IN {}", Operand(item), Operand(list)),
            Kind::Text(test, left, right) => {
                let sign = match test {
                    TextTest::StartsWith => "STARTS WITH",
                    TextTest::EndsWith => "ENDS WITH",
                    TextTest::Contains => "CONTAINS",
                    TextTest::Matches => "=~",
                };
                write!(out, "{} {sign} {}", Operand(left), Operand(right))
            }
            Kind::IsNull { operand, negated } => {
                write!(out, "{} IS {}NULL", Operand(operand), if *negated { "NOT " } else { "" })
            }
            Kind::Case { operand, arms, otherwise } => {
                out.write_str("CASE")?;
                operand.iter().try_for_each(|it| write!(out, " {}", Operand(it)))?;
                arms.iter()
                    .try_for_each(|(when, then)| write!(out, " WHEN {} THEN {then}", Operand(when)))?;
                otherwise.iter().try_for_each(|it| write!(out, " ELSE {it}"))?;
                out.write_str(" END")
            }
            Kind::Comprehension { variable, list, filter, map } => {
                write!(out, "[{} IN {list}", Quoted(&variable.name))?;
                filter.iter().try_for_each(|it| write!(out, " WHERE {it}"))?;
                map.iter().try_for_each(|it| write!(out, " | {it}"))?;
                out.write_str("]")
            }
            Kind::Quantifier { kind, variable, list, filter } => {
                let word = match kind {
                    Quantifier::All => "all",
                    Quantifier::Any => "any",
                    Quantifier::None => "none",
                    Quantifier::Single => "single",
                };
                write!(out, "{word}({} IN {list}", Quoted(&variable.name))?;
                filter.iter().try_for_each(|it| write!(out, " WHERE {it}"))?;
                out.write_str(")")
            }
            Kind::Reduce { accumulator, start, variable, list, body } => {
                let (first, second) = (Quoted(&accumulator.name), Quoted(&variable.name));
                write!(out, "reduce({first} = {start}, {second} IN {list} | {body})")
            }
            Kind::Call { function, distinct, arguments } => {
                let distinct = if *distinct { "DISTINCT " } else { "" };
                let parts: Vec<_> = function.split('.').map(Quoted).collect();
                write!(out, "{}({distinct}{})", Joined(&parts, "."), Joined(arguments, ", "))
            }
            Kind::CountAll => out.write_str("count(*)"),
            Kind::Pattern(it) => it.fmt(out),
            Kind::PatternComprehension { pattern, filter, map } => {
                write!(out, "[{pattern}")?;
                filter.iter().try_for_each(|it| write!(out, " WHERE {it}"))?;
                write!(out, " | {map}]")
            }
            Kind::Exists(it) => write!(out, "EXISTS {{ {it} }}"),
            Kind::Count(it) => write!(out, "COUNT {{ {it} }}"),
        }
    }
}

impl Display for Selector {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        match self {
            Self::All => out.write_str(".*"),
            Self::Property(it) => write!(out, ".{}", Quoted(it)),
            Self::Entry(key, value) => write!(out, "{}: {value}", Quoted(key)),
        }
    }
}

fn sign(operator: Comparison) -> &'static str {
    match operator {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}

fn write_parameter(out: &mut Formatter<'_>, name: &str) -> Result {
    let plain = name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
    if plain { write!(out, "${name}") } else { write!(out, "${}", Quoted(name)) }
}

/// In quotes; what ends or escapes a string, and control characters, are escaped.
pub(crate) fn write_string(out: &mut impl std::fmt::Write, text: &str) -> Result {
    out.write_char('\'')?;
    for letter in text.chars() {
        match letter {
            '\'' => out.write_str("\\'")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            it if it.is_control() => write!(out, "\\u{:04X}", u32::from(it))?,
            it => out.write_char(it)?,
        }
    }
    out.write_char('\'')
}
