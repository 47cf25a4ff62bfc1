//! `hostler audit`: journals checked and shown.

use std::collections::VecDeque;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use hostler_ledger::journal::{self, Record, Report};
use hostler_ledger::redact;
use serde_json::{Value, json};

use crate::dirs::Dirs;
use crate::exit::Exit;
use crate::output;
use crate::project::Project;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Check hashes, links and seals, and say what that excludes
    ///
    /// Ends with 0 when everything is in order, with 1 when a crash left a part of a line, with 4 when a
    /// chain is broken.
    Verify {
        /// Journals, or folders with `sessions/` and `archive/`; by default all of the current project
        paths: Vec<PathBuf>,
    },
    /// Show what was recorded, oldest first
    Show {
        /// Only sessions whose name begins with this
        #[arg(long)]
        session: Option<String>,
        /// How many records, counted from the newest
        #[arg(long, value_name = "N", default_value_t = 20)]
        last: usize,
    },
    /// Audit turns given as rows of JSON on stdin, one list of findings a line
    Rows(super::rows::Args),
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Verify { paths } => verify(paths, json),
        Command::Show { session, last } => show(session.as_deref(), *last, json),
        Command::Rows(args) => super::rows::run(args),
    }
}

fn project_state() -> anyhow::Result<PathBuf> {
    let cwd = std::env::current_dir().context("cannot tell the working directory")?;
    Ok(Dirs::from_env()?.project_state(&Project::find(&cwd).key()))
}

fn verify(paths: &[PathBuf], json: bool) -> anyhow::Result<Exit> {
    let mut files = Vec::new();
    if paths.is_empty() {
        // A project that nothing happened in yet has no folder, and no journals.
        files = journal::files(&project_state()?)?;
    }
    for path in paths {
        // As the notes beside a journal name it.
        let path = std::path::absolute(path).with_context(|| format!("`{}` is no path", path.display()))?;
        if path.is_dir() {
            files.extend(journal::files(&path)?);
        } else {
            files.push(path);
        }
    }
    let reports = journal::verify_all(&files);
    if json {
        output::json::print(&document(&reports))?;
    } else {
        tell(&reports)?;
    }
    Ok(reports.iter().map(exit).max_by_key(|exit| *exit as u8).unwrap_or(Exit::Ok))
}

fn exit(report: &Report) -> Exit {
    if report.bad.is_some() {
        Exit::Io
    } else if !report.whole || 0 < report.torn {
        Exit::Finding
    } else {
        Exit::Ok
    }
}

/// How far a journal's order can be trusted, in the words of `docs/evidence.md`.
fn level(report: &Report) -> &'static str {
    match (&report.bad, archived(&report.path), report.sealed) {
        (Some(_), ..) => "broken",
        (None, true, _) => "archived",
        (None, false, true) => "sealed",
        (None, false, false) => "open",
    }
}

fn archived(path: &Path) -> bool {
    path.ancestors().nth(2).is_some_and(|folder| folder.file_name().is_some_and(|it| it == "archive"))
}

/// One attack, and whether a level excludes it.
struct Attack {
    name: &'static str,
    what: &'static str,
    open: bool,
    sealed: bool,
}

const ATTACKS: [Attack; 3] = [
    Attack {
        name: "changed",
        what: "a record edited, inserted, moved, or removed before the last one",
        open: true,
        sealed: true,
    },
    Attack { name: "cut", what: "records removed from the end", open: false, sealed: true },
    Attack {
        name: "rewritten",
        what: "everything written anew by the same user (keep a head elsewhere)",
        open: false,
        sealed: false,
    },
];

