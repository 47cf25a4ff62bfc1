//! What people and programs read: stdout is data, stderr is talk.

pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod panel;
