//! Definitions, decorators and comments of Python, and the constants that decorators are given.

use std::collections::HashMap;

use tree_sitter::{Node, Tree};

use super::{dotted, module_and_alias, named};
use crate::outline::{Comment, Decorator, Definition, Outline, Value};
use crate::{line_of, text_of, walk};

/// Longest value that is told as written, in characters.
const WRITTEN_CHARS_MAX: usize = 60;
/// Deepest nesting of a value, and longest chain of names that stand for it.
const VALUE_DEPTH_MAX: usize = 16;
/// Most texts in one value: a constant that is doubled again and again must not fill memory.
const VALUE_TEXTS_MAX: usize = 10_000;

pub(super) fn read(tree: &Tree, text: &str, out: &mut Outline) {
    let mut names = Names::default();
    // By the node of a definition, to find the one around another.
    let mut places: HashMap<usize, usize> = HashMap::new();
    let mut decorated: Vec<(usize, Node<'_>)> = Vec::new();
    out.cut = walk(tree, |node, _, ancestors| match node.kind() {
        "comment" => out.comments.push(comment(node, text, false)),
        "string" if documents(node, ancestors) => out.comments.push(comment(node, text, true)),
        "import_from_statement" => names.import_from(node, text),
        "import_statement" => names.import(node, text),
        "assignment" => names.assign(node, ancestors, text),
        "function_definition" | "class_definition" => {
            let Some(name) = node.child_by_field_name("name") else { return };
            let wrapper = ancestors.last().filter(|it| it.kind() == "decorated_definition");
            let parent = ancestors.iter().rev().find_map(|it| places.get(&it.id()).copied());
            let at = out.definitions.len();
            places.insert(node.id(), at);
            let decorators =
                wrapper.into_iter().flat_map(|it| named(*it)).filter(|it| it.kind() == "decorator");
            decorated.extend(decorators.map(|it| (at, it)));
            out.definitions.push(Definition {
                is_class: node.kind() == "class_definition",
                name: text_of(name, text).to_owned(),
                parent,
                first_line: line_of(*wrapper.unwrap_or(&node)),
                line: line_of(node),
                last_line: node.end_position().row + 1,
                decorators: Vec::new(),
            });
        }
        _ => {}
    });
    // Names are looked up last: a constant may be set below its use in the text.
    for (at, node) in decorated {
        if let (Some(decorator), Some(definition)) =
            (names.decorator(node, text), out.definitions.get_mut(at))
        {
            definition.decorators.push(decorator);
        }
    }
    out.comments.sort_by_key(|it| it.line);
}

fn comment(node: Node<'_>, text: &str, documents: bool) -> Comment {
    Comment { line: line_of(node), text: text_of(node, text).to_owned(), documents }
}

/// A string that is a statement of its own documents what it stands in or after.
fn documents(string: Node<'_>, ancestors: &[Node<'_>]) -> bool {
    let Some((statement, around)) = ancestors.split_last() else { return false };
    statement.kind() == "expression_statement"
        && named(*statement).count() == 1
        && around.last().is_some_and(|it| matches!(it.kind(), "module" | "block"))
        && !string.has_error()
}

/// Names that stand for something that can be told.
#[derive(Default)]
struct Names<'tree> {
    /// Name -> the dotted name that it was imported as.
    imported: HashMap<String, String>,
    /// `NAME` or `Class.NAME` -> its value; `None` once it was set twice.
    constants: HashMap<String, Option<Node<'tree>>>,
}

impl<'tree> Names<'tree> {
    fn import(&mut self, statement: Node<'_>, text: &str) {
        for item in named(statement) {
            if let (module, Some(alias)) = module_and_alias(item, text) {
                self.imported.insert(alias.to_owned(), module);
            }
        }
    }

    fn import_from(&mut self, statement: Node<'_>, text: &str) {
        let Some(origin) = statement.child_by_field_name("module_name") else { return };
        let module = dotted(origin, text);
        for item in named(statement).filter(|it| it.id() != origin.id()) {
            let (name, alias) = module_and_alias(item, text);
            if let Some(alias) = alias {
                self.imported.insert(alias.to_owned(), format!("{module}.{name}"));
            }
        }
    }

