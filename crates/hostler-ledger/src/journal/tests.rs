#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use super::*;

const NOW: i64 = 1_796_025_600_000;

fn session() -> SessionId {
    SessionId::parse("361ac4e6-64de-464e-9d97-09bfa437d8e9").unwrap()
}

fn entry(number: u64) -> Entry {
    let mut attributes = Map::new();
    attributes.insert("gen_ai.tool.name".to_owned(), "Bash".into());
    attributes.insert("target".to_owned(), format!("echo {number}").into());
    attributes.insert("status".to_owned(), "allowed".into());
    Entry {
        kind: "decision",
        time_ms: NOW + i64::try_from(number).unwrap(),
        dedupe: Some(format!("PreToolUse:toolu_{number}")),
        durable: false,
        attributes,
    }
}

/// A state folder with a journal of `count` records.
fn journal(count: u64) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    for number in 1..=count {
        let appended = append(folder.path(), &session(), &entry(number)).unwrap();
        assert_eq!(appended.sequence(), number);
    }
    let path = path(folder.path(), &session());
    (folder, path)
}

/// Seals in place, as when the archive cannot be written. The number of the seal.
fn seal(state: &Path) -> Option<u64> {
    fs::write(state.join("archive"), "in the way").unwrap();
    close(state, &session(), NOW, None).unwrap_err();
    fs::remove_file(state.join("archive")).unwrap();
    Head::load(state, session().as_str()).unwrap().map(|head| head.seq)
}

fn archive(state: &Path) -> Option<PathBuf> {
    close(state, &session(), NOW, None).unwrap().map(|closed| closed.path)
}

#[track_caller]
fn intact(path: &Path, records: u64) -> Report {
    let report = verify(path).unwrap();
    assert_eq!((report.bad.as_ref(), report.records), (None, records), "{report:?}");
    report
}

#[track_caller]
fn broken(path: &Path, sequence: u64, problem: &str) {
    let report = verify(path).unwrap();
    let bad = report.bad.unwrap_or_else(|| panic!("nothing was found, {problem:?} was expected"));
    assert_eq!(bad.sequence, sequence, "{bad:?}");
    assert!(bad.problem.contains(problem), "{bad:?}");
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(ToOwned::to_owned).collect()
}

fn write_lines(path: &Path, lines: &[String]) {
    fs::write(path, lines.iter().flat_map(|line| [line, "\n"]).collect::<String>()).unwrap();
}

// @traces REQ-020-209
#[test]
fn the_first_record_makes_its_folders_and_is_chained_to_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("a b/projects/é-1");
    append(&state, &session(), &entry(1)).unwrap();
    let file = path(&state, &session());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().unwrap()), mode(&state)), (0o600, 0o700, 0o700));
    let report = intact(&file, 1);
    assert_eq!(report.session.as_deref(), Some(session().as_str()));
    assert!(report.whole && !report.sealed);
    assert_eq!(read(&file).unwrap().next().unwrap().prev, genesis(session().as_str()));
    assert_ne!(genesis("other"), genesis(session().as_str()));
    // And a second call finds them there.
    assert_eq!(append(&state, &session(), &entry(2)).unwrap().sequence(), 2);
}

/// Written out once by hand: what an old build wrote must verify for ever, and its hash was computed apart
/// from this code.
#[test]
fn the_format_is_pinned() {
    let folder = tempfile::tempdir().unwrap();
    let session = SessionId::parse("s1").unwrap();
    let mut entry = Entry {
        kind: "decision",
        time_ms: 1,
        dedupe: Some("PreToolUse:t\"1".to_owned()),
        ..Entry::default()
    };
    for (name, value) in [
        ("z", json!("é\n\t\u{1}\u{7f}\"\\/日")),
        ("a", json!({"y": 1, "b": [true, null, -2]})),
        ("float", json!(1.5)),
        ("large", json!(u64::MAX)),
        ("password", json!("password=hunter2")),
    ] {
        entry.attributes.insert(name.to_owned(), value);
    }
    append(folder.path(), &session, &entry).unwrap();
    let line = fs::read_to_string(path(folder.path(), &session)).unwrap();
    assert_eq!(
        line,
        concat!(
            r#"{"a":{"b":[true,null,-2],"y":1},"dedupe":"PreToolUse:t\"1","float":"1.5","#,
            r#""gen_ai.conversation.id":"s1","kind":"decision","large":"18446744073709551615","#,
            r#""password":"password=[redacted]","#,
            r#""prev":"4393ad1904ba755bb67c895b96679a567888c4053d455cf1b1cde48c5d334502","seq":1,"time_ms":1,"v":1,"#,
            "\"z\":\"é\\n\\t\\u0001\u{7f}\\\"\\\\/日\",",
            r#""hash":"dd275fe3f5c9c6daa79741a3ecbbfefed4fff9624b8cf9146f1baa457638a24e"}"#,
            "\n"
        )
    );
}

