//! A run over the whole root: what changed is read, cut and written, what is gone goes.

mod plan;
mod queue;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hostler_store::{Batch, Reader, Writer};
use serde::Serialize;

use self::plan::Plan;
use self::queue::{Done, Queue};
use super::walk::{Passed, Walked, file_of, walk};
use super::{Embedder, Error, Place, meta};

/// How long a run waits for another one to end.
const LOCK_WAIT: Duration = Duration::from_secs(120);
/// A transaction ends when it holds so many bytes of text, files, or is so old: what a kill costs.
const BATCH_BYTES: u64 = 16 * 1024 * 1024;
const BATCH_FILES: u64 = 2_000;
const BATCH_AGE: Duration = Duration::from_secs(3);
/// After so many changed files the store's log is brought into the database, which waits for the disk.
const CHECKPOINT_FILES: u64 = 1_000;
/// Texts that are turned into vectors between two transactions.
const EMBED_TEXTS: usize = 256;
/// Files that are told by name when they cannot be read.
const NOTES_MAX: usize = 20;

/// What to index, and how.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Options<'a> {
    /// The folder; without one the folder of the last run, else the project.
    pub(crate) root: Option<&'a Path>,
    /// Trust no time: hash every file.
    pub(crate) rehash: bool,
    /// Begin an index anew, and move the one that is there aside.
    pub(crate) rebuild: bool,
}

/// What a run is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Files are read.
    Read,
    /// Chunks get their vectors.
    Embed,
}

/// How far a run is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Progress {
    /// What it is at.
    pub(crate) stage: Stage,
    /// Files or chunks that are done.
    pub(crate) done: u64,
    /// Of so many.
    pub(crate) total: u64,
}

/// What a run came to.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Indexed {
    /// The folder.
    pub(crate) root: PathBuf,
    /// In the index now.
    pub(crate) files: u64,
    /// New and changed ones.
    pub(crate) rechunked: u64,
    /// Gone from disk, or not to be indexed any more.
    pub(crate) purged: u64,
    /// In the index now.
    pub(crate) chunks: u64,
    /// With a zero byte.
    pub(crate) skipped_binary: u64,
    /// With an extension that is left out.
    pub(crate) skipped_ext: u64,
    /// Lock files and the like.
    pub(crate) skipped_name: u64,
    /// Most likely with keys, passwords or tokens.
    pub(crate) skipped_secret: u64,
    /// Longer than 512 KB.
    pub(crate) skipped_size: u64,
    /// Left out by ignore files and the configuration; a folder counts once.
    pub(crate) skipped_ignored: u64,
    /// Folders of tools, packages and builds.
    pub(crate) skipped_folders: u64,
    /// Links and what is no file.
    pub(crate) skipped_links: u64,
    /// Could not be read, or a fault of ours kept them out.
    pub(crate) skipped_unreadable: u64,
    /// Numbers in a vector; `None` where nothing has any.
    pub(crate) dims: Option<usize>,
    /// `local`, `model` or `remote`.
    pub(crate) mode: String,
    /// Of these, known under another path before.
    pub(crate) renamed: u64,
    /// How long it took.
    pub(crate) ms: u64,
    /// What is to be told: what could not be read, what was done instead.
    pub(crate) notes: Vec<String>,
    /// Folders that were gone into, the root first.
    #[serde(skip)]
    pub(crate) folders: Vec<PathBuf>,
}

