//! Statements.

use super::parser::{Form, Outcome, Parser, Shape};
use super::scopes::{Kind as ScopeKind, Scope};
use super::tokens::{Kind, Token};

/// What `from __future__` has.
const FEATURES: &[&str] = &[
    "absolute_import",
    "annotations",
    "barry_as_FLUFL",
    "division",
    "generator_stop",
    "generators",
    "nested_scopes",
    "print_function",
    "unicode_literals",
    "with_statement",
];

const AUGMENTS: &[&str] = &["%=", "&=", "**=", "*=", "+=", "-=", "//=", "/=", "<<=", ">>=", "@=", "^=", "|="];

impl<'a> Parser<'a> {
    /// The whole text.
    pub(super) fn module(&mut self) -> Outcome {
        let mut is_first = true;
        while !self.is_kind(Kind::End) {
            if self.is_kind(Kind::Newline) {
                self.next();
                continue;
            }
            let documents = is_first && matches!(self.token().kind, Kind::Text { bytes: false });
            let imports =
                self.is("from") && self.ahead(1).kind == Kind::Name && self.is_soft(1, "__future__");
            if !documents && !imports {
                self.may_import_future = false;
            }
            self.statement()?;
            is_first = false;
        }
        self.end_scope();
        Ok(())
    }

    fn statement(&mut self) -> Outcome {
        let token = self.token();
        match token.kind {
            Kind::Keyword => match self.word(token) {
                "if" => self.if_statement(),
                "while" => self.while_statement(),
                "for" => self.for_statement(),
                "try" => self.try_statement(),
                "with" => self.with_statement(),
                "def" => self.function(false),
                "class" => self.class(),
                "async" => self.async_statement(),
                _ => self.simple_statements(),
            },
            Kind::Mark if self.word(token) == "@" => self.decorated(),
            Kind::Name if self.is_soft(0, "match") && self.is_match() => self.match_statement(),
            Kind::Indent => self.unexpected(),
            _ => self.simple_statements(),
        }
    }

    /// The statements after a `:`.
    pub(super) fn block(&mut self, head: Token, what: &str) -> Outcome {
        self.expect(":")?;
        if !self.is_kind(Kind::Newline) {
            return self.simple_statements();
        }
        self.next();
        if !self.is_kind(Kind::Indent) {
            let message = format!("an indented block is expected after {what} on line {}", head.line);
            return self.fail(self.token(), message);
        }
        self.next();
        while !self.is_kind(Kind::Dedent) && !self.is_kind(Kind::End) {
            self.statement()?;
        }
        self.next();
        Ok(())
    }

    fn simple_statements(&mut self) -> Outcome {
        loop {
            self.simple_statement()?;
            if !self.accept(";") {
                break;
            }
            if self.is_kind(Kind::Newline) {
                break;
            }
        }
        if self.is_kind(Kind::Newline) {
            self.next();
            return Ok(());
        }
        self.unexpected()
    }

    fn simple_statement(&mut self) -> Outcome {
        let token = self.token();
        if token.kind == Kind::Keyword {
            match self.word(token) {
                "pass" => {
                    self.next();
                    return Ok(());
                }
                "break" | "continue" => {
                    self.jump();
                    return Ok(());
                }
                "return" => return self.return_statement(),
                "raise" => return self.raise_statement(),
                "global" => return self.declaration(true),
                "nonlocal" => return self.declaration(false),
                "del" => return self.delete(),
                "assert" => {
                    self.next();
                    self.expression()?;
                    if self.accept(",") {
                        self.expression()?;
                    }
                    return Ok(());
                }
                "import" => return self.import(),
                "from" => return self.import_from(),
                _ => {}
            }
        }
        if self.is_soft(0, "type")
            && self.ahead(1).kind == Kind::Name
            && (self.is_ahead(2, "=") || self.is_ahead(2, "["))
        {
            return self.type_alias();
        }
        self.expression_statement()
    }

    fn jump(&mut self) {
        let token = self.next();
        let word = self.word(token);
        let Some(scope) = self.scopes.last() else { return };
        if scope.loops == 0 {
            let message = if 0 < scope.group_handlers {
                format!("`{word}` cannot leave an `except*` block")
            } else {
                format!("`{word}` stands outside of a loop")
            };
            self.late(token, message);
        }
    }

