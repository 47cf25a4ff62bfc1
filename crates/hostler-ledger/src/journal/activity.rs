//! When something was done last: read from the ends of journals, so that size does not matter.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use hostler_model::SessionId;

use super::line::Record;
use super::{SEAL, read};
use crate::lock;

/// How much of a journal's end is looked at, bytes: tens of records.
const WINDOW_BYTES: u64 = 64 * 1024;

/// When one of `sessions` did something last, in milliseconds since 1970: the time of the last record that is no
/// seal, since a journal can be sealed long after its session went quiet. `None` where no journal tells.
///
/// What cannot be read tells nothing; the folders are looked through once for all sessions.
pub fn last_activity_ms(project_state: &Path, sessions: &[SessionId]) -> Option<i64> {
    let live = sessions.iter().filter_map(|session| last_ms(&super::path(project_state, session)));
    let live = live.max();
    let archived = || {
        let mut last = None;
        for path in read::archived(project_state).ok()? {
            let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
            // The name of another session may begin with this one's.
            let of =
                |it: &SessionId| name.strip_prefix(it.as_str()).is_some_and(|rest| rest.starts_with('_'));
            if sessions.iter().any(of) {
                last = last.max(last_ms(&path));
            }
        }
        last
    };
    // A session that is resumed goes on in its live journal, so the archive has nothing later of that one, but it
    // may have of others.
    live.max(archived())
}

fn last_ms(path: &Path) -> Option<i64> {
    let length = lock::regular(path).ok()??.len();
    let size = length.min(WINDOW_BYTES);
    let mut window = vec![0; usize::try_from(size).ok()?];
    File::open(path).ok()?.read_exact_at(&mut window, length - size).ok()?;
    let records = window.rsplit(|byte| *byte == b'\n').filter_map(Record::parse);
    records.filter(|record| record.kind != SEAL).map(|record| record.time_ms).next()
}

#[cfg(test)]
mod tests;
