//! What `init` and `uninit` do about `OpenCode`: the plugin, the MCP entry, agents and commands, and what keeps a start from
//! installing packages.
//!
//! The plugin is one file that the client loads by itself. It is written last: it is what switches us on.

pub(crate) mod boot;
pub(crate) mod found;
pub(crate) mod heartbeat;
pub(crate) mod program;

use std::path::{Path, PathBuf};

use hostler_host::artifact::{self, Kind};
use hostler_host::opencode::settings::{self, Flavour, Outcome};
use hostler_ledger::journal::sha256_hex;

use super::change::{Change, at};
use super::files::{self, State, Wanted};
use super::plan::{Plan, Undo};
use super::record::{self, Record};
use super::{Host, Scope, Site, exclude, plan, stamp};
use crate::output::human::told;

/// The names of a configuration, the one that is preferred first.
const CONFIGURATIONS: [&str; 2] = ["opencode.jsonc", "opencode.json"];
/// Both spellings of a folder that the client reads.
const PLUGINS: [&str; 2] = ["plugins", "plugin"];
const AGENTS: [&str; 2] = ["agents", "agent"];
const COMMANDS: [&str; 2] = ["commands", "command"];
/// The plugin of version 1, in a folder of plugins.
const FILE: &str = "hostler.ts";
/// The plugin of version 2.
const FOLDER_FILE: &str = "hostler/index.ts";

/// What the user asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    /// Which version; else that of the program, or of the configuration.
    pub(crate) flavour: Option<Flavour>,
    /// Whether the client starts the MCP server.
    pub(crate) mcp: Option<bool>,
    pub(crate) agents: Wanted,
}

/// What is told of it.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) flavour: Flavour,
    pub(crate) plugin: PathBuf,
    /// The configuration with the MCP entry; none where every one belongs to git.
    pub(crate) configuration: Option<PathBuf>,
    pub(crate) mcp: Outcome,
    pub(crate) mcp_enabled: bool,
    pub(crate) agents: bool,
    /// The package manager is kept from running.
    pub(crate) seeded: bool,
}

/// Plans the registration.
///
/// # Errors
/// A configuration that cannot be edited, with its place; a plugin of somebody else's under our name.
pub(crate) fn plan(site: &Site, scope: Scope, asked: Asked, command: &str) -> anyhow::Result<Plan> {
    let folder = site.opencode_folder(scope);
    // All are read, since one that is broken keeps the client from starting at all.
    let configurations: Vec<Configuration> = configurations(site, scope)
        .iter()
        .map(|path| configuration(path, scope))
        .collect::<anyhow::Result<_>>()?;
    let shape = configurations.iter().find_map(|it| it.flavour);
    let program = program::find(&site.dirs.home);
    let running = program.as_ref().and_then(|it| it.version.as_deref()).and_then(program::flavour);
    let flavour = asked.flavour.or(running).or(shape).unwrap_or(Flavour::One);

    let known = Record::load(site, &folder)?;
    let mut record = known.clone().unwrap_or_else(|| Record::new(Host::OpenCode, scope, &folder, None));
    record.scope = scope;
    command.clone_into(&mut record.command);
    env!("CARGO_PKG_VERSION").clone_into(&mut record.hostler);
    let mut plan = Plan {
        record,
        known,
        changes: Vec::new(),
        empty_folders: Vec::new(),
        backed_up: None,
        copied: Vec::new(),
        hidden: Vec::new(),
        warnings: Vec::new(),
        told: plan::Told::OpenCode(Told {
            flavour,
            plugin: PathBuf::new(),
            configuration: None,
            mcp: Outcome::Absent,
            mcp_enabled: false,
            agents: false,
            seeded: false,
        }),
    };
    let entry = plan_entry(site, &mut plan, configurations, shape.unwrap_or(flavour), asked.mcp, command)?;
    let agents = files::plan(site, &mut plan, &artifacts(&folder), asked.agents)?;
    plan.hidden.extend(agents.iter().cloned());
    let seeded = if flavour == Flavour::One {
        let version = program.as_ref().and_then(|it| it.version.as_deref());
        boot::plan(site, &mut plan, version)?
    } else {
        false
    };
    let plugin = plan_plugin(site, &mut plan, &folder, flavour, command, asked.agents.force)?;
    if scope == Scope::Project {
        plan.warnings.push(
            "the plugin holds the path of this machine's binary, and everybody who clones the project gets it; `--scope local` keeps it to you".to_owned(),
        );
    }
    plan.warnings.extend(super::found::managed_by_chezmoi(site, &plugin));
    let other = site.opencode_folder(if scope == Scope::User { Scope::Local } else { Scope::User });
    if other != folder && found::is_registered(&other) {
        plan.warnings.push(format!(
            "the plugin is also in {}, and each call is asked about twice; keep one: `hostler uninit --host opencode --scope local|project|user`",
            site.shown(&other)
        ));
    }
    if let plan::Told::OpenCode(told) = &mut plan.told {
        told.plugin = plugin;
        (told.configuration, told.mcp, told.mcp_enabled) = entry;
        told.agents = !agents.is_empty();
        told.seeded = seeded;
    }
    Ok(plan)
}

