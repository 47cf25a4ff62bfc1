//! Scala.

use crate::facts::common::{self, WORDS, Words};
use crate::facts::{
    At, Binding, Call, Catch, ClassKind, Dialect, Facts, Import, Part, Role, ValueKind, callee, children,
    named, one_line, tight,
};
use crate::{Grammar, Language, line_of, text_of};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: Language::Scala,
    extensions: &["scala", "sc"],
    tables: || tree_sitter_scala::LANGUAGE.into(),
    limit: None,
    reader: None,
    dialect: &Scala,
};

struct Scala;

const SCALA: Words = Words {
    modifiers: &["modifiers", "access_modifier"],
    classes: &[
        ("object_definition", ClassKind::Object),
        ("package_object", ClassKind::Object),
        ("trait_definition", ClassKind::Trait),
        ("enum_definition", ClassKind::Enum),
    ],
    bases: &["extends_clause"],
    unwritten: &["???", "throw new NotImplementedError"],
    refuses: &["throw ", "sys.error("],
    nothing: &["()", "return"],
    passes: &["parenthesized_expression", "interpolated_string_expression"],
    slots: &[
        ("val_definition", "value", "pattern", Role::Assigned),
        ("var_definition", "value", "pattern", Role::Assigned),
        ("assignment_expression", "right", "left", Role::Assigned),
        ("parameter", "default_value", "name", Role::Default),
        ("class_parameter", "default_value", "name", Role::Default),
        ("arguments", "", "", Role::Argument),
    ],
    ..WORDS
};

impl Dialect for Scala {
    fn part(&self, kind: &str) -> Option<Part> {
        Some(match kind {
            "function_definition" | "function_declaration" => Part::Function,
            "lambda_expression" => Part::Closure,
            "class_definition" | "object_definition" | "trait_definition" | "enum_definition"
            | "package_object" => Part::Class,
            "if_expression" | "for_expression" | "while_expression" | "do_while_expression" => Part::Branch,
            "match_expression" | "try_expression" => Part::Level,
            "case_clause" => Part::Case,
            "call_expression" => Part::Call,
            "string" | "interpolated_string" => Part::Text,
            "comment" | "block_comment" => Part::Comment,
            "val_definition" | "var_definition" => Part::Binding,
            "import_declaration" => Part::Import,
            "throw_expression" => Part::Raise,
            "return_expression" => Part::Return,
            "field_expression" => Part::Attribute,
            _ => return None,
        })
    }

    fn words(&self) -> &'static Words {
        &SCALA
    }

    fn is_wildcard(&self, at: &At<'_, '_>) -> bool {
        children(at.node).all(|it| it.kind() != "guard")
            && at.child("pattern").is_some_and(|it| {
                let written = text_of(it, at.text);
                written == "_" || (it.kind() == "identifier" && written.starts_with(char::is_lowercase))
            })
    }

    /// A case of a `catch`.
    fn handler(&self, at: &At<'_, '_>) -> Option<Catch> {
        if at.node.kind() != "case_clause" || at.around(1) != "catch_clause" {
            return None;
        }
        let pattern = at.child("pattern")?;
        let written = one_line(text_of(pattern, at.text));
        let (name, types) = match written.split_once(':') {
            Some((name, kind)) => (Some(name.trim().to_owned()), vec![kind.trim().to_owned()]),
            None => (Some(written), Vec::new()),
        };
        let is_broad =
            types.is_empty() || types.iter().any(|it| matches!(it.as_str(), "Throwable" | "Exception"));
        let body = at.child("body");
        let is_empty = body
            .is_none_or(|it| text_of(it, at.text) == "()" || (it.kind() == "block" && common::is_blank(it)))
            && !children(at.node).any(|it| it.is_extra());
        Some(Catch {
            line: at.line(),
            is_bare: types.is_empty(),
            name,
            types,
            is_broad,
            is_empty,
            ..Catch::default()
        })
    }

    fn call(&self, at: &At<'_, '_>) -> Option<Call> {
        common::call(at, "function", "arguments")
    }

    fn import(&self, at: &At<'_, '_>, out: &mut Facts) {
        let written = at.own_text().trim_start_matches("import").trim();
        out.imports.push(Import { line: at.line(), module: one_line(written), ..Import::default() });
    }

    fn bind(&self, at: &At<'_, '_>, out: &mut Facts) {
        let Some(name) = at.child("pattern").filter(|it| it.kind() == "identifier" && at.function.is_none())
        else {
            return;
        };
        out.bindings.push(Binding {
            line: line_of(name),
            name: text_of(name, at.text).to_owned(),
            class: at.class,
            is_constant: at.own_text().contains("final val"),
            annotation: at.child("type").map(|it| tight(it, at.text)),
            value: at.child("value").map_or(ValueKind::Nothing, |it| match it.kind() {
                "call_expression" => {
                    named(it).next().map_or(ValueKind::Other, |it| ValueKind::Call(callee(it, at.text)))
                }
                "lambda_expression" => ValueKind::Closure,
                "string" => ValueKind::Constant,
                kind if kind.ends_with("literal") => ValueKind::Constant,
                _ => ValueKind::Other,
            }),
        });
    }
}
