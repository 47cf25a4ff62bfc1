//! `except Exception` that neither raises nor logs (BLE001). Handlers of single exceptions are exempt: asking for
//! forgiveness is Python's way.

use hostler_syntax::Language;

use super::kind::CODE;
use super::{Check, Example, Finding, Gate, Same, Settings, Severity, Source};

pub(super) const CHECK: Check = Check {
    id: "unlogged_exception",
    gate: Gate::Safety,
    severity: Severity::Warn,
    summary: "handlers in Python of `Exception` or `BaseException` that neither raise nor log",
    same: Same::Line,
    kinds: CODE,
    fires: &[
        Example("src/a.py", "try:\n    f()\nexcept Exception:\n    x = None\n"),
        Example("src/a.py", "try:\n    f()\nexcept (KeyError, BaseException) as error:\n    x = error\n"),
    ],
    silent: &[
        Example("src/a.py", "try:\n    f()\nexcept Exception:\n    logger.exception('f')\n"),
        Example("src/a.py", "try:\n    f()\nexcept Exception as error:\n    raise RuntimeError from error\n"),
        Example("src/a.py", "try:\n    f()\nexcept KeyError:\n    x = None\n"),
        Example("src/a.py", "try:\n    f()\nexcept Exception:\n    pass\n"),
    ],
    run,
};

fn run(source: &Source<'_>, _: &Settings) -> Vec<Finding> {
    if !source.is(Language::Python) {
        return Vec::new();
    }
    let handlers = source.handlers().iter();
    handlers
        .filter(|it| it.is_broad && !it.is_bare && !it.is_empty && !it.logs && !it.raises)
        .map(|it| {
            CHECK
                .finding(it.line, format!("`except {}` neither logs nor raises again", it.types.join(", ")))
                .about(source.symbol_of(it.function))
                .fix("log it with `logger.exception(...)`, raise it again, or name the exceptions that are expected")
        })
        .collect()
}