/// A configuration that the client reads.
struct Configuration {
    change: Change,
    /// There is one.
    exists: bool,
    flavour: Option<Flavour>,
    /// Our entry is in it.
    ours: bool,
}

/// The paths of those of a scope, in the order in which an entry would go into them.
fn configurations(site: &Site, scope: Scope) -> Vec<PathBuf> {
    let folder = site.opencode_folder(scope);
    let folders = match scope {
        Scope::User => vec![folder],
        Scope::Local | Scope::Project => vec![site.project.root.clone(), folder],
    };
    folders.iter().flat_map(|folder| CONFIGURATIONS.map(|name| folder.join(name))).collect()
}

fn configuration(path: &Path, scope: Scope) -> anyhow::Result<Configuration> {
    let change = Change::of(path, scope.access())?;
    let text = change.before()?;
    let read = |text: &str| Ok((settings::flavour(text)?, settings::registered(text)?.is_some()));
    let (flavour, ours) = text.map(read).transpose().map_err(|error| at(path, &error))?.unwrap_or_default();
    let exists = text.is_some();
    Ok(Configuration { change, exists, flavour, ours })
}

/// The MCP entry: in the configuration that has it, else in the first one that is there, else in a new one. What is only
/// for this user goes into no file that git knows.
fn plan_entry(
    site: &Site,
    plan: &mut Plan,
    mut configurations: Vec<Configuration>,
    flavour: Flavour,
    enabled: Option<bool>,
    command: &str,
) -> anyhow::Result<(Option<PathBuf>, Outcome, bool)> {
    let scope = plan.record.scope;
    let may =
        |it: &Configuration| scope != Scope::Local || !exclude::is_tracked(&site.project, &it.change.path);
    // A new one goes into the client's own folder, under the plainer name.
    let chosen = configurations
        .iter()
        .position(|it| it.ours)
        .or_else(|| configurations.iter().position(|it| it.exists && may(it)))
        .or_else(|| configurations.iter().rposition(|it| !it.exists));
    let Some(chosen) = chosen else {
        plan.warnings.push(
            "every configuration of OpenCode here is known to git, so the MCP server is not registered; `--scope project` does it".to_owned(),
        );
        return Ok((None, Outcome::Absent, false));
    };
    let Configuration { mut change, ours, .. } = configurations.swap_remove(chosen);
    let path = change.path.clone();
    let before = change.before()?.map(str::to_owned);
    let empty = settings::new_file();
    let text = before.as_deref().unwrap_or(&empty);
    let record = &mut plan.record;
    if !ours || record.edited.as_ref() != Some(&path) {
        record.ledger = hostler_host::jsonc::Ledger::default();
        record.created = before.is_none();
        // An entry that is there already is somebody else's work: what was before is unknown.
        record.before_sha256 = before.as_deref().filter(|_| !ours).map(|text| sha256_hex(text.as_bytes()));
    }
    let edited = settings::register(text, &record.ledger, command, flavour, enabled)
        .map_err(|error| at(&path, &error))?;
    if edited.outcome == Outcome::Others {
        plan.warnings.push(format!(
            "{} has an MCP server `{}` of your own, which stays; rename it to make room for ours",
            site.shown(&path),
            settings::SERVER
        ));
        return Ok((Some(path), Outcome::Others, false));
    }
    let on =
        settings::registered(&edited.text).map_err(|error| at(&path, &error))?.is_some_and(|it| it.enabled);
    record.after_sha256 = sha256_hex(edited.text.as_bytes());
    record.ledger = edited.ledger;
    record.edited = Some(path.clone());
    if record.created {
        plan.hidden.push(path.clone());
    }
    change.after = Some(edited.text);
    if change.changes() && edited.outcome == Outcome::Added && before.is_some() {
        plan.backed_up = Some(path.clone());
    }
    plan.changes.push(change);
    Ok((Some(path), edited.outcome, on))
}

/// The plugin, and the removal of one of ours that the other version would load.
fn plan_plugin(
    site: &Site,
    plan: &mut Plan,
    folder: &Path,
    flavour: Flavour,
    command: &str,
    force: bool,
) -> anyhow::Result<PathBuf> {
    let path = match flavour {
        Flavour::One => place(folder, PLUGINS, FILE),
        Flavour::Two => folder.join(PLUGINS[0]).join(FOLDER_FILE),
    };
    for other in plugin_paths(folder).into_iter().filter(|it| *it != path) {
        let mut change = Change::of(&other, plan.record.scope.access())?;
        if files::state(change.before()?, plan.record.sha256_of(&other)) == State::Ours {
            change.after = None;
            plan.record.files.retain(|(known, _)| *known != other);
            plan.changes.push(change);
        }
    }
    let change = Change::of(&path, plan.record.scope.access())?;
    let state = files::state(change.before()?, plan.record.sha256_of(&path));
    anyhow::ensure!(
        state != State::Others,
        "`{}` is not ours, and the plugin goes under that name; rename it first",
        path.display()
    );
    let text = stamp::stamped(&source(flavour, command), stamp::Form::Script);
    files::write(site, plan, change, text, state, force);
    plan.hidden.push(path.clone());
    Ok(path)
}

