//! Where bytes stand in folded JSON text, without parsing it. Each answer errs towards "it may be a text".

/// What comes after some letters says that they stand in the name of a member: `branch": `.
pub(super) fn in_name(after: &[u8]) -> bool {
    let end = after.iter().position(|it| !(it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.')));
    let Some((b'"', rest)) = end.and_then(|end| after.get(end..)?.split_first()) else { return false };
    rest.iter().find(|it| !it.is_ascii_whitespace()) == Some(&b':')
}

/// No letter or digit stands before `at`, or one that belongs to an escape.
pub(super) fn begins_word(text: &[u8], at: usize) -> bool {
    let before = &text[..at];
    before.last().is_none_or(|it| !it.is_ascii_alphanumeric()) || is_escaped(before, at - 1)
}

/// The name of the member whose value is the string that `at` stands in; `None` for what is no such value, as an
/// element of a list.
pub(super) fn member_of(text: &[u8], at: usize) -> Option<&[u8]> {
    let open = opening(text, at)?;
    let before = text[..open].trim_ascii_end().strip_suffix(b":")?.trim_ascii_end();
    let name = before.strip_suffix(b"\"")?;
    Some(&name[opening(text, name.len())? + 1..])
}

/// The quotation mark that opens the string in which `at` stands.
fn opening(text: &[u8], at: usize) -> Option<usize> {
    let mut end = at;
    loop {
        let mark = memchr::memrchr(b'"', &text[..end])?;
        if !is_escaped(text, mark) {
            return Some(mark);
        }
        end = mark;
    }
}

/// An odd number of backslashes stands before `at`.
fn is_escaped(text: &[u8], at: usize) -> bool {
    text[..at].iter().rev().take_while(|it| **it == b'\\').count() % 2 == 1
}
