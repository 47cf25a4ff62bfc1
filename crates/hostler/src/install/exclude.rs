//! Keeps the local settings out of commits: they hold an absolute path of one machine.
//!
//! In the clone's own `info/exclude`, not in `.gitignore`: that file belongs to everybody.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::project::Project;

/// The exclude file and the line for `file`, if git would otherwise offer it for a commit.
pub(crate) fn line_for(project: &Project, file: &Path) -> Option<(PathBuf, String)> {
    let common = project.git_common_dir.as_ref()?;
    let relative = file.strip_prefix(&project.root).ok()?.to_str()?;
    // 1: not ignored. Anything else (no git, not a work tree) leaves the file alone.
    let offered = git(project, file, &["check-ignore", "-q", "--"])? == 1;
    (offered && !is_tracked(project, file)).then(|| (common.join("info/exclude"), format!("/{relative}")))
}

/// Whether git knows `file`, so that a change of it would be offered for a commit.
pub(crate) fn is_tracked(project: &Project, file: &Path) -> bool {
    project.git_common_dir.is_some() && git(project, file, &["ls-files", "--error-unmatch", "--"]) == Some(0)
}

/// The exit code of git about `file`; nothing if it cannot be asked.
fn git(project: &Project, file: &Path, arguments: &[&str]) -> Option<i32> {
    Command::new("git")
        .args(["-C", project.root.to_str()?])
        .args(arguments)
        .arg(file.strip_prefix(&project.root).ok()?)
        .env_remove("GIT_DIR")
        .env_remove("GIT_INDEX_FILE")
        .env_remove("GIT_WORK_TREE")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?
        .code()
}

/// What to append to `text` so that `lines` are its last lines.
pub(crate) fn addition(text: &str, lines: &[String]) -> String {
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { eol };
    lines.iter().fold(gap.to_owned(), |text, line| text + line + eol)
}

/// `text` without an [`addition`]; lines that others added since stay.
pub(crate) fn without(text: &str, addition: &str) -> String {
    if let Some(before) = text.strip_suffix(addition) {
        return before.to_owned();
    }
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    for ours in addition.lines().filter(|line| !line.is_empty()) {
        let last = lines.iter().rposition(|it| it.trim_end_matches(['\r', '\n']) == ours);
        if let Some(index) = last {
            lines.remove(index);
        }
    }
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_added_and_taken() {
        for text in ["", "# git\n", "a", "a\r\n", "a\r\nb"] {
            let addition = addition(text, &["/x".to_owned(), "/y".to_owned()]);
            assert_eq!(without(&format!("{text}{addition}"), &addition), text);
        }
        assert_eq!(without("a\n/x\nb\n", "/x\n"), "a\nb\n");
        assert_eq!(without("a\n/xy\n", "/x\n"), "a\n/xy\n");
        assert_eq!(without("/x\na\n/y\nb\n", "/x\n/y\n"), "a\nb\n");
    }
}
