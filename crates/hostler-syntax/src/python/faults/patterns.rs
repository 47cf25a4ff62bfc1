//! `match` and its patterns.

use std::collections::BTreeSet;

use super::parser::{Outcome, Parser};
use super::scopes::Spot;
use super::tokens::{Kind, Token};

/// What a pattern binds, and whether it takes everything.
#[derive(Default)]
struct Pattern<'a> {
    names: Vec<Spot<'a>>,
    /// Why nothing that follows it is reached.
    takes_all: Option<Token>,
}

impl<'a> Parser<'a> {
    /// Whether `match` here begins a statement: its line ends in `:`, and a `case` follows deeper.
    pub(super) fn is_match(&self) -> bool {
        let mut count = 1;
        while !matches!(self.ahead(count).kind, Kind::Newline | Kind::End) {
            count += 1;
        }
        1 < count - 1
            && self.is_ahead(count - 1, ":")
            && self.ahead(count + 1).kind == Kind::Indent
            && self.is_soft(count + 2, "case")
    }

    pub(super) fn match_statement(&mut self) -> Outcome {
        self.next();
        if self.is_kind(Kind::Name) && self.is_ahead(1, ":=") {
            self.named_expression()?;
        } else {
            let subject = self.star_expressions()?;
            self.refuse_star(&subject)?;
        }
        self.expect(":")?;
        self.next();
        self.next();
        let mut unreached: Option<Token> = None;
        while self.is_soft(0, "case") {
            if let Some(token) = unreached.take() {
                self.late(token, "the pattern takes everything, so what follows it is never reached");
            }
            unreached = self.case()?;
        }
        if !self.is_kind(Kind::Dedent) {
            return self.unexpected();
        }
        self.next();
        Ok(())
    }

    /// Reads a case. The pattern's place, if it takes everything.
    fn case(&mut self) -> Outcome<Option<Token>> {
        let head = self.next();
        let first = self.token();
        let mut pattern = self.star_pattern()?;
        if self.is(",") {
            let mut names = std::mem::take(&mut pattern.names);
            let mut stars = usize::from(self.word(first) == "*");
            while self.accept(",") {
                if self.is(":") || self.is("if") {
                    break;
                }
                stars += usize::from(self.is("*"));
                names.extend(self.star_pattern()?.names);
            }
            self.refuse_stars(stars, first);
            pattern = Pattern { names, takes_all: None };
        } else if self.word(first) == "*" {
            return self.fail(first, "a starred pattern stands in a sequence only");
        }
        self.distinct(&pattern.names);
        for spot in &pattern.names {
            self.bind(*spot);
        }
        let takes_all = if self.accept("if") {
            self.named_expression()?;
            None
        } else {
            pattern.takes_all
        };
        self.block(head, "`case`")?;
        Ok(takes_all)
    }

    fn refuse_stars(&mut self, stars: usize, token: Token) {
        if 1 < stars {
            self.late(token, "a sequence pattern has one starred name at most");
        }
    }

    fn distinct(&mut self, names: &[Spot<'a>]) {
        let mut seen = BTreeSet::new();
        for spot in names {
            if !seen.insert(spot.name) {
                let message = format!("the pattern binds `{}` more than once", spot.name);
                self.late.push(super::Fault::new(spot.at, spot.line, message));
            }
        }
    }

    fn star_pattern(&mut self) -> Outcome<Pattern<'a>> {
        if !self.accept("*") {
            return self.pattern();
        }
        let name = self.name()?;
        let names = if self.word(name) == "_" { Vec::new() } else { vec![self.spot(name)] };
        Ok(Pattern { names, takes_all: None })
    }

