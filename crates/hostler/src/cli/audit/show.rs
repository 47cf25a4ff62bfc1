//! `hostler audit show`.

use std::collections::VecDeque;
use std::io::Write;
use std::path::PathBuf;

use hostler_ledger::journal::{self, Record};
use hostler_ledger::redact;
use serde_json::{Value, json};

use super::{Broken, is_unknown, project_state, since, time};
use crate::exit::Exit;
use crate::output;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only sessions whose name begins with this
    #[arg(long)]
    session: Option<String>,
    /// How many records, counted from the newest
    #[arg(long, value_name = "N", default_value_t = 20)]
    last: usize,
    /// Only records of this kind: `decision`, `result`, `turn`, …; may be given several times
    #[arg(long)]
    kind: Vec<String>,
    /// Only what is younger: `7d`, `24h`, a day, a time
    #[arg(long, value_parser = since)]
    since: Option<i64>,
}

impl Args {
    fn wants(&self, record: &Record) -> bool {
        (self.kind.is_empty() || self.kind.contains(&record.kind))
            && self.since.is_none_or(|since| since <= record.time_ms)
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    if is_unknown(args.session.as_deref())? {
        return Ok(Exit::Usage);
    }
    let broken = Broken::of(args.session.as_deref())?;
    let mut records: Vec<(PathBuf, Record)> = Vec::new();
    for file in journal::files(&project_state()?)? {
        let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        if args.session.as_deref().is_some_and(|session| !name.starts_with(session)) {
            continue;
        }
        let mut newest = VecDeque::new();
        for record in journal::read(&file)?.filter(|record| args.wants(record)) {
            newest.push_back(record);
            if args.last < newest.len() {
                newest.pop_front();
            }
        }
        records.extend(newest.into_iter().map(|record| (file.clone(), record)));
    }
    records.sort_by_key(|(_, record)| (record.time_ms, record.sequence));
    let records = &records[records.len().saturating_sub(args.last)..];
    if json {
        let document = |(path, record): &(PathBuf, Record)| {
            let mut document = shown(record);
            if let Some(why) = broken.why(path) {
                document["notes"] = json!([format!("the chain of its journal is broken ({why})")]);
            }
            document
        };
        output::json::print(&Value::Array(records.iter().map(document).collect()))?;
        return broken.tell(Exit::Ok);
    }
    let mut out = crate::output::human::stdout();
    for (_, record) in records {
        let text = |names: &[&str], chars_max| {
            let found = names.iter().find_map(|name| record.text(name));
            redact::preview(found.unwrap_or("-"), chars_max)
        };
        writeln!(
            out,
            "{}  {:12} {:8}  {}  {}",
            time(record.time_ms, true),
            operation(record),
            text(&["status", "audit"], 12),
            text(&["target", "last_message_preview", "prompt_preview"], 100),
            text(&["message"], 200),
        )?;
    }
    drop(out);
    broken.tell(Exit::Ok)
}

fn shown(record: &Record) -> Value {
    json!({
        "timestamp": time(record.time_ms, false),
        "session": record.text(journal::SESSION),
        "sequence": record.sequence,
        "kind": record.kind,
        "operation": operation(record),
        "target": record.text("target"),
        "paths": record.attributes.get("paths"),
        "status": record.text("status"),
        "message": record.text("message"),
        "attributes": record.attributes,
    })
}

/// What was done; for what is no tool call, the event.
fn operation(record: &Record) -> String {
    let name = record.text("operation").or_else(|| record.text("event")).unwrap_or(&record.kind);
    redact::preview(name, 60)
}
