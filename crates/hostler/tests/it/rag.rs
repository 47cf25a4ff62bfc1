//! `hostler rag`: indexing, searching, and what must not disturb them.

mod bad_input;
mod cli;
mod client;
mod fresh;
mod ground;
mod index;
mod kill;
mod parallel;
mod watch;
