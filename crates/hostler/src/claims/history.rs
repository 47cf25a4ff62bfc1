//! A session's evidence, read from its journal once and fast: most lines are passed over by a search for bytes, and
//! of the others only what is needed is built. The chain is not checked here, `hostler audit verify` does that.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};
use std::time::Instant;

use hostler_ledger::journal;
use hostler_ledger::redact::preview;
use hostler_model::SessionId;
use hostler_policy::claims::evidence::Actor;
use hostler_policy::claims::{Evidence, Finding};
use memchr::memchr;
use memchr::memmem::Finder;
use serde::Deserialize;

/// More than this is not read, newest first: what lies before it is not known then.
const BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Longest line that is looked at.
const LINE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// What is read at once.
const CHUNK_BYTES: usize = 256 * 1024;
/// A first line is looked for in this many bytes.
const FIRST_LINE_BYTES_MAX: u64 = 64 * 1024;
/// Journals that were moved away while the session went on.
const FILES_MAX: usize = 1_000;
/// The last turn's end is looked for in this many bytes of a journal.
const LAST_TURN_BYTES_MAX: u64 = 512 * 1024;
/// How the member that tells a record's kind begins.
const KIND: &[u8] = b",\"kind\":\"";
/// Characters of a target in a summary of ours.
const TARGET_CHARS_MAX: usize = 120;

/// Whose turn is audited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope<'a> {
    /// The session's own agent; what its subagents did counts as done by them.
    Session,
    /// One subagent, by its id; what others did counts where it started some itself.
    Subagent(&'a str),
}

/// What a session's journal tells for the audit of the turn that ends.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// Every call in order; those before the turn's prompt are marked as earlier.
    pub(crate) evidence: Vec<Evidence>,
    /// The beginning of the prompt that the turn answers.
    pub(crate) prompt: Option<String>,
    /// How many prompts there were.
    pub(crate) prompts: u64,
    /// When the session began, milliseconds since 1970; `None` when its beginning is not in what was read.
    pub(crate) since_ms: Option<i64>,
    /// Why calls may be missing from the evidence; empty when the whole session is in it.
    pub(crate) gaps: Vec<String>,
    /// When calls ran that may have written anything, from and to, milliseconds since 1970.
    pub(crate) windows: Vec<(i64, i64)>,
}

/// Reads the history of `session` for the turn of `scope` that ends now. Never waits for a lock: a line that is
/// being written is the next hook's.
///
/// # Errors
/// What the system said about a journal that is there and cannot be read.
pub(crate) fn read(
    project_state: &Path,
    session: &SessionId,
    scope: Scope<'_>,
    deadline: Instant,
) -> Result<History, String> {
    let mut reading = Reading::new(scope);
    let mut newest = journal::path(project_state, session);
    if !newest.exists() {
        // Moved away a moment ago, as that of a session that has been quiet.
        let all = journal::session_files(project_state, session).map_err(|error| error.to_string())?;
        newest = all.into_iter().next_back().unwrap_or(newest);
    }
    let (files, gap) = files(project_state, &newest);
    reading.history.gaps.extend(gap);
    for Part { path, from } in files.into_iter().rev() {
        let told = |error: std::io::Error| format!("`{}` cannot be read: {error}", path.display());
        let mut file = File::open(&path).map_err(told)?;
        if from != 0 {
            reading.history.gaps.push(format!("the first {from} bytes of `{}` are not read", path.display()));
            file.seek(SeekFrom::Start(from)).map_err(told)?;
        }
        let in_time = each_line(file, from != 0, deadline, |line| reading.line(line)).map_err(told)?;
        if !in_time {
            reading.history.gaps.push("there was no time to read all of it".to_owned());
            break;
        }
    }
    Ok(reading.finish())
}

/// A file of the session's journal and where to begin.
struct Part {
    path: PathBuf,
    from: u64,
}

/// The files that hold the session, newest first, and why there are no older ones.
fn files(project_state: &Path, live: &Path) -> (Vec<Part>, Option<String>) {
    let mut parts = Vec::new();
    let mut path = live.to_path_buf();
    let mut left = BYTES_MAX;
    loop {
        let length = match std::fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_file() => meta.len(),
            _ => return (parts, Some(format!("`{}` is not there", path.display()))),
        };
        let from = length.saturating_sub(left);
        left -= length - from;
        parts.push(Part { path: path.clone(), from });
        if from != 0 {
            return (parts, None);
        }
        match continued(project_state, &path) {
            Ok(Some(_)) if left == 0 || parts.len() == FILES_MAX => {
                return (parts, Some("older files of the session are not read".to_owned()));
            }
            Ok(Some(older)) => path = older,
            Ok(None) => return (parts, None),
            Err(gap) => return (parts, Some(gap)),
        }
    }
}

