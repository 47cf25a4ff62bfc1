//! Against real git: what is kept, what stays untouched, what comes back.

#![expect(clippy::unwrap_used, reason = "tests")]

mod failing;
mod keeping;
mod pruning;
mod repositories;
mod restoring;

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use hostler_model::{Place, SessionId};

use super::{Checkpoint, Created, Error, Limits, Listing, Request, Restored, Vault, create_within};

const SESSION: &str = "361ac4e6-64de-464e-9d97-09bfa437d8e9";
const LONG: Duration = Duration::from_secs(60);
const NOW_MS: i64 = 1_700_000_000_000;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A temporary home with a project in it.
struct Lab {
    folder: tempfile::TempDir,
    home: PathBuf,
    root: PathBuf,
    session: SessionId,
    time_ms: i64,
    limits: Limits,
    deadline: Duration,
}

impl Lab {
    /// A project folder without git.
    fn plain() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = std::fs::canonicalize(folder.path()).unwrap().join("home");
        let root = home.join("project");
        std::fs::create_dir_all(&root).unwrap();
        let session = SessionId::parse(SESSION).unwrap();
        let (limits, deadline) = (Limits::default(), LONG);
        Self { folder, home, root, session, time_ms: NOW_MS, limits, deadline }
    }

    /// A repository with one commit that holds `kept.txt`.
    fn git() -> Self {
        Self::git_with(&[])
    }

    fn git_with(init: &[&str]) -> Self {
        let lab = Self::plain();
        lab.run(&[&["init", "--quiet", "--initial-branch=main"], init].concat());
        lab.commit("kept.txt", "kept\n");
        lab
    }

    fn commit(&self, path: &str, text: &str) {
        self.write(path, text);
        self.run(&["add", "--", path]);
        self.run(&["commit", "--quiet", "--message", path]);
    }

    #[track_caller]
    fn run(&self, arguments: &[&str]) -> String {
        git(&self.home, &self.root, arguments)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap()
    }

    fn remove(&self, path: &str) {
        let path = self.path(path);
        if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.unwrap();
    }

    fn place(&self) -> Place {
        place(&self.home, &self.root)
    }

    fn state(&self) -> PathBuf {
        self.home.join("state")
    }

    fn create(&self, paths: &[&str]) -> Result<Created, Error> {
        self.create_at(&paths.iter().map(|path| self.path(path)).collect::<Vec<_>>(), None)
    }

    fn create_at(&self, paths: &[PathBuf], call: Option<&str>) -> Result<Created, Error> {
        let (place, project_state) = (self.place(), self.state());
        let request = Request {
            place: &place,
            session: &self.session,
            call,
            paths,
            reason: "rm",
            time_ms: self.time_ms,
            project_state: &project_state,
            deadline: self.deadline,
        };
        create_within(&request, &self.limits)
    }

    /// Makes a checkpoint that must succeed, and returns its id.
    #[track_caller]
    fn keep(&self, paths: &[&str]) -> String {
        match self.create(paths).unwrap() {
            Created::Checkpoint { id, .. } => id,
            other => panic!("{other:?}"),
        }
    }

    fn vault<T>(&self, with: impl FnOnce(&Vault<'_>) -> T) -> T {
        let (place, state) = (self.place(), self.state());
        with(&Vault::new(&place, &state, LONG))
    }

    #[track_caller]
    fn list(&self) -> Listing {
        let (place, state) = (self.place(), self.state());
        Vault::new(&place, &state, LONG).list().unwrap()
    }

    #[track_caller]
    fn find(&self, id: &str) -> Checkpoint {
        self.vault(|vault| vault.find(id)).unwrap()
    }

    #[track_caller]
    fn restore(&self, id: &str, only: &[&str]) -> Restored {
        let only: Vec<PathBuf> = only.iter().map(|path| self.path(path)).collect();
        self.vault(|vault| vault.restore(&vault.find(id)?, &only, self.time_ms)).unwrap()
    }

    /// `word path` for every difference.
    fn differences(&self, id: &str) -> Vec<String> {
        let found = self.vault(|vault| vault.differences(&vault.find(id)?, &[])).unwrap();
        let shown = |path: &Path| path.strip_prefix(&self.root).unwrap_or(path).display().to_string();
        found.iter().map(|it| format!("{:?} {}", it.kind, shown(&it.path))).collect()
    }

    fn references(&self) -> Vec<String> {
        self.run(&["for-each-ref", "--format=%(refname)", super::git::REFS])
            .lines()
            .map(str::to_owned)
            .collect()
    }

    /// Every byte of the repository that is the user's: all but objects and references of ours.
    fn user_state(&self) -> BTreeMap<PathBuf, String> {
        let git_dir = self.place().git_common_dir.unwrap();
        let mut state = files_below(&git_dir);
        state.retain(|path, _| !path.starts_with("objects") && !path.starts_with("refs/hostler"));
        state
    }
}

