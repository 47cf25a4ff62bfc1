//! Pure decisions: `(Event, Place, Settings, Facts) -> Decision`.
//!
//! Invariant: nothing here performs I/O, reads a clock or the environment, or prints. A guard that
//! needs a fact names it in its `needs`; the binary gathers it. Adding a guard is one file under
//! [`guards`] with one const, and one line in [`guards::GUARDS`].

#![forbid(clippy::disallowed_methods, clippy::disallowed_macros)]

pub mod checks;
pub mod claims;
pub mod guards;
pub mod recall;
pub mod reminder;
pub mod session;
pub mod shell;
#[cfg(test)]
mod testing;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hostler_model::{
    Action, Content, Coverage, Decision, Event, EventKind, Facts, Finding, Mode, Needs, Place, Profile, Step,
    Verdict,
};

use crate::guards::{GUARDS, Guard};
use crate::shell::Scripts;

/// What the user configured, resolved: defaults, files and environment already merged.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// The set of modes that rules start from.
    pub profile: Profile,
    /// Modes of single rules, by id; stronger than the profile.
    pub overrides: BTreeMap<String, Mode>,
    /// Globs of further protected paths, relative to the project root or absolute (`~/` is read).
    pub protected: Vec<String>,
    /// Whether Python packages must go through uv; `None`: decided by the project's files.
    pub uv: Option<bool>,
    /// What supports a claim.
    pub claims: claims::Basis,
    /// How much an agent may read.
    pub reads: guards::ReadLimits,
    /// When the same call in a row is a loop.
    pub repeats: guards::Repeats,
    /// Globs of files that are reviewed, from the project root; empty: all.
    pub reviewed: Vec<String>,
    /// Limits and severities of checks over code.
    pub checks: checks::Settings,
    /// A rule that fails on purpose, to show what a fault of ours does. Debug builds only.
    pub failing_rule: Option<String>,
}

impl Settings {
    /// The mode that `guard` runs in.
    pub fn mode(&self, guard: &Guard) -> Mode {
        let mode = match self.overrides.get(guard.id) {
            Some(mode) => *mode,
            None => match self.profile {
                Profile::Observe | Profile::Standard => guard.standard,
                Profile::Strict => guard.strict,
            },
        };
        if self.profile == Profile::Observe { mode.min(Mode::Observe) } else { mode }
    }
}

/// One event with everything that can be known of it without looking at the world.
#[derive(Debug)]
pub struct Case<'a> {
    /// What happened.
    pub event: &'a Event,
    /// Where.
    pub place: &'a Place,
    /// What the user configured.
    pub settings: &'a Settings,
    /// The analysis of the command line, for shell actions.
    pub shell: Option<shell::Report>,
}

impl<'a> Case<'a> {
    /// Reads the event: parses its command line, if it has one.
    pub fn new(event: &'a Event, place: &'a Place, settings: &'a Settings) -> Self {
        Self::with_scripts(event, place, settings, &Scripts::new())
    }

    /// As [`Case::new`], with the texts of scripts that the command line runs.
    pub fn with_scripts(
        event: &'a Event,
        place: &'a Place,
        settings: &'a Settings,
        scripts: &Scripts,
    ) -> Self {
        let shell = match &event.kind {
            EventKind::ToolBefore { call } => match &call.action {
                Action::Shell { command } => Some(shell::analyse_with(command, &event.cwd, place, scripts)),
                _ => None,
            },
            _ => None,
        };
        Self { event, place, settings, shell }
    }

    /// The action that is about to happen; `None` for any other event.
    pub fn action(&self) -> Option<&'a Action> {
        match &self.event.kind {
            EventKind::ToolBefore { call } => Some(&call.action),
            _ => None,
        }
    }

    /// Guards that are on for this case, with their modes.
    fn active(&self) -> impl Iterator<Item = (&'static Guard, Mode)> + '_ {
        let before = self.action().is_some();
        GUARDS
            .iter()
            .copied()
            .filter(move |_| before)
            .map(|guard| (guard, self.settings.mode(guard)))
            .filter(|(_, mode)| *mode != Mode::Off)
    }
}

