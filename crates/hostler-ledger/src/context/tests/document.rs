//! What is read, and what a change leaves alone.

use super::*;

// @traces REQ-020-172 REQ-020-173 REQ-020-174
#[test]
fn state_work_and_sessions_are_read() {
    let context = Lab::with(OLDER).read();
    let expected = State {
        session: 89,
        version: "0.6.0".to_owned(),
        branch: "master".to_owned(),
        test_count: Some(9203),
        status: Status::Active,
        ..State::default()
    };
    assert_eq!(*context.state(), expected);
    let expected = Work {
        id: "DW-001".to_owned(),
        priority: Priority::parse("high"),
        description: "Rotate the keys".to_owned(),
        status: WorkStatus::Pending,
        notes: Some("before March".to_owned()),
        ..Work::default()
    };
    assert_eq!(context.work(), [expected]);
    assert_eq!(purposes(&context), ["Queue", "Search"]);
    let (index, active) = context.active().unwrap();
    assert_eq!((index, active.seq, active.when.as_str()), (1, 89, "2026-03-29T10:00:00"));
    let (index, closed) = context.by_number(88).unwrap();
    assert_eq!((index, closed.length.as_deref()), (0, Some("1h05m")));
    assert_eq!(closed.achievements, ["Queue is a set"]);
    assert_eq!(context.notes(), [""; 0]);
}

#[test]
fn older_names_and_spellings_are_understood() {
    let context = Lab::with(
        r#"{
        "state": {"session_seq": "42", "testState": "3/15 passing", "status": "COMPLETE", "test_count": 15.0},
        "deferred_work": [
            "a plain text",
            {"item": "an item", "priority": "P0", "status": "IN_PROGRESS"},
            {"text": "a text", "priority": "Low", "status": "done", "id": 7, "owner": {"name": "me"}},
            {"description": ["no text"]}
        ],
        "session_history": [
            "only words",
            {"session_seq": 41, "created_at": "2026-01-01", "focus": "old", "work_log": ["one", {"what": "two", "n": 2}],
             "achievements": "just one", "choices": ["left", {"decision": "right", "why": "shorter"}], "length": 90},
            {"seq": 42, "purpose": {"no": "text"}, "when": null, "mood": "good"}
        ]}"#,
    )
    .read();
    let state = context.state();
    assert_eq!((state.session, state.test_count, &state.status), (42, Some(15), &Status::Closed));
    assert_eq!(state.test_state.as_deref(), Some("3/15 passing"));

    let work: Vec<_> = context.work().iter().map(|it| (it.id.as_str(), it.description.as_str())).collect();
    assert_eq!(work, [("DW-001", "a plain text"), ("DW-002", "an item"), ("7", "a text"), ("DW-003", "")]);
    let statuses: Vec<_> = context.work().iter().map(|it| it.status.as_str()).collect();
    assert_eq!(statuses, ["pending", "in_progress", "completed", "pending"]);
    assert_eq!(context.work()[2].other["owner"], json!({"name": "me"}));
    assert_eq!(context.work()[3].other["description"], json!(["no text"]));

    let old = context.session(1).unwrap();
    assert_eq!((old.seq, old.when.as_str(), old.purpose.as_str()), (41, "2026-01-01", "old"));
    let log: Vec<_> = old.work_log.iter().map(|it| it.desc.as_str()).collect();
    assert_eq!((log, &old.achievements), (vec!["one", "two"], &vec!["just one".to_owned()]));
    assert_eq!(old.work_log[1].other["n"], 2);
    let choices: Vec<_> = old.choices.iter().map(|it| (it.choice.as_str(), it.reason.as_str())).collect();
    assert_eq!(choices, [("left", ""), ("right", "shorter")]);
    assert_eq!(old.length.as_deref(), Some("90"));
    assert_eq!(context.session(0).unwrap().purpose, "only words");
    let last = context.last().unwrap().1;
    assert_eq!((last.seq, last.other["mood"].as_str()), (42, Some("good")));
    assert_eq!(last.other["purpose"], json!({"no": "text"}));
}

