//! What registrations have in common: hosts that are here, and one configuration for all of them.

use std::path::PathBuf;

use hostler_host::claude::settings;
use hostler_ledger::journal::sha256_hex;
use hostler_model::Profile;

use super::change::{Change, remove_empty};
use super::plan::{Transaction, Undo, missing_folders};
use super::record::Record;
use super::{Host, Scope, Site, configuration, opencode};

/// The hosts that are here, each with what tells so.
pub(crate) fn hosts(site: &Site) -> Vec<(Host, String)> {
    Host::ALL.into_iter().filter_map(|host| Some((host, sign(site, host)?))).collect()
}

fn sign(site: &Site, host: Host) -> Option<String> {
    let root = &site.project.root;
    let (paths, program): (Vec<PathBuf>, Option<PathBuf>) = match host {
        Host::Claude => (vec![root.join(".claude"), site.claude_home()], on_path("claude")),
        Host::OpenCode => (
            vec![
                root.join(".opencode"),
                root.join("opencode.json"),
                root.join("opencode.jsonc"),
                site.opencode_folder(Scope::User),
            ],
            opencode::program::locate(&site.dirs.home),
        ),
    };
    paths.into_iter().chain(program).find(|it| it.exists()).map(|it| site.shown(&it))
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).map(|folder| folder.join(&name)).find(|it| it.is_absolute() && it.is_file())
}

/// Plans our own configuration: it is recorded with the first host.
///
/// # Errors
/// It is there and cannot be read.
pub(crate) fn configure(
    site: &Site,
    scope: Scope,
    profile: Option<Profile>,
    transaction: &mut Transaction,
) -> anyhow::Result<()> {
    let path = site.configuration(scope);
    let mut change = Change::of(&path, scope.access())?;
    let inherited = scope != Scope::User && profile.is_none() && site.inherits_configuration();
    let written = match (change.before()?, profile) {
        (Some(text), Some(profile)) => {
            let edited = configuration::with_profile(&path, text, profile)?;
            let before = sha256_hex(text.as_bytes());
            for plan in &mut transaction.plans {
                if let Some((_, sha256)) = plan.record.configuration.as_mut().filter(|(_, it)| *it == before)
                {
                    *sha256 = sha256_hex(edited.as_bytes());
                }
            }
            Some(edited)
        }
        (Some(_), None) => None,
        (None, _) if inherited => None,
        (None, profile) => {
            let text = configuration::new(profile.unwrap_or_default());
            if let Some(first) = transaction.plans.first_mut() {
                first.record.configuration = Some((path.clone(), sha256_hex(text.as_bytes())));
                first.record.made(missing_folders(change.snapshot.real_path()));
            }
            Some(text)
        }
    };
    if written.is_some() {
        change.after = written;
    }
    transaction.shared.push(change);
    Ok(())
}

/// Plans that our configuration goes, with the last of the registrations that it serves.
///
/// # Errors
/// It is there and cannot be read.
pub(crate) fn unconfigure(site: &Site, undone: &mut [Undo]) -> anyhow::Result<()> {
    let going: Vec<(Host, Scope)> = undone.iter().map(|it| (it.host, it.scope)).collect();
    for undo in undone {
        let Some((path, sha256)) = undo.record.as_ref().and_then(|it| it.configuration.clone()) else {
            continue;
        };
        let of_user = undo.scope == Scope::User;
        let others =
            registrations(site).into_iter().filter(|(_, scope, _)| (*scope == Scope::User) == of_user);
        if others.into_iter().any(|(host, scope, _)| !going.contains(&(host, scope))) {
            undo.kept = Some((path, sha256));
            continue;
        }
        let mut change = Change::of(&path, undo.scope.access())?;
        match change.before()? {
            Some(text) if sha256_hex(text.as_bytes()) == sha256 => change.after = None,
            Some(_) => undo.notes.push(format!("kept {}: it was changed since", site.shown(&path))),
            None => {}
        }
        undo.configuration = Some(change);
    }
    Ok(())
}

/// What is registered here, and the keys of the records.
fn registrations(site: &Site) -> Vec<(Host, Scope, PathBuf)> {
    let mut all = Vec::new();
    for scope in Scope::ALL {
        let path = site.settings(scope);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if settings::registered(&text).is_ok_and(|it| !it.is_empty()) {
            all.push((Host::Claude, scope, path));
        }
    }
    // One folder serves both scopes of a project.
    for scope in [Scope::Local, Scope::User] {
        let folder = site.opencode_folder(scope);
        if opencode::found::is_registered(&folder) {
            let recorded = Record::load(site, &folder).ok().flatten().map_or(scope, |it| it.scope);
            all.push((Host::OpenCode, recorded, folder));
        }
    }
    all
}

/// Removes the folders that we made, and forgets the records. What another registration still uses is undone with that
/// one. The records go last, so that a run that is killed is finished by the next one.
///
/// # Errors
/// A folder or a record cannot be written.
pub(crate) fn hand_over(site: &Site, undone: &[Undo]) -> anyhow::Result<()> {
    let undone_records = || undone.iter().filter_map(|it| it.record.as_ref());
    let mut others = Record::all(site);
    others.retain(|other| undone_records().all(|it| it.settings != other.settings));
    let mut folders: Vec<PathBuf> = undone.iter().flat_map(|it| it.folders.clone()).collect();
    folders.sort();
    folders.dedup();
    let unused = |it: &&PathBuf| !others.iter().any(|other| other.keeps_empty(it));
    remove_empty(&folders.iter().filter(unused).cloned().collect::<Vec<_>>())?;
    folders.retain(|it| it.is_dir());
    let kept = undone.iter().find_map(|it| it.kept.clone());
    for mut other in others {
        // Those of other projects share nothing but folders of the user's.
        let here = Scope::ALL.iter().any(|scope| site.key(other.host, *scope) == other.settings);
        let kept = kept.as_ref().filter(|_| here);
        let used = |folder: &&PathBuf| {
            other.settings.starts_with(folder)
                || other.keeps_empty(folder)
                || other.files.iter().any(|(file, _)| file.starts_with(folder))
                || kept.is_some_and(|(file, _)| file.starts_with(folder))
        };
        let inherited: Vec<PathBuf> = folders.iter().filter(used).cloned().collect();
        other.made(inherited);
        let same = |undo: &Undo| (undo.scope == Scope::User) == (other.scope == Scope::User);
        if undone.iter().any(same) {
            other.configuration = other.configuration.or_else(|| kept.cloned());
        }
        other.store(site)?;
    }
    undone_records().try_for_each(|it| it.forget(site))
}
