//! What stands in an index.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Params, Row, Transaction, params};

use crate::error::Error;
use crate::length::Relative;
use crate::row::{ChunkRow, Counts, FileRow};
use crate::schema;
use crate::vector::{self, Block, Vector};

/// Columns of a [`FileRow`].
const FILE: &str = "id, path, size, mtime_ns, sha256, nature, skipped";
/// Columns of a [`ChunkRow`], of `chunks c` and `files f`.
const CHUNK: &str =
    "c.id, f.path, f.nature, c.ordinal, c.heading, c.symbol, c.start_line, c.end_line, c.text";

/// What is wrong, and how many rows say so.
const CHECKS: &[(&str, &str)] = &[
    (
        "chunks outside the range of their file",
        "SELECT count(*) FROM chunks c LEFT JOIN files f
         ON f.id = c.file_id AND c.id >= f.first_chunk AND c.id < f.first_chunk + f.chunk_count WHERE f.id IS NULL",
    ),
    (
        "chunks fewer or more than the files say",
        "SELECT (SELECT count(*) FROM chunks) != (SELECT coalesce(sum(chunk_count), 0) FROM files)",
    ),
    ("chunks counted wrong", "SELECT (SELECT count(*) FROM chunks) != (SELECT chunks FROM state)"),
    ("chunks without words", "SELECT count(*) FROM chunks WHERE id NOT IN (SELECT id FROM words_docsize)"),
    ("words without a chunk", "SELECT count(*) FROM words_docsize WHERE id NOT IN (SELECT id FROM chunks)"),
    ("vectors without a file", "SELECT count(*) FROM vectors WHERE file_id NOT IN (SELECT id FROM files)"),
    (
        "files both indexed and passed over",
        "SELECT count(*) FROM files WHERE skipped IS NOT NULL AND chunk_count > 0",
    ),
    ("ids that may be given out twice", "SELECT count(*) FROM chunks WHERE id >= (SELECT next_chunk FROM state)"),
];

/// Reads an index. Each call sees what was committed when it began; nobody waits for it.
#[derive(Debug)]
pub struct Reader {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    /// Lengths of all chunks, of which state of the database.
    pub(crate) lengths: RefCell<Option<Known>>,
}

/// Lengths that were read, and of which state of the database they are.
pub(crate) type Known = ((i64, u64), Arc<Relative>);

/// See [`Reader::snapshot`].
#[derive(Debug)]
pub struct Snapshot<'a> {
    /// `None` within another one.
    _transaction: Option<Transaction<'a>>,
}

impl Reader {
    /// Opens the index at `path`; `None` where there is none.
    ///
    /// Where its folder cannot be written, so that no files to share it by can be made, it is read as one that nobody
    /// changes while it is open.
    ///
    /// # Errors
    ///
    /// [`Error::Foreign`], [`Error::Newer`], [`Error::Older`] and [`Error::Damaged`] for what cannot be read.
    pub fn open(path: &Path) -> Result<Option<Self>, Error> {
        let path = &schema::real(path);
        Ok(schema::open_to_read(path)?.map(|connection| Self::over(connection, path.clone())))
    }

    pub(crate) fn over(connection: Connection, path: PathBuf) -> Self {
        Self { connection, path, lengths: RefCell::new(None) }
    }

