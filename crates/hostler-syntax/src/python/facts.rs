//! Facts of Python.

use std::collections::HashSet;

use tree_sitter::{Node, Tree};

use super::{dotted, faults, module_and_alias};
use crate::facts::{
    At, Binding, Body, Call, Catch, Class, ClassKind, Dialect, Facts, Function, Import, Judgement, Literal,
    Parameter, Part, Remark, Role, ValueKind, callee, children, holds, logs_by_grade, named, one_line, tight,
};
use crate::{line_of, text_of};

pub(super) struct Python;

/// Exceptions that take every failure.
const BROAD: &[&str] = &["BaseException", "Exception"];
/// Calls that make an object which all calls of a function would share, as `ruff` B006 has them.
const MUTABLE: &[&str] = &[
    "Counter",
    "OrderedDict",
    "bytearray",
    "collections.Counter",
    "collections.OrderedDict",
    "collections.defaultdict",
    "collections.deque",
    "defaultdict",
    "deque",
    "dict",
    "list",
    "set",
];
/// Displays and comprehensions that do.
const MUTABLE_KINDS: &[&str] =
    &["dictionary", "dictionary_comprehension", "list", "list_comprehension", "set", "set_comprehension"];

impl Dialect for Python {
    fn finish(&self, tree: &Tree, text: &str, out: &mut Facts) {
        out.main_guard = main_guard(tree, text);
        let docs = out.literals.iter().filter(|it| it.role == Role::Doc);
        out.comments.extend(docs.map(|it| Remark {
            line: it.line,
            last_line: it.last_line,
            text: it.value.clone(),
            is_doc: true,
            is_own_line: true,
        }));
    }

    // The tree refuses some code that Python takes, and the other way round.
    fn faults(&self, text: &str) -> Judgement {
        faults::read(text).map_or(Judgement::TooDeep, Judgement::Faults)
    }

    fn part(&self, kind: &str) -> Option<Part> {
        Some(match kind {
            "function_definition" => Part::Function,
            "lambda" => Part::Closure,
            "class_definition" => Part::Class,
            "if_statement" | "for_statement" | "while_statement" => Part::Branch,
            "elif_clause" | "else_clause" => Part::Way,
            "with_statement" | "try_statement" | "match_statement" => Part::Level,
            "case_clause" => Part::Case,
            "except_clause" => Part::Catch,
            "call" => Part::Call,
            "string" | "concatenated_string" => Part::Text,
            "comment" => Part::Comment,
            "assignment" | "default_parameter" | "typed_default_parameter" => Part::Binding,
            "import_statement" | "import_from_statement" | "future_import_statement" => Part::Import,
            "raise_statement" => Part::Raise,
            "return_statement" => Part::Return,
            "attribute" => Part::Attribute,
            _ => return None,
        })
    }

    fn counts(&self, at: &At<'_, '_>, part: Part) -> bool {
        match part {
            // The `else` of a loop or an `if` is no way of its own.
            Part::Way if at.node.kind() == "else_clause" => at.around(0) == "try_statement",
            _ => true,
        }
    }

    fn function(&self, at: &At<'_, '_>) -> Option<Function> {
        let name = at.child_text("name");
        let wrapper = at.parent().filter(|it| it.kind() == "decorated_definition");
        let decorators = decorators(wrapper, at.text);
        let parameters = at.child("parameters");
        let is_method = at.class.is_some();
        let has = |names: &[&str]| {
            decorators.iter().any(|it| names.contains(&it.rsplit('.').next().unwrap_or_default()))
        };
        Some(Function {
            name: name.to_owned(),
            line: at.line(),
            first_line: wrapper.map_or(at.line(), line_of),
            last_line: end_of_code(at.node),
            is_public: !name.starts_with('_'),
            is_async: children(at.node).next().is_some_and(|it| it.kind() == "async"),
            is_test: name.starts_with("test") && (at.function.is_none() || is_method),
            is_override: has(&["override"]),
            is_abstract: has(&[
                "abstractmethod",
                "abstractproperty",
                "abstractclassmethod",
                "abstractstaticmethod",
                "overload",
            ]) || (is_method && in_protocol(at)),
            is_constructor: is_method && matches!(name, "__init__" | "__new__" | "__post_init__"),
            mutable_defaults: parameters.map(|it| mutable_defaults(it, at.text)).unwrap_or_default(),
            parameters: parameters.map(|it| read_parameters(it, at.text)).unwrap_or_default(),
            signature: signature(at),
            decorators,
            ..Function::default()
        })
    }

