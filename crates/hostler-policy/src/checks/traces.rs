//! Files that offer something and cite no requirement: no `@traces`, as a decorator or in a comment.

use std::sync::LazyLock;

use hostler_syntax::Language;
use hostler_trace::{Pattern, tag};

use super::kind::PRODUCT;
use super::{Check, Example, Finding, Gate, Same, Settings, Severity, Source};

/// What requirements' ids look like where nobody says otherwise.
pub(super) static IDS: LazyLock<Option<Pattern>> = LazyLock::new(|| Pattern::new(&[]).ok());

pub(super) const CHECK: Check = Check {
    id: "traces",
    gate: Gate::Safety,
    severity: Severity::Warn,
    summary: "files below `packages` with three or more public functions and classes that cite no requirement",
    same: Same::Symbol,
    kinds: PRODUCT,
    fires: &[
        Example(
            "packages/core/a.py",
            "def load(a):\n    return a\n\n\ndef save(a):\n    return a\n\n\nasync def drop(a):\n    return a\n",
        ),
        Example(
            "packages/core/a.py",
            "class A:\n    x = 1\n\n\nclass B:\n    x = 2\n\n\nclass C:\n    x = 3\n",
        ),
    ],
    silent: &[
        Example(
            "packages/core/a.py",
            "@traces(\"REQ-1\")\ndef load(a):\n    return a\n\n\ndef save(a):\n    return a\n\n\ndef drop(a):\n    return a\n",
        ),
        Example(
            "packages/core/a.py",
            "# @traces REQ-1\nclass A:\n    x = 1\n\n\nclass B:\n    x = 2\n\n\nclass C:\n    x = 3\n",
        ),
        Example(
            "packages/core/a.py",
            "def load(a):\n    return a\n\n\ndef save(a):\n    return a\n\n\ndef _drop(a):\n    return a\n",
        ),
        Example("src/a.py", "class A:\n    x = 1\n\n\nclass B:\n    x = 2\n\n\nclass C:\n    x = 3\n"),
        Example(
            "packages/core/tests/test_a.py",
            "class A:\n    x = 1\n\n\nclass B:\n    x = 2\n\n\nclass C:\n    x = 3\n",
        ),
    ],
    run,
};

fn run(source: &Source<'_>, settings: &Settings) -> Vec<Finding> {
    if !is_wanted(source, settings) {
        return Vec::new();
    }
    let functions = source
        .functions()
        .iter()
        .filter(|it| it.is_public && it.parent.is_none() && it.class.is_none())
        .map(|it| it.name.as_str());
    let classes =
        source.classes().iter().filter(|it| it.is_public && it.parent.is_none()).map(|it| it.name.as_str());
    let items: std::collections::BTreeSet<&str> = functions.chain(classes).collect();
    if items.len() < settings.traced_items_min || is_traced(source) {
        return Vec::new();
    }
    vec![
        CHECK
            .finding(1, format!("{} public functions and classes, and no `@traces`", items.len()))
            .metric(items.len() as u64)
            .fix("cite the requirement, e.g. `# @traces REQ-001` above what fulfils it"),
    ]
}

fn is_wanted(source: &Source<'_>, settings: &Settings) -> bool {
    match &settings.traced_folders {
        None => source.is(Language::Python) && in_any(source.path, &["packages"]),
        Some(folders) => in_any(source.path, folders),
    }
}

/// Whether `path` lies in one of `folders`, which are relative to the project's root.
fn in_any(path: &str, folders: &[impl AsRef<str>]) -> bool {
    folders.iter().any(|folder| {
        let folder = folder.as_ref().trim_matches('/');
        folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    })
}

fn is_traced(source: &Source<'_>) -> bool {
    let tagged = |pattern: &Pattern| !tag::read(source.path, source.text, pattern).is_empty();
    let documented = || {
        let comments = source.facts.map_or(&[][..], |it| &it.comments);
        comments.iter().any(|it| it.is_doc && it.text.contains(tag::MARK))
    };
    source.text.contains("traces") && (IDS.as_ref().is_some_and(tagged) || documented())
}