    /// Notes constants of the module and of its classes.
    fn assign(&mut self, node: Node<'tree>, ancestors: &[Node<'tree>], text: &str) {
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        else {
            return;
        };
        if left.kind() != "identifier" || ancestors.iter().any(|it| it.kind() == "function_definition") {
            return;
        }
        let classes = ancestors.iter().filter(|it| it.kind() == "class_definition");
        let mut path: Vec<&str> =
            classes.filter_map(|it| it.child_by_field_name("name")).map(|it| text_of(it, text)).collect();
        path.push(text_of(left, text));
        let set = self.constants.entry(path.join(".")).or_insert(Some(right));
        if set.is_some_and(|it| it.id() != right.id()) {
            *set = None;
        }
    }

    fn decorator(&self, node: Node<'tree>, text: &str) -> Option<Decorator> {
        let expression = named(node).next()?;
        let (function, arguments) = match expression.kind() {
            "call" => {
                (expression.child_by_field_name("function")?, expression.child_by_field_name("arguments"))
            }
            _ => (expression, None),
        };
        let written = text_of(function, text).split_whitespace().collect::<String>();
        let name = match written.split_once('.') {
            None => self.imported.get(&written).cloned().unwrap_or(written),
            Some((first, rest)) => match self.imported.get(first) {
                Some(first) => format!("{first}.{rest}"),
                None => written,
            },
        };
        let (mut positional, mut keywords) = (Vec::new(), Vec::new());
        for argument in arguments.into_iter().flat_map(named) {
            if argument.kind() == "keyword_argument" {
                let (Some(name), Some(value)) =
                    (argument.child_by_field_name("name"), argument.child_by_field_name("value"))
                else {
                    continue;
                };
                keywords.push((text_of(name, text).to_owned(), self.bounded(value, text)));
            } else {
                positional.push(self.bounded(argument, text));
            }
        }
        Some(Decorator { line: line_of(node), name, positional, keywords })
    }

    fn bounded(&self, node: Node<'tree>, text: &str) -> Value {
        let mut texts_left = VALUE_TEXTS_MAX;
        self.value(node, text, 0, &mut texts_left)
    }

    fn value(&self, node: Node<'tree>, text: &str, depth: usize, texts_left: &mut usize) -> Value {
        let unknown = || Value::Unknown(written(node, text));
        if VALUE_DEPTH_MAX < depth || *texts_left == 0 {
            return unknown();
        }
        *texts_left -= 1;
        let mut inner = |node| self.value(node, text, depth + 1, texts_left);
        match node.kind() {
            "string" => string(node, text).map_or_else(unknown, Value::Text),
            "concatenated_string" => {
                let parts: Option<Vec<String>> = named(node)
                    .map(|it| if it.kind() == "string" { string(it, text) } else { None })
                    .collect();
                parts.map_or_else(unknown, |it| Value::Text(it.concat()))
            }
            "none" => Value::Nothing,
            "parenthesized_expression" => named(node).next().map_or_else(unknown, inner),
            "list" | "tuple" | "set" => {
                let mut items = Vec::new();
                for item in named(node) {
                    let spread = matches!(item.kind(), "list_splat" | "parenthesized_list_splat");
                    let source = if spread { named(item).next() } else { Some(item) };
                    match source.map_or_else(unknown, &mut inner) {
                        Value::List(more) if spread => items.extend(more),
                        value => items.push(value),
                    }
                }
                Value::List(items)
            }
            "binary_operator" => {
                let side = |name| node.child_by_field_name(name);
                let adds = side("operator").is_some_and(|it| text_of(it, text) == "+");
                let (Some(left), Some(right), true) = (side("left"), side("right"), adds) else {
                    return unknown();
                };
                match (inner(left), inner(right)) {
                    (Value::List(mut left), Value::List(right)) => {
                        left.extend(right);
                        Value::List(left)
                    }
                    (Value::Text(left), Value::Text(right)) => Value::Text(left + &right),
                    _ => unknown(),
                }
            }
            "identifier" | "attribute" => {
                let name = text_of(node, text).split_whitespace().collect::<String>();
                match self.constants.get(&name) {
                    Some(Some(value)) if value.id() != node.id() => inner(*value),
                    _ => unknown(),
                }
            }
            _ => unknown(),
        }
    }
}

/// What a string literal says; `None` where that depends on values.
fn string(node: Node<'_>, text: &str) -> Option<String> {
    let mut out = String::new();
    for part in named(node) {
        match part.kind() {
            "string_start" => {
                let prefix = text_of(part, text).to_ascii_lowercase();
                if prefix.contains('b') {
                    return None;
                }
            }
            "string_content" if named(part).next().is_none() => out.push_str(text_of(part, text)),
            // An escape sequence in an id or a name is nothing that is written.
            "string_content" | "interpolation" => return None,
            _ => {}
        }
    }
    Some(out)
}

fn written(node: Node<'_>, text: &str) -> String {
    let words = text_of(node, text).split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= WRITTEN_CHARS_MAX {
        return words;
    }
    words.chars().take(WRITTEN_CHARS_MAX).chain(['…']).collect()
}
