//! What leaves this machine because a user configured it. The only crate with a network client.

pub mod embeddings;
