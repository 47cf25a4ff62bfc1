//! What `init` is about to do for its hosts, and `uninit` to undo: all of it or nothing.

use std::path::{Path, PathBuf};

use anyhow::Context;
use hostler_ledger::file::{Access, create_folders};

use super::change::{Change, remove_empty};
use super::record::{self, Record};
use super::{Host, Scope, Site, exclude};

/// What `init` does for one host.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) record: Record,
    /// The record as it was before.
    pub(crate) known: Option<Record>,
    /// In the order in which they are written: what switches us on comes last.
    pub(crate) changes: Vec<Change>,
    /// Folders to be made, with nothing in them.
    pub(crate) empty_folders: Vec<PathBuf>,
    /// A settings file whose bytes from before our first entry are kept.
    pub(crate) backed_up: Option<PathBuf>,
    /// Files whose text, changed by hand, is kept before it is replaced.
    pub(crate) copied: Vec<PathBuf>,
    /// Files that do not belong into a commit.
    pub(crate) hidden: Vec<PathBuf>,
    pub(crate) warnings: Vec<String>,
    pub(crate) told: Told,
}

/// What is told of it, beside the files.
#[derive(Debug)]
pub(crate) enum Told {
    Claude(super::claude::Told),
    OpenCode(super::opencode::Told),
}

impl Plan {
    /// Notes which folders the changes need.
    pub(crate) fn note_folders(&mut self) {
        let written = self.changes.iter().filter(|it| it.changes() && it.after.is_some());
        let mut folders: Vec<PathBuf> =
            written.flat_map(|it| missing_folders(it.snapshot.real_path())).collect();
        for folder in self.empty_folders.iter().filter(|it| !it.exists()) {
            folders.extend(missing_folders(folder));
            folders.push(folder.clone());
        }
        self.record.made(folders);
    }

    /// What is meant for this user alone may stand in files that everybody gets.
    pub(crate) fn warn_of_tracked(&mut self, site: &Site) {
        if self.record.scope != Scope::Local {
            return;
        }
        let is_known = |it: &&Change| {
            it.changes() && it.snapshot.bytes().is_some() && exclude::is_tracked(&site.project, &it.path)
        };
        let known = self.changes.iter().filter(is_known).map(|it| {
            format!("git knows {}, which changes: leave that out of commits", site.shown(&it.path))
        });
        self.warnings.extend(known.collect::<Vec<_>>());
    }

    /// Keeps what is about to be replaced.
    fn keep(&self, site: &Site) -> anyhow::Result<()> {
        for change in &self.changes {
            if self.backed_up.as_ref() == Some(&change.path) {
                change.snapshot.back_up(&record::backup(site, &self.record.settings))?;
            }
            if self.copied.contains(&change.path) {
                change.snapshot.back_up(&site.copy_of(&change.path))?;
            }
        }
        Ok(())
    }

    /// Folders that this run made, and no earlier one.
    fn new_folders(&self) -> Vec<PathBuf> {
        let known = self.known.as_ref().map_or(&[][..], |it| &it.folders);
        self.record.folders.iter().filter(|it| !known.contains(it)).cloned().collect()
    }
}

/// Ancestors of a file that are not there, outermost first.
pub(crate) fn missing_folders(file: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> =
        file.ancestors().skip(1).take_while(|it| !it.exists()).map(Path::to_path_buf).collect();
    missing.reverse();
    missing
}

/// All that `init` does.
#[derive(Debug)]
pub(crate) struct Transaction {
    /// What hosts have in common: our configuration, the lines that keep files out of commits.
    pub(crate) shared: Vec<Change>,
    pub(crate) plans: Vec<Plan>,
}

impl Transaction {
    /// In the order in which they are written.
    pub(crate) fn changes(&self) -> impl Iterator<Item = &Change> {
        self.shared.iter().chain(self.plans.iter().flat_map(|it| &it.changes))
    }

    /// Whether anything is to be done.
    pub(crate) fn changes_something(&self) -> bool {
        let folders = self.plans.iter().flat_map(|it| &it.empty_folders);
        self.changes().any(Change::changes) || folders.into_iter().any(|it| !it.exists())
    }

