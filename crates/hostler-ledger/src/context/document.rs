//! A context in memory: its text, and what was changed in it.
//!
//! Sessions stay text until somebody asks for one. A change is kept beside the text, and written as the text's
//! slices with the new parts between them.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::NUMBER_MAX;
use super::json::{self, Json, Style};
use super::layout::{HISTORY, Layout, SCHEMA_VERSION, STATE, WORK};
use super::model::{Session, State, Status, Work};
use super::scan::{Fault, Span};

/// What a `context.json` holds.
#[derive(Debug, Clone)]
pub struct Context {
    text: String,
    layout: Layout,
    /// As the file has it; `None`: it has none, or one that is no number.
    version: Option<u64>,
    read: Small,
    now: Small,
    replaced: BTreeMap<usize, Session>,
    pushed: Vec<Session>,
    /// Members that are not ours and come to the text.
    foreign: Vec<(String, Json)>,
    /// The session that goes on although it has a length; see [`open_in_older`].
    open: Option<usize>,
    notes: Vec<String>,
}

/// Where an older file has a length for a session that still went on, it is kept under this name.
const LENGTH_SO_FAR: &str = "length_so_far";

/// The parts that are always read.
#[derive(Debug, Clone, Default, PartialEq)]
struct Small {
    state: State,
    work: Vec<Work>,
}

/// A text that is not what it should be, and what could be read of it.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) fault: Fault,
    pub(super) text: String,
    pub(super) layout: Layout,
}

/// A part of the text and what comes in its place.
struct Edit {
    span: Span,
    text: String,
}

impl Context {
    /// Where the project stands.
    pub fn state(&self) -> &State {
        &self.now.state
    }

    /// The same, to be changed.
    pub fn state_mut(&mut self) -> &mut State {
        &mut self.now.state
    }

    /// What is left to do, in the file's order.
    pub fn work(&self) -> &[Work] {
        &self.now.work
    }

    /// The same, to be changed. An item without an id is given the next free one.
    pub fn work_mut(&mut self) -> &mut Vec<Work> {
        &mut self.now.work
    }

    /// How many sessions there are.
    pub fn session_count(&self) -> usize {
        self.layout.sessions.len() + self.pushed.len()
    }

    /// The session at `index`; 0 is the first in the file.
    pub fn session(&self, index: usize) -> Option<Session> {
        if let Some(session) = self.changed_session(index) {
            return Some(session.clone());
        }
        let place = self.layout.sessions.get(index)?;
        let mut session = Session::read(json::parse(place.span.of(&self.text)));
        if self.open == Some(index)
            && let Some(length) = session.length.take()
        {
            session.other.insert(LENGTH_SO_FAR.to_owned(), length.into());
        }
        Some(session)
    }

    /// The session's JSON text, not parsed: for who looks through many.
    pub fn session_text(&self, index: usize) -> Option<Cow<'_, str>> {
        if self.open == Some(index) || self.changed_session(index).is_some() {
            return Some(Cow::Owned(Style::default().text(&self.session(index)?.json())));
        }
        Some(Cow::Borrowed(self.layout.sessions.get(index)?.span.of(&self.text)))
    }

    /// The number of the session at `index`, without parsing it; 0 where the file does not number it.
    pub fn session_number(&self, index: usize) -> Option<u64> {
        match self.changed_session(index) {
            Some(session) => Some(session.seq),
            None => Some(self.layout.sessions.get(index)?.seq),
        }
    }

    fn changed_session(&self, index: usize) -> Option<&Session> {
        match index.checked_sub(self.layout.sessions.len()) {
            Some(pushed) => self.pushed.get(pushed),
            None => self.replaced.get(&index),
        }
    }

    /// The session with this number; the last one if there are several.
    pub fn by_number(&self, seq: u64) -> Option<(usize, Session)> {
        let index = (0..self.session_count()).rev().find(|it| self.session_number(*it) == Some(seq))?;
        Some((index, self.session(index)?))
    }

    /// The session with the highest number; the last of those in a file without numbers.
    pub fn last(&self) -> Option<(usize, Session)> {
        let index = (0..self.session_count()).max_by_key(|it| self.session_number(*it))?;
        Some((index, self.session(index)?))
    }

    /// The last session, if it goes on.
    pub fn active(&self) -> Option<(usize, Session)> {
        self.last().filter(|(_, session)| session.length.is_none())
    }

    /// Places of all sessions, the highest number first.
    pub fn newest_first_indexes(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.session_count()).collect();
        order.sort_by_key(|it| self.session_number(*it));
        order.reverse();
        order
    }

    /// All sessions, the highest number first, each parsed when it is reached.
    pub fn newest_first(&self) -> impl Iterator<Item = (usize, Session)> + '_ {
        self.newest_first_indexes().into_iter().filter_map(|index| Some((index, self.session(index)?)))
    }

    /// Adds a session.
    pub fn push(&mut self, session: Session) {
        self.pushed.push(session);
    }

    /// Puts `session` in the place of the one at `index`. Without such a place nothing happens.
    pub fn replace(&mut self, index: usize, session: Session) {
        match index.checked_sub(self.layout.sessions.len()) {
            Some(pushed) => {
                if let Some(place) = self.pushed.get_mut(pushed) {
                    *place = session;
                }
            }
            None => {
                self.replaced.insert(index, session);
            }
        }
    }

    /// What was repaired or not understood, for the user.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

