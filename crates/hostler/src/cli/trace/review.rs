//! `hostler trace review`.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::bail;
use hostler_trace::{Review, Row};
use serde_json::json;

use super::{show, summary};
use crate::exit::Exit;
use crate::output;
use crate::trace::{LOCK, Trace};

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
    let mut lock = matrix.reviewed(&trace.lock, &keys);
    if args.all {
        lock.entries.retain(|key, _| keys.contains(key.as_str()));
    }
    let before = &trace.lock.entries;
    let changed: Vec<&str> =
        keys.iter().copied().filter(|key| before.get(*key) != lock.entries.get(*key)).collect();
    let removed =
        before.keys().filter(|key| !lock.entries.contains_key(*key) && !keys.contains(key.as_str())).count();
    let written = lock != trace.lock && !args.dry_run;
    if written {
        trace.write_lock(&lock)?;
    }
    if json {
        output::json::print(
            &json!({ "file": LOCK, "reviewed": changed, "removed": removed, "written": written }),
        )?;
        return Ok(Exit::Ok);
    }
    let mut out = std::io::stdout().lock();
    let verb = if args.dry_run { "would be reviewed" } else { "reviewed" };
    match changed.as_slice() {
        [] if removed == 0 => writeln!(out, "nothing changed since it was reviewed, or nothing cites it")?,
        [] => writeln!(out, "{removed} entries of `{LOCK}` removed")?,
        [one] => writeln!(out, "{verb}: {one}")?,
        many => writeln!(out, "{verb}: {} requirements", many.len())?,
    }
    drop(out);
    summary::notes(&trace.notes)?;
    Ok(Exit::Ok)
}

/// What a review would change.
fn waiting(trace: &Trace, json: bool) -> anyhow::Result<Exit> {
    let matrix = &trace.matrix;
    let lost: BTreeSet<&str> = matrix
        .findings
        .iter()
        .filter(|it| it.rule == hostler_trace::Rule::LostLink)
        .map(|it| it.id.as_str())
        .collect();
    let waits = |row: &&Row| {
        let linked = !row.links.is_empty();
        linked && !matches!(row.review, Review::Current) || lost.contains(row.key.as_str())
    };
    let rows: Vec<&Row> = matrix.rows.iter().filter(waits).collect();
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
        output::json::print(&json!({ "waiting": rows }))?;
        return Ok(Exit::Ok);
    }
    let mut out = std::io::stdout().lock();
    if rows.is_empty() {
        writeln!(out, "everything that is cited was reviewed")?;
    }
    for row in &rows {
        writeln!(out, "{}  {}: {}", row.key, why(row), row.requirement.title())?;
        for link in &row.links {
            writeln!(out, "    {}:{}", link.path, link.line)?;
        }
    }
    if !rows.is_empty() {
        writeln!(out, "\n`hostler trace review ID...` (or `--all`) once you have looked at them")?;
    }
    Ok(Exit::Ok)
}
