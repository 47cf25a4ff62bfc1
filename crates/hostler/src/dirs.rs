//! Where files of ours live: the XDG base directories, read from the environment once.

use std::path::{Path, PathBuf};

use hostler_ledger::signature::Keys;

/// Base folders. Every path is absolute.
#[derive(Debug, Clone)]
pub(crate) struct Dirs {
    /// The user's home folder.
    pub(crate) home: PathBuf,
    /// `$XDG_CONFIG_HOME/hostler`: the user's configuration.
    pub(crate) config: PathBuf,
    /// `$XDG_STATE_HOME/hostler`: evidence and per-session state.
    pub(crate) state: PathBuf,
    /// `$XDG_DATA_HOME/hostler`: indexes, and the signing key.
    pub(crate) data: PathBuf,
}

impl Dirs {
    /// Reads `HOME` and the `XDG_*` variables; relative values are ignored, as the specification asks.
    ///
    /// # Errors
    /// When `HOME` is unset or not absolute.
    pub(crate) fn from_env() -> anyhow::Result<Self> {
        let absolute =
            |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute("HOME")
            .ok_or_else(|| anyhow::anyhow!("`HOME` is not set to an absolute path; set it and try again"))?;
        let base = |name: &str, fallback: &str| {
            absolute(name).unwrap_or_else(|| home.join(fallback)).join("hostler")
        };
        Ok(Self {
            config: base("XDG_CONFIG_HOME", ".config"),
            state: base("XDG_STATE_HOME", ".local/state"),
            data: base("XDG_DATA_HOME", ".local/share"),
            home,
        })
    }

    /// The evidence folder of one project, by [`crate::project::Project::key`].
    pub(crate) fn project_state(&self, key: &str) -> PathBuf {
        self.state.join("projects").join(key)
    }

    /// The key that seals are signed with: outside every project, and in a folder that the guards protect.
    pub(crate) fn keys(&self) -> Keys {
        Keys::new(self.data.join("signing"))
    }

    /// Where a file goes that a command was told to write (`--out`, `--html`): no link, and nothing of ours.
    ///
    /// # Errors
    /// Why it may not go there.
    pub(crate) fn output_path(&self, path: &Path) -> Result<PathBuf, hostler_ledger::file::Error> {
        let ours = [self.state.clone(), self.data.clone(), self.config.clone()];
        hostler_ledger::file::output_path(path, &ours)
    }

    /// `path` with the home folder written as `~`, for messages.
    pub(crate) fn tilde(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => path.display().to_string(),
        }
    }
}
