//! Reads code as expressions: names, literals, calls, and what is known of their values.

use std::collections::BTreeMap;

use super::super::machine::{Machine, State};
use super::super::word::{Field, Piece};
use super::calls::known_call;
use super::tokens::{Language, Token};

/// Nesting of calls and lists.
pub(super) const DEPTH_MAX: usize = 40;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Val {
    One(Field),
    List(Vec<Field>),
}

impl Val {
    pub(super) fn unknown() -> Self {
        Self::One(Field::unknown("<computed>"))
    }

    pub(super) fn one(self) -> Field {
        match self {
            Self::One(field) => field,
            Self::List(mut fields) if fields.len() == 1 => fields.remove(0),
            Self::List(_) => Field::unknown("<computed>"),
        }
    }

    pub(super) fn fields(self) -> Vec<Field> {
        match self {
            Self::One(field) => vec![field],
            Self::List(fields) => fields,
        }
    }
}

pub(super) struct Reader<'r, 'm, 'p> {
    pub(super) machine: &'r mut Machine<'p>,
    pub(super) state: &'m mut State,
    pub(super) tokens: &'r [Token],
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) language: Language,
    pub(super) vars: BTreeMap<String, Val>,
    pub(super) command: String,
    pub(super) from_os: bool,
}

impl Reader<'_, '_, '_> {
    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    pub(super) fn mark(&self, c: char) -> bool {
        self.peek() == Some(&Token::Mark(c))
    }

    /// Whether the call removes its first argument, and a list there means each of its items.
    pub(super) fn deletes(&self, name: &str) -> bool {
        let last = name.rsplit('.').next().unwrap_or(name);
        matches!(self.language, Language::Python | Language::Js)
            && (last == "remove" || last.starts_with("rm") || last.starts_with("unlink"))
    }

    /// Loop variables of comprehensions stand behind what uses them: they are read first.
    pub(super) fn loops(&mut self) {
        for at in 0..self.tokens.len() {
            if let [Token::Name(word), Token::Name(_), Token::Name(of), ..] = &self.tokens[at..]
                && word == "for"
                && of == "in"
            {
                self.at = at;
                self.statement();
            }
        }
        self.at = 0;
    }

    pub(super) fn program(&mut self) {
        if self.language == Language::Python {
            self.loops();
        }
        while self.at < self.tokens.len() {
            let before = self.at;
            self.statement();
            if self.at == before {
                self.at += 1;
            }
        }
    }

    /// `name = expr`, `for name in expr`, or an expression.
    pub(super) fn statement(&mut self) {
        if let Some(Token::Name(name)) = self.peek() {
            let name = name.clone();
            if matches!(
                name.as_str(),
                "const"
                    | "let"
                    | "var"
                    | "my"
                    | "our"
                    | "local"
                    | "return"
                    | "await"
                    | "yield"
                    | "del"
                    | "assert"
            ) {
                self.at += 1;
                return;
            }
            if name == "for"
                && let Some(Token::Name(item)) = self.tokens.get(self.at + 1)
                && matches!(self.tokens.get(self.at + 2), Some(Token::Name(word)) if word == "in" || word == "of")
            {
                let item = item.clone();
                self.at += 3;
                let value = self.expr();
                self.vars.insert(item, value);
                return;
            }
            let assigns = self.tokens.get(self.at + 1) == Some(&Token::Mark('='))
                && !matches!(self.tokens.get(self.at + 2), Some(Token::Mark('=' | '~' | '>')));
            if assigns {
                self.at += 2;
                let value = self.expr();
                self.vars.insert(name, value);
                return;
            }
        }
        self.expr();
    }

    /// One operand with its trailing calls, joined by `+`, `/` (paths) or `.` (Perl).
    pub(super) fn expr(&mut self) -> Val {
        let mut value = self.operand();
        loop {
            let joins =
                self.mark('+') || (self.mark('.') && matches!(self.language, Language::Perl | Language::Php));
            let path = self.mark('/') && self.language == Language::Python;
            if !joins && !path {
                return value;
            }
            self.at += 1;
            let mut left = value.one();
            if path {
                left.push(Piece::Text("/".to_owned()));
            }
            let right = self.operand().one();
            right.0.into_iter().for_each(|piece| left.push(piece));
            value = Val::One(left);
        }
    }

    pub(super) fn operand(&mut self) -> Val {
        if DEPTH_MAX <= self.depth {
            self.at += 1;
            return Val::unknown();
        }
        self.depth += 1;
        let value = self.operand_inner();
        self.depth -= 1;
        value
    }

    pub(super) fn operand_inner(&mut self) -> Val {
        let Some(token) = self.peek().cloned() else { return Val::unknown() };
        self.at += 1;
        let value = match token {
            Token::Text(Some(text)) => Val::One(Field::text(text)),
            Token::Text(None) => Val::unknown(),
            Token::Command(code) => {
                self.shell(&Field::text(code));
                Val::unknown()
            }
            Token::Name(name) => self.name(&name, None),
            Token::Mark('[') => Val::List(self.items(']')),
            Token::Mark('(') => {
                let mut items = self.items(')');
                if items.len() == 1 { Val::One(items.remove(0)) } else { Val::List(items) }
            }
            Token::Mark('{') => {
                // An object or a block: its inside is read for calls.
                while self.peek().is_some() && !self.mark('}') {
                    let before = self.at;
                    self.statement();
                    if self.at == before {
                        self.at += 1;
                    }
                }
                self.at += 1;
                Val::unknown()
            }
            Token::Mark(_) => return Val::unknown(),
        };
        self.methods(value)
    }

    /// `.method(…)`, `[index]` and calls of what a call returned.
    pub(super) fn methods(&mut self, mut value: Val) -> Val {
        loop {
            match self.peek() {
                Some(Token::Name(name)) if name.starts_with('.') => {
                    let name = name.clone();
                    self.at += 1;
                    value = self.name(&name, Some(value));
                }
                Some(Token::Mark('[')) if !matches!(value, Val::List(_)) => {
                    self.at += 1;
                    self.items(']');
                    value = Val::unknown();
                }
                Some(Token::Mark('(')) => {
                    self.at += 1;
                    self.items(')');
                    value = Val::unknown();
                }
                _ => return value,
            }
        }
    }

    /// Comma-separated values up to `close`.
    pub(super) fn items(&mut self, close: char) -> Vec<Field> {
        self.values(close).into_iter().flat_map(Val::fields).collect()
    }

    /// As [`Reader::items`], lists kept apart.
    pub(super) fn values(&mut self, close: char) -> Vec<Val> {
        let mut out = Vec::new();
        loop {
            while self.mark(',') || self.mark('\n') {
                self.at += 1;
            }
            if self.peek().is_none() {
                return out;
            }
            if self.mark(close) {
                self.at += 1;
                return out;
            }
            let before = self.at;
            // `key: value`, `key = value`
            if matches!(
                (self.tokens.get(self.at), self.tokens.get(self.at + 1)),
                (Some(Token::Name(_)), Some(Token::Mark('=')))
            ) {
                let Some(Token::Name(key)) = self.peek().cloned() else { return out };
                self.at += 2;
                let value = self.expr();
                if key == "mode" || key == "file" {
                    out.push(value);
                }
                self.skip_to(close);
                continue;
            }
            let value = self.expr();
            out.push(value);
            if self.at == before {
                self.at += 1;
            }
            self.skip_to(close);
        }
    }

    /// Reads on to the next `,` or the closing mark at this level, still looking for calls.
    pub(super) fn skip_to(&mut self, close: char) {
        while let Some(token) = self.peek() {
            match token {
                Token::Mark(c) if *c == ',' || *c == close => return,
                _ => {
                    let before = self.at;
                    self.operand();
                    if self.at == before {
                        self.at += 1;
                    }
                }
            }
        }
    }

    /// A name: a variable, or a call of it.
    pub(super) fn name(&mut self, name: &str, receiver: Option<Val>) -> Val {
        let parens = self.mark('(');
        // Ruby and Perl call without parentheses.
        let bare = !parens
            && matches!(self.language, Language::Ruby | Language::Perl)
            && matches!(self.peek(), Some(Token::Text(_) | Token::Command(_) | Token::Name(_)))
            && known_call(name);
        if parens || bare {
            let (args, first) = if parens {
                self.at += 1;
                let values = self.values(')');
                let first = values.first().cloned();
                (values.into_iter().flat_map(Val::fields).collect(), first)
            } else {
                (self.bare_items(), None)
            };
            // A variable that runs over a list: a call with each of its values.
            if let Some(Val::List(each)) = first
                && self.deletes(name)
            {
                for value in each {
                    self.call(name, receiver.clone(), vec![value]);
                }
                return Val::unknown();
            }
            return self.call(name, receiver, args);
        }
        match name {
            "process.env.HOME" | "ENV.HOME" => self.home(),
            "os.environ" | "process.env" | "ENV" | "$ENV" => {
                let close = if self.mark('{') { '}' } else { ']' };
                if self.mark('[') || self.mark('{') {
                    self.at += 1;
                    let key = self.items(close);
                    if key.first().and_then(Field::known).as_deref() == Some("HOME") {
                        return self.home();
                    }
                }
                Val::unknown()
            }
            ".parent" => Val::unknown(),
            _ => match (self.vars.get(name), name.split_once('.')) {
                (Some(value), _) => value.clone(),
                // `p.unlink()` on a variable.
                (None, Some((object, method))) if self.vars.contains_key(object) => {
                    let value = self.vars.get(object).cloned().unwrap_or_else(Val::unknown);
                    self.name(&format!(".{method}"), Some(value))
                }
                _ => receiver.unwrap_or_else(Val::unknown),
            },
        }
    }

    pub(super) fn bare_items(&mut self) -> Vec<Field> {
        let mut out = Vec::new();
        while let Some(token) = self.peek() {
            match token {
                Token::Mark(',') => self.at += 1,
                Token::Text(_) | Token::Name(_) | Token::Command(_) | Token::Mark('[' | '(') => {
                    let before = self.at;
                    out.extend(self.expr().fields());
                    if self.at == before {
                        self.at += 1;
                    }
                }
                Token::Mark(_) => break,
            }
        }
        out
    }

    pub(super) fn home(&self) -> Val {
        match &self.machine.place.home {
            Some(home) => Val::One(Field::text(home.display().to_string())),
            None => Val::unknown(),
        }
    }
}
