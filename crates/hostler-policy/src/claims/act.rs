//! What can be done, and claimed to have been done.

use serde::{Deserialize, Serialize};

/// A kind of deed. Evidence says which were done, claims say which are said to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// Make a file or folder that was not there.
    Create,
    /// Change a file that was there, by any means: edit, fix, refactor, rename of symbols.
    Edit,
    /// Remove files or code.
    Delete,
    /// Move or rename a file.
    Move,
    /// Read a file, diff, log, page: contents, not names.
    Read,
    /// Look for names or text (search, list).
    Search,
    /// Run a command, script or program.
    Run,
    /// Run tests.
    Test,
    /// Build or compile.
    Build,
    /// Run a linter or static analysis.
    Lint,
    /// Run a type checker.
    Typecheck,
    /// Run a formatter.
    Format,
    /// Look at it in a real place: browser, staging, production, device, continuous integration.
    Verify,
    /// Add packages or programs.
    Install,
    /// Remove packages.
    Uninstall,
    /// Record a commit.
    Commit,
    /// Send commits or tags to a remote.
    Push,
    /// Bring commits from a remote.
    Pull,
    /// Make a tag.
    Tag,
    /// Merge branches or a pull request.
    Merge,
    /// Rebase a branch.
    Rebase,
    /// Make or switch a branch.
    Branch,
    /// Throw changes away: revert, restore, reset, roll back.
    Revert,
    /// Open a pull or merge request.
    OpenPullRequest,
    /// Open an issue or ticket.
    OpenIssue,
    /// Write a comment, review or message that others see.
    Comment,
    /// Put a version into a place where it runs.
    Deploy,
    /// Publish a package, image or release.
    Publish,
    /// Start, stop or restart a service or process.
    Service,
    /// Apply a database migration or seed.
    Migrate,
    /// Take a backup or dump.
    Backup,
    /// Get something from the network.
    Fetch,
    /// Upload or send something.
    Send,
    /// Anything else that a tool's or a program's own name tells ([`super::evidence::Evidence::words`]).
    Other,
}
