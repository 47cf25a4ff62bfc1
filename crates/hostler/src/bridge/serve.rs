//! What each line asks for, and how it is answered.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hostler_host::opencode::read::{
    Ask, Attached, Fault, Hello, MessageParts, Names, Request, Server, ToolRequest,
};
use hostler_host::opencode::write::{Answer, Level, Log, Place, Redacted, SYSTEM_CHARS_MAX};
use hostler_host::reply::{Reply, Stop};
use hostler_ledger::{redact, state};
use hostler_model::text::shorten;
use hostler_model::{Action, Event, EventKind, Host, Outcome, Profile, SessionId, StartSource, ToolCall};

use super::flight::Flights;
use super::out::Out;
use super::pool::{Lane, Pool};
use super::voice::{Beside, Line};
use super::{health, hello};
use crate::gates::SESSION_VARIABLE;
use crate::hook::{self, Caller, TIME_MAX, World, now_ms};
use crate::session::{Sessions, locate, render};
use crate::tools;

/// How long the end of a turn may take where the host goes on living, and where it ends with the turn.
const TURN_TIME_MAX: Duration = Duration::from_secs(60);
const LAST_TURN_TIME_MAX: Duration = Duration::from_secs(8);
/// Sessions that are remembered to have been begun.
const SESSIONS_MAX: usize = 256;
/// Counter of a session's state: the message whose turn was ended last.
const ENDED: &str = "turn-ended";
/// Counter of a session's state: its turn goes on since its agent was sent back.
const SENT_BACK: &str = "turn-sent-back";

/// One instance of the host.
pub(super) struct Bridge {
    out: Arc<Out>,
    pool: Pool,
    flights: Arc<Flights>,
    names: Mutex<Arc<Names>>,
    begun: Mutex<Begun>,
    /// How long the end of a turn may take, in milliseconds.
    turn_ms_max: AtomicU64,
}

/// Sessions that were begun in this process, so that one that goes on is told from one that is new. The oldest are
/// forgotten: beginning twice changes nothing.
#[derive(Default)]
struct Begun {
    sessions: BTreeSet<SessionId>,
    order: VecDeque<SessionId>,
    folders: Vec<(SessionId, std::path::PathBuf)>,
}

impl Begun {
    /// Whether it was not there.
    fn insert(&mut self, session: &SessionId, directory: &Path) -> bool {
        if !self.sessions.insert(session.clone()) {
            return false;
        }
        self.order.push_back(session.clone());
        self.folders.push((session.clone(), directory.to_path_buf()));
        if SESSIONS_MAX < self.order.len()
            && let Some(oldest) = self.order.pop_front()
        {
            self.remove(&oldest);
        }
        true
    }

    fn remove(&mut self, session: &SessionId) {
        self.sessions.remove(session);
        self.order.retain(|it| it != session);
        self.folders.retain(|(it, _)| it != session);
    }
}

/// One line that is being answered.
struct Task {
    bridge: Arc<Bridge>,
    id: Option<u64>,
    directory: std::path::PathBuf,
    retry: bool,
    caller: Caller,
    beside: Beside,
}

impl Bridge {
    pub(super) fn new(out: Arc<Out>) -> Arc<Self> {
        Arc::new(Self {
            out,
            pool: Pool::new(),
            flights: Arc::default(),
            names: Mutex::new(Arc::new(Names {
                servers: None,
                own: tools::TOOLS.iter().map(|tool| tool.name).collect(),
            })),
            begun: Mutex::default(),
            turn_ms_max: AtomicU64::new(millis(TURN_TIME_MAX)),
        })
    }

