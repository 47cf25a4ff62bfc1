//! How well a ranking finds what was asked for, by the field's measures at ten hits.

use std::collections::HashSet;

use super::contender::Hit;

/// Hits that count.
pub(super) const DEPTH: usize = 10;

/// Sums over queries, of the rank of the first right hit.
#[derive(Default)]
pub(super) struct Measures {
    queries: u32,
    reciprocal: f64,
    gain: f64,
    within: [u32; 3],
}

/// The depths of [`Measures::recall`].
pub(super) const DEPTHS: [usize; 3] = [1, 5, DEPTH];

impl Measures {
    /// Counts a query whose first right hit has this rank, from 1.
    pub(super) fn add(&mut self, rank: Option<usize>) {
        self.queries += 1;
        let Some(rank) = rank.filter(|it| *it <= DEPTH) else { return };
        let place = f64::from(u32::try_from(rank).unwrap_or(u32::MAX));
        self.reciprocal += 1.0 / place;
        self.gain += 1.0 / (place + 1.0).log2();
        for (count, depth) in self.within.iter_mut().zip(DEPTHS) {
            *count += u32::from(rank <= depth);
        }
    }

    /// MRR@10.
    pub(super) fn mrr(&self) -> f64 {
        self.reciprocal / f64::from(self.queries)
    }

    /// nDCG@10 with one right answer.
    pub(super) fn ndcg(&self) -> f64 {
        self.gain / f64::from(self.queries)
    }

    /// The share of queries answered within each of [`DEPTHS`].
    pub(super) fn recall(&self) -> [f64; 3] {
        self.within.map(|it| f64::from(it) / f64::from(self.queries))
    }

    /// The columns that every table of quality has.
    pub(super) fn row(&self) -> String {
        let [first, five, ten] = self.recall();
        format!("{:.4} | {:.4} | {first:.4} | {five:.4} | {ten:.4}", self.mrr(), self.ndcg())
    }
}

/// The rank of the first file that is right; a file counts once, where it comes first.
pub(super) fn file_rank(hits: &[Hit], right: impl Fn(&str) -> bool) -> Option<usize> {
    let mut seen = HashSet::new();
    let files = hits.iter().map(|it| it.path.as_str()).filter(|it| seen.insert(*it));
    files.take(DEPTH).position(right).map(|it| it + 1)
}

/// The rank of the first hit whose lines in `path` meet `lines`.
pub(super) fn span_rank(hits: &[Hit], path: &str, lines: (u64, u64)) -> Option<usize> {
    let mut seen = HashSet::new();
    let spans = hits.iter().filter(|it| seen.insert((it.path.as_str(), it.lines)));
    let meets = |hit: &Hit| hit.path == path && hit.lines.0 <= lines.1 && lines.0 <= hit.lines.1;
    spans.take(DEPTH).position(|hit| hit.lines.0 != 0 && meets(hit)).map(|it| it + 1)
}

/// The value below which this share of the samples lies.
pub(super) fn at(samples: &[f64], share: f64) -> f64 {
    crate::latency::Samples::at(samples, share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(path: &str, first: u64, last: u64) -> Hit {
        Hit { path: path.to_owned(), lines: (first, last) }
    }

    #[track_caller]
    fn check(hits: &[Hit], path: &str, lines: (u64, u64), expected: (Option<usize>, Option<usize>)) {
        assert_eq!((file_rank(hits, |it| it == path), span_rank(hits, path, lines)), expected, "{hits:?}");
    }

    #[test]
    fn ranks_count_files_once_and_spans_each() {
        let hits = [hit("a", 1, 9), hit("a", 10, 19), hit("b", 1, 9), hit("b", 10, 19)];
        check(&hits, "a", (9, 10), (Some(1), Some(1)));
        check(&hits, "a", (11, 12), (Some(1), Some(2)));
        check(&hits, "b", (19, 30), (Some(2), Some(4)));
        check(&hits, "b", (20, 30), (Some(2), None));
        check(&hits, "c", (1, 2), (None, None));
        check(&[], "c", (1, 2), (None, None));
    }

    #[test]
    fn a_hit_that_comes_twice_takes_one_place_and_the_eleventh_counts_no_more() {
        let mut hits = vec![hit("a", 1, 2); 5];
        hits.extend((0..8).map(|at| hit(&format!("f{at}"), 1, 2)));
        hits.push(hit("tenth", 1, 2));
        check(&hits, "tenth", (1, 1), (Some(10), Some(10)));
        hits.insert(3, hit("b", 1, 2));
        check(&hits, "tenth", (1, 1), (None, None));
    }

    #[test]
    fn measures_are_means_over_all_queries() {
        let mut measures = Measures::default();
        for rank in [Some(1), Some(2), Some(10), None] {
            measures.add(rank);
        }
        assert!((measures.mrr() - (1.0 + 0.5 + 0.1) / 4.0).abs() < 1e-12);
        let gain = 1.0 + 1.0 / 3f64.log2() + 1.0 / 11f64.log2();
        assert!((measures.ndcg() - gain / 4.0).abs() < 1e-12);
        assert_eq!(measures.within, [1, 2, 3]);
    }
}
