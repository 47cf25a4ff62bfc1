//! What the journals of a session tell of tests and linters, and that they are on the disk.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

use hostler_ledger::journal;
use hostler_policy::claims::Evidence;
use hostler_policy::claims::evidence::Run;
use hostler_policy::session::closing::{Checks, checks};

/// What reading the journals may take; the rest is left out and told.
const READ_TIME_MAX: Duration = Duration::from_secs(10);

/// What was run between two moments, milliseconds since 1970, by whichever clients; and whether all of it was read.
pub(super) fn checks_between(
    states: &[PathBuf],
    from_ms: i64,
    to_ms: i64,
) -> Result<(Checks, bool), journal::Error> {
    let deadline = Instant::now() + READ_TIME_MAX;
    let mut runs: Vec<(i64, Run)> = Vec::new();
    let mut whole = true;
    let mut files = Vec::new();
    for state in states {
        files.extend(journal::files(state)?);
    }
    for path in files {
        if changed_ms(&path).is_none_or(|it| it < from_ms) {
            continue;
        }
        let Ok(records) = journal::read(&path) else {
            whole = false;
            continue;
        };
        for record in records {
            if deadline < Instant::now() {
                whole = false;
                break;
            }
            if record.kind != "result" || record.time_ms < from_ms || to_ms < record.time_ms {
                continue;
            }
            let evidence = record.attributes.get("evidence").cloned();
            let evidence = evidence.and_then(|it| serde_json::from_value::<Evidence>(it).ok());
            let time = record.time_ms;
            runs.extend(evidence.into_iter().flat_map(|it| it.runs).map(|run| (time, run)));
        }
    }
    runs.sort_by_key(|(time, _)| *time);
    let runs: Vec<Run> = runs.into_iter().map(|(_, run)| run).collect();
    Ok((checks(&runs), whole))
}

/// Waits until the journals that are being written are on the disk. How many there are.
pub(super) fn sync(states: &[PathBuf]) -> std::io::Result<usize> {
    let mut count = 0;
    for state in states {
        count += sync_folder(&state.join("sessions"))?;
    }
    Ok(count)
}

fn sync_folder(folder: &Path) -> std::io::Result<usize> {
    let folder = match fs::read_dir(folder) {
        Ok(folder) => folder,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    let mut count = 0;
    for path in folder.flatten().map(|it| it.path()) {
        if path.extension().is_some_and(|it| it == "jsonl") {
            match File::open(&path) {
                Ok(file) => file.sync_all()?,
                // Archived since: whoever moves a journal syncs it.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            }
            count += 1;
        }
    }
    Ok(count)
}

fn changed_ms(path: &PathBuf) -> Option<i64> {
    let modified = fs::metadata(path).ok()?.modified().ok()?;
    i64::try_from(modified.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}
