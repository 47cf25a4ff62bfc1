//! Files, folders and neighbours that are not as one would wish.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

/// The update is refused for `reason`, and everything is as it was.
#[track_caller]
fn refused(lab: &Lab, reason: &str) {
    let (before, beside) = (fs::read(lab.path()).unwrap(), lab.beside());
    let error = lab.store().update(|context| context.push(session(900, "new"))).unwrap_err().to_string();
    assert!(error.contains(reason), "{error}");
    assert_eq!((fs::read(lab.path()).unwrap(), lab.beside()), (before, beside));
    assert_eq!(lab.ledger().len(), 0);
}

#[test]
fn a_file_is_made_once() {
    let lab = Lab::new();
    assert!(lab.store().read().unwrap().is_none());
    let error = lab.store().update(|_| ()).unwrap_err();
    assert!(error.to_string().contains("hostler session init"), "{error}");
    let state = |session| State { session, ..State::default() };
    assert!(lab.store().create(state(1)).unwrap());
    assert!(!lab.store().create(state(2)).unwrap());
    assert_eq!(lab.read().state().session, 1);
    assert_eq!((lab.beside(), mode(&lab.path())), (vec!["context.json".to_owned()], 0o644));
    let evidence = lab.state().join("context");
    assert_eq!(names(&evidence), ["known", "ledger.jsonl", "lock"]);
    assert_eq!((mode(&evidence), mode(&evidence.join("ledger.jsonl"))), (0o700, 0o600));
}

#[test]
fn an_empty_file_may_be_filled() {
    let lab = Lab::with("\n");
    assert!(lab.store().create(State { session: 1, ..State::default() }).unwrap());
    assert_eq!(lab.read().state().session, 1);
    let lab = Lab::with("no json");
    assert!(!lab.store().create(State::default()).unwrap());
    assert_eq!(lab.text(), "no json");
}

// @traces REQ-020-171
#[test]
fn thousands_of_sessions_stay_byte_for_byte() {
    let line = |seq| {
        format!("    {{\"seq\":{seq} , \"when\": \"2026\", \"purpose\": \"p{seq}\", \"achievements\": []}}")
    };
    let sessions = (1..=3_000).map(line).collect::<Vec<_>>().join(",\n");
    let lab =
        Lab::with(format!("{{\n  \"schema_version\": 1,\n  \"session_history\": [\n{sessions}\n  ]\n}}\n"));
    for round in 0..5 {
        assert_eq!(lab.begin("more"), 3_001 + round);
    }
    assert!(lab.text().contains(&sessions));
    assert_eq!(lab.read().session_count(), 3_005);
}

#[test]
fn mode_and_links_are_kept() {
    let lab = Lab::with(OLDER);
    let target = lab.0.path().join("elsewhere/shared.json");
    fs::create_dir_all(target.parent().unwrap()).unwrap();
    fs::rename(lab.path(), &target).unwrap();
    set_mode(&target, 0o640);
    symlink("../elsewhere/shared.json", lab.path()).unwrap();
    lab.begin("over the link");
    assert!(fs::symlink_metadata(lab.path()).unwrap().is_symlink());
    assert_eq!(mode(&target), 0o640);
    assert_eq!(lab.read().last().unwrap().1.purpose, "over the link");
    assert_eq!(names(target.parent().unwrap()), ["shared.json"]);
    // A link to nothing is a file that can be made.
    fs::remove_file(&target).unwrap();
    assert!(lab.store().read().unwrap().is_none());
    assert!(lab.store().create(State::default()).unwrap());
    assert!(target.is_file());
}

#[test]
fn what_cannot_be_written_is_an_error_that_says_why() {
    let lab = Lab::with(OLDER);
    set_mode(&lab.path(), 0o444);
    refused(&lab, "is read-only");
    set_mode(&lab.path(), 0o644);
    let other = lab.0.path().join("other");
    fs::hard_link(lab.path(), &other).unwrap();
    refused(&lab, "hard links");
    fs::remove_file(other).unwrap();
    // The superuser writes into a read-only folder all the same.
    if fs::metadata(lab.0.path()).unwrap().uid() != 0 {
        set_mode(&lab.project(), 0o555);
        refused(&lab, "is read-only");
        set_mode(&lab.project(), 0o755);
    }
    let lab = Lab::with(OLDER);
    fs::write(lab.state(), "a file in the folder's place").unwrap();
    refused(&lab, "cannot");

    let folder = Lab::new();
    fs::create_dir_all(folder.path()).unwrap();
    let error = folder.store().read().unwrap_err().to_string();
    assert!(error.contains("not a regular file"), "{error}");
}

