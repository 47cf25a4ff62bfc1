//! The end of a journal: its seal, the signature in it, and the move to the archive.
//!
//! Order, so that a crash anywhere loses nothing: the seal, the note of where the chain stands, the move. Before
//! the move the journal is where it was and goes on there; after it the note says what the next file continues.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Instant;

use hostler_model::SessionId;
use serde::{Deserialize, Serialize};
use serde_json::Map;
use sha2::{Digest, Sha256};

use super::line::{Record, hex};
use super::{Appended, Entry, Journal, SEAL, SESSION};
use crate::error::Error;
use crate::redact::redact;
use crate::signature::{Keys, Public};
use crate::{file, lock};

/// A session without a record for this long has ended, whatever its host said.
pub const IDLE_MS: i64 = 30 * 60 * 1000;

/// A journal that was sealed and moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    /// The session.
    pub session: SessionId,
    /// Number of the seal.
    pub sequence: u64,
    /// Where the journal is now.
    pub path: PathBuf,
    /// Why the seal carries no signature, if it carries none.
    pub unsigned: Option<String>,
}

/// Seals a session's journal and moves it to `archive/YYYY-MM-DD/<session>_<epoch seconds>.jsonl`, whole; it is
/// never deleted. A later record of the session starts a new file that continues the numbers and the chain.
/// `None` when there is nothing to close. The cost is that of the last records and of the disk, not of the file.
///
/// Without `keys` the seal is not signed. When the key cannot be used it is not signed either, and says why.
///
/// # Errors
/// See [`Error`]. The journal is where it was then, sealed if that was possible; closing it again goes on from there.
pub fn close(
    project_state: &Path,
    session: &SessionId,
    now_ms: i64,
    keys: Option<&Keys>,
) -> Result<Option<Closed>, Error> {
    close_idle(project_state, session, now_ms, i64::MAX, keys)
}

/// As [`close`], if the last record is not younger than `last_ms_max`. Looked at under the lock: a session that
/// goes on at this moment stays.
///
/// # Errors
/// As [`close`].
pub fn close_idle(
    project_state: &Path,
    session: &SessionId,
    now_ms: i64,
    last_ms_max: i64,
    keys: Option<&Keys>,
) -> Result<Option<Closed>, Error> {
    let Some(mut journal) = Journal::open(project_state, session, false)? else { return Ok(None) };
    if journal.tail.last.as_ref().is_none_or(|last| last_ms_max < last.time_ms) {
        return Ok(None);
    }
    match journal.place(now_ms) {
        Ok((name, target)) => journal.move_to(now_ms, name, target, keys),
        Err(error) => {
            journal.seal(now_ms, format!("sessions/{session}.jsonl"), keys)?;
            Err(error)
        }
    }
}

/// What became of several journals.
#[derive(Debug, Default)]
pub struct Sweep {
    /// Those that were closed.
    pub closed: Vec<Closed>,
    /// Those that could not be, with the reason.
    pub failed: Vec<(SessionId, Error)>,
}

/// Closes the journals of all sessions of a project but `except` whose last record is at least `idle_ms` old,
/// until `deadline`. A session whose host told no end is closed so.
///
/// # Errors
/// When the folder of sessions cannot be listed.
pub fn close_all(
    project_state: &Path,
    except: Option<&SessionId>,
    now_ms: i64,
    idle_ms: i64,
    deadline: Option<Instant>,
    keys: Option<&Keys>,
) -> Result<Sweep, Error> {
    // `i64::MIN` takes all.
    let last_ms_max = now_ms.saturating_sub(idle_ms);
    let mut sweep = Sweep::default();
    for session in live_sessions(project_state)? {
        let path = super::path(project_state, &session);
        if Some(&session) == except || modified_ms(&path).is_some_and(|it| last_ms_max < it) {
            continue;
        }
        if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            break;
        }
        match close_idle(project_state, &session, now_ms, last_ms_max, keys) {
            Ok(closed) => sweep.closed.extend(closed),
            Err(error) => sweep.failed.push((session, error)),
        }
    }
    Ok(sweep)
}

/// The sessions of a project that were not closed, by name.
///
/// # Errors
/// When their folder cannot be listed.
pub fn live_sessions(project_state: &Path) -> Result<Vec<SessionId>, Error> {
    let id = |path: &PathBuf| SessionId::parse(path.file_stem()?.to_str()?).ok();
    Ok(super::read::live(project_state)?.iter().filter_map(id).collect())
}

/// A record is never younger than its file, and this costs no open.
fn modified_ms(path: &Path) -> Option<i64> {
    let time = lock::regular(path).ok()??.modified().ok()?;
    let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}