fn document(reports: &[Report]) -> Value {
    let journals: Vec<Value> = reports
        .iter()
        .map(|report| {
            json!({
                "path": report.path,
                "session": report.session,
                "level": level(report),
                "records": report.records,
                "sequence": report.last_sequence,
                "head": report.head,
                "sealed": report.sealed,
                "whole": report.whole,
                "torn": report.torn,
                "continues": report.continues.as_ref().map(|it| &it.file),
                "bad": report.bad.as_ref().map(|bad| {
                    json!({ "sequence": bad.sequence, "line": bad.line, "problem": bad.problem })
                }),
            })
        })
        .collect();
    let excludes = |sealed: bool| -> Value {
        let names =
            ATTACKS.iter().map(|it| (it.name.to_owned(), (if sealed { it.sealed } else { it.open }).into()));
        Value::Object(names.collect())
    };
    json!({
        "ok": reports.iter().all(|report| report.bad.is_none()),
        "journals": journals,
        "excludes": { "open": excludes(false), "sealed": excludes(true), "archived": excludes(true) },
    })
}

fn tell(reports: &[Report]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    if reports.is_empty() {
        writeln!(out, "no journals: nothing was recorded in this project yet")?;
        return Ok(());
    }
    for report in reports {
        let session = report.session.as_deref().unwrap_or("?");
        writeln!(out, "{:8} {session}  {}", level(report), summary(report))?;
        if let Some(bad) = &report.bad {
            let problem = redact::preview(&bad.problem, 300);
            writeln!(out, "         first bad record: {} (line {}): {problem}", bad.sequence, bad.line)?;
            writeln!(out, "         in {}", report.path.display())?;
        }
    }
    writeln!(out)?;
    let levels = |wanted: &[&str]| reports.iter().any(|report| wanted.contains(&level(report)));
    for (name, present, sealed) in [
        ("an open", levels(&["open"]), false),
        ("a sealed or archived", levels(&["sealed", "archived"]), true),
    ] {
        if present {
            writeln!(out, "what the check of {name} journal excludes:")?;
            for attack in &ATTACKS {
                let excluded = if sealed { attack.sealed } else { attack.open };
                writeln!(out, "  {:12} {}", if excluded { "excluded" } else { "NOT excluded" }, attack.what)?;
            }
        }
    }
    Ok(())
}

fn summary(report: &Report) -> String {
    let mut parts = vec![format!("{} records in order", report.records)];
    if report.last_sequence != report.records {
        parts.push(format!("up to number {}", report.last_sequence));
    }
    if 0 < report.torn {
        parts.push(format!("{} torn by a crash and closed off", report.torn));
    }
    if !report.whole {
        parts.push("the last line is torn".to_owned());
    }
    parts.join(", ")
}

fn show(session: Option<&str>, last: usize, json: bool) -> anyhow::Result<Exit> {
    let mut records: Vec<Record> = Vec::new();
    for file in journal::files(&project_state()?)? {
        let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        if session.is_some_and(|session| !name.starts_with(session)) {
            continue;
        }
        let mut newest = VecDeque::new();
        for record in journal::read(&file)? {
            newest.push_back(record);
            if last < newest.len() {
                newest.pop_front();
            }
        }
        records.extend(newest);
    }
    records.sort_by_key(|record| (record.time_ms, record.sequence));
    let records = &records[records.len().saturating_sub(last)..];
    if json {
        output::json::print(&Value::Array(records.iter().map(shown).collect()))?;
        return Ok(Exit::Ok);
    }
    let mut out = std::io::stdout().lock();
    for record in records {
        let text = |name, chars_max| redact::preview(record.text(name).unwrap_or("-"), chars_max);
        writeln!(
            out,
            "{}  {:12} {:8}  {}  {}",
            time(record.time_ms, true),
            operation(record),
            text("status", 12),
            text("target", 100),
            text("message", 200),
        )?;
    }
    Ok(Exit::Ok)
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

/// A moment: in the user's time zone for people, in UTC for programs.
pub(super) fn time(time_ms: i64, local: bool) -> String {
    let Ok(time) = jiff::Timestamp::from_millisecond(time_ms) else { return time_ms.to_string() };
    if local {
        time.to_zoned_datetime(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
    } else {
        time.to_string()
    }
}
