//! Writing a whole file over one that exists. In `standard` the host's own check, that the file was read before, is
//! enough; `strict` has the letter: change what is there with an edit.
//!
//! Without the fact nothing is found: the host's check still stands.

use hostler_model::{Action, Facts, FileKind, Mode, Needs};

use super::written::resolve;
use super::{Example, Guard, Hit};
use crate::Case;

pub(crate) const GUARD: Guard = Guard {
    id: "write-overwrite",
    summary: "writing a whole file over one that exists",
    standard: Mode::Off,
    strict: Mode::Deny,
    needs: |case: &Case<'_>, needs: &mut Needs| {
        if let Some(Action::Write { path: Some(path), .. }) = case.action() {
            needs.paths.insert(resolve(case, path));
        }
    },
    check,
    fires: &[
        Example::Write("README.md", "# new\n"),
        Example::Write("/home/dev/proj/src/../src/lib.rs", ""),
        Example::Write("~/proj/data.db", "x"),
    ],
    silent: &[
        Example::Write("src/new_module.py", "x = 1\n"),
        Example::Write("new/deep/file.txt", "x"),
        Example::Edit("README.md", "some", "more"),
    ],
};

fn check(case: &Case<'_>, facts: &Facts) -> Vec<Hit> {
    let Some(Action::Write { path: Some(shown), .. }) = case.action() else { return Vec::new() };
    let path = resolve(case, shown);
    match facts.kind(&path) {
        Some(FileKind::File | FileKind::Link | FileKind::Special) => vec![Hit {
            problem: format!("`{shown}` exists, and Write would replace all of it"),
            instead: Some("use the Edit tool to change what is there".to_owned()),
            snapshot: vec![path],
        }],
        Some(FileKind::Missing | FileKind::Folder) | None => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