/// The plugin as it is written, without its stamp.
pub(crate) fn source(flavour: Flavour, command: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    match flavour {
        Flavour::One => hostler_host::opencode::plugin::v1(command, version),
        Flavour::Two => hostler_host::opencode::plugin::v2(command, version),
    }
}

/// Everywhere that a plugin of ours can lie in a folder of the client.
pub(crate) fn plugin_paths(folder: &Path) -> Vec<PathBuf> {
    let files = PLUGINS.iter().map(|it| folder.join(it).join(FILE));
    files.chain([folder.join(PLUGINS[0]).join(FOLDER_FILE)]).collect()
}

/// Agents and commands, and where they go.
fn artifacts(folder: &Path) -> Vec<(PathBuf, &'static str)> {
    let place = |it: &artifact::Artifact| {
        let names = if it.kind == Kind::Agent { AGENTS } else { COMMANDS };
        (place(folder, names, it.file_name), it.text)
    };
    artifact::OPENCODE.iter().map(place).collect()
}

/// In the folder that has the file, else in the one that is there, else in the first.
fn place(folder: &Path, names: [&str; 2], file: &str) -> PathBuf {
    let has = names.iter().find(|name| folder.join(name).join(file).exists());
    let is = || names.iter().find(|name| folder.join(name).is_dir());
    folder.join(has.or_else(is).unwrap_or(&names[0])).join(file)
}

/// Plans the removal. One of another scope than the asked one is left alone.
///
/// # Errors
/// As [`plan`].
pub(crate) fn undo(site: &Site, scope: Scope, any_project_scope: bool) -> anyhow::Result<Option<Undo>> {
    let folder = site.opencode_folder(scope);
    let record = Record::load(site, &folder)?;
    let scope = match &record {
        Some(record) if record.scope != scope && !any_project_scope => return Ok(None),
        Some(record) => record.scope,
        None => scope,
    };
    let mut undo = Undo {
        host: Host::OpenCode,
        scope,
        changes: Vec::new(),
        configuration: None,
        kept: None,
        folders: record.as_ref().map(|it| it.folders.clone()).unwrap_or_default(),
        copied: Vec::new(),
        record,
        removed: 0,
        notes: Vec::new(),
    };
    let plugins = undo_plugins(site, &mut undo, &folder)?;
    let entries = undo_entries(site, &mut undo)?;
    let staying: Vec<Record> = Record::all(site).into_iter().filter(|it| it.settings != folder).collect();
    let files = files::undo(site, &mut undo, &artifacts(&folder), &staying)?;
    boot::undo(&mut undo, &folder, &staying)?;
    Ok((undo.record.is_some() || plugins || entries || files).then_some(undo))
}

/// A plugin goes also where somebody changed it: it would go on guarding. A copy stays.
fn undo_plugins(site: &Site, undo: &mut Undo, folder: &Path) -> anyhow::Result<bool> {
    let mut any = false;
    for path in plugin_paths(folder) {
        let mut change = Change::of(&path, undo.scope.access())?;
        let recorded = undo.record.as_ref().and_then(|it| it.sha256_of(&path)).map(str::to_owned);
        match files::state(change.before()?, recorded.as_deref()) {
            State::Absent | State::Others => continue,
            State::Ours => {}
            State::Edited => {
                undo.copied.push(path.clone());
                undo.notes.push(format!(
                    "{} was changed by hand; a copy is in {}",
                    site.shown(&path),
                    site.dirs.tilde(&site.copy_of(&path))
                ));
            }
        }
        if let Some(record) = &mut undo.record {
            record.files.retain(|(known, _)| *known != path);
        }
        change.after = None;
        undo.changes.push(change);
        undo.removed += 1;
        any = true;
    }
    Ok(any)
}

fn undo_entries(site: &Site, undo: &mut Undo) -> anyhow::Result<bool> {
    let mut any = false;
    for path in configurations(site, undo.scope) {
        let is_edited = undo.record.as_ref().is_some_and(|it| it.edited.as_ref() == Some(&path));
        let Configuration { mut change, ours, .. } = match configuration(&path, undo.scope) {
            Ok(configuration) => configuration,
            Err(error) if is_edited => {
                anyhow::bail!(
                    "{}; our entry is in it, so repair it and run `hostler uninit` again",
                    told(&error)
                )
            }
            // One that we never wrote to is no reason to go on guarding.
            Err(error) => {
                undo.notes.push(format!("left as it is: {}", told(&error)));
                continue;
            }
        };
        if !ours {
            continue;
        }
        let Some(text) = change.before()?.map(str::to_owned) else { continue };
        let record = undo.record.as_ref().filter(|it| it.edited.as_ref() == Some(&path));
        let edited =
            settings::unregister(&text, record.map(|it| &it.ledger)).map_err(|error| at(&path, &error))?;
        let mut after = Some(edited.text);
        if let Some(record) = record {
            after = record::restore(site, record, &text, after, &settings::new_file());
        }
        change.after = after;
        undo.changes.push(change);
        undo.removed += 1;
        any = true;
    }
    Ok(any)
}
