//! What the guards of today would have said to the calls of a session that is over. Nothing is executed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hostler_host::claude::read;
use hostler_host::reason;
use hostler_ledger::redact::preview;
use hostler_model::{
    Action, Event, EventKind, Facts, FileKind, Host, Needs, PathFact, SessionId, ToolCall, Verdict, lexical,
};

use super::summary::{Guards, Stopped, Times, Told};
use super::world::Recorded;
use crate::judge::judge;
use crate::observe::observe;
use crate::output;

/// Characters of a target that are shown, and of what an agent was told.
const TARGET_CHARS_MAX: usize = 120;
const REASON_CHARS_MAX: usize = 300;
/// Calls that are listed.
const LISTED_MAX: usize = 1_000;

/// Asks the guards about one call after another.
#[derive(Debug)]
pub(super) struct Would {
    session: SessionId,
    /// Files that the agent read or wrote so far: what the world was like where it is gone.
    files: BTreeSet<PathBuf>,
    times: Vec<Duration>,
    guards: Guards,
}

/// A call, and where it stands.
pub(super) struct Asked<'a> {
    pub(super) call: &'a ToolCall,
    pub(super) cwd: &'a Path,
    /// Number of the line, from 1; 0 where there are none.
    pub(super) line: u64,
    pub(super) subagent: bool,
    pub(super) at_ms: Option<i64>,
}

impl Would {
    /// `None` only when the name of the session is refused, which it is not.
    pub(super) fn new(world: &Recorded) -> Option<Self> {
        Some(Self {
            session: SessionId::parse("replay").ok()?,
            files: BTreeSet::new(),
            times: Vec::new(),
            guards: Guards {
                asked_them: true,
                profile: world.settings.profile.name().to_owned(),
                ..Guards::default()
            },
        })
    }

    /// Asks about one call.
    pub(super) fn ask(&mut self, asked: &Asked<'_>, world: &Recorded) {
        let Asked { call, cwd, .. } = *asked;
        if call.action == Action::Other && strictly(call).is_err() {
            self.guards.unreadable_calls += 1;
            return;
        }
        let event = Event {
            host: Host::ClaudeCode,
            name: "PreToolUse".to_owned(),
            session: self.session.clone(),
            cwd: cwd.to_path_buf(),
            transcript: None,
            agent: None,
            permission_mode: None,
            kind: EventKind::ToolBefore { call: call.clone() },
        };
        let begun = Instant::now();
        let look = |needs: &Needs| {
            if world.here { observe(needs, &world.place) } else { remembered(needs, &self.files) }
        };
        let judged = judge(&event, &world.place, &world.settings, look);
        self.times.push(begun.elapsed());
        if let Action::Read { path: Some(path) }
        | Action::Write { path: Some(path), .. }
        | Action::Edit { path: Some(path), .. } = &call.action
        {
            self.files.insert(lexical::expand(cwd, world.place.home.as_deref(), path));
        }
        let decision = &judged.decision;
        self.guards.count(decision.verdict);
        self.guards.checkpoints += u64::from(!decision.snapshot.is_empty());
        let target = preview(&target(&call.action), TARGET_CHARS_MAX);
        if decision.verdict.blocks() && self.guards.stopped.len() < LISTED_MAX {
            let stops = decision.findings.iter().filter(|finding| Verdict::from(finding.mode).blocks());
            self.guards.stopped.push(Stopped {
                tool: call.tool.clone(),
                target: target.clone(),
                status: status(decision.verdict).to_owned(),
                rules: stops.map(|finding| finding.rule.to_owned()).collect(),
                reason: preview(&reason::found(decision), REASON_CHARS_MAX),
                at_ms: asked.at_ms,
            });
        }
        let silent =
            decision.verdict == Verdict::Allow && decision.snapshot.is_empty() && decision.faults.is_empty();
        if !silent && self.guards.told.len() < LISTED_MAX {
            self.guards.told.push(Told {
                line: asked.line,
                tool: call.tool.clone(),
                subagent: asked.subagent,
                target,
                decision: output::json::judged(&judged),
            });
        }
    }

    /// What they said.
    pub(super) fn finish(mut self) -> Guards {
        let mut times: Vec<u64> =
            self.times.iter().map(|time| u64::try_from(time.as_micros()).unwrap_or(u64::MAX)).collect();
        times.sort_unstable();
        let at = |index: usize| times.get(index).copied().unwrap_or_default();
        self.guards.decide_us =
            Times { min: at(0), median: at(times.len() / 2), max: at(times.len().saturating_sub(1)) };
        self.guards
    }
}

fn status(verdict: Verdict) -> &'static str {
    if verdict == Verdict::Deny { "blocked" } else { "asked" }
}

/// The call as the hook would have read it.
fn strictly(call: &ToolCall) -> Result<(), ()> {
    let input = serde_json::from_str(&call.input).map_err(|_| ())?;
    read::tool_call(&call.tool, &input, None).map(|_| ()).map_err(|_| ())
}

/// What the recording itself tells of the world.
fn remembered(needs: &Needs, files: &BTreeSet<PathBuf>) -> Facts {
    let known = needs.paths.iter().filter(|path| files.contains(*path));
    let fact =
        |path: &PathBuf| PathFact { kind: FileKind::File, parent_real: path.clone(), real: path.clone() };
    Facts { paths: known.map(|path| (path.clone(), fact(path))).collect(), ..Facts::default() }
}

fn target(action: &Action) -> String {
    match action {
        Action::Shell { command } => command.clone(),
        Action::Write { path, .. }
        | Action::Edit { path, .. }
        | Action::NotebookEdit { path, .. }
        | Action::Read { path } => path.clone().unwrap_or_default(),
        Action::Search { pattern, .. } => pattern.clone(),
        Action::Delegate { prompt, .. } => prompt.clone(),
        Action::Mcp { strings, .. } => strings.first().map(|(_, text)| text.clone()).unwrap_or_default(),
        Action::Fetch { address } => address.clone(),
        Action::Plan | Action::Other => String::new(),
    }
}
