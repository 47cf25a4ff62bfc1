//! What an `init` did, kept in the state folder until `uninit` takes it back.

use std::path::{Path, PathBuf};

use anyhow::Context;
use hostler_host::jsonc::Ledger;
use hostler_host::opencode::boot::{LOCK, MODULES};
use hostler_ledger::journal::sha256_hex;
use serde::{Deserialize, Serialize};

use super::{Host, Scope, Site};

/// Format of the file; a reader refuses a newer one, since it could not undo what it does not know.
const VERSION: u32 = 3;

/// The part that every version has.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// One settings file and what came with it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Record {
    version: u32,
    /// Version of the binary that wrote it.
    pub(crate) hostler: String,
    pub(crate) host: Host,
    pub(crate) scope: Scope,
    /// The settings file, as it is named, links not followed; for `OpenCode` its folder, whose configuration is
    /// [`Self::edited`].
    pub(crate) settings: PathBuf,
    /// The settings file that was edited, where it is another than `settings`.
    #[serde(default)]
    pub(crate) edited: Option<PathBuf>,
    /// The registered path.
    pub(crate) command: String,
    /// What insertions did to the containers of the settings.
    pub(crate) ledger: Ledger,
    /// There was no settings file.
    pub(crate) created: bool,
    /// SHA-256 of the settings before the first insertion, if it was us who made that.
    pub(crate) before_sha256: Option<String>,
    /// SHA-256 of the settings as they were written last.
    pub(crate) after_sha256: String,
    /// Folders that were made for the files below, outermost first.
    pub(crate) folders: Vec<PathBuf>,
    /// Files that were written as a whole, with the SHA-256 of their texts.
    #[serde(default)]
    pub(crate) files: Vec<(PathBuf, String)>,
    /// The status line was registered in the settings.
    #[serde(default)]
    pub(crate) status_line: bool,
    /// Configuration that was created, with the SHA-256 of its text.
    pub(crate) configuration: Option<(PathBuf, String)>,
    /// A git exclude file and the lines that were added to it.
    pub(crate) exclude: Option<(PathBuf, String)>,
}

impl Record {
    /// A record of nothing yet; `before` is the text without us.
    pub(crate) fn new(host: Host, scope: Scope, settings: &Path, before: Option<&str>) -> Self {
        Self {
            version: VERSION,
            hostler: String::new(),
            host,
            scope,
            settings: settings.to_path_buf(),
            edited: None,
            command: String::new(),
            ledger: Ledger::default(),
            created: before.is_none(),
            before_sha256: before.map(|text| sha256_hex(text.as_bytes())),
            after_sha256: String::new(),
            folders: Vec::new(),
            files: Vec::new(),
            status_line: false,
            configuration: None,
            exclude: None,
        }
    }

    /// Reads the record of a settings file.
    ///
    /// # Errors
    /// It is there but cannot be understood.
    pub(crate) fn load(site: &Site, settings: &Path) -> anyhow::Result<Option<Self>> {
        let path = path(site, settings);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot read `{}`", path.display())),
        };
        let damaged = || format!("`{}` is damaged; remove it to go on without it", path.display());
        let Versioned { version } = serde_json::from_slice(&bytes).with_context(damaged)?;
        anyhow::ensure!(
            version <= VERSION,
            "`{}` has version {version}, this build knows {VERSION}; update hostler",
            path.display()
        );
        Ok(Some(serde_json::from_slice(&bytes).with_context(damaged)?))
    }

    /// The digest that a file had when we wrote it.
    pub(crate) fn sha256_of(&self, path: &Path) -> Option<&str> {
        self.files.iter().find(|(known, _)| known == path).map(|(_, sha256)| sha256.as_str())
    }

    /// Whether `folder` is one of packages that a lock of this record keeps the client from filling.
    pub(crate) fn keeps_empty(&self, folder: &Path) -> bool {
        let lock = || Some(folder.parent()?.join(LOCK));
        folder.ends_with(MODULES) && lock().is_some_and(|it| self.sha256_of(&it).is_some())
    }

    /// Notes that `path` holds `text`.
    pub(crate) fn wrote(&mut self, path: &Path, text: &str) {
        self.files.retain(|(known, _)| known != path);
        self.files.push((path.to_path_buf(), sha256_hex(text.as_bytes())));
    }

    /// Notes folders that are made.
    pub(crate) fn made(&mut self, folders: impl IntoIterator<Item = PathBuf>) {
        self.folders.extend(folders);
        self.folders.sort();
        self.folders.dedup();
    }

    /// Every record of this user whose place is still there; what cannot be read is left out.
    pub(crate) fn all(site: &Site) -> Vec<Self> {
        let entries = std::fs::read_dir(site.installs()).into_iter().flatten().flatten();
        let paths = entries.map(|it| it.path()).filter(|it| it.extension().is_some_and(|it| it == "json"));
        let read = |path: PathBuf| serde_json::from_slice::<Self>(&std::fs::read(path).ok()?).ok();
        let mut all: Vec<Self> =
            paths.filter_map(read).filter(|it| it.version <= VERSION && it.settings.exists()).collect();
        all.sort_by(|a, b| a.settings.cmp(&b.settings));
        all
    }

    /// Writes the record, if it says something new.
    pub(crate) fn store(&self, site: &Site) -> anyhow::Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        let path = path(site, &self.settings);
        if std::fs::read(&path).is_ok_and(|known| known == text.as_bytes()) {
            return Ok(());
        }
        Ok(hostler_ledger::file::write_atomic(&path, text.as_bytes())?)
    }

    /// Forgets the record and its backup.
    pub(crate) fn forget(&self, site: &Site) -> anyhow::Result<()> {
        for path in [path(site, &self.settings), backup(site, &self.settings)] {
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error).with_context(|| format!("cannot remove `{}`", path.display()));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The exact bytes from before, where nobody touched the settings since; else `after`. `empty` is what a file of ours
/// alone comes to.
pub(crate) fn restore(
    site: &Site,
    record: &Record,
    current: &str,
    after: Option<String>,
    empty: &str,
) -> Option<String> {
    if record.created && after.as_deref() == Some(empty) {
        return None;
    }
    let sha = |text: &str| sha256_hex(text.as_bytes());
    let untouched = sha(current) == record.after_sha256;
    let differs = after.as_deref().map(sha) != record.before_sha256;
    if untouched && differs && record.before_sha256.is_some() {
        let backup = std::fs::read_to_string(backup(site, &record.settings));
        if let Some(backup) = backup.ok().filter(|it| Some(sha(it)) == record.before_sha256) {
            return Some(backup);
        }
    }
    after
}

/// Where the bytes of a settings file from before the last write are kept.
pub(crate) fn backup(site: &Site, settings: &Path) -> PathBuf {
    path(site, settings).with_extension("backup")
}

/// Named by the path of the settings: two projects never share a record.
fn path(site: &Site, settings: &Path) -> PathBuf {
    let digest = sha256_hex(settings.as_os_str().as_encoded_bytes());
    site.installs().join(format!("{}.json", &digest[..24]))
}
