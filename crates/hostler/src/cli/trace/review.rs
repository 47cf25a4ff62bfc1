//! `hostler trace review`.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::bail;
use hostler_trace::lock::{FILE, Reviewed};
use hostler_trace::{Finding, Lock, Review, Row, Rule};
use serde_json::json;

use super::{show, summary};
use crate::exit::Exit;
use crate::output;
use crate::trace::Trace;

/// Say that what cites a requirement still fits its text; kept in `trace.lock`
///
/// Without an id it lists what waits for a review: texts that changed, links that are gone or new. Commit `trace.lock`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Requirements that were reviewed
    #[arg(conflicts_with = "all")]
    ids: Vec<String>,
    /// All of them; entries of requirements that no longer exist are removed
    #[arg(long)]
    all: bool,
    /// Say what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(args: &Args, trace: &Trace, json: bool) -> anyhow::Result<Exit> {
    let matrix = &trace.matrix;
    let mut keys: BTreeSet<&str> = BTreeSet::new();
    for id in &args.ids {
        match matrix.find(id).as_slice() {
            [] => return show::unknown(id, matrix, json),
            [one] => {
                keys.insert(&one.key);
            }
            many => {
                let names: Vec<String> = many.iter().map(|it| format!("`{}`", it.key)).collect();
                bail!("`{id}` may be any of {}; name one of these", names.join(", "));
            }
        }
    }
    if args.all {
        keys = matrix.rows.iter().map(|it| it.key.as_str()).collect();
    }
    if keys.is_empty() {
        return waiting(trace, json);
    }
    // Where a source was not read, nobody knows whether its requirements are gone.
    let prunes = args.all && trace.whole;
    let change = |lock: &Lock| {
        let mut lock = matrix.reviewed(lock, &keys);
        if prunes {
            let known: BTreeSet<String> =
                matrix.entries(&lock).into_iter().flatten().map(str::to_owned).collect();
            lock.entries.retain(|key, _| known.contains(key));
        }
        lock
    };
    let lock = change(&trace.lock);
    let entries = |lock: &Lock| -> Vec<Option<Reviewed>> {
        matrix.entries(lock).iter().map(|it| lock.entries.get((*it)?).cloned()).collect()
    };
    let (before, after) = (entries(&trace.lock), entries(&lock));
    let changed: Vec<&str> = (matrix.rows.iter().zip(before.iter().zip(&after)))
        .filter(|(_, (before, after))| before != after)
        .map(|(row, _)| row.key.as_str())
        .collect();
    let gone = trace.lock.entries.len() - before.iter().flatten().count();
    let removed = if prunes { gone } else { 0 };
    let written = lock != trace.lock && !args.dry_run;
    if written {
        trace.update_lock(change)?;
    }
    if json {
        output::json::print(
            &json!({ "file": FILE, "reviewed": changed, "removed": removed, "written": written }),
        )?;
        return Ok(Exit::Ok);
    }
    let mut out = output::human::stdout();
    let (verb, removes) =
        if args.dry_run { ("would be reviewed", "would be removed") } else { ("reviewed", "removed") };
    match changed.as_slice() {
        [] if removed == 0 => writeln!(out, "nothing changed since it was reviewed, or nothing cites it")?,
        [] => {}
        [one] => writeln!(out, "{verb}: {one}")?,
        many => writeln!(out, "{verb}: {} requirements", many.len())?,
    }
    if removed != 0 {
        writeln!(out, "{removes}: {removed} entries of `{FILE}` whose requirement is gone")?;
    }
    drop(out);
    summary::notes(&trace.notes)?;
    if args.all && gone != 0 && !prunes {
        let note = format!("{gone} entries of `{FILE}` stay: not all sources of requirements were read");
        summary::notes(&[note])?;
    }
    Ok(Exit::Ok)
}

/// What a review would change.
fn waiting(trace: &Trace, json: bool) -> anyhow::Result<Exit> {
    let matrix = &trace.matrix;
    let lost: BTreeSet<&str> =
        matrix.findings.iter().filter(|it| it.rule == Rule::LostLink).map(|it| it.id.as_str()).collect();
    let waits = |row: &&Row| {
        let linked = !row.links.is_empty();
        linked && !matches!(row.review, Review::Current) || lost.contains(row.key.as_str())
    };
    let rows: Vec<&Row> = matrix.rows.iter().filter(waits).collect();
    let gone: Vec<&Finding> = matrix.findings.iter().filter(|it| it.rule == Rule::LostRequirement).collect();
    let why = |row: &Row| match row.review {
        Review::Suspect => "its text changed",
        _ if lost.contains(row.key.as_str()) => "a link is gone",
        Review::Grown => "a link is new",
        Review::Never | Review::Current => "it was never reviewed",
    };
    if json {
        let rows: Vec<_> = rows
            .iter()
            .map(
                |it| json!({ "key": it.key, "why": why(it), "text": it.requirement.text, "links": it.links }),
            )
            .collect();
        let gone: Vec<&str> = gone.iter().map(|it| it.id.as_str()).collect();
        output::json::print(&json!({ "waiting": rows, "gone": gone }))?;
        return Ok(Exit::Ok);
    }
    let mut out = output::human::stdout();
    if rows.is_empty() && gone.is_empty() {
        writeln!(out, "everything that is cited was reviewed")?;
    }
    for row in &rows {
        writeln!(out, "{}  {}: {}", row.key, why(row), row.requirement.title())?;
        for link in &row.links {
            writeln!(out, "    {}:{}", link.path, link.line)?;
        }
    }
    for finding in &gone {
        writeln!(out, "{}  it is in no source any longer; `--all` removes it", finding.id)?;
    }
    if !rows.is_empty() {
        writeln!(out, "\n`hostler trace review ID...` (or `--all`) once you have looked at them")?;
    }
    Ok(Exit::Ok)
}
