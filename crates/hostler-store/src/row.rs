//! What stands in an index, as callers give and get it.

/// A file, as it was when it was indexed or passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    /// Its key.
    pub id: i64,
    /// Relative to the indexed root, with `/`.
    pub path: String,
    /// Size, bytes.
    pub size: u64,
    /// Last change, nanoseconds since 1970; kept as given.
    pub mtime_ns: i64,
    /// Digest of the content; zeros where the file was passed over.
    pub sha256: [u8; 32],
    /// What kind of text it is, in the caller's numbers.
    pub nature: u8,
    /// Why it is not indexed, in the caller's numbers; `None` where it is.
    pub skipped: Option<u8>,
}

/// A file that is put into the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewFile<'a> {
    /// Relative to the indexed root, with `/`.
    pub path: &'a str,
    /// Size, bytes.
    pub size: u64,
    /// Last change, nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Digest of the content.
    pub sha256: [u8; 32],
    /// What kind of text it is, in the caller's numbers.
    pub nature: u8,
}

/// The words of a chunk, by where they stand; already split, for the tokenizer takes them as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields {
    /// Words of the symbol.
    pub symbol: String,
    /// Words of the path.
    pub path: String,
    /// Words of the heading.
    pub heading: String,
    /// Words of the documentation.
    pub doc: String,
    /// Words of everything else.
    pub body: String,
}

/// A chunk that is put into the index.
#[derive(Debug, Clone, PartialEq)]
pub struct NewChunk<'a> {
    /// Its place in the file, from 0.
    pub ordinal: u32,
    /// Where it stands, for people.
    pub heading: &'a str,
    /// Qualified name of what it defines; may be empty.
    pub symbol: &'a str,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// A raw slice of the file.
    pub text: &'a str,
    /// What it is found by.
    pub fields: Fields,
    /// A normalised vector; all of a file have one length.
    pub vector: Option<&'a [f32]>,
}

/// A chunk with the path of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkRow {
    /// Its key; never used for another chunk.
    pub id: i64,
    /// Path of its file, relative to the root.
    pub path: String,
    /// What kind of text its file is, in the caller's numbers.
    pub nature: u8,
    /// Its place in the file, from 0.
    pub ordinal: u32,
    /// Where it stands, for people.
    pub heading: String,
    /// Qualified name of what it defines; may be empty.
    pub symbol: String,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// A raw slice of the file.
    pub text: String,
}

/// How much there is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Files that are indexed.
    pub files: u64,
    /// Chunks of all files.
    pub chunks: u64,
    /// Chunks that have a vector.
    pub vectors: u64,
    /// Files that are not indexed, by cause, ascending.
    pub skipped: Vec<(u8, u64)>,
}

/// A chunk that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The chunk.
    pub chunk: i64,
    /// Its file.
    pub file: i64,
    /// Weighted bm25, higher is better.
    pub score: f64,
}

/// A word or phrase of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wanted<'a> {
    /// The word, or words that must stand side by side; taken as they are, whatever signs are in them.
    pub words: &'a str,
    /// What it counts for where it is found: how rare it is.
    pub worth: f64,
    /// So many chunks have it that it is looked for in symbols, headings and documentation alone.
    pub common: bool,
}
