//! The index of a project: files, chunks, words and vectors in one `SQLite` database. The only crate with SQL.
//!
//! Invariants: one [`Writer`] at a time, held by a lock that ends with its process; a [`Reader`] is never blocked and
//! sees whole transactions; a database that is not ours is never written to; a change touches the rows of its file by
//! key alone. Nothing here prints, reads the environment or knows what a chunk means.

mod batch;
mod error;
mod length;
mod lock;
mod reader;
mod row;
mod schema;
mod search;
mod vector;
mod writer;

pub use batch::{Batch, Renamed};
pub use error::Error;
pub use reader::{Reader, Snapshot};
pub use row::{ChunkRow, Counts, Fields, FileRow, Hit, NewChunk, NewFile, Wanted};
pub use vector::Vector;
pub use writer::Writer;
