//! `hostler hook <host>`: one event on stdin, one JSON document on stdout, exit code 0.
//!
//! Nothing here reaches the argument parser or a runtime, and the path to "allow" opens no file but the
//! configuration and the journal. A fault of ours is told and decides nothing, or denies where the user
//! configured that; exit codes other than 0 and silence are never an answer, since the host takes them
//! for consent.

mod answer;
mod call;
mod close;
mod fault;
mod gate;
mod lint;
mod memory;
mod recall;
mod record;
mod report;
mod session;
mod tidy;
mod turn;
mod view;

use std::any::Any;
use std::ffi::OsString;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use hostler_host::claude::read::{self, PAYLOAD_BYTES_MAX};
use hostler_host::claude::write::{self, Reply, Stop};
use hostler_model::{Event, EventKind, Host, Place};

use crate::config::{Config, OnFault};
use crate::dirs::Dirs;
use crate::place::place;
use crate::project::Project;

pub(crate) use self::memory::{FINDINGS, STOPPED};
pub(crate) use self::recall::{Homes, unusable};

/// What one call may take. Hosts let the call run when their own limit passes, so ours comes first.
pub(crate) const TIME_MAX: Duration = Duration::from_secs(4);

/// Runs one hook call.
pub(crate) fn run(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let started = Instant::now();
    let clock = Clock { started, deadline: started + TIME_MAX };
    std::panic::set_hook(Box::new(|info| {
        let location = info.location().map(ToString::to_string).unwrap_or_default();
        if let Ok(mut last) = LAST_PANIC.lock() {
            *last = location;
        }
    }));
    let host = args.next();
    let document = if host.as_deref().is_some_and(|host| host == "claude") {
        claude(clock)
    } else {
        let message = told(&format!(
            "`hook` was registered for {:?}, this build knows `claude`",
            host.unwrap_or_default().display()
        ));
        write::write_for(Host::ClaudeCode, "", &Reply { message: Some(message), ..Reply::default() })
    };
    answer::give(&document);
    ExitCode::SUCCESS
}

/// When a call began and when it has to be answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    started: Instant,
    deadline: Instant,
}

/// Where the last panic happened; the default hook would print it.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

fn claude(mut clock: Clock) -> String {
    let mut payload = Vec::new();
    if let Err(error) = std::io::stdin().lock().take(PAYLOAD_BYTES_MAX as u64 + 1).read_to_end(&mut payload) {
        return unreadable(&payload, &format!("stdin could not be read: {error}"), clock);
    }
    // The host may start us before it has anything to say.
    clock.started = Instant::now();
    match catch_unwind(AssertUnwindSafe(|| read::read(&payload))) {
        Ok(Ok(mut event)) => {
            if std::env::var_os("COPILOT_CLI").is_some() {
                event.host = Host::Foreign;
            }
            handle(&event, clock)
        }
        Ok(Err(error)) => unreadable(&payload, &error.to_string(), clock),
        Err(panic) => unreadable(&payload, &panic_text(panic.as_ref()), clock),
    }
}

/// One event, start to end. Never panics.
fn handle(event: &Event, clock: Clock) -> String {
    let world = World::of(event);
    match catch_unwind(AssertUnwindSafe(|| call::answer(event, &world, clock))) {
        Ok(reply) => write::write(event, &reply),
        Err(panic) => {
            let fault = panic_text(panic.as_ref());
            let can_deny = matches!(event.kind, EventKind::ToolBefore { .. });
            let reply = fault_reply(&fault, can_deny && world.config.on_fault == OnFault::Closed);
            write::write(event, &reply)
        }
    }
}

/// What is known besides the event.
pub(crate) struct World {
    /// `None` without a home folder; nothing can be recorded then.
    pub(crate) dirs: Option<Dirs>,
    /// Why there are none.
    pub(crate) dirs_error: Option<String>,
    /// The project of the event's working directory.
    pub(crate) project: Project,
    /// The configuration.
    pub(crate) config: Config,
    /// Where evidence is kept.
    state: Option<PathBuf>,
    /// The folder of the configuration.
    own: PathBuf,
}

