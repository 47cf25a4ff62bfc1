//! Text -> tree, by recursive descent over the grammar of openCypher 9, with what came after it that people write: labels
//! by `|` and `&`, EXISTS and COUNT with a subquery, map projections.

mod expression;
mod pattern;

use std::collections::HashSet;

use crate::ast::{At, Clause, Expr, Item, Name, Projection, Single, SortItem, Statement, Text, Variable};
use crate::error::{Class, Code, Error, Phase};
use crate::lexer::{Lexeme, Token, lex};

/// Longer queries are refused; lists of any length come in as parameters.
pub const QUERY_BYTES_MAX: usize = 64 * 1024;
/// How deep expressions nest, in the text and in the tree.
pub const EXPRESSION_DEPTH_MAX: usize = 100;
/// How many clauses a query has, those of its subqueries as well: each costs stack while a row goes through it.
pub const CLAUSES_MAX: usize = 100;
/// How many relationships the patterns of a query have.
pub const RELATIONSHIPS_MAX: usize = 100;

type Result<T, E = Error> = std::result::Result<T, E>;

/// Reads a query that only reads.
pub fn parse(source: &str) -> Result<Statement> {
    read(source).map_err(|it| it.located(source))
}

fn read(source: &str) -> Result<Statement> {
    if source.len() > QUERY_BYTES_MAX {
        let message =
            format!("the query has more than {QUERY_BYTES_MAX} bytes; pass long lists as parameters");
        return Err(too_much(0, message));
    }
    let lexemes = lex(source)?;
    let mut parser = Parser {
        source,
        lexemes,
        at: 0,
        depth: 0,
        inner: 0,
        clauses: 0,
        relationships: 0,
        cases: 0,
        no_pattern: HashSet::new(),
        labels_end_at_bar: false,
    };
    if parser.peek() == &Token::End {
        return Err(parser.unexpected("a query; it is empty"));
    }
    let statement = parser.statement(Where::Outside)?;
    parser.eat(";");
    match parser.peek() {
        Token::End => Ok(statement),
        _ => Err(parser.unexpected("the end of the query")),
    }
}

fn too_much(at: usize, message: String) -> Error {
    Error::new(Class::ExecutionError, Code::LimitReached, Phase::Compile, at, message)
}

/// Words that no variable can be named by without back-quotes: an operator or a clause begins with them. `END` is one
/// of them within CASE only: people write `(start)-->(end)`.
const RESERVED: [&str; 24] = [
    "AND", "AS", "CASE", "CREATE", "DELETE", "DETACH", "DISTINCT", "ELSE", "IN", "IS", "MATCH", "MERGE",
    "NOT", "OPTIONAL", "OR", "RETURN", "THEN", "UNION", "UNWIND", "WHEN", "WHERE", "WITH", "XOR", "NULL",
];

const WRITES: [&str; 9] =
    ["CREATE", "MERGE", "DELETE", "DETACH", "SET", "REMOVE", "FOREACH", "LOAD", "INSERT"];

/// Where a query stands.
#[derive(Clone, Copy, PartialEq)]
enum Where {
    Outside,
    /// In the braces of EXISTS or COUNT: RETURN may be left out.
    Subquery,
}

