//! The order of what was found.

use std::cmp::Ordering;
use std::collections::HashMap;

use hostler_syntax::chunks::{Nature, words};

use super::query::{Counts, Query};
use super::{named, stem, without_extension};

/// How soon a word that comes again counts for less.
const SATURATION: f64 = 1.5;
/// What a related word is worth.
const RELATED: f64 = 0.3;
/// What two words of the query are worth that stand side by side: in a name, in the text; by how rare they are.
const BESIDE_NAME: f64 = 0.2;
const BESIDE_TEXT: f64 = 0.05;
/// What it adds that each word of a name is one of the query's; less where only some are.
const COVERED: f64 = 0.2;
/// What the best chunks of a file add to each of its chunks, and how much less each further one adds.
const FILE: f64 = 0.3;
const FILE_DECAY: f64 = 0.5;
const FILE_CHUNKS: usize = 4;
/// What it is worth that a phrase or identifier of the query stands there as written, or is the very name, by how rare
/// its words are.
const AS_WRITTEN: f64 = 0.5;
const VERY_NAME: f64 = 1.5;
/// The same for a name in other letters, and for what is defined within a chunk of another name.
const NEARLY_NAME: f64 = 1.2;
/// What it is worth that the whole query stands there letter by letter, words that say nothing included.
const VERBATIM: f64 = 0.1;
/// Words before a name that is defined.
const DEFINES: &[&str] = &[
    "class",
    "const",
    "def",
    "enum",
    "fn",
    "fun",
    "func",
    "function",
    "interface",
    "let",
    "module",
    "namespace",
    "record",
    "static",
    "struct",
    "trait",
    "type",
    "union",
    "val",
    "var",
];
/// What the best vector is worth, against a chunk that has each word of the query.
const VECTOR: f64 = 0.1;
/// What a copy of a better hit is worth.
const COPY: f64 = 0.6;
/// Best hits that are looked at as copies of one another.
const COPIES_AMONG: usize = 60;
/// Bytes of a chunk that are read.
const BYTES_MAX: usize = 32 * 1024;

/// One kind of place a word may stand in.
#[derive(Debug, Clone, Copy)]
struct Field {
    /// What a word is worth there.
    weight: f64,
    /// Words that it has on average.
    words: f64,
    /// How much its length matters, from 0 to 1.
    length: f64,
}

const NAME: Field = Field { weight: 5.0, words: 2.5, length: 0.5 };
const OWNER: Field = Field { weight: 2.0, words: 2.5, length: 0.5 };
const PATH: Field = Field { weight: 1.5, words: 4.0, length: 0.5 };
const TEXT: Field = Field { weight: 1.0, words: 90.0, length: 0.6 };

/// A chunk that may answer a query.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Its number; the smaller one is first where nothing else decides.
    pub id: i64,
    /// The path of its file.
    pub path: &'a str,
    /// What its file is there for.
    pub nature: Nature,
    /// The qualified name of what it defines.
    pub symbol: &'a str,
    /// The headings above it.
    pub heading: &'a str,
    /// Its text.
    pub text: &'a str,
    /// How near its vector is to that of the query, from -1 to 1; `None` where there is no vector.
    pub nearness: Option<f64>,
}

/// What a score is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Words of the query, by how rare they are and where they stand.
    Words,
    /// Words that stand side by side as in the query.
    Beside,
    /// How much of the name the query covers.
    Name,
    /// Phrases and identifiers as they were written.
    AsWritten,
    /// The rest of the file.
    File,
    /// The vector.
    Vector,
    /// What the file is there for: tests, others' code and code of machines come after the rest.
    Nature,
    /// A copy of a better hit.
    Copy,
}

impl Part {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Beside => "beside",
            Self::Name => "name",
            Self::AsWritten => "as_written",
            Self::File => "file",
            Self::Vector => "vector",
            Self::Nature => "nature",
            Self::Copy => "copy",
        }
    }
}

/// A candidate with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Its place among the candidates.
    pub index: usize,
    /// The greater, the better; about 1 for a chunk that has all that was asked for.
    pub score: f64,
    /// What the score is the sum of; what is 0 is left out.
    pub parts: Vec<(Part, f64)>,
}

