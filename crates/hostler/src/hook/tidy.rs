//! Old checkpoints, and what was counted in old sessions, go at the start of a session, at most once a day: nobody should
//! have to remember it.

use std::path::Path;
use std::time::Duration;

use hostler_ledger::checkpoint::{Keep, Vault};
use hostler_ledger::file::write_atomic;
use hostler_ledger::state;
use hostler_model::Place;

/// Between two clean-ups of one project, in milliseconds.
const PAUSE_MS: i64 = 24 * 60 * 60 * 1000;

/// Counts of sessions that were quiet for so long go, in milliseconds.
const COUNTS_KEPT_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// What a clean-up may take; what is left goes another day.
const TIME_MAX: Duration = Duration::from_secs(1);

/// Removes checkpoints beyond [`Keep::default`], and counts older than [`COUNTS_KEPT_MS`]. The time is written down first, so that two sessions which
/// start together do it once, and one that is killed does not repeat at every start.
///
/// # Errors
/// One sentence for the user.
pub(super) fn old(place: &Place, project_state: &Path, now_ms: i64) -> Result<(), String> {
    let stamp = project_state.join("tidied.json");
    if !project_state.exists() || last(&stamp).is_some_and(|last| (last..last + PAUSE_MS).contains(&now_ms)) {
        return Ok(());
    }
    let text = serde_json::json!({ "version": 1, "time_ms": now_ms }).to_string();
    let told = |error: String| format!("what is old could not be cleared away: {error}");
    write_atomic(&stamp, text.as_bytes()).map_err(|error| told(error.to_string()))?;
    state::prune(project_state, now_ms - COUNTS_KEPT_MS).map_err(|error| told(error.to_string()))?;
    let vault = Vault::new(place, project_state, TIME_MAX);
    vault.prune(&Keep::default(), now_ms, false).map(drop).map_err(|error| told(error.to_string()))
}

fn last(stamp: &Path) -> Option<i64> {
    let text = std::fs::read_to_string(stamp).ok()?;
    serde_json::from_str::<serde_json::Value>(&text).ok()?.get("time_ms")?.as_i64()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::fs;
    use std::path::PathBuf;

    use hostler_ledger::checkpoint::{Created, Request, create};
    use hostler_model::SessionId;

    use super::*;

    const DAY_MS: i64 = PAUSE_MS;

    fn keep(place: &Place, state: &Path, time_ms: i64) -> String {
        let path = place.root.join("file");
        fs::write(&path, time_ms.to_string()).unwrap();
        let session = SessionId::parse(&format!("session-{time_ms}")).unwrap();
        let paths: Vec<PathBuf> = vec![path];
        let request = Request {
            place,
            session: &session,
            call: None,
            paths: &paths,
            reason: "test",
            time_ms,
            project_state: state,
            deadline: Duration::from_secs(20),
        };
        match create(&request).unwrap() {
            Created::Checkpoint { id, .. } => id,
            other => panic!("{other:?}"),
        }
    }

    fn ids(place: &Place, state: &Path) -> Vec<String> {
        let vault = Vault::new(place, state, Duration::from_secs(20));
        vault.list().unwrap().checkpoints.into_iter().map(|it| it.id).collect()
    }

    #[test]
    fn old_checkpoints_go_once_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap().join("project");
        let state = fs::canonicalize(folder.path()).unwrap().join("state");
        fs::create_dir(&root).unwrap();
        let place = Place { root, ..Place::default() };
        let now = 100 * DAY_MS;
        old(&place, &state, now).unwrap();
        assert!(!state.exists(), "a project without evidence stays without");
        let (aged, young) = (keep(&place, &state, now - 20 * DAY_MS), keep(&place, &state, now - DAY_MS));
        old(&place, &state, now).unwrap();
        assert_eq!(ids(&place, &state), std::slice::from_ref(&young));
        let again = keep(&place, &state, now - 30 * DAY_MS);
        old(&place, &state, now + DAY_MS / 2).unwrap();
        assert_eq!(ids(&place, &state), [again, young.clone()], "not twice a day");
        old(&place, &state, now + DAY_MS).unwrap();
        assert_eq!(ids(&place, &state), [young]);
        assert_ne!(aged, "");
        // A clock that was set back does not stop it for ever.
        let older = keep(&place, &state, now - 90 * DAY_MS);
        old(&place, &state, now - 40 * DAY_MS).unwrap();
        assert!(!ids(&place, &state).contains(&older));
    }

    #[test]
    fn counts_of_sessions_that_were_quiet_for_long_go() {
        let folder = tempfile::tempdir().unwrap();
        let sessions = folder.path().join("sessions");
        fs::create_dir(&sessions).unwrap();
        let now_ms = 1_000 * DAY_MS;
        for (name, days) in [("a.state.json", 31), ("b.state.json", 29), ("a.head.json", 99), ("a.jsonl", 99)]
        {
            let path = sessions.join(name);
            fs::write(&path, "{}").unwrap();
            let age = Duration::from_millis(u64::try_from(now_ms - days * DAY_MS).unwrap());
            let file = fs::File::options().append(true).open(&path).unwrap();
            file.set_modified(std::time::UNIX_EPOCH + age).unwrap();
        }
        let place = Place { root: folder.path().to_path_buf(), ..Place::default() };
        old(&place, folder.path(), now_ms).unwrap();
        let mut left: Vec<String> = fs::read_dir(&sessions)
            .unwrap()
            .map(|it| it.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        left.sort();
        assert_eq!(left, ["a.head.json", "a.jsonl", "b.state.json"]);
    }
}
