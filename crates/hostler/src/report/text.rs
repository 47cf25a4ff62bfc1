//! For a terminal: one screen where little is to be told, and every finding where there are many.

use std::fmt::Write;

use hostler_model::text::shorten;
use hostler_policy::claims::{Severity, Standing};

use super::words::{self, count, grouped};
use super::{Found, Guarded, Report};

/// Findings that are shown with their evidence; the others take one line each.
const DETAILED_MAX: usize = 5;
/// Lines of evidence of each.
const EVIDENCE_MAX: usize = 3;
/// Days of the trend.
const DAYS_MAX: usize = 7;
/// Columns of the longest bar.
const BAR_COLUMNS: u64 = 32;
/// Characters of a quoted claim.
const QUOTE_CHARS_MAX: usize = 200;

/// The report as text; `colour` where the reader is a terminal that wants it.
pub(crate) fn render(report: &Report, colour: bool) -> String {
    let mut out = String::new();
    // Writing to a `String` cannot fail.
    let _ = write(&mut out, report, &Paint { on: colour });
    out
}

struct Paint {
    on: bool,
}

impl Paint {
    fn bold(&self, text: &str) -> String {
        self.with("1", text)
    }

    fn severity(&self, severity: Severity) -> String {
        let word = format!("{} {:8}", words::severity_icon(severity), words::severity(severity));
        match severity {
            Severity::Critical => self.with("1;31", &word),
            Severity::High => self.with("31", &word),
            Severity::Medium => self.with("33", &word),
            Severity::Low => word,
        }
    }

