//! Swift.

use crate::facts::common::{self, WORDS, Words};
use crate::facts::{
    At, Binding, Call, Catch, Class, ClassKind, Dialect, Facts, Function, Import, Parameter, Part, Role,
    ValueKind, callee, child_of_kind, children, named, one_line, tight,
};
use crate::{Grammar, Language, line_of, text_of};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: Language::Swift,
    extensions: &["swift"],
    tables: || tree_sitter_swift::LANGUAGE.into(),
    limit: None,
    reader: None,
    dialect: &Swift,
};

struct Swift;

const SWIFT: Words = Words {
    marks: &["attribute"],
    private: &["private", "fileprivate"],
    tests: &["Test"],
    constructors: &["init_declaration"],
    classes: &[("protocol_declaration", ClassKind::Interface)],
    bases: &["inheritance_specifier"],
    refuses: &["fatalError(", "preconditionFailure(", "throw ", "assertionFailure("],
    nothing: &["return", "return nil"],
    passes: &["tuple_expression", "ternary_expression", "nil_coalescing_expression"],
    slots: &[
        ("property_declaration", "value", "name", Role::Assigned),
        ("assignment", "result", "target", Role::Assigned),
        ("value_argument", "value", "name", Role::Argument),
        ("function_declaration", "default_value", "", Role::Default),
        ("equality_expression", "", "<first>", Role::Compared),
    ],
    ..WORDS
};

impl Dialect for Swift {
    fn part(&self, kind: &str) -> Option<Part> {
        Some(match kind {
            "function_declaration" | "init_declaration" | "protocol_function_declaration" => Part::Function,
            "lambda_literal" => Part::Closure,
            "class_declaration" | "protocol_declaration" => Part::Class,
            "if_statement" | "for_statement" | "while_statement" | "repeat_while_statement" => Part::Branch,
            "guard_statement" => Part::Way,
            "switch_statement" | "do_statement" => Part::Level,
            "switch_entry" => Part::Case,
            "catch_block" => Part::Catch,
            "call_expression" => Part::Call,
            "line_string_literal" | "multi_line_string_literal" => Part::Text,
            "comment" | "multiline_comment" => Part::Comment,
            "property_declaration" => Part::Binding,
            "import_declaration" => Part::Import,
            "navigation_expression" => Part::Attribute,
            "control_transfer_statement" => Part::Raise,
            _ => return None,
        })
    }

    fn counts(&self, at: &At<'_, '_>, _part: Part) -> bool {
        match at.node.kind() {
            // A `do` without handlers is a plain block.
            "do_statement" => child_of_kind(at.node, "catch_block").is_some(),
            "control_transfer_statement" => at.own_text().starts_with("throw"),
            _ => true,
        }
    }

    fn words(&self) -> &'static Words {
        &SWIFT
    }

    fn function(&self, at: &At<'_, '_>) -> Option<Function> {
        let function = common::function(&SWIFT, at);
        let parameters = named(at.node).filter(|it| it.kind() == "parameter").map(|it| Parameter {
            name: it.child_by_field_name("name").map_or_else(String::new, |it| tight(it, at.text)),
            annotation: it.child_by_field_name("type").map(|it| one_line(text_of(it, at.text))),
            has_default: it.next_sibling().is_some_and(|it| it.kind() == "="),
        });
        let is_test = function.is_test || (at.class.is_some() && function.name.starts_with("test"));
        Some(Function { parameters: parameters.collect(), is_test, ..function })
    }

    fn class(&self, at: &At<'_, '_>) -> Option<Class> {
        let class = common::class(&SWIFT, at);
        let kind = match at.child_text("declaration_kind") {
            "struct" | "extension" => ClassKind::Struct,
            "enum" => ClassKind::Enum,
            _ => class.kind,
        };
        Some(Class { kind, ..class })
    }

    fn extends_class(&self, at: &At<'_, '_>) -> bool {
        at.child_text("declaration_kind") == "extension"
    }

    fn is_wildcard(&self, at: &At<'_, '_>) -> bool {
        at.own_text().starts_with("default")
    }

    fn handler(&self, at: &At<'_, '_>) -> Option<Catch> {
        if at.node.kind() != "catch_block" {
            return None;
        }
        let types: Vec<String> =
            at.child("error").map(|it| one_line(text_of(it, at.text))).into_iter().collect();
        let is_bare = types.is_empty();
        let is_empty =
            !children(at.node).any(|it| matches!(it.kind(), "statements" | "comment" | "multiline_comment"));
        Some(Catch { line: at.line(), types, is_bare, is_broad: is_bare, is_empty, ..Catch::default() })
    }

    fn call(&self, at: &At<'_, '_>) -> Option<Call> {
        let function = named(at.node).next()?;
        let arguments = child_of_kind(at.node, "call_suffix")
            .and_then(|it| child_of_kind(it, "value_arguments"))
            .map_or(0, |it| named(it).count());
        Some(Call { line: at.line(), callee: callee(function, at.text), arguments, ..Call::default() })
    }

    fn import(&self, at: &At<'_, '_>, out: &mut Facts) {
        let module = named(at.node).last().map_or_else(String::new, |it| tight(it, at.text));
        out.imports.push(Import { line: at.line(), module, ..Import::default() });
    }

    fn bind(&self, at: &At<'_, '_>, out: &mut Facts) {
        let Some(name) = at.child("name").filter(|_| at.function.is_none()) else { return };
        let has = |word: &str| {
            at.own_text().split(['=', ':']).next().unwrap_or_default().split_whitespace().any(|it| it == word)
        };
        out.bindings.push(Binding {
            line: line_of(name),
            name: tight(name, at.text),
            class: at.class,
            is_constant: has("let") && (at.class.is_none() || has("static")),
            annotation: None,
            value: at.child("value").map_or(ValueKind::Nothing, |it| match it.kind() {
                "call_expression" => {
                    named(it).next().map_or(ValueKind::Other, |it| ValueKind::Call(callee(it, at.text)))
                }
                "array_literal" | "dictionary_literal" => ValueKind::Collection,
                "lambda_literal" => ValueKind::Closure,
                kind if kind.ends_with("literal") => ValueKind::Constant,
                _ => ValueKind::Other,
            }),
        });
    }
}
