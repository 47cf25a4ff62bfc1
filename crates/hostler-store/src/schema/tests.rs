#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use super::*;

const NEXT: &str = "CREATE TABLE later (id INTEGER PRIMARY KEY); INSERT INTO later SELECT id FROM files;";
const BROKEN: &str =
    "CREATE TABLE half (id INTEGER); INSERT INTO half VALUES (1); INSERT INTO nowhere VALUES (1);";

fn number(connection: &Connection, sql: &str) -> i64 {
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// A database at the version that `steps` lead to, with two files in it.
fn made(path: &Path) -> Connection {
    let connection = open_to_write(path, STEPS).unwrap();
    connection
        .execute_batch(
            "INSERT INTO files (path, size, mtime_ns, nature, chunk_count)
             VALUES ('a', 1, 1, 0, 0), ('b', 1, 1, 0, 0)",
        )
        .unwrap();
    connection
}

#[test]
fn a_database_is_brought_to_the_next_version_with_what_is_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    drop(made(&path));
    let steps = [STEPS, &[NEXT]].concat();
    let connection = open_to_write(&path, &steps).unwrap();
    assert_eq!(number(&connection, "PRAGMA user_version"), latest(STEPS) + 1);
    assert_eq!(number(&connection, "SELECT count(*) FROM later"), 2);
    drop(connection);
    assert!(
        matches!(open_to_write(&path, STEPS), Err(Error::Newer { .. })),
        "an older hostler leaves it alone"
    );
}

#[test]
fn a_step_that_stops_half_way_leaves_the_old_version() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    drop(made(&path));
    let steps = [STEPS, &[NEXT, BROKEN]].concat();
    for _ in 0..2 {
        assert!(matches!(open_to_write(&path, &steps), Err(Error::Sql { .. })));
        let connection = open_to_read(&path).unwrap().unwrap();
        assert_eq!(number(&connection, "PRAGMA user_version"), latest(STEPS));
        assert_eq!(number(&connection, "SELECT count(*) FROM files"), 2);
        assert_eq!(
            number(&connection, "SELECT count(*) FROM sqlite_schema WHERE name IN ('half', 'later')"),
            0
        );
    }
    let steps = [STEPS, &[NEXT]].concat();
    assert_eq!(number(&open_to_write(&path, &steps).unwrap(), "SELECT count(*) FROM later"), 2);
}

#[test]
fn version_0_is_what_a_stopped_first_run_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.db");
    std::fs::write(&empty, "").unwrap();
    let without_tables = folder.path().join("header.db");
    Connection::open(&without_tables).unwrap().execute_batch("PRAGMA journal_mode = WAL").unwrap();
    assert!(without_tables.metadata().unwrap().len() > 0);
    for path in [empty, without_tables] {
        assert!(open_to_read(&path).unwrap().is_none());
        assert_eq!(number(&made(&path), "PRAGMA user_version"), latest(STEPS));
        assert_eq!(kind(&path).unwrap(), Kind::Ours, "the mark stands in the file itself");
    }
}

#[test]
fn a_reader_tells_a_version_that_is_not_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let connection = made(&path);
    connection.execute_batch("PRAGMA user_version = 999").unwrap();
    assert!(matches!(open_to_read(&path), Err(Error::Newer { found: 999, .. })));
    assert!(matches!(open_to_write(&path, STEPS), Err(Error::Newer { found: 999, .. })));
}

#[test]
fn any_name_can_be_opened_as_unchanging() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a b", "100%", "a?b=c#d", "ä", "%41"] {
        let path = folder.path().join(name);
        let connection = made(&path);
        connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        drop(connection);
        let (connection, version) =
            opened_to_read(&path, &unchanging(&path), OpenFlags::SQLITE_OPEN_URI).unwrap();
        assert_eq!(version, latest(STEPS), "{name}");
        assert_eq!(number(&connection, "SELECT count(*) FROM files"), 2, "{name}");
    }
}
