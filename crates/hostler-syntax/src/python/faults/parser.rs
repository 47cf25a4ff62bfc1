//! The tokens with a place in them, and what stands around that place.

use std::borrow::Cow;

use super::Fault;
use super::scopes::{Kind as ScopeKind, Scope, Spot};
use super::tokens::{Kind, Token};

/// Deepest nesting of expressions that is judged: each level takes stack. The deepest of 3,769 real modules is 17.
pub(super) const DEPTH_MAX: usize = 100;

/// Why reading ended.
pub(super) enum Stop {
    Fault(Fault),
    TooDeep,
}

pub(super) type Outcome<T = ()> = Result<T, Stop>;

/// What an expression is, as far as somebody asks who assigns to it.
pub(super) struct Shape<'a> {
    pub(super) kind: Form,
    pub(super) start: Token,
    /// It stands in parentheses.
    pub(super) is_grouped: bool,
    /// The names that an assignment to it binds.
    pub(super) names: Vec<Spot<'a>>,
    /// Why nothing can be assigned to it, if a part of it is to blame.
    pub(super) refused: Option<(Token, &'static str)>,
    /// Starred parts, of a tuple or list.
    pub(super) stars: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Name,
    Attribute,
    Subscript,
    Tuple,
    List,
    Starred,
    /// Nothing that can be assigned to, by what it is called.
    Value(&'static str),
}

impl<'a> Shape<'a> {
    pub(super) fn new(kind: Form, start: Token) -> Self {
        Self { kind, start, is_grouped: false, names: Vec::new(), refused: None, stars: 0 }
    }

    /// Takes a part of a tuple or list in.
    pub(super) fn take(&mut self, part: Shape<'a>) {
        if let Some(refused) = part.refusal(true) {
            self.refused.get_or_insert(refused);
        }
        self.stars += usize::from(part.kind == Form::Starred);
        self.names.extend(part.names);
    }

    /// Why nothing can be assigned to it.
    pub(super) fn refusal(&self, may_star: bool) -> Option<(Token, &'static str)> {
        match self.kind {
            Form::Value(what) => Some((self.start, what)),
            Form::Starred if !may_star || self.is_grouped => Some((self.start, "a starred expression")),
            Form::Tuple | Form::List if 1 < self.stars => {
                Some((self.start, "more than one starred expression"))
            }
            _ => self.refused,
        }
    }
}

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    pub(super) scopes: Vec<Scope<'a>>,
    /// Faults of places, found while the grammar is right.
    pub(super) late: Vec<Fault>,
    /// Places in `late` of an `await` that a generator expression around it would allow.
    pub(super) awaits: Vec<usize>,
    /// Names bound by `:=`, with the place in `late` unused.
    pub(super) walruses: Vec<Spot<'a>>,
    /// A `from __future__` may still come.
    pub(super) may_import_future: bool,
}

