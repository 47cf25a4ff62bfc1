//! Go.

use tree_sitter::Node;

use crate::facts::common::{self, WORDS, Words};
use crate::facts::{
    At, Binding, Catch, Class, ClassKind, Dialect, Facts, Function, Import, Part, Role, ValueKind, callee,
    logs, named, one_line, tight,
};
use crate::{Grammar, Language, line_of, text_of};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: Language::Go,
    extensions: &["go"],
    tables: || tree_sitter_go::LANGUAGE.into(),
    limit: None,
    reader: None,
    dialect: &Go,
};

struct Go;

const GO: Words = Words {
    refuses: &["panic(", "return", "log.Fatal"],
    nothing: &["return", "return nil"],
    passes: &["parenthesized_expression", "expression_list", "literal_element"],
    slots: &[
        ("const_spec", "", "name", Role::Assigned),
        ("var_spec", "", "name", Role::Assigned),
        ("short_var_declaration", "right", "left", Role::Assigned),
        ("assignment_statement", "right", "left", Role::Assigned),
        ("keyed_element", "value", "key", Role::Keyed),
        ("argument_list", "", "", Role::Argument),
    ],
    ..WORDS
};

impl Dialect for Go {
    fn part(&self, kind: &str) -> Option<Part> {
        Some(match kind {
            "function_declaration" | "method_declaration" | "method_elem" => Part::Function,
            "func_literal" => Part::Closure,
            "type_spec" => Part::Class,
            "if_statement" | "for_statement" => Part::Branch,
            "expression_switch_statement" | "type_switch_statement" | "select_statement" => Part::Level,
            "expression_case" | "type_case" | "communication_case" => Part::Case,
            "call_expression" => Part::Call,
            "interpreted_string_literal" | "raw_string_literal" => Part::Text,
            "comment" => Part::Comment,
            "const_spec" | "var_spec" => Part::Binding,
            "import_spec" => Part::Import,
            "return_statement" => Part::Return,
            "selector_expression" => Part::Attribute,
            _ => return None,
        })
    }

    fn words(&self) -> &'static Words {
        &GO
    }

    fn function(&self, at: &At<'_, '_>) -> Option<Function> {
        let function = common::function(&GO, at);
        let is_test = ["Test", "Benchmark", "Example", "Fuzz"].iter().any(|it| function.name.starts_with(it));
        Some(Function { line: at.line(), is_public: is_exported(&function.name), is_test, ..function })
    }

    fn closure_name(&self, at: &At<'_, '_>) -> Option<String> {
        let mut above = at.ancestors.iter().rev().filter(|it| it.kind() != "expression_list");
        let parent = above.next()?;
        let field = match parent.kind() {
            "short_var_declaration" | "assignment_statement" => "left",
            "var_spec" => "name",
            _ => return None,
        };
        let name = tight(parent.child_by_field_name(field)?, at.text);
        name.chars().all(|it| it.is_alphanumeric() || it == '_').then_some(name)
    }

    fn class(&self, at: &At<'_, '_>) -> Option<Class> {
        let kind = match at.child("type").map_or("", |it| it.kind()) {
            "interface_type" => ClassKind::Interface,
            _ => ClassKind::Struct,
        };
        let class = common::class(&GO, at);
        Some(Class { kind, line: at.line(), is_public: is_exported(&class.name), ..class })
    }

    fn receiver(&self, at: &At<'_, '_>) -> Option<String> {
        let receiver = named(at.child("receiver")?).next()?;
        let written = tight(receiver.child_by_field_name("type")?, at.text);
        let name = written.trim_start_matches(['*', '(']).split(['[', ')']).next().unwrap_or_default();
        Some(name.to_owned())
    }

    fn is_wildcard(&self, _at: &At<'_, '_>) -> bool {
        false
    }

    /// `if err != nil { … }`.
    fn handler(&self, at: &At<'_, '_>) -> Option<Catch> {
        let condition = at.child("condition").filter(|it| it.kind() == "binary_expression")?;
        let operand = |field| condition.child_by_field_name(field).map(|it| text_of(it, at.text));
        let (name, operator, other) = (operand("left")?, operand("operator")?, operand("right")?);
        if operator != "!=" || other != "nil" || !name.to_ascii_lowercase().contains("err") {
            return None;
        }
        let body = at.child("consequence")?;
        let written = text_of(body, at.text);
        Some(Catch {
            line: at.line(),
            name: Some(name.to_owned()),
            is_empty: common::is_blank(body),
            raises: written.contains("return ") || written.contains("panic("),
            ..Catch::default()
        })
    }

    fn logs(&self, callee: &str) -> bool {
        callee.starts_with("log.") || logs(callee)
    }

    fn import(&self, at: &At<'_, '_>, out: &mut Facts) {
        out.imports.push(Import {
            line: at.line(),
            module: common::unquoted(at.child_text("path")).to_owned(),
            alias: at.child("name").map(|it| text_of(it, at.text).to_owned()),
            ..Import::default()
        });
    }

    fn bind(&self, at: &At<'_, '_>, out: &mut Facts) {
        if at.function.is_some() || 3 < at.ancestors.len() {
            return;
        }
        let is_constant = at.node.kind() == "const_spec";
        let value = at.child("value").and_then(|it| named(it).next());
        let mut cursor = at.node.walk();
        let names: Vec<Node<'_>> =
            at.node.children_by_field_name("name", &mut cursor).filter(Node::is_named).collect();
        for name in names {
            out.bindings.push(Binding {
                line: line_of(name),
                name: text_of(name, at.text).to_owned(),
                class: None,
                is_constant,
                annotation: at.child("type").map(|it| one_line(text_of(it, at.text))),
                value: value.map_or(ValueKind::Nothing, |it| value_kind(it, at.text)),
            });
        }
    }

    fn is_own_attribute(&self, at: &At<'_, '_>) -> bool {
        let Some(operand) = at.child("operand").filter(|it| it.kind() == "identifier") else { return false };
        let method = at.ancestors.iter().rev().find(|it| it.kind() == "method_declaration");
        let receiver = method
            .and_then(|it| it.child_by_field_name("receiver"))
            .and_then(|it| named(it).next())
            .and_then(|it| it.child_by_field_name("name"));
        receiver.is_some_and(|it| text_of(it, at.text) == text_of(operand, at.text))
    }
}

fn is_exported(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

fn value_kind(value: Node<'_>, text: &str) -> ValueKind {
    match value.kind() {
        "call_expression" => value
            .child_by_field_name("function")
            .map_or(ValueKind::Other, |it| ValueKind::Call(callee(it, text))),
        "composite_literal" => ValueKind::Collection,
        "func_literal" => ValueKind::Closure,
        "true" | "false" | "nil" | "iota" => ValueKind::Constant,
        kind if kind.ends_with("_literal") => ValueKind::Constant,
        _ => ValueKind::Other,
    }
}
