use std::io::BufReader;

use super::*;

#[track_caller]
fn check(text: &[u8], expected: &[(bool, usize)]) {
    let mut stdin = BufReader::with_capacity(37, text);
    let mut line = Vec::new();
    let mut lines = Vec::new();
    while let Some(fits) = next(&mut stdin, &mut line) {
        lines.push((fits, line.len()));
    }
    assert_eq!(lines, expected);
}

#[test]
fn lines_end_with_their_end_or_with_stdin_and_one_that_is_too_large_costs_itself_alone() {
    check(b"", &[]);
    check(b"ab\n\ncd", &[(true, 2), (true, 0), (true, 2)]);
    let mut huge = vec![b'x'; LINE_BYTES_MAX + 5];
    huge.extend_from_slice(b"\nafter\n");
    check(&huge, &[(false, 1024), (true, 5)]);
    let exact = [vec![b'x'; LINE_BYTES_MAX], b"\n".to_vec()].concat();
    check(&exact, &[(true, LINE_BYTES_MAX)]);
    check(&vec![b'x'; LINE_BYTES_MAX + 1], &[(false, 1024)]);
}
