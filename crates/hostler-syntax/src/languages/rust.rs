//! Rust.

use tree_sitter::Node;

use crate::facts::common::{self, WORDS, Words};
use crate::facts::{
    At, Binding, Body, Call, Catch, Class, ClassKind, Dialect, Facts, Function, Import, Part, Role,
    ValueKind, callee, child_of_kind, is_grade, logs, one_line, tight,
};
use crate::languages::plain;
use crate::{Grammar, Language, text_of};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: Language::Rust,
    extensions: &["rs"],
    tables: || tree_sitter_rust::LANGUAGE.into(),
    limit: None,
    reader: None,
    dialect: &Rust,
};

struct Rust;

/// Longest error, in bytes, that an attribute in an unusual place makes. A longer one has other reasons.
const ATTRIBUTE_ERROR_BYTES_MAX: usize = 200;

const RUST: Words = Words {
    public: &["pub"],
    private: &[],
    tests: &["test", "rstest", "proptest", "test_case", "bench"],
    classes: &[
        ("struct_item", ClassKind::Struct),
        ("union_item", ClassKind::Struct),
        ("enum_item", ClassKind::Enum),
        ("trait_item", ClassKind::Trait),
        ("impl_item", ClassKind::Struct),
    ],
    unwritten: &["todo!", "unimplemented!"],
    refuses: &["panic!", "return Err(", "Err(", "bail!", "anyhow::bail!"],
    nothing: &["return", "()"],
    passes: &["parenthesized_expression"],
    slots: &[
        ("let_declaration", "value", "pattern", Role::Assigned),
        ("const_item", "value", "name", Role::Assigned),
        ("static_item", "value", "name", Role::Assigned),
        ("assignment_expression", "right", "left", Role::Assigned),
        ("field_initializer", "value", "field", Role::Keyed),
        ("arguments", "", "", Role::Argument),
        ("token_tree", "", "", Role::Argument),
    ],
    ..WORDS
};

impl Dialect for Rust {
    fn part(&self, kind: &str) -> Option<Part> {
        Some(match kind {
            "function_item" | "function_signature_item" => Part::Function,
            "closure_expression" => Part::Closure,
            "struct_item" | "union_item" | "enum_item" | "trait_item" | "impl_item" => Part::Class,
            "if_expression" | "for_expression" | "while_expression" | "loop_expression" => Part::Branch,
            "match_expression" => Part::Level,
            "match_arm" => Part::Case,
            // `let … else` is a choice without a level.
            "let_declaration" => Part::Way,
            "call_expression" | "macro_invocation" => Part::Call,
            "string_literal" | "raw_string_literal" => Part::Text,
            "line_comment" | "block_comment" => Part::Comment,
            "const_item" | "static_item" => Part::Binding,
            "use_declaration" | "extern_crate_declaration" => Part::Import,
            "return_expression" => Part::Return,
            "field_expression" => Part::Attribute,
            _ => return None,
        })
    }

    fn counts(&self, at: &At<'_, '_>, part: Part) -> bool {
        part != Part::Way || at.child("alternative").is_some()
    }

