//! Expressions, by binding strength. Each is built with how deep it nests, which is bounded while it is built.

use std::sync::Arc;

use super::{EXPRESSION_DEPTH_MAX, Parser, Result, Where, too_much};
use crate::ast::{Comparison, Expr, Kind, Name, Operator, Quantifier, Selection, Selector, TextTest};
use crate::error::{Code, Error};
use crate::lexer::{Token, too_large};

/// An expression and how many levels are below it.
type Deep = (Expr, usize);

/// A subquery counts as so many levels of an expression.
const SUBQUERY_LEVELS: usize = 4;

/// How strong operators bind, from the loosest.
mod strength {
    pub(super) const OR: u8 = 1;
    pub(super) const XOR: u8 = 2;
    pub(super) const AND: u8 = 3;
    pub(super) const NOT: u8 = 4;
    pub(super) const COMPARISON: u8 = 5;
    pub(super) const PREDICATE: u8 = 6;
    pub(super) const SUM: u8 = 7;
    pub(super) const PRODUCT: u8 = 8;
    pub(super) const POWER: u8 = 9;
    pub(super) const SIGN: u8 = 10;
}

enum Infix {
    Chain(&'static str),
    Comparison,
    In,
    Text(TextTest, usize),
    IsNull,
    Arithmetic(Operator),
}

impl Parser<'_> {
    /// With all operators that bind stronger than `floor`.
    pub(super) fn expression(&mut self, floor: u8) -> Result<Deep> {
        self.depth += 1;
        if self.depth > EXPRESSION_DEPTH_MAX {
            return Err(self.too_deep());
        }
        let out = self.operators(floor);
        self.depth -= 1;
        out
    }

    /// Something with expressions in it, and how deep they nest.
    fn inner<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<(T, usize)> {
        let kept = std::mem::replace(&mut self.inner, 0);
        let out = read(self);
        let below = std::mem::replace(&mut self.inner, kept);
        Ok((out?, below))
    }

    fn too_deep(&self) -> Error {
        let message = format!("expressions nest more than {EXPRESSION_DEPTH_MAX} levels deep");
        too_much(self.offset(), message)
    }

    fn deep(&self, kind: Kind, at: crate::ast::At, below: usize) -> Result<Deep> {
        if below + 1 > EXPRESSION_DEPTH_MAX {
            return Err(self.too_deep());
        }
        Ok((Expr { kind, at }, below + 1))
    }

    fn operators(&mut self, floor: u8) -> Result<Deep> {
        let at = self.here();
        let (mut left, mut below) = self.prefix()?;
        while let Some((infix, strength)) = self.infix().filter(|it| it.1 > floor) {
            let kind = match infix {
                Infix::Chain(word) => {
                    let mut items = vec![left];
                    while self.eat_word(word) {
                        let (item, levels) = self.expression(strength)?;
                        below = below.max(levels);
                        items.push(item);
                    }
                    match word {
                        "OR" => Kind::Or(items),
                        "XOR" => Kind::Xor(items),
                        _ => Kind::And(items),
                    }
                }
                Infix::Comparison => {
                    let mut rest = Vec::new();
                    while let Some(operator) = self.comparison() {
                        self.at += 1;
                        let (item, levels) = self.expression(strength)?;
                        below = below.max(levels);
                        rest.push((operator, item));
                    }
                    Kind::Compare(Box::new(left), rest)
                }
                Infix::IsNull => {
                    self.at += 1;
                    let negated = self.eat_word("NOT");
                    self.expect_word("NULL")?;
                    Kind::IsNull { operand: Box::new(left), negated }
                }
                Infix::In | Infix::Text(..) | Infix::Arithmetic(_) => {
                    self.at += if let Infix::Text(_, words) = infix { words } else { 1 };
                    let (right, levels) = self.expression(strength)?;
                    below = below.max(levels);
                    let (left, right) = (Box::new(left), Box::new(right));
                    match infix {
                        Infix::Text(test, _) => Kind::Text(test, left, right),
                        Infix::Arithmetic(operator) => Kind::Arithmetic(operator, left, right),
                        _ => Kind::In(left, right),
                    }
                }
            };
            (left, below) = self.deep(kind, at, below)?;
        }
        Ok((left, below))
    }

