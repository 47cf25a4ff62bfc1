//! Lines of a function from its head to its end, documentation and blank lines included, decorators not.

use super::kind::CODE;
use super::{Check, Example, Finding, Gate, LINES, Same, Settings, Severity, Source};

const LINES_41: &str = "def f(a):\n    a = [\n        0,\n        0,\n        0,\n        0,\n        0,\n        0,\n        0,\n        \
                        0,\n        0,\n        0,\n        0,\n        0,\n        0,\n        0,\n        0,\n        0,\n        \
                        0,\n        0,\n        0,\n        0,\n        0,\n        0,\n        0,\n        0,\n        0,\n        \
                        0,\n        0,\n        0,\n        0,\n        0,\n        0,\n        0,\n        0,\n        0,\n        \
                        0,\n        0,\n        0,\n    ]\n    return a\n";

pub(super) const CHECK: Check = Check {
    id: "function_length",
    gate: Gate::Complexity,
    severity: Severity::Warn,
    summary: "functions of more than 40 lines",
    same: Same::Symbol,
    kinds: CODE,
    fires: &[Example("src/a.py", LINES_41)],
    silent: &[
        Example("src/a.py", "@cache(\n    1,\n)\ndef f(a):\n    return a\n"),
        Example("src/a.py", "class A:\n    x = 1\n"),
    ],
    run,
};

fn run(source: &Source<'_>, settings: &Settings) -> Vec<Finding> {
    let max = settings.function_lines_max;
    let functions = source.functions().iter();
    functions
        .filter_map(|it| {
            let lines = (it.last_line.saturating_sub(it.line) + 1) as u64;
            let name = source.name_of(it);
            (max < lines).then(|| {
                CHECK
                    .finding(it.line, format!("`{name}` has {lines} lines, more than {max}"))
                    .about(Some(name))
                    .metric(lines)
                    .code(LINES)
                    .fix("move steps of it into functions of their own")
            })
        })
        .collect()
}
