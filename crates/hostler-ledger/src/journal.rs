//! Append-only, hash-chained journals of decisions and tool calls.
//!
//! One file per session, one line per record, `docs/evidence.md` for the format. The chain shows edits,
//! insertions and reordering; a seal shows a missing end; nothing here keeps the same user from rewriting
//! a file as a whole.
//!
//! Invariants: a line is one `write` under the file's lock; a line that could not be written whole is cut
//! off again; no record is ever deleted, files only move to `archive/`.

mod activity;
mod line;
mod read;
mod seal;
mod tail;
mod verify;

#[cfg(test)]
mod tests;

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use hostler_model::SessionId;
use serde_json::{Map, Value};

pub use self::activity::last_activity_ms;
pub use self::line::{LINE_BYTES_MAX, Record, Skipped, VERSION, genesis, sha256_hex};
pub use self::read::{Found, Reader, decision_id, files, find_decision, finding_id, read, session_files};
pub use self::seal::{Closed, IDLE_MS, Sweep, close, close_all, close_idle, file_sha256, live_sessions};
pub use self::verify::{Bad, Continues, Report, Signature, verify, verify_all};
pub use crate::error::Error;
use crate::lock;
use line::Parts;
pub(crate) use line::hex;
use seal::Head;
pub(crate) use seal::date;
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

/// Something of the session was recorded, whether its journal is in use or was moved to the archive.
pub fn is_known(project_state: &Path, session: &SessionId) -> bool {
    path(project_state, session).exists() || Head::exists(project_state, session.as_str())
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
    append_at(project_state, session, entry, ROTATE_BYTES, None)
}

/// As [`append`], after a look at the journal's end that need not be taken again unless the journal changed since.
///
/// # Errors
/// As [`append`].
pub fn append_after(
    project_state: &Path,
    session: &SessionId,
    entry: &Entry,
    seen: Option<Peek>,
) -> Result<Appended, Error> {
    append_at(project_state, session, entry, ROTATE_BYTES, seen)
}

/// A look at the end of a journal, taken without its lock.
#[derive(Debug)]
pub struct Peek {
    file: File,
    length: u64,
    tail: Tail,
}

impl Peek {
    /// The lines near the end, the newest first; what precedes them is not known.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.tail.lines()
    }
}

/// Looks at the end of a session's journal; `None` when there is none.
///
/// # Errors
/// See [`Error`]; also when no record is to be seen.
pub fn peek(project_state: &Path, session: &SessionId) -> Result<Option<Peek>, Error> {
    let path = path(project_state, session);
    if lock::regular(&path)?.is_none() {
        return Ok(None);
    }
    let file = match OpenOptions::new().read(true).append(true).open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io("open", &path)(error)),
    };
    let length = file.metadata().map_err(Error::io("look at", &path))?.len();
    let tail = Tail::read(&file, &path, length)?;
    Ok(Some(Peek { file, length, tail }))
}

/// [`append`] with another size to rotate at, for tests.
#[doc(hidden)]
pub fn append_rotating(
    project_state: &Path,
    session: &SessionId,
    entry: &Entry,
    rotate_bytes: u64,
) -> Result<Appended, Error> {
    append_at(project_state, session, entry, rotate_bytes, None)
}

fn append_at(
    project_state: &Path,
    session: &SessionId,
    entry: &Entry,
    rotate_bytes: u64,
    mut seen: Option<Peek>,
) -> Result<Appended, Error> {
    let mut rotation_error = None;
    loop {
        let Some(mut journal) = Journal::open_seen(project_state, session, seen.take())? else { continue };
        if let Some(sequence) = entry.dedupe.as_deref().and_then(|key| journal.find(key)) {
            return Ok(Appended::Duplicate { sequence });
        }
        if rotate_bytes <= journal.length && rotation_error.is_none() {
            match journal.archive(entry.time_ms, None) {
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
        let Some((file, length)) = lock::open(&path, create)? else { return Ok(None) };
        let tail = Tail::read(&file, &path, length)?;
        Self::of(project_state, session, path, file, length, tail)
    }

    /// Opens for an entry, with what was seen of the journal before.
    fn open_seen(
        project_state: &'a Path,
        session: &'a SessionId,
        seen: Option<Peek>,
    ) -> Result<Option<Self>, Error> {
        let path = path(project_state, session);
        let Some(Peek { file, length: seen_length, tail }) = seen else {
            return Self::open(project_state, session, true);
        };
        let Some(length) = lock::hold(&file, &path)? else {
            return Self::open(project_state, session, true);
        };
        // Records are only added, so that one that ended there still does.
        let tail =
            if seen_length == length && tail.is_whole() { tail } else { Tail::read(&file, &path, length)? };
        Self::of(project_state, session, path, file, length, tail)
    }

    fn of(
        project_state: &'a Path,
        session: &'a SessionId,
        path: PathBuf,
        file: File,
        length: u64,
        tail: Tail,
    ) -> Result<Option<Self>, Error> {
        let head = match tail.last {
            Some(_) => None,
            None => Head::load(project_state, session.as_str())?,
        };
        let mut journal = Self { project_state, session, path, file, length, tail, head };
        // What cannot be looked at is no finished copy: the journal goes on where it is.
        if journal.finish_move().unwrap_or(false) {
            return Ok(None);
        }
        Ok(Some(journal))
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