struct Parser<'a> {
    source: &'a str,
    lexemes: Vec<Lexeme>,
    at: usize,
    /// Expressions that are open.
    depth: usize,
    /// How deep the expressions of the pattern or subquery that is open nest.
    inner: usize,
    clauses: usize,
    relationships: usize,
    /// CASE expressions that are open.
    cases: usize,
    /// Where a pattern or a list comprehension was tried that is none, so that no place is tried twice.
    no_pattern: HashSet<usize>,
    /// Within the condition of a list, which a `|` ends.
    labels_end_at_bar: bool,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> &Token {
        self.lexemes.get(self.at + ahead).map_or(&Token::End, |it| &it.token)
    }

    /// Where the next token starts.
    fn offset(&self) -> usize {
        self.lexemes.get(self.at).map_or(self.source.len(), |it| it.start)
    }

    fn here(&self) -> At {
        At(u32::try_from(self.offset()).unwrap_or(u32::MAX))
    }

    fn is(&self, mark: &str) -> bool {
        self.is_at(0, mark)
    }

    fn is_at(&self, ahead: usize, mark: &str) -> bool {
        matches!(self.peek_at(ahead), Token::Mark(it) if *it == mark)
    }

    fn eat(&mut self, mark: &str) -> bool {
        let found = self.is(mark);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, mark: &str) -> Result<()> {
        if self.eat(mark) { Ok(()) } else { Err(self.unexpected(&format!("`{mark}`"))) }
    }

    fn is_word(&self, word: &str) -> bool {
        self.is_word_at(0, word)
    }

    fn is_word_at(&self, ahead: usize, word: &str) -> bool {
        matches!(self.peek_at(ahead), Token::Word(it) if it.eq_ignore_ascii_case(word))
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected(word)) }
    }

    /// What stands here instead of what is expected.
    fn unexpected(&self, wanted: &str) -> Error {
        let found = match self.lexemes.get(self.at) {
            None | Some(Lexeme { token: Token::End, .. }) => "the end".to_owned(),
            Some(it) => {
                let text: String = self.source[it.start..it.end].chars().take(40).collect();
                format!("`{text}`")
            }
        };
        Error::syntax(
            Code::UnexpectedSyntax,
            self.offset(),
            format!("{wanted} is expected here, not {found}"),
        )
    }

    /// A name of anything: keywords are names too where no keyword can stand.
    fn any_name(&mut self, wanted: &str) -> Result<Name> {
        match self.peek() {
            Token::Word(it) | Token::Quoted(it) => {
                let name = Name::from(it.as_str());
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.unexpected(wanted)),
        }
    }

    /// Whether a variable can stand here.
    fn is_variable(&self) -> bool {
        match self.peek() {
            Token::Quoted(_) => true,
            Token::Word(it) => {
                let is_end = self.cases > 0 && it.eq_ignore_ascii_case("END");
                !is_end && !RESERVED.iter().any(|word| word.eq_ignore_ascii_case(it))
            }
            _ => false,
        }
    }

    fn variable(&mut self) -> Result<Variable> {
        let at = self.here();
        if !self.is_variable() {
            return Err(self.unexpected("a variable"));
        }
        Ok(Variable { name: self.any_name("a variable")?, at })
    }

    fn statement(&mut self, place: Where) -> Result<Statement> {
        let mut parts = vec![self.single(place)?];
        let mut all = None;
        while self.is_word("UNION") {
            let at = self.offset();
            self.at += 1;
            let this = self.eat_word("ALL");
            if !this {
                self.eat_word("DISTINCT");
            }
            if *all.get_or_insert(this) != this {
                let message = "UNION and UNION ALL cannot be mixed in one query";
                return Err(Error::syntax(Code::InvalidClauseComposition, at, message));
            }
            parts.push(self.single(place)?);
        }
        Ok(Statement { parts, all: all.unwrap_or(false) })
    }

    fn single(&mut self, place: Where) -> Result<Single> {
        let mut clauses = Vec::new();
        // `EXISTS { (a)-->(b) WHERE … }` is a MATCH.
        if place == Where::Subquery && (self.is("(") || self.is_variable() && self.is_at(1, "=")) {
            clauses.push(self.matching(false, self.here())?);
        }
        while let Some(clause) = self.clause(place)? {
            if matches!(clauses.last(), Some(Clause::Return(_))) {
                let message = "RETURN ends a query; nothing can follow but UNION";
                return Err(Error::syntax(Code::InvalidClauseComposition, self.offset(), message));
            }
            self.clauses += 1;
            if self.clauses > CLAUSES_MAX {
                return Err(too_much(
                    self.offset(),
                    format!("the query has more than {CLAUSES_MAX} clauses"),
                ));
            }
            clauses.push(clause);
        }
        match clauses.last() {
            Some(Clause::Return(_)) => Ok(Single { clauses }),
            Some(_) if place == Where::Subquery => Ok(Single { clauses }),
            Some(_) => Err(self.unexpected("a clause, at last RETURN,")),
            None => Err(self.unexpected("MATCH, UNWIND, WITH or RETURN")),
        }
    }

    /// The next clause; none: something else begins.
    fn clause(&mut self, place: Where) -> Result<Option<Clause>> {
        let at = self.here();
        if self.is_word("OPTIONAL") && self.is_word_at(1, "MATCH") {
            self.at += 2;
            return self.matching(true, at).map(Some);
        }
        if self.eat_word("MATCH") {
            return self.matching(false, at).map(Some);
        }
        if self.eat_word("UNWIND") {
            let list = self.expr()?;
            self.expect_word("AS")?;
            return Ok(Some(Clause::Unwind { list, variable: self.variable()? }));
        }
        if self.eat_word("WITH") {
            let mut projection = self.projection(at)?;
            if self.eat_word("WHERE") {
                projection.filter = Some(self.expr()?);
            }
            return Ok(Some(Clause::With(projection)));
        }
        if self.eat_word("RETURN") {
            return self.projection(at).map(|it| Some(Clause::Return(it)));
        }
        if self.is_word("CALL") {
            return Err(self.no_call());
        }
        match WRITES.iter().find(|it| self.is_word(it)) {
            None => Ok(None),
            Some(word) if place == Where::Subquery => {
                let message = format!("{word} cannot stand in a subquery expression");
                Err(Error::syntax(Code::InvalidClauseComposition, self.offset(), message))
            }
            Some(word) => {
                let message =
                    format!("{word} is refused: queries here only read, the graph is kept by its index");
                Err(Error::refused(self.offset(), message))
            }
        }
    }

    fn no_call(&mut self) -> Error {
        if self.is_at(1, "{") || self.is_at(1, "(") {
            let message = "CALL with a subquery is not supported; use WITH, EXISTS {…} or COUNT {…}";
            return Error::syntax(Code::UnexpectedSyntax, self.offset(), message);
        }
        self.at += 1;
        let message = "there are no procedures here".to_owned();
        Error::new(Class::ProcedureError, Code::ProcedureNotFound, Phase::Compile, self.offset(), message)
    }

    fn matching(&mut self, optional: bool, at: At) -> Result<Clause> {
        let mut patterns = vec![self.path()?];
        while self.eat(",") {
            patterns.push(self.path()?);
        }
        let filter = if self.eat_word("WHERE") { Some(self.expr()?) } else { None };
        Ok(Clause::Match { optional, patterns, filter, at })
    }

    fn projection(&mut self, at: At) -> Result<Projection> {
        let mut out = Projection {
            distinct: self.eat_word("DISTINCT"),
            all: false,
            items: Vec::new(),
            order: Vec::new(),
            skip: None,
            limit: None,
            filter: None,
            at,
        };
        if self.eat("*") {
            out.all = true;
        } else {
            out.items.push(self.item()?);
        }
        while self.eat(",") {
            out.items.push(self.item()?);
        }
        if self.is_word("ORDER") && self.is_word_at(1, "BY") {
            self.at += 2;
            out.order.push(self.sort_item()?);
            while self.eat(",") {
                out.order.push(self.sort_item()?);
            }
        }
        if self.eat_word("SKIP") || self.eat_word("OFFSET") {
            out.skip = Some(self.expr()?);
        }
        if self.eat_word("LIMIT") {
            out.limit = Some(self.expr()?);
        }
        Ok(out)
    }

    fn item(&mut self) -> Result<Item> {
        let start = self.offset();
        let expr = self.expr()?;
        let end = self.lexemes.get(self.at.saturating_sub(1)).map_or(start, |it| it.end);
        let text = Text(Name::from(self.source.get(start..end).unwrap_or_default()));
        let alias = if self.eat_word("AS") { Some(self.variable()?.name) } else { None };
        Ok(Item { expr, alias, text })
    }

    fn sort_item(&mut self) -> Result<SortItem> {
        let expr = self.expr()?;
        let descending = self.eat_word("DESC") || self.eat_word("DESCENDING");
        if !descending && !self.eat_word("ASC") {
            self.eat_word("ASCENDING");
        }
        Ok(SortItem { expr, descending })
    }

    fn expr(&mut self) -> Result<Expr> {
        let (expr, levels) = self.expression(0)?;
        self.inner = self.inner.max(levels);
        Ok(expr)
    }
}
