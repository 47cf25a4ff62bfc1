//! The status line beside a long record of sessions: the client starts it after every message.

use std::fs;
use std::path::Path;

use anyhow::ensure;
use serde_json::{Value, json};
use testkit::payload;

use super::{Place, Samples, call};

/// A whole process, in milliseconds, as minimum.
pub(super) const MS_MAX: f64 = 5.0;
/// Sessions in the record.
const SESSIONS: usize = 10_000;

const SESSION: &str = "00000000-0000-4000-8000-000000000003";

/// A project whose record of sessions is long.
pub(super) struct LongRecord {
    place: Place,
    payload: Vec<u8>,
}

impl LongRecord {
    pub(super) fn new(program: &Path) -> anyhow::Result<Self> {
        let place = Place::new()?;
        let session = |number: usize| {
            let mut session = json!({
                "session": number,
                "date": "2026-11-30T10:00:00Z",
                "purpose": "Prices are rounded where they are shown, and nowhere else",
                "achievements": ["feat: rounding of prices", "test: cents are kept in the books"],
                "work_log": [{ "time": "2026-11-30T10:00:00Z", "description": "looked at the till" }],
            });
            if number < SESSIONS {
                session["length"] = "2h30m".into();
            }
            session
        };
        let record = json!({
            "schema_version": 1,
            "state": { "session": SESSIONS, "version": "1.0.0", "branch": "main", "status": "active" },
            "deferred_work": [],
            "session_history": (1..=SESSIONS).map(session).collect::<Vec<Value>>(),
        });
        let payload = json!({
            "session_id": SESSION,
            "cwd": place.project,
            "workspace": { "current_dir": place.project, "project_dir": place.project, "added_dirs": [] },
            "context_window": { "context_window_size": 200_000, "used_percentage": 42 },
        });
        let mut hook = place.command(program);
        hook.args(["hook", "claude"]);
        let start = payload::session_start(&place.project, SESSION).to_string();
        call(hook, start.as_bytes(), &mut Samples::default())?;
        // After the start, which would close a session that is that old.
        fs::write(place.project.join("context.json"), record.to_string())?;
        Ok(Self { place, payload: payload.to_string().into_bytes() })
    }

    /// One line.
    pub(super) fn line(&self, program: &Path, samples: &mut Samples) -> anyhow::Result<()> {
        let mut command = self.place.command(program);
        command.args(["statusline", "--plain"]);
        let line = call(command, &self.payload, samples)?;
        ensure!(
            line.starts_with("#10000 Prices") && line.contains("42% context"),
            "the status line is not what it should be: {line}"
        );
        Ok(())
    }
}
