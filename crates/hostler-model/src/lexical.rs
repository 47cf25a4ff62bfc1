//! Paths as text: cleaning and joining without touching the file system.

use std::path::{Component, Path, PathBuf};

/// Makes `path` absolute against `base` and removes `.`, `..` and doubled separators by text alone.
/// `..` at the root stays at the root, as the kernel has it.
pub fn absolute(base: &Path, path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in base.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other.as_os_str()),
        }
    }
    out
}

/// [`absolute`], with a leading `~` or `~/` read as `home`. `~name` of another user is left as text.
pub fn expand(base: &Path, home: Option<&Path>, text: &str) -> PathBuf {
    match (text.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_path_buf(),
        (Some(rest), Some(home)) if rest.starts_with('/') => {
            absolute(home, Path::new(rest.trim_start_matches('/')))
        }
        _ => absolute(base, Path::new(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned_by_text() {
        let base = Path::new("/srv/project");
        for (text, expected) in [
            ("a", "/srv/project/a"),
            ("./a//b/.", "/srv/project/a/b"),
            ("../x", "/srv/x"),
            ("../../../..", "/"),
            ("/a/../b", "/b"),
            ("~", "/home/u"),
            ("~/", "/home/u"),
            ("~/.claude/plans/../plans/p.md", "/home/u/.claude/plans/p.md"),
            ("~other/x", "/srv/project/~other/x"),
        ] {
            assert_eq!(expand(base, Some(Path::new("/home/u")), text), Path::new(expected), "{text}");
        }
    }
}