    fn class(&self, at: &At<'_, '_>) -> Option<Class> {
        let name = at.child_text("name");
        let wrapper = at.parent().filter(|it| it.kind() == "decorated_definition");
        let bases = bases(at.node, at.text);
        let last = |it: &String| it.rsplit('.').next().unwrap_or_default().to_owned();
        let kind = if bases.iter().any(|it| last(it) == "Protocol") {
            ClassKind::Interface
        } else if bases
            .iter()
            .any(|it| matches!(last(it).as_str(), "Enum" | "IntEnum" | "StrEnum" | "Flag" | "IntFlag"))
        {
            ClassKind::Enum
        } else {
            ClassKind::Class
        };
        Some(Class {
            name: name.to_owned(),
            kind,
            line: at.line(),
            first_line: wrapper.map_or(at.line(), line_of),
            last_line: end_of_code(at.node),
            bases,
            decorators: decorators(wrapper, at.text),
            is_public: !name.starts_with('_'),
            ..Class::default()
        })
    }

    fn body(&self, at: &At<'_, '_>) -> Body {
        at.child("body").map_or(Body::Empty, |it| body(it, at.text))
    }

    fn is_flat(&self, _at: &At<'_, '_>) -> bool {
        false
    }

    fn is_wildcard(&self, at: &At<'_, '_>) -> bool {
        if at.child("guard").is_some() {
            return false;
        }
        let mut patterns = named(at.node).filter(|it| it.kind() == "case_pattern");
        let (Some(pattern), None) = (patterns.next(), patterns.next()) else { return false };
        // An alternative that takes everything takes everything.
        let last = text_of(pattern, at.text).rsplit('|').next().unwrap_or_default().trim();
        let is_name = last.chars().all(|it| it.is_alphanumeric() || it == '_')
            && last.starts_with(|it: char| it.is_alphabetic() || it == '_');
        is_name && !matches!(last, "True" | "False" | "None")
    }

    fn handler(&self, at: &At<'_, '_>) -> Option<Catch> {
        if at.node.kind() != "except_clause" {
            return None;
        }
        let read = super::handler(at.node, at.text);
        let broad = |it: &String| BROAD.contains(&it.rsplit('.').next().unwrap_or_default().trim());
        Some(Catch {
            line: read.line,
            name: handler_name(at.node, at.text),
            is_bare: read.types.is_empty(),
            is_broad: read.types.is_empty() || read.types.iter().any(broad),
            is_empty: read.silent,
            types: read.types,
            ..Catch::default()
        })
    }

    fn call(&self, at: &At<'_, '_>) -> Option<Call> {
        let arguments = at.child("arguments")?;
        let keywords = named(arguments).filter(|it| it.kind() == "keyword_argument");
        Some(Call {
            line: at.line(),
            callee: callee(at.child("function")?, at.text),
            arguments: if arguments.kind() == "argument_list" { named(arguments).count() } else { 1 },
            keywords: keywords.filter_map(|it| keyword(it, at.text)).collect(),
            ..Call::default()
        })
    }

    fn literal(&self, at: &At<'_, '_>) -> Option<Literal> {
        if at.around(0) == "concatenated_string" {
            return None;
        }
        let (role, target) = role(at);
        let (value, is_interpolated) = value(at.node, at.text);
        Some(Literal { value, target, role, is_interpolated, ..Literal::default() })
    }

    fn import(&self, at: &At<'_, '_>, out: &mut Facts) {
        let line = at.line();
        if at.node.kind() == "import_statement" {
            for item in named(at.node) {
                let (module, alias) = module_and_alias(item, at.text);
                let alias = alias.map(str::to_owned);
                out.imports.push(Import { line, module, alias, ..Import::default() });
            }
            return;
        }
        let origin = at.child("module_name");
        let whole = origin.map_or_else(|| "__future__".to_owned(), |it| dotted(it, at.text));
        let module = whole.trim_start_matches('.');
        let names = named(at.node).filter(|it| origin.is_none_or(|origin| it.id() != origin.id()));
        out.imports.push(Import {
            line,
            level: whole.len() - module.len(),
            module: module.to_owned(),
            names: names
                .map(|it| {
                    let (name, alias) = module_and_alias(it, at.text);
                    (name, alias.map(str::to_owned))
                })
                .collect(),
            alias: None,
        });
    }

