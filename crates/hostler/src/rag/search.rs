//! Searches: candidates by words and by vectors, ranked, and compared with the files before they are answered.

mod readers;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use hostler_knowledge::embed;
use hostler_knowledge::search::{Candidate, Counts, Glob, Query, Ranked, WEIGHTS, rank};
use hostler_store::{ChunkRow, Reader, Wanted};
use hostler_syntax::chunks::Nature;
use serde::Serialize;

use super::{Embedder, Error, Place, freshen, meta};

/// Hits where nobody says how many, and at most.
const HITS: usize = 8;
const HITS_MAX: usize = 500;
/// Chunks that are read and scored, and for each hit that is wanted.
const CANDIDATES: usize = 120;
const CANDIDATES_A_HIT: usize = 5;
/// Of these by vectors.
const NEAR: usize = 40;
/// The nearest that are looked through for paths that a glob takes.
const NEAR_IN_GLOB: usize = 2_000;
/// Hashed vectors say little: they are asked where words find too little, and what is farther off than this is noise.
const HASHED_MIN: f64 = 0.3;
/// Characters of a snippet.
const SNIPPET_CHARS: usize = 200;
/// How long a search may take to bring the files of its hits up to date.
const FRESHEN_MAX: Duration = Duration::from_millis(250);

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    /// Words, names, phrases in quotes.
    pub(crate) query: &'a str,
    /// How many hits, from 1.
    pub(crate) k: Option<i64>,
    /// Which paths, relative to the root.
    pub(crate) glob: Option<&'a str>,
    /// Hits tell what their score is made of.
    pub(crate) explain: bool,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// The folder that their paths are relative to.
    pub(crate) root: PathBuf,
    /// The best first.
    pub(crate) hits: Vec<Hit>,
    /// What is to be told besides.
    pub(crate) notes: Vec<String>,
}

/// A chunk that fits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Hit {
    /// Its number.
    pub(crate) id: i64,
    /// Its file, relative to the root.
    pub(crate) path: String,
    /// Where in the file it stands.
    pub(crate) heading: String,
    /// First line, from 1.
    pub(crate) start_line: u32,
    /// Last line, itself included.
    pub(crate) end_line: u32,
    /// The greater, the better.
    pub(crate) score: f64,
    /// How its text begins, on one line.
    pub(crate) snippet: String,
    /// What the score is the sum of, where that is asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) parts: Vec<Part>,
}

/// A part of a score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Part {
    /// What it is for.
    pub(crate) part: &'static str,
    /// What it adds.
    pub(crate) value: f64,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.4} {}", self.value, self.part)
    }
}

/// Searches the index. What changed among the files of the hits is indexed first, within a limit of time, and then
/// searched again.
///
/// # Errors
/// The question makes no sense, there is no index, or it cannot be read.
pub(crate) fn search(place: &Place, embedder: &dyn Embedder, request: &Request<'_>) -> Result<Answer, Error> {
    let query = Query::parse(request.query);
    if request.query.trim().is_empty() {
        return Err(Error::Usage("the query is empty; say what to look for".to_owned()));
    }
    let count = match request.k {
        None => HITS,
        Some(k) => {
            usize::try_from(k).ok().filter(|it| 0 < *it).map(|it| it.min(HITS_MAX)).ok_or_else(|| {
                Error::Usage(format!("`k` is {k}; it is how many hits are wanted, from 1 to {HITS_MAX}"))
            })?
        }
    };
    let mut notes = Vec::new();
    if query.is_cut() {
        notes.push("the query is very long, and only its beginning was read".to_owned());
    }
    if query.is_empty() {
        notes.push("the query has no word in it, only signs".to_owned());
        return Ok(Answer { notes, ..Answer::default() });
    }
    let search = Search { query: &query, asked: request, embedder, count };
    let deadline = Instant::now() + FRESHEN_MAX;
    let mut found = search.run(place)?;
    // What comes into the answer in the place of a stale hit may be stale itself.
    let fresh = loop {
        let mut paths: Vec<String> = found.hits.iter().map(|it| it.path.clone()).collect();
        paths.sort_unstable();
        paths.dedup();
        let embedder = found.is_same.then_some(embedder);
        let left = deadline.saturating_duration_since(Instant::now());
        let fresh = freshen(place, &paths, embedder, left);
        if !fresh.is_changed() {
            break fresh;
        }
        found = search.run(place)?;
    };
    notes.extend(found.notes);
    notes.extend(fresh.notes);
    Ok(Answer { root: found.root, hits: found.hits, notes })
}

