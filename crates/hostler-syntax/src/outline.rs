//! What a text consists of: definitions with their decorators, and comments.

use crate::{Error, Language, parse};

/// Definitions and comments of one text. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outline {
    /// The text does not parse as a whole; what is listed was found in the parts that do.
    pub has_errors: bool,
    /// Parts nested deeper than [`crate::DEPTH_MAX`] were left out.
    pub cut: bool,
    /// Functions and classes, in order of lines.
    pub definitions: Vec<Definition>,
    /// Comments and docstrings, in order of lines.
    pub comments: Vec<Comment>,
}

impl Outline {
    /// The innermost definition around `line`, by its place in [`Self::definitions`]. Decorators belong to theirs.
    pub fn around(&self, line: usize) -> Option<usize> {
        let inside = |it: &Definition| it.first_line <= line && line <= it.last_line;
        let narrowest = |at: &usize| self.definitions.get(*at).map(|it| it.last_line - it.first_line);
        let all = self.definitions.iter().enumerate().filter(|(_, it)| inside(it)).map(|(at, _)| at);
        // Of two that are alike, the later one is the inner one.
        all.min_by_key(|at| (narrowest(at), usize::MAX - at))
    }

    /// The definition at `at` with those around it, the outermost first.
    pub fn path(&self, at: usize) -> Vec<&Definition> {
        let mut path = Vec::new();
        let mut next = self.definitions.get(at);
        while let Some(definition) = next {
            path.push(definition);
            next = definition.parent.and_then(|at| self.definitions.get(at));
        }
        path.reverse();
        path
    }
}

/// A function or a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// It is a class.
    pub is_class: bool,
    /// Its name.
    pub name: String,
    /// The definition around it, by its place in [`Outline::definitions`].
    pub parent: Option<usize>,
    /// Its first line, decorators included.
    pub first_line: usize,
    /// The line of its `def` or `class`.
    pub line: usize,
    /// Its last line.
    pub last_line: usize,
    /// From top to bottom.
    pub decorators: Vec<Decorator>,
}

/// A decorator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decorator {
    /// Where it begins.
    pub line: usize,
    /// What is called, as a dotted name; a name that was imported under another one is told by its own.
    pub name: String,
    /// Arguments without a name.
    pub positional: Vec<Value>,
    /// Arguments with one, in order.
    pub keywords: Vec<(String, Value)>,
}

/// A value that can be told without running the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A string.
    Text(String),
    /// A list, tuple or set.
    List(Vec<Value>),
    /// `None`.
    Nothing,
    /// Something else, as written and shortened.
    Unknown(String),
}

/// A comment, or a string that documents what it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Where it begins.
    pub line: usize,
    /// With its marks, over all its lines.
    pub text: String,
    /// It is a docstring.
    pub documents: bool,
}

/// Reads definitions and comments of a whole file.
///
/// # Errors
/// [`Error`] when the text is beyond a budget; broken code is none.
pub fn outline(language: Language, text: &str) -> Result<Outline, Error> {
    let grammar = language.grammar()?;
    let reader = grammar.reader()?;
    let tree = parse(grammar, text)?;
    let mut out = Outline { has_errors: tree.root_node().has_error(), ..Outline::default() };
    (reader.outline)(&tree, text, &mut out);
    Ok(out)
}

#[cfg(test)]
mod tests;
