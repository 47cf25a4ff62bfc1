//! Text -> the words that its identifiers are made of.

use std::iter::Peekable;
use std::str::CharIndices;

/// The words of a text, as written: identifiers are cut at their marks (`snake_case`), where a small letter is followed
/// by a capital one (`camelCase`), where an acronym ends (`HTTPServer`), and between letters and digits (`utf8`).
/// Each sign of a script without blanks is a word.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut letters = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, mut before) = letters.find(|(_, it)| class(*it) != Class::Mark)?;
        let mut end = start + before.len_utf8();
        while let Some((at, letter)) = letters.peek().copied() {
            if is_cut(before, letter, &letters) {
                break;
            }
            letters.next();
            (before, end) = (letter, at + letter.len_utf8());
        }
        text.get(start..end)
    })
}

/// The identifiers of a text, as written: runs of letters, digits, `_` and `$` that have a letter or digit.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric() && it != '_' && it != '$')
        .map(|it| it.trim_matches(['_', '$']))
        .filter(|it| !it.is_empty())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Small,
    Capital,
    Digit,
    /// A word by itself.
    Sign,
    /// No part of a word.
    Mark,
}

fn class(letter: char) -> Class {
    match letter {
        'a'..='z' => Class::Small,
        'A'..='Z' => Class::Capital,
        '0'..='9' => Class::Digit,
        _ if letter.is_ascii() => Class::Mark,
        // Kana, Han.
        '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' => Class::Sign,
        _ if letter.is_numeric() => Class::Digit,
        _ if letter.is_uppercase() => Class::Capital,
        // Marks that change the letter before them, as in decomposed text.
        '\u{300}'..='\u{36f}' => Class::Small,
        _ if letter.is_alphabetic() => Class::Small,
        _ => Class::Mark,
    }
}

/// Whether a word ends between `before` and `letter`, which `rest` begins with.
fn is_cut(before: char, letter: char, rest: &Peekable<CharIndices<'_>>) -> bool {
    match (class(before), class(letter)) {
        (_, Class::Mark | Class::Sign) | (Class::Mark | Class::Sign, _) => true,
        (Class::Digit, next) => next != Class::Digit,
        (_, Class::Digit) | (Class::Small, Class::Capital) => true,
        // The last capital letter of a run begins the next word, unless what follows only makes a plural (`URLs`).
        (Class::Capital, Class::Capital) => {
            let mut following = rest.clone().skip(1).map(|(_, it)| it);
            let (next, after) = (following.next(), following.next());
            let is_small = |it: Option<char>| it.is_some_and(|it| class(it) == Class::Small);
            let is_plural = next == Some('s') && !is_small(after);
            is_small(next) && !is_plural
        }
        (Class::Small | Class::Capital, Class::Small) => false,
    }
}
