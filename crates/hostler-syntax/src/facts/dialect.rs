//! What one language brings to the walk over its trees: what its nodes are, and how they are read.

use tree_sitter::{Node, Tree};

use super::common::{self, Words};
use super::{Body, Call, Catch, Class, Facts, Fault, Function, Literal};
use crate::{line_of, text_of};

/// What a node is to the measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// A function or method.
    Function,
    /// A function without a name of its own; one that is bound to a name counts as a function.
    Closure,
    /// A type with members.
    Class,
    /// Control flow with a choice: nests, and is one more way through.
    Branch,
    /// A choice that does not nest: `elif`.
    Way,
    /// Control flow that nests only: `try`, `with`, `switch`.
    Level,
    /// A case of a `switch`; the last wildcard is no way of its own.
    Case,
    /// A handler of failures: one more way through.
    Catch,
    /// A call.
    Call,
    /// A string.
    Text,
    /// A comment.
    Comment,
    /// Something that defines names by values.
    Binding,
    /// An import.
    Import,
    /// Raises a failure.
    Raise,
    /// Gives a value back.
    Return,
    /// An attribute of something.
    Attribute,
}

/// Who says what the syntax errors are.
pub(crate) enum Judgement {
    /// The tree.
    OfTree,
    /// These are all.
    Faults(Vec<Fault>),
    /// Nobody: the code is nested too deeply.
    TooDeep,
}

/// A node where it stands.
#[derive(Clone, Copy)]
pub(crate) struct At<'a, 'tree> {
    pub(crate) node: Node<'tree>,
    /// The root first.
    pub(crate) ancestors: &'a [Node<'tree>],
    pub(crate) text: &'a str,
    /// The innermost function, closures passed over.
    pub(crate) function: Option<usize>,
    /// The class, if its body is the innermost scope.
    pub(crate) class: Option<usize>,
}

impl<'a, 'tree> At<'a, 'tree> {
    pub(crate) fn parent(&self) -> Option<Node<'tree>> {
        self.ancestors.last().copied()
    }

    /// The kind of the `above`th node around this one, 0 being its parent.
    pub(crate) fn around(&self, above: usize) -> &'tree str {
        self.ancestors.iter().rev().nth(above).map_or("", |it| it.kind())
    }

    pub(crate) fn child(&self, field: &str) -> Option<Node<'tree>> {
        self.node.child_by_field_name(field)
    }

    /// The body of a function.
    pub(crate) fn body(&self) -> Option<Node<'tree>> {
        let body = self.child("body").or_else(|| child_of_kind(self.node, "function_body"))?;
        // Kotlin's holds a block or one expression.
        Some(if body.kind() == "function_body" { child_of_kind(body, "block").unwrap_or(body) } else { body })
    }

    /// The text of the child in `field`, empty without one.
    pub(crate) fn child_text(&self, field: &str) -> &'a str {
        self.child(field).map_or("", |it| text_of(it, self.text))
    }

    pub(crate) fn own_text(&self) -> &'a str {
        text_of(self.node, self.text)
    }

    pub(crate) fn line(&self) -> usize {
        line_of(self.node)
    }
}

/// One language. What is given here suits languages with braces.
pub(crate) trait Dialect: Sync {
    /// What a node of this kind is.
    fn part(&self, kind: &str) -> Option<Part>;

    /// The node really is the part that its kind says.
    fn counts(&self, _at: &At<'_, '_>, _part: Part) -> bool {
        true
    }

    /// Reads a function; the walk fills in its measures. `None`: it is none after all.
    fn function(&self, at: &At<'_, '_>) -> Option<Function> {
        Some(common::function(self.words(), at))
    }

