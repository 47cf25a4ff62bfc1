#![expect(clippy::unwrap_used, reason = "tests")]

mod bound;
mod prompts;
mod searching;
mod triggers;
