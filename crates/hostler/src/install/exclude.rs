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
    let git = |arguments: &[&str]| {
        Command::new("git")
            .args(["-C", project.root.to_str()?])
            .args(arguments)
            .arg(relative)
            .env_remove("GIT_DIR")
            .env_remove("GIT_INDEX_FILE")
            .env_remove("GIT_WORK_TREE")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .ok()?
            .code()
    };
    // 1: not ignored. Anything else (no git, not a work tree) leaves the file alone.
    let offered = git(&["check-ignore", "-q", "--"])? == 1;
    let tracked = git(&["ls-files", "--error-unmatch", "--"])? == 0;
    (offered && !tracked).then(|| (common.join("info/exclude"), format!("/{relative}")))
}

/// What to append to `text` so that `line` is its last line.
pub(crate) fn addition(text: &str, line: &str) -> String {
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { eol };
    format!("{gap}{line}{eol}")
}

/// `text` without an [`addition`]; lines that others added since stay.
pub(crate) fn without(text: &str, addition: &str) -> String {
    if let Some(before) = text.strip_suffix(addition) {
        return before.to_owned();
    }
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let last = lines.iter().rposition(|it| it.trim_end_matches(['\r', '\n']) == addition.trim());
    if let Some(index) = last {
        lines.remove(index);
    }
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_added_and_taken() {
        for text in ["", "# git\n", "a", "a\r\n", "a\r\nb"] {
            let addition = addition(text, "/x");
            assert_eq!(without(&format!("{text}{addition}"), &addition), text);
        }
        assert_eq!(without("a\n/x\nb\n", "/x\n"), "a\nb\n");
        assert_eq!(without("a\n/xy\n", "/x\n"), "a\n/xy\n");
    }
}
