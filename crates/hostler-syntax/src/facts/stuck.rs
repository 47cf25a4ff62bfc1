//! Where a parser first finds nothing to go on with.
//!
//! A parser that recovers makes one error of many lines, whose beginning says little: often that of the file. It tells a
//! logger what it does, so a second look at such a text shows the place.

use std::sync::{Arc, Mutex};

use super::Fault;
use super::walk::{self, Gap};
use crate::{Grammar, parse_logged};

/// What a logger heard.
#[derive(Debug, Default)]
struct Heard {
    /// The furthest place that was reached, as row and column in bytes.
    furthest: (usize, usize),
    /// No way is left: the parser began to recover.
    is_stuck: bool,
}

/// The errors of `gaps`, in order. The first that spans the lines at which the parser of `parsed` is stuck stands where it
/// is; `text` is what was written.
pub(super) fn faults(grammar: &Grammar, parsed: &str, text: &str, mut gaps: Vec<Gap>) -> Vec<Fault> {
    if gaps.iter().any(|it| it.is_wide)
        && let Some(at) = stuck(grammar, parsed)
        && let Some(gap) = gaps.iter_mut().find(|it| it.is_wide && it.bytes.start <= at && at <= it.bytes.end)
        && let Some(fault) = walk::fault(text, at, None, text.get(at..).unwrap_or_default())
    {
        gap.fault = fault;
    }
    let mut faults: Vec<Fault> = gaps.into_iter().map(|it| it.fault).collect();
    faults.sort_by_key(|it| (it.line, it.column));
    faults.dedup();
    faults
}

/// The byte at which something stands that cannot go on from what is before it.
fn stuck(grammar: &Grammar, text: &str) -> Option<usize> {
    let heard = Arc::new(Mutex::new(Heard::default()));
    let hears = Arc::clone(&heard);
    let logger = move |_, message: &str| {
        let Ok(mut heard) = hears.lock() else { return };
        if heard.is_stuck {
        } else if message.starts_with("resume version") {
            heard.is_stuck = true;
        } else if let Some(place) = place(message) {
            heard.furthest = heard.furthest.max(place);
        }
    };
    parse_logged(grammar, text, Some(Box::new(logger))).ok()?;
    let heard = heard.lock().ok()?;
    let (row, column) = heard.furthest;
    let start: usize = text.split_inclusive('\n').take(row).map(str::len).sum();
    let rest = text.get(start + column..)?;
    heard.is_stuck.then(|| text.len() - rest.trim_start().len())
}

/// Row and column of `process version:0, version_count:1, state:1, row:2, col:3`.
fn place(message: &str) -> Option<(usize, usize)> {
    let rest = message.strip_prefix("process version")?;
    let number = |name: &str| rest.split(name).nth(1)?.split(',').next()?.parse().ok();
    Some((number(" row:")?, number(" col:")?))
}

#[cfg(test)]
mod tests {
    use crate::{Language, faults};

    #[track_caller]
    fn check(language: Language, text: &str, line: usize) {
        let lines: Vec<usize> = faults(language, text).unwrap_or_default().iter().map(|it| it.line).collect();
        assert_eq!(lines.first(), Some(&line), "{lines:?}: {text}");
    }

    #[test]
    fn an_error_stands_where_the_parser_is_stuck() {
        let rust = "use a::b;\n\nstruct A;\n\nimpl A {\n    fn f(&self) {\n        g();\n    }\n}\n\nfn h() {\n    if a == {\n        \
                    g();\n    }\n    i();\n}\n\nfn j() {}\n";
        check(Language::Rust, rust, 14);
        let java = "package a;\n\nclass A {\n    int f() {\n        return 1;\n    }\n\n    int g() {\n        if (a {\n            \
                    h();\n        }\n        return 2;\n    }\n}\n";
        check(Language::Java, java, 9);
        let java = "class A {\n    int f() {\n        String a = \"not ended;\n        return g(\"b\", 1);\n    }\n}\n";
        check(Language::Java, java, 3);
        let java =
            "class A {\n    int f() {\n        String a = \"not ended;\n        return g(1);\n    }\n}\n";
        check(Language::Java, java, 3);
        let go = "package a\n\nfunc f() {\n\tg()\n}\n\nfunc h() {\n\ta := b(1, 2\n\tc()\n}\n";
        check(Language::Go, go, 8);
        let script =
            "import { a } from \"b\";\n\nexport class A {\n  f() {\n    for (const a of ) {\n    }\n  }\n}\n";
        check(Language::TypeScript, script, 5);
    }

    #[test]
    fn what_is_told_is_in_order() {
        let found = faults(Language::TypeScript, "let a = ;\nlet b = 1;\nlet c = ;\n").unwrap_or_default();
        let lines: Vec<usize> = found.iter().map(|it| it.line).collect();
        assert_eq!(lines, [1, 3]);
    }
}
