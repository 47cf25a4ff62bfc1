//! What each command does to the record of sessions: one function each, over the record in memory, so that the
//! command line and the hook do the same, and a dry run does it without writing.

use std::collections::HashSet;

use hostler_ledger::context::{
    Choice, Context, HostSession, NUMBER_MAX, Priority, Session, State, Status, Work, WorkEntry, WorkStatus,
};
use hostler_ledger::redact::redact;
use hostler_model::text::one_line;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;

/// How work is named.
const WORK_PREFIX: &str = "DW-";
/// How urgent work is of which nobody said it.
pub(crate) const PRIORITY_DEFAULT: &str = "P2";
/// How urgent work can be, as commands and tools take it.
pub(crate) const PRIORITIES: [&str; 8] = ["P0", "P1", "P2", "P3", "critical", "high", "medium", "low"];
/// Items that a refusal lists.
const LISTED_MAX: usize = 5;

/// Why a command changed nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    /// There is nothing to log to, or to end.
    #[error("no session is active; begin one with `hostler session begin --purpose TEXT`")]
    NoActive,
    /// A second one would split the work.
    #[error(
        "session #{seq} is active since {when} (purpose: {purpose}); log to it, end it with \
         `hostler session end`, or close it as it stands with `hostler session begin --force`"
    )]
    Active {
        /// Its number.
        seq: u64,
        /// When it began.
        when: String,
        /// What it is for.
        purpose: String,
    },
    /// No such number.
    #[error("there is no session #{seq}; `hostler session history --all` lists them")]
    UnknownSession {
        /// The number asked for.
        seq: u64,
    },
    /// No open work has that id or text.
    #[error("no open work is or contains `{query}`; `hostler session status` lists what is open")]
    UnknownWork {
        /// What was looked for.
        query: String,
    },
    /// More than one item is meant.
    #[error("`{query}` fits {count} items of open work: {listed}; name one by its {by}")]
    AmbiguousWork {
        /// What was looked for.
        query: String,
        /// How many fit.
        count: usize,
        /// The first of them.
        listed: String,
        /// What tells them apart.
        by: &'static str,
    },
    /// The numbers are used up, which only a slip in the file can do.
    #[error(
        "session number {last} in `context.json` leaves no next one; put `seq` and `state.session` right there"
    )]
    LastNumber {
        /// The highest number.
        last: u64,
    },
    /// A status that a session has to get by ending.
    #[error("session #{seq} is active; close it with `hostler session end`, which sets the status")]
    NotEnded {
        /// Its number.
        seq: u64,
    },
}

/// A session that begins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Begin {
    /// What it is for.
    pub(crate) purpose: String,
    /// What is to be reached.
    pub(crate) objectives: Vec<String>,
    /// The project's version; `None` leaves the one that is recorded.
    pub(crate) version: Option<String>,
    /// The branch that is checked out; `None` leaves the one that is recorded.
    pub(crate) branch: Option<String>,
    /// The commit that is checked out.
    pub(crate) commit: Option<String>,
    /// The session of a host that began it.
    pub(crate) host: Option<HostSession>,
    /// An active session is closed as it stands first.
    pub(crate) force: bool,
}

/// What beginning one came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Begun {
    /// The new session's number.
    pub(crate) seq: u64,
    /// The session that was closed for it.
    pub(crate) replaced: Option<u64>,
}

/// A session that ends.
#[derive(Debug, Clone, Default)]
pub(crate) struct End {
    /// What was reached, besides what was logged.
    pub(crate) achievements: Vec<String>,
    /// What is next: becomes deferred work.
    pub(crate) upcoming: Vec<String>,
    /// How it is closed: `closed`, `stale` …
    pub(crate) outcome: String,
}

/// What ending one came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ended {
    /// Its number.
    pub(crate) seq: u64,
    /// How long it took.
    pub(crate) length: String,
    /// Ids of the work that `upcoming` became.
    pub(crate) upcoming: Vec<String>,
}

/// What became of one item of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    /// Its id.
    pub(crate) id: String,
    /// What is to be done.
    pub(crate) description: String,
    /// Something was changed; what is there, or done, already is no error.
    pub(crate) changed: bool,
}

/// What became of work that was to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Added {
    /// The item.
    pub(crate) item: Item,
    /// Whether it is a new one.
    pub(crate) became: Became,
}

/// Whether work that was to be added is a new item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Became {
    /// It is.
    New,
    /// It was open already.
    Known {
        /// The priority before, if it has another one now.
        priority: Option<Priority>,
        /// Its notes say more than before.
        noted: bool,
    },
}

