//! Chunks by their words.

use std::ops::Range;
use std::sync::Arc;

use rusqlite::params;

use crate::error::Error;
use crate::reader::Reader;
use crate::row::{Hit, Wanted};

/// How soon it counts less that a word stands in one more place.
const SATURATION: f32 = 1.2;
/// How much the length of a chunk matters, from 0 to 1.
const LENGTH: f32 = 0.6;
/// Best chunks whose files are looked up one by one before all files are read.
const LOOK_UPS_MAX: usize = 2_000;

/// Chunks that an expression fits.
const WORDS: &str = "SELECT rowid FROM words WHERE words MATCH ?";
const NAMES: &str = "SELECT rowid FROM names WHERE names MATCH ?";
/// Files of the last chunks that a chunk's file is looked for among.
const NEAR: usize = 16;

/// The chunks of a file.
#[derive(Debug, Clone)]
struct Span {
    chunks: Range<i64>,
    file: i64,
    path: Arc<str>,
    /// The filter takes it.
    fits: bool,
}

impl Reader {
    /// The best `limit` chunks for an FTS5 expression whose file `filter` takes, by bm25, best first, ties by
    /// path and place.
    ///
    /// `weights` are those of symbol, path, heading, doc and body. Reads and weighs every chunk that fits:
    /// [`Reader::candidates`] is for what much of the index fits.
    ///
    /// # Errors
    ///
    /// [`Error::Expression`] for what FTS5 does not take.
    pub fn search(
        &self,
        expression: &str,
        weights: [f64; 5],
        filter: &dyn Fn(&str) -> bool,
        limit: usize,
    ) -> Result<Vec<Hit>, Error> {
        let _snapshot = self.snapshot()?;
        let [symbol, path, heading, doc, body] = weights;
        let sql = "SELECT rowid, bm25(words, ?2, ?3, ?4, ?5, ?6) FROM words WHERE words MATCH ?1";
        let mut found = Vec::new();
        self.each("search", sql, params![expression, symbol, path, heading, doc, body], |row| {
            found.push((row.get(0)?, -row.get::<_, f64>(1)?));
            Ok(())
        })
        .map_err(expression_error)?;
        self.best(found, Some(filter), limit)
    }

