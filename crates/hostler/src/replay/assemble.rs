//! Entries of a record, in order -> turns with their claims judged.
//!
//! A turn goes from a prompt to the last words before the next one. Calls and results are paired by id, evidence of
//! earlier turns counts as such, and what a subagent did counts for who started it. What could not be read makes the
//! rules mild: in a turn with damaged lines nothing is told that the lost ones could refute.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use hostler_host::transcript::{Entry, Item, Meta, Notice};
use hostler_ledger::redact::{preview, redact};
use hostler_model::{Outcome, ToolCall};
use hostler_policy::claims::evidence::{Actor, FailureKind};
use hostler_policy::claims::{self, Evidence, FileState, Finding, Judged, Turn};

use super::Options;
use super::evidence::Extractor;
use super::guards::{Asked, Would};
use super::summary::{RunSummary, SessionSummary, Source, TurnSummary, VERSION};
use super::window::Window;
use super::world::Recorded;
use crate::claims::look::Looker;

/// Characters of a prompt or message that are shown.
const PREVIEW_CHARS_MAX: usize = 240;
/// Claims of a turn that are listed.
const CLAIMS_MAX: usize = 60;
/// Characters of a text in a claim or finding.
const TEXT_CHARS_MAX: usize = 500;
/// Turns without findings that are listed.
const TURNS_MAX: usize = 20_000;
/// Runs that are listed.
const RUNS_MAX: usize = 5_000;

/// Which file of a session an entry stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum File<'a> {
    /// The session's own.
    Session,
    /// That of one subagent, read before the session's own.
    Subagent(&'a str),
}

/// Makes a summary of what it is told.
pub(super) struct Assembler<'o> {
    options: &'o Options,
    extractor: &'o Extractor,
    summary: SessionSummary,
    /// Known from the first entry that names a folder.
    world: Option<Recorded>,
    cwd: PathBuf,
    main: Track,
    agents: BTreeMap<String, Track>,
    /// Subagents without an id, by the entries that are theirs.
    roots: HashMap<u64, String>,
    sidechains: u64,
    pending: HashMap<String, Pending>,
    /// A person's own command.
    user_call: Option<Pending>,
    seen_entries: HashSet<u64>,
    seen_calls: HashSet<u64>,
    /// What subagents with files of their own did, by time; and how much of it has come to the session's turn.
    beside: Vec<(i64, Evidence)>,
    beside_at: usize,
    would: Option<Would>,
    line: u64,
}

/// One agent's turns.
#[derive(Default)]
struct Track {
    agent: Option<String>,
    evidence: Window,
    turn: Option<Open>,
    turns: u64,
}

/// A turn that is not over.
#[derive(Default)]
struct Open {
    prompt: String,
    text: String,
    message: Option<String>,
    /// Nothing was called after the text.
    last_words: bool,
    calls: u64,
    errors: u64,
    continued: u64,
    interrupted: bool,
    damaged: u64,
    started_ms: Option<i64>,
    ended_ms: Option<i64>,
    key: DefaultHasher,
    keyed: bool,
}

impl Open {
    fn is_empty(&self) -> bool {
        self.calls == 0 && self.text.is_empty()
    }
}

struct Pending {
    call: ToolCall,
    cwd: PathBuf,
    /// The track that it belongs to.
    agent: Option<String>,
    by: Actor,
}

impl<'o> Assembler<'o> {
    /// `host`: the client's stable name.
    pub(super) fn new(options: &'o Options, extractor: &'o Extractor, host: &str, source: Source) -> Self {
        let summary =
            SessionSummary { version: VERSION, host: host.to_owned(), source, ..SessionSummary::default() };
        Self {
            options,
            extractor,
            summary,
            world: None,
            cwd: PathBuf::from("/"),
            main: Track::default(),
            agents: BTreeMap::new(),
            roots: HashMap::new(),
            sidechains: 0,
            pending: HashMap::new(),
            user_call: None,
            seen_entries: HashSet::new(),
            seen_calls: HashSet::new(),
            beside: Vec::new(),
            beside_at: 0,
            would: None,
            line: 0,
        }
    }

