//! Our own checks and the published schema say the same.

use super::super::check;
use super::*;

fn validator() -> jsonschema::Validator {
    let text = include_str!("../../../../../docs/context.schema.json");
    let schema: Value = serde_json::from_str(text).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

fn good() -> Value {
    json!({
        "schema_version": 1,
        "state": {"session": 2, "version": "1.0.0", "branch": "main", "test_count": 5, "test_state": "green",
            "status": "active", "more": [1]},
        "deferred_work": [{"id": "DW-001", "priority": "P1", "description": "d", "status": "pending", "notes": "n"}],
        "session_history": [
            {"seq": 1, "when": "2026-11-30T10:00:00Z", "purpose": "p", "achievements": []},
            {"seq": 2, "when": "2026-11-30T10:00:00Z", "purpose": "p", "achievements": ["a"], "objectives": ["o"],
                "version": "1", "branch": "b", "commit": "c", "tag": "t", "updated": "u", "ended": "e", "outcome": "o",
                "length": "1h", "more": {"step": 3},
                "hosts": [{"host": "claude", "id": "x", "when": "w"}],
                "work_log": [{"when": "w", "desc": "d", "details": ["x"], "more": 1}],
                "choices": [{"when": "w", "choice": "c", "reason": "r"}]}
        ],
        "more": {"of": "others"}
    })
}

/// Both find fault with the document, or neither.
#[track_caller]
fn check_both(validator: &jsonschema::Validator, document: &Value, valid: bool) {
    let ours = check::document(document);
    let theirs: Vec<String> =
        validator.iter_errors(document).map(|it| format!("{}: {it}", it.instance_path())).collect();
    assert_eq!(ours.is_empty(), valid, "we say {ours:?} of {document}");
    assert_eq!(theirs.is_empty(), valid, "the schema says {theirs:?} of {document}");
}

#[test]
fn our_checks_and_the_schema_agree_on_every_member() {
    let validator = validator();
    check_both(&validator, &good(), true);
    for document in [json!([]), json!({}), json!("x"), Value::Null] {
        check_both(&validator, &document, false);
    }
    // Each member of the document in turn: gone, and of every other kind.
    let required = [
        "/schema_version",
        "/state",
        "/state/session",
        "/state/version",
        "/state/branch",
        "/state/status",
        "/deferred_work",
        "/deferred_work/0/id",
        "/deferred_work/0/priority",
        "/deferred_work/0/description",
        "/deferred_work/0/status",
        "/session_history",
        "/session_history/1/seq",
        "/session_history/1/when",
        "/session_history/1/purpose",
        "/session_history/1/achievements",
        "/session_history/1/hosts/0/host",
        "/session_history/1/hosts/0/id",
        "/session_history/1/work_log/0/desc",
        "/session_history/1/choices/0/choice",
        "/session_history/1/choices/0/reason",
    ];
    let optional = [
        "/state/test_count",
        "/state/test_state",
        "/deferred_work/0/notes",
        "/session_history/1/objectives",
        "/session_history/1/version",
        "/session_history/1/branch",
        "/session_history/1/commit",
        "/session_history/1/tag",
        "/session_history/1/updated",
        "/session_history/1/ended",
        "/session_history/1/outcome",
        "/session_history/1/length",
        "/session_history/1/hosts",
        "/session_history/1/hosts/0/when",
        "/session_history/1/work_log",
        "/session_history/1/work_log/0/when",
        "/session_history/1/work_log/0/details",
        "/session_history/1/choices",
        "/session_history/1/choices/0/when",
    ];
    let free = ["/more", "/state/more", "/session_history/1/more", "/session_history/1/work_log/0/more"];
    for (paths, is_required) in [(&required[..], true), (&optional[..], false), (&free[..], false)] {
        for path in paths {
            let (parent, name) = path.rsplit_once('/').unwrap();
            let mut document = good();
            let parent = document.pointer_mut(parent).unwrap().as_object_mut().unwrap();
            parent.remove(name).expect("the document has every member");
            check_both(&validator, &document, !is_required);
        }
    }
    let kind = |value: &Value| std::mem::discriminant(value);
    for path in required.iter().chain(&optional) {
        for value in
            [json!(null), json!(true), json!(-1), json!(1.5), json!("text"), json!([]), json!([1]), json!({})]
        {
            let mut document = good();
            let place = document.pointer_mut(path).unwrap();
            // A number of the right kind may still be the wrong number; an empty list is one.
            let number = place.is_number() && value.is_number();
            if kind(place) == kind(&value) && !number && value != json!([1]) {
                continue;
            }
            *place = value;
            check_both(&validator, &document, false);
        }
    }
    for path in ["/deferred_work/0", "/session_history/0", "/session_history/1/hosts/0"] {
        let mut document = good();
        *document.pointer_mut(path).unwrap() = json!("text");
        check_both(&validator, &document, false);
    }
}

#[test]
fn our_checks_and_the_schema_agree_on_values() {
    let validator = validator();
    for (path, value, valid) in [
        ("/schema_version", json!(1.0), true),
        ("/schema_version", json!(2), false),
        ("/schema_version", json!("1"), false),
        ("/state/session", json!(0), true),
        ("/state/session", json!(7.0), true),
        ("/state/session", json!(9_007_199_254_740_991_u64), true),
        ("/state/session", json!(9_007_199_254_740_993_u64), false),
        ("/state/session", json!(1e300), false),
        ("/state/session", json!("7"), false),
        ("/state/status", json!("COMPLETE"), true),
        ("/state/status", json!("a word of others"), true),
        ("/state/status", json!(""), false),
        ("/state/version", json!(""), true),
        ("/deferred_work/0/id", json!(""), false),
        ("/deferred_work/0/priority", json!(""), false),
        ("/deferred_work/0/description", json!(""), true),
        ("/session_history/1/achievements", json!(["a", 1]), false),
        ("/session_history/1/work_log/0/details", json!([["a"]]), false),
        ("/session_history/1/more", json!(null), true),
        ("/session_history", json!([]), true),
    ] {
        let mut document = good();
        *document.pointer_mut(path).unwrap() = value;
        check_both(&validator, &document, valid);
    }
}

#[test]
fn what_is_written_is_valid() {
    let validator = validator();
    let lab = Lab::new();
    let state = State { version: "1.0.0".to_owned(), branch: "main".to_owned(), ..State::default() };
    assert!(lab.store().create(state).unwrap());
    check_both(&validator, &lab.value(), true);
    lab.begin("one");
    lab.update(|context| {
        let (index, mut session) = context.last().unwrap();
        session.other.insert("more".to_owned(), json!({"step": "tag"}));
        session.hosts.push(HostSession {
            host: "claude".to_owned(),
            id: "x".to_owned(),
            ..HostSession::default()
        });
        session.choices.push(Choice { choice: "a".to_owned(), ..Choice::default() });
        session.work_log.push(WorkEntry { desc: "a".to_owned(), ..WorkEntry::default() });
        context.replace(index, session);
        context.state_mut().status = Status::Other("WAITING".to_owned());
        context.work_mut().push(Work { description: "later".to_owned(), ..Work::default() });
    });
    check_both(&validator, &lab.value(), true);
    let lab = Lab::with(OLDER);
    lab.begin("next");
    check_both(&validator, &lab.value(), true);
}

// @traces 021-CONST-VIII-003
#[test]
fn files_of_both_platforms_are_the_same_record_and_become_one_format() {
    let of_one = json!({
        "state": {"session": 42, "version": "0.6.0", "branch": "master", "test_state": "3/15 passing",
            "status": "active"},
        "deferred_work": [{"id": "DW-001", "priority": "P2", "description": "d", "status": "completed"}],
        "session_history": [{"seq": 42, "when": "2026-03-29T10:00:00Z", "purpose": "p", "achievements": [],
            "work_log": [{"desc": "w"}], "updated": "2026-03-29T11:00:00Z"}]
    });
    let of_another = json!({
        "state": {"session_seq": 42, "version": "0.6.0", "branch": "master", "testState": "3/15 passing",
            "status": "ACTIVE"},
        "deferred_work": [{"id": "DW-001", "priority": "P2", "text": "d", "status": "COMPLETE"}],
        "session_history": [{"session_seq": 42, "created_at": "2026-03-29T10:00:00Z", "purpose": "p",
            "work_log": ["w"], "updated_at": "2026-03-29T11:00:00Z"}]
    });
    let validator = validator();
    let written = [of_one, of_another].map(|document| {
        let lab = Lab::with(document.to_string());
        let context = lab.read();
        let read = (context.state().clone(), context.work().to_vec(), context.session(0));
        lab.update(|context| {
            let (index, mut session) = context.active().unwrap();
            session.length = Some("1h".to_owned());
            context.replace(index, session);
            context.state_mut().status = Status::Closed;
        });
        let mut value = lab.value();
        check_both(&validator, &value, true);
        // A word that did not change stays as it was spelled.
        value["deferred_work"][0]["status"] = json!("completed");
        (read, value)
    });
    assert_eq!(written[0], written[1]);
}
