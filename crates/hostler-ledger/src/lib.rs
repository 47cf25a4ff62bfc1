//! Files that must never be lost: chained journals, session state, checkpoints, atomic replacement.
//!
//! Invariant: everything durable is either one appended line under a lock, or a temporary file in the
//! same folder, synced and renamed. Nothing here prints or reads the environment.

pub mod allow;
pub mod checkpoint;
pub mod context;
mod error;
pub mod file;
pub mod journal;
mod lock;
pub mod log;
pub mod redact;
pub mod signature;
pub mod state;
