//! What a prompt consists of: what somebody typed, and what the host attached to it.
//!
//! Files that a prompt mentions are read by the host itself: no hook of a tool call sees that. The prompt tells it in
//! parts of its own: the call that was not made, its result, and the file.

use std::borrow::Cow;

use serde_json::Value;

use super::field;
use super::tool::read_path;

/// How the host tells that it read a file for a prompt; the arguments follow.
const CALLED: &str = "Called the Read tool with the following input: ";

/// A prompt's parts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MessageParts {
    /// What was typed, or what a template made of it.
    pub prompt: String,
    /// Files that came along.
    pub attached: Vec<Attached>,
}

/// A file that came along with a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    /// Its path.
    pub path: String,
    /// The parts that show what is in it: the host's ids, and the texts.
    pub shown: Vec<(String, String)>,
}

impl MessageParts {
    /// Reads `output.parts` of a message.
    pub fn of(parts: &Value) -> Self {
        let mut out = Self::default();
        let mut typed: Vec<Cow<'_, str>> = Vec::new();
        // The file whose content the next parts show.
        let mut showing: Option<usize> = None;
        for part in parts.as_array().into_iter().flatten() {
            let id = field(part, "id").map(str::to_owned);
            match field(part, "type") {
                Some("text") => {
                    let text = field(part, "text").unwrap_or_default();
                    if part.get("synthetic") != Some(&Value::Bool(true)) {
                        showing = None;
                        typed.push(unwrapped(text));
                    } else if let Some(arguments) = text.strip_prefix(CALLED) {
                        let arguments = serde_json::from_str(arguments).unwrap_or(Value::Null);
                        showing = read_path(&arguments).map(|path| out.attach(path));
                    } else if let (Some(index), Some(id)) = (showing, id) {
                        out.shown(index, id, text);
                    }
                }
                Some("file") => {
                    if let (Some(path), Some(id)) = (path(part), id) {
                        let index = out.attach(&path);
                        out.shown(index, id, "");
                    }
                    showing = None;
                }
                _ => showing = None,
            }
        }
        out.prompt = typed.join("\n");
        out
    }

    fn attach(&mut self, path: &str) -> usize {
        self.attached.iter().position(|it| it.path == path).unwrap_or_else(|| {
            self.attached.push(Attached { path: path.to_owned(), shown: Vec::new() });
            self.attached.len() - 1
        })
    }

    fn shown(&mut self, index: usize, part: String, text: &str) {
        if let Some(file) = self.attached.get_mut(index) {
            file.shown.push((part, text.to_owned()));
        }
    }
}

/// `opencode run "text"` hands the text over as JSON.
fn unwrapped(text: &str) -> Cow<'_, str> {
    let quoted = 2 <= text.len() && text.starts_with('"') && text.trim_end().ends_with('"');
    match quoted.then(|| serde_json::from_str::<String>(text)) {
        Some(Ok(text)) => Cow::Owned(text),
        _ => Cow::Borrowed(text),
    }
}

/// The file on this machine that a part stands for.
fn path(part: &Value) -> Option<String> {
    let source = part.get("source").and_then(|source| field(source, "path"));
    let url = field(part, "url")?;
    let Some(rest) = url.strip_prefix("file://") else { return source.map(str::to_owned) };
    let path = rest.split(['?', '#']).next().unwrap_or(rest);
    Some(decoded(path))
}

/// `%20` and the like, as bytes.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let pair = after.get(..2).filter(|_| *byte == b'%').and_then(|pair| std::str::from_utf8(pair).ok());
        let value = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok());
        bytes.push(value.unwrap_or(*byte));
        rest = if value.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