impl World {
    /// The world of an event: the project that the client was started in. An agent that moves to another
    /// place, or makes a repository in a subfolder and moves there, does not make that its project, and
    /// leaves neither configuration nor evidence behind. A work tree of the same repository is one.
    fn of(event: &Event) -> Self {
        Self::between(&event.cwd, std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from))
    }

    /// As [`World::of`], for a client that is in `cwd` and was started in `given`.
    pub(crate) fn between(cwd: &Path, given: Option<PathBuf>) -> Self {
        let here = Project::find(cwd);
        let Some(given) = given.filter(|path| path.is_absolute() && *path != here.root) else {
            return Self::around(here, None);
        };
        let started = Project::find(&given);
        // Started in a bare folder, perhaps at home: the repositories below it are the projects.
        let bare = started.git_dir.is_none() && !started.root.join(crate::config::PROJECT_FILE).exists();
        if started == here || (bare && here.root.starts_with(&started.root)) {
            Self::around(here, None)
        } else if here.key() == started.key() {
            Self::around(here, Some(&started))
        } else {
            Self::around(started, None)
        }
    }

    /// The world around `cwd`.
    pub(crate) fn at(cwd: &Path) -> Self {
        Self::around(Project::find(cwd), None)
    }

    fn around(project: Project, started: Option<&Project>) -> Self {
        let (dirs, dirs_error) = match Dirs::from_env() {
            Ok(dirs) => (Some(dirs), None),
            Err(error) => (None, Some(error.to_string())),
        };
        let home = started.unwrap_or(&project);
        let mut config = Config::load(dirs.as_ref(), home);
        config.settings.failing_rule = fault::rule();
        let state = dirs.as_ref().map(|dirs| dirs.project_state(&home.key()));
        let own = home.root.join(".hostler");
        Self { dirs, dirs_error, project, config, state, own }
    }

    /// Where an event in `cwd` happens.
    pub(crate) fn place(&self, cwd: &Path) -> Place {
        let mut place = place(self.dirs.as_ref(), &self.project, cwd);
        if !place.own.contains(&self.own) {
            place.own.push(self.own.clone());
        }
        place
    }

    /// The project's evidence folder.
    pub(crate) fn state(&self) -> Option<&Path> {
        self.state.as_deref()
    }

    /// What is wrong before anything is decided.
    fn faults(&self) -> Vec<String> {
        self.dirs_error.iter().chain(&self.config.faults).cloned().collect()
    }
}

/// The answer to a payload that could not be read.
fn unreadable(payload: &[u8], problem: &str, clock: Clock) -> String {
    let name = read::event_name_hint(payload);
    let world = std::env::current_dir().map(|cwd| World::at(&cwd));
    let closed = world.as_ref().is_ok_and(|world| world.config.on_fault == OnFault::Closed);
    if let Ok(world) = &world {
        // It is told in any case.
        let _ = call::record_unreadable(world, problem, payload, clock);
    }
    // A payload that does not even name its event may be the one that asks whether a tool may run.
    let can_deny = name.is_none_or(write::can_be_denied);
    let reply = fault_reply(problem, closed && can_deny);
    write::write_for(Host::ClaudeCode, name.unwrap_or("PreToolUse"), &reply)
}

/// A fault of ours: told, and denied where the user chose that.
fn fault_reply(fault: &str, deny: bool) -> Reply {
    let message = told(fault);
    let stop = deny.then(|| {
        Stop::Deny(format!(
            "{message} The configuration says `on_fault = \"closed\"`, so the call is denied."
        ))
    });
    Reply { stop, message: Some(message), ..Reply::default() }
}

/// The words of a fault.
pub(crate) fn told(fault: &str) -> String {
    format!("hostler: {fault}; run `hostler doctor`")
}

/// What a panic said, and where.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    let location = LAST_PANIC.lock().map(|last| last.clone()).unwrap_or_default();
    format!("a fault in hostler at {location}: {text}")
}
