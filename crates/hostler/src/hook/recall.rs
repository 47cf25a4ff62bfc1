//! What a prompt brings back: records of earlier sessions, and reminders.
//!
//! Only a prompt that asks for it opens a file: a trigger phrase the record of sessions, a reminder's words its text
//! and the session's state. What goes wrong here is told, and the prompt goes on.

use std::fs::File;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use hostler_host::claude::write;
use hostler_host::reason::shorten;
use hostler_ledger::state;
use hostler_model::{Event, EventKind, StartSource};
use hostler_policy::recall::{self, Scope};
use serde_json::json;

use super::record::{Attributes, set};
use super::{Clock, World, answer};
use crate::config::{Level, Reminder, Source};
use crate::session::{Sessions, recall as records};

/// What is told of one file, in characters; the rest is named.
const TEXT_CHARS_MAX: usize = 5_000;
/// What reminders of one prompt take together, in characters: what is told besides must fit into the answer too. One
/// that finds no room comes with the next prompt that mentions it.
const TOGETHER_CHARS_MAX: usize = 5_500;
/// More of a file than this, in bytes, is not read.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// What an event brings back.
#[derive(Debug, Default)]
pub(super) struct Brought {
    /// For the agent.
    pub(super) context: Option<String>,
    /// For the user.
    pub(super) faults: Vec<String>,
    reminders: Vec<String>,
    recalled: Option<usize>,
}

impl Brought {
    /// Adds to the event's record what was brought.
    pub(super) fn record(&self, attributes: &mut Attributes) {
        if let Some(matches) = self.recalled {
            set(attributes, "recall_matches", matches);
        }
        if !self.reminders.is_empty() {
            set(attributes, "reminders", json!(self.reminders));
        }
    }
}

/// What this event brings back; only prompts do. Never panics: what else is told with the event has to be told.
pub(super) fn brought(event: &Event, world: &World, clock: Clock) -> Brought {
    if event.agent.is_some() {
        return Brought::default();
    }
    catch_unwind(AssertUnwindSafe(|| match &event.kind {
        EventKind::Prompt { text } => of_prompt(text, event, world, clock),
        EventKind::SessionStart { source: StartSource::Compact | StartSource::Clear } => forget(event, world),
        _ => Brought::default(),
    }))
    .unwrap_or_else(|panic| Brought { faults: vec![super::panic_text(panic.as_ref())], ..Brought::default() })
}

fn of_prompt(prompt: &str, event: &Event, world: &World, clock: Clock) -> Brought {
    let mut out = Brought::default();
    let mut texts: Vec<String> = search(prompt, event, world, clock, &mut out).into_iter().collect();
    texts.extend(reminders(prompt, event, world, clock, &mut out));
    out.context = (!texts.is_empty()).then(|| texts.join("\n\n"));
    out
}

/// What the records say about what the prompt asks for; nothing where no sessions are kept.
fn search(prompt: &str, event: &Event, world: &World, clock: Clock, out: &mut Brought) -> Option<String> {
    let configured = world.config.recall;
    let query = configured.enabled.then(|| recall::trigger(prompt)).flatten()?.query;
    if query.is_empty() {
        return None;
    }
    watch(event, clock, "searching the record of sessions");
    let sessions = Sessions::find(&event.cwd, &world.project, world.dirs.as_ref()?, &world.config)?;
    let context = match sessions.read() {
        Ok(context) => context,
        Err(error) => {
            out.faults.push(format!("the record of sessions could not be searched: {error}"));
            return None;
        }
    };
    let found = records::search(&context, &query, &configured.limits);
    out.recalled = Some(found.matches.len());
    let damage = records::damage(&context);
    let scope = Scope { sessions: context.session_count(), damage: damage.as_deref() };
    Some(recall::context(&query, &found, scope))
}

