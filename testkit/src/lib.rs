//! Test support: a scripted model server, temporary worlds, a driver for the real client.
//!
//! An end-to-end test reads as: files, script, expected files, expected words, expected ledger.
//! Invariant: nothing here is part of the product, reaches the network, or uses a real credential.

pub mod client;
pub mod model;
pub mod opencode;
pub mod payload;
pub mod session;
pub mod terminal;
pub mod transcripts;
pub mod world;

pub use client::Output;
pub use model::{ModelServer, Request, Turn};
pub use opencode::{Chat, OpenCode, Serve};
pub use session::{Run, Session, ToolResult};
pub use terminal::Terminal;
pub use world::{Register, Scenario, World};
