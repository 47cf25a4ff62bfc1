//! A session as an OpenTelemetry trace, in the JSON encoding of OTLP.
//!
//! One trace a session, so that a session that is exported twice is one trace: ids are digests of names. The session
//! is the root, its turns are below it, subagents below their turn, tool calls below whoever made them. Findings
//! are events of the turn they were found in. Names are those of the conventions for generative AI where one exists.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use hostler_ledger::journal::{self, Record, sha256_hex};
use hostler_model::SessionId;
use serde_json::{Map, Value, json};

use super::super::findings::Recorded;

/// `SPAN_KIND_INTERNAL`: nothing here is a request to somebody else.
const KIND_INTERNAL: u32 = 1;
const STATUS_OK: u32 = 1;
const STATUS_ERROR: u32 = 2;

/// Writes one line: a request as an exporter would send it.
pub(super) fn write(
    session: &str,
    files: &[PathBuf],
    state: &Path,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut trace = Trace::new(session);
    for path in files {
        for record in journal::read(path)? {
            trace.record(path, &record);
        }
    }
    let document = trace.document(&state.file_name().unwrap_or_default().to_string_lossy());
    writeln!(out, "{document}")?;
    Ok(())
}

/// A span in the making.
struct Span {
    id: String,
    /// By place; `None` for the root.
    parent: Option<usize>,
    name: String,
    start_ms: i64,
    end_ms: i64,
    attributes: Map<String, Value>,
    /// Code and message; unset while nothing is known.
    status: Option<(u32, String)>,
    events: Vec<Value>,
}

impl Span {
    fn event(&mut self, name: &str, time_ms: i64, attributes: &Map<String, Value>) {
        self.end_ms = self.end_ms.max(time_ms);
        self.events.push(json!({
            "timeUnixNano": nanoseconds(time_ms),
            "name": name,
            "attributes": attributes_of(attributes),
        }));
    }

    fn document(&self, trace_id: &str, parent: Option<&Self>) -> Value {
        let mut out = json!({
            "traceId": trace_id,
            "spanId": self.id,
            "name": self.name,
            "kind": KIND_INTERNAL,
            "startTimeUnixNano": nanoseconds(self.start_ms),
            "endTimeUnixNano": nanoseconds(self.end_ms),
            "attributes": attributes_of(&self.attributes),
            "events": self.events,
        });
        if let Some(parent) = parent {
            out["parentSpanId"] = parent.id.as_str().into();
        }
        out["status"] = match &self.status {
            None => json!({}),
            Some((code, message)) if message.is_empty() => json!({ "code": code }),
            Some((code, message)) => json!({ "code": code, "message": message }),
        };
        out
    }
}

struct Trace<'a> {
    session: &'a str,
    /// The root first.
    spans: Vec<Span>,
    /// The turn that goes on, by place in `spans`.
    turn: Option<usize>,
    turns: u64,
    /// Subagents by id.
    agents: BTreeMap<String, usize>,
    /// Tool calls by id.
    calls: BTreeMap<String, usize>,
    host: Option<String>,
}

impl<'a> Trace<'a> {
    fn new(session: &'a str) -> Self {
        let root = Span {
            id: span_id(session, "session"),
            parent: None,
            name: "session".to_owned(),
            start_ms: i64::MAX,
            end_ms: i64::MIN,
            attributes: object([(journal::SESSION, session)]),
            status: None,
            events: Vec::new(),
        };
        Self {
            session,
            spans: vec![root],
            turn: None,
            turns: 0,
            agents: BTreeMap::new(),
            calls: BTreeMap::new(),
            host: None,
        }
    }

    fn record(&mut self, path: &Path, record: &Record) {
        let time_ms = record.time_ms;
        if self.host.is_none() {
            self.host = record.text("host").map(str::to_owned);
        }
        let root = &mut self.spans[0];
        root.start_ms = root.start_ms.min(time_ms);
        root.end_ms = root.end_ms.max(time_ms);
        match record.kind.as_str() {
            "session" => {
                let name = record.text("event").unwrap_or("session");
                let known = ["source", "reason", "vcs.ref.head.revision"];
                root.event(name, time_ms, &picked(record, &known));
            }
            "prompt" => {
                self.open_turn(record);
            }
            "decision" => self.decision(record),
            "result" => self.result(record),
            "turn" => {
                let at = self.turn_of(record);
                self.close(at, path, record);
            }
            "subagent" => {
                let at = self.agent(record);
                self.close(at, path, record);
            }
            "seal" => {}
            other => {
                let at = self.turn.unwrap_or(0);
                let known = ["message", "status", "code", "automatic"];
                self.spans[at].event(&format!("hostler.{other}"), time_ms, &picked(record, &known));
                self.reach(at);
            }
        }
    }

