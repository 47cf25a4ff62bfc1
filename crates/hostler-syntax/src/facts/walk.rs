//! One walk over a tree that measures what it passes.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::dialect::{At, Dialect, Judgement, Part, last_line};
use super::{Call, Class, Facts, Fault, Function, Literal, Remark};
use crate::{DEPTH_MAX, line_of, text_of};

/// Most faults that are told of one text.
const FAULTS_MAX: usize = 50;

/// Calls that end what is going on, in languages where that is no statement.
const RAISING: &[&str] = &["die", "exit", "fail", "fatalError", "panic", "panic!", "raise", "sys.error"];

/// Reads the facts of `tree` into `out`, which has its syntax errors.
pub(crate) fn read(dialect: &dyn Dialect, tree: &Tree, text: &str, out: &mut Facts) {
    let mut walk = Walk {
        dialect,
        text,
        out,
        scopes: vec![Scope::default()],
        open: Vec::new(),
        awaited: BTreeSet::new(),
    };
    let mut cursor = tree.walk();
    let mut ancestors: Vec<Node<'_>> = Vec::new();
    let mut entered: Vec<Entered> = Vec::new();
    'nodes: loop {
        let node = cursor.node();
        let mark = walk.enter(node, &ancestors);
        let deep = DEPTH_MAX <= ancestors.len();
        if !deep && cursor.goto_first_child() {
            ancestors.push(node);
            entered.push(mark);
            continue;
        }
        walk.out.cut |= deep && 0 < node.child_count();
        walk.leave(mark);
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'nodes;
            }
            ancestors.pop();
            if let Some(mark) = entered.pop() {
                walk.leave(mark);
            }
        }
    }
    for place in walk.awaited {
        if let Some(class) = walk.out.classes.get_mut(place) {
            class.is_foreign = true;
        }
    }
    dialect.finish(tree, text, out);
    finish(dialect, out);
    match dialect.faults(text) {
        Judgement::OfTree => {}
        Judgement::Faults(faults) => out.errors = faults,
        Judgement::TooDeep => {
            out.errors.clear();
            out.cut = true;
        }
    }
}

/// A syntax error, with the bytes that the parser could make nothing of.
pub(crate) struct Gap {
    pub(crate) fault: Fault,
    pub(crate) bytes: Range<usize>,
    /// It spans lines: where it begins is not where it went wrong.
    pub(crate) is_wide: bool,
}

/// The syntax errors of `tree`.
pub(crate) fn gaps(dialect: &dyn Dialect, tree: &Tree, text: &str) -> Vec<Gap> {
    let mut gaps = Vec::new();
    if tree.root_node().has_error() {
        crate::walk(tree, |node, _, ancestors| {
            if node.is_error() || node.is_missing() {
                gaps.extend(gap(dialect, node, ancestors, text).filter(|_| gaps.len() < FAULTS_MAX));
            } else if dialect.is_open_string(node, text) {
                // Whatever is told of the text behind it follows from it.
                let said = fault(text, node.start_byte(), Some("the end of the string"), "");
                gaps.extend(said.map(|fault| Gap { fault, bytes: node.byte_range(), is_wide: false }));
            }
        });
    }
    gaps
}

/// What is to be taken back when a node is left.
#[derive(Default, Clone, Copy)]
struct Entered {
    level: bool,
    scope: bool,
    handler: bool,
}

/// What is around a node.
#[derive(Default, Clone, Copy)]
struct Scope {
    /// The innermost function, closures passed over.
    function: Option<usize>,
    /// The class, if this is a class's body.
    class: Option<usize>,
    nesting: u32,
    /// How many handlers are open around it: those belong to other code.
    handlers: usize,
}

struct Walk<'a> {
    dialect: &'a dyn Dialect,
    text: &'a str,
    out: &'a mut Facts,
    scopes: Vec<Scope>,
    /// Handlers around the node.
    open: Vec<usize>,
    /// Classes that were only added to so far.
    awaited: BTreeSet<usize>,
}

