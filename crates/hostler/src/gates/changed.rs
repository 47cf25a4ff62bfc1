//! The files that a session changed, each with what stood in it before.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::Instant;

use hostler_model::SessionId;

use super::baseline::{Before, Start};
use super::git;
use super::touched::Touched;
use crate::project::Project;

/// A file that the session changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct File {
    /// Where it is, absolute.
    pub(crate) path: PathBuf,
    /// The same from the project's top folder, with `/`.
    pub(crate) name: String,
    /// What stood in it before the session.
    pub(crate) before: Before,
}

/// Whose changes are looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// The project.
    pub(crate) project: &'a Project,
    /// The project's evidence folder and the session; `None`: everything that differs from the last commit.
    pub(crate) session: Option<(&'a Path, &'a SessionId)>,
    /// Git and journals are asked no longer than this.
    pub(crate) deadline: Instant,
}

impl Asked<'_> {
    fn start(&self) -> Option<Start> {
        self.session.and_then(|(state, session)| Start::load(state, session, &self.project.root))
    }

    /// What git says differs; nothing where the project's top folder is none of git's.
    fn differing(&self) -> Vec<String> {
        let asks = self.project.git_dir.is_some();
        asks.then(|| git::differing(&self.project.root, self.deadline)).flatten().unwrap_or_default()
    }
}

/// The changed files, by name: staged, unstaged, new; without what was deleted, ignored, changed by the user alone, or
/// is as it was when the session began. Files that the session changed and committed are among them. `touched`: what
/// the session's calls did, where that was read already.
pub(crate) fn files(asked: &Asked<'_>, touched: Option<Touched>) -> Vec<File> {
    let touched = touched.or_else(|| {
        let (state, session) = asked.session?;
        Touched::read(state, session, asked.deadline)
    });
    if touched.as_ref().is_some_and(Touched::is_empty) {
        return Vec::new();
    }
    let root = &asked.project.root;
    let start = asked.start();
    let mut names: BTreeSet<String> = asked.differing().into_iter().collect();
    let written: Vec<String> = touched
        .iter()
        .flat_map(Touched::files)
        .filter_map(|path| name(root, path))
        .filter(|name| !names.contains(name))
        .collect();
    names.extend(written.iter().cloned());
    let mut files: Vec<File> = Vec::new();
    for name in names {
        let path = root.join(&name);
        // A link leads to a file that has a name of its own.
        let Ok(meta) = fs::symlink_metadata(&path) else { continue };
        if !meta.is_file() {
            continue;
        }
        let ours = touched.as_ref().is_none_or(|it| it.may_have_written(&path, super::modified_ms(&meta)));
        let unchanged = || {
            start.as_ref().is_some_and(|start| {
                start.before(&name).is_some()
                    && start.is_unchanged(&name, &meta, &fs::read(&path).unwrap_or_default())
            })
        };
        if ours && !unchanged() {
            files.push(File { path, name, before: Before::Missing });
        }
    }
    let mut files = with_before(asked, start.as_ref(), files);
    if asked.project.git_dir.is_none() {
        // Nobody knows what stood in a file that the session found.
        let made = |path: &Path| touched.as_ref().is_some_and(|it| it.made(path));
        files.iter_mut().filter(|file| !made(&file.path)).for_each(|file| file.before = Before::Unknown);
        return files;
    }
    // What is as it was needs no look: it was changed and changed back.
    files.retain(|file| match &file.before {
        Before::Text(before) => fs::read(&file.path).map_or(true, |now| now != before.as_bytes()),
        Before::Missing | Before::Unknown => true,
    });
    let unsure: Vec<&str> = files
        .iter()
        .filter(|file| file.before == Before::Missing && written.contains(&file.name))
        .map(|file| file.name.as_str())
        .collect();
    let ignored = git::ignored(root, &unsure, asked.deadline);
    files.retain(|file| !ignored.contains(&file.name));
    files
}

/// As [`files`], for files that somebody named.
pub(crate) fn named(asked: &Asked<'_>, paths: &[PathBuf]) -> Vec<File> {
    with_before(asked, asked.start().as_ref(), bare(&asked.project.root, paths))
}

/// Files that somebody named, as if they were new.
pub(crate) fn bare(root: &Path, paths: &[PathBuf]) -> Vec<File> {
    let file = |path: &PathBuf| {
        let name = name(root, path).unwrap_or_else(|| path.display().to_string());
        File { path: path.clone(), name, before: Before::Missing }
    };
    paths.iter().map(file).collect()
}

/// Fills in what stood in the files: as the session found them, else as in the commit.
fn with_before(asked: &Asked<'_>, start: Option<&Start>, mut files: Vec<File>) -> Vec<File> {
    let commit = start.and_then(|it| it.commit().map(str::to_owned));
    let commit = commit.or_else(|| asked.project.commit()).filter(|_| asked.project.git_dir.is_some());
    let mut committed: Vec<usize> = Vec::new();
    for (at, file) in files.iter_mut().enumerate() {
        match start.and_then(|start| start.before(&file.name)) {
            Some(before) => file.before = before,
            None => committed.push(at),
        }
    }
    let Some(commit) = commit else { return files };
    let names: Vec<&str> =
        committed.iter().filter_map(|at| files.get(*at)).map(|file| file.name.as_str()).collect();
    let texts = git::contents(&asked.project.root, &commit, &names, asked.deadline);
    for at in committed {
        let Some(file) = files.get_mut(at) else { continue };
        file.before = match &texts {
            // Git did not answer: nobody is held to what may have stood there.
            None => Before::Unknown,
            Some(texts) => match texts.get(&file.name) {
                None => Before::Missing,
                Some(bytes) => String::from_utf8(bytes.clone()).map_or(Before::Unknown, Before::Text),
            },
        };
    }
    files
}

/// `path` from `root`, with `/`; `None` for what lies elsewhere or has no name in UTF-8.
pub(crate) fn name(root: &Path, path: &Path) -> Option<String> {
    let relative = path.strip_prefix(root).ok()?;
    let parts: Option<Vec<&str>> = relative
        .components()
        .map(|part| match part {
            Component::Normal(part) => part.to_str(),
            _ => None,
        })
        .collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join("/"))
}
