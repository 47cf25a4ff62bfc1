//! Which project a working directory belongs to, read from files: no `git` process.

use std::path::{Path, PathBuf};

/// A project: a git work tree, or a folder that `hostler init` marked, or a bare working directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Project {
    /// Its top folder, absolute and with links resolved.
    pub(crate) root: PathBuf,
    /// The work tree's own git folder (`.git`, or what a `.git` file names).
    pub(crate) git_dir: Option<PathBuf>,
    /// The git folder that all work trees share.
    pub(crate) git_common_dir: Option<PathBuf>,
}

impl Project {
    /// Finds the project of `cwd`: the nearest ancestor with `.git` or `.hostler`, else `cwd` itself.
    pub(crate) fn find(cwd: &Path) -> Self {
        let start = std::fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_path_buf());
        for folder in start.ancestors() {
            if let Some(git_dir) = git_dir(folder) {
                let common = common_dir(&git_dir);
                return Self {
                    root: folder.to_path_buf(),
                    git_dir: Some(git_dir),
                    git_common_dir: Some(common),
                };
            }
            if folder.join(".hostler/config.toml").is_file() {
                return Self { root: folder.to_path_buf(), git_dir: None, git_common_dir: None };
            }
        }
        Self { root: start, git_dir: None, git_common_dir: None }
    }

    /// The commit that is checked out, where its files tell; `None` on an unborn branch, without git, or where
    /// references are kept in a form that only git reads.
    pub(crate) fn commit(&self) -> Option<String> {
        let is_id =
            |text: &str| matches!(text.len(), 40 | 64) && text.bytes().all(|it| it.is_ascii_hexdigit());
        let read = |path: PathBuf| std::fs::read_to_string(path).ok();
        let head = read(self.git_dir.as_ref()?.join("HEAD"))?;
        let Some(name) = head.trim().strip_prefix("ref: ") else {
            return Some(head.trim().to_owned()).filter(|it| is_id(it));
        };
        let common = self.git_common_dir.as_ref()?;
        let loose = read(common.join(name)).map(|text| text.trim().to_owned()).filter(|it| is_id(it));
        loose.or_else(|| {
            let packed = read(common.join("packed-refs"))?;
            let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
            lines.find(|(id, of)| *of == name && is_id(id)).map(|(id, _)| id.to_owned())
        })
    }

    /// The branch that is checked out, or the beginning of the commit where none is.
    pub(crate) fn branch(&self) -> Option<String> {
        let head = std::fs::read_to_string(self.git_dir.as_ref()?.join("HEAD")).ok()?;
        let head = head.trim();
        match head.strip_prefix("ref: ") {
            Some(name) => Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()),
            None => head.get(..8).map(str::to_owned),
        }
    }

    /// A name for the project's evidence folder: readable, and the same for all work trees of a repository.
    pub(crate) fn key(&self) -> String {
        let identity = match &self.git_common_dir {
            Some(common) if common.file_name().is_some_and(|name| name == ".git") => {
                common.parent().unwrap_or(common)
            }
            Some(common) => common,
            None => &self.root,
        };
        let name: String = identity
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' })
            .take(40)
            .collect();
        let name = if name.is_empty() { "root".to_owned() } else { name };
        let digest = hostler_ledger::journal::sha256_hex(identity.as_os_str().as_encoded_bytes());
        format!("{name}-{}", &digest[..12])
    }
}

fn git_dir(folder: &Path) -> Option<PathBuf> {
    let dot = folder.join(".git");
    let meta = std::fs::metadata(&dot).ok()?;
    if meta.is_dir() {
        // An empty `.git` folder is not a repository to git either.
        return dot.join("HEAD").exists().then_some(dot);
    }
    // A pipe of that name would never end.
    let text = meta.is_file().then(|| std::fs::read_to_string(&dot))?.ok()?;
    let target = text.strip_prefix("gitdir:")?.trim();
    let path = hostler_model::lexical::absolute(folder, Path::new(target));
    path.join("HEAD").exists().then_some(path)
}

fn common_dir(git_dir: &Path) -> PathBuf {
    match std::fs::read_to_string(git_dir.join("commondir")) {
        Ok(text) => hostler_model::lexical::absolute(git_dir, Path::new(text.trim())),
        Err(_) => git_dir.to_path_buf(),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::fs;

    use super::*;

    const ONE: &str = "1111111111111111111111111111111111111111";
    const TWO: &str = "2222222222222222222222222222222222222222";

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = Project::find(&folder.path().join("tree")).commit();
        assert_eq!(found.as_deref(), expected, "{files:?}");
    }

    #[test]
    fn the_commit_that_is_checked_out_is_read_from_files() {
        let head = ("tree/.git/HEAD", "ref: refs/heads/main\n");
        let packed =
            format!("# pack-refs with: peeled\n{TWO} refs/heads/mai\n{ONE} refs/heads/main\n^{TWO}\n");
        check(&[head, ("tree/.git/refs/heads/main", &format!("{ONE}\n"))], Some(ONE));
        check(&[head, ("tree/.git/packed-refs", &packed)], Some(ONE));
        let loose = ("tree/.git/refs/heads/main", TWO);
        check(&[head, ("tree/.git/packed-refs", &packed), loose], Some(TWO));
        check(&[("tree/.git/HEAD", &format!("{ONE}\n"))], Some(ONE));
        // An unborn branch, references that only git reads, damage, no repository.
        check(&[head], None);
        check(&[("tree/.git/HEAD", "ref: refs/heads/.invalid\n"), ("tree/.git/reftable/x", "")], None);
        check(&[head, ("tree/.git/refs/heads/main", "ref: refs/heads/other\n")], None);
        check(&[("tree/.git/HEAD", "11111")], None);
        check(&[("tree/file", "")], None);
        // A linked work tree keeps its own HEAD and shares the branches.
        let linked = [
            ("tree/.git", "gitdir: ../main/.git/worktrees/tree\n"),
            ("main/.git/worktrees/tree/HEAD", "ref: refs/heads/side\n"),
            ("main/.git/worktrees/tree/commondir", "../..\n"),
            ("main/.git/HEAD", "ref: refs/heads/main\n"),
            ("main/.git/refs/heads/side", ONE),
        ];
        check(&linked, Some(ONE));
    }
}
