//! Small files with chunks.

use std::path::PathBuf;
use std::time::Duration;

use hostler_store::{Fields, NewChunk, NewFile, Writer};

pub(crate) const WAIT: Duration = Duration::from_secs(5);
pub(crate) const WEIGHTS: [f64; 5] = [8.0, 2.0, 3.0, 2.0, 1.0];

/// A database in a folder of its own.
pub(crate) fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a folder/index.db");
    (folder, path)
}

pub(crate) fn open(path: &std::path::Path) -> Writer {
    Writer::open(path, WAIT).unwrap()
}

pub(crate) fn file(path: &str) -> NewFile<'_> {
    NewFile { path, size: 10, mtime_ns: 20, sha256: [7; 32], nature: 1 }
}

/// A chunk a text; the first word is its symbol.
pub(crate) fn chunks<'a>(path: &str, texts: &[&'a str]) -> Vec<NewChunk<'a>> {
    (0_u32..)
        .zip(texts)
        .map(|(ordinal, text)| NewChunk {
            ordinal,
            heading: "a > b",
            symbol: text.split(' ').next().unwrap(),
            start_line: ordinal * 10 + 1,
            end_line: ordinal * 10 + 9,
            text,
            fields: Fields {
                symbol: text.split(' ').next().unwrap().into(),
                path: path.replace(['/', '.'], " "),
                heading: "a b".into(),
                doc: String::new(),
                body: (*text).into(),
            },
            vector: None,
        })
        .collect()
}

/// Puts one file in a transaction of its own.
pub(crate) fn put(writer: &mut Writer, path: &str, texts: &[&str]) -> i64 {
    let mut batch = writer.batch().unwrap();
    let id = batch.put(&file(path), &chunks(path, texts)).unwrap();
    batch.commit().unwrap();
    id
}
