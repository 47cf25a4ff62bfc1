//! What the project's linter says of a file before it is written. Only the profile `strict`, or who sets the rule's
//! mode, starts a process for that; one that does not answer in time says nothing, and the end of the turn asks again.

use std::time::{Duration, Instant};

use hostler_model::{Event, Facts, LintError, Place};
use hostler_policy::checks::{Finding, Gate, Kind, Severity, Source, fresh};

use crate::config::Config;
use crate::gates::changed;
use crate::gates::tools::{self, Outcome, Purpose, Request};

/// What both texts together may take.
const TIME_MAX: Duration = Duration::from_secs(1);
/// Left of the call's own deadline.
const RESERVE: Duration = Duration::from_secs(1);

/// The errors that a call would add; `None` when the linter did not say.
pub(super) fn errors(
    event: &Event,
    place: &Place,
    config: &Config,
    facts: &Facts,
    deadline: Instant,
) -> Option<Vec<LintError>> {
    let (path, before, after) = hostler_policy::guards::proposed(event, place, &config.settings, facts)?;
    let deadline = deadline.checked_sub(RESERVE)?.min(Instant::now() + TIME_MAX);
    let tools = config.gates.tools(config.settings.profile);
    let files = [path];
    let request = Request {
        root: &place.root,
        files: &files,
        gates: &[Gate::Lint],
        purpose: Purpose::Edit,
        deadline,
        settings: &tools,
        configured_only: false,
    };
    let [path] = &files;
    let after_findings = found(&request, &after)?;
    if after_findings.is_empty() {
        return Some(Vec::new());
    }
    let before_findings = if before.is_empty() { Vec::new() } else { found(&request, &before)? };
    let name = changed::name(&place.root, path).unwrap_or_default();
    let source = |text| Source { path: &name, text, language: None, facts: None, kind: Kind::Source };
    let (old, new) = (source(before.as_str()), source(after.as_str()));
    let errors = fresh(Some((&old, &before_findings)), (&new, after_findings));
    Some(errors.into_iter().map(told).collect())
}

/// What the linter holds to be an error in a text; `None` when it did not say.
fn found(request: &Request<'_>, text: &str) -> Option<Vec<Finding>> {
    let mut all = Vec::new();
    for run in tools::review_text(request, text) {
        match run.outcome {
            Outcome::NotRun { .. } => return None,
            Outcome::Clean => {}
            Outcome::Findings(found) => all.extend(found.into_iter().map(|(_, finding)| finding)),
        }
    }
    all.retain(|finding| finding.check == "lint" && finding.severity == Severity::Error);
    Some(all)
}

fn told(finding: Finding) -> LintError {
    LintError { line: finding.line, code: finding.code.unwrap_or(finding.check), message: finding.message }
}