#[test]
fn priorities_are_ordered_by_urgency_and_kept_as_spelled() {
    let mut all = ["low", "whenever", "P3", "P1", "MEDIUM", "high", "P0", "p2"].map(Priority::parse);
    all.sort();
    let spelled = all.each_ref().map(Priority::as_str);
    assert_eq!(spelled, ["P0", "P1", "high", "MEDIUM", "p2", "P3", "low", "whenever"]);
}

#[test]
fn sessions_are_found_by_number_whatever_their_order() {
    let context = Lab::with(
        r#"{"session_history": [{"seq": 3, "purpose": "c"}, {"purpose": "none"}, {"seq": 1, "purpose": "a"},
            {"seq": 3, "purpose": "c again"}, {"\u0073eq": 9, "seq": 2, "purpose": "b"}]}"#,
    )
    .read();
    let order: Vec<_> = context.newest_first().map(|(_, it)| it.purpose).collect();
    assert_eq!(order, ["c again", "c", "b", "a", "none"]);
    assert_eq!(context.last().unwrap().0, 3);
    assert_eq!(context.by_number(3).unwrap().0, 3);
    assert_eq!(context.by_number(7).map(|it| it.0), None);
    assert!(context.session_text(2).unwrap().starts_with("{\"seq\": 1"));
    assert_eq!((context.session_number(1), context.session_number(5)), (Some(0), None));
}

/// What `change` makes of `before`: `after`, byte for byte.
#[track_caller]
fn check(before: &str, change: impl FnMut(&mut Context), after: &str) {
    let lab = Lab::with(before);
    assert!(lab.update(change).changed);
    assert_eq!(lab.text(), after);
    let again = lab.update(|context| {
        let session = context.last().unwrap();
        context.replace(session.0, session.1);
    });
    assert!(!again.changed, "what was written is read as it was meant");
}

#[test]
fn only_what_changed_is_written_anew() {
    let before = r#"{ "schema_version": 1,
   "team": [1, 1.50, 1e400],
   "state": {"session": 2,   "version": "1.0.0", "branch": "main", "status": "ACTIVE", "mood": 1.10},
   "deferred_work": [
      {"id": "DW-001", "priority": "P1", "description": "a", "status": "pending", "by":"me" },
      {"id": "DW-002", "priority": "P1", "description": "b", "status": "pending"}
   ],
   "session_history": [
      {"seq": 1, "when":"2026-01-01T00:00:00Z","purpose": "\u00e9", "achievements": [  ], "extra": 12345678901234567890123},
      {
         "purpose": "second", "seq": 2,
         "when": "2026-01-02T00:00:00Z",
         "work_log": [{"desc":"one" , "n": 1.0}],
         "achievements": []
      }
   ],
   "tail": null
}"#;
    check(
        before,
        |context| context.push(session(3, "third")),
        &before.replace(
            "\"achievements\": []\n      }\n",
            "\"achievements\": []\n      },\n      {\n         \"seq\": 3,\n         \"when\": \"2026-11-30T10:00:00Z\",\n         \
             \"purpose\": \"third\",\n         \"achievements\": []\n      }\n",
        ),
    );
    check(
        before,
        |context| {
            context.state_mut().session = 3;
            context.work_mut()[1].status = WorkStatus::Completed;
        },
        &before
            .replace("{\"session\": 2,   \"version\"", "{\"session\": 3, \"version\"")
            .replace("\"b\", \"status\": \"pending\"", "\"b\", \"status\": \"completed\""),
    );
    check(
        before,
        |context| {
            let (index, mut session) = context.last().unwrap();
            session.work_log.push(WorkEntry { desc: "two".to_owned(), ..WorkEntry::default() });
            session.length = Some("1h".to_owned());
            context.replace(index, session);
        },
        &before
            .replace("1.0}]", "1.0}, {\"desc\": \"two\"}]")
            .replace("\"purpose\": \"second\", \"seq\": 2,", "\"purpose\": \"second\",\n         \"seq\": 2,")
            .replace(
                "\"achievements\": []\n      }",
                "\"achievements\": [],\n         \"length\": \"1h\"\n      }",
            ),
    );
    check(
        before,
        |context| {
            context.work_mut().remove(0);
        },
        &before.replace(
            "\n      {\"id\": \"DW-001\", \"priority\": \"P1\", \"description\": \"a\", \"status\": \"pending\", \"by\":\"me\" },",
            "",
        ),
    );
}

