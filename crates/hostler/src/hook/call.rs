//! Event -> reply: decide, keep, record.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hostler_host::reason::{self, Reference};
use hostler_host::reply::{self, Reply, Stop};
use hostler_ledger::checkpoint::{self, Created};
use hostler_ledger::journal::{self, Appended, Entry, Peek};
use hostler_ledger::redact::preview;
use hostler_ledger::{allow, state};
use hostler_model::{
    Action, Decision, Event, EventKind, Facts, Finding, Host, Mode, Needs, Place, Profile, SessionId,
    ToolCall, Verdict,
};
use hostler_policy::shell::may_take_long;

use super::memory::Memory;
use super::recall::Brought;
use super::record::{self, Attributes, set};
use super::{Caller, World, told, turn};
use crate::claims::kept;
use crate::config::{Config, OnFault};
use crate::judge::{Judged, judge};
use crate::observe::{observe, uncommitted};

/// Left of the deadline for what comes after a checkpoint: the record and the answer.
const RESERVE: Duration = Duration::from_millis(500);

/// What is still to be said to the user when reminders are fitted into a reply, in characters: a record that cannot be
/// written, a template that fails.
const LATER_CHARS_MAX: usize = 600;

/// Answers one event.
/// `more`: what a tool call that is about to run does besides its own action.
pub(super) fn answer(event: &Event, more: &[Action], world: &World, caller: &Caller) -> Reply {
    super::fault::hook();
    match &event.kind {
        EventKind::ToolBefore { call } => Before { event, call, more, world, caller }.answer(),
        _ => after(event, world, caller),
    }
}

/// A tool call that is about to run.
#[derive(Clone, Copy)]
struct Before<'a> {
    event: &'a Event,
    call: &'a ToolCall,
    /// What the same call does besides: the other files of a patch.
    more: &'a [Action],
    world: &'a World,
    caller: &'a Caller,
}

/// A person's word on a stopped call.
#[derive(Default)]
struct Exception {
    /// Its name; `None` for a call that was not stopped.
    code: Option<String>,
    /// The call goes ahead, this once.
    granted: bool,
}

/// What goes into the reply besides the decision.
#[derive(Default)]
struct Notes {
    /// What failed on our side, each told to the user.
    faults: Vec<String>,
    /// The checkpoint that was made.
    checkpoint: Option<String>,
    /// Why there is none.
    checkpoint_error: Option<String>,
    /// Told to the user, and no fault.
    told: Option<String>,
}

