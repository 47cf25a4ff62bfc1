#![expect(clippy::unwrap_used, reason = "tests")]

use std::os::unix::fs::PermissionsExt;

use super::*;

fn session() -> SessionId {
    SessionId::parse("361ac4e6-64de-464e-9d97-09bfa437d8e9").unwrap()
}

#[track_caller]
fn check(turns: &[(&str, &str, bool)], expected: &[StopAnswer]) {
    let mut state = State::empty();
    let answers: Vec<_> = turns
        .iter()
        .map(|(findings, content, continuing)| {
            // Through text, as between two processes.
            state = State::of(&serde_json::to_vec(&state.document).unwrap());
            state.stop(&TurnEnd { scope: "", findings, content, continuing: *continuing })
        })
        .collect();
    assert_eq!(answers, expected);
}

#[test]
fn an_agent_is_sent_back_twice_per_set_and_released_when_it_changes_nothing() {
    use super::Release::{NothingFound, SetLimit, Unchanged};
    use StopAnswer::{Block, Release as Let};
    check(&[("", "c", false)], &[Let(NothingFound)]);
    check(&[("a", "1", false), ("a", "1", true)], &[Block { nth: 1 }, Let(Unchanged)]);
    check(
        &[("a", "1", false), ("a", "2", true), ("a", "3", true)],
        &[Block { nth: 1 }, Block { nth: 2 }, Let(SetLimit)],
    );
    check(
        &[("a", "1", false), ("b", "1", true), ("a", "1", true), ("a", "2", true)],
        &[Block { nth: 1 }, Block { nth: 1 }, Block { nth: 2 }, Let(SetLimit)],
    );
    // Solved, then found again in the same turn: counted anew.
    check(
        &[("a", "1", false), ("", "2", true), ("a", "1", true)],
        &[Block { nth: 1 }, Let(NothingFound), Block { nth: 1 }],
    );
    // A new turn begins anew, even where nothing changed.
    check(&[("a", "1", false), ("a", "1", false)], &[Block { nth: 1 }, Block { nth: 1 }]);
}

#[test]
fn blocks_in_a_row_stay_below_the_host_s_limit() {
    let mut state = State::empty();
    let mut blocks = 0;
    for turn in 0..20 {
        let findings = format!("set {turn}");
        let end = TurnEnd { scope: "", findings: &findings, content: "", continuing: 0 < turn };
        match state.stop(&end) {
            StopAnswer::Block { nth } => {
                assert_eq!(nth, 1);
                blocks += 1;
            }
            StopAnswer::Release(reason) => assert_eq!(reason, Release::ConsecutiveLimit),
        }
    }
    assert_eq!(blocks, CONSECUTIVE_MAX);
}

#[test]
fn a_subagent_is_counted_for_itself() {
    let mut state = State::empty();
    let turn = |scope| TurnEnd { scope, findings: "a", content: "1", continuing: true };
    assert_eq!(state.stop(&turn("")), StopAnswer::Block { nth: 1 });
    assert_eq!(state.stop(&turn("agent-1")), StopAnswer::Block { nth: 1 });
    assert_eq!(state.stop(&turn("")), StopAnswer::Release(Release::Unchanged));
}

#[test]
fn counters_survive_and_zero_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(load(folder.path(), &session()).unwrap().counter("reads"), 0);
    assert_eq!(update(folder.path(), &session(), |it| it.add("reads", 2)).unwrap(), 2);
    assert_eq!(update(folder.path(), &session(), |it| it.add("reads", 3)).unwrap(), 5);
    assert_eq!(load(folder.path(), &session()).unwrap().counter("reads"), 5);
    update(folder.path(), &session(), |it| it.set_counter("reads", 0)).unwrap();
    let value: Value =
        serde_json::from_slice(&std::fs::read(path(folder.path(), &session())).unwrap()).unwrap();
    assert_eq!(value, serde_json::json!({"v": 1, "counters": {}}));
}

#[test]
fn a_state_of_version_1_and_one_of_a_later_build_are_read_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sessions")).unwrap();
    let file = path(folder.path(), &session());
    std::fs::write(
        &file,
        r#"{"v":1,"counters":{"reads":7},"stop":{"":{"consecutive":1,"sets":{"a":1},"last_findings":"a","last_content":"x"}}}"#,
    )
    .unwrap();
    let end = TurnEnd { scope: "", findings: "a", content: "y", continuing: true };
    assert_eq!(stop(folder.path(), &session(), &end).unwrap(), StopAnswer::Block { nth: 2 });
    assert_eq!(load(folder.path(), &session()).unwrap().counter("reads"), 7);

    std::fs::write(&file, r#"{"v":9,"new":[1],"counters":{"reads":1,"odd":"text"}}"#).unwrap();
    update(folder.path(), &session(), |it| it.add("reads", 1)).unwrap();
    let value: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let expected = serde_json::json!({"v": 9, "new": [1], "counters": {"reads": 2, "odd": "text"}});
    assert_eq!(value, expected);
}

#[test]
fn a_damaged_state_is_started_over_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    update(folder.path(), &session(), |it| it.add("reads", 1)).unwrap();
    let file = path(folder.path(), &session());
    for bytes in [&b"{\"v\":1,\"coun"[..], b"[]", b"\xff\xfe", b"\0\0\0"] {
        std::fs::write(&file, bytes).unwrap();
        assert!(load(folder.path(), &session()).unwrap().damaged());
        let (damaged, count) =
            update(folder.path(), &session(), |it| (it.damaged(), it.add("reads", 1))).unwrap();
        assert_eq!((damaged, count), (true, 1));
        assert!(!load(folder.path(), &session()).unwrap().damaged());
    }
}

#[test]
fn parallel_updates_are_all_counted() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    update(folder.path(), &session(), |it| it.add("n", 1)).unwrap();
                }
            });
        }
    });
    assert_eq!(load(folder.path(), &session()).unwrap().counter("n"), 400);
    let names: Vec<_> = std::fs::read_dir(folder.path().join("sessions"))
        .unwrap()
        .map(|it| it.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 1, "no leftover: {names:?}");
    let mode = std::fs::metadata(path(folder.path(), &session())).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_link_in_the_state_s_place_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let victim = folder.path().join("victim");
    std::fs::write(&victim, "{}").unwrap();
    std::fs::create_dir(folder.path().join("sessions")).unwrap();
    std::os::unix::fs::symlink(&victim, path(folder.path(), &session())).unwrap();
    let result = update(folder.path(), &session(), |it| it.add("n", 1));
    assert!(matches!(result, Err(Error::NotAFile { .. })), "{result:?}");
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "{}");
}
