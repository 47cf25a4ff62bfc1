//! What differs from a checkpoint, and putting it back.

use std::path::PathBuf;

/// How a path differs from the checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DifferenceKind {
    /// It was there and is gone.
    Missing,
}

/// One path that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Absolute.
    pub path: PathBuf,
    /// How.
    pub kind: DifferenceKind,
}

/// What was put back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Restored {
    /// Absolute paths that were written.
    pub written: Vec<PathBuf>,
}