impl Context {
    /// Reads a text. Where it is not what it should be, tells that and what could be read before.
    pub(super) fn parse(text: String) -> Result<Self, Box<Broken>> {
        let mut layout = Layout::default();
        if let Err(fault) = layout.read(&text) {
            return Err(Box::new(Broken { fault, text, layout }));
        }
        let value = |span: Option<Span>| span.map(|it| json::parse(it.of(&text)));
        let version = value(layout.schema_version).and_then(|it| it.as_u64());
        let state = value(layout.state).map(State::read).unwrap_or_default();
        let mut work: Vec<Work> = match value(layout.work) {
            Some(serde_json::Value::Array(items)) => items.into_iter().map(Work::read).collect(),
            _ => Vec::new(),
        };
        name_items(&mut work);
        let mut notes = Vec::new();
        for name in &layout.doubled {
            notes.push(format!("`{name}` is there more than once, the last one counts; take the others out"));
        }
        if layout.schema_version.is_some() && version.is_none() {
            notes.push(format!("`{SCHEMA_VERSION}` is no number; the next update writes it anew"));
        }
        let now = Small { state, work };
        let open = open_in_older(&text, &layout, version, &now.state);
        let (replaced, pushed, foreign) = (BTreeMap::new(), Vec::new(), Vec::new());
        Ok(Self { text, layout, version, read: now.clone(), now, replaced, pushed, foreign, open, notes })
    }

    pub(super) fn version(&self) -> Option<u64> {
        self.version
    }

    pub(super) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Adds a member that is not ours.
    pub(super) fn add_foreign(&mut self, name: String, value: &serde_json::Value) {
        self.foreign.push((name, Json::from(value)));
    }

    /// Those that were added: names in quotes and values.
    pub(super) fn added_foreign(&self) -> impl Iterator<Item = (String, String)> {
        let written = |json: &Json| Style::default().text(json);
        self.foreign.iter().map(move |(name, value)| (written(&Json::text(name)), written(value)))
    }

    pub(super) fn into_parts(self) -> (String, Layout) {
        (self.text, self.layout)
    }

    /// The spans of top-level members that are not ours: names and values.
    pub(super) fn foreign(&self) -> impl Iterator<Item = (&str, &str)> {
        foreign(&self.text, &self.layout)
    }

    /// Items that are new or not as they were, and the ids of those that are gone; of an id that is used again, all
    /// that have it.
    pub(super) fn changed_work(&self) -> (Vec<&Work>, Vec<&str>) {
        if self.now.work == self.read.work {
            return (Vec::new(), Vec::new());
        }
        let now: HashSet<(&str, &str)> =
            self.now.work.iter().map(|it| (it.id.as_str(), it.description.as_str())).collect();
        let gone: Vec<&str> = self
            .read
            .work
            .iter()
            .filter(|it| !it.id.is_empty() && !now.contains(&(it.id.as_str(), it.description.as_str())))
            .map(|it| it.id.as_str())
            .collect();
        let mut read: HashMap<&str, Vec<&Work>> = HashMap::new();
        for work in &self.read.work {
            read.entry(&work.id).or_default().push(work);
        }
        let again: HashSet<&str> = gone.iter().copied().collect();
        let is_told = |it: &&Work| {
            let same = read.get(it.id.as_str()).is_some_and(|all| all.contains(it));
            !same || again.contains(it.id.as_str())
        };
        (self.now.work.iter().filter(is_told).collect(), gone)
    }

    /// Sessions that are new or not as they were.
    pub(super) fn changed_sessions(&self) -> impl Iterator<Item = &Session> {
        self.replaced.values().chain(&self.pushed)
    }

