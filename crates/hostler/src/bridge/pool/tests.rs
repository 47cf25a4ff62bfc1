use std::sync::mpsc;
use std::time::Duration;

use super::*;

fn session(name: &str) -> Option<SessionId> {
    SessionId::parse(name).ok()
}

/// A job that tells that it began, and ends when it is let go.
fn held(
    pool: &Pool,
    lane: Lane,
    of: Option<SessionId>,
    began: &mpsc::Sender<usize>,
    number: usize,
) -> mpsc::Sender<()> {
    let (release, wait) = mpsc::channel::<()>();
    let began = began.clone();
    let work = move || {
        let _ = began.send(number);
        let _ = wait.recv();
    };
    assert!(pool.push(lane, pool.turnstile(of), Box::new(work)));
    release
}

#[track_caller]
fn begins(began: &mpsc::Receiver<usize>, expected: usize) {
    assert_eq!(began.recv_timeout(Duration::from_secs(20)), Ok(expected));
}

#[test]
fn events_of_one_session_are_taken_one_by_one_and_those_of_others_do_not_wait() {
    let (pool, (sender, began)) = (Pool::new(), mpsc::channel());
    let first = held(&pool, Lane::Session, session("a"), &sender, 1);
    let second = held(&pool, Lane::Turn, session("a"), &sender, 2);
    let third = held(&pool, Lane::Session, session("a"), &sender, 3);
    begins(&began, 1);
    let other = held(&pool, Lane::Session, session("b"), &sender, 4);
    begins(&began, 4);
    drop(first);
    begins(&began, 2);
    drop(second);
    begins(&began, 3);
    drop((third, other));
}

#[test]
fn a_turn_that_has_been_judged_lets_the_next_event_through() {
    let (pool, (sender, began)) = (Pool::new(), mpsc::channel());
    let turnstile = pool.turnstile(session("a"));
    let (own, (release, wait)) = (turnstile.clone(), mpsc::channel::<()>());
    let work = move || {
        own.leave();
        let _ = wait.recv();
    };
    assert!(pool.push(Lane::Turn, turnstile, Box::new(work)));
    let next = held(&pool, Lane::Session, session("a"), &sender, 1);
    begins(&began, 1);
    drop((next, release));
}

#[test]
fn slow_turns_and_tools_never_take_the_workers_of_tool_calls() {
    let (pool, (sender, began)) = (Pool::new(), mpsc::channel());
    let mut held_jobs = Vec::new();
    for number in 0..40 {
        let lane = [Lane::Session, Lane::Turn, Lane::Free][number % 3];
        held_jobs.push(held(&pool, lane, session(&format!("s{number}")), &sender, number));
    }
    for _ in 0..8 {
        assert!(began.recv_timeout(Duration::from_secs(20)).is_ok());
    }
    for number in 100..104 {
        held_jobs.push(held(&pool, Lane::Guard, None, &sender, number));
        begins(&began, number);
    }
    drop(held_jobs);
}

#[test]
fn a_panic_costs_no_worker_and_what_is_too_much_is_refused() {
    let (pool, (sender, began)) = (Pool::new(), mpsc::channel());
    for _ in 0..WORKERS_MAX * 3 {
        assert!(pool.push(
            Lane::Guard,
            pool.turnstile(None),
            Box::new(|| std::panic::panic_any("on purpose"))
        ));
    }
    let one = held(&pool, Lane::Session, session("a"), &sender, 1);
    begins(&began, 1);
    let work = || Box::new(|| {});
    for _ in 0..WAITING_MAX {
        assert!(pool.push(Lane::Session, pool.turnstile(session("a")), work()));
    }
    assert!(!pool.push(Lane::Session, pool.turnstile(session("a")), work()));
    assert!(pool.push(Lane::Guard, pool.turnstile(None), work()), "tool calls have a queue of their own");
    drop(one);
}

#[test]
fn calls_that_hang_hold_no_other_one() {
    let (pool, (sender, began)) = (Pool::new(), mpsc::channel());
    let hanging: Vec<_> =
        (0..WORKERS_MAX - 1).map(|number| held(&pool, Lane::Guard, None, &sender, number)).collect();
    let next = held(&pool, Lane::Guard, None, &sender, WORKERS_MAX - 1);
    for expected in 0..WORKERS_MAX {
        let number = std::iter::repeat_with(|| {
            pool.relieve();
            began.recv_timeout(LATE)
        });
        assert_eq!(number.take(10_000).find_map(Result::ok), Some(expected));
    }
    drop((hanging, next));
}
