//! What a database of ours looks like, how one is told from others, and how an older one is brought up to date.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::error::Error;
use crate::lock::beside;

/// How long a lock inside of `SQLite` is waited for: those of recovery and of the last one out, which take milliseconds.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(10);
/// "hstl": `PRAGMA application_id`.
pub(crate) const APPLICATION: i64 = 0x6873_746c;
/// First bytes of every `SQLite` database.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Bytes of a database's header.
const HEADER_BYTES: usize = 100;
/// Bytes of a page. Text of a chunk is a kilobyte: fewer, larger pages waste less.
const PAGE_BYTES: u32 = 8192;

/// One step from the version that is its index to the next.
pub(crate) type Step = &'static str;

/// How a database comes from version 0, which is empty, to the present one. Steps that were released never change.
pub(crate) const STEPS: &[Step] = &["
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE files (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        sha256 BLOB,
        nature INTEGER NOT NULL,
        skipped INTEGER,
        first_chunk INTEGER,
        chunk_count INTEGER NOT NULL
    );
    CREATE UNIQUE INDEX files_by_chunk ON files (first_chunk) WHERE first_chunk IS NOT NULL;
    CREATE TABLE chunks (
        id INTEGER PRIMARY KEY,
        file_id INTEGER NOT NULL,
        ordinal INTEGER NOT NULL,
        heading TEXT NOT NULL,
        symbol TEXT NOT NULL,
        start_line INTEGER NOT NULL,
        end_line INTEGER NOT NULL,
        text TEXT NOT NULL
    );
    CREATE TABLE state (only INTEGER PRIMARY KEY CHECK (only = 1), next_chunk INTEGER NOT NULL, chunks INTEGER NOT NULL);
    INSERT INTO state VALUES (1, 1, 0);
    CREATE TABLE lengths (block INTEGER PRIMARY KEY, data BLOB NOT NULL);
    CREATE TABLE vectors (
        file_id INTEGER PRIMARY KEY,
        present INTEGER NOT NULL,
        data BLOB NOT NULL
    );
    CREATE VIRTUAL TABLE words USING fts5 (
        symbol, path, heading, doc, body,
        content = '', contentless_delete = 1, tokenize = 'porter unicode61'
    );
    INSERT INTO words (words, rank) VALUES ('pgsz', 8000);
    CREATE VIRTUAL TABLE names USING fts5 (
        symbol, heading, doc,
        content = '', contentless_delete = 1, tokenize = 'porter unicode61'
    );
    INSERT INTO names (names, rank) VALUES ('pgsz', 8000);
    CREATE VIRTUAL TABLE stems USING fts5vocab (words, row);
"];

/// What every index of the present version has.
const TABLES: [&str; 9] =
    ["meta", "files", "chunks", "state", "lengths", "vectors", "words", "names", "stems"];

/// What a database is that is not ours.
const OTHERS: &str = "a database of another program";

/// What a look at the first bytes of a file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// There is no file.
    Missing,
    /// Nothing stands in it.
    Empty,
    /// A database that says that it is ours.
    Ours,
    /// A database with the mark of nobody: of another program, or of ours when it was stopped while being made.
    Unmarked,
    /// Something else; what.
    Foreign(&'static str),
}

/// The path behind a link: what stands beside a database is beside the file itself.
pub(crate) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// Looks at the header; opens no database.
pub(crate) fn kind(path: &Path) -> Result<Kind, Error> {
    let mut header = Vec::with_capacity(HEADER_BYTES);
    match File::open(path) {
        Ok(file) => {
            if !file.metadata().map_err(Error::io("look at", path))?.is_file() {
                return Ok(Kind::Foreign("no regular file"));
            }
            file.take(HEADER_BYTES as u64).read_to_end(&mut header).map_err(Error::io("read", path))?;
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Kind::Missing),
        Err(error) => return Err(Error::io("read", path)(error)),
    }
    if header.is_empty() {
        return Ok(Kind::Empty);
    }
    if header.len() < HEADER_BYTES || !header.starts_with(MAGIC) {
        // A database that is being made has a journal; what it holds is put back when it is opened.
        let unfinished = header.iter().all(|byte| *byte == 0) && beside(path, "-journal").exists();
        return Ok(if unfinished { Kind::Unmarked } else { Kind::Foreign("no SQLite database") });
    }
    let mark = header[68..72].iter().fold(0_i64, |mark, byte| mark << 8 | i64::from(*byte));
    Ok(match mark {
        APPLICATION => Kind::Ours,
        0 => Kind::Unmarked,
        _ => Kind::Foreign(OTHERS),
    })
}

/// Opens the database at `path` for writing, made or brought up to date by `steps`. The caller holds the lock.
pub(crate) fn open_to_write(path: &Path, steps: &[Step]) -> Result<Connection, Error> {
    match kind(path)? {
        Kind::Missing => make(path)?,
        Kind::Unmarked => refuse_others(path)?,
        Kind::Empty | Kind::Ours => {}
        Kind::Foreign(what) => return Err(Error::Foreign { path: path.to_path_buf(), what }),
    }
    let failed = |action| Error::sql(action, path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed("open"))?;
    connection.busy_timeout(WAIT_MAX).map_err(failed("open"))?;
    let found = identify(&connection, path)?;
    let known = latest(steps);
    if known < found {
        return Err(Error::Newer { path: path.to_path_buf(), found, known });
    }
    if connection.is_readonly(rusqlite::MAIN_DB).map_err(failed("open"))? {
        return Err(Error::ReadOnly {
            path: path.to_path_buf(),
            what: "its permissions allow reading only".into(),
        });
    }
    migrate(&mut connection, path, found, steps)?;
    check_tables(&connection, path)?;
    set_up_writing(&connection).map_err(failed("set up"))?;
    Ok(connection)
}

fn latest(steps: &[Step]) -> i64 {
    i64::try_from(steps.len()).unwrap_or(i64::MAX)
}

/// An empty file for the user alone, with its folders: `SQLite` would make one for everybody.
fn make(path: &Path) -> Result<(), Error> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(Error::io("make", path)(error)),
        _ => Ok(()),
    }
}

