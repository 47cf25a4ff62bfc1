//! JavaScript and TypeScript.

use tree_sitter::Node;

use crate::facts::common::{self, WORDS, Words};
use crate::facts::{
    At, Binding, Call, Catch, Class, ClassKind, Dialect, Facts, Function, Import, Part, Role, ValueKind,
    callee, child_of_kind, children, logs, named, one_line, tight,
};
use crate::languages::plain;
use crate::{Grammar, Language, line_of, text_of};

pub(crate) const TYPESCRIPT: Grammar = Grammar {
    language: Language::TypeScript,
    extensions: &["ts", "mts", "cts"],
    tables: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    limit: None,
    reader: None,
    dialect: &Script,
};

pub(crate) const TSX: Grammar = Grammar {
    language: Language::Tsx,
    extensions: &["tsx"],
    tables: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    limit: None,
    reader: None,
    dialect: &Script,
};

pub(crate) const JAVASCRIPT: Grammar = Grammar {
    language: Language::JavaScript,
    extensions: &["js", "jsx", "mjs", "cjs"],
    tables: || tree_sitter_javascript::LANGUAGE.into(),
    limit: None,
    reader: None,
    dialect: &Script,
};

struct Script;

const SCRIPT: Words = Words {
    modifiers: &["accessibility_modifier", "override_modifier"],
    classes: &[("interface_declaration", ClassKind::Interface), ("enum_declaration", ClassKind::Enum)],
    bases: &["class_heritage", "extends_type_clause"],
    refuses: &["throw ", "return Promise.reject("],
    nothing: &["return", "return null", "return undefined", "return void 0", ";"],
    passes: &[
        "parenthesized_expression",
        "ternary_expression",
        "as_expression",
        "satisfies_expression",
        "non_null_expression",
    ],
    slots: &[
        ("variable_declarator", "value", "name", Role::Assigned),
        ("assignment_expression", "right", "left", Role::Assigned),
        ("augmented_assignment_expression", "right", "left", Role::Assigned),
        ("public_field_definition", "value", "name", Role::Assigned),
        ("field_definition", "value", "property", Role::Assigned),
        ("enum_assignment", "value", "name", Role::Assigned),
        ("pair", "value", "key", Role::Keyed),
        ("jsx_attribute", "", "<first>", Role::Keyed),
        ("assignment_pattern", "right", "left", Role::Default),
        ("object_assignment_pattern", "right", "left", Role::Default),
        ("required_parameter", "value", "pattern", Role::Default),
        ("optional_parameter", "value", "pattern", Role::Default),
        ("arguments", "", "", Role::Argument),
    ],
    ..WORDS
};

impl Dialect for Script {
    fn part(&self, kind: &str) -> Option<Part> {
        Some(match kind {
            "function_declaration"
            | "generator_function_declaration"
            | "method_definition"
            | "function_signature"
            | "method_signature"
            | "abstract_method_signature" => Part::Function,
            "arrow_function" | "function_expression" | "generator_function" => Part::Closure,
            "class_declaration"
            | "abstract_class_declaration"
            | "class"
            | "interface_declaration"
            | "enum_declaration" => Part::Class,
            "if_statement" | "for_statement" | "for_in_statement" | "while_statement" | "do_statement" => {
                Part::Branch
            }
            "switch_statement" | "try_statement" | "with_statement" => Part::Level,
            "switch_case" => Part::Case,
            "catch_clause" => Part::Catch,
            "call_expression" | "new_expression" | "debugger_statement" => Part::Call,
            "string" | "template_string" => Part::Text,
            "comment" | "html_comment" => Part::Comment,
            "variable_declarator" | "public_field_definition" | "field_definition" => Part::Binding,
            "import_statement" | "export_statement" => Part::Import,
            "throw_statement" => Part::Raise,
            "return_statement" => Part::Return,
            "member_expression" => Part::Attribute,
            _ => return None,
        })
    }

