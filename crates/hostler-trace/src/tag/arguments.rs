//! `@traces(spec="020", story="US-001", reqs=["REQ-020-001"])` in a comment of a language without decorators.

use super::Tag;
use crate::{Pattern, TAG_IDS_MAX};

/// Reads `name = value` pairs; a value is a word, a quoted text, or a list in brackets.
pub(super) fn read(inside: &str, pattern: &Pattern, tag: &mut Tag) {
    let inside = inside.trim().trim_start_matches('{').trim_end_matches('}');
    let mut rest = inside;
    while let Some((name, after)) = rest.split_once(['=', ':']) {
        let name = name.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
        let after = after.trim_start();
        let (value, next) = match after.strip_prefix(['[', '{', '(']) {
            Some(list) => list.split_once([']', '}', ')']).unwrap_or((list, "")),
            None => match after.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) {
                Some(mark) => after.get(1..).and_then(|it| it.split_once(mark)).unwrap_or((after, "")),
                None => after.split_once(',').unwrap_or((after, "")),
            },
        };
        match name {
            "spec" => tag.spec = Some(value.trim().to_owned()).filter(|it| !it.is_empty()),
            "story" => tag.story = Some(value.trim().to_owned()).filter(|it| !it.is_empty()),
            "req" | "reqs" | "requirements" | "ids" => {
                let words = value.split([',', ';']).map(|it| it.trim().trim_matches(['"', '\'', '`']).trim());
                let words: Vec<&str> = words.filter(|it| !it.is_empty()).collect();
                if words.is_empty() {
                    tag.problems.push(format!("`{name}` cites nothing"));
                }
                for word in words {
                    let list = pattern.list(word);
                    if list.is_empty() {
                        tag.problems.push(format!("`{word}` does not look like an id"));
                    }
                    tag.ids.extend(list.ids);
                    tag.problems.extend(list.problems);
                }
                tag.ids.truncate(TAG_IDS_MAX);
            }
            _ => {}
        }
        rest = next;
    }
}
