//! What a command does to the world, as far as its text tells.
//!
//! One analysis serves the guards (may this run?) and later the claims (did the agent do it?).

use std::path::PathBuf;

/// The kind of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EffectKind {
    /// Removes files or folders.
    Delete,
    /// Takes files or folders away from where they are (the source of a move).
    MoveAway,
    /// Empties an existing file on purpose (`: > f`, `truncate -s 0`).
    Truncate,
    /// Writes a whole file, replacing one that exists.
    Overwrite,
    /// Writes without losing what is there: append, in-place edit, new folder, touch.
    Write,
    /// Reads a file.
    Read,
    /// Runs text that came from the network, a decoder or another unreadable source.
    ExecRemote,
    /// Runs a command word or script text that the analysis could not resolve.
    ExecUnresolved,
    /// Throws away uncommitted work, a stash or a work tree.
    GitDiscard,
    /// Rewrites or destroys recorded history, branches or the means to recover them.
    HistoryRewrite,
    /// Overwrites or deletes a remote branch.
    ForcePush,
    /// Changes permissions or ownership of a tree.
    PermissionChange,
    /// Writes to a device, formats a file system, changes partitions, stops the machine.
    Device,
    /// Starts processes without end.
    ForkBomb,
    /// Destroys infrastructure, databases, cloud storage, containers' volumes.
    Infrastructure,
    /// Sends secret material to the network.
    SecretUpload,
    /// Installs or removes packages.
    PackageInstall,
    /// A command word holds look-alike or invisible characters.
    LookAlike,
}

/// Where an effect happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// On this machine's files as seen from the agent's shell.
    Local,
    /// On another machine, or in a container.
    Remote,
}

/// One thing that an effect acts on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The word as written, for messages.
    pub text: String,
    /// Absolute and lexically clean; `None` when the analysis could not resolve it. With [`Target::glob`]
    /// it is the deepest folder that the pattern can not leave.
    pub path: Option<PathBuf>,
    /// The word is a pattern; [`Target::path`] is the folder below which it matches.
    pub glob: bool,
    /// The pattern relative to [`Target::path`], e.g. `*.log`; empty without [`Target::glob`].
    pub pattern: String,
    /// The text ends in `/` or `/.`: a link is followed.
    pub follows_link: bool,
}

/// One effect of one simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// What kind.
    pub kind: EffectKind,
    /// What it acts on; empty when the kind has none or they come from elsewhere.
    pub targets: Vec<Target>,
    /// The simple command that does it, rendered from resolved words.
    pub command: String,
    /// Why the analysis thinks so, one clause: "`rm` removes its operands".
    pub why: String,
    /// Where it happens.
    pub reach: Reach,
    /// The effect covers whole trees (recursive delete, recursive chmod).
    pub recursive: bool,
    /// The script that does it, when the command line only runs that.
    pub script: Option<PathBuf>,
}

/// How much of a command line the analysis understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coverage {
    /// All of it.
    Full,
    /// Not all: the reasons, each one clause.
    Partial(Vec<String>),
}
