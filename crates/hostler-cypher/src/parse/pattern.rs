//! Patterns: paths of nodes and relationships.

use super::{Parser, RELATIONSHIPS_MAX, Result, too_much};
use crate::ast::{
    Arrow, Expr, Labels, Length, Name, NodePattern, PathPattern, RelationshipPattern, Selection,
};
use crate::error::{Code, Error};
use crate::lexer::Token;

impl Parser<'_> {
    /// `[name =] path`, or a shortest one.
    pub(super) fn path(&mut self) -> Result<PathPattern> {
        let variable = if self.is_variable() && self.is_at(1, "=") {
            let variable = self.variable()?;
            self.at += 1;
            Some(variable)
        } else {
            None
        };
        let selection = self.selection();
        let mut path = if selection == Selection::All { self.chain()? } else { self.shortest(selection)? };
        path.variable = variable;
        Ok(path)
    }

    /// Which paths are meant, by what stands here.
    pub(super) fn selection(&self) -> Selection {
        match self.peek() {
            Token::Word(it) if self.is_at(1, "(") && it.eq_ignore_ascii_case("shortestPath") => {
                Selection::Shortest
            }
            Token::Word(it) if self.is_at(1, "(") && it.eq_ignore_ascii_case("allShortestPaths") => {
                Selection::AllShortest
            }
            _ => Selection::All,
        }
    }

    pub(super) fn shortest(&mut self, selection: Selection) -> Result<PathPattern> {
        let at = self.offset();
        self.at += 1;
        self.expect("(")?;
        let mut path = self.chain()?;
        self.expect(")")?;
        if path.steps.len() != 1 {
            let message = "a shortest path has one relationship pattern between two nodes";
            return Err(Error::syntax(Code::UnexpectedSyntax, at, message));
        }
        path.selection = selection;
        Ok(path)
    }

    /// A node, and relationships with further nodes behind them.
    pub(super) fn chain(&mut self) -> Result<PathPattern> {
        let start = self.node()?;
        let mut steps = Vec::new();
        while self.is("-") || self.is("<") && self.is_at(1, "-") {
            let relationship = self.relationship()?;
            steps.push((relationship, self.node()?));
        }
        Ok(PathPattern { variable: None, selection: Selection::All, start, steps })
    }

    fn node(&mut self) -> Result<NodePattern> {
        let at = self.here();
        if !self.is("(") {
            return Err(self.unexpected("a node `(…)`"));
        }
        self.at += 1;
        let variable = if self.is_variable() { Some(self.variable()?) } else { None };
        let labels = if self.is(":") { self.labels(true)? } else { Labels::new() };
        let properties = self.pattern_properties()?;
        self.no_inner_filter()?;
        self.expect(")")?;
        Ok(NodePattern { variable, labels, properties, at })
    }

    fn no_inner_filter(&self) -> Result<()> {
        if !self.is_word("WHERE") {
            return Ok(());
        }
        let message = "WHERE within a pattern is not supported; write it after the patterns";
        Err(Error::syntax(Code::UnexpectedSyntax, self.offset(), message))
    }

    /// `:A:B`, `:A&B`, `:A|B`, `:(A|B)&C`; the bar is no alternative where it ends the condition of a list.
    pub(super) fn labels(&mut self, bar: bool) -> Result<Labels> {
        let mut out = Labels::new();
        self.expect(":")?;
        loop {
            out.push(self.any_label(bar)?);
            if !self.eat(":") && !self.eat("&") {
                return Ok(out);
            }
        }
    }

    fn any_label(&mut self, bar: bool) -> Result<Vec<Name>> {
        if self.eat("(") {
            let out = self.any_label(true)?;
            self.expect(")")?;
            return Ok(out);
        }
        if self.is("!") || self.is("%") {
            let message = "labels are written as `:A:B` (both) or `:A|B` (either)";
            return Err(Error::syntax(Code::UnexpectedSyntax, self.offset(), message));
        }
        let mut out = vec![self.any_name("a label")?];
        while bar && self.eat("|") {
            out.push(self.any_name("a label")?);
        }
        Ok(out)
    }

    fn pattern_properties(&mut self) -> Result<Vec<(Name, Expr)>> {
        match self.peek() {
            Token::Mark("{") => self.map_entries(),
            Token::Parameter(_) => Err(Error::syntax(
                Code::InvalidParameterUse,
                self.offset(),
                "a parameter cannot stand for all properties in a pattern; write `{key: $parameter.key}`",
            )),
            _ => Ok(Vec::new()),
        }
    }

    fn relationship(&mut self) -> Result<RelationshipPattern> {
        let at = self.here();
        self.relationships += 1;
        if self.relationships > RELATIONSHIPS_MAX {
            let message = format!("the patterns have more than {RELATIONSHIPS_MAX} relationships");
            return Err(too_much(self.offset(), message));
        }
        let left = self.eat("<");
        self.expect("-")?;
        let mut out = RelationshipPattern {
            variable: None,
            types: Vec::new(),
            length: None,
            properties: Vec::new(),
            arrow: Arrow::Both,
            at,
        };
        if self.eat("[") {
            out.variable = if self.is_variable() { Some(self.variable()?) } else { None };
            if self.eat(":") {
                out.types = self.types()?;
            }
            if self.is("*") {
                out.length = Some(self.length()?);
            }
            out.properties = self.pattern_properties()?;
            self.no_inner_filter()?;
            if self.is("..") || matches!(self.peek(), Token::Integer(_)) {
                let message = "how often a relationship is repeated is written after `*`, as in `*1..3`";
                return Err(Error::syntax(Code::InvalidRelationshipPattern, self.offset(), message));
            }
            self.expect("]")?;
        }
        self.expect("-")?;
        let right = self.eat(">");
        out.arrow = match (left, right) {
            (true, false) => Arrow::Left,
            (false, true) => Arrow::Right,
            _ => Arrow::Both,
        };
        Ok(out)
    }

    fn types(&mut self) -> Result<Vec<Name>> {
        let mut out = vec![self.any_name("a type of relationships")?];
        while self.eat("|") {
            self.eat(":");
            out.push(self.any_name("a type of relationships")?);
        }
        Ok(out)
    }

    /// `*`, `*2`, `*1..`, `*..3`, `*1..3`
    fn length(&mut self) -> Result<Length> {
        self.expect("*")?;
        let min = self.bound();
        if !self.eat("..") {
            if self.is("-") {
                let message = "how often a relationship is repeated is no negative number";
                return Err(Error::syntax(Code::InvalidRelationshipPattern, self.offset(), message));
            }
            return Ok(Length { min, max: min });
        }
        Ok(Length { min, max: self.bound() })
    }

    fn bound(&mut self) -> Option<u64> {
        let Token::Integer(number) = self.peek() else { return None };
        let number = *number;
        self.at += 1;
        Some(number)
    }

    /// Whether the parenthesis here begins a pattern with at least one relationship: what follows its end tells.
    pub(super) fn looks_like_pattern(&self) -> bool {
        let mut depth = 0_usize;
        let mut ahead = 0;
        loop {
            match self.peek_at(ahead) {
                Token::Mark("(" | "[" | "{") => depth += 1,
                Token::Mark(")" | "]" | "}") => depth = depth.saturating_sub(1),
                Token::End => return false,
                _ => {}
            }
            ahead += 1;
            if depth == 0 {
                break;
            }
        }
        let arrow = if self.is_at(ahead, "<") { ahead + 1 } else { ahead };
        self.is_at(arrow, "-") && (self.is_at(arrow + 1, "[") || self.is_at(arrow + 1, "-"))
    }
}