/// What the signature of a seal covers, as text that any program can put together again.
fn statement(project: &str, session: &str, count: u64, root: &str, time_ms: i64) -> String {
    format!(
        "hostler seal 1\nproject {project}\nsession {session}\ncount {count}\nroot {root}\ntime_ms {time_ms}\n"
    )
}

/// Checks a record of kind `seal` against the record before it. The key that signed it, if it is signed; whether
/// that key is one to trust is the caller's business.
pub(super) fn check(record: &Record) -> Result<Option<Public>, String> {
    let number = |name: &str| record.attributes.get(name)?.as_u64();
    let count = number("seal.count").unwrap_or_default();
    let root = record.text("seal.root").unwrap_or_default();
    if count != record.sequence.saturating_sub(1) || root != record.prev {
        return Err("the seal does not state the number and the hash of the record before it".to_owned());
    }
    let (key, signature) = match (record.text("seal.key"), record.text("seal.signature")) {
        (None, None) => return Ok(None),
        (Some(key), Some(signature)) => (key, signature),
        _ => return Err("the seal has a key without a signature, or the other way round".to_owned()),
    };
    let public = Public::parse(key).map_err(|error| format!("the key of the seal: {error}"))?;
    let text = statement(
        record.text("seal.project").unwrap_or_default(),
        record.text(SESSION).unwrap_or_default(),
        count,
        root,
        record.time_ms,
    );
    if public.verifies(text.as_bytes(), signature) {
        Ok(Some(public))
    } else {
        Err(format!("the signature of the seal is not one by the key {}", public.fingerprint()))
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

    pub(super) fn exists(project_state: &Path, session: &str) -> bool {
        Self::path(project_state, session).exists()
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

/// The end of a file, and why nobody signed it.
struct End {
    sequence: u64,
    unsigned: Option<String>,
}

impl Journal<'_> {
    /// Seals and moves. Without a place to move to nothing is sealed either.
    pub(super) fn archive(&mut self, now_ms: i64, keys: Option<&Keys>) -> Result<Option<Closed>, Error> {
        let (name, target) = self.place(now_ms)?;
        self.move_to(now_ms, name, target, keys)
    }

    fn move_to(
        &mut self,
        now_ms: i64,
        name: String,
        target: PathBuf,
        keys: Option<&Keys>,
    ) -> Result<Option<Closed>, Error> {
        let Some(end) = self.seal(now_ms, name, keys)? else { return Ok(None) };
        relocate(&mut self.file, &self.path, &target)?;
        Ok(Some(Closed {
            session: self.session.clone(),
            sequence: end.sequence,
            path: target,
            unsigned: end.unsigned,
        }))
    }

    /// A free name in the archive, relative and whole.
    fn place(&self, now_ms: i64) -> Result<(String, PathBuf), Error> {
        let seconds = now_ms.div_euclid(1000);
        let folder = format!("archive/{}", date(seconds));
        lock::create_folder(&self.project_state.join(&folder))?;
        let mut copy = 1_u32;
        loop {
            let suffix = if copy == 1 { String::new() } else { format!("_{copy}") };
            let name = format!("{folder}/{}_{seconds}{suffix}.jsonl", self.session);
            let target = self.project_state.join(&name);
            // Names of this session are made under its lock, so a free name stays free.
            match std::fs::symlink_metadata(&target) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok((name, target)),
                Err(error) => return Err(Error::io("look at", &target)(error)),
                Ok(_) => copy += 1,
            }
        }
    }

    /// Writes the seal unless it stands there, and notes it as the end of `file`.
    fn seal(&mut self, now_ms: i64, file: String, keys: Option<&Keys>) -> Result<Option<End>, Error> {
        let Some(last) = self.tail.last.clone() else { return Ok(None) };
        let stands = last.seal && self.tail.skipped.is_none();
        let project = self.project_state.file_name().unwrap_or_default().to_string_lossy();
        // As it will stand in the record.
        let project = redact(&project);
        let text = statement(&project, self.session.as_str(), last.sequence, &last.hash, now_ms);
        let signed = match keys {
            _ if stands && last.signed => None,
            None => None,
            Some(keys) => Some(keys.open().map(|key| (key.public(), key.sign(text.as_bytes())))),
        };
        let unsigned = match &signed {
            Some(Err(error)) => Some(error.to_string()),
            _ => None,
        };
        // One that could not be signed before is followed by one that is.
        let (seq, hash) = if stands && !matches!(signed, Some(Ok(_))) {
            (last.sequence, last.hash)
        } else {
            let mut attributes = Map::new();
            attributes.insert("seal.count".to_owned(), last.sequence.into());
            attributes.insert("seal.root".to_owned(), last.hash.into());
            attributes.insert("seal.project".to_owned(), project.as_ref().into());
            match signed {
                Some(Ok((public, signature))) => {
                    attributes.insert("seal.key".to_owned(), public.hex().into());
                    attributes.insert("seal.signature".to_owned(), hex(&signature).into());
                }
                Some(Err(error)) => {
                    attributes.insert("seal.unsigned".to_owned(), error.to_string().into());
                }
                None => {}
            }
            let entry = Entry { kind: SEAL, time_ms: now_ms, attributes, ..Entry::default() };
            match self.write(&entry)? {
                Appended::Line { sequence, hash } => (sequence, hash),
                Appended::Duplicate { .. } => return Ok(None),
            }
        };
        self.file.sync_data().map_err(Error::io("sync", &self.path))?;
        let head = Head { v: 1, seq, hash, file };
        head.store(self.project_state, self.session.as_str())?;
        Ok(Some(End { sequence: seq, unsigned }))
    }

    /// Whether the journal stands in the archive already: a move to another file system that a crash cut short
    /// between the copy and the removal. The rest of the move is done then.
    pub(super) fn finish_move(&mut self) -> Result<bool, Error> {
        let Some(last) = self.tail.last.as_ref().filter(|last| last.seal && self.tail.skipped.is_none())
        else {
            return Ok(false);
        };
        let Ok(Some(head)) = Head::load(self.project_state, self.session.as_str()) else { return Ok(false) };
        let copy = self.project_state.join(&head.file);
        if head.hash != last.hash || !head.file.starts_with("archive/") {
            return Ok(false);
        }
        let Ok(mut copied) = File::open(&copy) else { return Ok(false) };
        if digest(&mut copied, &copy)? != digest(&mut self.file, &self.path)? {
            return Ok(false);
        }
        std::fs::remove_file(&self.path).map_err(Error::io("remove", &self.path))?;
        Ok(true)
    }
}

/// Moves a file whose lock is held to a free name. A rename; where the archive lies on another file system, a copy
/// that is compared before the original goes.
fn relocate(file: &mut File, from: &Path, to: &Path) -> Result<(), Error> {
    match std::fs::rename(from, to) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::CrossesDevices => copy_over(file, from, to)?,
        Err(error) => return Err(Error::io("move", from)(error)),
    }
    for folder in [to.parent(), from.parent()].into_iter().flatten() {
        sync_folder(folder)?;
    }
    Ok(())
}