    /// Begins to watch over those who wait.
    pub(super) fn start(self: &Arc<Self>) {
        let (flights, pool) = (self.flights.clone(), self.pool.clone());
        // Without it calls may take longer than they should; the plugin has a limit of its own.
        let _ = std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || flights.watch(&pool));
    }

    pub(super) fn names(&self) -> Arc<Names> {
        lock(&self.names).clone()
    }

    pub(super) fn answer(&self, answer: &Answer) {
        self.out.write(answer);
    }

    pub(super) fn fault(&self, fault: &Fault) {
        self.answer(&Answer::fault(fault.id, &fault.problem.to_string()));
    }

    /// Finishes what is under way, and ends the sessions of this instance.
    pub(super) fn end(self: &Arc<Self>, time_max: Duration) {
        let until = Instant::now() + time_max;
        let drained = self.flights.drain(time_max);
        if !drained {
            self.answer(&Answer {
                log: vec![Log::new(Level::Warn, "hostler: the host ended before everything was finished")],
                ..Answer::default()
            });
        }
        let sessions = std::mem::take(&mut *lock(&self.begun)).folders;
        for (session, directory) in sessions {
            let event = Event {
                host: Host::OpenCode,
                name: "dispose".to_owned(),
                session,
                cwd: directory.clone(),
                transcript: None,
                agent: None,
                permission_mode: None,
                kind: EventKind::SessionEnd { reason: "dispose".to_owned() },
            };
            let request = Request {
                id: None,
                hook: "dispose".to_owned(),
                session: Some(event.session.clone()),
                directory,
                retry: false,
                ask: Ask::Event(event),
            };
            self.take(request);
        }
        self.flights.drain(until.saturating_duration_since(Instant::now()).max(Duration::from_secs(1)));
    }

    /// Answers one line, sooner or later.
    pub(super) fn take(self: &Arc<Self>, request: Request) {
        let (lane, place) = match &request.ask {
            Ask::Ping | Ask::Dispose | Ask::Nothing => {
                return self.reply_to_nothing(request.id);
            }
            Ask::Servers(servers) => {
                self.learn(servers);
                self.reply_to_nothing(request.id);
                return health::look(servers.clone(), &request.directory, &self.out);
            }
            Ask::ShellEnv { .. } => return self.environment(&request),
            Ask::Before { .. } | Ask::Malformed { .. } => (Lane::Guard, Place::Before),
            Ask::After(_) => (Lane::Session, Place::After),
            Ask::Message { .. } => (Lane::Session, Place::Prompt),
            Ask::Idle { .. } => (Lane::Turn, Place::TurnEnd),
            Ask::Event(_) | Ask::Compacting(_) | Ask::OfUser(_) => (Lane::Session, Place::Event),
            // The host waits for these, and they change nothing that others depend on.
            Ask::System(_) | Ask::Hello(_) => (Lane::Guard, Place::Event),
            Ask::Tool(_) | Ask::Edited(_) => (Lane::Free, Place::Event),
        };
        let ordered = matches!(lane, Lane::Session | Lane::Turn);
        let turnstile = self.pool.turnstile(request.session.clone().filter(|_| ordered));
        let beside = Beside::default();
        let voice = Line {
            id: request.id,
            place,
            out: self.out.clone(),
            beside: beside.clone(),
            turnstile: turnstile.clone(),
            turn_time_max: Duration::from_millis(self.turn_ms_max.load(Ordering::Relaxed)),
            occasion: match &request.ask {
                Ask::Idle { message: Some(message), .. } => format!(":{message}"),
                _ => String::new(),
            },
            said: AtomicBool::new(false),
        };
        let now = Instant::now();
        let caller = Caller::new(now, now + TIME_MAX, Box::new(voice));
        match lane {
            // What was not judged in time does not run: the agent can ask again.
            Lane::Guard if place == Place::Before => {
                caller.watch(now + TIME_MAX, unjudged("this call could not be judged in time"));
            }
            Lane::Guard | Lane::Session => caller.watch(now + TIME_MAX, Reply::default()),
            // Nobody waits for them with a clock in hand.
            Lane::Turn | Lane::Free => {}
        }
        let flight = self.flights.begin(caller.clone());
        let task = Task {
            bridge: self.clone(),
            id: request.id,
            directory: request.directory,
            retry: request.retry,
            caller: caller.clone(),
            beside,
        };
        let ask = request.ask;
        let session = request.session;
        let answerer = caller.clone();
        let work = move || {
            // Who waits is answered, whatever fails outside of what is caught for each event.
            let answered = catch_unwind(AssertUnwindSafe(|| task.answer(session.as_ref(), ask)));
            if let Err(panic) = answered {
                answerer.give(&match place {
                    Place::Before => unjudged("a fault in hostler"),
                    _ => hook::fault_reply(&hook::panic_text(panic.as_ref()), false),
                });
            }
            drop(flight);
        };
        if !self.pool.push(lane, turnstile, Box::new(work)) {
            let reply = match place {
                Place::Before => unjudged("too many calls at once"),
                _ => hook::fault_reply("too many events at once: this one is not recorded", false),
            };
            caller.give(&reply);
        }
    }

    fn reply_to_nothing(&self, id: Option<u64>) {
        if id.is_some() {
            self.answer(&Answer { id, ..Answer::default() });
        }
    }

    fn learn(&self, servers: &[Server]) {
        let mut names = lock(&self.names);
        let servers = servers.iter().map(|server| server.name.clone()).collect();
        *names = Arc::new(Names { servers: Some(servers), own: names.own.clone() });
    }

    fn environment(&self, request: &Request) {
        let mut answer = Answer { id: request.id, ..Answer::default() };
        if let Some(session) = &request.session {
            answer.env.insert(SESSION_VARIABLE.to_owned(), session.as_str().to_owned());
        }
        self.answer(&answer);
    }
}

