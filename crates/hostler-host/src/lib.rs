//! A host's words <-> ours. One folder per host: wire types, `read`, `write`, and the settings edit
//! that the installer applies.
//!
//! Invariant: pure. No file, environment, clock or print; a host's field names appear in its folder only, those of
//! tools in records of any host in `tools`.

#![forbid(clippy::disallowed_methods, clippy::disallowed_macros)]

pub mod artifact;
pub mod claude;
pub mod jsonc;
mod loose;
pub mod opencode;
pub mod reason;
pub mod reply;
pub mod tools;
pub mod transcript;