    /// The numbers of lines, for who reads them.
    pub(super) fn lines(&mut self) -> &mut super::summary::Lines {
        &mut self.summary.lines
    }

    /// The number of the line that the next entry stands on, from 1.
    pub(super) fn at_line(&mut self, line: u64) {
        self.line = line;
    }

    /// Something was lost here that may have been anything.
    pub(super) fn damaged(&mut self, file: File<'_>) {
        let lost = || Evidence {
            ok: true,
            opaque: true,
            summary: "a line of the record that cannot be read".to_owned(),
            ..Evidence::default()
        };
        let agent = match file {
            File::Session => None,
            File::Subagent(id) => Some(id.to_owned()),
        };
        let track = self.track(agent.as_deref());
        if track.turn.is_none() {
            track.evidence.begin_turn();
        }
        let first = track.turn.as_ref().is_none_or(|turn| turn.damaged == 0);
        track.turn.get_or_insert_default().damaged += 1;
        if first {
            track.evidence.push(lost());
            if agent.is_some() {
                self.main.evidence.push(Evidence { by: Actor::Subagent, ..lost() });
            }
        }
    }

    /// Adds what stands in one entry.
    pub(super) fn entry(&mut self, entry: Entry, file: File<'_>) {
        let Entry { meta, items } = entry;
        if let Some(id) = &meta.id
            && self.summary.source == Source::Transcript
            && !self.seen_entries.insert(hash(id))
        {
            self.summary.lines.repeated += 1;
            return;
        }
        self.learn(&meta, file);
        if let (File::Session, Some(now)) = (file, meta.at_ms) {
            self.catch_up(now);
        }
        let agent = self.agent_of(&meta, file);
        for item in items {
            self.item(item, &meta, agent.as_deref(), file);
        }
    }

    fn learn(&mut self, meta: &Meta, file: File<'_>) {
        let summary = &mut self.summary;
        if let Some(session) = &meta.session
            && (file == File::Session || summary.id.is_empty())
        {
            summary.id.clone_from(session);
        }
        if let Some(at) = meta.at_ms {
            summary.started_ms = Some(summary.started_ms.map_or(at, |it| it.min(at)));
            summary.ended_ms = Some(summary.ended_ms.map_or(at, |it| it.max(at)));
        }
        if summary.branch.is_none() {
            summary.branch.clone_from(&meta.branch);
        }
        let Some(cwd) = meta.cwd.as_deref().filter(|cwd| cwd.starts_with('/')) else { return };
        if self.cwd.as_os_str() != cwd {
            self.cwd = PathBuf::from(cwd);
        }
        if self.world.is_none() {
            self.world = Some(Recorded::at(&self.cwd, meta.branch.is_some(), self.options.profile));
            summary.project = Some(cwd.to_owned());
        }
    }

    fn world(&mut self) -> &Recorded {
        self.world.get_or_insert_with(|| Recorded::at(Path::new("/"), false, self.options.profile))
    }

    /// What subagents did until now has come to the session's evidence.
    fn catch_up(&mut self, until_ms: i64) {
        while let Some((at, evidence)) = self.beside.get_mut(self.beside_at)
            && *at <= until_ms
        {
            self.main.evidence.push(std::mem::take(evidence));
            self.beside_at += 1;
        }
    }

    /// Whose entry it is; `None` for the session's own agent.
    fn agent_of(&mut self, meta: &Meta, file: File<'_>) -> Option<String> {
        match (file, meta.sidechain, &meta.agent) {
            (File::Subagent(id), _, _) => Some(id.to_owned()),
            (File::Session, true, Some(id)) => Some(id.clone()),
            (File::Session, false, _) => None,
            (File::Session, true, None) => {
                // Old versions name no agent: the entries are chained to the one that started it.
                let parent = meta.parent.as_ref().and_then(|parent| self.roots.get(&hash(parent)).cloned());
                let name = parent.unwrap_or_else(|| {
                    self.sidechains += 1;
                    format!("sidechain-{}", self.sidechains)
                });
                if let Some(id) = &meta.id {
                    self.roots.insert(hash(id), name.clone());
                }
                Some(name)
            }
        }
    }

