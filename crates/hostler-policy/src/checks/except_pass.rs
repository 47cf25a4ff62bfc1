//! Handlers with a type whose only statement is `pass` or `...` (S110 with `check-typed-exception`). A bare one is
//! told as such and not twice.

use hostler_syntax::Language;

use super::kind::CODE;
use super::{Check, Example, Finding, Gate, Same, Settings, Severity, Source};

pub(super) const CHECK: Check = Check {
    id: "except_pass",
    gate: Gate::Safety,
    severity: Severity::Error,
    summary: "handlers in Python that do nothing, so that an error leaves no trace",
    same: Same::Line,
    kinds: CODE,
    fires: &[
        Example("src/a.py", "try:\n    f()\nexcept OSError:\n    pass\n"),
        Example("src/a.py", "try:\n    f()\nexcept (KeyError, OSError):\n    ...\n"),
    ],
    silent: &[
        Example("src/a.py", "try:\n    f()\nexcept:\n    pass\n"),
        Example("src/a.py", "try:\n    f()\nexcept OSError:\n    logger.warning('no f')\n"),
        Example("src/a.py", "import contextlib\n\nwith contextlib.suppress(OSError):\n    f()\n"),
        Example("src/a.py", "class NotReady(Exception):\n    pass\n"),
    ],
    run,
};

fn run(source: &Source<'_>, _: &Settings) -> Vec<Finding> {
    if !source.is(Language::Python) {
        return Vec::new();
    }
    let silent = source.handlers().iter().filter(|it| it.is_empty && !it.is_bare);
    silent
        .map(|it| {
            let types = it.types.join(", ");
            CHECK
                .finding(it.line, format!("`except {types}` does nothing, so that the error leaves no trace"))
                .about(source.symbol_of(it.function))
                .fix(format!(
                    "handle or log it, or say that it is meant: `with contextlib.suppress({types}):`"
                ))
        })
        .collect()
}
