//! Retrieval: a project's files in an index that is searched by words and by meaning.
//!
//! `index` walks the root, compares what it finds with the rows of the index in one pass over two sorted lists, and
//! reads only what may have changed. `fresh` does the same for a few files while a search waits. `watch` calls `index`
//! whenever something moves. The store, the ranking and the chunks are crates of their own.

mod embeddings;
mod fresh;
mod get;
mod index;
mod look;
mod place;
mod ready;
mod search;
mod status;
mod walk;
mod watch;

pub(crate) use self::embeddings::configured;
pub(crate) use self::fresh::freshen;
pub(crate) use self::get::get;
pub(crate) use self::index::{Indexed, Options, Progress, Stage, index};
pub(crate) use self::place::Place;
pub(crate) use self::search::{Hit, Request, search};
pub(crate) use self::status::{Status, status};
pub(crate) use self::watch::{Told, watch};

use std::path::PathBuf;

/// Keys of the index's own notes.
pub(crate) mod meta {
    /// The folder that is indexed, absolute.
    pub(crate) const ROOT: &str = "root";
    /// When an index run ended, milliseconds since 1970.
    pub(crate) const LAST_INDEX_AT: &str = "last_index_at";
    /// `local`, `model` or `remote`.
    pub(crate) const EMBEDDING_MODE: &str = "embedding_mode";
    /// Numbers in a vector.
    pub(crate) const DIMS: &str = "dims";
    /// What made the vectors, so that those of two models never mix.
    pub(crate) const EMBEDDING_NAME: &str = "embedding_name";
    /// What made chunks and fields; another one makes all of them anew.
    pub(crate) const FORMAT: &str = "format";
}

/// Why something of retrieval could not be done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The caller asked for something that makes no sense.
    #[error("{0}")]
    Usage(String),
    /// Nothing was indexed yet.
    #[error("there is no index at `{}`; run `hostler rag index` first", .0.display())]
    NoIndex(PathBuf),
    /// The folder that should be indexed is none.
    #[error("cannot index `{}`: {why}", path.display())]
    Root {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        why: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] hostler_store::Error),
    /// The caller asked to stop. What was done so far is kept.
    #[error("stopped; what is done so far is kept, and the next `hostler rag index` goes on from there")]
    Cancelled,
    /// A fault of ours.
    #[error("{0}; this is a fault of hostler")]
    Fault(String),
}

/// What turns texts into vectors.
pub(crate) trait Embedder: Send + Sync {
    /// `local`, `model` or `remote`.
    fn mode(&self) -> &'static str;
    /// What it is, so exactly that two of one name give the same vectors.
    fn name(&self) -> String;
    /// Numbers in a vector; `None` until an endpoint has told.
    fn dims(&self) -> Option<usize>;
    /// Its vectors are kept in the index.
    fn stored(&self) -> bool;
    /// It takes only processor time, and little of it: workers call it side by side, and a search may wait for it.
    fn cheap(&self) -> bool;
    /// A normalised vector for each text.
    ///
    /// # Errors
    /// Why there are none, as a clause.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, String>;
}

/// What chunks and fields of this build are made by.
fn format() -> String {
    format!("{}.{}", hostler_syntax::chunks::VERSION, hostler_knowledge::search::VERSION)
}
