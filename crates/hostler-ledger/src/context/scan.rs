//! JSON text in one pass: where its values are, and where it stops being JSON.
//!
//! Nothing is copied or built, nesting is a list and not the stack, so a file of any depth is gone through in the
//! time that its bytes take.

/// A part of a text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Span {
    pub(super) fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// Where a text stops being JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) what: &'static str,
}

const END: &str = "the text ends in the middle";

/// What is wrong at `at`: a text that ends is told from one that goes on with something else.
fn fault<T>(text: &[u8], at: usize, what: &'static str) -> Result<T, Fault> {
    Err(Fault { at, what: if at < text.len() { what } else { END } })
}

/// The first byte at or after `at` that is no white space.
pub(super) fn space(text: &[u8], mut at: usize) -> usize {
    while matches!(text.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    at
}

/// The end of the value that begins at `at`.
pub(super) fn value(text: &[u8], mut at: usize) -> Result<usize, Fault> {
    // The brackets that are still to come.
    let mut open: Vec<u8> = Vec::new();
    loop {
        match text.get(at) {
            Some(b'"') => at = string(text, at)?,
            Some(b'{') => {
                at = space(text, at + 1);
                if text.get(at) == Some(&b'}') {
                    at += 1;
                } else {
                    open.push(b'}');
                    at = name(text, at)?.1;
                    continue;
                }
            }
            Some(b'[') => {
                at = space(text, at + 1);
                if text.get(at) == Some(&b']') {
                    at += 1;
                } else {
                    open.push(b']');
                    continue;
                }
            }
            Some(b'-' | b'0'..=b'9') => at = number(text, at)?,
            Some(b't') => at = word(text, at, b"true")?,
            Some(b'f') => at = word(text, at, b"false")?,
            Some(b'n') => at = word(text, at, b"null")?,
            _ => return fault(text, at, "expected a value"),
        }
        loop {
            let Some(&close) = open.last() else { return Ok(at) };
            at = space(text, at);
            match text.get(at) {
                Some(b',') => {
                    at = space(text, at + 1);
                    if close == b'}' {
                        at = name(text, at)?.1;
                    }
                    break;
                }
                Some(&byte) if byte == close => {
                    at += 1;
                    open.pop();
                }
                _ => return fault(text, at, expected(close)),
            }
        }
    }
}

fn expected(close: u8) -> &'static str {
    if close == b'}' { "expected `,` or `}`" } else { "expected `,` or `]`" }
}

/// Goes through the object that begins at `at`. `member` gets the span of each name, quotes included, and where its
/// value begins; it returns where the value ends. Returns the end of the object.
pub(super) fn object(
    text: &[u8],
    at: usize,
    mut member: impl FnMut(Span, usize) -> Result<usize, Fault>,
) -> Result<usize, Fault> {
    let mut at = space(text, at + 1);
    if text.get(at) == Some(&b'}') {
        return Ok(at + 1);
    }
    loop {
        let (span, begin) = name(text, at)?;
        at = space(text, member(span, begin)?);
        match text.get(at) {
            Some(b',') => at = space(text, at + 1),
            Some(b'}') => return Ok(at + 1),
            _ => return fault(text, at, expected(b'}')),
        }
    }
}

/// Goes through the array that begins at `at`. `element` gets where each begins and returns where it ends.
pub(super) fn array(
    text: &[u8],
    at: usize,
    mut element: impl FnMut(usize) -> Result<usize, Fault>,
) -> Result<usize, Fault> {
    let mut at = space(text, at + 1);
    if text.get(at) == Some(&b']') {
        return Ok(at + 1);
    }
    loop {
        at = space(text, element(at)?);
        match text.get(at) {
            Some(b',') => at = space(text, at + 1),
            Some(b']') => return Ok(at + 1),
            _ => return fault(text, at, expected(b']')),
        }
    }
}

/// The members of an object that is known to be one.
pub(super) fn members(text: &str) -> Vec<(String, Span)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let whole = object(bytes, 0, |name, start| {
        let end = value(bytes, start)?;
        let name = serde_json::from_str(name.of(text)).unwrap_or_else(|_| name.of(text).to_owned());
        found.push((name, Span { start, end }));
        Ok(end)
    });
    debug_assert!(whole.is_ok(), "{text}");
    found
}

/// The elements of an array that is known to be one.
pub(super) fn elements(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let whole = array(bytes, 0, |start| {
        let end = value(bytes, start)?;
        found.push(Span { start, end });
        Ok(end)
    });
    debug_assert!(whole.is_ok(), "{text}");
    found
}

/// A member's name and where its value begins.
fn name(text: &[u8], at: usize) -> Result<(Span, usize), Fault> {
    if text.get(at) != Some(&b'"') {
        return fault(text, at, "expected a name in quotes");
    }
    let end = string(text, at)?;
    let colon = space(text, end);
    if text.get(colon) != Some(&b':') {
        return fault(text, colon, "expected `:`");
    }
    Ok((Span { start: at, end }, space(text, colon + 1)))
}

/// Bytes that go on in a string as they are.
const PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let mut byte = 0;
    while byte < 0x20 {
        plain[byte] = false;
        byte += 1;
    }
    plain[b'"' as usize] = false;
    plain[b'\\' as usize] = false;
    plain
};

/// The end of the string that begins at `at`.
pub(super) fn string(text: &[u8], at: usize) -> Result<usize, Fault> {
    let mut at = at + 1;
    loop {
        while let Some(&byte) = text.get(at)
            && PLAIN[usize::from(byte)]
        {
            at += 1;
        }
        match text.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => match text.get(at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                Some(b'u') => {
                    for digit in at + 2..at + 6 {
                        if !text.get(digit).is_some_and(u8::is_ascii_hexdigit) {
                            return fault(text, digit, "expected four hexadecimal digits after `\\u`");
                        }
                    }
                    at += 6;
                }
                _ => return fault(text, at + 1, "no such escape in a string"),
            },
            _ => return fault(text, at, "a control character in a string, or a missing quote before it"),
        }
    }
}

fn number(text: &[u8], at: usize) -> Result<usize, Fault> {
    const WHAT: &str = "not a number";
    let digits = |mut at: usize| {
        let start = at;
        while text.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        if at == start { fault(text, at, WHAT) } else { Ok(at) }
    };
    let mut at = if text.get(at) == Some(&b'-') { at + 1 } else { at };
    at = if text.get(at) == Some(&b'0') { at + 1 } else { digits(at)? };
    if text.get(at) == Some(&b'.') {
        at = digits(at + 1)?;
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        at = digits(at + 1 + sign)?;
    }
    Ok(at)
}

fn word(text: &[u8], at: usize, word: &[u8]) -> Result<usize, Fault> {
    let end = at + word.len();
    match text.get(at..end) {
        Some(found) if found == word => Ok(end),
        Some(_) => fault(text, at, "expected a value"),
        None => Err(Fault { at: text.len(), what: END }),
    }
}

/// Line and column of a byte, both from 1.
pub(super) fn position(text: &[u8], at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let start = memchr::memrchr(b'\n', before).map_or(0, |it| it + 1);
    (line, String::from_utf8_lossy(&before[start..]).chars().count() + 1)
}

#[cfg(test)]
mod tests;
