#![expect(clippy::unwrap_used, reason = "tests")]

use hostler_ledger::context::{Context, Priority, Work, WorkStatus};

use super::*;
use crate::session::testing::record;

const NOW: &str = "2026-11-30T12:00:00Z";

fn begun(purpose: &str) -> Context {
    let mut context = record();
    let request = Begin { purpose: purpose.to_owned(), ..Begin::default() };
    assert_eq!(begin(&mut context, &request, NOW).map(|it| it.seq), Ok(1));
    context
}

fn work(id: &str, description: &str) -> Work {
    Work { id: id.to_owned(), description: description.to_owned(), ..Work::default() }
}

#[test]
fn a_session_begins_with_the_next_number_and_what_is_known() {
    let mut context = record();
    context.state_mut().session = 41;
    context.state_mut().branch = "main".to_owned();
    let request = Begin {
        purpose: " Implement it\r\nall ".to_owned(),
        objectives: vec!["one".to_owned(), " ".to_owned()],
        version: Some("1.2.0".to_owned()),
        commit: Some("abc".to_owned()),
        ..Begin::default()
    };
    assert_eq!(begin(&mut context, &request, NOW), Ok(Begun { seq: 42, replaced: None }));
    let session = context.active().map(|(_, it)| it).unwrap_or_default();
    let expected = Session {
        seq: 42,
        when: NOW.to_owned(),
        purpose: "Implement it\nall".to_owned(),
        objectives: vec!["one".to_owned()],
        version: Some("1.2.0".to_owned()),
        branch: Some("main".to_owned()),
        commit: Some("abc".to_owned()),
        updated: Some(NOW.to_owned()),
        ..Session::default()
    };
    assert_eq!(session, expected);
    assert_eq!((context.state().session, context.state().status.as_str()), (42, "active"));
}

#[test]
fn a_second_session_is_refused_or_closes_the_first_as_it_stands() {
    let mut context = begun("first");
    let request = Begin { purpose: "second".to_owned(), ..Begin::default() };
    let refused = begin(&mut context, &request, NOW).map_err(|it| it.to_string());
    assert!(
        refused.clone().is_err_and(|it| it.contains("#1") && it.contains("first") && it.contains("--force")),
        "{refused:?}"
    );
    assert_eq!(context.session_count(), 1);
    let later = "2026-11-30T14:30:59Z";
    let forced = begin(&mut context, &Begin { force: true, ..request }, later);
    assert_eq!(forced, Ok(Begun { seq: 2, replaced: Some(1) }));
    let first = context.by_number(1).map(|(_, it)| it).unwrap_or_default();
    assert_eq!((first.length.as_deref(), first.outcome.as_deref()), (Some("2h30m"), Some("superseded")));
    assert_eq!(context.active().map(|(_, it)| it.seq), Some(2));
}

#[test]
fn an_end_records_length_achievements_and_what_is_next() {
    let mut context = begun("first");
    assert_eq!(log_achievement(&mut context, &["a".to_owned()], NOW), Ok(1));
    let request = End {
        achievements: vec!["a".to_owned(), "b".to_owned()],
        upcoming: vec!["next thing".to_owned()],
        outcome: "closed".to_owned(),
    };
    let ended = end(&mut context, &request, "2026-11-30T12:45:10Z");
    let expected = Ended { seq: 1, length: "45m".to_owned(), upcoming: vec!["DW-001".to_owned()] };
    assert_eq!(ended, Ok(expected));
    let session = context.by_number(1).map(|(_, it)| it).unwrap_or_default();
    assert_eq!(session.achievements, ["a", "b"]);
    assert_eq!(context.state().status.as_str(), "closed");
    assert_eq!(end(&mut context, &request, NOW), Err(Refused::NoActive));
}

#[test]
fn what_an_end_says_of_a_session_that_was_closed_meanwhile_is_kept_once() {
    let mut context = begun("first");
    let force = Begin { purpose: "second".to_owned(), force: true, ..Begin::default() };
    assert!(begin(&mut context, &force, NOW).is_ok());
    let request = End {
        achievements: vec!["a".to_owned()],
        upcoming: vec!["b".to_owned()],
        outcome: "closed".to_owned(),
    };
    for _ in 0..2 {
        add_to_ended(&mut context, 1, &request);
    }
    let first = context.by_number(1).map(|(_, it)| it).unwrap_or_default();
    assert_eq!((first.achievements, first.outcome.as_deref()), (vec!["a".to_owned()], Some("superseded")));
    assert_eq!(context.work().len(), 1);
    assert_eq!(context.active().map(|(_, it)| it.seq), Some(2));
}

