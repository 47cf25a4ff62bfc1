//! Sessions that are over, from transcripts of hosts, exports and our journals: what was claimed in them and what
//! held.
//!
//! [`find`] tells the sessions in files and folders, [`sessions`] reads them on several threads and tells their
//! summaries in the order of the files' names. Whatever a file holds, reading it goes on: what cannot be read is
//! counted.

mod assemble;
mod evidence;
mod find;
mod guards;
mod journal;
mod lines;
mod read;
mod run;
pub(crate) mod summary;
mod window;
mod world;

pub(crate) use find::find;
pub(crate) use run::{Progress, sessions};

use hostler_model::Profile;

/// How sessions are read.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command")]
pub(crate) struct Options {
    /// Judge by this profile instead of the configured one.
    pub(crate) profile: Option<Profile>,
    /// Ask the guards about every call, too.
    pub(crate) guards: bool,
    /// Look whether claimed files are there, where the session's folder is on this machine.
    pub(crate) check_files: bool,
    /// Judge the turns of journals again instead of taking what was found at the time.
    pub(crate) again: bool,
    /// Leave secrets in the texts of claims and findings.
    pub(crate) raw: bool,
    /// Threads; 0: one for each core.
    pub(crate) jobs: usize,
}
