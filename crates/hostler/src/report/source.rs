//! Where summaries come from beside what [`crate::replay`] reads: what it printed earlier.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

use crate::replay::summary::SessionSummary;

/// How what `hostler replay` prints begins, as one document and as lines.
const DOCUMENT: &[u8] = b"{\"version\":";
const LINE: &[u8] = b"{\"session\":{";
/// Within this much of a document its sessions begin.
const HEAD_BYTES: u64 = 256;

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
    let sessions = b"\"sessions\":[";
    let document = head.starts_with(DOCUMENT) && head.windows(sessions.len()).any(|it| it == sessions);
    if !document && !head.starts_with(LINE) {
        return Ok(None);
    }
    let text = std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let whole = || format!("`{}` is no complete output of `hostler replay`; print it again", path.display());
    if document {
        let document: Document = serde_json::from_slice(&text).with_context(whole)?;
        return Ok(Some(document.sessions));
    }
    let mut sessions = Vec::new();
    for line in text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        sessions.extend(serde_json::from_slice::<Line>(line).with_context(whole)?.session);
    }
    Ok(Some(sessions))
}