impl Before<'_> {
    fn answer(self) -> Reply {
        let place = self.world.place(&self.event.cwd);
        let mut notes = Notes { faults: self.world.faults(), ..Notes::default() };
        let mut memory = Memory::new(self.event, self.call, self.world.state(), self.caller);
        let mut judged = self.judge(&place, &mut memory);
        notes.faults.extend(judged.decision.faults.iter().cloned());
        let mut exception = self.exception(&mut judged, &mut notes);
        if self.keep(&mut judged, &place, exception.granted, &mut notes) {
            exception = self.exception(&mut judged, &mut notes);
        }
        if !notes.faults.is_empty() && self.world.config.on_fault == OnFault::Closed {
            close(&mut judged, &notes.faults);
            exception = self.exception(&mut judged, &mut notes);
        }
        if self.caller.is_watched() {
            // From here on the decision is known, whatever becomes of its record.
            self.watch(self.reply(&judged, None, &exception, &notes));
        }
        let recorded = self.record(&judged, &place, &exception, &mut notes, memory.seen());
        if recorded.is_none()
            && self.world.config.on_fault == OnFault::Closed
            && !judged.decision.verdict.blocks()
        {
            close(&mut judged, &notes.faults);
        }
        if let Some(recorded) = &recorded {
            memory.settle(judged.decision.verdict, matches!(recorded, Appended::Line { .. }));
        }
        self.reply(&judged, recorded.as_ref(), &exception, &notes)
    }

    /// Decides about everything that the call does: the strictest verdict counts.
    fn judge(&self, place: &Place, memory: &mut Memory<'_>) -> Judged {
        let mut judged = self.judge_part(place, memory);
        for action in self.more {
            let call = ToolCall { action: action.clone(), ..self.call.clone() };
            let event = Event { kind: EventKind::ToolBefore { call: call.clone() }, ..self.event.clone() };
            let part =
                Before { event: &event, call: &call, more: &[], world: self.world, caller: self.caller };
            judged.join(part.judge_part(place, memory));
        }
        judged
    }

    /// Decides about one thing. What fails outside every single rule decides nothing, and is recorded and told like one.
    fn judge_part(&self, place: &Place, memory: &mut Memory<'_>) -> Judged {
        let look = |needs: &Needs| {
            let mut facts = self.look(needs, place);
            memory.fill(needs, &mut facts);
            facts
        };
        let judge = || {
            super::fault::analysis();
            if let Action::Shell { command } = &self.call.action
                && may_take_long(command)
            {
                self.watch(undecided("the command takes too long to analyse"));
                super::fault::slow("slow-analysis:");
            }
            judge(self.event, place, &self.world.config.settings, look)
        };
        catch_unwind(AssertUnwindSafe(judge)).unwrap_or_else(|panic| Judged {
            decision: Decision { faults: vec![super::panic_text(panic.as_ref())], ..Decision::default() },
            paths: Vec::new(),
            understood: false,
        })
    }

    /// Looks at what rules want to know of files.
    fn look(&self, needs: &Needs, place: &Place) -> Facts {
        if needs.look_at_files() {
            // A dead network mount would hold us until the host gives up and lets the call run.
            let late = format!("looking at files took longer than {} s", super::TIME_MAX.as_secs());
            self.watch(match self.call.action {
                Action::Shell { .. } => undecided(&late),
                _ => super::fault_reply(&late, self.world.config.on_fault == OnFault::Closed),
            });
            super::fault::slow("slow:");
        }
        let mut facts = observe(needs, place);
        if needs.lint {
            facts.lint =
                super::lint::errors(self.event, place, &self.world.config, &facts, self.caller.deadline);
        }
        facts
    }

    /// The name under which a person can let this very call through, and whether one did: it is allowed then.
    fn exception(&self, judged: &mut Judged, notes: &mut Notes) -> Exception {
        let decision = &mut judged.decision;
        if !decision.verdict.blocks() {
            return Exception::default();
        }
        let blocking = decision.findings.iter().filter(|finding| Verdict::from(finding.mode).blocks());
        let rules: Vec<&str> = blocking.map(|finding| finding.rule).collect();
        let digest = journal::sha256_hex(self.call.input.as_bytes());
        let session = &self.event.session;
        let code = allow::code(session, &rules, &digest);
        let Some(state) = self.world.state() else {
            return Exception { code: Some(code), granted: false };
        };
        // Without an id of its own every call is another one.
        let call = self.call.id.clone().unwrap_or_else(|| format!("{}-{}", now_ms(), std::process::id()));
        let granted = allow::take(state, &code, session, &digest, &call, now_ms()).unwrap_or_else(|error| {
            notes.faults.push(format!("the exception `{code}` could not be used: {error}"));
            false
        });
        if granted {
            decision.verdict = Verdict::Allow;
        }
        Exception { code: Some(code), granted }
    }

    /// Keeps what the call would destroy or change. Without that an allowed loss becomes a question; an
    /// edit goes ahead all the same. True when it became one.
    fn keep(&self, judged: &mut Judged, place: &Place, granted: bool, notes: &mut Notes) -> bool {
        let decision = &mut judged.decision;
        if decision.verdict == Verdict::Deny {
            return false;
        }
        let edits = self.world.config.checkpoints.edits.unwrap_or(self.world.config.project);
        let actions = std::iter::once(&self.call.action).chain(self.more);
        let edited = actions
            .filter(|_| edits && place.git_dir.is_some())
            .filter_map(|action| record::edited_file(action, place, &self.event.cwd));
        // A denied call that a person lets through loses what its rules found.
        let lost = if granted {
            decision.findings.iter().flat_map(|finding| finding.snapshot.clone()).collect()
        } else {
            decision.snapshot.clone()
        };
        // The project's root stands for all uncommitted work: walking everything would take too long.
        let lost = if lost.contains(&place.root) {
            let work = uncommitted(&place.root).unwrap_or_default();
            lost.into_iter().filter(|path| *path != place.root).chain(work).collect()
        } else {
            lost
        };
        let loss = !lost.is_empty();
        let mut paths: Vec<PathBuf> = lost;
        paths.extend(edited);
        paths.sort_unstable();
        paths.dedup();
        if paths.is_empty() {
            return false;
        }
        let error = match self.checkpoint(place, &paths) {
            Ok(Created::Checkpoint { id, .. } | Created::Same { id }) => {
                notes.checkpoint = Some(id);
                return false;
            }
            Ok(Created::Nothing) => return false,
            Err(error) => error,
        };
        let asks = loss && !granted;
        if asks {
            decision.findings.push(Finding {
                rule: "checkpoint",
                mode: Mode::Ask,
                problem: format!("what this destroys could not be kept first: {error}"),
                instead: None,
                snapshot: Vec::new(),
            });
            decision.verdict = decision.verdict.max(Verdict::Ask);
        } else {
            notes.told = self.told_once(&error);
        }
        notes.checkpoint_error = Some(error);
        asks
    }

    /// A read-only repository fails with every edit: the first one is told, the others are only recorded.
    fn told_once(&self, error: &str) -> Option<String> {
        let state = self.world.state()?;
        let count = state::update(state, &self.event.session, |state| state.add("not-kept", 1));
        count.is_ok_and(|count| count == 1).then(|| {
            format!("hostler: this goes ahead without a checkpoint: {error}; further ones are only recorded")
        })
    }

    fn checkpoint(&self, place: &Place, paths: &[PathBuf]) -> Result<Created, String> {
        let state = self.world.state().ok_or("there is no home folder to keep its evidence in")?;
        let late = self.fallback_while_keeping();
        self.watch(late);
        let reason = match &self.call.action {
            Action::Shell { command } => preview(command, 300),
            _ => format!(
                "{} of {}",
                self.call.tool,
                paths.first().map(|it| it.display().to_string()).unwrap_or_default()
            ),
        };
        let request = checkpoint::Request {
            place,
            session: &self.event.session,
            call: self.call.id.as_deref(),
            paths,
            reason: &reason,
            time_ms: now_ms(),
            project_state: state,
            deadline: self.caller.remaining().saturating_sub(RESERVE),
        };
        let configured = &self.world.config.checkpoints;
        let defaults = checkpoint::Limits::default();
        let limits = checkpoint::Limits {
            bytes_max: configured.bytes_max.unwrap_or(defaults.bytes_max),
            entries_max: configured
                .files_max
                .map_or(defaults.entries_max, |files| usize::try_from(files).unwrap_or(usize::MAX)),
        };
        checkpoint::create_within(&request, &limits).map_err(|error| error.to_string())
    }

    /// What is said if the checkpoint does not end in time: the user decides.
    fn fallback_while_keeping(&self) -> Reply {
        let edit = !matches!(self.call.action, Action::Shell { .. });
        if edit {
            return super::fault_reply("keeping the file before the edit took too long", false);
        }
        undecided("keeping what this destroys took too long")
    }

    fn watch(&self, late: Reply) {
        self.caller.watch(self.caller.deadline, late);
    }

    fn record(
        &self,
        judged: &Judged,
        place: &Place,
        exception: &Exception,
        notes: &mut Notes,
        seen: Option<Peek>,
    ) -> Option<Appended> {
        let mut attributes = record::call(self.event, self.call);
        record::decision(&mut attributes, self.call, self.more, judged, place);
        set(&mut attributes, "profile", self.world.config.settings.profile.name());
        if judged.decision.verdict.blocks() {
            match kept::of_stopped(self.event, self.call, place) {
                Ok(evidence) => record::evidence(&mut attributes, evidence),
                Err(fault) => notes.faults.push(fault),
            }
        }
        if let Some(code) = &exception.code {
            set(&mut attributes, "code", code.as_str());
        }
        if exception.granted {
            set(&mut attributes, "allowed_once", true);
        }
        if let Some(checkpoint) = &notes.checkpoint {
            set(&mut attributes, "checkpoint", checkpoint.as_str());
        }
        if let Some(error) = &notes.checkpoint_error {
            set(&mut attributes, "checkpoint_error", error.as_str());
        }
        if !notes.faults.is_empty() {
            set(&mut attributes, "faults", notes.faults.clone());
        }
        let appended = append_after(
            self.world,
            &self.event.session,
            Line {
                kind: "decision",
                durable: judged.decision.verdict.blocks(),
                // Without an id two calls could not be told from one that is reported twice.
                dedupe: dedupe(self.event),
                attributes,
                caller: self.caller,
            },
            seen,
        );
        match appended {
            Ok(appended) => Some(appended),
            Err(error) => {
                notes.faults.push(format!("this decision could not be recorded: {error}"));
                None
            }
        }
    }

    fn reply(
        &self,
        judged: &Judged,
        recorded: Option<&Appended>,
        exception: &Exception,
        notes: &Notes,
    ) -> Reply {
        let decision = &judged.decision;
        let id = recorded.map(|it| journal::decision_id(&self.event.session, it.sequence()));
        let code = exception.code.as_deref();
        let reference = id.as_deref().zip(code).map(|(decision, code)| Reference { decision, code });
        let stopped = || reason::stopped(decision, &self.call.action, reference);
        let mut reply =
            Reply { rest: id.as_ref().map(|id| format!("hostler explain {id}")), ..Reply::default() };
        match decision.verdict {
            Verdict::Allow => {}
            Verdict::Warn => {
                let words = reason::warned(decision);
                reply.context = Some(format!("hostler: {words}"));
                reply.message = Some(format!("hostler: {words}"));
            }
            Verdict::Ask => reply.stop = Some(Stop::Ask(stopped())),
            Verdict::Deny => reply.stop = Some(Stop::Deny(stopped())),
        }
        let fault = (!notes.faults.is_empty()).then(|| told(&notes.faults.join("; ")));
        let messages: Vec<String> =
            [fault, notes.told.clone(), reply.message.take()].into_iter().flatten().collect();
        reply.message = (!messages.is_empty()).then(|| messages.join("\n"));
        if let Some(Appended::Duplicate { .. }) = recorded {
            // The hook is registered twice, and the other process has said it.
            reply.context = None;
            reply.message = None;
        }
        reply
    }
}

