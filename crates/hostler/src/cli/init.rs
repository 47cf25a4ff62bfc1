//! `hostler init`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use hostler_host::claude::settings;
use hostler_ledger::file::Access;
use hostler_ledger::journal::sha256_hex;
use hostler_model::Profile;
use serde_json::json;

use crate::exit::Exit;
use crate::install::change::{Change, at, remove_empty};
use crate::install::record::{self, Record};
use crate::install::status_line::{self, Outcome, Wish};
use crate::install::{Host, Scope, Site, binary, configuration, exclude, found};

/// What a settings file is before the first entry, if there is none.
pub(super) const EMPTY_SETTINGS: &str = "{}\n";

/// Registers the hooks with a host, and gives the project a configuration.
///
/// Your settings file is edited as text: what you wrote stays byte for byte. Running it again changes
/// nothing, or brings entries of an older version up to date; `hostler uninit` takes everything back.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which agent
    #[arg(long, value_enum, default_value = "claude")]
    host: Host,
    /// Whose settings file. `local`, since the entries hold the path of this machine's binary
    #[arg(long, value_enum, default_value = "local")]
    scope: Scope,
    /// How strict [default for a new configuration: standard]
    #[arg(long, value_parser = ["observe", "standard", "strict"])]
    profile: Option<String>,
    /// Register the status line, also where another settings file has one
    #[arg(long, conflicts_with = "no_statusline")]
    statusline: bool,
    /// Leave the status line alone, and remove one of ours
    #[arg(long)]
    no_statusline: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Args {
    fn wish(&self) -> Wish {
        match (self.statusline, self.no_statusline) {
            (_, true) => Wish::Unwanted,
            (true, _) => Wish::Wanted,
            (false, false) => Wish::Unsaid,
        }
    }
}

struct Plan {
    settings: Change,
    configuration: Change,
    exclude: Option<Change>,
    record: Record,
    /// The record as it was before.
    known: Option<Record>,
    status_line: Outcome,
    /// Nothing of ours was in the settings.
    first: bool,
    added: usize,
    replaced: usize,
    removed: usize,
    warnings: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    let site = Site::here()?;
    site.refuse_home_as_project(args.scope)?;
    let command = binary::stable(&site.dirs.home)?;
    let lock = if args.dry_run { None } else { Some(site.lock()?) };
    let plan = plan(&site, args, &command)?;
    for change in plan.changes() {
        change.check()?;
    }
    if !args.dry_run {
        plan.apply(&site)?;
    }
    drop(lock);
    report(&site, args, &plan, json)
}

fn plan(site: &Site, args: &Args, command: &str) -> anyhow::Result<Plan> {
    let path = site.settings(args.scope);
    let mut change = Change::of(&path, args.scope.access())?;
    refuse_template(change.snapshot.real_path())?;
    let before = change.before()?.map(str::to_owned);
    let text = before.as_deref().unwrap_or(EMPTY_SETTINGS);
    let registered = settings::registered(text).map_err(|error| at(&path, &error))?;
    let known = Record::load(site, &path)?;
    let mut record = match known.clone() {
        Some(known) if !registered.is_empty() => known,
        _ => {
            let mut new = Record::new(args.host, args.scope, &path, before.as_deref());
            if !registered.is_empty() {
                // Somebody else's work, or the state folder is gone: what was before is unknown.
                new.before_sha256 = None;
            }
            new.configuration = known.as_ref().and_then(|it| it.configuration.clone());
            new.exclude = known.as_ref().and_then(|it| it.exclude.clone());
            new.folders = known.as_ref().map(|it| it.folders.clone()).unwrap_or_default();
            new
        }
    };
    let mut edited = settings::register(text, &record.ledger, command).map_err(|error| at(&path, &error))?;
    let first = edited.added == settings::REGISTRATIONS.len();
    let elsewhere = found::status_line_elsewhere(site, &path);
    let status_line = status_line::plan(&mut edited, &mut record, args.wish(), elsewhere, command)
        .map_err(|error| at(&path, &error))?;
    record.after_sha256 = sha256_hex(edited.text.as_bytes());
    record.ledger = edited.ledger;
    command.clone_into(&mut record.command);
    env!("CARGO_PKG_VERSION").clone_into(&mut record.hostler);
    let mut warnings = warnings(site, args.scope, &change, &edited.text)?;
    change.after = Some(edited.text);

    let configuration = plan_configuration(site, args, &mut record)?;
    let exclude = plan_exclude(site, args.scope, &path, &mut record, &mut warnings);
    let changes = [Some(&change), Some(&configuration), exclude.as_ref()];
    for change in changes.into_iter().flatten().filter(|it| it.changes()) {
        record.folders.extend(missing_folders(change.snapshot.real_path()));
    }
    record.folders.sort();
    record.folders.dedup();
    let (added, replaced, removed) = (edited.added, edited.replaced, edited.removed);
    Ok(Plan {
        settings: change,
        configuration,
        exclude,
        record,
        known,
        status_line,
        first,
        added,
        replaced,
        removed,
        warnings,
    })
}