/// Scripts that start scripts are followed this deep.
const SCRIPT_ROUNDS_MAX: usize = 3;

/// The whole way of one event: read it, look at what rules and scripts need, decide. `look` is called only
/// when something is wanted.
pub fn judge<'a>(
    event: &'a Event,
    place: &'a Place,
    settings: &'a Settings,
    mut look: impl FnMut(&Needs) -> Facts,
) -> (Case<'a>, Decision) {
    let mut case = Case::new(event, place, settings);
    let mut scripts = Scripts::new();
    for _ in 0..SCRIPT_ROUNDS_MAX {
        let wanted = case.shell.iter().flat_map(|report| report.scripts.iter().cloned()).collect();
        let needs = Needs { contents: wanted, ..Needs::default() };
        if needs.is_empty() {
            break;
        }
        let found = look(&needs).contents.into_iter().filter_map(|(path, content)| match content {
            Content::Text(text) => Some((path, text)),
            Content::Missing | Content::Unreadable => None,
        });
        let before = scripts.len();
        scripts.extend(found);
        if scripts.len() == before {
            break;
        }
        case = Case::with_scripts(event, place, settings, &scripts);
    }
    let needs = plan(&case);
    let facts = if needs.is_empty() { Facts::default() } else { look(&needs) };
    let decision = decide(&case, &facts);
    (case, decision)
}

/// What any active guard wants to know; usually nothing.
pub fn plan(case: &Case<'_>) -> Needs {
    let mut needs = Needs::default();
    for (guard, _) in case.active() {
        // A guard that fails here fails again in `decide`, where it is told.
        let _ = catch_unwind(AssertUnwindSafe(|| (guard.needs)(case, &mut needs)));
    }
    needs
}

/// Runs every active guard and combines what they found. A guard that panics decides nothing and is
/// named in [`Decision::faults`]; the others still decide.
pub fn decide(case: &Case<'_>, facts: &Facts) -> Decision {
    let mut decision = Decision::default();
    if let Some(report) = &case.shell {
        decision.trace.extend(report.steps());
    }
    for (guard, mode) in case.active() {
        let check = || {
            if cfg!(debug_assertions) && case.settings.failing_rule.as_deref() == Some(guard.id) {
                std::panic::panic_any("injected");
            }
            (guard.check)(case, facts)
        };
        let hits = match catch_unwind(AssertUnwindSafe(check)) {
            Ok(hits) => hits,
            Err(panic) => {
                let text = panic
                    .downcast_ref::<&str>()
                    .map(|it| (*it).to_owned())
                    .or_else(|| panic.downcast_ref::<String>().cloned())
                    .unwrap_or_else(|| "no message".to_owned());
                decision.faults.push(format!("rule `{}` failed: {text}", guard.id));
                continue;
            }
        };
        for hit in hits {
            decision.trace.push(Step {
                stage: guard.id.to_owned(),
                detail: format!("{}: {}", mode.name(), hit.problem),
            });
            decision.findings.push(Finding {
                rule: guard.id,
                mode,
                problem: hit.problem,
                instead: hit.instead,
                snapshot: if Mode::Checkpoint <= mode { hit.snapshot } else { Vec::new() },
            });
        }
    }
    decision.findings.sort_by_key(|finding| std::cmp::Reverse(finding.mode));
    decision.verdict =
        decision.findings.iter().map(|finding| Verdict::from(finding.mode)).max().unwrap_or_default();
    if decision.verdict != Verdict::Deny {
        for finding in &decision.findings {
            for path in &finding.snapshot {
                if !decision.snapshot.contains(path) {
                    decision.snapshot.push(path.clone());
                }
            }
        }
    }
    decision
}

/// Whether the command line was understood as a whole; `true` for what is no command.
pub fn fully_understood(case: &Case<'_>) -> bool {
    case.shell.as_ref().is_none_or(|report| report.coverage == Coverage::Full)
}
