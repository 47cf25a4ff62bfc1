//! The end of a turn: what the agent said against what was done.

use std::cmp::Reverse;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use hostler_host::reply::{Reply, Stop};
use hostler_ledger::journal::{self, Appended, sha256_hex};
use hostler_ledger::redact::preview;
use hostler_ledger::state::{self, StopAnswer, TurnEnd};
use hostler_model::{Event, EventKind, Mode};
use hostler_policy::claims::{self, Audit, Finding, Judged, Kind, Severity, Standing, Turn};
use serde_json::{Value, json};

use super::call::{Line, append, now_ms};
use super::record::{self, Attributes, set};
use super::report::{self, Told};
use super::{Caller, World, fault, told};
use crate::claims::history::{self, History, Scope};
use crate::claims::{log, look::Looker, message};
use crate::gates::{self, touched::Touched};

/// Left of the deadline for what comes after the journal was read.
const RESERVE: Duration = Duration::from_millis(1_500);
/// Findings and claims that a record keeps; how many there were is kept in any case.
const FINDINGS_MAX: usize = 50;
const CLAIMS_MAX: usize = 40;
/// Characters of one text in them, and entries of one list.
const TEXT_CHARS_MAX: usize = 400;
const LIST_MAX: usize = 8;

/// A turn, or a subagent's, that ends.
#[derive(Clone, Copy)]
struct End<'a> {
    event: &'a Event,
    world: &'a World,
    caller: &'a Caller,
    last_message: Option<&'a str>,
    continuing: bool,
}

/// What the audit came to.
struct Result {
    message: String,
    history: History,
    audit: Audit,
    /// The mode of each finding.
    modes: Vec<Mode>,
}

/// What the audit of a turn came to.
pub(super) struct Ended {
    pub(super) reply: Reply,
    /// What the session's calls did to files; `None` when the journal was not read, or not the whole of it.
    pub(super) touched: Option<Touched>,
}

/// Answers the end of a turn; `None` for every other event.
pub(super) fn end(event: &Event, world: &World, caller: &Caller) -> Option<Ended> {
    let (last_message, continuing) = match &event.kind {
        EventKind::TurnEnd { last_message, continuing }
        | EventKind::SubagentEnd { last_message, continuing } => (last_message.as_deref(), *continuing),
        _ => return None,
    };
    Some(End { event, world, caller, last_message, continuing }.answer())
}

