//! Append-only, hash-chained journals of decisions and tool calls.
//!
//! One file per session, one line per record, `docs/evidence.md` for the format. The chain shows edits,
//! insertions and reordering; a seal shows a missing end; nothing here keeps the same user from rewriting
//! a file as a whole.
//!
//! Invariants: a line is one `write` under the file's lock; a line that could not be written whole is cut
//! off again; no record is ever deleted, files only move to `archive/`.

mod line;
mod read;
mod tail;
mod verify;

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use hostler_model::SessionId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::line::{LINE_BYTES_MAX, Record, Skipped, VERSION, genesis, sha256_hex};
pub use self::read::{Found, Reader, decision_id, files, find_decision, read};
pub use self::verify::{Bad, Continues, Report, verify, verify_all};
pub use crate::error::Error;
use crate::{file, lock};
use line::Parts;
use tail::Tail;

/// Kind of the closing record.
pub const SEAL: &str = "seal";
/// Attribute that names the session, on every line.
pub const SESSION: &str = "gen_ai.conversation.id";
/// A larger journal continues in a new file.
pub const ROTATE_BYTES: u64 = 64 * 1024 * 1024;

/// One line before it is chained.
#[derive(Debug, Clone, Default)]
pub struct Entry {
    /// What it is about: `decision`, `result`, `session`, `fault`.
    pub kind: &'static str,
    /// When, in milliseconds since 1970 (UTC).
    pub time_ms: i64,
    /// Event and tool use id. A second entry with the same key shortly after the first is not written:
    /// hosts run a hook that is registered twice at the same moment.
    pub dedupe: Option<String>,
    /// Waits for the disk: for what blocked a call, and at a session's end.
    pub durable: bool,
    /// Flat; OpenTelemetry `gen_ai.*` names where one exists. Integers up to 2^53 stay numbers, other
    /// numbers become strings. Text is redacted once more when it is written.
    pub attributes: Map<String, Value>,
}

/// What became of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Appended {
    /// It was written.
    Line {
        /// Its number in the session, from 1.
        sequence: u64,
        /// Its hash.
        hash: String,
    },
    /// It stands there already.
    Duplicate {
        /// Number of the record that stands for it.
        sequence: u64,
    },
}

impl Appended {
    /// Number of the record that stands for the entry.
    pub fn sequence(&self) -> u64 {
        match self {
            Self::Line { sequence, .. } | Self::Duplicate { sequence } => *sequence,
        }
    }
}

/// The journal of a session.
pub fn path(project_state: &Path, session: &SessionId) -> PathBuf {
    project_state.join("sessions").join(format!("{session}.jsonl"))
}

/// Appends one line to a session's journal, chained to the last one.
///
/// Parallel processes are kept apart by the file's lock, waited for at most two seconds. What a crash left
/// of a line is closed off and named in the new one. A journal above [`ROTATE_BYTES`] is sealed and moved
/// to the archive first.
///
/// # Errors
/// See [`Error`]. Nothing was written then, or (a failed sync) it was but may not survive a power cut.
pub fn append(project_state: &Path, session: &SessionId, entry: &Entry) -> Result<Appended, Error> {
    append_rotating(project_state, session, entry, ROTATE_BYTES)
}

/// [`append`] with another size to rotate at, for tests.
#[doc(hidden)]
pub fn append_rotating(
    project_state: &Path,
    session: &SessionId,
    entry: &Entry,
    rotate_bytes: u64,
) -> Result<Appended, Error> {
    let mut rotation_error = None;
    loop {
        let Some(mut journal) = Journal::open(project_state, session, true)? else { continue };
        if let Some(sequence) = entry.dedupe.as_deref().and_then(|key| journal.find(key)) {
            return Ok(Appended::Duplicate { sequence });
        }
        if rotate_bytes <= journal.length && rotation_error.is_none() {
            match journal.archive(entry.time_ms) {
                Ok(_) => continue,
                // A journal that is too long is better than a record that is lost.
                Err(error) => rotation_error = Some(error.to_string()),
            }
            continue;
        }
        let written = match &rotation_error {
            None => journal.write(entry)?,
            Some(error) => {
                let mut entry = entry.clone();
                entry.attributes.insert("rotation_error".to_owned(), error.as_str().into());
                journal.write(&entry)?
            }
        };
        let file = journal.file;
        // The lock is not held while the disk is waited for.
        let _ = file.unlock();
        if entry.durable {
            file.sync_data().map_err(Error::io("sync", &journal.path))?;
        }
        return Ok(written);
    }
}

