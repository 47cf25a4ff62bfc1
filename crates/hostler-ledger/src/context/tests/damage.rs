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
    assert_eq!(value["state"]["session"], 90);
    assert_eq!((&value["state"]["version"], &value["state"]["test_count"]), (&json!("0.6.0"), &json!(9203)));
    assert_eq!(value["deferred_work"][0]["notes"], "before March");
}

/// git in the lab's project; a merge that stops at a conflict is no failure.
#[track_caller]
fn git(lab: &Lab, arguments: &[&str]) -> bool {
    let mut command = std::process::Command::new("git");
    command.current_dir(lab.project()).env("HOME", lab.0.path()).env("GIT_CONFIG_NOSYSTEM", "1");
    command.args(["-c", "user.name=A", "-c", "user.email=a@example.invalid"]).args(arguments);
    command.output().unwrap().status.success()
}

/// A session of a branch from begin to end, with a work log and something that is left to do.
fn work_on(lab: &Lab, branch: &str, minute: u32, goes_on: bool) {
    let at = |second: u32| format!("2026-11-30T19:{minute:02}:{second:02}Z");
    let begun = Session {
        purpose: format!("{branch} session"),
        when: at(0),
        branch: Some(branch.to_owned()),
        updated: Some(at(9)),
        ..Session::default()
    };
    lab.update(|context| {
        let seq = context.state().session + 1;
        context.push(Session { seq, ..begun.clone() });
        let state = context.state_mut();
        (state.session, state.branch, state.status) = (seq, branch.to_owned(), Status::Active);
    });
    lab.update(|context| {
        let (index, mut session) = context.last().unwrap();
        session.work_log.push(WorkEntry {
            when: at(5),
            desc: format!("{branch} log"),
            ..WorkEntry::default()
        });
        context.replace(index, session);
        context.work_mut().push(Work { description: format!("{branch} todo"), ..Work::default() });
    });
    if !goes_on {
        lab.update(|context| {
            let (index, mut session) = context.last().unwrap();
            (session.length, session.ended) = (Some("0m".to_owned()), Some(at(9)));
            session.outcome = Some("closed".to_owned());
            context.replace(index, session);
            context.state_mut().status = Status::Closed;
        });
    }
}

/// Two branches that both went on, merged by git in `style`; the ledger may be another machine's.
#[track_caller]
fn check_merged(style: &str, ledger: bool, goes_on: [bool; 2]) {
    let lab = Lab::new();
    lab.store().create(State { version: "1.0.0".to_owned(), ..State::default() }).unwrap();
    assert!(git(&lab, &["init", "--quiet", "--initial-branch=main"]));
    work_on(&lab, "first", 1, false);
    let commit = || assert!(git(&lab, &["add", "."]) && git(&lab, &["commit", "--quiet", "-m", "x"]));
    commit();
    assert!(git(&lab, &["checkout", "--quiet", "-b", "feat"]));
    work_on(&lab, "feat", 2, goes_on[1]);
    commit();
    assert!(git(&lab, &["checkout", "--quiet", "main"]));
    work_on(&lab, "main", 3, goes_on[0]);
    commit();
    assert!(!git(&lab, &["-c", &format!("merge.conflictStyle={style}"), "merge", "--quiet", "feat"]));
    if !ledger {
        fs::remove_dir_all(lab.state()).unwrap();
    }
    let text = lab.text();
    assert!(text.contains("<<<<<<< ") && text.contains("\"seq\": 2,"), "{text}");

    let notes = lab.update(|_| ()).notes;
    // The session that goes on here stays the last, and else our own keeps its number.
    let [second, third] = if goes_on[0] { ["feat", "main"] } else { ["main", "feat"] };
    let told = |part: &str| assert!(notes[0].contains(part), "{part}: {notes:?}");
    told("both sides of a merge");
    told(&format!("session #2 ({third} session) is #3 now"));
    told("work DW-002 (feat todo) is DW-003 now");
    assert_eq!(lab.beside().len(), 3, "git, the record, and the damaged one: {:?}", lab.beside());
    let context = lab.read();
    assert_eq!(context.notes(), [""; 0]);
    let mut found: Vec<(u64, String, String)> = context
        .newest_first()
        .map(|(_, it)| (it.seq, it.purpose, it.work_log.iter().map(|it| it.desc.as_str()).collect()))
        .collect();
    found.reverse();
    let told = |seq, name: &str| (seq, format!("{name} session"), format!("{name} log"));
    let expected = [told(1, "first"), told(2, second), told(3, third)];
    assert_eq!(found, expected);
    assert_eq!(context.active().map(|(_, it)| it.seq), (goes_on[0] || goes_on[1]).then_some(3));
    assert_eq!(context.state().session, 3);
    let work: Vec<&str> = context.work().iter().map(|it| it.description.as_str()).collect();
    assert_eq!(work, ["first todo", "main todo", "feat todo"]);
    let ids: std::collections::HashSet<&str> = context.work().iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids.len(), 3);
    assert_eq!(super::super::check::document(&lab.value()), [""; 0]);

    // The branch goes on with its own numbers, and is merged once more: what is known is not there twice.
    commit();
    assert!(git(&lab, &["checkout", "--quiet", "feat"]));
    work_on(&lab, "more", 4, false);
    commit();
    assert!(git(&lab, &["checkout", "--quiet", "main"]));
    assert!(!git(&lab, &["-c", &format!("merge.conflictStyle={style}"), "merge", "--quiet", "feat"]));
    lab.update(|_| ());
    let mut purposes = purposes(&lab.read());
    purposes.sort();
    assert_eq!(purposes, ["feat session", "first session", "main session", "more session"]);
    assert_eq!(lab.read().work().len(), 4, "{}", lab.text());
}