    /// How the language marks what a definition is.
    fn words(&self) -> &'static Words {
        &common::WORDS
    }

    /// The name that a closure is bound to.
    fn closure_name(&self, _at: &At<'_, '_>) -> Option<String> {
        None
    }

    /// Reads a type. `None`: it is none after all.
    fn class(&self, at: &At<'_, '_>) -> Option<Class> {
        Some(common::class(self.words(), at))
    }

    /// The node adds to the class of its name instead of being one (Rust's `impl`).
    fn extends_class(&self, _at: &At<'_, '_>) -> bool {
        false
    }

    /// The type that a function is a method of without standing in it (Go).
    fn receiver(&self, _at: &At<'_, '_>) -> Option<String> {
        None
    }

    /// What the body of the function does.
    fn body(&self, at: &At<'_, '_>) -> Body {
        at.body().map_or(Body::Empty, |it| common::body(self.words(), it, at.text))
    }

    /// A branch that continues another: the `if` of an `else if`.
    fn is_flat(&self, at: &At<'_, '_>) -> bool {
        common::is_else_if(at)
    }

    /// The case takes whatever is left.
    fn is_wildcard(&self, at: &At<'_, '_>) -> bool {
        at.own_text().starts_with("default")
    }

    /// Reads a handler, from a `Catch`, a `Branch` or a `Case`.
    fn handler(&self, at: &At<'_, '_>) -> Option<Catch>;

    /// Reads a call.
    fn call(&self, at: &At<'_, '_>) -> Option<Call> {
        common::call(at, "function", "arguments")
    }

    /// The call is one that logs.
    fn logs(&self, callee: &str) -> bool {
        logs(callee)
    }

    /// Reads a string.
    fn literal(&self, at: &At<'_, '_>) -> Option<Literal> {
        let (role, target) = common::role(self.words(), at);
        let value = common::unquoted(at.own_text()).to_owned();
        let is_interpolated = named(at.node).any(|it| common::is_put_in(it.kind()));
        Some(Literal { value, target, role, is_interpolated, ..Literal::default() })
    }

    /// Adds the imports of the node.
    fn import(&self, at: &At<'_, '_>, out: &mut Facts);

    /// Adds the bindings of the node.
    fn bind(&self, at: &At<'_, '_>, out: &mut Facts);

    /// An attribute of the own object.
    fn is_own_attribute(&self, at: &At<'_, '_>) -> bool {
        ["object", "value", "expression", "operand", "receiver", "target"]
            .iter()
            .filter_map(|it| at.child(it))
            .chain(named(at.node).next())
            .any(|it| matches!(text_of(it, at.text), "this" | "self" | "$this"))
    }

    /// A `return` of the own object.
    fn returns_self(&self, at: &At<'_, '_>) -> bool {
        named(at.node).next().is_some_and(|it| matches!(text_of(it, at.text), "this" | "self" | "$this"))
    }

    /// Functions that implement another's contract are no members of the type's own (Rust's trait implementations).
    fn sets_contracts_apart(&self) -> bool {
        false
    }

    /// The error of the tree is a gap of the grammar, no fault of the text.
    fn forgives(&self, _error: Node<'_>, _ancestors: &[Node<'_>], _text: &str) -> bool {
        false
    }

    /// The text in words that the grammar knows, every byte in its place, where it does not know all that the
    /// language's compiler takes.
    fn plain(&self, _text: &str) -> Option<String> {
        None
    }

    /// The node is a string that its grammar lets go on in the next line, and the language does not.
    fn is_open_string(&self, _node: Node<'_>, _text: &str) -> bool {
        false
    }

    /// Adds what needs the whole text.
    fn finish(&self, _tree: &Tree, _text: &str, _out: &mut Facts) {}

    /// The syntax errors, where the language has a better judge of them than the tree.
    fn faults(&self, _text: &str) -> Judgement {
        Judgement::OfTree
    }
}

/// Words for the grades of a log.
const GRADES: &[&str] = &[
    "critical",
    "debug",
    "error",
    "exception",
    "fatal",
    "info",
    "log",
    "notice",
    "severe",
    "trace",
    "verbose",
    "warn",
    "warning",
];

/// What may follow a grade in the name of a function: `errorf`, `warning_once`.
const GRADE_ENDS: &[&str] =
    &["", "f", "w", "ln", "ing", "Context", "Async", "Error", "_once", "_with_traceback"];

/// Whether calling this logs: a grade of something that is called a log (`logger.info`, `self._log.error`), or a
/// function that says so itself (`log_error`, `LogError`).
pub(crate) fn logs(callee: &str) -> bool {
    let (holder, name) = holder_and_name(callee);
    let own = name.trim_start_matches('_');
    let rest = own.get(..3).filter(|it| it.eq_ignore_ascii_case("log")).and_then(|_| own.get(3..));
    let says_so = rest.is_some_and(|rest| match rest.bytes().next() {
        None => holder.is_empty(),
        Some(next) => next == b'_' || next.is_ascii_uppercase(),
    });
    says_so || own == "error_log" || logs_by_grade(callee)
}

/// Whether calling this does nothing but log: a grade of something that is called a log.
pub(crate) fn logs_by_grade(callee: &str) -> bool {
    let (holder, name) = holder_and_name(callee);
    is_grade(name) && is_log(holder)
}

