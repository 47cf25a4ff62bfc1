//! Every integration test of the binary, in one program.

mod audit;
mod checkpoint;
mod e2e;
mod guard;
mod hook;
mod install;
mod invariants;
