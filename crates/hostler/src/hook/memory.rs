//! What a session remembers of the calls before this one: how much was read, and what was called in a row.
//!
//! Reads are counted in the session's state, under its lock, when a rule asks: two calls at once never get the same
//! count, and one that is denied in the end is taken back. Repeated calls are read off the end of the journal, which
//! the record of this call needs anyway: a plain call touches no further file.

use std::collections::BTreeSet;
use std::path::Path;

use hostler_ledger::journal::{self, Peek, sha256_hex};
use hostler_ledger::state::{self, AgentRead};
use hostler_model::{Event, Facts, Needs, ToolCall, Verdict};
use memchr::memmem;
use serde::Deserialize;

use super::call::now_ms;
use super::{Caller, World};

/// The call in hand and what was seen for it.
pub(super) struct Memory<'a> {
    event: &'a Event,
    call: &'a ToolCall,
    state: Option<&'a Path>,
    caller: &'a Caller,
    peek: Option<Peek>,
    /// When the read in hand was counted.
    counted_ms: Option<i64>,
}

impl<'a> Memory<'a> {
    pub(super) fn new(
        event: &'a Event,
        call: &'a ToolCall,
        state: Option<&'a Path>,
        caller: &'a Caller,
    ) -> Self {
        Self { event, call, state, caller, peek: None, counted_ms: None }
    }

    /// Adds what rules want to know of the calls before this one.
    pub(super) fn fill(&mut self, needs: &Needs, facts: &mut Facts) {
        let Some(state) = self.state else { return };
        if let Some(window) = needs.reads {
            let now_ms = now_ms();
            let read = self.read(now_ms);
            match state::update(state, &self.event.session, |state| state.count_read(&read, &window)) {
                Ok(count) => {
                    facts.reads = Some(count);
                    self.counted_ms = Some(now_ms);
                }
                // Whatever it is, the record of this call meets it as well, and tells the user.
                Err(error) => self.caller.remark(&format!("hostler: this read was not counted: {error}")),
            }
        }
        if needs.repeats {
            // A journal that cannot be read is told when the record is written.
            self.peek = journal::peek(state, &self.event.session).ok().flatten();
            facts.repeats = self.peek.as_ref().map(|peek| self.repeats(peek));
        }
    }

    /// What was seen of the journal, for the record.
    pub(super) fn seen(&mut self) -> Option<Peek> {
        self.peek.take()
    }

    /// Keeps what became of the call; `first`: no other process of a hook that is registered twice did. It is no
    /// evidence: what cannot be kept is remarked, and decides nothing.
    pub(super) fn settle(&self, verdict: Verdict, first: bool) {
        let Some(state) = self.state.filter(|_| verdict.blocks()) else { return };
        let change = |state: &mut state::State| {
            state.add(STOPPED, u64::from(first));
            if let (Verdict::Deny, Some(counted_ms)) = (verdict, self.counted_ms) {
                state.uncount_read(&self.read(counted_ms));
            }
        };
        if let Err(error) = state::update(state, &self.event.session, change) {
            self.caller.remark(&format!("hostler: this stopped call was not counted: {error}"));
        }
    }

    fn read(&self, now_ms: i64) -> AgentRead<'a> {
        let agent = self.event.agent.as_ref().map_or("", |agent| agent.id.as_str());
        AgentRead { agent, id: self.call.id.as_deref(), now_ms }
    }

    /// How often this agent made the same call right before, each time with the same result.
    fn repeats(&self, peek: &Peek) -> u64 {
        let agent = self.event.agent.as_ref().map(|agent| agent.id.as_str());
        let cwd = self.event.cwd.display().to_string();
        let digest = sha256_hex(self.call.input.as_bytes());
        // Most calls were never made before, and to read the lines takes longer than to look for that.
        let result = memmem::Finder::new(br#""kind":"result""#);
        let input = memmem::Finder::new(&digest);
        let is_result = |line: &[u8]| input.find(line).is_some() && result.find(line).is_some();
        if self.call.id.is_some() && !peek.lines().any(is_result) {
            return 0;
        }
        let same = |line: &Line| {
            line.tool.as_ref() == Some(&self.call.tool)
                && line.cwd.as_ref() == Some(&cwd)
                && line.input_sha256.as_ref() == Some(&digest)
        };
        let mut result = None;
        let mut count = 0;
        // Newest first: a call whose result was not seen before it has none, since it still runs or was turned down.
        let mut answered = BTreeSet::new();
        for line in peek.lines() {
            let Ok(line) = serde_json::from_slice::<Line>(line) else { break };
            if line.kind == "prompt" && agent.is_none() {
                break;
            }
            // The hook may be registered twice, and the other process was faster.
            let own = line.kind == "decision" && line.id.is_some() && line.id == self.call.id;
            if line.agent.as_deref() != agent || own || !matches!(&*line.kind, "decision" | "result") {
                continue;
            }
            if !same(&line) {
                break;
            }
            if line.kind == "decision" {
                count += u64::from(line.id.is_none_or(|id| answered.contains(&id)));
            } else if *result.get_or_insert_with(|| line.output_sha256.clone()) == line.output_sha256 {
                answered.extend(line.id);
            } else {
                break;
            }
        }
        count
    }
}

/// The counter of calls that were stopped.
pub(crate) const STOPPED: &str = "stopped";
/// The counter of findings that the agent did not take back.
pub(crate) const FINDINGS: &str = "findings";

/// Keeps how many findings the end of a turn told. A turn that goes on since the agent was sent back counts once, with
/// what is left of it in the end. `scope`: empty for the session's own agent, else the subagent's id.
pub(super) fn count_findings(
    world: &World,
    event: &Event,
    caller: &Caller,
    scope: &str,
    continuing: bool,
    found: usize,
) {
    let Some(folder) = world.state().filter(|_| continuing || found != 0) else { return };
    let found = u64::try_from(found).unwrap_or(u64::MAX);
    let last = format!("findings-of-turn:{scope}");
    let change = |state: &mut state::State| {
        let before = if continuing { state.counter(&last) } else { 0 };
        state.set_counter(FINDINGS, state.counter(FINDINGS).saturating_sub(before).saturating_add(found));
        state.set_counter(&last, found);
    };
    if let Err(error) = state::update(folder, &event.session, change) {
        caller.remark(&format!("hostler: these findings were not counted: {error}"));
    }
}

/// What is looked at in a line of the journal.
#[derive(Deserialize)]
struct Line {
    kind: String,
    #[serde(rename = "gen_ai.agent.id")]
    agent: Option<String>,
    #[serde(rename = "gen_ai.tool.name")]
    tool: Option<String>,
    #[serde(rename = "gen_ai.tool.call.id")]
    id: Option<String>,
    cwd: Option<String>,
    input_sha256: Option<String>,
    output_sha256: Option<String>,
}
