//! One-time exceptions that a human grants: `hostler allow-once`.
//!
//! A code stands for one call: this session, these rules, this very input. A grant is one small file; it is
//! used by renaming it, which only one process can do.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hostler_model::SessionId;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::{file, lock};

/// How long a grant can be used.
pub const LIFETIME: Duration = Duration::from_secs(10 * 60);
/// Characters of a code: 30 bits. It is no password, only a name that two calls at hand will not share.
pub const CODE_LENGTH: usize = 6;
/// Letters and digits that are not mistaken for each other (Crockford's base 32).
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// A clock may be set back a little between the grant and the call.
const CLOCK_SKEW_MS: i64 = 60_000;
const FILE_BYTES_MAX: u64 = 16 * 1024;

/// The code under which a stopped call can be let through. `rules` in any order.
pub fn code(session: &SessionId, rules: &[&str], input_digest: &str) -> String {
    let mut rules = rules.to_vec();
    rules.sort_unstable();
    rules.dedup();
    let mut hasher = Sha256::new();
    for part in ["hostler allow 1", session.as_str(), input_digest].iter().chain(&rules) {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    let digest = hasher.finalize();
    let bits = digest.iter().take(5).fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    (0..CODE_LENGTH).map(|at| letter((bits >> (5 * at)) & 31)).collect()
}

fn letter(value: u64) -> char {
    usize::try_from(value).ok().and_then(|at| ALPHABET.get(at)).map_or('0', |it| char::from(*it))
}

/// Reads a code as a person types it: any case, `o` for `0`, `i` and `l` for `1`. `None` when it is none.
pub fn parse_code(typed: &str) -> Option<String> {
    let code: String = typed
        .trim()
        .chars()
        .map(|c| match c.to_ascii_lowercase() {
            'o' => '0',
            'i' | 'l' => '1',
            other => other,
        })
        .collect();
    let known = code.bytes().all(|byte| ALPHABET.contains(&byte));
    (known && code.len() == CODE_LENGTH).then_some(code)
}

#[derive(Debug, Serialize, Deserialize)]
struct Grant {
    v: u64,
    session: String,
    input_digest: String,
    granted_ms: i64,
    expires_ms: i64,
}

impl Grant {
    fn covers(&self, session: &SessionId, input_digest: &str, now_ms: i64) -> bool {
        self.session == session.as_str()
            && self.input_digest == input_digest
            && self.granted_ms.saturating_sub(CLOCK_SKEW_MS) <= now_ms
            && now_ms < self.expires_ms
    }
}

fn folder(project_state: &Path) -> PathBuf {
    project_state.join("allow")
}

/// Lets the call that `code` stands for through, once, until `lifetime` is over. A second grant replaces
/// the first. Grants that can no longer be used are removed.
///
/// # Errors
/// When the file cannot be written, or `code` is none.
pub fn grant(
    project_state: &Path,
    code: &str,
    session: &SessionId,
    input_digest: &str,
    now_ms: i64,
    lifetime: Duration,
) -> Result<(), Error> {
    let folder = folder(project_state);
    let Some(code) = parse_code(code) else {
        return Err(Error::io("grant", Path::new(code))(ErrorKind::InvalidInput.into()));
    };
    remove_expired(&folder, now_ms);
    let path = folder.join(format!("{code}.json"));
    lock::regular(&path)?;
    let lifetime_ms = i64::try_from(lifetime.as_millis()).unwrap_or(i64::MAX);
    let grant = Grant {
        v: 1,
        session: session.to_string(),
        input_digest: input_digest.to_owned(),
        granted_ms: now_ms,
        expires_ms: now_ms.saturating_add(lifetime_ms),
    };
    let text = serde_json::to_vec(&grant).map_err(|error| Error::io("write", &path)(error.into()))?;
    Ok(file::write_atomic(&path, &text)?)
}

/// Uses a grant for the call `call_id`: true for exactly one call id per grant, however many processes ask
/// at once, and true again for the same call id (a hook that is registered twice asks twice).
///
/// # Errors
/// When the grant is there but cannot be read or renamed. The call stays stopped then.
pub fn take(
    project_state: &Path,
    code: &str,
    session: &SessionId,
    input_digest: &str,
    call_id: &str,
    now_ms: i64,
) -> Result<bool, Error> {
    let Some(code) = parse_code(code) else { return Ok(false) };
    let folder = folder(project_state);
    let open = folder.join(format!("{code}.json"));
    let call = &crate::journal::sha256_hex(call_id.as_bytes())[..32];
    let used = folder.join(format!("{code}.{call}.used"));
    let covers = |path: &Path| Ok(load(path)?.is_some_and(|it| it.covers(session, input_digest, now_ms)));
    if covers(&used)? {
        return Ok(true);
    }
    if covers(&open)? {
        match std::fs::rename(&open, &used) {
            // What was renamed may be a newer grant than the one that was looked at.
            Ok(()) => return covers(&used),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(Error::io("use", &open)(error)),
        }
    }
    // Between the two looks another process may have used it for the same call.
    covers(&used)
}

fn load(path: &Path) -> Result<Option<Grant>, Error> {
    let Some(meta) = lock::regular(path)? else { return Ok(None) };
    if FILE_BYTES_MAX < meta.len() {
        return Err(Error::NotAFile { path: path.to_path_buf() });
    }
    match std::fs::read(path) {
        // A file that is no grant allows nothing.
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", path)(error)),
    }
}

/// Best effort: a leftover does no harm, its time is over.
fn remove_expired(folder: &Path, now_ms: i64) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let ours = path.extension().is_some_and(|it| it == "json" || it == "used");
        if ours && load(&path).ok().flatten().is_some_and(|grant| grant.expires_ms <= now_ms) {
            let _ = std::fs::remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests;
