//! What a call adds to a Python file: shared by the guards over Python.

use hostler_model::{Action, Facts, Needs};
use hostler_syntax::{Language, Syntax, read, read_part};

use super::written::{Written, resolve, written};
use crate::Case;

/// Things found, each with its line.
pub(crate) type Found<T> = Vec<(usize, T)>;

/// What to look for in Python.
pub(crate) struct Search<T> {
    /// Texts without any of these hold nothing. Most writes do not, and parsing is the dearest part of a call.
    pub(crate) words: &'static [&'static str],
    /// Takes what is looked for out of what was read.
    pub(crate) pick: fn(Syntax) -> Found<T>,
    /// A whole file that does not parse is not judged.
    pub(crate) parsed_only: bool,
}

/// Asks for what stands in the file now, where it can matter: a Python file that an edit changes, or that a write with
/// any of `words` replaces.
pub(crate) fn want_before(case: &Case<'_>, needs: &mut Needs, words: &[&str]) {
    let path = match case.action() {
        Some(Action::Edit { path: Some(path), .. }) => path,
        Some(Action::Write { path: Some(path), content }) if words.iter().any(|it| content.contains(it)) => {
            path
        }
        _ => return,
    };
    let path = resolve(case, path);
    if Language::of(&path) == Some(Language::Python) {
        needs.contents.insert(path);
    }
}

/// What the call adds to a Python file beyond what is there now, and the file. Code that stood there before never
/// counts: nobody is stopped for what they only pass by. `None` for other files, when nothing is found, and for
/// text beyond the budgets of the reader.
pub(crate) fn added<T>(case: &Case<'_>, facts: &Facts, search: &Search<T>) -> Option<(Written, Found<T>)> {
    let written = written(case, facts).filter(|it| Language::of(&it.path) == Some(Language::Python))?;
    let read_one = if written.part { read_part } else { read };
    let holds_word = |text: &str| search.words.iter().any(|word| text.contains(word));
    if !holds_word(&written.after) {
        return None;
    }
    let after = read_one(Language::Python, &written.after).ok()?;
    if search.parsed_only && after.has_errors && !written.part {
        return None;
    }
    let mut after = (search.pick)(after);
    let before = if after.is_empty() || !holds_word(&written.before) {
        Syntax::default()
    } else {
        read_one(Language::Python, &written.before).ok()?
    };
    let lines = written.lines();
    // What stands in code that did not parse before was perhaps not seen: only changed lines are sure to be new.
    let may_be_old = before.has_errors && !written.part;
    after.retain(|(line, _)| !may_be_old || lines.is_new(*line));
    let mut replaced = 0;
    for (line, _) in (search.pick)(before) {
        match lines.kept(line).and_then(|kept| after.iter().position(|(line, _)| *line == kept)) {
            Some(at) => drop(after.remove(at)),
            None => replaced += 1,
        }
    }
    // As many as went are no more than before; those on lines that did not change are the least likely to be new.
    after.sort_by_key(|(line, _)| !lines.is_new(*line));
    after.truncate(after.len().saturating_sub(replaced));
    after.sort_by_key(|(line, _)| *line);
    (!after.is_empty()).then_some((written, after))
}

#[cfg(test)]
mod tests;
