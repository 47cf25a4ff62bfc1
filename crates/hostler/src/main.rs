//! The binary: the hook path first, everything people type after it.

mod claims;
mod cli;
mod config;
mod dirs;
mod exit;
mod hook;
mod install;
mod judge;
mod notify;
mod observe;
mod output;
mod place;
mod project;
mod replay;
mod report;
mod session;
mod trace;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|word| word == "hook") {
        return hook::run(args);
    }
    cli::run()
}
