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
    let (parents, last) = ancestry(&found);
    let below = next_code(&lines);
    let place = |mention: Mention| {
        let mut tag = mention.tag;
        let at = tag.line - 1;
        let own = lines.get(at).copied().unwrap_or_default();
        let alone = own.trim_start().starts_with(|c: char| !c.is_alphanumeric() && !"\"'([{_$@".contains(c));
        let at_own = if alone { below.get(at).copied() } else { Some(at) };
        let own_definition = at_own.filter(|it| found.get(*it).is_some_and(Option::is_some));
        let indent = match own_definition.and_then(|it| found.get(it)?.as_ref()) {
            Some(definition) => definition.indent,
            None => own.len() - own.trim_start().len(),
        };
        let mut path: Vec<&Definition> =
            own_definition.and_then(|it| found.get(it)?.as_ref()).into_iter().collect();
        // Those around it are among the ancestors of the nearest one above.
        let mut above = last.get(at).copied().flatten();
        let mut limit = indent;
        while let Some(definition) = above.and_then(|it| found.get(it)?.as_ref()) {
            if definition.indent < limit {
                limit = definition.indent;
                path.push(definition);
            }
            above = above.and_then(|it| parents.get(it).copied().flatten());
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

/// For each definition the nearest one above that is indented less, and for each line the nearest definition above it.
fn ancestry(found: &[Option<Definition>]) -> (Vec<Option<usize>>, Vec<Option<usize>>) {
    let (mut parents, mut last) = (vec![None; found.len()], vec![None; found.len()]);
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut above = None;
    for (at, definition) in found.iter().enumerate() {
        last[at] = above;
        let Some(definition) = definition else { continue };
        while open.last().is_some_and(|(_, indent)| definition.indent <= *indent) {
            open.pop();
        }
        parents[at] = open.last().map(|it| it.0);
        open.push((at, definition.indent));
        above = Some(at);
    }
    (parents, last)
}

/// For each line the first one below it that is neither blank, a comment nor an annotation.
fn next_code(lines: &[&str]) -> Vec<usize> {
    let is_comment = |line: &str| {
        let line = line.trim_start();
        line.is_empty() || line.starts_with(|c: char| "#-;%!'/*@".contains(c))
    };
    let mut next = vec![lines.len(); lines.len()];
    let mut code = lines.len();
    for (at, line) in lines.iter().enumerate().rev() {
        next[at] = code;
        if !is_comment(line) {
            code = at;
        }
    }
    next
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
