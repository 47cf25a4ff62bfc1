//! C#.

use crate::facts::common::{self, WORDS, Words};
use crate::facts::{
    At, Binding, Call, Catch, ClassKind, Dialect, Facts, Function, Import, Part, Role, ValueKind,
    child_of_kind, children, named, one_line, tight,
};
use crate::{Grammar, Language, line_of, text_of};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: Language::CSharp,
    extensions: &["cs"],
    tables: || tree_sitter_c_sharp::LANGUAGE.into(),
    limit: None,
    reader: None,
    dialect: &CSharp,
};

struct CSharp;

const CSHARP: Words = Words {
    public: &["public"],
    tests: &["Test", "TestMethod", "Fact", "Theory", "TestCase"],
    classes: &[
        ("interface_declaration", ClassKind::Interface),
        ("enum_declaration", ClassKind::Enum),
        ("struct_declaration", ClassKind::Struct),
        ("record_declaration", ClassKind::Struct),
    ],
    bases: &["base_list"],
    unwritten: &["throw new NotImplementedException", "throw new System.NotImplementedException"],
    slots: &[
        ("variable_declarator", "", "name", Role::Assigned),
        ("property_declaration", "value", "name", Role::Assigned),
        ("assignment_expression", "right", "left", Role::Assigned),
        ("parameter", "", "name", Role::Default),
        ("argument", "", "name", Role::Argument),
        ("attribute_argument", "", "", Role::Argument),
    ],
    passes: &["parenthesized_expression", "conditional_expression", "equals_value_clause"],
    ..WORDS
};

impl Dialect for CSharp {
    fn part(&self, kind: &str) -> Option<Part> {
        Some(match kind {
            "method_declaration" | "constructor_declaration" | "local_function_statement" => Part::Function,
            "lambda_expression" | "anonymous_method_expression" => Part::Closure,
            "class_declaration"
            | "interface_declaration"
            | "struct_declaration"
            | "record_declaration"
            | "enum_declaration" => Part::Class,
            "if_statement" | "for_statement" | "foreach_statement" | "while_statement" | "do_statement" => {
                Part::Branch
            }
            "switch_statement" | "switch_expression" | "try_statement" | "using_statement"
            | "lock_statement" => Part::Level,
            "switch_section" | "switch_expression_arm" => Part::Case,
            "catch_clause" => Part::Catch,
            "invocation_expression" | "object_creation_expression" => Part::Call,
            "string_literal"
            | "verbatim_string_literal"
            | "raw_string_literal"
            | "interpolated_string_expression" => Part::Text,
            "comment" => Part::Comment,
            "field_declaration" => Part::Binding,
            "using_directive" => Part::Import,
            "throw_statement" | "throw_expression" => Part::Raise,
            "return_statement" => Part::Return,
            "member_access_expression" => Part::Attribute,
            _ => return None,
        })
    }

    fn words(&self) -> &'static Words {
        &CSHARP
    }

    fn function(&self, at: &At<'_, '_>) -> Option<Function> {
        let mut function = common::function(&CSHARP, at);
        function.is_public |=
            at.ancestors.iter().rev().nth(1).is_some_and(|it| it.kind() == "interface_declaration");
        Some(function)
    }

    fn is_wildcard(&self, at: &At<'_, '_>) -> bool {
        let first = children(at.node).next();
        first.is_some_and(|it| matches!(it.kind(), "default" | "discard"))
            || at.own_text().starts_with("_ ")
            || at.own_text().starts_with("default")
    }

    fn handler(&self, at: &At<'_, '_>) -> Option<Catch> {
        if at.node.kind() != "catch_clause" {
            return None;
        }
        let declaration = child_of_kind(at.node, "catch_declaration");
        let by =
            |field| declaration.and_then(|it| it.child_by_field_name(field)).map(|it| tight(it, at.text));
        let types: Vec<String> = by("type").into_iter().collect();
        let is_bare = types.is_empty();
        let catch = common::handler(at, types, by("name"), &["Exception"]);
        Some(Catch { is_bare, is_broad: is_bare || catch.is_broad, ..catch })
    }

    fn call(&self, at: &At<'_, '_>) -> Option<Call> {
        let function = if at.node.kind() == "invocation_expression" { "function" } else { "type" };
        common::call(at, function, "arguments")
    }

    fn import(&self, at: &At<'_, '_>, out: &mut Facts) {
        let Some(module) = named(at.node).last() else { return };
        out.imports.push(Import {
            line: at.line(),
            module: tight(module, at.text),
            alias: at.child("name").map(|it| tight(it, at.text)),
            ..Import::default()
        });
    }

    fn bind(&self, at: &At<'_, '_>, out: &mut Facts) {
        let has =
            |word: &str| children(at.node).any(|it| it.kind() == "modifier" && text_of(it, at.text) == word);
        let is_constant = has("const") || (has("static") && has("readonly"));
        let Some(declaration) = child_of_kind(at.node, "variable_declaration") else { return };
        for declarator in named(declaration).filter(|it| it.kind() == "variable_declarator") {
            let Some(name) = declarator.child_by_field_name("name") else { continue };
            out.bindings.push(Binding {
                line: line_of(name),
                name: text_of(name, at.text).to_owned(),
                class: at.class,
                is_constant,
                annotation: declaration.child_by_field_name("type").map(|it| one_line(text_of(it, at.text))),
                value: named(declarator).nth(1).map_or(ValueKind::Nothing, |it| match it.kind() {
                    kind if kind.ends_with("literal") => ValueKind::Constant,
                    _ => ValueKind::Other,
                }),
            });
        }
    }
}
