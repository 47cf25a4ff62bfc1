//! What a search makes of words: fields of an index, queries, scores, vectors.
//!
//! The crate is pure. It is given what an index holds and says in which order it answers a query; who keeps the index and
//! who asks is not its concern.

#![forbid(clippy::disallowed_methods, clippy::disallowed_macros)]

pub mod embed;
pub mod search;