/// The archived file that this one continues.
fn continued(project_state: &Path, path: &Path) -> Result<Option<PathBuf>, String> {
    #[derive(Deserialize)]
    struct First {
        continues_file: Option<PathBuf>,
    }
    let told = |error: &dyn std::fmt::Display| format!("the beginning of `{}`: {error}", path.display());
    let mut line = Vec::new();
    let file = File::open(path).map_err(|error| told(&error))?;
    BufReader::new(file.take(FIRST_LINE_BYTES_MAX))
        .read_until(b'\n', &mut line)
        .map_err(|error| told(&error))?;
    if line.is_empty() {
        return Ok(None);
    }
    let first: First = serde_json::from_slice(&line).map_err(|error| told(&error))?;
    let Some(older) = first.continues_file else { return Ok(None) };
    // A name that leads out of our own folder is not followed.
    let ours =
        older.starts_with("archive") && older.components().all(|it| matches!(it, Component::Normal(_)));
    if ours { Ok(Some(project_state.join(older))) } else { Err(told(&"it continues a foreign file")) }
}

/// Calls `each` with every line; the last one too when it has no end. False when time ran out.
fn each_line(
    file: File,
    mut partial: bool,
    deadline: Instant,
    mut each: impl FnMut(&[u8]),
) -> std::io::Result<bool> {
    let mut reader = BufReader::with_capacity(CHUNK_BYTES, file);
    // What the last chunk left of a line.
    let mut rest: Vec<u8> = Vec::new();
    loop {
        let chunk = match reader.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let length = chunk.len();
        if length == 0 {
            break;
        }
        if deadline <= Instant::now() {
            return Ok(false);
        }
        let mut at = 0;
        while let Some(end) = memchr(b'\n', &chunk[at..]) {
            let line = &chunk[at..at + end];
            at += end + 1;
            if std::mem::take(&mut partial) {
                rest.clear();
            } else if rest.is_empty() {
                each(line);
            } else {
                rest.extend_from_slice(line);
                each(&rest);
                rest.clear();
            }
        }
        // A line beyond the limit is cut, and so no record.
        let room = LINE_BYTES_MAX.saturating_sub(rest.len());
        rest.extend_from_slice(&chunk[at..length.min(at.saturating_add(room))]);
        reader.consume(length);
    }
    if !rest.is_empty() && !partial {
        each(&rest);
    }
    Ok(true)
}

/// What kind of record a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Decision,
    Result,
    Gate,
    Prompt,
    Subagent,
    Other,
}

/// Finds the member `kind` of a line, without reading the line. Inside a string its quotes would be escaped; a
/// member of the same name inside another object has other values.
fn kind(finder: &Finder<'_>, line: &[u8]) -> Option<Kind> {
    let mut found = None;
    for at in finder.find_iter(line) {
        let value = &line[at + finder.needle().len()..];
        let value = &value[..memchr(b'"', value)?];
        found = Some(match value {
            b"decision" => Kind::Decision,
            b"result" => Kind::Result,
            b"gate" => Kind::Gate,
            b"prompt" => Kind::Prompt,
            b"subagent" => Kind::Subagent,
            b"turn" | b"session" | b"compaction" | b"seal" | b"fault" => Kind::Other,
            _ => {
                found = Some(Kind::Other);
                continue;
            }
        });
        break;
    }
    found
}

/// One call, before or after it ran.
#[derive(Deserialize)]
struct Call {
    #[serde(rename = "gen_ai.agent.id")]
    agent: Option<String>,
    #[serde(rename = "gen_ai.tool.call.id")]
    id: Option<String>,
    #[serde(default)]
    delegates: bool,
    evidence: Option<Evidence>,
}

/// The same where the evidence is missing, or in a form that this build does not know.
#[derive(Deserialize)]
struct BareCall {
    #[serde(rename = "gen_ai.agent.id")]
    agent: Option<String>,
    #[serde(rename = "gen_ai.tool.call.id")]
    id: Option<String>,
    #[serde(rename = "gen_ai.tool.name", default)]
    tool: String,
    #[serde(default)]
    target: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    delegates: bool,
}

