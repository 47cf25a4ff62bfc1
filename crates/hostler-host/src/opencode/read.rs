//! Lines of the `OpenCode` plugin -> what is asked of us; the protocol is told in `docs/bridge.md`.
//!
//! What a guard judges is read strictly: a wrong type there is a call that the host would refuse as well, and is denied.
//! Everything else is read leniently, so that a new field, event or tool of the host costs nothing. Everything that a
//! line needs is in it: whoever reads it may have been started a moment ago.

mod parts;
mod tool;

use std::path::{Path, PathBuf};

use hostler_model::{
    Action, Agent, BadSessionId, Event, EventKind, Host, Outcome, SessionId, StartSource, ToolCall, lexical,
};
use serde_json::{Map, Value};

pub use self::parts::{Attached, MessageParts};
use self::tool::Malformed;
pub use self::tool::Names;

/// The version of the protocol that is spoken here.
pub const PROTOCOL: u64 = 1;

/// The largest line that is read, in bytes.
pub const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The events that something is done about; the plugin forwards no other ones.
pub const EVENTS: &[&str] =
    &["session.created", "session.idle", "session.deleted", "session.compacted", "file.edited"];

/// A line that cannot be answered.
#[derive(Debug, thiserror::Error)]
#[error("{problem}")]
pub struct Fault {
    /// The line's id, where it has one.
    pub id: Option<u64>,
    /// What is wrong with the line.
    pub problem: Problem,
}

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// More than [`LINE_BYTES_MAX`].
    #[error("the line is larger than {} MiB", LINE_BYTES_MAX / (1024 * 1024))]
    TooLarge,
    /// Bytes that are no text.
    #[error("the line is not UTF-8 (byte {0})")]
    NotUtf8(usize),
    /// Text that is no JSON; truncated and too deeply nested lines too.
    #[error("the line is not JSON: {0}")]
    NotJson(String),
    /// JSON that is no object.
    #[error("the line is not a JSON object")]
    NotAnObject,
    /// A field that is needed is not there or has another type.
    #[error("`{field}` is not {expected}")]
    Wrong {
        /// The field.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// A session name that could not name a file.
    #[error("{0}")]
    Session(#[from] BadSessionId),
    /// A folder that says nothing about where a path leads.
    #[error("`directory` is not an absolute path")]
    RelativeDirectory,
}

/// One line.
#[derive(Debug)]
pub struct Request {
    /// Its id, to be given back; `None` for what expects no answer.
    pub id: Option<u64>,
    /// The hook's name.
    pub hook: String,
    /// The session that the line belongs to: of a subagent, the one that started it.
    pub session: Option<SessionId>,
    /// The folder that the host works in.
    pub directory: PathBuf,
    /// The line was sent before, to somebody who did not live to answer it.
    pub retry: bool,
    /// What is asked.
    pub ask: Ask,
}

/// What a line asks for.
#[derive(Debug)]
pub enum Ask {
    /// Who is there.
    Hello(Box<Hello>),
    /// Whether somebody lives.
    Ping,
    /// The host ends: everything before is finished first.
    Dispose,
    /// The servers of MCP that are configured, by name.
    Servers(Vec<Server>),
    /// Whether a tool call may run. A patch of several files is one call that does several things: all of them are told.
    Before {
        /// The call, as the first thing that it does.
        event: Event,
        /// What else it does.
        more: Vec<Action>,
    },
    /// A tool call that the host would refuse as well: why.
    Malformed {
        /// The call, whose action is not known.
        event: Event,
        /// What is wrong with it, for the agent.
        reason: String,
    },
    /// A tool ran, or failed; one event for each thing that it did.
    After(Vec<Event>),
    /// A person ran a command.
    OfUser(Event),
    /// A file was edited, by whoever.
    Edited(PathBuf),
    /// A prompt, with what the host attached to it.
    Message {
        /// The prompt.
        event: Event,
        /// What it brings along.
        parts: MessageParts,
    },
    /// What goes into the system message.
    System(Event),
    /// What a summary has to keep.
    Compacting(Event),
    /// The environment of a command.
    ShellEnv {
        /// The command is an agent's; else a person typed it.
        by_agent: bool,
    },
    /// Something happened that the core answers.
    Event(Event),
    /// A turn ended.
    Idle {
        /// The end.
        event: Event,
        /// The message that ended it, by the host's id.
        message: Option<String>,
    },
    /// A call of one of our own tools.
    Tool(Box<ToolRequest>),
    /// Nothing that concerns us.
    Nothing,
}

/// Who is there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hello {
    /// The protocol's version.
    pub protocol: u64,
    /// The plugin's version.
    pub plugin: String,
    /// 1 or 2: which of the host's plugin interfaces.
    pub flavour: u64,
    /// The host's version, where it is known.
    pub host: String,
    /// The project's work tree as the host sees it.
    pub worktree: PathBuf,
    /// The host's process.
    pub pid: u64,
    /// `run`, `serve`, `tui` or `unknown`.
    pub mode: String,
}