impl Task {
    fn answer(self, session: Option<&SessionId>, ask: Ask) {
        match ask {
            Ask::Before { event, more } => {
                let world = self.world(&event);
                let reply = hook::reply(&event, &more, &world, &self.caller);
                self.log_stop(&event, &reply);
                self.caller.give(&reply);
            }
            Ask::Malformed { event, reason } => {
                let reply =
                    Reply { stop: Some(Stop::Deny(format!("hostler: {reason}."))), ..Reply::default() };
                self.log_stop(&event, &reply);
                self.caller.give(&reply);
            }
            Ask::After(events) => self.after(&events),
            Ask::Message { event, parts } => self.message(&event, &parts),
            Ask::Idle { event, message } => self.idle(event, message.as_deref()),
            Ask::Event(event) => self.event(&event),
            Ask::Compacting(event) => {
                let world = self.world(&event);
                let reply = hook::reply(&event, &[], &world, &self.caller);
                self.beside.lock().context.extend(hook::kept_in_summary(&event, &world));
                self.beside.log(
                    Level::Info,
                    "hostler: the conversation is compacted, and the session's state kept in its summary",
                );
                self.caller.give(&reply);
            }
            Ask::System(event) => {
                let world = self.world(&event);
                let standing = hook::standing(&event, &world);
                self.beside.lock().append = standing.map(|text| shorten(&text, SYSTEM_CHARS_MAX));
                self.caller.give(&Reply::default());
            }
            Ask::OfUser(event) => {
                let world = self.world(&event);
                self.caller.give(&hook::of_user(&event, &world, &self.caller));
            }
            Ask::Edited(file) => self.edited(&file),
            Ask::Hello(hello) => self.hello(&hello),
            Ask::Tool(request) => self.tool(&request, session),
            Ask::Ping | Ask::Dispose | Ask::Servers(_) | Ask::ShellEnv { .. } | Ask::Nothing => {
                self.caller.give(&Reply::default());
            }
        }
    }

    /// The world of an event: the host works in one folder, wherever a command runs.
    fn world(&self, event: &Event) -> World {
        World::between(&event.cwd, Some(self.directory.clone()))
    }

    fn log_stop(&self, event: &Event, reply: &Reply) {
        let Some(Stop::Deny(_) | Stop::Ask(_)) = &reply.stop else { return };
        let tool = event.call().map(|call| call.tool.as_str()).unwrap_or_default();
        let details = reply.rest.as_deref().map(|rest| format!(": {rest}")).unwrap_or_default();
        self.beside.log(Level::Warn, &format!("hostler stopped `{}`{details}", shorten(tool, 40)));
    }

    fn after(&self, events: &[Event]) {
        let Some(first) = events.first() else { return self.caller.give(&Reply::default()) };
        let world = self.world(first);
        let recorded = events.iter().map(|event| hook::reply(event, &[], &world, &self.caller));
        let mut replies: Vec<Reply> = recorded.collect();
        replies.push(Reply { context: hook::warned(first, &world), ..Reply::default() });
        self.caller.give(&joined(replies));
    }

    fn message(&self, event: &Event, parts: &MessageParts) {
        let world = self.world(event);
        let mut replies = Vec::new();
        if event.agent.is_none() && lock(&self.bridge.begun).insert(&event.session, &self.directory) {
            // Nobody has told that it begins: it goes on, in a host that was started anew.
            let kind = EventKind::SessionStart { source: StartSource::Resume };
            let start = Event { name: "session.resumed".to_owned(), kind, ..event.clone() };
            replies.push(Reply { context: None, ..hook::reply(&start, &[], &world, &self.caller) });
        }
        for file in &parts.attached {
            replies.push(self.attached(event, &world, file));
        }
        replies.push(hook::reply(event, &[], &world, &self.caller));
        Self::sent_back(event, &world, false);
        self.caller.give(&joined(replies));
    }

