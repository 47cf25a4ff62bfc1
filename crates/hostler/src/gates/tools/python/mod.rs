//! Python's tools.

pub(super) mod black;
pub(super) mod flake8;
pub(super) mod import;
pub(super) mod isort;
mod known;
pub(super) mod mypy;
pub(super) mod pyright;
pub(super) mod pytest;
pub(super) mod ruff;
pub(super) mod ty;

use std::path::{Path, PathBuf};

use hostler_policy::checks::Severity;

use super::Use;
use super::environment::{self, Ecosystem};
use super::layout::{Layout, lookup};

/// Sources, and declarations of them.
const EXTENSIONS: &[&str] = &["py", "pyi"];

/// Files that make a folder a project, most telling first.
const PROJECT_FILES: &[&str] = &[
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "requirements.txt",
    "uv.lock",
    "poetry.lock",
    "Pipfile",
];

/// The folder of the nearest project file, else the root.
fn project_folder(layout: &Layout<'_>, folder: &Path) -> PathBuf {
    let file = layout.nearest(folder, PROJECT_FILES);
    file.as_deref().and_then(Path::parent).unwrap_or(layout.root()).to_owned()
}

/// The nearest file that configures `tool`: one of its own files, a table of `pyproject.toml`, or a section of the files
/// that several tools share.
fn configured(
    layout: &Layout<'_>,
    folder: &Path,
    tool: &str,
    own: &[&str],
    shared: &[&str],
) -> Option<PathBuf> {
    let names: Vec<&str> = own.iter().chain(&["pyproject.toml"]).chain(shared).copied().collect();
    let table = format!("tool.{tool}");
    layout.nearest_where(folder, &names, |path| {
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        match name {
            "pyproject.toml" => layout.has_table(path, &table),
            name if own.contains(&name) => true,
            _ => layout.has_section(path, tool),
        }
    })
}

/// Whether the project formats with another tool than ruff.
fn formats_otherwise(layout: &Layout<'_>, folder: &Path) -> bool {
    configured(layout, folder, "black", &[], &[]).is_some() || layout.has_hook(folder, &["black"])
}

/// Whether the project lints with another tool than ruff.
fn lints_otherwise(layout: &Layout<'_>, folder: &Path) -> bool {
    flake8_configuration(layout, folder).is_some() || layout.has_hook(folder, &["flake8"])
}

fn flake8_configuration(layout: &Layout<'_>, folder: &Path) -> Option<PathBuf> {
    configured(layout, folder, "flake8", &[".flake8"], &["setup.cfg", "tox.ini"])
}

/// Whether the project orders imports with another tool than ruff.
fn orders_imports_otherwise(layout: &Layout<'_>, folder: &Path) -> bool {
    isort_configuration(layout, folder).is_some() || layout.has_hook(folder, &["isort"])
}

fn isort_configuration(layout: &Layout<'_>, folder: &Path) -> Option<PathBuf> {
    configured(layout, folder, "isort", &[".isort.cfg"], &["setup.cfg", "tox.ini"])
}

/// The file that configures a type checker, whichever.
fn type_checker(layout: &Layout<'_>, folder: &Path) -> Option<PathBuf> {
    mypy::configuration(layout, folder)
        .or_else(|| pyright::configuration(layout, folder))
        .or_else(|| pyright::based_configuration(layout, folder))
        .or_else(|| ty::configuration(layout, folder))
}

/// Whether the project's files name `module` among what it depends on. A distribution often has the module's name.
fn declares(layout: &Layout<'_>, folder: &Path, module: &str) -> bool {
    let wanted = normal(module);
    let names = ["pyproject.toml", "requirements.txt", "setup.cfg", "setup.py", "Pipfile"];
    let texts = names.iter().filter_map(|it| layout.text(&folder.join(it)));
    texts.into_iter().any(|text| {
        let words = text.split(|it: char| !(it.is_alphanumeric() || matches!(it, '_' | '-' | '.')));
        words.into_iter().any(|it| normal(it) == wanted)
    })
}

