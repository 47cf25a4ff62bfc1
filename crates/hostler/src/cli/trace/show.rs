//! `hostler trace show`.

use std::io::Write;

use hostler_ledger::redact::{printable, printable_line};
use hostler_trace::{Matrix, Row};

use super::summary;
use crate::exit::Exit;
use crate::output;
use crate::trace::Trace;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Its id, as `REQ-020-001`
    id: String,
}

pub(super) fn run(args: &Args, trace: &Trace, json: bool) -> anyhow::Result<Exit> {
    let found = trace.matrix.find(&args.id);
    if found.is_empty() {
        return unknown(&args.id, &trace.matrix, json);
    }
    if json {
        output::json::print(&serde_json::to_value(&found)?)?;
        return Ok(Exit::Ok);
    }
    let mut out = output::human::stdout();
    for (at, row) in found.into_iter().enumerate() {
        if at != 0 {
            writeln!(out)?;
        }
        show(&mut out, row, &trace.matrix)?;
    }
    drop(out);
    summary::notes(&trace.notes)?;
    Ok(Exit::Ok)
}

/// An id that does not exist is a word that was typed wrong.
pub(super) fn unknown(id: &str, matrix: &Matrix, json: bool) -> anyhow::Result<Exit> {
    let alike = matrix.alike(id);
    let hint =
        if alike.is_empty() { String::new() } else { format!("; did you mean `{}`?", alike.join("`, `")) };
    let text = format!("there is no requirement `{id}`{hint}");
    if json {
        output::json::print(&serde_json::json!({ "error": text, "alike": alike }))?;
    } else {
        writeln!(std::io::stderr(), "error: {}", printable(&text))?;
    }
    Ok(Exit::Usage)
}

fn show(out: &mut impl Write, row: &Row, matrix: &Matrix) -> std::io::Result<()> {
    let requirement = &row.requirement;
    writeln!(out, "{}  {}", row.key, row.state.name())?;
    for line in requirement.text.lines() {
        writeln!(out, "  {line}")?;
    }
    writeln!(out, "specification  {}", requirement.spec)?;
    writeln!(out, "source         {}:{}", requirement.source, requirement.line)?;
    if let Some(done) = requirement.done {
        writeln!(out, "done           {}", if done { "yes" } else { "no" })?;
    }
    writeln!(out, "review         {}", row.review.name())?;
    for link in &row.links {
        let what = if link.test { "test" } else { "source" };
        let name = if link.name.is_empty() {
            String::new()
        } else {
            format!("  {} {}", link.kind.name(), link.name)
        };
        let outcome = link.outcome.map_or_else(String::new, |it| format!("  {}", it.name()));
        writeln!(out, "{what:<14} {}:{}{name}{outcome}", printable_line(&link.path), link.line)?;
    }
    for finding in matrix.findings.iter().filter(|it| it.id == row.key) {
        writeln!(out, "{:<14} {}", finding.rule.id(), finding.message)?;
    }
    Ok(())
}