    fn bind(&self, at: &At<'_, '_>, out: &mut Facts) {
        if at.node.kind().ends_with("default_parameter") {
            let in_lambda = at.around(1) == "lambda";
            if in_lambda && at.child("value").is_some_and(|it| is_mutable(it, at.text)) {
                out.loose_mutable_defaults.push(at.line());
            }
            return;
        }
        if at.function.is_some() && at.class.is_none() {
            return;
        }
        let Some(left) = at.child("left") else { return };
        let annotation = at.child("type").map(|it| text_of(it, at.text)).unwrap_or_default();
        let is_constant = annotation.split(['[', ' ']).next().unwrap_or_default().trim().ends_with("Final");
        let value = at.child("right").map_or(ValueKind::Nothing, |it| value_kind(it, at.text));
        let names = if left.kind() == "identifier" { vec![left] } else { named(left).collect() };
        for name in names.into_iter().filter(|it| it.kind() == "identifier") {
            out.bindings.push(Binding {
                line: line_of(name),
                name: text_of(name, at.text).to_owned(),
                class: at.class,
                is_constant,
                annotation: (!annotation.is_empty()).then(|| one_line(annotation)),
                value: value.clone(),
            });
        }
    }

    fn is_own_attribute(&self, at: &At<'_, '_>) -> bool {
        at.child("object").is_some_and(|it| it.kind() == "identifier" && text_of(it, at.text) == "self")
    }

    fn returns_self(&self, at: &At<'_, '_>) -> bool {
        named(at.node).next().is_some_and(|it| text_of(it, at.text) == "self")
    }
}

fn decorators(wrapper: Option<Node<'_>>, text: &str) -> Vec<String> {
    wrapper
        .into_iter()
        .flat_map(named)
        .filter(|it| it.kind() == "decorator")
        .filter_map(|it| named(it).next())
        .map(|it| if it.kind() == "call" { it.child_by_field_name("function").unwrap_or(it) } else { it })
        .map(|it| tight(it, text))
        .collect()
}

fn bases(class: Node<'_>, text: &str) -> Vec<String> {
    let Some(list) = class.child_by_field_name("superclasses") else { return Vec::new() };
    named(list)
        .filter(|it| it.kind() != "keyword_argument")
        // `Generic[T]` is `Generic`.
        .map(|it| if it.kind() == "subscript" { it.child_by_field_name("value").unwrap_or(it) } else { it })
        .map(|it| tight(it, text))
        .collect()
}

fn in_protocol(at: &At<'_, '_>) -> bool {
    let class = at.ancestors.iter().rev().find(|it| it.kind() == "class_definition");
    class.is_some_and(|it| bases(*it, at.text).iter().any(|base| base.rsplit('.').next() == Some("Protocol")))
}

/// The last line of the code of a definition: the tree lets it go on over comments that follow.
fn end_of_code(node: Node<'_>) -> usize {
    let mut at = node;
    while let Some(last) = last_part(at) {
        at = last;
    }
    crate::facts::last_line(at)
}