    /// Refuses what [`Self::apply`] would refuse, before anything is written.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        self.changes().try_for_each(Change::check)
    }

    /// Writes everything. The records go first, so that a run that is killed can be undone.
    pub(crate) fn apply(&self, site: &Site) -> anyhow::Result<()> {
        for plan in &self.plans {
            plan.record.store(site)?;
            plan.keep(site)?;
        }
        let mut applied = Vec::new();
        let result = self.write(&mut applied);
        if let Err(error) = result {
            self.take_back(site, &applied).with_context(|| {
                format!("{error:#}; what was written before that could not be taken back")
            })?;
            return Err(error);
        }
        Ok(())
    }

    fn write<'t>(&'t self, applied: &mut Vec<&'t Change>) -> anyhow::Result<()> {
        let mut apply = |change: &'t Change| change.apply().map(|()| applied.push(change));
        self.shared.iter().try_for_each(&mut apply)?;
        for plan in &self.plans {
            for folder in &plan.empty_folders {
                create_folders(folder, plan.record.scope.access())?;
            }
            plan.changes.iter().try_for_each(&mut apply)?;
        }
        Ok(())
    }

    /// Also where only the writing itself shows that a file cannot be written.
    fn take_back(&self, site: &Site, applied: &[&Change]) -> anyhow::Result<()> {
        for change in applied.iter().rev() {
            change.undo()?;
        }
        for plan in &self.plans {
            remove_empty(&plan.new_folders())?;
            match &plan.known {
                Some(known) => known.store(site)?,
                None => plan.record.forget(site)?,
            }
        }
        Ok(())
    }
}

/// The lines that keep the plans' files out of commits, as one change of the clone's exclude file.
///
/// A comfort, so that one which cannot be had is no reason to refuse the rest.
pub(crate) fn hide(site: &Site, plans: &mut [Plan]) -> Option<Change> {
    let mut change = None;
    for plan in plans {
        let no_longer = plan.record.exclude.take_if(|_| plan.record.scope != Scope::Local);
        if let Some((path, addition)) = no_longer {
            let result = edit(&mut change, &path, |text| exclude::without(text, &addition));
            plan.warnings.extend(result.err().map(|error| format!("{error:#}")));
        }
        let lines: Vec<(PathBuf, String)> = match plan.record.scope {
            Scope::Local => {
                plan.hidden.iter().filter_map(|it| exclude::line_for(&site.project, it)).collect()
            }
            Scope::Project | Scope::User => Vec::new(),
        };
        let Some((path, _)) = lines.first().cloned() else { continue };
        let lines: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
        let mut added = String::new();
        let result = edit(&mut change, &path, |text| {
            added = exclude::addition(text, &lines);
            format!("{text}{added}")
        });
        match result {
            Ok(()) => match &mut plan.record.exclude {
                Some((known, addition)) if *known == path => addition.push_str(&added),
                other => *other = Some((path, added)),
            },
            Err(error) => plan
                .warnings
                .push(format!("{error:#}; add `{}` to a git exclude file yourself", lines.join("`, `"))),
        }
    }
    change
}

/// Edits the text of the one file that `change` is about, or will be. A change that could not be applied is none.
fn edit(change: &mut Option<Change>, path: &Path, with: impl FnOnce(&str) -> String) -> anyhow::Result<()> {
    let mut edited = Change::of(path, Access::Shared)?;
    if let Some(change) = change {
        edited.after.clone_from(&change.after);
    }
    edited.after = Some(with(edited.after.as_deref().unwrap_or_default()));
    edited.check()?;
    *change = Some(edited);
    Ok(())
}

/// What `uninit` does for one registration.
#[derive(Debug)]
pub(crate) struct Undo {
    pub(crate) host: Host,
    pub(crate) scope: Scope,
    /// In the order in which they are written: what switches us off comes first.
    pub(crate) changes: Vec<Change>,
    pub(crate) configuration: Option<Change>,
    /// Configuration that another registration still needs.
    pub(crate) kept: Option<(PathBuf, String)>,
    pub(crate) folders: Vec<PathBuf>,
    /// Files whose text, changed by hand, is kept before they go.
    pub(crate) copied: Vec<PathBuf>,
    pub(crate) record: Option<Record>,
    /// Entries that go.
    pub(crate) removed: usize,
    pub(crate) notes: Vec<String>,
}

impl Undo {
    pub(crate) fn changes(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().chain(&self.configuration)
    }

    /// Carries it out.
    pub(crate) fn apply(&self, site: &Site) -> anyhow::Result<()> {
        for change in self.changes.iter().filter(|it| self.copied.contains(&it.path)) {
            change.snapshot.back_up(&site.copy_of(&change.path))?;
        }
        self.changes().try_for_each(Change::apply)
    }
}

/// The lines that kept the undone files out of commits, taken out again.
pub(crate) fn show(undone: &mut [Undo]) -> Option<Change> {
    let mut change = None;
    // Those that were added last go first: then each is found where it was put.
    for undo in undone.iter_mut().rev() {
        let Some((path, addition)) = undo.record.as_ref().and_then(|it| it.exclude.clone()) else { continue };
        if !path.exists() {
            continue;
        }
        if let Err(error) = edit(&mut change, &path, |text| exclude::without(text, &addition)) {
            let lines = addition.trim().replace(['\r', '\n'], " ");
            undo.notes.push(format!("left `{lines}` in a git exclude file: {error:#}"));
        }
    }
    change
}