/// Closes a journal with a record of how many records it holds and the hash of the last one, and notes the
/// same beside the journal, so that a missing end is noticed. A journal that ends with a seal stays as it
/// is; one that goes on afterwards can be sealed again. `None` when there is nothing to close.
///
/// # Errors
/// See [`Error`].
pub fn seal(project_state: &Path, session: &SessionId, now_ms: i64) -> Result<Option<u64>, Error> {
    let Some(mut journal) = Journal::open(project_state, session, false)? else { return Ok(None) };
    let Some(head) = journal.seal(now_ms, format!("sessions/{session}.jsonl"))? else { return Ok(None) };
    Ok(Some(head.seq))
}

/// Seals a session's journal and moves it to `archive/YYYY-MM-DD/<session>_<epoch seconds>.jsonl`. It is
/// never copied and never deleted. A later record of the session starts a new file that continues the
/// numbers and the chain. `None` when there is nothing to move.
///
/// # Errors
/// See [`Error`]; the journal stays where it is then.
pub fn archive(project_state: &Path, session: &SessionId, now_ms: i64) -> Result<Option<PathBuf>, Error> {
    match Journal::open(project_state, session, false)? {
        Some(mut journal) => journal.archive(now_ms),
        None => Ok(None),
    }
}

/// Where a session's chain stood when it was last sealed: `sessions/<id>.head.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    pub(crate) v: u64,
    /// Number of the seal.
    pub(crate) seq: u64,
    /// Hash of the seal.
    pub(crate) hash: String,
    /// The file it ends, relative to the project's state folder.
    pub(crate) file: String,
}

impl Head {
    fn path(project_state: &Path, session: &str) -> PathBuf {
        project_state.join("sessions").join(format!("{session}.head.json"))
    }

    pub(crate) fn load(project_state: &Path, session: &str) -> Result<Option<Self>, Error> {
        let path = Self::path(project_state, session);
        let Some(meta) = lock::regular(&path)? else { return Ok(None) };
        if 64 * 1024 < meta.len() {
            return Err(Error::Damaged { path, bytes: meta.len() });
        }
        let bytes = std::fs::read(&path).map_err(Error::io("read", &path))?;
        match serde_json::from_slice(&bytes) {
            Ok(head) => Ok(Some(head)),
            Err(_) => Err(Error::Damaged { path, bytes: meta.len() }),
        }
    }

    fn store(&self, project_state: &Path, session: &str) -> Result<(), Error> {
        let path = Self::path(project_state, session);
        lock::regular(&path)?;
        let text = serde_json::to_vec(self).map_err(|error| Error::io("write", &path)(error.into()))?;
        Ok(file::write_atomic(&path, &text)?)
    }
}

/// A session's journal, open and locked.
struct Journal<'a> {
    project_state: &'a Path,
    session: &'a SessionId,
    path: PathBuf,
    file: File,
    length: u64,
    tail: Tail,
    /// Where the chain stood, for the first line of a file.
    head: Option<Head>,
}

impl<'a> Journal<'a> {
    fn open(project_state: &'a Path, session: &'a SessionId, create: bool) -> Result<Option<Self>, Error> {
        let path = path(project_state, session);
        let Some(file) = lock::open(&path, create)? else { return Ok(None) };
        let length = file.metadata().map_err(Error::io("look at", &path))?.len();
        let tail = Tail::read(&file, &path, length)?;
        let head = match tail.last {
            Some(_) => None,
            None => Head::load(project_state, session.as_str())?,
        };
        Ok(Some(Self { project_state, session, path, file, length, tail, head }))
    }

    /// The record that stands for `dedupe` near the end, or near the end of the file that this one continues.
    fn find(&self, dedupe: &str) -> Option<u64> {
        if let Some(sequence) = self.tail.find(dedupe) {
            return Some(sequence);
        }
        let archived = self.project_state.join(&self.head.as_ref()?.file);
        let file = File::open(&archived).ok()?;
        let length = file.metadata().ok()?.len();
        Tail::read(&file, &archived, length).ok()?.find(dedupe)
    }

