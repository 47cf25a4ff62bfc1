//! An index as its users see it.

#![expect(clippy::unwrap_used, reason = "tests")]

mod basics;
mod common;
