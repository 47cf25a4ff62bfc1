//! The languages that are read for checks of quality alone: for each, what its nodes are.

pub(crate) mod bash;
pub(crate) mod c;
pub(crate) mod csharp;
pub(crate) mod go;
pub(crate) mod java;
pub(crate) mod kotlin;
pub(crate) mod php;
mod plain;
pub(crate) mod ruby;
pub(crate) mod rust;
pub(crate) mod scala;
pub(crate) mod script;
pub(crate) mod swift;
#[cfg(test)]
mod tests;
