//! `hostler audit findings`, and findings as journals hold them.

use std::io::Write;
use std::path::{Path, PathBuf};

use hostler_ledger::journal::{self, Record};
use hostler_ledger::redact::preview;
use hostler_model::SessionId;
use hostler_policy::claims::Severity;
use serde_json::{Map, Value, json};

use super::{Broken, is_unknown, sessions, since, time};
use crate::exit::Exit;
use crate::output;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only sessions whose name begins with this
    #[arg(long)]
    session: Option<String>,
    /// Only what is younger: `7d`, `24h`, a day, a time
    #[arg(long, value_parser = since)]
    since: Option<i64>,
    /// Only what is at least so grave: LOW, MEDIUM, HIGH or CRITICAL
    #[arg(long, value_parser = severity)]
    severity: Option<Severity>,
    /// Only this type, e.g. `ACTION_DECEPTION`; may be given several times
    #[arg(long = "type", value_name = "TYPE", value_parser = kind)]
    kind: Vec<String>,
}

const SEVERITIES: [Severity; 4] = [Severity::Low, Severity::Medium, Severity::High, Severity::Critical];

fn severity(text: &str) -> Result<Severity, String> {
    named(text).ok_or_else(|| "use `LOW`, `MEDIUM`, `HIGH` or `CRITICAL`".to_owned())
}

fn named(text: &str) -> Option<Severity> {
    SEVERITIES.into_iter().find(|it| it.name().eq_ignore_ascii_case(text))
}

/// A type that no rule has would silently find nothing.
fn kind(text: &str) -> Result<String, String> {
    let mut known: Vec<&str> = hostler_policy::claims::RULES.iter().map(|rule| rule.kind.name()).collect();
    known.sort_unstable();
    known.dedup();
    let found = known.iter().find(|it| it.eq_ignore_ascii_case(text));
    found.map(|it| (*it).to_owned()).ok_or_else(|| format!("there are {}", known.join(", ")))
}

/// One finding of a turn, as it was recorded. Read leniently: a later build may know more types and fields.
#[derive(Debug, Clone)]
pub(super) struct Recorded {
    /// What `explain` takes.
    pub(super) id: String,
    /// Its number in the record, from 1.
    pub(super) number: usize,
    /// The journal.
    pub(super) path: PathBuf,
    /// The record of the turn that it was found in.
    pub(super) record: Record,
}

impl Recorded {
    /// The findings of one record.
    pub(super) fn of(path: &Path, record: &Record) -> Vec<Self> {
        let count = if matches!(record.kind.as_str(), "turn" | "subagent") { list(record).len() } else { 0 };
        let session = record.text(journal::SESSION).and_then(|it| SessionId::parse(it).ok());
        let Some(session) = session else { return Vec::new() };
        (1..=count)
            .map(|number| Self {
                id: journal::finding_id(&session, record.sequence, number),
                number,
                path: path.to_path_buf(),
                record: record.clone(),
            })
            .collect()
    }

    /// The serialised finding.
    pub(super) fn value(&self) -> &Value {
        list(&self.record).get(self.number - 1).unwrap_or(&Value::Null)
    }

    /// A member of it that is text.
    pub(super) fn text(&self, name: &str) -> &str {
        self.value().get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A member of it that is a list of texts.
    pub(super) fn texts(&self, name: &str) -> Vec<&str> {
        let items = self.value().get(name).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// The finding with where it was found.
    pub(super) fn document(&self) -> Value {
        let mut out = Map::new();
        out.insert("id".to_owned(), self.id.as_str().into());
        out.insert("timestamp".to_owned(), time(self.record.time_ms, false).into());
        out.insert("session".to_owned(), json!(self.record.text(journal::SESSION)));
        out.insert("subagent".to_owned(), json!(self.record.text("gen_ai.agent.id")));
        if let Value::Object(finding) = self.value() {
            out.extend(finding.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        Value::Object(out)
    }
}

fn list(record: &Record) -> &[Value] {
    record.attributes.get("findings").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

impl Args {
    fn wants(&self, found: &Recorded) -> bool {
        // One that this build does not know may be grave.
        let grave =
            self.severity.is_none_or(|least| named(found.text("severity")).is_none_or(|it| least <= it));
        grave && (self.kind.is_empty() || self.kind.iter().any(|kind| kind == found.text("type")))
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    if is_unknown(args.session.as_deref())? {
        return Ok(Exit::Usage);
    }
    let broken = Broken::of(args.session.as_deref())?;
    let mut found = Vec::new();
    for path in sessions(args.session.as_deref())?.into_values().flatten() {
        // What cannot be opened is `verify`'s business.
        let Ok(records) = journal::read(&path) else { continue };
        for record in records.filter(|record| args.since.is_none_or(|since| since <= record.time_ms)) {
            found.extend(Recorded::of(&path, &record).into_iter().filter(|it| args.wants(it)));
        }
    }
    found.sort_by_key(|it| (it.record.time_ms, it.record.sequence, it.number));
    if json {
        let document = |it: &Recorded| {
            let mut document = it.document();
            if let Some(why) = broken.why(&it.path) {
                document["notes"] = json!([format!("the chain of its journal is broken ({why})")]);
            }
            document
        };
        output::json::print(&Value::Array(found.iter().map(document).collect()))?;
    } else {
        tell(&found)?;
    }
    broken.tell(if found.is_empty() { Exit::Ok } else { Exit::Finding })
}

fn tell(found: &[Recorded]) -> anyhow::Result<()> {
    let mut out = crate::output::human::stdout();
    for it in found {
        let who = match it.record.text("gen_ai.agent.id") {
            Some(agent) => format!("  subagent {}", preview(agent, 40)),
            None => String::new(),
        };
        let (severity, kind) = (preview(it.text("severity"), 12), preview(it.text("type"), 40));
        writeln!(out, "{}  {severity:8} {kind:22} {}{who}", time(it.record.time_ms, true), it.id)?;
        writeln!(out, "    {}", preview(it.text("description"), 300))?;
        if !it.text("claim").is_empty() {
            writeln!(out, "    said: \"{}\"", preview(it.text("claim"), 300))?;
        }
    }
    match found.len() {
        0 => writeln!(out, "no findings")?,
        1 => writeln!(out, "1 finding; `hostler audit explain {}` tells how it came about", found[0].id)?,
        more => writeln!(out, "{more} findings; `hostler audit explain ID` tells how one came about")?,
    }
    Ok(())
}
