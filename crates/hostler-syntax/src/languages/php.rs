//! PHP.

use crate::facts::common::{self, WORDS, Words};
use crate::facts::{
    At, Binding, Call, Catch, ClassKind, Dialect, Facts, Function, Import, Part, Role, ValueKind, callee,
    named, tight,
};
use crate::{Error, Grammar, Language, OPEN_STRINGS_BYTES_MAX, line_of, text_of};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: Language::Php,
    extensions: &["php"],
    tables: || tree_sitter_php::LANGUAGE_PHP.into(),
    limit: Some(limit),
    reader: None,
    dialect: &Php,
};

struct Php;

/// The scanner keeps 5 bytes and 4 for each character of the word for each open heredoc, all that could be open.
fn limit(text: &str) -> Result<(), Error> {
    let bytes =
        1 + common::heredoc_words(text, "<<<", &[' ', '\t']).iter().map(|it| 5 + 4 * it).sum::<usize>();
    if OPEN_STRINGS_BYTES_MAX < bytes { Err(Error::TooOpen { bytes }) } else { Ok(()) }
}

const PHP: Words = Words {
    tests: &["Test"],
    classes: &[
        ("interface_declaration", ClassKind::Interface),
        ("trait_declaration", ClassKind::Trait),
        ("enum_declaration", ClassKind::Enum),
    ],
    modifiers: &["visibility_modifier"],
    bases: &["base_clause", "class_interface_clause"],
    refuses: &["throw "],
    nothing: &["return", "return null"],
    passes: &["parenthesized_expression", "conditional_expression"],
    slots: &[
        ("assignment_expression", "right", "left", Role::Assigned),
        ("const_element", "", "<first>", Role::Assigned),
        ("property_element", "default_value", "name", Role::Assigned),
        ("array_element_initializer", "", "<first>", Role::Keyed),
        ("simple_parameter", "default_value", "name", Role::Default),
        ("argument", "", "name", Role::Argument),
    ],
    ..WORDS
};

impl Dialect for Php {
    fn part(&self, kind: &str) -> Option<Part> {
        Some(match kind {
            "function_definition" | "method_declaration" => Part::Function,
            "anonymous_function" | "arrow_function" => Part::Closure,
            "class_declaration" | "interface_declaration" | "trait_declaration" | "enum_declaration" => {
                Part::Class
            }
            "if_statement" | "for_statement" | "foreach_statement" | "while_statement" | "do_statement" => {
                Part::Branch
            }
            "else_if_clause" => Part::Way,
            "switch_statement" | "match_expression" | "try_statement" => Part::Level,
            "case_statement" | "match_conditional_expression" => Part::Case,
            "catch_clause" => Part::Catch,
            "function_call_expression"
            | "member_call_expression"
            | "nullsafe_member_call_expression"
            | "scoped_call_expression" => Part::Call,
            "string" | "encapsed_string" => Part::Text,
            "comment" => Part::Comment,
            "const_element" => Part::Binding,
            "namespace_use_clause" => Part::Import,
            "throw_expression" => Part::Raise,
            "return_statement" => Part::Return,
            "member_access_expression" => Part::Attribute,
            _ => return None,
        })
    }

    fn words(&self) -> &'static Words {
        &PHP
    }

    fn function(&self, at: &At<'_, '_>) -> Option<Function> {
        let function = common::function(&PHP, at);
        let is_test = function.is_test || (at.class.is_some() && function.name.starts_with("test"));
        let is_constructor = function.name == "__construct";
        Some(Function { is_test, is_constructor, ..function })
    }

    fn is_wildcard(&self, _at: &At<'_, '_>) -> bool {
        false
    }

    fn handler(&self, at: &At<'_, '_>) -> Option<Catch> {
        if at.node.kind() != "catch_clause" {
            return None;
        }
        let types = at.child("type").into_iter().flat_map(named).map(|it| tight(it, at.text)).collect();
        let name = at.child("name").map(|it| tight(it, at.text));
        Some(common::handler(at, types, name, &["Exception", "Throwable"]))
    }

    fn call(&self, at: &At<'_, '_>) -> Option<Call> {
        if at.node.kind() == "function_call_expression" {
            return common::call(at, "function", "arguments");
        }
        let call = common::call(at, "name", "arguments")?;
        let (outer, mark) = match at.child("object") {
            Some(object) => (callee(object, at.text), "->"),
            None => (at.child("scope").map_or_else(String::new, |it| callee(it, at.text)), "::"),
        };
        Some(Call { callee: format!("{outer}{mark}{}", call.callee), ..call })
    }

    fn import(&self, at: &At<'_, '_>, out: &mut Facts) {
        let mut parts = named(at.node);
        let module = parts.next().map_or_else(String::new, |it| tight(it, at.text));
        let alias = at.child("alias").map(|it| tight(it, at.text));
        out.imports.push(Import { line: at.line(), module, alias, ..Import::default() });
    }

    fn bind(&self, at: &At<'_, '_>, out: &mut Facts) {
        let Some(name) = named(at.node).next().filter(|_| at.function.is_none()) else { return };
        out.bindings.push(Binding {
            line: line_of(name),
            name: text_of(name, at.text).to_owned(),
            class: at.class,
            is_constant: true,
            annotation: None,
            value: named(at.node).nth(1).map_or(ValueKind::Nothing, |it| match it.kind() {
                "string" | "encapsed_string" | "integer" | "float" | "boolean" | "null" => {
                    ValueKind::Constant
                }
                "array_creation_expression" => ValueKind::Collection,
                _ => ValueKind::Other,
            }),
        });
    }

    fn is_own_attribute(&self, at: &At<'_, '_>) -> bool {
        at.child_text("object") == "$this"
    }
}
