//! What is written of an event: one journal line with OpenTelemetry's names where one exists.

use std::path::{Path, PathBuf};

use hostler_host::reason;
use hostler_ledger::journal::{self, sha256_hex};
use hostler_ledger::redact::{argument, preview};
use hostler_model::{Action, Decision, Event, EventKind, FileKind, Place, Step, ToolCall, Verdict, lexical};
use memchr::memmem;
use serde_json::{Map, Value};

use crate::judge::Judged;

/// Characters of a command, prompt or output that are kept to be read.
const PREVIEW_CHARS_MAX: usize = 200;
/// Characters of a prompt that are kept: the audit of its turn asks what the user wanted.
const PROMPT_CHARS_MAX: usize = 2_000;
/// Steps of an explanation that are kept, and characters of each.
const STEPS_MAX: usize = 40;
const STEP_CHARS_MAX: usize = 300;

/// Attributes of one line.
pub(crate) type Attributes = Map<String, Value>;

/// What every line has.
pub(super) fn common(event: &Event) -> Attributes {
    let mut out = Attributes::new();
    set(&mut out, "host", event.host.name());
    set(&mut out, "event", event.name.as_str());
    set(&mut out, "cwd", event.cwd.display().to_string());
    set(&mut out, "hostler.version", env!("CARGO_PKG_VERSION"));
    if let Some(mode) = &event.permission_mode {
        set(&mut out, "permission_mode", mode.as_str());
    }
    if let Some(agent) = &event.agent {
        set(&mut out, "gen_ai.agent.id", agent.id.as_str());
        set(&mut out, "gen_ai.agent.name", agent.kind.as_str());
    }
    out
}

/// What is known of a tool call, before or after it.
pub(super) fn call(event: &Event, call: &ToolCall) -> Attributes {
    let mut out = common(event);
    set(&mut out, "gen_ai.operation.name", "execute_tool");
    set(&mut out, "gen_ai.tool.name", call.tool.as_str());
    if let Some(id) = &call.id {
        set(&mut out, "gen_ai.tool.call.id", id.as_str());
    }
    set(&mut out, "operation", call.tool.as_str());
    set(&mut out, "input_sha256", sha256_hex(call.input.as_bytes()));
    if let Some(target) = target(&call.action) {
        set(&mut out, "target", target);
    }
    if matches!(call.action, Action::Delegate { .. }) {
        set(&mut out, "delegates", true);
    }
    out
}

/// The words of a decision that let the call go ahead with a warning, from the end of the journal.
pub(super) fn warned(event: &Event, project_state: &Path) -> Option<String> {
    let id = event.call()?.id.as_deref()?;
    let peek = journal::peek(project_state, &event.session).ok()??;
    let own = |line: &&[u8]| memmem::find(line, id.as_bytes()).is_some();
    let mut lines = peek.lines().filter(own);
    let decision = lines.find_map(|line| {
        let line: Value = serde_json::from_slice(line).ok()?;
        let is = |name: &str, value: &str| line.get(name).and_then(Value::as_str) == Some(value);
        (is("kind", "decision") && is("gen_ai.tool.call.id", id)).then_some(line)
    })?;
    if decision.get("status").and_then(Value::as_str) != Some("warned") {
        return None;
    }
    Some(format!("hostler: {}", decision.get("message")?.as_str()?))
}

/// Adds what the call proves; see [`crate::claims::kept`].
pub(super) fn evidence(out: &mut Attributes, evidence: Value) {
    set(out, "evidence", evidence);
    set(out, "evidence_v", hostler_policy::claims::evidence::VERSION);
}

/// Adds the decision.
pub(super) fn decision(
    out: &mut Attributes,
    call: &ToolCall,
    more: &[Action],
    judged: &Judged,
    place: &Place,
) {
    let decision = &judged.decision;
    set(out, "operation", operation(call, judged, place));
    set(out, "status", status(decision.verdict));
    set(out, "message", message(decision));
    let mut paths: Vec<String> = judged.paths.iter().map(|path| path.display().to_string()).collect();
    let base = Path::new(out.get("cwd").and_then(Value::as_str).unwrap_or("/"));
    let named = std::iter::once(&call.action).chain(more).filter_map(file);
    paths.extend(named.map(|path| lexical::expand(base, place.home.as_deref(), path).display().to_string()));
    if !paths.is_empty() {
        set(out, "paths", paths);
    }
    if !judged.understood {
        set(out, "understood", false);
    }
    if !decision.findings.is_empty() {
        set(out, "rules", decision.findings.iter().map(|finding| finding.rule).collect::<Vec<_>>());
        set(out, "modes", decision.findings.iter().map(|finding| finding.mode.name()).collect::<Vec<_>>());
        let step = |step: &Step| format!("{}: {}", step.stage, preview(&step.detail, STEP_CHARS_MAX));
        set(out, "trace", decision.trace.iter().take(STEPS_MAX).map(step).collect::<Vec<_>>());
    }
    if !decision.faults.is_empty() {
        set(out, "faults", decision.faults.clone());
    }
}

