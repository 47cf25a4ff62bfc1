//! The binary: the hook path first, everything people type after it.

mod bridge;
mod claims;
mod cli;
mod config;
mod dirs;
mod exit;
mod gates;
mod hook;
mod install;
mod judge;
mod notify;
mod observe;
mod output;
mod place;
mod project;
mod rag;
mod replay;
mod report;
mod session;
mod statusline;
mod tools;
mod trace;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match args.next() {
        Some(word) if word == "hook" => hook::run(args),
        Some(word) if word == "bridge" => bridge::run(args),
        Some(word) if word == "statusline" && statusline::takes(std::env::args_os().skip(2)) => {
            statusline::run(args)
        }
        _ => cli::run(),
    }
}
