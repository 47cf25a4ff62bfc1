//! `hostler uninit`.

use std::io::Write;
use std::path::PathBuf;

use serde_json::json;

use crate::exit::Exit;
use crate::install::change::Change;
use crate::install::plan::{Undo, show};
use crate::install::{Host, Scope, Site, claude, opencode, shared};

/// Removes what `hostler init` wrote.
///
/// Settings that nobody touched since are byte for byte what they were before; else only the entries of
/// ours go. Evidence in the state folder stays: it is yours to keep or to delete.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// From which agent [default: all]
    #[arg(long, value_enum)]
    host: Option<Host>,
    /// Whose settings [default: both of this project]
    #[arg(long, value_enum)]
    scope: Option<Scope>,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    let site = Site::here()?;
    let lock = if args.dry_run { None } else { Some(site.lock()?) };
    let mut undone = plan(&site, args)?;
    shared::unconfigure(&site, &mut undone)?;
    let shown = show(&mut undone);
    for change in undone.iter().flat_map(Undo::changes).chain(&shown) {
        change.check()?;
    }
    if !args.dry_run {
        undone.iter().try_for_each(|it| it.apply(&site))?;
        shown.iter().try_for_each(Change::apply)?;
        shared::hand_over(&site, &undone)?;
    }
    drop(lock);
    report(&site, args, &undone, shown.as_ref(), json)
}

fn plan(site: &Site, args: &Args) -> anyhow::Result<Vec<Undo>> {
    let hosts = args.host.map_or(Host::ALL.to_vec(), |host| vec![host]);
    let mut undone = Vec::new();
    if hosts.contains(&Host::Claude) {
        // Both of a project share the folder of agents.
        let both = [Scope::Local, Scope::Project];
        let scopes = args.scope.map_or(both.to_vec(), |scope| vec![scope]);
        let staying: Vec<Scope> =
            both.into_iter().filter(|it| !scopes.contains(it) && !scopes.contains(&Scope::User)).collect();
        for scope in scopes {
            undone.extend(claude::undo(site, scope, &staying)?);
        }
    }
    if hosts.contains(&Host::OpenCode) {
        undone.extend(opencode::undo(site, args.scope.unwrap_or(Scope::Local), args.scope.is_none())?);
    }
    let mut seen: Vec<PathBuf> = Vec::new();
    for undo in &mut undone {
        undo.changes.retain(|change| !seen.contains(&change.path));
        seen.extend(undo.changes.iter().map(|it| it.path.clone()));
    }
    Ok(undone)
}

fn report(
    site: &Site,
    args: &Args,
    undone: &[Undo],
    shown: Option<&Change>,
    json: bool,
) -> anyhow::Result<Exit> {
    let changes: Vec<&Change> = undone.iter().flat_map(Undo::changes).chain(shown).collect();
    let changed = changes.iter().any(|it| it.changes());
    let removed: usize = undone.iter().map(|it| it.removed).sum();
    let notes: Vec<&String> = undone.iter().flat_map(|it| &it.notes).collect();
    let evidence = site.dirs.project_state(&site.project.key());
    let evidence = evidence.is_dir().then_some(evidence);
    let mut out = crate::output::human::stdout();
    if json {
        let files: Vec<_> = changes
            .iter()
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
    for change in changes.iter().filter(|it| it.changes()) {
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
