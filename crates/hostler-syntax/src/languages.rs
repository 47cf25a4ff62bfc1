//! The languages that are read for checks of quality alone: for each, what its nodes are.

pub(crate) mod go;
pub(crate) mod java;
pub(crate) mod rust;
pub(crate) mod script;
#[cfg(test)]
mod tests;
