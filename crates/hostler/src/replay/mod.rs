//! Sessions that are over, from transcripts of hosts, exports and our journals: what was claimed in them and what
//! held.

pub(crate) mod summary;
