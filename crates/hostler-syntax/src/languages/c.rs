//! C and C++.

use tree_sitter::Node;

use crate::facts::common::{self, WORDS, Words};
use crate::facts::{
    At, Body, Call, Catch, Class, ClassKind, Dialect, Facts, Function, Import, Part, Role, one_line, tight,
};
use crate::{Grammar, Language, text_of};

pub(crate) const C: Grammar = Grammar {
    language: Language::C,
    extensions: &["c", "h"],
    tables: || tree_sitter_c::LANGUAGE.into(),
    limit: None,
    reader: None,
    dialect: &Family,
};

pub(crate) const CPP: Grammar = Grammar {
    language: Language::Cpp,
    extensions: &["cc", "cpp", "cxx", "hh", "hpp", "hxx"],
    tables: || tree_sitter_cpp::LANGUAGE.into(),
    limit: None,
    reader: None,
    dialect: &Family,
};

struct Family;

const FAMILY: Words = Words {
    private: &["static"],
    classes: &[
        ("struct_specifier", ClassKind::Struct),
        ("union_specifier", ClassKind::Struct),
        ("enum_specifier", ClassKind::Enum),
    ],
    bases: &["base_class_clause"],
    refuses: &["throw ", "abort(", "assert(", "std::abort("],
    nothing: &["return", "return 0", "return NULL", "return nullptr"],
    slots: &[
        ("init_declarator", "value", "declarator", Role::Assigned),
        ("field_declaration", "default_value", "declarator", Role::Assigned),
        ("assignment_expression", "right", "left", Role::Assigned),
        ("initializer_pair", "value", "designator", Role::Keyed),
        ("preproc_def", "value", "name", Role::Assigned),
        ("optional_parameter_declaration", "default_value", "declarator", Role::Default),
        ("argument_list", "", "", Role::Argument),
    ],
    passes: &["parenthesized_expression", "conditional_expression", "concatenated_string"],
    ..WORDS
};

/// Most declarators around a name.
const DECLARATORS_MAX: usize = 32;

/// The declarator that names a function: without the pointers and references around it.
fn function_declarator(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    for _ in 0..DECLARATORS_MAX {
        if at.kind() == "function_declarator" {
            return Some(at);
        }
        at = at.child_by_field_name("declarator").or_else(|| crate::facts::named(at).next())?;
    }
    None
}

impl Dialect for Family {
    fn part(&self, kind: &str) -> Option<Part> {
        Some(match kind {
            "function_definition" | "inline_method_definition" => Part::Function,
            "lambda_expression" => Part::Closure,
            "class_specifier" | "struct_specifier" | "union_specifier" | "enum_specifier" => Part::Class,
            "if_statement" | "for_statement" | "for_range_loop" | "while_statement" | "do_statement" => {
                Part::Branch
            }
            "switch_statement" | "try_statement" => Part::Level,
            "case_statement" => Part::Case,
            "catch_clause" => Part::Catch,
            "call_expression" => Part::Call,
            "string_literal" | "raw_string_literal" | "concatenated_string" => Part::Text,
            "comment" => Part::Comment,
            "preproc_include" => Part::Import,
            "throw_statement" => Part::Raise,
            "return_statement" => Part::Return,
            "field_expression" => Part::Attribute,
            _ => return None,
        })
    }

    /// What the preprocessor makes of the text is not known: a third of real files hold macros that no grammar reads.
    fn forgives(&self, _error: Node<'_>, _ancestors: &[Node<'_>], _text: &str) -> bool {
        true
    }

    fn counts(&self, at: &At<'_, '_>, part: Part) -> bool {
        match part {
            // Without a body it only names the type.
            Part::Class => at.child("body").is_some() && at.child("name").is_some(),
            Part::Text => at.around(0) != "concatenated_string" && at.around(0) != "preproc_include",
            _ => true,
        }
    }

    fn words(&self) -> &'static Words {
        &FAMILY
    }

    fn function(&self, at: &At<'_, '_>) -> Option<Function> {
        let declarator = function_declarator(at.child("declarator")?)?;
        let written = tight(declarator.child_by_field_name("declarator")?, at.text);
        let name = written.rsplit("::").next().unwrap_or_default().to_owned();
        let mut function = common::function(&FAMILY, at);
        let parameters = declarator.child_by_field_name("parameters");
        if let Some(parameters) = parameters {
            function.parameters = common::parameters(parameters, at.text);
        }
        function.line = at.line();
        function.is_test = name.starts_with("TEST") || name.starts_with("test_");
        if at.class.is_some() {
            function.is_public = is_public(at);
        }
        // `= default` and `= delete` have nothing to judge.
        function.is_abstract = at.child("body").is_none();
        Some(Function { name, ..function })
    }

    fn receiver(&self, at: &At<'_, '_>) -> Option<String> {
        let declarator = function_declarator(at.child("declarator")?)?;
        let written = tight(declarator.child_by_field_name("declarator")?, at.text);
        let (outer, _) = written.rsplit_once("::")?;
        let class = outer.rsplit("::").next()?.split('<').next()?;
        // `ns::function` is no method; types begin in upper case where the two can be told apart at all.
        class.starts_with(char::is_uppercase).then(|| class.to_owned())
    }

    fn class(&self, at: &At<'_, '_>) -> Option<Class> {
        Some(Class { line: at.line(), is_public: true, ..common::class(&FAMILY, at) })
    }

    fn body(&self, at: &At<'_, '_>) -> Body {
        at.child("body").map_or(Body::Empty, |it| common::body(&FAMILY, it, at.text))
    }

    fn handler(&self, at: &At<'_, '_>) -> Option<Catch> {
        if at.node.kind() != "catch_clause" {
            return None;
        }
        let parameters = at.child("parameters").map_or("", |it| text_of(it, at.text));
        let takes_all = parameters.trim_matches(['(', ')', ' ']) == "...";
        let types = if takes_all { Vec::new() } else { vec![one_line(parameters.trim_matches(['(', ')']))] };
        let catch = common::handler(at, types, None, &[]);
        let is_broad = takes_all || parameters.contains("std::exception");
        Some(Catch { is_bare: takes_all, is_broad, ..catch })
    }

    fn call(&self, at: &At<'_, '_>) -> Option<Call> {
        common::call(at, "function", "arguments")
    }

    fn import(&self, at: &At<'_, '_>, out: &mut Facts) {
        let path = at.child_text("path").trim_matches(['<', '>', '"']);
        out.imports.push(Import { line: at.line(), module: path.to_owned(), ..Import::default() });
    }

    fn bind(&self, _at: &At<'_, '_>, _out: &mut Facts) {}
}

/// The last access specifier before a member decides; a class begins private, a struct public.
fn is_public(at: &At<'_, '_>) -> bool {
    let mut node = at.node;
    while let Some(sibling) = node.prev_sibling() {
        if sibling.kind() == "access_specifier" {
            return text_of(sibling, at.text).starts_with("public");
        }
        node = sibling;
    }
    at.ancestors
        .iter()
        .rev()
        .find(|it| it.kind().ends_with("_specifier"))
        .is_none_or(|it| it.kind() != "class_specifier")
}
