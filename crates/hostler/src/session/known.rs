//! What a project says of itself: its version and its branch, read from files, without a process.

use std::io::Read;
use std::path::Path;

use hostler_ledger::file;
use toml::Table;

use crate::project::Project;

/// A manifest is written by hand; more than this is not read.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The version that the project's manifest at `root` declares: of Rust, Python or JavaScript, the first that has
/// one.
pub(crate) fn version(root: &Path) -> Option<String> {
    let found = rust(root).or_else(|| python(root)).or_else(|| javascript(root))?;
    let version = found.trim();
    (!version.is_empty()).then(|| version.to_owned())
}

/// The branch that is checked out; `detached at <commit>` where none is. `None` without a repository, and where
/// references are kept in a form that only git reads.
pub(crate) fn branch(project: &Project) -> Option<String> {
    let head = read(&project.git_dir.as_ref()?.join("HEAD"))?;
    match head.trim().strip_prefix("ref: ") {
        Some("refs/heads/.invalid") => None,
        Some(name) => Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()),
        None => project.commit().map(|commit| format!("detached at {}", &commit[..commit.len().min(12)])),
    }
}

fn rust(root: &Path) -> Option<String> {
    let manifest: Table = manifest(root, "Cargo.toml")?.parse().ok()?;
    let own = manifest.get("package").and_then(|it| it.get("version")?.as_str());
    // A package can take its version from the workspace, which may be this very file.
    let shared = || manifest.get("workspace")?.get("package")?.get("version")?.as_str();
    own.or_else(shared).map(str::to_owned)
}

fn python(root: &Path) -> Option<String> {
    let manifest: Table = manifest(root, "pyproject.toml")?.parse().ok()?;
    let standard = manifest.get("project").and_then(|it| it.get("version")?.as_str());
    let poetry = || manifest.get("tool")?.get("poetry")?.get("version")?.as_str();
    standard.or_else(poetry).map(str::to_owned)
}

fn javascript(root: &Path) -> Option<String> {
    let manifest: serde_json::Value = serde_json::from_str(&manifest(root, "package.json")?).ok()?;
    manifest.get("version")?.as_str().map(str::to_owned)
}

/// A manifest that is the project's own: a link could lead to a file of somebody else's.
fn manifest(root: &Path, name: &str) -> Option<String> {
    read(&file::within(&root.join(name), root).ok()?)
}

fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = file::open_regular(path).ok()?;
    file.take(FILE_BYTES_MAX).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::fs;

    use super::*;

    #[track_caller]
    fn check_version(files: &[(&str, &str)], expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        assert_eq!(version(folder.path()).as_deref(), expected, "{files:?}");
    }

    #[test]
    fn the_version_is_what_a_manifest_declares() {
        let cargo = ("Cargo.toml", "[package]\nname = \"a\"\nversion = \"1.2.3\"\n");
        let python = ("pyproject.toml", "[project]\nname = \"a\"\nversion = \"4.5\"\n");
        let package = ("package.json", "{\"version\": \"7.0.0-rc.1\"}");
        check_version(&[], None);
        check_version(&[cargo, python, package], Some("1.2.3"));
        check_version(&[python, package], Some("4.5"));
        check_version(&[package], Some("7.0.0-rc.1"));
        let of_workspace = "[package]\nversion.workspace = true\n[workspace.package]\nversion = \"0.9.0\"\n";
        check_version(&[("Cargo.toml", of_workspace)], Some("0.9.0"));
        check_version(&[("Cargo.toml", "[workspace]\n"), package], Some("7.0.0-rc.1"));
        check_version(&[("pyproject.toml", "[tool.poetry]\nversion = \"2\"\n")], Some("2"));
        // Declared elsewhere, broken, no text.
        check_version(&[("pyproject.toml", "[project]\ndynamic = [\"version\"]\n")], None);
        check_version(&[("Cargo.toml", "[package"), ("package.json", "{")], None);
        check_version(&[("package.json", "{\"version\": 3}")], None);
    }

    #[test]
    fn a_pipe_and_a_link_out_of_the_project_are_no_manifests() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("shop");
        fs::create_dir_all(root.join("web")).unwrap();
        let package = "{\"version\": \"7\"}";
        for (target, text) in [("web/package.json", package), ("../package.json", package)] {
            fs::write(root.join(target), text).unwrap();
        }
        let link = root.join("package.json");
        let check = |expected: Option<&str>| assert_eq!(version(&root).as_deref(), expected);
        std::os::unix::fs::symlink("web/package.json", &link).unwrap();
        check(Some("7"));
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink("../package.json", &link).unwrap();
        check(None);
        fs::remove_file(&link).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&link).status().unwrap().success());
        check(None);
    }

    #[track_caller]
    fn check_branch(head: &str, expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".git")).unwrap();
        fs::write(folder.path().join(".git/HEAD"), head).unwrap();
        assert_eq!(branch(&Project::find(folder.path())).as_deref(), expected, "{head}");
    }

    #[test]
    fn the_branch_is_read_from_head() {
        check_branch("ref: refs/heads/main\n", Some("main"));
        check_branch("ref: refs/heads/feature/a b\n", Some("feature/a b"));
        check_branch("1111111111111111111111111111111111111111\n", Some("detached at 111111111111"));
        check_branch("ref: refs/heads/.invalid\n", None);
        check_branch("", None);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(
            branch(&Project { root: folder.path().into(), git_dir: None, git_common_dir: None }),
            None
        );
    }
}
