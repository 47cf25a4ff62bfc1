//! Gates: what is checked in files that an agent changes, while they are written and before a turn ends.

pub(crate) mod tools;
