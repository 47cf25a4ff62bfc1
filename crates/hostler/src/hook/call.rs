//! Event -> reply: decide, keep, record.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hostler_host::claude::write::{self, Reply, Stop};
use hostler_host::reason::{self, Reference};
use hostler_ledger::allow;
use hostler_ledger::checkpoint::{self, Created};
use hostler_ledger::journal::{self, Appended, Entry};
use hostler_ledger::redact::preview;
use hostler_model::{Event, EventKind, Finding, Mode, Place, SessionId, ToolCall, Verdict};

use super::record::{self, Attributes, set};
use super::{Clock, World, answer, told};
use crate::config::{Config, OnFault};
use crate::judge::{Judged, judge};
use crate::observe::observe;
use crate::place::place;

/// Left of the deadline for what comes after a checkpoint: the record and the answer.
const RESERVE: Duration = Duration::from_millis(500);

/// Answers one event.
pub(super) fn answer(event: &Event, world: &World, clock: Clock) -> Reply {
    super::fault::hook();
    match &event.kind {
        EventKind::ToolBefore { call } => Before { event, call, world, clock }.answer(),
        _ => after(event, world, clock),
    }
}

/// A tool call that is about to run.
#[derive(Clone, Copy)]
struct Before<'a> {
    event: &'a Event,
    call: &'a ToolCall,
    world: &'a World,
    clock: Clock,
}

/// What goes into the reply besides the decision.
#[derive(Default)]
struct Notes {
    /// What failed on our side, each told to the user.
    faults: Vec<String>,
    /// The checkpoint that was made.
    checkpoint: Option<String>,
    /// Why an edit has none.
    checkpoint_error: Option<String>,
}

