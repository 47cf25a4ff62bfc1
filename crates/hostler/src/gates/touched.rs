//! Which files a session's agents may have changed, as its journal tells: the user edits files too, and is told nothing.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::Instant;

use hostler_ledger::journal;
use hostler_model::SessionId;
use hostler_policy::claims::{Act, Evidence};
use memchr::memmem;
use serde::Deserialize;

use crate::claims::history::History;

/// Clocks of files are coarser than ours, in milliseconds.
const SLACK_MS: i64 = 100;

/// What a session's calls did to files.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    /// Files that a call wrote, absolute.
    files: BTreeSet<PathBuf>,
    /// Those of them that a call made.
    made: BTreeSet<PathBuf>,
    /// Folders in which a call wrote anything.
    trees: Vec<PathBuf>,
    /// When calls ran that may have written anything, in milliseconds since 1970.
    windows: Vec<(i64, i64)>,
}

/// A result in a journal.
#[derive(Deserialize)]
struct Line {
    time_ms: i64,
    tool_duration_ms: Option<i64>,
    evidence: Option<Evidence>,
}

impl Touched {
    /// Reads the session's journals. `None` where they do not tell: then nobody knows who changed what.
    pub(crate) fn read(project_state: &Path, session: &SessionId, deadline: Instant) -> Option<Self> {
        let mut files = journal::session_files(project_state, session).ok()?;
        let live = journal::path(project_state, session);
        if live.exists() && !files.contains(&live) {
            files.push(live);
        }
        if files.is_empty() {
            return None;
        }
        let mut touched = Self::default();
        for path in files {
            let mut before_ms = 0;
            for line in BufReader::new(File::open(path).ok()?).split(b'\n') {
                let line = line.ok()?;
                let time_ms = time_ms(&line);
                touched.line(&line, before_ms);
                before_ms = time_ms.unwrap_or(before_ms);
                if deadline <= Instant::now() {
                    return None;
                }
            }
        }
        Some(touched)
    }

    fn line(&mut self, line: &[u8], before_ms: i64) {
        // Most calls read; taking their lines apart would take longer than all the rest.
        let has = |word: &[u8]| memmem::find(line, word).is_some();
        let wrote = ["\"opaque\":true", "\"act\":\"create\"", "\"act\":\"edit\"", "\"act\":\"move\""];
        if !has(b"\"kind\":\"result\"") || !wrote.iter().any(|word| has(word.as_bytes())) {
            return;
        }
        let Ok(line) = serde_json::from_slice::<Line>(line) else { return };
        let Some(evidence) = line.evidence else { return };
        self.call(&evidence);
        if evidence.opaque {
            self.window(line.tool_duration_ms.map_or(before_ms, |took| line.time_ms - took), line.time_ms);
        }
    }

    /// What the audit of a turn read already.
    pub(crate) fn of(history: &History) -> Self {
        let mut touched = Self::default();
        history.evidence.iter().for_each(|evidence| touched.call(evidence));
        history.windows.iter().for_each(|(from_ms, to_ms)| touched.window(*from_ms, *to_ms));
        touched
    }

    /// Takes over what one call wrote by name.
    fn call(&mut self, evidence: &Evidence) {
        for file in &evidence.files {
            if !matches!(file.act, Act::Create | Act::Edit | Act::Move) {
                continue;
            }
            let path = PathBuf::from(&file.path);
            if file.tree {
                self.trees.push(path);
                continue;
            }
            // A file that was edited first was there before.
            if file.act == Act::Create && !self.files.contains(&path) {
                self.made.insert(path.clone());
            }
            self.files.insert(path);
        }
    }

    /// Takes over when a call ran that may have written anything, in milliseconds since 1970.
    fn window(&mut self, from_ms: i64, to_ms: i64) {
        self.windows.push((from_ms.saturating_sub(SLACK_MS), to_ms.saturating_add(SLACK_MS)));
    }

    /// No call wrote anything.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.trees.is_empty() && self.windows.is_empty()
    }

    /// Whether a call made the file.
    pub(super) fn made(&self, path: &Path) -> bool {
        self.made.contains(path)
    }

    /// Files that calls wrote by name, absolute.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(PathBuf::as_path)
    }

    /// Whether one of the calls may have made the file what it is, which was changed last at `modified_ms`.
    pub(super) fn may_have_written(&self, path: &Path, modified_ms: Option<i64>) -> bool {
        let in_window = |ms: i64| self.windows.iter().any(|(from, to)| (*from..=*to).contains(&ms));
        self.files.contains(path)
            || self.trees.iter().any(|tree| path.starts_with(tree))
            || modified_ms.is_some_and(in_window)
    }
}

fn time_ms(line: &[u8]) -> Option<i64> {
    const NAME: &[u8] = b",\"time_ms\":";
    let digits = &line[memmem::find(line, NAME)? + NAME.len()..];
    let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    std::str::from_utf8(&digits[..end]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use hostler_policy::claims::evidence::FileAct;

    use super::*;

    fn wrote(files: Vec<FileAct>) -> Evidence {
        Evidence { files, ..Evidence::default() }
    }

    #[test]
    fn a_file_is_the_sessions_when_a_call_names_it_or_may_have_written_it() {
        let mut touched = Touched::default();
        assert!(touched.is_empty());
        touched.call(&wrote(vec![
            FileAct::new(Act::Create, "/p/new.py"),
            FileAct::new(Act::Edit, "/p/old.py"),
            FileAct::new(Act::Create, "/p/old.py"),
            FileAct::new(Act::Read, "/p/read.py"),
            FileAct::tree(Act::Edit, "/p/tree"),
        ]));
        touched.window(1_000, 2_000);
        let check = |path: &str, modified_ms: Option<i64>, expected: bool| {
            assert_eq!(
                touched.may_have_written(Path::new(path), modified_ms),
                expected,
                "{path} {modified_ms:?}"
            );
        };
        check("/p/new.py", None, true);
        check("/p/old.py", Some(9_000), true);
        check("/p/tree/a/b.py", Some(9_000), true);
        check("/p/read.py", Some(9_000), false);
        check("/p/read.py", None, false);
        check("/p/other.py", Some(1_500), true);
        check("/p/other.py", Some(2_000 + SLACK_MS), true);
        check("/p/other.py", Some(2_001 + SLACK_MS), false);
        assert!(touched.made(Path::new("/p/new.py")) && !touched.made(Path::new("/p/old.py")));
    }

    #[test]
    fn the_time_of_a_line_is_its_own_member() {
        let line = br#"{"message":"x,\"time_ms\":5","seq":1,"time_ms":1796025600000,"v":1}"#;
        assert_eq!(time_ms(line), Some(1_796_025_600_000));
        assert_eq!(time_ms(b"{}"), None);
    }
}
