//! SARIF 2.1.0: findings as failures, and a result for the state of each requirement.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{Finding, Matrix, Review, Row, Rule, State};

use super::Options;

/// Name and version of the way in which fingerprints are made.
const FINGERPRINT: &str = "hostlerTrace/v1";
/// The rule of results that tell a requirement's state.
const STATE: &str = "requirement-state";
/// What relative addresses start from.
const BASE: &str = "PROJECT";

/// Whether a log is one of ours.
pub fn is_ours(log: &Value) -> bool {
    log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .is_some_and(|rules| rules.iter().any(|it| it["id"] == STATE))
}

/// The matrix as one log with one run. `root`: the project's folder as a `file:` address that ends with a slash.
pub fn log(matrix: &Matrix, options: &Options<'_>, root: Option<&str>) -> Value {
    let descriptor = |id: &str, summary: &str, level: &str| {
        json!({
            "id": id,
            "name": id,
            "shortDescription": { "text": summary },
            "defaultConfiguration": { "level": level },
            "properties": { "tags": ["traceability"] },
        })
    };
    let mut rules: Vec<Value> =
        Rule::ALL.iter().map(|it| descriptor(it.id(), it.summary(), level(*it))).collect();
    rules.push(descriptor(STATE, "How far a requirement is traced, tested and passing", "none"));
    let findings = matrix.findings.iter().map(finding);
    let states = matrix.rows.iter().map(|row| state(row, options));
    let mut base = json!({ "description": { "text": "the project's top folder" } });
    if let Some(root) = root {
        base["uri"] = root.into();
    }
    let (name, version) = options.generator.split_once(' ').unwrap_or((options.generator, "0"));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": name, "version": version, "semanticVersion": version, "rules": rules }},
            "invocations": [{ "executionSuccessful": true, "endTimeUtc": options.time }],
            "originalUriBaseIds": { BASE: base },
            "columnKind": "unicodeCodePoints",
            "properties": { "headline": matrix.headline(), "totals": matrix.totals },
            "results": findings.chain(states).collect::<Vec<_>>(),
        }],
    })
}

fn level(rule: Rule) -> &'static str {
    match rule {
        Rule::UnknownId | Rule::TracedFailing | Rule::DuplicateId => "error",
        Rule::AmbiguousId
        | Rule::UnreadableTag
        | Rule::DoneUntraced
        | Rule::SuspectLink
        | Rule::LostLink
        | Rule::LostRequirement => "warning",
    }
}

fn index(id: &str) -> usize {
    Rule::ALL.iter().position(|it| it.id() == id).unwrap_or(Rule::ALL.len())
}

fn finding(finding: &Finding) -> Value {
    json!({
        "ruleId": finding.rule.id(),
        "ruleIndex": index(finding.rule.id()),
        "kind": "fail",
        "level": level(finding.rule),
        "message": { "text": finding.message },
        "locations": [location(&finding.path, finding.line, None)],
        // No line: it moves with every edit above it.
        "partialFingerprints": { FINGERPRINT: fingerprint(&[finding.rule.id(), &finding.id, &finding.path, &finding.message]) },
        "properties": { "requirement": finding.id },
    })
}

fn state(row: &Row, options: &Options<'_>) -> Value {
    let (kind, level) = match (row.state, row.review) {
        (State::Failing, _) => ("fail", "error"),
        (_, Review::Suspect) => ("review", "none"),
        (State::Passing, _) => ("pass", "none"),
        (State::Untraced, _) => ("open", "none"),
        (State::Traced | State::Tested, _) => ("informational", "none"),
    };
    let title = if options.texts { format!(": {}", row.requirement.title()) } else { String::new() };
    let mut result = json!({
        "ruleId": STATE,
        "ruleIndex": index(STATE),
        "kind": kind,
        "level": level,
        "message": { "text": format!("{} is {}{title}", row.key, row.state.name()) },
        "locations": [location(&row.requirement.source, row.requirement.line, None)],
        "partialFingerprints": { FINGERPRINT: fingerprint(&[STATE, &row.key]) },
        "properties": {
            "requirement": row.key,
            "specification": row.requirement.spec,
            "done": row.requirement.done,
            "state": row.state.name(),
            "review": row.review.name(),
        },
    });
    if !row.links.is_empty() {
        let related = row.links.iter().enumerate().map(|(at, link)| {
            let mut value = location(&link.path, link.line, Some((&link.name, link.kind.name())));
            let how = match (link.test, link.outcome) {
                (true, Some(outcome)) => format!("test, {}", outcome.name()),
                (true, None) => "test".to_owned(),
                (false, _) => "source".to_owned(),
            };
            value["id"] = at.into();
            value["message"] = json!({ "text": how });
            value
        });
        result["relatedLocations"] = related.collect::<Vec<_>>().into();
    }
    result
}

fn location(path: &str, line: usize, symbol: Option<(&str, &str)>) -> Value {
    // What leads out of the project is no part of it: an address of its own, relative to whoever reads it.
    let mut artifact = json!({ "uri": percent_encoded(path) });
    if !path.starts_with("../") && !path.starts_with('/') {
        artifact["uriBaseId"] = BASE.into();
    }
    let mut value = json!({ "physicalLocation": { "artifactLocation": artifact } });
    if line != 0 {
        value["physicalLocation"]["region"] = json!({ "startLine": line });
    }
    if let Some((name, kind)) = symbol.filter(|it| !it.0.is_empty()) {
        value["logicalLocations"] = json!([{ "fullyQualifiedName": name, "kind": kind }]);
    }
    value
}

fn fingerprint(parts: &[&str]) -> String {
    let digest = Sha256::digest(parts.join("\0").as_bytes());
    crate::hexadecimal(&digest, 16)
}

/// What may stand in the path of an address stays, every other byte becomes `%xx`.
pub fn percent_encoded(path: &str) -> String {
    path.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}
