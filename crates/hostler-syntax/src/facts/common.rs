//! How definitions, bodies, strings and calls of languages with braces are read, by tables of words.

use tree_sitter::Node;

use super::dialect::{At, callee, children, last_line, logs_by_grade, named, one_line, tight};
use super::{Body, Call, Catch, Class, ClassKind, Function, Parameter, Role};
use crate::{line_of, text_of};

/// How a language marks what its definitions, statements and strings are.
pub(crate) struct Words {
    /// Kinds of nodes that are decorators, annotations or attributes.
    pub(crate) marks: &'static [&'static str],
    /// Kinds of nodes that hold modifiers and marks.
    pub(crate) modifiers: &'static [&'static str],
    /// Modifiers of what others may use; empty where everything is public that `private` does not name.
    pub(crate) public: &'static [&'static str],
    /// Modifiers of what others may not use.
    pub(crate) private: &'static [&'static str],
    /// Marks of tests.
    pub(crate) tests: &'static [&'static str],
    /// Kinds of functions that make objects.
    pub(crate) constructors: &'static [&'static str],
    /// Kinds of types, with what they are. Others are classes.
    pub(crate) classes: &'static [(&'static str, ClassKind)],
    /// Kinds of nodes that name what a type is based on.
    pub(crate) bases: &'static [&'static str],
    /// How a statement begins that says it is not written yet, whatever it says further.
    pub(crate) unwritten: &'static [&'static str],
    /// How a statement begins that refuses; with the words of [`is_unwritten`] it says that it is not written yet.
    pub(crate) refuses: &'static [&'static str],
    /// A definition without a body is a signature.
    pub(crate) has_signatures: bool,
    /// Statements that do nothing.
    pub(crate) nothing: &'static [&'static str],
    /// Nodes around a string that pass its meaning on.
    pub(crate) passes: &'static [&'static str],
    /// Nodes around a string: kind, field of the value (empty: any), target, role. The target is a field, nothing,
    /// `<first>` (the first other child), `<before>` (the child before), or `#` and a kind.
    pub(crate) slots: &'static [(&'static str, &'static str, &'static str, Role)],
}

pub(crate) const WORDS: Words = Words {
    marks: &["annotation", "marker_annotation", "attribute", "attribute_item", "attribute_list", "decorator"],
    modifiers: &["modifiers", "modifier", "member_modifier", "visibility_modifier", "function_modifiers"],
    public: &[],
    private: &["private", "protected"],
    tests: &["Test"],
    constructors: &["constructor_declaration", "compact_constructor_declaration"],
    classes: &[],
    bases: &[],
    unwritten: &[],
    refuses: &["throw "],
    has_signatures: true,
    nothing: &["return", "return null", ";"],
    passes: &["parenthesized_expression", "ternary_expression", "conditional_expression"],
    slots: &[],
};

/// What stands before the name of a definition.
#[derive(Default)]
struct Head<'a> {
    words: Vec<&'a str>,
    marks: Vec<String>,
    /// Line of the first part that is no mark.
    line: Option<usize>,
    /// Line of the first part.
    first_line: Option<usize>,
}

impl<'a> Head<'a> {
    fn read(words: &Words, at: &At<'a, '_>) -> Self {
        let mut head = Self::default();
        head.siblings(words, at);
        let name = at.child("name").map_or(at.node.end_byte(), |it| it.start_byte());
        for child in children(at.node).take_while(|it| it.start_byte() < name) {
            if words.modifiers.contains(&child.kind()) && 0 < child.child_count() {
                head.add_all(words, children(child), at.text);
            } else {
                head.add(words, child, at.text);
            }
        }
        head
    }

    /// Marks that stand before the node instead of in it.
    fn siblings(&mut self, words: &Words, at: &At<'a, '_>) {
        let mut before = Vec::new();
        let mut node = at.node;
        if at.around(0) == "export_statement"
            && let Some(outer) = at.parent()
        {
            self.add_all(words, children(outer).filter(|it| words.marks.contains(&it.kind())), at.text);
            self.words.push("export");
        }
        while let Some(sibling) = node.prev_sibling() {
            if !words.marks.contains(&sibling.kind()) && !sibling.is_extra() {
                break;
            }
            if !sibling.is_extra() {
                before.push(sibling);
            }
            node = sibling;
        }
        self.add_all(words, before.into_iter().rev(), at.text);
    }

