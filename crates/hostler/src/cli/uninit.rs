//! `hostler uninit`.

use std::io::Write;
use std::path::{Path, PathBuf};

use hostler_host::claude::{settings, status_line};
use hostler_ledger::file::Access;
use hostler_ledger::journal::sha256_hex;
use serde_json::json;

use super::init::EMPTY_SETTINGS;
use crate::exit::Exit;
use crate::install::change::{Change, at, remove_empty};
use crate::install::record::{self, Record};
use crate::install::{Scope, Site, exclude};

/// Removes what `hostler init` wrote.
///
/// Settings that nobody touched since are byte for byte what they were before; else only the entries of
/// ours go. Evidence in the state folder stays: it is yours to keep or to delete.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Whose settings file [default: both files of this project]
    #[arg(long, value_enum)]
    scope: Option<Scope>,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

struct Plan {
    scope: Scope,
    settings: Change,
    configuration: Option<Change>,
    exclude: Option<Change>,
    /// Configuration that another registration still needs.
    kept: Option<(PathBuf, String)>,
    folders: Vec<PathBuf>,
    record: Option<Record>,
    removed: usize,
    notes: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    let site = Site::here()?;
    let lock = if args.dry_run { None } else { Some(site.lock()?) };
    let scopes = match args.scope {
        Some(scope) => vec![scope],
        None => vec![Scope::Local, Scope::Project],
    };
    let mut plans = Vec::new();
    for scope in scopes {
        plans.extend(plan(&site, scope)?);
    }
    keep_shared_configuration(&site, &mut plans);
    for change in plans.iter().flat_map(Plan::changes) {
        change.check()?;
    }
    if !args.dry_run {
        for plan in &plans {
            plan.apply(&site)?;
        }
        hand_over(&site, &plans)?;
    }
    drop(lock);
    report(&site, args, &plans, json)
}

fn plan(site: &Site, scope: Scope) -> anyhow::Result<Option<Plan>> {
    let path = site.settings(scope);
    let mut change = Change::of(&path, scope.access())?;
    let record = Record::load(site, &path)?;
    let mut notes = Vec::new();
    let (mut removed, mut touched) = (0, false);
    if let Some(text) = change.before()?.map(str::to_owned) {
        let ledger = record.as_ref().map(|it| &it.ledger);
        let edited = settings::unregister(&text, ledger).map_err(|error| at(&path, &error))?;
        removed = edited.removed;
        let mut text_after = edited.text;
        let lines =
            status_line::remove(&mut text_after, &edited.ledger).map_err(|error| at(&path, &error))?;
        touched = lines || removed != 0;
        let mut after = Some(text_after);
        if let (Some(record), true) = (&record, touched) {
            after = restore(site, record, &text, after);
        }
        if touched {
            change.after = after;
        }
    }
    if record.is_none() && !touched {
        return Ok(None);
    }
    let mut configuration = None;
    let mut exclude = None;
    if let Some(record) = &record {
        if let Some((path, sha)) = &record.configuration {
            let mut change = Change::of(path, scope.access())?;
            match change.before()? {
                Some(text) if sha256_hex(text.as_bytes()) == *sha => change.after = None,
                Some(_) => notes.push(format!("kept {}: it was changed since", site.shown(path))),
                None => {}
            }
            configuration = Some(change);
        }
        if let Some((path, addition)) = &record.exclude {
            match including(path, addition) {
                Ok(change) => exclude = Some(change),
                Err(error) => {
                    notes.push(format!("left `{}` in a git exclude file: {error:#}", addition.trim()));
                }
            }
        }
    }
    let folders = record.as_ref().map(|it| it.folders.clone()).unwrap_or_default();
    let kept = None;
    Ok(Some(Plan { scope, settings: change, configuration, exclude, kept, folders, record, removed, notes }))
}

fn including(path: &Path, addition: &str) -> anyhow::Result<Change> {
    let mut change = Change::of(path, Access::Shared)?;
    change.after = change.before()?.map(|text| exclude::without(text, addition));
    change.check()?;
    Ok(change)
}

/// The exact bytes from before, where nobody touched the file since; else `after`.
fn restore(site: &Site, record: &Record, current: &str, after: Option<String>) -> Option<String> {
    if record.created && after.as_deref() == Some(EMPTY_SETTINGS) {
        return None;
    }
    let sha = |text: &str| sha256_hex(text.as_bytes());
    let untouched = sha(current) == record.after_sha256;
    let differs = after.as_deref().map(sha) != record.before_sha256;
    if untouched && differs && record.before_sha256.is_some() {
        let backup = std::fs::read_to_string(record::backup(site, &record.settings));
        if let Some(backup) = backup.ok().filter(|it| Some(sha(it)) == record.before_sha256) {
            return Some(backup);
        }
    }
    after
}

