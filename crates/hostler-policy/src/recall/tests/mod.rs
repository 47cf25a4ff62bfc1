#![expect(clippy::unwrap_used, reason = "tests")]

mod bound;
mod searching;
mod triggers;