/// Makes the folder of `path` and its parents, for the user alone.
pub(crate) fn make_folder(path: &Path) -> Result<(), Error> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => {
            let mut builder = DirBuilder::new();
            builder.recursive(true).mode(0o700).create(folder).map_err(Error::io("make folder", folder))
        }
        _ => Ok(()),
    }
}

/// The version of a database of ours, 0 where nothing stands in it yet; an error for one of somebody else.
fn identify(connection: &Connection, path: &Path) -> Result<i64, Error> {
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let failed = |error| Error::sql("read", path)(error);
    let mark = number("PRAGMA application_id").map_err(failed)?;
    let version = number("PRAGMA user_version").map_err(failed)?;
    if mark == APPLICATION {
        return Ok(version);
    }
    let tables = number("SELECT count(*) FROM sqlite_schema").map_err(failed)?;
    if mark == 0 && version == 0 && tables == 0 {
        return Ok(0);
    }
    Err(Error::Foreign { path: path.to_path_buf(), what: OTHERS })
}

/// An error where one of our tables is missing.
fn check_tables(connection: &Connection, path: &Path) -> Result<(), Error> {
    let list = TABLES.map(|it| format!("'{it}'")).join(", ");
    let sql = format!("SELECT count(*) FROM sqlite_schema WHERE name IN ({list})");
    let there: i64 = connection.query_row(&sql, [], |row| row.get(0)).map_err(Error::sql("read", path))?;
    if usize::try_from(there) == Ok(TABLES.len()) {
        return Ok(());
    }
    let what = format!("it has {there} of the {} tables of an index", TABLES.len());
    Err(Error::Damaged { path: path.to_path_buf(), what })
}

/// All steps, the version and our mark in one transaction: a stop at any point leaves the old version.
fn migrate(connection: &mut Connection, path: &Path, found: i64, steps: &[Step]) -> Result<(), Error> {
    let failed = |action| Error::sql(action, path);
    let known = latest(steps);
    if found == 0 {
        // Before the log is switched on: the mark must stand in the file itself, where others look for it.
        let sql = format!("PRAGMA page_size = {PAGE_BYTES}; PRAGMA journal_mode = DELETE");
        connection.execute_batch(&sql).map_err(failed("make"))?;
    }
    if found < known {
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed("bring up to date"))?;
        for step in steps.iter().skip(usize::try_from(found).unwrap_or(0)) {
            transaction.execute_batch(step).map_err(failed("bring up to date"))?;
        }
        transaction
            .execute_batch(&format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {known}"))
            .map_err(failed("bring up to date"))?;
        transaction.commit().map_err(failed("bring up to date"))?;
    }
    let mode: String = connection
        .query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))
        .map_err(failed("switch the log on"))?;
    if mode != "wal" {
        let what = format!("its file system allows no write-ahead log, only `{mode}`");
        return Err(Error::ReadOnly { path: path.to_path_buf(), what });
    }
    Ok(())
}

