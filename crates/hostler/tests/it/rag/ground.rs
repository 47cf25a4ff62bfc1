//! A folder with a tree, a home and a database, and the command line over them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

/// Whatever is waited for comes sooner.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    pub(super) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("rag ").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        for name in ["tree", "home"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    /// With files in it.
    pub(super) fn with(files: &[(&str, &str)]) -> Self {
        let this = Self::new();
        for (path, text) in files {
            this.write(path, text);
        }
        this
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    pub(super) fn tree(&self) -> PathBuf {
        self.path("tree")
    }

    pub(super) fn db(&self) -> PathBuf {
        self.path("index of it.db")
    }

    /// Writes a file of the tree, as if that had been a minute ago.
    pub(super) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let file = self.tree().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        age(&file, 60);
    }

    pub(super) fn remove(&self, path: &str) {
        fs::remove_file(self.tree().join(path)).unwrap();
    }

    /// `hostler rag …` in the folder that holds the tree.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hostler"));
        command
            .arg("rag")
            .args(arguments)
            .current_dir(self.path(""))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("RAG_DB", self.db())
            .stdin(Stdio::null());
        command
    }

    pub(super) fn output(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// What a command that goes well prints.
    #[track_caller]
    pub(super) fn run(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    #[track_caller]
    pub(super) fn json(&self, arguments: &[&str]) -> Value {
        let mut all = arguments.to_vec();
        all.push("--json");
        serde_json::from_str(&self.run(&all)).unwrap()
    }

    /// Indexes the tree.
    #[track_caller]
    pub(super) fn index(&self) -> Value {
        self.json(&["index", self.tree().to_str().unwrap()])
    }

    /// Paths of the hits, the best first.
    #[track_caller]
    pub(super) fn found(&self, query: &str) -> Vec<String> {
        paths(&self.json(&["search", query]))
    }

    /// What a command that fails says, with its exit code.
    #[track_caller]
    pub(super) fn fails(&self, arguments: &[&str], code: i32) -> String {
        let output = self.output(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}

pub(super) fn paths(answer: &Value) -> Vec<String> {
    answer["hits"].as_array().unwrap().iter().map(|it| it["path"].as_str().unwrap().to_owned()).collect()
}

/// Sets the time of a file.
pub(super) fn age(file: &Path, seconds: u64) {
    let time = SystemTime::now() - Duration::from_secs(seconds);
    fs::File::options().write(true).open(file).unwrap().set_modified(time).unwrap();
}

/// Waits until something holds.
#[track_caller]
pub(super) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
