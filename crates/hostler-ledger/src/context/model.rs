//! What a `context.json` says: the state, the deferred work, the sessions.
//!
//! Reading never fails: older names and spellings are understood, a value of another kind is put aside in `other`
//! and stays in the file.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::json::Json;

/// Where the project stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    /// Number of the current or last session; 0 before the first.
    pub session: u64,
    /// The project's version.
    pub version: String,
    /// The branch that was checked out.
    pub branch: String,
    /// How many tests there were at the last count.
    pub test_count: Option<u64>,
    /// How the tests went, in words.
    pub test_state: Option<String>,
    /// Whether a session is going on.
    pub status: Status,
    /// Members that this build does not know.
    pub other: Map<String, Value>,
}

/// Whether a session is going on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Status {
    /// `active`, `ACTIVE`.
    Active,
    /// `idle`, `IDLE`.
    Idle,
    /// `closed`, `COMPLETE`: no session is open.
    #[default]
    Closed,
    /// A word that we do not know, as it is spelled.
    Other(String),
}

impl Status {
    /// Reads a status in any of its spellings.
    pub fn parse(text: &str) -> Self {
        match text.trim().to_ascii_lowercase().as_str() {
            "active" => Self::Active,
            "idle" => Self::Idle,
            "closed" | "close" | "complete" | "completed" | "ended" => Self::Closed,
            _ => Self::Other(text.to_owned()),
        }
    }

    /// The word that is written.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Active => "active",
            Self::Idle => "idle",
            Self::Closed => "closed",
            Self::Other(text) => text,
        }
    }
}

/// Something that is left to do.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Work {
    /// Name of the item, `DW-001`. One without it is given the next free one, when it is read or written.
    pub id: String,
    /// How urgent it is.
    pub priority: Priority,
    /// What is to be done.
    pub description: String,
    /// How far it is.
    pub status: WorkStatus,
    /// What else is to be known.
    pub notes: Option<String>,
    /// Members that this build does not know.
    pub other: Map<String, Value>,
}

/// How urgent an item is, as it is spelled. The most urgent is the least.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Priority(String);

impl Priority {
    /// Takes any spelling; [`Self::rank`] says what it means.
    pub fn parse(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// The word as it was spelled.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// 0 (`P0`, `critical`) to 3 (`P3`, `low`); 4 for a word that we do not know.
    pub fn rank(&self) -> u8 {
        match self.0.to_ascii_lowercase().as_str() {
            "p0" | "critical" | "urgent" => 0,
            "p1" | "high" => 1,
            "p2" | "medium" | "normal" => 2,
            "p3" | "low" => 3,
            _ => 4,
        }
    }
}

impl Default for Priority {
    fn default() -> Self {
        Self("medium".to_owned())
    }
}

impl Ord for Priority {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.rank(), &self.0).cmp(&(other.rank(), &other.0))
    }
}

impl PartialOrd for Priority {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// How far an item is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum WorkStatus {
    /// Not begun.
    #[default]
    Pending,
    /// Somebody is at it.
    InProgress,
    /// Done.
    Completed,
    /// A word that we do not know, as it is spelled.
    Other(String),
}

impl WorkStatus {
    /// Reads a status in any of its spellings.
    pub fn parse(text: &str) -> Self {
        match text.trim().to_ascii_lowercase().replace(['-', ' '], "_").as_str() {
            "pending" | "open" | "todo" => Self::Pending,
            "in_progress" => Self::InProgress,
            "completed" | "complete" | "done" | "closed" => Self::Completed,
            _ => Self::Other(text.to_owned()),
        }
    }

    /// The word that is written.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Other(text) => text,
        }
    }
}

/// One session: a piece of work with a beginning and an end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Session {
    /// Its number; 0 in a file that does not number it.
    pub seq: u64,
    /// When it began: RFC 3339, UTC.
    pub when: String,
    /// What it is for.
    pub purpose: String,
    /// What is to be reached.
    pub objectives: Vec<String>,
    /// What was done, in order.
    pub work_log: Vec<WorkEntry>,
    /// What was reached.
    pub achievements: Vec<String>,
    /// What was decided, with reasons.
    pub choices: Vec<Choice>,
    /// How long it took, `2h30m`; absent while it goes on.
    pub length: Option<String>,
    /// When it ended: RFC 3339, UTC.
    pub ended: Option<String>,
    /// How it was closed: `closed`, `stale` …
    pub outcome: Option<String>,
    /// The project's version.
    pub version: Option<String>,
    /// The branch that was checked out.
    pub branch: Option<String>,
    /// The commit that was checked out when it began.
    pub commit: Option<String>,
    /// Sessions of hosts that belong to it.
    pub hosts: Vec<HostSession>,
    /// The tag that marks its end.
    pub tag: Option<String>,
    /// When it was last changed: RFC 3339, UTC.
    pub updated: Option<String>,
    /// Members that this build does not know.
    pub other: Map<String, Value>,
}

