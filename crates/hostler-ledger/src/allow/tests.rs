#![expect(clippy::unwrap_used, reason = "tests")]

use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

const NOW: i64 = 1_796_000_000_000;

fn session(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

#[test]
fn a_code_is_six_plain_characters_of_session_rules_and_input() {
    let base = code(&session("s1"), &["delete", "git-discard"], "aa");
    assert_eq!(base.len(), CODE_LENGTH);
    assert!(base.bytes().all(|byte| ALPHABET.contains(&byte)), "{base}");
    assert_eq!(code(&session("s1"), &["git-discard", "delete"], "aa"), base);
    assert_ne!(code(&session("s2"), &["delete", "git-discard"], "aa"), base);
    assert_ne!(code(&session("s1"), &["delete"], "aa"), base);
    assert_ne!(code(&session("s1"), &["delete", "git-discard"], "ab"), base);
    // Computed apart from this code: reasons that were shown yesterday must be found today.
    assert_eq!(code(&session("s1"), &["delete"], "aa"), "qmy5zk");
}

#[test]
fn a_code_is_read_as_people_type_it() {
    for (typed, expected) in [
        ("ab12cd", Some("ab12cd")),
        (" AB12CD\n", Some("ab12cd")),
        ("OIL000", Some("011000")),
        ("ab12c", None),
        ("ab12cde", None),
        ("ab12cu", None),
        ("../../", None),
        ("éé1", None),
    ] {
        assert_eq!(parse_code(typed).as_deref(), expected, "{typed:?}");
    }
}

#[test]
fn a_grant_is_used_once_for_one_call_and_again_for_the_same_call() {
    let folder = tempfile::tempdir().unwrap();
    let (state, s) = (folder.path(), session("s1"));
    let code = code(&s, &["delete"], "aa");
    let take = |call: &str, now| take(state, &code, &s, "aa", call, now).unwrap();
    assert!(!take("call-1", NOW), "nothing was granted");
    grant(state, &code, &s, "aa", NOW, LIFETIME).unwrap();
    let file = state.join("allow").join(format!("{code}.json"));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::metadata(state.join("allow")).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(take("call-1", NOW + 1));
    assert!(take("call-1", NOW + 2), "the same call, registered twice");
    assert!(!take("call-2", NOW + 2), "another call");
    grant(state, &code, &s, "aa", NOW + 3, LIFETIME).unwrap();
    assert!(take("call-2", NOW + 4), "a second grant");
    assert!(!take("call-3", NOW + 5));
}

#[test]
fn a_grant_is_for_its_session_its_input_and_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let (state, s) = (folder.path(), session("s1"));
    let code = code(&s, &["delete"], "aa");
    grant(state, &code, &s, "aa", NOW, LIFETIME).unwrap();
    let end = NOW + i64::try_from(LIFETIME.as_millis()).unwrap();
    assert!(!take(state, &code, &session("s2"), "aa", "c", NOW).unwrap());
    assert!(!take(state, &code, &s, "ab", "c", NOW).unwrap());
    assert!(!take(state, &code, &s, "aa", "c", end).unwrap());
    assert!(!take(state, &code, &s, "aa", "c", NOW - CLOCK_SKEW_MS - 1).unwrap());
    assert!(!take(state, "zzzzzz", &s, "aa", "c", NOW).unwrap());
    assert!(!take(state, "../../etc/passwd", &s, "aa", "c", NOW).unwrap());
    // None of these used it up.
    assert!(take(state, &code, &s, "aa", "c", end - 1).unwrap());
    assert!(!take(state, &code, &s, "aa", "c", end).unwrap(), "over for the second hook as well");
}

#[test]
fn of_many_parallel_calls_one_is_let_through() {
    let folder = tempfile::tempdir().unwrap();
    let (state, s) = (folder.path(), session("s1"));
    let code = code(&s, &["delete"], "aa");
    for round in 0..50 {
        grant(state, &code, &s, "aa", NOW, LIFETIME).unwrap();
        let allowed = AtomicU32::new(0);
        let doubled = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for call in 0..8 {
                let (allowed, doubled, s, code) = (&allowed, &doubled, &s, &code);
                scope.spawn(move || {
                    let id = format!("{round}-{call}");
                    if take(state, code, s, "aa", &id, NOW).unwrap() {
                        allowed.fetch_add(1, Ordering::Relaxed);
                        let again = take(state, code, s, "aa", &id, NOW).unwrap();
                        doubled.fetch_add(u32::from(again), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!((allowed.into_inner(), doubled.into_inner()), (1, 1));
    }
}

#[test]
fn two_hooks_of_one_call_are_both_let_through() {
    let folder = tempfile::tempdir().unwrap();
    let (state, s) = (folder.path(), session("s1"));
    let code = code(&s, &["delete"], "aa");
    for round in 0..50 {
        grant(state, &code, &s, "aa", NOW, LIFETIME).unwrap();
        let id = format!("call-{round}");
        let both: Vec<bool> = std::thread::scope(|scope| {
            let hook = || take(state, &code, &s, "aa", &id, NOW).unwrap();
            let hooks = [scope.spawn(hook), scope.spawn(hook)];
            hooks.into_iter().map(|it| it.join().unwrap()).collect()
        });
        assert_eq!(both, [true, true]);
    }
}

#[test]
fn expired_grants_are_removed_and_damaged_ones_allow_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (state, s) = (folder.path(), session("s1"));
    grant(state, "aaaaaa", &s, "aa", NOW, LIFETIME).unwrap();
    std::fs::write(state.join("allow/bbbbbb.json"), "{\"v\":1").unwrap();
    assert!(!take(state, "bbbbbb", &s, "aa", "c", NOW).unwrap());
    let later = NOW + 2 * i64::try_from(LIFETIME.as_millis()).unwrap();
    grant(state, "cccccc", &s, "aa", later, LIFETIME).unwrap();
    assert!(!state.join("allow/aaaaaa.json").exists());
    assert!(state.join("allow/cccccc.json").exists());
}

#[test]
fn a_link_in_a_grant_s_place_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (state, s) = (folder.path(), session("s1"));
    std::fs::create_dir(state.join("allow")).unwrap();
    let elsewhere = state.join("elsewhere");
    std::fs::write(&elsewhere, "mine").unwrap();
    std::os::unix::fs::symlink(&elsewhere, state.join("allow/aaaaaa.json")).unwrap();
    assert!(matches!(take(state, "aaaaaa", &s, "aa", "c", NOW), Err(Error::NotAFile { .. })));
    assert!(matches!(grant(state, "aaaaaa", &s, "aa", NOW, LIFETIME), Err(Error::NotAFile { .. })));
    assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), "mine");
}
