//! The client's status line: what it tells the program that prints it, and our entry in a settings file.
//!
//! The entry is a shell command, there is no other form, so the path is quoted. A settings file holds one status line
//! and the strongest file's counts: one of a user's own is never replaced.

use std::path::PathBuf;

use serde_json::Value as Json;

use super::settings::Edited;
use crate::jsonc::{self, Document, Error, Ledger, New, Node, Step, Value};

/// What the binary is called with.
pub const ARGUMENT: &str = "statusline";
/// The key in a settings file.
const KEY: &str = "statusLine";

/// What the client tells; everything may be absent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Told {
    /// The session's id, as the client wrote it.
    pub session: Option<String>,
    /// The working directory now.
    pub cwd: Option<PathBuf>,
    /// The folder that the client was started in.
    pub project: Option<PathBuf>,
    /// How much of the context is used, in percent.
    pub context_percent: Option<u8>,
}

/// Reads what the client tells. Never fails: what is no JSON tells nothing.
pub fn read(payload: &[u8]) -> Told {
    let Ok(payload) = serde_json::from_slice::<Json>(payload) else { return Told::default() };
    let text = |value: &Json| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let path = |value: &Json| text(value).map(PathBuf::from).filter(|path| path.is_absolute());
    let workspace = &payload["workspace"];
    Told {
        session: text(&payload["session_id"]),
        cwd: path(&workspace["current_dir"]).or_else(|| path(&payload["cwd"])),
        project: path(&workspace["project_dir"]),
        context_percent: payload["context_window"]["used_percentage"].as_f64().and_then(percent),
    }
}

fn percent(value: f64) -> Option<u8> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
    (0.0..=1_000.0).contains(&value).then(|| value.round().min(100.0) as u8)
}

/// The status line of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// There is none.
    Nobody,
    /// It is ours.
    Us,
    /// It is somebody else's.
    Others,
}

/// Whose status line `text` has.
///
/// # Errors
/// The text is not valid JSON with comments.
pub fn owner(text: &str) -> Result<Owner, Error> {
    let document = Document::parse(text)?;
    Ok(match document.get(&document.root, KEY) {
        None => Owner::Nobody,
        Some(node) if is_ours(&document, node) => Owner::Us,
        Some(_) => Owner::Others,
    })
}

/// Makes the status line ours, where there is none, and brings one of ours up to date. Somebody else's stays.
/// `command` is the absolute path of the binary. True when the text changed.
///
/// # Errors
/// The text is not valid JSON with comments, or no object.
pub fn add(edited: &mut Edited, command: &str) -> Result<bool, Error> {
    let value = Value::object([
        ("type", "command".into()),
        ("command", Value::String(format!("{} {ARGUMENT}", quoted(command)))),
    ]);
    let text = match owner(&edited.text)? {
        Owner::Others => return Ok(false),
        Owner::Us => jsonc::replace(&edited.text, &[Step::Key(KEY)], &value)?,
        Owner::Nobody => {
            let inserted = jsonc::insert(&edited.text, &[], New::Member(KEY, &value))?;
            edited.ledger.note(inserted.containers);
            inserted.text
        }
    };
    let changed = text != edited.text;
    edited.text = text;
    Ok(changed)
}

/// Removes a status line of ours. True when there was one.
///
/// # Errors
/// The text is not valid JSON with comments.
pub fn remove(text: &mut String, ledger: &Ledger) -> Result<bool, Error> {
    let ours = owner(text)? == Owner::Us;
    if ours {
        *text = jsonc::remove(text, &[Step::Key(KEY)], ledger)?;
    }
    Ok(ours)
}

fn is_ours(document: &Document<'_>, node: &Node) -> bool {
    let command = document.get(node, "command").and_then(|it| document.as_str(it));
    let program = command.as_deref().and_then(|it| it.trim_end().strip_suffix(ARGUMENT)).map(str::trim_end);
    program.is_some_and(|program| {
        let program = program.trim_matches(['\'', '"']);
        program.rsplit(['/', '\\']).next() == Some("hostler")
    })
}

/// As one word for the shell.
fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@".contains(c);
    if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests;
