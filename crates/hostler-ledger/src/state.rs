//! Small state of a session: named counters, and how often an agent was sent back at a turn's end.
//!
//! One JSON file per session, replaced as a whole under its own lock. What a later build keeps in it stays
//! in it. It is not evidence: a damaged file is started over, and says so.

mod reads;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use hostler_model::SessionId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::Error;
use crate::{file, lock};

pub use self::reads::AgentRead;

/// Version that this build writes. Every older one stays readable.
const VERSION: u64 = 1;
/// A state file is some hundred bytes; more than this is not ours.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// How often the same set of findings sends an agent back.
pub const PER_SET_MAX: u32 = 2;
/// How often an agent is sent back in a row, whatever was found. Claude Code overrides the ninth block
/// silently, so the last word is ours.
pub const CONSECUTIVE_MAX: u32 = 7;

/// A session's state.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    document: Map<String, Value>,
    damaged: bool,
}

impl State {
    fn empty() -> Self {
        let mut document = Map::new();
        document.insert("v".to_owned(), VERSION.into());
        Self { document, damaged: false }
    }

    fn of(bytes: &[u8]) -> Self {
        if bytes.is_empty() {
            return Self::empty();
        }
        match serde_json::from_slice(bytes) {
            Ok(Value::Object(document)) => Self { document, damaged: false },
            _ => Self { damaged: true, ..Self::empty() },
        }
    }

    /// The file could not be read as what it should be, and counting began anew.
    pub fn damaged(&self) -> bool {
        self.damaged
    }

    /// A counter; one that was never set is 0.
    pub fn counter(&self, name: &str) -> u64 {
        self.document.get("counters").and_then(|it| it.get(name)).and_then(Value::as_u64).unwrap_or(0)
    }

    /// Sets a counter. Zero removes it.
    pub fn set_counter(&mut self, name: &str, value: u64) {
        let counters = self.object("counters");
        if value == 0 {
            counters.remove(name);
        } else {
            counters.insert(name.to_owned(), value.into());
        }
    }

    /// Adds to a counter and returns its new value.
    pub fn add(&mut self, name: &str, amount: u64) -> u64 {
        let value = self.counter(name).saturating_add(amount);
        self.set_counter(name, value);
        value
    }

    /// What a part of the program keeps under its name, as it wrote it.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.document.get("values")?.get(name)
    }

    /// Keeps something under a name: some hundred bytes, since the whole state is read and written at once.
    pub fn set_value(&mut self, name: &str, value: Value) {
        self.object("values").insert(name.to_owned(), value);
    }

    fn object(&mut self, name: &str) -> &mut Map<String, Value> {
        let slot = self.document.entry(name.to_owned()).or_insert_with(|| Value::Object(Map::new()));
        if !slot.is_object() {
            *slot = Value::Object(Map::new());
        }
        match slot {
            Value::Object(map) => map,
            // Made an object two lines above.
            _ => unreachable!("an object"),
        }
    }

    /// Whether an agent that ends its turn is sent back, and counts it if so.
    pub fn stop(&mut self, turn: &TurnEnd<'_>) -> StopAnswer {
        let slot = self.object("stop");
        let mut blocks: Blocks = match slot.get(turn.scope) {
            // A new turn: the user has seen the last one's end.
            Some(value) if turn.continuing => serde_json::from_value(value.clone()).unwrap_or_default(),
            _ => Blocks::default(),
        };
        let answer = blocks.next(turn);
        match answer {
            StopAnswer::Release(Release::NothingFound) => {
                slot.remove(turn.scope);
            }
            _ => {
                slot.insert(turn.scope.to_owned(), serde_json::json!(blocks));
            }
        }
        answer
    }
}

/// An agent ends its turn, and this was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnEnd<'a> {
    /// Empty for the session's own agent, else the subagent's id.
    pub scope: &'a str,
    /// Digest of which findings there are. Empty when there are none.
    pub findings: &'a str,
    /// Digest of what they were found in, so that an agent that changed nothing is told from one that tried.
    pub content: &'a str,
    /// The turn was already continued by a stop hook.
    pub continuing: bool,
}

/// What becomes of the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopAnswer {
    /// The agent is sent back, for the nth time with these findings.
    Block {
        /// From 1 to [`PER_SET_MAX`].
        nth: u32,
    },
    /// The turn ends.
    Release(Release),
}

/// Why a turn may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// Nothing was found.
    NothingFound,
    /// The agent was sent back and changed nothing: it will not the next time either.
    Unchanged,
    /// It tried [`PER_SET_MAX`] times.
    SetLimit,
    /// It was sent back [`CONSECUTIVE_MAX`] times in a row.
    ConsecutiveLimit,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Blocks {
    consecutive: u32,
    /// Blocks by set of findings.
    sets: BTreeMap<String, u32>,
    last_findings: String,
    last_content: String,
}