/// A line of a session's work log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorkEntry {
    /// When: RFC 3339, UTC. Empty where nobody wrote it down.
    pub when: String,
    /// What was done.
    pub desc: String,
    /// In detail.
    pub details: Vec<String>,
    /// Members that this build does not know.
    pub other: Map<String, Value>,
}

/// A decision.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choice {
    /// When: RFC 3339, UTC. Empty where nobody wrote it down.
    pub when: String,
    /// What was decided.
    pub choice: String,
    /// Why.
    pub reason: String,
    /// Members that this build does not know.
    pub other: Map<String, Value>,
}

/// A session of a host.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostSession {
    /// Which host, `claude`.
    pub host: String,
    /// The host's name for it.
    pub id: String,
    /// When it joined: RFC 3339, UTC.
    pub when: String,
    /// Members that this build does not know.
    pub other: Map<String, Value>,
}

impl State {
    pub(super) fn read(value: Value) -> Self {
        let Value::Object(map) = value else { return Self::default() };
        let mut fields = Fields(map);
        Self {
            session: fields.number(&["session", "session_seq"]).unwrap_or(0),
            version: fields.text(&["version"]).unwrap_or_default(),
            branch: fields.text(&["branch"]).unwrap_or_default(),
            test_count: fields.number(&["test_count", "testCount"]),
            test_state: fields.text(&["test_state", "testState"]),
            status: fields.text(&["status"]).map(|it| Status::parse(&it)).unwrap_or_default(),
            other: fields.0,
        }
    }

    pub(super) fn json(&self) -> Json {
        Json::object(
            vec![
                ("session", Some(Json::number(self.session))),
                ("version", Some(Json::text(&self.version))),
                ("branch", Some(Json::text(&self.branch))),
                ("test_count", self.test_count.map(Json::number)),
                ("test_state", optional(self.test_state.as_ref())),
                ("status", Some(Json::text(self.status.as_str()))),
            ],
            &self.other,
        )
    }
}

impl Work {
    pub(super) fn read(value: Value) -> Self {
        let Value::Object(map) = value else {
            return Self { description: plain_text(value), ..Self::default() };
        };
        let mut fields = Fields(map);
        Self {
            id: fields.text(&["id"]).unwrap_or_default(),
            priority: fields.text(&["priority"]).map(|it| Priority::parse(&it)).unwrap_or_default(),
            description: fields.text(&["description", "text", "item", "desc", "title"]).unwrap_or_default(),
            status: fields.text(&["status"]).map(|it| WorkStatus::parse(&it)).unwrap_or_default(),
            notes: fields.text(&["notes", "note"]),
            other: fields.0,
        }
    }

    pub(super) fn json(&self) -> Json {
        Json::object(
            vec![
                ("id", Some(Json::text(&self.id))),
                ("priority", Some(Json::text(self.priority.as_str()))),
                ("description", Some(Json::text(&self.description))),
                ("status", Some(Json::text(self.status.as_str()))),
                ("notes", optional(self.notes.as_ref())),
            ],
            &self.other,
        )
    }
}

impl Session {
    pub(super) fn read(value: Value) -> Self {
        let Value::Object(map) = value else {
            return Self { purpose: plain_text(value), ..Self::default() };
        };
        let mut fields = Fields(map);
        Self {
            seq: fields.number(&SEQ_NAMES).unwrap_or(0),
            when: fields.text(&["when", "created_at", "started", "start", "date"]).unwrap_or_default(),
            purpose: fields.text(&["purpose", "focus", "title"]).unwrap_or_default(),
            objectives: fields.list(&["objectives"], plain_text),
            work_log: fields.list(&["work_log", "worklog", "work"], WorkEntry::read),
            achievements: fields.list(&["achievements"], plain_text),
            choices: fields.list(&["choices", "technical_choices", "decisions"], Choice::read),
            length: fields.text(&["length", "duration"]),
            ended: fields.text(&["ended", "ended_at", "closed_at"]),
            outcome: fields.text(&["outcome"]),
            version: fields.text(&["version"]),
            branch: fields.text(&["branch"]),
            commit: fields.text(&["commit"]),
            hosts: fields.list(&["hosts"], HostSession::read),
            tag: fields.text(&["tag"]),
            updated: fields.text(&["updated", "updated_at"]),
            other: fields.0,
        }
    }

    pub(super) fn json(&self) -> Json {
        let list = |items: Vec<Json>| (!items.is_empty()).then_some(Json::Array(items));
        Json::object(
            vec![
                ("seq", Some(Json::number(self.seq))),
                ("when", Some(Json::text(&self.when))),
                ("purpose", Some(Json::text(&self.purpose))),
                ("objectives", list(self.objectives.iter().map(|it| Json::text(it)).collect())),
                ("version", optional(self.version.as_ref())),
                ("branch", optional(self.branch.as_ref())),
                ("commit", optional(self.commit.as_ref())),
                ("hosts", list(self.hosts.iter().map(HostSession::json).collect())),
                ("work_log", list(self.work_log.iter().map(WorkEntry::json).collect())),
                ("achievements", Some(Json::texts(&self.achievements))),
                ("choices", list(self.choices.iter().map(Choice::json).collect())),
                ("length", optional(self.length.as_ref())),
                ("ended", optional(self.ended.as_ref())),
                ("outcome", optional(self.outcome.as_ref())),
                ("tag", optional(self.tag.as_ref())),
                ("updated", optional(self.updated.as_ref())),
            ],
            &self.other,
        )
    }
}