/// What one look into the index found.
struct Found {
    root: PathBuf,
    hits: Vec<Hit>,
    notes: Vec<String>,
    /// What is configured made the vectors of the index.
    is_same: bool,
}

/// One search.
struct Search<'a> {
    query: &'a Query,
    asked: &'a Request<'a>,
    embedder: &'a dyn Embedder,
    count: usize,
}

/// How an index was made, and what of that can be had now.
enum Vectors<'a> {
    /// The query's vector, of the index's own kind.
    Of(&'a dyn Embedder),
    /// Hashed words, whatever is configured.
    Hashed,
    /// None, and why that is worth telling.
    Without(Option<String>),
}

impl Search<'_> {
    fn run(&self, place: &Place) -> Result<Found, Error> {
        let found = readers::with(&place.db, |reader| self.look(reader))?.flatten();
        found.ok_or_else(|| Error::NoIndex(place.db.clone()))
    }

    /// `None` where nothing was indexed yet.
    fn look(&self, reader: &Reader) -> Result<Option<Found>, Error> {
        let mut notes = Vec::new();
        let (vectors, is_same) = self.vectors(reader)?;
        // Before the state of the index is held: an endpoint may take its time.
        let is_hashed = matches!(vectors, Vectors::Hashed);
        let vector = match vectors {
            Vectors::Of(embedder) => match embedder.embed(&[self.asked.query]) {
                Ok(vectors) => vectors.into_iter().next(),
                Err(why) => {
                    notes.push(format!("{why}; ranked by keywords only"));
                    None
                }
            },
            Vectors::Without(why) => {
                notes.extend(why);
                None
            }
            Vectors::Hashed => None,
        };
        // What is found must still be there when it is read, whoever writes meanwhile.
        let _snapshot = reader.snapshot()?;
        let Some(root) = reader.meta(meta::ROOT)?.map(PathBuf::from) else { return Ok(None) };
        let glob = self.asked.glob.map(str::trim).filter(|it| !it.is_empty()).map(Glob::new);
        let fits = |path: &str| glob.as_ref().is_none_or(|it| it.fits(path));
        let counts = self.counts(reader)?;
        let limit = CANDIDATES.max(self.count * CANDIDATES_A_HIT);
        let mut ids = self.by_words(reader, &counts, glob.is_some().then_some(&fits), limit)?;
        let known: HashSet<i64> = ids.iter().copied().collect();
        // Vectors know no paths: of the nearest, those count whose path fits.
        let near_max = if glob.is_some() { NEAR_IN_GLOB } else { NEAR };
        let near = match vector {
            Some(vector) => nearest(reader, &vector, &known, near_max, f64::MIN)?,
            None if is_hashed && ids.len() < self.count => {
                let vector = embed::hashed(self.asked.query);
                let mut near = nearest(reader, &vector, &known, near_max, HASHED_MIN)?;
                // What words have found, letters do not put into another order.
                near.retain(|it, _| !known.contains(it));
                near
            }
            None => HashMap::new(),
        };
        let mut others: Vec<(i64, f64)> =
            near.iter().filter(|(id, _)| !known.contains(id)).map(|(id, near)| (*id, *near)).collect();
        others.sort_by(|(first, a), (second, b)| b.total_cmp(a).then(first.cmp(second)));
        ids.extend(others.iter().map(|(id, _)| *id));
        let mut rows = reader.chunks(&ids)?;
        rows.retain(|it| fits(&it.path));
        rows.truncate(known.len() + NEAR);
        let candidates: Vec<Candidate<'_>> =
            rows.iter().map(|it| candidate(it, near.get(&it.id).copied())).collect();
        let ranked = rank(self.query, &counts, &candidates);
        let hits = ranked.iter().filter_map(|it| Some(self.hit(it, rows.get(it.index)?)));
        Ok(Some(Found { root, hits: hits.take(self.count).collect(), notes, is_same }))
    }

    fn counts(&self, reader: &Reader) -> Result<Counts, Error> {
        let stems = self.query.stems();
        let counts = reader.document_counts(&stems)?;
        let with = stems.iter().map(|it| (*it).to_owned()).zip(counts).collect();
        Ok(Counts { chunks: reader.chunk_count()?, with })
    }

    fn by_words(
        &self,
        reader: &Reader,
        counts: &Counts,
        fits: Option<&dyn Fn(&str) -> bool>,
        limit: usize,
    ) -> Result<Vec<i64>, Error> {
        let wanted = self.query.wanted(counts);
        let ask = |everywhere: bool| -> Result<Vec<i64>, Error> {
            let wanted: Vec<Wanted<'_>> = wanted
                .iter()
                .map(|it| Wanted { words: &it.words, worth: it.worth, common: it.common && !everywhere })
                .collect();
            let hits = reader.candidates(&wanted, WEIGHTS, fits, limit)?;
            Ok(hits.into_iter().map(|it| it.chunk).collect())
        };
        let ids = ask(false)?;
        let is_enough = self.count <= ids.len() || !wanted.iter().any(|it| it.common);
        if is_enough { Ok(ids) } else { ask(true) }
    }

    /// Which vectors the index has, and whether what is configured made them.
    fn vectors(&self, reader: &Reader) -> Result<(Vectors<'_>, bool), Error> {
        let mode = reader.meta(meta::EMBEDDING_MODE)?.unwrap_or_default();
        let name = reader.meta(meta::EMBEDDING_NAME)?.unwrap_or_default();
        let is_same = mode == self.embedder.mode() && name == self.embedder.name();
        let vectors = match mode.as_str() {
            "local" => Vectors::Hashed,
            _ if is_same => Vectors::Of(self.embedder),
            "remote" if self.embedder.mode() != "remote" => Vectors::Without(Some(
                "the index has vectors of an endpoint, and none is configured; ranked by keywords only"
                    .to_owned(),
            )),
            "remote" | "model" => Vectors::Without(Some(format!(
                "the index has vectors of `{name}`, which is not what is configured; ranked by keywords only, until \
                 `hostler rag index` makes them anew"
            ))),
            _ => Vectors::Without(None),
        };
        Ok((vectors, is_same))
    }

    fn hit(&self, ranked: &Ranked, row: &ChunkRow) -> Hit {
        let parts = ranked.parts.iter().map(|(part, value)| Part { part: part.name(), value: *value });
        Hit {
            id: row.id,
            path: row.path.clone(),
            heading: row.heading.clone(),
            start_line: row.start_line,
            end_line: row.end_line,
            score: ranked.score,
            snippet: snippet(&row.text),
            parts: if self.asked.explain { parts.collect() } else { Vec::new() },
        }
    }
}

