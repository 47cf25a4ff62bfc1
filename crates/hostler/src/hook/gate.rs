//! The gates at the ends of turns, beside the audit: one answer with both reasons.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hostler_host::claude::settings::{self, Registered, TIMEOUT_S};
use hostler_host::reply::{Reply, Stop};
use hostler_ledger::journal::sha256_hex;
use hostler_model::{Event, EventKind};

use super::call::{Line, append};
use super::record::{self, set};
use super::{Caller, World, told};
use crate::config::GateStop;
use crate::gates::stop::{self, Answer, Checked, Circumstances, Turn};
use crate::gates::touched::Touched;
use crate::gates::{self, baseline};

/// Left of the registered time for the record and the answer.
const RESERVE: Duration = Duration::from_secs(2);
/// Where a registration says nothing, the client waits this long, in seconds.
const TIMEOUT_DEFAULT_S: i64 = 600;

/// Keeps how the files stand at the start of a session.
pub(super) fn begun(event: &Event, world: &World, state: &Path) -> Option<String> {
    if world.config.gates.stop(world.config.settings.profile) == GateStop::Off {
        return None;
    }
    baseline::begin(state, &event.session, &world.project).err()
}

/// What the agent has to know of files that were formatted after its last turn: what it read of them is old.
pub(super) fn formatted(event: &Event, world: &World) -> Option<String> {
    if !matches!(event.kind, EventKind::Prompt { .. }) {
        return None;
    }
    let files = stop::take_formatted(world.state()?, &event.session);
    (!files.is_empty()).then(|| {
        format!(
            "hostler: the project's formatter changed {} after your last turn: read it again before you edit it",
            files.join(", ")
        )
    })
}

/// Looks at what the session changed when a turn of its own agent ends, and adds what is to be said to `reply`.
pub(super) fn add(
    event: &Event,
    world: &World,
    caller: &Caller,
    touched: Option<Touched>,
    reply: &mut Reply,
) {
    let EventKind::TurnEnd { continuing, .. } = event.kind else { return };
    let profile = world.config.settings.profile;
    let Some(state) = world.state() else { return };
    if world.config.gates.stop(profile) == GateStop::Off {
        return;
    }
    let allowed = caller.turn_time_max().unwrap_or_else(|| time_max(world));
    let end = caller.started + allowed;
    let late = Reply {
        message: Some(joined(
            reply.message.clone(),
            &format!(
                "hostler: the gates took longer than {} s: nothing that was changed is checked",
                allowed.as_secs()
            ),
        )),
        ..reply.clone()
    };
    caller.watch(end, late);
    let turn = Turn {
        project: &world.project,
        session: Some((state, &event.session)),
        gates: &world.config.gates,
        settings: &world.config.settings,
        profile,
        deadline: end.checked_sub(RESERVE).unwrap_or(end),
    };
    let gate = Gate { event, world, caller, turn, continuing };
    match catch_unwind(AssertUnwindSafe(|| gate.run(touched, reply.clone()))) {
        Ok(Some(answered)) => *reply = answered,
        Ok(None) => {}
        Err(panic) => {
            let fault =
                told(&format!("this turn's changes were not checked: {}", super::panic_text(panic.as_ref())));
            reply.message = Some(joined(reply.message.take(), &fault));
        }
    }
}

struct Gate<'a> {
    event: &'a Event,
    world: &'a World,
    caller: &'a Caller,
    turn: Turn<'a>,
    continuing: bool,
}

