//! Relative imports in Python. Off until a project turns them on: most style guides allow them.
//!
//! The sources disagree with each other: all relative imports are forbidden, yet a check "only single dot" must not
//! match `from .. import x`. So there are two rules that are switched one by one: `relative-import` is the
//! check with one dot, `relative-import-parent` the rest. Both together are the whole prohibition, and
//! `relative-import-parent = "off"` gives the narrow one.

use hostler_model::{Facts, Mode, Needs};
use hostler_syntax::{RelativeImport, Syntax};

use super::python::{Found, Search, added, want_before};
use super::written::Written;
use super::{Example, Guard, Hit};
use crate::Case;

const WORDS: &[&str] = &["from"];

/// `from . import x`, `from .a import b`.
pub(crate) const GUARD: Guard = Guard {
    id: "relative-import",
    summary: "imports in Python relative to the file's own package: `from . import x`",
    standard: Mode::Off,
    strict: Mode::Deny,
    needs,
    check: |case, facts| check(case, facts, |syntax| pick(syntax, |level| level == 1)),
    fires: &[
        Example::Write("src/app/a.py", "from . import utils\n"),
        Example::Write("src/app/a.py", "def f():\n    from .core import (\n        x,\n    )\n"),
        Example::Edit("src/app/a.py", "import os", "import os\nfrom .core import x"),
    ],
    silent: &[
        Example::Write("src/app/a.py", "from app import utils\nimport app.core\n"),
        Example::Write("src/app/a.py", "from .. import utils\n"),
        Example::Write("src/app/a.py", "DOC = 'use from . import utils'\n"),
        Example::Write("docs/a.md", "from . import utils\n"),
        Example::Edit("src/app/a.py", "from . import a", "from . import a, b"),
    ],
};

/// `from .. import x` and further up.
pub(crate) const PARENT: Guard = Guard {
    id: "relative-import-parent",
    summary: "imports in Python relative to a parent of the file's package: `from .. import x`",
    standard: Mode::Off,
    strict: Mode::Deny,
    needs,
    check: |case, facts| check(case, facts, |syntax| pick(syntax, |level| 1 < level)),
    fires: &[
        Example::Write("src/app/a.py", "from ..core import x\n"),
        Example::Write("src/app/a.py", "if x:\n    from ... import y\n"),
    ],
    silent: &[
        Example::Write("src/app/a.py", "from . import utils\n"),
        Example::Write("src/app/a.py", "x = ...\n"),
        Example::Edit("src/app/a.py", "from ..a import x", "from ..b import x"),
    ],
};

fn needs(case: &Case<'_>, needs: &mut Needs) {
    want_before(case, needs, WORDS);
}

fn check(case: &Case<'_>, facts: &Facts, pick: fn(Syntax) -> Found<RelativeImport>) -> Vec<Hit> {
    let search = Search { words: WORDS, pick, parsed_only: false };
    let Some((written, found)) = added(case, facts, &search) else { return Vec::new() };
    found
        .iter()
        .map(|(line, import)| Hit {
            problem: format!(
                "{} has the relative import from {}{} import …",
                written.at(*line),
                ".".repeat(import.level),
                import.module
            ),
            instead: Some(format!(
                "import by the full name: from {} import …",
                absolute(&written, case, import).unwrap_or_else(|| "PACKAGE.MODULE".to_owned())
            )),
            snapshot: Vec::new(),
        })
        .collect()
}

fn pick(syntax: Syntax, wanted: fn(usize) -> bool) -> Found<RelativeImport> {
    syntax.relative_imports.into_iter().filter(|it| wanted(it.level)).map(|it| (it.line, it)).collect()
}

/// The module's full name as far as the folders tell: those from the project, or its `src`, down to the file.
fn absolute(written: &Written, case: &Case<'_>, import: &RelativeImport) -> Option<String> {
    let inside = written.path.strip_prefix(&case.place.root).ok()?.parent()?;
    let inside = inside.strip_prefix("src").unwrap_or(inside);
    let mut names: Vec<&str> = inside.iter().map(|it| it.to_str()).collect::<Option<_>>()?;
    names.truncate((names.len() + 1).checked_sub(import.level)?);
    names.extend(Some(import.module.as_str()).filter(|it| !it.is_empty()));
    (!names.is_empty()).then(|| names.join("."))
}

#[cfg(test)]
mod tests;