    fn return_statement(&mut self) -> Outcome {
        let token = self.next();
        let has_value = self.begins_expression();
        if has_value {
            let value = self.star_expressions()?;
            self.refuse_star(&value)?;
        }
        if !self.scopes.last().is_some_and(|it| matches!(it.kind, ScopeKind::Function { .. })) {
            self.late(token, "`return` stands outside of a function");
        } else if self.scopes.last().is_some_and(|it| 0 < it.group_handlers) {
            self.late(token, "`return` cannot leave an `except*` block");
        }
        if has_value && let Some(scope) = self.scope() {
            scope.returns.get_or_insert((token.start, token.line));
        }
        Ok(())
    }

    fn raise_statement(&mut self) -> Outcome {
        self.next();
        if self.begins_expression() {
            self.expression()?;
            if self.accept("from") {
                self.expression()?;
            }
        }
        Ok(())
    }

    fn declaration(&mut self, is_global: bool) -> Outcome {
        self.next();
        loop {
            let name = self.name()?;
            let spot = self.spot(name);
            if let Some(message) = self.scope().and_then(|it| it.declare(spot, is_global)) {
                self.late(name, message);
            }
            if !self.accept(",") {
                return Ok(());
            }
        }
    }

    fn delete(&mut self) -> Outcome {
        self.next();
        let shape = self.star_expressions()?;
        if let Some((token, what)) = shape.refusal(false) {
            return self.fail(token, format!("{what} cannot be deleted"));
        }
        if 0 < shape.stars {
            return self.fail(shape.start, "a starred expression cannot be deleted");
        }
        for spot in shape.names {
            self.bind(spot);
        }
        Ok(())
    }

    fn dotted_name(&mut self) -> Outcome<Token> {
        let first = self.name()?;
        while self.accept(".") {
            self.name()?;
        }
        Ok(first)
    }

    fn import(&mut self) -> Outcome {
        self.next();
        loop {
            let first = self.dotted_name()?;
            let bound = if self.accept("as") { self.name()? } else { first };
            self.bind_import(bound);
            if !self.accept(",") {
                return Ok(());
            }
        }
    }

    fn import_from(&mut self) -> Outcome {
        self.next();
        let mut is_relative = false;
        while self.accept(".") || self.accept("...") {
            is_relative = true;
        }
        let is_future = !is_relative && self.is_soft(0, "__future__") && self.is_ahead(1, "import");
        if !is_relative || !self.is("import") {
            self.dotted_name()?;
        }
        self.expect("import")?;
        let star = self.token();
        if self.accept("*") {
            if self.scopes.last().is_some_and(|it| it.kind != ScopeKind::Module) {
                self.late(star, "`import *` stands at the top of a module only");
            }
            return Ok(());
        }
        let open = self.token();
        let has_brackets = self.accept("(");
        loop {
            let name = self.name()?;
            if is_future {
                self.feature(name);
            }
            let bound = if self.accept("as") { self.name()? } else { name };
            self.bind_import(bound);
            let comma = self.token();
            if !self.accept(",") {
                break;
            }
            if has_brackets && self.is(")") {
                break;
            }
            if !has_brackets && self.is_kind(Kind::Newline) {
                return self.fail(comma, "a trailing comma needs parentheses around the names");
            }
        }
        if has_brackets && !self.accept(")") {
            return if self.token().line == open.line { self.unexpected() } else { self.expect(")") };
        }
        Ok(())
    }

    fn feature(&mut self, name: Token) {
        if !self.may_import_future {
            self.late(name, "`from __future__` stands at the beginning of a file only");
        } else if !FEATURES.contains(&self.word(name)) {
            let message = format!("`{}` is no feature of `__future__`", self.word(name));
            self.late(name, message);
        }
    }

    fn type_alias(&mut self) -> Outcome {
        self.next();
        let name = self.name()?;
        let spot = self.spot(name);
        self.bind(spot);
        self.type_parameters()?;
        self.expect("=")?;
        self.expression()?;
        Ok(())
    }

    fn type_parameters(&mut self) -> Outcome {
        if !self.accept("[") {
            return Ok(());
        }
        let mut names = Vec::new();
        loop {
            let has_star = self.accept("*") || self.accept("**");
            let name = self.name()?;
            if names.contains(&self.word(name)) {
                let message = format!("the type parameter `{}` is repeated", self.word(name));
                self.late(name, message);
            }
            names.push(self.word(name));
            if !has_star && self.accept(":") {
                self.expression()?;
            }
            if self.accept("=") {
                self.star_expression()?;
            }
            if !self.accept(",") || self.is("]") {
                break;
            }
        }
        self.expect("]")
    }

