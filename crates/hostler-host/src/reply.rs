//! What a call is answered with, in words that no host uses. Each host's `write` turns it into the host's own.

use hostler_model::Host;

/// What all text of one reply to Claude Code may take, in characters of the finished JSON. The client moves a longer text
/// into a file and shows the agent its first 2 kB; our own frame and a margin are taken off.
pub(crate) const TEXT_CHARS_MAX: usize = 9_600;

/// What a reason or a message to the user may take of it, so that neither starves the other.
pub(crate) const REASON_CHARS_MAX: usize = 6_000;
pub(crate) const MESSAGE_CHARS_MAX: usize = 2_000;

/// What to tell the client. The default says nothing: its own permissions decide, nothing is approved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// Whether the call, turn or prompt is stopped.
    pub stop: Option<Stop>,
    /// Told to the agent.
    pub context: Option<String>,
    /// Told to the user.
    pub message: Option<String>,
    /// The complete input that the tool runs with instead, as JSON text: see [`rewrite`].
    pub input: Option<String>,
    /// Where the rest is when a text is cut, e.g. `hostler explain 361ac4e6-7`.
    pub rest: Option<String>,
}

/// A call, turn or prompt does not go ahead by itself. The reason is for the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// It does not happen.
    Deny(String),
    /// The user decides; where nobody can be asked it does not happen.
    Ask(String),
    /// The turn or the subagent's turn goes on, with this to do.
    Continue(String),
}

/// What context can still take in a reply to `host` beside what `reply` says, in characters of JSON
/// ([`chars_in_json`]).
pub fn room(host: Host, reply: &Reply) -> usize {
    let budget = if host == Host::Foreign { TEXT_CHARS_MAX / 2 } else { TEXT_CHARS_MAX };
    let length = |text: &Option<String>| text.as_deref().map_or(0, chars_in_json);
    budget
        .saturating_sub(length(&reply.message).min(MESSAGE_CHARS_MAX))
        .saturating_sub(length(&reply.context))
}

/// The complete input with `changes` applied, for [`Reply::input`]. `original` is
/// [`hostler_model::ToolCall::input`]; `None` when it is no JSON object.
pub fn rewrite(original: &str, changes: &[(&str, serde_json::Value)]) -> Option<String> {
    let mut fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(original).ok()?;
    for (key, value) in changes {
        fields.insert((*key).to_owned(), value.clone());
    }
    Some(crate::claude::read::canonical(&serde_json::Value::Object(fields)))
}

/// Cuts `text` at the end of a line so that it takes at most `limit` characters of JSON, and says so.
pub(crate) fn cut(text: &str, limit: usize, rest: Option<&str>) -> String {
    if chars_in_json(text) <= limit {
        return text.to_owned();
    }
    let marker = match rest {
        Some(command) => format!("\n… (cut; the rest: {command})"),
        None => "\n… (cut)".to_owned(),
    };
    let room = limit.saturating_sub(chars_in_json(&marker));
    let mut taken = 0;
    let mut end = 0;
    let mut line_end = None;
    for (at, c) in text.char_indices() {
        taken += char_in_json(c);
        if room < taken {
            break;
        }
        if c == '\n' {
            line_end = Some(at);
        }
        end = at + c.len_utf8();
    }
    // One long line is cut inside, else nothing of it would be left.
    let end = line_end.filter(|at| end / 2 < *at).unwrap_or(end);
    format!("{}{marker}", text.get(..end).unwrap_or_default())
}

/// What a text takes in a document, in UTF-16 units as the client counts them.
pub fn chars_in_json(text: &str) -> usize {
    text.chars().map(char_in_json).sum()
}

/// What a character takes in a document.
pub fn char_in_json(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        // The client counts UTF-16 units.
        other => other.len_utf16(),
    }
}
