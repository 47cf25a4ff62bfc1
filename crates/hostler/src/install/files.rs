//! Files that are ours as a whole: the plugin, agents, commands.
//!
//! What somebody changed by hand is theirs: it stays until they say otherwise, and a copy of it is kept when it goes.

use std::path::{Path, PathBuf};

use hostler_ledger::journal::sha256_hex;

use super::change::Change;
use super::plan::{Plan, Undo};
use super::record::Record;
use super::{Site, stamp};

/// What is wanted of files that are there on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Asked for or asked away; else those that are there are brought up to date.
    pub(crate) wish: Option<bool>,
    /// Replace what was changed by hand.
    pub(crate) force: bool,
}

/// Whose a file is that stands where one of ours goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// There is none.
    Absent,
    /// It is ours as we wrote it, in this version or another.
    Ours,
    /// It was ours, and somebody changed it.
    Edited,
    /// It is somebody else's.
    Others,
}

/// Whose `text` is; `recorded` is the digest that it had when we wrote it.
pub(crate) fn state(text: Option<&str>, recorded: Option<&str>) -> State {
    let Some(text) = text else { return State::Absent };
    let as_written = recorded.map(|it| it == sha256_hex(text.as_bytes()));
    match (as_written, stamp::read(text)) {
        (Some(true), _) | (_, Some(stamp::Stamp { intact: true, .. })) => State::Ours,
        (Some(false), _) | (None, Some(_)) => State::Edited,
        (None, None) => State::Others,
    }
}

/// Plans agents and commands. Returns those that will be there.
///
/// # Errors
/// What is there cannot be read, or is no text.
pub(crate) fn plan(
    site: &Site,
    plan: &mut Plan,
    artifacts: &[(PathBuf, &str)],
    wanted: Wanted,
) -> anyhow::Result<Vec<PathBuf>> {
    let mut there = Vec::new();
    for (path, text) in artifacts {
        let mut change = Change::of(path, plan.record.scope.access())?;
        let state = state(change.before()?, plan.record.sha256_of(path));
        let present = matches!(state, State::Ours | State::Edited);
        if wanted.wish == Some(false) {
            match state {
                State::Ours => change.after = None,
                State::Edited => {
                    plan.warnings.push(format!("{} stays: it was changed by hand", site.shown(path)));
                }
                State::Absent | State::Others => {}
            }
            plan.record.files.retain(|(known, _)| known != path);
            plan.changes.push(change);
            continue;
        }
        if !present && wanted.wish.is_none() {
            continue;
        }
        if write(site, plan, change, stamp::stamped(text, stamp::Form::FrontMatter), state, wanted.force) {
            there.push(path.clone());
        }
    }
    Ok(there)
}

/// Plans that the file holds `text`, unless it is not ours to write. Whether it will be there as a file of ours.
pub(crate) fn write(
    site: &Site,
    plan: &mut Plan,
    mut change: Change,
    text: String,
    state: State,
    force: bool,
) -> bool {
    let path = change.path.clone();
    match state {
        State::Others => {
            let what = "is there already and is not ours, so it stays; rename it to make room";
            plan.warnings.push(format!("{} {what}", site.shown(&path)));
            return false;
        }
        State::Edited if !force => {
            let what =
                "was changed by hand and stays as it is; `hostler init --force` replaces it and keeps a copy";
            plan.warnings.push(format!("{} {what}", site.shown(&path)));
            return true;
        }
        State::Edited => plan.copied.push(path.clone()),
        State::Absent | State::Ours => {}
    }
    plan.record.wrote(&path, &text);
    change.after = Some(text);
    plan.changes.push(change);
    true
}

/// Plans that files of ours go: those of the record, and those of `artifacts`, which tell by themselves. What was changed
/// by hand stays, and is told; what a record of `staying` has stays. Whether there was one.
///
/// # Errors
/// As [`plan`].
pub(crate) fn undo(
    site: &Site,
    undo: &mut Undo,
    artifacts: &[(PathBuf, &str)],
    staying: &[Record],
) -> anyhow::Result<bool> {
    let mut any = false;
    for path in paths(undo.record.as_ref(), artifacts.iter().map(|(path, _)| path.as_path())) {
        if staying.iter().any(|it| it.sha256_of(&path).is_some()) {
            continue;
        }
        let mut change = Change::of(&path, undo.scope.access())?;
        let recorded = undo.record.as_ref().and_then(|it| it.sha256_of(&path)).map(str::to_owned);
        match state(change.before()?, recorded.as_deref()) {
            State::Ours => {
                change.after = None;
                undo.changes.push(change);
                any = true;
            }
            State::Edited => undo.notes.push(format!("kept {}: it was changed since", site.shown(&path))),
            State::Absent | State::Others => {}
        }
    }
    Ok(any)
}

/// Those of the record, then the others, each once.
pub(crate) fn paths<'p>(record: Option<&'p Record>, others: impl Iterator<Item = &'p Path>) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = Vec::new();
    let recorded = record.into_iter().flat_map(|it| it.files.iter().map(|(path, _)| path.as_path()));
    for path in recorded.chain(others) {
        if !all.iter().any(|known| known == path) {
            all.push(path.to_path_buf());
        }
    }
    all
}
