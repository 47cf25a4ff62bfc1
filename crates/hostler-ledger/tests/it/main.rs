//! What only processes can show: parallel hooks, killed ones, full disks, and recipes of the documentation.

#![expect(clippy::unwrap_used, reason = "tests")]

mod context;
mod processes;
mod recipes;
