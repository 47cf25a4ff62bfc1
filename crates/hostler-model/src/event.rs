//! What happened at the host, in words no host uses.

use std::path::PathBuf;

use crate::ids::SessionId;

/// Which client sent the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Host {
    /// Anthropic's Claude Code.
    ClaudeCode,
    /// `OpenCode`, through our plugin.
    OpenCode,
    /// A client that runs another client's hook registrations (Copilot CLI does).
    Foreign,
}

impl Host {
    /// Stable lower-case name, used on the command line and in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            Self::OpenCode => "opencode",
            Self::Foreign => "foreign",
        }
    }
}

/// One event, start to end of one call of ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The client.
    pub host: Host,
    /// The event's name in the host's words; needed to answer in kind.
    pub name: String,
    /// The session that the event belongs to.
    pub session: SessionId,
    /// The agent's working directory, absolute.
    pub cwd: PathBuf,
    /// Where the host keeps the session's transcript, if it said so.
    pub transcript: Option<PathBuf>,
    /// Set inside a subagent.
    pub agent: Option<Agent>,
    /// The host's permission mode in its own words, e.g. `bypassPermissions`.
    pub permission_mode: Option<String>,
    /// What happened.
    pub kind: EventKind,
}

impl Event {
    /// The tool call that this event is about, before or after it ran.
    pub fn call(&self) -> Option<&ToolCall> {
        match &self.kind {
            EventKind::ToolBefore { call } | EventKind::ToolAfter { call, .. } => Some(call),
            _ => None,
        }
    }
}

/// A subagent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// The host's id of it.
    pub id: String,
    /// Its kind, e.g. `general-purpose`; may be empty.
    pub kind: String,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    /// A session began or went on.
    SessionStart {
        /// Why it began.
        source: StartSource,
    },
    /// The user sent a prompt.
    Prompt {
        /// The prompt as typed.
        text: String,
    },
    /// A tool is about to run.
    ToolBefore {
        /// The call.
        call: ToolCall,
    },
    /// A tool ran, or failed.
    ToolAfter {
        /// The call.
        call: ToolCall,
        /// How it ended.
        outcome: Outcome,
    },
    /// The agent ended its turn.
    TurnEnd {
        /// Its last message.
        last_message: Option<String>,
        /// The turn was already continued once by a stop hook.
        continuing: bool,
    },
    /// A subagent began.
    SubagentStart,
    /// A subagent ended.
    SubagentEnd {
        /// Its last message.
        last_message: Option<String>,
        /// Its turn was already continued once by a stop hook.
        continuing: bool,
    },
    /// The host is about to compact its context.
    Compacting {
        /// Not asked for by the user.
        automatic: bool,
    },
    /// The session ended.
    SessionEnd {
        /// The host's reason.
        reason: String,
    },
    /// Anything else; carried by [`Event::name`], never refused.
    Other,
}

/// Why a session began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartSource {
    /// A new session.
    Startup,
    /// An old one goes on.
    Resume,
    /// The user cleared the conversation.
    Clear,
    /// The conversation was compacted.
    Compact,
    /// A copy of an old session.
    Fork,
    /// A reason that this build does not know.
    Other,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The host's id of the call; permission requests have none.
    pub id: Option<String>,
    /// The tool's name in the host's words.
    pub tool: String,
    /// What it is about to do, in ours.
    pub action: Action,
    /// The complete input as JSON text with sorted keys: what is digested, and what a rewrite starts from.
    pub input: String,
}

/// What a tool call is about to do. Paths are as the agent wrote them; `None` means that it named none.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Run a command line in the host's shell.
    Shell {
        /// The command line.
        command: String,
    },
    /// Write a whole file.
    Write {
        /// The file.
        path: Option<String>,
        /// Its new content.
        content: String,
    },
    /// Change parts of a file.
    Edit {
        /// The file.
        path: Option<String>,
        /// The replacements, in order.
        changes: Vec<Change>,
    },
    /// Change a cell of a notebook.
    NotebookEdit {
        /// The notebook.
        path: Option<String>,
        /// The cell's new source.
        source: String,
    },
    /// Read a file.
    Read {
        /// The file.
        path: Option<String>,
    },
    /// Search file names or contents.
    Search {
        /// Where.
        path: Option<String>,
        /// For what.
        pattern: String,
    },
    /// A tool of an MCP server. What it does is unknown: its string arguments are judged.
    Mcp {
        /// The server.
        server: String,
        /// The tool, without the server's prefix.
        tool: String,
        /// Every string in the input with its key path, e.g. `("args.path", "/etc/hosts")`.
        strings: Vec<(String, String)>,
    },
    /// Start a subagent.
    Delegate {
        /// What it is asked.
        prompt: String,
        /// Its kind.
        agent: String,
    },
    /// Get a page or search the web.
    Fetch {
        /// The address, or what is looked for.
        address: String,
    },
    /// Plan, ask or keep a list: nothing in the world changes.
    Plan,
    /// A tool that this build does not know.
    Other,
}

/// One replacement inside a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The text that is there.
    pub old: String,
    /// The text that takes its place.
    pub new: String,
    /// Replace every occurrence.
    pub all: bool,
}

/// How a tool call ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// The tool reported success.
    pub ok: bool,
    /// The user interrupted it.
    pub interrupted: bool,
    /// Exit status, where the host tells it.
    pub exit: Option<i32>,
    /// What it printed or returned, as text.
    pub output: String,
    /// How long it ran, in milliseconds.
    pub duration_ms: Option<u64>,
}