#[test]
fn what_is_written_is_read_back() {
    let (_folder, file) = journal(3);
    let records: Vec<Record> = read(&file).unwrap().collect();
    assert_eq!(records.len(), 3);
    let second = &records[1];
    assert_eq!((second.version, second.sequence, second.time_ms), (1, 2, NOW + 2));
    assert_eq!(second.kind, "decision");
    assert_eq!(second.dedupe.as_deref(), Some("PreToolUse:toolu_2"));
    assert_eq!(second.text("target"), Some("echo 2"));
    assert_eq!((&second.prev, &records[2].prev), (&records[0].hash, &second.hash));
}

#[test]
fn a_doubled_call_is_written_once() {
    let (folder, file) = journal(5);
    let again = append(folder.path(), &session(), &entry(3)).unwrap();
    assert_eq!(again, Appended::Duplicate { sequence: 3 });
    let mut result = entry(3);
    result.dedupe = Some("PostToolUse:toolu_3".to_owned());
    assert_eq!(append(folder.path(), &session(), &result).unwrap().sequence(), 6);
    // A key inside a text is no key.
    let mut talk = entry(7);
    talk.dedupe = None;
    talk.attributes.insert("target".to_owned(), r#""dedupe":"PreToolUse:toolu_9""#.into());
    append(folder.path(), &session(), &talk).unwrap();
    assert!(matches!(append(folder.path(), &session(), &entry(9)).unwrap(), Appended::Line { .. }));
    intact(&file, 8);
}

#[test]
fn attributes_cannot_pose_as_the_line_s_own_members() {
    let (folder, file) = journal(1);
    for name in ["v", "seq", "prev", "hash", "time_ms", "kind", "dedupe", "skipped_bytes", "continues_file"] {
        let mut entry = entry(2);
        entry.attributes.insert(name.to_owned(), 1.into());
        let result = append(folder.path(), &session(), &entry);
        assert!(matches!(result, Err(Error::Reserved { .. })), "{name}: {result:?}");
    }
    intact(&file, 1);
}

#[test]
fn a_huge_text_is_cut_and_a_huge_record_refused() {
    let (folder, file) = journal(1);
    let mut large = entry(2);
    large.attributes.insert("output".to_owned(), "é".repeat(200_000).into());
    append(folder.path(), &session(), &large).unwrap();
    assert!(lines(&file)[1].len() < 70_000);
    assert!(lines(&file)[1].contains("… [334464 bytes cut]"), "{}", &lines(&file)[1][65_000..]);
    let mut larger = entry(3);
    for number in 0..20 {
        larger.attributes.insert(format!("output{number}"), "x".repeat(64 * 1024).into());
    }
    assert!(matches!(append(folder.path(), &session(), &larger), Err(Error::TooLong { .. })));
    // The next record is chained to a line that is longer than the window that is usually read.
    append(folder.path(), &session(), &entry(4)).unwrap();
    intact(&file, 3);
}

#[test]
fn secrets_do_not_reach_the_disk_whatever_the_caller_forgot() {
    let (folder, file) = journal(0);
    let mut entry = entry(1);
    let key = format!("ghp_{}", "a1".repeat(18));
    entry.attributes.insert("target".to_owned(), format!("curl -H 'Authorization: Bearer {key}'").into());
    entry.attributes.insert("strings".to_owned(), json!([{"env": format!("TOKEN={key}")}]));
    append(folder.path(), &session(), &entry).unwrap();
    assert!(!fs::read_to_string(&file).unwrap().contains(&key));
    intact(&file, 1);
}

#[test]
fn edits_insertions_and_reordering_are_found_where_they_are() {
    let edit = |change: &dyn Fn(&mut Vec<String>)| {
        let (folder, file) = journal(6);
        let mut lines = lines(&file);
        change(&mut lines);
        write_lines(&file, &lines);
        (folder, file)
    };
    let (_f, file) = edit(&|lines| lines[2] = lines[2].replace("echo 3", "echo 4"));
    broken(&file, 3, "was changed");
    let (_f, file) = edit(&|lines| lines[2].truncate(40));
    broken(&file, 3, "no record");
    let (_f, file) = edit(&|lines| drop(lines.remove(0)));
    broken(&file, 1, "record 1 is expected here, 2 was found");
    let (_f, file) = edit(&|lines| drop(lines.remove(3)));
    broken(&file, 4, "record 4 is expected here, 5 was found");
    let (_f, file) = edit(&|lines| lines.swap(1, 4));
    broken(&file, 2, "record 2 is expected here, 5 was found");
    let (_f, file) = edit(&|lines| lines.insert(2, lines[0].clone()));
    broken(&file, 3, "record 3 is expected here, 1 was found");
    let (_f, file) = edit(&|lines| lines.insert(2, String::new()));
    broken(&file, 3, "no record");
    let (_f, file) = edit(&|lines| lines.push("{}".to_owned()));
    broken(&file, 7, "no record");
    // An edit with a new hash of its own breaks the link from the next record.
    let (_f, file) = edit(&|lines| {
        let edited = lines[2].replace("echo 3", "echo 4");
        let (body, _) = line::split(edited.as_bytes()).unwrap();
        let hash = line::hash_of(body);
        lines[2] = format!("{},\"hash\":\"{hash}\"}}", str::from_utf8(body).unwrap());
    });
    broken(&file, 4, "it does not follow record 3");
    // Another session's journal under this one's name.
    let (_f, file) = edit(&|lines| {
        for line in lines.iter_mut() {
            *line = line.replace(session().as_str(), "another");
        }
    });
    broken(&file, 1, "was changed");
    // A second member of the same name, which a reader would not see.
    let (_f, file) = edit(&|lines| lines[1] = lines[1].replacen('{', r#"{"status":"blocked","#, 1));
    broken(&file, 2, "was changed");
}

#[test]
fn a_missing_end_is_found_only_after_a_seal() {
    let (folder, file) = journal(6);
    let whole = lines(&file);
    write_lines(&file, &whole[..4]);
    intact(&file, 4);

    write_lines(&file, &whole);
    assert_eq!(seal(folder.path()), Some(7));
    assert!(intact(&file, 7).sealed);
    let sealed = lines(&file);
    let last = read(&file).unwrap().last().unwrap();
    assert_eq!(last.attributes["seal.count"], json!(6));
    assert_eq!(last.attributes["seal.root"], json!(last.prev));
    for keep in 1..7 {
        write_lines(&file, &sealed[..keep]);
        broken(&file, keep as u64 + 1, "was sealed at record 7");
    }
    // Sealing twice changes nothing; going on and sealing again does.
    write_lines(&file, &sealed);
    assert_eq!(seal(folder.path()), Some(7));
    append(folder.path(), &session(), &entry(8)).unwrap();
    assert!(!intact(&file, 8).sealed);
    assert_eq!(seal(folder.path()), Some(9));
    intact(&file, 9);
    assert_eq!(close(folder.path(), &SessionId::parse("none").unwrap(), NOW, None).unwrap(), None);
}

#[test]
fn a_line_that_a_crash_cut_short_anywhere_is_closed_off() {
    let (folder, file) = journal(3);
    let whole = fs::read(&file).unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    for cut in last..=whole.len() {
        fs::write(&file, &whole[..cut]).unwrap();
        let complete = whole.len() - 1 <= cut;
        let report = intact(&file, if complete { 3 } else { 2 });
        assert_eq!(report.whole, cut == last || cut == whole.len(), "cut at {cut}");
        let next = append(folder.path(), &session(), &entry(9)).unwrap().sequence();
        assert_eq!(next, if complete { 4 } else { 3 }, "cut at {cut}");
        append(folder.path(), &session(), &entry(10)).unwrap();
        let report = intact(&file, next + 1);
        let torn = cut != last && !complete;
        assert_eq!((report.torn, report.whole), (u64::from(torn), true), "cut at {cut}");
        let records: Vec<Record> = read(&file).unwrap().collect();
        assert_eq!(records.len() as u64, next + 1);
        let skipped = records[records.len() - 2].skipped.as_ref();
        assert_eq!(skipped.map(|it| it.bytes), torn.then_some((cut - last) as u64));
    }
}

#[test]
fn what_a_record_says_of_a_torn_line_is_checked() {
    let (folder, file) = journal(2);
    let mut bytes = fs::read(&file).unwrap();
    bytes.extend_from_slice(b"\0\0\0{\"torn");
    fs::write(&file, &bytes).unwrap();
    append(folder.path(), &session(), &entry(3)).unwrap();
    assert_eq!(intact(&file, 3).torn, 1);
    let whole = fs::read(&file).unwrap();
    let edited = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.clone();
        change(&mut bytes);
        fs::write(&file, bytes).unwrap();
    };
    let at = bytes.len() - 4;
    edited(&|bytes| bytes[at] = b'X');
    broken(&file, 3, "no record");
    edited(&|bytes| drop(bytes.drain(at - 5..=at + 4)));
    broken(&file, 3, "unreadable bytes before it");
}

#[test]
fn several_unreadable_lines_are_told_even_though_the_chain_goes_on() {
    let (folder, file) = journal(2);
    let mut text = fs::read_to_string(&file).unwrap();
    text.push_str("garbage\nmore\n");
    fs::write(&file, &text).unwrap();
    assert_eq!(append(folder.path(), &session(), &entry(3)).unwrap().sequence(), 3);
    broken(&file, 3, "no record");
    // A whole garbage file is no reason to lose the next record either.
    fs::write(&file, [0_u8; 500]).unwrap();
    assert_eq!(append(folder.path(), &session(), &entry(4)).unwrap().sequence(), 1);
    assert_eq!(intact(&file, 1).torn, 1);
    // Unless nothing can be found in it at all.
    fs::write(&file, vec![b'x'; 5 * 1024 * 1024]).unwrap();
    assert!(matches!(append(folder.path(), &session(), &entry(5)), Err(Error::Damaged { .. })));
    broken(&file, 1, "longer than any record");
}

#[test]
fn lines_of_a_later_build_are_read_verified_and_continued() {
    let (folder, file) = journal(1);
    let first = read(&file).unwrap().next().unwrap();
    let body = format!(
        r#"{{"new":{{"deep":[1]}},"kind":"novelty","prev":"{}","seq":2,"time_ms":5,"v":7"#,
        first.hash
    );
    let hash = line::hash_of(body.as_bytes());
    let mut text = fs::read_to_string(&file).unwrap();
    text = format!("{text}{body},\"hash\":\"{hash}\"}}\n");
    fs::write(&file, text).unwrap();
    assert_eq!(append(folder.path(), &session(), &entry(3)).unwrap().sequence(), 3);
    intact(&file, 3);
    let second = read(&file).unwrap().nth(1).unwrap();
    assert_eq!((second.version, second.kind.as_str()), (7, "novelty"));
    assert_eq!(second.attributes["new"], json!({"deep": [1]}));
}

#[test]
fn an_archived_journal_moves_whole_and_the_chain_goes_on() {
    let (folder, file) = journal(3);
    let state = folder.path();
    let archived = archive(state).unwrap();
    let name = format!("archive/2026-11-30/{}_{}.jsonl", session(), NOW / 1000);
    assert_eq!(archived, state.join(&name));
    assert!(!file.exists());
    assert!(intact(&archived, 4).sealed);
    assert_eq!(archive(state), None, "nothing is left to move");

    // A doubled hook that comes late is still known.
    assert_eq!(append(state, &session(), &entry(3)).unwrap(), Appended::Duplicate { sequence: 3 });
    assert_eq!(append(state, &session(), &entry(5)).unwrap().sequence(), 5);
    let report = intact(&file, 1);
    let head = verify(&archived).unwrap().head;
    assert_eq!(report.continues, Some(Continues { file: name, sequence: 4, hash: head }));
    // In the same second, under another name: nothing is overwritten.
    let second = archive(state).unwrap();
    assert_ne!(second, archived);
    append(state, &session(), &entry(7)).unwrap();

    let all = files(state).unwrap();
    assert_eq!(all, [archived.clone(), second.clone(), file.clone()]);
    for report in verify_all(&all) {
        assert_eq!(report.bad, None, "{report:?}");
    }
    // One alone finds the others.
    assert_eq!(verify_all(std::slice::from_ref(&file))[0].bad, None);

    let whole = lines(&second);
    write_lines(&second, &whole[..1]);
    let reports = verify_all(&all);
    assert!(reports[1].bad.as_ref().unwrap().problem.contains("was sealed at record 6"), "{:?}", reports[1]);
    assert!(reports[2].bad.as_ref().unwrap().problem.contains("ends differently"), "{:?}", reports[2]);
    write_lines(&second, &whole);
    let first = lines(&archived);
    write_lines(&archived, &first[..2]);
    let reports = verify_all(&all);
    assert!(reports[0].bad.as_ref().unwrap().problem.contains("ends with a seal"), "{:?}", reports[0]);
    assert!(reports[1].bad.as_ref().unwrap().problem.contains("ends differently"), "{:?}", reports[1]);
    fs::remove_file(&archived).unwrap();
    let reports = verify_all(&files(state).unwrap());
    assert!(reports[0].bad.as_ref().unwrap().problem.contains("cannot be read"), "{:?}", reports[0]);
}

#[test]
fn a_long_journal_continues_in_a_new_file() {
    let folder = tempfile::tempdir().unwrap();
    for number in 1..=100 {
        append_rotating(folder.path(), &session(), &entry(number), 4096).unwrap();
    }
    let all = files(folder.path()).unwrap();
    assert!(3 < all.len(), "{all:?}");
    let reports = verify_all(&all);
    assert!(reports.iter().all(|it| it.bad.is_none()), "{reports:?}");
    let mut targets: Vec<(u64, String)> = all
        .iter()
        .flat_map(|path| read(path).unwrap())
        .filter(|record| record.kind == "decision")
        .map(|record| (record.sequence, record.text("target").unwrap().to_owned()))
        .collect();
    targets.sort();
    let texts: Vec<String> = targets.into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, (1..=100).map(|number| format!("echo {number}")).collect::<Vec<_>>());
}

#[test]
fn a_rotation_that_fails_loses_no_record() {
    let (folder, file) = journal(3);
    fs::write(folder.path().join("archive"), "in the way").unwrap();
    append_rotating(folder.path(), &session(), &entry(4), 10).unwrap();
    intact(&file, 4);
    let record = read(&file).unwrap().last().unwrap();
    assert!(record.text("rotation_error").unwrap().contains("archive"), "{record:?}");
}

#[test]
fn links_and_special_files_in_a_journal_s_place_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(folder.path(), &session());
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let victim = folder.path().join("victim");
    for dangling in [false, true] {
        if !dangling {
            fs::write(&victim, "mine").unwrap();
        }
        std::os::unix::fs::symlink(&victim, &file).unwrap();
        let result = append(folder.path(), &session(), &entry(1));
        assert!(matches!(result, Err(Error::NotAFile { .. })), "{result:?}");
        assert!(matches!(verify(&file), Err(Error::NotAFile { .. })));
        if dangling {
            assert!(!victim.exists(), "the link was followed");
        } else {
            assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
            fs::remove_file(&victim).unwrap();
        }
        fs::remove_file(&file).unwrap();
    }
    fs::create_dir(&file).unwrap();
    assert!(matches!(append(folder.path(), &session(), &entry(1)), Err(Error::NotAFile { .. })));
}

