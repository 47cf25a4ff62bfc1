//! Files that git tracks although a rule of its own ignores them. Only git knows: whatever keeps it from an answer leaves
//! them out.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Longest list that is read, bytes.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Variables that tie git to another repository than that of its folder: it sets them for hooks, in which we may run.
const FOREIGN: &[&str] = &["GIT_COMMON_DIR", "GIT_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_WORK_TREE"];

/// Git, while it makes the list.
pub(super) struct Tracked(Option<Child>);

impl Tracked {
    /// Begins: the project is walked in the meantime.
    pub(super) fn ask(root: &Path) -> Self {
        let mut git = Command::new("git");
        git.args([
            "-c",
            "core.fsmonitor=false",
            "ls-files",
            "-z",
            "--cached",
            "--ignored",
            "--exclude-standard",
        ]);
        for name in FOREIGN {
            git.env_remove(name);
        }
        git.env("GIT_OPTIONAL_LOCKS", "0").current_dir(root);
        Self(git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok())
    }

    /// Paths from the folder that was asked in; those that are no text are left out.
    pub(super) fn paths(self) -> Vec<String> {
        let Some(mut child) = self.0 else { return Vec::new() };
        let mut bytes = Vec::new();
        let read = child.stdout.take().map(|it| it.take(BYTES_MAX).read_to_end(&mut bytes));
        // What it has still to write, nobody reads: it ends by that.
        let ended = child.wait().is_ok_and(|it| it.success());
        if !ended || !matches!(read, Some(Ok(_))) {
            return Vec::new();
        }
        let paths = bytes.split(|it| *it == 0).filter_map(|it| std::str::from_utf8(it).ok());
        paths.filter(|it| !it.is_empty()).map(str::to_owned).collect()
    }
}