#[test]
fn a_merge_of_two_branches_takes_nothing_from_either() {
    for style in ["merge", "diff3", "zdiff3"] {
        for ledger in [true, false] {
            check_merged(style, ledger, [false, false]);
        }
    }
    check_merged("merge", false, [true, false]);
    check_merged("merge", true, [true, true]);
    check_merged("diff3", false, [false, true]);
}

#[test]
fn a_session_that_both_branches_went_on_with_has_what_either_logged() {
    let lab = Lab::new();
    lab.store().create(State::default()).unwrap();
    git(&lab, &["init", "--quiet", "--initial-branch=main"]);
    work_on(&lab, "first", 1, true);
    let log = |desc: &str, when: &str| {
        lab.update(|context| {
            let (index, mut session) = context.last().unwrap();
            session.work_log.push(WorkEntry {
                desc: desc.to_owned(),
                when: when.to_owned(),
                ..WorkEntry::default()
            });
            session.achievements.push(desc.to_owned());
            session.updated = Some(when.to_owned());
            context.replace(index, session);
            let work = &mut context.work_mut()[0];
            work.notes = Some(desc.to_owned());
            if desc == "feat" {
                work.status = WorkStatus::Completed;
            }
        });
        assert!(git(&lab, &["commit", "--quiet", "-a", "-m", desc]));
    };
    git(&lab, &["add", "."]);
    git(&lab, &["commit", "--quiet", "-m", "x"]);
    git(&lab, &["checkout", "--quiet", "-b", "feat"]);
    log("feat", "2026-11-30T19:02:00Z");
    git(&lab, &["checkout", "--quiet", "main"]);
    log("main", "2026-11-30T19:03:00Z");
    assert!(!git(&lab, &["merge", "--quiet", "feat"]));
    lab.update(|_| ());
    let (_, session) = lab.read().active().unwrap();
    assert_eq!((session.seq, lab.read().session_count()), (1, 1));
    let log: Vec<&str> = session.work_log.iter().map(|it| it.desc.as_str()).collect();
    assert_eq!(log, ["first log", "feat", "main"]);
    assert_eq!(session.achievements, ["main", "feat"]);
    assert_eq!(session.updated.as_deref(), Some("2026-11-30T19:03:00Z"));
    let item = lab.read().work()[0].clone();
    assert_eq!((item.status, item.notes.as_deref()), (WorkStatus::Completed, Some("main\nfeat")));
}

#[test]
fn sessions_that_began_in_the_same_second_are_two() {
    let lab = Lab::new();
    lab.store().create(State::default()).unwrap();
    git(&lab, &["init", "--quiet", "--initial-branch=main"]);
    git(&lab, &["add", "."]);
    git(&lab, &["commit", "--quiet", "-m", "x"]);
    for branch in ["feat", "main"] {
        git(&lab, &["checkout", "--quiet", "-B", branch, "HEAD"]);
        lab.begin(branch);
        assert!(git(&lab, &["commit", "--quiet", "-a", "-m", branch]));
        git(&lab, &["checkout", "--quiet", "--detach", "HEAD~"]);
    }
    git(&lab, &["checkout", "--quiet", "main"]);
    assert!(!git(&lab, &["merge", "--quiet", "feat"]));
    let context = lab.read();
    let found: Vec<(u64, String)> = context.newest_first().map(|(_, it)| (it.seq, it.purpose)).collect();
    // Both go on: our own stays the last.
    assert_eq!(found, [(2, "main".to_owned()), (1, "feat".to_owned())]);
}

#[test]
fn sides_of_a_merge_that_are_broken_themselves_tell_what_they_can() {
    let session = |seq: u64, minute: u32, purpose: &str| {
        format!(
            "{{\"seq\": {seq}, \"when\": \"2026-11-30T10:0{minute}:00Z\", \"purpose\": \"{purpose}\", \"achievements\": []}}"
        )
    };
    let text = format!(
        "{{\"schema_version\": 1,\n<<<<<<< HEAD\n\"team\": \"a\",\n=======\n\"team\": \"b\", \"more\": [1],\n>>>>>>> x\n\
         \"state\": {{\"session\": 2}},\n\"deferred_work\": [{{\"id\": \"DW-001\", \"description\": \"d\"}} oops],\n\
         \"session_history\": [{},\n<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x\n]}}\n",
        session(1, 1, "one"),
        session(2, 2, "ours"),
        session(2, 3, "theirs"),
    );
    let lab = Lab::with(&text);
    let context = lab.read();
    assert_eq!(purposes(&context), ["one", "theirs", "ours"], "{:?}", context.notes());
    assert!(context.notes()[0].contains("session #2 (ours) is #3 now"), "{:?}", context.notes());
    assert_eq!(context.active().map(|(_, it)| (it.seq, it.purpose)), Some((3, "ours".to_owned())));
    assert_eq!(context.work()[0].description, "d");
    lab.update(|_| ());
    assert_eq!((&lab.value()["team"], &lab.value()["more"]), (&json!("a"), &json!([1])));
}

