//! Where an event happens: [`Place`] from the environment and the project, without opening a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hostler_model::Place;

use crate::dirs::Dirs;
use crate::project::Project;

/// The variables that paths are commonly made of. Nothing else of the environment is looked at.
const VARIABLES: &[&str] = &["HOME", "USER", "PWD", "TMPDIR"];

/// The place of an event in `cwd`.
pub(crate) fn place(dirs: Option<&Dirs>, project: &Project, cwd: &Path) -> Place {
    let home = dirs.map(|dirs| dirs.home.clone());
    let mut own = vec![project.root.join(".hostler")];
    // A linked work tree uses the main one's configuration when it has none.
    own.extend(main_work_tree(project).map(|root| root.join(".hostler")));
    own.extend(dirs.into_iter().flat_map(|dirs| [&dirs.config, &dirs.state, &dirs.data]).cloned());
    let mut host_dirs: Vec<PathBuf> = home.iter().map(|home| home.join(".claude")).collect();
    host_dirs.extend(absolute_variable("CLAUDE_CONFIG_DIR"));
    let configuration = absolute_variable("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    host_dirs.extend(configuration.map(|folder| folder.join("opencode")));
    host_dirs.extend(home.iter().map(|home| home.join(".opencode")));
    host_dirs.extend(absolute_variable("OPENCODE_CONFIG_DIR"));
    host_dirs.dedup();
    let mut variables: BTreeMap<String, String> =
        VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?))).collect();
    // The shell of the call starts there, whatever our own process inherited.
    variables.insert("PWD".to_owned(), cwd.display().to_string());
    let root = if is_project(project, home.as_deref()) { project.root.clone() } else { NO_PROJECT.into() };
    Place {
        temp: temp(home.as_deref(), &project.root),
        root,
        git_dir: project.git_dir.clone(),
        git_common_dir: project.git_common_dir.clone(),
        home,
        own,
        host_dirs,
        variables,
    }
}

/// Below a file there is nothing, so nothing lies inside this "project".
const NO_PROJECT: &str = "/dev/null/no-project";

/// A folder that happens to be the working directory is a project unless it holds the home folder or the
/// system: what is deleted there is not work that a checkpoint makes good.
fn is_project(project: &Project, home: Option<&Path>) -> bool {
    const SYSTEM: &[&str] = &[
        "/",
        "/bin",
        "/lib",
        "/lib64",
        "/opt",
        "/root",
        "/run",
        "/sbin",
        "/srv",
        "/usr",
        "/usr/local",
        "/var",
    ];
    const SYSTEM_BELOW: &[&str] = &["/boot", "/dev", "/etc", "/proc", "/sys"];
    let root = &project.root;
    // The root has its links resolved, the home folder is what the variable says.
    let holds_home = |home: &Path| {
        home.starts_with(root) || std::fs::canonicalize(home).is_ok_and(|home| home.starts_with(root))
    };
    project.git_dir.is_some()
        || !(home.is_some_and(holds_home)
            || SYSTEM.iter().any(|folder| root == Path::new(folder))
            || SYSTEM_BELOW.iter().any(|folder| root.starts_with(folder)))
}

fn main_work_tree(project: &Project) -> Option<&Path> {
    let common = project.git_common_dir.as_deref()?;
    let linked = Some(common) != project.git_dir.as_deref() && common.file_name()? == ".git";
    if linked { common.parent() } else { None }
}

fn temp(home: Option<&Path>, root: &Path) -> Vec<PathBuf> {
    let mut temp = vec![PathBuf::from("/tmp"), PathBuf::from("/var/tmp")];
    if cfg!(target_os = "macos") {
        // What the two are links to there.
        temp.extend([PathBuf::from("/private/tmp"), PathBuf::from("/private/var/tmp")]);
    }
    // One inside the project or at home may hold what the user wants to keep, and one above them holds it.
    let harmless = |path: &PathBuf| {
        [home, Some(root)]
            .into_iter()
            .flatten()
            .all(|kept| !path.starts_with(kept) && !kept.starts_with(path))
    };
    // Where the home folder itself is in one (a container, a demonstration), what lies there is no scratch.
    temp.retain(|folder| !home.is_some_and(|home| home.starts_with(folder)));
    let own = absolute_variable("TMPDIR").filter(harmless).filter(|path| !temp.contains(path));
    temp.extend(own);
    temp
}

fn absolute_variable(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())?;
    Some(hostler_model::lexical::absolute(Path::new("/"), &path))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[track_caller]
    fn check_project(root: &str, home: &str, expected: bool) {
        let project = Project { root: root.into(), git_dir: None, git_common_dir: None };
        assert_eq!(is_project(&project, Some(Path::new(home))), expected, "{root} with home {home}");
    }

    #[test]
    fn a_working_directory_is_a_project_unless_it_holds_home_or_the_system() {
        check_project("/home/dev/shop", "/home/dev", true);
        check_project("/app", "/root", true);
        check_project("/usr/src/app", "/root", true);
        for root in ["/", "/home", "/home/dev", "/etc", "/etc/nginx", "/usr", "/var", "/sys/kernel"] {
            check_project(root, "/home/dev", false);
        }
        let home = PathBuf::from("/home/dev");
        let git_dir = Some(home.join(".git"));
        let dotfiles = Project { root: home.clone(), git_dir: git_dir.clone(), git_common_dir: git_dir };
        assert!(is_project(&dotfiles, Some(&home)));
    }

    #[test]
    #[cfg(unix)]
    fn a_home_folder_behind_a_link_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir(root.join("real")).unwrap();
        std::os::unix::fs::symlink("real", root.join("home")).unwrap();
        check_project(root.join("real").to_str().unwrap(), root.join("home").to_str().unwrap(), false);
    }

    #[test]
    fn what_holds_the_home_folder_is_no_scratch() {
        let (home, root) = (Path::new("/home/dev"), Path::new("/home/dev/shop"));
        assert!(temp(Some(home), root).starts_with(&["/tmp".into(), "/var/tmp".into()]));
        let inside = temp(Some(Path::new("/tmp/demo/home")), Path::new("/tmp/demo/home/shop"));
        assert!(!inside.contains(&"/tmp".into()) && inside.contains(&"/var/tmp".into()), "{inside:?}");
    }
}