/// Brings the index of a folder up to date.
///
/// # Errors
/// The folder is none, the store fails, or the caller cancelled; what was done until then is kept.
pub(crate) fn index(
    place: &Place,
    options: Options<'_>,
    embedder: &dyn Embedder,
    progress: &mut dyn FnMut(Progress),
    cancelled: &dyn Fn() -> bool,
) -> Result<Indexed, Error> {
    let start = Instant::now();
    let given = options.root.map(checked).transpose()?;
    let (mut writer, aside) = if options.rebuild {
        Writer::rebuild(&place.db, LOCK_WAIT)?
    } else {
        (Writer::open(&place.db, LOCK_WAIT)?, None)
    };
    let known = writer.reader().meta(meta::ROOT)?.map(PathBuf::from);
    let root = match given {
        Some(root) => root,
        None => checked(known.as_deref().unwrap_or(&place.root))?,
    };
    let current = prepare(&mut writer, &root, embedder)?;

    let walked = walk(&root, &place.config.rag.ignore, &place.db, cancelled);
    let plan = Plan::of(writer.reader(), &walked, current && !options.rehash, current)?;
    let mut run = Run { root: &root, walked: &walked, indexed: Indexed::default(), cancelled };
    run.read(&mut writer, &plan, embedder, progress)?;
    run.purge(&mut writer, &plan)?;
    if !current {
        writer.set_meta(meta::FORMAT, &super::format())?;
    }
    let mut indexed = run.indexed;
    (indexed.mode, indexed.dims) = embed(&mut writer, embedder, &mut indexed.notes, progress, cancelled)?;

    let now_ms = jiff::Timestamp::now().as_millisecond();
    writer.set_meta(meta::LAST_INDEX_AT, &now_ms.to_string())?;
    if CHECKPOINT_FILES <= indexed.rechunked + indexed.purged {
        writer.checkpoint()?;
    }
    indexed.count(writer.reader(), &walked.passed)?;
    indexed.notes.splice(0..0, walked.notes);
    indexed.notes.extend(aside.map(|it| format!("the index that was there is now `{}`", it.display())));
    indexed.folders = walked.folders;
    indexed.root = root;
    indexed.ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(indexed)
}

/// The folder with its links resolved.
fn checked(root: &Path) -> Result<PathBuf, Error> {
    let fail = |why: String| Error::Root { path: root.to_path_buf(), why };
    let real = std::fs::canonicalize(root).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => fail("there is no such folder".to_owned()),
        _ => fail(error.to_string()),
    })?;
    if !real.is_dir() {
        return Err(fail("it is a file; name its folder".to_owned()));
    }
    std::fs::read_dir(&real).map_err(|error| fail(error.to_string()))?;
    if real.to_str().is_none() {
        return Err(fail("its path is not UTF-8; index a folder below it, or rename it".to_owned()));
    }
    Ok(real)
}

/// Makes the index one of `root` and of this embedder. Whether the chunks in it are made as this build makes them.
fn prepare(writer: &mut Writer, root: &Path, embedder: &dyn Embedder) -> Result<bool, Error> {
    let text = root.to_str().unwrap_or_default();
    let reader = writer.reader();
    let same_root = reader.meta(meta::ROOT)?.as_deref() == Some(text);
    let current = reader.meta(meta::FORMAT)?.as_deref() == Some(super::format().as_str());
    if !same_root {
        let mut batch = writer.batch()?;
        batch.clear()?;
        batch.set_meta(meta::ROOT, text)?;
        batch.set_meta(meta::FORMAT, &super::format())?;
        batch.commit()?;
    }
    if writer.reader().meta(meta::EMBEDDING_NAME)?.as_deref() != Some(embedder.name().as_str()) {
        describe(writer, embedder, embedder.dims())?;
    }
    Ok(current || !same_root)
}

/// Notes what makes the vectors from now on, and drops those that something else made.
fn describe(writer: &mut Writer, embedder: &dyn Embedder, dims: Option<usize>) -> Result<(), Error> {
    let mut batch = writer.batch()?;
    batch.clear_vectors()?;
    batch.set_meta(meta::EMBEDDING_MODE, embedder.mode())?;
    batch.set_meta(meta::DIMS, &dims.map_or_else(String::new, |it| it.to_string()))?;
    batch.set_meta(meta::EMBEDDING_NAME, &embedder.name())?;
    batch.commit()?;
    Ok(())
}

struct Run<'a> {
    root: &'a Path,
    walked: &'a Walked,
    indexed: Indexed,
    cancelled: &'a dyn Fn() -> bool,
}

