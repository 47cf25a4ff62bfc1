//! Comments that say that something is left to do (FIX001 to FIX004): comment tokens only, whole words, upper case.

use super::kind::CODE;
use super::{Check, Example, Finding, Gate, Same, Settings, Severity, Source};

const WORDS: &[&str] = &["TODO", "FIXME", "HACK", "XXX"];

pub(super) const CHECK: Check = Check {
    id: "todo",
    gate: Gate::Safety,
    severity: Severity::Warn,
    summary: "temporary comments: `TODO`, `FIXME`, `HACK`, `XXX`",
    same: Same::Line,
    kinds: CODE,
    fires: &[
        Example("src/a.py", "# TODO: handle retries\nX = 1\n"),
        Example("src/a.py", "X = 1  # FIXME(ann) later\n"),
        Example("tests/test_a.py", "def f(a):\n    # HACK around a bug\n    return a\n"),
    ],
    silent: &[
        Example("src/a.py", "MESSAGE = \"TODO: write this\"\n"),
        Example("src/a.py", "def f(a):\n    \"\"\"TODO items are listed elsewhere.\"\"\"\n    return a\n"),
        Example("src/a.py", "TODO_LIST = [\"a\"]\n"),
        Example("src/a.py", "# The todo view renders rows, and TODOS is a table.\nROWS = 3\n"),
    ],
    run,
};

fn run(source: &Source<'_>, _: &Settings) -> Vec<Finding> {
    let Some(facts) = source.facts else { return Vec::new() };
    let mut found = Vec::new();
    for comment in facts.comments.iter().filter(|it| !source.is_doc_string(it)) {
        for (at, text) in comment.text.lines().enumerate() {
            let Some(word) = word_in(text) else { continue };
            let line = comment.line + at;
            found.push(
                CHECK
                    .finding(line, format!("a `{word}` is left in a comment"))
                    .about(source.symbol_at(line))
                    .fix("do it now, or put it where open work is kept and take the comment out"),
            );
        }
    }
    found
}

/// The first of [`WORDS`] that stands in `text` by itself.
fn word_in(text: &str) -> Option<&'static str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.into_iter().find_map(|word| WORDS.iter().copied().find(|it| *it == word))
}