impl End<'_> {
    fn answer(self) -> Ended {
        let (kind, mut attributes) = record::other(self.event).unwrap_or_default();
        let mut faults = Vec::new();
        let result = match self.audit(&mut attributes) {
            Ok(result) => result,
            Err(fault) => {
                set(&mut attributes, "audit", "failed");
                set(&mut attributes, "faults", vec![fault.clone()]);
                faults.push(format!("this turn was not audited: {fault}"));
                None
            }
        };
        let Some(result) = result else {
            if let Err(error) = self.append(kind, None, attributes) {
                faults.push(format!("this event could not be recorded: {error}"));
            }
            let message = (!faults.is_empty()).then(|| told(&faults.join("; ")));
            return Ended { reply: Reply { message, ..Reply::default() }, touched: None };
        };
        let findings: Vec<Finding> = result.audit.findings.iter().take(FINDINGS_MAX).map(kept).collect();
        let sent_back = self.stop(&result, &findings, &mut faults);
        describe(&mut attributes, &result, &findings, sent_back);
        let appended = self.append(kind, Some(self.key(&result)), attributes);
        let sequence = match &appended {
            Ok(appended) => Some(appended.sequence()),
            Err(error) => {
                faults.push(format!("this audit could not be recorded: {error}"));
                None
            }
        };
        let id = |number| match sequence {
            Some(sequence) => journal::finding_id(&self.event.session, sequence, number),
            None => format!("{}{number}", report::UNRECORDED),
        };
        let ids: Vec<String> = (1..=findings.len()).map(id).collect();
        let twice = matches!(appended, Ok(Appended::Duplicate { .. }));
        if !twice && !findings.is_empty() {
            faults.extend(self.log(&result, &findings, &ids));
        }
        if !twice {
            let told = result.modes.iter().filter(|mode| Mode::Warn <= **mode).count();
            let scope = self.subagent().unwrap_or_default();
            super::memory::count_findings(self.world, self.event, self.caller, scope, self.continuing, told);
        }
        let mut reply = self.reply(&result, &findings, &ids, sent_back);
        let fault = (!faults.is_empty()).then(|| told(&faults.join("; ")));
        let messages: Vec<String> = [fault, reply.message.take()].into_iter().flatten().collect();
        reply.message = (!messages.is_empty() && !twice).then(|| messages.join("\n"));
        let whole = result.history.gaps.is_empty();
        let touched = whole.then(|| Touched::of(&result.history));
        if self.caller.is_last() {
            // The process ends now; taking thousands of records apart first would be felt.
            std::mem::forget(result);
        }
        Ended { reply, touched }
    }

    fn subagent(&self) -> Option<&str> {
        let inside = matches!(self.event.kind, EventKind::SubagentEnd { .. });
        self.event.agent.as_ref().filter(|_| inside).map(|agent| agent.id.as_str())
    }

    /// Reads and judges; `None` where there is nothing to audit.
    fn audit(&self, attributes: &mut Attributes) -> std::result::Result<Option<Result>, String> {
        let Some(state) = self.world.state().filter(|_| self.world.config.audits) else { return Ok(None) };
        let unnamed = self.event.agent.as_ref().is_some_and(|agent| agent.kind.is_empty());
        if self.subagent().is_some() && unnamed {
            // The client compacts a conversation in an agent without a kind: its message is a summary.
            set(attributes, "audit", "summary");
            return Ok(None);
        }
        let late = format!("the audit of this turn took longer than {} s", super::TIME_MAX.as_secs());
        self.caller.watch(self.caller.deadline, super::fault_reply(&late, false));
        let message = self.message(attributes);
        if message.trim().is_empty() {
            set(attributes, "audit", "no-message");
            return Ok(None);
        }
        let scope = self.subagent().map_or(Scope::Session, Scope::Subagent);
        let deadline = self.caller.deadline.checked_sub(RESERVE).unwrap_or_else(Instant::now);
        let history = history::read(state, &self.event.session, scope, deadline)?;
        let place = self.world.place(&self.event.cwd);
        let mut looker = Looker::new(&place, &self.event.cwd, history.since_ms);
        let turn = Turn { message: &message, prompt: history.prompt.as_deref(), evidence: &history.evidence };
        let settings = &self.world.config.settings;
        let mut audit = catch_unwind(AssertUnwindSafe(|| {
            fault::audit();
            fault::slow("slow-audit:");
            claims::audit(&turn, settings, &mut |path| looker.look(path))
        }))
        .map_err(|panic| super::panic_text(panic.as_ref()))?;
        let mode = |finding: &Finding| {
            let mode = claims::mode(finding, settings);
            // What is missing from the record may have done it.
            let unsure = !history.gaps.is_empty() && finding.standing == Standing::Unsupported;
            if unsure { mode.min(Mode::Observe) } else { mode }
        };
        // What is kept and told is bounded: what sends the agent back comes first, then what is grave.
        // A result that differs before what was not done: there is one of it, and many files can be named.
        let weight = |it: &Finding| (mode(it), it.severity, it.kind == Kind::ResultContradiction);
        audit.findings.sort_by_cached_key(|finding| Reverse(weight(finding)));
        let modes = audit.findings.iter().map(mode).collect();
        Ok(Some(Result { message, history, audit, modes }))
    }

    /// The message that ended the turn: as the host tells it, else from the transcript.
    fn message(&self, attributes: &mut Attributes) -> String {
        if let Some(message) = self.last_message.filter(|message| !message.trim().is_empty()) {
            return message.to_owned();
        }
        let Some(transcript) = &self.event.transcript else { return String::new() };
        let found = message::last(transcript, self.subagent().is_some());
        if found.damaged != 0 {
            self.caller.remark(&format!(
                "hostler: {} lines of the transcript cannot be read and were passed over",
                found.damaged
            ));
        }
        if !found.text.trim().is_empty() {
            record::last_message(attributes, &found.text);
        }
        found.text
    }

    /// Whether the agent is sent back, and counts it. A turn that cannot be counted is let go.
    fn stop(&self, result: &Result, findings: &[Finding], faults: &mut Vec<String>) -> Option<StopAnswer> {
        let state = self.world.state().filter(|_| super::can_go_on(self.event))?;
        let denied: Vec<&Finding> = findings
            .iter()
            .zip(&result.modes)
            .filter(|(_, mode)| **mode == Mode::Deny)
            .map(|(finding, _)| finding)
            .collect();
        if denied.is_empty() && !self.continuing {
            return None;
        }
        let mut set: Vec<String> =
            denied.iter().map(|finding| format!("{}\0{}", finding.rule, finding.claim)).collect();
        set.sort_unstable();
        let occasion = self.caller.occasion();
        let content = format!("{}\0{}{occasion}", result.history.evidence.len(), result.message);
        let digest = if set.is_empty() { String::new() } else { sha256_hex(set.join("\0").as_bytes()) };
        let turn = TurnEnd {
            scope: self.subagent().unwrap_or_default(),
            findings: &digest,
            content: &sha256_hex(content.as_bytes()),
            continuing: self.continuing,
        };
        match state::stop(state, &self.event.session, &turn) {
            Ok(answer) => (!denied.is_empty()).then_some(answer),
            Err(error) => {
                faults.push(format!("the agent is not sent back, since that could not be counted: {error}"));
                None
            }
        }
    }

    /// Two processes of a hook that is registered twice see the same; a turn that goes on sees another one.
    fn key(&self, result: &Result) -> String {
        format!(
            "{}:{}:{}:{}:{}:{}{}",
            self.event.name,
            self.subagent().unwrap_or_default(),
            &sha256_hex(result.message.as_bytes())[..16],
            result.history.prompts,
            result.history.evidence.len(),
            self.continuing,
            self.caller.occasion()
        )
    }

    fn append(
        &self,
        kind: &'static str,
        dedupe: Option<String>,
        attributes: Attributes,
    ) -> std::result::Result<Appended, String> {
        let line = Line { kind, durable: false, dedupe, attributes, caller: self.caller };
        append(self.world, &self.event.session, line)
    }

    fn log(&self, result: &Result, findings: &[Finding], ids: &[String]) -> Option<String> {
        let findings: Vec<_> = ids
            .iter()
            .zip(&result.modes)
            .zip(findings)
            .map(|((id, mode), finding)| (id.clone(), mode.name(), finding.clone()))
            .collect();
        let audited = log::Audited {
            session: self.event.session.as_str(),
            agent: self.subagent(),
            time_ms: now_ms(),
            findings: &findings,
            findings_count: result.audit.findings.len(),
            evidence: &result.history.evidence,
            message: &result.message,
        };
        let state = self.world.state()?;
        log::append(state, &audited).err().map(|error| format!("the findings could not be logged: {error}"))
    }

    fn reply(
        &self,
        result: &Result,
        findings: &[Finding],
        ids: &[String],
        sent_back: Option<StopAnswer>,
    ) -> Reply {
        let subagent = self.subagent().is_some();
        let claims = result.audit.claims.len();
        if findings.is_empty() {
            self.caller.remark(&report::clean(claims, subagent));
            return Reply::default();
        }
        let omitted = result.modes.iter().skip(findings.len()).filter(|mode| Mode::Warn <= **mode).count();
        let told = |wanted: &dyn Fn(Mode) -> bool| -> Vec<Told<'_>> {
            let all = ids.iter().zip(findings).zip(&result.modes);
            all.filter(|(_, mode)| wanted(**mode)).map(|((id, finding), _)| Told { id, finding }).collect()
        };
        let visible = told(&|mode| Mode::Warn <= mode);
        if visible.is_empty() {
            return Reply::default();
        }
        let note = match sent_back {
            Some(StopAnswer::Block { .. }) => "; the agent was sent back",
            Some(StopAnswer::Release(_)) => "; the agent was sent back before and is not any more",
            None => "",
        };
        let about = report::About { claims, omitted, subagent, note };
        let report = report::for_user(&visible, about);
        self.caller.remark(&report);
        let stop = matches!(sent_back, Some(StopAnswer::Block { .. }))
            .then(|| (told(&|mode| mode == Mode::Deny), told(&|mode| mode == Mode::Warn)))
            .map(|(denied, others)| Stop::Continue(report::for_agent(&denied, &others)));
        let rest = Some("hostler audit findings".to_owned());
        Reply { stop, message: Some(report), rest, ..Reply::default() }
    }
}

