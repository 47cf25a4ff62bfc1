//! Old checkpoints go.

/// What stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Younger ones stay, in milliseconds.
    pub age_ms: i64,
    /// The youngest stay as long as together they hold at most this, in bytes.
    pub bytes_max: u64,
}

/// What went.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pruned {
    /// Ids, oldest first.
    pub removed: Vec<String>,
    /// What they held, in bytes.
    pub bytes: u64,
}