/// A distribution's name as package indexes compare it.
fn normal(name: &str) -> String {
    name.to_lowercase().replace(['_', '.'], "-")
}

/// That the project uses a tool, which starts in the project's folder.
fn chosen(layout: &Layout<'_>, folder: &Path, configured: Option<PathBuf>) -> Use {
    Use { folder: project_folder(layout, folder), configured, is_ours: false }
}

/// As [`chosen`], for a tool that takes its configuration from where it starts.
fn beside_configuration(layout: &Layout<'_>, folder: &Path, configured: Option<PathBuf>) -> Use {
    let at = configured.as_ref().and_then(|it| it.parent()).map(Path::to_owned);
    Use { folder: at.unwrap_or_else(|| project_folder(layout, folder)), configured, is_ours: false }
}

/// The oldest Python that the project says it runs on, else that of its environment: the minor version of 3.
fn minor_version(layout: &Layout<'_>, folder: &Path) -> Option<u32> {
    let required = || {
        let table = layout.toml(&layout.nearest(folder, &["pyproject.toml"])?)?;
        let places = ["project.requires-python", "tool.poetry.dependencies.python"];
        places.iter().find_map(|it| least_minor(lookup(&table, it)?.as_str()?))
    };
    let installed = || {
        let environment = environment::of(layout, folder, Ecosystem::Python);
        let text = layout.text(&environment.own.first()?.with_file_name("pyvenv.cfg"))?;
        text.lines().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            key.trim().starts_with("version").then(|| minor(value.trim())).flatten()
        })
    };
    required().or_else(installed)
}

/// The minor version of `3.11.7`.
fn minor(version: &str) -> Option<u32> {
    let rest = version.strip_prefix("3.")?;
    let digits = rest.find(|it: char| !it.is_ascii_digit()).unwrap_or(rest.len());
    rest.get(..digits)?.parse().ok()
}

/// The least minor version that a specifier such as `>=3.11,<4` allows.
fn least_minor(specifier: &str) -> Option<u32> {
    specifier.split(',').find_map(|part| {
        let part = part.trim();
        let bound = [">=", "~=", "==", "^", "~"].iter().find_map(|it| part.strip_prefix(it))?;
        minor(bound.trim())
    })
}

/// Codes about where characters stand, of pycodestyle's names.
pub(super) fn is_layout(code: &str) -> bool {
    const GROUPS: &[&str] = &["E1", "E2", "E3", "W1", "W2", "W3", "W5", "E701", "E702", "E703", "E704"];
    GROUPS.iter().any(|it| code.starts_with(it)) && code.len() == 4
}

/// What a code means for us: the check that it counts for, and how much. A name that nobody defined stops the end of
/// a turn but no edit, since the next edit usually brings it.
fn verdicts(code: &str) -> Vec<(&'static str, Severity)> {
    // The line's length is a check of ours, with one limit. The next two contradict the formatter; branches are counted
    // by the fourth gate.
    const ELSEWHERE: &[&str] = &["E501", "E203", "W503", "C901", "E902"];
    const ERRORS: &[&str] = &["E9", "F63", "F7", "F831"];
    const STOPS: &[&str] = &["E9", "F82", "F83", "F84"];
    if ELSEWHERE.contains(&code) {
        return Vec::new();
    }
    if matches!(code, "invalid-syntax" | "E999") {
        return vec![("syntax", Severity::Error)];
    }
    if matches!(code, "I001" | "I002") {
        return vec![("import_order", Severity::Error)];
    }
    let is_of = |groups: &[&str]| groups.iter().any(|it| code.starts_with(it));
    let severity = if is_of(ERRORS) { Severity::Error } else { Severity::Warn };
    let mut found = vec![("lint", severity)];
    if is_of(STOPS) {
        found.push(("stop.lint", Severity::Error));
    }
    found
}