#[test]
fn the_layout_of_the_file_is_that_of_what_is_added() {
    check(
        r#"{"schema_version":1,"state":{"session":1,"version":"","branch":"","status":"closed"},"deferred_work":[],"session_history":[{"seq":1,"when":"x","purpose":"a","achievements":[]}]}"#,
        |context| {
            context.push(session(2, "b"));
            context.work_mut().push(Work { description: "w".to_owned(), ..Work::default() });
        },
        r#"{"schema_version":1,"state":{"session":1,"version":"","branch":"","status":"closed"},"deferred_work":[{"id":"DW-001","priority":"medium","description":"w","status":"pending"}],"session_history":[{"seq":1,"when":"x","purpose":"a","achievements":[]},{"seq":2,"when":"2026-11-30T10:00:00Z","purpose":"b","achievements":[]}]}"#,
    );
    check(
        "\u{feff}{\r\n\t\"schema_version\": 1,\r\n\t\"state\": {\r\n\t\t\"session\": 0,\r\n\t\t\"version\": \"\",\r\n\t\t\"branch\": \"\",\r\n\t\t\"status\": \"idle\"\r\n\t},\r\n\t\"deferred_work\": [],\r\n\t\"session_history\": []\r\n}\r\n",
        |context| context.push(session(1, "a")),
        "\u{feff}{\r\n\t\"schema_version\": 1,\r\n\t\"state\": {\r\n\t\t\"session\": 0,\r\n\t\t\"version\": \"\",\r\n\t\t\"branch\": \"\",\r\n\t\t\"status\": \"idle\"\r\n\t},\r\n\t\"deferred_work\": [],\r\n\t\"session_history\": [\r\n\t\t{\r\n\t\t\t\"seq\": 1,\r\n\t\t\t\"when\": \"2026-11-30T10:00:00Z\",\r\n\t\t\t\"purpose\": \"a\",\r\n\t\t\t\"achievements\": []\r\n\t\t}\r\n\t]\r\n}\r\n",
    );
    let lab = Lab::with("{}");
    lab.begin("first");
    let text = lab.text();
    assert!(text.starts_with("{\n  \"schema_version\": 1,\n  \"state\": {\n    \"session\": 1,"), "{text}");
    assert_eq!(lab.value()["session_history"][0]["purpose"], "first");
}