/// A command that could not be judged in time is a question, never consent.
fn undecided(why: &str) -> Reply {
    let words = format!("hostler: {why}; the user decides");
    Reply { stop: Some(Stop::Ask(words.clone())), message: Some(words), ..Reply::default() }
}

/// The user chose that a fault of ours stops the call.
fn close(judged: &mut Judged, faults: &[String]) {
    judged.decision.findings.insert(
        0,
        Finding {
            rule: "fault",
            mode: Mode::Deny,
            problem: format!("{}; the configuration says `on_fault = \"closed\"`", faults.join("; ")),
            instead: Some("run `hostler doctor`".to_owned()),
            snapshot: Vec::new(),
        },
    );
    judged.decision.verdict = Verdict::Deny;
}

/// Everything but a tool call that is about to run.
fn after(event: &Event, world: &World, caller: &Caller) -> Reply {
    if let Some(turn::Ended { mut reply, touched }) = turn::end(event, world, caller) {
        caller.settled();
        super::gate::add(event, world, caller, touched, &mut reply);
        if reply.stop.is_none() {
            let said = super::session::on(event, world, &super::gate::renewed(caller));
            let fault = (!said.faults.is_empty()).then(|| told(&said.faults.join("; ")));
            let messages: Vec<String> =
                [reply.message.take(), fault, said.message].into_iter().flatten().collect();
            reply.message = (!messages.is_empty()).then(|| messages.join("\n"));
        }
        return reply;
    }
    let mut contexts: Vec<String> = turn::before_prompt(event, world).into_iter().collect();
    let mut brought = super::recall::brought(event, world, caller);
    // Recorded before a close is waited for, which may take longer than there is time. Anything else is recorded behind
    // that: it is no sign of work in the session that may have been left.
    let closes = super::session::closes(event);
    let mut unrecorded = if closes { record_other(event, world, caller, &brought) } else { Vec::new() };
    let sessions = super::session::on(event, world, caller);
    contexts.extend(sessions.context);
    contexts.extend(brought.context.take());
    let mut faults = match event.kind {
        // Told again with each prompt, so that it is not forgotten, and not with every result.
        EventKind::SessionStart { .. } | EventKind::Prompt { .. } => world.faults(),
        _ => Vec::new(),
    };
    faults.extend(sessions.faults);
    faults.append(&mut brought.faults);
    contexts.extend(super::gate::formatted(event, world));
    let joined = |texts: &[String], between| (!texts.is_empty()).then(|| texts.join(between));
    // What can wait for the next prompt gets what the rest leaves.
    let message = [joined(&faults, "; "), sessions.message.clone()].into_iter().flatten().collect::<Vec<_>>();
    let so_far =
        Reply { context: joined(&contexts, "\n\n"), message: joined(&message, "\n"), ..Reply::default() };
    let room = reply::room(event.host, &so_far).saturating_sub(LATER_CHARS_MAX);
    contexts.extend(brought.reminders(room, event, world, caller));
    if !closes {
        unrecorded = record_other(event, world, caller, &brought);
    }
    faults.append(&mut unrecorded);
    if let (EventKind::SessionStart { .. }, Some(state)) = (&event.kind, world.state()) {
        faults.extend(super::gate::begun(event, world, state));
        let place = world.place(&event.cwd);
        faults.extend(super::tidy::old(&place, state, now_ms()).err());
    }
    faults.extend(super::close::ended(event, world, now_ms()));
    let mut messages = Vec::new();
    if !faults.is_empty() {
        messages.push(told(&faults.join("; ")));
    }
    messages.extend(sessions.message);
    if let EventKind::SessionStart { .. } = event.kind {
        messages.extend(world.config.warnings.iter().map(|warning| format!("hostler: {warning}")));
        messages.extend(loosened(&world.config));
    }
    messages.extend(super::view::refreshed(event, world, caller));
    let (context, message) = (joined(&contexts, "\n\n"), joined(&messages, "\n"));
    Reply { context, message, ..Reply::default() }
}

