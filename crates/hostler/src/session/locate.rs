//! Where sessions are kept: the `context.json` nearest to the working directory, within its project.
//!
//! All work trees of a repository share the main one's file, so that parallel work is one history. Of a bare
//! repository no work tree is the main one, and each keeps its own.

use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use globset::GlobBuilder;
use hostler_ledger::context::{self, Kind, Store};

use crate::config::Config;
use crate::dirs::Dirs;
use crate::project::Project;

/// The name of the file that holds the sessions.
pub(crate) const FILE: &str = "context.json";
/// How much of a file is looked at for a member of ours before all of it is.
const HEAD_BYTES: u64 = 4 * 1024;
/// A file without any member of ours up to here is ours only if we have written it before.
const FOREIGN_BYTES_MAX: u64 = 1024 * 1024;

/// The sessions of one project, and the rendered view beside them.
pub(crate) struct Sessions {
    /// The file, and what is done to it.
    pub(crate) store: Store,
    /// `context.json`.
    pub(crate) file: PathBuf,
    /// The top folder of the project that the file belongs to.
    pub(crate) root: PathBuf,
    /// The project's evidence folder.
    pub(crate) state: PathBuf,
    /// The folder of the user's own configuration.
    pub(crate) user: PathBuf,
}

impl Sessions {
    /// The sessions that `cwd` takes part in; `None` where none are kept.
    pub(crate) fn find(cwd: &Path, project: &Project, dirs: &Dirs, config: &Config) -> Option<Self> {
        let file = locate(cwd, project, Some(dirs))?;
        let root = owner(&file, project);
        is_active(&root, &config.activation, Some(&dirs.home)).then(|| Self::at(file, root, project, dirs))
    }

    /// Those that a new file in the top folder would hold.
    pub(crate) fn new(project: &Project, dirs: &Dirs) -> Self {
        let root = shared_root(project).to_path_buf();
        Self::at(root.join(FILE), root, project, dirs)
    }

    fn at(file: PathBuf, root: PathBuf, project: &Project, dirs: &Dirs) -> Self {
        // Without a repository the project is where the file stands, from whichever folder below it one asks.
        let key = match project.git_dir {
            Some(_) => project.key(),
            None => Project { root: root.clone(), git_dir: None, git_common_dir: None }.key(),
        };
        let state = dirs.project_state(&key);
        let store = Store::new(file.clone(), state.clone()).within(root.clone());
        Self { store, file, root, state, user: dirs.config.clone() }
    }

    /// The rendered view beside the file.
    pub(crate) fn view(&self) -> PathBuf {
        self.file.with_file_name(super::render::FILE)
    }
}

/// The `context.json` that counts in `cwd`: the nearest one at or above it, within the project; in a linked
/// work tree the main work tree's. `dirs`: where it is known which files we have written.
pub(crate) fn locate(cwd: &Path, project: &Project, dirs: Option<&Dirs>) -> Option<PathBuf> {
    let is_known = |file: &Path| {
        let of = |dirs| Sessions::at(file.to_path_buf(), owner(file, project), project, dirs);
        dirs.is_some_and(|dirs| of(dirs).store.is_known())
    };
    let is_ours = |file: &Path| is_record(file).unwrap_or_else(|| is_known(file));
    let here = std::fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_path_buf());
    let below = here.strip_prefix(&project.root).unwrap_or(Path::new(""));
    let shared = shared_root(project);
    let own = (shared != project.root).then_some(project.root.as_path());
    let found = [Some(shared), own].into_iter().flatten().find_map(|root| nearest(root, below, is_ours));
    if found.is_some() || project.git_dir.is_some() {
        return found;
    }
    above(&project.root, is_ours)
}

/// The top folder of the work tree whose file all work trees share.
pub(crate) fn shared_root(project: &Project) -> &Path {
    let main = || {
        let common = project.git_common_dir.as_deref()?;
        let linked = Some(common) != project.git_dir.as_deref() && common.file_name()? == ".git";
        common.parent().filter(|_| linked && !is_bare(common))
    };
    main().unwrap_or(&project.root)
}