impl Walk<'_> {
    fn scope(&self) -> Scope {
        self.scopes.last().copied().unwrap_or_default()
    }

    fn enter(&mut self, node: Node<'_>, ancestors: &[Node<'_>]) -> Entered {
        let mut mark = Entered::default();
        let Some(part) = self.dialect.part(node.kind()).filter(|_| node.is_named()) else { return mark };
        let scope = self.scope();
        let at = At { node, ancestors, text: self.text, function: scope.function, class: scope.class };
        if !self.dialect.counts(&at, part) {
            return mark;
        }
        match part {
            Part::Function => {
                if let Some(function) = self.dialect.function(&at) {
                    self.function(function, &at);
                    mark.scope = true;
                }
            }
            Part::Closure => {
                match self.dialect.closure_name(&at) {
                    Some(name) => {
                        if let Some(mut function) = self.dialect.function(&at) {
                            function.name = name;
                            function.is_closure = true;
                            self.function(function, &at);
                        } else {
                            self.closure(scope);
                        }
                    }
                    None => self.closure(scope),
                }
                mark.scope = true;
            }
            Part::Class => {
                if let Some(class) = self.dialect.class(&at) {
                    let class = self.class(class, self.dialect.extends_class(&at));
                    self.scopes.push(Scope { class: Some(class), nesting: 0, ..scope });
                    mark.scope = true;
                }
            }
            Part::Branch => {
                self.way();
                mark.handler = self.handler(&at);
                if !self.dialect.is_flat(&at) {
                    self.level(node);
                    mark.level = true;
                }
            }
            Part::Level => {
                if !self.dialect.is_flat(&at) {
                    self.level(node);
                    mark.level = true;
                }
            }
            Part::Way => self.way(),
            Part::Case => {
                if !self.dialect.is_wildcard(&at) {
                    self.way();
                }
                mark.handler = self.handler(&at);
            }
            Part::Catch => {
                self.way();
                mark.handler = self.handler(&at);
            }
            Part::Call => {
                if let Some(call) = self.dialect.call(&at) {
                    self.call(call);
                }
            }
            Part::Text => {
                let literal = self.dialect.literal(&at);
                self.out.literals.extend(literal.map(|it| Literal {
                    line: line_of(node),
                    last_line: last_line(node),
                    ..it
                }));
            }
            Part::Comment => self.comment(node),
            Part::Binding => self.dialect.bind(&at, self.out),
            Part::Import => self.dialect.import(&at, self.out),
            Part::Raise => self.raise(),
            Part::Return => {
                if self.dialect.returns_self(&at)
                    && let Some(function) = scope.function.and_then(|it| self.out.functions.get_mut(it))
                {
                    function.returns_self = true;
                }
            }
            Part::Attribute => {
                if self.dialect.is_own_attribute(&at) {
                    self.own_attribute();
                }
            }
        }
        mark
    }

    fn leave(&mut self, mark: Entered) {
        if mark.scope {
            self.scopes.pop();
        }
        if mark.level
            && let Some(scope) = self.scopes.last_mut()
        {
            scope.nesting -= 1;
        }
        if mark.handler {
            self.open.pop();
        }
    }

    fn function(&mut self, mut function: Function, at: &At<'_, '_>) {
        let scope = self.scope();
        function.parent = scope.function;
        function.class = scope.class.or_else(|| {
            let name = self.dialect.receiver(at)?;
            let (line, last_line) = (function.line, function.last_line);
            Some(self.class(Class { name, line, first_line: line, last_line, ..Class::default() }, true))
        });
        function.complexity = 1;
        function.body = self.dialect.body(at);
        self.count(scope.function);
        let place = self.out.functions.len();
        self.out.functions.push(function);
        self.scopes.push(Scope { function: Some(place), class: None, nesting: 0, handlers: self.open.len() });
    }

    fn closure(&mut self, scope: Scope) {
        self.scopes.push(Scope { class: None, nesting: 0, ..scope });
    }

    /// Notes the class, or adds to the one of its name. Its place.
    fn class(&mut self, mut class: Class, extends: bool) -> usize {
        class.parent = self.scope().class;
        class.lines = (class.last_line + 1).saturating_sub(class.line);
        // A type and the blocks that add to it may stand in any order.
        let known = (extends || !self.awaited.is_empty())
            .then(|| {
                self.out.classes.iter().position(|it| it.name == class.name && it.parent == class.parent)
            })
            .flatten()
            .filter(|place| extends || self.awaited.contains(place));
        let Some(place) = known else {
            let place = self.out.classes.len();
            if extends {
                self.awaited.insert(place);
            }
            self.out.classes.push(class);
            return place;
        };
        if let Some(known) = self.out.classes.get_mut(place) {
            if extends {
                known.lines += class.lines;
                known.bases.extend(class.bases);
                known.impl_line = known.impl_line.or(class.impl_line);
            } else {
                self.awaited.remove(&place);
                class.lines += known.lines;
                class.bases.append(&mut known.bases);
                class.impl_line = known.impl_line;
                *known = class;
            }
        }
        place
    }

    /// One more way through the function here and those that contain it.
    fn way(&mut self) {
        self.count(self.scope().function);
    }

    fn count(&mut self, mut at: Option<usize>) {
        while let Some(function) = at.and_then(|it| self.out.functions.get_mut(it)) {
            function.complexity += 1;
            at = function.parent;
        }
    }

    fn level(&mut self, node: Node<'_>) {
        let Some(scope) = self.scopes.last_mut() else { return };
        scope.nesting += 1;
        if let Some(function) = scope.function.and_then(|it| self.out.functions.get_mut(it))
            && scope.class.is_none()
            && function.nesting < scope.nesting
        {
            function.nesting = scope.nesting;
            function.nesting_line = line_of(node);
        }
    }

    fn handler(&mut self, at: &At<'_, '_>) -> bool {
        let Some(mut handler) = self.dialect.handler(at) else {
            return false;
        };
        handler.function = at.function;
        handler.last_line = last_line(at.node);
        self.open.push(self.out.handlers.len());
        self.out.handlers.push(handler);
        true
    }

    fn call(&mut self, mut call: Call) {
        let scope = self.scope();
        call.function = scope.function;
        if self.dialect.logs(&call.callee) {
            for handler in self.open.iter().skip(scope.handlers) {
                if let Some(it) = self.out.handlers.get_mut(*handler) {
                    it.logs = true;
                }
            }
        }
        if RAISING.contains(&call.callee.as_str()) {
            self.raise();
        }
        self.out.calls.push(call);
    }

    fn raise(&mut self) {
        for handler in self.open.iter().skip(self.scope().handlers) {
            if let Some(it) = self.out.handlers.get_mut(*handler) {
                it.raises = true;
            }
        }
    }

    fn comment(&mut self, node: Node<'_>) {
        let text = text_of(node, self.text).trim_end();
        let start = node.start_byte();
        let before = self.text.get(start - node.start_position().column..start).unwrap_or_default();
        self.out.comments.push(Remark {
            line: line_of(node),
            text: text.to_owned(),
            last_line: line_of(node) + text.bytes().filter(|it| *it == b'\n').count(),
            is_doc: false,
            is_own_line: before.trim().is_empty(),
        });
    }

    /// Counts for the method that the code is in, through functions inside it.
    fn own_attribute(&mut self) {
        let mut at = self.scope().function;
        while let Some(function) = at.and_then(|it| self.out.functions.get_mut(it)) {
            if function.class.is_some() {
                function.self_references += 1;
                return;
            }
            at = function.parent;
        }
    }
}

