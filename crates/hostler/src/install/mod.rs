//! Registration of the hooks in a host's settings: planned as text, shown or applied, recorded, undone.
//!
//! The order of writes is the order of harm: first the record of what is about to be done, then our own
//! configuration, last the settings that switch the hooks on. A run that is killed in between leaves
//! settings that are the old or the new ones, and a record that `uninit` can work from.

pub(crate) mod binary;
pub(crate) mod canary;
pub(crate) mod change;
pub(crate) mod claude;
pub(crate) mod configuration;
pub(crate) mod exclude;
pub(crate) mod files;
pub(crate) mod found;
pub(crate) mod opencode;
pub(crate) mod plan;
pub(crate) mod record;
pub(crate) mod shared;
pub(crate) mod stamp;
pub(crate) mod status_line;

use std::path::{Path, PathBuf};

use anyhow::bail;
use hostler_ledger::file::{Access, Lock};

use crate::dirs::Dirs;
use crate::project::Project;

/// A host whose settings we edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Host {
    /// Claude Code
    Claude,
    /// `OpenCode`, of either version.
    #[value(name = "opencode", help = "OpenCode 1 and 2")]
    #[serde(rename = "opencode")]
    OpenCode,
}

impl Host {
    /// In the order in which they are registered.
    pub(crate) const ALL: [Self; 2] = [Self::Claude, Self::OpenCode];

    /// For people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::OpenCode => "OpenCode",
        }
    }

    /// On the command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::OpenCode => "opencode",
        }
    }
}

/// Whose settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Scope {
    /// This project, only for you: `.claude/settings.local.json`, `.opencode` left out of commits
    Local,
    /// This project, for everybody who clones it: `.claude/settings.json`, `.opencode`
    Project,
    /// All your projects: `~/.claude/settings.json`, `~/.config/opencode`
    User,
}

impl Scope {
    /// In the order in which `doctor` and `status` go through them.
    pub(crate) const ALL: [Self; 3] = [Self::Local, Self::Project, Self::User];

    /// As it is written on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Project => "project",
            Self::User => "user",
        }
    }

    /// Who may read files that we create: a home folder is private, a project is as its owner's umask says.
    pub(crate) fn access(self) -> Access {
        if self == Self::User { Access::Private } else { Access::Shared }
    }
}

/// Where an installation happens.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) dirs: Dirs,
    pub(crate) project: Project,
}

impl Site {
    /// The site of the working directory.
    ///
    /// # Errors
    /// No working directory, or no home.
    pub(crate) fn here() -> anyhow::Result<Self> {
        let cwd = std::env::current_dir()
            .map_err(|error| anyhow::anyhow!("the working directory cannot be read: {error}"))?;
        Ok(Self { dirs: Dirs::from_env()?, project: Project::find(&cwd) })
    }

    /// The client's folder for the user.
    pub(crate) fn claude_home(&self) -> PathBuf {
        std::env::var_os("CLAUDE_CONFIG_DIR")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .unwrap_or_else(|| self.dirs.home.join(".claude"))
    }

    /// The settings file of `scope`.
    pub(crate) fn settings(&self, scope: Scope) -> PathBuf {
        match scope {
            Scope::Local => self.project.root.join(".claude/settings.local.json"),
            Scope::Project => self.project.root.join(".claude/settings.json"),
            Scope::User => self.claude_home().join("settings.json"),
        }
    }

    /// The folder of `OpenCode` that belongs to `scope`.
    pub(crate) fn opencode_folder(&self, scope: Scope) -> PathBuf {
        match scope {
            Scope::Local | Scope::Project => self.project.root.join(".opencode"),
            Scope::User => self.dirs.config.with_file_name("opencode"),
        }
    }

    /// What a record of `host` and `scope` is kept under.
    pub(crate) fn key(&self, host: Host, scope: Scope) -> PathBuf {
        match host {
            Host::Claude => self.settings(scope),
            Host::OpenCode => self.opencode_folder(scope),
        }
    }

    /// The configuration file that belongs to `scope`.
    pub(crate) fn configuration(&self, scope: Scope) -> PathBuf {
        match scope {
            Scope::Local | Scope::Project => self.project.root.join(crate::config::PROJECT_FILE),
            Scope::User => self.dirs.config.join("config.toml"),
        }
    }

    /// The main work tree's folder, if this is a linked one.
    pub(crate) fn main_work_tree(&self) -> Option<&Path> {
        let common = self.project.git_common_dir.as_deref()?;
        let linked = Some(common) != self.project.git_dir.as_deref() && common.file_name()? == ".git";
        if linked { common.parent() } else { None }
    }

    /// Whether a linked work tree is configured by its main one.
    pub(crate) fn inherits_configuration(&self) -> bool {
        let own = self.project.root.join(crate::config::PROJECT_FILE);
        crate::config::project_file(&self.project).is_some_and(|file| file != own && file.is_file())
    }

    /// A home folder or a root is no project: its `.claude` is the user's own.
    ///
    /// # Errors
    /// Says which scope to use.
    pub(crate) fn refuse_home_as_project(&self, scope: Scope) -> anyhow::Result<()> {
        let home = std::fs::canonicalize(&self.dirs.home).unwrap_or_else(|_| self.dirs.home.clone());
        let root = &self.project.root;
        if scope != Scope::User && (*root == home || root.parent().is_none()) {
            bail!(
                "`{}` is no project; go to one, or use `--scope user` for all projects",
                self.dirs.tilde(root)
            );
        }
        Ok(())
    }

    /// Keeps other `init` and `uninit` processes out while one reads, edits and writes.
    pub(crate) fn lock(&self) -> anyhow::Result<Lock> {
        Ok(Lock::acquire(&self.installs().join("lock"))?)
    }

    /// Where a file of the user's making is kept before it is replaced or removed.
    pub(crate) fn copy_of(&self, path: &Path) -> PathBuf {
        let digest = hostler_ledger::journal::sha256_hex(path.as_os_str().as_encoded_bytes());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.installs().join("copies").join(format!("{}-{name}", &digest[..12]))
    }

    pub(crate) fn installs(&self) -> PathBuf {
        self.dirs.state.join("installs")
    }

    /// For people: below the project as a relative path, else with `~`.
    pub(crate) fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.project.root) {
            Ok(rest) if !rest.as_os_str().is_empty() => rest.display().to_string(),
            _ => self.dirs.tilde(path),
        }
    }
}
