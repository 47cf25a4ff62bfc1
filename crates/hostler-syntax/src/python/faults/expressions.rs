//! Expressions.

use super::parser::{Form, Outcome, Parser, Shape, Stop};
use super::scopes::{Kind as ScopeKind, Scope, Spot};
use super::tokens::{Kind, Token};

const LITERAL: Form = Form::Value("a literal");
const CONSTANT: Form = Form::Value("a constant");
const EXPRESSION: Form = Form::Value("an expression");
const ASSIGNMENT: Form = Form::Value("an assignment expression");
const COMPREHENSION: Form = Form::Value("a comprehension");

/// Which operators an expression may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operators {
    All,
    /// Those that bind closer than comparisons.
    Close,
}

/// What a comprehension is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Generator,
    Display,
}

/// Where the parts of a comprehension began to be read, to tell what is its own.
struct Since {
    mentions: usize,
    yields: usize,
    walruses: usize,
    awaits: usize,
    token: Token,
}

impl<'a> Parser<'a> {
    /// Expressions with commas, stars allowed: the right side of an assignment, a `return`.
    pub(super) fn star_expressions(&mut self) -> Outcome<Shape<'a>> {
        self.list(Self::star_expression)
    }

    /// Targets with commas: of `for` and `with`.
    pub(super) fn star_targets(&mut self) -> Outcome<Shape<'a>> {
        self.list(|it| if it.is("*") { it.starred(Operators::Close) } else { it.operators(Operators::Close) })
    }

    fn list(&mut self, one: fn(&mut Self) -> Outcome<Shape<'a>>) -> Outcome<Shape<'a>> {
        let first = one(self)?;
        if !self.is(",") {
            return Ok(first);
        }
        let mut tuple = Shape::new(Form::Tuple, first.start);
        tuple.take(first);
        while self.accept(",") {
            if !self.begins_expression() {
                break;
            }
            let part = one(self)?;
            tuple.take(part);
        }
        Ok(tuple)
    }

    pub(super) fn star_expression(&mut self) -> Outcome<Shape<'a>> {
        if self.is("*") { self.starred(Operators::Close) } else { self.expression() }
    }

    fn starred(&mut self, operators: Operators) -> Outcome<Shape<'a>> {
        let star = self.next();
        let inner = if operators == Operators::All { self.expression()? } else { self.operators(operators)? };
        let mut shape = Shape::new(Form::Starred, star);
        shape.refused = inner.refusal(false);
        shape.names = inner.names;
        Ok(shape)
    }

    fn star_named_expression(&mut self) -> Outcome<Shape<'a>> {
        if self.is("*") { self.starred(Operators::Close) } else { self.named_expression() }
    }

    /// Whether an expression can begin here.
    pub(super) fn begins_expression(&self) -> bool {
        let token = self.token();
        match token.kind {
            Kind::Name | Kind::Number | Kind::Text { .. } | Kind::FieldsStart => true,
            Kind::Mark => matches!(self.word(token), "(" | "[" | "{" | "-" | "+" | "~" | "..." | "*"),
            Kind::Keyword => {
                matches!(self.word(token), "None" | "True" | "False" | "not" | "lambda" | "await" | "yield")
            }
            _ => false,
        }
    }

    pub(super) fn named_expression(&mut self) -> Outcome<Shape<'a>> {
        if self.is_kind(Kind::Name) && self.is_ahead(1, ":=") {
            let name = self.next();
            self.next();
            let spot = self.spot(name);
            self.walruses.push(spot);
            self.bind(spot);
            self.expression()?;
            return Ok(Shape::new(ASSIGNMENT, name));
        }
        let shape = self.expression()?;
        if self.is(":=") {
            return self.fail(shape.start, "`:=` assigns to names only");
        }
        Ok(shape)
    }

    pub(super) fn expression(&mut self) -> Outcome<Shape<'a>> {
        self.deeper()?;
        let shape = self.expression_inside()?;
        self.leave();
        Ok(shape)
    }

    fn expression_inside(&mut self) -> Outcome<Shape<'a>> {
        if self.is("lambda") {
            return self.lambda();
        }
        let first = self.operators(Operators::All)?;
        if !self.is("if") {
            return Ok(first);
        }
        while self.accept("if") {
            self.operators(Operators::All)?;
            if !self.is("else") {
                return self.fail(first.start, "`else` is expected after the `if` of an expression");
            }
            self.next();
            if self.is("lambda") {
                self.lambda()?;
                break;
            }
            self.operators(Operators::All)?;
        }
        Ok(Shape::new(Form::Value("a conditional expression"), first.start))
    }

    fn lambda(&mut self) -> Outcome<Shape<'a>> {
        let start = self.next();
        let parameters = self.parameters(":", false)?;
        self.expect(":")?;
        self.scopes.push(Scope::new(ScopeKind::Lambda, parameters));
        let walruses = self.walruses.len();
        self.expression()?;
        self.walruses.truncate(walruses);
        self.end_scope();
        Ok(Shape::new(Form::Value("a lambda"), start))
    }

    /// Operands with operators between them. Their order of binding does not matter to whether they are valid, but
    /// for `not`, which only stands where a weaker operator is before it.
    pub(super) fn operators(&mut self, allowed: Operators) -> Outcome<Shape<'a>> {
        let start = self.token();
        let mut may_negate = allowed == Operators::All;
        let mut is_compound = false;
        let mut is_comparison = false;
        loop {
            while may_negate && self.accept("not") {
                is_compound = true;
            }
            while self.is("-") || self.is("+") || self.is("~") {
                self.next();
                is_compound = true;
            }
            let operand = self.primary()?;
            let Some((length, is_loose, compares)) = self.operator(allowed) else {
                if !is_compound {
                    return Ok(operand);
                }
                let form = if is_comparison { Form::Value("a comparison") } else { EXPRESSION };
                return Ok(Shape::new(form, start));
            };
            for _ in 0..length {
                self.next();
            }
            is_compound = true;
            is_comparison = compares;
            may_negate = is_loose;
        }
    }

    /// The binary operator that is next: its tokens, whether `not` may follow it, whether it compares.
    fn operator(&self, allowed: Operators) -> Option<(usize, bool, bool)> {
        let token = self.token();
        if !matches!(token.kind, Kind::Mark | Kind::Keyword) {
            return None;
        }
        let is_all = allowed == Operators::All;
        match self.word(token) {
            "+" | "-" | "*" | "/" | "//" | "%" | "@" | "**" | "<<" | ">>" | "&" | "|" | "^" => {
                Some((1, false, false))
            }
            "and" | "or" if is_all => Some((1, true, false)),
            "<" | ">" | "<=" | ">=" | "==" | "!=" | "in" if is_all => Some((1, false, true)),
            "is" if is_all => Some((1 + usize::from(self.is_ahead(1, "not")), false, true)),
            "not" if is_all && self.is_ahead(1, "in") => Some((2, false, true)),
            _ => None,
        }
    }

    fn primary(&mut self) -> Outcome<Shape<'a>> {
        let start = self.token();
        let awaits = self.is("await");
        if awaits {
            self.next();
            self.awaited(start);
        }
        let mut shape = self.atom()?;
        loop {
            let kind = if self.accept(".") {
                self.name()?;
                Form::Attribute
            } else if self.is("(") {
                self.deeper()?;
                self.arguments(true)?;
                self.leave();
                Form::Value("a call")
            } else if self.is("[") {
                self.deeper()?;
                self.slices()?;
                self.leave();
                Form::Subscript
            } else {
                break;
            };
            shape = Shape::new(kind, start);
        }
        if awaits { Ok(Shape::new(Form::Value("an `await`"), start)) } else { Ok(shape) }
    }

    fn awaited(&mut self, token: Token) {
        if !self.is_in_async() {
            self.awaits.push(self.late.len());
            let message = if self.is_in_function() {
                "`await` stands outside of an asynchronous function"
            } else {
                "`await` stands outside of a function"
            };
            self.late(token, message);
        }
    }

    fn atom(&mut self) -> Outcome<Shape<'a>> {
        let token = self.token();
        match token.kind {
            Kind::Name => {
                self.next();
                self.mention(token);
                let mut shape = Shape::new(Form::Name, token);
                shape.names.push(self.spot(token));
                Ok(shape)
            }
            Kind::Number => {
                self.next();
                Ok(Shape::new(LITERAL, token))
            }
            Kind::Text { .. } | Kind::FieldsStart => self.strings(),
            Kind::Keyword if matches!(self.word(token), "None" | "True" | "False") => {
                self.next();
                Ok(Shape::new(CONSTANT, token))
            }
            Kind::Mark => match self.word(token) {
                "(" => self.group(),
                "[" => self.square(),
                "{" => self.braces(),
                "..." => {
                    self.next();
                    Ok(Shape::new(CONSTANT, token))
                }
                _ => self.unexpected(),
            },
            _ => self.unexpected(),
        }
    }

    pub(super) fn strings(&mut self) -> Outcome<Shape<'a>> {
        let start = self.token();
        let (mut has_bytes, mut has_text, mut has_fields) = (false, false, false);
        loop {
            let token = self.token();
            match token.kind {
                Kind::Text { bytes } => {
                    self.next();
                    has_bytes |= bytes;
                    has_text |= !bytes;
                }
                Kind::FieldsStart => {
                    has_text = true;
                    has_fields = true;
                    self.fields()?;
                }
                _ => break,
            }
            if has_bytes && has_text {
                return self.fail(start, "bytes and text cannot be joined");
            }
        }
        Ok(Shape::new(if has_fields { Form::Value("an f-string") } else { LITERAL }, start))
    }

    fn fields(&mut self) -> Outcome {
        self.deeper()?;
        self.next();
        while !self.is_kind(Kind::FieldsEnd) {
            if self.is_kind(Kind::FieldsText) {
                self.next();
            } else {
                self.field()?;
            }
        }
        self.next();
        self.leave();
        Ok(())
    }

    fn field(&mut self) -> Outcome {
        self.deeper()?;
        self.expect("{")?;
        if self.is("}") || self.is("!") || self.is(":") || self.is("=") {
            return self.fail(self.token(), "a field of an f-string needs an expression");
        }
        if self.is("yield") {
            self.yields()?;
        } else {
            let value = self.star_expressions()?;
            self.refuse_star(&value)?;
        }
        self.accept("=");
        if self.accept("!") {
            let name = self.name()?;
            if !matches!(self.word(name), "s" | "r" | "a") {
                return self.fail(name, "a field is converted by `!s`, `!r` or `!a`");
            }
        }
        if self.accept(":") {
            while !self.is("}") {
                if self.is_kind(Kind::FieldsText) {
                    self.next();
                } else {
                    self.field()?;
                }
            }
        }
        self.expect("}")?;
        self.leave();
        Ok(())
    }

    pub(super) fn yields(&mut self) -> Outcome<Shape<'a>> {
        let start = self.next();
        if !self.is_in_function() {
            self.late(start, "`yield` stands outside of a function");
        }
        if let Some(scope) = self.scope() {
            scope.yields += 1;
        }
        if self.accept("from") {
            if self.is_in_async() {
                self.late(start, "`yield from` stands in an asynchronous function");
            }
            self.expression()?;
        } else if self.begins_expression() && !self.is("yield") {
            self.star_expressions()?;
        }
        Ok(Shape::new(Form::Value("a `yield`"), start))
    }

    fn since(&self, token: Token) -> Since {
        let scope = self.scopes.last();
        Since {
            mentions: scope.map_or(0, |it| it.mentions.len()),
            yields: scope.map_or(0, |it| it.yields),
            walruses: self.walruses.len(),
            awaits: self.awaits.len(),
            token,
        }
    }

    fn is_comprehension(&self) -> bool {
        self.is("for") || (self.is("async") && self.is_ahead(1, "for"))
    }

    /// The clauses of a comprehension, after what it makes.
    fn comprehension(&mut self, since: &Since, around: Around) -> Outcome {
        if let Some(scope) = self.scope() {
            scope.mentions.truncate(since.mentions);
        }
        if around == Around::Generator {
            self.allow_awaits(since.awaits);
        }
        let mut targets: Vec<Spot<'a>> = Vec::new();
        let mut is_first = true;
        while self.is_comprehension() {
            if self.accept("async") && around == Around::Display && !self.is_in_async() {
                let message = "an asynchronous comprehension stands outside of an asynchronous function";
                self.late(since.token, message);
            }
            self.expect("for")?;
            let own = self.since(self.token());
            let target = self.star_targets()?;
            if let Some((token, what)) = target.refusal(false) {
                return self.fail(token, format!("nothing can be assigned to {what}"));
            }
            targets.extend(target.names);
            self.forget_mentions(&own);
            self.expect("in")?;
            let own = self.since(self.token());
            let yields = self.scopes.last().map_or(0, |it| it.yields);
            self.operators(Operators::All)?;
            if own.walruses < self.walruses.len() {
                self.late(
                    own.token,
                    "an assignment expression cannot stand in the iterable of a comprehension",
                );
            }
            if is_first {
                // It is read outside of the comprehension.
                if let Some(scope) = self.scope() {
                    scope.yields = yields;
                }
            } else {
                self.forget_mentions(&own);
            }
            is_first = false;
            while self.accept("if") {
                let own = self.since(self.token());
                self.operators(Operators::All)?;
                self.forget_mentions(&own);
            }
        }
        if around == Around::Generator {
            self.allow_awaits(since.awaits);
        }
        if self.scopes.last().is_some_and(|it| since.yields < it.yields) {
            self.late(since.token, "`yield` stands in a comprehension");
        }
        let own: Vec<Spot<'a>> = self.walruses.get(since.walruses..).unwrap_or_default().to_vec();
        if !own.is_empty() && self.scopes.last().is_some_and(|it| it.kind == ScopeKind::Class) {
            self.late(since.token, "an assignment expression cannot stand in a comprehension of a class");
        }
        for spot in own {
            if targets.iter().any(|it| it.name == spot.name) {
                let message = format!(
                    "an assignment expression cannot set `{}`, which the comprehension sets",
                    spot.name
                );
                self.late.push(super::Fault::new(spot.at, spot.line, message));
            }
        }
        Ok(())
    }

    fn forget_mentions(&mut self, since: &Since) {
        if let Some(scope) = self.scope() {
            scope.mentions.truncate(since.mentions);
        }
    }

    /// Takes faults of `await` back that a generator expression allows.
    fn allow_awaits(&mut self, since: usize) {
        let places: Vec<usize> = self.awaits.drain(since.min(self.awaits.len())..).collect();
        for place in places.into_iter().rev() {
            if place < self.late.len() {
                self.late.remove(place);
            }
        }
    }

    fn group(&mut self) -> Outcome<Shape<'a>> {
        let open = self.next();
        if self.accept(")") {
            return Ok(Shape::new(Form::Tuple, open));
        }
        if self.is("yield") {
            let mut shape = self.yields()?;
            self.close(")", open)?;
            shape.is_grouped = true;
            return Ok(shape);
        }
        let since = self.since(self.token());
        let first = self.star_named_expression()?;
        if self.is_comprehension() {
            if first.kind == Form::Starred {
                return self.fail(first.start, "nothing can be unpacked in a comprehension");
            }
            self.comprehension(&since, Around::Generator)?;
            self.close(")", open)?;
            return Ok(Shape::new(Form::Value("a generator expression"), open));
        }
        if self.is(",") {
            let mut tuple = Shape::new(Form::Tuple, open);
            self.items(&mut tuple, first, ")")?;
            self.close(")", open)?;
            return Ok(tuple);
        }
        if first.kind == Form::Starred {
            return self.fail(first.start, "a starred expression cannot stand here");
        }
        self.close(")", open)?;
        let mut shape = first;
        shape.is_grouped = true;
        Ok(shape)
    }

    fn items(&mut self, shape: &mut Shape<'a>, first: Shape<'a>, end: &str) -> Outcome {
        shape.take(first);
        while self.accept(",") {
            if self.is(end) {
                break;
            }
            let part = self.star_named_expression()?;
            shape.take(part);
        }
        Ok(())
    }

    /// Ends what `open` began.
    fn close(&mut self, mark: &str, open: Token) -> Outcome {
        if self.accept(mark) {
            return Ok(());
        }
        let token = self.token();
        if self.begins_expression() && !matches!(token.kind, Kind::Mark) {
            return self.fail(token, format!("`,` or `{mark}` is expected before `{}`", self.word(token)));
        }
        if token.line == open.line || self.is(":") || self.is("=") {
            return self.unexpected();
        }
        self.fail(open, format!("`{}` is not closed before line {}", self.word(open), token.line))
    }

    fn square(&mut self) -> Outcome<Shape<'a>> {
        let open = self.next();
        let mut shape = Shape::new(Form::List, open);
        if self.accept("]") {
            return Ok(shape);
        }
        let since = self.since(self.token());
        let first = self.star_named_expression()?;
        if self.is_comprehension() {
            if first.kind == Form::Starred {
                return self.fail(first.start, "nothing can be unpacked in a comprehension");
            }
            self.comprehension(&since, Around::Display)?;
            self.close("]", open)?;
            return Ok(Shape::new(COMPREHENSION, open));
        }
        self.items(&mut shape, first, "]")?;
        self.close("]", open)?;
        Ok(shape)
    }

    fn braces(&mut self) -> Outcome<Shape<'a>> {
        let open = self.next();
        let display = Form::Value("a dictionary or set");
        if self.accept("}") {
            return Ok(Shape::new(display, open));
        }
        let since = self.since(self.token());
        let mut is_first = true;
        let mut is_mapping = None;
        loop {
            let (maps, may_comprehend) = if self.accept("**") {
                self.operators(Operators::Close)?;
                (true, false)
            } else {
                let item = self.star_named_expression()?;
                let starred = item.kind == Form::Starred;
                let maps = !starred && is_mapping != Some(false) && self.is(":");
                if maps {
                    self.next();
                    self.expression()?;
                }
                (maps, !starred)
            };
            if is_mapping.is_some_and(|it| it != maps) {
                return self.unexpected();
            }
            is_mapping = Some(maps);
            if is_first && may_comprehend && self.is_comprehension() {
                self.comprehension(&since, Around::Display)?;
                self.close("}", open)?;
                return Ok(Shape::new(COMPREHENSION, open));
            }
            is_first = false;
            if !self.accept(",") || self.is("}") {
                break;
            }
        }
        self.close("}", open)?;
        Ok(Shape::new(display, open))
    }

    fn slices(&mut self) -> Outcome {
        let open = self.next();
        loop {
            self.slice()?;
            if !self.accept(",") || self.is("]") {
                break;
            }
        }
        self.close("]", open)
    }

    fn slice(&mut self) -> Outcome {
        if self.is("*") {
            self.starred(Operators::Close)?;
            return Ok(());
        }
        if !self.is(":") {
            let shape = self.named_expression()?;
            if shape.kind == ASSIGNMENT {
                return Ok(());
            }
        }
        for _ in 0..2 {
            if self.accept(":") && !self.is(":") && !self.is("]") && !self.is(",") {
                self.expression()?;
            }
        }
        Ok(())
    }

    /// The arguments of a call, or of a class, which takes no bare generator expression.
    pub(super) fn arguments(&mut self, may_generate: bool) -> Outcome {
        let open = self.next();
        let mut keywords: Vec<&'a str> = Vec::new();
        let (mut has_keyword, mut has_mapping) = (false, false);
        let mut lone_generator: Option<Token> = None;
        let mut count = 0;
        while !self.is(")") {
            let token = self.token();
            count += 1;
            if self.accept("**") {
                self.expression()?;
                has_mapping = true;
            } else if self.is("*") {
                self.starred(Operators::All)?;
                if has_mapping {
                    return self.fail(token, "iterable unpacking follows the unpacking of keywords");
                }
            } else if matches!(token.kind, Kind::Name) && self.is_ahead(1, "=") {
                self.next();
                self.next();
                let name = self.word(token);
                if keywords.contains(&name) {
                    return self.fail(token, format!("the keyword argument `{name}` is repeated"));
                }
                if name == "__debug__" {
                    self.late(token, "nothing can be assigned to `__debug__`");
                }
                keywords.push(name);
                self.expression()?;
                has_keyword = true;
            } else {
                let since = self.since(token);
                self.named_expression()?;
                if self.is("=") {
                    return self.fail(token, "a keyword argument needs a name before `=`");
                }
                if may_generate && self.is_comprehension() {
                    self.comprehension(&since, Around::Generator)?;
                    lone_generator.get_or_insert(token);
                } else if has_mapping {
                    return self.fail(token, "a positional argument follows the unpacking of keywords");
                } else if has_keyword {
                    return self.fail(token, "a positional argument follows a keyword argument");
                }
            }
            if !self.accept(",") {
                break;
            }
            if let Some(token) = lone_generator {
                // `f(x for x in y,)` is refused as well.
                return self.fail(token, "a generator expression must stand in parentheses");
            }
        }
        if let Some(token) = lone_generator.filter(|_| 1 < count) {
            return self.fail(token, "a generator expression must stand in parentheses");
        }
        self.close(")", open)
    }

    /// Parameters up to `end`. The names that they bind.
    pub(super) fn parameters(&mut self, end: &str, may_annotate: bool) -> Outcome<Vec<&'a str>> {
        let mut names: Vec<Spot<'a>> = Vec::new();
        let (mut has_default, mut has_star, mut has_slash) = (false, false, false);
        let mut must_follow: Option<Token> = None;
        while !self.is(end) {
            let token = self.token();
            if self.accept("/") {
                if has_slash || has_star || names.is_empty() {
                    return self.fail(token, "`/` stands once, after a parameter and before `*`");
                }
                has_slash = true;
            } else if self.accept("**") {
                self.parameter(&mut names, may_annotate, false)?;
                if self.is("=") {
                    return self.fail(self.token(), "`**` takes no default");
                }
                self.accept(",");
                if !self.is(end) {
                    return self.fail(self.token(), "nothing follows the `**` parameter");
                }
                break;
            } else if self.accept("*") {
                if has_star {
                    return self.fail(token, "`*` stands once");
                }
                has_star = true;
                if self.is(",") || self.is(end) {
                    must_follow = Some(token);
                } else {
                    self.parameter(&mut names, may_annotate, true)?;
                    if self.is("=") {
                        return self.fail(self.token(), "`*` takes no default");
                    }
                }
            } else {
                self.parameter(&mut names, may_annotate, false)?;
                must_follow = None;
                if self.accept("=") {
                    self.expression()?;
                    has_default = true;
                } else if has_default && !has_star {
                    return self.fail(token, "a parameter without a default follows one with a default");
                }
            }
            if !self.accept(",") {
                break;
            }
        }
        if let Some(token) = must_follow {
            return self.fail(token, "a named parameter must follow `*`");
        }
        for (place, spot) in names.iter().enumerate() {
            if spot.name == "__debug__" {
                self.late.push(super::Fault::new(
                    spot.at,
                    spot.line,
                    "nothing can be assigned to `__debug__`",
                ));
            }
            if names.get(..place).unwrap_or_default().iter().any(|it| it.name == spot.name) {
                let message = format!("the parameter `{}` is repeated", spot.name);
                self.late.push(super::Fault::new(spot.at, spot.line, message));
            }
        }
        Ok(names.into_iter().map(|it| it.name).collect())
    }

    fn parameter(&mut self, names: &mut Vec<Spot<'a>>, may_annotate: bool, may_star: bool) -> Outcome {
        let name = self.name()?;
        names.push(self.spot(name));
        if may_annotate && self.accept(":") {
            if may_star && self.is("*") {
                self.starred(Operators::Close)?;
            } else {
                self.expression()?;
            }
        }
        Ok(())
    }

    /// Fails where an expression is a bare star.
    pub(super) fn refuse_star(&self, shape: &Shape<'a>) -> Outcome {
        match shape.kind {
            Form::Starred => self.fail(shape.start, "a starred expression cannot stand here"),
            _ => Ok::<(), Stop>(()),
        }
    }
}
