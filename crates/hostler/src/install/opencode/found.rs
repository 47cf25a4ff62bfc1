//! What of ours is where `OpenCode` looks for it.

use std::path::{Path, PathBuf};

use hostler_host::opencode::settings::{self, Flavour, Listed, Registered};

use super::super::files::{self, State};
use super::super::record::Record;
use super::super::{Scope, Site, stamp};
use super::{CONFIGURATIONS, FOLDER_FILE, plugin_paths};

/// A plugin of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plugin {
    pub(crate) path: PathBuf,
    pub(crate) flavour: Flavour,
    /// Version of the binary that wrote it; nothing if it does not say.
    pub(crate) version: Option<String>,
    /// Somebody changed it.
    pub(crate) edited: bool,
    /// The binary that it starts.
    pub(crate) binary: Option<PathBuf>,
}

/// A configuration that the client reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Configuration {
    pub(crate) path: PathBuf,
    /// Why it cannot be read.
    pub(crate) fault: Option<String>,
    pub(crate) server: Option<Registered>,
    /// Plugins that it lists by itself.
    pub(crate) listed: Vec<Listed>,
}

/// One folder in which something of ours can be.
#[derive(Debug)]
pub(crate) struct Source {
    /// As recorded; else by the place.
    pub(crate) scope: Scope,
    pub(crate) folder: PathBuf,
    pub(crate) plugins: Vec<Plugin>,
    pub(crate) configurations: Vec<Configuration>,
    /// There is a record of an `init`.
    pub(crate) recorded: bool,
}

impl Source {
    /// The plugin is there.
    pub(crate) fn is_registered(&self) -> bool {
        !self.plugins.is_empty()
    }
}

/// The project's, then the user's.
pub(crate) fn sources(site: &Site) -> Vec<Source> {
    let mut sources: Vec<Source> = [Scope::Local, Scope::User].map(|scope| source(site, scope)).into();
    sources.dedup_by(|a, b| super::super::binary::same_file(&a.folder, &b.folder));
    sources
}

fn source(site: &Site, scope: Scope) -> Source {
    let folder = site.opencode_folder(scope);
    let record = Record::load(site, &folder).ok().flatten();
    let mut folders = vec![folder.clone()];
    if scope != Scope::User {
        folders.insert(0, site.project.root.clone());
    }
    let files = folders.iter().flat_map(|folder| CONFIGURATIONS.map(|name| folder.join(name)));
    let plugins =
        plugin_paths(&folder).into_iter().filter_map(|path| plugin(&path, record.as_ref())).collect();
    Source {
        scope: record.as_ref().map_or(scope, |it| it.scope),
        plugins,
        configurations: files.filter_map(configuration).collect(),
        recorded: record.is_some(),
        folder,
    }
}

/// Whether a plugin of ours lies in `folder`.
pub(crate) fn is_registered(folder: &Path) -> bool {
    plugin_paths(folder).iter().any(|path| plugin(path, None).is_some())
}

fn plugin(path: &Path, record: Option<&Record>) -> Option<Plugin> {
    let text = std::fs::read_to_string(path).ok()?;
    let state = files::state(Some(&text), record.and_then(|it| it.sha256_of(path)));
    let edited = match state {
        State::Ours => false,
        State::Edited => true,
        State::Others | State::Absent => return None,
    };
    let flavour = if path.ends_with(FOLDER_FILE) { Flavour::Two } else { Flavour::One };
    let version = stamp::read(&text).map(|it| it.version);
    let binary = settings::plugin_binary(&text).map(PathBuf::from);
    Some(Plugin { path: path.to_path_buf(), flavour, version, edited, binary })
}

fn configuration(path: PathBuf) -> Option<Configuration> {
    let text = match std::fs::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => Err(error.to_string()),
        Ok(bytes) => {
            hostler_host::jsonc::decode(&bytes).map(str::to_owned).map_err(|error| error.to_string())
        }
    };
    let read = text.and_then(|text| {
        let both = settings::registered(&text).and_then(|server| Ok((server, settings::listed(&text)?)));
        both.map_err(|error| error.to_string())
    });
    Some(match read {
        Ok((server, listed)) => Configuration { path, fault: None, server, listed },
        Err(fault) => Configuration { path, fault: Some(fault), server: None, listed: Vec::new() },
    })
}
