//! Plans of closes that are under way, in the project's evidence folder: one small file a session.
//!
//! Not in `context.json`: that file is a part of the commit which the close makes, and has to be in its last form
//! before.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hostler_ledger::file::{self, Access};
use hostler_policy::session::closing::Plan;

/// How often a lock that is held is tried again.
const PAUSE: Duration = Duration::from_millis(25);

/// The plans of one project.
#[derive(Debug, Clone)]
pub(super) struct Saved {
    folder: PathBuf,
}

impl Saved {
    pub(super) fn of(state: &Path) -> Self {
        Self { folder: state.join("closing") }
    }

    /// Every plan that can be read, by session. One that cannot is worth nothing: its session is closed anew.
    pub(super) fn all(&self) -> Vec<Plan> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let named = |path: &PathBuf| path.extension().is_some_and(|it| it == "json");
        let paths = entries.flatten().map(|it| it.path()).filter(named);
        let mut plans: Vec<Plan> =
            paths.filter_map(|path| serde_json::from_slice(&fs::read(path).ok()?).ok()).collect();
        plans.sort_by_key(|it| it.session);
        plans
    }

    /// Keeps a plan, on the disk.
    pub(super) fn write(&self, plan: &Plan) -> Result<(), file::Error> {
        let text = serde_json::to_vec(plan).unwrap_or_default();
        file::write_atomic(&self.path(plan.session), &text)
    }

    /// Forgets a plan that was carried out.
    pub(super) fn remove(&self, session: u64) {
        // One that stays is found to be finished by looking at the world.
        let _ = fs::remove_file(self.path(session));
    }

    fn path(&self, session: u64) -> PathBuf {
        self.folder.join(format!("{session}.json"))
    }

    /// The lock of who closes; `None`: another process has had it for as long as `wait`.
    pub(super) fn lock(&self, wait: Duration) -> Result<Option<File>, file::Error> {
        file::create_folders(&self.folder, Access::Private)?;
        let path = self.folder.join("lock");
        let told = |action: &'static str| {
            let path = path.clone();
            move |source| file::Error::Io { action, path, source }
        };
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).mode(0o600).open(&path).map_err(told("open"))?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(file)),
                Err(TryLockError::WouldBlock) if begun.elapsed() < wait => std::thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Ok(None),
                // A file system without locks has no two processes that agree on anything.
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                    return Ok(Some(file));
                }
                Err(TryLockError::Error(error)) => return Err(told("lock")(error)),
            }
        }
    }
}
