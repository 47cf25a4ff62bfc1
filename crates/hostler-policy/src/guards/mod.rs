//! Guards: what a tool call may not do. One file each; help, manual and tests come from the const.

use std::path::PathBuf;

use hostler_model::{Facts, Mode, Needs};

use crate::Case;

mod delete;
mod exec;
mod git_discard;
mod history;
mod infrastructure;
mod look_alike;
mod loop_guard;
mod machine;
mod missing_path;
mod mock_in_test;
mod overwrite;
mod permission;
mod pip;
mod protected;
mod protected_path;
mod python;
mod python_except;
mod read_budget;
mod read_throttle;
mod reading;
mod relative_import;
mod requirements_file;
mod review;
mod secret_in_content;
pub(crate) mod secrets;
mod shell_protected;
mod signing_key;
mod write_outside;
mod write_overwrite;
mod written;
mod zone;

#[cfg(test)]
mod tests;

pub use loop_guard::Repeats;
pub use protected::check_glob;
pub use reading::ReadLimits;
pub(crate) use requirements_file::wants_uv;
pub use review::{Scope, proposed};

/// One rule over one tool call.
pub struct Guard {
    /// Stable id, named after what it forbids, e.g. `delete-outside`.
    pub id: &'static str,
    /// What it stops, one line that completes "Stops …".
    pub summary: &'static str,
    /// Its mode in the `standard` profile.
    pub standard: Mode,
    /// Its mode in the `strict` profile.
    pub strict: Mode,
    /// Names the facts that [`Guard::check`] would read.
    pub needs: fn(&Case<'_>, &mut Needs),
    /// What it finds; pure.
    pub check: fn(&Case<'_>, &Facts) -> Vec<Hit>,
    /// Calls in which it must find something.
    pub fires: &'static [Example],
    /// Calls in which it must find nothing.
    pub silent: &'static [Example],
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Guard({})", self.id)
    }
}

/// One thing that a guard found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hit {
    /// One sentence naming the command or path, no full stop at the end.
    pub problem: String,
    /// What to do instead; a command in it must pass the guards itself.
    pub instead: Option<String>,
    /// What a checkpoint must keep if the call goes ahead.
    pub snapshot: Vec<PathBuf>,
}

/// A call in a sample world, used in help texts and as a test. The sample world: home `/home/dev`, project
/// `/home/dev/proj` (a git repository), in which `README.md`, `app.log`, `data.db`, `src/lib.rs` and
/// `build/out.bin` exist, the key that journals are signed with, and nothing else; its Python packages are managed with
/// uv.
#[derive(Debug, Clone, Copy)]
pub enum Example {
    /// A command line.
    Bash(&'static str),
    /// Path and content of a new file.
    Write(&'static str, &'static str),
    /// Path, old text, new text.
    Edit(&'static str, &'static str, &'static str),
    /// A write without a path.
    WriteNowhere,
    /// A read of a file, after so many by the same agent.
    Read {
        /// The file.
        path: &'static str,
        /// In the window that ends now.
        in_window: u64,
        /// In the session.
        in_session: u64,
    },
    /// A command line, after so many times of the very same in a row.
    Again(&'static str, u64),
    /// Path and content of a new file, and what the project's linter says of it.
    Linted(&'static str, &'static str, &'static str),
}

/// No facts wanted.
pub(crate) fn nothing(_: &Case<'_>, _: &mut Needs) {}

/// Every guard. Order is the order in lists; it has no effect on decisions.
pub const GUARDS: &[&Guard] = &[
    &delete::ROOT,
    &delete::OUTSIDE,
    &delete::UNRESOLVED,
    &delete::INSIDE,
    &delete::TEMP,
    &delete::ELSEWHERE,
    &overwrite::INSIDE,
    &overwrite::OUTSIDE,
    &overwrite::UNRESOLVED,
    &overwrite::TEMP,
    &git_discard::GUARD,
    &history::REWRITE,
    &history::FORCE_PUSH,
    &machine::DEVICE,
    &machine::FORK_BOMB,
    &permission::ROOT,
    &permission::TREE,
    &exec::REMOTE,
    &exec::UNRESOLVED,
    &infrastructure::GUARD,
    &infrastructure::SECRET_UPLOAD,
    &pip::GUARD,
    &look_alike::GUARD,
    &shell_protected::GUARD,
    &shell_protected::GIT,
    &shell_protected::SELF,
    &signing_key::GUARD,
    &missing_path::GUARD,
    &write_overwrite::GUARD,
    &write_outside::GUARD,
    &protected_path::GUARD,
    &protected_path::GIT,
    &requirements_file::GUARD,
    &secret_in_content::GUARD,
    &review::SYNTAX,
    &review::LINT,
    &review::ERROR,
    &python_except::BARE,
    &python_except::PASS,
    &mock_in_test::GUARD,
    &relative_import::GUARD,
    &relative_import::PARENT,
    &read_throttle::GUARD,
    &read_budget::GUARD,
    &loop_guard::GUARD,
];
