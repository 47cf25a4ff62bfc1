#![expect(clippy::unwrap_used, reason = "tests")]

use hostler_model::SessionId;

use super::*;
use crate::state;

const WINDOW: ReadWindow = ReadWindow { window_ms: 30_000, per_window: 3 };

fn read<'a>(agent: &'a str, id: &'a str, now_ms: i64) -> AgentRead<'a> {
    AgentRead { agent, id: Some(id).filter(|id| !id.is_empty()), now_ms }
}

fn counted(in_window: u64, in_session: u64, told: bool) -> ReadCount {
    ReadCount { in_window, in_session, told }
}

/// Reads of one agent at these times, and what was before each.
#[track_caller]
fn check(times_ms: &[i64], expected: &[ReadCount]) {
    let mut state = State::empty();
    let counts: Vec<_> = times_ms
        .iter()
        .map(|now_ms| {
            // Through text, as between two processes.
            state = State::of(&serde_json::to_vec(&state.document).unwrap());
            state.count_read(&read("", &format!("call-{now_ms}"), *now_ms), &WINDOW)
        })
        .collect();
    assert_eq!(counts, expected, "{times_ms:?}");
}

// @traces REQ-020-187
#[test]
fn times_leave_the_window_as_it_moves() {
    check(
        &[0, 10_000, 20_000, 29_999, 30_000, 45_000, 200_000],
        &[
            counted(0, 0, false),
            counted(1, 1, false),
            counted(2, 2, false),
            counted(3, 3, false),
            // The first one left at 30 s sharp.
            counted(3, 4, true),
            counted(3, 5, true),
            counted(0, 6, false),
        ],
    );
}

#[test]
fn a_burst_is_told_once_however_long_it_goes_on() {
    let told = |times: &[i64]| {
        let mut state = State::empty();
        let mut told = |now_ms: &i64| {
            let count = state.count_read(&read("", &now_ms.to_string(), *now_ms), &WINDOW);
            WINDOW.per_window <= count.in_window && !count.told
        };
        times.iter().filter(|now_ms| told(now_ms)).copied().collect::<Vec<_>>()
    };
    let every_second: Vec<i64> = (0..300).map(|second| second * 1_000).collect();
    assert_eq!(told(&every_second), [3_000]);
    // Quiet for longer than a window, and a new burst is told again.
    assert_eq!(told(&[0, 1, 2, 3, 4, 40_000, 40_001, 40_002, 40_003, 40_004]), [3, 40_003]);
    // Each is followed by twice the quiet of the one before.
    let bursts = [0, 31_000, 62_000, 124_000, 200_000, 250_000, 500_000];
    let reads: Vec<i64> = bursts.iter().flat_map(|at| (*at..*at + 6).collect::<Vec<_>>()).collect();
    assert_eq!(told(&reads), [3, 31_003, 124_003, 250_003, 500_003]);
}

#[test]
fn a_clock_that_was_set_back_stops_nobody() {
    check(
        &[900_000, 900_001, 900_002, 900_003, 5],
        &[
            counted(0, 0, false),
            counted(1, 1, false),
            counted(2, 2, false),
            counted(3, 3, false),
            counted(0, 4, false),
        ],
    );
}

#[test]
fn a_call_that_looked_at_the_clock_earlier_and_counts_later_counts_those_before_it() {
    check(
        &[50, 49, 51, 20],
        &[counted(0, 0, false), counted(1, 1, false), counted(2, 2, false), counted(3, 3, false)],
    );
}

#[test]
fn agents_have_windows_of_their_own_and_a_call_counts_once() {
    let mut state = State::empty();
    for id in ["a", "b", "c"] {
        state.count_read(&read("", id, 1), &WINDOW);
    }
    assert_eq!(state.count_read(&read("sub", "d", 2), &WINDOW), counted(0, 0, false));
    assert_eq!(state.count_read(&read("", "e", 2), &WINDOW), counted(3, 3, false));
    // The second process of a hook that is registered twice sees what the first one saw.
    assert_eq!(state.count_read(&read("", "e", 3), &WINDOW), counted(3, 3, false));
    assert_eq!(state.count_read(&read("", "b", 3), &WINDOW), counted(1, 1, false));
    assert_eq!(state.count_read(&read("", "f", 4), &WINDOW), counted(4, 4, true));
    // Calls without an id are all different ones.
    assert_eq!(state.count_read(&read("other", "", 4), &WINDOW), counted(0, 0, false));
    assert_eq!(state.count_read(&read("other", "", 4), &WINDOW), counted(1, 1, false));
}

#[test]
fn what_was_denied_is_taken_back() {
    let mut state = State::empty();
    for id in ["a", "b", "c"] {
        state.count_read(&read("", id, 1), &WINDOW);
    }
    for _ in 0..5 {
        assert_eq!(state.count_read(&read("", "d", 2), &WINDOW).in_session, 3);
        state.uncount_read(&read("", "d", 2));
    }
    assert_eq!(state.count_read(&read("", "e", 30_001), &WINDOW), counted(0, 3, false));
    // Nothing to take back.
    state.uncount_read(&read("", "z", 30_001));
    state.uncount_read(&read("nobody", "e", 30_001));
    assert_eq!(state.count_read(&read("", "f", 30_001), &WINDOW), counted(1, 4, false));
}

#[test]
fn it_stays_small_and_what_is_damaged_begins_anew() {
    let mut state = State::empty();
    for now_ms in 0..10_000 {
        state.count_read(&read("", &format!("{now_ms}"), now_ms), &WINDOW);
    }
    for agent in 0..500 {
        state.count_read(&read(&format!("agent-{agent}"), "x", 20_000 + agent), &WINDOW);
    }
    assert!(serde_json::to_vec(&state.document).unwrap().len() < 16 * 1024);
    assert_eq!(state.count_read(&read("agent-499", "y", 20_600), &WINDOW), counted(1, 1, false));
    assert_eq!(state.count_read(&read("agent-0", "y", 20_600), &WINDOW), counted(0, 0, false));
    let mut state = State::of(br#"{"v":1,"reads":{"":{"total":"many","last":7}},"counters":{"kept":2}}"#);
    assert_eq!(state.count_read(&read("", "a", 1), &WINDOW), counted(0, 0, false));
    assert_eq!(state.counter("kept"), 2);
    let mut state = State::of(br#"{"v":1,"reads":[]}"#);
    assert_eq!(state.count_read(&read("", "a", 1), &WINDOW), counted(0, 0, false));
    assert_eq!(state.count_read(&read("", "b", 1), &WINDOW), counted(1, 1, false));
}

#[test]
fn parallel_processes_lose_no_read() {
    let folder = tempfile::tempdir().unwrap();
    let session = SessionId::parse("0f9d4c1e-64de-464e-9d97-09bfa437d8e9").unwrap();
    let wide = ReadWindow { window_ms: 1_000_000, per_window: 1_000 };
    let counts: Vec<u64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|thread| {
                let (folder, session) = (folder.path(), &session);
                let one = move |call: i64| {
                    let id = format!("{thread}-{call}");
                    let count = |state: &mut State| state.count_read(&read("", &id, 1_000), &wide);
                    state::update(folder, session, count).unwrap().in_session
                };
                scope.spawn(move || (0..25).map(one).collect::<Vec<_>>())
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let mut sorted = counts;
    sorted.sort_unstable();
    assert_eq!(sorted, (0..200).collect::<Vec<u64>>(), "each read saw another count");
}