    /// Holds on to the present state: until the guard is dropped, all calls see it, whatever is committed.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, Error> {
        let failed = |error| Error::sql("begin to read", &self.path)(error);
        let transaction = if self.connection.is_autocommit() {
            Some(self.connection.unchecked_transaction().map_err(failed)?)
        } else {
            None
        };
        Ok(Snapshot { _transaction: transaction })
    }

    /// What stands under `key` in the index's own notes.
    pub fn meta(&self, key: &str) -> Result<Option<String>, Error> {
        self.some("read", "SELECT value FROM meta WHERE key = ?", [key], |row| row.get(0))
    }

    pub(crate) fn set_meta(&self, key: &str, value: &str) -> Result<(), Error> {
        let sql = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)";
        self.connection.execute(sql, [key, value]).map_err(Error::sql("note", &self.path))?;
        Ok(())
    }

    /// How much there is.
    pub fn counts(&self) -> Result<Counts, Error> {
        let mut counts = Counts::default();
        let sql = "SELECT skipped, count(*), sum(chunk_count) FROM files GROUP BY skipped ORDER BY skipped";
        self.each("count", sql, [], |row| {
            let number: i64 = row.get(1)?;
            if let Some(cause) = row.get::<_, Option<u8>>(0)? {
                counts.skipped.push((cause, unsigned(number)));
            } else {
                counts.files = unsigned(number);
                counts.chunks = unsigned(row.get(2)?);
            }
            Ok(())
        })?;
        let sql = "SELECT coalesce(sum(present), 0) FROM vectors";
        counts.vectors = unsigned(self.one("count", sql, [], |row| row.get(0))?);
        Ok(counts)
    }

    /// How many chunks there are, from a number that is kept.
    pub fn chunk_count(&self) -> Result<u64, Error> {
        Ok(unsigned(self.one("count", "SELECT chunks FROM state", [], |row| row.get(0))?))
    }

    /// Calls `each` with every file, skipped ones too, by path in the order of its bytes.
    pub fn files(&self, each: &mut dyn FnMut(FileRow)) -> Result<(), Error> {
        self.each("read files", &format!("SELECT {FILE} FROM files ORDER BY path"), [], |row| {
            each(file(row)?);
            Ok(())
        })
    }

    /// The file of this path.
    pub fn file(&self, path: &str) -> Result<Option<FileRow>, Error> {
        self.some("look up a file", &format!("SELECT {FILE} FROM files WHERE path = ?"), [path], file)
    }

    /// A chunk with its text.
    pub fn chunk(&self, id: i64) -> Result<Option<ChunkRow>, Error> {
        let sql = format!("SELECT {CHUNK} FROM chunks c JOIN files f ON f.id = c.file_id WHERE c.id = ?");
        self.some("look up a chunk", &sql, [id], chunk)
    }

    /// The chunks of these ids in their order; ids that are none are passed over.
    pub fn chunks(&self, ids: &[i64]) -> Result<Vec<ChunkRow>, Error> {
        // CROSS JOIN: in the order of the list.
        let sql = format!(
            "SELECT {CHUNK} FROM json_each(?) i CROSS JOIN chunks c ON c.id = i.value
             CROSS JOIN files f ON f.id = c.file_id"
        );
        let mut rows = Vec::with_capacity(ids.len());
        self.each("look up chunks", &sql, [format!("{ids:?}")], |row| {
            rows.push(chunk(row)?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// The chunks of a file in their order.
    pub fn chunks_of(&self, path: &str) -> Result<Vec<ChunkRow>, Error> {
        let sql = format!(
            "SELECT {CHUNK} FROM files f JOIN chunks c
             ON c.id >= f.first_chunk AND c.id < f.first_chunk + f.chunk_count WHERE f.path = ? ORDER BY c.id"
        );
        let mut rows = Vec::new();
        self.each("read chunks", &sql, [path], |row| {
            rows.push(chunk(row)?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// What does not fit together, a line each; nothing for a sound index. Reads all of it.
    pub fn check(&self) -> Result<Vec<String>, Error> {
        let _snapshot = self.snapshot()?;
        let mut faults = Vec::new();
        // Covers the words as well, by the module's own check.
        self.each("check", "PRAGMA integrity_check", [], |row| {
            faults.extend(Some(row.get::<_, String>(0)?).filter(|it| it != "ok"));
            Ok(())
        })?;
        for (what, sql) in CHECKS {
            let count: i64 = self.one("check", sql, [], |row| row.get(0))?;
            if 0 < count {
                faults.push(format!("{what}: {count}"));
            }
        }
        Ok(faults)
    }

    /// Calls `each` with every chunk that has a vector: id, values and what a value of 1 stands for.
    pub fn vectors(&self, each: &mut dyn FnMut(i64, &[i8], f32)) -> Result<(), Error> {
        let sql =
            "SELECT f.first_chunk, f.chunk_count, v.data FROM files f JOIN vectors v ON v.file_id = f.id";
        let mut values = Vec::new();
        self.each("read vectors", sql, [], |row| {
            let first: i64 = row.get(0)?;
            let slots: usize = row.get::<_, i64>(1)?.try_into().unwrap_or_default();
            let data = row.get_ref(2)?.as_blob()?;
            for (id, (scale, bytes)) in (first..).zip(vector::slots(data, slots)) {
                if scale != 0.0 {
                    vector::signed(bytes, &mut values);
                    each(id, &values, scale);
                }
            }
            Ok(())
        })
    }

    /// The vector of a chunk.
    pub fn vector(&self, chunk: i64) -> Result<Option<Vector>, Error> {
        let sql = "SELECT f.first_chunk, f.chunk_count, v.data
                   FROM (SELECT id, first_chunk, chunk_count FROM files WHERE first_chunk <= ?
                         ORDER BY first_chunk DESC LIMIT 1) f
                   JOIN vectors v ON v.file_id = f.id";
        let found = self.some("read a vector", sql, [chunk], |row| {
            let slots: usize = row.get::<_, i64>(1)?.try_into().unwrap_or_default();
            let place: usize = (chunk - row.get::<_, i64>(0)?).try_into().unwrap_or(usize::MAX);
            let slot = vector::slots(row.get_ref(2)?.as_blob()?, slots).nth(place);
            Ok(slot.filter(|(scale, _)| *scale != 0.0).map(|(scale, bytes)| {
                let mut values = Vec::new();
                vector::signed(bytes, &mut values);
                Vector { scale, values }
            }))
        })?;
        Ok(found.flatten())
    }

    /// Chunks without a vector behind the id `after`, in the order of their ids: id and text.
    pub fn chunks_without_vector(&self, after: i64, limit: usize) -> Result<Vec<(i64, String)>, Error> {
        let sql =
            "SELECT f.first_chunk, f.chunk_count, v.data FROM files f LEFT JOIN vectors v ON v.file_id = f.id
                   WHERE f.first_chunk > coalesce(
                         (SELECT max(first_chunk) FROM files WHERE first_chunk <= ?1), 0) - 1
                     AND coalesce(v.present, 0) < f.chunk_count
                   ORDER BY f.first_chunk LIMIT ?2";
        let mut ids = Vec::new();
        let limit_sql = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
        self.each("look for chunks without a vector", sql, params![after, limit_sql], |row| {
            let (first, count): (i64, i64) = (row.get(0)?, row.get(1)?);
            let slots = usize::try_from(count).unwrap_or_default();
            let block = row.get::<_, Option<Vec<u8>>>(2)?.and_then(|data| Block::read(data, slots));
            let missing: Vec<bool> = match &block {
                Some(block) => block.slots().map(|(scale, _)| scale == 0.0).collect(),
                None => vec![true; slots],
            };
            let wanted = (first..).zip(missing).filter(|(id, missing)| *missing && after < *id);
            let room = limit - ids.len().min(limit);
            ids.extend(wanted.map(|(id, _)| id).take(room));
            Ok(())
        })?;
        let mut rows = Vec::with_capacity(ids.len());
        for id in ids {
            let text =
                self.some("read a chunk", "SELECT text FROM chunks WHERE id = ?", [id], |row| row.get(0))?;
            rows.extend(text.map(|text| (id, text)));
        }
        Ok(rows)
    }

    /// Lengths of all chunks as they are now; read once for each state of the index.
    pub(crate) fn lengths(&self) -> Result<Arc<Relative>, Error> {
        let version = self.one("look at", "PRAGMA data_version", [], |row| row.get(0))?;
        // The first number counts what others commit, the second our own.
        let state = (version, self.connection.total_changes());
        let known = self.lengths.borrow().clone();
        if let Some((of, lengths)) = known
            && of == state
        {
            return Ok(lengths);
        }
        let mut lengths = Relative::default();
        self.each("read lengths", "SELECT block, data FROM lengths ORDER BY block", [], |row| {
            lengths.add(row.get(0)?, row.get_ref(1)?.as_blob()?);
            Ok(())
        })?;
        let lengths = Arc::new(lengths.done());
        *self.lengths.borrow_mut() = Some((state, Arc::clone(&lengths)));
        Ok(lengths)
    }

    pub(crate) fn one<T>(
        &self,
        action: &'static str,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let failed = |error| Error::sql(action, &self.path)(error);
        self.connection.prepare_cached(sql).map_err(failed)?.query_row(values, read).map_err(failed)
    }

    pub(crate) fn some<T>(
        &self,
        action: &'static str,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Error> {
        let failed = |error| Error::sql(action, &self.path)(error);
        self.connection
            .prepare_cached(sql)
            .map_err(failed)?
            .query_row(values, read)
            .optional()
            .map_err(failed)
    }

    pub(crate) fn each(
        &self,
        action: &'static str,
        sql: &str,
        values: impl Params,
        mut each: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
    ) -> Result<(), Error> {
        let failed = |error| Error::sql(action, &self.path)(error);
        let mut statement = self.connection.prepare_cached(sql).map_err(failed)?;
        let mut rows = statement.query(values).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            each(row).map_err(failed)?;
        }
        Ok(())
    }
}

fn file(row: &Row<'_>) -> rusqlite::Result<FileRow> {
    Ok(FileRow {
        id: row.get(0)?,
        path: row.get(1)?,
        size: unsigned(row.get(2)?),
        mtime_ns: row.get(3)?,
        sha256: row.get::<_, Option<[u8; 32]>>(4)?.unwrap_or_default(),
        nature: row.get(5)?,
        skipped: row.get(6)?,
    })
}

fn chunk(row: &Row<'_>) -> rusqlite::Result<ChunkRow> {
    Ok(ChunkRow {
        id: row.get(0)?,
        path: row.get(1)?,
        nature: row.get(2)?,
        ordinal: row.get(3)?,
        heading: row.get(4)?,
        symbol: row.get(5)?,
        start_line: row.get(6)?,
        end_line: row.get(7)?,
        text: row.get(8)?,
    })
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}
