//! Sessions on a host's events: one begins or goes on when a client starts, and ends when the user says so.
//!
//! Nothing here knows a host: an event says who started, why, and what was typed. Nothing here stops anything: what
//! fails is told, and the start or prompt goes ahead.

mod end;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use hostler_ledger::context::{Context, HostSession, Session};
use hostler_ledger::redact::preview;
use hostler_ledger::{journal, state};
use hostler_model::{Event, EventKind, SessionId, StartSource};
use hostler_policy::session::display::{self, Overview, Pending, Previous, Standing};
use hostler_policy::session::phrase::{Phrase, phrase};
use hostler_policy::session::purpose::purpose;
use hostler_policy::session::start::{self, Last, Reason, Situation, Start};
use jiff::Timestamp;

use super::{Caller, World, fault};
use crate::session::close::{self, Left};
use crate::session::effect::{self, Begin, End};
use crate::session::{Error, Refused, Sessions, View, known, render};

/// How long a close may keep a prompt; the registration allows for more.
const CLOSE_TIME_MAX: Duration = Duration::from_secs(8);
/// Left of the deadline for what comes after: the record of the event and the answer.
const RESERVE: Duration = Duration::from_millis(700);
/// How long another process that changes the record is waited for.
const WAIT_MAX: Duration = Duration::from_secs(1);
/// Clients of a session whose journals are looked at; the last ones know when it was used last.
const HOSTS_MAX: usize = 100;
/// Sessions that are asked whether a client belonged to them, the last ones.
const SESSIONS_MAX: usize = 50;
/// Characters of a text that is shown, before it is cut to its place.
const TEXT_CHARS_MAX: usize = 1_000;
/// Characters of a prompt that become a session's purpose.
const PURPOSE_CHARS_MAX: usize = 120;
/// Counter of the host session's state: which session its agent was told about.
const SHOWN: &str = "session_shown";

/// What is said about sessions.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// To the agent.
    pub(super) context: Option<String>,
    /// To the user.
    pub(super) message: Option<String>,
    /// What went wrong, for the user.
    pub(super) faults: Vec<String>,
}

impl Said {
    fn both(context: String, message: String) -> Self {
        Self { context: Some(context), message: Some(message), faults: Vec::new() }
    }
}

/// What an event means for the project's sessions; nothing where none are kept.
pub(super) fn on(event: &Event, world: &World, caller: &Caller) -> Said {
    match catch_unwind(AssertUnwindSafe(|| handle(event, world, caller))) {
        Ok(Ok(said)) => said,
        Ok(Err(error)) => failed(&error.to_string()),
        Err(panic) => failed(&super::panic_text(panic.as_ref())),
    }
}

fn failed(problem: &str) -> Said {
    Said { faults: vec![format!("sessions: {problem}")], ..Said::default() }
}

/// What an event asks for.
enum Asked<'a> {
    Start(StartSource),
    Open,
    Close,
    /// The turn has ended, and with it the session.
    EndOfTurn,
    /// Something else, in these words.
    Words(&'a str),
}

fn asked<'a>(event: &'a Event, world: &World) -> Option<Asked<'a>> {
    match &event.kind {
        EventKind::SessionStart { source } => Some(Asked::Start(*source)),
        // Nobody types in a subagent.
        _ if event.agent.is_some() => None,
        EventKind::Prompt { text } => Some(match phrase(text) {
            Some(Phrase::Open) => Asked::Open,
            Some(Phrase::Close) => Asked::Close,
            None => Asked::Words(text),
        }),
        EventKind::TurnEnd { .. } if world.config.life.close_on_idle => Some(Asked::EndOfTurn),
        _ => None,
    }
}

/// How the project's session stands, for an agent that is told it anew with each request; `None` where none is active.
pub(super) fn standing(event: &Event, world: &World) -> Option<String> {
    let sessions = Sessions::find(&event.cwd, &world.project, world.dirs.as_ref()?, &world.config)?;
    // A record that cannot be read is told with the next prompt.
    let context = sessions.read().ok()?;
    let (_, session) = context.active()?;
    let branch = known::branch(&world.project);
    Some(display::for_agent(&overview(&context, &session, branch.as_deref()), Standing::GoesOn))
}

/// Whether an event asks for the end of the session.
pub(super) fn closes(event: &Event) -> bool {
    let typed = match &event.kind {
        EventKind::Prompt { text } if event.agent.is_none() => phrase(text),
        _ => None,
    };
    typed == Some(Phrase::Close)
}