    fn add_all<'tree>(&mut self, words: &Words, nodes: impl Iterator<Item = Node<'tree>>, text: &'a str) {
        for node in nodes {
            self.add(words, node, text);
        }
    }

    fn add(&mut self, words: &Words, node: Node<'_>, text: &'a str) {
        if node.is_extra() {
            return;
        }
        self.first_line.get_or_insert(line_of(node));
        if words.marks.contains(&node.kind()) {
            self.marks.extend(marks(node, text));
            return;
        }
        self.line.get_or_insert(line_of(node));
        let word = text_of(node, text);
        // `pub(crate)` begins with its word.
        if word.len() <= 40 {
            self.words.push(word.split('(').next().unwrap_or(word).trim());
        }
    }

    fn has(&self, words: &[&str]) -> bool {
        self.words.iter().any(|it| words.contains(it))
    }
}

/// The dotted names of a mark: `@a.b(c)`, `#[a::b(c)]`, `[A, B(c)]`.
fn marks(node: Node<'_>, text: &str) -> Vec<String> {
    let written = text_of(node, text).trim_start_matches(['@', '#', '!', '[']).trim_end_matches(']');
    let mut depth = 0_usize;
    let mut out = vec![String::new()];
    for letter in written.chars().take(300) {
        match letter {
            '(' | '{' | '<' => depth += 1,
            ')' | '}' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => out.push(String::new()),
            _ if depth == 0 && !letter.is_whitespace() && letter != '=' => {
                if let Some(last) = out.last_mut() {
                    last.push(letter);
                }
            }
            _ => {}
        }
    }
    out.retain(|it| !it.is_empty());
    out
}

/// Reads a function.
pub(crate) fn function(words: &Words, at: &At<'_, '_>) -> Function {
    let head = Head::read(words, at);
    let name = at.child("name").map_or_else(String::new, |it| tight(it, at.text));
    let name = name.trim_matches(['"', '\'', '`']).to_owned();
    let body = at.body();
    let is_marked_public = head.has(words.public);
    let is_public =
        !head.has(words.private) && !name.starts_with('#') && (words.public.is_empty() || is_marked_public);
    let line = head.line.unwrap_or(at.child("name").map_or(at.line(), line_of));
    let last = |it: &String| it.rsplit(['.', ':']).next().unwrap_or_default().to_owned();
    Function {
        line,
        first_line: head.first_line.unwrap_or(line).min(line),
        last_line: last_line(at.node),
        is_public,
        is_async: head.has(&["async", "suspend"]),
        is_test: head.marks.iter().any(|it| words.tests.contains(&last(it).as_str())),
        is_override: head.has(&["override"]) || head.marks.iter().any(|it| last(it) == "Override"),
        is_abstract: (words.has_signatures && body.is_none()) || head.has(&["abstract"]),
        is_constructor: words.constructors.contains(&at.node.kind()) || name == "constructor",
        parameters: at.child("parameters").map(|it| parameters(it, at.text)).unwrap_or_default(),
        signature: signature(at, body),
        decorators: head.marks,
        name,
        ..Function::default()
    }
}

/// Everything before the body.
pub(crate) fn signature(at: &At<'_, '_>, body: Option<Node<'_>>) -> String {
    let end = body.map_or(at.node.end_byte(), |it| it.start_byte());
    let written = at.text.get(at.node.start_byte()..end).unwrap_or_default();
    one_line(written.trim_end().trim_end_matches([';', '{', '=', '>']))
}

pub(crate) fn parameters(list: Node<'_>, text: &str) -> Vec<Parameter> {
    let has_kind = named(list).any(|it| it.kind() == "parameter");
    let mut out = Vec::new();
    for node in named(list)
        .filter(|it| !has_kind || (it.kind().contains("parameter") && !it.kind().ends_with("modifiers")))
    {
        let by = |fields: &[&str]| fields.iter().find_map(|field| node.child_by_field_name(field));
        let mut cursor = node.walk();
        // Go names several at once.
        let mut names: Vec<Node<'_>> =
            node.children_by_field_name("name", &mut cursor).filter(Node::is_named).collect();
        if names.is_empty() {
            let name = by(&["pattern", "left", "declarator"]);
            names.push(
                name.or_else(|| named(node).find(|it| it.kind().ends_with("identifier"))).unwrap_or(node),
            );
        }
        out.extend(names.into_iter().map(|name| Parameter {
            name: one_line(text_of(name, text).trim_start_matches(['*', '&', '.', '$'])),
            annotation: by(&["type"]).map(|it| one_line(text_of(it, text).trim_start_matches([':', ' ']))),
            has_default: by(&["value", "right", "default_value"]).is_some(),
        }));
    }
    out
}

