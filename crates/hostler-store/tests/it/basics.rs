//! What is put, replaced, renamed, passed over and removed.

use hostler_store::{ChunkRow, Counts, Error, NewFile, Reader, Renamed};

use crate::common::{WAIT, chunks, file, open, place, put};

fn texts(rows: &[ChunkRow]) -> Vec<&str> {
    rows.iter().map(|it| it.text.as_str()).collect()
}

#[test]
fn there_is_no_index_before_the_first_writer() {
    let (_folder, path) = place();
    assert!(Reader::open(&path).unwrap().is_none());
    assert!(!path.parent().unwrap().exists(), "a look makes nothing");
    drop(open(&path));
    let reader = Reader::open(&path).unwrap().unwrap();
    assert_eq!(reader.counts().unwrap(), Counts::default());
    assert_eq!(reader.chunk_count().unwrap(), 0);
    assert_eq!(reader.check().unwrap(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn what_is_made_is_for_the_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = place();
    let mut writer = open(&path);
    put(&mut writer, "a", &["one"]);
    for entry in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", entry.path());
    }
    assert_eq!(path.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn what_is_put_stands_there_as_it_was_given() {
    let (_folder, path) = place();
    let mut writer = open(&path);
    let id = put(&mut writer, "src/a.rs", &["alpha one two", "beta two three"]);
    let reader = Reader::open(&path).unwrap().unwrap();
    let row = reader.file("src/a.rs").unwrap().unwrap();
    assert_eq!((row.id, row.size, row.mtime_ns, row.sha256, row.nature), (id, 10, 20, [7; 32], 1));
    assert_eq!(row.skipped, None);
    let rows = reader.chunks_of("src/a.rs").unwrap();
    assert_eq!(texts(&rows), ["alpha one two", "beta two three"]);
    let second = &rows[1];
    assert_eq!((second.ordinal, second.start_line, second.end_line, second.nature), (1, 11, 19, 1));
    assert_eq!((second.heading.as_str(), second.symbol.as_str()), ("a > b", "beta"));
    assert_eq!(reader.chunk(second.id).unwrap().as_ref(), Some(second));
    assert_eq!(reader.chunk(999).unwrap(), None);
    let ids = [rows[1].id, 999, rows[0].id];
    assert_eq!(
        texts(&reader.chunks(&ids).unwrap()),
        ["beta two three", "alpha one two"],
        "in the order asked for"
    );
}

#[test]
fn a_changed_file_has_new_chunks_and_no_id_is_given_out_again() {
    let (_folder, path) = place();
    let mut writer = open(&path);
    let id = put(&mut writer, "a", &["one", "two"]);
    put(&mut writer, "b", &["three"]);
    let before: Vec<i64> = writer.reader().chunks_of("a").unwrap().iter().map(|it| it.id).collect();
    assert_eq!(put(&mut writer, "a", &["four"]), id, "the file is the same");
    let rows = writer.reader().chunks_of("a").unwrap();
    assert_eq!(texts(&rows), ["four"]);
    assert!(!before.contains(&rows[0].id));
    for gone in before {
        assert_eq!(writer.reader().chunk(gone).unwrap(), None);
    }
    let mut batch = writer.batch().unwrap();
    assert!(batch.remove("a").unwrap());
    assert!(!batch.remove("a").unwrap());
    batch.commit().unwrap();
    put(&mut writer, "c", &["five"]);
    assert!(rows[0].id < writer.reader().chunks_of("c").unwrap()[0].id);
    assert_eq!(writer.reader().check().unwrap(), [""; 0]);
}

#[test]
fn a_batch_that_is_dropped_never_happened() {
    let (_folder, path) = place();
    let mut writer = open(&path);
    put(&mut writer, "a", &["one"]);
    let mut batch = writer.batch().unwrap();
    batch.put(&file("b"), &chunks("b", &["two"])).unwrap();
    batch.remove("a").unwrap();
    batch.set_meta("key", "value").unwrap();
    drop(batch);
    let reader = writer.reader();
    assert!(reader.file("a").unwrap().is_some() && reader.file("b").unwrap().is_none());
    assert_eq!(reader.meta("key").unwrap(), None);
    assert_eq!(reader.chunk_count().unwrap(), 1);
    assert_eq!(reader.check().unwrap(), [""; 0]);
}

#[test]
fn a_rename_keeps_ids_where_it_can() {
    let (_folder, path) = place();
    let mut writer = open(&path);
    let id = put(&mut writer, "old.rs", &["one", "two"]);
    put(&mut writer, "taken.rs", &["three"]);
    let before: Vec<i64> = writer.reader().chunks_of("old.rs").unwrap().iter().map(|it| it.id).collect();
    let mut rename = |from: &str, to: &str, texts: &[&str]| {
        let mut batch = writer.batch().unwrap();
        let renamed = batch.rename(from, &NewFile { mtime_ns: 99, ..file(to) }, &chunks(to, texts)).unwrap();
        batch.commit().unwrap();
        renamed
    };
    assert_eq!(rename("nothing.rs", "else.rs", &["one"]), Renamed::Missing);
    assert_eq!(rename("old.rs", "taken.rs", &["one", "two"]), Renamed::Kept);
    let reader = Reader::open(&path).unwrap().unwrap();
    let row = reader.file("taken.rs").unwrap().unwrap();
    assert_eq!((row.id, row.mtime_ns), (id, 99));
    let rows = reader.chunks_of("taken.rs").unwrap();
    assert_eq!(rows.iter().map(|it| it.id).collect::<Vec<_>>(), before);
    assert!(reader.file("old.rs").unwrap().is_none());
    let found = |words: &str| reader.search(words, [1.0; 5], &|_| true, 10).unwrap().len();
    assert_eq!((found("path : old"), found("path : taken"), found("three")), (0, 2, 0));
    assert_eq!(rename("taken.rs", "new.md", &["other"]), Renamed::Replaced);
    assert_eq!(texts(&reader.chunks_of("new.md").unwrap()), ["other"]);
    assert_eq!(reader.counts().unwrap().files, 1);
    assert_eq!(reader.check().unwrap(), [""; 0]);
}

#[test]
fn files_that_are_passed_over_are_remembered_with_their_cause() {
    let (_folder, path) = place();
    let mut writer = open(&path);
    put(&mut writer, "becomes binary", &["one"]);
    let mut batch = writer.batch().unwrap();
    batch.skip("becomes binary", 2, 5, 6).unwrap();
    batch.skip("too large", 3, u64::MAX, 7).unwrap();
    batch.skip("too large", 3, 1 << 40, 8).unwrap();
    batch.commit().unwrap();
    let reader = writer.reader();
    let counts = reader.counts().unwrap();
    assert_eq!(counts, Counts { files: 0, chunks: 0, vectors: 0, skipped: vec![(2, 1), (3, 1)] });
    let row = reader.file("too large").unwrap().unwrap();
    assert_eq!((row.size, row.mtime_ns, row.skipped, row.sha256), (1 << 40, 8, Some(3), [0; 32]));
    assert_eq!(reader.search("one", [1.0; 5], &|_| true, 10).unwrap(), []);
    put(&mut writer, "becomes binary", &["text again"]);
    let row = writer.reader().file("becomes binary").unwrap().unwrap();
    assert_eq!(row.skipped, None);
    assert_eq!(writer.reader().check().unwrap(), [""; 0]);
}

#[test]
fn files_come_in_the_order_of_their_bytes() {
    let (_folder, path) = place();
    let mut writer = open(&path);
    for name in ["b", "a/z", "ä", "a-b", "B", "a", "a.b"] {
        put(&mut writer, name, &["x"]);
    }
    let mut seen = Vec::new();
    writer.reader().files(&mut |row| seen.push(row.path)).unwrap();
    assert_eq!(seen, ["B", "a", "a-b", "a.b", "a/z", "b", "ä"]);
}

#[test]
fn notes_times_and_clearing() {
    let (_folder, path) = place();
    let mut writer = open(&path);
    put(&mut writer, "a", &["one"]);
    writer.set_meta("root", "/x").unwrap();
    let mut batch = writer.batch().unwrap();
    assert!(batch.touch("a", 11, -5).unwrap());
    assert!(!batch.touch("b", 1, 1).unwrap());
    batch.set_meta("root", "/y").unwrap();
    batch.commit().unwrap();
    let row = writer.reader().file("a").unwrap().unwrap();
    assert_eq!((row.size, row.mtime_ns), (11, -5));
    let last = writer.reader().chunks_of("a").unwrap()[0].id;
    let mut batch = writer.batch().unwrap();
    batch.clear().unwrap();
    batch.put(&file("b"), &chunks("b", &["two"])).unwrap();
    batch.commit().unwrap();
    let reader = writer.reader();
    assert_eq!(reader.counts().unwrap(), Counts { files: 1, chunks: 1, ..Counts::default() });
    assert_eq!(reader.meta("root").unwrap().as_deref(), Some("/y"));
    assert!(last < reader.chunks_of("b").unwrap()[0].id);
    assert_eq!(reader.search("one", [1.0; 5], &|_| true, 10).unwrap(), []);
    assert_eq!(reader.check().unwrap(), [""; 0]);
    writer.checkpoint().unwrap();
}

#[test]
fn what_does_not_fit_together_is_refused_before_anything_changes() {
    let (_folder, path) = place();
    let mut writer = open(&path);
    put(&mut writer, "a", &["before"]);
    let mut batch = writer.batch().unwrap();
    let mut wrong = chunks("a", &["one", "two"]);
    wrong[1].ordinal = 5;
    assert!(matches!(batch.put(&file("a"), &wrong), Err(Error::Input { .. })));
    assert!(matches!(batch.rename("a", &file("b"), &wrong), Err(Error::Input { .. })));
    batch.commit().unwrap();
    assert_eq!(texts(&writer.reader().chunks_of("a").unwrap()), ["before"]);
    assert_eq!(writer.reader().check().unwrap(), [""; 0]);
}

#[test]
fn a_batch_of_which_a_change_failed_is_not_kept() {
    let (_folder, path) = place();
    let mut writer = open(&path);
    put(&mut writer, "a", &["before"]);
    let mut batch = writer.batch().unwrap();
    let mut wrong = chunks("a", &["one", "two"]);
    wrong[0].vector = Some(&[1.0]);
    wrong[1].vector = Some(&[1.0, 0.0]);
    assert!(matches!(batch.put(&file("a"), &wrong), Err(Error::Input { .. })));
    assert!(matches!(batch.put(&file("b"), &chunks("b", &["x"])), Err(Error::Spoiled { .. })));
    assert!(matches!(batch.commit(), Err(Error::Spoiled { .. })));
    assert_eq!(texts(&writer.reader().chunks_of("a").unwrap()), ["before"]);
    assert!(writer.reader().file("b").unwrap().is_none());
    assert_eq!(writer.reader().check().unwrap(), [""; 0]);
}

#[test]
fn a_snapshot_sees_one_state_and_what_it_began_with() {
    let (_folder, path) = place();
    let mut writer = open(&path);
    put(&mut writer, "a", &["one"]);
    let reader = Reader::open(&path).unwrap().unwrap();
    let outer = reader.snapshot().unwrap();
    assert_eq!(reader.chunk_count().unwrap(), 1);
    let inner = reader.snapshot().unwrap();
    put(&mut writer, "b", &["two"]);
    drop(inner);
    assert_eq!(reader.chunk_count().unwrap(), 1);
    drop(outer);
    assert_eq!(reader.chunk_count().unwrap(), 2);
}

#[test]
fn one_writer_at_a_time_and_the_lock_ends_with_it() {
    let (_folder, path) = place();
    let writer = open(&path);
    let error = hostler_store::Writer::open(&path, std::time::Duration::from_millis(30)).unwrap_err();
    assert!(matches!(&error, Error::Busy { waited_ms, .. } if 30 <= *waited_ms), "{error}");
    drop(writer);
    hostler_store::Writer::open(&path, WAIT).unwrap();
}

#[test]
fn an_index_behind_a_link_is_one_index() {
    let (folder, path) = place();
    drop(open(&path));
    let link = folder.path().join("link.db");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let mut writer = open(&link);
    put(&mut writer, "a", &["one"]);
    assert!(matches!(hostler_store::Writer::open(&path, std::time::Duration::ZERO), Err(Error::Busy { .. })));
    assert_eq!(Reader::open(&path).unwrap().unwrap().chunk_count().unwrap(), 1);
    drop(writer);
    let (_writer, aside) = hostler_store::Writer::rebuild(&link, WAIT).unwrap();
    assert_eq!(aside.unwrap().parent(), Some(path.parent().unwrap().canonicalize().unwrap().as_path()));
    assert!(link.is_symlink());
}