/// Stands past the last token.
const NOTHING: Token = Token { kind: Kind::End, start: usize::MAX, end: usize::MAX, line: 1 };

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        Self {
            text,
            tokens,
            at: 0,
            depth: 0,
            scopes: vec![Scope::new(ScopeKind::Module, Vec::new())],
            late: Vec::new(),
            awaits: Vec::new(),
            walruses: Vec::new(),
            may_import_future: true,
        }
    }

    pub(super) fn token(&self) -> Token {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, count: usize) -> Token {
        self.tokens.get(self.at + count).or(self.tokens.last()).copied().unwrap_or(NOTHING)
    }

    pub(super) fn word(&self, token: Token) -> &'a str {
        self.text.get(token.start..token.end).unwrap_or_default()
    }

    pub(super) fn next(&mut self) -> Token {
        let token = self.token();
        self.at += 1;
        token
    }

    /// Whether the next token is this mark or keyword.
    pub(super) fn is(&self, word: &str) -> bool {
        self.is_ahead(0, word)
    }

    pub(super) fn is_ahead(&self, count: usize, word: &str) -> bool {
        let token = self.ahead(count);
        matches!(token.kind, Kind::Mark | Kind::Keyword) && self.word(token) == word
    }

    pub(super) fn is_kind(&self, kind: Kind) -> bool {
        self.token().kind == kind
    }

    /// Whether the next token is this name, which is a keyword only here.
    pub(super) fn is_soft(&self, count: usize, word: &str) -> bool {
        let token = self.ahead(count);
        token.kind == Kind::Name && self.word(token) == word
    }

    /// Passes over `word` if it is next.
    pub(super) fn accept(&mut self, word: &str) -> bool {
        let is_next = self.is(word);
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn expect(&mut self, word: &str) -> Outcome {
        if self.accept(word) { Ok(()) } else { self.fail_expecting(word) }
    }

    fn fail_expecting<T>(&self, word: &str) -> Outcome<T> {
        let token = self.token();
        if self.word(token) == "=" && word == ":" {
            return self.fail(token, "`=` is no comparison: that is `==`");
        }
        let what = self.shown(token);
        self.fail(token, format!("`{word}` is expected before {what}"))
    }

    /// How a token is told.
    fn shown(&self, token: Token) -> String {
        match token.kind {
            Kind::Newline => "the end of the line".to_owned(),
            Kind::Indent | Kind::Dedent => "the change of indentation".to_owned(),
            Kind::End => "the end of the text".to_owned(),
            Kind::Text { .. } | Kind::FieldsStart | Kind::FieldsText | Kind::FieldsEnd => {
                "the string".to_owned()
            }
            _ => format!("`{}`", self.word(token).chars().take(40).collect::<String>()),
        }
    }

    #[expect(clippy::unused_self, reason = "every reader fails in the same way")]
    pub(super) fn fail<T>(&self, token: Token, message: impl Into<Cow<'static, str>>) -> Outcome<T> {
        Err(Stop::Fault(Fault::new(token.start, token.line, message)))
    }

    /// The next token cannot stand here.
    pub(super) fn unexpected<T>(&self) -> Outcome<T> {
        let token = self.token();
        match token.kind {
            Kind::Indent => self.fail(token, "the indentation is not expected"),
            _ => self.fail(token, format!("{} is not expected here", self.shown(token))),
        }
    }

    /// Notes a fault of the place.
    pub(super) fn late(&mut self, token: Token, message: impl Into<Cow<'static, str>>) {
        self.late.push(Fault::new(token.start, token.line, message));
    }

    /// One level deeper; `leave` takes it back.
    pub(super) fn deeper(&mut self) -> Outcome {
        self.depth += 1;
        if DEPTH_MAX < self.depth { Err(Stop::TooDeep) } else { Ok(()) }
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn scope(&mut self) -> Option<&mut Scope<'a>> {
        self.scopes.last_mut()
    }

    pub(super) fn is_in_function(&self) -> bool {
        self.scopes.last().is_some_and(Scope::is_function)
    }

    pub(super) fn is_in_async(&self) -> bool {
        self.scopes.last().is_some_and(Scope::is_async)
    }

    pub(super) fn end_scope(&mut self) {
        if let Some(scope) = self.scopes.pop() {
            scope.end(self.scopes.last_mut(), &mut self.late);
        }
    }

    pub(super) fn mention(&mut self, token: Token) {
        let name = self.word(token);
        if let Some(scope) = self.scope() {
            scope.mentions.push(name);
        }
    }

    pub(super) fn spot(&self, token: Token) -> Spot<'a> {
        Spot { name: self.word(token), at: token.start, line: token.line }
    }

    /// Binds a name in the scope here.
    pub(super) fn bind(&mut self, spot: Spot<'a>) {
        if spot.name == "__debug__" {
            self.late.push(Fault::new(spot.at, spot.line, "nothing can be assigned to `__debug__`"));
        }
        if let Some(scope) = self.scope() {
            scope.bind(spot.name);
        }
    }

    /// Binds what is imported: that may be declared global later, unlike what is used or assigned.
    pub(super) fn bind_import(&mut self, name: Token) {
        let spot = self.spot(name);
        self.bind(spot);
        if let Some(scope) = self.scope() {
            scope.mentions.pop();
        }
    }

    pub(super) fn name(&mut self) -> Outcome<Token> {
        if self.is_kind(Kind::Name) { Ok(self.next()) } else { self.unexpected() }
    }

    /// Assigns to `shape`, or says why not.
    pub(super) fn assign(&mut self, shape: Shape<'a>) -> Outcome {
        if let Some((token, what)) = shape.refusal(false) {
            return self.fail(token, format!("nothing can be assigned to {what}"));
        }
        for spot in shape.names {
            self.bind(spot);
        }
        Ok(())
    }

    /// The place after the bracket that closes the one which is next.
    pub(super) fn after_bracket(&self) -> usize {
        let mut depth = 0_usize;
        let mut count = 0;
        loop {
            let token = self.ahead(count);
            if token.kind == Kind::Mark {
                match self.word(token) {
                    "(" | "[" | "{" => depth += 1,
                    ")" | "]" | "}" => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            count += 1;
            if depth == 0 || token.kind == Kind::End {
                return count;
            }
        }
    }
}