/// Reads a type.
pub(crate) fn class(words: &Words, at: &At<'_, '_>) -> Class {
    let head = Head::read(words, at);
    let name = at.child("name").map_or_else(String::new, |it| tight(it, at.text));
    let kind = words.classes.iter().find(|(kind, _)| *kind == at.node.kind());
    let line = head.line.unwrap_or(at.child("name").map_or(at.line(), line_of));
    Class {
        kind: kind.map_or(ClassKind::Class, |(_, it)| *it),
        line,
        first_line: head.first_line.unwrap_or(line).min(line),
        last_line: last_line(at.node),
        bases: bases(words, at),
        is_public: !head.has(words.private) && (words.public.is_empty() || head.has(words.public)),
        decorators: head.marks,
        name,
        ..Class::default()
    }
}

fn bases(words: &Words, at: &At<'_, '_>) -> Vec<String> {
    let mut out = Vec::new();
    for clause in children(at.node).filter(|it| words.bases.contains(&it.kind())) {
        let written = text_of(clause, at.text).trim_start_matches('<');
        let mut depth = 0_usize;
        let mut word = String::new();
        for letter in written.chars().chain([',']) {
            match letter {
                '<' | '(' | '[' | '{' => depth += 1,
                '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ if 0 < depth => {}
                _ if letter.is_alphanumeric() || matches!(letter, '_' | '.' | '\\' | ':' | '$') => {
                    word.push(letter);
                }
                _ => {
                    let name = word.trim_matches(':').to_owned();
                    word.clear();
                    let is_word = matches!(
                        name.as_str(),
                        "" | "extends"
                            | "implements"
                            | "with"
                            | "public"
                            | "private"
                            | "protected"
                            | "virtual"
                    );
                    if !is_word {
                        out.push(name);
                    }
                }
            }
        }
    }
    out
}

/// `else if`: the `if` stands in an `else`, or right in the place of one.
pub(crate) fn is_else_if(at: &At<'_, '_>) -> bool {
    let Some(parent) = at.parent() else { return false };
    parent.kind() == "else_clause"
        || at.node.prev_sibling().is_some_and(|it| it.kind() == "else")
        || (parent.kind() == at.node.kind()
            && parent.child_by_field_name("alternative").is_some_and(|it| it.id() == at.node.id()))
}

/// What a body does.
pub(crate) fn body(words: &Words, body: Node<'_>, text: &str) -> Body {
    let written = text_of(body, text).trim_start();
    let is_block =
        written.starts_with('{') || ["block", "body", "statement"].iter().any(|it| body.kind().contains(it));
    if !written.starts_with('{') && is_unwritten(words, written.trim_start_matches(['=', '>', ' '])) {
        return Body::Unimplemented;
    }
    if !is_block || written.starts_with('=') {
        return Body::Working;
    }
    // Some grammars keep the statements in a list of their own.
    let list = named(body).next().filter(|it| {
        matches!(it.kind(), "statement_list" | "statements" | "block") && named(body).count() == 1
    });
    let statements: Vec<Node<'_>> = named(list.unwrap_or(body)).collect();
    let mut is_trivial = true;
    for statement in &statements {
        let written = text_of(*statement, text).trim().trim_end_matches(';').trim_end();
        if is_unwritten(words, written) {
            return Body::Unimplemented;
        }
        let callee = written.split('(').next().unwrap_or_default();
        let is_call = callee.len() < written.len()
            && callee.chars().all(|it| it.is_alphanumeric() || "_.:!$->@".contains(it));
        let does_nothing = words.nothing.contains(&written) || (is_call && logs_by_grade(callee));
        is_trivial &= does_nothing;
    }
    match (statements.is_empty(), is_trivial) {
        (true, _) => Body::Empty,
        (false, true) => Body::Trivial,
        (false, false) => Body::Working,
    }
}

/// Whether a statement says that it is not written yet.
pub(crate) fn is_unwritten(words: &Words, statement: &str) -> bool {
    if words.unwritten.iter().any(|it| statement.starts_with(it)) {
        return true;
    }
    if !words.refuses.iter().any(|it| statement.starts_with(it)) {
        return false;
    }
    let said: String = statement.chars().take(300).collect::<String>().to_ascii_lowercase();
    ["not implemented", "unimplemented", "not yet implemented", "notimplemented", "todo", "implement me"]
        .iter()
        .any(|it| said.contains(it))
}

/// Whether a block holds nothing, not even a comment. One that follows its last brace may be a child of it.
pub(crate) fn is_blank(block: Node<'_>) -> bool {
    children(block).take_while(|it| it.kind() != "}").all(|it| !it.is_named() && !it.is_extra())
}

