//! `hostler rag`: indexing, searching, and what must not disturb them.

mod bad_input;
mod cli;
mod client;
mod embeddings;
mod fresh;
mod ground;
mod index;
mod kill;
mod mcp;
mod parallel;
mod search;
mod suite;
mod watch;
