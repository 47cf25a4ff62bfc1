//! Every integration test of the binary, in one program.

mod e2e;
mod invariants;