impl BareCall {
    /// It may have done anything.
    fn evidence(&self, ok: bool, note: &str) -> Evidence {
        Evidence {
            tool: self.tool.clone(),
            ok,
            opaque: true,
            summary: format!("{}: {} ({note})", self.tool, preview(&self.target, TARGET_CHARS_MAX)),
            ..Evidence::default()
        }
    }
}

/// A call whose result has not come yet.
enum Open {
    /// It was stopped, or the user was asked: place of its evidence, which a result replaces.
    Stopped(usize),
    /// It went ahead.
    Running(Vec<u8>),
}

/// Of a result: agent, call, whether it started agents, and evidence.
type Finished<'l> = (Option<Cow<'l, str>>, Option<Cow<'l, str>>, bool, Evidence);

/// Whose a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// The agent's whose turn it is.
    Own,
    /// Another one's.
    Other,
    /// It was stopped, and happened after all: its result tells.
    Nobody,
}

struct Reading<'a> {
    scope: Scope<'a>,
    finders: Finders,
    history: History,
    /// Of each call in [`History::evidence`].
    owners: Vec<Owner>,
    open: BTreeMap<Vec<u8>, Open>,
    /// Room of lines that are no longer needed.
    spare: Vec<Vec<u8>>,
    /// Where the turn begins in the evidence.
    turn: usize,
    /// The first record was read.
    begun: bool,
    /// The agent started others.
    delegated: bool,
    damaged: u64,
}

struct Finders {
    kind: Finder<'static>,
    id: Finder<'static>,
    agent: Finder<'static>,
    evidence: Finder<'static>,
    delegates: Finder<'static>,
    time: Finder<'static>,
    stopped: [Finder<'static>; 2],
}

impl<'a> Reading<'a> {
    fn new(scope: Scope<'a>) -> Self {
        Self {
            scope,
            finders: Finders {
                kind: Finder::new(KIND),
                id: Finder::new(b"\"gen_ai.tool.call.id\":\""),
                agent: Finder::new(b"\"gen_ai.agent.id\":\""),
                evidence: Finder::new(b"\"evidence\":{"),
                delegates: Finder::new(b"\"delegates\":true"),
                time: Finder::new(b",\"time_ms\":"),
                stopped: [Finder::new(b"\"status\":\"blocked\""), Finder::new(b"\"status\":\"asked\"")],
            },
            history: History::default(),
            owners: Vec::new(),
            open: BTreeMap::new(),
            spare: Vec::new(),
            turn: 0,
            begun: false,
            delegated: false,
            damaged: 0,
        }
    }

    fn line(&mut self, line: &[u8]) {
        if line.is_empty() {
            return;
        }
        let read = match kind(&self.finders.kind, line) {
            _ if !self.begun => self.first(line),
            Some(Kind::Result) => self.result(line),
            Some(Kind::Gate) => self.gate(line),
            Some(Kind::Decision) => self.decision(line),
            Some(Kind::Prompt) => self.prompt(line),
            Some(Kind::Subagent) => self.subagent(line),
            Some(Kind::Other) if line.ends_with(b"\"}") => Some(()),
            Some(Kind::Other) | None => None,
        };
        if read.is_none() {
            self.damaged += 1;
        }
    }

    /// The first record tells whether the session was seen from its beginning.
    fn first(&mut self, line: &[u8]) -> Option<()> {
        #[derive(Deserialize)]
        struct First {
            seq: u64,
            time_ms: i64,
            kind: String,
            source: Option<String>,
        }
        let first: First = serde_json::from_slice(line).ok()?;
        self.begun = true;
        let fresh = first.kind == "session" && matches!(first.source.as_deref(), Some("startup" | "clear"));
        if first.seq == 1 && fresh {
            self.history.since_ms = Some(first.time_ms);
        } else {
            self.history.gaps.push("the session began before its record".to_owned());
            // It may be any other record as well.
            self.line(line);
        }
        Some(())
    }

    fn own(&self, agent: Option<&str>) -> bool {
        match self.scope {
            Scope::Session => agent.is_none(),
            Scope::Subagent(id) => agent == Some(id),
        }
    }