/// The texts of the reminders that the prompt brings, each once.
fn reminders(prompt: &str, event: &Event, world: &World, clock: Clock, out: &mut Brought) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for reminder in &world.config.reminders {
        match reminder.when.fires(prompt) {
            Ok(false) => continue,
            Ok(true) => {}
            Err(error) => {
                out.faults.push(format!("`pattern` of reminder `{}`: {error}", reminder.id));
                continue;
            }
        }
        watch(event, clock, "reading a reminder");
        match text(reminder, world) {
            Ok(text) => {
                let told = format!("Reminder `{}`, since the prompt mentions it:\n{text}", reminder.id);
                let taken: usize = texts.iter().map(|it| it.chars().count()).sum();
                let fits = texts.is_empty() || taken + told.chars().count() <= TOGETHER_CHARS_MAX;
                if !fits || (reminder.once && !is_first(&reminder.key(), event, world)) {
                    continue;
                }
                out.reminders.push(reminder.id.clone());
                // Both levels may bring the same words under the same name.
                if !texts.contains(&told) {
                    texts.push(told);
                }
            }
            Err(why) => {
                if is_first(&format!("{}:missing", reminder.key()), event, world) {
                    out.faults.push(format!("reminder `{}` says nothing: {why}", reminder.id));
                }
            }
        }
    }
    texts
}

/// Whether this is the first time since the context began. Where that cannot be kept it always is: told twice is
/// better than never.
fn is_first(name: &str, event: &Event, world: &World) -> bool {
    let Some(state) = world.state() else { return true };
    state::update(state, &event.session, |state| state.add(name, 1)).map_or(true, |count| count == 1)
}

/// The context that was told is gone: everything may be told again.
fn forget(event: &Event, world: &World) -> Brought {
    let mut out = Brought::default();
    let Some(state) = world.state().filter(|_| !world.config.reminders.is_empty()) else { return out };
    let forgotten = state::update(state, &event.session, |state| {
        for reminder in &world.config.reminders {
            state.set_counter(&reminder.key(), 0);
        }
    });
    if let Err(error) = forgotten {
        out.faults.push(format!("reminders of this session stay silent: {error}"));
    }
    out
}

/// A reminder's text, bounded.
///
/// # Errors
/// Why there is none, and what to do.
fn text(reminder: &Reminder, world: &World) -> Result<String, String> {
    let named = match &reminder.source {
        Source::Text(text) => return Ok(text.clone()),
        Source::File(named) => named,
    };
    let (text, is_cut) = read(&find(named, reminder.level, world)?)?;
    let text = text.trim();
    if text.is_empty() {
        return Err(format!("`{named}` is empty"));
    }
    let told = shorten(text, TEXT_CHARS_MAX);
    if is_cut || told != text {
        return Ok(format!("{told}\n(cut; the whole: {named})"));
    }
    Ok(told)
}

/// The file that a reminder names, links followed. A project names files of its own; the user also those of the
/// configuration's folder, which come first.
fn find(named: &str, level: Level, world: &World) -> Result<PathBuf, String> {
    let project = &world.project.root;
    let users = world.dirs.as_ref().map(|dirs| dirs.config.as_path());
    let folders: Vec<&Path> = match level {
        Level::User => users.into_iter().chain([project.as_path()]).collect(),
        Level::Shipped | Level::Project => vec![project],
    };
    let inside = |path: &Path| {
        folders
            .iter()
            .any(|folder| std::fs::canonicalize(folder).is_ok_and(|folder| path.starts_with(folder)))
    };
    let mut outside = false;
    for folder in &folders {
        // An absolute path replaces the folder.
        let Ok(path) = std::fs::canonicalize(folder.join(named)) else { continue };
        if inside(&path) {
            return Ok(path);
        }
        outside = true;
    }
    let within = match level {
        Level::User => "the project and the folder of your configuration",
        Level::Shipped | Level::Project => "the project",
    };
    Err(if outside {
        format!("`{named}` lies outside {within}, links followed; name a file in there")
    } else {
        format!("there is no file `{named}` in {within}; make it, or name another one in the configuration")
    })
}

/// The beginning of a file; `true`: there is more of it.
fn read(path: &Path) -> Result<(String, bool), String> {
    let failed = |error: std::io::Error| format!("`{}` could not be read: {error}", path.display());
    // Asked before it is opened: a pipe would hold us.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(format!("`{}` is no regular file; name one", path.display()));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    let is_cut = FILE_BYTES_MAX < bytes.len() as u64;
    Ok((String::from_utf8_lossy(&bytes).into_owned(), is_cut))
}

/// A file on a dead network mount must not hold the prompt.
fn watch(event: &Event, clock: Clock, what: &str) {
    let late = format!("{what} took longer than {} s", super::TIME_MAX.as_secs());
    answer::watch(clock.deadline, write::write(event, &super::fault_reply(&late, false)));
}
