//! A review in words, as JSON, and as SARIF.

use std::fmt::Write;

use hostler_ledger::redact::redact;
use hostler_model::text::shortened_line;
use hostler_policy::checks::{CHECKS, Finding, Gate, Severity};
use serde_json::{Value, json};

use super::review::{Report, Status, Unjudged, gate_of};
use super::tools::{Outcome, Run};

/// What is shown of one review.
const ERRORS_MAX: usize = 25;
const WARNINGS_MAX: usize = 20;
/// What is shown of linters alone.
const LINT_MAX: usize = 15;
/// Characters of one message; compilers can say more.
const MESSAGE_CHARS_MAX: usize = 200;

/// The whole report for people.
pub(crate) fn human(report: &Report) -> String {
    let mut out = String::new();
    for status in report.status() {
        // Writing to a `String` cannot fail.
        let _ = writeln!(out, "{}", line(&status));
    }
    for (severity, title, max) in
        [(Severity::Error, "Errors", ERRORS_MAX), (Severity::Warn, "Warnings", WARNINGS_MAX)]
    {
        list(&mut out, report, severity, title, max);
    }
    let fixes = quick_fixes(report);
    if !fixes.is_empty() {
        out.push_str("\nQuick fixes:\n");
        for fix in fixes {
            let _ = writeln!(out, "  {fix}");
        }
    }
    for why in report.required.iter().chain(&report.faults) {
        let _ = writeln!(out, "\nerror: {why}");
    }
    let mut ran: Vec<&str> = report.runs.iter().filter(|run| run.ran_code).map(|run| run.tool).collect();
    ran.dedup();
    if !ran.is_empty() {
        let _ = writeln!(out, "\nnote: the project's code was run, by {}", ran.join(", "));
    }
    for file in &report.files {
        if let Some(why) = &file.unread {
            let _ = writeln!(out, "\nnot checked: {}: {why}", file.name);
        }
    }
    let _ = write!(out, "\n{}", verdict(report));
    out
}

/// One gate in a line.
fn line(status: &Status<'_>) -> String {
    let name = title(status);
    let mut said = Vec::new();
    if status.errors != 0 {
        said.push(counted(status.errors, "error"));
    }
    if status.warnings != 0 {
        said.push(counted(status.warnings, "warning"));
    }
    said.extend(status.not_run.iter().map(|why| format!("not checked by {}", cut(why))));
    said.extend(status.unjudged.iter().map(|it| format!("could not judge {}: {}", it.file, it.why)));
    let said = if said.is_empty() { String::new() } else { format!(" ({})", said.join(", ")) };
    format!("{name:<29} {}{said}", word(status).to_uppercase())
}

fn title(status: &Status<'_>) -> String {
    match status.gate.number() {
        Some(number) => format!("GATE {number}: {}", status.gate.title()),
        None => "TURN'S END".to_owned(),
    }
}

/// What became of a gate, in a word.
fn word(status: &Status<'_>) -> &'static str {
    if status.errors != 0 {
        "fail"
    } else if status.is_idle {
        "not judged"
    } else if !(status.not_run.is_empty() && status.unjudged.is_empty()) {
        "partly"
    } else if status.warnings != 0 {
        "warn"
    } else {
        "pass"
    }
}

fn list(out: &mut String, report: &Report, severity: Severity, title: &str, max: usize) {
    let all: Vec<(&str, &Finding)> =
        report.findings().into_iter().filter(|(_, finding)| finding.severity == severity).collect();
    if all.is_empty() {
        return;
    }
    let mut of_linters = 0;
    let shown: Vec<&(&str, &Finding)> = all
        .iter()
        .filter(|(_, finding)| {
            let linter = matches!(finding.check.as_str(), "lint" | "stop.lint");
            of_linters += usize::from(linter);
            !linter || of_linters <= LINT_MAX
        })
        .take(max)
        .collect();
    let more = all.len() - shown.len();
    let note = if more == 0 { String::new() } else { format!("; {more} more are in --json") };
    let _ = writeln!(out, "\n{title} ({}{note}):", all.len());
    for (name, finding) in shown {
        let _ = writeln!(out, "  {}", told(name, finding));
        if let Some(fix) = &finding.fix {
            let _ = writeln!(out, "      fix: {}", cut(fix));
        }
    }
}

/// One finding in a line.
pub(crate) fn told(name: &str, finding: &Finding) -> String {
    let code = finding.code.as_deref().map(|code| format!(" {code}")).unwrap_or_default();
    format!("{name}:{} {}{code}: {}", finding.line, finding.check, cut(&finding.message))
}

/// A message on one line, without secrets, and not longer than anybody reads.
pub(crate) fn cut(text: &str) -> String {
    shortened_line(&redact(text), MESSAGE_CHARS_MAX)
}

/// Commands that settle what a program can settle, each once with the files that it is for.
fn quick_fixes(report: &Report) -> Vec<String> {
    let mut commands: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, finding) in report.findings() {
        if !matches!(finding.check.as_str(), "format" | "import_order") {
            continue;
        }
        // A tool's own words name its command between backticks.
        let named = finding.fix.as_deref().and_then(|fix| fix.split('`').nth(1));
        for command in named.into_iter().chain(["hostler fix"]) {
            match commands.iter_mut().find(|(known, _)| known == command) {
                Some((_, files)) if files.contains(&name) => {}
                Some((_, files)) => files.push(name),
                None => commands.push((command.to_owned(), vec![name])),
            }
        }
    }
    commands.sort_by_key(|(command, _)| command.starts_with("hostler"));
    commands.into_iter().map(|(command, files)| format!("{command} {}", files.join(" "))).collect()
}