    fn write(&mut self, entry: &Entry) -> Result<Appended, Error> {
        let session = self.session.as_str();
        let (sequence, prev) = match (&self.tail.last, &self.head) {
            (Some(last), _) => (last.sequence, last.hash.clone()),
            (None, Some(head)) => (head.seq, head.hash.clone()),
            (None, None) => (0, line::genesis(session)),
        };
        let sequence = sequence + 1;
        let (text, hash) = line::write(&Parts {
            sequence,
            prev: &prev,
            time_ms: entry.time_ms,
            kind: entry.kind,
            dedupe: entry.dedupe.as_deref(),
            skipped: self.tail.skipped.as_ref(),
            continues_file: self.head.as_ref().map(|head| head.file.as_str()),
            session,
            attributes: &entry.attributes,
        })?;
        let mut bytes = Vec::with_capacity(text.len() + 2);
        if !self.tail.closed {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(b'\n');
        write_once(&mut self.file, &self.path, self.length, &bytes)?;
        self.length += bytes.len() as u64;
        Ok(Appended::Line { sequence, hash })
    }

    /// Writes the seal unless it stands there, and notes it as the end of `file`.
    fn seal(&mut self, now_ms: i64, file: String) -> Result<Option<Head>, Error> {
        let Some(last) = self.tail.last.clone() else { return Ok(None) };
        let sealed = last.seal && self.tail.skipped.is_none();
        let (seq, hash) = if sealed {
            (last.sequence, last.hash)
        } else {
            let mut attributes = Map::new();
            attributes.insert("seal.count".to_owned(), last.sequence.into());
            attributes.insert("seal.root".to_owned(), last.hash.into());
            let entry = Entry { kind: SEAL, time_ms: now_ms, attributes, ..Entry::default() };
            match self.write(&entry)? {
                Appended::Line { sequence, hash } => (sequence, hash),
                Appended::Duplicate { .. } => return Ok(None),
            }
        };
        self.file.sync_data().map_err(Error::io("sync", &self.path))?;
        let head = Head { v: 1, seq, hash, file };
        head.store(self.project_state, self.session.as_str())?;
        Ok(Some(head))
    }

    fn archive(&mut self, now_ms: i64) -> Result<Option<PathBuf>, Error> {
        let seconds = now_ms.div_euclid(1000);
        let folder = format!("archive/{}", date(seconds));
        lock::create_folder(&self.project_state.join(&folder))?;
        let mut copy = 1_u32;
        let (name, target) = loop {
            let suffix = if copy == 1 { String::new() } else { format!("_{copy}") };
            let name = format!("{folder}/{}_{seconds}{suffix}.jsonl", self.session);
            let target = self.project_state.join(&name);
            // Names of this session are made under its lock, so a free name stays free.
            if std::fs::symlink_metadata(&target).is_err() {
                break (name, target);
            }
            copy += 1;
        };
        // The note comes first: between it and the move the journal is still there and read for itself.
        if self.seal(now_ms, name)?.is_none() {
            return Ok(None);
        }
        std::fs::rename(&self.path, &target).map_err(Error::io("move", &self.path))?;
        for folder in [target.parent(), self.path.parent()].into_iter().flatten() {
            File::open(folder).and_then(|it| it.sync_all()).map_err(Error::io("sync", folder))?;
        }
        Ok(Some(target))
    }
}

/// Appends `bytes` with one call. What a full disk took of them is cut off again.
pub(crate) fn write_once(file: &mut File, path: &Path, length: u64, bytes: &[u8]) -> Result<(), Error> {
    let written = loop {
        match file.write(bytes) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            other => break other.map_err(Error::io("append to", path))?,
        }
    };
    if written == bytes.len() {
        return Ok(());
    }
    file.set_len(length).map_err(Error::io("cut back", path))?;
    Err(Error::ShortWrite { path: path.to_path_buf(), written, bytes: bytes.len() })
}

/// The day of a moment in UTC, `YYYY-MM-DD`.
fn date(seconds: i64) -> String {
    // Days to a date in the proleptic Gregorian calendar, counted from 1 March of year 0, so that the leap
    // day is the last day of a year.
    let days = seconds.div_euclid(86_400) + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}