    fn with(&self, code: &str, text: &str) -> String {
        if self.on { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

fn write(out: &mut String, report: &Report, paint: &Paint) -> std::fmt::Result {
    let all = &report.totals;
    writeln!(out, "{}", paint.bold(&report.headline))?;
    if all.sessions == 0 {
        writeln!(out, "record sessions from now on:   hostler init")?;
        writeln!(out, "read what a client kept:       hostler report ~/.claude/projects")?;
        for note in &report.notes {
            writeln!(out, "note       {note}")?;
        }
        return Ok(());
    }
    writeln!(out)?;
    let since = match report.sessions.iter().filter_map(|it| it.started_ms).min() {
        Some(first) => format!(" since {}", words::date(Some(first), &report.time_zone)),
        None => String::new(),
    };
    let projects = match report.projects.as_slice() {
        [one] => format!(" in {}", one.name),
        many => format!(" in {}", count(many.len() as u64, "project")),
    };
    writeln!(out, "sessions   {}{since}{projects}", grouped(all.sessions))?;
    let time = if all.tool_time_ms == 0 {
        String::new()
    } else {
        format!(", {} in them", words::duration(all.tool_time_ms))
    };
    writeln!(out, "work       {}, {}{time}", count(all.turns, "turn"), count(all.calls, "tool call"))?;
    let claims = &all.claims;
    let standings = [
        (Standing::Supported, claims.supported),
        (Standing::Unsupported, claims.unsupported),
        (Standing::Contradicted, claims.contradicted),
    ]
    .map(|(standing, number)| {
        format!("{} {} {}", words::standing_icon(standing), grouped(number), words::standing(standing))
    });
    writeln!(out, "claims     {} checked: {}", grouped(claims.total()), standings.join("  "))?;
    let not_held = claims.total() - claims.supported;
    if report.findings.is_empty() && not_held != 0 {
        writeln!(out, "findings   none: {}", words::unnamed(not_held))?;
    } else if report.findings.is_empty() {
        writeln!(out, "findings   no issues detected")?;
    } else {
        let severities = all.findings.each().map(|(severity, number)| {
            format!("{} {} {}", words::severity_icon(severity), grouped(number), words::severity(severity))
        });
        writeln!(out, "findings   {}: {}", grouped(all.findings.total()), severities.join("  "))?;
    }
    if all.guards.any() {
        writeln!(out, "guards     {}", guarded(all.guards, ""))?;
    }
    if all.guards_replayed.any() {
        writeln!(out, "guards     {}, had they been there", guarded(all.guards_replayed, "would have "))?;
    }
    for rule in report.guards.iter().take(4) {
        let parts = [(rule.blocked, "blocked"), (rule.asked, "asked")];
        let parts: Vec<String> =
            parts.iter().filter(|it| it.0 != 0).map(|(number, word)| format!("{number} {word}")).collect();
        writeln!(out, "           {} {}", rule.rule, parts.join(", "))?;
    }
    let tests = all.tests;
    if tests.total() == 0 {
        writeln!(out, "tests      none was run")?;
    } else {
        writeln!(
            out,
            "tests      {}: {} passed, {} failed, {} unclear",
            count(tests.total(), "run"),
            grouped(tests.passed),
            grouped(tests.failed),
            grouped(tests.unclear)
        )?;
    }
    if all.calls_failed != 0 {
        writeln!(
            out,
            "errors     {} failed, {} not told",
            count(all.calls_failed, "call"),
            grouped(all.errors_hidden)
        )?;
    }
    let tools: Vec<String> =
        report.tools.iter().take(5).map(|it| format!("{} {}", it.name, grouped(it.calls))).collect();
    if !tools.is_empty() {
        writeln!(out, "tools      {}", tools.join(", "))?;
    }
    trend(out, report)?;
    if !report.findings.is_empty() {
        writeln!(out, "\n{}", paint.bold("what did not hold"))?;
        for found in report.findings.iter().take(DETAILED_MAX) {
            detailed(out, report, found, paint)?;
        }
        for found in report.findings.iter().skip(DETAILED_MAX) {
            let place = place(report, found);
            let quote = shorten(&found.claim, 60);
            writeln!(out, "{}  {:18} {place}  “{quote}”", paint.severity(found.severity), found.rule)?;
        }
    }
    if !report.notes.is_empty() {
        writeln!(out)?;
    }
    for note in &report.notes {
        writeln!(out, "note       {note}")?;
    }
    Ok(())
}

fn guarded(guards: Guarded, would: &str) -> String {
    format!(
        "{would}blocked {}, asked about {}, warned of {}, kept files before {}",
        grouped(guards.blocked),
        grouped(guards.asked),
        grouped(guards.warned),
        grouped(guards.checkpoints)
    )
}

fn trend(out: &mut String, report: &Report) -> std::fmt::Result {
    let with_claims: Vec<_> = report.days.iter().filter(|day| day.claims.total() != 0).collect();
    let days = &with_claims[with_claims.len().saturating_sub(DAYS_MAX)..];
    let most = days.iter().map(|day| day.claims.total()).max().unwrap_or_default();
    if days.len() < 2 {
        return Ok(());
    }
    writeln!(out, "\nclaims by day: █ held, ░ without evidence, ✗ contradicted")?;
    for day in days {
        let claims = &day.claims;
        // What did not hold must be seen, however many held.
        let columns = |number: u64| if number == 0 { 0 } else { (number * BAR_COLUMNS / most).max(1) };
        let bar: String = [('█', claims.supported), ('░', claims.unsupported), ('✗', claims.contradicted)]
            .into_iter()
            .flat_map(|(mark, number)| (0..columns(number)).map(move |_| mark))
            .collect();
        let not_held = claims.total() - claims.supported;
        writeln!(
            out,
            "{}  {bar:32} {:>6}, {} did not hold",
            day.date,
            grouped(claims.total()),
            grouped(not_held)
        )?;
    }
    Ok(())
}

fn detailed(out: &mut String, report: &Report, found: &Found, paint: &Paint) -> std::fmt::Result {
    writeln!(out, "{}  {}  {}", paint.severity(found.severity), found.rule, place(report, found))?;
    writeln!(out, "    “{}”", shorten(&found.claim, QUOTE_CHARS_MAX))?;
    writeln!(out, "    {}", shorten(&found.description, QUOTE_CHARS_MAX))?;
    for line in found.evidence.iter().take(EVIDENCE_MAX) {
        writeln!(out, "    - {}", shorten(line, QUOTE_CHARS_MAX))?;
    }
    if EVIDENCE_MAX < found.evidence.len() {
        writeln!(out, "    - and {} more", found.evidence.len() - EVIDENCE_MAX)?;
    }
    if let Some(id) = &found.id {
        writeln!(out, "    hostler audit explain {id}")?;
    }
    Ok(())
}

fn place(report: &Report, found: &Found) -> String {
    format!(
        "{}  {} {}",
        words::minute(found.at_ms, &report.time_zone),
        words::short(&found.session_id),
        words::turn(found.turn, found.agent.as_deref())
    )
}
