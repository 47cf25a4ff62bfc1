//! What code is in Markdown: fenced blocks, and spans within a line.

use std::borrow::Cow;

/// A fence that opened a block of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    /// The fence that `line` opens, if it does.
    pub(crate) fn opened_by(line: &str) -> Option<Self> {
        let line = line.trim_start();
        let mark = line.chars().next().filter(|it| matches!(it, '`' | '~'))?;
        let rest = line.trim_start_matches(mark);
        let length = line.len() - rest.len();
        // Behind backticks, another one makes it a span of code.
        (3 <= length && (mark == '~' || !rest.contains('`'))).then_some(Self { mark, length })
    }

    /// Whether `line` ends the block: marks of the same kind, as many or more, and nothing else.
    pub(crate) fn is_closed_by(self, line: &str) -> bool {
        let line = line.trim();
        self.length <= line.len() && line.chars().all(|it| it == self.mark)
    }
}

/// `line` with spans of code blanked out, of the same length in bytes.
pub(crate) fn without_code(line: &str) -> Cow<'_, str> {
    if !line.contains('`') {
        return Cow::Borrowed(line);
    }
    // Where each run of backticks is, and how many it has: a span ends with a run as long as the one that began it.
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, _) in line.match_indices('`') {
        match runs.last_mut() {
            Some((start, length)) if *start + *length == at => *length += 1,
            _ => runs.push((at, 1)),
        }
    }
    let mut out = String::with_capacity(line.len());
    let (mut at, mut next) = (0, 0);
    // A length that was looked for in vain has no end further on either.
    let mut never: Vec<usize> = Vec::new();
    while let Some((start, length)) = runs.get(next).copied() {
        next += 1;
        if never.contains(&length) {
            continue;
        }
        let Some(end) = (next..runs.len()).find(|it| runs[*it].1 == length) else {
            never.push(length);
            continue;
        };
        let stop = runs[end].0 + length;
        out.push_str(&line[at..start]);
        out.extend(std::iter::repeat_n(' ', stop - start));
        (at, next) = (stop, end + 1);
    }
    out.push_str(&line[at..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_close_with_their_own() {
        let check = |open: &str, line: &str| Fence::opened_by(open).map(|it| it.is_closed_by(line));
        assert_eq!(check("```", "```"), Some(true));
        assert_eq!(check("  ````md", "```"), Some(false));
        assert_eq!(check("````md", "`````  "), Some(true));
        assert_eq!(check("```", "~~~"), Some(false));
        assert_eq!(check("~~~ a `b`", "~~~"), Some(true));
        assert_eq!(check("```", "```x"), Some(false));
        assert_eq!(check("```a` b", "```"), None);
        assert_eq!(check("``", "``"), None);
    }

    #[test]
    fn spans_are_blanked() {
        for (line, expected) in [
            ("a `b` c", "a     c"),
            ("a ``b ` c`` d", "a           d"),
            ("a ` b", "a ` b"),
            ("`a` `b", "    `b"),
            ("``` `x` ```", "           "),
            ("é `ü` é", "é      é"),
        ] {
            assert_eq!(without_code(line), expected, "{line}");
            assert_eq!(without_code(line).len(), line.len(), "{line}");
        }
    }
}
