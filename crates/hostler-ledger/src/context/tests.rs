#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod damage;
mod document;
mod property;
mod schema;
mod traps;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::*;

/// A project's folder and its evidence folder.
struct Lab(tempfile::TempDir);

impl Lab {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With this `context.json`.
    fn with(bytes: impl AsRef<[u8]>) -> Self {
        let lab = Self::new();
        fs::create_dir_all(lab.project()).unwrap();
        fs::write(lab.path(), bytes).unwrap();
        lab
    }

    fn project(&self) -> PathBuf {
        self.0.path().join("my project")
    }

    fn path(&self) -> PathBuf {
        self.project().join("context.json")
    }

    fn state(&self) -> PathBuf {
        self.0.path().join("state")
    }

    fn store(&self) -> Store {
        Store::new(self.path(), self.state())
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }

    fn value(&self) -> Value {
        serde_json::from_str(self.text().trim_start_matches('\u{feff}')).unwrap()
    }

    fn read(&self) -> Context {
        self.store().read().unwrap().unwrap()
    }

    #[track_caller]
    fn update(&self, change: impl FnMut(&mut Context)) -> Updated<()> {
        self.store().update(change).unwrap()
    }

    /// Adds a session after the last.
    #[track_caller]
    fn begin(&self, purpose: &str) -> u64 {
        let next = |context: &mut Context| {
            let seq = context.last().map_or(1, |(_, it)| it.seq + 1);
            context.push(session(seq, purpose));
            context.state_mut().session = seq;
            seq
        };
        self.store().update(next).unwrap().value
    }

    /// Files beside the context, by name.
    fn beside(&self) -> Vec<String> {
        names(&self.project())
    }

    fn backups(&self) -> Vec<PathBuf> {
        let folder = self.state().join("context/backup");
        names(&folder).into_iter().map(|name| folder.join(name)).collect()
    }

    fn ledger(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.state().join("context/ledger.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<String> = entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn session(seq: u64, purpose: &str) -> Session {
    Session {
        seq,
        when: "2026-11-30T10:00:00Z".to_owned(),
        purpose: purpose.to_owned(),
        ..Session::default()
    }
}

fn purposes(context: &Context) -> Vec<String> {
    (0..context.session_count()).map(|it| context.session(it).unwrap().purpose).collect()
}

/// The first example of the format, by those who thought of it.
const OLDER: &str = r#"{
  "state": {
    "session": 89,
    "version": "0.6.0",
    "branch": "master",
    "test_count": 9203,
    "status": "active"
  },
  "deferred_work": [
    {
      "id": "DW-001",
      "priority": "high",
      "description": "Rotate the keys",
      "status": "pending",
      "notes": "before March"
    }
  ],
  "session_history": [
    {
      "seq": 88,
      "when": "2026-03-28T09:00:00",
      "purpose": "Queue",
      "achievements": ["Queue is a set"],
      "length": "1h05m"
    },
    {
      "seq": 89,
      "when": "2026-03-29T10:00:00",
      "purpose": "Search",
      "achievements": []
    }
  ]
}
"#;