    fn track(&mut self, agent: Option<&str>) -> &mut Track {
        match agent {
            None => &mut self.main,
            Some(id) => self
                .agents
                .entry(id.to_owned())
                .or_insert_with(|| Track { agent: Some(id.to_owned()), ..Track::default() }),
        }
    }

    fn item(&mut self, item: Item, meta: &Meta, agent: Option<&str>, file: File<'_>) {
        match item {
            Item::Prompt { text } => {
                self.close_if(agent, |turn| !turn.is_empty());
                let turn = self.touch(agent, meta);
                turn.prompt = text;
                turn.started_ms = meta.at_ms.or(turn.started_ms);
            }
            Item::Text { text, message } => self.said(text, message, meta, agent),
            Item::Call { call, by_user } => self.called(call, by_user, meta, agent),
            Item::Result { call, outcome } => self.returned(call.as_deref(), &outcome, meta, file),
            Item::Notice(Notice::Compacted) => {
                if agent.is_none() {
                    self.summary.compactions += 1;
                }
            }
            Item::Notice(Notice::Interrupted) => {
                if let Some(turn) = &mut self.track(agent).turn {
                    turn.interrupted = true;
                }
            }
            Item::Notice(Notice::Continued) => {
                if let Some(turn) = &mut self.track(agent).turn {
                    turn.continued += 1;
                    // What was said before is taken back or done by what follows.
                    turn.message = None;
                }
            }
            Item::Notice(Notice::Resumed) => self.close_if(agent, |turn| turn.last_words),
        }
    }

    /// The turn that is open, begun if there is none.
    fn touch(&mut self, agent: Option<&str>, meta: &Meta) -> &mut Open {
        let track = self.track(agent);
        if track.turn.is_none() {
            track.evidence.begin_turn();
        }
        let turn = track.turn.get_or_insert_default();
        if let (Some(id), false) = (&meta.id, turn.keyed) {
            id.hash(&mut turn.key);
            turn.keyed = true;
        }
        turn.started_ms = turn.started_ms.or(meta.at_ms);
        turn.ended_ms = meta.at_ms.or(turn.ended_ms);
        turn
    }

    fn said(&mut self, text: String, message: Option<String>, meta: &Meta, agent: Option<&str>) {
        let turn = self.touch(agent, meta);
        let same = turn.last_words && message.is_some() && turn.message == message;
        if same && (turn.text.ends_with(&text) || turn.text.contains(&format!("{text}\n\n"))) {
            // A part that was streamed twice.
            return;
        }
        if let Some(id) = &meta.id {
            id.hash(&mut turn.key);
        }
        if same && !text.starts_with(&turn.text) {
            turn.text.push_str("\n\n");
            turn.text.push_str(&text);
        } else {
            turn.text = text;
        }
        turn.message = message;
        turn.last_words = true;
    }

    fn called(&mut self, call: ToolCall, by_user: bool, meta: &Meta, agent: Option<&str>) {
        if let Some(id) = &call.id
            && !self.seen_calls.insert(hash(id))
        {
            return;
        }
        *self.summary.calls.entry(call.tool.clone()).or_default() += 1;
        if self.options.guards && !by_user {
            self.ask_guards(&call, meta, agent);
        }
        let by = if by_user { Actor::User } else { Actor::Agent };
        if !by_user {
            let turn = self.touch(agent, meta);
            turn.calls += 1;
            turn.last_words = false;
        }
        let id = call.id.clone();
        let cwd = self.cwd.clone();
        let pending = Pending { call, cwd, agent: agent.map(str::to_owned), by };
        match id {
            Some(id) => {
                self.pending.insert(id, pending);
            }
            None => self.user_call = Some(pending),
        }
    }

