//! Words of others as they are shown: on one line, and not longer than anybody reads.

/// At most `chars_max` characters, the cut marked.
pub fn shorten(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
    }
}

/// On one line, with single blanks.
pub fn one_line(text: &str) -> String {
    shortened_line(text, usize::MAX)
}

/// [`one_line`] and [`shorten`]: of a long text no more is read than is shown.
pub fn shortened_line(text: &str, chars_max: usize) -> String {
    let mut out = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
            length += 1;
        }
        for c in word.chars() {
            if length == chars_max {
                out.push('…');
                return out;
            }
            out.push(c);
            length += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_cut_between_characters() {
        for (text, chars_max, expected) in
            [("äöü", 3, "äöü"), ("äöü", 2, "äö…"), ("a b", 2, "a …"), ("", 0, ""), ("a", 0, "…")]
        {
            assert_eq!(shorten(text, chars_max), expected);
            assert_eq!(shortened_line(text, chars_max), expected);
        }
    }

    #[test]
    fn lines_and_blanks_become_single_blanks() {
        assert_eq!(one_line("\t a\r\n\u{a0}b  c\n"), "a b c");
        assert_eq!(shortened_line("a\n\n bc", 3), "a b…");
    }
}