    fn words(&self) -> &'static Words {
        &SCRIPT
    }

    fn function(&self, at: &At<'_, '_>) -> Option<Function> {
        let mut function = common::function(&SCRIPT, at);
        if function.parameters.is_empty()
            && let Some(parameter) = at.child("parameter")
        {
            let name = text_of(parameter, at.text).to_owned();
            function.parameters.push(crate::facts::Parameter { name, ..Default::default() });
        }
        let exports = at.around(0) == "export_statement" || at.around(2) == "export_statement";
        // A function of the module is its own until it is exported.
        if at.class.is_none() && at.node.kind() != "method_definition" {
            function.is_public = exports;
        }
        Some(function)
    }

    fn closure_name(&self, at: &At<'_, '_>) -> Option<String> {
        let parent = at.parent()?;
        let field = match parent.kind() {
            "variable_declarator" | "public_field_definition" => "name",
            "field_definition" => "property",
            "pair" => "key",
            "assignment_expression" => "left",
            _ => return at.child("name").map(|it| text_of(it, at.text).to_owned()),
        };
        let name = parent.child_by_field_name(field)?;
        if matches!(
            name.kind(),
            "computed_property_name" | "subscript_expression" | "array_pattern" | "object_pattern"
        ) {
            return None;
        }
        let name = tight(name, at.text);
        let name = name.rsplit('.').next().unwrap_or_default();
        Some(common::unquoted(name).to_owned())
    }

    fn class(&self, at: &At<'_, '_>) -> Option<Class> {
        let class = common::class(&SCRIPT, at);
        Some(Class { is_public: at.around(0) == "export_statement", ..class })
    }

    fn plain(&self, text: &str) -> Option<String> {
        plain::script(text)
    }

    fn is_wildcard(&self, _at: &At<'_, '_>) -> bool {
        false
    }

    fn handler(&self, at: &At<'_, '_>) -> Option<Catch> {
        let name = at.child("parameter").map(|it| tight(it, at.text));
        (at.node.kind() == "catch_clause").then(|| common::handler(at, Vec::new(), name, &[]))
    }

    fn call(&self, at: &At<'_, '_>) -> Option<Call> {
        match at.node.kind() {
            "debugger_statement" => {
                Some(Call { line: at.line(), callee: "debugger".to_owned(), ..Call::default() })
            }
            "new_expression" => common::call(at, "constructor", "arguments"),
            _ => common::call(at, "function", "arguments"),
        }
    }

    fn logs(&self, callee: &str) -> bool {
        matches!(callee, "console.error" | "console.warn") || logs(callee)
    }

    fn import(&self, at: &At<'_, '_>, out: &mut Facts) {
        let Some(source) = at.child("source") else { return };
        let path = common::unquoted(text_of(source, at.text));
        let mut import = Import { line: at.line(), module: path.to_owned(), ..Import::default() };
        let clause = child_of_kind(at.node, "import_clause");
        for part in clause.into_iter().flat_map(named) {
            match part.kind() {
                "identifier" => import.names.push(("default".to_owned(), Some(tight(part, at.text)))),
                "namespace_import" => import.alias = named(part).next().map(|it| tight(it, at.text)),
                _ => import.names.extend(named(part).map(|it| {
                    let name = it.child_by_field_name("name").unwrap_or(it);
                    (tight(name, at.text), it.child_by_field_name("alias").map(|it| tight(it, at.text)))
                })),
            }
        }
        out.imports.push(import);
    }

    fn bind(&self, at: &At<'_, '_>, out: &mut Facts) {
        let is_field = at.node.kind() != "variable_declarator";
        let is_top = at.ancestors.len() <= 3;
        if (is_field && at.class.is_none()) || (!is_field && (!is_top || at.function.is_some())) {
            return;
        }
        let Some(name) =
            at.child("name").or(at.child("property")).filter(|it| !it.kind().ends_with("pattern"))
        else {
            return;
        };
        let has = |node: Node<'_>, word: &str| children(node).any(|it| text_of(it, at.text) == word);
        out.bindings.push(Binding {
            line: line_of(name),
            name: tight(name, at.text),
            class: at.class.filter(|_| is_field),
            is_constant: if is_field {
                has(at.node, "readonly")
            } else {
                at.parent().is_some_and(|it| has(it, "const"))
            },
            annotation: at
                .child("type")
                .map(|it| one_line(text_of(it, at.text).trim_start_matches([':', ' ']))),
            value: at.child("value").map_or(ValueKind::Nothing, |it| value_kind(it, at.text)),
        });
    }
}

fn value_kind(value: Node<'_>, text: &str) -> ValueKind {
    match value.kind() {
        "number" | "string" | "true" | "false" | "null" | "undefined" | "template_string" | "regex"
        | "unary_expression" => ValueKind::Constant,
        "array" | "object" => ValueKind::Collection,
        "arrow_function" | "function_expression" | "generator_function" => ValueKind::Closure,
        "call_expression" => value
            .child_by_field_name("function")
            .map_or(ValueKind::Other, |it| ValueKind::Call(callee(it, text))),
        "new_expression" => value
            .child_by_field_name("constructor")
            .map_or(ValueKind::Other, |it| ValueKind::Call(callee(it, text))),
        _ => ValueKind::Other,
    }
}
