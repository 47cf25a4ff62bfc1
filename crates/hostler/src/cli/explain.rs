//! `hostler explain`: how a recorded decision came about.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use hostler_ledger::journal::{self, Found, Record};
use serde_json::{Value, json};

use super::audit;
use crate::exit::Exit;
use crate::hook::World;
use crate::output;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The id of a decision, as its reason gives it (`361ac4e6-7`), or of a finding (`361ac4e6-12.1`)
    id: String,
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    if audit::is_finding(&args.id) {
        return audit::explain(&args.id, json);
    }
    let cwd = std::env::current_dir().context("the working directory cannot be read")?;
    let world = World::at(&cwd);
    let Some(found) = find(&world, &args.id)? else {
        let message =
            format!("no decision `{}` is recorded; `hostler audit verify` lists the journals", args.id);
        if json {
            output::json::print(&json!({ "error": message }))?;
        } else {
            writeln!(std::io::stderr(), "error: {message}")?;
        }
        return Ok(Exit::Usage);
    };
    if json {
        output::json::print(&document(&args.id, &found))?;
    } else {
        show(&args.id, &found)?;
    }
    Ok(Exit::Ok)
}

/// In this project first, then in all others: an id is copied from wherever the agent works.
pub(super) fn find(world: &World, id: &str) -> anyhow::Result<Option<Found>> {
    let dirs = world.dirs.as_ref().context("there is no home folder to look for evidence in")?;
    let here = world.state().map(PathBuf::from).into_iter();
    let others = std::fs::read_dir(dirs.state.join("projects")).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = here.chain(others.map(|entry| entry.path())).collect();
    folders.dedup();
    for folder in folders {
        if let Some(found) = journal::find_decision(&folder, id)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn document(id: &str, found: &Found) -> Value {
    let Record { sequence, prev, time_ms, kind, hash, attributes, .. } = &found.record;
    json!({
        "id": id,
        "journal": found.path.display().to_string(),
        "sequence": sequence,
        "time_ms": time_ms,
        "kind": kind,
        "prev": prev,
        "hash": hash,
        "attributes": attributes,
    })
}

fn show(id: &str, found: &Found) -> anyhow::Result<()> {
    let record = &found.record;
    let mut out = crate::output::human::stdout();
    let status = record.text("status").unwrap_or("recorded");
    let profile = record.text("profile").map(|profile| format!(" (profile {profile})")).unwrap_or_default();
    writeln!(out, "{id}: {} {status}{profile}", record.kind)?;
    let time = jiff::Timestamp::from_millisecond(record.time_ms)
        .map_or_else(|_| record.time_ms.to_string(), |time| time.to_string());
    writeln!(out, "  {:12} {time}", "time")?;
    for (label, name) in [
        ("session", journal::SESSION),
        ("subagent", "gen_ai.agent.id"),
        ("tool", "gen_ai.tool.name"),
        ("call", "gen_ai.tool.call.id"),
        ("operation", "operation"),
        ("target", "target"),
        ("in", "cwd"),
        ("found", "message"),
        ("checkpoint", "checkpoint"),
        ("not kept", "checkpoint_error"),
        ("code", "code"),
    ] {
        if let Some(text) = record.text(name) {
            writeln!(out, "  {label:12} {}", text.replace('\n', &format!("\n  {:12} ", "")))?;
        }
    }
    if record.attributes.get("allowed_once").and_then(Value::as_bool) == Some(true) {
        writeln!(out, "  {:12} the user had let this call through once", "allowed")?;
    }
    for (label, name) in [("changes", "paths"), ("fault", "faults")] {
        for text in list(record, name) {
            writeln!(out, "  {label:12} {text}")?;
        }
    }
    if let Some(time) = record.attributes.get("duration_us") {
        writeln!(out, "  {:12} {time} µs", "took")?;
    }
    let steps = list(record, "trace");
    if !steps.is_empty() {
        writeln!(out, "how it came about:")?;
    }
    for step in steps {
        let (stage, detail) = step.split_once(": ").unwrap_or(("", step));
        writeln!(out, "  {stage:12} {detail}")?;
    }
    writeln!(out, "record {} of {}, hash {}", record.sequence, found.path.display(), record.hash)?;
    Ok(())
}

fn list<'a>(record: &'a Record, name: &str) -> Vec<&'a str> {
    let items = record.attributes.get(name).and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Value::as_str).collect()
}
