//! Which records match, and what of them is shown.

use std::borrow::Cow;
use std::cmp::Reverse;

use super::cut::around;
use super::query::{Hits, Query, Score};
use super::words::Folder;

/// Matches shown of one session, so that a long one does not fill the list.
const PER_SESSION_MAX: usize = 3;
/// Matches shown of the deferred work.
const DEFERRED_MAX: usize = 3;
/// How much of a text is shown, in characters.
const TEXT_CHARS_MAX: usize = 220;

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// What the session was for.
    Purpose,
    /// What it reached.
    Achievement,
    /// What was done in it.
    WorkLog,
    /// What was chosen in it, and why.
    Choice,
    /// What it was to reach.
    Objective,
    /// What was left to do.
    DeferredWork,
}

impl Kind {
    /// Its name, as it is shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Purpose => "purpose",
            Self::Achievement => "achievement",
            Self::WorkLog => "work log",
            Self::Choice => "choice",
            Self::Objective => "objective",
            Self::DeferredWork => "deferred work",
        }
    }
}

/// What can be found of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// Its number.
    pub number: u64,
    /// When it began, as it is recorded.
    pub when: String,
    /// Its texts.
    pub texts: Vec<(Kind, String)>,
}

/// An item of deferred work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deferred {
    /// Its id; may be empty.
    pub id: String,
    /// Priority and status, for people: `P1, pending`.
    pub state: String,
    /// What is to be done, and its notes.
    pub text: String,
}

/// A session's record that is read only as far as it is needed.
pub trait Entry {
    /// Its JSON text, where it can be had without reading the record: what stands nowhere in it is not looked for.
    fn raw(&self) -> Option<Cow<'_, str>>;
    /// The record; `None` when it cannot be read.
    fn read(&self) -> Option<Record>;
}

/// How far and how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many sessions are searched, from the newest on; `None`: all.
    pub sessions: Option<usize>,
    /// How many matches are shown.
    pub results: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { sessions: Some(20), results: 10 }
    }
}

/// One text that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// What the text is.
    pub kind: Kind,
    /// Where it is from.
    pub of: Of,
    /// The text, on one line and cut around the first match.
    pub text: String,
    /// Which terms it matches.
    pub terms: Vec<String>,
}

/// Where a text is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Of {
    /// A session.
    Session {
        /// Its number.
        number: u64,
        /// The day on which it began, `2026-04-01`; what is recorded where that is no date.
        date: String,
    },
    /// The list of deferred work.
    Deferred {
        /// The item's id; may be empty.
        id: String,
        /// Its priority and status.
        state: String,
    },
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// What matches, the newest session first, deferred work last.
    pub matches: Vec<Match>,
    /// How many sessions were searched.
    pub searched: usize,
    /// More sessions match than are shown.
    pub more: bool,
}

/// Searches sessions, which come newest first, and deferred work.
///
/// A session matches when one of its texts has one of the terms: as a whole word, or as the beginning of one. Where
/// more match than are shown, those with the most terms are, then those with the most whole words, then the newest;
/// they are shown newest first in any case. Each shown session has one text at least; where there is room, up to
/// three.
pub fn search<E: Entry>(
    newest_first: impl Iterator<Item = E>,
    deferred: &[Deferred],
    query: &Query,
    limits: &Limits,
) -> Found {
    if query.is_empty() || limits.results == 0 {
        return Found::default();
    }
    let mut best = Best::new(limits.results);
    let mut folder = Folder::new();
    let mut searched = 0;
    for entry in newest_first.take(limits.sessions.unwrap_or(usize::MAX)) {
        searched += 1;
        let bound = entry.raw().map_or(query.term_count(), |raw| query.bound(&raw, &mut folder));
        if bound == 0 {
            continue;
        }
        if !best.takes(Score { terms: bound, exact: bound }) {
            // It may match, and is not shown: nothing older can be better than what is there.
            best.more = true;
            continue;
        }
        if let Some(session) = entry.read().and_then(|record| Session::of(record, query)) {
            best.add(session);
        }
    }
    let left = deferred_matches(deferred, query, limits.results);
    let more = best.more;
    let room = limits.results.saturating_sub(left.len());
    let (mut matches, dropped) = best.matches(room, query);
    matches.extend(left);
    Found { matches, searched, more: more || dropped }
}

