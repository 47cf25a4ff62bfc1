//! What the compiler of `CPython` refuses because of the place where it stands: names and their scopes, loops,
//! functions.

use std::collections::HashSet;

use super::Fault;

/// What a scope belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Module,
    Class,
    Function { is_async: bool },
    Lambda,
}

/// A name where it stands.
#[derive(Clone, Copy)]
pub(super) struct Spot<'a> {
    pub(super) name: &'a str,
    /// In bytes.
    pub(super) at: usize,
    pub(super) line: usize,
}

pub(super) struct Scope<'a> {
    pub(super) kind: Kind,
    /// Loops around the statement.
    pub(super) loops: usize,
    /// `except*` clauses around it, outside of loops in them.
    pub(super) group_handlers: usize,
    parameters: Vec<&'a str>,
    /// Names in the order that they are read or set.
    pub(super) mentions: Vec<&'a str>,
    bound: HashSet<&'a str>,
    annotated: Vec<&'a str>,
    globals: Vec<&'a str>,
    nonlocals: Vec<Spot<'a>>,
    /// Those of scopes inside that no scope so far has bound.
    unresolved: Vec<Spot<'a>>,
    pub(super) yields: usize,
    /// Where a value is returned first.
    pub(super) returns: Option<(usize, usize)>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(kind: Kind, parameters: Vec<&'a str>) -> Self {
        Self {
            kind,
            loops: 0,
            group_handlers: 0,
            bound: parameters.iter().copied().collect(),
            parameters,
            mentions: Vec::new(),
            annotated: Vec::new(),
            globals: Vec::new(),
            nonlocals: Vec::new(),
            unresolved: Vec::new(),
            yields: 0,
            returns: None,
        }
    }

    pub(super) fn is_function(&self) -> bool {
        matches!(self.kind, Kind::Function { .. } | Kind::Lambda)
    }

    pub(super) fn is_async(&self) -> bool {
        self.kind == Kind::Function { is_async: true }
    }

    pub(super) fn bind(&mut self, name: &'a str) {
        self.mentions.push(name);
        self.bound.insert(name);
    }

    /// Notes an annotated name. What is wrong with it.
    pub(super) fn annotate(&mut self, name: &'a str) -> Option<String> {
        self.annotated.push(name);
        self.bind(name);
        let is_nonlocal = self.nonlocals.iter().any(|it| it.name == name);
        match (self.globals.contains(&name), is_nonlocal) {
            (true, _) => Some(format!("the annotated name `{name}` cannot be global")),
            (_, true) => Some(format!("the annotated name `{name}` cannot be nonlocal")),
            _ => None,
        }
    }

    /// Notes a `global` or `nonlocal` name. What is wrong with it.
    pub(super) fn declare(&mut self, spot: Spot<'a>, is_global: bool) -> Option<String> {
        let (word, name) = (if is_global { "global" } else { "nonlocal" }, spot.name);
        if !is_global && self.kind == Kind::Module {
            return Some("`nonlocal` stands outside of a function".to_owned());
        }
        if self.parameters.contains(&name) {
            return Some(format!("`{name}` is a parameter and {word}"));
        }
        let was_other = if is_global {
            self.nonlocals.iter().any(|it| it.name == name)
        } else {
            self.globals.contains(&name)
        };
        if was_other {
            return Some(format!("`{name}` is nonlocal and global"));
        }
        if self.annotated.contains(&name) {
            return Some(format!("the annotated name `{name}` cannot be {word}"));
        }
        if self.mentions.contains(&name) {
            return Some(format!("`{name}` is used before its `{word}` declaration"));
        }
        if is_global {
            self.globals.push(name);
        } else {
            self.nonlocals.push(spot);
        }
        None
    }

    /// Ends the scope inside `outer`; `None` for the module. The faults that only show at the end.
    pub(super) fn end(mut self, outer: Option<&mut Self>, out: &mut Vec<Fault>) {
        if self.is_async()
            && 0 < self.yields
            && let Some((at, line)) = self.returns
        {
            out.push(Fault::new(at, line, "an asynchronous generator returns no value"));
        }
        let mut open = std::mem::take(&mut self.nonlocals);
        // A class's names are seen by no function inside it.
        if self.is_function() {
            let is_own = |it: &Spot<'_>| {
                self.bound.contains(it.name)
                    && !self.globals.contains(&it.name)
                    && !open.iter().any(|own| own.name == it.name)
            };
            self.unresolved.retain(|it| !is_own(it));
        } else {
            self.unresolved.retain(|it| !(self.kind == Kind::Class && it.name == "__class__"));
        }
        open.append(&mut self.unresolved);
        match outer {
            Some(outer) => outer.unresolved.append(&mut open),
            None => out.extend(open.into_iter().map(|it| {
                Fault::new(
                    it.at,
                    it.line,
                    format!("no function around binds the nonlocal name `{}`", it.name),
                )
            })),
        }
    }
}
