//! Which `OpenCode` would be started here.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hostler_host::opencode::settings::Flavour;

/// Names under which it is installed: of both versions.
const NAMES: [&str; 1] = ["opencode"];
/// Where its own installer puts it, below the home folder.
const HOME_FOLDERS: [&str; 2] = [".opencode/bin", ".local/bin"];
/// How long it may take to say its version.
const TIME_MAX: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(5);

/// A program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    /// As it says; nothing if it does not.
    pub(crate) version: Option<String>,
}

/// The first program on `PATH`, or where its installer puts it.
pub(crate) fn locate(home: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).collect::<Vec<_>>();
    let folders = folders.into_iter().chain(HOME_FOLDERS.iter().map(|it| home.join(it)));
    folders
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| NAMES.map(|name| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))))
        .find(|candidate| candidate.is_file())
}

/// The program with its version, which it is asked for in a home of its own: it makes folders when it starts.
pub(crate) fn find(home: &Path) -> Option<Program> {
    let path = locate(home)?;
    let version = ask(&path);
    Some(Program { path, version })
}

/// Which of its two kinds a version is.
pub(crate) fn flavour(version: &str) -> Option<Flavour> {
    let major = version.trim_start_matches('v').split('.').next()?.parse::<u32>().ok()?;
    Some(if major < 2 { Flavour::One } else { Flavour::Two })
}

fn ask(program: &Path) -> Option<String> {
    let home = tempfile::Builder::new().prefix("hostler-version-").tempdir().ok()?;
    let mut command = Command::new(program);
    command.arg("--version").current_dir(home.path()).env("HOME", home.path());
    for variable in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
        command.env(variable, home.path().join(variable));
    }
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let deadline = Instant::now() + TIME_MAX;
    // A version is less than what a pipe holds, so it is read once the program has ended.
    while child.try_wait().ok()?.is_none() {
        if deadline < Instant::now() {
            // It may have ended by itself in the meantime.
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(POLL);
    }
    let said = child.wait_with_output().ok()?;
    let said = String::from_utf8_lossy(&said.stdout);
    let version = said.split_whitespace().find(|word| flavour(word).is_some() && word.contains('.'))?;
    Some(version.trim_start_matches('v').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_number_of_a_version_tells_its_kind() {
        for (version, expected) in [
            ("1.18.33", Some(Flavour::One)),
            ("0.15.0", Some(Flavour::One)),
            ("v2.0.26", Some(Flavour::Two)),
            ("2.0.0-beta.1", Some(Flavour::Two)),
            ("latest", None),
        ] {
            assert_eq!(flavour(version), expected, "{version}");
        }
    }
}
