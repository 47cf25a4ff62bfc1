//! Tools that an agent calls: one registry for every way to them, the MCP server and the plugin of a host alike.
//!
//! A tool is one file with one const. Its description is written for a model: what it does, when to use it, what it
//! returns. A call that cannot be done is answered in words that say what to do instead; it stops nothing else.

mod conversation;
mod graph;
mod rag;
mod review;
mod schema;
mod session;
#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use hostler_model::{Host, SessionId};
use serde_json::{Map, Value};

pub(crate) use self::schema::{Argument, Kind};
use crate::config::PROJECT_FILE;
use crate::project::Project;

/// Every tool, in the order in which they are listed.
pub(crate) const TOOLS: &[&Tool] = &[
    &session::status::TOOL,
    &session::begin::TOOL,
    &session::end::TOOL,
    &session::log_work::TOOL,
    &session::log_achievement::TOOL,
    &session::add_work::TOOL,
    &session::complete_work::TOOL,
    &session::update_state::TOOL,
    &session::log_choice::TOOL,
    &graph::query::TOOL,
    &graph::sync::TOOL,
    &graph::queue_status::TOOL,
    &graph::flush_queue::TOOL,
    &graph::file_context::TOOL,
    &graph::daemon_start::TOOL,
    &graph::daemon_stop::TOOL,
    &graph::daemon_status::TOOL,
    &graph::find_file::TOOL,
    &graph::find_entity::TOOL,
    &graph::stats::TOOL,
    &graph::cxp_thread::TOOL,
    &conversation::sync::TOOL,
    &conversation::status::TOOL,
    &conversation::query::TOOL,
    &review::review::TOOL,
    &review::fix::TOOL,
    &rag::search::TOOL,
    &rag::index::TOOL,
    &rag::status::TOOL,
    &rag::get::TOOL,
];

/// What belongs together, and is offered together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    /// The record of sessions.
    Session,
    /// The graph of the code.
    Graph,
    /// Conversations of the past.
    Conversation,
    /// The gates.
    Review,
    /// The index of the project.
    Rag,
}

impl Group {
    /// All of them.
    pub(crate) const ALL: &[Self] =
        &[Self::Session, Self::Graph, Self::Conversation, Self::Review, Self::Rag];

    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Graph => "kg",
            Self::Conversation => "conversation",
            Self::Review => "review",
            Self::Rag => "rag",
        }
    }
}

/// A tool.
#[derive(Debug)]
pub(crate) struct Tool {
    /// The name that a model calls.
    pub(crate) name: &'static str,
    /// The name that people read.
    pub(crate) title: &'static str,
    /// What it belongs to.
    pub(crate) group: Group,
    /// What it does, when to use it, what it returns.
    pub(crate) description: &'static str,
    /// What it takes.
    pub(crate) arguments: &'static [Argument],
    /// What the structured answer of a call that went well has.
    pub(crate) output: &'static [Argument],
    /// What a call may do.
    pub(crate) annotations: Annotations,
    /// Does it, with arguments that fit. `Err` is for whoever called.
    pub(crate) run: fn(&Call<'_>) -> Result<Answer, String>,
}

/// What a call may do; none reaches beyond the project and what belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Annotations {
    /// It changes nothing.
    Reads,
    /// It adds something each time.
    Adds,
    /// It sets something; a second time changes nothing.
    Sets,
    /// What it changes was different before.
    Changes,
}

impl Annotations {
    /// It changes nothing.
    pub(crate) fn read_only(self) -> bool {
        self == Self::Reads
    }

    /// It may change what was there.
    pub(crate) fn destructive(self) -> bool {
        self == Self::Changes
    }

    /// A second call with the same arguments changes nothing more.
    pub(crate) fn idempotent(self) -> bool {
        matches!(self, Self::Reads | Self::Sets | Self::Changes)
    }
}

/// A call.
pub(crate) struct Call<'a> {
    /// What the caller gave.
    pub(crate) arguments: &'a Map<String, Value>,
    /// The folder that the agent works in.
    pub(crate) directory: &'a Path,
    /// The host's session, where the caller knows it.
    pub(crate) session: Option<&'a SessionId>,
    /// The client; `Foreign` where nobody said it.
    pub(crate) host: Host,
    /// Tells how far it is: done, of how much, doing what.
    pub(crate) progress: &'a dyn Fn(f64, Option<f64>, &str),
    /// Nobody waits for the answer any more.
    pub(crate) cancelled: &'a dyn Fn() -> bool,
}