/// A record in which somebody kept both sides of a merge by hand: numbers and ids are there twice.
const TWICE: &str = r#"{
  "schema_version": 1,
  "state": {"session": 3, "version": "1.0.0", "branch": "main", "status": "active"},
  "deferred_work": [{"id":"DW-001","priority":"P1","description":"mine","status":"pending"},{"id":"DW-001","priority":"P1","description":"theirs","status":"pending"}],
  "session_history": [
    {"seq": 1, "when": "2026-11-01T00:00:00Z", "purpose": "one", "achievements": [], "length": "1m"},
    {"seq": 2, "when": "2026-11-02T00:00:00Z", "purpose": "two mine", "achievements": [], "length": "1m"},
    {"seq": 2, "when": "2026-11-02T05:00:00Z", "purpose": "two theirs", "achievements": [], "length": "1m"},
    {"seq": 3, "when": "2026-11-30T19:33:50Z", "purpose": "three", "achievements": []}
  ]
}
"#;

#[test]
fn sessions_with_the_same_number_are_all_kept() {
    let all = ["one", "two mine", "two theirs", "three"];
    // A comma too many or too few: the rest stays byte for byte.
    for (from, to) in
        [("\"active\"}", "\"active\",}"), ("}],\n", "},],\n"), ("[], \"length\"", "[] \"length\"")]
    {
        let lab = Lab::with("");
        check(&lab, TWICE.replacen(from, to, 1), "but for some commas, which were put right", &all);
        assert!(
            lab.text().starts_with(TWICE.trim_end().trim_end_matches([']', '}', '\n', ' '])),
            "{}",
            lab.text()
        );
        assert_eq!(lab.read().work().len(), 2);
    }
    // Cut short, with what backup and ledger know: numbers are told apart.
    let lab = Lab::with(TWICE);
    let log = |text: &str| {
        lab.update(|context| {
            let (index, mut session) = context.last().unwrap();
            session.achievements.push(text.to_owned());
            context.replace(index, session);
        });
    };
    log("a");
    log("b");
    let text = lab.text();
    for cut in [text.len() - 4, text.find("two theirs").unwrap(), text.find("DW-001").unwrap(), 3] {
        fs::write(lab.path(), &text[..cut]).unwrap();
        let context = lab.read();
        let mut found = purposes(&context);
        found.sort();
        assert_eq!(found, ["one", "three", "two mine", "two theirs"], "cut at {cut}");
        let (_, active) = context.active().unwrap();
        assert_eq!((active.purpose.as_str(), active.achievements.len()), ("three", 2));
        assert_eq!(context.work().iter().filter(|it| it.id == "DW-001").count(), 2);
    }
}

#[test]
fn sessions_of_another_branch_are_not_mixed_up_with_those_of_this_one() {
    let lab = Lab::new();
    lab.store().create(State::default()).unwrap();
    let empty = lab.text();
    work_on(&lab, "feat", 1, false);
    let feat = lab.text();
    // As a checkout does it: the file is the other branch's, the ledger is the same.
    fs::write(lab.path(), &empty).unwrap();
    work_on(&lab, "main", 2, false);
    let main = lab.text();
    fs::write(lab.path(), feat).unwrap();
    lab.update(|context| {
        let (index, mut session) = context.last().unwrap();
        session.achievements.push("of feat".to_owned());
        context.replace(index, session);
    });
    fs::write(lab.path(), &main[..main.find("session_history").unwrap()]).unwrap();
    let context = lab.read();
    let session =
        |purpose: &str| context.newest_first().map(|(_, it)| it).find(|it| it.purpose == purpose).unwrap();
    assert_eq!(session("feat session").achievements, ["of feat"]);
    assert_eq!(session("main session").achievements, [""; 0]);
    assert_eq!(session("main session").work_log[0].desc, "main log");
}

#[test]
fn what_was_told_and_never_came_about_does_not_come_back() {
    let lab = Lab::new();
    lab.store().create(State::default()).unwrap();
    let before = lab.text();
    work_on(&lab, "one", 1, true);
    // The ledger knows of a begin, the file was never replaced; then another one begins.
    let ledger = lab.state().join("context/ledger.jsonl");
    let lines: Vec<String> = fs::read_to_string(&ledger).unwrap().lines().map(str::to_owned).collect();
    fs::write(&ledger, lines[..2].join("\n") + "\n").unwrap();
    fs::write(lab.path(), before).unwrap();
    work_on(&lab, "two", 2, false);
    fs::write(lab.path(), "{").unwrap();
    assert_eq!(purposes(&lab.read()), ["two session"]);
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
