//! SARIF 2.1.0, for viewers and code scanning: findings of the audit, and calls that guards stopped.

use std::collections::HashMap;
use std::fmt::Write;

use hostler_ledger::redact;
use hostler_model::Mode;
use hostler_policy::claims::{RULES, Severity};
use hostler_policy::guards::GUARDS;
use serde_json::{Value, json};

use super::{Found, Report, Session, Stopped, hide, words};

/// Name and version of the way in which fingerprints are made.
const FINGERPRINT: &str = "hostlerFinding/v1";

/// The report as one SARIF log with one run.
pub(crate) fn log(report: &Report) -> Value {
    let rules = Rules::new();
    let mut results: Vec<Value> =
        report.findings.iter().map(|found| finding(report, found, &rules)).collect();
    for session in &report.sessions {
        for call in &session.stopped {
            results.push(stopped(session, call, &rules));
        }
    }
    let mut bases = serde_json::Map::new();
    for (at, project) in report.projects.iter().enumerate() {
        let mut base = json!({ "description": { "text": project.name } });
        if let Some(root) = project.root.as_deref().filter(|it| it.starts_with('/')) {
            base["uri"] = format!("file://{}/", percent_encoded(root.trim_end_matches('/'))).into();
        }
        bases.insert(base_id(at), base);
    }
    let mut tokens = vec![redact::MARK];
    if report.redacted {
        tokens.extend([hide::USER, hide::HOST, hide::EMAIL]);
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "hostler",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.descriptors,
            }},
            "invocations": [{
                "executionSuccessful": true,
                "endTimeUtc": report.generated,
                "toolExecutionNotifications": report.notes.iter().map(|note| json!({
                    "level": "note", "message": { "text": note },
                })).collect::<Vec<_>>(),
            }],
            "originalUriBaseIds": bases,
            "redactionTokens": tokens,
            "columnKind": "unicodeCodePoints",
            "properties": { "headline": report.headline, "totals": report.totals },
            "results": results,
        }],
    })
}

/// Every rule that there is, and where it stands in the list.
struct Rules {
    descriptors: Vec<Value>,
    index: HashMap<&'static str, usize>,
}

impl Rules {
    fn new() -> Self {
        let mut rules = Self { descriptors: Vec::new(), index: HashMap::new() };
        for rule in RULES {
            rules.add(rule.id, rule.kind.name(), rule.summary, level(rule.kind.severity()), "claims");
        }
        for guard in GUARDS {
            let level = if guard.standard == Mode::Deny { "warning" } else { "note" };
            rules.add(guard.id, guard.id, &format!("Stops {}", guard.summary), level, "guards");
        }
        rules
    }

    fn add(&mut self, id: &'static str, name: &str, summary: &str, level: &str, part: &str) {
        self.index.insert(id, self.descriptors.len());
        self.descriptors.push(json!({
            "id": id,
            "name": name,
            "shortDescription": { "text": summary },
            "defaultConfiguration": { "level": level },
            "properties": { "tags": [part] },
        }));
    }

    /// A result's rule; a rule that this build does not know has no index.
    fn refer(&self, result: &mut Value, id: &str) {
        result["ruleId"] = id.into();
        if let Some(index) = self.index.get(id) {
            result["ruleIndex"] = (*index).into();
        }
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low => "note",
    }
}

fn base_id(project: usize) -> String {
    format!("PROJECT{}", project + 1)
}

fn logical(session: &str, part: Option<String>) -> Value {
    match part {
        Some(part) => json!({
            "name": part, "fullyQualifiedName": format!("{session}/{part}"), "kind": "turn",
        }),
        None => json!({ "name": session, "fullyQualifiedName": session, "kind": "session" }),
    }
}

fn finding(report: &Report, found: &Found, rules: &Rules) -> Value {
    let turn = words::turn(found.turn, found.agent.as_deref());
    let mut location = json!({ "logicalLocations": [logical(&found.session_id, Some(turn))] });
    if let Some(file) = &found.file {
        location["physicalLocation"] = json!({ "artifactLocation": artifact(file, found.project_index) });
    }
    let mut result = json!({
        "level": level(found.severity),
        "message": { "text": format!("{}: “{}”", found.description, found.claim) },
        "locations": [location],
        "partialFingerprints": { FINGERPRINT: found.fingerprint },
        "properties": {
            "id": found.id,
            "type": found.kind.name(),
            "severity": found.severity.name(),
            "standing": found.standing,
            "claim": found.claim,
            "evidence": found.evidence,
            "toolsRequired": found.tools_required,
            "toolsFound": found.tools_found,
            "toolName": found.tool_name,
            "session": found.session_id,
            "project": found.project,
            "time": found.at_ms.map(words::rfc3339),
        },
    });
    // Where a session's own evidence is: a reader can go there.
    if let Some(session) = report.sessions.get(found.session) {
        result["properties"]["host"] = session.host.as_str().into();
    }
    rules.refer(&mut result, &found.rule);
    result
}

fn stopped(session: &Session, call: &Stopped, rules: &Rules) -> Value {
    let done = match (call.status.as_str(), session.guards_recorded) {
        ("asked", true) => "the user was asked about",
        ("asked", false) => "the user would have been asked about",
        (_, true) => "blocked:",
        (_, false) => "would have been blocked:",
    };
    let reason = if call.reason.is_empty() { String::new() } else { format!(" ({})", call.reason) };
    let mut result = json!({
        "level": if call.status == "asked" { "note" } else { "warning" },
        "message": { "text": format!("{done} {} `{}`{reason}", call.tool, call.target) },
        "locations": [{ "logicalLocations": [logical(&session.id, None)] }],
        "partialFingerprints": { FINGERPRINT: call.fingerprint },
        "properties": {
            "status": call.status,
            "rules": call.rules,
            "session": session.id,
            "project": session.project,
            "time": call.at_ms.map(words::rfc3339),
        },
    });
    rules.refer(&mut result, call.rules.first().map_or("guard", String::as_str));
    result
}

/// A path inside the project is relative to it, another one an address or at least a reference.
fn artifact(file: &str, project: usize) -> Value {
    if file.starts_with('/') {
        json!({ "uri": format!("file://{}", percent_encoded(file)) })
    } else if file.starts_with('~') {
        json!({ "uri": percent_encoded(file) })
    } else {
        json!({ "uri": percent_encoded(&file.replace('\\', "/")), "uriBaseId": base_id(project) })
    }
}

/// What may stand in the path of an address stays, every other byte becomes `%xx`.
fn percent_encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a `String` cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
