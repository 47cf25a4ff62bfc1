//! The name of a file in the first line, then its text. Every line that is not blank is in a chunk, chunks are in order,
//! and the text of each is that of its lines or a part of one line.
#![no_main]

use hostler_syntax::chunks::{chunks, words};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let input = &*String::from_utf8_lossy(input);
    let (path, text) = input.split_once('\n').unwrap_or(("", input));
    let lines: Vec<&str> = text.split('\n').collect();
    let mut is_lost: Vec<bool> = lines.iter().map(|it| !is_blank(it)).collect();
    let mut before = 1;
    for it in chunks(path, text).chunks {
        let (first, last) = (it.first_line as usize, it.last_line as usize);
        assert!(before <= first && first <= last && last <= lines.len(), "{it:?} of {} lines", lines.len());
        before = first;
        let whole = lines[first - 1..last].join("\n");
        assert!(it.text == whole || (first == last && whole.contains(&it.text)), "{it:?}");
        assert!(it.text.get(it.doc.clone()).is_some(), "{it:?}");
        is_lost[first - 1..last].fill(false);
    }
    assert_eq!(is_lost.iter().position(|it| *it), None, "a line is in no chunk");
    let letters: usize = words(text).map(str::len).sum();
    assert!(letters <= text.len());
});

/// Blank to Java's rules as well, which know the mark of the byte order as a blank.
fn is_blank(line: &str) -> bool {
    line.chars().all(|it| it.is_whitespace() || it == '\u{feff}')
}
