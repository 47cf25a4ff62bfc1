//! The message that ended a turn, from the end of a transcript.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use hostler_host::claude::message::{Spoken, spoken};

/// How much of a transcript's end is read.
const TAIL_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct LastMessage {
    /// The agent's words; empty when there are none.
    pub(crate) text: String,
    /// Lines that were no JSON.
    pub(crate) damaged: u64,
}

/// What the agent said last in `transcript`, since the user's last words. A transcript that is missing or cannot
/// be read says nothing. `subagent`: it is a subagent's own.
pub(crate) fn last(transcript: &Path, subagent: bool) -> LastMessage {
    let mut found = LastMessage::default();
    let Some((bytes, whole)) = tail(transcript) else { return found };
    let mut lines = bytes.rsplit(|byte| *byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        if line.is_empty() || (lines.peek().is_none() && !whole) {
            continue;
        }
        match spoken(line, subagent) {
            Some(Spoken::Agent(text)) => {
                found.text = text;
                break;
            }
            Some(Spoken::User) => break,
            Some(Spoken::Nothing) => {}
            None => found.damaged += 1,
        }
    }
    found
}

/// The end of a file, and whether that is all of it.
fn tail(path: &Path) -> Option<(Vec<u8>, bool)> {
    // Before the opening: that of a pipe would wait for a writer.
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let from = file.metadata().ok()?.len().saturating_sub(TAIL_BYTES_MAX);
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some((bytes, from == 0))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const SAID: &str = r#"{"type":"assistant","message":{"content":"all done"}}"#;
    const ASKED: &str = r#"{"type":"user","message":{"content":"go on"}}"#;

    #[track_caller]
    fn check(text: impl AsRef<[u8]>, expected: &str, damaged: u64) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("transcript.jsonl");
        std::fs::write(&path, text).unwrap();
        assert_eq!(last(&path, false), LastMessage { text: expected.to_owned(), damaged });
    }

    // @traces REQ-020-091 REQ-020-119 REQ-020-120
    #[test]
    fn the_last_words_since_the_users_count() {
        check("", "", 0);
        check(format!("{ASKED}\n{SAID}\n"), "all done", 0);
        check(format!("{ASKED}\n{SAID}"), "all done", 0);
        check(format!("{SAID}\n{ASKED}\n"), "", 0);
        check(format!("{ASKED}\n{SAID}\n{{\"type\":\"last-prompt\"}}\nnot json\n\n"), "all done", 1);
        check([&b"\xff\xfe\n"[..], SAID.as_bytes(), b"\n\xff\n{\"half"].concat(), "all done", 2);
        assert_eq!(last(Path::new("/nonexistent/x"), false), LastMessage::default());
        assert_eq!(last(Path::new("/"), false), LastMessage::default());
    }

    #[test]
    fn only_the_end_of_a_huge_transcript_is_read() {
        let padding = "x".repeat(usize::try_from(TAIL_BYTES_MAX).unwrap());
        check(format!("{SAID}\n{{\"pad\":\"{padding}\"}}\n"), "", 0);
        check(format!("{{\"pad\":\"{padding}\"}}\n{SAID}\n"), "all done", 0);
    }
}
