//! Conversations of the past. What searches them is not part of this version.

pub(crate) mod query;
pub(crate) mod status;
pub(crate) mod sync;

pub(super) use super::not_yet;