#[test]
fn a_changed_session_of_an_older_form_gets_the_one_of_today() {
    let lab = Lab::with(
        r#"{"state": {"session": "7", "status": "ACTIVE"}, "deferred_work": ["left"], "session_history": [
            {"seq": 6, "achievements": "untouched", "work_log": ["as", "it", "was"]},
            {"session_seq": 7, "created_at": "2026-01-01", "work_log": ["one"], "achievements": [1, {"item": "two"}],
             "purpose": {"no": "text"}, "mine": [1.0]}]}"#,
    );
    let untouched = r#"{"seq": 6, "achievements": "untouched", "work_log": ["as", "it", "was"]}"#;
    lab.update(|context| {
        let (index, mut session) = context.last().unwrap();
        session.achievements.push("three".to_owned());
        context.replace(index, session);
    });
    assert!(lab.text().contains(untouched));
    assert!(lab.text().contains("\"mine\": [1.0]"));
    let value = lab.value();
    assert_eq!(
        value["session_history"][1],
        json!({"seq": 7, "when": "2026-01-01", "purpose": "", "work_log": [{"desc": "one"}],
            "achievements": ["1", "two", "three"], "purpose_unread": {"no": "text"}, "mine": [1.0]})
    );
    assert_eq!(value["state"], json!({"session": 7, "version": "", "branch": "", "status": "ACTIVE"}));
    assert_eq!(
        value["deferred_work"],
        json!([{"id": "DW-001", "priority": "medium", "description": "left", "status": "pending"}])
    );
    // What gave way stays what it is.
    lab.update(|context| {
        let (index, mut session) = context.last().unwrap();
        session.length = Some("1h".to_owned());
        context.replace(index, session);
    });
    assert_eq!(lab.value()["session_history"][1]["purpose_unread"], json!({"no": "text"}));
}

#[test]
fn what_the_library_cannot_build_stays_as_it_is() {
    let deep = "[".repeat(300) + &"]".repeat(300);
    let before = format!(
        r#"{{"schema_version": 1, "session_history": [{{"seq": 1, "when": "", "purpose": "cut \ud83d here \\ud83d", "deep": {deep}, "achievements": []}}]}}"#
    );
    let lab = Lab::with(&before);
    assert_eq!(lab.read().last().unwrap().1.purpose, "cut \u{fffd} here \\ud83d");
    lab.update(|context| {
        let (index, mut session) = context.last().unwrap();
        session.achievements.push("new".to_owned());
        context.replace(index, session);
    });
    let expected = before
        .replace("\"achievements\": []", "\"achievements\": [\"new\"]")
        .trim_end_matches('}')
        .to_owned();
    assert!(lab.text().starts_with(&expected), "{}", lab.text());
}

#[test]
fn an_update_that_changes_nothing_writes_nothing() {
    let lab = Lab::with(OLDER);
    let updated = lab.update(|context| {
        let (index, session) = context.last().unwrap();
        context.replace(index, session);
        context.state_mut().session += 0;
    });
    assert!(!updated.changed);
    assert_eq!(lab.text(), OLDER);
    assert_eq!((lab.ledger().len(), lab.backups().len()), (0, 0));
}

#[test]
fn doubled_members_are_told_and_the_last_one_counts() {
    let lab = Lab::with(
        r#"{"schema_version": 1, "session_history": [{"seq": 1, "purpose": "hidden"}], "state": {"session": 4},
            "session_history": [{"seq": 2, "seq": 3, "purpose": "seen"}]}"#,
    );
    let context = lab.read();
    assert_eq!(purposes(&context), ["seen"]);
    assert_eq!(context.session_number(0), Some(3));
    assert!(
        context.notes()[0].contains("`session_history` is there more than once"),
        "{:?}",
        context.notes()
    );
    lab.begin("next");
    assert!(lab.text().contains("hidden"));
    assert_eq!(purposes(&lab.read()), ["seen", "next"]);
}

#[test]
fn changes_of_one_update_are_seen_by_it() {
    let lab = Lab::with(OLDER);
    let updated = lab.update(|context| {
        context.push(session(90, "new"));
        assert_eq!(context.last().unwrap().0, 2);
        let (index, mut new) = context.active().unwrap();
        new.purpose = "newer".to_owned();
        context.replace(index, new);
        let mut old = context.session(0).unwrap();
        old.tag = Some("t".to_owned());
        context.replace(0, old);
        context.replace(9, session(99, "nowhere"));
    });
    assert_eq!(purposes(&updated.context), ["Queue", "Search", "newer"]);
    assert_eq!(updated.context.session(0).unwrap().tag.as_deref(), Some("t"));
    assert!(updated.context.session_text(2).unwrap().contains("newer"));
    assert_eq!(purposes(&lab.read()), ["Queue", "Search", "newer"]);
}

