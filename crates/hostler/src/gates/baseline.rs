//! What stood in the files of a project when a session began.
//!
//! Written once at a session's start and read at the end of its turns. Files that no commit holds as they were then are
//! kept with their text, since nobody else has it; all others are in the commit that was checked out.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use hostler_ledger::file::write_atomic;
use hostler_ledger::journal::sha256_hex;
use hostler_model::SessionId;
use hostler_syntax::Language;
use serde::{Deserialize, Serialize};

use super::git;
use crate::project::Project;

/// The format that this build writes.
const VERSION: u32 = 1;
/// Uncommitted files whose text is kept; of more only that they were changed.
const FILES_MAX: usize = 300;
/// A longer file is kept by its digest alone, in bytes.
const FILE_BYTES_MAX: u64 = 512 * 1024;
/// All texts together, in bytes.
const BYTES_MAX: u64 = 8 * 1024 * 1024;
/// What looking may take at a session's start: beyond it the session goes on without.
const TIME_MAX: Duration = Duration::from_millis(1_500);
/// Of sessions that began longer ago nobody asks any more.
const AGE_MAX: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How a work tree stood when a session began.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Start {
    v: u32,
    /// The work tree's top folder.
    root: PathBuf,
    /// The commit that was checked out.
    commit: Option<String>,
    /// What no commit held as it was, by its path from the top folder.
    dirty: BTreeMap<String, Kept>,
}

/// A file that no commit held as it was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    /// Of its bytes; absent where they were not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    /// Length and time of change of a file that was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    stamp: Option<(u64, i64)>,
    /// Its text; absent when it was too long or none.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// What a file is judged against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Before {
    /// There was no such file: everything in it is new.
    Missing,
    /// This stood in it.
    Text(String),
    /// It was there, and its text is not known: nothing of it can be told to be new.
    Unknown,
}

impl Start {
    /// Looks at the work tree. `None` where there is no repository, or it took too long.
    fn of(project: &Project, deadline: Instant) -> Option<Self> {
        let root = &project.root;
        let names = git::differing(root, deadline)?;
        let commit = project.commit();
        let mut left = BYTES_MAX;
        let mut dirty = BTreeMap::new();
        for name in names {
            if deadline <= Instant::now() {
                return None;
            }
            let path = root.join(&name);
            let Ok(meta) = fs::symlink_metadata(&path) else { continue };
            // Only code is reviewed: the text of anything else, such as a file of settings, is nobody's business.
            let fits = meta.is_file()
                && meta.len() <= FILE_BYTES_MAX.min(left)
                && dirty.len() < FILES_MAX
                && Language::of(&path).is_some();
            let bytes = if fits { fs::read(&path).ok() } else { None };
            let kept = bytes.map(|bytes| {
                left -= left.min(bytes.len() as u64);
                Kept { stamp: None, sha256: Some(sha256_hex(&bytes)), text: String::from_utf8(bytes).ok() }
            });
            dirty.insert(name, kept.unwrap_or_else(|| Kept { stamp: stamp(&meta), ..Kept::default() }));
        }
        Some(Self { v: VERSION, root: root.clone(), commit, dirty })
    }

    /// What is known of the session's start in this work tree; `None` where it began before we were there, or in
    /// another work tree.
    pub(crate) fn load(project_state: &Path, session: &SessionId, root: &Path) -> Option<Self> {
        let bytes = fs::read(path(project_state, session)).ok()?;
        let start: Self = serde_json::from_slice(&bytes).ok()?;
        (start.root == root).then_some(start)
    }

    /// The commit that was checked out.
    pub(crate) fn commit(&self) -> Option<&str> {
        self.commit.as_deref()
    }

    /// What stood in a file that no commit held; `None`: see [`Self::commit`].
    pub(crate) fn before(&self, name: &str) -> Option<Before> {
        let kept = self.dirty.get(name)?;
        Some(kept.text.clone().map_or(Before::Unknown, Before::Text))
    }

    /// Whether a file that no commit held is still as it was.
    pub(crate) fn is_unchanged(&self, name: &str, meta: &Metadata, bytes: &[u8]) -> bool {
        self.dirty.get(name).is_some_and(|kept| match &kept.sha256 {
            Some(sha256) => *sha256 == sha256_hex(bytes),
            None => kept.stamp.is_some() && kept.stamp == stamp(meta),
        })
    }
}

/// Keeps how the work tree stands, at a session's first start. A session that goes on keeps what it has.
///
/// # Errors
/// One sentence for the user.
pub(crate) fn begin(project_state: &Path, session: &SessionId, project: &Project) -> Result<(), String> {
    let path = path(project_state, session);
    if project.git_dir.is_none() || path.exists() {
        return Ok(());
    }
    let Some(start) = Start::of(project, Instant::now() + TIME_MAX) else { return Ok(()) };
    let told = |error: &dyn std::fmt::Display| {
        format!("how the files stand could not be kept for the gates: {error}")
    };
    let text = serde_json::to_vec(&start).map_err(|error| told(&error))?;
    if let Some(folder) = path.parent() {
        tidy(folder);
        fs::create_dir_all(folder).map_err(|error| told(&error))?;
    }
    write_atomic(&path, &text).map_err(|error| told(&error))
}

/// Length, and time of change in milliseconds since 1970.
fn stamp(meta: &Metadata) -> Option<(u64, i64)> {
    Some((meta.len(), super::modified_ms(meta)?))
}

fn path(project_state: &Path, session: &SessionId) -> PathBuf {
    project_state.join("gates").join(format!("{session}.json"))
}

/// Texts of others' files are not kept longer than they are of use.
fn tidy(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let now = SystemTime::now();
    for entry in entries.flatten() {
        let age = entry.metadata().ok().and_then(|meta| now.duration_since(meta.modified().ok()?).ok());
        if age.is_some_and(|age| AGE_MAX < age) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