#[test]
fn a_newer_file_is_read_and_not_written() {
    let text = OLDER.replace("{\n  \"state\"", "{\n  \"schema_version\": 2,\n  \"state\"");
    let lab = Lab::with(&text);
    assert_eq!(purposes(&lab.read()), ["Queue", "Search"]);
    refused(&lab, "has schema version 2");
    let error = lab.store().update(|context| context.state_mut().session = 1).unwrap_err().to_string();
    assert!(error.contains("update hostler"), "{error}");
    assert!(!lab.update(|_| ()).changed);
}

#[test]
fn an_older_file_is_backed_up_at_the_first_write() {
    let lab = Lab::with(OLDER);
    let updated = lab.update(|context| context.state_mut().session = 90);
    let backups = lab.backups();
    assert_eq!(backups.len(), 1);
    let name = backups[0].file_name().unwrap().to_str().unwrap();
    let digest = crate::journal::sha256_hex(OLDER.as_bytes());
    assert!(name.starts_with("20") && name.ends_with(&format!("Z-{}.json", &digest[..12])), "{name}");
    assert_eq!(fs::read_to_string(&backups[0]).unwrap(), OLDER);
    assert!(updated.notes[0].contains(name), "{:?}", updated.notes);
    let expected = OLDER
        .replace("{\n  \"state\"", "{\n  \"schema_version\": 1,\n  \"state\"")
        .replace("\"session\": 89", "\"session\": 90");
    assert_eq!(lab.text(), expected);
    let again = lab.update(|context| context.state_mut().session = 91);
    assert_eq!((again.notes.len(), lab.backups().len()), (0, 1));
    let lines = lab.ledger();
    assert_eq!(lines.iter().map(|it| it["state"]["session"].as_u64().unwrap()).collect::<Vec<_>>(), [90, 91]);
    assert_eq!((&lines[0]["backup"], lines[0]["v"].as_u64()), (&json!(name), Some(1)));
}

#[test]
fn a_file_of_unknown_origin_is_backed_up_once() {
    let text = OLDER.replace("{\n  \"state\"", "{\n  \"schema_version\": 1,\n  \"state\"");
    let lab = Lab::with(&text);
    lab.begin("one");
    lab.begin("two");
    assert_eq!(lab.backups().len(), 1);
    assert_eq!(fs::read_to_string(&lab.backups()[0]).unwrap(), text);
    // Another file of the same project, with the same evidence folder.
    let nested = lab.project().join("part/context.json");
    fs::create_dir_all(nested.parent().unwrap()).unwrap();
    fs::write(&nested, text.replace("Search", "Part")).unwrap();
    let store = Store::new(nested, lab.state());
    store.update(|context| context.state_mut().session = 1).unwrap();
    store.update(|context| context.state_mut().session = 2).unwrap();
    assert_eq!(lab.backups().len(), 2);
}

// @traces 021-CONST-II-002
#[test]
fn a_change_is_applied_again_to_what_somebody_else_wrote_meanwhile() {
    let lab = Lab::with(OLDER);
    let mut runs = 0;
    let updated = lab
        .store()
        .update(|context| {
            runs += 1;
            if runs <= 3 {
                // An editor that knows nothing of our lock.
                let text = lab
                    .text()
                    .replace("\"Search\"", &format!("\"Search {runs}\""))
                    .replace(&format!("\"Search {}\"", runs - 1), &format!("\"Search {runs}\""));
                fs::write(lab.path(), text).unwrap();
            }
            context.push(session(90, "ours"));
            runs
        })
        .unwrap();
    assert_eq!(updated.value, 4);
    assert_eq!(purposes(&updated.context), ["Queue", "Search 3", "ours"]);
    assert_eq!(purposes(&lab.read()), ["Queue", "Search 3", "ours"]);
    assert_eq!(lab.ledger().len(), 1);

    let error = lab.store().update(|context| {
        context.push(session(91, "never"));
        fs::write(lab.path(), lab.text() + " ").unwrap();
    });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("changed 20 times"), "{error}");
    assert_eq!(lab.beside(), ["context.json"]);
}

