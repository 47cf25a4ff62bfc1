//! Checkpoints: what a call is about to destroy is kept first, and can be put back.
//!
//! Inside a git work tree a checkpoint is one commit under
//! `refs/hostler/checkpoints/<session>/<n>`, written by one `git fast-import`: no index, no stash, no
//! branch, no hook, no reflog and no working file takes part. Contents are stored as the bytes that are
//! on disk, whatever `.gitignore`, filters or line-ending settings say. Outside git, and for paths
//! outside the work tree, a checkpoint is a folder of copies next to the project's evidence.
//!
//! Only the named paths are kept, all or nothing: a path that is too large or cannot be read is an
//! [`Error`], so that the caller can ask instead of letting the loss happen. Restoring writes files that
//! differ and never deletes one.

mod clock;
mod copy;
mod git;
mod header;
mod prune;
mod restore;
mod scan;
mod sequence;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hostler_model::{Place, SessionId};

use self::clock::Clock;
pub use self::header::{Header, Kind, Saved, Skipped};
pub use self::prune::{Keep, Pruned};
pub use self::restore::{Difference, DifferenceKind, Restored};

/// What to keep, and why.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Where the call happens.
    pub place: &'a Place,
    /// The host's session.
    pub session: &'a SessionId,
    /// The tool use id: a second request with the same id and paths makes no second checkpoint.
    pub call: Option<&'a str>,
    /// Absolute paths of files or folders that the call will destroy or change.
    pub paths: &'a [PathBuf],
    /// Told by `list`, already redacted; cut at 500 characters.
    pub reason: &'a str,
    /// When, in milliseconds since 1970.
    pub time_ms: i64,
    /// The project's evidence folder.
    pub project_state: &'a Path,
    /// The whole call ends within about this time, git included.
    pub deadline: Duration,
}

/// What [`create`] did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Created {
    /// Everything that was there is kept.
    Checkpoint {
        /// `<start of the session>/<number>`, as `hostler checkpoint restore` takes it.
        id: String,
        /// Files and links kept.
        files: usize,
        /// Their size.
        bytes: u64,
        /// What cannot be kept (pipes, sockets, devices), with the reason.
        skipped: Vec<(PathBuf, String)>,
    },
    /// None of the paths exists: there is nothing to lose.
    Nothing,
    /// The same call was here before (a doubled registration).
    Same {
        /// The checkpoint that it made.
        id: String,
    },
}

/// How much one checkpoint may hold. More is an error: half a checkpoint would be trusted as a whole one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Sum of file sizes, in bytes.
    pub bytes_max: u64,
    /// Files, links and folders.
    pub entries_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes_max: 256 << 20, entries_max: 50_000 }
    }
}

