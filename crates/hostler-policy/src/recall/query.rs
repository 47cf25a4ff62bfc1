//! What is looked for: terms of a topic, and where they stand in a text.

use std::ops::Range;

use memchr::memmem::Finder;

use super::raw;
use super::stop::{self, Weight};
use super::trigger;
use super::words::{Folder, Script, Word, fold, is_hiragana, words};

/// More terms than this are a message, not a topic: the first ones count.
const TERMS_MAX: usize = 16;
/// More words than this are not looked at.
const WORDS_MAX: usize = 400;
/// Shorter words, in letters, are no terms.
const TERM_LETTERS_MIN: usize = 3;

/// Members of a session whose values are no texts to search: each session has a branch, and it is always `main`.
const UNSEARCHED: &[&[u8]] = &[
    b"branch", b"commit", b"ended", b"host", b"id", b"length", b"outcome", b"status", b"tag", b"updated",
    b"version", b"when",
];

/// What is looked for.
#[derive(Debug, Clone)]
pub struct Query {
    terms: Vec<Term>,
    shown: String,
}

#[derive(Debug, Clone)]
struct Term {
    shown: String,
    /// Folded.
    text: String,
    form: Form,
    finder: Finder<'static>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    /// Equal to a word, or the beginning of one. A plural also is its singular, as a whole word.
    Word { singular: Option<String> },
    /// Equal to a word: too short to begin one.
    Short,
    /// Anywhere in a run of characters.
    Part,
}

impl Query {
    /// The terms of a topic in a prompt: words of three letters or more that say something. Of Chinese, Japanese and
    /// Korean each two neighbouring characters are a term, since no space says where a word ends.
    pub fn topic(text: &str) -> Self {
        Self::told(text, true)
    }

    /// As [`Query::topic`], of words that name something: `do it` and `implement that` have none.
    pub fn named(text: &str) -> Self {
        Self::told(text, false)
    }

    fn told(text: &str, weak_count: bool) -> Self {
        let words: Vec<Word<'_>> = words(text).take(WORDS_MAX).collect();
        let mut silent = vec![false; words.len()];
        for found in trigger::phrases(text, &words) {
            silent[found.first..found.end].fill(true);
        }
        let told = words.iter().zip(&silent).filter(|(_, silent)| !**silent).map(|(word, _)| *word);
        Self::of(told, TERM_LETTERS_MIN, weak_count)
    }

    /// The terms of what a person typed as a search: as [`Query::topic`], but where nothing would be left of it,
    /// every word counts. One of less than three letters is found as a whole word only.
    pub fn search(text: &str) -> Self {
        let query = Self::of(words(text), TERM_LETTERS_MIN, true);
        if !query.is_empty() {
            return query;
        }
        Self::made(words(text).take(WORDS_MAX).filter_map(|word| Some((word, terms(word, 1)?))).collect())
    }

    fn of<'a>(told: impl Iterator<Item = Word<'a>>, letters_min: usize, weak_count: bool) -> Self {
        let (mut strong, mut weak) = (Vec::new(), Vec::new());
        for word in told.take(WORDS_MAX) {
            let weight = stop::weight(&fold(word.text));
            let Some(terms) = (weight != Weight::None).then(|| terms(word, letters_min)).flatten() else {
                continue;
            };
            if weight == Weight::Weak { weak.push((word, terms)) } else { strong.push((word, terms)) }
        }
        Self::made(if strong.is_empty() && weak_count { weak } else { strong })
    }

    fn made(found: Vec<(Word<'_>, Vec<Term>)>) -> Self {
        let mut out: Vec<Term> = Vec::new();
        let mut shown: Vec<&str> = Vec::new();
        for (word, terms) in found {
            let before = out.len();
            for term in terms {
                if out.len() < TERMS_MAX && out.iter().all(|known| known.text != term.text) {
                    out.push(term);
                }
            }
            if before < out.len() {
                shown.push(word.text);
            }
        }
        Self { terms: out, shown: shown.join(" ") }
    }

    /// Nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The words that are looked for, as they were written.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The terms, as they were written.
    pub fn terms(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().map(|term| term.shown.as_str())
    }

    /// How a text matches.
    pub(super) fn hits(&self, text: &str) -> Hits {
        let mut hits = Hits::default();
        for word in words(text) {
            let folded = fold(word.text);
            for (at, term) in self.terms.iter().enumerate() {
                let exact = match &term.form {
                    Form::Word { singular } => {
                        let same = folded == term.text || singular.as_deref() == Some(&folded);
                        if !same && !folded.starts_with(&term.text) {
                            continue;
                        }
                        same
                    }
                    Form::Short if folded == term.text => true,
                    Form::Part if word.script != Script::Spaced && folded.contains(&term.text) => true,
                    Form::Short | Form::Part => continue,
                };
                hits.add(at, exact, word.at);
            }
        }
        hits
    }

    /// The most terms that texts inside this JSON can match: those that stand in it as they would have to, in the value
    /// of a member that is searched. Never less than [`Query::hits`] finds in any of the texts together.
    pub(super) fn bound(&self, raw: &str, folder: &mut Folder) -> u32 {
        let folded = folder.json(raw).as_bytes();
        let stands = |term: &&Term| {
            let needle = term.needle().len();
            term.finder.find_iter(folded).any(|at| {
                term.may_stand(folded, at..at + needle)
                    && !raw::in_name(&folded[at + needle..])
                    && !raw::member_of(folded, at).is_some_and(|name| UNSEARCHED.contains(&name))
            })
        };
        u32::try_from(self.terms.iter().filter(stands).count()).unwrap_or(u32::MAX)
    }

    /// How many terms there are.
    pub(super) fn term_count(&self) -> u32 {
        u32::try_from(self.terms.len()).unwrap_or(u32::MAX)
    }
}