impl Run<'_> {
    /// Reads what is new or may have changed: workers read and cut, this thread writes in the order of the paths, so
    /// that two runs over the same files give the same index.
    fn read(
        &mut self,
        writer: &mut Writer,
        plan: &Plan,
        embedder: &dyn Embedder,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), Error> {
        if (self.cancelled)() {
            return Err(Error::Cancelled);
        }
        let mut moved = plan.gone_by_hash();
        let queue = Queue::new(plan, self.walked);
        let root = self.root;
        std::thread::scope(|scope| {
            // Whatever ends this thread ends the workers.
            let _stop = queue.stop_on_drop();
            for _ in 0..queue.workers() {
                scope.spawn(|| queue.work(|path| file_of(root, path), embedder));
            }
            self.write(writer, plan, &queue, &mut moved, progress)
        })
    }

    fn write(
        &mut self,
        writer: &mut Writer,
        plan: &Plan,
        queue: &Queue<'_>,
        moved: &mut HashMap<[u8; 32], Vec<&str>>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), Error> {
        let total = plan.jobs.len() as u64;
        let mut batch = writer.batch()?;
        let (mut bytes, mut files, mut begun) = (0, 0, Instant::now());
        for number in 0..plan.jobs.len() {
            let done = queue.wait(number);
            bytes += self.apply(&mut batch, plan, number, done, moved)?;
            files += 1;
            queue.written(number);
            let stop = (self.cancelled)();
            if stop || BATCH_BYTES <= bytes || BATCH_FILES <= files || BATCH_AGE <= begun.elapsed() {
                batch.commit()?;
                if stop {
                    return Err(Error::Cancelled);
                }
                batch = writer.batch()?;
                (bytes, files, begun) = (0, 0, Instant::now());
            }
            progress(Progress { stage: Stage::Read, done: number as u64 + 1, total });
        }
        batch.commit()?;
        Ok(())
    }

    /// Writes what a worker made; the bytes of it.
    fn apply(
        &mut self,
        batch: &mut Batch<'_>,
        plan: &Plan,
        number: usize,
        done: Done,
        moved: &mut HashMap<[u8; 32], Vec<&str>>,
    ) -> Result<u64, Error> {
        let Some((job, found)) =
            plan.jobs.get(number).and_then(|job| Some((job, self.walked.get(job.file())?)))
        else {
            return Ok(0);
        };
        let path = found.path;
        match done {
            Done::Ready(ready) => {
                self.indexed.rechunked += 1;
                let from = if job.has_row() { None } else { moved.get_mut(ready.hash()).and_then(Vec::pop) };
                if let Some(from) = from {
                    self.indexed.renamed += 1;
                    ready.rename(batch, from, path)?;
                } else {
                    ready.put(batch, path)?;
                }
                return Ok(ready.bytes());
            }
            Done::Same(stamp) => {
                batch.touch(path, stamp.size, stamp.mtime_ns)?;
            }
            Done::Skipped(stamp, cause) => {
                let was = job.is_indexed();
                batch.skip(path, cause as u8, stamp.size, stamp.mtime_ns)?;
                self.indexed.purged += u64::from(was);
            }
            Done::Gone if job.has_row() => {
                self.indexed.purged += u64::from(job.is_indexed());
                batch.remove(path)?;
            }
            Done::Gone => {}
            Done::Unreadable(error) => {
                self.indexed.skipped_unreadable += 1;
                if self.indexed.notes.len() < NOTES_MAX {
                    self.indexed.notes.push(format!("not read: `{path}`: {error}"));
                }
            }
            Done::Fault(stamp) => {
                self.indexed
                    .notes
                    .push(format!("not indexed: `{path}`: a fault of hostler; see `hostler doctor`"));
                batch.skip(path, super::look::Cause::Fault as u8, stamp.size, stamp.mtime_ns)?;
            }
        }
        Ok(0)
    }

    /// Removes the rows of files that are gone, but for those that were renamed.
    fn purge(&mut self, writer: &mut Writer, plan: &Plan) -> Result<(), Error> {
        for part in plan.gone.chunks(usize::try_from(BATCH_FILES).unwrap_or(usize::MAX)) {
            if (self.cancelled)() {
                return Err(Error::Cancelled);
            }
            let mut batch = writer.batch()?;
            for gone in part {
                // A row that was renamed is not there any more.
                if batch.remove(&gone.path)? && gone.indexed {
                    self.indexed.purged += 1;
                }
            }
            batch.commit()?;
        }
        Ok(())
    }
}