/// Whether the configuration lets sessions be kept in the project at `root`.
pub(crate) fn is_active(root: &Path, paths: &[String], home: Option<&Path>) -> bool {
    paths.is_empty() || paths.iter().any(|pattern| covers(pattern, root, home))
}

fn nearest(root: &Path, below: &Path, is_ours: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let from = root.join(below);
    let folders = from.ancestors().take_while(|folder| folder.starts_with(root));
    folders.map(|folder| folder.join(FILE)).find(|file| is_ours(file))
}

/// Without a repository nothing says where a project begins but the file itself. The home folder, the
/// system's and those of other people are no projects.
fn above(root: &Path, is_ours: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let owner = std::fs::metadata(root).ok()?.uid();
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let home = home.and_then(|home| std::fs::canonicalize(home).ok());
    root.ancestors()
        .skip(1)
        .take_while(|folder| folder.parent().is_some() && Some(*folder) != home.as_deref())
        .map(|folder| folder.join(FILE))
        .find(|file| std::fs::metadata(file).is_ok_and(|it| it.uid() == owner) && is_ours(file))
}

fn owner(file: &Path, project: &Project) -> PathBuf {
    let roots = [shared_root(project), &project.root];
    let inside = roots.into_iter().find(|root| file.starts_with(root));
    inside.or_else(|| file.parent()).unwrap_or(&project.root).to_path_buf()
}

/// Whether a file of the name is the record of sessions, which other programs use as well; `None`: nothing in it tells.
fn is_record(file: &Path) -> Option<bool> {
    let Ok(meta) = std::fs::metadata(file) else { return Some(false) };
    if !meta.is_file() {
        return Some(false);
    }
    let read = |bytes_max: u64| {
        let mut bytes = Vec::new();
        std::fs::File::open(file)?.take(bytes_max).read_to_end(&mut bytes)?;
        std::io::Result::Ok(context::kind(&bytes, meta.len() <= bytes.len() as u64))
    };
    let kind = match read(HEAD_BYTES) {
        Ok(Kind::Cut) => read(FOREIGN_BYTES_MAX),
        kind => kind,
    };
    match kind {
        Ok(Kind::Other) => Some(false),
        Ok(Kind::Unclear | Kind::Cut) => None,
        // That it cannot be read is said by whoever tries to.
        Ok(Kind::Record) | Err(_) => Some(true),
    }
}

/// Whether a repository has no main work tree: its `.git` folder only holds what the linked ones share.
fn is_bare(common: &Path) -> bool {
    let says_bare = |name: &str| {
        let text = std::fs::read_to_string(common.join(name)).unwrap_or_default();
        let mut section = String::new();
        text.lines().any(|line| {
            let line = line.trim();
            if line.starts_with('[') {
                section = line.to_ascii_lowercase();
            }
            let (key, value) = line.split_once('=').unwrap_or((line, "true"));
            section.starts_with("[core]")
                && key.trim().eq_ignore_ascii_case("bare")
                && matches!(value.trim().to_ascii_lowercase().as_str(), "true" | "yes" | "on" | "1")
        })
    };
    says_bare("config") || says_bare("config.worktree")
}

/// Whether `pattern` names `root` or a folder that it is in.
fn covers(pattern: &str, root: &Path, home: Option<&Path>) -> bool {
    let whole = match (pattern.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => format!("{}/{rest}", globset::escape(&home.to_string_lossy())),
        (Some(_), None) => return false,
        (None, _) if pattern.starts_with('/') => pattern.to_owned(),
        // As in an ignore file: meant at any depth.
        (None, _) => format!("**/{}", pattern.trim_start_matches("./")),
    };
    let glob = GlobBuilder::new(whole.trim_end_matches('/')).literal_separator(true).build();
    glob.is_ok_and(|glob| {
        let matcher = glob.compile_matcher();
        root.ancestors().any(|folder| matcher.is_match(folder))
    })
}

#[cfg(test)]
mod tests;