/// What is known anew of the project's state; `None` leaves what is there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Update {
    pub(crate) version: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) test_state: Option<String>,
    pub(crate) test_count: Option<u64>,
    pub(crate) status: Option<Status>,
}

/// Now, as it is recorded: RFC 3339 in UTC, to the second.
pub(crate) fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Begins a session.
///
/// # Errors
/// One is active, and `force` is not set.
pub(crate) fn begin(context: &mut Context, request: &Begin, now: &str) -> Result<Begun, Refused> {
    let active = context.active().map(|(_, session)| session);
    let replaced = match active {
        Some(session) if !request.force => {
            return Err(Refused::Active {
                seq: session.seq,
                when: session.when,
                purpose: one_line(&session.purpose),
            });
        }
        Some(_) => {
            let end = End { outcome: "superseded".to_owned(), ..End::default() };
            Some(self::end(context, &end, now)?.seq)
        }
        None => None,
    };
    let last = context.last().map_or(0, |(_, session)| session.seq);
    let state = context.state_mut();
    let last = last.max(state.session);
    let seq = last.checked_add(1).filter(|it| *it <= NUMBER_MAX).ok_or(Refused::LastNumber { last })?;
    state.session = seq;
    state.status = Status::Active;
    set(&mut state.version, request.version.as_deref());
    set(&mut state.branch, request.branch.as_deref());
    let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let session = Session {
        seq,
        when: now.to_owned(),
        purpose: clean(&request.purpose),
        objectives: cleaned(&request.objectives),
        version: known(&state.version),
        branch: known(&state.branch),
        commit: request.commit.clone(),
        hosts: request.host.iter().cloned().collect(),
        updated: Some(now.to_owned()),
        ..Session::default()
    };
    context.push(session);
    Ok(Begun { seq, replaced })
}

/// Ends the active session.
///
/// # Errors
/// None is active.
pub(crate) fn end(context: &mut Context, request: &End, now: &str) -> Result<Ended, Refused> {
    let (index, mut session) = context.active().ok_or(Refused::NoActive)?;
    add_achievements(&mut session, &request.achievements);
    let length = length(&session.when, now);
    session.length = Some(length.clone());
    session.ended = Some(now.to_owned());
    session.outcome = Some(request.outcome.clone());
    session.updated = Some(now.to_owned());
    let seq = session.seq;
    context.replace(index, session);
    let state = context.state_mut();
    state.status = Status::Closed;
    state.session = state.session.max(seq);
    let upcoming = request.upcoming.iter().map(|text| add_work(context, text, None, None).item.id).collect();
    Ok(Ended { seq, length, upcoming })
}

/// Adds what an end has to say to a session that was closed before it could: nobody's words are lost to a race.
/// Said again, it changes nothing.
pub(crate) fn add_to_ended(context: &mut Context, seq: u64, request: &End) {
    if let Some((index, mut session)) = context.by_number(seq)
        && add_achievements(&mut session, &request.achievements)
    {
        context.replace(index, session);
    }
    for text in &request.upcoming {
        add_work(context, text, None, None);
    }
}

/// Adds to the active session's work log. Its number.
///
/// # Errors
/// None is active.
pub(crate) fn log_work(
    context: &mut Context,
    desc: &str,
    details: &[String],
    now: &str,
) -> Result<u64, Refused> {
    let entry = WorkEntry {
        when: now.to_owned(),
        desc: clean(desc),
        details: cleaned(details),
        ..WorkEntry::default()
    };
    change_active(context, now, |session| session.work_log.push(entry))
}

/// Adds to what the active session reached. Its number.
///
/// # Errors
/// None is active.
pub(crate) fn log_achievement(context: &mut Context, items: &[String], now: &str) -> Result<u64, Refused> {
    let items = cleaned(items);
    change_active(context, now, |session| session.achievements.extend(items))
}

/// Records a decision of the active session. Its number.
///
/// # Errors
/// None is active.
pub(crate) fn log_choice(
    context: &mut Context,
    choice: &str,
    reason: &str,
    now: &str,
) -> Result<u64, Refused> {
    let choice =
        Choice { when: now.to_owned(), choice: clean(choice), reason: clean(reason), ..Choice::default() };
    change_active(context, now, |session| session.choices.push(choice))
}

