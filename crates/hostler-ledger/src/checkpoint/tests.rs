#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use hostler_model::{Place, SessionId};

use super::{Created, Error, Limits, Request, Vault, create, create_within};

const SESSION: &str = "361ac4e6-64de-464e-9d97-09bfa437d8e9";
const LONG: Duration = Duration::from_secs(60);

/// A temporary home with a project in it.
struct Lab {
    _folder: tempfile::TempDir,
    home: PathBuf,
    root: PathBuf,
}

impl Lab {
    /// A project folder without git.
    fn plain() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = std::fs::canonicalize(folder.path()).unwrap().join("home");
        let root = home.join("project");
        std::fs::create_dir_all(&root).unwrap();
        Self { _folder: folder, home, root }
    }

    /// A repository with one commit that holds `kept.txt`.
    fn git() -> Self {
        let lab = Self::plain();
        lab.run(&["init", "--quiet", "--initial-branch=main"]);
        lab.write("kept.txt", "kept\n");
        lab.run(&["add", "kept.txt"]);
        lab.run(&["commit", "--quiet", "--message=first"]);
        lab
    }

    fn run(&self, arguments: &[&str]) -> String {
        git(&self.home, &self.root, arguments)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn place(&self) -> Place {
        place(&self.home, &self.root)
    }

    fn state(&self) -> PathBuf {
        self.home.join("state")
    }

    fn create(&self, paths: &[&str]) -> Result<Created, Error> {
        let paths: Vec<PathBuf> = paths.iter().map(|path| self.root.join(path)).collect();
        create_at(&self.place(), &self.state(), &paths, None)
    }
}

/// The user's own git: an identity, no other settings.
fn git_command(home: &Path, folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", home);
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

fn place(home: &Path, root: &Path) -> Place {
    let dot = root.join(".git");
    let git_dir = match std::fs::read_to_string(&dot) {
        Ok(text) => Some(root.join(text.strip_prefix("gitdir:").unwrap().trim())),
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

fn create_at(place: &Place, state: &Path, paths: &[PathBuf], call: Option<&str>) -> Result<Created, Error> {
    let session = SessionId::parse(SESSION).unwrap();
    create(&Request {
        place,
        session: &session,
        call,
        paths,
        reason: "rm",
        time_ms: 1_700_000_000_000,
        project_state: state,
        deadline: LONG,
    })
}

#[test]
fn a_file_is_kept_as_a_commit_of_its_own() {
    let lab = Lab::git();
    let created = lab.create(&["kept.txt"]).unwrap();
    let expected =
        Created::Checkpoint { id: "361ac4e6/1".to_owned(), files: 1, bytes: 5, skipped: Vec::new() };
    assert_eq!(created, expected);
    let shown = lab.run(&["show", &format!("refs/hostler/checkpoints/{SESSION}/1:kept.txt")]);
    assert_eq!(shown, "kept\n");
    assert_eq!(lab.create(&["gone.txt"]).unwrap(), Created::Nothing);
}