    /// A file that the host itself has read for a prompt is judged as if the agent had.
    fn attached(&self, event: &Event, world: &World, file: &Attached) -> Reply {
        let part = file.shown.first().map(|(id, _)| id.as_str()).unwrap_or_default();
        let call = ToolCall {
            id: Some(format!("{part}:{}", file.path)),
            tool: "read".to_owned(),
            action: Action::Read { path: Some(file.path.clone()) },
            input: serde_json::json!({ "filePath": file.path }).to_string(),
        };
        let before = Event { kind: EventKind::ToolBefore { call: call.clone() }, ..event.clone() };
        let judged = hook::reply(&before, &[], world, &self.caller);
        if let Some(Stop::Deny(reason) | Stop::Ask(reason)) = &judged.stop {
            let told =
                format!("[hostler: `{}` came along with the prompt and is not shown: {reason}]", file.path);
            let redacted =
                file.shown.iter().map(|(part, _)| Redacted { part: part.clone(), text: told.clone() });
            self.beside.lock().redact.extend(redacted);
            let message = format!("hostler: `{}` was taken out of the prompt: {reason}", file.path);
            return Reply { stop: None, message: Some(message), ..judged };
        }
        let outcome = Outcome { ok: true, ..Outcome::default() };
        let after = Event { kind: EventKind::ToolAfter { call, outcome }, ..event.clone() };
        let recorded = hook::reply(&after, &[], world, &self.caller);
        joined(vec![judged, recorded, self.secrets(world, file)])
    }

    /// Secrets in a file that comes along with a prompt go to whoever runs the model.
    fn secrets(&self, world: &World, file: &Attached) -> Reply {
        let found: Vec<(&String, String, usize)> = file
            .shown
            .iter()
            .filter_map(|(part, text)| {
                let secrets = redact::secrets(text);
                (!secrets.is_empty()).then(|| (part, redact::without(text, &secrets), secrets.len()))
            })
            .collect();
        let count: usize = found.iter().map(|(_, _, count)| count).sum();
        if count == 0 || world.config.settings.profile == Profile::Observe {
            return Reply::default();
        }
        let what = if count == 1 {
            "what looks like a secret".to_owned()
        } else {
            format!("what looks like {count} secrets")
        };
        let out = world.config.settings.profile == Profile::Strict;
        if out {
            let redacted = found.into_iter().map(|(part, text, _)| Redacted { part: part.clone(), text });
            self.beside.lock().redact.extend(redacted);
        }
        let then =
            if out { "it was taken out of the prompt" } else { "it goes to the model with the prompt" };
        Reply { message: Some(format!("hostler: `{}` holds {what}; {then}", file.path)), ..Reply::default() }
    }

    fn idle(&self, mut event: Event, message: Option<&str>) {
        // An audit's time counts from its beginning: nobody waits for it with a clock in hand.
        let now = Instant::now();
        let caller = self.caller.clone().begun(now).until(now + TIME_MAX);
        let world = self.world(&event);
        let Some(was_sent_back) = self.ends_first(&event, &world, message) else {
            return caller.give(&Reply::default());
        };
        if let EventKind::TurnEnd { continuing, .. } | EventKind::SubagentEnd { continuing, .. } =
            &mut event.kind
        {
            *continuing = was_sent_back;
        }
        let reply = hook::reply(&event, &[], &world, &caller);
        if let Some(Stop::Continue(_)) = reply.stop {
            Self::sent_back(&event, &world, true);
        }
        caller.give(&reply);
    }

    /// Whether this end of a turn was not told before, which hosts do; whether the turn went on since its agent was sent
    /// back.
    fn ends_first(&self, event: &Event, world: &World, message: Option<&str>) -> Option<bool> {
        let Some(folder) = world.state() else { return Some(false) };
        let scope = event.agent.as_ref().map(|agent| agent.id.as_str()).unwrap_or_default();
        let key = format!("{ENDED}:{scope}");
        let hash = message.map_or(0, hashed);
        let retry = self.retry;
        let ended = state::update(folder, &event.session, |state| {
            if hash != 0 && state.counter(&key) == hash && !retry {
                return None;
            }
            state.set_counter(&key, hash);
            let was_sent_back = event.agent.is_none() && state.counter(SENT_BACK) != 0;
            if was_sent_back {
                state.set_counter(SENT_BACK, 0);
            }
            Some(was_sent_back)
        });
        // Told twice is better than never.
        ended.unwrap_or(Some(false))
    }