/// Adds deferred work. The same text is not added a second time while it is open; a priority that is said and notes
/// that are new are taken over.
pub(crate) fn add_work(
    context: &mut Context,
    text: &str,
    priority: Option<&str>,
    notes: Option<&str>,
) -> Added {
    let description = clean(text);
    let notes = notes.map(clean);
    let same = |it: &&mut Work| is_open(it) && it.description == description;
    if let Some(known) = context.work_mut().iter_mut().find(same) {
        let before = known.priority.clone();
        if let Some(priority) = priority.map(Priority::parse)
            && priority.rank() != before.rank()
        {
            known.priority = priority;
        }
        let noted = notes.is_some_and(|new| add_notes(&mut known.notes, &new));
        let changed = noted || before != known.priority;
        let became = Became::Known { priority: (before != known.priority).then_some(before), noted };
        return Added { item: Item { id: known.id.clone(), description, changed }, became };
    }
    let id = free_id(context.work());
    let work = Work {
        id: id.clone(),
        priority: Priority::parse(priority.unwrap_or(PRIORITY_DEFAULT)),
        description: description.clone(),
        status: WorkStatus::Pending,
        notes,
        ..Work::default()
    };
    context.work_mut().push(work);
    Added { item: Item { id, description, changed: true }, became: Became::New }
}

/// Whether they said something new.
fn add_notes(notes: &mut Option<String>, new: &str) -> bool {
    match notes {
        Some(known) if known.contains(new) => return false,
        Some(known) => {
            known.push('\n');
            known.push_str(new);
        }
        None => *notes = Some(new.to_owned()),
    }
    true
}

/// Completes deferred work, named by its id, its text, or a part of its text that no other open item has.
///
/// # Errors
/// None or more than one fits.
pub(crate) fn complete_work(context: &mut Context, query: &str, now: &str) -> Result<Item, Refused> {
    let session = context.active().map(|(_, session)| session.seq);
    let index = match find_work(context.work(), query)? {
        Found::Open(index) => index,
        Found::Done(index) => {
            let work = &context.work()[index];
            return Ok(Item { id: work.id.clone(), description: work.description.clone(), changed: false });
        }
    };
    let id = free_id(context.work());
    let work = &mut context.work_mut()[index];
    if work.id.is_empty() {
        work.id = id;
    }
    work.status = WorkStatus::Completed;
    work.other.insert("completed".to_owned(), now.into());
    if let Some(session) = session {
        work.other.insert("completed_in".to_owned(), Value::from(session));
    }
    Ok(Item { id: work.id.clone(), description: work.description.clone(), changed: true })
}

/// Takes over what is known anew of the project's state.
///
/// # Errors
/// A status that says of the session what is not so.
pub(crate) fn update_state(context: &mut Context, update: &Update) -> Result<(), Refused> {
    match (&update.status, context.active()) {
        (Some(Status::Closed), Some((_, session))) => return Err(Refused::NotEnded { seq: session.seq }),
        (Some(Status::Active), None) => return Err(Refused::NoActive),
        _ => {}
    }
    let state = context.state_mut();
    set(&mut state.version, update.version.as_deref());
    set(&mut state.branch, update.branch.as_deref());
    if let Some(text) = &update.test_state {
        state.test_state = Some(clean(text));
    }
    if let Some(count) = update.test_count {
        state.test_count = Some(count);
    }
    if let Some(status) = &update.status {
        state.status = status.clone();
    }
    Ok(())
}

/// The state of a project whose first session has not begun.
pub(crate) fn first_state(update: &Update) -> State {
    let mut state = State { status: Status::Idle, test_count: update.test_count, ..State::default() };
    set(&mut state.version, update.version.as_deref());
    set(&mut state.branch, update.branch.as_deref());
    state
}

/// Work that is not done, most urgent first, older before newer.
pub(crate) fn open_work(context: &Context) -> Vec<&Work> {
    let mut open: Vec<&Work> = context.work().iter().filter(|it| is_open(it)).collect();
    open.sort_by_key(|it| it.priority.rank());
    open
}

/// The time between two moments as sessions have it: `2h30m`, `45m`. Older files have times without an offset,
/// which are taken as UTC.
pub(crate) fn length(from: &str, to: &str) -> String {
    let minutes = moment(from)
        .zip(moment(to))
        .map_or(0, |(from, to)| to.as_second().saturating_sub(from.as_second()).max(0) / 60);
    if minutes < 60 { format!("{minutes}m") } else { format!("{}h{}m", minutes / 60, minutes % 60) }
}

/// A recorded time, also one without an offset.
pub(crate) fn moment(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let civil =
        || text.parse::<DateTime>().ok()?.to_zoned_datetime(TimeZone::UTC).ok().map(|it| it.timestamp());
    text.parse::<Timestamp>().ok().or_else(civil)
}

