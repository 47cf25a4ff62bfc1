//! Rows that wait to be sorted.

use std::cmp::Ordering;

use crate::plan::Expr;
use crate::value::Value;

pub(crate) struct Sorted {
    pub(crate) keys: Vec<Value>,
    pub(crate) row: Vec<Value>,
    /// What WHERE says of it; skipped and limited rows are counted before.
    pub(crate) kept: bool,
    pub(crate) bytes: usize,
}

pub(crate) fn by_keys(a: &Sorted, b: &Sorted, order: &[(Expr, bool)]) -> Ordering {
    for ((a, b), (_, descending)) in a.keys.iter().zip(&b.keys).zip(order) {
        let found = a.order(b);
        if found != Ordering::Equal {
            return if *descending { found.reverse() } else { found };
        }
    }
    Ordering::Equal
}
