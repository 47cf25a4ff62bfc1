//! Files that are broken, and what becomes of them.

use super::*;

/// A project with three sessions of its own, the second changed, and its last text.
fn lived() -> Lab {
    let lab = Lab::new();
    let state = State { version: "1.0.0".to_owned(), branch: "main".to_owned(), ..State::default() };
    assert!(lab.store().create(state).unwrap());
    for purpose in ["one", "two", "three"] {
        lab.begin(purpose);
    }
    lab.update(|context| {
        let (index, mut session) = context.by_number(2).unwrap();
        session.achievements.push("done".to_owned());
        context.replace(index, session);
        context.state_mut().session = 3;
        let item = |text: &str| Work { description: text.to_owned(), ..Work::default() };
        context.work_mut().extend([item("keep"), item("drop")]);
    });
    lab.update(|context| {
        context.work_mut().retain(|it| it.description != "drop");
    });
    lab
}

/// The one file that was kept aside.
#[track_caller]
fn kept_aside(lab: &Lab) -> PathBuf {
    let aside: Vec<String> =
        lab.beside().into_iter().filter(|it| it.starts_with("context.json.damaged-20")).collect();
    assert_eq!(aside.len(), 1, "{:?}", lab.beside());
    lab.project().join(&aside[0])
}

/// A file with these bytes is read without being touched, then kept aside and rebuilt by the next update.
#[track_caller]
fn check(lab: &Lab, bytes: impl AsRef<[u8]>, what: &str, expected: &[&str]) -> Value {
    let bytes = bytes.as_ref();
    fs::write(lab.path(), bytes).unwrap();
    let context = lab.read();
    assert_eq!(purposes(&context), expected);
    assert!(context.notes()[0].contains(what), "{:?}", context.notes());
    assert_eq!(fs::read(lab.path()).unwrap(), bytes, "reading does not write");
    assert_eq!(lab.beside(), ["context.json"]);

    let updated = lab.update(|context| context.push(session(900, "next")));
    assert!(updated.changed);
    assert!(updated.notes[0].contains(what), "{:?}", updated.notes);
    let aside = kept_aside(lab);
    assert_eq!(fs::read(&aside).unwrap(), bytes);
    let name = aside.file_name().unwrap().to_str().unwrap();
    assert!(updated.notes.iter().any(|it| it.contains(name)), "{:?}", updated.notes);
    let mut all = expected.to_vec();
    all.push("next");
    let context = lab.read();
    assert_eq!(purposes(&context), all);
    assert_eq!(context.notes(), [""; 0]);
    assert_eq!(super::super::check::document(&lab.value()), [""; 0]);
    lab.value()
}

#[test]
fn a_file_that_is_no_json_comes_back_from_the_ledger() {
    let lab = lived();
    let before = lab.value();
    let mut after =
        check(&lab, "not json at all", "line 1, column 1: expected a value", &["one", "two", "three"]);
    after["session_history"].as_array_mut().unwrap().pop();
    assert_eq!(after, before);
}

#[test]
fn a_file_is_cut_anywhere_and_nothing_that_was_logged_is_lost() {
    let whole = lived().text();
    for cut in (0..whole.trim_end().len()).step_by(37) {
        let lab = lived();
        let before = lab.value();
        fs::write(lab.path(), &whole[..cut]).unwrap();
        lab.update(|context| context.state_mut().session = 3);
        assert_eq!(lab.value(), before, "cut at {cut}");
        assert_eq!(lab.beside().len(), if whole[..cut].trim().is_empty() { 1 } else { 2 });
    }
}

#[test]
fn sessions_that_only_the_broken_file_holds_are_kept() {
    let lab = lived();
    let text = lab.text();
    let mine = "{ \"seq\" : 40, \"purpose\": \"by hand\", \"when\": \"2026-12-01\", \"achievements\": [  ] }";
    let text = text.replacen(
        "\"session_history\": [",
        &format!("\"team\": {{\"a\": 1.50}},\n  \"session_history\": [{mine},"),
        1,
    );
    let cut = text.rfind("three").unwrap();
    let value = check(&lab, &text[..cut], "the text ends in the middle", &["one", "two", "three", "by hand"]);
    assert_eq!(value["team"], json!({"a": 1.5}));
    assert!(lab.text().contains(mine) && lab.text().contains("1.50"));
}