/// NORMAL: a stop of the machine may take back the last transactions, never parts of one.
fn set_up_writing(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "PRAGMA synchronous = NORMAL;
         PRAGMA journal_size_limit = 67108864;
         PRAGMA cache_size = -32768;
         PRAGMA temp_store = MEMORY;",
    )?;
    // The last one out would bring the log in and wait for the disk, after the smallest run.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Opens the database at `path` for reading; `None` where there is none or nothing in it yet.
pub(crate) fn open_to_read(path: &Path) -> Result<Option<Connection>, Error> {
    match kind(path)? {
        Kind::Missing | Kind::Empty => return Ok(None),
        // Ours has its mark from its first transaction on.
        Kind::Unmarked => return refuse_others(path).map(|()| None),
        Kind::Ours => {}
        Kind::Foreign(what) => return Err(Error::Foreign { path: path.to_path_buf(), what }),
    }
    let known = latest(STEPS);
    let (connection, found) = match opened_to_read(path, path.as_os_str(), OpenFlags::empty()) {
        // Only what is being made for the first time has a journal; whoever writes next puts it right.
        Err(Error::ReadOnly { .. }) if beside(path, "-journal").exists() => return Ok(None),
        Err(error) if cannot_share(&error) && is_settled(path) => {
            opened_to_read(path, &unchanging(path), OpenFlags::SQLITE_OPEN_URI)?
        }
        other => other?,
    };
    match found {
        0 => Ok(None),
        _ if found < known => Err(Error::Older { path: path.to_path_buf(), found, known }),
        _ if known < found => Err(Error::Newer { path: path.to_path_buf(), found, known }),
        _ => {
            check_tables(&connection, path)?;
            Ok(Some(connection))
        }
    }
}

/// An error where a database without a mark has something in it; no byte of it or beside it changes.
pub(crate) fn refuse_others(path: &Path) -> Result<(), Error> {
    let has_journal = beside(path, "-journal").exists();
    let opened = if is_settled(path) && !has_journal {
        opened_to_read(path, &unchanging(path), OpenFlags::SQLITE_OPEN_URI)
    } else {
        opened_to_read(path, path.as_os_str(), OpenFlags::empty())
    };
    match opened {
        Ok(_) => Ok(()),
        // A stop while it was being made; whoever writes next puts it right.
        Err(Error::ReadOnly { .. }) if has_journal => Ok(()),
        Err(Error::Damaged { path, .. }) => Err(Error::Foreign { path, what: OTHERS }),
        Err(error) => Err(error),
    }
}

/// A connection and the version that it sees.
fn opened_to_read(path: &Path, name: &OsStr, more: OpenFlags) -> Result<(Connection, i64), Error> {
    let failed = |action| Error::sql(action, path);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    let connection = Connection::open_with_flags(Path::new(name), flags).map_err(failed("open"))?;
    connection.busy_timeout(WAIT_MAX).map_err(failed("open"))?;
    connection
        .execute_batch("PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY;")
        .map_err(failed("set up"))?;
    connection.set_prepared_statement_cache_capacity(64);
    let found = identify(&connection, path)?;
    Ok((connection, found))
}

/// The files by which processes share a database could not be made: its folder cannot be written.
fn cannot_share(error: &Error) -> bool {
    match error {
        Error::ReadOnly { .. } => true,
        Error::Sql { source, .. } => source.sqlite_error_code() == Some(ErrorCode::CannotOpen),
        _ => false,
    }
}

/// Everything that was committed stands in the database itself.
fn is_settled(path: &Path) -> bool {
    beside(path, "-wal").metadata().map_or(true, |it| it.len() == 0)
}

/// The name by which a database is opened that nobody changes, without locks and files beside it.
fn unchanging(path: &Path) -> OsString {
    let mut name = b"file:".to_vec();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => name.push(*byte),
            _ => name.extend(format!("%{byte:02x}").into_bytes()),
        }
    }
    name.extend(b"?immutable=1");
    OsString::from_vec(name)
}

#[cfg(test)]
mod tests;
