//! What was changed when: one line an update, and the documents that the lines build on.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Map, Value, json};

use super::Error;
use crate::file::parts::{self, Original};
use crate::file::{self, Access, LEFTOVER_PREFIX};
use crate::journal::{date, sha256_hex};
use crate::log;

/// Version of a line.
const VERSION: u64 = 1;

/// A moment in the forms that we write.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) ms: i64,
}

impl Moment {
    pub(super) fn now() -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self { ms: i64::try_from(since.as_millis()).unwrap_or(i64::MAX) }
    }

    fn parts(self) -> (String, i64, i64, i64) {
        let seconds = self.ms.div_euclid(1000);
        let of_day = seconds.rem_euclid(86_400);
        (date(seconds), of_day / 3600, of_day / 60 % 60, of_day % 60)
    }

    /// RFC 3339, UTC.
    pub(super) fn text(self) -> String {
        let (date, hour, minute, second) = self.parts();
        format!("{date}T{hour:02}:{minute:02}:{second:02}Z")
    }

    /// For names of files.
    pub(super) fn compact(self) -> String {
        let (date, hour, minute, second) = self.parts();
        format!("{}T{hour:02}{minute:02}{second:02}Z", date.replace('-', ""))
    }
}

/// The folder with lock, ledger and backups of a project's contexts.
#[derive(Debug, Clone)]
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn lock(&self) -> PathBuf {
        self.0.join("lock")
    }

    fn ledger(&self) -> PathBuf {
        self.0.join("ledger.jsonl")
    }

    /// The mark that lines on `real` have a document to build on.
    fn known(&self, real: &Path) -> PathBuf {
        self.0.join("known").join(&sha256_hex(real.as_os_str().as_encoded_bytes())[..12])
    }

    /// Whether there are lines on `real`.
    pub(super) fn is_known(&self, real: &Path) -> bool {
        self.known(real).is_file()
    }

    /// Whether the coming lines need a document to build on: there are none yet, or they were just archived.
    pub(super) fn needs_base(&self, real: &Path) -> bool {
        // A full ledger goes to the archive before the next line.
        let full = std::fs::metadata(self.ledger()).map_or(true, |it| log::ROTATE_BYTES <= it.len());
        full || !self.is_known(real)
    }

    pub(super) fn set_known(&self, real: &Path) -> Result<(), Error> {
        if self.is_known(real) {
            Ok(())
        } else {
            Ok(file::write_atomic(&self.known(real), real.as_os_str().as_encoded_bytes())?)
        }
    }

    /// Keeps a document that the coming lines build on; returns the backup's name.
    pub(super) fn back_up(&self, bytes: &[u8], of: &Original, now: Moment) -> Result<String, Error> {
        let stem = format!("{}-{}", now.compact(), &sha256_hex(bytes)[..12]);
        let mut copy = 1_u32;
        loop {
            let name = if copy == 1 { format!("{stem}.json") } else { format!("{stem}_{copy}.json") };
            if parts::keep(&self.0.join("backup").join(&name), bytes, of, LEFTOVER_PREFIX, Access::Private)? {
                return Ok(name);
            }
            copy += 1;
        }
    }

    /// Appends a line about `real`.
    pub(super) fn append(&self, real: &Path, now: Moment, what: Map<String, Value>) -> Result<(), Error> {
        let mut line = String::with_capacity(256);
        let head = [
            ("v", json!(VERSION)),
            ("time", json!(now.text())),
            ("time_ms", json!(now.ms)),
            ("file", json!(real.to_string_lossy())),
        ];
        let head = head.into_iter().map(|(name, value)| (name.to_owned(), value));
        for (name, value) in head.chain(what) {
            line.push(if line.is_empty() { '{' } else { ',' });
            line.extend([&Value::from(name).to_string(), ":", &value.to_string()]);
        }
        line.push('}');
        Ok(log::append(&self.ledger(), &line, now.ms)?)
    }

    /// What happened to `real` since the newest document that lines build on.
    pub(super) fn history(&self, real: &Path) -> History {
        let mut history = History::default();
        let name = real.to_string_lossy();
        // What undoes the last line of a file may be the first of the next.
        let mut undone = 0_usize;
        for path in self.files() {
            let Ok(bytes) = std::fs::read(&path) else { continue };
            let mut lines: Vec<Map<String, Value>> = Vec::new();
            let mut carried = 0;
            for line in bytes.split(|it| *it == b'\n').filter(|it| !it.is_empty()) {
                match serde_json::from_slice(line) {
                    Ok(Value::Object(line)) if line.get("file") == Some(&Value::from(name.as_ref())) => {
                        if !line.contains_key("undone") {
                            lines.push(line);
                        } else if lines.pop().is_none() {
                            carried += 1;
                        }
                    }
                    Ok(_) => {}
                    Err(_) => history.unreadable += 1,
                }
            }
            lines.truncate(lines.len().saturating_sub(undone));
            undone = carried;
            let base = lines.iter().rposition(|it| it.contains_key("backup") || it.contains_key("created"));
            if let Some(base) = base {
                lines.drain(..base);
            }
            lines.append(&mut history.lines);
            history.lines = lines;
            if base.is_some() {
                break;
            }
        }
        history.base = self.base(&history.lines);
        history
    }

    /// The document that the first line builds on. Without any line: the newest that there is.
    fn base(&self, lines: &[Map<String, Value>]) -> Option<Vec<u8>> {
        let folder = self.0.join("backup");
        let name = match lines.first() {
            Some(line) => line.get("backup")?.as_str()?.to_owned(),
            None if !self.ledger().exists() => {
                let names = std::fs::read_dir(&folder).ok()?.flatten();
                names
                    .filter_map(|it| it.file_name().into_string().ok())
                    .filter(|it| Path::new(it).extension().is_some_and(|it| it == "json"))
                    .max()?
            }
            None => return None,
        };
        std::fs::read(folder.join(name)).ok()
    }

    /// The ledger's files, the newest first.
    fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.0.join("archive")).into_iter().flatten().flatten();
        let mut archived: Vec<((i64, u32), PathBuf)> = entries
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let moment = name.strip_prefix("ledger_")?.strip_suffix(".jsonl")?;
                let (seconds, copy) = moment.split_once('_').unwrap_or((moment, "1"));
                Some(((seconds.parse().ok()?, copy.parse().ok()?), entry.path()))
            })
            .collect();
        archived.sort();
        std::iter::once(self.ledger()).chain(archived.into_iter().rev().map(|(_, path)| path)).collect()
    }
}

/// What happened to a file.
#[derive(Debug, Default)]
pub(super) struct History {
    /// The document that the lines build on.
    pub(super) base: Option<Vec<u8>>,
    /// The oldest first.
    pub(super) lines: Vec<Map<String, Value>>,
    /// Lines that a crash cut short.
    pub(super) unreadable: usize,
}
