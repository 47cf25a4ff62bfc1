//! An index as its users see it, and what only processes can show: kills, full disks, folders that cannot be written.

#![expect(clippy::unwrap_used, reason = "tests")]

mod basics;
mod common;
mod failure;
mod processes;
mod random;
mod search;
mod vectors;