    fn pattern(&mut self) -> Outcome<Pattern<'a>> {
        self.deeper()?;
        let start = self.token();
        let mut pattern = self.closed_pattern()?;
        while self.is("|") {
            if let Some(token) = pattern.takes_all {
                self.late(token, "the pattern takes everything, so what follows it is never reached");
            }
            self.next();
            let other = self.closed_pattern()?;
            let names = |it: &Pattern<'a>| it.names.iter().map(|spot| spot.name).collect::<BTreeSet<_>>();
            if names(&pattern) != names(&other) {
                self.late(start, "alternative patterns bind different names");
            }
            pattern.takes_all = other.takes_all;
        }
        if self.accept("as") {
            let name = self.name()?;
            if self.word(name) == "_" {
                return self.fail(name, "`_` is no name to bind");
            }
            if let Some(token) =
                pattern.takes_all.filter(|_| start.kind == Kind::Name && self.word(start) == "_")
            {
                pattern.takes_all = Some(token);
            }
            pattern.names.push(self.spot(name));
        }
        self.leave();
        Ok(pattern)
    }

    fn closed_pattern(&mut self) -> Outcome<Pattern<'a>> {
        let token = self.token();
        match token.kind {
            Kind::Number => self.number_pattern(),
            Kind::Text { .. } | Kind::FieldsStart => {
                let shape = self.strings()?;
                if shape.kind != super::parser::Form::Value("a literal") {
                    return self.fail(token, "a pattern is no f-string and no operation on strings");
                }
                Ok(Pattern::default())
            }
            Kind::Keyword if matches!(self.word(token), "None" | "True" | "False") => {
                self.next();
                Ok(Pattern::default())
            }
            Kind::Mark => match self.word(token) {
                "-" => self.number_pattern(),
                "(" => self.group_pattern(),
                "[" => self.sequence_pattern(),
                "{" => self.mapping_pattern(),
                _ => self.unexpected(),
            },
            Kind::Name => self.name_pattern(),
            _ => self.unexpected(),
        }
    }

    fn number_pattern(&mut self) -> Outcome<Pattern<'a>> {
        self.accept("-");
        if !self.is_kind(Kind::Number) {
            return self.unexpected();
        }
        self.next();
        if (self.is("+") || self.is("-")) && self.ahead(1).kind == Kind::Number {
            self.next();
            let imaginary = self.next();
            if !self.word(imaginary).ends_with(['j', 'J']) {
                return self.fail(imaginary, "an imaginary number is expected in a complex literal");
            }
        }
        Ok(Pattern::default())
    }

    fn name_pattern(&mut self) -> Outcome<Pattern<'a>> {
        let name = self.next();
        let is_plain = !self.is(".") && !self.is("(");
        if is_plain {
            let names = if self.word(name) == "_" { Vec::new() } else { vec![self.spot(name)] };
            return Ok(Pattern { names, takes_all: Some(name) });
        }
        self.mention(name);
        while self.accept(".") {
            self.name()?;
        }
        if self.accept("(") {
            return self.class_pattern();
        }
        Ok(Pattern::default())
    }

    fn class_pattern(&mut self) -> Outcome<Pattern<'a>> {
        let mut names = Vec::new();
        let mut keywords: Vec<&'a str> = Vec::new();
        while !self.is(")") {
            let token = self.token();
            if token.kind == Kind::Name && self.is_ahead(1, "=") {
                self.next();
                self.next();
                if keywords.contains(&self.word(token)) {
                    self.late(
                        token,
                        format!("the attribute `{}` is repeated in the pattern", self.word(token)),
                    );
                }
                keywords.push(self.word(token));
            } else if !keywords.is_empty() {
                return self.fail(token, "a positional pattern follows one with a keyword");
            }
            names.extend(self.pattern()?.names);
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(Pattern { names, takes_all: None })
    }

    fn group_pattern(&mut self) -> Outcome<Pattern<'a>> {
        let open = self.next();
        if self.accept(")") {
            return Ok(Pattern::default());
        }
        let has_star = self.is("*");
        let first = self.star_pattern()?;
        if !has_star && self.accept(")") {
            return Ok(first);
        }
        let pattern = self.rest_of_sequence(first, usize::from(has_star), open, ")")?;
        Ok(pattern)
    }

    fn sequence_pattern(&mut self) -> Outcome<Pattern<'a>> {
        let open = self.next();
        if self.accept("]") {
            return Ok(Pattern::default());
        }
        let has_star = self.is("*");
        let first = self.star_pattern()?;
        self.rest_of_sequence(first, usize::from(has_star), open, "]")
    }

    fn rest_of_sequence(
        &mut self,
        first: Pattern<'a>,
        mut stars: usize,
        open: Token,
        end: &str,
    ) -> Outcome<Pattern<'a>> {
        let mut names = first.names;
        if end == ")" && !self.is(",") {
            return self.unexpected();
        }
        while self.accept(",") {
            if self.is(end) {
                break;
            }
            stars += usize::from(self.is("*"));
            names.extend(self.star_pattern()?.names);
        }
        self.refuse_stars(stars, open);
        self.expect(end)?;
        Ok(Pattern { names, takes_all: None })
    }

    fn mapping_pattern(&mut self) -> Outcome<Pattern<'a>> {
        self.next();
        let mut names = Vec::new();
        let mut keys: Vec<&'a str> = Vec::new();
        while !self.is("}") {
            let token = self.token();
            if self.accept("**") {
                let name = self.name()?;
                if self.word(name) == "_" {
                    return self.fail(name, "`_` is no name to bind");
                }
                names.push(self.spot(name));
                self.accept(",");
                break;
            }
            if token.kind == Kind::Name {
                if !self.is_ahead(1, ".") {
                    return self.fail(token, "the key of a mapping pattern is a literal or has an attribute");
                }
                self.name_pattern()?;
            } else if matches!(token.kind, Kind::Mark) && !self.is("-") {
                return self.unexpected();
            } else {
                let is_text = matches!(token.kind, Kind::Text { .. } | Kind::Number);
                if is_text && keys.contains(&self.word(token)) && self.is_ahead(1, ":") {
                    self.late(token, format!("the key `{}` is repeated in the pattern", self.word(token)));
                }
                keys.push(self.word(token));
                self.closed_pattern()?;
            }
            self.expect(":")?;
            names.extend(self.pattern()?.names);
            if !self.accept(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(Pattern { names, takes_all: None })
    }
}
