//! What is asked for.

use std::collections::HashMap;

use hostler_syntax::chunks::{identifiers, words};

use super::related::related;
use super::stem;

/// Bytes of a query that are read; what follows says nothing that these did not.
const BYTES_MAX: usize = 16 * 1024;
/// Different words of a query that count.
const TERMS_MAX: usize = 48;
/// Phrases and identifiers of a query that count.
const PHRASES_MAX: usize = 16;
/// A query of more bytes stands nowhere as it is.
const VERBATIM_BYTES_MAX: usize = 120;
/// Chunks that the words may come to before those that more have are looked for where few words stand.
const ROWS_MAX: u64 = 20_000;
/// A word that more chunks have than this is looked for there even if no other one is rarer.
const COMMON_MIN: u64 = 40_000;
/// What a word is worth that is related to one that nothing has.
const UNKNOWN: f64 = 0.3;

/// Words that say nothing about what is looked for.
const STOP: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "do", "does", "for",
    "from", "given", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "may", "might",
    "must", "no", "not", "of", "on", "or", "our", "return", "returns", "shall", "should", "so", "some",
    "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to",
    "use", "used", "using", "was", "we", "were", "what", "when", "where", "which", "while", "who", "will",
    "with", "would", "you", "your",
];

/// How many chunks there are, and how many have a stem.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// All chunks.
    pub chunks: u64,
    /// Stem -> chunks that have it; a stem that is missing is in none.
    pub with: HashMap<String, u64>,
}

impl Counts {
    /// How rare a stem is, as BM25 has it; at least a little above 0.
    pub(super) fn rarity(&self, stem: &str) -> f64 {
        let float = |count: u64| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        let (with, all) = (float(self.of(stem)), float(self.chunks.max(1)));
        (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln().max(0.01)
    }

    fn of(&self, stem: &str) -> u64 {
        self.with.get(stem).copied().unwrap_or_default()
    }
}

/// A word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// In small letters, as it was written.
    pub word: String,
    /// Its stem.
    pub stem: String,
    /// Words that mean the same, each with its stem.
    pub related: Vec<(&'static str, String)>,
}

/// What an index is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// A word, or words that stand side by side, in small letters.
    pub words: String,
    /// What it counts for where it is found.
    pub worth: f64,
    /// Only in symbols, headings and documentation.
    pub common: bool,
}

/// What is asked for, read from what somebody typed. Operators and quotes have no meaning beyond the words in them: no
/// text is a wrong query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    pub(super) terms: Vec<Term>,
    /// Words that stood in quotes, one after the other, in small letters.
    pub(super) phrases: Vec<Vec<String>>,
    /// Names of two words or more, as written.
    pub(super) identifiers: Vec<String>,
    /// All of it as written, if it is a few words.
    pub(super) verbatim: Option<String>,
    is_cut: bool,
}

impl Query {
    /// Reads a query.
    pub fn parse(text: &str) -> Self {
        let mut end = text.len().min(BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let is_cut = end < text.trim_end().len();
        let text = text.get(..end).unwrap_or_default();
        let mut query = Self { is_cut, ..Self::default() };
        query.phrases = quoted(text).map(small).filter(|it| 1 < it.len()).take(PHRASES_MAX).collect();
        for identifier in identifiers(text).filter(|it| 1 < words(it).count()) {
            if query.identifiers.len() < PHRASES_MAX && !query.identifiers.iter().any(|it| it == identifier) {
                query.identifiers.push(identifier.to_owned());
            }
        }
        let all = small(text);
        let line = text.trim();
        query.verbatim = (1 < all.len() && line.len() <= VERBATIM_BYTES_MAX).then(|| line.to_owned());
        let says = |word: &&String| !STOP.contains(&word.as_str());
        let chosen: Vec<&String> = if all.iter().any(|it| says(&it)) {
            all.iter().filter(says).collect()
        } else {
            all.iter().collect()
        };
        for word in chosen {
            let stem = stem(word);
            if query.terms.len() < TERMS_MAX && !query.terms.iter().any(|it| it.stem == stem) {
                query.terms.push(Term { word: word.clone(), related: related(&stem), stem });
            }
        }
        query
    }

    /// The words that count, in the order in which they were written.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// There is no word in it.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Not all of it is read.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Stems whose counts [`Self::wanted`] and a score want to know.
    pub fn stems(&self) -> Vec<&str> {
        self.terms.iter().map(|it| it.stem.as_str()).collect()
    }

    /// What an index is asked for: chunks that have any of these. Empty where no word is in the index.
    ///
    /// Words that a large part of the index has would make it read that part for chunks that no other word speaks for:
    /// they are looked for where few words stand.
    pub fn wanted(&self, counts: &Counts) -> Vec<Wanted> {
        let mut terms: Vec<(&Term, u64)> = self.terms.iter().map(|it| (it, counts.of(&it.stem))).collect();
        terms.sort_by_key(|(_, count)| *count);
        let (mut rows, mut out) = (0, Vec::new());
        for (term, count) in terms {
            let worth = counts.rarity(&term.stem);
            if count == 0 {
                // Nothing is called so; what means the same may be there.
                let related = term.related.iter().map(|(word, _)| (*word).to_owned());
                out.extend(related.map(|words| Wanted { words, worth: worth * UNKNOWN, common: true }));
                continue;
            }
            let is_first = rows == 0;
            rows += count;
            let common = ROWS_MAX < rows && (!is_first || COMMON_MIN < count);
            out.push(Wanted { words: term.word.clone(), worth, common });
        }
        let names = self.identifiers.iter().map(|it| small(it));
        for phrase in self.phrases.iter().cloned().chain(names) {
            let worth = phrase.iter().map(|it| counts.rarity(&stem(it))).sum();
            out.push(Wanted { words: phrase.join(" "), worth, common: false });
        }
        out
    }
}

/// What stands between double quotes; a quote without its partner ends with the text.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split(['"', '“', '”']).skip(1).step_by(2)
}

/// The words of a text, in small letters.
fn small(text: &str) -> Vec<String> {
    words(text).map(str::to_lowercase).collect()
}
