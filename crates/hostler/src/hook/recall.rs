//! What a prompt brings back: records of earlier sessions, and reminders.
//!
//! Only a prompt that asks for it opens a file: a trigger phrase the record of sessions, a reminder's words its text
//! and the session's state. What goes wrong here is told, and the prompt goes on.

use std::fs::File;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use hostler_host::reply::{char_in_json, chars_in_json};
use hostler_ledger::state;
use hostler_model::text::shorten;
use hostler_model::{Event, EventKind, StartSource};
use hostler_policy::recall::{self, Scope};
use serde_json::json;

use super::record::{Attributes, set};
use super::{Caller, World};
use crate::config::{Level, Reminder, Source};
use crate::session::{Sessions, recall as records};

/// What is told of one file, in characters; the rest is named.
const TEXT_CHARS_MAX: usize = 5_000;
/// What reminders of one prompt take together, in characters of JSON. One that finds no room comes with the next prompt
/// that mentions it.
const TOGETHER_UNITS_MAX: usize = 5_600;
/// Less of a text than this, in characters of JSON, is not told: it waits for more room.
const CUT_UNITS_MIN: usize = 800;
/// More of a file than this, in bytes, is not read.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// What an event brings back.
#[derive(Debug, Default)]
pub(super) struct Brought {
    /// For the agent: what the records say.
    pub(super) context: Option<String>,
    /// For the user.
    pub(super) faults: Vec<String>,
    /// What the prompt mentions and was not told yet.
    mentioned: Vec<Mentioned>,
    /// The ids of what is told.
    reminders: Vec<String>,
    recalled: Option<usize>,
}

/// A reminder that a prompt mentions.
#[derive(Debug)]
struct Mentioned {
    id: String,
    /// The counter to be raised when it was told; `None` for one that is told each time.
    key: Option<String>,
    text: Text,
}

/// What a reminder says.
#[derive(Debug)]
struct Text {
    told: String,
    /// Where all of it is.
    whole: String,
    /// There is more than `told`.
    is_cut: bool,
    /// A file that the agent can read.
    is_file: bool,
}