/// The last clause or statement of `node`, if it is made of such.
fn last_part(node: Node<'_>) -> Option<Node<'_>> {
    let is_block = matches!(node.kind(), "block" | "decorated_definition")
        || node.kind().ends_with("_clause")
        || node.kind().ends_with("_definition")
        || matches!(
            node.kind(),
            "if_statement"
                | "for_statement"
                | "while_statement"
                | "with_statement"
                | "try_statement"
                | "match_statement"
        );
    if is_block { named(node).last() } else { None }
}

fn signature(at: &At<'_, '_>) -> String {
    let end = at.child("body").map_or(at.node.end_byte(), |it| it.start_byte());
    // A comment may stand between the colon and the body.
    let colon = children(at.node).find(|it| it.kind() == ":").map_or(end, |it| it.start_byte());
    one_line(at.text.get(at.node.start_byte()..colon.min(end)).unwrap_or_default())
}

fn read_parameters(parameters: Node<'_>, text: &str) -> Vec<Parameter> {
    named(parameters)
        .filter_map(|it| {
            let name = it.child_by_field_name("name").or_else(|| named(it).next()).unwrap_or(it);
            let name = text_of(name, text).trim_start_matches('*').trim();
            let is_name = name.starts_with(|it: char| it.is_alphabetic() || it == '_');
            is_name.then(|| Parameter {
                name: name.to_owned(),
                annotation: it.child_by_field_name("type").map(|it| one_line(text_of(it, text))),
                has_default: it.kind().ends_with("default_parameter"),
            })
        })
        .collect()
}

fn mutable_defaults(parameters: Node<'_>, text: &str) -> Vec<usize> {
    named(parameters)
        .filter_map(|it| it.child_by_field_name("value"))
        .filter(|it| is_mutable(*it, text))
        .map(line_of)
        .collect()
}

fn is_mutable(value: Node<'_>, text: &str) -> bool {
    let mut value = value;
    while value.kind() == "parenthesized_expression" {
        match named(value).next() {
            Some(inner) => value = inner,
            None => return false,
        }
    }
    MUTABLE_KINDS.contains(&value.kind())
        || (value.kind() == "call"
            && value
                .child_by_field_name("function")
                .is_some_and(|it| MUTABLE.contains(&tight(it, text).as_str())))
}

fn handler_name(clause: Node<'_>, text: &str) -> Option<String> {
    let pattern = named(clause).find(|it| it.kind() == "as_pattern")?;
    let alias = pattern.child_by_field_name("alias").or_else(|| named(pattern).last())?;
    Some(tight(alias, text))
}

fn keyword(argument: Node<'_>, text: &str) -> Option<(String, String)> {
    let name = text_of(argument.child_by_field_name("name")?, text);
    Some((name.to_owned(), one_line(text_of(argument.child_by_field_name("value")?, text))))
}

fn value_kind(value: Node<'_>, text: &str) -> ValueKind {
    match value.kind() {
        "call" => value
            .child_by_field_name("function")
            .map_or(ValueKind::Other, |it| ValueKind::Call(callee(it, text))),
        "lambda" => ValueKind::Closure,
        "list"
        | "dictionary"
        | "set"
        | "tuple"
        | "list_comprehension"
        | "dictionary_comprehension"
        | "set_comprehension"
        | "expression_list" => ValueKind::Collection,
        "string"
        | "concatenated_string"
        | "integer"
        | "float"
        | "true"
        | "false"
        | "none"
        | "ellipsis"
        | "unary_operator" => ValueKind::Constant,
        _ => ValueKind::Other,
    }
}

/// What a string says, and whether values are put into it.
fn value(node: Node<'_>, text: &str) -> (String, bool) {
    if node.kind() == "concatenated_string" {
        let parts: Vec<_> = named(node).map(|it| value(it, text)).collect();
        let is_interpolated = parts.iter().any(|(_, it)| *it);
        return (parts.into_iter().map(|(it, _)| it).collect(), is_interpolated);
    }
    let mut parts = children(node);
    let start = parts.next().map_or(node.start_byte(), |it| it.end_byte());
    let end = children(node)
        .filter(|it| it.kind() == "string_end")
        .last()
        .map_or(node.end_byte(), |it| it.start_byte());
    let inner = text.get(start..end.max(start)).unwrap_or_default();
    (inner.to_owned(), parts.any(|it| it.kind() == "interpolation"))
}

/// What a string is there for, and what it is a value of.
fn role(at: &At<'_, '_>) -> (Role, Option<String>) {
    let mut inner = at.node;
    for (above, outer) in at.ancestors.iter().rev().enumerate() {
        let named_by = |field: &str| outer.child_by_field_name(field);
        let is_in = |field: &str| named_by(field).is_some_and(|it| it.id() == inner.id());
        let tell = |node: Option<Node<'_>>| node.map(|it| target(it, at.text));
        match outer.kind() {
            "parenthesized_expression" | "boolean_operator" | "conditional_expression" => inner = *outer,
            "assignment" if is_in("right") => return (Role::Assigned, tell(named_by("left"))),
            "named_expression" if is_in("value") => return (Role::Assigned, tell(named_by("name"))),
            "pair" if is_in("value") => return (Role::Keyed, tell(named_by("key"))),
            "keyword_argument" if is_in("value") => return (Role::Argument, tell(named_by("name"))),
            "argument_list" => return (Role::Argument, None),
            "default_parameter" | "typed_default_parameter" if is_in("value") => {
                return (Role::Default, tell(named_by("name")));
            }
            "comparison_operator" => {
                return (Role::Compared, tell(named(*outer).find(|it| it.id() != inner.id())));
            }
            "expression_statement" if above == 0 => {
                let around = at.around(1);
                let documents = named(*outer).count() == 1 && matches!(around, "module" | "block");
                return (if documents { Role::Doc } else { Role::Other }, None);
            }
            _ => return (Role::Other, None),
        }
    }
    (Role::Other, None)
}

/// How a target is called: `self.x` as written, `settings["x"]` by its key.
fn target(node: Node<'_>, text: &str) -> String {
    match node.kind() {
        "subscript" => node.child_by_field_name("subscript").map_or_else(String::new, |it| target(it, text)),
        "string" => value(node, text).0,
        _ => one_line(text_of(node, text)),
    }
}

/// The lines of the last `if __name__ == "__main__":` at the top.
fn main_guard(tree: &Tree, text: &str) -> Option<(usize, usize)> {
    let statements = named(tree.root_node()).filter(|it| it.kind() == "if_statement");
    let guard = statements
        .filter(|it| {
            it.child_by_field_name("condition").is_some_and(|condition| {
                let words: String = tight(condition, text).replace('\'', "\"");
                let words = words.trim_matches(['(', ')']);
                words == "__name__==\"__main__\"" || words == "\"__main__\"==__name__"
            })
        })
        .last()?;
    Some((line_of(guard), end_of_code(guard)))
}

/// What the body of a function does, see [`Body`].
fn body(block: Node<'_>, text: &str) -> Body {
    let locals = locals(block, text);
    let (mut is_empty, mut is_unimplemented) = (true, false);
    for (place, statement) in named(block).enumerate() {
        match statement.kind() {
            "pass_statement" => {}
            "expression_statement" => match named(statement).next() {
                Some(it) if it.kind() == "ellipsis" => {}
                Some(it) if place == 0 && matches!(it.kind(), "string" | "concatenated_string") => {}
                Some(it) if is_trivial(it, &locals, text) => is_empty = false,
                _ => return Body::Working,
            },
            "return_statement" => {
                if named(statement).any(|it| it.kind() != "none") {
                    return Body::Working;
                }
                is_empty = false;
            }
            "raise_statement" if raises_not_implemented(statement, text) => is_unimplemented = true,
            _ => return Body::Working,
        }
    }
    match (is_unimplemented, is_empty) {
        (true, _) => Body::Unimplemented,
        (false, true) => Body::Empty,
        (false, false) => Body::Trivial,
    }
}

/// Names that the body assigns.
fn locals<'text>(block: Node<'_>, text: &'text str) -> HashSet<&'text str> {
    named(block)
        .filter(|it| it.kind() == "expression_statement")
        .filter_map(|it| named(it).next())
        .filter(|it| it.kind() == "assignment")
        .filter_map(|it| it.child_by_field_name("left"))
        .filter(|it| it.kind() == "identifier")
        .map(|it| text_of(it, text))
        .collect()
}

fn is_trivial(expression: Node<'_>, locals: &HashSet<&str>, text: &str) -> bool {
    match expression.kind() {
        "string" | "concatenated_string" | "integer" | "float" | "none" | "true" | "false" => true,
        "assignment" | "augmented_assignment" => {
            let left = expression.child_by_field_name("left");
            let is_local = left.is_some_and(|it| match it.kind() {
                "identifier" => true,
                "pattern_list" | "tuple_pattern" => named(it).all(|it| it.kind() == "identifier"),
                _ => false,
            });
            let works = ["call", "await", "yield", "named_expression"];
            let right = expression.child_by_field_name("right");
            is_local && right.is_none_or(|it| !holds(it, &works, &["lambda"]))
        }
        "call" => {
            let Some(function) = expression.child_by_field_name("function") else { return false };
            let name = callee(function, text);
            let appends = name.strip_suffix(".append").is_some_and(|it| locals.contains(it));
            let works = ["await", "yield", "named_expression"];
            logs_by_grade(&name) && !holds(expression, &works, &["lambda"])
                || (appends
                    && expression
                        .child_by_field_name("arguments")
                        .is_some_and(|it| !holds(it, &["call", "await", "yield"], &["lambda"])))
        }
        _ => false,
    }
}

fn raises_not_implemented(statement: Node<'_>, text: &str) -> bool {
    let Some(raised) = named(statement).next() else { return false };
    let raised = if raised.kind() == "call" {
        raised.child_by_field_name("function").unwrap_or(raised)
    } else {
        raised
    };
    text_of(raised, text) == "NotImplementedError"
}