/// Names under which files keep a session's number.
pub(super) const SEQ_NAMES: [&str; 4] = ["seq", "session_seq", "session", "number"];

impl WorkEntry {
    fn read(value: Value) -> Self {
        let Value::Object(map) = value else { return Self { desc: plain_text(value), ..Self::default() } };
        let mut fields = Fields(map);
        Self {
            when: fields.text(&["when", "at", "time", "timestamp"]).unwrap_or_default(),
            desc: fields.text(&["desc", "description", "text", "what"]).unwrap_or_default(),
            details: fields.list(&["details"], plain_text),
            other: fields.0,
        }
    }

    fn json(&self) -> Json {
        Json::object(
            vec![
                ("when", filled(&self.when)),
                ("desc", Some(Json::text(&self.desc))),
                ("details", (!self.details.is_empty()).then(|| Json::texts(&self.details))),
            ],
            &self.other,
        )
    }
}

impl Choice {
    fn read(value: Value) -> Self {
        let Value::Object(map) = value else { return Self { choice: plain_text(value), ..Self::default() } };
        let mut fields = Fields(map);
        Self {
            when: fields.text(&["when", "at", "time", "timestamp"]).unwrap_or_default(),
            choice: fields.text(&["choice", "decision", "text"]).unwrap_or_default(),
            reason: fields.text(&["reason", "rationale", "why"]).unwrap_or_default(),
            other: fields.0,
        }
    }

    fn json(&self) -> Json {
        Json::object(
            vec![
                ("when", filled(&self.when)),
                ("choice", Some(Json::text(&self.choice))),
                ("reason", Some(Json::text(&self.reason))),
            ],
            &self.other,
        )
    }
}

impl HostSession {
    fn read(value: Value) -> Self {
        let Value::Object(map) = value else { return Self { id: plain_text(value), ..Self::default() } };
        let mut fields = Fields(map);
        Self {
            host: fields.text(&["host"]).unwrap_or_default(),
            id: fields.text(&["id", "session_id"]).unwrap_or_default(),
            when: fields.text(&["when"]).unwrap_or_default(),
            other: fields.0,
        }
    }

    fn json(&self) -> Json {
        Json::object(
            vec![
                ("host", Some(Json::text(&self.host))),
                ("id", Some(Json::text(&self.id))),
                ("when", filled(&self.when)),
            ],
            &self.other,
        )
    }
}

fn optional(text: Option<&String>) -> Option<Json> {
    text.map(|it| Json::text(it))
}

fn filled(text: &str) -> Option<Json> {
    (!text.is_empty()).then(|| Json::text(text))
}

/// An object's members; what is taken is gone, what cannot be taken stays.
struct Fields(Map<String, Value>);

impl Fields {
    /// Takes the first of `names` that `read` accepts. `null` and an empty text are the same as nothing.
    fn take<T>(&mut self, names: &[&str], read: impl Fn(&Value) -> Option<T>) -> Option<T> {
        for name in names {
            match self.0.get(*name) {
                None => {}
                Some(value) if value.is_null() || value == "" => {
                    self.0.remove(*name);
                }
                Some(value) => {
                    if let Some(taken) = read(value) {
                        self.0.remove(*name);
                        return Some(taken);
                    }
                }
            }
        }
        None
    }

    fn text(&mut self, names: &[&str]) -> Option<String> {
        self.take(names, |value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(truth) => Some(truth.to_string()),
            _ => None,
        })
    }

    fn number(&mut self, names: &[&str]) -> Option<u64> {
        self.take(names, number)
    }

    fn list<T>(&mut self, names: &[&str], one: impl Fn(Value) -> T) -> Vec<T> {
        let list = self.take(names, |value| match value {
            Value::Array(items) => Some(items.iter().map(|it| one(it.clone())).collect()),
            Value::String(_) => Some(vec![one(value.clone())]),
            _ => None,
        });
        list.unwrap_or_default()
    }
}

/// A whole number, also one that was written as a text or with a point.
pub(super) fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| {
            let float = number.as_f64()?;
            // Numbers of sessions and tests; above 2^53 a float names no single one.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
            (float.fract() == 0.0 && (0.0..9.007_199_254_740_992e15).contains(&float)).then_some(float as u64)
        }),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// The words of a value where a text is expected.
fn plain_text(value: Value) -> String {
    const NAMES: [&str; 6] = ["item", "text", "desc", "description", "achievement", "title"];
    match value {
        Value::String(text) => text,
        Value::Object(members) => {
            let text = NAMES.iter().find_map(|name| members.get(*name)?.as_str());
            text.map_or_else(|| Value::Object(members.clone()).to_string(), str::to_owned)
        }
        other => other.to_string(),
    }
}
