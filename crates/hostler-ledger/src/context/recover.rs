//! A damaged file put together again: from what the file itself still tells, the ledger, and the newest backup.
//!
//! Where nothing but commas is wrong, or the marks of a merge, the file tells everything and is believed. Otherwise what
//! it holds is added to what is known.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::delta;
use super::document::{self, Broken, Context};
use super::json::{self, Json, Style};
use super::layout::{self, HISTORY, Layout, SCHEMA_VERSION, STATE, WORK};
use super::ledger::History;
use super::mend;
use super::merge::{self, Key};
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

/// Reads bytes as the text that they most likely are. A letter that is cut in two at the end is left out.
pub(super) fn text(bytes: &[u8]) -> Result<Context, Box<Broken>> {
    Context::parse(match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(error) if error.error_len().is_none() && error.valid_up_to() != 0 => {
            String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned()
        }
        Err(error) => decode(bytes, error.valid_up_to()).0,
    })
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

/// Puts a file together again.
pub(super) fn rebuild(damaged: &Damaged, history: &History) -> Rebuilt {
    // Of an encoding that is not known some letters are.
    let lossy = damaged.bytes.is_some() && damaged.text.contains(char::REPLACEMENT_CHARACTER);
    let sides = merge::sides(&damaged.text);
    let merged = sides.is_some();
    let (file, mut remarks) = match sides {
        Some([ours, theirs]) => unite(read(ours), read(theirs)),
        None => (Read::of(damaged), Vec::new()),
    };
    match file {
        Read::Whole(context) if !lossy => {
            let (text, how) = if merged {
                (context.parts(super::SCHEMA_VERSION).concat(), "both sides of a merge were put together")
            } else if damaged.bytes.is_some() {
                (context.text().to_owned(), "all of it can be read")
            } else {
                (context.text().to_owned(), "it can be read but for some commas, which were put right")
            };
            remarks.insert(0, how.to_owned());
            Rebuilt { text, how: merge::told(remarks) }
        }
        Read::Whole(context) => Pieces::of_context(&context).completed(history, lossy, remarks),
        Read::Part(pieces) => pieces.completed(history, lossy, remarks),
    }
}

/// What a text tells: all that was in it, or a part.
enum Read {
    Whole(Box<Context>),
    Part(Box<Pieces>),
}

fn read(text: String) -> Read {
    match Context::parse(text) {
        Ok(context) => Read::Whole(Box::new(context)),
        Err(broken) => {
            let Broken { fault, text, layout } = *broken;
            let damaged = Damaged { text, layout, at: fault.at, what: String::new(), bytes: None };
            Read::of(&damaged)
        }
    }
}

/// The text, if commas or the encoding are all that is wrong with it.
fn whole(damaged: &Damaged) -> Option<Context> {
    if damaged.at == damaged.text.len() && damaged.bytes.is_some() {
        return Context::parse(damaged.text.clone()).ok();
    }
    Context::parse(mend::commas(&damaged.text)?).ok()
}

/// Both sides of a merge.
fn unite(ours: Read, theirs: Read) -> (Read, Vec<String>) {
    let is_whole = matches!((&ours, &theirs), (Read::Whole(_), Read::Whole(_)));
    match (ours.into_context(), theirs.into_context()) {
        (Some(mut ours), Some(theirs)) => {
            let remarks = merge::unite(&mut ours, &theirs);
            ours.settle();
            ours.keep_open();
            let read = if is_whole {
                Read::Whole(Box::new(ours))
            } else {
                Read::Part(Box::new(Pieces::of_context(&ours)))
            };
            (read, remarks)
        }
        // What was put together of whole values is whole.
        _ => (Read::Part(Box::default()), Vec::new()),
    }
}

impl Read {
    fn of(damaged: &Damaged) -> Self {
        match whole(damaged) {
            Some(context) => Self::Whole(Box::new(context)),
            None => Self::Part(Box::new(Pieces::of(damaged))),
        }
    }

