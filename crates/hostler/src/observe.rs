//! The only effects of a decision: looks at what rules named in `Needs`.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use hostler_model::{Content, Facts, FileKind, Needs, PathFact, Place};

/// Larger files are [`Content::Unreadable`], in bytes.
const CONTENT_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Folders with more names are not told.
const LISTING_NAMES_MAX: usize = 4_096;

/// Looks. What cannot be told is left out, and each rule decides what that means.
pub(crate) fn observe(needs: &Needs, place: &Place) -> Facts {
    Facts {
        paths: needs.paths.iter().filter_map(|path| Some((path.clone(), path_fact(path)?))).collect(),
        contents: needs.contents.iter().map(|path| (path.clone(), content(path))).collect(),
        listings: needs.listings.iter().filter_map(|path| Some((path.clone(), listing(path)?))).collect(),
        uses_uv: needs.uses_uv.then(|| uses_uv(&place.root)).flatten(),
        ..Facts::default()
    }
}

fn path_fact(path: &Path) -> Option<PathFact> {
    let parent_real = match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => path.to_path_buf(),
    };
    let kind = kind(path)?;
    let real = if kind == FileKind::Link { real(path) } else { parent_real.clone() };
    Some(PathFact { kind, parent_real, real })
}

/// What stands at `path`; `None` when it could not be told.
pub(crate) fn kind(path: &Path) -> Option<FileKind> {
    Some(match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_symlink() => FileKind::Link,
        Ok(meta) if meta.is_dir() => FileKind::Folder,
        Ok(meta) if meta.is_file() => FileKind::File,
        Ok(_) => FileKind::Special,
        // Below a file there is nothing either.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            FileKind::Missing
        }
        Err(_) => return None,
    })
}

/// The path with links resolved as far as it exists; the rest is kept as text. A dangling link counts as
/// what it names, since writing through it would create that.
fn real(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    let mut current = path.to_path_buf();
    // Links are followed at most as often as the kernel does.
    for _ in 0..40 {
        if let Ok(real) = fs::canonicalize(&current) {
            return rest.iter().rev().fold(real, |path, name| path.join(name));
        }
        if let Ok(target) = fs::read_link(&current) {
            let base = current.parent().unwrap_or(Path::new("/"));
            current = hostler_model::lexical::absolute(base, &target);
            continue;
        }
        match (current.parent(), current.file_name()) {
            (Some(parent), Some(name)) => {
                rest.push(name.to_owned());
                current = parent.to_path_buf();
            }
            _ => break,
        }
    }
    path.to_path_buf()
}

fn content(path: &Path) -> Content {
    // Opening a pipe would wait for a writer.
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() && meta.len() <= CONTENT_BYTES_MAX => {}
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Content::Missing;
        }
        Ok(_) | Err(_) => return Content::Unreadable,
    }
    let mut bytes = Vec::new();
    match fs::File::open(path).and_then(|file| file.take(CONTENT_BYTES_MAX + 1).read_to_end(&mut bytes)) {
        Ok(length) if length as u64 <= CONTENT_BYTES_MAX => {
            String::from_utf8(bytes).map_or(Content::Unreadable, Content::Text)
        }
        _ => Content::Unreadable,
    }
}

fn listing(folder: &Path) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).ok()? {
        if names.len() == LISTING_NAMES_MAX {
            return None;
        }
        names.push(entry.ok()?.file_name().to_string_lossy().into_owned());
    }
    names.sort_unstable();
    Some(names)
}

/// The files of a work tree that no commit holds as they are: changed, staged or untracked, ignored ones
/// not. `None` when git could not tell.
pub(crate) fn uncommitted(root: &Path) -> Option<Vec<PathBuf>> {
    let mut git = std::process::Command::new("git");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            git.env_remove(name);
        }
    }
    let output = git
        .args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-C"])
        .arg(root)
        .args([
            "status",
            "--porcelain=v1",
            "-z",
            "--untracked-files=all",
            "--no-renames",
            "--ignore-submodules=none",
        ])
        // Reading may not rewrite the user's index.
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(std::process::Stdio::null())
        .output()
        .ok()?;
    if !output.status.success() {
        return None;
    }
    let paths = output.stdout.split(|byte| *byte == 0).filter_map(|entry| entry.get(3..));
    Some(paths.map(|path| root.join(os_path(path))).collect())
}