impl Before<'_> {
    fn answer(self) -> Reply {
        let place = place(self.world.dirs.as_ref(), &self.world.project, &self.event.cwd);
        let mut notes = Notes { faults: self.world.faults(), ..Notes::default() };
        let mut judged = judge(self.event, &place, &self.world.config.settings, |needs| {
            // A dead network mount would hold us until the host gives up and lets the call run.
            self.watch(&super::fault_reply(
                &format!("looking at files took longer than {} s", super::TIME_MAX.as_secs()),
                self.world.config.on_fault == OnFault::Closed,
            ));
            super::fault::slow();
            observe(needs, &place)
        });
        notes.faults.extend(judged.decision.faults.iter().cloned());
        let code = self.code(&judged);
        let granted = self.granted(&judged, code.as_deref(), &mut notes);
        if granted {
            judged.decision.verdict = Verdict::Allow;
        }
        self.keep(&mut judged, &place, granted, &mut notes);
        if !notes.faults.is_empty() && self.world.config.on_fault == OnFault::Closed {
            close(&mut judged, &notes.faults);
        }
        let recorded = self.record(&judged, &place, code.as_deref(), granted, &mut notes);
        self.reply(&judged, recorded.as_ref(), code.as_deref(), &notes)
    }

    /// The name under which a person can let this very call through.
    fn code(&self, judged: &Judged) -> Option<String> {
        let rules: Vec<&str> = judged
            .decision
            .findings
            .iter()
            .filter(|finding| Verdict::from(finding.mode).blocks())
            .map(|finding| finding.rule)
            .collect();
        let digest = journal::sha256_hex(self.call.input.as_bytes());
        (!rules.is_empty()).then(|| allow::code(&self.event.session, &rules, &digest))
    }

    fn granted(&self, judged: &Judged, code: Option<&str>, notes: &mut Notes) -> bool {
        let (Some(code), Some(state), true) = (code, self.world.state(), judged.decision.verdict.blocks())
        else {
            return false;
        };
        let digest = journal::sha256_hex(self.call.input.as_bytes());
        let call_id = self.call.id.as_deref().unwrap_or_default();
        match allow::take(&state, code, &self.event.session, &digest, call_id, now_ms()) {
            Ok(granted) => granted,
            Err(error) => {
                notes.faults.push(format!("the exception `{code}` could not be used: {error}"));
                false
            }
        }
    }

    /// Keeps what the call would destroy or change. Without that an allowed loss becomes a question; an
    /// edit goes ahead all the same.
    fn keep(&self, judged: &mut Judged, place: &Place, granted: bool, notes: &mut Notes) {
        let decision = &mut judged.decision;
        if decision.verdict == Verdict::Deny {
            return;
        }
        let edits = self.world.config.checkpoints.edits.unwrap_or(self.world.config.project);
        let edited = (edits && place.git_dir.is_some())
            .then(|| record::edited_file(&self.call.action, place, &self.event.cwd))
            .flatten();
        let loss = !decision.snapshot.is_empty();
        let mut paths = decision.snapshot.clone();
        paths.extend(edited.filter(|path| !decision.snapshot.contains(path)));
        if paths.is_empty() {
            return;
        }
        match self.checkpoint(place, &paths) {
            Ok(Created::Checkpoint { id, .. } | Created::Same { id }) => notes.checkpoint = Some(id),
            Ok(Created::Nothing) => {}
            Err(error) => {
                if loss && !granted {
                    decision.findings.push(Finding {
                        rule: "checkpoint",
                        mode: Mode::Ask,
                        problem: format!("what this destroys could not be kept first: {error}"),
                        instead: None,
                        snapshot: Vec::new(),
                    });
                    decision.verdict = decision.verdict.max(Verdict::Ask);
                }
                notes.checkpoint_error = Some(error);
            }
        }
    }

    fn checkpoint(&self, place: &Place, paths: &[PathBuf]) -> Result<Created, String> {
        let state = self.world.state().ok_or("there is no home folder to keep its evidence in")?;
        let late = self.fallback_while_keeping();
        self.watch(&late);
        let reason = match &self.call.action {
            hostler_model::Action::Shell { command } => preview(command, 300),
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
            project_state: &state,
            deadline: self.clock.remaining().saturating_sub(RESERVE),
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
        let words = "hostler: keeping what this destroys took too long; the user decides".to_owned();
        let edit = !matches!(self.call.action, hostler_model::Action::Shell { .. });
        if edit {
            return super::fault_reply("keeping the file before the edit took too long", false);
        }
        Reply { stop: Some(Stop::Ask(words.clone())), message: Some(words), ..Reply::default() }
    }

    fn watch(&self, late: &Reply) {
        answer::watch(self.clock.deadline, write::write(self.event, late));
    }

    fn record(
        &self,
        judged: &Judged,
        place: &Place,
        code: Option<&str>,
        granted: bool,
        notes: &mut Notes,
    ) -> Option<Appended> {
        let mut attributes = record::call(self.event, self.call);
        record::decision(&mut attributes, self.call, judged, place);
        set(&mut attributes, "profile", self.world.config.settings.profile.name());
        if let Some(code) = code {
            set(&mut attributes, "code", code);
        }
        if granted {
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
        let appended = append(
            self.world,
            &self.event.session,
            Line {
                kind: "decision",
                durable: judged.decision.verdict.blocks(),
                // Without an id two calls could not be told from one that is reported twice.
                dedupe: self.call.id.as_ref().map(|id| format!("{}:{id}", self.event.name)),
                attributes,
                clock: self.clock,
            },
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
        code: Option<&str>,
        notes: &Notes,
    ) -> Reply {
        let decision = &judged.decision;
        let id = recorded.map(|it| journal::decision_id(&self.event.session, it.sequence()));
        let reference = id.as_deref().map(|decision| Reference { decision, code: code.unwrap_or_default() });
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
        if !notes.faults.is_empty() {
            let told = told(&notes.faults.join("; "));
            reply.message = Some(reply.message.map_or(told.clone(), |message| format!("{told}\n{message}")));
        }
        if let Some(Appended::Duplicate { .. }) = recorded {
            // The hook is registered twice, and the other process has said it.
            reply.context = None;
            reply.message = None;
        }
        reply
    }
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
fn after(event: &Event, world: &World, clock: Clock) -> Reply {
    let mut faults = match event.kind {
        // Told again with each prompt, so that it is not forgotten, and not with every result.
        EventKind::SessionStart { .. } | EventKind::Prompt { .. } => world.faults(),
        _ => Vec::new(),
    };
    if let Some((kind, attributes)) = record::other(event) {
        let dedupe = event.call().and_then(|call| call.id.as_ref()).map(|id| format!("{}:{id}", event.name));
        if let Err(error) =
            append(world, &event.session, Line { kind, durable: false, dedupe, attributes, clock })
        {
            faults.push(format!("this event could not be recorded: {error}"));
        }
    }
    if let (EventKind::SessionEnd { .. }, Some(state)) = (&event.kind, world.state()) {
        // The host gives the end of a session little time; an open journal is as valid as a sealed one.
        let _ = journal::seal(&state, &event.session, now_ms());
    }
    let mut messages = Vec::new();
    if !faults.is_empty() {
        messages.push(told(&faults.join("; ")));
    }
    if let EventKind::SessionStart { .. } = event.kind {
        messages.extend(world.config.warnings.iter().map(|warning| format!("hostler: {warning}")));
        messages.extend(loosened(&world.config));
    }
    let message = (!messages.is_empty()).then(|| messages.join("\n"));
    Reply { message, ..Reply::default() }
}

/// A guard that is not active says so: a repository can bring a configuration that its user never read.
fn loosened(config: &Config) -> Option<String> {
    let rules: Vec<String> =
        config.loosened().into_iter().map(|(rule, mode)| format!("{rule} = {}", mode.name())).collect();
    let files: Vec<String> = config.files.iter().map(|file| file.display().to_string()).collect();
    (!rules.is_empty()).then(|| {
        format!(
            "hostler: milder than the `{}` profile here: {} ({})",
            config.settings.profile.name(),
            rules.join(", "),
            files.join(", ")
        )
    })
}

/// One line to be written.
struct Line {
    kind: &'static str,
    /// Waits for the disk, so that a power cut does not take it.
    durable: bool,
    dedupe: Option<String>,
    attributes: Attributes,
    clock: Clock,
}

fn append(world: &World, session: &SessionId, mut line: Line) -> Result<Appended, String> {
    let state = world.state().ok_or("there is no home folder to keep evidence in")?;
    set(
        &mut line.attributes,
        "duration_us",
        u64::try_from(line.clock.elapsed().as_micros()).unwrap_or(u64::MAX),
    );
    let entry = Entry {
        kind: line.kind,
        time_ms: now_ms(),
        dedupe: line.dedupe,
        durable: line.durable,
        attributes: line.attributes,
    };
    journal::append(&state, session, &entry).map_err(|error| error.to_string())
}

/// Records a payload that belongs to no session.
pub(super) fn record_unreadable(
    world: &World,
    problem: &str,
    payload: &[u8],
    clock: Clock,
) -> Result<(), String> {
    let session = SessionId::parse("unreadable-payloads").map_err(|error| error.to_string())?;
    let mut attributes = Attributes::new();
    set(&mut attributes, "message", problem);
    set(&mut attributes, "hostler.version", env!("CARGO_PKG_VERSION"));
    set(&mut attributes, "payload_bytes", payload.len());
    set(&mut attributes, "payload_sha256", journal::sha256_hex(payload));
    append(world, &session, Line { kind: "fault", durable: false, dedupe: None, attributes, clock })
        .map(|_| ())
}

fn now_ms() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// What is left and gone of the time.
impl Clock {
    fn remaining(self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn elapsed(self) -> Duration {
        self.started.elapsed()
    }
}