    fn into_context(self) -> Option<Context> {
        match self {
            Self::Whole(context) => Some(*context),
            Self::Part(pieces) => Context::parse(pieces.write()).ok(),
        }
    }
}

/// A session that goes into the rebuilt file.
struct Kept {
    seq: u64,
    key: Key,
    text: String,
    updated: Option<String>,
    from: From,
    /// Told as new, and never spoken of again: where another one was begun under the same number, it never came about.
    bare: bool,
    /// Made of changes alone, since the line that told of the session is lost.
    hint: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum From {
    File,
    Ledger,
    Backup,
}

/// What is known, piece by piece.
#[derive(Default)]
struct Pieces {
    /// The file is of the older form.
    older: bool,
    state: Option<State>,
    work: Vec<Work>,
    /// No item is missing.
    all_work: bool,
    sessions: Vec<Kept>,
    /// Places of the sessions that were begun under a number.
    begun: HashMap<u64, Vec<usize>>,
    foreign: Vec<(String, String)>,
}

impl Pieces {
    /// What a text tells that cannot be read as a whole.
    fn of(damaged: &Damaged) -> Self {
        let Damaged { text, layout, at, .. } = damaged;
        let mut pieces = Self { older: !text.contains("\"schema_version\""), ..Self::default() };
        // A member of the wrong kind does not keep what follows from being found.
        let read_up_to = layout.sessions.last().map_or(*at, |it| it.span.end.max(*at));
        for place in layout.sessions.iter().copied().chain(later_sessions(text, read_up_to)) {
            pieces.add(place.seq, place.span.of(text), From::File);
        }
        let foreign = document::foreign(text, layout);
        pieces.foreign = foreign.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let value = |known: Option<Span>, name: &str, open: u8| {
            known.or_else(|| later_member(text, *at, name, open)).map(|it| json::parse(it.of(text)))
        };
        pieces.state = value(layout.state, STATE, b'{').map(State::read);
        match value(layout.work, WORK, b'[') {
            Some(Value::Array(items)) => {
                pieces.work = items.into_iter().map(Work::read).collect();
                pieces.all_work = true;
            }
            _ => pieces.work = layout.items.iter().map(|it| Work::read(json::parse(it.of(text)))).collect(),
        }
        pieces
    }

    fn of_context(context: &Context) -> Self {
        let mut pieces = Self { older: context.version().is_none(), all_work: true, ..Self::default() };
        pieces.take_context(context, From::File);
        pieces.foreign.extend(context.added_foreign());
        pieces
    }

    /// With what ledger and backup know besides.
    fn completed(self, history: &History, lossy: bool, mut remarks: Vec<String>) -> Rebuilt {
        let mut pieces = Self::default();
        if let Some(base) = &history.base {
            match open(base.clone()) {
                Ok(context) => pieces.take_context(&context, From::Backup),
                Err(_) => remarks.push("the backup is damaged too".to_owned()),
            }
        }
        for line in &history.lines {
            pieces.take_line(line);
        }
        if history.unreadable != 0 {
            remarks.push(format!("{} lines of the ledger could not be read", history.unreadable));
        }
        pieces.older = self.older && pieces.sessions.is_empty() && pieces.state.is_none();
        pieces.take(self, lossy);
        let current = pieces.state.as_ref().map(|it| it.session);
        pieces.settle();
        let count = |from: From| pieces.sessions.iter().filter(|it| it.from == from).count();
        let (backup, ledger, file) = (count(From::Backup), count(From::Ledger), count(From::File));
        let how = match backup + ledger + file {
            0 => "no session is known, it is started over".to_owned(),
            all => format!(
                "{all} sessions were put together: {file} from the file itself, {ledger} from the ledger, {backup} from a backup"
            ),
        };
        let mut text = pieces.write();
        if let Ok(mut context) = Context::parse(text.clone()) {
            let active = (0..context.session_count())
                .find(|it| current.is_some_and(|it| it != 0) && context.session_number(*it) == current)
                .filter(|it| context.session(*it).is_some_and(|it| it.length.is_none()));
            let renumbered = merge::renumber(&mut context, active);
            if context.settle() {
                text = context.parts(super::SCHEMA_VERSION).concat();
            }
            remarks.extend(renumbered);
        }
        remarks.insert(0, how);
        Rebuilt { text, how: merge::told(remarks) }
    }

