//! The greeting: who answers here, what is offered, and a sign of life for `hostler doctor`.

use std::path::{Path, PathBuf};

use hostler_host::opencode::read::{EVENTS, Hello, PROTOCOL};
use hostler_host::opencode::write::{self, Answer, Level, Log};
use serde_json::json;

use crate::dirs::Dirs;
use crate::hook::{TIME_MAX, World};
use crate::install::opencode::boot;
use crate::project::Project;
use crate::session::locate::is_active;
use crate::tools;

/// How much longer the plugin waits than we do.
const MARGIN_MS: u64 = 1_000;
/// Where the sign of life lies in a project's evidence folder.
pub(crate) const HEARTBEAT: &str = "opencode/heartbeat.json";
/// Set by `hostler doctor`: its own greeting is no sign of the host's life.
const DOCTOR_VARIABLE: &str = "HOSTLER_DOCTOR";

/// The answer to a greeting.
pub(super) fn answer(id: Option<u64>, directory: &Path, hello: &Hello, now_ms: i64) -> Answer {
    let world = World::between(directory, None);
    let active = is_wanted(&world.project, world.dirs.as_ref());
    let tools = if active { tools::offered(directory) } else { Vec::new() };
    let name = world.project.root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let profile = world.config.settings.profile.name();
    let line = if active {
        format!("hostler {} is active in `{name}` ({profile})", env!("CARGO_PKG_VERSION"))
    } else {
        format!("hostler is not active in `{name}`: `activation.paths` leaves it out")
    };
    let mut log =
        vec![Log::new(Level::Info, &line), Log::new(Level::Debug, &format!("in {}", directory.display()))];
    for fault in world.dirs_error.iter().chain(&world.config.faults) {
        log.push(Log::new(Level::Error, fault));
    }
    let hungry = world.dirs.as_ref().map(|dirs| boot::feed(&world.project.root, dirs)).unwrap_or_default();
    log.extend(hungry.iter().map(|line| Log::new(Level::Warn, line)));
    let toast = (!hungry.is_empty())
        .then(|| write::Toast { variant: "warning", message: format!("hostler: {}", hungry.join("; ")) });
    if let Some(problem) = heartbeat(&world, directory, hello, now_ms) {
        log.push(Log::new(Level::Warn, &problem));
    }
    let hello = write::Hello {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        profile: profile.to_owned(),
        active,
        deadline_ms: u64::try_from(TIME_MAX.as_millis()).unwrap_or(u64::MAX).saturating_add(MARGIN_MS),
        tools: tools.into_iter().map(offered).collect(),
        events: EVENTS.iter().map(|event| (*event).to_owned()).collect(),
    };
    Answer { id, hello: Some(hello), log, toast, ..Answer::default() }
}

fn offered(tool: &tools::Tool) -> write::Tool {
    write::Tool {
        name: tool.name.to_owned(),
        description: tool.description.to_owned(),
        args: tool.properties(),
        required: tool.required().into_iter().map(str::to_owned).collect(),
    }
}

/// Only the user's own configuration narrows down where we are active at all: a project that takes itself out would be a
/// way around every guard.
fn is_wanted(project: &Project, dirs: Option<&Dirs>) -> bool {
    let nowhere = Project { root: PathBuf::from("/dev/null"), git_dir: None, git_common_dir: None };
    let config = crate::config::Config::load(dirs, &nowhere);
    is_active(&project.root, &config.activation, dirs.map(|dirs| dirs.home.as_path()))
}

/// Leaves a sign of life; what went wrong.
fn heartbeat(world: &World, directory: &Path, hello: &Hello, now_ms: i64) -> Option<String> {
    let state = world.state().filter(|_| std::env::var_os(DOCTOR_VARIABLE).is_none())?;
    let text = json!({
        "time_ms": now_ms,
        "pid": hello.pid,
        "host": hello.host,
        "flavour": hello.flavour,
        "plugin": hello.plugin,
        "binary": env!("CARGO_PKG_VERSION"),
        "directory": directory.display().to_string(),
        "mode": hello.mode,
    });
    let written = hostler_ledger::file::write_atomic(&state.join(HEARTBEAT), text.to_string().as_bytes());
    written.err().map(|error| format!("no sign of life could be left: {error}"))
}
