//! What `init` and `uninit` do about Claude Code: hooks, status line, agents and commands.

use std::path::{Path, PathBuf};

use hostler_host::artifact::{self, Kind};
use hostler_host::claude::{settings, status_line as host_status_line};
use hostler_ledger::journal::sha256_hex;

use super::change::{Change, at};
use super::files::{self, Wanted};
use super::plan::{Plan, Undo};
use super::record::{self, Record};
use super::status_line::{self, Outcome, Wish};
use super::{Host, Scope, Site, found, plan};

/// What a settings file is before the first entry, if there is none.
const EMPTY_SETTINGS: &str = "{}\n";

/// What is told of it.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) added: usize,
    pub(crate) replaced: usize,
    pub(crate) removed: usize,
    pub(crate) status_line: Outcome,
    pub(crate) agents: bool,
}

/// Plans the registration.
///
/// # Errors
/// A settings file that cannot be edited, with its place.
pub(crate) fn plan(
    site: &Site,
    scope: Scope,
    wish: Wish,
    agents: Wanted,
    command: &str,
) -> anyhow::Result<Plan> {
    let path = site.settings(scope);
    let mut change = Change::of(&path, scope.access())?;
    refuse_template(change.snapshot.real_path())?;
    let before = change.before()?.map(str::to_owned);
    let text = before.as_deref().unwrap_or(EMPTY_SETTINGS);
    let registered = settings::registered(text).map_err(|error| at(&path, &error))?;
    let known = Record::load(site, &path)?;
    let mut record = match known.clone() {
        Some(known) if !registered.is_empty() => known,
        _ => {
            let mut new = Record::new(Host::Claude, scope, &path, before.as_deref());
            if !registered.is_empty() {
                // Somebody else's work, or the state folder is gone: what was before is unknown.
                new.before_sha256 = None;
            }
            if let Some(known) = &known {
                new.configuration.clone_from(&known.configuration);
                new.exclude.clone_from(&known.exclude);
                new.folders.clone_from(&known.folders);
                new.files.clone_from(&known.files);
            }
            new
        }
    };
    let mut edited = settings::register(text, &record.ledger, command).map_err(|error| at(&path, &error))?;
    let first = edited.added == settings::REGISTRATIONS.len();
    let elsewhere = found::status_line_elsewhere(site, &path);
    let status_line = status_line::plan(&mut edited, &mut record, wish, elsewhere, command)
        .map_err(|error| at(&path, &error))?;
    record.after_sha256 = sha256_hex(edited.text.as_bytes());
    record.ledger = edited.ledger;
    command.clone_into(&mut record.command);
    env!("CARGO_PKG_VERSION").clone_into(&mut record.hostler);
    let warnings = warnings(site, scope, &change, &edited.text)?;
    change.after = Some(edited.text);
    let backed_up = (change.changes() && first).then(|| path.clone());

    let mut hidden = vec![path];
    let mut plan = Plan {
        record,
        known,
        changes: Vec::new(),
        empty_folders: Vec::new(),
        backed_up,
        copied: Vec::new(),
        hidden: Vec::new(),
        warnings,
        told: plan::Told::Claude(Told {
            added: edited.added,
            replaced: edited.replaced,
            removed: edited.removed,
            status_line,
            agents: false,
        }),
    };
    let agents = files::plan(site, &mut plan, &artifacts(site, scope), agents)?;
    hidden.extend(agents.iter().cloned());
    if let plan::Told::Claude(told) = &mut plan.told {
        told.agents = !agents.is_empty();
    }
    plan.hidden = hidden;
    plan.changes.push(change);
    Ok(plan)
}

/// Agents and commands, and where they go.
fn artifacts(site: &Site, scope: Scope) -> Vec<(PathBuf, &'static str)> {
    let settings = site.settings(scope);
    let folder = settings.parent().unwrap_or(&settings);
    let place = |it: &artifact::Artifact| {
        let kind = if it.kind == Kind::Agent { "agents" } else { "commands" };
        (folder.join(kind).join(it.file_name), it.text)
    };
    artifact::CLAUDE.iter().map(place).collect()
}

fn refuse_template(real: &Path) -> anyhow::Result<()> {
    let name = real.file_name().unwrap_or_default().to_string_lossy();
    anyhow::ensure!(
        !settings::is_template_name(&name),
        "{}:1:1: the name is that of a template; edit the rendered file",
        real.display()
    );
    Ok(())
}

fn warnings(site: &Site, scope: Scope, change: &Change, after: &str) -> anyhow::Result<Vec<String>> {
    let path = &change.path;
    let located = |what: &dyn std::fmt::Display| format!("{}:{what}", path.display());
    let mut all: Vec<String> = settings::warnings(after)
        .map_err(|error| at(path, &error))?
        .into_iter()
        .map(|it| located(&format!("{}: {}", it.at, it.what)))
        .collect();
    if let Some(position) = settings::disables_all_hooks(after).map_err(|error| at(path, &error))? {
        all.push(located(&format!(
            "{position}: `disableAllHooks` is true, so no hook of ours runs; remove it"
        )));
    }
    if scope == Scope::Project {
        all.push(
            "the entries hold the path of this machine's binary, and everybody who clones the project gets them; `--scope local` keeps them to you, the plugin finds the binary by itself".to_owned(),
        );
    }
    all.extend(found::managed_by_chezmoi(site, path));
    for source in found::sources(site).into_iter().filter(|it| it.path != *path && it.is_registered()) {
        all.push(format!(
            "hooks of ours are also registered in {}; one of the two is enough",
            source.shown(site)
        ));
    }
    Ok(all)
}

/// Plans the removal. `staying` are scopes whose registrations stay: agents and commands of theirs do too.
///
/// # Errors
/// As [`plan`].
pub(crate) fn undo(site: &Site, scope: Scope, staying: &[Scope]) -> anyhow::Result<Option<Undo>> {
    let path = site.settings(scope);
    let mut change = Change::of(&path, scope.access())?;
    let record = Record::load(site, &path)?;
    let (mut removed, mut touched) = (0, false);
    if let Some(text) = change.before()?.map(str::to_owned) {
        let ledger = record.as_ref().map(|it| &it.ledger);
        let edited = settings::unregister(&text, ledger).map_err(|error| at(&path, &error))?;
        removed = edited.removed;
        let mut text_after = edited.text;
        let lines =
            host_status_line::remove(&mut text_after, &edited.ledger).map_err(|error| at(&path, &error))?;
        touched = lines || removed != 0;
        let mut after = Some(text_after);
        if let (Some(record), true) = (&record, touched) {
            after = record::restore(site, record, &text, after, EMPTY_SETTINGS);
        }
        if touched {
            change.after = after;
        }
    }
    let mut undo = Undo {
        host: Host::Claude,
        scope,
        changes: vec![change],
        configuration: None,
        kept: None,
        folders: record.as_ref().map(|it| it.folders.clone()).unwrap_or_default(),
        copied: Vec::new(),
        record,
        removed,
        notes: Vec::new(),
    };
    let staying: Vec<Record> = staying
        .iter()
        .filter_map(|scope| Record::load(site, &site.settings(*scope)).transpose())
        .collect::<Result<_, _>>()?;
    let files = files::undo(site, &mut undo, &artifacts(site, scope), &staying)?;
    Ok((undo.record.is_some() || touched || files).then_some(undo))
}
