//! What is registered where: settings files and enabled plugins.

use std::path::{Path, PathBuf};

use hostler_host::claude::settings::{self, Registered};
use hostler_host::claude::status_line;
use hostler_ledger::file::Snapshot;

use super::{Scope, Site, change};

/// The name under which our plugin is published.
const PLUGIN: &str = "hostler";
/// The program that the plugin's entries start.
const LAUNCHER: &str = "hostler-launcher";

/// Where entries can stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A settings file.
    Settings(Scope),
    /// The local settings of the main work tree, seen from a linked one.
    MainWorkTree,
    /// An enabled plugin, by `plugin@marketplace`; with its folder.
    Plugin(String, PathBuf),
}

/// One place where entries of ours can stand.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) origin: Origin,
    /// The file.
    pub(crate) path: PathBuf,
    /// Its text, nothing if there is no file, or why it cannot be read.
    pub(crate) text: Result<Option<String>, String>,
    /// Entries of ours in it.
    pub(crate) entries: Vec<Registered>,
}

impl Source {
    pub(crate) fn is_registered(&self) -> bool {
        !self.entries.is_empty()
    }

    /// Whether the client runs both entries of an event: it drops repeated commands of settings files, but
    /// does not compare them with those of plugins.
    pub(crate) fn adds_to(&self, other: &Self) -> bool {
        let plugin = |it: &Self| matches!(it.origin, Origin::Plugin(..));
        let command = |it: &Self| it.entries.first().map(|entry| (entry.command.clone(), entry.form.clone()));
        plugin(self) || plugin(other) || command(self) != command(other)
    }

    /// For people.
    pub(crate) fn shown(&self, site: &Site) -> String {
        match &self.origin {
            Origin::Settings(_) | Origin::MainWorkTree => format!("`{}`", site.shown(&self.path)),
            Origin::Plugin(name, _) => format!("the plugin `{name}`"),
        }
    }
}

/// Whether a settings file other than `path` has a status line that is not ours.
pub(crate) fn status_line_elsewhere(site: &Site, path: &Path) -> bool {
    let others = sources(site).into_iter().filter(|source| !super::binary::same_file(&source.path, path));
    others.filter_map(|source| source.text.ok().flatten()).any(|text| {
        // A file that cannot be read is one that the client ignores.
        status_line::owner(&text) == Ok(status_line::Owner::Others)
    })
}

/// All places, strongest first.
pub(crate) fn sources(site: &Site) -> Vec<Source> {
    let mut sources: Vec<Source> =
        Scope::ALL.map(|scope| settings_source(Origin::Settings(scope), site.settings(scope))).into();
    // The client reads the main work tree's local settings in linked ones too.
    let main = site.main_work_tree().map(|root| root.join(".claude/settings.local.json"));
    sources.splice(1..1, main.map(|path| settings_source(Origin::MainWorkTree, path)));
    // At home, two scopes are one file.
    sources.dedup_by(|a, b| super::binary::same_file(&a.path, &b.path));
    let enabled = enabled_plugins(&sources);
    sources.extend(enabled.into_iter().filter_map(|name| plugin_source(site, name)));
    sources
}

fn settings_source(origin: Origin, path: PathBuf) -> Source {
    let text = read(&path);
    let (text, entries) = match text {
        Ok(Some(text)) => match settings::registered(&text) {
            Ok(entries) => (Ok(Some(text)), entries),
            Err(error) => (Err(change::at(&path, &error).to_string()), Vec::new()),
        },
        other => (other, Vec::new()),
    };
    Source { origin, path, text, entries }
}

fn read(path: &Path) -> Result<Option<String>, String> {
    let snapshot = Snapshot::read(path).map_err(|error| error.to_string())?;
    let Some(bytes) = snapshot.bytes() else { return Ok(None) };
    let text = hostler_host::jsonc::decode(bytes).map_err(|error| change::at(path, &error).to_string())?;
    Ok(Some(text.to_owned()))
}