fn plan_configuration(site: &Site, args: &Args, record: &mut Record) -> anyhow::Result<Change> {
    let path = site.configuration(args.scope);
    let mut change = Change::of(&path, args.scope.access())?;
    let profile = args.profile.as_deref().and_then(Profile::parse);
    let inherited = args.scope != Scope::User && profile.is_none() && site.inherits_configuration();
    match (change.before()?, profile) {
        (Some(text), Some(profile)) => {
            let recorded =
                record.configuration.as_ref().is_some_and(|(_, sha)| *sha == sha256_hex(text.as_bytes()));
            let edited = configuration::with_profile(&path, text, profile)?;
            if recorded {
                record.configuration = Some((path, sha256_hex(edited.as_bytes())));
            }
            change.after = Some(edited);
        }
        (Some(_), None) => {}
        (None, _) if inherited => {}
        (None, profile) => {
            let text = configuration::new(profile.unwrap_or_default());
            record.configuration = Some((path, sha256_hex(text.as_bytes())));
            change.after = Some(text);
        }
    }
    Ok(change)
}

/// A comfort, so that one which cannot be had is no reason to refuse the rest.
fn plan_exclude(
    site: &Site,
    scope: Scope,
    settings: &Path,
    record: &mut Record,
    warnings: &mut Vec<String>,
) -> Option<Change> {
    let (path, line) =
        (scope == Scope::Local).then(|| exclude::line_for(&site.project, settings)).flatten()?;
    match excluding(&path, &line) {
        Ok((change, addition)) => {
            record.exclude = Some((path, addition));
            Some(change)
        }
        Err(error) => {
            warnings.push(format!("{error:#}; add `{line}` to a git exclude file yourself"));
            None
        }
    }
}