#[test]
fn marks_of_a_merge_take_nothing_along() {
    let text = OLDER.replace(
        "      \"achievements\": []\n    }\n  ]",
        "      \"achievements\": []\n    },\n<<<<<<< HEAD\n    {\"seq\": 90, \"when\": \"w\", \"purpose\": \"ours\", \"achievements\": []}\n\
         =======\n    {\"seq\": 91, \"when\": \"w\", \"purpose\": \"theirs\", \"achievements\": []}\n>>>>>>> branch\n  ]",
    );
    let value = check(
        &Lab::with(""),
        &text,
        "line 32, column 1: expected a value",
        &["Queue", "Search", "ours", "theirs"],
    );
    assert_eq!(value["state"]["session"], 91);
    assert_eq!(value["deferred_work"][0]["description"], "Rotate the keys");

    // In the state, before everything else.
    let text = OLDER.replace(
        "    \"session\": 89,\n",
        "<<<<<<< HEAD\n    \"session\": 89,\n=======\n    \"session\": 90,\n>>>>>>> x\n",
    );
    let value = check(&Lab::with(""), &text, "line 3, column 1", &["Queue", "Search"]);
    assert_eq!(value["state"], json!({"session": 89, "version": "", "branch": "", "status": "active"}));
    assert_eq!(value["deferred_work"][0]["notes"], "before March");
}

#[test]
fn members_of_another_kind_are_damage() {
    let state = "{\"state\": [], \"session_history\": [{\"seq\": 4, \"purpose\": \"p\", \"when\": \"w\", \"achievements\": []}]}";
    check(&Lab::with(""), state, "`state` has to be an object", &["p"]);
    let history = "{\"state\": {\"session\": 4}, \"session_history\": {\"4\": {\"seq\": 4, \"purpose\": \"p\", \"when\": \"w\", \"achievements\": []}}}";
    check(&Lab::with(""), history, "`session_history` has to be an array", &["p"]);
    check(&Lab::with(""), "{\"deferred_work\": 7}", "`deferred_work` has to be an array", &[]);
    let top = "[{\"seq\": 4, \"purpose\": \"p\", \"when\": \"w\", \"achievements\": []}]";
    check(&Lab::with(""), top, "expected an object with `state`", &["p"]);
    check(&Lab::with(""), "{} {}", "line 1, column 4: expected nothing more", &[]);
    // `null` is nothing, and no damage.
    let lab = Lab::with("{\"state\": null, \"deferred_work\": null, \"session_history\": null}");
    lab.begin("first");
    assert_eq!((lab.beside().len(), purposes(&lab.read())), (1, vec!["first".to_owned()]));
}

#[test]
fn other_encodings_are_read_as_what_they_most_likely_are() {
    let text = OLDER.replace("Queue", "Warteschlänge");
    let latin: Vec<u8> = text.chars().map(|it| u8::try_from(u32::from(it)).unwrap()).collect();
    check(&Lab::with(""), latin, "line 22, column 28: not UTF-8", &["Warteschl\u{fffd}nge", "Search"]);
    let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    check(&Lab::with(""), wide, "UTF-16", &["Warteschlänge", "Search"]);
    let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect();
    check(&Lab::with(""), wide, "UTF-16", &["Warteschlänge", "Search"]);
}

#[test]
fn an_empty_file_is_started_over_or_rebuilt_and_nothing_is_kept_aside() {
    for empty in ["", "\u{feff}", " \n", "\0\0\0\0"] {
        let lab = Lab::with(empty);
        let updated = lab.update(|context| context.push(session(1, "first")));
        assert!(updated.notes[0].contains("started over"), "{:?}", updated.notes);
        assert_eq!(
            (lab.beside(), purposes(&lab.read())),
            (vec!["context.json".to_owned()], vec!["first".to_owned()])
        );
        let lab = lived();
        let before = lab.value();
        fs::write(lab.path(), empty).unwrap();
        assert!(!lab.store().create(State::default()).unwrap(), "the ledger knows better");
        lab.update(|_| ());
        assert_eq!((lab.beside().len(), lab.value()), (1, before));
    }
}

