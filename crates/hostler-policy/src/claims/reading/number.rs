//! Numbers that no other form reads: `Deduplication left 4,018 contacts`, `accuracy is 0.913`.

use super::super::act::Act;
use super::super::clause::{Clause, contains};
use super::super::language::Language;
use super::super::text::Text;
use super::{Reading, Told, joined, objects};

/// A number as it is written, with the words around it.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Number {
    /// Its value.
    pub(in super::super) value: f64,
    /// Its digits without separators, as written.
    pub(in super::super) digits: String,
    /// Words of its clause that may name it, in lower case.
    pub(in super::super) words: Vec<String>,
}

/// Fewer digits than this are told by chance, or count something small.
const DIGITS_MIN: usize = 3;
/// More are an identifier.
const DIGITS_MAX: usize = 12;
/// With these nothing exact is told.
const ABOUT: &[&str] = &[
    " about ",
    " around ",
    " roughly ",
    " nearly ",
    " almost ",
    " over ",
    " more than ",
    " less than ",
    " fewer than ",
    " at least ",
    " at most ",
    " up to ",
    " below ",
    " above ",
    " under ",
    " approx ",
    " circa ",
    " ~",
    " limit ",
    " maximum ",
    " minimum ",
    " default ",
    " port ",
    " line ",
    " lines ",
    " version ",
    " commit ",
    " issue ",
    " pr ",
    " rfc ",
    " iso ",
    " status ",
    " code ",
    " id ",
    " year ",
    " target ",
    " budget ",
    " threshold ",
    " would ",
    " should ",
    " each ",
    " per ",
    " times ",
];

/// The one number of a clause that states a fact.
pub(super) fn read(text: &Text, clause: &Clause, language: &Language) -> Option<Reading> {
    let norm = clause.norm();
    let open = clause.conditional_from.is_some()
        || clause.before_arrow
        || ABOUT.iter().any(|word| norm.contains(word))
        || contains(&norm, language, language.modal);
    if !language.spaced || open {
        return None;
    }
    let mut numbers = clause.tokens.iter().filter_map(|token| number(token));
    let (value, digits) = numbers.next()?;
    let words = clause
        .tokens
        .iter()
        .filter(|token| 3 <= token.len() && token.chars().all(char::is_alphabetic))
        .cloned()
        .collect();
    let told = Told { number: Some(Number { value, digits, words }), ..Told::default() };
    Some(Reading {
        act: Act::Run,
        text: text.restore(&clause.text),
        pattern: format!("{}/number", language.code),
        objects: objects::objects(text, clause, 0, clause.tokens.len()),
        nouns: Vec::new(),
        count: None,
        whole: false,
        venue: None,
        result: Some(told),
        said: false,
        passive: false,
        by_subagent: false,
        words: joined(&clause.tokens).split_whitespace().map(str::to_owned).collect(),
        verb: String::new(),
    })
}

/// A plain number: no version, date, hash, path, year or number of a list.
fn number(token: &str) -> Option<(f64, String)> {
    let bare = token.strip_suffix('%').unwrap_or(token);
    let digits: String = bare.chars().filter(|c| *c != ',').collect();
    let plain = digits.chars().all(|c| c.is_ascii_digit() || c == '.') && digits.matches('.').count() <= 1;
    let count = digits.chars().filter(char::is_ascii_digit).count();
    let value: f64 = digits.parse().ok()?;
    let year = !bare.contains(',') && digits.len() == 4 && (1970.0..2100.0).contains(&value);
    (plain && !year && (DIGITS_MIN..=DIGITS_MAX).contains(&count)).then_some((value, digits))
}