impl Call<'_> {
    /// A text that was given.
    fn text(&self, name: &str) -> Option<&str> {
        self.arguments.get(name)?.as_str()
    }

    /// A text that the check made sure of.
    fn required(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    fn texts(&self, name: &str) -> Vec<String> {
        let entries = self.arguments.get(name).and_then(Value::as_array).into_iter().flatten();
        entries.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.arguments.get(name)?.as_u64()
    }

    fn flag(&self, name: &str) -> bool {
        self.arguments.get(name).and_then(Value::as_bool).unwrap_or_default()
    }
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    /// For the model; all that it needs.
    pub(crate) text: String,
    /// The same for programs, as the tool's output schema says; not of a call that failed.
    pub(crate) structured: Option<Value>,
    /// Files that the text names, for whoever opens them.
    pub(crate) links: Vec<Link>,
    /// It could not be done; the text says why.
    pub(crate) failed: bool,
}

/// A file that an answer names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// Its address.
    pub(crate) uri: String,
    /// What it is called in the text.
    pub(crate) name: String,
}

impl Answer {
    fn new(text: impl Into<String>, structured: Value) -> Self {
        Self { text: text.into(), structured: Some(structured), links: Vec::new(), failed: false }
    }

    fn failed(text: impl Into<String>) -> Self {
        Self { text: text.into(), structured: None, links: Vec::new(), failed: true }
    }
}

impl Tool {
    /// Each argument with its JSON Schema.
    pub(crate) fn properties(&self) -> Map<String, Value> {
        self.arguments.iter().map(|it| (it.name.to_owned(), it.schema())).collect()
    }

    /// Names of arguments that have to be there.
    pub(crate) fn required(&self) -> Vec<&'static str> {
        self.arguments.iter().filter(|it| it.required).map(|it| it.name).collect()
    }

    /// The JSON Schema of all arguments.
    pub(crate) fn input_schema(&self) -> Map<String, Value> {
        schema::object(self.arguments, false)
    }

    /// The JSON Schema of the structured answer; `None` where there is none.
    pub(crate) fn output_schema(&self) -> Option<Map<String, Value>> {
        (!self.output.is_empty()).then(|| schema::object(self.output, true))
    }
}

/// The tool of this name.
pub(crate) fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().copied().find(|it| it.name == name)
}

/// What an agent in this folder is offered: tools of the graph only where the project is set up for it.
pub(crate) fn offered(directory: &Path) -> Vec<&'static Tool> {
    let has_graph = has_graph(directory);
    TOOLS.iter().copied().filter(|it| has_graph || it.group != Group::Graph).collect()
}

/// Whether the project of this folder is set up by us, and can therefore have a graph.
fn has_graph(directory: &Path) -> bool {
    Project::find(directory).root.join(PROJECT_FILE).is_file()
}

/// Calls a tool: checks the arguments, and answers in words whatever happens.
pub(crate) fn run(tool: &Tool, call: &Call<'_>) -> Answer {
    if tool.group == Group::Graph && !has_graph(call.directory) {
        return Answer::failed(format!(
            "`{}` works only in a project that is set up for it, and this one has no `{PROJECT_FILE}`; run \
             `hostler init` in it, or go on without the graph",
            tool.name
        ));
    }
    let arguments = match schema::checked(tool.arguments, call.arguments) {
        Ok(arguments) => arguments,
        Err(why) => return Answer::failed(format!("`{}` was not called: {why}", tool.name)),
    };
    let call = Call { arguments: &arguments, ..*call };
    let answer = catch_unwind(AssertUnwindSafe(|| (tool.run)(&call)));
    match answer {
        Ok(Ok(answer)) => {
            let structured = answer.structured.map(|it| schema::shaped(tool.output, it));
            Answer { structured, ..answer }
        }
        Ok(Err(why)) => Answer::failed(why),
        // What it said is for us and not for a model; the process has told it on stderr.
        Err(_) => Answer::failed(format!(
            "`{}` failed by a fault of hostler; go on without it, and let the user run `hostler doctor`",
            tool.name
        )),
    }
}

/// The answer of a tool whose engine is not part of this version: plain, and with what helps instead.
fn not_yet(why: &str) -> Result<Answer, String> {
    Err(format!("not available yet: {why}"))
}