fn handle(event: &Event, world: &World, caller: &Caller) -> Result<Said, Error> {
    let Some(asked) = asked(event, world) else { return Ok(Said::default()) };
    fault::session();
    let found = |dirs| Sessions::find(&event.cwd, &world.project, dirs, &world.config);
    let Some(mut sessions) = world.dirs.as_ref().and_then(found) else { return Ok(Said::default()) };
    let (deadline, late) = match asked {
        Asked::Close => (caller.started + CLOSE_TIME_MAX, "the close of the session goes on by itself"),
        _ => (caller.deadline, "the record of sessions took too long"),
    };
    caller.watch(deadline, super::fault_reply(late, false));
    sessions.store = sessions.store.waiting(WAIT_MAX);
    let desk = Desk { event, world, caller, sessions, now: Timestamp::now(), deadline };
    match asked {
        Asked::Start(source) => desk.start(source),
        Asked::Open => desk.open(None),
        Asked::Close => desk.close(),
        Asked::EndOfTurn => desk.end_of_turn(),
        Asked::Words(text) => desk.follow(text),
    }
}

/// One event of one client, and the sessions of its project.
struct Desk<'a> {
    event: &'a Event,
    world: &'a World,
    caller: &'a Caller,
    sessions: Sessions,
    now: Timestamp,
    deadline: Instant,
}

/// What a change came to.
struct Outcome {
    start: Start,
    /// The session that was closed since nobody worked in it any more.
    closed: Option<u64>,
    /// What is wrong with the template of the view, for the user.
    view: Option<String>,
}

impl Outcome {
    /// What is said, with what was said besides.
    fn told(self, mut said: Said) -> Said {
        let left = self.closed.map(|number| {
            format!("hostler: session #{number} was left without an end and is closed as it stood")
        });
        said.message = lines([left, said.message, self.view]);
        said
    }
}

