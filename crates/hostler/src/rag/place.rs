//! Where an index lies, and what it is of.

use std::path::{Path, PathBuf};

use hostler_ledger::journal::sha256_hex;

use super::Error;
use crate::config::Config;
use crate::dirs::Dirs;
use crate::project::Project;

/// The variable that names the database, stronger than the configuration.
pub(crate) const DB_VARIABLE: &str = "RAG_DB";

/// Where an index lies.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The database.
    pub(crate) db: PathBuf,
    /// What is indexed when neither the caller nor the index names a folder.
    pub(crate) root: PathBuf,
    /// What is configured.
    pub(crate) config: Config,
}

impl Place {
    /// The place for somebody who works in `directory`.
    ///
    /// # Errors
    /// No database is named, and there is no home folder to keep one in.
    pub(crate) fn of(directory: &Path) -> Result<Self, Error> {
        let project = Project::find(directory);
        let dirs = Dirs::from_env();
        let config = Config::load(dirs.as_ref().ok(), &project);
        let home = dirs.as_ref().ok().map(|dirs| dirs.home.clone());
        let db = match named(DB_VARIABLE, home.as_deref(), directory) {
            Some(db) => db,
            None => match (&config.rag.db, dirs) {
                (Some(db), _) => db.clone(),
                (None, Ok(dirs)) => dirs.data.join("projects").join(project.key()).join(file_name(&project)),
                (None, Err(error)) => {
                    return Err(Error::Usage(format!("{error}, or name the database with `{DB_VARIABLE}`")));
                }
            },
        };
        Ok(Self { db, root: project.root, config })
    }

    /// The place for an index of `root`: its project's database, unless one is named for all.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub(crate) fn of_root(directory: &Path, root: &Path) -> Result<Self, Error> {
        let root = hostler_model::lexical::absolute(directory, root);
        let named = std::env::var_os(DB_VARIABLE).is_some_and(|it| !it.is_empty());
        let project = if named { directory } else { &root };
        Ok(Self { root: root.clone(), ..Self::of(project)? })
    }
}

/// The path in a variable, `~/` and relative ones resolved.
fn named(variable: &str, home: Option<&Path>, directory: &Path) -> Option<PathBuf> {
    let value = PathBuf::from(std::env::var_os(variable).filter(|it| !it.is_empty())?);
    Some(match (value.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => hostler_model::lexical::absolute(directory, &value),
    })
}

/// Work trees share a project's key and differ in their files, so each has an index of its own.
fn file_name(project: &Project) -> String {
    if project.git_dir == project.git_common_dir {
        return "index.db".to_owned();
    }
    format!("index-{}.db", &sha256_hex(project.root.as_os_str().as_encoded_bytes())[..12])
}