#[test]
fn nothing_is_logged_without_an_active_session() {
    let mut context = record();
    let text = ["x".to_owned()];
    assert_eq!(log_work(&mut context, "x", &[], NOW), Err(Refused::NoActive));
    assert_eq!(log_achievement(&mut context, &text, NOW), Err(Refused::NoActive));
    assert_eq!(log_choice(&mut context, "x", "y", NOW), Err(Refused::NoActive));
    assert_eq!(context.session_count(), 0);
}

#[test]
fn work_gets_a_free_id_and_is_not_added_twice() {
    let mut context = record();
    context.work_mut().extend([work("DW-009", "old"), work("OTHER-3", "foreign"), work("", "unnamed")]);
    let item = add_work(&mut context, "new", Some("P1"), None).item;
    assert_eq!((item.id.as_str(), item.changed), ("DW-010", true));
    let again = add_work(&mut context, " new ", None, None).item;
    assert_eq!((again.id.as_str(), again.changed), ("DW-010", false));
    assert_eq!(context.work().len(), 4);
    // Once it is done, the same text is something new.
    assert_eq!(complete_work(&mut context, "new", NOW).map(|it| it.changed), Ok(true));
    assert_eq!(add_work(&mut context, "new", None, None).item.id, "DW-011");
}

#[test]
fn work_that_is_open_takes_over_what_is_said_anew() {
    let mut context = record();
    let high = Work { priority: Priority::parse("high"), ..work("DW-001", "it") };
    context.work_mut().push(high);
    let mut check = |priority: Option<&str>, notes: Option<&str>, was: Option<&str>, noted: bool| {
        let added = add_work(&mut context, "it", priority, notes);
        let expected = Became::Known { priority: was.map(Priority::parse), noted };
        assert_eq!((added.became, added.item.changed), (expected, was.is_some() || noted));
        let work = &context.work()[0];
        (work.priority.as_str().to_owned(), work.notes.clone())
    };
    assert_eq!(check(None, None, None, false), ("high".to_owned(), None));
    // The same in another spelling is no change.
    assert_eq!(check(Some("P1"), None, None, false).0, "high");
    assert_eq!(check(Some("P0"), None, Some("high"), false).0, "P0");
    assert_eq!(check(None, Some("a"), None, true), ("P0".to_owned(), Some("a".to_owned())));
    assert_eq!(check(Some("low"), Some("b"), Some("P0"), true), ("low".to_owned(), Some("a\nb".to_owned())));
    assert_eq!(check(None, Some("a"), None, false).0, "low");
}

#[test]
fn a_status_does_not_say_what_is_not_so() {
    let check = |context: &mut Context, status: &str, expected: Result<(), Refused>| {
        let update = Update { status: Some(Status::parse(status)), ..Update::default() };
        let before = context.state().clone();
        let is_refused = expected.is_err();
        assert_eq!(update_state(context, &update), expected);
        assert_eq!(*context.state() == before, is_refused, "{status}");
    };
    let mut context = begun("first");
    check(&mut context, "closed", Err(Refused::NotEnded { seq: 1 }));
    check(&mut context, "complete", Err(Refused::NotEnded { seq: 1 }));
    check(&mut context, "idle", Ok(()));
    check(&mut context, "active", Ok(()));
    assert!(Refused::NotEnded { seq: 1 }.to_string().contains("`hostler session end`"));
    assert!(end(&mut context, &End::default(), NOW).is_ok());
    check(&mut context, "active", Err(Refused::NoActive));
    check(&mut context, "idle", Ok(()));
    check(&mut context, "closed", Ok(()));
}

