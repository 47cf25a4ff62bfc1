//! For programs.

use std::io::Write;

use hostler_model::{Decision, Finding, Step};
use serde_json::{Value, json};

use crate::judge::Judged;

/// Prints one document and a line end.
///
/// # Errors
/// When stdout cannot be written.
pub(crate) fn print(document: &Value) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{document}")?;
    Ok(())
}

/// A decision with everything that led to it.
pub(crate) fn judged(judged: &Judged) -> Value {
    let Decision { verdict, findings, snapshot, trace, faults } = &judged.decision;
    json!({
        "verdict": verdict.name(),
        "findings": findings.iter().map(finding).collect::<Vec<_>>(),
        "checkpoint": snapshot,
        "paths": judged.paths,
        "understood": judged.understood,
        "trace": trace.iter().map(step).collect::<Vec<_>>(),
        "faults": faults,
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule,
        "mode": finding.mode.name(),
        "problem": finding.problem,
        "instead": finding.instead,
    })
}

fn step(step: &Step) -> Value {
    json!({ "stage": step.stage, "detail": step.detail })
}
