//! Java.

use tree_sitter::Node;

use crate::facts::common::{self, WORDS, Words};
use crate::facts::{
    At, Binding, Call, Catch, ClassKind, Dialect, Facts, Function, Import, Part, Role, ValueKind, callee,
    child_of_kind, children, named, one_line, tight,
};
use crate::{Grammar, Language, line_of, text_of};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: Language::Java,
    extensions: &["java"],
    tables: || tree_sitter_java::LANGUAGE.into(),
    limit: None,
    reader: None,
    dialect: &Java,
};

struct Java;

const JAVA: Words = Words {
    public: &["public"],
    tests: &["Test", "ParameterizedTest", "RepeatedTest", "TestFactory"],
    classes: &[
        ("interface_declaration", ClassKind::Interface),
        ("annotation_type_declaration", ClassKind::Interface),
        ("enum_declaration", ClassKind::Enum),
        ("record_declaration", ClassKind::Struct),
    ],
    bases: &["superclass", "super_interfaces", "extends_interfaces"],
    slots: &[
        ("variable_declarator", "value", "name", Role::Assigned),
        ("assignment_expression", "right", "left", Role::Assigned),
        ("element_value_pair", "value", "key", Role::Keyed),
        ("argument_list", "", "", Role::Argument),
    ],
    ..WORDS
};

impl Dialect for Java {
    fn part(&self, kind: &str) -> Option<Part> {
        Some(match kind {
            "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => {
                Part::Function
            }
            "lambda_expression" => Part::Closure,
            "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration" => Part::Class,
            "if_statement"
            | "for_statement"
            | "enhanced_for_statement"
            | "while_statement"
            | "do_statement" => Part::Branch,
            "switch_expression"
            | "try_statement"
            | "try_with_resources_statement"
            | "synchronized_statement" => Part::Level,
            "switch_label" => Part::Case,
            "catch_clause" => Part::Catch,
            "method_invocation" | "object_creation_expression" => Part::Call,
            "string_literal" => Part::Text,
            "line_comment" | "block_comment" => Part::Comment,
            "field_declaration" | "constant_declaration" => Part::Binding,
            "import_declaration" => Part::Import,
            "throw_statement" => Part::Raise,
            "return_statement" => Part::Return,
            "field_access" => Part::Attribute,
            _ => return None,
        })
    }

    fn words(&self) -> &'static Words {
        &JAVA
    }

    fn function(&self, at: &At<'_, '_>) -> Option<Function> {
        let mut function = common::function(&JAVA, at);
        if at.around(0) == "interface_body" {
            let modifiers = child_of_kind(at.node, "modifiers").map_or("", |it| text_of(it, at.text));
            function.is_public = !modifiers.contains("private");
            function.is_abstract |= at
                .child("body")
                .is_some_and(|it| common::body(&JAVA, it, at.text) == crate::facts::Body::Empty);
        }
        Some(function)
    }

    fn handler(&self, at: &At<'_, '_>) -> Option<Catch> {
        if at.node.kind() != "catch_clause" {
            return None;
        }
        let parameter = child_of_kind(at.node, "catch_formal_parameter")?;
        let types = child_of_kind(parameter, "catch_type").into_iter().flat_map(named);
        let name = parameter.child_by_field_name("name").map(|it| text_of(it, at.text).to_owned());
        Some(common::handler(
            at,
            types.map(|it| tight(it, at.text)).collect(),
            name,
            &["Exception", "Throwable"],
        ))
    }

    fn call(&self, at: &At<'_, '_>) -> Option<Call> {
        if at.node.kind() == "object_creation_expression" {
            return common::call(at, "type", "arguments");
        }
        let call = common::call(at, "name", "arguments")?;
        let object = at.child("object").map(|it| callee(it, at.text));
        let callee = object.map_or(call.callee.clone(), |it| format!("{it}.{}", call.callee));
        Some(Call { callee, ..call })
    }

    fn is_open_string(&self, node: Node<'_>, _text: &str) -> bool {
        node.kind() == "string_fragment" && node.start_position().row < node.end_position().row
    }

    fn import(&self, at: &At<'_, '_>, out: &mut Facts) {
        let Some(name) = named(at.node).find(|it| it.kind() != "asterisk") else { return };
        let takes_all = child_of_kind(at.node, "asterisk").is_some();
        out.imports.push(Import {
            line: at.line(),
            module: tight(name, at.text),
            names: if takes_all { vec![("*".to_owned(), None)] } else { Vec::new() },
            ..Import::default()
        });
    }

    fn bind(&self, at: &At<'_, '_>, out: &mut Facts) {
        let modifiers = child_of_kind(at.node, "modifiers");
        let has =
            |word: &str| modifiers.is_some_and(|it| children(it).any(|it| text_of(it, at.text) == word));
        let is_constant = at.node.kind() == "constant_declaration" || (has("static") && has("final"));
        for declarator in named(at.node).filter(|it| it.kind() == "variable_declarator") {
            let Some(name) = declarator.child_by_field_name("name") else { continue };
            out.bindings.push(Binding {
                line: line_of(name),
                name: text_of(name, at.text).to_owned(),
                class: at.class,
                is_constant,
                annotation: at.child("type").map(|it| one_line(text_of(it, at.text))),
                value: declarator
                    .child_by_field_name("value")
                    .map_or(ValueKind::Nothing, |it| value_kind(it, at.text)),
            });
        }
    }
}

fn value_kind(value: Node<'_>, text: &str) -> ValueKind {
    match value.kind() {
        "method_invocation" => ValueKind::Call(callee(value, text).trim_end_matches("()").to_owned()),
        "object_creation_expression" => {
            value.child_by_field_name("type").map_or(ValueKind::Other, |it| ValueKind::Call(callee(it, text)))
        }
        "array_initializer" | "array_creation_expression" => ValueKind::Collection,
        "lambda_expression" | "method_reference" => ValueKind::Closure,
        "true" | "false" | "null_literal" | "unary_expression" => ValueKind::Constant,
        kind if kind.ends_with("_literal") => ValueKind::Constant,
        _ => ValueKind::Other,
    }
}
