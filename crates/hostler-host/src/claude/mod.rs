//! Claude Code.

pub mod canary;
pub mod message;
pub mod read;
pub mod settings;
pub mod status_line;
pub mod transcript;
pub mod write;
