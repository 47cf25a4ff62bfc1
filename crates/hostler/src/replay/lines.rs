//! Lines of any length and any bytes, with bounded memory.

use std::io::{BufRead, BufReader, ErrorKind, Read};

/// What is read at once.
const CHUNK_BYTES: usize = 256 * 1024;
/// A buffer that one long line made larger than this is given back.
const KEPT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Reads line after line.
#[derive(Debug)]
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    buffer: Vec<u8>,
    line_bytes_max: usize,
    /// Bytes so far.
    pub(super) bytes: u64,
}

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next<'a> {
    /// A line without its line end. `ended` is false for a last one that has none.
    Line { text: &'a [u8], ended: bool },
    /// A line that is longer than is read.
    TooLong,
    /// There are no more.
    End,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(reader: R, line_bytes_max: usize) -> Self {
        Self {
            reader: BufReader::with_capacity(CHUNK_BYTES, reader),
            buffer: Vec::new(),
            line_bytes_max,
            bytes: 0,
        }
    }

    /// Reads one line.
    ///
    /// # Errors
    /// What the system said.
    pub(super) fn next(&mut self) -> std::io::Result<Next<'_>> {
        if KEPT_BYTES_MAX < self.buffer.capacity() {
            self.buffer = Vec::new();
        }
        self.buffer.clear();
        let (mut any, mut ended, mut whole) = (false, false, true);
        while !ended {
            let chunk = match self.reader.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                break;
            }
            any = true;
            let end = memchr::memchr(b'\n', chunk);
            let text = &chunk[..end.unwrap_or(chunk.len())];
            whole &= self.buffer.len() + text.len() <= self.line_bytes_max;
            if whole {
                self.buffer.extend_from_slice(text);
            }
            let taken = text.len() + usize::from(end.is_some());
            ended = end.is_some();
            self.bytes += taken as u64;
            self.reader.consume(taken);
        }
        Ok(match (any, whole) {
            (false, _) => Next::End,
            (true, false) => Next::TooLong,
            (true, true) => Next::Line { text: &self.buffer, ended },
        })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn lines_are_whole_or_too_long_and_never_lost() {
        let long = "x".repeat(CHUNK_BYTES + 10);
        let text = format!("one\n\n{long}\nlast");
        let mut lines = Lines::new(text.as_bytes(), CHUNK_BYTES);
        assert_eq!(lines.next().unwrap(), Next::Line { text: b"one", ended: true });
        assert_eq!(lines.next().unwrap(), Next::Line { text: b"", ended: true });
        assert_eq!(lines.next().unwrap(), Next::TooLong);
        assert_eq!(lines.next().unwrap(), Next::Line { text: b"last", ended: false });
        assert_eq!(lines.next().unwrap(), Next::End);
        assert_eq!(lines.bytes, text.len() as u64);
        let mut lines = Lines::new(text.as_bytes(), 2 * CHUNK_BYTES);
        lines.next().unwrap();
        lines.next().unwrap();
        assert_eq!(lines.next().unwrap(), Next::Line { text: long.as_bytes(), ended: true });
    }
}