    fn words(&self) -> &'static Words {
        &RUST
    }

    fn function(&self, at: &At<'_, '_>) -> Option<Function> {
        let mut function = common::function(&RUST, at);
        function.is_async = child_of_kind(at.node, "function_modifiers")
            .is_some_and(|it| text_of(it, at.text).contains("async"));
        function.is_test |= at.ancestors.iter().any(|it| {
            it.kind() == "mod_item"
                && it
                    .child_by_field_name("name")
                    .is_some_and(|it| matches!(text_of(it, at.text), "tests" | "test"))
        });
        match at.ancestors.iter().rev().find(|it| matches!(it.kind(), "impl_item" | "trait_item")) {
            Some(around) if at.class.is_some() && around.kind() == "trait_item" => {
                function.is_public = true;
                // A default that does nothing is there for others to fill.
                function.is_abstract |=
                    at.child("body").is_some_and(|it| common::body(&RUST, it, at.text) == Body::Empty);
            }
            // What a trait asks for is the trait's, not a choice of the type.
            Some(around) if at.class.is_some() && around.child_by_field_name("trait").is_some() => {
                function.is_override = true;
                function.is_public = false;
            }
            _ => {}
        }
        Some(function)
    }

    fn closure_name(&self, at: &At<'_, '_>) -> Option<String> {
        let parent = at.parent().filter(|it| it.kind() == "let_declaration")?;
        let name = parent.child_by_field_name("pattern").filter(|it| it.kind() == "identifier")?;
        Some(text_of(name, at.text).to_owned())
    }

    fn class(&self, at: &At<'_, '_>) -> Option<Class> {
        let mut class = common::class(&RUST, at);
        if at.node.kind() == "impl_item" {
            class.name = base_type(at.child("type")?, at.text);
            match at.child("trait") {
                Some(contract) => class.bases = vec![base_type(contract, at.text)],
                None => class.impl_line = Some(at.line()),
            }
        }
        Some(class)
    }

    fn extends_class(&self, at: &At<'_, '_>) -> bool {
        at.node.kind() == "impl_item"
    }

    fn sets_contracts_apart(&self) -> bool {
        true
    }

    fn forgives(&self, error: Node<'_>, ancestors: &[Node<'_>], text: &str) -> bool {
        // A macro takes any tokens; attributes may stand where the grammar knows none.
        let in_macro = ancestors.iter().any(|it| {
            matches!(it.kind(), "token_tree" | "token_tree_pattern" | "macro_invocation" | "macro_definition")
        });
        let written = text_of(error, text);
        in_macro || (written.len() <= ATTRIBUTE_ERROR_BYTES_MAX && written.contains("#["))
    }

    fn plain(&self, text: &str) -> Option<String> {
        plain::rust(text)
    }

    fn is_wildcard(&self, at: &At<'_, '_>) -> bool {
        let Some(pattern) = at.child("pattern").filter(|it| it.child_by_field_name("condition").is_none())
        else {
            return false;
        };
        let written = text_of(pattern, at.text).trim();
        // A name in lower case takes everything; one in upper case is a constant.
        written.starts_with(|it: char| it == '_' || it.is_lowercase())
            && written.chars().all(|it| it.is_alphanumeric() || it == '_')
            && !matches!(written, "true" | "false")
    }

    fn handler(&self, at: &At<'_, '_>) -> Option<Catch> {
        let (pattern, body) = if at.node.kind() == "match_arm" {
            (at.child("pattern")?, at.child("value")?)
        } else {
            let condition = at.child("condition").filter(|it| it.kind() == "let_condition")?;
            (condition.child_by_field_name("pattern")?, at.child("consequence").or(at.child("body"))?)
        };
        let written = tight(pattern, at.text);
        let inner = written.strip_prefix("Err(")?;
        // One kind of failure that is told from the others may need nothing.
        let takes_all = inner.strip_suffix(')').is_some_and(|it| {
            it.starts_with(|it: char| it == '_' || it.is_lowercase())
                && it.chars().all(|it| it.is_alphanumeric() || it == '_')
        });
        let does_nothing = match body.kind() {
            "block" => common::is_blank(body),
            _ => text_of(body, at.text) == "()",
        };
        Some(Catch {
            line: at.line(),
            name: inner.strip_suffix(')').map(str::to_owned),
            types: vec![written.clone()],
            is_empty: takes_all && does_nothing,
            ..Catch::default()
        })
    }

    fn call(&self, at: &At<'_, '_>) -> Option<Call> {
        if at.node.kind() == "call_expression" {
            return common::call(at, "function", "arguments");
        }
        let callee = format!("{}!", callee(at.child("macro")?, at.text));
        Some(Call { line: at.line(), callee, ..Call::default() })
    }

    fn logs(&self, callee: &str) -> bool {
        let name = callee.strip_suffix('!').map(|it| it.rsplit(':').next().unwrap_or_default());
        name.is_some_and(is_grade) || logs(callee)
    }

    fn import(&self, at: &At<'_, '_>, out: &mut Facts) {
        let module =
            at.child("argument").or(at.child("name")).map_or_else(String::new, |it| tight(it, at.text));
        out.imports.push(Import { line: at.line(), module, ..Import::default() });
    }

    fn bind(&self, at: &At<'_, '_>, out: &mut Facts) {
        if at.function.is_some() {
            return;
        }
        out.bindings.push(Binding {
            line: at.line(),
            name: at.child_text("name").to_owned(),
            class: at.class,
            is_constant: true,
            annotation: at.child("type").map(|it| one_line(text_of(it, at.text))),
            value: at.child("value").map_or(ValueKind::Nothing, |it| value_kind(it, at.text)),
        });
    }
}

/// `a::B<C>` is `B`, and so is `&'a mut B`.
fn base_type(mut node: Node<'_>, text: &str) -> String {
    while let Some(inner) = node.child_by_field_name("type").filter(|_| node.kind() == "reference_type") {
        node = inner;
    }
    let written = tight(node, text);
    let written = written.trim_start_matches(['&', '*']).trim_start_matches("dyn");
    let bare = written.split('<').next().unwrap_or_default();
    bare.rsplit("::").next().unwrap_or_default().to_owned()
}

fn value_kind(value: Node<'_>, text: &str) -> ValueKind {
    match value.kind() {
        "call_expression" => value
            .child_by_field_name("function")
            .map_or(ValueKind::Other, |it| ValueKind::Call(callee(it, text))),
        "macro_invocation" => value
            .child_by_field_name("macro")
            .map_or(ValueKind::Other, |it| ValueKind::Call(format!("{}!", callee(it, text)))),
        "array_expression" | "tuple_expression" | "struct_expression" | "reference_expression" => {
            ValueKind::Collection
        }
        "closure_expression" => ValueKind::Closure,
        kind if kind.ends_with("_literal") => ValueKind::Constant,
        _ => ValueKind::Other,
    }
}
