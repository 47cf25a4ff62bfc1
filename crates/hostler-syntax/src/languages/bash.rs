//! The shell: bash, and what it shares with `sh`.

use crate::facts::common::{self, WORDS, Words};
use crate::facts::{At, Call, Catch, Class, Dialect, Facts, Function, Import, Part, Role, one_line};
use crate::{Grammar, Language, text_of};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: Language::Bash,
    extensions: &["sh", "bash"],
    tables: || tree_sitter_bash::LANGUAGE.into(),
    limit: None,
    reader: None,
    dialect: &Bash,
};

struct Bash;

const BASH: Words = Words {
    has_signatures: false,
    refuses: &["exit ", "return "],
    nothing: &[":", "return", "return 0", "true"],
    slots: &[("variable_assignment", "value", "name", Role::Assigned), ("command", "", "", Role::Argument)],
    passes: &["concatenation"],
    ..WORDS
};

impl Dialect for Bash {
    fn part(&self, kind: &str) -> Option<Part> {
        Some(match kind {
            "function_definition" => Part::Function,
            "if_statement" | "for_statement" | "c_style_for_statement" | "while_statement" => Part::Branch,
            "elif_clause" => Part::Way,
            "case_statement" => Part::Level,
            "case_item" => Part::Case,
            "command" => Part::Call,
            "string" | "raw_string" | "ansi_c_string" => Part::Text,
            "comment" => Part::Comment,
            _ => return None,
        })
    }

    fn words(&self) -> &'static Words {
        &BASH
    }

    fn function(&self, at: &At<'_, '_>) -> Option<Function> {
        let function = common::function(&BASH, at);
        let is_public = !function.name.starts_with('_');
        Some(Function { line: at.line(), is_public, ..function })
    }

    fn class(&self, _at: &At<'_, '_>) -> Option<Class> {
        None
    }

    fn is_flat(&self, _at: &At<'_, '_>) -> bool {
        false
    }

    fn is_wildcard(&self, at: &At<'_, '_>) -> bool {
        at.own_text().trim_start_matches('(').starts_with("*)")
    }

    fn handler(&self, _at: &At<'_, '_>) -> Option<Catch> {
        None
    }

    fn call(&self, at: &At<'_, '_>) -> Option<Call> {
        let name = one_line(text_of(at.child("name")?, at.text));
        let mut cursor = at.node.walk();
        let arguments = at.node.children_by_field_name("argument", &mut cursor).count();
        Some(Call { line: at.line(), callee: name, arguments, ..Call::default() })
    }

    fn import(&self, _at: &At<'_, '_>, _out: &mut Facts) {}

    fn bind(&self, _at: &At<'_, '_>, _out: &mut Facts) {}

    fn finish(&self, _tree: &tree_sitter::Tree, text: &str, out: &mut Facts) {
        // `source` is a command like any other.
        let lines: Vec<&str> = text.lines().collect();
        for call in
            out.calls.iter().filter(|it| matches!(it.callee.as_str(), "source" | ".") && it.arguments == 1)
        {
            let line = lines.get(call.line - 1).copied().unwrap_or_default();
            let module = line.split_whitespace().nth(1).unwrap_or_default().trim_matches(['"', '\'', ';']);
            out.imports.push(Import { line: call.line, module: module.to_owned(), ..Import::default() });
        }
    }
}
