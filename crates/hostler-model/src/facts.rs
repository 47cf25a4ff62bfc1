//! What a rule may ask about the world, and the answers.
//!
//! Rules are pure: they name what they want in [`Needs`]; the binary looks and fills [`Facts`].
//! A fact that could not be had is absent, and each rule decides in its own file what that means.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Where the event happens; known without touching a file of the project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The project's top folder: the nearest ancestor of the working directory with `.git` or
    /// `.hostler`, else the working directory.
    pub root: PathBuf,
    /// The repository's own folder (`.git`, or what a worktree's `.git` file names), if any.
    pub git_dir: Option<PathBuf>,
    /// The folder that all work trees of the repository share.
    pub git_common_dir: Option<PathBuf>,
    /// The system's folders for temporary files.
    pub temp: Vec<PathBuf>,
    /// Folders of ours that the agent may not write: state, data, configuration.
    pub own: Vec<PathBuf>,
    /// Folders of host settings, e.g. `~/.claude`.
    pub host_dirs: Vec<PathBuf>,
    /// Values of the few variables that paths are commonly made of (`USER`, `TMPDIR`, …).
    pub variables: BTreeMap<String, String>,
}

/// What rules want to know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needs {
    /// What stands at these absolute paths.
    pub paths: BTreeSet<PathBuf>,
    /// The text of these files.
    pub contents: BTreeSet<PathBuf>,
    /// The names in these folders (for patterns).
    pub listings: BTreeSet<PathBuf>,
    /// Whether the project manages its Python packages with uv.
    pub uses_uv: bool,
    /// How much the agent has read. The answer counts the read in hand.
    pub reads: Option<ReadWindow>,
    /// How often the agent made the very same call in a row.
    pub repeats: bool,
    /// What the project's linter says of the file as the call would leave it.
    pub lint: bool,
}

impl Needs {
    /// No rule wants anything: the common case.
    pub fn is_empty(&self) -> bool {
        !self.look_at_files() && self.reads.is_none() && !self.repeats
    }

    /// The answer lies in files that are not ours: looking may take long.
    pub fn look_at_files(&self) -> bool {
        !(self.paths.is_empty() && self.contents.is_empty() && self.listings.is_empty())
            || self.uses_uv
            || self.lint
    }
}

/// The answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// By the path that was asked for.
    pub paths: BTreeMap<PathBuf, PathFact>,
    /// By the path that was asked for.
    pub contents: BTreeMap<PathBuf, Content>,
    /// The names in a folder, sorted; absent when it could not be listed or holds more than the observer reads.
    pub listings: BTreeMap<PathBuf, Vec<String>>,
    /// `None`: could not be told.
    pub uses_uv: Option<bool>,
    /// `None`: nobody asked, or it could not be counted.
    pub reads: Option<ReadCount>,
    /// The same call by the same agent right before this one, in a row and with the same result each time. `None`:
    /// nobody asked, or it could not be told.
    pub repeats: Option<u64>,
    /// What the linter finds that it did not find before. `None`: nobody asked, or it did not say in time.
    pub lint: Option<Vec<LintError>>,
}

/// What a linter holds to be an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LintError {
    /// Where, from 1.
    pub line: usize,
    /// Its rule.
    pub code: String,
    /// What is wrong.
    pub message: String,
}

impl Facts {
    /// What stands at `path`: `None` when nobody asked or it could not be told.
    pub fn kind(&self, path: &Path) -> Option<FileKind> {
        self.paths.get(path).map(|fact| fact.kind)
    }
}

/// The window in which reads are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadWindow {
    /// Its length, milliseconds.
    pub window_ms: i64,
    /// Reads that go through in it.
    pub per_window: u64,
}

/// What an agent has read so far, the read in hand not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadCount {
    /// In the window that ends now.
    pub in_window: u64,
    /// In the session.
    pub in_session: u64,
    /// A read of the same burst was beyond the window's limit already.
    pub told: bool,
}

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathFact {
    /// Its kind, the last component not followed if it is a link.
    pub kind: FileKind,
    /// The path with links in all *parent* folders resolved.
    pub parent_real: PathBuf,
    /// The path with every link resolved, the last one too; equal to `parent_real` for what is no link.
    pub real: PathBuf,
}

/// The kind of what stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// Nothing.
    Missing,
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A device, socket or pipe.
    Special,
}

/// The text of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// UTF-8 text.
    Text(String),
    /// No such file.
    Missing,
    /// Not UTF-8, too large, or not readable.
    Unreadable,
}
