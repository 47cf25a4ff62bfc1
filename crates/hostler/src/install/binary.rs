//! Under which path the binary is registered.
//!
//! A bare name fails where the client has no login shell's `PATH`; the path of a versioned folder fails at
//! the next upgrade. So: an absolute path that stays, preferably the one that `PATH` gives, tried out with
//! an empty environment.

use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

/// Folders in which installers put stable names, below the home folder.
const HOME_FOLDERS: [&str; 3] = [".local/bin", ".cargo/bin", ".nix-profile/bin"];
/// Others.
const FOLDERS: [&str; 4] =
    ["/usr/local/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", "/usr/bin"];

/// The path to register: stable, absolute, tried.
///
/// # Errors
/// The running binary has another name, only a versioned path, or does not start without an environment.
pub(crate) fn stable(home: &Path) -> anyhow::Result<String> {
    let exe = std::env::current_exe().context("the path of the running program is unknown")?;
    let file_name = format!("hostler{}", std::env::consts::EXE_SUFFIX);
    let path_folders = std::env::var_os("PATH")
        .map(|path| std::env::split_paths(&path).collect::<Vec<_>>())
        .unwrap_or_default();
    let known: Vec<PathBuf> = path_folders
        .into_iter()
        .chain(HOME_FOLDERS.iter().map(|it| home.join(it)))
        .chain(FOLDERS.iter().map(PathBuf::from))
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&file_name))
        .filter(|candidate| candidate.is_file() && !is_versioned(candidate))
        .collect();
    let stable = known
        .iter()
        .find(|candidate| same_file(candidate, &exe))
        .or_else(|| Some(&exe).filter(|exe| !is_versioned(exe)))
        // The shim of a version manager is another file that starts this one.
        .or_else(|| known.iter().find(|candidate| check_starts(candidate).is_ok()));
    let Some(path) = stable else {
        bail!(
            "`{}` is in a folder that the next upgrade removes; link it from a stable one, e.g. `ln -s '{}' ~/.local/bin/{file_name}`, and run that",
            exe.display(),
            exe.display()
        );
    };
    if path.file_name().is_none_or(|name| name != file_name.as_str()) {
        bail!(
            "the program is called `{}`, and entries of ours are recognised by the name `{file_name}`; rename or link it",
            path.display()
        );
    }
    let Some(text) = path.to_str() else {
        bail!("`{}` is not UTF-8, so no JSON file can name it; install hostler elsewhere", path.display());
    };
    check_starts(path)?;
    Ok(text.to_owned())
}

/// Starts `path --version` as a client without any environment would.
///
/// # Errors
/// It does not start, or is another version than this one.
pub(crate) fn check_starts(path: &Path) -> anyhow::Result<()> {
    let output = Command::new("/bin/sh")
        .args(["-c", "exec \"$0\" --version"])
        .arg(path)
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .context("`/bin/sh` does not start")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let expected = concat!("hostler ", env!("CARGO_PKG_VERSION"));
    if !output.status.success() || said.trim() != expected {
        bail!(
            "`{}` does not answer `{expected}` when started without an environment (`env -i /bin/sh -c`): {}{}",
            path.display(),
            said.trim(),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(())
}

/// Whether both names lead to one file.
pub(crate) fn same_file(a: &Path, b: &Path) -> bool {
    match (std::fs::canonicalize(a), std::fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// A folder that belongs to one version and goes with it: Homebrew's cellar, the Nix store, a package
/// runner's cache, or one named like a version.
fn is_versioned(path: &Path) -> bool {
    const NAMES: [&str; 6] = ["Cellar", "node_modules", "_npx", ".nvm", "fnm_multishells", "site-packages"];
    if path.starts_with("/nix/store") {
        return true;
    }
    let folders = path.parent().map(Path::components).into_iter().flatten();
    folders.into_iter().any(|component| match component {
        Component::Normal(name) => {
            let name = name.to_string_lossy();
            NAMES.contains(&name.as_ref()) || is_version(name.strip_prefix('v').unwrap_or(&name))
        }
        _ => false,
    })
}

/// `1.2`, `1.2.3`, `1.2.3-rc.1`.
fn is_version(name: &str) -> bool {
    let core = name.split(['-', '+']).next().unwrap_or_default();
    let parts: Vec<&str> = core.split('.').collect();
    2 <= parts.len()
        && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, versioned: bool) {
        assert_eq!(is_versioned(Path::new(path)), versioned, "{path}");
    }

    #[test]
    fn paths_that_die_at_an_upgrade_are_known() {
        check("/opt/homebrew/Cellar/hostler/0.1.0/bin/hostler", true);
        check("/home/me/.local/share/mise/installs/hostler/0.1.0/bin/hostler", true);
        check("/home/me/tools/v1.2.3-rc.1/hostler", true);
        check("/nix/store/abc-hostler/bin/hostler", true);
        check("/home/me/.npm/_npx/1a2b/node_modules/.bin/hostler", true);
        check("/opt/homebrew/bin/hostler", false);
        check("/home/me/.cargo/bin/hostler", false);
        check("/home/me/src/hostler/target/debug/hostler", false);
        check("/srv/release.2026/hostler", false);
        check("/srv/1.2.3.d/hostler", false);
        check("/srv/my tools/hostler", false);
    }
}
