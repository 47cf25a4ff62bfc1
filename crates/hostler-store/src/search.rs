//! Chunks by their words.

use crate::error::Error;
use crate::reader::Reader;
use crate::row::Hit;

/// A phrase is counted no further than this many chunks; beyond, their number is estimated.
const COUNT_MAX: u64 = 5_000;

impl Reader {
    /// The best `limit` chunks for an FTS5 expression whose file `filter` takes, best first, ties by id.
    ///
    /// `weights` are those of symbol, path, heading, doc and body.
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
        let [symbol, path, heading, doc, body] = weights;
        let sql = "SELECT rowid, bm25(words, ?2, ?3, ?4, ?5, ?6) FROM words WHERE words MATCH ?1";
        let mut found: Vec<(f64, i64)> = Vec::new();
        self.each("search", sql, rusqlite::params![expression, symbol, path, heading, doc, body], |row| {
            found.push((-row.get::<_, f64>(1)?, row.get(0)?));
            Ok(())
        })
        .map_err(expression_error)?;
        found.sort_by(|(a, first), (b, second)| b.total_cmp(a).then(first.cmp(second)));
        let mut hits = Vec::new();
        for (score, chunk) in found {
            if hits.len() == limit {
                break;
            }
            let sql = "SELECT id, path FROM files WHERE first_chunk <= ? ORDER BY first_chunk DESC LIMIT 1";
            let file: Option<(i64, String)> =
                self.some("look up a file", sql, [chunk], |row| Ok((row.get(0)?, row.get(1)?)))?;
            if let Some((file, path)) = file
                && filter(&path)
            {
                hits.push(Hit { chunk, file, score });
            }
        }
        Ok(hits)
    }

    /// The same for terms and phrases as they are, any of which may stand in a chunk.
    pub fn search_terms(
        &self,
        terms: &[&str],
        weights: [f64; 5],
        filter: &dyn Fn(&str) -> bool,
        limit: usize,
    ) -> Result<Vec<Hit>, Error> {
        let quoted: Vec<String> = terms.iter().map(|it| quoted(it)).collect();
        if quoted.is_empty() {
            Ok(Vec::new())
        } else {
            self.search(&quoted.join(" OR "), weights, filter, limit)
        }
    }

    /// In how many chunks each term or phrase stands: exact up to some thousands, estimated beyond.
    pub fn document_counts(&self, terms: &[&str]) -> Result<Vec<u64>, Error> {
        let sql = "SELECT count(*), max(rowid) FROM (SELECT rowid FROM words WHERE words MATCH ? LIMIT ?)";
        let highest: i64 =
            self.one("count", "SELECT coalesce(max(id), 0) FROM chunks", [], |row| row.get(0))?;
        let count = |term: &&str| {
            let limit = i64::try_from(COUNT_MAX).unwrap_or(i64::MAX);
            let (count, last): (i64, Option<i64>) = self
                .one("count", sql, rusqlite::params![quoted(term), limit], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
                .map_err(expression_error)?;
            let count = u64::try_from(count).unwrap_or_default();
            let share = last.filter(|_| count == COUNT_MAX).map_or(1, |last| highest / last.max(1));
            Ok(count * u64::try_from(share).unwrap_or(1).max(1))
        };
        terms.iter().map(count).collect()
    }
}

/// A term or phrase as FTS5 takes it whatever stands in it.
fn quoted(term: &str) -> String {
    format!("\"{}\"", term.replace('"', "\"\""))
}

fn expression_error(error: Error) -> Error {
    match error {
        Error::Sql { source, .. } if source.sqlite_error_code() == Some(rusqlite::ErrorCode::Unknown) => {
            Error::Expression { what: source.to_string() }
        }
        other => other,
    }
}