#[test]
fn a_lock_that_is_never_given_back_is_waited_for_two_seconds() {
    let (folder, file) = journal(1);
    let holder = fs::File::open(&file).unwrap();
    holder.lock().unwrap();
    let since = Instant::now();
    let result = append(folder.path(), &session(), &entry(2));
    assert!(matches!(result, Err(Error::Locked { .. })), "{result:?}");
    assert!((2.0..3.9).contains(&since.elapsed().as_secs_f64()), "{:?}", since.elapsed());
    holder.unlock().unwrap();
    append(folder.path(), &session(), &entry(2)).unwrap();
    intact(&file, 2);
}

#[test]
fn a_decision_is_found_by_its_id_in_live_and_archived_journals() {
    let (folder, _) = journal(3);
    let state = folder.path();
    let id = decision_id(&session(), 2);
    assert_eq!(id, "361ac4e6-2");
    let target = |id: &str| {
        find_decision(state, id)
            .unwrap()
            .map(|found| found.record.text("target").unwrap_or_default().to_owned())
    };
    assert_eq!(target(&id).as_deref(), Some("echo 2"));
    let archived = archive(state).unwrap();
    assert_eq!(target(&id).as_deref(), Some("echo 2"));
    append(state, &session(), &entry(5)).unwrap();
    assert_eq!(target("361ac4e6-5").as_deref(), Some("echo 5"));
    assert_eq!(find_decision(state, &id).unwrap().unwrap().path, archived);
    for nothing in ["361ac4e6-9", "361ac4e7-2", "361ac-2", "", "x", "-", "361ac4e6-99999999999999999999"] {
        assert_eq!(target(nothing), None, "{nothing:?}");
    }
    let short = SessionId::parse("ab-c").unwrap();
    append(state, &short, &entry(1)).unwrap();
    assert_eq!(target(&decision_id(&short, 1)).as_deref(), Some("echo 1"));
    assert_eq!(find_decision(&state.join("nowhere"), &id).unwrap(), None);
}