/// Scores each candidate and puts the best first. The same candidates have the same order, however they came.
pub fn rank(query: &Query, counts: &Counts, candidates: &[Candidate<'_>]) -> Vec<Ranked> {
    let asked = Asked::new(query, counts);
    let mut known = HashMap::new();
    let mut scored: Vec<Scored> = candidates.iter().map(|it| asked.score(it, &mut known)).collect();
    add_files(candidates, &mut scored);
    add_vectors(candidates, asked.whole, &mut scored);
    for (candidate, scored) in candidates.iter().zip(&mut scored) {
        let worth = worth(candidate.nature, query);
        scored.multiply(Part::Nature, worth);
    }
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    let sort = |order: &mut Vec<usize>, scored: &[Scored]| {
        let key = |at: usize| scored.get(at).map_or(0.0, |it| it.sum);
        let id = |at: usize| candidates.get(at).map_or(0, |it| it.id);
        order.sort_by(|a, b| {
            key(*b).partial_cmp(&key(*a)).unwrap_or(Ordering::Equal).then_with(|| id(*a).cmp(&id(*b)))
        });
    };
    sort(&mut order, &scored);
    mark_copies(candidates, &order, &mut scored);
    sort(&mut order, &scored);
    let ranked = order.into_iter().filter_map(|index| Some((index, scored.get(index)?)));
    ranked
        .map(|(index, it)| {
            let parts = it.parts.iter().filter(|(_, value)| *value != 0.0);
            Ranked {
                index,
                score: it.sum / asked.whole,
                parts: parts.map(|(part, value)| (*part, value / asked.whole)).collect(),
            }
        })
        .collect()
}

/// A score that is being made.
#[derive(Debug, Clone, Default)]
struct Scored {
    sum: f64,
    parts: Vec<(Part, f64)>,
}

impl Scored {
    fn add(&mut self, part: Part, value: f64) {
        self.sum += value;
        self.parts.push((part, value));
    }

    fn multiply(&mut self, part: Part, by: f64) {
        self.add(part, self.sum * (by - 1.0));
    }
}

/// A query, ready to be held against many chunks.
struct Asked<'a> {
    query: &'a Query,
    /// How rare each term is.
    rarity: Vec<f64>,
    /// Stem -> terms that it stands for, and what it is worth to them.
    stems: HashMap<&'a str, Vec<(usize, f64)>>,
    /// The first letters of all stems.
    initials: Vec<char>,
    /// The score of a chunk that has each term often.
    whole: f64,
    identifiers: Vec<Named<'a>>,
}

/// An identifier of a query.
struct Named<'a> {
    text: &'a str,
    small: String,
    rarity: f64,
}

/// Word as written -> place of its stem in [`Asked::stems`]; `None` for words that are not asked for.
type Known<'t, 'a> = HashMap<&'t str, Option<&'a [(usize, f64)]>>;

impl<'a> Asked<'a> {
    fn new(query: &'a Query, counts: &Counts) -> Self {
        let rarity: Vec<f64> = query.terms.iter().map(|it| counts.rarity(&it.stem)).collect();
        // A word that nothing has says as much as one that one chunk has; what means the same says less.
        let mut stems: HashMap<&str, Vec<(usize, f64)>> = HashMap::new();
        for (at, term) in query.terms.iter().enumerate() {
            stems.entry(&term.stem).or_default().push((at, 1.0));
            for (_, other) in &term.related {
                let is_term = query.terms.iter().any(|it| it.stem == *other);
                if !is_term {
                    stems.entry(other).or_default().push((at, RELATED));
                }
            }
        }
        let mut initials: Vec<char> = stems.keys().filter_map(|it| it.chars().next()).collect();
        initials.sort_unstable();
        initials.dedup();
        let of_words =
            |text: &str| -> f64 { words(text).map(|it| counts.rarity(&stem(&it.to_lowercase()))).sum() };
        let identifiers = query.identifiers.iter().map(|text| Named {
            text,
            small: text.to_lowercase(),
            rarity: of_words(text),
        });
        let whole = (rarity.iter().sum::<f64>() * (SATURATION + 1.0)).max(0.01);
        Self { query, whole, stems, initials, identifiers: identifiers.collect(), rarity }
    }