#[test]
fn somebody_who_writes_at_the_last_moment_is_not_overwritten() {
    thread_local! {
        static PATH: std::cell::RefCell<PathBuf> = const { std::cell::RefCell::new(PathBuf::new()) };
    }
    let lab = Lab::with(OLDER);
    PATH.with(|it| it.replace(lab.path()));
    let store = lab.store().at_steps(|step| {
        let path = PATH.with(std::cell::RefCell::take);
        if step == Step::Logged && path.is_absolute() {
            let text = fs::read_to_string(&path).unwrap().replace("\"Search\"", "\"Search, by hand\"");
            fs::write(path, text).unwrap();
        } else {
            PATH.with(|it| it.replace(path));
        }
    });
    store.update(|context| context.push(session(90, "ours"))).unwrap();
    assert_eq!(purposes(&lab.read()), ["Queue", "Search, by hand", "ours"]);
    // The first line of the ledger did not happen, and is taken back.
    let undone: Vec<bool> = lab.ledger().iter().map(|it| it.get("undone").is_some()).collect();
    assert_eq!(undone, [false, true, false]);
}

#[test]
fn an_update_waits_for_another_and_not_for_ever() {
    let lab = Lab::with(OLDER);
    let lock = lab.state().join("context/lock");
    let held = crate::file::Lock::acquire(&lock).unwrap();
    let store = lab.store().waiting(Duration::from_millis(20));
    let error = store.update(|context| context.push(session(90, "x"))).unwrap_err().to_string();
    assert!(error.contains("stayed locked for 20 ms"), "{error}");
    assert_eq!(purposes(&lab.read()), ["Queue", "Search"], "reading does not wait");
    drop(held);
    store.update(|context| context.push(session(90, "x"))).unwrap();
}

#[test]
fn what_a_killed_update_left_is_removed_when_it_is_old() {
    let lab = Lab::with(OLDER);
    let left = |name: &str, age: u64| {
        let path = lab.project().join(name);
        let file = fs::File::create(&path).unwrap();
        file.set_modified(std::time::SystemTime::now() - Duration::from_secs(age)).unwrap();
    };
    left(".hostler-context-old.tmp", 100);
    left(".hostler-context-new.tmp", 5);
    left(".hostler-other.tmp", 100);
    lab.begin("next");
    assert_eq!(lab.beside(), [".hostler-context-new.tmp", ".hostler-other.tmp", "context.json"]);
}

#[test]
fn a_large_file_is_read_and_a_larger_one_refused() {
    let lab = Lab::with(OLDER);
    let padding = "x".repeat(100 * 1024 * 1024);
    let text = OLDER.replace("\"state\"", &format!("\"padding\": \"{padding}\",\n  \"state\""));
    fs::write(lab.path(), text).unwrap();
    lab.begin("after the padding");
    assert_eq!(lab.read().last().unwrap().1.purpose, "after the padding");
    assert!(100 * 1024 * 1024 < fs::metadata(lab.path()).unwrap().len());
    let file = fs::File::options().write(true).open(lab.path()).unwrap();
    file.set_len(FILE_BYTES_MAX + 1).unwrap();
    let error = lab.store().read().unwrap_err().to_string();
    assert!(error.contains("more than the 268435456 that are read; take out"), "{error}");
}

#[test]
fn a_deep_file_is_read() {
    let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    let lab = Lab::with(OLDER.replace("\"state\"", &format!("\"deep\": {deep},\n  \"state\"")));
    lab.begin("after the depth");
    assert_eq!(purposes(&lab.read()), ["Queue", "Search", "after the depth"]);
    assert!(lab.text().contains(&deep));
}