    fn push(&mut self, key: &str, parent: usize, name: String, record: &Record) -> usize {
        self.spans.push(Span {
            id: span_id(self.session, key),
            parent: Some(parent),
            name,
            start_ms: record.time_ms,
            end_ms: record.time_ms,
            attributes: object([(journal::SESSION, self.session)]),
            status: None,
            events: Vec::new(),
        });
        self.spans.len() - 1
    }

    fn open_turn(&mut self, record: &Record) -> usize {
        self.turns += 1;
        let at = self.push(&format!("turn {}", self.turns), 0, "invoke_agent".to_owned(), record);
        let attributes = &mut self.spans[at].attributes;
        attributes.insert("gen_ai.operation.name".to_owned(), "invoke_agent".into());
        attributes.insert("hostler.turn".to_owned(), self.turns.into());
        self.turn = Some(at);
        at
    }

    /// The turn that a record belongs to. A journal can begin in the middle of one.
    fn turn_of(&mut self, record: &Record) -> usize {
        match self.turn {
            Some(at) => at,
            None => self.open_turn(record),
        }
    }

    /// The subagent that a record names.
    fn agent(&mut self, record: &Record) -> usize {
        let turn = self.turn_of(record);
        let Some(id) = record.text("gen_ai.agent.id") else { return turn };
        if let Some(at) = self.agents.get(id) {
            return *at;
        }
        let name = match record.text("gen_ai.agent.name") {
            Some(kind) => format!("invoke_agent {kind}"),
            None => "invoke_agent".to_owned(),
        };
        let at = self.push(&format!("agent {id}"), turn, name, record);
        let attributes = &mut self.spans[at].attributes;
        attributes.insert("gen_ai.operation.name".to_owned(), "invoke_agent".into());
        attributes.extend(picked(record, &["gen_ai.agent.id", "gen_ai.agent.name"]));
        self.agents.insert(id.to_owned(), at);
        at
    }

    fn call(&mut self, record: &Record) -> usize {
        // Without an id of its own every record is a call.
        let key = match record.text("gen_ai.tool.call.id") {
            Some(id) => id.to_owned(),
            None => format!("record {}", record.sequence),
        };
        if let Some(at) = self.calls.get(&key) {
            return *at;
        }
        let parent = self.agent(record);
        let tool = record.text("gen_ai.tool.name").unwrap_or("tool");
        let at = self.push(&format!("call {key}"), parent, format!("execute_tool {tool}"), record);
        let known = ["gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.agent.id"];
        self.spans[at].attributes.extend(picked(record, &known));
        self.calls.insert(key, at);
        at
    }

    fn decision(&mut self, record: &Record) {
        let at = self.call(record);
        let status = record.text("status").unwrap_or_default();
        let span = &mut self.spans[at];
        let own = ["target", "status", "rules", "profile", "checkpoint"];
        let own = picked(record, &own).into_iter().map(|(name, value)| (format!("hostler.{name}"), value));
        span.attributes.extend(own);
        if let Ok(session) = SessionId::parse(self.session) {
            let id = journal::decision_id(&session, record.sequence);
            span.attributes.insert("hostler.decision".to_owned(), id.into());
        }
        if status == "blocked" {
            span.attributes.insert("error.type".to_owned(), "blocked".into());
            span.status = Some((STATUS_ERROR, record.text("message").unwrap_or("blocked").to_owned()));
        }
    }