/// Records an event that decides nothing; what went wrong in that.
fn record_other(event: &Event, world: &World, caller: &Caller, brought: &Brought) -> Vec<String> {
    let mut faults = Vec::new();
    let Some((kind, mut attributes)) = record::other(event) else { return faults };
    super::close::begun(event, world, &mut attributes);
    brought.record(&mut attributes);
    if let EventKind::ToolAfter { call, outcome } = &event.kind {
        let place = world.place(&event.cwd);
        match kept::of_result(event, call, outcome, &place, super::fault::evidence) {
            Ok(evidence) => record::evidence(&mut attributes, evidence),
            Err(fault) => {
                set(&mut attributes, "faults", vec![fault.clone()]);
                faults.push(fault);
            }
        }
    }
    let dedupe = dedupe(event);
    if let Err(error) =
        append(world, &event.session, Line { kind, durable: false, dedupe, attributes, caller })
    {
        faults.push(format!("this event could not be recorded: {error}"));
    }
    faults
}

/// What tells a call that is reported twice from another one. The ids of `OpenCode` come from whoever serves the model, and
/// some begin anew with each answer; what is called tells those apart.
fn dedupe(event: &Event) -> Option<String> {
    let call = event.call()?;
    let id = call.id.as_ref()?;
    Some(match event.host {
        Host::OpenCode => format!("{}:{id}:{}", event.name, journal::sha256_hex(call.input.as_bytes())),
        Host::ClaudeCode | Host::Foreign => format!("{}:{id}", event.name),
    })
}