    /// Which terms a word stands for.
    fn look<'s, 't>(&'s self, word: &'t str, known: &mut Known<'t, 's>) -> Option<&'s [(usize, f64)]> {
        let first = word.chars().next()?;
        let is_initial = |it: char| self.initials.binary_search(&it).is_ok();
        if !is_initial(first) && !first.to_lowercase().next().is_some_and(is_initial) {
            return None;
        }
        if let Some(known) = known.get(word) {
            return *known;
        }
        let found = self.stems.get(stem(&word.to_lowercase()).as_str()).map(Vec::as_slice);
        known.insert(word, found);
        found
    }

    fn score<'s, 't>(&'s self, candidate: &Candidate<'t>, known: &mut Known<'t, 's>) -> Scored {
        let mut scored = Scored::default();
        let mut found = vec![0.0; self.rarity.len()];
        let (owner, name) = named(candidate.symbol);
        let above = if owner.is_empty() { candidate.heading } else { owner };
        let in_name = self.read(name, NAME, &mut found, known);
        self.read(above, OWNER, &mut found, known);
        self.read(without_extension(candidate.path), PATH, &mut found, known);
        let in_text = self.read(cut(candidate.text), TEXT, &mut found, known);
        let words = found
            .iter()
            .zip(&self.rarity)
            .map(|(found, rarity)| rarity * found * (SATURATION + 1.0) / (found + SATURATION));
        scored.add(Part::Words, words.sum());
        let beside = |read: &Read| -> f64 {
            let pairs = self.rarity.iter().zip(self.rarity.iter().skip(1)).zip(&read.beside);
            pairs.filter(|(_, is)| **is).map(|((a, b), _)| a + b).sum()
        };
        scored.add(Part::Beside, BESIDE_NAME * beside(&in_name) + BESIDE_TEXT * beside(&in_text));
        if 0 < in_name.words {
            scored.multiply(Part::Name, 1.0 + COVERED * share(in_name.asked, in_name.words));
        }
        scored.add(Part::AsWritten, self.as_written(candidate, name));
        scored
    }

    /// Counts the words of a field.
    fn read<'s, 't>(
        &'s self,
        text: &'t str,
        field: Field,
        found: &mut [f64],
        known: &mut Known<'t, 's>,
    ) -> Read {
        let mut read = Read { words: 0, asked: 0, beside: vec![false; self.rarity.len().saturating_sub(1)] };
        let mut counts = vec![0.0; found.len()];
        let mut before: Option<usize> = None;
        for word in words(text) {
            read.words += 1;
            let mut here = None;
            for (term, worth) in self.look(word, known).unwrap_or_default() {
                if let Some(count) = counts.get_mut(*term) {
                    *count += worth;
                }
                if (1.0 - worth).abs() < f64::EPSILON {
                    here = Some(*term);
                }
            }
            read.asked += usize::from(here.is_some());
            if let (Some(before), Some(here)) = (before, here)
                && here == before + 1
                && let Some(beside) = read.beside.get_mut(before)
            {
                *beside = true;
            }
            before = here;
        }
        let length = 1.0 - field.length + field.length * float(read.words) / field.words;
        for (found, count) in found.iter_mut().zip(&counts) {
            *found += field.weight * count / length;
        }
        read
    }

    /// What phrases and identifiers add that stand there as they were written.
    fn as_written(&self, candidate: &Candidate<'_>, name: &str) -> f64 {
        let mut sum = 0.0;
        if self.query.verbatim.as_ref().is_some_and(|it| cut(candidate.text).contains(it.as_str())) {
            sum += VERBATIM * self.whole;
        }
        for identifier in &self.identifiers {
            if name == identifier.text || candidate.symbol == identifier.text {
                sum += VERY_NAME * identifier.rarity;
            } else if name.to_lowercase() == identifier.small || defines(cut(candidate.text), identifier.text)
            {
                sum += NEARLY_NAME * identifier.rarity;
            } else if cut(candidate.text).contains(identifier.text) {
                sum += AS_WRITTEN * identifier.rarity;
            }
        }
        // A single word that is the very name: a definition comes before its uses.
        if let ([term], []) = (self.query.terms.as_slice(), self.identifiers.as_slice())
            && name.to_lowercase() == term.word
        {
            sum += VERY_NAME * self.rarity.iter().sum::<f64>();
        }
        if self.query.phrases.is_empty() {
            return sum;
        }
        let text: Vec<String> = words(cut(candidate.text)).map(str::to_lowercase).collect();
        let head: Vec<String> = words(candidate.heading).map(str::to_lowercase).collect();
        for phrase in &self.query.phrases {
            let has = |text: &[String]| text.windows(phrase.len()).any(|it| it == phrase.as_slice());
            if has(&text) || has(&head) {
                sum += self.whole * AS_WRITTEN / float(self.query.phrases.len());
            }
        }
        sum
    }
}

