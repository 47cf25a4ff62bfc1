//! What ignore files leave out: `.gitignore`, `.ignore` and `.hostlerignore`, and what git is told elsewhere.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::tracked::Tracked;
use crate::project::Project;

/// Names of ignore files, the strongest first.
const FILES: [&str; 3] = [".hostlerignore", ".ignore", ".gitignore"];
/// An ignore file is written by hand; more than this in bytes is none.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// What the rules say about one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing.
    None,
    /// It is left out.
    Out,
    /// It is asked for.
    In,
}

/// The rules that hold where the walk is.
pub(super) struct Ignored {
    configured: Gitignore,
    /// By kind of file; the innermost folder last. The number is the depth of the walk at which it was read.
    layers: [Vec<(usize, Gitignore)>; FILES.len()],
    /// What git leaves out everywhere.
    general: Vec<Gitignore>,
    depth: usize,
    tracked: Tracked,
}

impl Ignored {
    /// The rules that hold at `root`: those of the folders above it, up to the top of its repository.
    pub(super) fn of(root: &Path, globs: &[String], notes: &mut Vec<String>) -> Self {
        let project = Project::find(root);
        let mut configured = GitignoreBuilder::new(root);
        for glob in globs {
            if let Err(error) = configured.add_line(None, glob) {
                notes.push(format!("`rag.ignore` holds `{glob}`, which has no effect: {error}"));
            }
        }
        let mut this = Self {
            configured: configured.build().unwrap_or_else(|_| Gitignore::empty()),
            layers: Default::default(),
            general: Vec::new(),
            depth: 0,
            tracked: Tracked::of(&project, root, super::MADE),
        };
        if let Some(common) = &project.git_common_dir {
            let exclude = common.join("info/exclude");
            this.general.extend(read(&project.root, &exclude, notes));
            let mut above: Vec<&Path> =
                root.ancestors().skip(1).take_while(|it| it.starts_with(&project.root)).collect();
            above.reverse();
            for folder in above {
                this.add(folder, &FILES, notes);
            }
        }
        let (global, _) = GitignoreBuilder::new(root).build_global();
        this.general.push(global);
        this
    }

    /// A folder is gone into. `names`: its files.
    pub(super) fn enter(&mut self, folder: &Path, names: &[&str], notes: &mut Vec<String>) {
        self.depth += 1;
        self.add(folder, names, notes);
    }

    /// The innermost folder is left.
    pub(super) fn leave(&mut self) {
        for layers in &mut self.layers {
            layers.pop_if(|(depth, _)| *depth == self.depth);
        }
        self.depth = self.depth.saturating_sub(1);
    }

    /// What the rules say about `name` in `folder`, which is the innermost one.
    pub(super) fn verdict(&self, folder: &Path, name: &std::ffi::OsStr, is_folder: bool) -> Verdict {
        let layers = self.layers.iter().flat_map(|it| it.iter().rev().map(|(_, matcher)| matcher));
        let all = std::iter::once(&self.configured).chain(layers).chain(&self.general);
        let mut rules = all.filter(|it| !it.is_empty()).peekable();
        if rules.peek().is_none() {
            return Verdict::None;
        }
        let path = folder.join(name);
        for matcher in rules {
            match matcher.matched(&path, is_folder) {
                ignore::Match::None => {}
                ignore::Match::Ignore(_) => return Verdict::Out,
                ignore::Match::Whitelist(_) => return Verdict::In,
            }
        }
        Verdict::None
    }

    /// Whether git tracks files in the folder `path`, relative to the root of the walk.
    pub(super) fn is_tracked(&mut self, path: &str) -> bool {
        self.tracked.holds(path)
    }

    fn add(&mut self, folder: &Path, names: &[&str], notes: &mut Vec<String>) {
        for (layers, name) in self.layers.iter_mut().zip(FILES) {
            if names.contains(&name) {
                layers.extend(read(folder, &folder.join(name), notes).map(|it| (self.depth, it)));
            }
        }
    }
}

fn read(folder: &Path, file: &Path, notes: &mut Vec<String>) -> Option<Gitignore> {
    let meta = file.symlink_metadata().ok()?;
    if !meta.is_file() {
        return None;
    }
    if FILE_BYTES_MAX < meta.len() {
        notes.push(format!("`{}` is larger than 1 MiB and has no effect", file.display()));
        return None;
    }
    let mut builder = GitignoreBuilder::new(folder);
    if let Some(error) = builder.add(file) {
        notes.push(format!("not all of `{}` has effect: {error}", file.display()));
    }
    builder.build().ok()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn the_innermost_rule_of_the_strongest_file_wins() {
        let folder = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join(".gitignore"), "*.log\nkept/\n").unwrap();
        std::fs::write(root.join("a/.gitignore"), "!main.log\n").unwrap();
        std::fs::write(root.join("a/b/.hostlerignore"), "main.log\n!other.log\n").unwrap();
        let mut notes = Vec::new();
        let mut ignored = Ignored::of(&root, &["secret*".to_owned()], &mut notes);
        let check = |ignored: &Ignored, path: &str, folder: bool, expected: Verdict| {
            let path = root.join(path);
            let found = ignored.verdict(path.parent().unwrap(), path.file_name().unwrap(), folder);
            assert_eq!(found, expected, "{path:?}");
        };
        ignored.enter(&root, &[".gitignore"], &mut notes);
        check(&ignored, "x.log", false, Verdict::Out);
        check(&ignored, "x.rs", false, Verdict::None);
        check(&ignored, "kept", true, Verdict::Out);
        check(&ignored, "kept", false, Verdict::None);
        check(&ignored, "secret.txt", false, Verdict::Out);
        ignored.enter(&root.join("a"), &[".gitignore"], &mut notes);
        check(&ignored, "a/main.log", false, Verdict::In);
        ignored.enter(&root.join("a/b"), &[".hostlerignore"], &mut notes);
        check(&ignored, "a/b/main.log", false, Verdict::Out);
        check(&ignored, "a/b/other.log", false, Verdict::In);
        ignored.leave();
        check(&ignored, "a/main.log", false, Verdict::In);
        ignored.leave();
        check(&ignored, "main.log", false, Verdict::Out);
        assert_eq!(notes, Vec::<String>::new());
    }
}