    /// Sessions that are not as they were, each as it was and as it is.
    pub(super) fn replaced(&self) -> impl Iterator<Item = (Session, &Session)> {
        let before = |index: &usize| {
            let place = self.layout.sessions.get(*index)?;
            Some(Session::read(json::parse(place.span.of(&self.text))))
        };
        self.replaced.iter().filter_map(move |(index, session)| Some((before(index)?, session)))
    }

    /// Sessions that were added, with their places.
    pub(super) fn added(&self) -> impl Iterator<Item = (usize, &Session)> {
        self.pushed.iter().enumerate().map(|(index, session)| (self.layout.sessions.len() + index, session))
    }

    /// Ids that more items have than before, and more than one.
    pub(super) fn doubles(&self) -> HashSet<&str> {
        let count = |work: &'_ [Work]| {
            let mut counts: HashMap<String, usize> = HashMap::new();
            for it in work {
                *counts.entry(it.id.clone()).or_default() += 1;
            }
            counts
        };
        let (now, read) = (count(&self.now.work), count(&self.read.work));
        let is_double = |id: &&str| {
            let times = now.get(*id).copied().unwrap_or_default();
            1 < times && read.get(*id).copied().unwrap_or_default() < times
        };
        self.now.work.iter().map(|it| it.id.as_str()).filter(is_double).collect()
    }

    /// Forgets replacements that change nothing, names items that have no name, and says whether anything is left.
    pub(super) fn settle(&mut self) -> bool {
        let (text, layout) = (&self.text, &self.layout);
        self.replaced.retain(|index, session| {
            let before = layout.sessions.get(*index).map(|it| json::parse(it.span.of(text)));
            before.is_none_or(|it| Session::read(it) != *session)
        });
        let changed = self.now != self.read || !self.replaced.is_empty() || !self.pushed.is_empty();
        if changed {
            self.keep_open();
            name_items(&mut self.now.work);
        }
        changed
    }

    /// With our version in the file a length says that a session is over: it is taken from the one that goes on.
    pub(super) fn keep_open(&mut self) {
        if let Some(index) = self.open
            && let Some(session) = self.session(index)
        {
            self.replaced.insert(index, session);
        }
    }

    /// What the text becomes: parts of it and new ones, in order.
    pub(super) fn parts(&self, version: u64) -> Vec<Cow<'_, str>> {
        let mut parts = Vec::new();
        let mut at = 0;
        for edit in self.edits(version) {
            parts.push(Cow::Borrowed(self.text.get(at..edit.span.start).unwrap_or_default()));
            parts.push(Cow::Owned(edit.text));
            at = edit.span.end;
        }
        parts.push(Cow::Borrowed(self.text.get(at..).unwrap_or_default()));
        parts.retain(|it| !it.is_empty());
        parts
    }

    fn edits(&self, version: u64) -> Vec<Edit> {
        let style = Style::of(&self.text);
        let mut edits = Vec::new();
        let mut added: Vec<(&str, Json)> = Vec::new();
        self.version_edit(version, &style, &mut edits, &mut added);

        let migrates = self.version.is_none();
        let absent = |span: Option<Span>| span.is_none_or(|it| it.of(&self.text) == "null");
        if migrates || self.now.state != self.read.state || absent(self.layout.state) {
            let (old, new) = (self.read.state.json(), self.now.state.json());
            self.member_edit(STATE, self.layout.state, &old, new, &style, &mut edits, &mut added);
        }
        if migrates || self.now.work != self.read.work || absent(self.layout.work) {
            let list = |work: &[Work]| Json::Array(work.iter().map(Work::json).collect());
            let (old, new) = (list(&self.read.work), list(&self.now.work));
            self.member_edit(WORK, self.layout.work, &old, new, &style, &mut edits, &mut added);
        }
        self.session_edits(&style, &mut edits, &mut added);
        added.extend(self.foreign.iter().map(|(name, value)| (name.as_str(), value.clone())));

        if !added.is_empty() {
            edits.push(self.added_members(&added, &style));
        }
        edits.sort_by_key(|it| it.span.start);
        edits
    }

    fn version_edit(
        &self,
        version: u64,
        style: &Style,
        edits: &mut Vec<Edit>,
        added: &mut Vec<(&str, Json)>,
    ) {
        if self.version.is_some() {
            return;
        }
        if let Some(span) = self.layout.schema_version {
            edits.push(Edit { span, text: version.to_string() });
        } else if let Some((first, _)) = self.layout.members.first() {
            // The blanks before the first name serve once more.
            let open = self.text.find('{').map_or(0, |it| it + 1);
            let blanks = self.text.get(open..first.start).unwrap_or_default();
            let blanks = if blanks.is_empty() && style.spaced { " " } else { blanks };
            let mut text = String::new();
            style.name(SCHEMA_VERSION, &mut text);
            text.extend([&version.to_string(), ",", blanks]);
            edits.push(Edit { span: Span { start: first.start, end: first.start }, text });
        } else {
            added.push((SCHEMA_VERSION, Json::number(version)));
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one member of the document, told once")]
    fn member_edit<'a>(
        &self,
        name: &'a str,
        span: Option<Span>,
        old: &Json,
        new: Json,
        style: &Style,
        edits: &mut Vec<Edit>,
        added: &mut Vec<(&'a str, Json)>,
    ) {
        let Some(span) = span else {
            added.push((name, new));
            return;
        };
        let raw = span.of(&self.text);
        let text = json::patch(raw, old, &new, &style.at(&self.text, span.start));
        if text != raw {
            edits.push(Edit { span, text });
        }
    }

    fn session_edits(&self, style: &Style, edits: &mut Vec<Edit>, added: &mut Vec<(&str, Json)>) {
        for (index, session) in &self.replaced {
            let Some(place) = self.layout.sessions.get(*index) else { continue };
            let raw = place.span.of(&self.text);
            let old = Session::read(json::parse(raw)).json();
            let text = json::patch(raw, &old, &session.json(), &style.at(&self.text, place.span.start));
            if text != raw {
                edits.push(Edit { span: place.span, text });
            }
        }
        let array = || Json::Array(self.pushed.iter().map(Session::json).collect());
        match (self.layout.history, self.layout.sessions.last()) {
            (None, _) => added.push((HISTORY, array())),
            (Some(history), None) if !self.pushed.is_empty() || !history.of(&self.text).starts_with('[') => {
                let style = style.at(&self.text, history.start);
                edits.push(Edit { span: history, text: style.text(&array()) });
            }
            (Some(_), Some(last)) if !self.pushed.is_empty() => {
                let before = self.text.get(..last.span.start).unwrap_or_default();
                let blanks = &before[before.trim_end().len()..];
                let style = style.at(&self.text, last.span.start).like(last.span.of(&self.text));
                let blanks = if blanks.is_empty() && style.spaced { " " } else { blanks };
                let mut text = String::new();
                for session in &self.pushed {
                    text.push(',');
                    text.push_str(blanks);
                    style.write(&session.json(), 0, &mut text);
                }
                edits.push(Edit { span: Span { start: last.span.end, end: last.span.end }, text });
            }
            _ => {}
        }
    }

    fn added_members(&self, added: &[(&str, Json)], style: &Style) -> Edit {
        let mut text = String::new();
        let Some((_, last)) = self.layout.members.last() else {
            let members = added.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
            let start = self.text.find('{').unwrap_or(0);
            let text = Style::default().text(&Json::Object(members));
            return Edit { span: Span { start, end: self.layout.close + 1 }, text };
        };
        for (name, value) in added {
            text.push(',');
            style.line(1, true, &mut text);
            style.name(name, &mut text);
            style.write(value, 1, &mut text);
        }
        Edit { span: Span { start: last.end, end: last.end }, text }
    }
}

/// The session that goes on in a file of the older form: its schema asks for a length of each session, so that the
/// state alone tells. What has an end has ended.
fn open_in_older(text: &str, layout: &Layout, version: Option<u64>, state: &State) -> Option<usize> {
    if version.is_some() || state.status != Status::Active || state.session == 0 {
        return None;
    }
    let (index, place) = layout.sessions.iter().enumerate().max_by_key(|(_, it)| it.seq)?;
    let session = Session::read(json::parse(place.span.of(text)));
    let goes_on = place.seq == state.session && session.ended.is_none() && session.outcome.is_none();
    (goes_on && session.length.is_some()).then_some(index)
}

/// Top-level members that are not ours, with names in quotes, as far as they were read.
pub(super) fn foreign<'a>(text: &'a str, layout: &'a Layout) -> impl Iterator<Item = (&'a str, &'a str)> {
    let names = layout.members.iter().map(|(name, value)| (name.of(text), value.of(text)));
    names.filter(|(name, _)| ![SCHEMA_VERSION, STATE, WORK, HISTORY].contains(&name.trim_matches('"')))
}

/// Gives each item without an id the next free one.
pub(super) fn name_items(work: &mut [Work]) {
    // A number that leaves no next one was not given by us.
    let number = |it: &Work| it.id.strip_prefix("DW-")?.parse().ok().filter(|it: &u64| *it < NUMBER_MAX);
    let mut highest = work.iter().filter_map(number).max().unwrap_or(0);
    for item in work.iter_mut().filter(|it| it.id.is_empty()) {
        highest += 1;
        item.id = format!("DW-{highest:03}");
    }
}
