use hostler_model::StartSource::{Clear, Compact, Fork, Other, Resume, Startup};

use super::*;

const NOW_MS: i64 = 1_796_000_000_000;
const IDLE_MS: i64 = 30 * 60 * 1000;
const MINUTE_MS: i64 = 60 * 1000;

/// A session that was begun and used last so many minutes ago.
#[expect(clippy::unnecessary_wraps, reason = "the cases read as what they are compared with")]
fn last(active: bool, member: bool, begun_minutes: i64, seen_minutes: i64) -> Option<Last> {
    let ago = |minutes: i64| Some(NOW_MS - minutes * MINUTE_MS);
    Some(Last { active, member, begun_ms: ago(begun_minutes), seen_ms: ago(seen_minutes) })
}

#[track_caller]
fn check(source: StartSource, last: Option<Last>, expected: Start) {
    let situation = Situation { source, subagent: false, last, now_ms: NOW_MS, idle_ms: IDLE_MS };
    assert_eq!(decide(&situation), expected, "{source:?} {last:?}");
}

#[test]
fn the_first_session_of_a_project_begins() {
    for source in [Startup, Clear, Resume, Fork, Other] {
        check(source, None, Start::Begin);
        check(source, last(false, false, 90, 60), Start::Begin);
    }
}

// @traces REQ-020-004
#[test]
fn an_active_session_is_not_followed_by_another_one() {
    for source in [Startup, Clear, Resume, Fork, Compact, Other] {
        check(source, last(true, true, 90, 2), Start::Resume);
        check(source, last(true, false, 90, 2), Start::Join);
        check(source, last(true, true, 1, 1), Start::Resume);
    }
}

// @traces REQ-020-005
#[test]
fn a_session_that_was_begun_within_five_minutes_is_not_followed_by_another_one() {
    for source in [Startup, Clear, Resume, Fork, Other] {
        check(source, last(false, false, 4, 1), Start::Nothing(Reason::Recent));
        check(source, last(false, true, 0, 0), Start::Nothing(Reason::Recent));
        check(source, last(false, false, 5, 1), Start::Begin);
        check(source, last(false, false, 6, 1), Start::Begin);
        // The clock was set back a little, or by days.
        check(source, last(false, false, -2, -2), Start::Nothing(Reason::Recent));
        check(source, last(false, false, -3000, -3000), Start::Begin);
    }
    let edge = |ms| Some(Last { active: false, member: false, begun_ms: Some(NOW_MS - ms), seen_ms: None });
    check(Startup, edge(299_999), Start::Nothing(Reason::Recent));
    check(Startup, edge(300_000), Start::Begin);
}

#[test]
fn a_compaction_begins_nothing() {
    check(Compact, None, Start::Nothing(Reason::Compaction));
    check(Compact, last(false, true, 90, 60), Start::Nothing(Reason::Compaction));
    check(Compact, last(false, true, 2, 1), Start::Nothing(Reason::Compaction));
    check(Compact, last(true, true, 900, 600), Start::Resume);
    check(Compact, last(true, false, 900, 600), Start::Join);
}

#[test]
fn a_subagent_begins_nothing() {
    for source in [Startup, Clear, Resume, Fork, Compact, Other] {
        for last in [None, last(true, true, 90, 2), last(true, false, 900, 600), last(false, false, 90, 60)] {
            let situation = Situation { source, subagent: true, last, now_ms: NOW_MS, idle_ms: IDLE_MS };
            assert_eq!(decide(&situation), Start::Nothing(Reason::Subagent), "{situation:?}");
        }
    }
}

#[test]
fn a_session_that_nobody_works_in_is_closed_at_the_next_start() {
    for source in [Startup, Clear, Resume, Fork, Other] {
        check(source, last(true, false, 90, 30), Start::CloseStaleAndBegin);
        check(source, last(true, true, 90, 600), Start::CloseStaleAndBegin);
        check(source, last(true, false, 90, 29), Start::Join);
        // What the file says of its beginning is an activity too.
        check(source, last(true, false, 2, 600), Start::Join);
        // A clock that was set back.
        check(source, last(true, false, 90, -600), Start::Join);
        // One that is a year ahead tells nothing.
        check(source, last(true, false, 540, -365 * 24 * 60), Start::CloseStaleAndBegin);
    }
    let unknown = |begun_ms| Some(Last { active: true, member: false, begun_ms, seen_ms: None });
    check(Startup, unknown(None), Start::Join);
    check(Startup, unknown(Some(NOW_MS - IDLE_MS)), Start::CloseStaleAndBegin);
    check(Startup, unknown(Some(i64::MIN)), Start::CloseStaleAndBegin);
}

#[test]
fn who_asks_for_a_session_gets_one_unless_one_is_active() {
    let check = |last, expected| assert_eq!(decide_opening(last, NOW_MS, IDLE_MS), expected, "{last:?}");
    check(None, Start::Begin);
    check(last(false, true, 1, 1), Start::Begin);
    check(last(false, false, 90, 60), Start::Begin);
    check(last(true, true, 1, 1), Start::Resume);
    check(last(true, false, 90, 2), Start::Join);
    check(last(true, true, 90, 30), Start::CloseStaleAndBegin);
}
