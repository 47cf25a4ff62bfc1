//! One event of a host, start to end: `hostler hook claude` for a process per event, `hostler bridge opencode` for many at
//! once in one process.
//!
//! Nothing here reaches the argument parser or a runtime, and the path to "allow" opens no file but the
//! configuration and the journal. A fault of ours is told and decides nothing, or denies where the user
//! configured that; silence is never an answer, since the host takes it for consent.

mod answer;
mod call;
mod claude;
mod close;
mod fault;
mod gate;
mod lint;
mod memory;
mod recall;
mod recent;
mod record;
mod report;
mod session;
mod tidy;
mod turn;
mod view;

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hostler_host::opencode::write::FAULT;
use hostler_host::reply::{Reply, Stop};
use hostler_model::{Action, Event, EventKind, Host, Place};

use crate::config::{Config, OnFault};
use crate::dirs::Dirs;
use crate::place::place;
use crate::project::Project;

pub(crate) use self::answer::{Caller, Voice};
pub(crate) use self::call::now_ms;
pub(crate) use self::claude::run;
pub(crate) use self::memory::{FINDINGS, STOPPED};
pub(crate) use self::recall::{Homes, unusable};

/// What one call may take. Hosts let the call run when their own limit passes, so ours comes first.
pub(crate) const TIME_MAX: Duration = Duration::from_secs(4);

thread_local! {
    /// Where this thread's last panic happened; the default hook would print it.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps where a panic happens, and prints nothing: what hosts read is ours alone.
pub(crate) fn keep_panics() {
    std::panic::set_hook(Box::new(|info| {
        let location = info.location().map(ToString::to_string).unwrap_or_default();
        LAST_PANIC.with(|last| last.replace(location));
    }));
}

/// One event, start to end: decided, kept, recorded and answered. `started`: the folder that the client was started in,
/// where it says so. Never panics.
pub(crate) fn handle(event: &Event, started: Option<PathBuf>, caller: &Caller) {
    let world = World::between(&event.cwd, started);
    caller.give(&reply(event, &[], &world, caller));
}

/// As [`handle`], for whoever puts an answer together from several events and gives it himself. `more`: what a tool call
/// that is about to run does besides its own action; all of it is judged and kept, as one call.
pub(crate) fn reply(event: &Event, more: &[Action], world: &World, caller: &Caller) -> Reply {
    let reply = catch_unwind(AssertUnwindSafe(|| call::answer(event, more, world, caller)));
    reply.unwrap_or_else(|panic| {
        let can_deny = matches!(event.kind, EventKind::ToolBefore { .. });
        fault_reply(&panic_text(panic.as_ref()), can_deny && world.config.on_fault == OnFault::Closed)
    })
}

/// What the agent is told with the result of a call that was let through with a warning: some hosts have no place for
/// words before it.
pub(crate) fn warned(event: &Event, world: &World) -> Option<String> {
    record::warned(event, world.state()?)
}

/// What an agent is told of the project's session with each request.
pub(crate) fn standing(event: &Event, world: &World) -> Option<String> {
    session::standing(event, world)
}

/// What a summary of the conversation has to keep.
pub(crate) fn kept_in_summary(event: &Event, world: &World) -> Vec<String> {
    let calls = world.state().map(|state| recent::calls(state, &event.session)).unwrap_or_default();
    standing(event, world).into_iter().chain(recent::told(&calls)).collect()
}

/// Records a command that a person ran in the session; what went wrong.
pub(crate) fn of_user(event: &Event, world: &World, caller: &Caller) -> Reply {
    match call::record_of_user(event, world, caller) {
        Ok(()) => Reply::default(),
        Err(error) => fault_reply(&format!("this command could not be recorded: {error}"), false),
    }
}

/// Whether a turn that ends can be made to go on. How another client takes that is not known; a subagent of `OpenCode`
/// has handed over its result when its end is told.
fn can_go_on(event: &Event) -> bool {
    match event.host {
        Host::ClaudeCode => true,
        Host::OpenCode => event.agent.is_none(),
        Host::Foreign => false,
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
    /// The world of a client that is in `cwd` and was started in `given`: the project that it was started in. An agent
    /// that moves to another place, or makes a repository in a subfolder and moves there, does not make that its project,
    /// and leaves neither configuration nor evidence behind. A work tree of the same repository is one.
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

/// A fault of ours: told, and denied where the user chose that.
pub(crate) fn fault_reply(fault: &str, deny: bool) -> Reply {
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

/// What a panic of this thread said, and where.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    let location = LAST_PANIC.with(|last| last.borrow().clone());
    format!("{FAULT}{location}: {text}")
}