    fn ask_guards(&mut self, call: &ToolCall, meta: &Meta, agent: Option<&str>) {
        self.world();
        let Some(world) = &self.world else { return };
        if self.would.is_none() {
            self.would = Would::new(world);
        }
        let asked =
            Asked { call, cwd: &self.cwd, line: self.line, subagent: agent.is_some(), at_ms: meta.at_ms };
        if let Some(would) = &mut self.would {
            would.ask(&asked, world);
        }
    }

    fn returned(&mut self, id: Option<&str>, outcome: &Outcome, meta: &Meta, file: File<'_>) {
        let pending = match id {
            Some(id) => self.pending.remove(id),
            None => self.user_call.take(),
        };
        let Some(pending) = pending else {
            // The second of two results of one call says nothing new.
            let unknown = id.is_none_or(|id| !self.seen_calls.contains(&hash(id)));
            self.summary.lines.unpaired += u64::from(unknown);
            return;
        };
        let evidence = self.extract(&pending, outcome);
        if let Some(duration) = outcome.duration_ms {
            *self.summary.tool_time_ms.entry(pending.call.tool.clone()).or_default() += duration;
        }
        let agent = pending.agent.as_deref();
        self.count(&evidence, agent, meta.at_ms);
        if agent.is_some() {
            let copy = Evidence { by: Actor::Subagent, ..evidence.clone() };
            match file {
                File::Session => self.main.evidence.push(copy),
                File::Subagent(_) => self.beside.push((meta.at_ms.unwrap_or(i64::MAX), copy)),
            }
        }
        let track = self.track(agent);
        track.evidence.push(evidence);
        if let Some(turn) = &mut track.turn {
            turn.ended_ms = meta.at_ms.or(turn.ended_ms);
        }
    }

    fn extract(&mut self, pending: &Pending, outcome: &Outcome) -> Evidence {
        let extractor = self.extractor;
        let world = self.world();
        extractor.of(&pending.call, outcome, &pending.cwd, &world.place, pending.by)
    }

    fn count(&mut self, evidence: &Evidence, agent: Option<&str>, at_ms: Option<i64>) {
        let turn = {
            let track = self.track(agent);
            let failed = evidence.failure.as_ref().is_some_and(|it| it.kind == FailureKind::Error);
            if let Some(turn) = &mut track.turn {
                turn.errors += u64::from(failed);
            }
            track.turns + 1
        };
        if let Some(failure) = &evidence.failure {
            self.summary.failures.count(failure.kind);
        }
        let room = RUNS_MAX.saturating_sub(self.summary.runs.len());
        self.summary.runs.extend(evidence.runs.iter().take(room).map(|run| RunSummary {
            turn,
            agent: agent.map(str::to_owned),
            at_ms,
            run: run.clone(),
        }));
    }

    /// Ends the turn of `agent` if there is one that `over` says so of.
    fn close_if(&mut self, agent: Option<&str>, over: impl FnOnce(&Open) -> bool) {
        if self.track(agent).turn.as_ref().is_some_and(over) {
            self.close(agent);
        }
    }

    fn close(&mut self, agent: Option<&str>) {
        let lost = self.drop_pending(agent);
        let Some(mut turn) = self.track(agent).turn.take() else { return };
        if !turn.interrupted {
            turn.damaged += lost;
        }
        if turn.is_empty() {
            self.track(agent).turn = None;
            return;
        }
        let audit = self.judge(&turn, agent);
        let track = self.track(agent);
        track.turns += 1;
        let mut told = TurnSummary {
            index: track.turns,
            agent: track.agent.clone(),
            prompt: preview(&turn.prompt, PREVIEW_CHARS_MAX),
            message: preview(&turn.text, PREVIEW_CHARS_MAX),
            calls: turn.calls,
            errors: turn.errors,
            continued: turn.continued,
            interrupted: turn.interrupted,
            damaged: turn.damaged,
            started_ms: turn.started_ms,
            duration_ms: turn
                .started_ms
                .zip(turn.ended_ms)
                .and_then(|(start, end)| u64::try_from(end.saturating_sub(start)).ok()),
            key: turn.keyed.then(|| turn.key.finish()),
            ..TurnSummary::default()
        };
        for claim in &audit.claims {
            told.standings.add(claim.standing);
        }
        told.claims_omitted = audit.claims.len().saturating_sub(CLAIMS_MAX) as u64;
        told.claims = audit.claims.into_iter().take(CLAIMS_MAX).map(|it| self.clean_claim(it)).collect();
        if turn.damaged == 0 {
            told.findings = audit.findings.into_iter().map(|it| self.clean_finding(it)).collect();
        } else {
            told.withheld = audit.findings.len() as u64;
        }
        if self.summary.turns.len() < TURNS_MAX || !told.findings.is_empty() {
            self.summary.turns.push(told);
        } else {
            self.summary.turns_omitted += 1;
        }
    }

