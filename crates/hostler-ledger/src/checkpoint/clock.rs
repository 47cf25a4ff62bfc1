//! The time that an operation may take.

use std::time::{Duration, Instant};

use super::Error;

/// A deadline that many steps share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    end: Instant,
    limit: Duration,
}

impl Clock {
    pub(super) fn start(limit: Duration) -> Self {
        // Longer than a day is the same as a day, and cannot overflow.
        let limit = limit.min(Duration::from_secs(24 * 60 * 60));
        Self { end: Instant::now() + limit, limit }
    }

    pub(super) fn remaining(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    pub(super) fn check(&self, what: &'static str) -> Result<(), Error> {
        if self.remaining().is_zero() { Err(self.passed(what)) } else { Ok(()) }
    }

    pub(super) fn passed(&self, what: &'static str) -> Error {
        Error::Deadline { what, limit_ms: self.limit.as_millis() }
    }
}