/// A server of MCP in the host's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// How it is reached; `None` for one that is switched off.
    pub way: Option<Way>,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// A program and its arguments.
    Command(Vec<String>),
    /// An address.
    Address(String),
}

/// A call of one of our own tools.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolRequest {
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

/// Reads one line.
///
/// # Errors
/// [`Fault`]; it is answered as such, which for a tool call that is about to run is a denial.
pub fn read(line: &[u8], names: &Names) -> Result<Request, Fault> {
    if LINE_BYTES_MAX < line.len() {
        return Err(Fault { id: None, problem: Problem::TooLarge });
    }
    let text = std::str::from_utf8(line)
        .map_err(|error| Fault { id: id_hint(line), problem: Problem::NotUtf8(error.valid_up_to()) })?;
    let value = crate::claude::read::parse(text)
        .map_err(|error| Fault { id: id_hint(line), problem: Problem::NotJson(short(&error.to_string())) })?;
    let Value::Object(mut fields) = value else {
        return Err(Fault { id: None, problem: Problem::NotAnObject });
    };
    let id = fields.get("id").and_then(Value::as_u64);
    let problem = |problem| Fault { id, problem };
    let hook = text_of(&fields, "hook")
        .ok_or(Problem::Wrong { field: "hook", expected: "the name of a hook" })
        .map_err(problem)?
        .to_owned();
    let line = Line::of(&hook, &mut fields).map_err(problem)?;
    let ask = line.ask(names).map_err(problem)?;
    let Line { root: session, directory, .. } = line;
    let retry = fields.get("retry") == Some(&Value::Bool(true));
    Ok(Request { id, hook, session, directory, retry, ask })
}

/// The id of a line that cannot be read, so that whoever waits for its answer gets one. Of the first line of its
/// kind only what is written as the plugin writes it is believed.
pub fn id_hint(line: &[u8]) -> Option<u64> {
    let rest = line.strip_prefix(b"{\"id\":")?;
    let end = rest.iter().position(|byte| !byte.is_ascii_digit())?;
    std::str::from_utf8(rest.get(..end)?).ok()?.parse().ok()
}

/// The hook of a line, found without reading it as JSON: `None` where the plugin did not write it.
pub fn hook_hint(line: &[u8]) -> Option<&str> {
    const KEY: &[u8] = b"\"hook\":\"";
    let head = line.get(..line.len().min(200)).unwrap_or_default();
    let at = memchr::memmem::find(head, KEY)? + KEY.len();
    let rest = head.get(at..)?;
    std::str::from_utf8(rest.get(..memchr::memchr(b'"', rest)?)?).ok()
}

pub(super) type Fields = Map<String, Value>;

/// A line that is being read.
struct Line<'a> {
    hook: &'a str,
    input: Value,
    output: Value,
    last: Value,
    event: Value,
    directory: PathBuf,
    /// The session whose record it is.
    root: Option<SessionId>,
    agent: Option<Agent>,
}

impl<'a> Line<'a> {
    fn of(hook: &'a str, fields: &mut Fields) -> Result<Self, Problem> {
        let agent = text_of(fields, "agent").map(str::to_owned);
        let parent = text_of(fields, "parent").map(SessionId::parse).transpose()?;
        let mut take = |name: &str| fields.remove(name).unwrap_or(Value::Null);
        let (input, output, last, event) = (take("input"), take("output"), take("last"), take("event"));
        let directory = fields.get("directory").or_else(|| input.get("directory")).and_then(Value::as_str);
        let directory = PathBuf::from(directory.unwrap_or_default());
        let named = text_of(fields, "session").or_else(|| input.get("sessionID").and_then(Value::as_str));
        let session = named.map(SessionId::parse).transpose()?;
        let (root, agent) = match (session, parent) {
            (Some(child), Some(root)) if child != root => {
                // One without a kind would be taken for the host's own summary.
                let kind = agent.filter(|it| !it.is_empty()).unwrap_or_else(|| "subagent".to_owned());
                (Some(root), Some(Agent { id: child.as_str().to_owned(), kind }))
            }
            (session, _) => (session, None),
        };
        Ok(Self { hook, input, output, last, event, directory, root, agent })
    }

