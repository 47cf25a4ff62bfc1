//! What a tag sits on in languages whose definitions are told by lines and their indentation.

use std::sync::LazyLock;

use regex::Regex;

use super::{Kind, Mention, Owner, Tag};

/// Definitions of Ruby, Elixir, Lua, SQL, Make, configuration files and their kin, one line each.
static DEFINITION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)^\s*(?:
          (?:async\s+)?(?:def|defp|defmacro|sub|proc|local\s+function|function|func|fn|scenario:|Scenario:|Scenario\ Outline:)\s+ (?:self\.)? (?P<function>[^(\s:;{]+[^(:;{\n]*)
        | (?:class|module|defmodule|package|struct|record|type|interface|resource|feature:|Feature:)\s+ (?P<class>[\w.:"'\ -]+)
        | (?:it|test|specify|example)\s*\(?\s*["'](?P<test>[^"']+)["']
        | (?:describe|context)\s*\(?\s*(?:["'](?P<suite>[^"']+)["']|(?P<named>[\w:.]+))
        | (?i:create\s+(?:or\s+replace\s+)?(?:table|(?:materialized\s+)?view|function|procedure|trigger|(?:unique\s+)?index|type)\s+(?:if\s+not\s+exists\s+)?)(?P<sql>[\w."`]+)
        | \[(?P<table>[^\]]+)\]\s*$
        | (?P<key>[\w./-]+)\s*:(?:\s.*)?$
        | \((?:defun|defn-?|defmacro|deftest|define|def)\s+\(?(?P<lisp>[^\s()]+)
        )"#,
    )
    .ok()
});

struct Definition {
    indent: usize,
    kind: Kind,
    name: String,
    test: bool,
}

/// Gives each tag the definition on the next line of code, else the nearest one above that is indented less.
pub(super) fn own(text: &str, mentions: Vec<Mention>) -> Vec<Tag> {
    let lines: Vec<&str> = text.lines().collect();
    let found: Vec<Option<Definition>> = lines.iter().map(|line| definition(line)).collect();
    let place = |mention: Mention| {
        let mut tag = mention.tag;
        let line = tag.line;
        let own = lines.get(line - 1).copied().unwrap_or_default();
        let alone = own.trim_start().starts_with(|c: char| !c.is_alphanumeric() && !"\"'([{_$@".contains(c));
        let is_comment = |it: &&str| {
            it.trim().is_empty()
                || it.trim_start().starts_with(|c: char| "#-;%!'/*".contains(c))
                || it.trim_start().starts_with('@')
        };
        let skipped = lines.get(line..).unwrap_or_default().iter().take_while(|it| is_comment(it)).count();
        let below = found.get(line + skipped).and_then(Option::as_ref).filter(|_| alone);
        let here = found.get(line - 1).and_then(Option::as_ref).filter(|_| !alone);
        let indent = match below.or(here) {
            Some(definition) => definition.indent,
            None => own.len() - own.trim_start().len(),
        };
        let mut path: Vec<&Definition> = below.or(here).into_iter().collect();
        let mut limit = indent;
        for definition in found.iter().take(line - 1).rev().flatten() {
            if definition.indent < limit {
                limit = definition.indent;
                path.push(definition);
            }
        }
        path.reverse();
        if let Some(last) = path.last() {
            tag.owner = Owner {
                kind: last.kind,
                path: path.iter().map(|it| it.name.clone()).collect(),
                test: path.iter().any(|it| it.test),
            };
        }
        tag
    };
    mentions.into_iter().map(place).collect()
}

fn definition(text: &str) -> Option<Definition> {
    let captures = DEFINITION.as_ref()?.captures(text)?;
    let named = |name: &str| {
        captures.name(name).map(|it| it.as_str().trim().trim_matches(['"', '\'', '`']).to_owned())
    };
    let kinds = [
        ("function", Kind::Function),
        ("test", Kind::Function),
        ("lisp", Kind::Function),
        ("class", Kind::Class),
        ("suite", Kind::Class),
        ("named", Kind::Class),
        ("sql", Kind::Item),
        ("table", Kind::Item),
        ("key", Kind::Item),
    ];
    let (group, kind, name) = kinds.iter().find_map(|(group, kind)| Some((*group, *kind, named(group)?)))?;
    let test = group == "test" || group == "suite" || name.starts_with("test_");
    Some(Definition { indent: text.len() - text.trim_start().len(), kind, name, test })
}
