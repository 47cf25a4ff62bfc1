//! The work session that is going on. A long record of sessions takes longer to read than a status line may: what was
//! read of it is kept beside the evidence, for as long as the file is the same.

use std::io::{ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::line::Session;
use crate::session::locate::Sessions;

/// A smaller file is read each time, in bytes.
const KEPT_BYTES_MIN: u64 = 128 * 1024;

#[derive(Serialize, Deserialize)]
struct Kept {
    /// What the file was.
    size: u64,
    mtime_s: i64,
    mtime_ns: i64,
    inode: u64,
    /// What stood in it.
    session: Option<KeptSession>,
}

#[derive(Serialize, Deserialize)]
struct KeptSession {
    number: u64,
    purpose: String,
    active: bool,
}

/// The session of the record, going on or the last one.
pub(super) fn session(sessions: &Sessions) -> Option<Session> {
    let meta = std::fs::metadata(&sessions.file).ok()?;
    if meta.len() < KEPT_BYTES_MIN {
        return read(sessions);
    }
    let path = kept_path(sessions);
    let kept = std::fs::read(&path).ok().and_then(|text| serde_json::from_slice::<Kept>(&text).ok());
    let same = |kept: &Kept| {
        (kept.size, kept.mtime_s, kept.mtime_ns, kept.inode)
            == (meta.len(), meta.mtime(), meta.mtime_nsec(), meta.ino())
    };
    if let Some(kept) = kept.filter(same) {
        return kept.session.map(|KeptSession { number, purpose, active }| Session {
            number,
            purpose,
            active,
        });
    }
    let session = read(sessions);
    let kept = Kept {
        size: meta.len(),
        mtime_s: meta.mtime(),
        mtime_ns: meta.mtime_nsec(),
        inode: meta.ino(),
        session: session.clone().map(|Session { number, purpose, active }| KeptSession {
            number,
            purpose: purpose.chars().take(200).collect(),
            active,
        }),
    };
    // Without it the next line is as slow as this one.
    let _ = keep(&path, &kept);
    session
}

/// Not synced: after a power cut it is looked up again, and the line does not wait for a disk.
fn keep(path: &Path, kept: &Kept) -> std::io::Result<()> {
    let folder = path.parent().ok_or(ErrorKind::NotFound)?;
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(&serde_json::to_vec(kept)?)?;
    temporary.persist(path)?;
    Ok(())
}

fn kept_path(sessions: &Sessions) -> PathBuf {
    sessions.state.join("statusline.json")
}

fn read(sessions: &Sessions) -> Option<Session> {
    let context = sessions.store.read().ok()??;
    let (_, session) = context.last()?;
    Some(Session { number: session.seq, purpose: session.purpose.clone(), active: session.length.is_none() })
}
