//! `OpenCode`.

pub mod export;
