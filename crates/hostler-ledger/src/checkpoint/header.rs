//! What a checkpoint says about itself: the body of its commit, or the start of its manifest.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::scan::{Entry, Found};
use super::{Request, git};

/// The version that this build writes, and the newest that it reads.
pub(super) const VERSION: u32 = 1;

/// What was kept, when and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Version of this structure.
    pub version: u32,
    /// The host's session.
    pub session: String,
    /// Counts a session's checkpoints, from 1.
    pub number: u64,
    /// The tool use id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Why, in words.
    pub reason: String,
    /// When, in milliseconds since 1970.
    pub time_ms: i64,
    /// The project's top folder; relative paths below start here.
    pub root: PathText,
    /// The linked work tree's name; `None` for the main one and outside git.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// The commit that was checked out, where it could be told from files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// What was asked for.
    pub paths: Vec<PathText>,
    /// What was asked for and did not exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<PathText>,
    /// Folders without entries: git keeps none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub empty_folders: Vec<PathText>,
    /// What could not be kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Skipped>,
    /// Permission bits.
    #[serde(default)]
    pub modes: Modes,
    /// Files and links.
    pub files: usize,
    /// Their size.
    pub bytes: u64,
}

/// What could not be kept, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// Which.
    pub path: PathText,
    /// Why.
    pub reason: String,
}

/// Permission bits: the common value per kind, and the exceptions. Git itself keeps only the executable bit,
/// which would restore a private file as a readable one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Modes {
    /// Of files that cannot be executed, in octal.
    pub file: String,
    /// Of files that can be executed.
    pub executable: String,
    /// Of folders.
    pub folder: String,
    /// Octal mode to paths.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub exceptions: BTreeMap<String, Vec<PathText>>,
}

/// One kept file or link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// Relative to the checkpoint's root, or absolute when it lies outside.
    pub path: PathBuf,
    /// What it is.
    pub kind: Kind,
    /// Permission bits.
    pub mode: u32,
    /// Size of the file, or length of the link's target.
    pub bytes: u64,
    /// When it was last changed, in nanoseconds since 1970; copies alone keep it.
    pub modified_ns: Option<i128>,
    /// The object's name, or the copy's file name.
    pub(super) content: String,
}

/// What a kept path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
}

/// A path that survives JSON: text where it is UTF-8, else its bytes in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "PathRepresentation", try_from = "PathRepresentation")]
pub struct PathText(pub PathBuf);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum PathRepresentation {
    Text(String),
    Bytes { bytes_hex: String },
}

impl From<PathText> for PathRepresentation {
    fn from(PathText(path): PathText) -> Self {
        use std::fmt::Write;
        match path.into_os_string().into_string() {
            Ok(text) => Self::Text(text),
            Err(raw) => {
                let mut bytes_hex = String::with_capacity(raw.len() * 2);
                for byte in raw.as_bytes() {
                    // Writing to a `String` cannot fail.
                    let _ = write!(bytes_hex, "{byte:02x}");
                }
                Self::Bytes { bytes_hex }
            }
        }
    }
}

impl TryFrom<PathRepresentation> for PathText {
    type Error = String;

    fn try_from(it: PathRepresentation) -> Result<Self, String> {
        match it {
            PathRepresentation::Text(text) => Ok(Self(text.into())),
            PathRepresentation::Bytes { bytes_hex } => {
                let bad = || format!("`{bytes_hex}` is not hexadecimal");
                let digits: Option<Vec<u8>> = bytes_hex
                    .chars()
                    .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
                    .collect();
                let digits = digits.filter(|it| it.len() % 2 == 0).ok_or_else(bad)?;
                let bytes = digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect();
                Ok(Self(OsString::from_vec(bytes).into()))
            }
        }
    }
}

impl Header {
    pub(super) fn new(request: &Request<'_>, number: u64, found: &Found) -> Self {
        let text = |paths: &[PathBuf]| paths.iter().cloned().map(PathText).collect::<Vec<_>>();
        Self {
            version: VERSION,
            session: request.session.to_string(),
            number,
            call: request.call.map(str::to_owned),
            reason: request.reason.chars().take(500).collect(),
            time_ms: request.time_ms,
            root: PathText(found.root.clone()),
            worktree: git::worktree_of(request.place),
            head: git::head_of(request.place),
            paths: text(&found.paths),
            absent: text(&found.absent),
            empty_folders: text(&found.empty_folders),
            skipped: found.skipped.clone(),
            modes: Modes::of(found),
            files: 0,
            bytes: 0,
        }
    }

    /// What was stored in the end: fewer than was found when a file went meanwhile.
    pub(super) fn holds<'e>(&mut self, entries: impl Iterator<Item = &'e Entry>) {
        (self.files, self.bytes) = entries.fold((0, 0), |sum, it| (sum.0 + 1, sum.1 + it.bytes));
    }

    /// Reads a header, refusing one that a newer build wrote.
    pub(super) fn parse(json: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let Version { version } = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        if VERSION < version {
            return Err(format!(
                "it has version {version}, this build reads up to {VERSION}; update hostler"
            ));
        }
        serde_json::from_slice(json).map_err(|error| error.to_string())
    }
}

impl Modes {
    fn of(found: &Found) -> Self {
        let files = || found.entries.iter().filter(|it| it.kind == Kind::File);
        let common = |modes: &mut dyn Iterator<Item = u32>, usual: u32| {
            let mut counts = BTreeMap::<u32, usize>::new();
            modes.for_each(|mode| *counts.entry(mode).or_default() += 1);
            counts.into_iter().max_by_key(|&(_, count)| count).map_or(usual, |(mode, _)| mode)
        };
        let file = common(&mut files().map(|it| it.mode).filter(|mode| mode & 0o111 == 0), 0o644);
        let executable = common(&mut files().map(|it| it.mode).filter(|mode| mode & 0o111 != 0), 0o755);
        let folder = common(&mut found.folders.iter().map(|(_, mode)| *mode), 0o755);
        let mut exceptions = BTreeMap::<String, Vec<PathText>>::new();
        let mut except = |path: &Path, mode: u32, usual: u32| {
            if mode != usual {
                exceptions.entry(octal(mode)).or_default().push(PathText(path.to_path_buf()));
            }
        };
        for it in files() {
            except(&it.path, it.mode, if it.mode & 0o111 == 0 { file } else { executable });
        }
        for (path, mode) in &found.folders {
            except(path, *mode, folder);
        }
        Self { file: octal(file), executable: octal(executable), folder: octal(folder), exceptions }
    }

    /// The exceptions by path.
    pub(super) fn by_path(&self) -> BTreeMap<&Path, u32> {
        self.exceptions
            .iter()
            .filter_map(|(mode, paths)| Some((parse_octal(mode)?, paths)))
            .flat_map(|(mode, paths)| paths.iter().map(move |path| (path.0.as_path(), mode)))
            .collect()
    }

    pub(super) fn usual(&self, executable: bool) -> u32 {
        let (text, usual) = if executable { (&self.executable, 0o755) } else { (&self.file, 0o644) };
        parse_octal(text).unwrap_or(usual)
    }

    pub(super) fn usual_folder(&self) -> u32 {
        parse_octal(&self.folder).unwrap_or(0o755)
    }
}

fn octal(mode: u32) -> String {
    format!("{mode:o}")
}

fn parse_octal(text: &str) -> Option<u32> {
    u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o777)
}