/// What the record of a turn says of its audit.
fn describe(
    attributes: &mut Attributes,
    result: &Result,
    findings: &[Finding],
    sent_back: Option<StopAnswer>,
) {
    let visible = result.modes.iter().any(|mode| Mode::Warn <= *mode);
    let outcome = match sent_back {
        Some(StopAnswer::Block { .. }) => "sent-back",
        Some(StopAnswer::Release(_)) => "released",
        None if visible => "reported",
        None if findings.is_empty() => "clean",
        None => "recorded",
    };
    set(attributes, "audit", outcome);
    let count = |standing| result.audit.claims.iter().filter(|it| it.standing == standing).count();
    set(
        attributes,
        "claims",
        json!({
            "supported": count(Standing::Supported),
            "unsupported": count(Standing::Unsupported),
            "contradicted": count(Standing::Contradicted),
        }),
    );
    let (held, other): (Vec<&Judged>, Vec<&Judged>) =
        result.audit.claims.iter().partition(|it| it.standing == Standing::Supported);
    let judged: Vec<Value> = other.into_iter().chain(held).take(CLAIMS_MAX).filter_map(kept_claim).collect();
    if !judged.is_empty() {
        set(attributes, "judged", judged);
    }
    // What the gates ran is evidence, and no call of the agent's.
    let calls = result.history.evidence.iter().filter(|it| it.tool != gates::record::TOOL).count();
    set(attributes, "evidence_calls", calls);
    if !result.history.gaps.is_empty() {
        set(attributes, "evidence_gaps", result.history.gaps.clone());
    }
    if findings.is_empty() {
        return;
    }
    let values: Vec<Value> = findings.iter().filter_map(|it| serde_json::to_value(it).ok()).collect();
    set(attributes, "findings_count", result.audit.findings.len());
    set(attributes, "findings", values);
    let modes: Vec<&str> = result.modes.iter().take(findings.len()).map(|mode| mode.name()).collect();
    set(attributes, "modes", modes);
}

