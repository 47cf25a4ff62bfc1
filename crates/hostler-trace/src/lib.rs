//! Requirements, the tags that cite them, and what tests of them came to: text -> one matrix -> reports.
//!
//! ```text
//! requirement::read   a source of requirements -> Requirement
//! tag::read           a source file -> Tag, with the section, class or function that it sits on
//! outcome::read       a report of tests -> Case
//! Lock                what was reviewed: digests of texts, and the links at that time
//! Matrix::of          all of these -> rows, states, findings, coverage
//! output::*           the matrix as Markdown, JSON, CSV, SARIF, HTML, ReqIF
//! ```
//!
//! Invariant: no I/O. A caller reads files and hands over their text; lists come back in the order of the input, so
//! that the same project gives the same bytes.

#![forbid(clippy::disallowed_methods, clippy::disallowed_macros)]

mod id;
mod inline;
pub mod lock;
mod matrix;
pub mod outcome;
pub mod output;
pub mod requirement;
pub mod settings;
pub mod tag;

pub use id::{FILE_IDS_MAX, ID_BYTES_MAX, Ids, Pattern, PatternError, RANGE_IDS_MAX, TAG_IDS_MAX};
pub use lock::Lock;
pub use matrix::{Coverage, Finding, Input, Link, Matrix, Place, Review, Row, Rule, Source, State};

/// The first `count` bytes of a digest.
fn hexadecimal(digest: &[u8], count: usize) -> String {
    let mut out = String::with_capacity(2 * count);
    for byte in digest.iter().take(count) {
        for digit in [byte >> 4, byte & 15] {
            out.extend(char::from_digit(u32::from(digit), 16));
        }
    }
    out
}