/// Why there is no checkpoint, or why it could not be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A path that no checkpoint is made of.
    #[error("no checkpoint of `{}`: {why}", path.display())]
    Refused {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// More than [`Limits`] allow.
    #[error(
        "`{}` is too large for a checkpoint: more than {} (largest: `{}`, {largest_bytes} bytes); move it away instead of deleting it, or run the command yourself",
        path.display(), limit, largest.display()
    )]
    TooLarge {
        /// The path that was asked for.
        path: PathBuf,
        /// The limit that was passed, in words.
        limit: String,
        /// The largest file seen so far.
        largest: PathBuf,
        /// Its size.
        largest_bytes: u64,
    },
    /// A file or folder could not be read.
    #[error("cannot read `{}` for a checkpoint: {source}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file shrank under every attempt to read it.
    #[error("`{}` keeps changing while it is read; try again when its writer has stopped", path.display())]
    Changing {
        /// Which.
        path: PathBuf,
    },
    /// The repository's object store or references cannot be written.
    #[error("the repository `{}` is read-only: no checkpoint can be stored in it", path.display())]
    ReadOnly {
        /// Its git folder.
        path: PathBuf,
    },
    /// `git` could not be started.
    #[error("cannot run `git`: {0}; install it or put it on `PATH`")]
    NoGit(io::Error),
    /// `git` failed.
    #[error("`git {command}` failed ({status}): {message}")]
    Git {
        /// The subcommand.
        command: &'static str,
        /// How it ended.
        status: String,
        /// The start of what it said.
        message: String,
    },
    /// The deadline passed. Nothing was recorded.
    #[error("{what} took longer than {limit_ms} ms and was stopped")]
    Deadline {
        /// What was going on.
        what: &'static str,
        /// The time that was allowed.
        limit_ms: u128,
    },
    /// A file of ours could not be read or written.
    #[error("cannot use `{}`: {source}", path.display())]
    State {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No checkpoint has this id.
    #[error("there is no checkpoint `{0}` here; see `hostler checkpoint list`")]
    NotFound(String),
    /// Several checkpoints have this id.
    #[error("`{id}` means more than one checkpoint: {}; write more of the session", candidates.join(", "))]
    Ambiguous {
        /// What was asked for.
        id: String,
        /// What it could mean.
        candidates: Vec<String>,
    },
    /// The checkpoint knows nothing of a path.
    #[error("checkpoint `{id}` holds nothing at `{}`; see `hostler checkpoint show {id}`", path.display())]
    NotHeld {
        /// Which.
        id: String,
        /// What was asked for.
        path: PathBuf,
    },
    /// A checkpoint that cannot be understood.
    #[error("checkpoint `{id}` cannot be used: {why}")]
    Damaged {
        /// Which.
        id: String,
        /// What is wrong.
        why: String,
    },
    /// A file could not be put back.
    #[error("cannot restore `{}`: {source}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Error {
    /// A file that somebody else removed between being found and being read: nothing is left to keep.
    fn is_gone(&self) -> bool {
        matches!(self, Self::Unreadable { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

/// Keeps what stands at the request's paths.
///
/// Cost: one `git` process for a single file, a second one for a session's first checkpoint.
///
/// # Errors
/// Any error means that nothing was recorded: no reference, no copy. Edits go ahead all the same; an
/// allowed delete becomes a question.
pub fn create(request: &Request<'_>) -> Result<Created, Error> {
    create_within(request, &Limits::default())
}

/// [`create`] with limits of the caller's.
pub fn create_within(request: &Request<'_>, limits: &Limits) -> Result<Created, Error> {
    let clock = Clock::start(request.deadline);
    let vault = Vault { place: request.place, project_state: request.project_state, clock };
    let found = scan::scan(request, limits, &clock)?;
    if found.is_empty() {
        return Ok(Created::Nothing);
    }
    let mut sequence = sequence::Sequence::open(request.project_state, request.session, &clock)?;
    let call = request.call.map(|call| sequence::Call::new(call, request.paths));
    if let Some(number) = call.as_ref().and_then(|call| sequence.number_of(call)) {
        return Ok(Created::Same { id: id_of(request.session.as_str(), number) });
    }
    let number = sequence.reserve(|| vault.last_number(request.session))?;
    let mut header = Header::new(request, number, &found);
    match (&request.place.git_dir, found.all_inside) {
        (Some(git_dir), true) => {
            git::Repository::new(git_dir, vault.common_dir()).write(&mut header, &found.entries, &clock)?;
        }
        _ => copy::write(&vault.copies(), &mut header, &found.entries, &clock)?,
    }
    if let Some(call) = call {
        sequence.record(call, number);
    }
    Ok(Created::Checkpoint {
        id: id_of(&header.session, number),
        files: header.files,
        bytes: header.bytes,
        skipped: header.skipped.into_iter().map(|it| (it.path.0, it.reason)).collect(),
    })
}

/// A session's name as far as people need it: the first 8 characters of a UUID, else all of it.
///
/// Other hosts' names start alike (a prefix, then the time), so cutting them would make them ambiguous.
fn id_of(session: &str, number: u64) -> String {
    let short = match session.split_once('-') {
        Some((start, _)) if start.len() == 8 && session.len() == 36 => start,
        _ => session,
    };
    format!("{short}/{number}")
}

/// The checkpoints of one project, in git and in copies.
#[derive(Debug, Clone, Copy)]
pub struct Vault<'a> {
    place: &'a Place,
    project_state: &'a Path,
    clock: Clock,
}

/// What is there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// Oldest first.
    pub checkpoints: Vec<Checkpoint>,
    /// Names of checkpoints that cannot be understood, with the reason.
    pub damaged: Vec<(String, String)>,
}

/// One checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// As people write it.
    pub id: String,
    /// What it says about itself.
    pub header: Header,
    /// Where it is.
    pub location: Location,
}

/// Where a checkpoint is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A reference of the repository.
    Reference(String),
    /// A folder of copies.
    Folder(PathBuf),
}

impl<'a> Vault<'a> {
    /// The project's checkpoints. Every operation together must end within `deadline`.
    pub fn new(place: &'a Place, project_state: &'a Path, deadline: Duration) -> Self {
        Self { place, project_state, clock: Clock::start(deadline) }
    }

    /// Every checkpoint, oldest first.
    pub fn list(&self) -> Result<Listing, Error> {
        let mut listing = Listing::default();
        if let Some(repository) = self.repository() {
            repository.list(&mut listing, &self.clock)?;
        }
        copy::list(&self.copies(), &mut listing)?;
        listing.checkpoints.sort_by(|a, b| {
            let key = |it: &Checkpoint| (it.header.time_ms, it.header.number);
            key(a).cmp(&key(b)).then_with(|| a.header.session.cmp(&b.header.session))
        });
        Ok(listing)
    }

