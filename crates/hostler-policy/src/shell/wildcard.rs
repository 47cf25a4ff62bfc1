//! Shell patterns over text: `*`, `?`, `[…]`. A `/` is an ordinary character here.

/// Longest text and pattern that are compared, in characters; longer ones do not match.
const CHARS_MAX: usize = 4_096;

/// Whether all of `text` matches `pattern`.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().take(CHARS_MAX + 1).collect();
    let text: Vec<char> = text.chars().take(CHARS_MAX + 1).collect();
    if CHARS_MAX < pattern.len() || CHARS_MAX < text.len() {
        return false;
    }
    // Greedy with one point to go back to: linear in practice, quadratic at worst.
    let (mut p, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        match step(&pattern[p..], text[t]) {
            Some(Step::Star) => {
                back = Some((p + 1, t));
                p += 1;
            }
            Some(Step::Take(width)) => {
                p += width;
                t += 1;
            }
            None => match back {
                Some((after, from)) => {
                    p = after;
                    t = from + 1;
                    back = Some((after, t));
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

enum Step {
    Star,
    Take(usize),
}

fn step(pattern: &[char], c: char) -> Option<Step> {
    match pattern.first()? {
        '*' => Some(Step::Star),
        '?' => Some(Step::Take(1)),
        '[' => class(pattern, c),
        '\\' if 1 < pattern.len() => (pattern[1] == c).then_some(Step::Take(2)),
        literal => (*literal == c).then_some(Step::Take(1)),
    }
}

fn class(pattern: &[char], c: char) -> Option<Step> {
    let negated = matches!(pattern.get(1), Some('!' | '^'));
    let start = if negated { 2 } else { 1 };
    let Some(end) = pattern.iter().skip(start + 1).position(|it| *it == ']').map(|at| at + start + 1) else {
        return (c == '[').then_some(Step::Take(1));
    };
    let set = &pattern[start..end];
    let mut found = false;
    let mut index = 0;
    while index < set.len() {
        if set.get(index + 1) == Some(&'-') && index + 2 < set.len() {
            found |= set[index] <= c && c <= set[index + 2];
            index += 3;
        } else {
            found |= set[index] == c;
            index += 1;
        }
    }
    (found != negated).then_some(Step::Take(end + 1))
}

/// Longest text that is stripped: every cut is compared, so the work grows with the square.
const STRIP_BYTES_MAX: usize = 1_024;

/// `text` without the shortest (or longest) start that matches.
pub(super) fn strip_prefix(text: &str, pattern: &str, longest: bool) -> String {
    if STRIP_BYTES_MAX < text.len() {
        return text.to_owned();
    }
    let cuts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let mut cuts: Vec<usize> = cuts.filter(|cut| matches(pattern, &text[..*cut])).collect();
    let cut = if longest { cuts.pop() } else { cuts.into_iter().next() };
    text[cut.unwrap_or(0)..].to_owned()
}

/// `text` without the shortest (or longest) end that matches.
pub(super) fn strip_suffix(text: &str, pattern: &str, longest: bool) -> String {
    if STRIP_BYTES_MAX < text.len() {
        return text.to_owned();
    }
    let cuts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let mut cuts: Vec<usize> = cuts.filter(|cut| matches(pattern, &text[*cut..])).collect();
    let cut = if longest { cuts.into_iter().next() } else { cuts.pop() };
    text[..cut.unwrap_or(text.len())].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("*.log", "a.log", true),
            ("*.log", "a.logs", false),
            ("a?c", "abc", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("a*b*c", "aXXbYYc", true),
            ("a*b*c", "aXXbYY", false),
            ("[", "[", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn stripping_takes_the_shortest_or_longest_match() {
        assert_eq!(strip_suffix("a/b/c", "/*", false), "a/b");
        assert_eq!(strip_suffix("a/b/c", "/*", true), "a");
        assert_eq!(strip_prefix("a/b/c", "*/", false), "b/c");
        assert_eq!(strip_prefix("a/b/c", "*/", true), "c");
        assert_eq!(strip_suffix("abc", "x", false), "abc");
    }
}