/// Records what a person did in the session: no evidence of what the agent did.
pub(super) fn record_of_user(event: &Event, world: &World, caller: &Caller) -> Result<(), String> {
    let Some((_, mut attributes)) = record::other(event) else { return Ok(()) };
    set(&mut attributes, "by", "user");
    let dedupe = dedupe(event);
    let line = Line { kind: "user-shell", durable: false, dedupe, attributes, caller };
    append(world, &event.session, line).map(|_| ())
}

/// A guard that is not active says so: a repository can bring a configuration that its user never read.
fn loosened(config: &Config) -> Vec<String> {
    let profile = config.settings.profile.name();
    let files: Vec<String> = config.files.iter().map(|file| file.display().to_string()).collect();
    let files = files.join(", ");
    let mut out = Vec::new();
    if let Some(users) = config.milder_than {
        out.push(format!(
            "hostler: this project sets profile `{profile}` over your `{}` ({files})",
            users.name()
        ));
    }
    if config.settings.profile == Profile::Observe {
        out.push(
            "hostler: profile `observe`: what would be stopped is recorded, nothing is stopped".to_owned(),
        );
        return out;
    }
    let rules: Vec<String> =
        config.loosened().into_iter().map(|(rule, mode)| format!("{rule} = {}", mode.name())).collect();
    if !rules.is_empty() {
        out.push(format!("hostler: milder than profile `{profile}` here: {} ({files})", rules.join(", ")));
    }
    out
}