impl Gate<'_> {
    /// The reply with ours in it; `None` when there is nothing to look at or to say.
    fn run(&self, touched: Option<Touched>, mut reply: Reply) -> Option<Reply> {
        super::fault::gate();
        let (state, session) = self.turn.session?;
        let settled = stop::settled(state, session);
        let checked = stop::check(&self.turn, touched, settled.as_deref())?;
        let mut faults = checked.report.faults.clone();
        let circumstances = Circumstances {
            continuing: self.continuing,
            goes_on: reply.stop.is_some(),
            may_block: super::can_go_on(self.event),
        };
        let decided = match stop::decide(&self.turn, &checked, circumstances) {
            Ok(decided) => decided,
            Err(error) => {
                faults.push(format!(
                    "what is broken does not send the agent back, since that could not be counted: {error}"
                ));
                stop::Decided { answer: Answer::Told, missing: Vec::new() }
            }
        };
        let formatted = match decided.answer {
            Answer::Block(_) => Vec::new(),
            // What the agent is about to edit stays as it read it.
            _ if circumstances.goes_on => Vec::new(),
            _ => self.format(&checked, &mut faults),
        };
        if let Err(error) = self.record(&checked, decided.answer, &formatted) {
            faults.push(format!("this look at the changed files could not be recorded: {error}"));
        }
        self.speak(&checked, &decided, &formatted, &faults, &mut reply);
        Some(reply)
    }

    fn format(&self, checked: &Checked, faults: &mut Vec<String>) -> Vec<String> {
        let mended = stop::format(&self.turn, checked);
        faults.extend(mended.faults);
        mended.changed
    }

    fn record(&self, checked: &Checked, answer: Answer, formatted: &[String]) -> Result<(), String> {
        let mut attributes = record::common(self.event);
        attributes.append(&mut gates::record::attributes("stop", &checked.report));
        set(&mut attributes, "outcome", answer.name());
        set(&mut attributes, "continuing", self.continuing);
        if checked.omitted != 0 {
            set(&mut attributes, "omitted", checked.omitted);
        }
        if !formatted.is_empty() {
            set(&mut attributes, "formatted", formatted.to_vec());
        }
        let text = serde_json::to_string(&attributes).unwrap_or_default();
        let dedupe = Some(format!("gate:{}", &sha256_hex(text.as_bytes())[..16]));
        let line =
            Line { kind: gates::record::KIND, durable: false, dedupe, attributes, caller: self.caller };
        append(self.world, &self.event.session, line).map(|_| ())
    }

    fn speak(
        &self,
        checked: &Checked,
        decided: &stop::Decided,
        formatted: &[String],
        faults: &[String],
        reply: &mut Reply,
    ) {
        let profile = self.turn.profile;
        let tells = GateStop::Warn <= self.turn.gates.stop(profile);
        let note = match decided.answer {
            Answer::Block(_) => "; the agent was sent back",
            Answer::Released => "; the agent was sent back before and is not any more",
            Answer::Passed | Answer::Told => "",
        };
        let mut messages: Vec<String> = reply.message.take().into_iter().collect();
        if let Some(message) = checked.message(profile, note).filter(|_| tells) {
            self.caller.remark(&message);
            messages.push(message);
        }
        if tells && !decided.missing.is_empty() {
            let missing: Vec<String> =
                decided.missing.iter().map(|(tool, why)| format!("\n- {tool}: {why}")).collect();
            messages.push(format!("hostler: not checked, told once a session:{}", missing.concat()));
        }
        if !formatted.is_empty() {
            messages.push(format!("hostler: the project's formatter changed {}", formatted.join(", ")));
        }
        if checked.omitted != 0 && tells {
            messages.push(format!("hostler: {} further changed files were not looked at", checked.omitted));
        }
        if !faults.is_empty() {
            messages.push(told(&faults.join("; ")));
        }
        reply.message = (!messages.is_empty()).then(|| messages.join("\n"));
        if let Answer::Block(_) = decided.answer {
            let reason = checked.reason(profile);
            reply.stop = Some(Stop::Continue(match reply.stop.take() {
                Some(Stop::Continue(claims)) => format!("{claims}\n\n{reason}"),
                _ => reason,
            }));
            reply.rest = Some("hostler gate".to_owned());
        }
    }
}

fn joined(first: Option<String>, second: &str) -> String {
    first.map_or_else(|| second.to_owned(), |first| format!("{first}\n{second}"))
}

/// How long the client waits for the end of a turn, less than which ours must come: what the registrations say, or what
/// all of them have said.
fn time_max(world: &World) -> Duration {
    let seconds = registered(world).into_iter().min().unwrap_or(TIMEOUT_S);
    let seconds = u64::try_from(seconds).unwrap_or_default();
    Duration::from_secs(seconds).saturating_sub(RESERVE / 2).max(Duration::from_secs(1))
}

/// The time limits that registrations for the end of a turn have, in seconds.
fn registered(world: &World) -> Vec<i64> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let limits = |entries: Vec<Registered>| -> Vec<i64> {
        let stops = entries.into_iter().filter(|entry| entry.event == "Stop");
        stops.map(|entry| entry.timeout_s.unwrap_or(TIMEOUT_DEFAULT_S)).collect()
    };
    if let Some(plugin) = folder("CLAUDE_PLUGIN_ROOT") {
        let text = std::fs::read_to_string(plugin.join("hooks/hooks.json")).unwrap_or_default();
        return settings::registered_as(&text, |_| true).map(limits).unwrap_or_default();
    }
    let users = folder("CLAUDE_CONFIG_DIR").or_else(|| Some(world.dirs.as_ref()?.home.join(".claude")));
    // The client reads the main work tree's local settings in linked ones too.
    let main = world.project.git_common_dir.as_deref().and_then(Path::parent);
    let projects = main.into_iter().chain([world.project.root.as_path()]).map(|root| root.join(".claude"));
    let files =
        projects.flat_map(|folder| ["settings.local.json", "settings.json"].map(|name| folder.join(name)));
    files
        .chain(users.map(|folder| folder.join("settings.json")))
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .filter_map(|text| settings::registered(&text).ok())
        .flat_map(limits)
        .collect()
}

/// The time for what comes after the gates, which may have taken longer than everything else may.
pub(super) fn renewed(caller: &Caller) -> Caller {
    caller.until(Instant::now() + super::TIME_MAX)
}
