//! Queries and their answers: what an index is given of a chunk, what it is asked for, and the order of what it found.
//!
//! An index finds candidates by its own BM25, fast and roughly. [`rank`] then reads each candidate and scores it by what
//! an index cannot see: words related to those of the query, words that stand side by side, how much of a name the query
//! covers, how much else of the file fits, what a vector says.

mod glob;
mod query;
mod rank;
mod related;
mod stem;
#[cfg(test)]
mod tests;

use hostler_syntax::chunks::{Chunk, words};

pub use glob::Glob;
pub use query::{Counts, Query, Term, Wanted};
pub use rank::{Candidate, Part, Ranked, rank};
pub use stem::stem;

/// Changes with what [`fields`] gives: an index of another version is made anew.
pub const VERSION: u32 = 1;

/// What a word is worth by where it stands: symbol, path, heading, doc, body; in the order of an index's columns.
pub const WEIGHTS: [f64; 5] = [5.0, 1.0, 2.0, 1.0, 1.0];

/// What an index is given of a chunk, one text a column, split into words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fields {
    /// The name of what it defines, without what that is part of.
    pub symbol: String,
    /// The path of its file, without the ending.
    pub path: String,
    /// What it is part of, or the headings above it.
    pub heading: String,
    /// What documents it.
    pub doc: String,
    /// The rest.
    pub body: String,
}

/// The fields of a chunk of the file at `path`.
pub fn fields(path: &str, chunk: &Chunk) -> Fields {
    let (owner, name) = named(&chunk.symbol);
    let doc = chunk.text.get(chunk.doc.clone()).unwrap_or_default();
    let before = chunk.text.get(..chunk.doc.start).unwrap_or(&chunk.text);
    let after = chunk.text.get(chunk.doc.end..).unwrap_or_default();
    let mut body = String::with_capacity(chunk.text.len());
    push_words(&mut body, before);
    push_words(&mut body, after);
    Fields {
        symbol: split(name),
        path: split(without_extension(path)),
        heading: if owner.is_empty() { split(&chunk.heading) } else { split(owner) },
        doc: split(doc),
        body,
    }
}

/// What a symbol is part of, and its own name.
fn named(symbol: &str) -> (&str, &str) {
    symbol.rsplit_once('.').unwrap_or(("", symbol))
}

fn without_extension(path: &str) -> &str {
    match path.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains('/') && !stem.is_empty() => stem,
        _ => path,
    }
}

fn split(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_words(&mut out, text);
    out
}

fn push_words(out: &mut String, text: &str) {
    for word in words(text) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
}
