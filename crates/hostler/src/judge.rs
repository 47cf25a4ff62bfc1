//! The pure middle of a call: event in, decision out, with one look at the world in between. The hook,
//! `guard explain`, `guard test` and `replay` all decide here.

use std::path::PathBuf;

use hostler_model::{Decision, EffectKind, Event, Facts, Needs, Place};
use hostler_policy::{Settings, fully_understood};

/// Changed paths told per call.
const PATHS_MAX: usize = 50;

/// A decision and what the record says besides.
#[derive(Debug)]
pub(crate) struct Judged {
    /// The decision.
    pub(crate) decision: Decision,
    /// Paths that the command line changes, as far as they are known.
    pub(crate) paths: Vec<PathBuf>,
    /// The command line was understood as a whole.
    pub(crate) understood: bool,
}

impl Judged {
    /// Adds what is decided about another part of the same call: the strictest verdict counts, findings stay strictest
    /// first.
    pub(crate) fn join(&mut self, other: Self) {
        let (own, other_decision) = (&mut self.decision, other.decision);
        own.verdict = own.verdict.max(other_decision.verdict);
        own.findings.extend(other_decision.findings);
        own.findings.sort_by_key(|finding| std::cmp::Reverse(finding.mode));
        own.snapshot.extend(other_decision.snapshot);
        own.trace.extend(other_decision.trace);
        own.faults.extend(other_decision.faults);
        self.paths.extend(other.paths);
        self.paths.sort_unstable();
        self.paths.dedup();
        self.paths.truncate(PATHS_MAX);
        self.understood &= other.understood;
    }
}

/// Decides; `look` is called only when a rule wants to know something.
pub(crate) fn judge(
    event: &Event,
    place: &Place,
    settings: &Settings,
    look: impl FnMut(&Needs) -> Facts,
) -> Judged {
    let (case, decision) = hostler_policy::judge(event, place, settings, look);
    let changed = case.shell.iter().flat_map(|report| &report.effects).filter(|effect| changes(effect.kind));
    let mut paths: Vec<PathBuf> =
        changed.flat_map(|effect| &effect.targets).filter_map(|target| target.path.clone()).collect();
    paths.sort_unstable();
    paths.dedup();
    paths.truncate(PATHS_MAX);
    Judged { decision, paths, understood: fully_understood(&case) }
}

fn changes(kind: EffectKind) -> bool {
    matches!(
        kind,
        EffectKind::Delete
            | EffectKind::MoveAway
            | EffectKind::Truncate
            | EffectKind::Overwrite
            | EffectKind::Write
            | EffectKind::PermissionChange
    )
}