    fn value(&mut self) -> Outcome<Shape<'a>> {
        if self.is("yield") { self.yields() } else { self.star_expressions() }
    }

    fn expression_statement(&mut self) -> Outcome {
        let start = self.token();
        if (self.is_soft(0, "print") || self.is_soft(0, "exec"))
            && matches!(self.ahead(1).kind, Kind::Name | Kind::Number | Kind::Text { .. } | Kind::FieldsStart)
        {
            return self.fail(start, format!("the call to `{}` needs parentheses", self.word(start)));
        }
        let mut shape = self.value()?;
        let token = self.token();
        if self.is(":") {
            return self.annotation(&shape);
        }
        if token.kind == Kind::Mark && AUGMENTS.contains(&self.word(token)) {
            if let Some((token, what)) = shape.refusal(false) {
                return self.fail(token, format!("nothing can be assigned to {what}"));
            }
            if matches!(shape.kind, Form::Tuple | Form::List) {
                let message = format!("`{}` assigns to one target, no tuple or list", self.word(token));
                return self.fail(shape.start, message);
            }
            self.next();
            for spot in std::mem::take(&mut shape.names) {
                self.bind(spot);
            }
            let value = self.value()?;
            return self.refuse_star(&value);
        }
        while self.accept("=") {
            self.assign(shape)?;
            shape = self.value()?;
        }
        self.refuse_star(&shape)
    }

    fn annotation(&mut self, shape: &Shape<'a>) -> Outcome {
        match shape.kind {
            Form::Name | Form::Attribute | Form::Subscript => {}
            Form::Tuple | Form::List => {
                return self.fail(shape.start, "one target is annotated, no tuple or list");
            }
            _ => return self.unexpected(),
        }
        self.next();
        if shape.kind == Form::Name {
            for spot in &shape.names {
                if spot.name == "__debug__" {
                    self.late(shape.start, "nothing can be assigned to `__debug__`");
                }
                // What is in parentheses is no variable of the scope.
                let message = match self.scope() {
                    Some(scope) if !shape.is_grouped => scope.annotate(spot.name),
                    _ => None,
                };
                if let Some(message) = message {
                    self.late(shape.start, message);
                }
            }
        }
        self.expression()?;
        if self.accept("=") {
            let value = self.value()?;
            self.refuse_star(&value)?;
        }
        Ok(())
    }

    fn if_statement(&mut self) -> Outcome {
        let mut head = self.next();
        self.named_expression()?;
        self.block(head, "`if`")?;
        while self.is("elif") {
            head = self.next();
            self.named_expression()?;
            self.block(head, "`elif`")?;
        }
        self.else_block()
    }

    fn else_block(&mut self) -> Outcome {
        let head = self.token();
        if self.accept("else") { self.block(head, "`else`") } else { Ok(()) }
    }

    fn looped(&mut self, head: Token, what: &str) -> Outcome {
        if let Some(scope) = self.scope() {
            scope.loops += 1;
        }
        self.block(head, what)?;
        if let Some(scope) = self.scope() {
            scope.loops -= 1;
        }
        self.else_block()
    }

    fn while_statement(&mut self) -> Outcome {
        let head = self.next();
        self.named_expression()?;
        self.looped(head, "`while`")
    }

    fn for_statement(&mut self) -> Outcome {
        let head = self.next();
        let target = self.star_targets()?;
        self.assign(target)?;
        self.expect("in")?;
        let iterable = self.star_expressions()?;
        self.refuse_star(&iterable)?;
        self.looped(head, "`for`")
    }

    fn try_statement(&mut self) -> Outcome {
        let head = self.next();
        self.block(head, "`try`")?;
        let mut bare: Option<Token> = None;
        let mut is_group: Option<bool> = None;
        while self.is("except") {
            let clause = self.next();
            if let Some(bare) = bare.take() {
                self.late(bare, "an `except` without a type must be the last");
            }
            let group = self.accept("*");
            if is_group.is_some_and(|it| it != group) {
                return self.fail(clause, "`except` and `except*` cannot be mixed");
            }
            is_group = Some(group);
            if self.is(":") {
                if group {
                    return self.fail(self.token(), "`except*` needs a type");
                }
                bare = Some(clause);
            } else {
                self.exception_types()?;
            }
            self.handler_block(clause, group)?;
        }
        if is_group.is_some() {
            self.else_block()?;
        }
        let last = self.token();
        if self.accept("finally") {
            return self.block(last, "`finally`");
        }
        if is_group.is_none() {
            return self.fail(last, "`except` or `finally` is expected after the `try` block");
        }
        Ok(())
    }

    fn exception_types(&mut self) -> Outcome {
        self.expression()?;
        if self.is(",") {
            while self.accept(",") && !self.is(":") {
                self.expression()?;
            }
            if self.is("as") {
                return self.fail(self.token(), "several exception types with a name need parentheses");
            }
        } else if self.accept("as") {
            let name = self.name()?;
            let spot = self.spot(name);
            self.bind(spot);
        }
        Ok(())
    }

    fn handler_block(&mut self, head: Token, is_group: bool) -> Outcome {
        let loops = self.scopes.last().map_or(0, |it| it.loops);
        if is_group && let Some(scope) = self.scope() {
            scope.loops = 0;
            scope.group_handlers += 1;
        }
        self.block(head, "`except`")?;
        if is_group && let Some(scope) = self.scope() {
            scope.loops = loops;
            scope.group_handlers -= 1;
        }
        Ok(())
    }

    fn with_statement(&mut self) -> Outcome {
        let head = self.next();
        let end = self.after_bracket();
        let is_grouped = self.is("(") && self.is_ahead(end, ":") && self.has_as(end);
        if is_grouped {
            self.next();
            loop {
                self.with_item()?;
                if !self.accept(",") || self.is(")") {
                    break;
                }
            }
            self.expect(")")?;
        } else {
            loop {
                self.with_item()?;
                if !self.accept(",") {
                    break;
                }
            }
        }
        self.block(head, "`with`")
    }

    /// Whether `as` stands right in the brackets that begin here and end before the token at `end`.
    fn has_as(&self, end: usize) -> bool {
        let mut depth = 0_usize;
        (0..end).any(|it| {
            let token = self.ahead(it);
            match (token.kind, self.word(token)) {
                (Kind::Mark, "(" | "[" | "{") => depth += 1,
                (Kind::Mark, ")" | "]" | "}") => depth = depth.saturating_sub(1),
                (Kind::Keyword, "as") => return depth == 1,
                _ => {}
            }
            false
        })
    }

    fn with_item(&mut self) -> Outcome {
        self.expression()?;
        if self.accept("as") {
            let target = self.with_target()?;
            self.assign(target)?;
        }
        Ok(())
    }

    fn with_target(&mut self) -> Outcome<Shape<'a>> {
        self.operators(super::expressions::Operators::Close)
    }

    fn async_statement(&mut self) -> Outcome {
        let token = self.next();
        if self.is("def") {
            return self.function(true);
        }
        if !self.is("for") && !self.is("with") {
            return self.unexpected();
        }
        if !self.is_in_async() {
            let message =
                format!("`async {}` stands outside of an asynchronous function", self.word(self.token()));
            self.late(token, message);
        }
        if self.is("for") { self.for_statement() } else { self.with_statement() }
    }

    fn decorated(&mut self) -> Outcome {
        while self.accept("@") {
            self.named_expression()?;
            if !self.is_kind(Kind::Newline) {
                return self.unexpected();
            }
            self.next();
        }
        if self.accept("async") {
            return if self.is("def") { self.function(true) } else { self.unexpected() };
        }
        if self.is("def") {
            return self.function(false);
        }
        if self.is("class") { self.class() } else { self.unexpected() }
    }

    fn function(&mut self, is_async: bool) -> Outcome {
        let head = self.next();
        let name = self.name()?;
        let spot = self.spot(name);
        self.bind(spot);
        self.type_parameters()?;
        self.expect("(")?;
        let parameters = self.parameters(")", true)?;
        self.expect(")")?;
        if self.accept("->") {
            self.expression()?;
        }
        if !self.is(":") {
            return self.expect(":");
        }
        self.scopes.push(Scope::new(ScopeKind::Function { is_async }, parameters));
        self.block(head, "the function")?;
        self.end_scope();
        Ok(())
    }

    fn class(&mut self) -> Outcome {
        let head = self.next();
        let name = self.name()?;
        let spot = self.spot(name);
        self.bind(spot);
        self.type_parameters()?;
        if self.is("(") {
            self.arguments(false)?;
        }
        if !self.is(":") {
            return self.expect(":");
        }
        self.scopes.push(Scope::new(ScopeKind::Class, Vec::new()));
        self.block(head, "the class")?;
        self.end_scope();
        Ok(())
    }
}