/// Whether a text defines a name, in most languages.
fn defines(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = text.split_at(at);
        let is_part = |it: char| it.is_alphanumeric() || it == '_';
        let word = before.strip_suffix([' ', '\t']).map(str::trim_end).unwrap_or_default();
        let word = word.rsplit(|it| !is_part(it)).next().unwrap_or_default();
        DEFINES.contains(&word) && !after.chars().nth(name.chars().count()).is_some_and(is_part)
    })
}

/// What was seen in a field.
struct Read {
    words: usize,
    /// Words of it that are the query's.
    asked: usize,
    /// For each term but the last: the next one stands right behind it.
    beside: Vec<bool>,
}

/// A file with several good chunks is about what was asked.
fn add_files(candidates: &[Candidate<'_>], scored: &mut [Scored]) {
    let mut files: HashMap<&str, Vec<f64>> = HashMap::new();
    for (candidate, scored) in candidates.iter().zip(&*scored) {
        files.entry(candidate.path).or_default().push(scored.sum);
    }
    for scores in files.values_mut() {
        scores.sort_by(|a, b| b.partial_cmp(a).unwrap_or(Ordering::Equal));
        let best = scores.iter().take(FILE_CHUNKS).rev();
        let sum = best.fold(0.0, |sum, score| sum * FILE_DECAY + score);
        *scores = vec![sum];
    }
    for (candidate, scored) in candidates.iter().zip(scored) {
        let sum = files.get(candidate.path).and_then(|it| it.first()).copied().unwrap_or_default();
        if 0.0 < scored.sum || candidate.nearness.is_some() {
            scored.add(Part::File, FILE * sum);
        }
    }
}

/// Vectors say which of the candidates are nearest; how near that is means nothing by itself.
fn add_vectors(candidates: &[Candidate<'_>], whole: f64, scored: &mut [Scored]) {
    let near = || candidates.iter().filter_map(|it| it.nearness);
    let (least, most) = (near().fold(f64::MAX, f64::min), near().fold(f64::MIN, f64::max));
    for (candidate, scored) in candidates.iter().zip(scored) {
        if let Some(nearness) = candidate.nearness {
            let share =
                if least < most { (nearness - least) / (most - least) } else { nearness.clamp(0.0, 1.0) };
            scored.add(Part::Vector, VECTOR * whole * share);
        }
    }
}

/// What a chunk is worth by what its file is there for.
fn worth(nature: Nature, query: &Query) -> f64 {
    let asks = |stems: &[&str]| query.terms.iter().any(|it| stems.contains(&it.stem.as_str()));
    match nature {
        Nature::Test if asks(&["test", "fixtur", "mock", "spec"]) => 1.0,
        Nature::Test | Nature::Vendored => 0.8,
        Nature::Generated => 0.7,
        Nature::Minified => 0.5,
        Nature::Source | Nature::Prose | Nature::Data => 1.0,
    }
}

/// Marks hits that say what a better one says: nobody needs the same text twice.
fn mark_copies(candidates: &[Candidate<'_>], order: &[usize], scored: &mut [Scored]) {
    let mut seen: Vec<Vec<u64>> = Vec::new();
    for at in order.iter().take(COPIES_AMONG) {
        let (Some(candidate), Some(scored)) = (candidates.get(*at), scored.get_mut(*at)) else { continue };
        let lines = lines(cut(candidate.text));
        if seen.iter().any(|other| is_copy(other, &lines)) {
            scored.multiply(Part::Copy, COPY);
        } else {
            seen.push(lines);
        }
    }
}

/// Hashes of the lines of a text, blanks aside, in order and once each.
fn lines(text: &str) -> Vec<u64> {
    let mut out: Vec<u64> = text
        .lines()
        .filter(|line| 2 < line.trim().len())
        .map(|line| {
            let bytes = line.bytes().filter(|it| !it.is_ascii_whitespace());
            bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            })
        })
        .collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// Nine of ten lines are the same.
fn is_copy(a: &[u64], b: &[u64]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.is_empty() || short.len() * 10 < long.len() * 9 {
        return false;
    }
    let same = short.iter().filter(|it| long.binary_search(it).is_ok()).count();
    long.len() * 9 <= same * 10
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

fn share(part: usize, whole: usize) -> f64 {
    float(part) / float(whole)
}

fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
