//! What a call writes, and where: one view of all file tools for the guards over content.

use std::path::PathBuf;

use hostler_model::{Action, Change, Content, Facts, Needs, lexical};

use crate::Case;

/// Words in the name of an MCP tool that changes something.
#[rustfmt::skip]
const CHANGING: &[&str] = &[
    "add", "append", "apply", "archive", "copy", "create", "delete", "drop", "edit", "execute", "insert",
    "make", "mkdir", "modify", "move", "overwrite", "patch", "put", "remove", "rename", "replace",
    "restore", "run", "save", "set", "sync", "touch", "trash", "unlink", "update", "upload", "write",
];

/// Words in the name of an MCP tool that only looks.
#[rustfmt::skip]
const LOOKING: &[&str] = &[
    "cat", "check", "count", "describe", "diff", "exists", "fetch", "find", "get", "glob", "grep", "head",
    "info", "list", "ls", "open", "query", "read", "search", "show", "stat", "status", "tail", "tree",
    "view",
];

/// Last words of keys whose value is a path, whatever it looks like.
#[rustfmt::skip]
const PATH_KEYS: &[&str] = &[
    "dest", "destination", "dir", "directory", "file", "filename", "filepath", "folder", "path", "source",
    "src", "target", "uri", "url",
];

/// Last words of keys whose value is the text of a file.
const TEXT_KEYS: &[&str] = &["body", "content", "contents", "data", "text"];

/// Text that a call puts into a file.
#[derive(Debug)]
pub(crate) struct Written {
    /// The file, absolute and clean.
    pub(crate) path: PathBuf,
    /// The file as the agent wrote it.
    pub(crate) shown: String,
    /// What stands there now; empty when that is unknown or nothing.
    pub(crate) before: String,
    /// What will stand there.
    pub(crate) after: String,
    /// `before` and `after` are not the file but the replaced text and its replacement.
    pub(crate) part: bool,
}

impl Written {
    /// Where a line of [`Self::after`] is, for messages.
    pub(crate) fn at(&self, line: usize) -> String {
        let of = if self.part { "of the new text for" } else { "of" };
        format!("line {line} {of} `{}`", self.shown)
    }

    /// How the lines of the two texts correspond.
    pub(crate) fn lines(&self) -> Lines {
        let (before, after): (Vec<&str>, Vec<&str>) =
            (self.before.lines().collect(), self.after.lines().collect());
        let head = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
        let rest = before.len().min(after.len()) - head;
        let tail = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
        Lines { head, tail, before: before.len(), after: after.len() }
    }
}

/// How the lines of two texts correspond: the same ones at the start and at the end, and between them what changed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lines {
    head: usize,
    tail: usize,
    before: usize,
    after: usize,
}

impl Lines {
    /// Whether `line` of the text after is not one of the text before.
    pub(crate) fn is_new(self, line: usize) -> bool {
        self.head < line && line <= self.after - self.tail
    }

    /// Where `line` of the text before is in the text after; `None` where it changed.
    pub(crate) fn kept(self, line: usize) -> Option<usize> {
        if line <= self.head {
            Some(line)
        } else {
            (self.before - self.tail < line).then(|| line + self.after - self.before)
        }
    }
}

/// The path that a file tool is about to write, as the agent wrote it. Paths in calls of MCP tools are found by
/// [`mcp_paths`].
pub(crate) fn target<'a>(case: &Case<'a>) -> Option<&'a str> {
    match case.action()? {
        Action::Write { path, .. } | Action::Edit { path, .. } | Action::NotebookEdit { path, .. } => {
            path.as_deref()
        }
        _ => None,
    }
}

/// `text` as an absolute, clean path.
pub(crate) fn resolve(case: &Case<'_>, text: &str) -> PathBuf {
    lexical::expand(&case.event.cwd, case.place.home.as_deref(), text)
}

/// Asks for the file that an edit changes.
pub(crate) fn want_edited(case: &Case<'_>, needs: &mut Needs) {
    if let Some(Action::Edit { path: Some(path), .. }) = case.action() {
        needs.contents.insert(resolve(case, path));
    }
}

