//! Go's tools.

pub(super) mod gofmt;
pub(super) mod golangci;
pub(super) mod test;
pub(super) mod vet;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::layout::Layout;
use super::{Job, Use};

const EXTENSIONS: &[&str] = &["go"];

const INSTALL: &str = "install Go from https://go.dev/dl";

/// The module that a folder belongs to.
fn module(layout: &Layout<'_>, folder: &Path) -> Option<Use> {
    let file = layout.nearest(folder, &["go.mod"])?;
    Some(Use { folder: file.parent()?.to_owned(), configured: Some(file), is_ours: false })
}

/// The folders of a job's files as packages of its module.
fn packages(job: &Job<'_>) -> impl Iterator<Item = OsString> {
    let folders: BTreeSet<PathBuf> = job
        .files
        .iter()
        .filter_map(|it| Some(Path::new(".").join(it.path.parent()?.strip_prefix(&job.chosen.folder).ok()?)))
        .collect();
    folders.into_iter().map(PathBuf::into_os_string)
}

/// Reads `pkg/a.go:6:1: message`, with or without a column.
fn place(line: &str) -> Option<(PathBuf, usize, &str)> {
    let at = line.find(".go:")? + ".go".len();
    let (path, rest) = (line.get(..at)?, line.get(at + 1..)?);
    let (row, rest) = rest.split_once(':')?;
    let message = rest.split_once(": ").filter(|it| it.0.bytes().all(|it| it.is_ascii_digit()));
    Some((PathBuf::from(path.trim()), row.parse().ok()?, message.map_or(rest, |it| it.1).trim()))
}