    fn result(&mut self, line: &[u8]) -> Option<()> {
        let line = std::str::from_utf8(line).ok()?;
        let (agent, id, delegates, evidence) = self.finished(line).or_else(|| {
            let call: BareCall = serde_json::from_str(line).ok()?;
            let evidence = call.evidence(call.status == "ok", "no more was recorded of it");
            Some((call.agent.map(Cow::Owned), call.id.map(Cow::Owned), call.delegates, evidence))
        })?;
        let ended_ms = self.time_ms(line.as_bytes());
        let mut began_ms = None;
        match id.and_then(|id| self.open.remove(id.as_bytes())) {
            // The user let it happen.
            Some(Open::Stopped(at)) => self.owners[at] = Owner::Nobody,
            Some(Open::Running(line)) => {
                began_ms = self.time_ms(&line);
                self.spare.push(line);
            }
            None => {}
        }
        if let Some(ended_ms) = ended_ms.filter(|_| evidence.opaque) {
            self.history.windows.push((began_ms.unwrap_or(ended_ms), ended_ms));
        }
        self.delegated |= delegates && self.own(agent.as_deref());
        self.push(evidence, agent.as_deref());
        Some(())
    }

    /// The project's tools that ran at the end of a turn are evidence for what is claimed afterwards.
    fn gate(&mut self, line: &[u8]) -> Option<()> {
        let gate: Call = serde_json::from_slice(line).ok()?;
        if let Some(evidence) = gate.evidence {
            self.push(evidence, None);
        }
        Some(())
    }

    /// When a line was written.
    fn time_ms(&self, line: &[u8]) -> Option<i64> {
        let digits = &line[self.finders.time.find(line)? + self.finders.time.needle().len()..];
        let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
        std::str::from_utf8(&digits[..end]).ok()?.parse().ok()
    }

    /// Of a result: agent, call, whether it started agents, and evidence. Reads no more of the line than that: a
    /// member's name in quotes stands in no string, where its quotes would be escaped, and these stand in no
    /// inner object.
    fn finished<'l>(&self, line: &'l str) -> Option<Finished<'l>> {
        let whole = || {
            let call: Call = serde_json::from_str(line).ok()?;
            Some((call.agent.map(Cow::Owned), call.id.map(Cow::Owned), call.delegates, call.evidence?))
        };
        if !line.ends_with("\"}") {
            return whole();
        }
        let finders = &self.finders;
        let text = |finder: &Finder<'_>| {
            let Some(at) = finder.find(line.as_bytes()) else { return Some(None) };
            let rest = &line[at + finder.needle().len()..];
            let text = &rest[..memchr(b'"', rest.as_bytes())?];
            (!text.contains('\\')).then_some(Some(Cow::Borrowed(text)))
        };
        let (Some(agent), Some(id)) = (text(&finders.agent), text(&finders.id)) else { return whole() };
        let at = finders.evidence.find(line.as_bytes())? + finders.evidence.needle().len() - 1;
        let evidence = serde_json::Deserializer::from_str(&line[at..]).into_iter().next()?.ok()?;
        Some((agent, id, finders.delegates.find(line.as_bytes()).is_some(), evidence))
    }

    fn decision(&mut self, line: &[u8]) -> Option<()> {
        if !line.ends_with(b"\"}") {
            return None;
        }
        let Some(at) = self.finders.id.find(line) else { return Some(()) };
        let id = &line[at + self.finders.id.needle().len()..];
        let id = id[..memchr(b'"', id)?].to_vec();
        if !self.finders.stopped.iter().any(|finder| finder.find(line).is_some()) {
            // Nearly every call has its result in one of the next lines, and this is never looked at.
            let mut kept = self.spare.pop().unwrap_or_default();
            kept.clear();
            kept.extend_from_slice(line);
            self.open.insert(id, Open::Running(kept));
            return Some(());
        }
        let call: Call = serde_json::from_slice(line).ok()?;
        let evidence = match call.evidence {
            Some(evidence) => evidence,
            None => serde_json::from_slice::<BareCall>(line).ok()?.evidence(false, "it was stopped"),
        };
        self.open.insert(id, Open::Stopped(self.owners.len()));
        self.push(evidence, call.agent.as_deref());
        Some(())
    }

    fn push(&mut self, evidence: Evidence, agent: Option<&str>) {
        self.owners.push(if self.own(agent) { Owner::Own } else { Owner::Other });
        self.history.evidence.push(evidence);
    }

    fn prompt(&mut self, line: &[u8]) -> Option<()> {
        #[derive(Deserialize)]
        struct Prompt {
            #[serde(default)]
            prompt_preview: String,
        }
        let prompt: Prompt = serde_json::from_slice(line).ok()?;
        self.history.prompts += 1;
        if self.scope == Scope::Session {
            self.begin_turn();
            // The record shows line ends as two characters.
            self.history.prompt = Some(prompt.prompt_preview.replace("\\n", "\n").replace("\\t", "\t"));
        }
        Some(())
    }

    fn subagent(&mut self, line: &[u8]) -> Option<()> {
        #[derive(Deserialize)]
        struct Subagent {
            #[serde(rename = "gen_ai.agent.id")]
            agent: Option<String>,
            continuing: Option<bool>,
        }
        let subagent: Subagent = serde_json::from_slice(line).ok()?;
        let begins = subagent.continuing.is_none();
        if begins && self.scope != Scope::Session && self.own(subagent.agent.as_deref()) {
            self.begin_turn();
        }
        Some(())
    }

    fn begin_turn(&mut self) {
        self.turn = self.owners.len();
        self.open.clear();
    }

    fn finish(mut self) -> History {
        for open in std::mem::take(&mut self.open).into_values() {
            let Open::Running(line) = open else { continue };
            // It may be at work still.
            self.history.windows.extend(self.time_ms(&line).map(|began_ms| (began_ms, i64::MAX)));
            // The host's user said no, or its result was lost: nobody can be blamed for either.
            let Ok(call) = serde_json::from_slice::<BareCall>(&line) else { continue };
            let evidence = call.evidence(false, "its result was not recorded");
            self.push(evidence, call.agent.as_deref());
        }
        let others = self.scope == Scope::Session || self.delegated;
        let mut owners = self.owners.iter().enumerate();
        self.history.evidence.retain_mut(|evidence| {
            // There is one of each.
            let Some((at, owner)) = owners.next() else { return false };
            evidence.earlier = at < self.turn;
            evidence.by = if *owner == Owner::Own { Actor::Agent } else { Actor::Subagent };
            *owner == Owner::Own || (others && *owner == Owner::Other)
        });
        if self.damaged != 0 {
            self.history.gaps.push(format!("{} lines of the journal cannot be read", self.damaged));
        }
        self.history
    }
}