/// A text as it is recorded: without secrets, control characters and space around it.
pub(crate) fn clean(text: &str) -> String {
    let kept: String =
        text.replace("\r\n", "\n").chars().filter(|c| *c == '\n' || *c == '\t' || !c.is_control()).collect();
    redact(kept.trim()).into_owned()
}

fn cleaned(texts: &[String]) -> Vec<String> {
    texts.iter().map(|it| clean(it)).filter(|it| !it.is_empty()).collect()
}

/// What was logged before is often told again at the end. Whether anything was added.
fn add_achievements(session: &mut Session, achievements: &[String]) -> bool {
    let before = session.achievements.len();
    for achievement in cleaned(achievements) {
        if !session.achievements.contains(&achievement) {
            session.achievements.push(achievement);
        }
    }
    before < session.achievements.len()
}

fn set(slot: &mut String, value: Option<&str>) {
    if let Some(value) = value {
        *slot = clean(value);
    }
}

fn change_active(
    context: &mut Context,
    now: &str,
    change: impl FnOnce(&mut Session),
) -> Result<u64, Refused> {
    let (index, mut session) = context.active().ok_or(Refused::NoActive)?;
    change(&mut session);
    session.updated = Some(now.to_owned());
    let seq = session.seq;
    context.replace(index, session);
    Ok(seq)
}

fn is_open(work: &Work) -> bool {
    work.status != WorkStatus::Completed
}

/// One above the highest number, so that the id of an item that is gone does not come back for another.
fn free_id(work: &[Work]) -> String {
    // A number that leaves no next one was not given by us.
    let number =
        |it: &Work| it.id.strip_prefix(WORK_PREFIX)?.parse().ok().filter(|it: &u64| *it < NUMBER_MAX);
    let last = work.iter().filter_map(number).max().unwrap_or(0);
    format!("{WORK_PREFIX}{:03}", last + 1)
}

enum Found {
    Open(usize),
    Done(usize),
}

fn find_work(work: &[Work], query: &str) -> Result<Found, Refused> {
    let query = query.trim();
    let folded = query.to_lowercase();
    let same = |text: &str| text.trim().to_lowercase() == folded;
    let within = |text: &str| text.to_lowercase().contains(&folded);
    let tests: [&dyn Fn(&Work) -> bool; 4] = [
        &|it| !it.id.is_empty() && same(&it.id),
        // Recorded texts are without secrets, so one that had one is looked for as it is recorded.
        &|it| it.description == query || it.description == clean(query),
        &|it| same(&it.description),
        &|it| !folded.is_empty() && within(&it.description),
    ];
    for (at, test) in tests.iter().enumerate() {
        let fits = |open: bool| {
            work.iter().enumerate().filter(move |(_, it)| is_open(it) == open && test(it)).map(|(at, _)| at)
        };
        match fits(true).collect::<Vec<_>>().as_slice() {
            [] => {}
            [one] => return Ok(Found::Open(*one)),
            // Nobody could tell them apart.
            [first, rest @ ..] if rest.iter().all(|it| is_twin(&work[*first], &work[*it])) => {
                return Ok(Found::Open(*first));
            }
            many => return Err(ambiguous(work, query, many)),
        }
        // A part of a text is too little to say that an item which is done was meant.
        let exact = at + 1 < tests.len();
        if let Some(done) = fits(false).next().filter(|_| exact) {
            return Ok(Found::Done(done));
        }
    }
    Err(Refused::UnknownWork { query: one_line(query) })
}

fn is_twin(one: &Work, other: &Work) -> bool {
    one.id == other.id && one.description == other.description
}

fn ambiguous(work: &[Work], query: &str, fits: &[usize]) -> Refused {
    let named = |at: &usize| {
        let work = &work[*at];
        let id = if work.id.is_empty() { "no id" } else { &work.id };
        format!("{id} ({})", one_line(&work.description))
    };
    let mut listed: Vec<String> = fits.iter().take(LISTED_MAX).map(named).collect();
    if LISTED_MAX < fits.len() {
        listed.push("…".to_owned());
    }
    // A merge can leave two items with one id behind.
    let ids: HashSet<&str> = fits.iter().map(|at| work[*at].id.as_str()).collect();
    let by = if ids.len() == fits.len() { "id" } else { "text" };
    Refused::AmbiguousWork { query: one_line(query), count: fits.len(), listed: listed.join(", "), by }
}

#[cfg(test)]
mod tests;
