//! Recall: when a prompt asks for what was, and what a project's records say about it.
//!
//! [`trigger`] reads a prompt, [`Query`] is what is looked for, [`search()`] goes through records that come newest
//! first and reads no more of them than it must, [`context`] is what the agent is told.

mod cut;
mod prose;
mod query;
mod raw;
mod render;
mod search;
mod stop;
mod trigger;
pub(crate) mod words;

pub(crate) use prose::{is_code, is_log, tags_of};
pub use query::Query;
pub use render::{CONTEXT_UNITS_MAX, Scope, context, line, nothing, searched};
pub use search::{Deferred, Entry, Found, Kind, Limits, Match, Of, Record, search};
pub use trigger::{TRIGGERS, Topic, trigger};

#[cfg(test)]
mod tests;