/// The last name of a callee, and the one before it.
fn holder_and_name(callee: &str) -> (&str, &str) {
    let mut names = callee.rsplit(['.', ':', '>']).map(|it| it.trim_end_matches(['-', '!', '?', '(', ')']));
    let name = names.next().unwrap_or_default();
    (names.find(|it| !it.is_empty()).unwrap_or_default(), name)
}

/// Whether this is what a function of a log is called.
pub(crate) fn is_grade(name: &str) -> bool {
    GRADES.iter().any(|grade| {
        name.get(..grade.len()).is_some_and(|start| start.eq_ignore_ascii_case(grade))
            && name.get(grade.len()..).is_some_and(|rest| GRADE_ENDS.contains(&rest))
    })
}

fn is_log(holder: &str) -> bool {
    let bare = holder.trim_matches(['_', '$', '@']);
    let lower = bare.to_ascii_lowercase();
    matches!(lower.as_str(), "log" | "logs")
        || ["logger", "logging", "_log", "slog"].iter().any(|it| lower.ends_with(it))
        || ["logger", "logging", "log_"].iter().any(|it| lower.starts_with(it))
        // `accessLog`, but not `dialog`.
        || bare.ends_with("Log")
}

/// The children of `node`, in order.
pub(crate) fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    std::iter::from_fn(move || {
        if !more {
            return None;
        }
        let child = cursor.node();
        more = cursor.goto_next_sibling();
        Some(child)
    })
}

/// The children that are more than marks, without comments.
pub(crate) fn named(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    children(node).filter(|it| it.is_named() && !it.is_extra())
}

/// The first child of this kind.
pub(crate) fn child_of_kind<'tree>(node: Node<'tree>, kind: &str) -> Option<Node<'tree>> {
    children(node).find(|it| it.kind() == kind)
}

/// Whether a node below `node`, itself included, is of one of `kinds`; does not look below nodes of `except`.
pub(crate) fn holds(node: Node<'_>, kinds: &[&str], except: &[&str]) -> bool {
    let mut cursor = node.walk();
    let mut depth = 0_usize;
    loop {
        let kind = cursor.node().kind();
        if kinds.contains(&kind) {
            return true;
        }
        if !except.contains(&kind) && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        loop {
            if depth == 0 {
                return false;
            }
            if cursor.goto_next_sibling() {
                break;
            }
            cursor.goto_parent();
            depth -= 1;
        }
    }
}

/// The text of `node` without blanks and line ends: a dotted name as it is meant.
pub(crate) fn tight(node: Node<'_>, text: &str) -> String {
    text_of(node, text).split_whitespace().collect()
}

/// Longest text that is told on one line, in characters.
const LINE_CHARS_MAX: usize = 300;

/// `text` on one line, shortened.
pub(crate) fn one_line(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
        if LINE_CHARS_MAX < out.len() {
            return out.chars().take(LINE_CHARS_MAX).chain(['…']).collect();
        }
    }
    out
}

/// What is called, as dotted text: arguments of calls inside it are left out, so that `a(1).b(2)` is `a().b`.
pub(crate) fn callee(node: Node<'_>, text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0_usize;
    for mark in text_of(node, text).chars().take(LINE_CHARS_MAX) {
        match mark {
            '(' => {
                if depth == 0 {
                    out.push('(');
                }
                depth += 1;
            }
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    out.push(')');
                }
            }
            _ if 0 < depth || mark.is_whitespace() => {}
            _ => out.push(mark),
        }
    }
    out
}

/// The line that the code of `node` ends on: comments that follow it inside are not part of it.
pub(crate) fn last_line(node: Node<'_>) -> usize {
    let end = node.end_position();
    // A node that takes its line end with it ends in column 0 of the next line.
    if end.column == 0 && node.start_position().row < end.row { end.row } else { end.row + 1 }
}

#[cfg(test)]
mod tests {
    use super::{logs, logs_by_grade};

    #[test]
    fn logs_are_known_by_their_names() {
        for callee in [
            "logger.info",
            "self._log.warning",
            "logging.exception",
            "current_app.logger.error",
            "LOG.debug",
            "log::error!",
            "slog.Warn",
            "accessLog.info",
            "this.logger.warn",
            "getLogger().severe",
        ] {
            assert!(logs_by_grade(callee), "{callee}");
        }
        for callee in
            ["log", "log_error", "self._log_failure", "_logger.LogError", "error_log", "Rails.logger.error"]
        {
            assert!(logs(callee), "{callee}");
        }
        for callee in [
            "math.log",
            "dialog.error",
            "login",
            "self.logic.info",
            "errors.append",
            "catalog.debug",
            "print",
        ] {
            assert!(!logs(callee), "{callee}");
        }
    }
}
