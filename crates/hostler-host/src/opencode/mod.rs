//! `OpenCode`.

pub mod boot;
pub mod export;
pub mod plugin;
pub mod settings;