    /// The record ends. Who runs, or was killed, is in the middle of a turn.
    fn end(&mut self, agent: Option<&str>) {
        if let Some(turn) = &mut self.track(agent).turn {
            turn.interrupted |= !turn.last_words;
        }
        self.close(agent);
    }

    /// Calls of the turn that never had a result.
    fn drop_pending(&mut self, agent: Option<&str>) -> u64 {
        let before = self.pending.len();
        self.pending.retain(|_, it| it.agent.as_deref() != agent);
        let lost = (before - self.pending.len()) as u64;
        self.summary.lines.unpaired += lost;
        lost
    }

    fn judge(&mut self, turn: &Open, agent: Option<&str>) -> claims::Audit {
        // Who was interrupted in the middle, or had not ended yet, did not report.
        if turn.interrupted || turn.text.trim().is_empty() {
            return claims::Audit::default();
        }
        self.world();
        let Some(world) = &self.world else { return claims::Audit::default() };
        let evidence = match agent {
            None => self.main.evidence.all(),
            Some(id) => self.agents.get(id).map(|track| track.evidence.all()).unwrap_or_default(),
        };
        let prompt = (!turn.prompt.is_empty()).then_some(turn.prompt.as_str());
        let audited = Turn { message: &turn.text, prompt, evidence };
        let mut looker = (self.options.check_files && world.here)
            .then(|| Looker::new(&world.place, &self.cwd, self.summary.started_ms));
        let mut look = |path: &str| -> Option<FileState> { looker.as_mut()?.look(path) };
        claims::audit(&audited, &world.settings, &mut look)
    }

    fn clean(&self, text: &str) -> String {
        if self.options.raw { text.to_owned() } else { preview_lines(text) }
    }

    fn clean_claim(&self, mut judged: Judged) -> Judged {
        judged.claim.text = self.clean(&judged.claim.text);
        judged.claim.objects.iter_mut().for_each(|it| *it = self.clean(it));
        judged.why.iter_mut().for_each(|it| *it = self.clean(it));
        judged
    }

    fn clean_finding(&self, mut finding: Finding) -> Finding {
        finding.description = self.clean(&finding.description);
        finding.claim = self.clean(&finding.claim);
        finding.evidence.iter_mut().for_each(|it| *it = self.clean(it));
        finding
    }

    /// A file of a subagent is read to its end.
    pub(super) fn end_of_subagent(&mut self, id: &str) {
        self.end(Some(id));
    }

    /// Every file of a subagent is read; the session's own comes next.
    pub(super) fn end_of_subagents(&mut self) {
        self.beside.sort_by_key(|(at, _)| *at);
    }

    /// The record is read to its end.
    pub(super) fn finish(mut self) -> SessionSummary {
        self.catch_up(i64::MAX);
        let agents: Vec<String> = self.agents.keys().cloned().collect();
        for agent in agents {
            self.end_of_subagent(&agent);
        }
        self.end(None);
        self.summary.lines.unpaired += self.pending.len() as u64;
        self.summary.turns.sort_by_key(|turn| (turn.started_ms, turn.agent.is_some()));
        if let Some(would) = self.would {
            self.summary.guards = would.finish();
        }
        self.summary
    }
}

/// Without secrets, and not longer than it need be.
fn preview_lines(text: &str) -> String {
    if text.len() <= TEXT_CHARS_MAX { redact(text).into_owned() } else { preview(text, TEXT_CHARS_MAX) }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