impl Brought {
    /// The reminders that find room in `units` characters of JSON, for the agent. From now on they count as told, once
    /// the answer is given.
    pub(super) fn reminders(
        &mut self,
        units: usize,
        event: &Event,
        world: &World,
        caller: &Caller,
    ) -> Option<String> {
        let mut left = units.min(TOGETHER_UNITS_MAX);
        let mut texts: Vec<String> = Vec::new();
        let mut keys = Vec::new();
        for Mentioned { id, key, text } in std::mem::take(&mut self.mentioned) {
            let Some(told) = text.within(&id, left, texts.is_empty()) else { continue };
            // Both levels may bring the same words under the same name.
            if !texts.contains(&told) {
                left = left.saturating_sub(chars_in_json(&told) + chars_in_json(BETWEEN));
                texts.push(told);
            }
            self.reminders.push(id);
            keys.extend(key);
        }
        count(keys, event, world, caller);
        (!texts.is_empty()).then(|| texts.join(BETWEEN))
    }

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

/// Between two texts for the agent.
const BETWEEN: &str = "\n\n";

impl Text {
    /// What is told of it in `units` characters of JSON. One that has no room is cut where nothing was told before it
    /// and the agent can read the rest, or where it never has more room; otherwise it waits.
    fn within(&self, id: &str, units: usize, is_first: bool) -> Option<String> {
        let head = format!("Reminder `{id}`, since the prompt mentions it:\n");
        let tail = format!("\n(cut; the whole: {})", self.whole);
        let of = |told: &str, tail: &str| format!("{head}{told}{tail}");
        let all = of(&self.told, if self.is_cut { &tail } else { "" });
        if chars_in_json(&all) <= units {
            return Some(all);
        }
        let may_cut = is_first && CUT_UNITS_MIN <= units && (self.is_file || TOGETHER_UNITS_MAX <= units);
        let room = may_cut.then(|| units.checked_sub(chars_in_json(&of("…", &tail)))).flatten()?;
        let mut taken = 0;
        let end = self.told.char_indices().find(|(_, c)| {
            taken += char_in_json(*c);
            room < taken
        });
        let told = self.told.get(..end?.0)?;
        Some(of(&format!("{}…", told.trim_end_matches('…').trim_end()), &tail))
    }
}

/// What this event brings back; only prompts do. Never panics: what else is told with the event has to be told.
pub(super) fn brought(event: &Event, world: &World, caller: &Caller) -> Brought {
    if event.agent.is_some() {
        return Brought::default();
    }
    catch_unwind(AssertUnwindSafe(|| match &event.kind {
        EventKind::Prompt { text } => of_prompt(text, event, world, caller),
        EventKind::SessionStart { source: StartSource::Compact | StartSource::Clear } => forget(event, world),
        _ => Brought::default(),
    }))
    .unwrap_or_else(|panic| Brought { faults: vec![super::panic_text(panic.as_ref())], ..Brought::default() })
}

fn of_prompt(prompt: &str, event: &Event, world: &World, caller: &Caller) -> Brought {
    let mut out = Brought::default();
    if world.config.recall.enabled || !world.config.reminders.is_empty() {
        // Before anything is read: a prompt may be long, and a file on a dead network mount holds whoever reads it.
        let late = format!("what the prompt brings back took longer than {} s", super::TIME_MAX.as_secs());
        caller.watch(caller.deadline, super::fault_reply(&late, false));
    }
    out.context = search(prompt, event, world, &mut out);
    out.mentioned = mentioned(prompt, event, world, caller, &mut out.faults);
    out
}

/// What the records say about what the prompt asks for; nothing where no sessions are kept.
fn search(prompt: &str, event: &Event, world: &World, out: &mut Brought) -> Option<String> {
    let configured = world.config.recall;
    let query = configured.enabled.then(|| recall::trigger(prompt)).flatten()?.query;
    if query.is_empty() {
        return None;
    }
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

/// The reminders that the prompt mentions and that were not told yet.
fn mentioned(
    prompt: &str,
    event: &Event,
    world: &World,
    caller: &Caller,
    faults: &mut Vec<String>,
) -> Vec<Mentioned> {
    let mut out = Vec::new();
    let mut complained = Vec::new();
    let mut fired = Vec::new();
    for reminder in &world.config.reminders {
        match reminder.when.fires(prompt) {
            Ok(false) => {}
            Ok(true) => fired.push(reminder),
            Err(error) => faults.push(format!("`pattern` of reminder `{}`: {error}", reminder.id)),
        }
    }
    // Where the state cannot be read nothing was told: told twice is better than never.
    let state =
        world.state().filter(|_| !fired.is_empty()).and_then(|it| state::load(it, &event.session).ok());
    let was_told = |key: &str| state.as_ref().is_some_and(|state| 0 < state.counter(key));
    for reminder in fired {
        let key = reminder.key();
        if reminder.once && was_told(&key) {
            continue;
        }
        match text(reminder, &Homes::of(world)) {
            Ok(text) => {
                out.push(Mentioned { id: reminder.id.clone(), key: reminder.once.then_some(key), text });
            }
            Err(why) => {
                let key = format!("{key}:missing");
                if !was_told(&key) {
                    faults.push(format!("reminder `{}` says nothing: {why}", reminder.id));
                    complained.push(key);
                }
            }
        }
    }
    count(complained, event, world, caller);
    out
}

/// Counts what is told when it was told: what the watchdog said instead of it was something else.
fn count(keys: Vec<String>, event: &Event, world: &World, caller: &Caller) {
    let Some(state) = world.state().filter(|_| !keys.is_empty()).map(Path::to_path_buf) else { return };
    let session = event.session.clone();
    caller.afterwards(move || {
        // Where it cannot be kept it is told again.
        let _ = state::update(&state, &session, |state| {
            for key in &keys {
                state.add(key, 1);
            }
        });
    });
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

/// Where files of reminders lie.
pub(crate) struct Homes<'a> {
    /// The project's top folder.
    pub(crate) project: &'a Path,
    /// The folder of the user's configuration.
    pub(crate) user: Option<&'a Path>,
}

impl<'a> Homes<'a> {
    fn of(world: &'a World) -> Self {
        let user = world.dirs.as_ref().map(|dirs| dirs.config.as_path());
        Self { project: &world.project.root, user }
    }
}

/// Why a reminder will say nothing when it is due; `None` if all is well.
pub(crate) fn unusable(reminder: &Reminder, homes: &Homes<'_>) -> Option<String> {
    let pattern = reminder.when.fires("").err().map(|error| format!("`pattern`: {error}"));
    pattern.or_else(|| text(reminder, homes).err())
}

/// A reminder's text, bounded.
///
/// # Errors
/// Why there is none, and what to do.
fn text(reminder: &Reminder, homes: &Homes<'_>) -> Result<Text, String> {
    let named = match &reminder.source {
        Source::Text(text) => {
            let whole = format!("`text` of reminder `{}` in the configuration", reminder.id);
            return Ok(Text { told: text.clone(), whole, is_cut: false, is_file: false });
        }
        Source::File(named) => named,
    };
    let (text, is_cut) = read(&find(named, reminder.level, homes)?)?;
    let text = text.trim();
    if text.is_empty() {
        return Err(format!("`{named}` is empty"));
    }
    let told = shorten(text, TEXT_CHARS_MAX);
    let is_cut = is_cut || told != text;
    Ok(Text { told, whole: named.clone(), is_cut, is_file: true })
}

/// The file that a reminder names, links followed. A project names files of its own; the user also those of the
/// configuration's folder, which come first.
fn find(named: &str, level: Level, homes: &Homes<'_>) -> Result<PathBuf, String> {
    let folders: Vec<&Path> = match level {
        Level::User => homes.user.into_iter().chain([homes.project]).collect(),
        Level::Shipped | Level::Project => vec![homes.project],
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
