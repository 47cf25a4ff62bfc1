//! Coverage and findings, for people.

use std::io::Write;
use std::time::Duration;

use hostler_ledger::redact::{printable, printable_line};
use hostler_trace::output::json;
use hostler_trace::{Coverage, Finding};

use crate::exit::Exit;
use crate::output;
use crate::trace::Trace;

/// Most findings that are printed; `--json` has all of them.
const FINDINGS_MAX: usize = 40;

/// Prints the summary; it is no check and ends with 0 whatever was found.
pub(super) fn run(trace: &Trace, elapsed: Duration, json: bool) -> anyhow::Result<Exit> {
    if json {
        let mut document = json::document(&trace.matrix, &trace.options(""));
        let counts = trace.counts;
        document["read"] = serde_json::json!({
            "files": counts.files, "known": counts.known, "binary": counts.binary,
            "large": counts.large, "unreadable": counts.unreadable, "ms": elapsed.as_secs_f64() * 1_000.0,
        });
        document["notes"] = serde_json::json!(trace.notes);
        output::json::print(&document)?;
        return Ok(Exit::Ok);
    }
    let matrix = &trace.matrix;
    let mut out = output::human::stdout();
    writeln!(out, "{}\n", matrix.headline())?;
    let width = matrix.specs.iter().map(|it| it.0.chars().count()).max().unwrap_or(0).clamp(13, 40);
    let head = ["requirements", "done", "traced", "tested", "passing", "failing"];
    writeln!(out, "{:width$}  {}", "specification", head.map(|it| format!("{it:>12}")).join(" "))?;
    let mut line = |name: &str, of: &Coverage| {
        let known = |number: usize| if matrix.has_results { number.to_string() } else { "-".to_owned() };
        let cells = [
            of.requirements.to_string(),
            of.done.to_string(),
            of.traced.to_string(),
            of.tested.to_string(),
            known(of.passing),
            known(of.failing),
        ];
        writeln!(out, "{name:width$}  {}", cells.map(|it| format!("{it:>12}")).join(" "))
    };
    for (name, of) in &matrix.specs {
        line(name, of)?;
    }
    if matrix.specs.len() != 1 {
        line("all", &matrix.totals)?;
    }
    findings(&mut out, &matrix.findings)?;
    let counts = trace.counts;
    write!(out, "\n{} tags in {} files", matrix.tags, counts.files)?;
    for (number, what) in
        [(counts.binary, "binary"), (counts.large, "too large"), (counts.unreadable, "not readable")]
    {
        if number != 0 {
            write!(out, ", {number} {what}")?;
        }
    }
    writeln!(out, ", {:.2} s", elapsed.as_secs_f64())?;
    drop(out);
    notes(&trace.notes)?;
    Ok(Exit::Ok)
}

/// Lists findings, the first ones of many.
pub(super) fn findings(out: &mut impl Write, all: &[Finding]) -> std::io::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    for finding in all.iter().take(FINDINGS_MAX) {
        let line = if finding.line == 0 { String::new() } else { format!(":{}", finding.line) };
        let (path, message) = (printable_line(&finding.path), printable_line(&finding.message));
        writeln!(out, "{:<15} {path}{line}  {message}", finding.rule.id())?;
    }
    if FINDINGS_MAX < all.len() {
        writeln!(out, "and {} more: `hostler --json trace` has all of them", all.len() - FINDINGS_MAX)?;
    }
    Ok(())
}

/// What was passed over is told on stderr.
pub(super) fn notes(notes: &[String]) -> std::io::Result<()> {
    let mut talk = std::io::stderr().lock();
    notes.iter().try_for_each(|note| writeln!(talk, "note: {}", printable(note)))
}
