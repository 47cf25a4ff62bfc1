//! Links the shipped program for Linux at a fixed address.
//!
//! It holds some thirty thousand addresses of constants. In a program that may lie anywhere the loader fills them in at
//! each start, which touches 140 pages and is a fifth of a hook call; where it lies at a fixed place the linker does it
//! once. Heap, stack and libraries stay at random places. `HOSTLER_PIE=1` at build time links it the usual way.

use std::env::var;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=HOSTLER_PIE");
    let is = |name: &str, value: &str| var(name).is_ok_and(|it| it == value);
    let gnu = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if gnu && is("PROFILE", "release") && var("HOSTLER_PIE").is_err() {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