    fn infix(&self) -> Option<(Infix, u8)> {
        use strength::{AND, COMPARISON, OR, POWER, PREDICATE, PRODUCT, SUM, XOR};
        if self.comparison().is_some() {
            return Some((Infix::Comparison, COMPARISON));
        }
        Some(match self.peek() {
            Token::Mark("+" | "||") => (Infix::Arithmetic(Operator::Add), SUM),
            Token::Mark("-") => (Infix::Arithmetic(Operator::Subtract), SUM),
            Token::Mark("*") => (Infix::Arithmetic(Operator::Multiply), PRODUCT),
            Token::Mark("/") => (Infix::Arithmetic(Operator::Divide), PRODUCT),
            Token::Mark("%") => (Infix::Arithmetic(Operator::Modulo), PRODUCT),
            Token::Mark("^") => (Infix::Arithmetic(Operator::Power), POWER),
            Token::Mark("=~") => (Infix::Text(TextTest::Matches, 1), PREDICATE),
            Token::Word(_) if self.is_word("OR") => (Infix::Chain("OR"), OR),
            Token::Word(_) if self.is_word("XOR") => (Infix::Chain("XOR"), XOR),
            Token::Word(_) if self.is_word("AND") => (Infix::Chain("AND"), AND),
            Token::Word(_) if self.is_word("IN") => (Infix::In, PREDICATE),
            Token::Word(_) if self.is_word("IS") => (Infix::IsNull, PREDICATE),
            Token::Word(_) if self.is_word("CONTAINS") => (Infix::Text(TextTest::Contains, 1), PREDICATE),
            Token::Word(_) if self.is_word("STARTS") && self.is_word_at(1, "WITH") => {
                (Infix::Text(TextTest::StartsWith, 2), PREDICATE)
            }
            Token::Word(_) if self.is_word("ENDS") && self.is_word_at(1, "WITH") => {
                (Infix::Text(TextTest::EndsWith, 2), PREDICATE)
            }
            _ => return None,
        })
    }

    fn comparison(&self) -> Option<Comparison> {
        Some(match self.peek() {
            Token::Mark("=") => Comparison::Equal,
            Token::Mark("<>" | "!=") => Comparison::NotEqual,
            Token::Mark("<") => Comparison::Less,
            Token::Mark("<=") => Comparison::LessOrEqual,
            Token::Mark(">") => Comparison::Greater,
            Token::Mark(">=") => Comparison::GreaterOrEqual,
            _ => return None,
        })
    }

    fn prefix(&mut self) -> Result<Deep> {
        let at = self.here();
        if self.eat_word("NOT") {
            let (of, below) = self.expression(strength::NOT - 1)?;
            return self.deep(Kind::Not(Box::new(of)), at, below);
        }
        if self.eat("+") {
            return self.expression(strength::SIGN);
        }
        if self.eat("-") {
            if let Token::Integer(number) = *self.peek() {
                let start = self.offset();
                self.at += 1;
                let value = i64::try_from(-i128::from(number)).map_err(|_| too_large(start))?;
                let number = self.deep(Kind::Integer(value), at, 0)?;
                return self.postfix(number);
            }
            let (of, below) = self.expression(strength::SIGN)?;
            return self.deep(Kind::Negate(Box::new(of)), at, below);
        }
        let atom = self.atom()?;
        self.postfix(atom)
    }

    fn postfix(&mut self, atom: Deep) -> Result<Deep> {
        let (mut out, mut below) = atom;
        loop {
            let at = out.at;
            let kind = if self.eat(".") {
                Kind::Property(Box::new(out), self.any_name("a key")?)
            } else if self.is("[") {
                let (kind, levels) = self.subscript(out)?;
                below = below.max(levels);
                kind
            } else if self.is(":")
                && matches!(self.peek_at(1), Token::Word(_) | Token::Quoted(_) | Token::Mark("("))
            {
                Kind::HasLabels(Box::new(out), self.labels(!self.labels_end_at_bar)?)
            } else if self.is("{") && matches!(out.kind, Kind::Variable(_)) {
                let (selectors, levels) = self.selectors()?;
                below = below.max(levels);
                Kind::MapProjection(Box::new(out), selectors)
            } else {
                return Ok((out, below));
            };
            (out, below) = self.deep(kind, at, below)?;
        }
    }

