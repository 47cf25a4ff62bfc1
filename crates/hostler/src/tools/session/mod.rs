//! The record of sessions: what `hostler session` does, for agents. Both go through [`crate::session::effect`], so the
//! rules and the record are the same.

pub(crate) mod add_work;
pub(crate) mod begin;
pub(crate) mod complete_work;
pub(crate) mod end;
pub(crate) mod log_achievement;
pub(crate) mod log_choice;
pub(crate) mod log_work;
pub(crate) mod status;
pub(crate) mod update_state;

use std::path::Path;

use hostler_ledger::context::{Context, State, Status};

use super::schema::{Argument, Kind};
use crate::config::Config;
use crate::dirs::Dirs;
use crate::project::Project;
use crate::session::effect::Refused;
use crate::session::{self, Applied, Error, Sessions, locate};

/// What is said of a session's number in an answer.
const SESSION: Argument = Argument::required("session", Kind::Number, "the session's number");

/// Where a call happens.
struct Here {
    project: Project,
    dirs: Dirs,
    config: Config,
}

impl Here {
    fn find(directory: &Path) -> Result<Self, String> {
        let dirs = Dirs::from_env().map_err(|error| error.to_string())?;
        let project = Project::find(directory);
        let config = Config::load(Some(&dirs), &project);
        Ok(Self { project, dirs, config })
    }

    /// The sessions that are kept where the agent works.
    fn sessions(&self, directory: &Path) -> Result<Sessions, String> {
        Sessions::find(directory, &self.project, &self.dirs, &self.config).ok_or_else(|| {
            match session::locate(directory, &self.project, Some(&self.dirs)) {
                Some(_) => {
                    "no active session: `activation.paths` of the configuration leaves this project out; go on \
                     without a record"
                }
                None => {
                    "no active session: no sessions are kept in this project, which has no `context.json`; go on \
                     without a record, or let the user run `hostler session init`"
                }
            }
            .to_owned()
        })
    }
}

/// Changes the record of the folder.
fn change<T>(
    directory: &Path,
    mut change: impl FnMut(&mut Context) -> Result<T, Refused>,
) -> Result<Applied<T>, String> {
    let here = Here::find(directory)?;
    here.sessions(directory)?.apply(false, &mut change).map_err(|error| refused(&error))
}

/// Why nothing was changed, in words that name tools where the command line names commands.
fn refused(error: &Error) -> String {
    match error {
        Error::Refused(Refused::NoActive) => {
            "no active session: nothing was recorded; begin one with the tool `session-begin`".to_owned()
        }
        Error::Refused(Refused::Active { seq, when, purpose }) => format!(
            "session #{seq} is active since {when} (purpose: {purpose}); log to it, close it with the tool \
             `session-end`, or close it as it stands with `force`"
        ),
        Error::Refused(Refused::NotEnded { seq }) => {
            format!("session #{seq} is active; close it with the tool `session-end`, which sets the status")
        }
        Error::Refused(Refused::UnknownWork { query }) => {
            format!("no open work is or contains `{query}`; the tool `session-status` lists what is open")
        }
        other => other.to_string(),
    }
}

/// What was repaired or went wrong besides, as lines below an answer.
fn notes<T>(applied: &Applied<T>) -> String {
    let view = applied.view.as_ref().and_then(|view| match view {
        Ok(view) => view.problem.clone(),
        Err(error) => Some(error.to_string()),
    });
    let notes = applied.notes.iter().cloned().chain(view);
    notes.flat_map(|it| ["\nNote: ".to_owned(), it]).collect()
}

/// A list below an answer.
fn items<'a>(items: impl IntoIterator<Item = &'a String>) -> String {
    items.into_iter().flat_map(|it| ["\n- ".to_owned(), hostler_model::text::one_line(it)]).collect()
}

/// How the tests are, in words.
fn tests(state: &State) -> Option<String> {
    state.test_state.clone().or_else(|| state.test_count.map(|count| format!("{count} tests")))
}

/// The project's state in a line; empty where nothing is known.
fn state_line(state: &State) -> String {
    let known = |label: &str, text: &str| (!text.is_empty()).then(|| format!("{label}: {text}"));
    let tests = tests(state).unwrap_or_default();
    let facts = [known("Version", &state.version), known("Branch", &state.branch), known("Tests", &tests)];
    facts.into_iter().flatten().collect::<Vec<_>>().join(" | ")
}

/// Members of the project's state.
const STATE: &[Argument] = &[
    Argument::required("session", Kind::Number, "number of the newest session"),
    Argument::required("version", Kind::Text, "the project's version; empty if not known"),
    Argument::required("branch", Kind::Text, "the branch; empty if not known"),
    Argument::optional("test_count", Kind::Number, "how many tests there are"),
    Argument::optional("test_state", Kind::Text, "how the tests went, in words"),
    Argument::required("status", Kind::Text, "active, idle or closed"),
];

/// Members of an item of deferred work.
const WORK: &[Argument] = &[
    Argument::required("id", Kind::Text, "its id, such as `DW-001`"),
    Argument::required("priority", Kind::Text, "P0 (most urgent) to P3"),
    Argument::required("description", Kind::Text, "what is to be done"),
    Argument::required("status", Kind::Text, "pending, in progress or completed"),
    Argument::optional("notes", Kind::Text, "what else is to be known"),
];

/// How a session is, in a word.
fn word(status: &Status) -> &str {
    match status {
        Status::Idle => "idle",
        Status::Other(word) => word,
        Status::Active | Status::Closed => "active",
    }
}

/// The file that holds the record, for messages.
const FILE: &str = locate::FILE;
