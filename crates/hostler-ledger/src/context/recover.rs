//! A damaged file put together again: from the newest backup, the ledger, and what the file itself still tells.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::delta;
use super::document::{self, Broken, Context};
use super::json::{self, Json, Style};
use super::layout::{self, HISTORY, Layout, SCHEMA_VERSION, STATE, WORK};
use super::ledger::History;
use super::model::{Session, State, Status, Work};
use super::scan::{self, Span};

/// A file that is not what it should be.
#[derive(Debug)]
pub(super) struct Damaged {
    text: String,
    /// As far as it could be read.
    layout: Layout,
    /// Where reading ended.
    at: usize,
    /// What is wrong and where.
    pub(super) what: String,
    /// The file as it was, where the text is only what it most likely says.
    bytes: Option<Vec<u8>>,
}

impl Damaged {
    /// The file as it was.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes.unwrap_or_else(|| self.text.into_bytes())
    }

    /// There is nothing in it that could be lost.
    pub(super) fn is_empty(&self) -> bool {
        self.text.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n', '\0']).is_empty()
    }
}

/// Reads a file's bytes.
pub(super) fn open(bytes: Vec<u8>) -> Result<Context, Box<Damaged>> {
    match String::from_utf8(bytes) {
        Ok(text) => Context::parse(text).map_err(|broken| {
            let Broken { fault, text, layout } = *broken;
            let (line, column) = scan::position(text.as_bytes(), fault.at);
            let mut what = format!("line {line}, column {column}: {}", fault.what);
            if text.trim_start_matches('\u{feff}').trim().is_empty() {
                "it is empty".clone_into(&mut what);
            }
            Box::new(Damaged { text, layout, at: fault.at, what, bytes: None })
        }),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let bytes = error.into_bytes();
            let (text, what) = decode(&bytes, at);
            let (text, layout, at) = match Context::parse(text) {
                Ok(context) => {
                    let (text, layout) = context.into_parts();
                    let at = text.len();
                    (text, layout, at)
                }
                Err(broken) => (broken.text, broken.layout, broken.fault.at),
            };
            Err(Box::new(Damaged { text, layout, at, what, bytes: Some(bytes) }))
        }
    }
}

/// Bytes that are not UTF-8 as the text that they most likely are.
fn decode(bytes: &[u8], at: usize) -> (String, String) {
    let wide = |pair: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|it| pair([it[0], it[1]]));
        char::decode_utf16(units).map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>()
    };
    match bytes {
        [0xff, 0xfe, ..] => (wide(u16::from_le_bytes), "it is UTF-16, not UTF-8".to_owned()),
        [0xfe, 0xff, ..] => (wide(u16::from_be_bytes), "it is UTF-16, not UTF-8".to_owned()),
        _ => {
            let (line, column) = scan::position(bytes, at);
            (String::from_utf8_lossy(bytes).into_owned(), format!("line {line}, column {column}: not UTF-8"))
        }
    }
}

/// The file as it has to be written.
#[derive(Debug)]
pub(super) struct Rebuilt {
    pub(super) text: String,
    /// How it was put together.
    pub(super) how: String,
}

/// A session that goes into the rebuilt file.
struct Kept {
    text: String,
    updated: Option<String>,
    from: From,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Backup,
    Ledger,
    File,
}

/// What is known, piece by piece.
#[derive(Default)]
struct Pieces {
    state: Option<State>,
    /// The second: the ledger knows it.
    work: Vec<(Work, bool)>,
    work_gone: Vec<String>,
    numbered: BTreeMap<u64, Kept>,
    unnumbered: Vec<(String, From)>,
    foreign: Vec<(String, String)>,
}

/// Puts a file together again.
pub(super) fn rebuild(damaged: &Damaged, history: &History) -> Rebuilt {
    let mut pieces = Pieces::default();
    let mut remarks = Vec::new();
    if let Some(base) = &history.base {
        match open(base.clone()) {
            Ok(context) => pieces.take_base(&context),
            Err(_) => remarks.push("the backup is damaged too".to_owned()),
        }
    }
    for line in &history.lines {
        pieces.take_line(line);
    }
    if history.unreadable != 0 {
        remarks.push(format!("{} lines of the ledger could not be read", history.unreadable));
    }
    pieces.take_file(damaged);
    pieces.settle();
    let count = |from: From| {
        pieces.numbered.values().filter(|it| it.from == from).count()
            + pieces.unnumbered.iter().filter(|it| it.1 == from).count()
    };
    let (backup, ledger, file) = (count(From::Backup), count(From::Ledger), count(From::File));
    let mut how = match backup + ledger + file {
        0 => "no session is known, it is started over".to_owned(),
        all => format!(
            "{all} sessions were put together: {file} from the file itself, {ledger} from the ledger, {backup} from a backup"
        ),
    };
    for remark in remarks {
        how.push_str("; ");
        how.push_str(&remark);
    }
    Rebuilt { text: pieces.write(), how }
}