#[cfg(unix)]
fn os_path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn os_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// `None` when the project's files could not be read.
fn uses_uv(root: &Path) -> Option<bool> {
    if root.join("uv.lock").is_file() {
        return Some(true);
    }
    match content(&root.join("pyproject.toml")) {
        Content::Missing => Some(false),
        Content::Unreadable => None,
        Content::Text(text) => {
            let table: toml::Table = text.parse().ok()?;
            Some(table.get("tool").and_then(|tool| tool.get("uv")).is_some())
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    #[cfg(unix)]
    fn paths_are_told_with_their_links() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join("real")).unwrap();
        fs::write(root.join("real/file"), "text").unwrap();
        std::os::unix::fs::symlink("real", root.join("link")).unwrap();
        std::os::unix::fs::symlink("nowhere/x", root.join("dangling")).unwrap();
        std::os::unix::fs::symlink("loop", root.join("loop")).unwrap();
        let check = |path: &str, kind: FileKind, parent_real: &str, real: &str| {
            let expected = PathFact { kind, parent_real: root.join(parent_real), real: root.join(real) };
            assert_eq!(path_fact(&root.join(path)), Some(expected), "{path}");
        };
        check("real/file", FileKind::File, "real/file", "real/file");
        check("link/file", FileKind::File, "real/file", "real/file");
        check("link", FileKind::Link, "link", "real");
        check("real", FileKind::Folder, "real", "real");
        check("link/new/deep", FileKind::Missing, "real/new/deep", "real/new/deep");
        check("real/file/below", FileKind::Missing, "real/file/below", "real/file/below");
        check("dangling", FileKind::Link, "dangling", "nowhere/x");
        check("loop", FileKind::Link, "loop", "loop");
    }

    #[test]
    fn contents_are_text_missing_or_unreadable() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("text"), "é").unwrap();
        fs::write(at("binary"), [0xff, 0xfe]).unwrap();
        fs::File::create(at("large")).unwrap().set_len(CONTENT_BYTES_MAX + 1).unwrap();
        assert_eq!(content(&at("text")), Content::Text("é".to_owned()));
        assert_eq!(content(&at("none")), Content::Missing);
        assert_eq!(content(&at("text/below")), Content::Missing);
        for unreadable in [at("binary"), at("large"), folder.path().to_path_buf()] {
            assert_eq!(content(&unreadable), Content::Unreadable, "{}", unreadable.display());
        }
    }

    #[test]
    fn names_are_sorted_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b", "a b", ".hidden"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let names = [".hidden", "a b", "b"].map(str::to_owned).to_vec();
        assert_eq!(listing(folder.path()), Some(names));
        assert_eq!(listing(&folder.path().join("none")), None);
        for index in 0..LISTING_NAMES_MAX {
            fs::write(folder.path().join(index.to_string()), "").unwrap();
        }
        assert_eq!(listing(folder.path()), None);
    }

    #[test]
    fn uncommitted_files_are_the_changed_the_staged_and_the_untracked() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        assert_eq!(uncommitted(&root), None);
        let git = |args: &[&str]| {
            let identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
            let status = std::process::Command::new("git")
                .args(identity)
                .args(args)
                .current_dir(&root)
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .output()
                .unwrap();
            assert!(status.status.success(), "{status:?}");
        };
        git(&["init", "-q"]);
        for name in ["kept", "changed", "gone"] {
            fs::write(root.join(name), "old").unwrap();
        }
        fs::write(root.join(".gitignore"), "ignored\n").unwrap();
        git(&["add", "."]);
        git(&["commit", "-q", "-m", "one"]);
        assert_eq!(uncommitted(&root), Some(Vec::new()));
        fs::write(root.join("changed"), "new").unwrap();
        fs::remove_file(root.join("gone")).unwrap();
        fs::create_dir(root.join("sub")).unwrap();
        fs::write(root.join("sub/a b\nc"), "x").unwrap();
        fs::write(root.join("ignored"), "x").unwrap();
        fs::write(root.join("staged"), "x").unwrap();
        git(&["add", "staged"]);
        let mut found = uncommitted(&root).unwrap();
        found.sort();
        let expected = ["changed", "gone", "staged", "sub/a b\nc"].map(|name| root.join(name)).to_vec();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_lock_file_or_a_table_means_uv() {
        let folder = tempfile::tempdir().unwrap();
        let uv = |pyproject: &str| {
            fs::write(folder.path().join("pyproject.toml"), pyproject).unwrap();
            uses_uv(folder.path())
        };
        assert_eq!(uses_uv(folder.path()), Some(false));
        assert_eq!(uv("[project]\nname = \"x\"\n"), Some(false));
        assert_eq!(uv("[tool.uv.sources]\nx = { path = \".\" }\n"), Some(true));
        assert_eq!(uv("[broken"), None);
        fs::write(folder.path().join("uv.lock"), "").unwrap();
        assert_eq!(uses_uv(folder.path()), Some(true));
    }
}