/// A session that matches.
struct Session {
    number: u64,
    date: String,
    score: Score,
    /// Its matching texts, the best first.
    texts: Vec<(Kind, String, Hits)>,
}

impl Session {
    fn of(record: Record, query: &Query) -> Option<Self> {
        let mut all = Hits::default();
        let mut texts = Vec::new();
        for (kind, text) in record.texts {
            let hits = query.hits(&text);
            if hits.first.is_some() {
                all = all.and(hits);
                texts.push((kind, text, hits));
            }
        }
        texts.sort_by_key(|(_, _, hits)| Reverse(hits.score()));
        let session = Self { number: record.number, date: day(&record.when), score: all.score(), texts };
        (!session.texts.is_empty()).then_some(session)
    }
}

/// The best sessions so far, newest first.
struct Best {
    sessions: Vec<Session>,
    room: usize,
    more: bool,
}

impl Best {
    fn new(room: usize) -> Self {
        Self { sessions: Vec::new(), room, more: false }
    }

    /// An older session with this score would be shown.
    fn takes(&self, score: Score) -> bool {
        self.sessions.len() < self.room || self.sessions.iter().any(|it| it.score < score)
    }

    fn add(&mut self, session: Session) {
        self.sessions.push(session);
        if self.room < self.sessions.len() {
            self.drop_one();
        }
    }

    /// The worst goes, and of those the oldest.
    fn drop_one(&mut self) {
        let worst = self.sessions.iter().enumerate().min_by_key(|(at, it)| (it.score, Reverse(*at)));
        if let Some((at, _)) = worst {
            self.sessions.remove(at);
            self.more = true;
        }
    }

    /// What is shown of them: one text each, and where there is room their second and third ones, newest first.
    fn matches(mut self, room: usize, query: &Query) -> (Vec<Match>, bool) {
        let mut dropped = false;
        while room < self.sessions.len() {
            self.drop_one();
            dropped = true;
        }
        let mut counts = vec![1; self.sessions.len()];
        let mut left = room - self.sessions.len();
        for wanted in 2..=PER_SESSION_MAX {
            for (count, session) in counts.iter_mut().zip(&self.sessions) {
                if 0 < left && wanted <= session.texts.len() {
                    *count = wanted;
                    left -= 1;
                }
            }
        }
        let shown = self.sessions.into_iter().zip(counts).flat_map(|(session, count)| {
            let of = Of::Session { number: session.number, date: session.date };
            let texts = session.texts.into_iter().take(count);
            texts.map(move |(kind, text, hits)| made(kind, of.clone(), &text, hits, query))
        });
        (shown.collect(), dropped)
    }
}

fn deferred_matches(deferred: &[Deferred], query: &Query, results: usize) -> Vec<Match> {
    let mut found: Vec<(&Deferred, Hits)> =
        deferred.iter().map(|item| (item, query.hits(&item.text))).collect();
    found.retain(|(_, hits)| hits.first.is_some());
    found.sort_by_key(|(_, hits)| Reverse(hits.score()));
    let shown = found.into_iter().take(DEFERRED_MAX.min(results));
    shown
        .map(|(item, hits)| {
            let of = Of::Deferred { id: item.id.clone(), state: item.state.clone() };
            made(Kind::DeferredWork, of, &item.text, hits, query)
        })
        .collect()
}

fn made(kind: Kind, of: Of, text: &str, hits: Hits, query: &Query) -> Match {
    let shown: Vec<&str> = query.terms().collect();
    let terms = hits.terms().filter_map(|at| shown.get(at)).map(|it| (*it).to_owned()).collect();
    Match { kind, of, text: around(text, hits.first.unwrap_or(0), TEXT_CHARS_MAX), terms }
}

/// The day of a time as it is recorded; what is no date is shown as it is, bounded.
fn day(when: &str) -> String {
    let shape: String = when.chars().take(10).map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    let chars = if shape == "9999-99-99" { 10 } else { 32 };
    around(when, 0, chars).trim_end_matches(" …").to_owned()
}
