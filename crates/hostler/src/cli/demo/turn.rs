//! The end of a turn: what the agent said, and what its record says.

use std::time::Duration;

use hostler_ledger::journal::Record;
use hostler_policy::claims::Finding;
use serde_json::{Value, json};

/// A turn that ended, as the journal tells its audit.
pub(super) struct Ending {
    /// The agent's words.
    pub(super) message: String,
    /// What became of the turn, in the journal's words.
    audit: String,
    /// Claims that were checked.
    claims: u64,
    /// What does not hold.
    pub(super) findings: Vec<Finding>,
    pub(super) time: Duration,
}

impl Ending {
    pub(super) fn of(record: &Record, message: &str, time: Duration) -> Self {
        let list = |name: &str| record.attributes.get(name).and_then(Value::as_array).into_iter().flatten();
        let claims = record.attributes.get("claims").and_then(Value::as_object).into_iter().flatten();
        Self {
            message: message.to_owned(),
            audit: record.text("audit").unwrap_or("failed").to_owned(),
            claims: claims.filter_map(|(_, count)| count.as_u64()).sum(),
            findings: list("findings").filter_map(|it| serde_json::from_value(it.clone()).ok()).collect(),
            time,
        }
    }

    /// What became of the turn, in nine characters or more.
    pub(super) fn word(&self) -> String {
        let word = if self.audit == "clean" { "held".to_owned() } else { self.audit.replace('-', " ") };
        format!("{word:9}")
    }

    /// What is told below it.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for finding in &self.findings {
            lines.push(format!("[{}] {}: {}", finding.rule, finding.severity.name(), finding.description));
            lines.extend(finding.evidence.iter().map(|evidence| format!("evidence: {evidence}")));
        }
        lines
    }

    pub(super) fn document(&self) -> Value {
        json!({
            "message": self.message,
            "audit": self.audit,
            "claims": self.claims,
            "findings": self.findings,
            "ms": self.time.as_secs_f64() * 1e3,
        })
    }
}

/// All turns in one sentence.
pub(super) fn sum(endings: &[Ending]) -> String {
    let claims: u64 = endings.iter().map(|ending| ending.claims).sum();
    let findings: usize = endings.iter().map(|ending| ending.findings.len()).sum();
    let corrected = endings.last().is_some_and(|last| last.findings.is_empty()) && findings != 0;
    let corrected = if corrected { "; the agent took it back" } else { "" };
    format!("{claims} claims checked against the calls: {findings} did not hold{corrected}.")
}