    fn sent_back(event: &Event, world: &World, value: bool) {
        let Some(folder) = world.state().filter(|_| event.agent.is_none()) else { return };
        let value = u64::from(value);
        if state::load(folder, &event.session).is_ok_and(|state| state.counter(SENT_BACK) == value) {
            return;
        }
        // What cannot be kept lets the agent be sent back once more; how often is counted elsewhere.
        let _ = state::update(folder, &event.session, |state| state.set_counter(SENT_BACK, value));
    }

    fn event(&self, event: &Event) {
        let world = self.world(event);
        let mut event = event.clone();
        match &mut event.kind {
            EventKind::SessionStart { source: source @ StartSource::Startup } => {
                lock(&self.bridge.begun).insert(&event.session, &self.directory);
                if world.state().is_some_and(|state| hostler_ledger::journal::is_known(state, &event.session))
                {
                    *source = StartSource::Resume;
                }
            }
            EventKind::SessionEnd { .. } => lock(&self.bridge.begun).remove(&event.session),
            _ => {}
        }
        let reply = hook::reply(&event, &[], &world, &self.caller);
        self.caller.give(&reply);
    }

    /// The record of sessions has a view beside it, which follows whoever edits the record.
    fn edited(&self, file: &Path) {
        let world = World::between(&self.directory, None);
        let sessions = world
            .dirs
            .as_ref()
            .filter(|_| file.file_name() == Some(OsStr::new(locate::FILE)))
            .and_then(|dirs| Sessions::find(&self.directory, &world.project, dirs, &world.config));
        let refreshed = sessions.filter(render::is_stale).map(|sessions| render::refresh(&sessions, false));
        if let Some(Err(error)) = refreshed {
            self.beside.log(Level::Warn, &format!("hostler: {error}"));
        }
        self.caller.give(&Reply::default());
    }

    fn hello(&self, hello: &Hello) {
        let turn = if hello.mode == "run" { LAST_TURN_TIME_MAX } else { TURN_TIME_MAX };
        self.bridge.turn_ms_max.store(millis(turn), Ordering::Relaxed);
        let answer = hello::answer(self.id, &self.directory, hello, now_ms());
        *self.beside.lock() = answer;
        self.caller.give(&Reply::default());
    }

    fn tool(&self, request: &ToolRequest, session: Option<&SessionId>) {
        let answer = match tools::find(&request.name) {
            None => (format!("hostler has no tool `{}`", shorten(&request.name, 60)), true),
            Some(tool) => {
                let caller = &self.caller;
                let call = tools::Call {
                    arguments: &request.arguments,
                    directory: &self.directory,
                    session,
                    host: Host::OpenCode,
                    progress: &|_, _, _| {},
                    cancelled: &|| caller.is_given(),
                };
                let answer = tools::run(tool, &call);
                (answer.text, answer.failed)
            }
        };
        let (text, failed) = answer;
        {
            let mut beside = self.beside.lock();
            beside.text = Some(text);
            beside.failed = failed.then_some(true);
        }
        self.caller.give(&Reply::default());
    }
}

/// What was not judged does not run, and can be asked for again.
fn unjudged(why: &str) -> Reply {
    let reason =
        format!("hostler: {why}, so it was not run. Nothing is wrong with the call itself: make it again.");
    Reply { stop: Some(Stop::Deny(reason)), ..Reply::default() }
}

/// Several replies to one line as one; the first stop counts.
fn joined(replies: Vec<Reply>) -> Reply {
    let mut out = Reply::default();
    let texts = |into: &mut Option<String>, text: Option<String>, between: &str| {
        // What two events tell alike is told once.
        let told = |text: &String| into.as_ref().is_some_and(|before| before.contains(text.as_str()));
        if let Some(text) = text.filter(|text| !told(text)) {
            *into =
                Some(into.take().map_or_else(|| text.clone(), |before| format!("{before}{between}{text}")));
        }
    };
    for reply in replies {
        out.stop = out.stop.or(reply.stop);
        texts(&mut out.context, reply.context, "\n\n");
        texts(&mut out.message, reply.message, "\n");
        out.rest = out.rest.or(reply.rest);
    }
    out
}

fn hashed(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    // 0 stands for none, and what is kept as JSON has 53 bits.
    (hasher.finish() >> 11).max(1)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