impl Term {
    /// What is looked for in JSON text. The singular is a beginning of the plural, and stands wherever it does.
    fn needle(&self) -> &str {
        match &self.form {
            Form::Word { singular: Some(singular) } => singular,
            _ => &self.text,
        }
    }

    /// Whether the needle stands where the term may match, as far as that can be told from the bytes around it.
    fn may_stand(&self, folded: &[u8], at: Range<usize>) -> bool {
        let goes_on = folded.get(at.end).filter(|it| it.is_ascii_alphanumeric());
        let whole = match &self.form {
            Form::Part => return true,
            Form::Word { singular: None } => true,
            Form::Word { singular: Some(_) } => goes_on.is_none_or(|it| *it == b's'),
            Form::Short => goes_on.is_none(),
        };
        whole && raw::begins_word(folded, at.start)
    }
}

/// The terms of one word; `None` when it is too short for any.
fn terms(word: Word<'_>, letters_min: usize) -> Option<Vec<Term>> {
    let folded = fold(word.text);
    match word.script {
        Script::Spaced => {
            let letters = word.text.chars().count();
            if letters < letters_min {
                return None;
            }
            let form = if letters < TERM_LETTERS_MIN {
                Form::Short
            } else {
                Form::Word { singular: singular(&folded) }
            };
            Some(vec![term(word.text, folded, form)])
        }
        Script::Joined => Some(vec![term(word.text, folded, Form::Part)]),
        Script::Cjk => {
            let pairs = pairs(&folded);
            (!pairs.is_empty())
                .then(|| pairs.into_iter().map(|pair| term(&pair.clone(), pair, Form::Part)).collect())
        }
    }
}

fn term(shown: &str, text: String, form: Form) -> Term {
    let mut term = Term { shown: shown.to_owned(), text, form, finder: Finder::new("").into_owned() };
    term.finder = Finder::new(term.needle().as_bytes()).into_owned();
    term
}

/// `tests` is also found as `test`. Only a plain `s` is taken off: what else English does to a word's end would find
/// too much.
fn singular(folded: &str) -> Option<String> {
    let base = folded.strip_suffix('s').filter(|base| !base.ends_with('s'))?;
    (TERM_LETTERS_MIN <= base.chars().count()).then(|| base.to_owned())
}

/// Each two neighbouring characters, without those that are grammar; a single character is its own term.
fn pairs(run: &str) -> Vec<String> {
    let chars: Vec<char> = run.chars().collect();
    if let [single] = chars.as_slice() {
        return if is_hiragana(*single) || stop::is_grammar(*single) {
            Vec::new()
        } else {
            vec![run.to_owned()]
        };
    }
    let all: Vec<String> = chars.windows(2).map(|pair| pair.iter().collect()).collect();
    let told = |pair: &&String| {
        !stop::is_function(pair) && !pair.chars().any(stop::is_grammar) && !pair.chars().all(is_hiragana)
    };
    all.iter().filter(told).cloned().collect()
}

/// Where and how a text matches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Hits {
    /// One bit a term.
    terms: u32,
    exact: u32,
    /// Where the first match stands, in bytes.
    pub(super) first: Option<usize>,
}

impl Hits {
    fn add(&mut self, term: usize, exact: bool, at: usize) {
        self.terms |= 1 << term;
        self.exact |= u32::from(exact) << term;
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
    }

    /// Both together.
    pub(super) fn and(self, other: Self) -> Self {
        Self { terms: self.terms | other.terms, exact: self.exact | other.exact, first: self.first }
    }

    /// How good it is: the number of terms, then how many of them are whole words.
    pub(super) fn score(self) -> Score {
        Score { terms: self.terms.count_ones(), exact: self.exact.count_ones() }
    }

    /// The indexes of the terms that were found.
    pub(super) fn terms(self) -> impl Iterator<Item = usize> {
        (0..TERMS_MAX).filter(move |at| self.terms & (1 << at) != 0)
    }
}

/// How good a match is; the better one is greater.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Score {
    pub(super) terms: u32,
    pub(super) exact: u32,
}
