//! What the project's own programs can mend: layout, order of imports, and what linters hold to be safe.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use hostler_policy::checks::Gate;
use hostler_syntax::Language;

use super::baseline::Before;
use super::changed::File;
use super::tools::{self, Outcome, Purpose, Request, Run, ToolSettings};

/// What is mended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mend<'a> {
    /// The project's top folder.
    pub(crate) root: &'a Path,
    /// The files.
    pub(crate) files: &'a [File],
    /// Only layout, and only by programs that the project configures.
    pub(crate) layout_only: bool,
    /// What is not done by then stays as it is.
    pub(crate) deadline: Instant,
    /// How tools run.
    pub(crate) tools: &'a ToolSettings,
}

/// What became of the files.
#[derive(Debug, Default)]
pub(crate) struct Mended {
    /// Those that changed, by name.
    pub(crate) changed: Vec<String>,
    /// The programs that ran.
    pub(crate) runs: Vec<Run>,
    /// What went wrong, each one sentence.
    pub(crate) faults: Vec<String>,
}

/// Mends the files. One that would lose an import, or would not parse any more, is put back.
pub(crate) fn mend(mend: &Mend<'_>) -> Mended {
    let before: Vec<(usize, Vec<u8>)> = mend
        .files
        .iter()
        .enumerate()
        .filter(|(_, file)| !mend.layout_only || was_laid_out(file, mend))
        .filter_map(|(at, file)| Some((at, fs::read(&file.path).ok()?)))
        .collect();
    let paths: Vec<PathBuf> =
        before.iter().filter_map(|(at, _)| mend.files.get(*at)).map(|file| file.path.clone()).collect();
    if paths.is_empty() {
        return Mended::default();
    }
    let mut out = Mended { runs: tools::run(&request(mend, &paths, Purpose::Fix)), ..Mended::default() };
    for (at, old) in before {
        let Some(file) = mend.files.get(at) else { continue };
        let Ok(new) = fs::read(&file.path) else {
            out.faults.push(format!("`{}` cannot be read after it was mended", file.name));
            continue;
        };
        if new == old {
            continue;
        }
        match harm(&file.path, &old, &new) {
            None => out.changed.push(file.name.clone()),
            Some(what) => {
                out.faults.push(match fs::write(&file.path, &old) {
                    Ok(()) => format!("`{}` was put back: {what}", file.name),
                    Err(error) => format!("{what} in `{}`, and it could not be put back: {error}", file.name),
                });
            }
        }
    }
    out
}

/// The layout was as the project wants it before the session, or there was none: who lays out the rest of a file as
/// well would bury the change.
fn was_laid_out(file: &File, mend: &Mend<'_>) -> bool {
    let text = match &file.before {
        Before::Missing => return true,
        Before::Unknown => return false,
        Before::Text(text) => text,
    };
    let path = std::slice::from_ref(&file.path);
    let runs = tools::review_text(&request(mend, path, Purpose::Review), text);
    let is_layout = |run: &Run| match &run.outcome {
        Outcome::Findings(found) => {
            found.iter().any(|(_, it)| matches!(it.check.as_str(), "format" | "import_order"))
        }
        Outcome::Clean => false,
        Outcome::NotRun { .. } => true,
    };
    !runs.is_empty() && !runs.iter().any(is_layout)
}

fn request<'a>(mend: &Mend<'a>, files: &'a [PathBuf], purpose: Purpose) -> Request<'a> {
    Request {
        root: mend.root,
        files,
        gates: if mend.layout_only { &[Gate::Syntax] } else { &[] },
        purpose,
        deadline: mend.deadline,
        settings: mend.tools,
        configured_only: mend.layout_only,
    }
}

/// What a program must not do to a file.
fn harm(path: &Path, old: &[u8], new: &[u8]) -> Option<String> {
    let language = Language::of(path)?;
    let facts = |bytes: &[u8]| hostler_syntax::facts(language, std::str::from_utf8(bytes).ok()?).ok();
    let (old, new) = (facts(old)?, facts(new)?);
    if old.errors.is_empty() && !new.errors.is_empty() {
        return Some("it does not parse any more".to_owned());
    }
    let imports = |facts: &hostler_syntax::Facts| -> BTreeSet<String> {
        let named = facts.imports.iter().flat_map(|import| {
            let module = format!("{}{}", ".".repeat(import.level), import.module);
            let whole = import.names.is_empty().then(|| module.clone());
            whole.into_iter().chain(import.names.iter().map(move |(name, _)| format!("{module} {name}")))
        });
        named.collect()
    };
    let kept = imports(&new);
    imports(&old)
        .into_iter()
        .find(|name| !kept.contains(name))
        .map(|name| format!("the import of `{name}` would be lost"))
}
