//! Where the parts of a `context.json` are in its text.

use super::json;
use super::model::{self, SEQ_NAMES};
use super::scan::{self, Fault, Span};

/// Members that are ours.
pub(super) const SCHEMA_VERSION: &str = "schema_version";
pub(super) const STATE: &str = "state";
pub(super) const WORK: &str = "deferred_work";
pub(super) const HISTORY: &str = "session_history";

/// A session in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) span: Span,
    /// Its number; 0 where it has none.
    pub(super) seq: u64,
}

/// Where what is. Filled as far as the text is JSON.
#[derive(Debug, Clone, Default)]
pub(super) struct Layout {
    /// Every member of the top-level object that is whole: its name in quotes, its value.
    pub(super) members: Vec<(Span, Span)>,
    pub(super) schema_version: Option<Span>,
    pub(super) state: Option<Span>,
    pub(super) work: Option<Span>,
    /// The array of sessions, brackets included.
    pub(super) history: Option<Span>,
    pub(super) sessions: Vec<Place>,
    /// What is left to do, one by one.
    pub(super) items: Vec<Span>,
    /// Ours that are there more than once; the last counts.
    pub(super) doubled: Vec<&'static str>,
    /// Ours that are of another kind than they should be: the first of them.
    wrong: Option<Fault>,
    /// The closing bracket of the top-level object.
    pub(super) close: usize,
}

impl Layout {
    /// Looks through `text` once.
    pub(super) fn read(&mut self, text: &str) -> Result<(), Fault> {
        let bytes = text.as_bytes();
        // A byte order mark stays where it is.
        let start = scan::space(bytes, if text.starts_with('\u{feff}') { 3 } else { 0 });
        if bytes.get(start) != Some(&b'{') {
            scan::value(bytes, start)?;
            return Err(Fault {
                at: start,
                what: "expected an object with `state`, `deferred_work` and `session_history`",
            });
        }
        let end = scan::object(bytes, start, |name, at| {
            let end = match name.of(text) {
                "\"session_history\"" if bytes.get(at) == Some(&b'[') => {
                    self.sessions.clear();
                    scan::array(bytes, at, |at| {
                        let place = session(text, at)?;
                        self.sessions.push(place);
                        Ok(place.span.end)
                    })?
                }
                "\"deferred_work\"" if bytes.get(at) == Some(&b'[') => {
                    self.items.clear();
                    scan::array(bytes, at, |start| {
                        let end = scan::value(bytes, start)?;
                        self.items.push(Span { start, end });
                        Ok(end)
                    })?
                }
                _ => scan::value(bytes, at)?,
            };
            self.member(text, name, Span { start: at, end });
            Ok(end)
        })?;
        self.close = end - 1;
        let rest = scan::space(bytes, end);
        if rest < bytes.len() {
            return Err(Fault { at: rest, what: "expected nothing more after the closing `}`" });
        }
        self.wrong.map_or(Ok(()), Err)
    }

    fn member(&mut self, text: &str, name: Span, value: Span) {
        self.members.push((name, value));
        let (slot, own, open) = match name.of(text) {
            "\"schema_version\"" => (&mut self.schema_version, SCHEMA_VERSION, None),
            "\"state\"" => (&mut self.state, STATE, Some(('{', "`state` has to be an object"))),
            "\"deferred_work\"" => (&mut self.work, WORK, Some(('[', "`deferred_work` has to be an array"))),
            "\"session_history\"" => {
                (&mut self.history, HISTORY, Some(('[', "`session_history` has to be an array")))
            }
            _ => return,
        };
        if slot.replace(value).is_some() && !self.doubled.contains(&own) {
            self.doubled.push(own);
        }
        if let Some((open, what)) = open
            && !value.of(text).starts_with(open)
            && value.of(text) != "null"
        {
            *slot = None;
            self.wrong.get_or_insert(Fault { at: value.start, what });
        }
    }
}

/// The session that begins at `at`.
pub(super) fn session(text: &str, at: usize) -> Result<Place, Fault> {
    let bytes = text.as_bytes();
    if bytes.get(at) != Some(&b'{') {
        return Ok(Place { span: Span { start: at, end: scan::value(bytes, at)? }, seq: 0 });
    }
    // The position of the best name so far in the list of names.
    let mut best: Option<(usize, u64)> = None;
    let end = scan::object(bytes, at, |name, start| {
        let end = scan::value(bytes, start)?;
        let name = name.of(text).trim_matches('"');
        if let Some(rank) = SEQ_NAMES.iter().position(|it| *it == name)
            && best.is_none_or(|(known, _)| rank <= known)
            && let Some(seq) = number(Span { start, end }.of(text))
        {
            best = Some((rank, seq));
        }
        Ok(end)
    })?;
    Ok(Place { span: Span { start: at, end }, seq: best.map_or(0, |(_, seq)| seq) })
}

fn number(text: &str) -> Option<u64> {
    text.parse().ok().or_else(|| model::number(&json::parse(text)))
}