fn candidate(row: &ChunkRow, nearness: Option<f64>) -> Candidate<'_> {
    Candidate {
        id: row.id,
        path: &row.path,
        nature: Nature::from_code(row.nature).unwrap_or(Nature::Source),
        symbol: &row.symbol,
        heading: &row.heading,
        text: &row.text,
        nearness,
    }
}

/// How near the vectors of `known` and of the `near_max` nearest chunks are, of those that are at least so near.
fn nearest(
    reader: &Reader,
    query: &[f32],
    known: &HashSet<i64>,
    near_max: usize,
    nearness_min: f64,
) -> Result<HashMap<i64, f64>, Error> {
    let mut out = HashMap::new();
    // The nearest so far, the farthest of them last.
    let mut best: Vec<(f32, i64)> = Vec::new();
    reader.vectors(&mut |id, values, scale| {
        if values.len() != query.len() {
            return;
        }
        let near = values.iter().zip(query).map(|(a, b)| f32::from(*a) * b).sum::<f32>() * scale;
        if known.contains(&id) {
            out.insert(id, f64::from(near));
        }
        let is_far = near_max <= best.len() && best.last().is_some_and(|(last, _)| near <= *last);
        if !is_far && nearness_min <= f64::from(near) {
            let at = best.partition_point(|(it, other)| near.total_cmp(it).then(other.cmp(&id)).is_lt());
            best.insert(at, (near, id));
            best.truncate(near_max);
        }
    })?;
    out.extend(best.into_iter().map(|(near, id)| (id, f64::from(near))));
    Ok(out)
}

/// How a text begins, on one line.
fn snippet(text: &str) -> String {
    let mut out = String::with_capacity(SNIPPET_CHARS);
    let mut room = SNIPPET_CHARS;
    for word in text.split_whitespace() {
        if !out.is_empty() && 0 < room {
            out.push(' ');
            room -= 1;
        }
        for letter in word.chars().take(room) {
            out.push(letter);
            room -= 1;
        }
        if room == 0 {
            break;
        }
    }
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_is_one_line_of_two_hundred_characters() {
        assert_eq!(snippet("  a\n\tb  c "), "a b c");
        assert_eq!(snippet(&"ä".repeat(300)), "ä".repeat(200));
        assert_eq!(snippet(&"ab ".repeat(100)).chars().count(), 200);
        assert_eq!(snippet("\n \n"), "");
    }
}
