//! Reading journals back: one file, all files of a project, one decision.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use hostler_model::SessionId;

use super::line::Record;
use crate::error::Error;
use crate::lock;

/// Longest line that is looked at, bytes: as far as an append looks back, so whatever it closed off fits.
pub(super) const BUFFER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Opens a journal for reading. Lines that are no records (cut short, damaged) are passed over and counted;
/// fields and kinds that this build does not know are kept.
///
/// # Errors
/// When the file cannot be opened or is not a regular file.
pub fn read(path: &Path) -> Result<Reader, Error> {
    Ok(Reader { lines: Lines::open(path)?, passed_over: 0 })
}

/// The records of one journal, in the file's order.
#[derive(Debug)]
pub struct Reader {
    lines: Lines,
    passed_over: u64,
}

impl Reader {
    /// The line of the record that was returned last, without its line end.
    pub fn line(&self) -> &[u8] {
        &self.lines.buffer
    }

    /// Lines so far that were no records.
    pub fn passed_over(&self) -> u64 {
        self.passed_over
    }
}

impl Iterator for Reader {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        loop {
            // A file that can no longer be read ends there; `verify` is what tells why.
            let line = self.lines.next_line().ok()??;
            if let Some(record) = line.whole.then(|| Record::parse(&self.lines.buffer)).flatten() {
                return Some(record);
            }
            self.passed_over += 1;
        }
    }
}

/// Lines of any bytes, none of them held beyond [`BUFFER_BYTES_MAX`].
#[derive(Debug)]
pub(super) struct Lines {
    path: PathBuf,
    reader: BufReader<File>,
    /// The bytes of the line that was read last, without its line end.
    pub(super) buffer: Vec<u8>,
}

/// What was read.
pub(super) struct Line {
    /// The buffer holds all of it.
    pub(super) whole: bool,
    /// A line end follows it.
    pub(super) ended: bool,
}

impl Lines {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        if lock::regular(path)?.is_none() {
            return Err(Error::io("open", path)(std::io::ErrorKind::NotFound.into()));
        }
        let file = File::open(path).map_err(Error::io("open", path))?;
        Ok(Self {
            path: path.to_path_buf(),
            reader: BufReader::with_capacity(64 * 1024, file),
            buffer: Vec::new(),
        })
    }

    /// Reads one line into the buffer; `None` at the end.
    pub(super) fn next_line(&mut self) -> Result<Option<Line>, Error> {
        self.buffer.clear();
        let mut line = Line { whole: true, ended: false };
        let mut any = false;
        while !line.ended {
            let chunk = self.reader.fill_buf().map_err(Error::io("read", &self.path))?;
            if chunk.is_empty() {
                break;
            }
            any = true;
            let end = memchr::memchr(b'\n', chunk);
            let text = &chunk[..end.unwrap_or(chunk.len())];
            let taken = text.len() + usize::from(end.is_some());
            if self.buffer.len() + text.len() <= BUFFER_BYTES_MAX {
                self.buffer.extend_from_slice(text);
            } else {
                line.whole = false;
            }
            line.ended = end.is_some();
            self.reader.consume(taken);
        }
        Ok(any.then_some(line))
    }
}

/// The id under which people and agents meet a decision: the first 8 characters of the session's name and
/// the record's number.
pub fn decision_id(session: &SessionId, sequence: u64) -> String {
    let name = session.as_str();
    format!("{}-{sequence}", name.get(..8).unwrap_or(name))
}

/// The id of a finding of a turn: the [`decision_id`] of the record that holds it, and its number there, from 1.
pub fn finding_id(session: &SessionId, sequence: u64, number: usize) -> String {
    format!("{}.{number}", decision_id(session, sequence))
}

/// A record and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The journal.
    pub path: PathBuf,
    /// The record.
    pub record: Record,
}

/// Finds a record by [`decision_id`], in live journals first, then in archived ones. Where two sessions
/// begin with the same eight characters, the newest record is meant.
///
/// # Errors
/// When the project's folders cannot be listed. A journal that cannot be opened is passed over.
pub fn find_decision(project_state: &Path, id: &str) -> Result<Option<Found>, Error> {
    let Some((prefix, sequence)) = id.rsplit_once('-') else { return Ok(None) };
    let Ok(sequence) = sequence.parse::<u64>() else { return Ok(None) };
    let mut newest: Option<Found> = None;
    for path in files(project_state)? {
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        if !name.starts_with(prefix) {
            continue;
        }
        let Ok(reader) = read(&path) else { continue };
        for record in reader.filter(|record| record.sequence == sequence) {
            let of_session = record.text(super::SESSION).is_none_or(|it| it.get(..8).unwrap_or(it) == prefix);
            if of_session && newest.as_ref().is_none_or(|it| it.record.time_ms <= record.time_ms) {
                newest = Some(Found { path: path.clone(), record });
            }
        }
    }
    Ok(newest)
}

/// Every journal of a project: archived ones by day and name, then the live ones by name.
///
/// # Errors
/// When a folder is there but cannot be listed.
pub fn files(project_state: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut found = archived(project_state)?;
    found.extend(live(project_state)?);
    Ok(found)
}

/// The archived journals, by day and name.
pub(super) fn archived(project_state: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    for day in list(&project_state.join("archive"))? {
        if day.is_dir() {
            found.extend(list(&day)?);
        }
    }
    found.retain(|path| is_journal(path));
    Ok(found)
}

/// The journals of sessions that were not closed yet, by name.
pub(super) fn live(project_state: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut found = list(&project_state.join("sessions"))?;
    found.retain(|path| is_journal(path));
    Ok(found)
}

fn is_journal(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "jsonl")
}

/// The journals of one session in the order of its chain: archived ones, then the live one. A session that was
/// resumed has several.
///
/// # Errors
/// When a folder is there but cannot be listed. A journal that cannot be opened is passed over.
pub fn session_files(project_state: &Path, session: &SessionId) -> Result<Vec<PathBuf>, Error> {
    let named = |path: &PathBuf| {
        let stem = path.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
        stem.strip_prefix(session.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    let mut found: Vec<(u64, PathBuf)> = files(project_state)?
        .into_iter()
        .filter(named)
        .filter_map(|path| {
            let first = read(&path).ok()?.next()?;
            // The name of another session may begin with this one's.
            (first.text(super::SESSION) == Some(session.as_str())).then_some((first.sequence, path))
        })
        .collect();
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(Error::io("list", folder))?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(Error::io("list", folder))?.path());
    }
    paths.sort();
    Ok(paths)
}
