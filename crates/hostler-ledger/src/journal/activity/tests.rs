#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::slice::from_ref;

use super::*;
use crate::journal::{Entry, append, close, path};

const NOW_MS: i64 = 1_796_025_600_000;

fn session(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

fn work(state: &Path, session: &SessionId, time_ms: i64) {
    append(state, session, &Entry { kind: "result", time_ms, ..Entry::default() }).unwrap();
}

#[test]
fn the_last_record_of_any_of_the_sessions_counts() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path();
    let (one, two, other) = (session("one"), session("two"), session("other"));
    assert_eq!(last_activity_ms(state, from_ref(&one)), None);
    work(state, &one, NOW_MS);
    work(state, &one, NOW_MS + 5);
    work(state, &two, NOW_MS + 3);
    work(state, &other, NOW_MS + 9);
    assert_eq!(last_activity_ms(state, &[]), None);
    assert_eq!(last_activity_ms(state, from_ref(&two)), Some(NOW_MS + 3));
    assert_eq!(last_activity_ms(state, &[one.clone(), two.clone()]), Some(NOW_MS + 5));
    // Sealed and archived a day later by whoever came next: that is no activity of the session.
    close(state, &one, NOW_MS + 86_400_000, None).unwrap().unwrap();
    assert!(!path(state, &one).exists());
    assert_eq!(last_activity_ms(state, from_ref(&one)), Some(NOW_MS + 5));
    assert_eq!(last_activity_ms(state, &[two.clone(), one.clone()]), Some(NOW_MS + 5));
    // It goes on, and is closed again.
    work(state, &one, NOW_MS + 7);
    assert_eq!(last_activity_ms(state, from_ref(&one)), Some(NOW_MS + 7));
    close(state, &one, NOW_MS + 86_400_001, None).unwrap().unwrap();
    assert_eq!(last_activity_ms(state, &[one]), Some(NOW_MS + 7));
    // A name that begins with another one's is another session.
    assert_eq!(last_activity_ms(state, &[session("on"), session("othe")]), None);
}

#[test]
fn what_cannot_be_read_tells_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path();
    let (cut, folder_of) = (session("cut"), session("folder"));
    work(state, &cut, NOW_MS);
    let whole = fs::read(path(state, &cut)).unwrap();
    fs::write(path(state, &cut), [whole.as_slice(), b"{\"v\":1,\"se", &[0xff, 0]].concat()).unwrap();
    assert_eq!(last_activity_ms(state, from_ref(&cut)), Some(NOW_MS));
    fs::write(path(state, &cut), b"").unwrap();
    assert_eq!(last_activity_ms(state, &[cut]), None);
    fs::create_dir(path(state, &folder_of)).unwrap();
    assert_eq!(last_activity_ms(state, &[folder_of]), None);
    fs::write(state.join("archive"), "in the way").unwrap();
    assert_eq!(last_activity_ms(state, &[session("nobody")]), None);
}
