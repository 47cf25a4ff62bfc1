//! Kotlin.

use tree_sitter::Node;

use crate::facts::common::{self, WORDS, Words};
use crate::facts::{
    At, Binding, Call, Catch, Class, ClassKind, Dialect, Facts, Function, Import, Literal, Part, Role,
    ValueKind, callee, child_of_kind, children, named, one_line, tight,
};
use crate::{Grammar, Language, line_of, text_of};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: Language::Kotlin,
    extensions: &["kt", "kts"],
    tables: || tree_sitter_kotlin_ng::LANGUAGE.into(),
    limit: None,
    reader: None,
    dialect: &Kotlin,
};

struct Kotlin;

const KOTLIN: Words = Words {
    private: &["private", "protected", "internal"],
    tests: &["Test", "ParameterizedTest"],
    classes: &[("object_declaration", ClassKind::Object), ("companion_object", ClassKind::Object)],
    bases: &["delegation_specifiers"],
    unwritten: &["TODO("],
    refuses: &["throw ", "error("],
    nothing: &["return", "return null", "Unit"],
    slots: &[
        ("property_declaration", "", "#variable_declaration", Role::Assigned),
        ("assignment", "right", "left", Role::Assigned),
        ("function_value_parameters", "", "<before>", Role::Default),
        ("class_parameter", "", "<first>", Role::Default),
        ("value_argument", "", "<first>", Role::Argument),
    ],
    ..WORDS
};

impl Dialect for Kotlin {
    fn part(&self, kind: &str) -> Option<Part> {
        Some(match kind {
            "function_declaration" | "secondary_constructor" => Part::Function,
            "lambda_literal" | "anonymous_function" => Part::Closure,
            "class_declaration" | "object_declaration" | "companion_object" => Part::Class,
            "if_expression" | "for_statement" | "while_statement" | "do_while_statement" => Part::Branch,
            "when_expression" | "try_expression" => Part::Level,
            "when_entry" => Part::Case,
            "catch_block" => Part::Catch,
            "call_expression" => Part::Call,
            "string_literal" | "multiline_string_literal" => Part::Text,
            "line_comment" | "block_comment" => Part::Comment,
            "property_declaration" => Part::Binding,
            "import" => Part::Import,
            "throw_expression" => Part::Raise,
            "return_expression" => Part::Return,
            "navigation_expression" => Part::Attribute,
            _ => return None,
        })
    }

    fn words(&self) -> &'static Words {
        &KOTLIN
    }

    fn function(&self, at: &At<'_, '_>) -> Option<Function> {
        let mut function = common::function(&KOTLIN, at);
        if let Some(parameters) = child_of_kind(at.node, "function_value_parameters") {
            function.parameters = common::parameters(parameters, at.text);
        }
        function.is_constructor = at.node.kind() == "secondary_constructor";
        if function.is_constructor {
            "constructor".clone_into(&mut function.name);
            function.is_abstract = false;
        }
        Some(function)
    }

    fn closure_name(&self, at: &At<'_, '_>) -> Option<String> {
        let parent = at.parent().filter(|it| it.kind() == "property_declaration")?;
        Some(property_name(parent, at.text)?.1)
    }

    fn class(&self, at: &At<'_, '_>) -> Option<Class> {
        let mut class = common::class(&KOTLIN, at);
        if class.name.is_empty() {
            "Companion".clone_into(&mut class.name);
        }
        let kind = match class.kind {
            ClassKind::Class if children(at.node).any(|it| it.kind() == "interface") => ClassKind::Interface,
            ClassKind::Class if child_of_kind(at.node, "enum_class_body").is_some() => ClassKind::Enum,
            kind => kind,
        };
        Some(Class { kind, ..class })
    }

    fn is_wildcard(&self, at: &At<'_, '_>) -> bool {
        children(at.node).next().is_some_and(|it| it.kind() == "else")
    }

    fn handler(&self, at: &At<'_, '_>) -> Option<Catch> {
        if at.node.kind() != "catch_block" {
            return None;
        }
        let mut parts = named(at.node).filter(|it| it.kind() != "annotation");
        let name = parts.next().map(|it| tight(it, at.text));
        let types = parts.next().map(|it| tight(it, at.text)).into_iter().collect();
        let catch = common::handler(at, types, name, &["Exception", "Throwable"]);
        let is_empty = child_of_kind(at.node, "block").is_some_and(common::is_blank);
        Some(Catch { is_empty, ..catch })
    }

    fn call(&self, at: &At<'_, '_>) -> Option<Call> {
        let function = named(at.node).next()?;
        let arguments = child_of_kind(at.node, "value_arguments").map_or(0, |it| named(it).count());
        Some(Call { line: at.line(), callee: callee(function, at.text), arguments, ..Call::default() })
    }

    fn literal(&self, at: &At<'_, '_>) -> Option<Literal> {
        let (role, target) = common::role(&KOTLIN, at);
        let value = common::unquoted(at.own_text()).to_owned();
        let is_interpolated = value.contains('$');
        Some(Literal { value, target, role, is_interpolated, ..Literal::default() })
    }

    fn import(&self, at: &At<'_, '_>, out: &mut Facts) {
        let Some(name) = named(at.node).next() else { return };
        let takes_all = at.own_text().trim_end().ends_with('*');
        out.imports.push(Import {
            line: at.line(),
            module: tight(name, at.text),
            names: if takes_all { vec![("*".to_owned(), None)] } else { Vec::new() },
            ..Import::default()
        });
    }

    fn bind(&self, at: &At<'_, '_>, out: &mut Facts) {
        let Some((name, written)) = property_name(at.node, at.text).filter(|_| at.function.is_none()) else {
            return;
        };
        let modifiers = child_of_kind(at.node, "modifiers").map_or("", |it| text_of(it, at.text));
        out.bindings.push(Binding {
            line: line_of(name),
            name: written,
            class: at.class,
            is_constant: modifiers.split_whitespace().any(|it| it == "const"),
            annotation: child_of_kind(at.node, "user_type").map(|it| one_line(text_of(it, at.text))),
            value: named(at.node).last().map_or(ValueKind::Nothing, |it| match it.kind() {
                "call_expression" => {
                    named(it).next().map_or(ValueKind::Other, |it| ValueKind::Call(callee(it, at.text)))
                }
                "variable_declaration" => ValueKind::Nothing,
                kind if kind.ends_with("literal") => ValueKind::Constant,
                _ => ValueKind::Other,
            }),
        });
    }
}

fn property_name<'tree>(property: Node<'tree>, text: &str) -> Option<(Node<'tree>, String)> {
    let declaration = child_of_kind(property, "variable_declaration")?;
    let name = child_of_kind(declaration, "identifier")?;
    Some((name, text_of(name, text).to_owned()))
}
