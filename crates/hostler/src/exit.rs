//! Exit codes, one set for every command.

use std::process::ExitCode;

/// How a command ended. `hook` alone always ends with 0: hosts read its one JSON document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done, nothing to report.
    Ok = 0,
    /// Done, and something was found.
    Finding = 1,
    /// A rule stopped it.
    Blocked = 2,
    /// The command line or an input was not usable.
    Usage = 3,
    /// A file could not be read or written, or is damaged.
    Io = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