    fn ask(&self, names: &Names) -> Result<Ask, Problem> {
        Ok(match self.hook {
            "hello" => Ask::Hello(Box::new(self.hello())),
            "ping" => Ask::Ping,
            "dispose" => Ask::Dispose,
            "config" => Ask::Servers(servers(&self.input)),
            "tool.execute.before" => self.before(names)?,
            "tool.execute.after" => Ask::After(self.after(names, &success(&self.input, &self.output))?),
            "tool.failed" => Ask::After(self.after(names, &failure(&self.output))?),
            "shell.user" => {
                let mut events = self.after(names, &success(&self.input, &self.output))?;
                Ask::OfUser(events.swap_remove(0))
            }
            "chat.message" => {
                let parts = MessageParts::of(self.output.get("parts").unwrap_or(&Value::Null));
                let event = self.event(EventKind::Prompt { text: parts.prompt.clone() })?;
                Ask::Message { event, parts }
            }
            "experimental.chat.system.transform" => Ask::System(self.event(EventKind::Other)?),
            "experimental.session.compacting" => {
                Ask::Compacting(self.event(EventKind::Compacting { automatic: false })?)
            }
            "shell.env" => Ask::ShellEnv { by_agent: self.input.get("callID").is_some_and(Value::is_string) },
            "event" => self.happened()?,
            "tool" => Ask::Tool(Box::new(ToolRequest {
                name: field(&self.input, "name").unwrap_or_default().to_owned(),
                arguments: self.input.get("args").and_then(Value::as_object).cloned().unwrap_or_default(),
            })),
            _ => Ask::Nothing,
        })
    }

    fn hello(&self) -> Hello {
        let text = |name| field(&self.input, name).unwrap_or_default().to_owned();
        let number = |name| self.input.get(name).and_then(Value::as_u64).unwrap_or_default();
        Hello {
            protocol: number("protocol"),
            plugin: text("plugin"),
            flavour: number("flavour"),
            host: text("host"),
            worktree: PathBuf::from(text("worktree")),
            pid: number("pid"),
            mode: text("mode"),
        }
    }

    /// An event in the folder that the host works in.
    fn event(&self, kind: EventKind) -> Result<Event, Problem> {
        self.event_in(self.directory.clone(), kind)
    }

    fn event_in(&self, cwd: PathBuf, kind: EventKind) -> Result<Event, Problem> {
        if !self.directory.is_absolute() {
            return Err(Problem::RelativeDirectory);
        }
        let session = self
            .root
            .clone()
            .ok_or(Problem::Wrong { field: "session", expected: "the name of a session" })?;
        Ok(Event {
            host: Host::OpenCode,
            name: self.name().to_owned(),
            session,
            cwd,
            transcript: None,
            agent: self.agent.clone(),
            permission_mode: None,
            kind,
        })
    }

    /// What the host calls it.
    fn name(&self) -> &str {
        field(&self.event, "type").unwrap_or(self.hook)
    }

    fn before(&self, names: &Names) -> Result<Ask, Problem> {
        let args = self.output.get("args").unwrap_or(&Value::Null);
        Ok(match self.call(args, names)? {
            Ok((call, more)) => {
                let cwd = self.cwd_of(&call, args);
                Ask::Before { event: self.event_in(cwd, EventKind::ToolBefore { call })?, more }
            }
            Err(malformed) => {
                let Malformed { call, reason } = *malformed;
                Ask::Malformed { event: self.event(EventKind::ToolBefore { call })?, reason }
            }
        })
    }

    fn after(&self, names: &Names, outcome: &Outcome) -> Result<Vec<Event>, Problem> {
        let args = self.input.get("args").unwrap_or(&Value::Null);
        let (call, more) = match self.call(args, names)? {
            Ok(read) => read,
            Err(malformed) => (malformed.call, Vec::new()),
        };
        let cwd = self.cwd_of(&call, args);
        let part = |(index, action): (usize, Action)| ToolCall {
            id: call.id.as_ref().map(|id| format!("{id}#{}", index + 2)),
            action,
            ..call.clone()
        };
        let parts: Vec<ToolCall> = more.into_iter().enumerate().map(part).collect();
        let event =
            |call| self.event_in(cwd.clone(), EventKind::ToolAfter { call, outcome: outcome.clone() });
        std::iter::once(call.clone()).chain(parts).map(event).collect()
    }

    /// The call that a line is about, and what else it does; or the call with what is wrong with it.
    fn call(&self, args: &Value, names: &Names) -> Result<tool::Read, Problem> {
        let tool = field(&self.input, "tool")
            .ok_or(Problem::Wrong { field: "tool", expected: "the name of a tool" })?;
        Ok(tool::read(tool, args, field(&self.input, "callID"), names))
    }

