//! Which folders git tracks files in, read from its list (`.git/index`) without a process.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::project::Project;

/// A longer list is not read, bytes.
const LIST_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Before the first entry.
const HEAD_BYTES: usize = 12;
/// Of an entry before the name of its content: times and the like.
const STAT_BYTES: usize = 40;
/// Lengths of these names: SHA-1, SHA-256. The list does not say which it has; where entries begin does.
const HASHES_BYTES: [usize; 2] = [20, 32];
/// In an entry's flags: two more bytes of them follow.
const EXTENDED: u16 = 0x4000;
/// In an entry's flags: length of the path, or this where it is as long or longer.
const LENGTH: u16 = 0x0fff;

/// Folders of some names that git tracks files in. The list is read when somebody asks.
pub(super) struct Tracked {
    list: Option<PathBuf>,
    /// Path of the walk's root below the top of the repository, with `/`.
    prefix: String,
    names: &'static [&'static str],
    folders: Option<HashSet<String>>,
}

impl Tracked {
    pub(super) fn of(project: &Project, root: &Path, names: &'static [&'static str]) -> Self {
        let prefix = root.strip_prefix(&project.root).ok().and_then(Path::to_str).unwrap_or_default();
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        Self { list: project.git_dir.as_ref().map(|it| it.join("index")), prefix, names, folders: None }
    }

    /// Whether git tracks a file below `path`, relative to the root of the walk. A list that is not understood holds
    /// nothing: such a folder is passed over, as it is without git.
    pub(super) fn holds(&mut self, path: &str) -> bool {
        let Some(list) = &self.list else { return false };
        let names = self.names;
        let folders = self.folders.get_or_insert_with(|| {
            let small = list.metadata().is_ok_and(|it| it.is_file() && it.len() <= LIST_BYTES_MAX);
            let bytes = if small { std::fs::read(list).unwrap_or_default() } else { Vec::new() };
            folders(&bytes, names).unwrap_or_default()
        });
        folders.contains(&format!("{}{path}", self.prefix))
    }
}

fn folders(list: &[u8], names: &[&str]) -> Option<HashSet<String>> {
    HASHES_BYTES.iter().find_map(|hash| folders_by(list, *hash, names))
}

/// `None` where the list is none, or has names of another length.
fn folders_by(list: &[u8], hash: usize, names: &[&str]) -> Option<HashSet<String>> {
    let number = |at: usize| Some(u32::from_be_bytes(list.get(at..at + 4)?.try_into().ok()?));
    let version = number(4).filter(|it| list.starts_with(b"DIRC") && (2..=4).contains(it))?;
    let mut folders = HashSet::new();
    let mut path = Vec::new();
    let mut at = HEAD_BYTES;
    for _ in 0..number(8)? {
        let begin = at;
        at += STAT_BYTES + hash;
        let flags = u16::from_be_bytes(list.get(at..at + 2)?.try_into().ok()?);
        at += if flags & EXTENDED == 0 { 2 } else { 4 };
        if version == 4 {
            // Of the path before it, all but so many bytes.
            let dropped = offset(list, &mut at)?;
            path.truncate(path.len().checked_sub(dropped)?);
        } else {
            path.clear();
        }
        let rest = list.get(at..)?;
        let length = memchr::memchr(0, rest)?;
        path.extend_from_slice(rest.get(..length)?);
        if flags & LENGTH != LENGTH.min(u16::try_from(path.len()).unwrap_or(LENGTH)) {
            return None;
        }
        at += length + 1;
        if version < 4 {
            // Filled up with zeros.
            at = begin + (at - begin).next_multiple_of(8);
        }
        note(&path, names, &mut folders);
    }
    Some(folders)
}

fn note(path: &[u8], names: &[&str], folders: &mut HashSet<String>) {
    let mut start = 0;
    for slash in memchr::memchr_iter(b'/', path) {
        let named = path.get(start..slash).is_some_and(|name| names.iter().any(|it| it.as_bytes() == name));
        if named
            && let Some(folder) = path.get(..slash).and_then(|it| std::str::from_utf8(it).ok())
            && !folders.contains(folder)
        {
            folders.insert(folder.to_owned());
        }
        start = slash + 1;
    }
}

/// A number in groups of seven bits, the highest first; each but the last counts one more.
fn offset(list: &[u8], at: &mut usize) -> Option<usize> {
    let mut value = 0usize;
    loop {
        let byte = *list.get(*at)?;
        *at += 1;
        value = value.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        value = value.checked_add(1)?;
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::process::Command;

    use super::*;

    const NAMES: &[&str] = &["bin", "session"];

    fn git(folder: &Path, arguments: &[&str]) -> bool {
        let mut command = Command::new("git");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        command.current_dir(folder).args(arguments).output().unwrap().status.success()
    }

    #[track_caller]
    fn check(init: &[&str], version: &str) {
        let folder = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(folder.path()).unwrap();
        if !git(&root, &[&["init", "-q"], init].concat()) {
            // An older git has one kind of names.
            return;
        }
        let long = format!("deep/{}/bin/x", "long".repeat(50));
        let files = ["a", "src/session/open.rs", "src/bin/one.rs", "bin.txt", "z/session/a/bin/b", &long];
        for path in files {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), "x").unwrap();
        }
        assert!(git(&root, &["add", "."]));
        // An entry with further flags.
        std::fs::write(root.join("later"), "x").unwrap();
        assert!(git(&root, &["add", "-N", "later"]));
        assert!(git(&root, &["update-index", "--index-version", version]));
        let mut tracked = Tracked::of(&Project::find(&root), &root, NAMES);
        for path in ["src/session", "src/bin", "z/session", "z/session/a/bin", long.trim_end_matches("/x")] {
            assert!(tracked.holds(path), "{path} {init:?} {version}");
        }
        for path in ["session", "bin", "a/bin", "src/session/open.rs"] {
            assert!(!tracked.holds(path), "{path} {init:?} {version}");
        }
        let below = root.join("src");
        assert!(Tracked::of(&Project::find(&below), &below, NAMES).holds("bin"));
    }

    #[test]
    fn every_form_of_the_list_is_read() {
        for version in ["2", "3", "4"] {
            check(&[], version);
            check(&["--object-format=sha256"], version);
        }
    }

    #[test]
    fn what_is_no_list_holds_nothing() {
        for bytes in
            [&b""[..], b"DIRC", b"DIRC\0\0\0\x02\xff\xff\xff\xff", b"DIRC\0\0\0\x09\0\0\0\0", &[0xff; 200]]
        {
            assert_eq!(folders(bytes, NAMES), None, "{bytes:?}");
        }
        assert_eq!(folders(b"DIRC\0\0\0\x02\0\0\0\0", NAMES), Some(HashSet::new()));
    }
}
