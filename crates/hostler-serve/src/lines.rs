//! The stream in, line by line, on a thread of its own: a read cannot be given up, and is not waited for at the end.

use std::io::{self, BufRead, BufReader, Read};
use std::thread;

use tokio::sync::mpsc;

/// The longest line that is taken, in bytes; an argument may hold a file.
pub(crate) const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Lines that are read ahead.
const AHEAD: usize = 4;
/// Bytes that are read at once.
const BUFFER_BYTES: usize = 64 * 1024;

/// A line without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// What stands in it.
    Whole(Vec<u8>),
    /// It is longer than [`LINE_BYTES_MAX`], and passed over.
    TooLong,
}

/// Reads lines until the stream ends or fails, which is the same to us: the client is gone. A last line needs no end.
pub(crate) fn read(input: impl Read + Send + 'static) -> io::Result<mpsc::Receiver<Line>> {
    let (sender, receiver) = mpsc::channel(AHEAD);
    thread::Builder::new().name("input".to_owned()).spawn(move || {
        let mut input = BufReader::with_capacity(BUFFER_BYTES, input);
        while let Ok(Some(line)) = next(&mut input, LINE_BYTES_MAX) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    })?;
    Ok(receiver)
}

/// The next line; `None` at the end.
fn next(input: &mut impl BufRead, bytes_max: usize) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut began = false;
    let mut too_long = false;
    loop {
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if bytes.is_empty() {
            break;
        }
        began = true;
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
        too_long = too_long || bytes_max < line.len() + part.len();
        if too_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    let whole = if too_long { Line::TooLong } else { Line::Whole(line) };
    Ok(began.then_some(whole))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[Option<&str>]) {
        // Whatever the chunks are in which it comes.
        for capacity in [1, 2, 3, 64] {
            let mut input = BufReader::with_capacity(capacity, text.as_bytes());
            let mut found = Vec::new();
            while let Some(line) = next(&mut input, 5).unwrap() {
                found.push(match line {
                    Line::Whole(bytes) => Some(String::from_utf8(bytes).unwrap()),
                    Line::TooLong => None,
                });
            }
            let found: Vec<Option<&str>> = found.iter().map(Option::as_deref).collect();
            assert_eq!(found, expected, "{text:?} in chunks of {capacity}");
        }
    }

    #[test]
    fn lines_end_with_a_line_end_or_with_the_stream() {
        check("", &[]);
        check("a\nbc\n", &[Some("a"), Some("bc")]);
        check("a\nbc", &[Some("a"), Some("bc")]);
        check("\n\na", &[Some(""), Some(""), Some("a")]);
        check("a\r\n", &[Some("a\r")]);
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_told() {
        check("12345\n", &[Some("12345")]);
        check("123456\nb\n", &[None, Some("b")]);
        check("1234567890123", &[None]);
    }
}