    fn take_context(&mut self, context: &Context, from: From) {
        self.state = Some(context.state().clone());
        self.work = context.work().to_vec();
        self.foreign = context.foreign().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        for index in 0..context.session_count() {
            if let Some(text) = context.session_text(index) {
                self.add(context.session_number(index).unwrap_or(0), &text, from);
            }
        }
    }

    fn take_line(&mut self, line: &Map<String, Value>) {
        let list = |name: &str| line.get(name).and_then(Value::as_array).into_iter().flatten();
        if let Some(state) = line.get(STATE) {
            self.state = Some(State::read(state.clone()));
        }
        for id in list("work_gone").filter_map(Value::as_str) {
            self.work.retain(|it| it.id != id);
        }
        for item in list("work") {
            self.take_item(Work::read(item.clone()));
        }
        for session in list("sessions") {
            self.told(&Session::read(session.clone()));
        }
        for change in list("changes").filter_map(Value::as_object) {
            self.take_change(change);
        }
    }

    fn take_item(&mut self, item: Work) {
        // One without an id was given one when it was read before.
        let same =
            |it: &&mut Work| (it.id == item.id || item.id.is_empty()) && it.description == item.description;
        match self.work.iter_mut().find(same) {
            Some(known) if item.id.is_empty() => *known = Work { id: known.id.clone(), ..item },
            Some(known) => *known = item,
            None => self.work.push(item),
        }
    }

    /// A session that the ledger tells as new.
    fn told(&mut self, session: &Session) {
        let kept = Kept::told(session, true);
        let same = |it: &Kept| it.key == kept.key || (it.bare && it.seq == kept.seq && kept.seq != 0);
        let known = self.sessions.iter().rposition(same);
        self.put(known, kept);
    }

    /// A change of a session that the ledger tells.
    fn take_change(&mut self, change: &Map<String, Value>) {
        let Some(seq) = change.get("seq").and_then(Value::as_u64) else { return };
        let text = |name: &str| change.get(name).and_then(Value::as_str).map(str::to_owned);
        let (when, branch) = (text("when"), text("branch"));
        let meant = |it: &Kept| {
            let of_it = |when: &String| {
                let session = Session::read(json::parse(&it.text));
                session.when == *when && session.branch == branch
            };
            it.seq == seq && when.as_ref().is_none_or(of_it)
        };
        let known = self.sessions.iter().rposition(meant);
        // What a lost line told is missing; what this one tells is better than nothing.
        let session = known.map_or_else(
            || Session {
                seq,
                when: when.clone().unwrap_or_default(),
                branch: branch.clone(),
                ..Session::default()
            },
            |it| Session::read(json::parse(&self.sessions[it].text)),
        );
        if let Value::Object(mut members) = session.json().to_value() {
            delta::apply(change, &mut members);
            let hint = known.is_none_or(|it| self.sessions[it].hint);
            self.put(known, Kept { hint, ..Kept::told(&Session::read(members.into()), false) });
        }
    }

    fn put(&mut self, at: Option<usize>, kept: Kept) {
        let place = at.unwrap_or(self.sessions.len());
        let places = self.begun.entry(kept.key.0).or_default();
        if !places.contains(&place) {
            places.push(place);
        }
        match at.and_then(|it| self.sessions.get_mut(it)) {
            Some(known) => *known = kept,
            None => self.sessions.push(kept),
        }
    }

    /// Adds a session as it stands in a text.
    fn add(&mut self, seq: u64, text: &str, from: From) {
        self.put(None, Kept::of(seq, text, from));
    }

