//! `hostler session end` on real repositories with a bare one as `origin`.

mod again;
mod changelog;
mod history;
mod kill;
mod steps;
mod together;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Everything that a close can do.
const ALL: &str = "[session]\npush = true\ncommit = true\n";
const CHANGELOG: &str = "# Changelog\n\n## [Unreleased]\n\n### Fixed\n\n- Older\n";

/// A home folder with a project and, beside it, the repository that is its `origin`.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    /// A project with one commit, no sessions, and no `origin`.
    fn bare() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(world.project()).unwrap();
        let identity =
            "[user]\nname = A Developer\nemail = dev@example.invalid\n[init]\ndefaultBranch = main\n";
        fs::write(world.home().join(".gitconfig"), identity).unwrap();
        world
    }

    /// A project that is configured so, has a changelog, is pushed, and in whose first session nothing is done yet.
    fn new(config: &str) -> Self {
        let world = Self::bare();
        world.git(&["init", "--quiet"]);
        world.write(".hostler/config.toml", config);
        world.write("CHANGELOG.md", CHANGELOG);
        world.commit("start");
        world.add_origin();
        world.begin();
        world
    }

    fn add_origin(&self) {
        let origin = self.origin();
        self.git(&["init", "--quiet", "--bare", origin.to_str().unwrap()]);
        self.git(&["remote", "add", "origin", origin.to_str().unwrap()]);
        self.git(&["push", "--quiet", "origin", "HEAD"]);
    }

    fn begin(&self) {
        self.ok(&["session", "init", "--version", "1.2.0"]);
        self.ok(&["session", "begin", "--purpose", "Search for everybody"]);
    }

    fn home(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("home")
    }

    fn project(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("home/my project")
    }

    fn origin(&self) -> PathBuf {
        self.home().join("origin.git")
    }

    fn state(&self) -> PathBuf {
        let projects = self.home().join(".local/state/hostler/projects");
        let mut folders: Vec<_> = fs::read_dir(projects).unwrap().map(|it| it.unwrap().path()).collect();
        assert_eq!(folders.len(), 1, "{folders:?}");
        folders.remove(0)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.project().join(path)).unwrap()
    }

    /// A program of the user's that git starts: a hook, a signer.
    fn script(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }

    fn hook(&self, name: &str, text: &str) {
        Self::script(&self.project().join(".git/hooks").join(name), text);
    }

    fn command(&self, program: &str, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("TZ", "UTC");
        command
            .env("HOME", self.home())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .current_dir(folder)
            .stdin(Stdio::null());
        command
    }

    #[track_caller]
    fn git_in(&self, folder: &Path, arguments: &[&str]) -> String {
        let output = self.command("git", folder).args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    #[track_caller]
    fn git(&self, arguments: &[&str]) -> String {
        self.git_in(&self.project(), arguments)
    }

    /// Commits everything but the record of sessions.
    #[track_caller]
    fn commit(&self, message: &str) {
        self.git(&["add", "--all", "--", ".", ":!context.json", ":!context.md"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
    }

    fn hostler(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_hostler"), &self.project());
        command.args(arguments);
        command
    }

    #[track_caller]
    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.hostler(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Closes the session. The report, which the exit code agrees with.
    #[track_caller]
    fn end(&self, arguments: &[&str]) -> Value {
        let output = self.hostler(&[&["--json", "session", "end"], arguments].concat()).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        let failed = report["steps"].as_array().unwrap().iter().any(|it| it["outcome"] == "failed");
        assert_eq!(output.status.code(), Some(i32::from(failed)), "{report:#}");
        report
    }

    fn context(&self) -> Value {
        serde_json::from_str(&self.read("context.json")).unwrap()
    }

    fn session(&self) -> Value {
        self.context()["session_history"].as_array().unwrap().last().unwrap().clone()
    }

    /// Names of references with the objects that they lead to.
    fn references(&self, folder: &Path) -> BTreeMap<String, String> {
        let all = self.git_in(folder, &["for-each-ref", "--format=%(refname) %(objectname)"]);
        all.lines().filter_map(|it| it.split_once(' ')).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
    }

    fn tags(&self) -> Vec<String> {
        self.git(&["tag"]).lines().map(str::to_owned).collect()
    }
}

/// What became of a step, and what was said of it.
#[track_caller]
fn step<'r>(report: &'r Value, name: &str) -> (&'r str, &'r str) {
    let steps = report["steps"].as_array().unwrap();
    let step = steps.iter().find(|it| it["step"] == name).unwrap_or_else(|| panic!("no {name}: {report:#}"));
    (step["outcome"].as_str().unwrap(), step["message"].as_str().unwrap())
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Every file below `folder` with its bytes.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if fs::symlink_metadata(&path).unwrap().is_dir() {
            found.extend(tree(&path));
            found.insert(path, Vec::new());
        } else {
            let bytes = fs::read(&path).unwrap_or_default();
            found.insert(path, bytes);
        }
    }
    found
}