    fn result(&mut self, record: &Record) {
        let known = self.calls.len();
        let at = self.call(record);
        let unseen = known < self.calls.len();
        let span = &mut self.spans[at];
        if unseen {
            // Its beginning was not seen; the host says how long it took.
            let took = record.attributes.get("tool_duration_ms").and_then(Value::as_i64).unwrap_or(0);
            span.start_ms = record.time_ms.saturating_sub(took.max(0));
        }
        span.end_ms = span.end_ms.max(record.time_ms);
        let own = picked(record, &["exit", "interrupted", "output_bytes", "output_sha256"]);
        span.attributes.extend(own.into_iter().map(|(name, value)| (format!("hostler.{name}"), value)));
        span.status = if record.attributes.get("ok").and_then(Value::as_bool).unwrap_or(true) {
            Some((STATUS_OK, String::new()))
        } else {
            span.attributes.insert("error.type".to_owned(), "tool_error".into());
            Some((STATUS_ERROR, record.text("message").unwrap_or("the tool failed").to_owned()))
        };
        self.reach(at);
    }

    /// A span ends no earlier than those below it.
    fn reach(&mut self, at: usize) {
        let end_ms = self.spans[at].end_ms;
        let mut above = self.spans[at].parent;
        while let Some(at) = above {
            self.spans[at].end_ms = self.spans[at].end_ms.max(end_ms);
            above = self.spans[at].parent;
        }
    }

    /// The end of a turn or of a subagent, with what was found in it. One that is sent back ends several times.
    fn close(&mut self, at: usize, path: &Path, record: &Record) {
        let span = &mut self.spans[at];
        span.end_ms = span.end_ms.max(record.time_ms);
        for finding in Recorded::of(path, record) {
            let mut attributes = object([("hostler.finding.id", finding.id.as_str())]);
            for name in ["type", "severity", "rule", "standing", "claim", "description"] {
                attributes.insert(format!("hostler.finding.{name}"), finding.text(name).into());
            }
            span.event("hostler.finding", record.time_ms, &attributes);
        }
        self.reach(at);
    }

    fn document(&self, project: &str) -> Value {
        let trace_id = &sha256_hex(format!("hostler trace 1\n{}", self.session).as_bytes())[..32];
        let resource =
            object([("service.name", self.host.as_deref().unwrap_or("agent")), ("hostler.project", project)]);
        let spans: Vec<Value> = self
            .spans
            .iter()
            .map(|span| span.document(trace_id, span.parent.map(|at| &self.spans[at])))
            .collect();
        json!({
            "resourceSpans": [{
                "resource": { "attributes": attributes_of(&resource) },
                "scopeSpans": [{
                    "scope": { "name": "hostler", "version": env!("CARGO_PKG_VERSION") },
                    "spans": spans,
                }],
            }],
        })
    }
}

fn span_id(session: &str, key: &str) -> String {
    let digest = sha256_hex(format!("hostler span 1\n{session}\n{key}").as_bytes());
    digest[..16].to_owned()
}

/// 64-bit integers are strings in OTLP/JSON.
fn nanoseconds(time_ms: i64) -> String {
    (i128::from(time_ms.max(0)) * 1_000_000).to_string()
}

fn object<const COUNT: usize>(members: [(&str, &str); COUNT]) -> Map<String, Value> {
    members.into_iter().map(|(name, text)| (name.to_owned(), text.into())).collect()
}

/// Those attributes of a record that are there.
fn picked(record: &Record, names: &[&str]) -> Map<String, Value> {
    let one = |name: &&str| Some(((*name).to_owned(), record.attributes.get(*name)?.clone()));
    names.iter().filter_map(one).collect()
}

fn attributes_of(map: &Map<String, Value>) -> Vec<Value> {
    map.iter().map(|(name, value)| json!({ "key": name, "value": any_value(value) })).collect()
}

/// A value as OTLP has it.
fn any_value(value: &Value) -> Value {
    match value {
        Value::Bool(it) => json!({ "boolValue": it }),
        Value::Number(it) if it.is_i64() => json!({ "intValue": it.to_string() }),
        Value::Number(it) => json!({ "doubleValue": it }),
        Value::String(it) => json!({ "stringValue": it }),
        Value::Array(items) => {
            json!({ "arrayValue": { "values": items.iter().map(any_value).collect::<Vec<_>>() } })
        }
        other => json!({ "stringValue": other.to_string() }),
    }
}