/// The user's own git: an identity, no other settings.
fn git_command(home: &Path, folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", home);
    command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_CONFIG_NOSYSTEM", "1");
    command.args(["-c", "user.name=U", "-c", "user.email=u@example.org", "-c", "protocol.file.allow=always"]);
    command.current_dir(folder);
    command
}

#[track_caller]
fn git(home: &Path, folder: &Path, arguments: &[&str]) -> String {
    let output = git_command(home, folder).args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// As the binary finds it.
fn place(home: &Path, root: &Path) -> Place {
    let dot = root.join(".git");
    let git_dir = match std::fs::read_to_string(&dot) {
        Ok(text) => {
            let target = root.join(text.strip_prefix("gitdir:").unwrap().trim());
            Some(std::fs::canonicalize(target).unwrap())
        }
        Err(_) => dot.is_dir().then_some(dot),
    };
    let common = git_dir.as_ref().map(|git_dir| match std::fs::read_to_string(git_dir.join("commondir")) {
        Ok(text) => std::fs::canonicalize(git_dir.join(text.trim())).unwrap(),
        Err(_) => git_dir.clone(),
    });
    Place {
        home: Some(home.to_path_buf()),
        root: root.to_path_buf(),
        git_dir,
        git_common_dir: common,
        ..Place::default()
    }
}

/// Kind, mode and content of everything below a folder.
fn files_below(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut out = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            let mode = meta.permissions().mode() & 0o777;
            let what = if meta.is_symlink() {
                format!("link {:?}", std::fs::read_link(&path).unwrap())
            } else if meta.is_dir() {
                folders.push(path.clone());
                format!("folder {mode:o}")
            } else {
                format!("file {mode:o} {}", crate::journal::sha256_hex(&std::fs::read(&path).unwrap()))
            };
            out.insert(path.strip_prefix(folder).unwrap().to_path_buf(), what);
        }
    }
    out
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn script(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    set_mode(path, 0o755);
}

/// Runs the named test again in a process of its own, for what only a process has: variables, a user.
/// Returns whether this is that process.
#[track_caller]
fn in_own_process(test: &str, change: impl FnOnce(&mut Command)) -> bool {
    const MARK: &str = "HOSTLER_TEST_OWN_PROCESS";
    if std::env::var_os(MARK).is_some_and(|it| it == test) {
        return true;
    }
    // Copied, so that another user can read it too.
    let folder = tempfile::tempdir().unwrap();
    set_mode(folder.path(), 0o755);
    let program = folder.path().join("tests");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let mut command = Command::new(&program);
    let name = format!("{}::{test}", module_path!().split_once("::").unwrap().1);
    command.args(["--exact", &name, "--nocapture"]).env(MARK, test).current_dir(folder.path());
    change(&mut command);
    let output = loop {
        match command.output() {
            // Another test's child still holds the copy open for writing, for as long as its start takes.
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
            output => break output.unwrap(),
        }
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let told = format!("{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains("1 passed"), "{told}");
    false
}

fn is_root(lab: &Lab) -> bool {
    lab.root.metadata().unwrap().uid() == 0
}