#[test]
fn an_older_file_comes_back_from_its_backup() {
    let lab = Lab::with(OLDER);
    lab.begin("ninety");
    let before = lab.value();
    fs::write(lab.path(), "{").unwrap();
    assert_eq!(lab.begin("next"), 91);
    let mut after = lab.value();
    after["session_history"].as_array_mut().unwrap().pop();
    after["state"]["session"] = 90.into();
    assert_eq!(after, before);
    // And once more, from what was rebuilt.
    let before = lab.value();
    fs::write(lab.path(), "{").unwrap();
    lab.update(|_| ());
    assert_eq!(lab.value(), before);
}

#[test]
fn without_a_ledger_the_newest_backup_serves() {
    let lab = Lab::with(OLDER);
    lab.begin("ninety");
    fs::remove_file(lab.state().join("context/ledger.jsonl")).unwrap();
    check(&lab, "{", "2 from a backup", &["Queue", "Search"]);
}

#[test]
fn damaged_lines_and_backups_are_passed_over_and_told() {
    let lab = Lab::with(OLDER);
    lab.begin("ninety");
    lab.begin("ninety-one");
    let ledger = lab.state().join("context/ledger.jsonl");
    let text = fs::read_to_string(&ledger).unwrap();
    fs::write(&ledger, text + "{\"v\":1,\"ti").unwrap();
    fs::write(&lab.backups()[0], "broken").unwrap();
    fs::write(lab.path(), "[").unwrap();
    let notes = lab.read().notes()[0].clone();
    assert!(notes.contains("the backup is damaged too; 1 lines of the ledger could not be read"), "{notes}");
    assert_eq!(purposes(&lab.read()), ["ninety", "ninety-one"]);
}

#[test]
fn the_later_of_two_versions_of_a_session_counts() {
    let update = |lab: &Lab, updated: &str, purpose: &str| {
        lab.update(|context| {
            let (index, mut session) = context.last().unwrap();
            session.updated = Some(updated.to_owned());
            session.purpose = purpose.to_owned();
            context.replace(index, session);
        });
    };
    let lab = lived();
    update(&lab, "2026-12-02", "older in the file");
    let text = lab.text();
    update(&lab, "2026-12-03", "newer in the ledger");
    let cut = &text[..text.trim_end().len() - 1];
    fs::write(lab.path(), cut).unwrap();
    assert_eq!(lab.read().last().unwrap().1.purpose, "newer in the ledger");
    let by_hand = cut.replace("older in the file", "changed by hand").replace("2026-12-02", "2026-12-04");
    fs::write(lab.path(), by_hand).unwrap();
    assert_eq!(lab.read().last().unwrap().1.purpose, "changed by hand");
}

#[test]
fn a_ledger_that_went_to_the_archive_is_read_from_there() {
    let lab = lived();
    let folder = lab.state().join("context");
    fs::create_dir_all(folder.join("archive")).unwrap();
    fs::rename(folder.join("ledger.jsonl"), folder.join("archive/ledger_1700000000.jsonl")).unwrap();
    fs::write(lab.path(), "{").unwrap();
    assert_eq!(purposes(&lab.read()), ["one", "two", "three"]);
    assert_eq!(lab.read().state().session, 3);
}

#[test]
fn a_long_work_log_is_not_repeated_with_each_line_of_it() {
    let lab = Lab::with(OLDER);
    for number in 0..200 {
        lab.update(|context| {
            let (index, mut session) = context.last().unwrap();
            let desc = format!("{number} {}", "x".repeat(1_000));
            session.work_log.push(WorkEntry { desc, ..WorkEntry::default() });
            context.replace(index, session);
        });
    }
    let bytes = fs::metadata(lab.state().join("context/ledger.jsonl")).unwrap().len();
    assert!(bytes < 200 * 2_000, "{bytes} bytes");
    let before = lab.value();
    fs::write(lab.path(), "{").unwrap();
    lab.update(|_| ());
    assert_eq!(lab.value(), before);
}
