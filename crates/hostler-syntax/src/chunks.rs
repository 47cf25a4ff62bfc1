//! Files -> chunks: what an index of a repository holds, one function, section or cell at a time.
//!
//! Code is cut at its symbols, each function with its decorators and what documents it; Markdown at headings;
//! notebooks at cells; data at keys; everything else at blank lines.
//!
//! Invariant: every line that is not blank is in a chunk, chunks are in order of lines, and the text of a chunk is
//! that of its lines as they stand in the file. Only a line too long for one chunk is cut, into overlapping windows.

mod code;
mod cut;
mod data;
mod java;
mod lines;
mod markdown;
mod nature;
mod notebook;
mod restructured;
mod text;
mod words;

use std::ops::Range;
use std::path::Path;

pub use nature::Nature;
pub use words::{identifiers, words};

use crate::Language;
use lines::Lines;
use text::Piece;

/// Changes with what [`chunks`] gives: an index of another version is made anew.
pub const VERSION: u32 = 1;

/// The chunks of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunks {
    /// In order of lines.
    pub chunks: Vec<Chunk>,
    /// What the file is there for.
    pub nature: Nature,
}

/// A part of a file that can be found by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The qualified name of what it defines, `Type.method`; empty where there is none.
    pub symbol: String,
    /// Where it stands: `module > Type > function`, the path of a Markdown section, or `package P; > Class > method`.
    /// Empty at the top of a file without headings.
    pub heading: String,
    /// What documents it, doc comment or docstring: a range of bytes within [`Self::text`], empty if nothing does.
    pub doc: Range<usize>,
    /// What it is.
    pub kind: ChunkKind,
    /// Its first line, from 1.
    pub first_line: u32,
    /// Its last line, itself included.
    pub last_line: u32,
    /// These lines as they stand in the file, without the last line end; a window of a line too long for one chunk.
    pub text: String,
}

/// What a chunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChunkKind {
    /// A function or method, or a part of a long one.
    Function,
    /// A type: its head with fields and small members; all of it if it is short.
    Type,
    /// Code outside of functions and types: imports, constants, statements of a module.
    Code,
    /// A section of a document with headings.
    Section,
    /// A cell of a notebook.
    Cell,
    /// A part of a file of data.
    Data,
    /// Paragraphs.
    Text,
}

/// Cuts the file at `path`, relative and with `/`, whose name tells the language.
///
/// Nothing makes it fail: code that cannot be parsed within [`crate::BYTES_MAX`] and the other budgets is cut at
/// blank lines.
pub fn chunks(path: &str, text: &str) -> Chunks {
    let lines = Lines::new(text);
    let nature = nature::of(path, text);
    let extension = extension(path).to_ascii_lowercase();
    let module = code::module(path);
    let chunks = match extension.as_str() {
        "md" | "markdown" | "mdx" | "qmd" | "rmd" => markdown::chunks(&lines),
        "rst" | "txt" | "rest" => restructured::chunks(&lines),
        "java" => java::chunks(path, &lines).unwrap_or_else(|| paragraphs(&lines)),
        "ipynb" => notebook::chunks(&module, &lines).unwrap_or_else(|| data::chunks(&module, &lines)),
        "json" | "jsonc" | "json5" | "geojson" | "yaml" | "yml" | "toml" => data::chunks(&module, &lines),
        "csv" | "tsv" => data::table(&module, &lines),
        _ => language(path)
            .and_then(|it| code::chunks(&module, it, &lines))
            .unwrap_or_else(|| paragraphs(&lines)),
    };
    Chunks { chunks, nature }
}

fn language(path: &str) -> Option<Language> {
    Language::of(Path::new(path))
}

fn paragraphs(lines: &Lines<'_>) -> Vec<Chunk> {
    let pieces = text::pieces(lines, 0..lines.count());
    pieces.into_iter().map(|it| it.chunk(lines, ChunkKind::Text, "")).collect()
}

impl Piece {
    fn chunk(self, lines: &Lines<'_>, kind: ChunkKind, heading: &str) -> Chunk {
        Chunk {
            symbol: String::new(),
            heading: heading.to_owned(),
            doc: 0..0,
            kind,
            first_line: lines::number(self.first),
            last_line: lines::number(self.last),
            text: lines.text.get(self.bytes).unwrap_or_default().to_owned(),
        }
    }
}

/// The last part of a path.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// What follows the last dot of the file's name; empty without one.
fn extension(path: &str) -> &str {
    file_name(path).rsplit_once('.').map_or("", |(_, extension)| extension)
}

#[cfg(test)]
mod tests;
