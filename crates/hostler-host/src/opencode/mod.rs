//! `OpenCode`.

pub mod boot;
pub mod canary;
pub mod export;
pub mod plugin;
pub mod read;
pub mod settings;
pub mod write;