/// Plugins of ours that are on; the first file that names one decides.
fn enabled_plugins(sources: &[Source]) -> Vec<String> {
    let mut seen: Vec<(String, bool)> = Vec::new();
    for source in sources {
        let Ok(Some(text)) = &source.text else { continue };
        for (name, on) in settings::enabled_plugins(text).unwrap_or_default() {
            let ours = name.split('@').next() == Some(PLUGIN);
            if ours && !seen.iter().any(|(known, _)| *known == name) {
                seen.push((name, on));
            }
        }
    }
    seen.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).collect()
}

fn plugin_source(site: &Site, name: String) -> Option<Source> {
    let folder = plugin_folder(site, &name)?;
    let path = folder.join("hooks/hooks.json");
    let text = read(&path);
    let (text, entries) = match text {
        Ok(Some(text)) => {
            match settings::registered_as(&text, |command| command.ends_with(&format!("/{LAUNCHER}"))) {
                Ok(mut entries) => {
                    let root = folder.to_string_lossy();
                    for entry in &mut entries {
                        entry.command = entry.command.replace("${CLAUDE_PLUGIN_ROOT}", &root);
                    }
                    (Ok(Some(text)), entries)
                }
                Err(error) => (Err(change::at(&path, &error).to_string()), Vec::new()),
            }
        }
        other => (other, Vec::new()),
    };
    Some(Source { origin: Origin::Plugin(name, folder), path, text, entries })
}

/// The folder that the client loads a plugin from: what its own list says, else the newest in its cache.
fn plugin_folder(site: &Site, name: &str) -> Option<PathBuf> {
    let plugins = site.claude_home().join("plugins");
    let listed = std::fs::read(plugins.join("installed_plugins.json")).ok();
    let listed = listed.and_then(|list| settings::plugin_folder(&list, name)).map(PathBuf::from);
    if let Some(folder) = listed.filter(|it| it.is_dir()) {
        return Some(folder);
    }
    let (plugin, market) = name.split_once('@')?;
    let versions = std::fs::read_dir(plugins.join("cache").join(market).join(plugin)).ok()?;
    versions.flatten().map(|it| it.path()).filter(|it| it.is_dir()).max()
}

/// What to do where the next run of chezmoi would undo an edit of `path`.
pub(crate) fn managed_by_chezmoi(site: &Site, path: &Path) -> Option<String> {
    let source = chezmoi_source(site, path)?;
    Some(format!(
        "`{}` is managed by chezmoi, whose next `apply` would undo this; run `chezmoi re-add '{}'`",
        path.display(),
        source.display()
    ))
}

/// The file that chezmoi would write `path` from, if it manages it.
fn chezmoi_source(site: &Site, path: &Path) -> Option<PathBuf> {
    let data = site.dirs.data.parent()?;
    let relative = path.strip_prefix(&site.dirs.home).ok()?;
    let mut folders = vec![data.join("chezmoi")];
    for component in relative.parent()?.components() {
        let name = component.as_os_str().to_string_lossy().into_owned();
        folders = folders
            .iter()
            .flat_map(|folder| chezmoi_names(&name).map(|it| folder.join(it)))
            .filter(|it| it.is_dir())
            .collect();
    }
    let name = relative.file_name()?.to_string_lossy().into_owned();
    let names: Vec<String> = chezmoi_names(&name).flat_map(|it| [format!("{it}.tmpl"), it]).collect();
    folders.iter().flat_map(|folder| names.iter().map(|it| folder.join(it))).find(|it| it.is_file())
}

/// How chezmoi may spell a name in its source folder.
fn chezmoi_names(name: &str) -> impl Iterator<Item = String> {
    let dotted = name.strip_prefix('.').map_or_else(|| name.to_owned(), |rest| format!("dot_{rest}"));
    ["", "private_", "modify_", "create_", "modify_private_", "create_private_", "exact_", "private_exact_"]
        .into_iter()
        .map(move |prefix| format!("{prefix}{dotted}"))
}
