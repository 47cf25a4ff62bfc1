//! Changes that happen together or not at all.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

use rusqlite::{OptionalExtension, Params, Transaction, params};

use crate::error::Error;
use crate::length::{self, Lengths};
use crate::row::{NewChunk, NewFile};
use crate::vector::Block;

/// A transaction of a [`Writer`](crate::Writer); dropped without [`Batch::commit`], nothing of it happened.
#[derive(Debug)]
pub struct Batch<'a> {
    transaction: Transaction<'a>,
    path: &'a Path,
    /// Ids are counted up and never given out again: one that somebody still holds finds its chunk or none.
    next_chunk: i64,
    /// How many chunks there are.
    chunks: i64,
    /// Lengths of chunks that were put.
    lengths: Lengths,
    /// A change failed: a part of it may be done, and `SQLite` may have left the transaction.
    is_spoiled: Cell<bool>,
    /// Chunks whose words go at the end: FTS5 writes out what it has gathered whenever an id is lower than the one before.
    removed: Vec<i64>,
}

/// What became of a renamed file's chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renamed {
    /// Their ids and vectors are as before.
    Kept,
    /// There are others now, as after [`Batch::put`].
    Replaced,
    /// No file of the old name is indexed; nothing was done.
    Missing,
}

/// Where the chunks of a file are.
#[derive(Debug, Clone, Copy)]
struct Span {
    file: i64,
    first: Option<i64>,
    count: i64,
}

impl<'a> Batch<'a> {
    pub(crate) fn begin(transaction: Transaction<'a>, path: &'a Path) -> Result<Self, Error> {
        let sql = "SELECT next_chunk, chunks FROM state";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let (next_chunk, chunks) = transaction.query_row(sql, [], read).map_err(Error::sql("begin", path))?;
        Ok(Self {
            transaction,
            path,
            next_chunk,
            chunks,
            lengths: Lengths::default(),
            is_spoiled: Cell::new(false),
            removed: Vec::new(),
        })
    }

