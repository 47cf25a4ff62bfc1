//! Keeps a start of `OpenCode` 1 from calling its package manager, where that would bring nothing.
//!
//! Only a folder in which nothing needs packages is seeded: an empty `node_modules` beside a lock that says all is there
//! would keep what a plugin of the user's imports from ever being installed.

use std::fs;
use std::path::{Path, PathBuf};

use hostler_host::opencode::boot::{
    GITIGNORE, LOCK, MODULES, dependencies, imports_package, is_lock_of_ours, is_satisfied, lock,
};
use hostler_ledger::file::Access;

use super::super::change::Change;
use super::super::plan::{Plan, Undo};
use super::super::record::Record;
use super::super::{Scope, Site, files};
use crate::dirs::Dirs;

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

/// The folders that a start in the project goes through, that of `scope` first: with a plugin anywhere, it waits for all.
pub(crate) fn folders(site: &Site, scope: Scope) -> Vec<PathBuf> {
    let mut all = vec![site.opencode_folder(scope), site.opencode_folder(Scope::User)];
    // Its own installer makes it, and the client takes it for one of configuration.
    all.extend(Some(site.dirs.home.join(".opencode")).filter(|it| it.is_dir()));
    all.extend(named());
    let mut seen = Vec::new();
    all.retain(|it| {
        !seen.contains(it) && {
            seen.push(it.clone());
            true
        }
    });
    all
}

/// The folder that the user names in a variable, which the client reads besides.
fn named() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("OPENCODE_CONFIG_DIR")?);
    Some(folder).filter(|it| it.is_absolute() && it.is_dir())
}

/// Plans the seed. Whether a start will install nothing in any folder.
///
/// # Errors
/// What is there cannot be read.
pub(super) fn plan(site: &Site, plan: &mut Plan, version: Option<&str>) -> anyhow::Result<bool> {
    let mut quiet = true;
    for folder in folders(site, plan.record.scope) {
        let own = folder == plan.record.settings;
        // The client leaves a folder alone that it cannot write, and so do we.
        if own || is_writable(&folder) {
            quiet &= plan_folder(site, plan, &folder, version)?;
        }
    }
    Ok(quiet)
}

fn plan_folder(site: &Site, plan: &mut Plan, folder: &Path, version: Option<&str>) -> anyhow::Result<bool> {
    let path = folder.join(LOCK);
    let modules = folder.join(MODULES);
    let own = folder == plan.record.settings;
    let access = if own { plan.record.scope.access() } else { Access::Private };
    let mut change = Change::of(&path, access)?;
    let ours = change.before()?.filter(|it| is_lock_of_ours(it)).map(str::to_owned);
    match (state(folder), ours) {
        (State::Open, None) if change.before()?.is_none() && (!modules.exists() || is_empty(&modules)) => {
            let text = lock(version.unwrap_or("*"));
            plan.record.wrote(&path, &text);
            change.after = Some(text);
            plan.empty_folders.push(modules);
        }
        // It serves this registration as well from now on, whoever wrote it.
        (State::Open, Some(text)) => {
            plan.record.wrote(&path, &text);
            plan.empty_folders.push(modules);
        }
        (State::Seeded, Some(text)) => plan.record.wrote(&path, &text),
        (State::Starved(files), Some(_)) => {
            // Since we were here something came that needs packages: the client is to install them.
            plan.record.files.retain(|(known, _)| *known != path);
            change.after = None;
            plan.changes.push(change);
            let files: Vec<String> = files.iter().map(|it| site.shown(it)).collect();
            plan.warnings.push(format!(
                "{} needs packages: the next start of OpenCode installs them, and takes as long as the network does",
                files.join(", ")
            ));
            return Ok(false);
        }
        (state, _) => return Ok(matches!(state, State::Installed | State::Seeded)),
    }
    plan.hidden.push(path);
    plan.changes.push(change);
    Ok(true)
}

/// Lets the client install what is missing: removes a lock of ours from each folder in which something came that needs
/// packages. For a start of the client in the project at `root`; gives what to tell.
pub(crate) fn feed(root: &Path, dirs: &Dirs) -> Vec<String> {
    let folders =
        [root.join(".opencode"), dirs.config.with_file_name("opencode"), dirs.home.join(".opencode")];
    let mut told = Vec::new();
    for folder in folders.into_iter().chain(named()) {
        let State::Starved(files) = state(&folder) else { continue };
        let path = folder.join(LOCK);
        let ours = fs::read_to_string(&path).is_ok_and(|text| is_lock_of_ours(&text));
        if ours && fs::remove_file(&path).is_ok() {
            let files: Vec<String> = files.iter().map(|it| format!("`{}`", it.display())).collect();
            told.push(format!(
                "{} needs packages: start OpenCode again, and it installs them",
                files.join(", ")
            ));
        }
    }
    told
}

/// A lock of ours goes also without a record. Files that the client wrote into a folder that is there for our sake alone
/// go with it. What a record of `staying` has stays.
pub(super) fn undo(undo: &mut Undo, folder: &Path, staying: &[Record]) -> anyhow::Result<()> {
    if staying.iter().any(|it| it.keeps_empty(&folder.join(MODULES))) {
        return Ok(());
    }
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

/// Whether a file could be made in `folder`, or the folder itself.
fn is_writable(folder: &Path) -> bool {
    let nearest = folder.ancestors().find(|it| it.exists());
    // The only honest test of a folder's permission is a file in it.
    nearest.is_some_and(|it| it.is_dir() && tempfile::tempfile_in(it).is_ok())
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}