/// One line to be written.
pub(super) struct Line<'a> {
    pub(super) kind: &'static str,
    /// Waits for the disk, so that a power cut does not take it.
    pub(super) durable: bool,
    pub(super) dedupe: Option<String>,
    pub(super) attributes: Attributes,
    pub(super) caller: &'a Caller,
}

/// Writes one line into the session's journal.
///
/// # Errors
/// Why it could not be written, in words.
pub(super) fn append(world: &World, session: &SessionId, line: Line<'_>) -> Result<Appended, String> {
    append_after(world, session, line, None)
}

/// As [`append`], after a look at the journal.
fn append_after(
    world: &World,
    session: &SessionId,
    mut line: Line<'_>,
    seen: Option<Peek>,
) -> Result<Appended, String> {
    let state = world.state().ok_or("there is no home folder to keep evidence in")?;
    set(
        &mut line.attributes,
        "duration_us",
        u64::try_from(line.caller.elapsed().as_micros()).unwrap_or(u64::MAX),
    );
    if line.caller.is_given() {
        // The watchdog has answered; what was decided came too late to count.
        set(&mut line.attributes, "late", true);
    }
    let entry = Entry {
        kind: line.kind,
        time_ms: now_ms(),
        dedupe: line.dedupe,
        durable: line.durable,
        attributes: line.attributes,
    };
    journal::append_after(state, session, &entry, seen).map_err(|error| error.to_string())
}

/// Records a payload that belongs to no session.
pub(super) fn record_unreadable(
    world: &World,
    problem: &str,
    payload: &[u8],
    caller: &Caller,
) -> Result<(), String> {
    let session = SessionId::parse("unreadable-payloads").map_err(|error| error.to_string())?;
    let mut attributes = Attributes::new();
    set(&mut attributes, "message", problem);
    set(&mut attributes, "hostler.version", env!("CARGO_PKG_VERSION"));
    set(&mut attributes, "payload_bytes", payload.len());
    set(&mut attributes, "payload_sha256", journal::sha256_hex(payload));
    append(world, &session, Line { kind: "fault", durable: false, dedupe: None, attributes, caller })
        .map(|_| ())
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
