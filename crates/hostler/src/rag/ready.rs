//! From a text to what the store takes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hostler_store::{Batch, Fields, NewChunk, NewFile};

use super::Embedder;
use super::look::Stamp;

/// A file, cut and taken apart, with everything that needs time done.
pub(super) struct Ready {
    stamp: Stamp,
    hash: [u8; 32],
    nature: u8,
    chunks: Vec<Part>,
    vectors: Vec<Vec<f32>>,
}

struct Part {
    chunk: hostler_syntax::chunks::Chunk,
    fields: Fields,
}

impl Ready {
    /// Cuts `text`. `None` is a fault of ours, which costs this file and not all others.
    pub(super) fn of(
        path: &str,
        stamp: Stamp,
        hash: [u8; 32],
        text: &str,
        embedder: Option<&dyn Embedder>,
    ) -> Option<Self> {
        let work = || {
            let cut = hostler_syntax::chunks::chunks(path, text);
            let nature = cut.nature;
            let chunks: Vec<Part> =
                cut.chunks.into_iter().map(|chunk| Part { fields: fields(path, &chunk), chunk }).collect();
            let vectors = match embedder.filter(|it| it.stored() && it.cheap()) {
                Some(embedder) => {
                    let texts: Vec<&str> = chunks.iter().map(|it| it.chunk.text.as_str()).collect();
                    // Chunks without vectors get theirs at the end of the run.
                    embedder.embed(&texts).unwrap_or_default()
                }
                None => Vec::new(),
            };
            Self { stamp, hash, nature: nature.code(), chunks, vectors }
        };
        catch_unwind(AssertUnwindSafe(work)).ok()
    }

    /// Its content.
    pub(super) fn hash(&self) -> &[u8; 32] {
        &self.hash
    }

    /// Bytes that a transaction grows by.
    pub(super) fn bytes(&self) -> u64 {
        self.chunks.iter().map(|it| it.chunk.text.len() as u64).sum()
    }

    /// Writes it as `path`, which replaces what was there.
    pub(super) fn put(&self, batch: &mut Batch<'_>, path: &str) -> Result<(), hostler_store::Error> {
        batch.put(&self.file(path), &self.parts()).map(drop)
    }

    /// Writes it as `path`, which was `from` until now: what is known by number stays known by it.
    pub(super) fn rename(
        &self,
        batch: &mut Batch<'_>,
        from: &str,
        path: &str,
    ) -> Result<(), hostler_store::Error> {
        batch.rename(from, &self.file(path), &self.parts()).map(drop)
    }

    fn file<'a>(&'a self, path: &'a str) -> NewFile<'a> {
        NewFile {
            path,
            size: self.stamp.size,
            mtime_ns: self.stamp.mtime_ns,
            sha256: self.hash,
            nature: self.nature,
        }
    }

    fn parts(&self) -> Vec<NewChunk<'_>> {
        let vectors = self.vectors.iter().map(|it| Some(it.as_slice())).chain(std::iter::repeat(None));
        let parts = self.chunks.iter().zip(vectors).zip(0..);
        parts
            .map(|((part, vector), ordinal)| NewChunk {
                ordinal,
                heading: &part.chunk.heading,
                symbol: &part.chunk.symbol,
                start_line: part.chunk.first_line,
                end_line: part.chunk.last_line,
                text: &part.chunk.text,
                fields: part.fields.clone(),
                vector,
            })
            .collect()
    }
}

fn fields(path: &str, chunk: &hostler_syntax::chunks::Chunk) -> Fields {
    let split = hostler_knowledge::search::fields(path, chunk);
    Fields {
        symbol: split.symbol,
        path: split.path,
        heading: split.heading,
        doc: split.doc,
        body: split.body,
    }
}
