//! Claude Code.

pub mod read;
pub mod settings;
pub mod write;
