//! Every integration test of the binary, in one program.

#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

mod audit;
mod bridge;
mod checkpoint;
mod claims;
mod claims_rows;
mod daily;
mod e2e;
mod gates;
mod guard;
mod hook;
mod install;
mod invariants;
mod lifecycle;
mod mcp;
mod opencode;
mod rag;
mod recall;
mod replay;
mod report;
mod rows;
mod session;
mod session_close;
mod trace;
