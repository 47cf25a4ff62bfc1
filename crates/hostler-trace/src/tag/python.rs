//! Tags of Python, by syntax tree: decorators, comments and docstrings.

use hostler_syntax::{Definition, Language, Outline, Value, outline};

use super::{CommentLine, Form, Kind, Owner, Tag, mentions};
use crate::Pattern;

/// `None`: the text is beyond what a tree is made of.
pub(super) fn read(text: &str, pattern: &Pattern) -> Option<Vec<Tag>> {
    if !text.contains("traces") {
        return Some(Vec::new());
    }
    let outline = outline(Language::Python, text).ok()?;
    let mut tags = Vec::new();
    for (at, definition) in outline.definitions.iter().enumerate() {
        let ours = definition.decorators.iter().filter(|it| it.name.rsplit('.').next() == Some("traces"));
        for decorator in ours {
            let mut tag = Tag {
                line: decorator.line,
                ids: Vec::new(),
                spec: None,
                story: None,
                form: Form::Decorator,
                owner: owner(&outline, Some(at)),
                problems: Vec::new(),
            };
            let named = |name: &str| decorator.keywords.iter().find(|it| it.0 == name).map(|it| &it.1);
            // Without names they come in this order; where no list is among them, texts that are ids are what is cited.
            let lists = decorator.positional.iter().any(|it| matches!(it, Value::List(_)));
            let mut plain = Vec::new();
            for value in &decorator.positional {
                match value {
                    Value::Text(word) if !lists && !pattern.list(word).is_empty() => {
                        cite(value, pattern, &mut tag);
                    }
                    Value::List(_) => cite(value, pattern, &mut tag),
                    _ => plain.push(value),
                }
            }
            let mut plain = plain.into_iter();
            tag.spec = word(named("spec").or_else(|| plain.next()), "spec", &mut tag.problems);
            tag.story = word(named("story").or_else(|| plain.next()), "story", &mut tag.problems);
            for (name, value) in &decorator.keywords {
                if matches!(name.as_str(), "req" | "reqs" | "requirements" | "ids") {
                    cite(value, pattern, &mut tag);
                }
            }
            if tag.ids.is_empty() && tag.problems.is_empty() {
                tag.problems.push("it cites no requirement".to_owned());
            }
            tags.push(tag);
        }
    }
    tags.extend(comments(text, &outline, pattern));
    tags.sort_by_key(|it| it.line);
    Some(tags)
}

fn word(value: Option<&Value>, name: &str, problems: &mut Vec<String>) -> Option<String> {
    match value? {
        Value::Text(text) => Some(text.trim().to_owned()).filter(|it| !it.is_empty()),
        Value::Nothing => None,
        Value::List(_) => {
            problems.push(format!("`{name}` is a list, one text is read"));
            None
        }
        Value::Unknown(written) => {
            problems.push(format!("`{name}` is `{written}`, which only running the code would tell"));
            None
        }
    }
}

fn cite(value: &Value, pattern: &Pattern, tag: &mut Tag) {
    match value {
        Value::Text(text) => {
            let list = pattern.list(text);
            if list.is_empty() {
                tag.problems.push(format!("`{text}` does not look like an id"));
            }
            tag.ids.extend(list.ids);
            tag.problems.extend(list.problems);
        }
        Value::List(items) => items.iter().for_each(|item| cite(item, pattern, tag)),
        Value::Nothing => {}
        Value::Unknown(written) => {
            tag.problems.push(format!("`{written}` is cited, which only running the code would tell"));
        }
    }
}

fn comments(text: &str, outline: &Outline, pattern: &Pattern) -> Vec<Tag> {
    let mut lines = Vec::new();
    for (segment, comment) in outline.comments.iter().enumerate() {
        for (below, part) in comment.text.split('\n').enumerate() {
            // The quotes of a docstring are no quotation.
            let part = if comment.documents && below == 0 {
                part.trim_start_matches(|c: char| c.is_ascii_alphabetic()).trim_start_matches(['"', '\''])
            } else {
                part
            };
            lines.push(CommentLine { line: comment.line + below, text: part, segment });
        }
    }
    let source: Vec<&str> = text.lines().collect();
    let own = |mention: super::Mention| {
        let mut tag = mention.tag;
        let documents = outline.comments.get(mention.segment).is_some_and(|it| it.documents);
        let at = if documents { outline.around(tag.line) } else { commented(tag.line, outline, &source) };
        tag.owner = owner(outline, at);
        tag
    };
    mentions(&lines, pattern, true).into_iter().map(own).collect()
}

/// A comment belongs to the definition that begins below it, else to the one around it.
fn commented(line: usize, outline: &Outline, source: &[&str]) -> Option<usize> {
    let own = source.get(line - 1).is_some_and(|it| it.trim_start().starts_with('#'));
    let skipped = |it: &&str| it.trim().is_empty() || it.trim_start().starts_with('#');
    let next = line + 1 + source.get(line..).unwrap_or_default().iter().take_while(|it| skipped(it)).count();
    let begins = |it: &Definition| it.first_line == next || it.line == next;
    let below = outline.definitions.iter().position(begins).filter(|_| own);
    below.or_else(|| outline.around(line))
}

fn owner(outline: &Outline, at: Option<usize>) -> Owner {
    let Some(at) = at else { return Owner::FILE };
    let path = outline.path(at);
    let kind = if path.last().is_some_and(|it| it.is_class) { Kind::Class } else { Kind::Function };
    let path: Vec<String> = path.into_iter().map(|it| it.name.clone()).collect();
    let test = path.iter().any(|it| it.starts_with("test_") || it.starts_with("Test"));
    Owner { kind, path, test }
}
