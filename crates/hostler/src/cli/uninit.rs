//! `hostler uninit`.

use crate::exit::Exit;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs the command.
pub(crate) fn run(_args: &Args, _json: bool) -> anyhow::Result<Exit> {
    anyhow::bail!("not built yet")
}