/// Reads a `catch` with a body in braces: `types` from its node.
pub(crate) fn handler(at: &At<'_, '_>, types: Vec<String>, name: Option<String>, broad: &[&str]) -> Catch {
    let is_broad =
        types.iter().any(|it| broad.contains(&it.rsplit(['.', '\\', ':']).next().unwrap_or_default()));
    let body = at.child("body").or_else(|| named(at.node).last());
    Catch { line: at.line(), is_broad, is_empty: body.is_some_and(is_blank), types, name, ..Catch::default() }
}

/// Reads a call.
pub(crate) fn call(at: &At<'_, '_>, function: &str, arguments: &str) -> Option<Call> {
    Some(Call {
        line: at.line(),
        callee: callee(at.child(function)?, at.text),
        arguments: at.child(arguments).map_or(0, |it| named(it).count()),
        ..Call::default()
    })
}

/// What stands between the marks of a string.
pub(crate) fn unquoted(written: &str) -> &str {
    let Some((start, quote)) = written.char_indices().find(|(_, it)| matches!(it, '"' | '\'' | '`')) else {
        return written;
    };
    let rest = written.get(start..).unwrap_or_default();
    let length = if rest.starts_with(&quote.to_string().repeat(3)) && 6 <= rest.len() { 3 } else { 1 };
    let end = written.rfind(quote).map_or(written.len(), |it| (it + 1).saturating_sub(length));
    written.get(start + length..end.max(start + length)).unwrap_or_default()
}

/// The lengths, in characters, of all words that could begin a heredoc after `mark` and any of `between`.
pub(crate) fn heredoc_words(text: &str, mark: &str, between: &[char]) -> Vec<usize> {
    let begins = text.match_indices(mark).filter_map(|(at, _)| text.get(at + mark.len()..));
    begins
        .filter_map(|rest| {
            let rest = rest.trim_start_matches(between);
            let mut letters = rest.chars();
            let length = match letters.next()? {
                quote @ ('"' | '\'' | '`') => letters.take_while(|it| *it != quote).count(),
                letter if letter.is_alphanumeric() || letter == '_' => {
                    1 + letters.take_while(|it| it.is_alphanumeric() || *it == '_').count()
                }
                _ => return None,
            };
            Some(length)
        })
        .collect()
}

/// Whether a part of a string of this kind is a value that is put in.
pub(crate) fn is_put_in(kind: &str) -> bool {
    let is_text = [
        "content",
        "delimiter",
        "encoding",
        "end",
        "fragment",
        "literal",
        "quote",
        "sequence",
        "start",
        "text",
    ]
    .iter()
    .any(|it| kind.ends_with(it));
    !is_text && !kind.contains("escape") && !kind.contains("reference")
}

/// What a string is there for, and what it is a value of.
pub(crate) fn role(words: &Words, at: &At<'_, '_>) -> (Role, Option<String>) {
    let mut inner = at.node;
    for outer in at.ancestors.iter().rev() {
        let kind = outer.kind();
        let is_in = |field: &str| outer.child_by_field_name(field).is_some_and(|it| it.id() == inner.id());
        if words.passes.contains(&kind) {
            inner = *outer;
            continue;
        }
        if kind == "binary_expression" || kind == "infix_expression" {
            let operator = outer.child_by_field_name("operator").map_or("", |it| text_of(it, at.text));
            match operator {
                "||" | "??" | "or" | "?:" => inner = *outer,
                "==" | "!=" | "===" | "!==" => {
                    let other = named(*outer).find(|it| it.id() != inner.id());
                    return (Role::Compared, other.map(|it| target(it, at.text)));
                }
                _ => return (Role::Other, None),
            }
            continue;
        }
        let slot = words
            .slots
            .iter()
            .find(|(slot, value, _, _)| *slot == kind && (value.is_empty() || is_in(value)));
        let Some((_, _, field, role)) = slot else { return (Role::Other, None) };
        let node = match *field {
            "" => None,
            "<first>" => named(*outer).find(|it| it.id() != inner.id()),
            "<before>" => inner.prev_named_sibling(),
            field => match field.strip_prefix('#') {
                Some(kind) => named(*outer).find(|it| it.kind() == kind),
                None => outer.child_by_field_name(field),
            },
        };
        return (*role, node.map(|it| target(it, at.text)));
    }
    (Role::Other, None)
}

/// How a target is called: a key without its marks, a name as written.
fn target(node: Node<'_>, text: &str) -> String {
    let written = one_line(text_of(node, text).trim_start_matches(['*', '&']));
    if matches!(node.kind(), "parameter" | "variable_declaration") {
        return written.split(':').next().unwrap_or_default().trim().to_owned();
    }
    if written.starts_with(['"', '\'']) { unquoted(&written).to_owned() } else { written }
}
