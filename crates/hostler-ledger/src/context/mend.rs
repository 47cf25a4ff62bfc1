//! Commas: what people forget, and leave behind, when they change JSON by hand.

use super::scan;

/// More than that is no slip of the hand.
const CHANGES_MAX: usize = 1_000;

/// What stands before a place in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// An opening bracket, a colon, or nothing.
    Opening,
    Comma,
    Value,
}

/// The text with commas where they belong and nowhere else; all else stays as it is. `None`: that is not what is wrong
/// with it. Whether the result is JSON has to be seen.
pub(super) fn commas(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len() + 16);
    let mut before = Before::Opening;
    // Where the last value or comma ended in what is written, and where the next byte is read.
    let (mut end, mut at) = (0, if text.starts_with('\u{feff}') { 3 } else { 0 });
    let mut changes = 0;
    out.push_str(text.get(..at)?);
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => scan::space(bytes, at),
            b'"' => scan::string(bytes, at).ok()?,
            b'{' | b'[' | b'}' | b']' | b',' | b':' => at + 1,
            b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => word(bytes, at),
            _ => return None,
        };
        let piece = text.get(start..at)?;
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                out.push_str(piece);
                continue;
            }
            b',' if before != Before::Value => {
                changes += 1;
                continue;
            }
            b'}' | b']' if before == Before::Comma => {
                out.remove(end - 1);
                changes += 1;
            }
            b'"' | b'{' | b'[' if before == Before::Value => {
                out.insert(end, ',');
                changes += 1;
            }
            b'}' | b']' | b',' | b':' | b'"' | b'{' | b'[' => {}
            _ if before == Before::Value => {
                out.insert(end, ',');
                changes += 1;
            }
            _ => {}
        }
        if CHANGES_MAX < changes {
            return None;
        }
        out.push_str(piece);
        end = out.len();
        before = match byte {
            b'{' | b'[' | b':' => Before::Opening,
            b',' => Before::Comma,
            _ => Before::Value,
        };
    }
    (changes != 0).then_some(out)
}

fn word(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|it| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'+' | b'.')) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(commas(text).as_deref(), expected, "{text}");
    }

    #[test]
    fn commas_are_put_where_they_belong() {
        check("{\"a\": 1,}", Some("{\"a\": 1}"));
        check("{\"a\": [1, 2 ,\n ] }", Some("{\"a\": [1, 2 \n ] }"));
        check("{\"a\": 1,, \"b\": 2}", Some("{\"a\": 1, \"b\": 2}"));
        check("{, \"a\": 1}", Some("{ \"a\": 1}"));
        check("{\"a\": 1\n  \"b\": {}\n  \"c\": []}", Some("{\"a\": 1,\n  \"b\": {},\n  \"c\": []}"));
        check("[\"a\" \"b,]\" {\"c\": true} null 1.5]", Some("[\"a\", \"b,]\", {\"c\": true}, null, 1.5]"));
        check("\u{feff}[1,]", Some("\u{feff}[1]"));
        // Nothing to mend, or something else.
        check("{\"a\": [1, \",]\"]}", None);
        check("{\"a\": \"b\n\"}", None);
        check("<<<<<<< HEAD", None);
        check("{\"a\": 1", None);
    }
}
