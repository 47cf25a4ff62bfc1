//! Where summaries come from beside what [`crate::replay`] reads: what it printed earlier.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;
use serde_json::Value;

use crate::replay::summary::SessionSummary;

/// Within this much of a document its sessions begin.
const HEAD_BYTES: u64 = 512;

/// One document.
#[derive(Deserialize)]
struct Document {
    sessions: Vec<SessionSummary>,
}

/// One line.
#[derive(Deserialize)]
struct Line {
    session: Option<SessionSummary>,
}

/// The sessions in `path` if it holds what `hostler --json replay` or `hostler replay --jsonl` printed.
///
/// # Errors
/// It does, and cannot be read to its end.
pub(crate) fn saved(path: &Path) -> anyhow::Result<Option<Vec<SessionSummary>>> {
    // What is no file is not ours to tell about: opening a pipe would wait for a writer.
    if !path.is_file() {
        return Ok(None);
    }
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    if read.is_err() {
        return Ok(None);
    }
    let (document, lines) = form(&head);
    if !document && !lines {
        return Ok(None);
    }
    let text = std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let whole = || format!("`{}` is no complete output of `hostler replay`; print it again", path.display());
    let mut sessions = Vec::new();
    if document {
        sessions = parsed::<Document>(&text).with_context(whole)?.sessions;
    }
    for line in text.split(|byte| *byte == b'\n').filter(|line| lines && !line.trim_ascii().is_empty()) {
        sessions.extend(parsed::<Line>(line).with_context(whole)?.session);
    }
    // Every summary names its version; other documents may have sessions, too.
    anyhow::ensure!(
        sessions.iter().all(|it| it.version != 0),
        "`{}` holds sessions, but none that `hostler replay` printed",
        path.display()
    );
    Ok(Some(sessions))
}

/// Sums over sessions stay far from what an integer holds; real counts and times are far below.
const NUMBER_MAX: u64 = 1 << 48;

fn parsed<T: serde::de::DeserializeOwned>(text: &[u8]) -> serde_json::Result<T> {
    let mut document = serde_json::from_slice(text)?;
    bound(&mut document);
    serde_json::from_value(document)
}

fn bound(value: &mut Value) {
    match value {
        Value::Number(number) if number.as_u64().is_some_and(|it| NUMBER_MAX < it) => {
            *value = NUMBER_MAX.into();
        }
        Value::Array(items) => items.iter_mut().for_each(bound),
        Value::Object(members) => members.values_mut().for_each(bound),
        _ => {}
    }
}

/// Whether a file begins as a document with sessions does, and whether as lines with one each. Blanks do not count:
/// other programs lay out anew what they pass on.
fn form(head: &[u8]) -> (bool, bool) {
    let head: Vec<u8> = head.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let holds = |needle: &[u8]| head.windows(needle.len()).any(|it| it == needle);
    (head.starts_with(b"{") && holds(b"\"sessions\":["), head.starts_with(b"{\"session\":{"))
}

#[cfg(test)]
mod tests {
    use super::form;

    #[test]
    fn outputs_of_replay_are_told_from_other_files() {
        for (head, expected) in [
            ("{\"version\":1,\"sessions\":[\n{\"version\":1", (true, false)),
            ("{\n  \"sessions\": [\n", (true, false)),
            ("{\"session\":{\"version\":1,", (false, true)),
            ("{\"type\":\"user\",\"sessionId\":\"a\"}", (false, false)),
            ("{\"text\":\"a \\\"sessions\\\":[ in a text\"}", (false, false)),
            ("", (false, false)),
            ("[{\"sessions\":[]}]", (false, false)),
        ] {
            assert_eq!(form(head.as_bytes()), expected, "{head}");
        }
    }
}