impl Desk<'_> {
    fn start(&self, source: StartSource) -> Result<Said, Error> {
        let decide = |last| self.decide(source, last);
        self.finish_close();
        let context = self.sessions.read()?;
        let decided = decide(self.last(&context));
        // A record that was repaired is written, so that it is said once.
        let unchanged = matches!(decided, Start::Resume | Start::Nothing(_)) && context.notes().is_empty();
        let (outcome, context, mut faults) = if unchanged {
            (Outcome { start: decided, closed: None, view: None }, context, Vec::new())
        } else {
            self.change(None, decide)?
        };
        let mut said = match outcome.start {
            Start::Nothing(Reason::Recent) => self.recent(&context),
            Start::Nothing(_) => Said::default(),
            Start::Begin | Start::CloseStaleAndBegin => self.show(&context, Standing::Begun),
            Start::Join => self.show(&context, Standing::Joined),
            // A client that only starts is a member already where its hook is registered twice: the other one has told.
            Start::Resume if source == StartSource::Startup => Said::default(),
            Start::Resume => self.show(&context, Standing::GoesOn),
        };
        if source != StartSource::Compact && !self.is_news(&context) {
            said.context = None;
        }
        if source == StartSource::Compact {
            // The user has seen it; it is the agent that has forgotten.
            said.message = None;
        }
        said.faults.append(&mut faults);
        Ok(outcome.told(said))
    }

    fn decide(&self, source: StartSource, last: Option<Last>) -> Start {
        start::decide(&Situation {
            source,
            subagent: self.event.agent.is_some(),
            last,
            now_ms: self.now.as_millisecond(),
            idle_ms: self.world.config.life.idle_ms(),
        })
    }

    /// A person asks for a new session.
    fn open(&self, purpose: Option<&str>) -> Result<Said, Error> {
        let now_ms = self.now.as_millisecond();
        let idle_ms = self.world.config.life.idle_ms();
        let (outcome, context, faults) =
            self.change(purpose, |last| start::decide_opening(last, now_ms, idle_ms))?;
        let mut said = match outcome.start {
            Start::Begin | Start::CloseStaleAndBegin => self.show(&context, Standing::Begun),
            _ => {
                let mut said = self.show(&context, Standing::GoesOn);
                let told = "No new session was begun: one is active. `close the session` ends it.";
                said.context = said.context.map(|context| format!("{told}\n{context}"));
                said.message = said.message.map(|message| format!("{message}\n  {told}"));
                said
            }
        };
        // Told in any case; what matters is that it is not told again.
        let _ = self.is_news(&context);
        said.faults = faults;
        Ok(outcome.told(said))
    }

    /// A person asks for the end of the session.
    fn close(&self) -> Result<Said, Error> {
        if self.sessions.read()?.active().is_none() && close::left(&self.sessions) == Left::Nothing {
            let told =
                "hostler: no session is active, so there is nothing to close; `start new session` begins one";
            return Ok(Said::both(told.to_owned(), told.to_owned()));
        }
        Ok(match end::run(&self.event.cwd, &[], self.left()) {
            Ok(end::End::Over { ok: true, said, .. }) => {
                // Who closes it knows that it is over.
                let _ = self.sessions.read().map(|context| self.is_news(&context));
                Said::both(
                    format!("The user asked hostler to close the session.\n{said}"),
                    format!("hostler: {said}"),
                )
            }
            Ok(end::End::Over { said, complained, .. }) => {
                let told = [complained, said].join("\n");
                let told = told.trim();
                let context =
                    format!("The user asked hostler to close the session, which did not succeed:\n{told}");
                Said { context: Some(context), ..failed(&format!("the session could not be closed: {told}")) }
            }
            Ok(end::End::GoesOn) => {
                let told = "hostler: the session is being closed; that goes on by itself, and `hostler session history` \
                            tells when it is done";
                Said::both(told.to_owned(), told.to_owned())
            }
            Err(error) => failed(&format!("the close of the session could not be started: {error}")),
        })
    }

    /// The turn has ended, and the configuration ends the session with it.
    fn end_of_turn(&self) -> Result<Said, Error> {
        if self.sessions.read()?.active().is_none() {
            return Ok(Said::default());
        }
        self.close()
    }

    /// Finishes a close that was killed.
    fn finish_close(&self) {
        if close::left(&self.sessions) == Left::Unfinished {
            // Whatever becomes of it, the next close tries again and tells.
            let _ = end::run(&self.event.cwd, &["--resume"], self.left() / 2);
        }
    }

    /// An ordinary prompt: its client belongs to the session from now on, and the first one says what it is for.
    fn follow(&self, text: &str) -> Result<Said, Error> {
        let context = self.sessions.read()?;
        let Some((_, session)) = context.active() else {
            return self.without_session(&context, text);
        };
        let purpose = purpose_of(text).filter(|_| is_automatic(&session));
        if self.is_member(&session) && purpose.is_none() {
            return Ok(Said::default());
        }
        let mut joined = false;
        let applied = self.sessions.apply(false, |context| {
            let Some((index, mut session)) = context.active() else { return Ok(()) };
            joined = !self.is_member(&session);
            if joined {
                session.hosts.push(self.host());
            }
            if let Some(purpose) = purpose.clone().filter(|_| is_automatic(&session)) {
                session.purpose = purpose;
            }
            session.updated = Some(self.written());
            context.replace(index, session);
            Ok(())
        })?;
        let mut said = Said::default();
        if joined && self.is_news(&applied.context) {
            said = self.show(&applied.context, Standing::Joined);
        }
        said.message = lines([said.message, self.view(applied.view)]);
        said.faults = applied.notes;
        Ok(said)
    }

    /// An ordinary prompt where no session is active.
    fn without_session(&self, context: &Context, text: &str) -> Result<Said, Error> {
        // Where each turn is a session, the next one begins with a prompt.
        if self.world.config.life.close_on_idle {
            return self.open(purpose_of(text).as_deref());
        }
        // Its session is over: whoever closed it, a person says when the next one begins.
        if context.newest_first().take(SESSIONS_MAX).any(|(_, session)| self.is_member(&session)) {
            return Ok(if self.is_news(context) { over(context) } else { Said::default() });
        }
        // It started when the last session was too young to be followed by another one.
        let decide = |last| self.decide(StartSource::Startup, last);
        if decide(self.last(context)) != Start::Begin {
            return Ok(Said::default());
        }
        let (outcome, context, faults) = self.change(purpose_of(text).as_deref(), decide)?;
        let standing = if outcome.start == Start::Begin { Standing::Begun } else { Standing::Joined };
        let mut said = self.show(&context, standing);
        let _ = self.is_news(&context);
        said.faults = faults;
        Ok(outcome.told(said))
    }

    /// What is wrong with the user's template. A view that could not be made at all is still to be made, and told.
    fn view(&self, view: Option<Result<View, render::Error>>) -> Option<String> {
        super::view::tell(self.event, self.world, self.caller, &view?.ok()?.problem?)
    }

    /// Decides and changes under the lock, so that two clients that start at once begin one session.
    fn change(
        &self,
        purpose: Option<&str>,
        decide: impl Fn(Option<Last>) -> Start,
    ) -> Result<(Outcome, Context, Vec<String>), Error> {
        let left = self.close_left(&self.sessions.read()?, &decide);
        let applied = self.sessions.apply(false, |context| {
            let start = decide(self.last(context));
            let mut closed = left;
            if start == Start::CloseStaleAndBegin {
                closed = Some(self.close_stale(context)?);
            }
            match start {
                Start::Begin | Start::CloseStaleAndBegin => self.begin(context, purpose)?,
                Start::Join => self.join(context),
                Start::Resume | Start::Nothing(_) => {}
            }
            Ok((start, closed))
        })?;
        let (start, closed) = applied.value;
        let outcome = Outcome { start, closed, view: self.view(applied.view) };
        Ok((outcome, applied.context, applied.notes))
    }

    fn begin(&self, context: &mut Context, purpose: Option<&str>) -> Result<(), Refused> {
        let request = Begin {
            purpose: purpose.map_or_else(|| automatic_purpose(self.now), str::to_owned),
            version: known::version(&self.sessions.root),
            branch: known::branch(&self.world.project),
            commit: self.world.project.commit(),
            host: Some(self.host()),
            ..Begin::default()
        };
        effect::begin(context, &request, &self.written()).map(|_| ())
    }

    fn join(&self, context: &mut Context) {
        if let Some((index, mut session)) = context.active() {
            session.hosts.push(self.host());
            context.replace(index, session);
        }
    }

    /// Closes a session that nobody works in any more with all that is known, achievements from git among it. Its
    /// number, if it came to that in time.
    fn close_left(&self, context: &Context, decide: impl Fn(Option<Last>) -> Start) -> Option<u64> {
        if decide(self.last(context)) != Start::CloseStaleAndBegin {
            return None;
        }
        let (_, session) = context.active()?;
        let number = session.seq;
        let arguments = ["--left", &number.to_string(), &written(self.ended(&session))];
        let end = end::run(&self.event.cwd, &arguments, self.left() / 2).ok()?;
        matches!(end, end::End::Over { ok: true, .. }).then_some(number)
    }

    /// The same with what the record knows alone, where there was no time for more. Its number.
    fn close_stale(&self, context: &mut Context) -> Result<u64, Refused> {
        let (_, session) = context.active().ok_or(Refused::NoActive)?;
        let end = End { outcome: "stale".to_owned(), ..End::default() };
        effect::end(context, &end, &written(self.ended(&session))).map(|ended| ended.seq)
    }

    /// When a session that was left had its last sign of work.
    fn ended(&self, session: &Session) -> Timestamp {
        let seen = self.seen_ms(session).and_then(|seen| Timestamp::from_millisecond(seen).ok());
        seen.or_else(|| effect::moment(&session.when)).unwrap_or(self.now)
    }

    /// What is left of the time.
    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now()).saturating_sub(RESERVE)
    }

    /// No session, but what is left to do.
    fn recent(&self, context: &Context) -> Said {
        let mut said = self.show(context, Standing::Closed);
        let why = "\n  It was begun less than five minutes ago; `start new session` begins another one.";
        said.message = said.message.map(|message| message + why);
        said
    }

    /// The last session, which is the active one if any is.
    fn show(&self, context: &Context, standing: Standing) -> Said {
        let Some((_, session)) = context.last() else { return Said::default() };
        let branch = known::branch(&self.world.project);
        let overview = overview(context, &session, branch.as_deref());
        Said::both(display::for_agent(&overview, standing), display::for_user(&overview, standing))
    }

    /// Whether this client's agent was not told about the last session as it stands; it is from now on.
    fn is_news(&self, context: &Context) -> bool {
        let (Some((_, session)), Some(state)) = (context.last(), self.world.state()) else { return true };
        // A number for each session and another one for its end.
        let shown = session.seq.saturating_mul(2) + u64::from(session.length.is_some());
        let news = |state: &mut state::State| {
            let news = state.counter(SHOWN) != shown;
            state.set_counter(SHOWN, shown);
            news
        };
        // What is told twice does less harm than what is not told.
        state::update(state, &self.event.session, news).unwrap_or(true)
    }

    fn last(&self, context: &Context) -> Option<Last> {
        let (_, session) = context.last()?;
        let active = session.length.is_none();
        Some(Last {
            active,
            member: self.is_member(&session),
            begun_ms: effect::moment(&session.when).map(Timestamp::as_millisecond),
            seen_ms: active.then(|| self.seen_ms(&session)).flatten(),
        })
    }

    /// The last sign of work in a session: what its record says, and what the journals of its clients say. They are
    /// not asked where the record shows that it is in use.
    fn seen_ms(&self, session: &Session) -> Option<i64> {
        let moments = session.updated.iter().chain(session.hosts.iter().map(|host| &host.when));
        let recorded = moments.filter_map(|text| effect::moment(text)).map(Timestamp::as_millisecond).max();
        let since = self.now.as_millisecond().saturating_sub(self.world.config.life.idle_ms());
        if recorded.is_some_and(|recorded| since < recorded) {
            return recorded;
        }
        let ids: Vec<SessionId> = session
            .hosts
            .iter()
            .rev()
            .take(HOSTS_MAX)
            .filter_map(|host| SessionId::parse(&host.id).ok())
            .collect();
        let own = self.world.state().filter(|state| *state != self.sessions.state);
        let folders = own.into_iter().chain([self.sessions.state.as_path()]);
        let done = folders.filter_map(|folder| journal::last_activity_ms(folder, &ids)).max();
        recorded.max(done)
    }

    fn is_member(&self, session: &Session) -> bool {
        let (host, id) = (self.event.host.name(), self.event.session.as_str());
        session.hosts.iter().any(|it| it.id == id && it.host == host)
    }

    fn host(&self) -> HostSession {
        HostSession {
            host: self.event.host.name().to_owned(),
            id: self.event.session.as_str().to_owned(),
            when: self.written(),
            ..HostSession::default()
        }
    }

    fn written(&self) -> String {
        written(self.now)
    }
}