/// The text that the call writes; `None` when it writes none.
pub(crate) fn written(case: &Case<'_>, facts: &Facts) -> Option<Written> {
    let known = |path: &PathBuf| match facts.contents.get(path) {
        Some(Content::Text(text)) => Some(text.clone()),
        _ => None,
    };
    let whole = |shown: &str, content: &str| {
        let path = resolve(case, shown);
        let before = known(&path).unwrap_or_default();
        Written { path, shown: shown.to_owned(), before, after: content.to_owned(), part: false }
    };
    match case.action()? {
        Action::Write { path, content } => Some(whole(path.as_deref()?, content)),
        Action::NotebookEdit { path, source } => {
            Some(Written { part: true, ..whole(path.as_deref()?, source) })
        }
        Action::Edit { path, changes } => {
            let shown = path.as_deref()?.to_owned();
            let path = resolve(case, &shown);
            if let Some((before, after)) =
                known(&path).and_then(|before| edited(&before, changes).map(|after| (before, after)))
            {
                return Some(Written { path, shown, before, after, part: false });
            }
            let join = |pick: fn(&Change) -> &str| changes.iter().map(pick).collect::<Vec<_>>().join("\n");
            Some(Written { path, shown, before: join(|it| &it.old), after: join(|it| &it.new), part: true })
        }
        Action::Mcp { tool, strings, .. } if changes_something(tool) => {
            let value = |keys: &[&str]| {
                strings
                    .iter()
                    .find(|(key, _)| last_word(key).is_some_and(|word| keys.contains(&word.as_str())))
            };
            let (path, content) = (value(PATH_KEYS)?, value(TEXT_KEYS)?);
            // Whether the text is the file or is put into it is unknown: it is judged by itself.
            Some(Written { part: true, before: String::new(), ..whole(&from_uri(&path.1), &content.1) })
        }
        _ => None,
    }
}

/// The text after all `changes`; `None` when one of them does not fit, as when the file changed since.
fn edited(before: &str, changes: &[Change]) -> Option<String> {
    apply(before, changes).or_else(|| {
        // Hosts show files with line feeds alone.
        before.contains('\r').then(|| apply(&before.replace("\r\n", "\n"), changes)).flatten()
    })
}

fn apply(before: &str, changes: &[Change]) -> Option<String> {
    changes.iter().try_fold(before.to_owned(), |text, change| {
        if change.old.is_empty() {
            return text.is_empty().then(|| change.new.clone());
        }
        if !text.contains(&change.old) {
            return None;
        }
        Some(if change.all {
            text.replace(&change.old, &change.new)
        } else {
            text.replacen(&change.old, &change.new, 1)
        })
    })
}

/// Whether an MCP tool of this name may change something: everything that does not say that it only looks.
pub(crate) fn changes_something(tool: &str) -> bool {
    let words = words(tool);
    let any = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    any(CHANGING) || !any(LOOKING)
}

/// Every argument of an MCP call that looks like a path or a file's URI.
pub(crate) fn mcp_paths(strings: &[(String, String)]) -> impl Iterator<Item = String> + '_ {
    strings
        .iter()
        .filter(|(key, value)| {
            let named = last_word(key).is_some_and(|word| PATH_KEYS.contains(&word.trim_end_matches('s')));
            let plain =
                !value.contains(char::is_whitespace) && (value.contains('/') || value.starts_with('~'));
            !value.is_empty() && value.len() <= 4096 && (named || plain)
        })
        .map(|(_, value)| from_uri(value))
}

/// The path in a `file:` URI; anything else as it is.
fn from_uri(text: &str) -> String {
    let Some(rest) = text.strip_prefix("file:") else { return text.to_owned() };
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or(rest),
        None => rest,
    };
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.as_bytes();
    while let Some((&first, rest)) = left.split_first() {
        let code = rest
            .get(..2)
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|it| u8::from_str_radix(it, 16).ok());
        let escaped = if first == b'%' { code } else { None };
        bytes.push(escaped.unwrap_or(first));
        left = if escaped.is_some() { rest.get(2..).unwrap_or_default() } else { rest };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The last word of a key; the index of a list's element is none.
fn last_word(key: &str) -> Option<String> {
    words(key).into_iter().rev().find(|word| !word.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The words of a name in any of the usual spellings, in lower case.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = ' ';
    let mut chars = name.chars().peekable();
    while let Some(char) = chars.next() {
        if char.is_alphanumeric() {
            let acronym_ends = char.is_uppercase()
                && last.is_uppercase()
                && chars.peek().is_some_and(|it| it.is_lowercase());
            let begins = !last.is_alphanumeric()
                || (char.is_uppercase() && (last.is_lowercase() || last.is_numeric()))
                || acronym_ends;
            if begins {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(char.to_lowercase());
            }
        }
        last = char;
    }
    words
}

#[cfg(test)]
mod tests;