/// Gives vectors to the chunks that have none, by another embedder where this one fails. The mode and dimensions that
/// the index has then.
fn embed(
    writer: &mut Writer,
    embedder: &dyn Embedder,
    notes: &mut Vec<String>,
    progress: &mut dyn FnMut(Progress),
    cancelled: &dyn Fn() -> bool,
) -> Result<(String, Option<usize>), Error> {
    if let Err(why) = fill(writer, embedder, progress, cancelled)? {
        notes.push(format!(
            "{} embeddings failed ({why}); falling back to local for this run",
            embedder.mode()
        ));
        let local = super::embeddings::local();
        describe(writer, local.as_ref(), local.dims())?;
        if let Err(why) = fill(writer, local.as_ref(), progress, cancelled)? {
            return Err(Error::Fault(format!("the local embeddings failed: {why}")));
        }
    }
    let reader = writer.reader();
    let mode = reader.meta(meta::EMBEDDING_MODE)?.unwrap_or_default();
    let dims = reader.meta(meta::DIMS)?.and_then(|it| it.parse().ok());
    Ok((mode, dims))
}

fn fill(
    writer: &mut Writer,
    embedder: &dyn Embedder,
    progress: &mut dyn FnMut(Progress),
    cancelled: &dyn Fn() -> bool,
) -> Result<Result<(), String>, Error> {
    if !embedder.stored() {
        return Ok(Ok(()));
    }
    let counts = writer.reader().counts()?;
    let total = counts.chunks.saturating_sub(counts.vectors);
    let (mut after, mut done) = (0, 0);
    while done < total {
        if cancelled() {
            return Err(Error::Cancelled);
        }
        let part = writer.reader().chunks_without_vector(after, EMBED_TEXTS)?;
        let Some((last, _)) = part.last() else { break };
        after = *last;
        let texts: Vec<&str> = part.iter().map(|(_, text)| text.as_str()).collect();
        let vectors = match embedder.embed(&texts) {
            Ok(vectors) if vectors.len() == texts.len() => vectors,
            Ok(vectors) => {
                return Ok(Err(format!("{} vectors came for {} texts", vectors.len(), texts.len())));
            }
            Err(why) => return Ok(Err(why)),
        };
        let dims = vectors.first().map_or(0, Vec::len);
        if done == 0 && !same_dims(writer, dims)? {
            // An endpoint that changed its model under the same name: what is there does not fit what comes.
            describe(writer, embedder, Some(dims))?;
            return fill(writer, embedder, progress, cancelled);
        }
        done += part.len() as u64;
        let rows: Vec<(i64, Vec<f32>)> = part.into_iter().map(|(id, _)| id).zip(vectors).collect();
        let mut batch = writer.batch()?;
        batch.set_vectors(&rows)?;
        batch.commit()?;
        progress(Progress { stage: Stage::Embed, done, total });
    }
    Ok(Ok(()))
}

/// Whether vectors of so many numbers fit those that are there; the first ones always do.
fn same_dims(writer: &mut Writer, dims: usize) -> Result<bool, Error> {
    let known = writer.reader().meta(meta::DIMS)?.and_then(|it| it.parse::<usize>().ok());
    if known.is_none() {
        writer.set_meta(meta::DIMS, &dims.to_string())?;
    }
    Ok(known.is_none_or(|it| it == dims))
}

impl Indexed {
    /// What it came to in one line of keys and values.
    pub(crate) fn line(&self) -> String {
        format!(
            "index complete: files={} rechunked={} purged={} chunks={} skipped_binary={} skipped_ext={} \
             skipped_name={} dims={} mode={} elapsed={}ms",
            self.files,
            self.rechunked,
            self.purged,
            self.chunks,
            self.skipped_binary,
            self.skipped_ext,
            self.skipped_name,
            self.dims.map_or_else(|| "n/a".to_owned(), |it| it.to_string()),
            self.mode,
            self.ms
        )
    }

    fn count(&mut self, reader: &Reader, passed: &Passed) -> Result<(), Error> {
        let counts = reader.counts()?;
        let skipped = |cause: super::look::Cause| {
            counts.skipped.iter().find(|(it, _)| *it == cause as u8).map_or(0, |(_, count)| *count)
        };
        self.files = counts.files;
        self.chunks = counts.chunks;
        self.skipped_binary = skipped(super::look::Cause::Binary);
        self.skipped_ext = skipped(super::look::Cause::Extension);
        self.skipped_name = passed.names;
        self.skipped_secret = passed.secrets;
        self.skipped_size = passed.large;
        self.skipped_ignored = passed.ignored;
        self.skipped_folders = passed.folders;
        self.skipped_links = passed.links;
        self.skipped_unreadable += passed.unreadable + skipped(super::look::Cause::Fault);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
