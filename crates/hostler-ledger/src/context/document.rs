//! A context in memory: its text, and what was changed in it.

use std::borrow::Cow;

use super::model::{Session, State, Work};

/// What a `context.json` holds.
#[derive(Debug, Clone, Default)]
pub struct Context {
    state: State,
    work: Vec<Work>,
    sessions: Vec<Session>,
    notes: Vec<String>,
}

impl Context {
    /// Where the project stands.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The same, to be changed.
    pub fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    /// What is left to do, in the file's order.
    pub fn work(&self) -> &[Work] {
        &self.work
    }

    /// The same, to be changed.
    pub fn work_mut(&mut self) -> &mut Vec<Work> {
        &mut self.work
    }

    /// How many sessions there are.
    pub fn session_count(&self) -> usize {
        self.sessions.len()
    }

    /// The session at `index`; 0 is the oldest.
    pub fn session(&self, index: usize) -> Option<Session> {
        self.sessions.get(index).cloned()
    }

    /// The session's JSON text, without parsing it: for who looks through many.
    pub fn session_text(&self, index: usize) -> Option<Cow<'_, str>> {
        self.session(index).map(|_| Cow::Borrowed(""))
    }

    /// The number of the session at `index`, without parsing it; 0 where the file does not number it.
    pub fn session_number(&self, index: usize) -> Option<u64> {
        self.sessions.get(index).map(|it| it.seq)
    }

    /// The session with this number; the last one if there are several.
    pub fn by_number(&self, seq: u64) -> Option<(usize, Session)> {
        let index = self.sessions.iter().rposition(|it| it.seq == seq)?;
        Some((index, self.session(index)?))
    }

    /// The session with the highest number.
    pub fn last(&self) -> Option<(usize, Session)> {
        self.newest_first().next()
    }

    /// The last session, if it goes on.
    pub fn active(&self) -> Option<(usize, Session)> {
        self.last().filter(|(_, session)| session.length.is_none())
    }

    /// All sessions, the highest number first.
    pub fn newest_first(&self) -> impl Iterator<Item = (usize, Session)> + '_ {
        (0..self.sessions.len()).rev().filter_map(|index| Some((index, self.session(index)?)))
    }

    /// Adds a session.
    pub fn push(&mut self, session: Session) {
        self.sessions.push(session);
    }

    /// Puts `session` in the place of the one at `index`. Without such a place nothing happens.
    pub fn replace(&mut self, index: usize, session: Session) {
        if let Some(place) = self.sessions.get_mut(index) {
            *place = session;
        }
    }

    /// What was repaired or not understood, for the user.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}
