//! Files that are not ours, or no longer whole.

use std::path::{Path, PathBuf};

use hostler_store::{Error, Reader, Writer};

use crate::common::{WAIT, open, place, put};

/// A database of another program.
fn other_program(path: &Path, sql: &str) {
    rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

fn bytes(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().path())
        .map(|path| (path.clone(), std::fs::read(&path).unwrap_or_default()))
        .collect();
    all.sort();
    all
}

/// What `make` puts at a path is refused by everything as foreign, and no byte of it or beside it changes.
#[track_caller]
fn check_foreign(make: impl Fn(&Path)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("theirs.db");
    make(&path);
    let before = bytes(folder.path());
    let errors = [
        Reader::open(&path).map(|_| ()).unwrap_err(),
        Writer::open(&path, WAIT).map(|_| ()).unwrap_err(),
        Writer::rebuild(&path, WAIT).map(|_| ()).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, Error::Foreign { .. }), "{error}");
        assert!(error.to_string().contains("RAG_DB"), "it says what to do: {error}");
    }
    assert!(bytes(folder.path()) == before, "something changed");
}

#[test]
fn what_is_not_ours_is_left_alone() {
    check_foreign(|path| std::fs::write(path, "some text").unwrap());
    check_foreign(|path| std::fs::write(path, vec![0; 5000]).unwrap());
    check_foreign(|path| std::fs::write(path, vec![0xff; 100_000]).unwrap());
    check_foreign(|path| std::fs::write(path, "SQLite format 3\0").unwrap());
    check_foreign(|path| std::fs::create_dir(path).unwrap());
    check_foreign(|path| other_program(path, "PRAGMA application_id = 77; CREATE TABLE a (b)"));
    check_foreign(|path| other_program(path, "PRAGMA application_id = 77; PRAGMA user_version = 1"));
    // Without a mark of its own, as most are: the source's index is one.
    check_foreign(|path| {
        other_program(
            path,
            "CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT UNIQUE, hash TEXT);
             INSERT INTO files VALUES (1, '/a', 'b')",
        );
    });
    check_foreign(|path| other_program(path, "PRAGMA user_version = 4"));
    check_foreign(|path| other_program(path, "PRAGMA journal_mode = WAL; CREATE TABLE files (id)"));
}

#[test]
fn a_database_that_somebody_else_has_open_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("theirs.db");
    let theirs = rusqlite::Connection::open(&path).unwrap();
    theirs.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE a (b); INSERT INTO a VALUES (1)").unwrap();
    let files = || [&path, &folder.path().join("theirs.db-wal")].map(|it| std::fs::read(it).unwrap());
    let before = files();
    assert!(matches!(Reader::open(&path), Err(Error::Foreign { .. })));
    assert!(matches!(Writer::open(&path, WAIT), Err(Error::Foreign { .. })));
    assert!(files() == before);
    theirs.execute_batch("INSERT INTO a VALUES (2)").unwrap();
}

/// An index with so much in it that each part of it fills pages.
fn large(path: &Path) {
    let mut writer = open(path);
    let texts: Vec<String> =
        (0..400).map(|it| format!("word{it} {}", format!("text{} ", it * 7).repeat(60))).collect();
    for (number, group) in texts.chunks(20).enumerate() {
        put(&mut writer, &format!("{number}.rs"), &group.iter().map(String::as_str).collect::<Vec<_>>());
    }
    writer.checkpoint().unwrap();
}

/// What reading all of it says.
fn read_all(path: &Path) -> Result<Vec<String>, Error> {
    match Reader::open(path)? {
        Some(reader) => reader.check(),
        None => Ok(vec!["nothing is there".into()]),
    }
}

/// After `spoil`, the damage is told, and a rebuild keeps the old file and begins anew.
#[track_caller]
fn check_damaged(spoil: impl Fn(&Path)) {
    let (_folder, path) = place();
    large(&path);
    assert_eq!(read_all(&path).unwrap(), [""; 0]);
    spoil(&path);
    match read_all(&path) {
        Err(error) => {
            assert!(matches!(error, Error::Damaged { .. }), "{error}");
            assert!(error.to_string().contains("--rebuild"), "{error}");
        }
        Ok(faults) => assert!(!faults.is_empty(), "the damage is not seen"),
    }
    let spoiled = std::fs::read(&path).unwrap();
    let (mut writer, aside) = Writer::rebuild(&path, WAIT).unwrap();
    let aside = aside.unwrap();
    assert_eq!(std::fs::read(&aside).unwrap(), spoiled, "{}", aside.display());
    put(&mut writer, "a", &["one"]);
    assert_eq!(writer.reader().check().unwrap(), [""; 0]);
    drop(writer);
    let (_writer, again) = Writer::rebuild(&path, WAIT).unwrap();
    assert_ne!(again.unwrap(), aside, "nothing that was kept is overwritten");
}