fn copy_over(file: &mut File, from: &Path, to: &Path) -> Result<(), Error> {
    let folder = to.parent().unwrap_or(Path::new("/"));
    let mut copy = tempfile::Builder::new()
        .prefix(file::LEFTOVER_PREFIX)
        .suffix(file::LEFTOVER_SUFFIX)
        .tempfile_in(folder)
        .map_err(Error::io("make a file in", folder))?;
    file.seek(SeekFrom::Start(0)).map_err(Error::io("read", from))?;
    std::io::copy(file, copy.as_file_mut()).map_err(Error::io("copy", from))?;
    copy.as_file().sync_all().map_err(Error::io("sync", to))?;
    if digest(copy.as_file_mut(), to)? != digest(file, from)? {
        return Err(Error::io("copy", from)(std::io::Error::other("the copy differs from the original")));
    }
    copy.persist_noclobber(to).map_err(|failed| Error::io("move", from)(failed.error))?;
    sync_folder(folder)?;
    std::fs::remove_file(from).map_err(Error::io("remove", from))
}

fn sync_folder(folder: &Path) -> Result<(), Error> {
    File::open(folder).and_then(|it| it.sync_all()).map_err(Error::io("sync", folder))
}

/// SHA-256 of a whole file.
fn digest(file: &mut File, path: &Path) -> Result<String, Error> {
    file.seek(SeekFrom::Start(0)).map_err(Error::io("read", path))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 256 * 1024];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hex(&hasher.finalize())),
            Ok(length) => hasher.update(&buffer[..length]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io("read", path)(error)),
        }
    }
}

/// SHA-256 of a file, in lower-case hexadecimal.
///
/// # Errors
/// When it cannot be opened or read.
pub fn file_sha256(path: &Path) -> Result<String, Error> {
    let mut file = File::open(path).map_err(Error::io("open", path))?;
    digest(&mut file, path)
}

/// The day of a moment in UTC, `YYYY-MM-DD`.
pub(crate) fn date(seconds: i64) -> String {
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

#[cfg(test)]
mod tests;
