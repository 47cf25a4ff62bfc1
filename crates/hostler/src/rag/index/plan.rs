//! What a run has to do: the rows of the index and the files of the tree, both sorted by path, side by side.

use std::collections::HashMap;

use hostler_store::Reader;

use crate::rag::Error;
use crate::rag::walk::Walked;

/// What there is to do.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Files to look into, in the order of their paths.
    pub(super) jobs: Vec<Job>,
    /// Rows whose files are gone.
    pub(super) gone: Vec<Gone>,
    hashes: Vec<[u8; 32]>,
}

/// A file to look into.
#[derive(Debug, Clone, Copy)]
pub(super) struct Job {
    file: u32,
    row: Row,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Row {
    None,
    /// It was looked into, and is not indexed.
    Skipped,
    /// Its chunks are not what this build would make of it.
    Outdated,
    /// Its hash is in the list, there.
    Known(u32),
}

/// A row whose file is gone.
#[derive(Debug)]
pub(super) struct Gone {
    /// Its path.
    pub(super) path: String,
    /// It has chunks.
    pub(super) indexed: bool,
    hash: [u8; 32],
}

impl Job {
    /// Its number in the walk.
    pub(super) fn file(self) -> usize {
        self.file as usize
    }

    /// The index has a row for its path.
    pub(super) fn has_row(self) -> bool {
        self.row != Row::None
    }

    /// The index has chunks of its path.
    pub(super) fn is_indexed(self) -> bool {
        matches!(self.row, Row::Outdated | Row::Known(_))
    }
}

impl Plan {
    /// Compares. `timed`: a file of the same size and time is the same; `current`: the chunks of the same content are.
    pub(super) fn of(reader: &Reader, walked: &Walked, timed: bool, current: bool) -> Result<Self, Error> {
        let mut this = Self::default();
        let mut next = 0;
        reader.files(&mut |row| {
            while let Some(found) = walked.get(next).filter(|it| it.path < row.path.as_str()) {
                let _ = found;
                this.add(next, Row::None);
                next += 1;
            }
            let Some(found) = walked.get(next).filter(|it| it.path == row.path) else {
                if !walked.is_unreadable(&row.path) {
                    this.gone.push(Gone { indexed: row.skipped.is_none(), path: row.path, hash: row.sha256 });
                }
                return;
            };
            if !(timed && row.size == found.size && row.mtime_ns == found.mtime_ns) {
                let known = match row.skipped {
                    Some(_) => Row::Skipped,
                    None if !current => Row::Outdated,
                    None => this.remember(row.sha256),
                };
                this.add(next, known);
            }
            next += 1;
        })?;
        for file in next..walked.len() {
            this.add(file, Row::None);
        }
        Ok(this)
    }

    /// The hash that the index has of a file.
    pub(super) fn known(&self, job: Job) -> Option<&[u8; 32]> {
        match job.row {
            Row::Known(at) => self.hashes.get(at as usize),
            _ => None,
        }
    }

    /// Paths of indexed files that are gone, by what they held: one of them may be there under another path.
    pub(super) fn gone_by_hash(&self) -> HashMap<[u8; 32], Vec<&str>> {
        let mut by_hash: HashMap<[u8; 32], Vec<&str>> = HashMap::new();
        for gone in self.gone.iter().rev().filter(|it| it.indexed) {
            by_hash.entry(gone.hash).or_default().push(&gone.path);
        }
        by_hash
    }

    fn remember(&mut self, hash: [u8; 32]) -> Row {
        let Ok(at) = u32::try_from(self.hashes.len()) else { return Row::Outdated };
        self.hashes.push(hash);
        Row::Known(at)
    }

    fn add(&mut self, file: usize, row: Row) {
        // No tree has more files than that.
        if let Ok(file) = u32::try_from(file) {
            self.jobs.push(Job { file, row });
        }
    }
}