/// The project's configuration goes with the last of the two registrations that it serves.
fn keep_shared_configuration(site: &Site, plans: &mut [Plan]) {
    let other = |scope| match scope {
        Scope::Local => Some(Scope::Project),
        Scope::Project => Some(Scope::Local),
        Scope::User => None,
    };
    let undone: Vec<Scope> = plans.iter().map(|it| it.scope).collect();
    for plan in plans {
        let Some(other) = other(plan.scope).filter(|it| !undone.contains(it)) else { continue };
        let text = std::fs::read_to_string(site.settings(other)).unwrap_or_default();
        if settings::registered(&text).is_ok_and(|it| !it.is_empty()) {
            plan.configuration = None;
            plan.kept = plan.record.as_ref().and_then(|it| it.configuration.clone());
        }
    }
}

/// Removes the folders that we made. What another registration still uses is undone with that one.
fn hand_over(site: &Site, plans: &[Plan]) -> anyhow::Result<()> {
    let mut folders: Vec<PathBuf> = plans.iter().flat_map(|it| it.folders.clone()).collect();
    folders.sort();
    folders.dedup();
    remove_empty(&folders)?;
    folders.retain(|it| it.is_dir());
    let kept = plans.iter().find_map(|it| it.kept.clone());
    for scope in Scope::ALL {
        let Ok(Some(mut other)) = Record::load(site, &site.settings(scope)) else { continue };
        let used = |folder: &&PathBuf| {
            other.settings.starts_with(folder)
                || kept.as_ref().is_some_and(|(file, _)| file.starts_with(folder))
        };
        let inherited: Vec<PathBuf> = folders.iter().filter(used).cloned().collect();
        other.folders.extend(inherited);
        other.folders.sort();
        other.folders.dedup();
        if scope != Scope::User {
            other.configuration = other.configuration.or_else(|| kept.clone());
        }
        other.store(site)?;
    }
    Ok(())
}

impl Plan {
    /// In the order in which they are written: the hooks go first.
    fn changes(&self) -> impl Iterator<Item = &Change> {
        [Some(&self.settings), self.configuration.as_ref(), self.exclude.as_ref()].into_iter().flatten()
    }

    fn apply(&self, site: &Site) -> anyhow::Result<()> {
        for change in self.changes() {
            change.apply()?;
        }
        match &self.record {
            Some(record) => record.forget(site),
            None => Ok(()),
        }
    }
}

fn report(site: &Site, args: &Args, plans: &[Plan], json: bool) -> anyhow::Result<Exit> {
    let changed = plans.iter().flat_map(Plan::changes).any(Change::changes);
    let removed: usize = plans.iter().map(|it| it.removed).sum();
    let notes: Vec<&String> = plans.iter().flat_map(|it| &it.notes).collect();
    let evidence = site.dirs.project_state(&site.project.key());
    let evidence = evidence.is_dir().then_some(evidence);
    let mut out = crate::output::human::stdout();
    if json {
        let files: Vec<_> = plans
            .iter()
            .flat_map(Plan::changes)
            .map(|it| json!({ "path": it.path.display().to_string(), "action": it.action(), "diff": it.diff() }))
            .collect();
        let document = json!({
            "dry_run": args.dry_run,
            "changed": changed,
            "removed": removed,
            "files": files,
            "notes": notes,
            "evidence": evidence.map(|it| it.display().to_string()),
        });
        writeln!(out, "{document}")?;
        return Ok(Exit::Ok);
    }
    for change in plans.iter().flat_map(Plan::changes).filter(|it| it.changes()) {
        if args.dry_run {
            write!(out, "{}", change.diff())?;
        } else {
            writeln!(out, "{} {}", change.action(), site.shown(&change.path))?;
        }
    }
    if !changed {
        writeln!(out, "nothing to do: no entries of ours here")?;
    }
    for note in notes {
        writeln!(out, "{note}")?;
    }
    if let Some(evidence) = evidence {
        writeln!(out, "evidence stays in {}", site.dirs.tilde(&evidence))?;
    }
    Ok(Exit::Ok)
}