/// The name under which an operation is looked for: the tool, or what was stopped.
fn operation(call: &ToolCall, judged: &Judged, place: &Place) -> String {
    let decision = &judged.decision;
    if decision.verdict != Verdict::Deny || !matches!(call.action, Action::Shell { .. }) {
        return call.tool.clone();
    }
    let inside = |path: &PathBuf| place.host_dirs.iter().any(|folder| path.starts_with(folder));
    let stopped = |prefix: &str| {
        decision
            .findings
            .iter()
            .any(|finding| finding.rule.starts_with(prefix) && Verdict::from(finding.mode).blocks())
    };
    if stopped("protected") && judged.paths.iter().any(inside) {
        format!("{}-Claude-Dir-Blocked", call.tool)
    } else if stopped("delete") {
        format!("{}-Delete-Blocked", call.tool)
    } else {
        call.tool.clone()
    }
}

/// A verdict as records have it.
pub(crate) fn status(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allowed",
        Verdict::Warn => "warned",
        Verdict::Ask => "asked",
        Verdict::Deny => "blocked",
    }
}

fn message(decision: &Decision) -> String {
    if decision.findings.is_empty() {
        return "nothing found".to_owned();
    }
    preview(&reason::found(decision), 1_000)
}

/// The path, or the beginning of the command or question, without secrets.
fn target(action: &Action) -> Option<String> {
    let preview = |text: &str| preview(text, PREVIEW_CHARS_MAX);
    match action {
        Action::Shell { command } => Some(preview(command)),
        Action::Write { .. } | Action::Edit { .. } | Action::NotebookEdit { .. } | Action::Read { .. } => {
            file(action).map(str::to_owned)
        }
        Action::Search { pattern, .. } => Some(preview(pattern)),
        Action::Delegate { prompt, .. } => Some(preview(prompt)),
        Action::Mcp { strings, .. } => {
            strings.first().map(|(key, text)| format!("{key}={}", preview(&argument(key, text))))
        }
        Action::Fetch { address } => Some(preview(address)),
        Action::Plan | Action::Other => None,
    }
}

/// The file that a tool call names, as the agent wrote it.
fn file(action: &Action) -> Option<&str> {
    match action {
        Action::Write { path, .. }
        | Action::Edit { path, .. }
        | Action::NotebookEdit { path, .. }
        | Action::Read { path } => path.as_deref(),
        _ => None,
    }
}

/// Everything that is no decision: its kind and attributes; `None` for what is not recorded.
pub(super) fn other(event: &Event) -> Option<(&'static str, Attributes)> {
    let mut out = common(event);
    let kind = match &event.kind {
        EventKind::ToolBefore { .. } | EventKind::Other => return None,
        EventKind::ToolAfter { call, outcome } => {
            out = self::call(event, call);
            set(&mut out, "status", if outcome.ok { "ok" } else { "failed" });
            set(&mut out, "ok", outcome.ok);
            if outcome.interrupted {
                set(&mut out, "interrupted", true);
            }
            if let Some(exit) = outcome.exit {
                set(&mut out, "exit", exit);
            }
            if let Some(duration) = outcome.duration_ms {
                set(&mut out, "tool_duration_ms", duration);
            }
            text(&mut out, "output", &outcome.output);
            set(&mut out, "message", if outcome.ok { "the tool succeeded" } else { "the tool failed" });
            "result"
        }
        EventKind::SessionStart { source } => {
            set(&mut out, "source", format!("{source:?}").to_lowercase());
            "session"
        }
        EventKind::SessionEnd { reason } => {
            set(&mut out, "reason", reason.as_str());
            "session"
        }
        EventKind::Prompt { text: prompt } => {
            text(&mut out, "prompt", prompt);
            set(&mut out, "prompt_preview", preview(prompt, PROMPT_CHARS_MAX));
            "prompt"
        }
        EventKind::TurnEnd { last_message, continuing } => {
            turn(&mut out, last_message.as_deref(), *continuing);
            "turn"
        }
        EventKind::SubagentStart => "subagent",
        EventKind::SubagentEnd { last_message, continuing } => {
            turn(&mut out, last_message.as_deref(), *continuing);
            "subagent"
        }
        EventKind::Compacting { automatic } => {
            set(&mut out, "automatic", *automatic);
            "compaction"
        }
    };
    Some((kind, out))
}

fn turn(out: &mut Attributes, message: Option<&str>, continuing: bool) {
    if let Some(message) = message {
        last_message(out, message);
    }
    set(out, "continuing", continuing);
}

/// What the agent said last.
pub(super) fn last_message(out: &mut Attributes, message: &str) {
    text(out, "last_message", message);
}

/// Digest, length and the beginning of a text; never the text itself.
fn text(out: &mut Attributes, name: &str, text: &str) {
    set(out, &format!("{name}_sha256"), sha256_hex(text.as_bytes()));
    set(out, &format!("{name}_bytes"), text.len());
    set(out, &format!("{name}_preview"), preview(text, PREVIEW_CHARS_MAX));
}

/// Sets one attribute.
pub(super) fn set(out: &mut Attributes, name: &str, value: impl Into<Value>) {
    out.insert(name.to_owned(), value.into());
}

/// Whether an edit of `path` should keep the file first: it is there, and inside the project.
pub(super) fn edited_file(action: &Action, place: &Place, cwd: &Path) -> Option<PathBuf> {
    if matches!(action, Action::Read { .. }) {
        return None;
    }
    let path = lexical::expand(cwd, place.home.as_deref(), file(action)?);
    let real = std::fs::canonicalize(&path).ok()?;
    let file = crate::observe::kind(&real) == Some(FileKind::File);
    (file && real.starts_with(&place.root)).then_some(real)
}