    /// `[index]`, `[from..to]`
    fn subscript(&mut self, of: Expr) -> Result<(Kind, usize)> {
        self.expect("[")?;
        let of = Box::new(of);
        let mut below = 0;
        let from = if self.is("..") { None } else { Some(self.expression(0)?) };
        below = from.as_ref().map_or(below, |it| below.max(it.1));
        let from = from.map(|it| Box::new(it.0));
        if self.eat("..") {
            let to = if self.is("]") { None } else { Some(self.expression(0)?) };
            below = to.as_ref().map_or(below, |it| below.max(it.1));
            self.expect("]")?;
            return Ok((Kind::Slice(of, from, to.map(|it| Box::new(it.0))), below));
        }
        self.expect("]")?;
        match from {
            Some(index) => Ok((Kind::Index(of, index), below)),
            None => Err(self.unexpected("an index")),
        }
    }

    fn selectors(&mut self) -> Result<(Vec<Selector>, usize)> {
        self.expect("{")?;
        let (mut out, mut below) = (Vec::new(), 0);
        while !self.is("}") {
            if self.eat(".") {
                out.push(if self.eat("*") {
                    Selector::All
                } else {
                    Selector::Property(self.any_name("a key")?)
                });
            } else {
                let at = self.here();
                let name = self.any_name("a key, `.key` or `.*`")?;
                let value = if self.eat(":") {
                    let (value, levels) = self.expression(0)?;
                    below = below.max(levels);
                    value
                } else {
                    Expr { kind: Kind::Variable(name.clone()), at }
                };
                out.push(Selector::Entry(name, value));
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok((out, below))
    }

    pub(super) fn map_entries(&mut self) -> Result<Vec<(Name, Expr)>> {
        let (out, levels) = self.entries()?;
        self.inner = self.inner.max(levels);
        Ok(out)
    }

    fn entries(&mut self) -> Result<(Vec<(Name, Expr)>, usize)> {
        self.expect("{")?;
        let (mut out, mut below) = (Vec::new(), 0);
        if self.eat("}") {
            return Ok((out, below));
        }
        loop {
            let key = self.any_name("a key")?;
            self.expect(":")?;
            let (value, levels) = self.expression(0)?;
            below = below.max(levels);
            out.push((key, value));
            if !self.eat(",") {
                self.expect("}")?;
                return Ok((out, below));
            }
        }
    }

    fn list_of(&mut self, end: &str) -> Result<(Vec<Expr>, usize)> {
        let (mut out, mut below) = (Vec::new(), 0);
        if self.eat(end) {
            return Ok((out, below));
        }
        loop {
            let (item, levels) = self.expression(0)?;
            below = below.max(levels);
            out.push(item);
            if !self.eat(",") {
                self.expect(end)?;
                return Ok((out, below));
            }
        }
    }

    fn atom(&mut self) -> Result<Deep> {
        let at = self.here();
        let start = self.offset();
        let kind = match self.peek() {
            Token::Integer(number) => Kind::Integer(i64::try_from(*number).map_err(|_| too_large(start))?),
            Token::Float(number) => Kind::Float(*number),
            Token::String(text) => Kind::String(Name::from(text.as_str())),
            Token::Parameter(name) => Kind::Parameter(Name::from(name.as_str())),
            Token::Mark("[") => return self.bracket(),
            Token::Mark("{") => {
                let (entries, below) = self.entries()?;
                return self.deep(Kind::Map(entries), at, below);
            }
            Token::Mark("(") => return self.parenthesis(),
            Token::Word(_) => return self.word(),
            Token::Quoted(_) if self.call_follows() => return self.call(),
            Token::Quoted(name) => Kind::Variable(Name::from(name.as_str())),
            _ => return Err(self.unexpected("an expression")),
        };
        self.at += 1;
        self.deep(kind, at, 0)
    }

    /// A pattern, or an expression in parentheses.
    fn parenthesis(&mut self) -> Result<Deep> {
        let (at, place) = (self.here(), self.at);
        if !self.no_pattern.contains(&place) && self.looks_like_pattern() {
            let kept = (self.depth, self.relationships, self.labels_end_at_bar);
            match self.inner(Self::chain) {
                Ok((pattern, below)) => return self.deep(Kind::Pattern(Box::new(pattern)), at, below),
                Err(error) if error.code() == Code::LimitReached => return Err(error),
                Err(error) => {
                    self.no_pattern.insert(place);
                    self.at = place;
                    (self.depth, self.relationships, self.labels_end_at_bar) = kept;
                    // Neither of the two: what is wrong with the pattern says more.
                    return self
                        .grouped()
                        .map_err(|other| if error.offset() > other.offset() { error } else { other });
                }
            }
        }
        self.grouped()
    }

    fn grouped(&mut self) -> Result<Deep> {
        self.expect("(")?;
        let kept = std::mem::replace(&mut self.labels_end_at_bar, false);
        let out = self.expression(0);
        self.labels_end_at_bar = kept;
        let out = out?;
        self.expect(")")?;
        Ok(out)
    }

    /// A list, a list comprehension or a pattern comprehension.
    fn bracket(&mut self) -> Result<Deep> {
        let at = self.here();
        self.expect("[")?;
        let place = self.at;
        if self.is_variable() && self.is_word_at(1, "IN") && !self.no_pattern.contains(&place) {
            let variable = self.variable()?;
            self.at += 1;
            let (list, mut below) = self.expression(0)?;
            let (mut filter, mut map) = (None, None);
            if !self.is(",") {
                if self.eat_word("WHERE") {
                    let (it, levels) = self.before_bar()?;
                    below = below.max(levels);
                    filter = Some(Box::new(it));
                }
                if self.eat("|") {
                    let (it, levels) = self.expression(0)?;
                    below = below.max(levels);
                    map = Some(Box::new(it));
                }
                self.expect("]")?;
                return self.deep(
                    Kind::Comprehension { variable, list: Box::new(list), filter, map },
                    at,
                    below,
                );
            }
            // A list whose first item is a condition with IN.
            self.no_pattern.insert(place);
            self.at = place;
        }
        let named = self.is_variable() && self.is_at(1, "=") && self.is_at(2, "(");
        if (named || self.is("(") && self.looks_like_pattern() && !self.no_pattern.contains(&self.at))
            && let Some(out) = self.pattern_comprehension(at)?
        {
            return Ok(out);
        }
        let (items, below) = self.list_of("]")?;
        self.deep(Kind::List(items), at, below)
    }

    /// A condition that ends at a `|`, which is no alternative of labels then.
    fn before_bar(&mut self) -> Result<Deep> {
        let kept = std::mem::replace(&mut self.labels_end_at_bar, true);
        let out = self.expression(0);
        self.labels_end_at_bar = kept;
        out
    }

    /// None: it is a list whose first item begins like a pattern.
    fn pattern_comprehension(&mut self, at: crate::ast::At) -> Result<Option<Deep>> {
        let place = self.at;
        let kept = (self.depth, self.relationships, self.labels_end_at_bar);
        let variable = if self.is_at(1, "=") {
            let variable = self.variable()?;
            self.at += 1;
            Some(variable)
        } else {
            None
        };
        let named = variable.is_some();
        let found = self.inner(Self::chain).and_then(|it| {
            if it.0.steps.is_empty() || !(self.is("|") || self.is_word("WHERE")) {
                return Err(self.unexpected("`|`"));
            }
            Ok(it)
        });
        let (mut pattern, mut below) = match found {
            Ok(found) => found,
            Err(error) if named || error.code() == Code::LimitReached => return Err(error),
            Err(_) => {
                self.at = place;
                (self.depth, self.relationships, self.labels_end_at_bar) = kept;
                return Ok(None);
            }
        };
        pattern.variable = variable;
        let mut filter = None;
        if self.eat_word("WHERE") {
            let (it, levels) = self.before_bar()?;
            below = below.max(levels);
            filter = Some(Box::new(it));
        }
        self.expect("|")?;
        let (map, levels) = self.expression(0)?;
        self.expect("]")?;
        let kind = Kind::PatternComprehension { pattern: Box::new(pattern), filter, map: Box::new(map) };
        self.deep(kind, at, below.max(levels)).map(Some)
    }

    /// Something that begins with a word: a literal, CASE, a subquery, a call, a variable.
    fn word(&mut self) -> Result<Deep> {
        let at = self.here();
        for (word, kind) in
            [("true", Kind::Boolean(true)), ("false", Kind::Boolean(false)), ("null", Kind::Null)]
        {
            if self.is_word(word) && !self.is_at(1, "(") {
                self.at += 1;
                return self.deep(kind, at, 0);
            }
        }
        if self.is_word("CASE") {
            return self.case();
        }
        for (word, exists) in [("EXISTS", true), ("COUNT", false)] {
            if self.is_word(word) && self.is_at(1, "{") {
                self.at += 2;
                let kept = std::mem::replace(&mut self.labels_end_at_bar, false);
                // To run a subquery within another takes more stack than to compute an expression.
                self.depth += SUBQUERY_LEVELS;
                let (query, below) = self.inner(|it| it.statement(Where::Subquery))?;
                self.depth -= SUBQUERY_LEVELS;
                self.labels_end_at_bar = kept;
                self.expect("}")?;
                let query = Box::new(query);
                return self.deep(if exists { Kind::Exists(query) } else { Kind::Count(query) }, at, below);
            }
        }
        let selection = self.selection();
        if selection != Selection::All {
            let (pattern, below) = self.inner(|it| it.shortest(selection))?;
            return self.deep(Kind::Pattern(Box::new(pattern)), at, below);
        }
        if self.is_at(1, "(") {
            let quantifier = [
                ("all", Quantifier::All),
                ("any", Quantifier::Any),
                ("none", Quantifier::None),
                ("single", Quantifier::Single),
            ];
            if let Some((_, kind)) = quantifier.into_iter().find(|it| self.is_word(it.0)) {
                return self.quantifier(kind);
            }
            if self.is_word("reduce") {
                return self.reduce();
            }
        }
        if self.call_follows() {
            return self.call();
        }
        let name = self.variable().map_err(|_| self.unexpected("an expression"))?.name;
        self.deep(Kind::Variable(name), at, 0)
    }

    /// `name(`, `name.name(`
    fn call_follows(&self) -> bool {
        let mut ahead = 0;
        while matches!(self.peek_at(ahead), Token::Word(_) | Token::Quoted(_)) {
            if self.is_at(ahead + 1, "(") {
                return true;
            }
            if !self.is_at(ahead + 1, ".") {
                return false;
            }
            ahead += 2;
        }
        false
    }

    fn call(&mut self) -> Result<Deep> {
        let at = self.here();
        let mut function = self.any_name("a function")?.to_string();
        while self.eat(".") {
            function.push('.');
            function.push_str(&self.any_name("a function")?);
        }
        self.expect("(")?;
        if self.is("*") && function.eq_ignore_ascii_case("count") {
            self.at += 1;
            self.expect(")")?;
            return self.deep(Kind::CountAll, at, 0);
        }
        let distinct = self.eat_word("DISTINCT");
        let (arguments, below) = self.list_of(")")?;
        self.deep(Kind::Call { function: Arc::from(function), distinct, arguments }, at, below)
    }

    fn quantifier(&mut self, kind: Quantifier) -> Result<Deep> {
        let at = self.here();
        self.at += 1;
        self.expect("(")?;
        let variable = self.variable()?;
        self.expect_word("IN")?;
        let (list, mut below) = self.expression(0)?;
        let mut filter = None;
        if self.eat_word("WHERE") {
            let (it, levels) = self.expression(0)?;
            below = below.max(levels);
            filter = Some(Box::new(it));
        }
        self.expect(")")?;
        self.deep(Kind::Quantifier { kind, variable, list: Box::new(list), filter }, at, below)
    }

    fn reduce(&mut self) -> Result<Deep> {
        let at = self.here();
        self.at += 1;
        self.expect("(")?;
        let accumulator = self.variable()?;
        self.expect("=")?;
        let (start, mut below) = self.expression(0)?;
        self.expect(",")?;
        let variable = self.variable()?;
        self.expect_word("IN")?;
        let (list, levels) = self.before_bar()?;
        below = below.max(levels);
        self.expect("|")?;
        let (body, levels) = self.expression(0)?;
        self.expect(")")?;
        let (start, list, body) = (Box::new(start), Box::new(list), Box::new(body));
        self.deep(Kind::Reduce { accumulator, start, variable, list, body }, at, below.max(levels))
    }

    fn case(&mut self) -> Result<Deep> {
        self.cases += 1;
        let out = self.arms();
        self.cases -= 1;
        out
    }

    fn arms(&mut self) -> Result<Deep> {
        let at = self.here();
        self.at += 1;
        let mut below = 0;
        let mut part = |parser: &mut Self| -> Result<Expr> {
            let (it, levels) = parser.expression(0)?;
            below = below.max(levels);
            Ok(it)
        };
        let operand = if self.is_word("WHEN") { None } else { Some(Box::new(part(self)?)) };
        let mut arms = Vec::new();
        while self.eat_word("WHEN") {
            let when = part(self)?;
            self.expect_word("THEN")?;
            arms.push((when, part(self)?));
        }
        if arms.is_empty() {
            return Err(self.unexpected("WHEN"));
        }
        let otherwise = if self.eat_word("ELSE") { Some(Box::new(part(self)?)) } else { None };
        self.expect_word("END")?;
        self.deep(Kind::Case { operand, arms, otherwise }, at, below)
    }
}