    /// Puts a file with its chunks into the index, in place of what was there under its path. Returns the file's id.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] when the vectors differ in length; whatever `SQLite` says.
    pub fn put(&mut self, file: &NewFile<'_>, chunks: &[NewChunk<'_>]) -> Result<i64, Error> {
        let count = count(file, chunks)?;
        let old = self.span(file.path)?;
        if let Some(old) = old {
            self.remove_chunks(old)?;
        }
        let first = (0 < count).then_some(self.next_chunk);
        self.execute(
            "store a file",
            "INSERT INTO files (path, size, mtime_ns, sha256, nature, first_chunk, chunk_count)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (path) DO UPDATE SET size = ?2, mtime_ns = ?3, sha256 = ?4, nature = ?5, skipped = NULL,
             first_chunk = ?6, chunk_count = ?7",
            params![file.path, signed(file.size), file.mtime_ns, file.sha256, file.nature, first, count],
        )?;
        let id = old.map_or_else(|| self.transaction.last_insert_rowid(), |old| old.file);
        for chunk in chunks {
            self.execute(
                "store a chunk",
                "INSERT INTO chunks (id, file_id, ordinal, heading, symbol, start_line, end_line, text)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                params![
                    self.next_chunk,
                    id,
                    chunk.ordinal,
                    chunk.heading,
                    chunk.symbol,
                    chunk.start_line,
                    chunk.end_line,
                    chunk.text
                ],
            )?;
            self.insert_words(self.next_chunk, chunk)?;
            self.lengths.set(self.next_chunk, chunk.text.len());
            self.next_chunk += 1;
        }
        self.chunks += count;
        self.put_vectors(id, file.path, chunks)?;
        Ok(id)
    }

    /// Notes a new size and time of a file whose content is the same. `false` where there is no such file.
    pub fn touch(&mut self, path: &str, size: u64, mtime_ns: i64) -> Result<bool, Error> {
        let sql = "UPDATE files SET size = ?, mtime_ns = ? WHERE path = ?";
        Ok(0 < self.execute("note a time", sql, params![signed(size), mtime_ns, path])?)
    }

    /// Gives a file another name. What stood under the new name goes.
    ///
    /// The chunks keep ids and vectors when there are as many of them as before; where they stand, what they are called
    /// and what they are found by is taken from `chunks`, since it follows from the path.
    pub fn rename(
        &mut self,
        from: &str,
        to: &NewFile<'_>,
        chunks: &[NewChunk<'_>],
    ) -> Result<Renamed, Error> {
        let count = count(to, chunks)?;
        let Some(span) = self.span(from)? else { return Ok(Renamed::Missing) };
        if from != to.path {
            self.remove(to.path)?;
        }
        self.execute("rename a file", "UPDATE files SET path = ? WHERE id = ?", params![to.path, span.file])?;
        if span.count != count {
            self.put(to, chunks)?;
            return Ok(Renamed::Replaced);
        }
        self.execute(
            "rename a file",
            "UPDATE files SET size = ?, mtime_ns = ?, sha256 = ?, nature = ?, skipped = NULL WHERE id = ?",
            params![signed(to.size), to.mtime_ns, to.sha256, to.nature, span.file],
        )?;
        for (id, chunk) in (span.first.unwrap_or_default()..).zip(chunks) {
            self.execute(
                "rename a chunk",
                "UPDATE chunks SET ordinal = ?, heading = ?, symbol = ?, start_line = ?, end_line = ?, text = ?
                 WHERE id = ?",
                params![
                    chunk.ordinal,
                    chunk.heading,
                    chunk.symbol,
                    chunk.start_line,
                    chunk.end_line,
                    chunk.text,
                    id
                ],
            )?;
            self.remove_words(id)?;
            self.insert_words(id, chunk)?;
            self.lengths.set(id, chunk.text.len());
        }
        Ok(Renamed::Kept)
    }

    /// Takes a file and everything of it out of the index. `false` where there is none.
    pub fn remove(&mut self, path: &str) -> Result<bool, Error> {
        let Some(span) = self.span(path)? else { return Ok(false) };
        self.remove_chunks(span)?;
        self.execute("remove a file", "DELETE FROM files WHERE id = ?", params![span.file])?;
        Ok(true)
    }

    /// Notes that a file is not indexed and why; chunks that it had go.
    pub fn skip(&mut self, path: &str, why: u8, size: u64, mtime_ns: i64) -> Result<(), Error> {
        if let Some(span) = self.span(path)? {
            self.remove_chunks(span)?;
        }
        self.execute(
            "note a file",
            "INSERT INTO files (path, size, mtime_ns, nature, skipped, chunk_count) VALUES (?1, ?2, ?3, 0, ?4, 0)
             ON CONFLICT (path) DO UPDATE SET size = ?2, mtime_ns = ?3, sha256 = NULL, nature = 0, skipped = ?4,
             first_chunk = NULL, chunk_count = 0",
            params![path, signed(size), mtime_ns, why],
        )?;
        Ok(())
    }

    /// Stores vectors of chunks, in place of those that they had. Ids that are none are passed over: their file changed
    /// while the vector was made.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] when two vectors of one call differ in length.
    pub fn set_vectors(&mut self, vectors: &[(i64, Vec<f32>)]) -> Result<(), Error> {
        let dims = vectors.first().map_or(0, |(_, vector)| vector.len());
        if vectors.iter().any(|(_, vector)| vector.len() != dims) {
            return Err(Error::Input { path: String::new(), what: "its vectors differ in length".into() });
        }
        let mut blocks: BTreeMap<i64, Block> = BTreeMap::new();
        for (chunk, vector) in vectors {
            let Some((file, first, count)) = self.file_of(*chunk)? else { continue };
            let block = match blocks.entry(file) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    let slots = usize::try_from(count).unwrap_or_default();
                    let stored = self.vectors_of(file)?.and_then(|data| Block::read(data, slots));
                    // Vectors of another length are those of another model.
                    let same = stored.filter(|it| it.dims() == dims);
                    entry.insert(same.unwrap_or_else(|| Block::new(slots, dims)))
                }
            };
            block.set(usize::try_from(chunk - first).unwrap_or(usize::MAX), vector);
        }
        for (file, block) in blocks {
            self.store_block(file, &block)?;
        }
        Ok(())
    }

    /// Takes all vectors out.
    pub fn clear_vectors(&mut self) -> Result<(), Error> {
        self.execute("remove vectors", "DELETE FROM vectors", [])?;
        Ok(())
    }

    /// Takes all files out, with everything of them.
    pub fn clear(&mut self) -> Result<(), Error> {
        self.clear_vectors()?;
        for table in ["chunks", "files", "lengths"] {
            self.execute("remove all files", &format!("DELETE FROM {table}"), [])?;
        }
        for table in ["words", "names"] {
            let sql = format!("INSERT INTO {table} ({table}) VALUES ('delete-all')");
            self.execute("remove all files", &sql, [])?;
        }
        self.chunks = 0;
        self.lengths = Lengths::default();
        self.removed.clear();
        Ok(())
    }

    /// Sets what stands under `key` in the index's own notes.
    pub fn set_meta(&mut self, key: &str, value: &str) -> Result<(), Error> {
        let sql = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)";
        self.execute("note", sql, params![key, value])?;
        Ok(())
    }

    /// Makes it happen.
    ///
    /// # Errors
    ///
    /// [`Error::Spoiled`] when a change failed before; whatever `SQLite` says. Nothing of the batch happened then.
    pub fn commit(mut self) -> Result<(), Error> {
        self.removed.sort_unstable();
        for id in std::mem::take(&mut self.removed) {
            self.remove_words(id)?;
        }
        for (block, set) in std::mem::take(&mut self.lengths).blocks() {
            let failed = |error| Error::sql("store lengths", self.path)(error);
            let stored = self
                .transaction
                .query_row("SELECT data FROM lengths WHERE block = ?", [block], |row| row.get(0))
                .optional()
                .map_err(failed)?;
            let data = length::merged(stored.unwrap_or_default(), &set);
            self.execute(
                "store lengths",
                "INSERT OR REPLACE INTO lengths VALUES (?, ?)",
                params![block, data],
            )?;
        }
        let sql = "UPDATE state SET next_chunk = ?, chunks = ?";
        self.execute("note the number of chunks", sql, params![self.next_chunk, self.chunks])?;
        self.transaction.commit().map_err(Error::sql("commit", self.path))
    }

    fn execute(&self, action: &'static str, sql: &str, values: impl Params) -> Result<usize, Error> {
        if self.is_spoiled.get() {
            return Err(Error::Spoiled { path: self.path.to_path_buf() });
        }
        let done = self.transaction.prepare_cached(sql).and_then(|mut it| it.execute(values));
        self.is_spoiled.set(done.is_err());
        done.map_err(Error::sql(action, self.path))
    }

    fn span(&self, path: &str) -> Result<Option<Span>, Error> {
        let failed = |error| Error::sql("look up a file", self.path)(error);
        self.transaction
            .prepare_cached("SELECT id, first_chunk, chunk_count FROM files WHERE path = ?")
            .map_err(failed)?
            .query_row([path], |row| Ok(Span { file: row.get(0)?, first: row.get(1)?, count: row.get(2)? }))
            .optional()
            .map_err(failed)
    }

    /// File, its first chunk and their number.
    fn file_of(&self, chunk: i64) -> Result<Option<(i64, i64, i64)>, Error> {
        let failed = |error| Error::sql("look up a chunk", self.path)(error);
        let found: Option<(i64, i64, i64)> = self
            .transaction
            .prepare_cached(
                "SELECT id, first_chunk, chunk_count FROM files WHERE first_chunk <= ? ORDER BY first_chunk DESC LIMIT 1",
            )
            .map_err(failed)?
            .query_row([chunk], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()
            .map_err(failed)?;
        Ok(found.filter(|(_, first, count)| chunk < first + count))
    }

    fn remove_chunks(&mut self, span: Span) -> Result<(), Error> {
        let Some(first) = span.first else { return Ok(()) };
        let last = first + span.count - 1;
        self.chunks -= span.count;
        self.removed.extend(first..=last);
        (first..=last).for_each(|it| self.lengths.remove(it));
        self.execute("remove chunks", "DELETE FROM chunks WHERE id BETWEEN ? AND ?", params![first, last])?;
        self.execute("remove vectors", "DELETE FROM vectors WHERE file_id = ?", params![span.file])?;
        Ok(())
    }

    fn insert_words(&self, id: i64, chunk: &NewChunk<'_>) -> Result<(), Error> {
        let it = &chunk.fields;
        self.execute(
            "store words",
            "INSERT INTO words (rowid, symbol, path, heading, doc, body) VALUES (?, ?, ?, ?, ?, ?)",
            params![id, it.symbol, it.path, it.heading, it.doc, it.body],
        )?;
        self.execute(
            "store names",
            "INSERT INTO names (rowid, symbol, heading, doc) VALUES (?, ?, ?, ?)",
            params![id, it.symbol, it.heading, it.doc],
        )?;
        Ok(())
    }

    fn remove_words(&self, id: i64) -> Result<(), Error> {
        self.execute("remove words", "DELETE FROM words WHERE rowid = ?", params![id])?;
        self.execute("remove names", "DELETE FROM names WHERE rowid = ?", params![id])?;
        Ok(())
    }

    fn put_vectors(&self, file: i64, path: &str, chunks: &[NewChunk<'_>]) -> Result<(), Error> {
        let Some(dims) = chunks.iter().find_map(|it| it.vector).map(<[f32]>::len) else { return Ok(()) };
        let mut block = Block::new(chunks.len(), dims);
        for (slot, chunk) in chunks.iter().enumerate() {
            let Some(vector) = chunk.vector else { continue };
            if vector.len() != dims {
                self.is_spoiled.set(true);
                return Err(Error::Input { path: path.into(), what: "its vectors differ in length".into() });
            }
            block.set(slot, vector);
        }
        self.store_block(file, &block)
    }

    fn store_block(&self, file: i64, block: &Block) -> Result<(), Error> {
        let present = i64::try_from(block.present()).unwrap_or(i64::MAX);
        let sql = "INSERT OR REPLACE INTO vectors (file_id, present, data) VALUES (?, ?, ?)";
        self.execute("store vectors", sql, params![file, present, block.bytes()])?;
        Ok(())
    }

    fn vectors_of(&self, file: i64) -> Result<Option<Vec<u8>>, Error> {
        let failed = |error| Error::sql("read vectors", self.path)(error);
        self.transaction
            .prepare_cached("SELECT data FROM vectors WHERE file_id = ?")
            .map_err(failed)?
            .query_row([file], |row| row.get(0))
            .optional()
            .map_err(failed)
    }
}

/// How many chunks, as `SQLite` counts; their ordinals must be their places.
fn count(file: &NewFile<'_>, chunks: &[NewChunk<'_>]) -> Result<i64, Error> {
    if (0..).zip(chunks).any(|(place, chunk): (u32, _)| chunk.ordinal != place) {
        let what = "the ordinals of its chunks are not their places".into();
        return Err(Error::Input { path: file.path.into(), what });
    }
    i64::try_from(chunks.len())
        .map_err(|_| Error::Input { path: file.path.into(), what: "it has too many chunks".into() })
}

fn signed(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}