#[test]
fn days_are_named_as_the_calendar_names_them() {
    for (seconds, expected) in [
        (0, "1970-01-01"),
        (-1, "1969-12-31"),
        (951_782_399, "2000-02-28"),
        (951_782_400, "2000-02-29"),
        (951_868_800, "2000-03-01"),
        (1_709_164_800, "2024-02-29"),
        (1_796_025_600, "2026-11-30"),
        (4_107_542_400, "2100-03-01"),
    ] {
        assert_eq!(seal::date(seconds), expected, "{seconds}");
    }
}

/// The cost of one append is that of its line, whatever stands before it.
#[test]
fn an_append_to_a_long_journal_costs_no_more() {
    let fastest = |state: &Path, from: u64| {
        (from..from + 300)
            .map(|number| {
                let mut entry = entry(number);
                for name in 0..15 {
                    // What a hook records: names, digests, and a preview or two.
                    let text = "cargo test --package shop -- cart::adds_up --exact; ".repeat(1 + name % 3);
                    entry.attributes.insert(format!("attribute_{name}"), text.into());
                }
                let since = Instant::now();
                append(state, &session(), &entry).unwrap();
                since.elapsed()
            })
            .min()
            .unwrap()
    };
    let (folder, file) = journal(200);
    let short = fastest(folder.path(), 201);
    let text = fs::read(&file).unwrap();
    let mut long = text.repeat(50 * 1024 * 1024 / text.len() + 1);
    long.extend_from_slice(&text);
    fs::write(&file, long).unwrap();
    assert!(50 * 1024 * 1024 < fs::metadata(&file).unwrap().len());
    let long = fastest(folder.path(), 501);
    let _ = writeln!(std::io::stderr(), "fastest append: {short:?} to a short journal, {long:?} to 50 MB");
    assert!(long < short * 3, "{short:?} became {long:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_changed_byte_is_found_in_its_record(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let (_folder, file) = journal(5);
        let mut bytes = fs::read(&file).unwrap();
        let at = at.index(bytes.len() - 1);
        prop_assume!(bytes[at] != byte);
        let sequence = 1 + memchr::memchr_iter(b'\n', &bytes[..at]).count() as u64;
        bytes[at] = byte;
        fs::write(&file, &bytes).unwrap();
        let bad = verify(&file).unwrap().bad;
        prop_assert_eq!(bad.map(|it| it.sequence), Some(sequence), "byte {}", at);
    }

    #[test]
    fn any_inserted_line_is_found_in_its_place(at in 0_usize..=5, copy in proptest::option::of(0_usize..5), text in "[ -~]{0,80}") {
        let (_folder, file) = journal(5);
        let mut lines = lines(&file);
        lines.insert(at, copy.map_or(text, |copy| lines[copy].clone()));
        write_lines(&file, &lines);
        // A copy before its own original is one record too many, from the original on.
        let expected = if copy == Some(at) { at + 2 } else { at + 1 };
        let bad = verify(&file).unwrap().bad;
        prop_assert_eq!(bad.map(|it| it.sequence), Some(expected as u64));
    }

    #[test]
    fn any_missing_line_but_the_last_is_found(at in 0_usize..5, count in 1_usize..5) {
        let (_folder, file) = journal(6);
        let mut lines = lines(&file);
        lines.drain(at..(at + count).min(5));
        write_lines(&file, &lines);
        let bad = verify(&file).unwrap().bad;
        prop_assert_eq!(bad.map(|it| it.sequence), Some(at as u64 + 1));
    }

    #[test]
    fn any_other_order_is_found(order in Just((0_usize..5).collect::<Vec<_>>()).prop_shuffle()) {
        let (_folder, file) = journal(5);
        let whole = lines(&file);
        let first = order.iter().enumerate().find(|(position, from)| position != *from).map(|(position, _)| position);
        write_lines(&file, &order.iter().map(|from| whole[*from].clone()).collect::<Vec<_>>());
        let bad = verify(&file).unwrap().bad;
        prop_assert_eq!(bad.map(|it| it.sequence), first.map(|it| it as u64 + 1));
    }

    #[test]
    fn whatever_a_file_holds_it_is_read_without_a_panic_and_appended_to(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let (folder, file) = journal(1);
        fs::write(&file, &bytes).unwrap();
        let _ = verify(&file).unwrap();
        let _ = read(&file).unwrap().count();
        append(folder.path(), &session(), &entry(2)).unwrap();
        prop_assert_eq!(read(&file).unwrap().last().unwrap().sequence, 1);
    }
}

