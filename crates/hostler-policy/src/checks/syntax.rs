//! Code that its own language refuses.

use hostler_syntax::{Fault, Language};

use super::kind::ANY;
use super::{Check, Example, Finding, Gate, Same, Settings, Severity, Source};

/// Most errors that are told of one file: one mistake often looks like many.
const TOLD_MAX: usize = 5;
/// Longest message, in characters.
const MESSAGE_CHARS_MAX: usize = 200;

pub(super) const CHECK: Check = Check {
    id: "syntax",
    gate: Gate::Syntax,
    severity: Severity::Error,
    summary: "code that does not parse",
    same: Same::Line,
    kinds: ANY,
    fires: &[
        Example("src/a.py", "def f(:\n    return 1\n"),
        Example("src/a.py", "for i in range(3):\n    pass\nbreak\n"),
        Example("src/a.py", "x = 1\nreturn x\n"),
    ],
    silent: &[
        Example("src/a.py", "def f():\n    return 1\n"),
        Example("src/a.py", ""),
        Example("notes.txt", "def f(:\n"),
    ],
    run,
};

fn run(source: &Source<'_>, _: &Settings) -> Vec<Finding> {
    let errors = source.facts.map_or(&[][..], |it| &it.errors);
    let one = |error: &Fault| {
        let message: String = error.message.chars().take(MESSAGE_CHARS_MAX).collect();
        CHECK
            .finding(error.line, format!("syntax error: {message}"))
            .at(severity(source))
            .about(source.symbol_at(error.line))
            .fix(format!("repair line {} before anything else", error.line))
    };
    errors.iter().take(TOLD_MAX).map(one).collect()
}

/// Grammars of other languages refuse code that their compilers take (macros, dialects, the newest forms): there it is
/// told and stops nobody.
fn severity(source: &Source<'_>) -> Severity {
    if source.language.is_some_and(is_exact) { Severity::Error } else { Severity::Warn }
}

/// Whether the grammar of `language` refuses nothing that its compiler takes, as far as was measured.
pub(super) fn is_exact(language: Language) -> bool {
    use Language::{Go, Java, JavaScript, Python, Rust, Tsx, TypeScript};
    matches!(language, Python | TypeScript | Tsx | JavaScript | Rust | Go | Java)
}
