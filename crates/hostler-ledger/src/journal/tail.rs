//! The end of a journal: what the next line is chained to, and whether it is there already.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use memchr::{memchr, memmem, memrchr};

use super::line::{self, Link, Skipped};
use crate::error::Error;

/// How much of the end is read: tens of lines, so that doubled calls and the last record are in it.
const WINDOW_BYTES: u64 = 64 * 1024;
/// How far back a readable record is looked for. More than [`line::LINE_BYTES_MAX`] on purpose.
const WINDOW_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// What stands at the end.
#[derive(Debug, Default)]
pub(super) struct Tail {
    /// The last readable record.
    pub(super) last: Option<Link>,
    /// What follows it, unreadable.
    pub(super) skipped: Option<Skipped>,
    /// The last byte is a line end, or there is none.
    pub(super) closed: bool,
    window: Vec<u8>,
}

impl Tail {
    /// Reads the end of a locked journal of `length` bytes.
    pub(super) fn read(file: &File, path: &Path, length: u64) -> Result<Self, Error> {
        let mut size = WINDOW_BYTES.min(length);
        loop {
            let mut window = vec![0; usize::try_from(size).unwrap_or(usize::MAX)];
            file.read_exact_at(&mut window, length - size).map_err(Error::io("read", path))?;
            let whole = size == length;
            if let Some(tail) = Self::of(window, whole) {
                return Ok(tail);
            }
            if WINDOW_BYTES_MAX <= size {
                return Err(Error::Damaged { path: path.to_path_buf(), bytes: size });
            }
            size = (size * 4).min(length).min(WINDOW_BYTES_MAX);
        }
    }

    /// `None` when the window shows no record and does not reach the start of the file.
    fn of(mut window: Vec<u8>, whole: bool) -> Option<Self> {
        if !whole {
            // What stands before the first line end is a part of a line.
            let first = memchr(b'\n', &window)?;
            window.drain(..=first);
        }
        let closed = window.last().is_none_or(|byte| *byte == b'\n');
        let mut end = window.len() - usize::from(closed && !window.is_empty());
        loop {
            let before = window.get(..end)?;
            let start = memrchr(b'\n', before).map_or(0, |at| at + 1);
            let candidate = &before[start..];
            // A last line without its line end counts when it is otherwise whole: its own hash says so.
            let cut = !closed && end == window.len();
            let intact = |it: &Link| {
                !cut || line::split(candidate).is_some_and(|(body, _)| line::hash_of(body) == it.hash)
            };
            if let Some(last) = Link::parse(candidate).filter(intact) {
                let rest = window.get(end + 1..).unwrap_or_default();
                let skipped = skipped(rest);
                return Some(Self { last: Some(last), skipped, closed, window });
            }
            if start == 0 {
                return whole.then(|| Self { last: None, skipped: skipped(&window), closed, window });
            }
            end = start - 1;
        }
    }

    /// It ends with a record and its line end.
    pub(super) fn is_whole(&self) -> bool {
        self.closed && self.skipped.is_none() && self.last.is_some()
    }

    /// The lines, the newest first.
    pub(super) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = Some(&*self.window);
        let lines = std::iter::from_fn(move || {
            let before = rest?;
            let start = memrchr(b'\n', before).map_or(0, |at| at + 1);
            rest = start.checked_sub(1).and_then(|end| before.get(..end));
            before.get(start..)
        });
        lines.filter(|line| !line.is_empty())
    }

    /// The sequence of the line that stands for the same event and call, if it is near the end.
    pub(super) fn find(&self, dedupe: &str) -> Option<u64> {
        // Inside a string the quotes would be escaped, so this is found as a member only.
        let needle = format!("\"dedupe\":{}", line::quoted(dedupe));
        memmem::find_iter(&self.window, needle.as_bytes()).find_map(|at| {
            let start = memrchr(b'\n', &self.window[..at]).map_or(0, |it| it + 1);
            let end = memchr(b'\n', &self.window[at..]).map(|it| at + it)?;
            Some(Link::parse(&self.window[start..end])?.sequence)
        })
    }
}

fn skipped(rest: &[u8]) -> Option<Skipped> {
    let rest = rest.strip_suffix(b"\n").unwrap_or(rest);
    (!rest.is_empty()).then(|| Skipped { bytes: rest.len() as u64, hash: line::sha256_hex(rest) })
}