/// The last turn of a session, where it was reported and the agent does not know.
#[derive(Debug, PartialEq)]
pub(crate) struct LastTurn {
    /// What was found, with the modes' names.
    pub(crate) findings: Vec<(Finding, String)>,
    /// The findings' ids.
    pub(crate) ids: Vec<String>,
}

/// Looks at the end of the journal for a turn of the session's own agent that was reported, after the last prompt.
/// A session that goes on after its journal was moved away is one session.
pub(crate) fn last_turn(project_state: &Path, session: &SessionId) -> Option<LastTurn> {
    let mut path = journal::path(project_state, session);
    loop {
        match last_end(session, &tail(&path)?) {
            End::Turn(turn) => return Some(turn),
            End::Nothing => return None,
            End::Before => path = continued(project_state, &path).ok()??,
        }
    }
}

/// What the end of a journal tells.
enum End {
    /// A turn was reported.
    Turn(LastTurn),
    /// A prompt came after it, or there was nothing to report.
    Nothing,
    /// No turn ended in it.
    Before,
}

fn last_end(session: &SessionId, bytes: &[u8]) -> End {
    #[derive(Deserialize)]
    struct Wire {
        seq: u64,
        kind: String,
        audit: Option<String>,
        #[serde(default)]
        findings: Vec<Finding>,
        #[serde(default)]
        modes: Vec<String>,
    }
    let finder = Finder::new(KIND);
    for line in bytes.rsplit(|byte| *byte == b'\n') {
        match kind(&finder, line) {
            Some(Kind::Prompt) => return End::Nothing,
            Some(Kind::Other) => {}
            _ => continue,
        }
        let Ok(end) = serde_json::from_slice::<Wire>(line) else { continue };
        if end.kind != "turn" {
            continue;
        }
        if !matches!(end.audit.as_deref(), Some("reported" | "released")) {
            return End::Nothing;
        }
        let ids = (1..=end.findings.len()).map(|n| journal::finding_id(session, end.seq, n)).collect();
        let findings = end.findings.into_iter().zip(end.modes).collect();
        return End::Turn(LastTurn { findings, ids });
    }
    End::Before
}

fn tail(path: &Path) -> Option<Vec<u8>> {
    if !std::fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let from = file.metadata().ok()?.len().saturating_sub(LAST_TURN_BYTES_MAX);
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(LAST_TURN_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests;