/// The last line.
pub(crate) fn verdict(report: &Report) -> String {
    let (errors, warnings) = (report.count(Severity::Error), report.count(Severity::Warn));
    if report.fails() {
        return format!("FAILED: {}, {}", counted(errors, "error"), counted(warnings, "warning"));
    }
    let not_run = report.runs.iter().any(|run| matches!(run.outcome, Outcome::NotRun { .. }));
    let unread = report.status().iter().any(|it| !it.unjudged.is_empty()) || !report.faults.is_empty();
    let warned = if warnings == 0 { String::new() } else { format!(" ({})", counted(warnings, "warning")) };
    if not_run || unread {
        format!("NO ERRORS FOUND{warned}; not everything was checked")
    } else {
        format!("ALL GATES PASSED{warned}")
    }
}

/// `1 error`, `2 errors`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The whole report for programs.
pub(crate) fn json(report: &Report) -> Value {
    let gate = |status: &Status<'_>| {
        json!({
            "gate": status.gate.number(),
            "name": status.gate.title(),
            "status": word(status),
            "errors": status.errors,
            "warnings": status.warnings,
            "not_run": status.not_run,
            "not_judged": status.unjudged.iter().map(|it| it.file).collect::<Vec<_>>(),
        })
    };
    let unread: serde_json::Map<String, Value> = report
        .files
        .iter()
        .filter_map(|file| Some((file.name.clone(), file.unread.clone()?.into())))
        .collect();
    json!({
        "verdict": if report.fails() { "fail" } else { "pass" },
        "errors": report.count(Severity::Error),
        "warnings": report.count(Severity::Warn),
        "gates": report.status().iter().map(gate).collect::<Vec<_>>(),
        "findings": report.findings().iter().map(|(name, it)| finding(name, it)).collect::<Vec<_>>(),
        "files": report.files.iter().map(|file| &file.name).collect::<Vec<_>>(),
        "unread": unread,
        "runs": report.runs.iter().map(run).collect::<Vec<_>>(),
        "required": report.required,
        "faults": report.faults,
    })
}

/// One finding for programs.
pub(crate) fn finding(name: &str, finding: &Finding) -> Value {
    json!({
        "file": name,
        "check": finding.check,
        "severity": finding.severity.name(),
        "line": finding.line,
        "message": cut(&finding.message),
        "fix": finding.fix,
        "gate": gate_of(finding).number(),
        "symbol": finding.symbol,
        "metric": finding.metric,
        "code": finding.code,
        "tool": finding.tool,
    })
}

/// One run of a tool for programs.
pub(crate) fn run(run: &Run) -> Value {
    let (outcome, findings, reason) = match &run.outcome {
        Outcome::Clean => ("clean", 0, None),
        Outcome::Findings(found) => ("findings", found.len(), None),
        Outcome::NotRun { reason } => ("not_run", 0, Some(cut(reason))),
    };
    json!({
        "tool": run.tool,
        "version": run.version,
        "command": run.command.iter().map(|word| redact(word)).collect::<Vec<_>>(),
        "outcome": outcome,
        "findings": findings,
        "reason": reason,
        "ran_code": run.ran_code,
        "took_ms": u64::try_from(run.took.as_millis()).unwrap_or(u64::MAX),
    })
}

/// The report as one SARIF 2.1.0 log.
pub(crate) fn sarif(report: &Report) -> Value {
    let rule = |id: &str, gate: Gate, summary: &str| {
        json!({
            "id": id,
            "shortDescription": { "text": summary },
            "properties": { "tags": [gate.title()] },
        })
    };
    let mut rules: Vec<Value> =
        CHECKS.iter().map(|check| rule(check.id, check.gate, &format!("Finds {}", check.summary))).collect();
    let mut ids: Vec<String> = CHECKS.iter().map(|check| check.id.to_owned()).collect();
    let mut results = Vec::new();
    for (name, finding) in report.findings() {
        let index = ids.iter().position(|id| *id == finding.check).unwrap_or_else(|| {
            ids.push(finding.check.clone());
            rules.push(rule(&finding.check, gate_of(finding), "Found by a tool of the project"));
            ids.len() - 1
        });
        results.push(json!({
            "ruleId": finding.check,
            "ruleIndex": index,
            "level": level(finding.severity),
            "message": { "text": cut(&finding.message) },
            "locations": [{ "physicalLocation": {
                "artifactLocation": { "uri": percent_encoded(name) },
                "region": { "startLine": finding.line.max(1) },
            }}],
            "properties": { "code": finding.code, "tool": finding.tool, "fix": finding.fix },
        }));
    }
    let not_run = report.runs.iter().filter_map(|run| match &run.outcome {
        Outcome::NotRun { reason } => Some(format!("{}: {}", run.tool, cut(reason))),
        _ => None,
    });
    let status = report.status();
    let unjudged = status.iter().flat_map(|gate| {
        let of = |it: &Unjudged<'_>| format!("{} could not judge {}: {}", title(gate), it.file, it.why);
        gate.unjudged.iter().map(of)
    });
    let unchecked = not_run.chain(unjudged);
    let unchecked = unchecked.map(|text| json!({ "level": "warning", "message": { "text": text } }));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "hostler",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "invocations": [{
                "executionSuccessful": report.faults.is_empty(),
                "toolExecutionNotifications": unchecked.collect::<Vec<_>>(),
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warn => "warning",
        Severity::Info => "note",
    }
}

/// A path as part of a URI.
fn percent_encoded(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
