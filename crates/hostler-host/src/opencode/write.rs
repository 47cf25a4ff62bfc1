//! Our answer -> the one line that the `OpenCode` plugin reads.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::reply::{MESSAGE_CHARS_MAX, REASON_CHARS_MAX, Reply, Stop, TEXT_CHARS_MAX, cut};
use hostler_model::text::shorten;

/// What the system message takes of us, in characters of JSON: it comes along with every request.
pub const SYSTEM_CHARS_MAX: usize = 4_000;
/// Characters of one line of the host's log: what users typed must not be found there at length.
pub const LOG_CHARS_MAX: usize = 100;

/// What the host cannot ask a person from where we are.
const NOBODY_ASKED: &str = "A person has to decide this, and OpenCode cannot ask one here, so it was not run. Do not try it in another way: tell \
     the user what you wanted to run and why.";

/// How the words for a panic of ours begin; its place and its message follow.
pub const FAULT: &str = "a fault in hostler at ";

/// One line to the plugin. Members that are `None` or empty are left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Answer {
    /// Which line this answers; `None` for what nobody asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// Who answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hello: Option<Hello>,
    /// The tool does not run; why, for the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny: Option<String>,
    /// Arguments that take the place of the call's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Map<String, Value>>,
    /// Added to a result, or to the system message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub append: Option<String>,
    /// Texts that a prompt brings along.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// Parts of a prompt that say something else from now on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redact: Vec<Redacted>,
    /// What a summary has to keep.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<String>,
    /// Variables of a command.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The turn goes on with this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// What one of our own tools says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// It could not do what it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<bool>,
    /// The line could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// For the host's log.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<Log>,
    /// Shown to the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toast: Option<Toast>,
}

/// Who answers, and what is offered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hello {
    /// The protocol's version.
    pub protocol: u64,
    /// Ours.
    pub version: String,
    /// `observe`, `standard` or `strict`.
    pub profile: String,
    /// Whether anything is done in this folder.
    pub active: bool,
    /// How long the plugin waits for an answer, in milliseconds; ours comes before.
    pub deadline_ms: u64,
    /// Our own tools.
    pub tools: Vec<Tool>,
    /// The events to be forwarded.
    pub events: Vec<String>,
}

/// One of our own tools, as it is offered to the model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Name -> JSON schema of each argument.
    pub args: Map<String, Value>,
    /// The arguments that have to be there.
    pub required: Vec<String>,
}

/// A part of a prompt that says something else from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Redacted {
    /// The host's id of the part.
    pub part: String,
    /// What stands there instead.
    pub text: String,
}

/// A line for the host's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Log {
    /// How grave it is.
    pub level: Level,
    /// What it says.
    pub message: String,
}

/// How grave a line of the host's log is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// For whoever looks for a fault.
    Debug,
    /// Part of a session's life.
    Info,
    /// Something was stopped or found.
    Warn,
    /// A fault of ours.
    Error,
}

/// What is shown to the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Toast {
    /// `info`, `warning` or `error`.
    pub variant: &'static str,
    /// What it says.
    pub message: String,
}

/// What a reply answers: the host has another place for the same words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A tool call that is about to run.
    Before,
    /// The result of a tool call.
    After,
    /// A prompt.
    Prompt,
    /// The end of a turn that can go on.
    TurnEnd,
    /// An event that has no place for words to the agent.
    Event,
}

impl Log {
    /// A line of the log: the first of `text`, bounded.
    pub fn new(level: Level, text: &str) -> Self {
        let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        Self { level, message: shorten(line.trim(), LOG_CHARS_MAX) }
    }
}

impl Answer {
    /// A [`Reply`] in the host's words.
    pub fn of(id: Option<u64>, place: Place, reply: &Reply) -> Self {
        let rest = reply.rest.as_deref();
        let mut out = Self { id, ..Self::default() };
        match (&reply.stop, place) {
            (None, _) => {}
            (Some(Stop::Deny(reason)), Place::Before) => {
                out.deny = Some(cut(&without_insides(reason), REASON_CHARS_MAX, rest));
            }
            (Some(Stop::Ask(reason)), Place::Before) => {
                let reason = cut(&without_insides(reason), REASON_CHARS_MAX, rest);
                out.deny = Some(format!("{reason}\n{NOBODY_ASKED}"));
            }
            (Some(Stop::Continue(reason)), Place::TurnEnd) => {
                out.prompt = Some(cut(reason, REASON_CHARS_MAX, rest));
            }
            (Some(Stop::Deny(reason) | Stop::Ask(reason) | Stop::Continue(reason)), _) => {
                out.log.push(Log::new(Level::Warn, reason));
            }
        }
        let context = reply.context.as_deref().map(|text| cut(text, TEXT_CHARS_MAX, rest));
        match place {
            Place::After => out.append = context,
            Place::Prompt => out.parts.extend(context),
            // What concerns a call that is about to run is told with its result; what an event says to the agent
            // stands in the system message.
            Place::Before | Place::TurnEnd | Place::Event => {}
        }
        if let Some(message) = &reply.message {
            let message = cut(message, MESSAGE_CHARS_MAX, rest);
            let (level, variant) = match &reply.stop {
                _ if message.contains("run `hostler doctor`") => (Level::Error, "error"),
                Some(_) => (Level::Warn, "warning"),
                None => (Level::Info, "info"),
            };
            out.log.push(Log::new(level, &message));
            out.toast = Some(Toast { variant, message });
        }
        out
    }

    /// The answer to a line that could not be read.
    pub fn fault(id: Option<u64>, problem: &str) -> Self {
        Self { id, fault: Some(problem.to_owned()), ..Self::default() }
    }

    /// The same, with what was found out beside the reply.
    #[must_use]
    pub fn with(mut self, mut beside: Self) -> Self {
        self.hello = self.hello.or(beside.hello);
        self.deny = self.deny.or(beside.deny);
        self.args = self.args.or(beside.args);
        self.append = self.append.or(beside.append);
        self.prompt = self.prompt.or(beside.prompt);
        self.text = self.text.or(beside.text);
        self.failed = self.failed.or(beside.failed);
        self.fault = self.fault.or(beside.fault);
        self.toast = self.toast.or(beside.toast);
        self.parts.append(&mut beside.parts);
        self.redact.append(&mut beside.redact);
        self.context.append(&mut beside.context);
        self.env.append(&mut beside.env);
        beside.log.retain(|line| self.log.iter().all(|own| own.message != line.message));
        self.log.append(&mut beside.log);
        self
    }

    /// The line, without its end.
    pub fn line(&self) -> String {
        // Plain strings and JSON values have no way to fail.
        serde_json::to_string(self).unwrap_or_else(|_| match self.id {
            Some(id) => format!("{{\"id\":{id},\"fault\":\"the answer could not be written\"}}"),
            None => "{}".to_owned(),
        })
    }
}

/// Where in us something went wrong is for whoever reads the log, not for the model.
fn without_insides(text: &str) -> Cow<'_, str> {
    let Some((before, insides)) = text.split_once(FAULT) else { return Cow::Borrowed(text) };
    let end = insides.find("; ").unwrap_or(insides.len());
    Cow::Owned(format!("{before}a fault in hostler{}", insides.get(end..).unwrap_or_default()))
}

#[cfg(test)]
mod tests;
