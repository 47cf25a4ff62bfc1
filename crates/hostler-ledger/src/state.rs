//! Small per-session state: counters and deduplication of doubled registrations.