#[test]
fn damage_is_told_and_moved_aside_on_request() {
    let cut = |path: &Path, keep: fn(u64) -> u64| {
        let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
        file.set_len(keep(file.metadata().unwrap().len())).unwrap();
    };
    check_damaged(|path| cut(path, |length| length / 2));
    check_damaged(|path| cut(path, |_| 8192));
    check_damaged(|path| cut(path, |_| 150));
    check_damaged(|path| cut(path, |length| length - 8192));
    let fill = |path: &Path, from: usize| {
        let mut bytes = std::fs::read(path).unwrap();
        bytes[from..].fill(0x5a);
        std::fs::write(path, bytes).unwrap();
    };
    check_damaged(|path| fill(path, 100));
    check_damaged(|path| fill(path, 8192 * 3));
}

#[test]
fn an_index_without_our_tables_is_damaged() {
    let (_folder, path) = place();
    large(&path);
    other_program(&path, "DROP TABLE state");
    assert!(matches!(read_all(&path), Err(Error::Damaged { .. })));
    assert!(matches!(Writer::open(&path, WAIT), Err(Error::Damaged { .. })));
}

/// What `sql` leaves, done by another program, is told by a check.
#[track_caller]
fn check_seen(sql: &str, told: &str) {
    let (_folder, path) = place();
    large(&path);
    other_program(&path, sql);
    let faults = read_all(&path).unwrap();
    assert!(faults.iter().any(|it| it.contains(told)), "{sql}: {faults:?}");
}

#[test]
fn a_check_sees_what_does_not_fit_together() {
    check_seen("DELETE FROM chunks WHERE id = 5", "fewer or more");
    check_seen("DELETE FROM files WHERE path = '3.rs'", "outside the range");
    check_seen("UPDATE chunks SET file_id = 1 WHERE id = 50", "outside the range");
    check_seen("UPDATE state SET chunks = 3", "counted wrong");
    check_seen("UPDATE state SET next_chunk = 3", "given out twice");
    check_seen("DELETE FROM words WHERE rowid = 5", "chunks without words");
    check_seen("INSERT INTO words (rowid, body) VALUES (900, 'x')", "words without a chunk");
    check_seen("INSERT INTO vectors VALUES (77, 1, x'00')", "vectors without a file");
    check_seen("UPDATE files SET skipped = 1 WHERE id = 2", "both indexed and passed over");
    check_seen("DELETE FROM words_data WHERE id > 10", "words");
    check_seen("DELETE FROM names_data WHERE id > 10", "names");
}

#[test]
fn a_log_that_is_cut_or_garbage_loses_no_more_than_its_own_transactions() {
    for spoil in [0_usize, 100, 5000, 20_000] {
        let (_folder, path) = place();
        let mut writer = open(&path);
        put(&mut writer, "a", &["one"]);
        writer.checkpoint().unwrap();
        put(&mut writer, "b", &["two"]);
        let log = path.with_file_name("index.db-wal");
        let copy = tempfile::tempdir().unwrap();
        // As a stop of the machine leaves it: the files without the process.
        std::fs::copy(&path, copy.path().join("index.db")).unwrap();
        let bytes = std::fs::read(&log).unwrap();
        std::fs::write(copy.path().join("index.db-wal"), &bytes[..spoil.min(bytes.len())]).unwrap();
        let path = copy.path().join("index.db");
        let mut writer = open(&path);
        assert!(writer.reader().file("a").unwrap().is_some());
        put(&mut writer, "c", &["three"]);
        assert_eq!(writer.reader().check().unwrap(), [""; 0]);
    }
}

#[test]
fn a_large_log_is_brought_in_at_the_end_and_a_small_one_is_left() {
    let (_folder, path) = place();
    let log = || path.with_file_name("index.db-wal").metadata().unwrap().len();
    let mut writer = open(&path);
    put(&mut writer, "a", &["one"]);
    drop(writer);
    assert!((1..1 << 20).contains(&log()), "{}", log());
    let mut writer = open(&path);
    let text = "many words ".repeat(200_000);
    put(&mut writer, "a", &[&text]);
    assert!(1 << 20 < log());
    drop(writer);
    assert_eq!(log(), 0);
}

#[test]
fn nothing_to_rebuild_is_a_new_index() {
    let (_folder, path) = place();
    let (mut writer, aside) = Writer::rebuild(&path, WAIT).unwrap();
    assert_eq!(aside, None);
    put(&mut writer, "a", &["one"]);
    drop(writer);
    std::fs::write(&path, "").unwrap();
    let (writer, aside) = Writer::rebuild(&path, WAIT).unwrap();
    assert_eq!(aside, None);
    assert_eq!(writer.reader().check().unwrap(), [""; 0]);
}

#[test]
fn names_that_are_not_utf_8_and_strange_ones_are_taken() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    for name in [&b"\xff\xfe.db"[..], b"a?b#c%41.db", b"-x", b"file:memory", b"line\nbreak"] {
        let path = folder.path().join(std::ffi::OsStr::from_bytes(name));
        let mut writer = open(&path);
        put(&mut writer, "a", &["one"]);
        assert!(Reader::open(&path).unwrap().is_some(), "{name:?}");
        assert!(path.exists(), "{name:?}");
    }
}