    /// The best `limit` chunks that have any of these words, whose file `filter` takes, best first, ties by path and
    /// place.
    ///
    /// A word counts by its worth, by the weights of the columns it stands in (symbol, path, heading, doc, body; the
    /// lower of path and body wherever it stands) and against the length of the chunk, as bm25 does; how often it stands
    /// there is not looked at, which makes it many times as fast.
    pub fn candidates(
        &self,
        wanted: &[Wanted<'_>],
        weights: [f64; 5],
        filter: Option<&dyn Fn(&str) -> bool>,
        limit: usize,
    ) -> Result<Vec<Hit>, Error> {
        let _snapshot = self.snapshot()?;
        let lengths = self.lengths()?;
        let weights = Weights::new(weights);
        let mut sums = vec![0.0_f32; self.ids()?];
        for it in wanted {
            let words = quoted(it.words);
            let symbols = self.rows_with(NAMES, &format!("symbol : {words}"))?;
            let headings = self.rows_with(NAMES, &format!("{{heading doc}} : {words}"))?;
            let named = merged(&symbols, weights.symbol, &headings, weights.heading);
            let rows = if it.common { Vec::new() } else { self.rows_with(WORDS, &words)? };
            #[expect(clippy::cast_possible_truncation, reason = "a weight")]
            let worth = it.worth as f32 * (1.0 + SATURATION);
            for (chunk, weight) in merged_pairs(&rows, &named) {
                let weight = weight + weights.any;
                let saturation = SATURATION * (1.0 - LENGTH + LENGTH * lengths.of(chunk));
                if let Some(sum) = usize::try_from(chunk).ok().and_then(|it| sums.get_mut(it)) {
                    *sum += worth * weight / (weight + saturation);
                }
            }
        }
        let found = (0..).zip(sums).filter(|(_, sum)| 0.0 < *sum);
        self.best(found.map(|(chunk, sum)| (chunk, f64::from(sum))).collect(), filter, limit)
    }

    /// One more than the highest id of a chunk.
    fn ids(&self) -> Result<usize, Error> {
        let next: i64 = self.one("search", "SELECT next_chunk FROM state", [], |row| row.get(0))?;
        Ok(usize::try_from(next).unwrap_or_default())
    }

    /// In how many chunks each stem stands, as the `porter` tokenizer makes stems.
    pub fn document_counts(&self, stems: &[&str]) -> Result<Vec<u64>, Error> {
        let sql = "SELECT doc FROM stems WHERE term = ?";
        let count = |stem: &&str| {
            let count: Option<i64> = self.some("count words", sql, [stem], |row| row.get(0))?;
            Ok(count.and_then(|it| u64::try_from(it).ok()).unwrap_or_default())
        };
        stems.iter().map(count).collect()
    }

    /// Chunks that fit an expression, ascending.
    fn rows_with(&self, sql: &str, expression: &str) -> Result<Vec<i64>, Error> {
        let mut rows = Vec::new();
        self.each("search", sql, [expression], |row| {
            rows.push(row.get(0)?);
            Ok(())
        })
        .map_err(expression_error)?;
        Ok(rows)
    }

    /// The best of `found` whose file the filter takes.
    fn best(
        &self,
        mut found: Vec<(i64, f64)>,
        filter: Option<&dyn Fn(&str) -> bool>,
        limit: usize,
    ) -> Result<Vec<Hit>, Error> {
        let order =
            |(first, a): &(i64, f64), (second, b): &(i64, f64)| b.total_cmp(a).then(first.cmp(second));
        let wanted = if filter.is_some() { LOOK_UPS_MAX.max(limit) } else { limit };
        let mut rest = Vec::new();
        if wanted < found.len() {
            found.select_nth_unstable_by(wanted, order);
            rest = found.split_off(wanted);
            // As good as the last one: which of them is first is not for their ids to say.
            if let Some(last) = found.iter().map(|it| it.1).min_by(f64::total_cmp) {
                let (mut equal, less): (Vec<_>, Vec<_>) = rest.into_iter().partition(|it| it.1 >= last);
                equal.sort_unstable_by(order);
                equal.truncate(LOOK_UPS_MAX);
                found.extend(equal);
                rest = less;
            }
        }
        found.sort_unstable_by(order);
        let mut hits = Vec::with_capacity(limit.min(found.len()));
        self.look_up(&found, filter, limit, &mut hits)?;
        if let Some(filter) = filter.filter(|_| hits.len() < limit && !rest.is_empty()) {
            let taken = self.spans(filter)?;
            rest.retain(|(chunk, _)| {
                let place = taken.partition_point(|it| it.end <= *chunk);
                taken.get(place).is_some_and(|it| it.contains(chunk))
            });
            rest.sort_unstable_by(order);
            self.look_up(&rest, None, limit, &mut hits)?;
        }
        hits.sort_by(|(a, first), (b, second)| {
            b.score.total_cmp(&a.score).then_with(|| first.cmp(second)).then(a.chunk.cmp(&b.chunk))
        });
        hits.truncate(limit);
        Ok(hits.into_iter().map(|(hit, _)| hit).collect())
    }

    /// Adds hits with their paths for chunks in their order, until there are `limit` and no further one is as good.
    fn look_up(
        &self,
        chunks: &[(i64, f64)],
        filter: Option<&dyn Fn(&str) -> bool>,
        limit: usize,
        hits: &mut Vec<(Hit, Arc<str>)>,
    ) -> Result<(), Error> {
        let mut known: Vec<Span> = Vec::new();
        for (chunk, score) in chunks {
            if limit <= hits.len() && hits.last().is_none_or(|(last, _)| *score < last.score) {
                break;
            }
            // Chunks of one file come close together.
            let mut span = known.iter().rev().take(NEAR).find(|it| it.chunks.contains(chunk)).cloned();
            if span.is_none() {
                span = self.span(*chunk, filter)?;
                known.extend(span.clone());
            }
            if let Some(span) = span.filter(|it| it.fits) {
                hits.push((Hit { chunk: *chunk, file: span.file, score: *score }, span.path));
            }
        }
        Ok(())
    }

    /// The file of a chunk.
    fn span(&self, chunk: i64, filter: Option<&dyn Fn(&str) -> bool>) -> Result<Option<Span>, Error> {
        let sql = "SELECT first_chunk, chunk_count, id, path FROM files WHERE first_chunk <= ?
                   ORDER BY first_chunk DESC LIMIT 1";
        let found = self.some("look up a file", sql, [chunk], |row| {
            let first: i64 = row.get(0)?;
            let path: Arc<str> = row.get_ref(3)?.as_str()?.into();
            let fits = filter.is_none_or(|filter| filter(&path));
            Ok(Span { chunks: first..first + row.get::<_, i64>(1)?, file: row.get(2)?, path, fits })
        })?;
        Ok(found.filter(|it| it.chunks.contains(&chunk)))
    }

    /// Chunks of the files that the filter takes, ascending.
    fn spans(&self, filter: &dyn Fn(&str) -> bool) -> Result<Vec<Range<i64>>, Error> {
        let mut spans = Vec::new();
        let sql = "SELECT path, first_chunk, chunk_count FROM files WHERE first_chunk IS NOT NULL";
        self.each("read files", sql, [], |row| {
            if filter(row.get_ref(0)?.as_str()?) {
                let first: i64 = row.get(1)?;
                spans.push(first..first + row.get::<_, i64>(2)?);
            }
            Ok(())
        })?;
        spans.sort_unstable_by_key(|it| it.start);
        Ok(spans)
    }
}

/// What it adds that a word stands somewhere, in a symbol, in a heading or documentation.
struct Weights {
    any: f32,
    symbol: f32,
    heading: f32,
}

impl Weights {
    #[expect(clippy::cast_possible_truncation, reason = "weights")]
    fn new([symbol, path, heading, doc, body]: [f64; 5]) -> Self {
        let any = path.min(body);
        let more = |weight: f64| (weight - any).max(0.0) as f32;
        Self { any: any as f32, symbol: more(symbol), heading: more(heading.max(doc)) }
    }
}

/// Both lists of chunks, each ascending, with the sum of weights where a chunk is in both.
fn merged(left: &[i64], left_weight: f32, right: &[i64], right_weight: f32) -> Vec<(i64, f32)> {
    let right: Vec<(i64, f32)> = right.iter().map(|it| (*it, right_weight)).collect();
    let mut out: Vec<(i64, f32)> = merged_pairs(left, &right).collect();
    let mut left = left.iter().peekable();
    for (chunk, weight) in &mut out {
        if left.next_if(|it| *it == chunk).is_some() {
            *weight += left_weight;
        }
    }
    out
}

/// Chunks of both lists, each ascending, with the weight of the second list or 0.
fn merged_pairs(chunks: &[i64], weighed: &[(i64, f32)]) -> impl Iterator<Item = (i64, f32)> {
    let mut chunks = chunks.iter().copied().peekable();
    let mut weighed = weighed.iter().copied().peekable();
    std::iter::from_fn(move || match (chunks.peek(), weighed.peek()) {
        (Some(chunk), Some((other, _))) if chunk < other => chunks.next().map(|it| (it, 0.0)),
        (Some(_), None) => chunks.next().map(|it| (it, 0.0)),
        (chunk, Some((other, _))) => {
            if chunk == Some(other) {
                chunks.next();
            }
            weighed.next()
        }
        (None, None) => None,
    })
}

/// A word or phrase as FTS5 takes it whatever stands in it.
fn quoted(words: &str) -> String {
    // FTS5 reads no further than a NUL.
    format!("\"{}\"", words.replace('\0', " ").replace('"', "\"\""))
}

fn expression_error(error: Error) -> Error {
    match error {
        Error::Sql { source, .. } if source.sqlite_error_code() == Some(rusqlite::ErrorCode::Unknown) => {
            Error::Expression { what: source.to_string() }
        }
        other => other,
    }
}