    /// Adds what the file tells. It is younger than all the rest, unless its sessions say otherwise.
    fn take(&mut self, file: Self, lossy: bool) {
        let before = self.sessions.len();
        let mut taken = vec![false; before];
        for kept in file.sessions {
            let places = self.begun.get(&kept.key.0).into_iter().flatten().copied();
            let same = |it: &usize| {
                let known = &self.sessions[*it];
                known.key == kept.key || (known.hint && known.key.1.is_empty())
            };
            let known = places.filter(|it| *it < before && !taken[*it] && same(it));
            let known = known.max_by_key(|it| !self.sessions[*it].hint);
            let Some(known) = known else {
                self.put(None, kept);
                continue;
            };
            taken[known] = true;
            let own = &self.sessions[known];
            let newer = own.from == From::Ledger && kept.updated < own.updated;
            let garbled =
                lossy && kept.text.contains(char::REPLACEMENT_CHARACTER) && kept.updated <= own.updated;
            if own.hint || !(newer || garbled) {
                self.put(Some(known), kept);
            }
        }
        if self.state.is_none() || !lossy {
            self.state = file.state.or_else(|| self.state.take());
        }
        if file.all_work && !lossy {
            self.work = file.work;
        } else {
            for item in file.work {
                let garbled = item.description.contains(char::REPLACEMENT_CHARACTER);
                if !(lossy && garbled && self.work.iter().any(|it| it.id == item.id)) {
                    self.take_item(item);
                }
            }
        }
        for (name, value) in file.foreign {
            self.foreign.retain(|(known, _)| *known != name);
            self.foreign.push((name, value));
        }
    }

    /// What no source told is taken from the last session.
    fn settle(&mut self) {
        let last = self.sessions.iter().max_by_key(|it| it.seq).filter(|it| it.seq != 0);
        let Some(Kept { seq, text, .. }) = last else { return };
        let state = self.state.get_or_insert_with(|| {
            let session = Session::read(json::parse(text));
            State {
                version: session.version.unwrap_or_default(),
                branch: session.branch.unwrap_or_default(),
                status: if session.length.is_none() { Status::Active } else { Status::Closed },
                ..State::default()
            }
        });
        state.session = state.session.max(*seq);
    }

    fn write(&self) -> String {
        let style = Style::default();
        let mut out = String::from("{");
        let mut member = |name: &str, write: &mut dyn FnMut(&mut String)| {
            if !out.ends_with('{') {
                out.push(',');
            }
            style.line(1, true, &mut out);
            out.push_str(name);
            out.push_str(": ");
            write(&mut out);
        };
        let quoted = |name: &str| format!("\"{name}\"");
        if !self.older {
            member(&quoted(SCHEMA_VERSION), &mut |out| out.push_str(&super::SCHEMA_VERSION.to_string()));
        }
        member(&quoted(STATE), &mut |out| {
            style.write(&self.state.clone().unwrap_or_default().json(), 1, out);
        });
        member(&quoted(WORK), &mut |out| {
            let mut work = self.work.clone();
            document::name_items(&mut work);
            style.write(&Json::Array(work.iter().map(Work::json).collect()), 1, out);
        });
        for (name, value) in &self.foreign {
            member(name, &mut |out| out.push_str(value));
        }
        member(&quoted(HISTORY), &mut |out| {
            let mut sessions: Vec<&Kept> = self.sessions.iter().collect();
            // Of those with the same number the file's keeps it.
            sessions.sort_by_key(|it| (it.seq, it.from));
            let texts: Vec<&String> = sessions.into_iter().map(|it| &it.text).collect();
            style.list(&texts, ['[', ']'], 1, out, |text, out| out.push_str(text));
        });
        out.push_str("\n}\n");
        out
    }
}

impl Kept {
    fn of(seq: u64, text: &str, from: From) -> Self {
        let session = Session::read(json::parse(text));
        let key = match seq {
            0 => (0, text.to_owned(), String::new()),
            _ => merge::key(&session),
        };
        Self { seq, key, text: text.to_owned(), updated: session.updated, from, bare: false, hint: false }
    }

    fn told(session: &Session, bare: bool) -> Self {
        let style = Style { base: "    ".to_owned(), ..Style::default() };
        Self { bare, ..Self::of(session.seq, &style.text(&session.json()), From::Ledger) }
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