    /// Where a command runs.
    fn cwd_of(&self, call: &ToolCall, args: &Value) -> PathBuf {
        match (&call.action, field(args, "workdir")) {
            (Action::Shell { .. }, Some(folder)) if call.tool == "bash" && !folder.is_empty() => {
                lexical::absolute(&self.directory, Path::new(folder))
            }
            _ => self.directory.clone(),
        }
    }

    fn happened(&self) -> Result<Ask, Problem> {
        let properties = self.event.get("properties").unwrap_or(&Value::Null);
        Ok(match self.name() {
            // A subagent begins with the call that starts it.
            "session.created" if self.agent.is_some() || created_by_another(properties) => Ask::Nothing,
            "session.created" => {
                Ask::Event(self.event(EventKind::SessionStart { source: StartSource::Startup })?)
            }
            "session.compacted" if self.agent.is_none() => {
                Ask::Event(self.event(EventKind::SessionStart { source: StartSource::Compact })?)
            }
            "session.deleted" if self.agent.is_none() => {
                Ask::Event(self.event(EventKind::SessionEnd { reason: "deleted".to_owned() })?)
            }
            "session.idle" => {
                let last_message = field(&self.last, "text").map(str::to_owned);
                let kind = match self.agent {
                    Some(_) => EventKind::SubagentEnd { last_message, continuing: false },
                    None => EventKind::TurnEnd { last_message, continuing: false },
                };
                Ask::Idle {
                    event: self.event(kind)?,
                    message: field(&self.last, "message").map(str::to_owned),
                }
            }
            "file.edited" => match field(properties, "file") {
                Some(file) if self.directory.is_absolute() => {
                    Ask::Edited(lexical::absolute(&self.directory, Path::new(file)))
                }
                _ => Ask::Nothing,
            },
            _ => Ask::Nothing,
        })
    }
}

fn created_by_another(properties: &Value) -> bool {
    properties.get("info").and_then(|info| info.get("parentID")).is_some_and(Value::is_string)
}

/// How a call ended that the host reports as done. A command that failed is a success to the host.
fn success(input: &Value, output: &Value) -> Outcome {
    let exit = output.get("metadata").and_then(|it| it.get("exit")).and_then(Value::as_i64);
    let exit = exit.and_then(|exit| i32::try_from(exit).ok());
    let aborted = output.get("metadata").and_then(|it| it.get("aborted")) == Some(&Value::Bool(true));
    let invalid = field(input, "tool") == Some("invalid");
    Outcome {
        ok: exit.is_none_or(|exit| exit == 0) && !aborted && !invalid,
        interrupted: aborted,
        exit,
        output: words(output),
        duration_ms: None,
    }
}

/// How a call ended that the host reports as failed.
fn failure(output: &Value) -> Outcome {
    let error = output.get("error").unwrap_or(&Value::Null);
    let text = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
    Outcome { ok: false, interrupted: text.contains("aborted"), output: text, ..Outcome::default() }
}

/// What a tool returned: text, or the text parts of an MCP tool's result.
fn words(output: &Value) -> String {
    if let Some(text) = field(output, "output") {
        return text.to_owned();
    }
    let parts = output.get("content").and_then(Value::as_array);
    let texts: Vec<&str> = parts.into_iter().flatten().filter_map(|part| field(part, "text")).collect();
    texts.join("\n")
}

/// The servers of MCP in a configuration, or in the part of it that is about them.
fn servers(input: &Value) -> Vec<Server> {
    let table = input.get("mcp").and_then(Value::as_object);
    let nested = table.and_then(|table| table.get("servers")).and_then(Value::as_object);
    let server = |(name, value): (&String, &Value)| {
        let off = value.get("enabled") == Some(&Value::Bool(false))
            || value.get("disabled") == Some(&Value::Bool(true));
        let command = value
            .get("command")
            .and_then(Value::as_array)
            .map(|words| words.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>());
        let address = field(value, "url").map(|url| Way::Address(url.to_owned()));
        let way = address.or_else(|| command.filter(|it| !it.is_empty()).map(Way::Command)).filter(|_| !off);
        Server { name: name.clone(), way }
    };
    nested.or(table).into_iter().flatten().filter(|(_, value)| value.is_object()).map(server).collect()
}

pub(super) fn field<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

fn text_of<'a>(fields: &'a Fields, name: &str) -> Option<&'a str> {
    fields.get(name)?.as_str()
}

fn short(text: &str) -> String {
    hostler_model::text::shorten(text, 200)
}

#[cfg(test)]
mod tests;