    /// The checkpoint that `id` names: `<session or the start of one>/<number>`, or a full reference.
    pub fn find(&self, id: &str) -> Result<Checkpoint, Error> {
        let name = id.strip_prefix(git::REFS).unwrap_or(id);
        let (session, number) = name.rsplit_once('/').unwrap_or(("", name));
        let number = number.split('.').next().unwrap_or(number);
        let listing = self.list()?;
        let mut found: Vec<Checkpoint> = listing
            .checkpoints
            .into_iter()
            .filter(|it| it.header.session.starts_with(session) && it.header.number.to_string() == number)
            .collect();
        if let Some(exact) = found.iter().position(|it| it.header.session == session) {
            return Ok(found.swap_remove(exact));
        }
        match found.len() {
            0 => match listing.damaged.into_iter().find(|(damaged, _)| damaged.ends_with(name)) {
                Some((id, why)) => Err(Error::Damaged { id, why }),
                None => Err(Error::NotFound(id.to_owned())),
            },
            1 => Ok(found.swap_remove(0)),
            _ => Err(Error::Ambiguous {
                id: id.to_owned(),
                candidates: found
                    .iter()
                    .map(|it| format!("{}/{}", it.header.session, it.header.number))
                    .collect(),
            }),
        }
    }

    /// The files of a checkpoint, by path.
    pub fn files(&self, checkpoint: &Checkpoint) -> Result<Vec<Saved>, Error> {
        match &checkpoint.location {
            Location::Reference(name) => {
                self.repository_of(checkpoint)?.files(name, &checkpoint.header, &self.clock)
            }
            Location::Folder(folder) => copy::files(folder, &checkpoint.id),
        }
    }

    /// Passes the bytes of every file (for a link: its target) to `each`, in order.
    pub(crate) fn contents<'f>(
        &self,
        checkpoint: &Checkpoint,
        files: impl Iterator<Item = &'f Saved>,
        each: &mut dyn FnMut(&'f Saved, &mut dyn io::Read) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match &checkpoint.location {
            Location::Reference(_) => self.repository_of(checkpoint)?.contents(files, each, &self.clock),
            Location::Folder(folder) => copy::contents(folder, files, each),
        }
    }

    /// The bytes of one file of a checkpoint (for a link: its target), if it holds at most `bytes_max`.
    pub fn content(
        &self,
        checkpoint: &Checkpoint,
        file: &Saved,
        bytes_max: u64,
    ) -> Result<Option<Vec<u8>>, Error> {
        if bytes_max < file.bytes {
            return Ok(None);
        }
        let mut out = Vec::new();
        self.contents(checkpoint, std::iter::once(file), &mut |file, bytes| {
            bytes
                .read_to_end(&mut out)
                .map(drop)
                .map_err(|source| Error::Unreadable { path: file.path.clone(), source })
        })?;
        Ok(Some(out))
    }

    /// The folder that a checkpoint's relative paths start from: the work tree it was made in, which may
    /// have moved since if it is this one.
    pub fn root_of(&self, checkpoint: &Checkpoint) -> PathBuf {
        if git::worktree_of(self.place) == checkpoint.header.worktree {
            std::fs::canonicalize(&self.place.root).unwrap_or_else(|_| self.place.root.clone())
        } else {
            checkpoint.header.root.0.clone()
        }
    }

    fn repository(&self) -> Option<git::Repository> {
        self.place.git_dir.as_deref().map(|git_dir| git::Repository::new(git_dir, self.common_dir()))
    }

    fn repository_of(&self, checkpoint: &Checkpoint) -> Result<git::Repository, Error> {
        self.repository().ok_or_else(|| Error::Damaged {
            id: checkpoint.id.clone(),
            why: "its repository is not here".to_owned(),
        })
    }

    fn common_dir(&self) -> &Path {
        let place = self.place;
        place.git_common_dir.as_deref().or(place.git_dir.as_deref()).unwrap_or(&place.root)
    }

    fn copies(&self) -> PathBuf {
        sequence::folder(self.project_state)
    }

    /// The highest number of a session, from what is stored: for a session whose counter is lost.
    fn last_number(&self, session: &SessionId) -> Result<u64, Error> {
        let in_git = match self.repository() {
            Some(repository) => repository.last_number(session.as_str(), &self.clock)?,
            None => 0,
        };
        Ok(in_git.max(copy::last_number(&self.copies(), session.as_str())))
    }
}
