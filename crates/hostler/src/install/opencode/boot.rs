//! Keeps a start of `OpenCode` 1 from calling its package manager, where that would bring nothing.
//!
//! Only a folder in which nothing needs packages is seeded: an empty `node_modules` beside a lock that says all is there
//! would keep what a plugin of the user's imports from ever being installed.

use std::fs;
use std::path::{Path, PathBuf};

use hostler_host::opencode::boot::{
    GITIGNORE, LOCK, MODULES, dependencies, imports_package, is_lock_of_ours, is_satisfied, lock,
};

use super::super::change::Change;
use super::super::plan::{Plan, Undo};
use super::super::{Site, files};

/// Folders whose files the client runs.
const RUN: [&str; 4] = ["plugin", "plugins", "tool", "tools"];
/// A plugin that is larger is not read.
const SOURCE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// How a folder of the client stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// A start installs nothing, since everything is there.
    Installed,
    /// A start installs nothing, since we said that everything is there.
    Seeded,
    /// We said that everything is there, and these need packages.
    Starved(Vec<PathBuf>),
    /// A start installs, as these need it: files that import the package, or names of packages.
    Needed(Vec<String>),
    /// A start installs, and nothing needs it.
    Open,
}

/// How `folder` stands.
pub(crate) fn state(folder: &Path) -> State {
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let package = read("package.json");
    let wanted = dependencies(package.as_deref());
    let importing = importing(folder);
    let locked = read(LOCK).is_some_and(|lock| is_satisfied(&lock, package.as_deref()));
    if locked && folder.join(MODULES).is_dir() {
        let empty = is_empty(&folder.join(MODULES));
        return match (empty, importing.is_empty()) {
            (false, _) => State::Installed,
            (true, true) => State::Seeded,
            (true, false) => State::Starved(importing),
        };
    }
    if wanted.is_empty() && importing.is_empty() {
        return State::Open;
    }
    State::Needed(importing.iter().map(|it| it.display().to_string()).chain(wanted).collect())
}

/// Plans the seed. Whether a start will install nothing for our sake.
///
/// # Errors
/// What is there cannot be read.
pub(super) fn plan(
    site: &Site,
    plan: &mut Plan,
    folder: &Path,
    version: Option<&str>,
) -> anyhow::Result<bool> {
    let path = folder.join(LOCK);
    let modules = folder.join(MODULES);
    let mut change = Change::of(&path, plan.record.scope.access())?;
    let ours = plan.record.sha256_of(&path).is_some();
    match state(folder) {
        State::Open if change.before()?.is_none() && (!modules.exists() || is_empty(&modules)) => {
            let text = lock(version.unwrap_or("*"));
            plan.record.wrote(&path, &text);
            change.after = Some(text);
            plan.changes.push(change);
            plan.empty_folders.push(modules);
            plan.hidden.push(path);
            Ok(true)
        }
        State::Seeded => {
            plan.hidden.extend(ours.then_some(path));
            Ok(ours)
        }
        State::Starved(files) if ours => {
            // Since we were here something came that needs packages: the client is to install them.
            plan.record.files.retain(|(known, _)| *known != path);
            change.after = None;
            plan.changes.push(change);
            let files: Vec<String> = files.iter().map(|it| site.shown(it)).collect();
            plan.warnings.push(format!(
                "{} needs packages: the next start of OpenCode installs them, and takes as long as the network does",
                files.join(", ")
            ));
            Ok(false)
        }
        State::Open | State::Needed(_) | State::Starved(_) | State::Installed => Ok(false),
    }
}

/// A lock of ours goes also without a record. Files that the client wrote into a folder that is there for our sake alone
/// go with it.
pub(super) fn undo(undo: &mut Undo, folder: &Path) -> anyhow::Result<()> {
    let mut change = Change::of(&folder.join(LOCK), undo.scope.access())?;
    let planned = undo.changes.iter().any(|it| it.path == change.path);
    if !planned && change.before()?.is_some_and(is_lock_of_ours) {
        change.after = None;
        undo.changes.push(change);
    }
    let Some(record) = &undo.record else { return Ok(()) };
    if !record.folders.iter().any(|it| it == folder) {
        return Ok(());
    }
    let mut change = Change::of(&folder.join(".gitignore"), undo.scope.access())?;
    if change.before()?.is_some_and(|text| text.trim_end() == GITIGNORE) {
        change.after = None;
        undo.changes.push(change);
    }
    Ok(())
}

/// Files of others that the client runs and that import its package.
fn importing(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for name in RUN {
        let Ok(entries) = fs::read_dir(folder.join(name)) else { continue };
        for path in entries.flatten().map(|it| it.path()) {
            let script = path.extension().is_some_and(|it| it == "ts" || it == "js");
            let small = fs::metadata(&path).is_ok_and(|it| it.is_file() && it.len() <= SOURCE_BYTES_MAX);
            if !script || !small {
                continue;
            }
            // One that is not UTF-8 is one that no client runs.
            let Ok(text) = fs::read_to_string(&path) else { continue };
            if files::state(Some(&text), None) == files::State::Others && imports_package(&text) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}