impl Pieces {
    fn take_base(&mut self, context: &Context) {
        self.state = Some(context.state().clone());
        self.work = context.work().iter().map(|it| (it.clone(), false)).collect();
        self.foreign = context.foreign().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        for index in 0..context.session_count() {
            if let Some(text) = context.session_text(index) {
                self.session(context.session_number(index).unwrap_or(0), &text, From::Backup);
            }
        }
    }

    fn take_line(&mut self, line: &Map<String, Value>) {
        let list = |name: &str| line.get(name).and_then(Value::as_array).into_iter().flatten();
        if let Some(state) = line.get(STATE) {
            self.state = Some(State::read(state.clone()));
        }
        for id in list("work_gone").filter_map(Value::as_str) {
            self.work.retain(|(it, _)| it.id != id);
            self.work_gone.push(id.to_owned());
        }
        for item in list("work") {
            let item = Work::read(item.clone());
            self.work_gone.retain(|it| *it != item.id);
            match self.work.iter_mut().find(|(it, _)| it.id == item.id) {
                Some(known) => *known = (item, true),
                None => self.work.push((item, true)),
            }
        }
        for session in list("sessions") {
            self.told_session(&Session::read(session.clone()));
        }
        for change in list("changes").filter_map(Value::as_object) {
            let Some(seq) = change.get("seq").and_then(Value::as_u64) else { continue };
            // What a lost line told is missing; what this one tells is better than nothing.
            let known = self.numbered.get(&seq).map(|it| Session::read(json::parse(&it.text)));
            let known = known.unwrap_or_else(|| Session { seq, ..Session::default() });
            if let Value::Object(mut members) = known.json().to_value() {
                delta::apply(change, &mut members);
                self.told_session(&Session::read(members.into()));
            }
        }
    }

    fn told_session(&mut self, session: &Session) {
        let style = Style { base: "    ".to_owned(), ..Style::default() };
        self.session(session.seq, &style.text(&session.json()), From::Ledger);
    }

    fn session(&mut self, seq: u64, text: &str, from: From) {
        if seq == 0 {
            if !self.unnumbered.iter().any(|(known, _)| known == text) {
                self.unnumbered.push((text.to_owned(), from));
            }
            return;
        }
        let updated = match from {
            From::Backup => None,
            From::Ledger | From::File => Session::read(json::parse(text)).updated,
        };
        if from == From::File
            && let Some(known) = self.numbered.get(&seq)
            && known.from == From::Ledger
            && updated < known.updated
        {
            return;
        }
        self.numbered.insert(seq, Kept { text: text.to_owned(), updated, from });
    }

    fn take_file(&mut self, damaged: &Damaged) {
        let Damaged { text, layout, at, .. } = damaged;
        for place in &layout.sessions {
            self.session(place.seq, place.span.of(text), From::File);
        }
        for place in later_sessions(text, *at) {
            self.session(place.seq, place.span.of(text), From::File);
        }
        for (name, value) in document::foreign(text, layout) {
            self.foreign.retain(|(known, _)| known != name);
            self.foreign.push((name.to_owned(), value.to_owned()));
        }
        let value = |known: Option<Span>, name: &str, open: u8| {
            known.or_else(|| later_member(text, *at, name, open)).map(|it| json::parse(it.of(text)))
        };
        if self.state.is_none()
            && let Some(state) = value(layout.state, STATE, b'{')
        {
            self.state = Some(State::read(state));
        }
        if let Some(Value::Array(items)) = value(layout.work, WORK, b'[') {
            for item in items.into_iter().map(Work::read) {
                let same = |known: &Work| {
                    if item.id.is_empty() {
                        known.description == item.description
                    } else {
                        known.id == item.id
                    }
                };
                match self.work.iter_mut().find(|(known, _)| same(known)) {
                    Some((_, true)) => {}
                    Some(known) => known.0 = item,
                    None if self.work_gone.contains(&item.id) => {}
                    None => self.work.push((item, false)),
                }
            }
        }
    }

