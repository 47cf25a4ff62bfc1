//! Ruby.

use crate::facts::common::{self, WORDS, Words};
use crate::facts::{
    At, Binding, Body, Call, Catch, ClassKind, Dialect, Facts, Function, Part, Role, ValueKind, callee,
    children, named, tight,
};
use crate::{Error, Grammar, Language, OPEN_STRINGS_BYTES_MAX, text_of};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: Language::Ruby,
    extensions: &["rb", "rake", "gemspec"],
    tables: || tree_sitter_ruby::LANGUAGE.into(),
    limit: Some(limit),
    reader: None,
    dialect: &Ruby,
};

struct Ruby;

/// Longest word that ends a heredoc: the scanner keeps its length in one byte.
const WORD_CHARS_MAX: usize = 255;

/// The scanner keeps 5 bytes for each open string and 4 with the word for each open heredoc, all that could be open.
fn limit(text: &str) -> Result<(), Error> {
    let words = common::heredoc_words(text, "<<", &['-', '~']);
    if words.is_empty() {
        return Ok(());
    }
    let longest = words.iter().max().copied().unwrap_or_default();
    let strings = 1 + text.matches("#{").count();
    let bytes = 2 + 5 * strings + words.iter().map(|it| 4 + it).sum::<usize>();
    if OPEN_STRINGS_BYTES_MAX < bytes || WORD_CHARS_MAX < longest {
        Err(Error::TooOpen { bytes })
    } else {
        Ok(())
    }
}

const RUBY: Words = Words {
    has_signatures: false,
    classes: &[("module", ClassKind::Object)],
    bases: &["superclass"],
    unwritten: &["raise NotImplementedError", "raise(NotImplementedError", "fail NotImplementedError"],
    refuses: &["raise "],
    nothing: &["return", "nil", "return nil"],
    passes: &["parenthesized_statements", "conditional"],
    slots: &[
        ("assignment", "right", "left", Role::Assigned),
        ("operator_assignment", "right", "left", Role::Assigned),
        ("pair", "value", "key", Role::Keyed),
        ("optional_parameter", "value", "name", Role::Default),
        ("keyword_parameter", "value", "name", Role::Default),
        ("argument_list", "", "", Role::Argument),
    ],
    ..WORDS
};

impl Dialect for Ruby {
    fn part(&self, kind: &str) -> Option<Part> {
        Some(match kind {
            "method" | "singleton_method" => Part::Function,
            // Other blocks are how Ruby loops: they neither count nor restart the nesting.
            "lambda" => Part::Closure,
            "identifier" => Part::Raise,
            "class" | "module" => Part::Class,
            "if" | "unless" | "while" | "until" | "for" => Part::Branch,
            "elsif" | "if_modifier" | "unless_modifier" | "while_modifier" | "until_modifier"
            | "rescue_modifier" => Part::Way,
            "case" | "case_match" | "begin" => Part::Level,
            "when" | "in_clause" => Part::Case,
            "rescue" => Part::Catch,
            "call" => Part::Call,
            "string" => Part::Text,
            "comment" => Part::Comment,
            "assignment" => Part::Binding,
            "return" => Part::Return,
            "instance_variable" => Part::Attribute,
            _ => return None,
        })
    }

    fn counts(&self, at: &At<'_, '_>, part: Part) -> bool {
        match (part, at.node.kind()) {
            // Only a `begin` that handles something is control flow.
            (Part::Level, "begin") => children(at.node).any(|it| matches!(it.kind(), "rescue" | "ensure")),
            // Without arguments it is no call to the grammar.
            (Part::Raise, _) => at.own_text() == "raise",
            _ => true,
        }
    }

