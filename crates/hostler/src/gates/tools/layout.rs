//! How a project is laid out: which files configure tools, nearest first, and what they say.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use toml::Table;

use super::environment::{Ecosystem, Environment, Surroundings};

/// A file of configuration is written by hand; more than this in bytes is none.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// A project below one root. Each file is read once.
#[derive(Debug)]
pub(super) struct Layout<'a> {
    root: &'a Path,
    pub(super) around: Surroundings,
    texts: Mutex<HashMap<PathBuf, Option<Arc<str>>>>,
    pub(super) environments: Mutex<HashMap<(PathBuf, Ecosystem), Arc<Environment>>>,
}

impl<'a> Layout<'a> {
    pub(super) fn new(root: &'a Path, around: Surroundings) -> Self {
        Self { root, around, texts: Mutex::default(), environments: Mutex::default() }
    }

    /// Its top folder.
    pub(super) fn root(&self) -> &'a Path {
        self.root
    }

    /// `folder` and what it lies in, up to the root; only `folder` when it does not lie below.
    pub(super) fn upward<'b>(&self, folder: &'b Path) -> impl Iterator<Item = &'b Path> + use<'a, 'b> {
        let root = self.root;
        let is_below = folder.starts_with(root);
        let mut ended = false;
        folder.ancestors().take_while(move |it| {
            let goes_on = !ended;
            ended = !is_below || *it == root;
            goes_on
        })
    }

    /// The nearest of the files `names`, from `folder` upward; of one folder the first of them.
    pub(super) fn nearest(&self, folder: &Path, names: &[&str]) -> Option<PathBuf> {
        self.nearest_where(folder, names, |_| true)
    }

    /// As [`Layout::nearest`], of those for which `holds`.
    pub(super) fn nearest_where(
        &self,
        folder: &Path,
        names: &[&str],
        holds: impl Fn(&Path) -> bool,
    ) -> Option<PathBuf> {
        self.upward(folder)
            .flat_map(|it| names.iter().map(move |name| it.join(name)))
            .find(|path| path.is_file() && holds(path))
    }

    /// The text of a file; `None` where there is none, or too much of it.
    pub(super) fn text(&self, path: &Path) -> Option<Arc<str>> {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = texts.get(path) {
            return known.clone();
        }
        let text = std::fs::metadata(path)
            .ok()
            .filter(|it| it.is_file() && it.len() <= FILE_BYTES_MAX)
            .and_then(|_| std::fs::read(path).ok())
            .map(|bytes| Arc::from(String::from_utf8_lossy(&bytes).as_ref()));
        texts.insert(path.to_owned(), text.clone());
        text
    }

    /// A TOML file's top table; `None` for what is none.
    pub(super) fn toml(&self, path: &Path) -> Option<Table> {
        self.text(path)?.parse().ok()
    }

    /// A JSON file's value; `None` for what is none.
    pub(super) fn json(&self, path: &Path) -> Option<Value> {
        serde_json::from_str(&self.text(path)?).ok()
    }

    /// Whether a TOML file has the table or key `a.b`.
    pub(super) fn has_table(&self, path: &Path, name: &str) -> bool {
        self.toml(path).is_some_and(|table| lookup(&table, name).is_some())
    }

    /// Whether a file of `[section]` lines has this one.
    pub(super) fn has_section(&self, path: &Path, name: &str) -> bool {
        let header = format!("[{name}");
        let is_header = |line: &str| {
            line.trim()
                .strip_prefix(&header)
                .is_some_and(|rest| rest.starts_with(']') || rest.starts_with(':'))
        };
        self.text(path).is_some_and(|text| text.lines().any(is_header))
    }

    /// Whether `.pre-commit-config.yaml` of the folder or above runs the hook `id`.
    pub(super) fn has_hook(&self, folder: &Path, ids: &[&str]) -> bool {
        let names = [".pre-commit-config.yaml", ".pre-commit-config.yml"];
        let text = self.nearest(folder, &names).and_then(|path| self.text(&path));
        let is_hook = |line: &str| {
            let rest = line.trim().trim_start_matches("- ").trim().strip_prefix("id:");
            rest.is_some_and(|it| {
                let id = it.split('#').next().unwrap_or(it).trim().trim_matches(['"', '\'']);
                ids.contains(&id)
            })
        };
        text.is_some_and(|text| text.lines().any(is_hook))
    }
}

/// The table or value at a dotted name.
pub(super) fn lookup<'t>(table: &'t Table, name: &str) -> Option<&'t toml::Value> {
    let mut parts = name.split('.');
    let first = table.get(parts.next()?)?;
    parts.try_fold(first, |value, part| value.as_table()?.get(part))
}
