//! A released package as a repository of its own, and which of its files are edited.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use hostler_policy::checks::{Kind, kind};

use super::ground::{Ground, Sample};

/// Larger files are tables that were written by programs.
const FILE_BYTES_MAX: usize = 200_000;

/// A package in a temporary folder.
#[derive(Debug)]
pub(super) struct Repository {
    /// The name of the folder that it was unpacked into.
    pub(super) name: String,
    /// Its top, real code below it.
    pub(super) root: PathBuf,
    /// A home with nothing in it but the repository.
    pub(super) home: tempfile::TempDir,
    /// Files that may be edited, sorted.
    pub(super) files: Vec<(String, String)>,
}

impl Repository {
    /// Copies `folder`; nothing is committed yet.
    pub(super) fn new(ground: &Ground, folder: &Path) -> anyhow::Result<Self> {
        let name = folder.file_name().context("a folder with a name")?.to_string_lossy().into_owned();
        let home = tempfile::tempdir()?;
        let root = home.path().canonicalize()?.join(&name);
        let mut files = Vec::new();
        copy(folder, &root, &mut files)
            .with_context(|| format!("`{}` cannot be copied", folder.display()))?;
        (ground.prepare)(&root)?;
        fs::create_dir_all(root.join(".hostler"))?;
        fs::write(root.join(".hostler/config.toml"), ground.config)?;
        files.sort();
        let mut chosen = Vec::new();
        for path in files {
            let name = path.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
            let Ok(text) = fs::read_to_string(&path) else { continue };
            if is_real(ground, &name, &text) {
                chosen.push((name, text));
            }
        }
        Ok(Self { name, root, home, files: chosen })
    }

    /// Keeps `count` of the files, evenly over the sorted names.
    pub(super) fn keep(&mut self, count: usize) {
        let have = self.files.len();
        let kept: Vec<usize> = (0..count.min(have)).map(|at| at * have / count.min(have).max(1)).collect();
        let mut at = 0;
        self.files.retain(|_| {
            at += 1;
            kept.contains(&(at - 1))
        });
    }

    /// Commits everything that is there.
    pub(super) fn commit(&self) -> anyhow::Result<()> {
        let commit = ["commit", "--quiet", "--no-gpg-sign", "-m", "As released"];
        for arguments in [&["init", "--quiet"][..], &["add", "--all", "--force"], &commit] {
            let status = Command::new("git")
                .args([
                    "-c",
                    "user.name=A",
                    "-c",
                    "user.email=a@example.invalid",
                    "-c",
                    "core.autocrlf=false",
                ])
                .args(arguments)
                .current_dir(&self.root)
                .env("HOME", self.home.path())
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .stdin(Stdio::null())
                .status()
                .context("`git` is missing")?;
            ensure!(status.success(), "`git {}` failed", arguments.join(" "));
        }
        Ok(())
    }

    /// Writes one of its files.
    pub(super) fn write(&self, path: &str, text: &str) -> anyhow::Result<()> {
        let path = self.root.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, text).with_context(|| format!("`{}` cannot be written", path.display()))
    }
}

/// How many files of each package are edited, so that together they are `wanted`: as equal as what they have allows.
pub(super) fn shares(have: &[usize], wanted: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..have.len()).collect();
    order.sort_by_key(|at| have.get(*at));
    let mut out = vec![0; have.len()];
    let mut left = wanted;
    for (done, at) in order.iter().enumerate() {
        let share = left.div_ceil(have.len() - done);
        let (Some(have), Some(out)) = (have.get(*at), out.get_mut(*at)) else { continue };
        *out = share.min(*have);
        left -= *out;
    }
    out
}

/// A file of the language that people wrote and ship.
fn is_real(ground: &Ground, name: &str, text: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, it)| it);
    if !extension.is_some_and(|it| ground.extensions.contains(&it))
        || FILE_BYTES_MAX < text.len()
        || text.trim().is_empty()
        // What tests read is no code of the package.
        || name.split('/').any(|it| it == "testdata")
    {
        return false;
    }
    let Some(sample) = Sample::new(name, text) else { return false };
    matches!(kind(name, text, Some(&sample.facts)), Kind::Source | Kind::Script)
}

fn copy(from: &Path, to: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, name) = (entry.file_type()?, entry.file_name());
        if kind.is_dir() && name != ".git" {
            copy(&entry.path(), &to.join(name), files)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), to.join(&name))?;
            files.push(to.join(name));
        }
    }
    Ok(())
}
