//! Tags of Python, by syntax tree: decorators, comments and docstrings.

use std::collections::HashMap;

use hostler_syntax::{Language, Outline, Value, outline};

use super::{CommentLine, Form, Kind, Owner, Tag, bound, mentions};
use crate::{FILE_IDS_MAX, Pattern};

/// Names of the argument that lists what is cited.
const CITES: &[&str] = &["req", "reqs", "requirements", "ids"];

/// `None`: the text is beyond what a tree is made of.
pub(super) fn read(text: &str, pattern: &Pattern) -> Option<Vec<Tag>> {
    if !text.contains("traces") {
        return Some(Vec::new());
    }
    let outline = outline(Language::Python, text).ok()?;
    let mut tags = Vec::new();
    let mut left = FILE_IDS_MAX;
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
            let cites = |it: &(String, Value)| CITES.contains(&it.0.as_str());
            let lists = decorator.positional.iter().any(|it| matches!(it, Value::List(_)))
                || decorator.keywords.iter().any(cites);
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
                if CITES.contains(&name.as_str()) {
                    cite(value, pattern, &mut tag);
                }
            }
            if tag.ids.is_empty() && tag.problems.is_empty() {
                tag.problems.push("it cites no requirement".to_owned());
            }
            if !bound(&mut tag, &mut left) {
                tags.push(tag);
                return Some(tags);
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
    let places = Places::of(text, outline);
    let own = |mention: super::Mention| {
        let mut tag = mention.tag;
        let documents = outline.comments.get(mention.segment).is_some_and(|it| it.documents);
        let at = if documents { places.around(tag.line) } else { places.commented(tag.line) };
        tag.owner = owner(outline, at);
        tag
    };
    mentions(&lines, pattern, true).into_iter().map(own).collect()
}

/// What the lines of a text belong to, told once for all of them.
struct Places {
    /// For each line, the innermost definition around it.
    around: Vec<Option<usize>>,
    /// For each line, the first one below it that is neither blank nor a comment.
    next: Vec<usize>,
    /// Lines that hold a comment alone.
    alone: Vec<bool>,
    /// Definitions by the lines that they begin on.
    begins: HashMap<usize, usize>,
}

impl Places {
    fn of(text: &str, outline: &Outline) -> Self {
        let source: Vec<&str> = text.lines().collect();
        let mut around = vec![None; source.len() + 2];
        let mut begins = HashMap::new();
        // In order of lines, so that inner ones come after those around them.
        for (at, definition) in outline.definitions.iter().enumerate() {
            let last = definition.last_line.min(source.len() + 1);
            if let Some(lines) = around.get_mut(definition.first_line..=last) {
                lines.fill(Some(at));
            }
            for line in [definition.first_line, definition.line] {
                begins.entry(line).or_insert(at);
            }
        }
        let mut next = vec![source.len() + 1; source.len() + 2];
        let mut code = source.len() + 1;
        for (at, line) in source.iter().enumerate().rev() {
            next[at + 1] = code;
            if !(line.trim().is_empty() || line.trim_start().starts_with('#')) {
                code = at + 1;
            }
        }
        let alone = source.iter().map(|it| it.trim_start().starts_with('#')).collect();
        Self { around, next, alone, begins }
    }

    fn around(&self, line: usize) -> Option<usize> {
        self.around.get(line).copied().flatten()
    }

    /// A comment belongs to the definition that begins below it, else to the one around it.
    fn commented(&self, line: usize) -> Option<usize> {
        let alone = self.alone.get(line - 1).copied().unwrap_or_default();
        let below = self.next.get(line).filter(|_| alone).and_then(|next| self.begins.get(next)).copied();
        below.or_else(|| self.around(line))
    }
}

fn owner(outline: &Outline, at: Option<usize>) -> Owner {
    let Some(at) = at else { return Owner::FILE };
    let path = outline.path(at);
    let kind = if path.last().is_some_and(|it| it.is_class) { Kind::Class } else { Kind::Function };
    let path: Vec<String> = path.into_iter().map(|it| it.name.clone()).collect();
    let test = path.iter().any(|it| it.starts_with("test_") || it.starts_with("Test"));
    Owner { kind, path, test }
}