impl Blocks {
    fn next(&mut self, turn: &TurnEnd<'_>) -> StopAnswer {
        if turn.findings.is_empty() {
            return StopAnswer::Release(Release::NothingFound);
        }
        if 0 < self.consecutive && self.last_findings == turn.findings && self.last_content == turn.content {
            return StopAnswer::Release(Release::Unchanged);
        }
        if CONSECUTIVE_MAX <= self.consecutive {
            return StopAnswer::Release(Release::ConsecutiveLimit);
        }
        let count = self.sets.entry(turn.findings.to_owned()).or_default();
        if PER_SET_MAX <= *count {
            return StopAnswer::Release(Release::SetLimit);
        }
        *count += 1;
        self.consecutive += 1;
        turn.findings.clone_into(&mut self.last_findings);
        turn.content.clone_into(&mut self.last_content);
        StopAnswer::Block { nth: *count }
    }
}

/// How the name of a state ends.
const SUFFIX: &str = ".state.json";

fn path(project_state: &Path, session: &SessionId) -> PathBuf {
    project_state.join("sessions").join(format!("{session}{SUFFIX}"))
}

/// Reads a session's state; a session without any has an empty one.
///
/// # Errors
/// When the file is there but cannot be opened, or is not a regular file.
pub fn load(project_state: &Path, session: &SessionId) -> Result<State, Error> {
    let path = path(project_state, session);
    let Some(meta) = lock::regular(&path)? else { return Ok(State::empty()) };
    if FILE_BYTES_MAX < meta.len() {
        return Ok(State { damaged: true, ..State::empty() });
    }
    match std::fs::read(&path) {
        Ok(bytes) => Ok(State::of(&bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(State::empty()),
        Err(error) => Err(Error::io("read", &path)(error)),
    }
}

/// Reads, changes and replaces a session's state; parallel processes wait for each other. A crash leaves
/// the old state or the new one. Not synced: after a power cut counting may begin anew.
///
/// # Errors
/// See [`Error`]; the old state stays.
pub fn update<T>(
    project_state: &Path,
    session: &SessionId,
    change: impl FnOnce(&mut State) -> T,
) -> Result<T, Error> {
    let path = path(project_state, session);
    let folder = project_state.join("sessions");
    let Some((mut held, _)) = lock::open(&path, true)? else { return Err(Error::NotAFile { path }) };
    let mut bytes = Vec::new();
    Read::by_ref(&mut held)
        .take(FILE_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(Error::io("read", &path))?;
    let mut state = State::of(&bytes);
    let before = state.clone();
    let result = change(&mut state);
    if state == before && !state.damaged && !bytes.is_empty() {
        return Ok(result);
    }
    let text = serde_json::to_vec(&state.document).map_err(|it| Error::io("write", &path)(it.into()))?;
    let mut temporary = tempfile::Builder::new()
        .prefix(file::LEFTOVER_PREFIX)
        .suffix(file::LEFTOVER_SUFFIX)
        .tempfile_in(&folder)
        .map_err(Error::io("make a file in", &folder))?;
    temporary.write_all(&text).map_err(Error::io("write", &path))?;
    // Whoever waits for the lock finds another file under the name, and takes that one's lock.
    temporary.persist(&path).map_err(|it| Error::io("replace", &path)(it.error))?;
    Ok(result)
}

/// Removes the states of sessions that counted nothing since `before_ms` (milliseconds since 1970); returns how many. A
/// session that goes on later counts anew. Records are no states: they stay.
///
/// # Errors
/// When the folder cannot be read, or a file cannot be removed.
pub fn prune(project_state: &Path, before_ms: i64) -> Result<usize, Error> {
    let folder = project_state.join("sessions");
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(Error::io("read", &folder)(error)),
    };
    let mut removed = 0;
    for entry in entries {
        let path = entry.map_err(Error::io("read", &folder))?.path();
        let is_state = path.file_name().is_some_and(|it| it.to_string_lossy().ends_with(SUFFIX));
        let Some(meta) = lock::regular(&path)?.filter(|_| is_state) else { continue };
        let changed = meta.modified().map_err(Error::io("look at", &path))?;
        let age = changed.duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_millis();
        if i64::try_from(age).is_ok_and(|changed_ms| changed_ms < before_ms) {
            std::fs::remove_file(&path).map_err(Error::io("remove", &path))?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// [`State::stop`] as one step: read, decide, count.
///
/// # Errors
/// As [`update`]; a turn's end that cannot be counted must be let go, or it may be sent back for ever.
pub fn stop(project_state: &Path, session: &SessionId, turn: &TurnEnd<'_>) -> Result<StopAnswer, Error> {
    update(project_state, session, |state| state.stop(turn))
}

#[cfg(test)]
mod tests;