/// A finding as it is kept and told: bounded, without secrets.
fn kept(finding: &Finding) -> Finding {
    let text = |text: &str| preview(text, TEXT_CHARS_MAX);
    let list = |list: &[String]| list.iter().take(LIST_MAX).map(|it| text(it)).collect();
    Finding {
        rule: finding.rule.clone(),
        description: text(&finding.description),
        claim: text(&finding.claim),
        evidence: list(&finding.evidence),
        tools_required: list(&finding.tools_required),
        tools_found: list(&finding.tools_found),
        pattern_matched: text(&finding.pattern_matched),
        tool_name: finding.tool_name.as_deref().map(text),
        ..*finding
    }
}

/// A claim as it is kept: bounded, without secrets.
fn kept_claim(judged: &Judged) -> Option<Value> {
    let text = |text: &str| preview(text, TEXT_CHARS_MAX);
    let mut judged = judged.clone();
    judged.claim.text = text(&judged.claim.text);
    judged.claim.objects = judged.claim.objects.iter().take(LIST_MAX).map(|it| text(it)).collect();
    judged.why = judged.why.iter().take(LIST_MAX).map(|it| text(it)).collect();
    serde_json::to_value(&judged).ok()
}

/// What was reported of the agent's last turn and not to the agent itself: told with the next prompt, since words
/// to an agent that ends its turn would make it go on. Notes are for the user.
pub(super) fn before_prompt(event: &Event, world: &World) -> Option<String> {
    if !matches!(event.kind, EventKind::Prompt { .. }) || !world.config.audits {
        return None;
    }
    let last = history::last_turn(world.state()?, &event.session)?;
    let told: Vec<Told<'_>> = last
        .findings
        .iter()
        .zip(&last.ids)
        .filter(|((_, mode), _)| Mode::parse(mode).is_some_and(|mode| Mode::Warn <= mode))
        .filter(|((finding, _), _)| Severity::Low < finding.severity)
        .map(|((finding, _), id)| Told { id, finding })
        .collect();
    (!told.is_empty()).then(|| report::for_next_turn(&told))
}