#[test]
fn items_with_the_same_id_are_told_apart_by_their_text() {
    let complete = |items: &[(&str, &str)], query: &str| {
        let mut context = record();
        context.work_mut().extend(items.iter().map(|(id, text)| work(id, text)));
        complete_work(&mut context, query, NOW).map(|it| it.description).map_err(|it| it.to_string())
    };
    let two = [("DW-001", "mine"), ("DW-001", "theirs")];
    let refused = complete(&two, "DW-001").unwrap_err();
    assert!(refused.ends_with("DW-001 (mine), DW-001 (theirs); name one by its text"), "{refused}");
    assert_eq!(complete(&two, "theirs"), Ok("theirs".to_owned()));
    let other = [("DW-001", "one thing"), ("DW-002", "two things")];
    assert!(complete(&other, "thing").unwrap_err().ends_with("name one by its id"));
    assert_eq!(complete(&[("DW-001", "same"), ("DW-001", "same")], "DW-001"), Ok("same".to_owned()));
}

#[track_caller]
fn check_complete(query: &str, expected: Result<&str, &str>) {
    let mut context = record();
    let done = Work { status: WorkStatus::Completed, ..work("DW-004", "Write the manual") };
    context.work_mut().extend([
        work("DW-001", "Add memory search agent"),
        work("DW-002", "Add memory search"),
        work("DW-003", "Tidy DW-001 up"),
        done,
        work("", "Name the nameless"),
    ]);
    let completed = complete_work(&mut context, query, NOW);
    match (&completed, expected) {
        (Ok(item), Ok(id)) => {
            assert_eq!(item.id, id, "{query}");
            let work = context.work().iter().find(|it| it.id == id);
            assert_eq!(work.map(|it| it.status.clone()), Some(WorkStatus::Completed), "{query}");
        }
        (Err(error), Err(words)) => assert!(error.to_string().contains(words), "{query}: {error}"),
        _ => panic!("{query}: {completed:?}"),
    }
}

#[test]
fn work_is_found_by_id_by_text_and_by_a_part_that_is_unique() {
    check_complete("DW-002", Ok("DW-002"));
    check_complete(" dw-001 ", Ok("DW-001"));
    check_complete("Add memory search", Ok("DW-002"));
    check_complete("add MEMORY search agent", Ok("DW-001"));
    check_complete("search agent", Ok("DW-001"));
    check_complete("nameless", Ok("DW-005"));
    check_complete("Write the manual", Ok("DW-004"));
    check_complete("memory", Err("fits 2 items of open work: DW-001 (Add memory search agent), DW-002"));
    check_complete("manual", Err("no open work"));
    check_complete("nothing like it", Err("no open work is or contains `nothing like it`"));
}

#[test]
fn open_work_is_ordered_by_urgency_whatever_the_spelling() {
    let mut context = record();
    let with = |id: &str, priority: &str| Work { priority: Priority::parse(priority), ..work(id, id) };
    context.work_mut().extend([
        with("a", "low"),
        with("b", "P1"),
        with("c", "high"),
        with("d", "CRITICAL"),
        with("e", "someday"),
        with("f", "P2"),
    ]);
    let ids: Vec<&str> = open_work(&context).iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, ["d", "b", "c", "f", "a", "e"]);
}

#[test]
fn secrets_and_control_characters_are_not_recorded() {
    let mut context = begun("first");
    let desc = "deployed with AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\x1b[2J";
    assert_eq!(log_work(&mut context, desc, &[], NOW), Ok(1));
    let entry = context.active().and_then(|(_, it)| it.work_log.last().cloned()).unwrap_or_default();
    assert!(entry.desc.starts_with("deployed with") && !entry.desc.contains("wJalr"), "{}", entry.desc);
    assert!(!entry.desc.contains('\x1b'), "{}", entry.desc);
}

#[test]
fn lengths_are_told_in_hours_and_minutes() {
    let check = |from: &str, to: &str, expected: &str| assert_eq!(length(from, to), expected, "{from} {to}");
    check("2026-03-29T10:00:00Z", "2026-03-29T12:30:00Z", "2h30m");
    check("2026-03-29T10:00:00", "2026-03-29T12:30:00Z", "2h30m");
    check("2026-03-29T10:00:00.123456", "2026-03-29T10:00:59Z", "0m");
    check("2026-03-29T12:00:00+02:00", "2026-03-29T11:00:00Z", "1h0m");
    check("2026-03-29T10:00:00Z", "2026-03-31T12:05:00Z", "50h5m");
    // A clock that was set back, a time that is none.
    check("2026-03-29T10:00:00Z", "2026-03-29T09:00:00Z", "0m");
    check("last Tuesday", "2026-03-29T09:00:00Z", "0m");
}
