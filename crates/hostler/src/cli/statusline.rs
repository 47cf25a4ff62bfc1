//! `hostler statusline` on the command line: what `main` leaves to the parser is a call for help.

use std::ffi::OsString;

use crate::exit::Exit;

/// Prints one line about the session: its number and purpose, branch, profile, calls that were stopped, findings, and how
/// much of the context is used.
///
/// The client calls it with JSON on stdin; without that it tells of the working directory. `hostler init` registers it
/// where no status line is configured.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// No colours; so does `NO_COLOR`
    #[arg(long)]
    plain: bool,
    /// Columns [default: `COLUMNS`, else 120]
    #[arg(long)]
    width: Option<usize>,
}

/// Runs the command.
#[expect(clippy::unnecessary_wraps, reason = "as every command")]
pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    let plain = args.plain.then(|| OsString::from("--plain"));
    let width = args.width.map(|columns| OsString::from(format!("--width={columns}")));
    crate::statusline::run(plain.into_iter().chain(width));
    Ok(Exit::Ok)
}