#[test]
fn a_session_that_cannot_be_is_refused() {
    #[track_caller]
    fn check(change: impl FnMut(&mut Context), reason: &str) {
        let lab = Lab::with(OLDER);
        let error = lab.store().update(change).unwrap_err().to_string();
        assert!(error.contains(reason) && error.contains("nothing was written"), "{error}");
        assert_eq!(lab.text(), OLDER);
    }
    check(|context| context.push(session(89, "again")), "`session 89` is there already");
    check(|context| context.push(session(0, "none")), "`session 0` has no number");
    check(|context| context.push(Session { seq: 90, ..Session::default() }), "does not say when it began");
    check(|context| context.replace(0, session(5, "other")), "`session 88` cannot become number 5");
    check(|context| context.state_mut().session = u64::MAX, "`state.session` has to be a whole number");
    check(
        |context| {
            let item = context.work()[0].clone();
            context.work_mut().push(Work { description: "other".to_owned(), ..item });
        },
        "`deferred_work DW-001` is there twice",
    );
}

/// The example of the older form, whose schema asks for a length of each session, active or not.
const ACTIVE: &str = r#"{
  "state": {
    "session": 89,
    "version": "0.6.0",
    "branch": "master",
    "test_count": 9203,
    "status": "active"
  },
  "deferred_work": [
    {
      "id": "DW-001",
      "priority": "high",
      "description": "...",
      "status": "pending",
      "notes": "..."
    }
  ],
  "session_history": [
    {
      "seq": 89,
      "when": "2026-03-29T10:00:00",
      "purpose": "...",
      "achievements": ["..."],
      "length": "2h30m"
    }
  ]
}
"#;

#[test]
fn an_active_session_of_the_older_form_has_a_length() {
    let check = |text: &str, expected: Option<u64>| {
        assert_eq!(Lab::with(text).read().active().map(|(_, it)| it.seq), expected, "{text}");
    };
    check(ACTIVE, Some(89));
    for length in ["0m", "in progress", "active", "-", ""] {
        check(&ACTIVE.replace("2h30m", length), Some(89));
    }
    check(&ACTIVE.replace("\"active\"", "\"ACTIVE\""), Some(89));
    check(&ACTIVE.replace("\"active\"", "\"closed\""), None);
    check(&ACTIVE.replace("\"session\": 89", "\"session\": 90"), None);
    check(&ACTIVE.replace("\"2h30m\"", "\"2h30m\", \"ended\": \"2026-03-29T12:30:00\""), None);
    check(&ACTIVE.replace("\"2h30m\"", "\"2h30m\", \"outcome\": \"closed\""), None);
    // In our form it is the length that tells.
    check(&ACTIVE.replacen('{', "{\"schema_version\": 1,", 1), None);
}

#[test]
fn the_first_write_brings_an_active_session_into_our_form() {
    // Whatever it is that is written.
    let lab = Lab::with(ACTIVE);
    lab.update(|context| context.state_mut().branch = "main".to_owned());
    let (_, session) = lab.read().active().unwrap();
    assert_eq!((session.seq, session.length.as_deref()), (89, None));
    assert_eq!(lab.value()["session_history"][0]["length_so_far"], "2h30m");
    // And what was damaged then comes back as active.
    fs::write(lab.path(), "{").unwrap();
    assert_eq!(lab.read().active().map(|(_, it)| it.seq), Some(89));
    // Nothing is changed where nothing is.
    let lab = Lab::with(ACTIVE);
    assert!(!lab.update(|_| ()).changed);
    // Cut short before any write.
    let cut = ACTIVE.trim_end();
    fs::write(lab.path(), &cut[..cut.len() - 1]).unwrap();
    assert_eq!(lab.read().active().map(|(_, it)| it.seq), Some(89));
    lab.update(|_| ());
    assert_eq!(lab.read().active().map(|(_, it)| it.seq), Some(89));
}