/// What is wrong at an error of the tree.
fn gap(dialect: &dyn Dialect, node: Node<'_>, ancestors: &[Node<'_>], text: &str) -> Option<Gap> {
    if dialect.forgives(node, ancestors, text) {
        return None;
    }
    let missing = node.is_missing().then(|| node.kind());
    let fault = fault(text, node.start_byte(), missing, text_of(node, text))?;
    let is_wide = node.start_position().row < node.end_position().row;
    Some(Gap { fault, bytes: node.byte_range(), is_wide })
}

/// The error at byte `at`: that something is missing there, or that `rest` is not expected.
pub(crate) fn fault(text: &str, at: usize, missing: Option<&str>, rest: &str) -> Option<Fault> {
    let before = text.get(..at)?;
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let message = match (missing, rest.lines().map(str::trim).find(|it| !it.is_empty())) {
        (Some(kind), _) if kind.contains(' ') => format!("{kind} is missing"),
        (Some(kind), _) => format!("`{kind}` is missing"),
        (None, Some(line)) => {
            format!("`{}` is not expected here", line.chars().take(40).collect::<String>())
        }
        (None, None) => "something is missing here".to_owned(),
    };
    Some(Fault { line, column, message })
}

/// What needs the whole text.
fn finish(dialect: &dyn Dialect, out: &mut Facts) {
    for (place, function) in out.functions.iter().enumerate() {
        if let Some(class) = function.class.and_then(|it| out.classes.get_mut(it)) {
            class.methods.push(place);
        }
    }
    for class in &mut out.classes {
        let own = || {
            class
                .methods
                .iter()
                .filter_map(|it| out.functions.get(*it))
                .filter(|it| !(dialect.sets_contracts_apart() && it.is_override))
        };
        class.method_names = own().map(|it| it.name.as_str()).collect::<BTreeSet<_>>().len();
        class.public_method_names =
            own().filter(|it| it.is_public).map(|it| it.name.as_str()).collect::<BTreeSet<_>>().len();
    }
    for place in overridden(out) {
        if let Some(function) = out.functions.get_mut(place) {
            function.is_overridden = true;
        }
    }
    if let Some((first, last)) = out.main_guard {
        for call in &mut out.calls {
            call.is_main_guarded = (first..=last).contains(&call.line);
        }
    }
    out.comments.sort_by_key(|it| it.line);
    out.literals.sort_by_key(|it| it.line);
}

/// Methods that a class based on theirs defines again, by their places.
fn overridden(out: &Facts) -> BTreeSet<usize> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, class) in out.classes.iter().enumerate() {
        places.entry(class.name.as_str()).or_default().push(place);
    }
    let bases = |class: &Class| -> Vec<usize> {
        let names = class.bases.iter().map(|it| it.rsplit(['.', ':']).next().unwrap_or_default());
        names.filter_map(|name| places.get(name)).flatten().copied().collect()
    };
    let mut found = BTreeSet::new();
    for (own, class) in out.classes.iter().enumerate() {
        let names: BTreeSet<&str> =
            class.methods.iter().filter_map(|it| out.functions.get(*it)).map(|it| it.name.as_str()).collect();
        let mut seen = BTreeSet::from([own]);
        let mut next = bases(class);
        while let Some(place) = next.pop() {
            let Some(base) = out.classes.get(place).filter(|_| seen.insert(place)) else { continue };
            let again = base.methods.iter().copied().filter(|it| {
                out.functions.get(*it).is_some_and(|function| names.contains(function.name.as_str()))
            });
            found.extend(again);
            next.extend(bases(base));
        }
    }
    found
}