    fn words(&self) -> &'static Words {
        &RUBY
    }

    fn function(&self, at: &At<'_, '_>) -> Option<Function> {
        let function = common::function(&RUBY, at);
        let is_test = function.name.starts_with("test_");
        let is_constructor = function.name == "initialize";
        Some(Function { line: at.line(), is_public: is_public(at), is_test, is_constructor, ..function })
    }

    fn body(&self, at: &At<'_, '_>) -> Body {
        at.child("body").map_or(Body::Empty, |it| common::body(&RUBY, it, at.text))
    }

    fn is_wildcard(&self, at: &At<'_, '_>) -> bool {
        at.node.kind() == "in_clause"
            && at.child("guard").is_none()
            && at.child("pattern").is_some_and(|it| text_of(it, at.text) == "_")
    }

    fn handler(&self, at: &At<'_, '_>) -> Option<Catch> {
        if at.node.kind() != "rescue" {
            return None;
        }
        let types: Vec<String> =
            at.child("exceptions").into_iter().flat_map(named).map(|it| tight(it, at.text)).collect();
        let is_broad = types.iter().any(|it| it == "Exception");
        let is_empty = at.child("body").is_none_or(|it| named(it).next().is_none())
            && !children(at.node).any(|it| it.kind() == "comment");
        let name = at.child("variable").and_then(|it| named(it).next()).map(|it| tight(it, at.text));
        Some(Catch { line: at.line(), types, name, is_broad, is_empty, ..Catch::default() })
    }

    fn call(&self, at: &At<'_, '_>) -> Option<Call> {
        let call = common::call(at, "method", "arguments")?;
        let receiver = at.child("receiver").map(|it| callee(it, at.text));
        let callee = receiver.map_or(call.callee.clone(), |it| format!("{it}.{}", call.callee));
        Some(Call { callee, ..call })
    }

    fn import(&self, _at: &At<'_, '_>, _out: &mut Facts) {}

    fn finish(&self, _tree: &tree_sitter::Tree, text: &str, out: &mut Facts) {
        // `require` is a call like any other.
        let lines: Vec<&str> = text.lines().collect();
        for call in &out.calls {
            if matches!(call.callee.as_str(), "require" | "require_relative") {
                let line = lines.get(call.line - 1).copied().unwrap_or_default();
                out.imports.push(crate::facts::Import {
                    line: call.line,
                    module: common::unquoted(line).to_owned(),
                    level: usize::from(call.callee == "require_relative"),
                    ..Default::default()
                });
            }
        }
    }

    fn bind(&self, at: &At<'_, '_>, out: &mut Facts) {
        let Some(left) = at.child("left").filter(|it| it.kind() == "constant") else { return };
        if at.function.is_some() {
            return;
        }
        out.bindings.push(Binding {
            line: at.line(),
            name: text_of(left, at.text).to_owned(),
            class: at.class,
            is_constant: true,
            annotation: None,
            value: at.child("right").map_or(ValueKind::Nothing, |it| match it.kind() {
                "string" | "integer" | "float" | "simple_symbol" | "true" | "false" | "nil" => {
                    ValueKind::Constant
                }
                "array" | "hash" => ValueKind::Collection,
                "call" => ValueKind::Call(callee(it, at.text)),
                _ => ValueKind::Other,
            }),
        });
    }

    fn is_own_attribute(&self, _at: &At<'_, '_>) -> bool {
        true
    }
}

/// The last bare `private`, `protected` or `public` before a method decides, or the one it is given to.
fn is_public(at: &At<'_, '_>) -> bool {
    if at.around(0) == "argument_list" {
        let call = at.ancestors.iter().rev().nth(1);
        let method =
            call.and_then(|it| it.child_by_field_name("method")).map_or("", |it| text_of(it, at.text));
        return !matches!(method, "private" | "protected");
    }
    let mut node = at.node;
    while let Some(sibling) = node.prev_sibling() {
        if sibling.kind() == "identifier" {
            match text_of(sibling, at.text) {
                "private" | "protected" => return false,
                "public" => return true,
                _ => {}
            }
        }
        node = sibling;
    }
    true
}