/// What a client is told whose session was closed by somebody else.
fn over(context: &Context) -> Said {
    let Some((_, session)) = context.last() else { return Said::default() };
    let told = format!(
        "session #{} is closed; what is done now belongs to none until `start new session` begins one",
        session.seq
    );
    Said::both(format!("hostler: {told}."), format!("hostler: {told}"))
}

fn lines<const COUNT: usize>(texts: [Option<String>; COUNT]) -> Option<String> {
    let texts: Vec<String> = texts.into_iter().flatten().collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// A time as it is recorded.
fn written(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A recorded time as it is shown.
fn shown(text: &str) -> String {
    effect::moment(text).map_or_else(|| clean(text), |time| time.strftime("%Y-%m-%d %H:%M UTC").to_string())
}

/// The purpose of a session that began by itself, until somebody says what it is for.
fn automatic_purpose(begun: Timestamp) -> String {
    begun.strftime("Session of %Y-%m-%d %H:%M UTC").to_string()
}

fn is_automatic(session: &Session) -> bool {
    effect::moment(&session.when).is_some_and(|begun| session.purpose == automatic_purpose(begun))
}

/// What a prompt says that a session is for.
fn purpose_of(prompt: &str) -> Option<String> {
    Some(display::shorten(&clean(purpose(prompt)?), PURPOSE_CHARS_MAX))
}

/// A text as it is shown: on one line, without secrets.
fn clean(text: &str) -> String {
    preview(&hostler_model::text::one_line(text), TEXT_CHARS_MAX)
}

fn overview(context: &Context, session: &Session, branch: Option<&str>) -> Overview {
    let state = context.state();
    let tests = match (state.test_count, &state.test_state) {
        (Some(count), Some(state)) => format!("{count}, {}", clean(state)),
        (Some(count), None) => count.to_string(),
        (None, Some(state)) => clean(state),
        (None, None) => String::new(),
    };
    let version = session.version.as_deref().unwrap_or(&state.version);
    let previous = context.newest_first().map(|(_, it)| it).find(|it| it.length.is_some());
    Overview {
        number: session.seq,
        purpose: clean(&session.purpose),
        began: shown(&session.when),
        version: clean(version),
        branch: clean(branch.or(session.branch.as_deref()).unwrap_or(&state.branch)),
        tests,
        work: effect::open_work(context)
            .into_iter()
            .map(|work| Pending {
                rank: work.priority.rank(),
                id: clean(&work.id),
                description: clean(&work.description),
                in_progress: work.status == hostler_ledger::context::WorkStatus::InProgress,
            })
            .collect(),
        sessions: context.session_count(),
        previous: previous.map(|it| previous_of(&it)),
    }
}

fn previous_of(session: &Session) -> Previous {
    let outcome = match (session.outcome.as_deref(), session.length.as_deref()) {
        (Some(outcome), Some(length)) => format!("{outcome} after {length}"),
        (None, Some(length)) => format!("closed after {length}"),
        (Some(outcome), None) => outcome.to_owned(),
        (None, None) => String::new(),
    };
    Previous {
        number: session.seq,
        when: shown(session.ended.as_deref().unwrap_or(&session.when)),
        outcome: clean(&outcome),
        achievements: session.achievements.iter().map(|it| clean(it)).collect(),
    }
}
