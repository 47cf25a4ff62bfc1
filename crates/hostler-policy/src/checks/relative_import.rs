//! Imports relative to the own package (TID252). `__init__.py` is exempt: it names what its package offers.

use hostler_syntax::Language;

use super::kind::CODE;
use super::{Check, Example, Finding, Gate, Same, Settings, Severity, Source};

pub(super) const CHECK: Check = Check {
    id: "relative_import",
    gate: Gate::Safety,
    severity: Severity::Error,
    summary: "imports in Python that are relative to the own package",
    same: Same::Line,
    kinds: CODE,
    fires: &[
        Example("src/app/a.py", "from . import core\n\nX = core\n"),
        Example("src/app/a.py", "from ..core import run\n\nX = run\n"),
    ],
    silent: &[
        Example("src/app/a.py", "from app.core import run\n\nX = run\n"),
        Example("src/app/__init__.py", "from .core import run\n\n__all__ = [\"run\"]\n"),
        Example("src/app/a.py", "X = \"from . import core\"\n"),
    ],
    run,
};

fn run(source: &Source<'_>, _: &Settings) -> Vec<Finding> {
    let Some(facts) = source.facts.filter(|_| source.is(Language::Python)) else { return Vec::new() };
    if matches!(source.file_name(), "__init__.py" | "__init__.pyi") {
        return Vec::new();
    }
    let relative = facts.imports.iter().filter(|it| 0 < it.level);
    relative
        .map(|it| {
            let dots = ".".repeat(it.level);
            CHECK
                .finding(it.line, format!("`{dots}{}` is imported relative to the own package", it.module))
                .about(source.symbol_at(it.line))
                .fix("write the whole name of the module, beginning with its top package")
        })
        .collect()
}