    /// What no source told is taken from the last session.
    fn settle(&mut self) {
        let last = self.numbered.last_key_value().map(|(seq, kept)| (*seq, json::parse(&kept.text)));
        let Some((seq, session)) = last else { return };
        let state = self.state.get_or_insert_with(|| {
            let session = Session::read(session);
            State {
                version: session.version.unwrap_or_default(),
                branch: session.branch.unwrap_or_default(),
                status: if session.length.is_none() { Status::Active } else { Status::Closed },
                ..State::default()
            }
        });
        state.session = state.session.max(seq);
    }

    fn write(&self) -> String {
        let style = Style::default();
        let mut out = String::from("{");
        let mut member = |name: &str, first: bool, write: &mut dyn FnMut(&mut String)| {
            if !first {
                out.push(',');
            }
            style.line(1, true, &mut out);
            out.push_str(name);
            out.push_str(": ");
            write(&mut out);
        };
        let quoted = |name: &str| format!("\"{name}\"");
        member(&quoted(SCHEMA_VERSION), true, &mut |out| out.push_str(&super::SCHEMA_VERSION.to_string()));
        member(&quoted(STATE), false, &mut |out| {
            style.write(&self.state.clone().unwrap_or_default().json(), 1, out);
        });
        member(&quoted(WORK), false, &mut |out| {
            let mut work: Vec<Work> = self.work.iter().map(|(it, _)| it.clone()).collect();
            document::name_items(&mut work);
            style.write(&Json::Array(work.iter().map(Work::json).collect()), 1, out);
        });
        for (name, value) in &self.foreign {
            member(name, false, &mut |out| out.push_str(value));
        }
        member(&quoted(HISTORY), false, &mut |out| {
            let unnumbered = self.unnumbered.iter().map(|(text, _)| text);
            let texts: Vec<&String> = unnumbered.chain(self.numbered.values().map(|it| &it.text)).collect();
            style.list(&texts, ['[', ']'], 1, out, |text, out| out.push_str(text));
        });
        out.push_str("\n}\n");
        out
    }
}

/// Sessions behind the place where the text stops being JSON: a merge's marks in the middle do not take along what
/// follows.
fn later_sessions(text: &str, from: usize) -> Vec<layout::Place> {
    let bytes = text.as_bytes();
    // Brackets that are never closed are looked through to the end each time.
    let mut budget = bytes.len().saturating_mul(8).saturating_add(1 << 20);
    let mut found = Vec::new();
    let mut at = from;
    while let Some(open) = bytes.get(at..).and_then(|rest| memchr::memchr(b'{', rest)) {
        at += open;
        let end = match layout::session(text, at) {
            Ok(place) if place.seq != 0 && is_session(place.span.of(text)) => {
                found.push(place);
                at = place.span.end;
                continue;
            }
            Ok(place) => place.span.end,
            Err(fault) => fault.at,
        };
        match budget.checked_sub(end - at) {
            Some(rest) => budget = rest,
            None => break,
        }
        at += 1;
    }
    found
}

/// An object with a number may be anything; a session tells more.
fn is_session(text: &str) -> bool {
    let members = scan::members(text);
    let has = |name: &str| members.iter().any(|(it, _)| it == name);
    has("seq") && (has("purpose") || has("when") || has("achievements"))
}

/// The value of a member behind the place where the text stops being JSON.
fn later_member(text: &str, from: usize, name: &str, open: u8) -> Option<Span> {
    let bytes = text.as_bytes();
    let quoted = format!("\"{name}\"");
    let found = memchr::memmem::find_iter(bytes.get(from..)?, quoted.as_bytes());
    found.map(|it| from + it + quoted.len()).find_map(|at| {
        let colon = scan::space(bytes, at);
        let start = scan::space(bytes, colon + 1);
        let fits = bytes.get(colon) == Some(&b':') && bytes.get(start) == Some(&open);
        fits.then(|| scan::value(bytes, start).ok().map(|end| Span { start, end })).flatten()
    })
}