#[test]
fn what_was_seen_of_a_journal_is_used_only_while_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path();
    let add = |number, seen| append_after(state, &session(), &entry(number), seen).unwrap().sequence();
    let look = || peek(state, &session()).unwrap();
    assert!(look().is_none(), "there is no journal yet");
    assert_eq!(add(1, None), 1);
    let seen = look();
    let newest: Vec<&[u8]> = seen.as_ref().unwrap().lines().collect();
    assert_eq!(newest.len(), 1);
    assert_eq!(add(2, seen), 2);
    // Another process wrote in between.
    let seen = look();
    assert_eq!(add(3, None), 3);
    assert_eq!(add(4, seen), 4);
    // A line that a crash cut short.
    let mut file = std::fs::OpenOptions::new().append(true).open(path(state, &session())).unwrap();
    file.write_all(b"{\"v\":1,\"seq\":5").unwrap();
    let seen = look();
    assert_eq!(add(5, seen), 5);
    // The journal was moved to the archive.
    let seen = look();
    close(state, &session(), 99, None).unwrap().unwrap();
    assert_eq!(add(6, seen), 7, "the seal is the sixth");
    let reports = verify_all(&files(state).unwrap());
    assert_eq!(reports.iter().map(|report| report.records).collect::<Vec<_>>(), [6, 1]);
    assert!(reports.iter().all(|report| report.bad.is_none()), "{reports:?}");
}