fn excluding(path: &Path, line: &str) -> anyhow::Result<(Change, String)> {
    let mut change = Change::of(path, Access::Shared)?;
    let text = change.before()?.unwrap_or_default().to_owned();
    let addition = exclude::addition(&text, line);
    change.after = Some(format!("{text}{addition}"));
    change.check()?;
    Ok((change, addition))
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

/// Ancestors of a file that are not there, outermost first.
fn missing_folders(file: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> =
        file.ancestors().skip(1).take_while(|it| !it.exists()).map(Path::to_path_buf).collect();
    missing.reverse();
    missing
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
    if let Some(source) = found::chezmoi_source(site, path) {
        all.push(format!(
            "`{}` is managed by chezmoi, whose next `apply` would undo this; run `chezmoi re-add '{}'`",
            path.display(),
            source.display()
        ));
    }
    for source in found::sources(site).into_iter().filter(|it| it.path != *path && it.is_registered()) {
        all.push(format!(
            "hooks of ours are also registered in {}; one of the two is enough",
            source.shown(site)
        ));
    }
    Ok(all)
}

impl Plan {
    /// In the order in which they are written.
    fn changes(&self) -> impl Iterator<Item = &Change> {
        [Some(&self.configuration), self.exclude.as_ref(), Some(&self.settings)].into_iter().flatten()
    }

    fn apply(&self, site: &Site) -> anyhow::Result<()> {
        self.record.store(site)?;
        if self.settings.changes() && self.first {
            self.settings.snapshot.back_up(&record::backup(site, &self.settings.path))?;
        }
        let changes: Vec<&Change> = self.changes().collect();
        for (index, change) in changes.iter().enumerate() {
            if let Err(error) = change.apply() {
                self.take_back(site, &changes[..index]).with_context(|| {
                    format!("{error:#}; what was written before that could not be taken back")
                })?;
                return Err(error);
            }
        }
        Ok(())
    }

    /// All or nothing, also where only the writing itself shows that a file cannot be written.
    fn take_back(&self, site: &Site, applied: &[&Change]) -> anyhow::Result<()> {
        for change in applied.iter().rev() {
            change.undo()?;
        }
        remove_empty(&self.record.folders)?;
        match &self.known {
            Some(known) => known.store(site),
            None => self.record.forget(site),
        }
    }
}

fn report(site: &Site, args: &Args, plan: &Plan, json: bool) -> anyhow::Result<Exit> {
    // What is in the file, not what we believe to have written.
    let text = if args.dry_run {
        plan.settings.after.clone()
    } else {
        Change::of(&plan.settings.path, plan.settings.access)?.before()?.map(str::to_owned)
    };
    let registered =
        settings::registered(&text.unwrap_or_default()).map_err(|error| at(&plan.settings.path, &error))?;
    let events: Vec<&str> = registered.iter().map(|it| it.event.as_str()).collect();
    let changed = plan.changes().any(Change::changes);
    let mut out = crate::output::human::stdout();
    if json {
        let files: Vec<_> = plan
            .changes()
            .map(|it| json!({ "path": it.path.display().to_string(), "action": it.action(), "diff": it.diff() }))
            .collect();
        let document = json!({
            "host": args.host,
            "scope": args.scope,
            "dry_run": args.dry_run,
            "changed": changed,
            "settings": plan.settings.path.display().to_string(),
            "command": plan.record.command,
            "events": events,
            "added": plan.added,
            "replaced": plan.replaced,
            "removed": plan.removed,
            "status_line": plan.status_line.name(),
            "files": files,
            "warnings": plan.warnings,
        });
        writeln!(out, "{document}")?;
        return Ok(Exit::Ok);
    }
    if args.dry_run {
        for change in plan.changes() {
            write!(out, "{}", change.diff())?;
        }
    }
    for change in plan.changes().filter(|it| it.changes() && !args.dry_run) {
        writeln!(out, "{} {}", change.action(), site.shown(&change.path))?;
    }
    if !changed {
        writeln!(out, "nothing to do: {} is up to date", site.shown(&plan.settings.path))?;
    }
    if !args.dry_run {
        writeln!(
            out,
            "{} events of {} call `{} hook claude`",
            events.len(),
            site.shown(&plan.settings.path),
            plan.record.command
        )?;
        let status_line = match plan.status_line {
            Outcome::Registered => Some(
                "its status line is that of `hostler statusline`; `hostler init --no-statusline` removes it",
            ),
            Outcome::Kept | Outcome::Elsewhere => Some("your own status line stays as it is"),
            Outcome::TakenOut => {
                Some("no status line, as you left it; `hostler init --statusline` brings it back")
            }
            Outcome::Removed | Outcome::Unwanted => None,
        };
        if let Some(words) = status_line {
            writeln!(out, "{words}")?;
        }
        writeln!(out, "next: start a new session of the agent, or run `hostler doctor`")?;
        let root = &site.project.root;
        if args.scope != Scope::User
            && crate::session::locate(root, &site.project, Some(&site.dirs)).is_none()
        {
            writeln!(
                out,
                "next: `hostler session init`, where what is done and left to do is to be remembered"
            )?;
        }
    }
    for warning in &plan.warnings {
        writeln!(std::io::stderr(), "warning: {warning}")?;
    }
    Ok(Exit::Ok)
}
