//! Which `OpenCode` would be started here.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hostler_host::opencode::settings::Flavour;
use serde_json::Value;

/// Names under which it is installed: of both versions.
const NAMES: [&str; 1] = ["opencode"];
/// Where its own installer puts it, below the home folder.
const HOME_FOLDERS: [&str; 2] = [".opencode/bin", ".local/bin"];
/// How long it may take to say its version.
const VERSION_TIME_MAX: Duration = Duration::from_secs(10);
/// How long it may take to start: a first start may install packages.
const START_TIME_MAX: Duration = Duration::from_secs(120);
/// More output than this is not read.
const OUTPUT_BYTES_MAX: u64 = 16 * 1024 * 1024;
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
    let said = run(&mut command, VERSION_TIME_MAX).ok()?;
    let version = said.split_whitespace().find(|word| flavour(word).is_some() && word.contains('.'))?;
    Some(version.trim_start_matches('v').to_owned())
}

/// Starts the client once, as far as its plugins: it prints its configuration and ends.
///
/// # Errors
/// It does not start, does not end in time, or ends with an error.
pub(crate) fn start(program: &Path, directory: &Path) -> Result<(), String> {
    run(Command::new(program).args(["debug", "config"]).current_dir(directory), START_TIME_MAX).map(drop)
}

/// The newest session that the client has of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Session {
    pub(crate) id: String,
    /// When it was last worked in.
    pub(crate) time_ms: i64,
}

/// Asks the client, without plugins, for the newest session of `directory`.
pub(crate) fn newest_session(program: &Path, directory: &Path) -> Option<Session> {
    let mut command = Command::new(program);
    command
        .args(["session", "list", "--pure", "--format", "json", "--max-count", "1"])
        .current_dir(directory);
    session(&run(&mut command, START_TIME_MAX).ok()?)
}

fn session(list: &str) -> Option<Session> {
    let list: Value = serde_json::from_str(list.trim()).ok()?;
    let newest = list.get(0)?;
    Some(Session { id: newest["id"].as_str()?.to_owned(), time_ms: newest["updated"].as_i64()? })
}

/// Processes of the client in `directory` or below that load no plugin. None where the system does not tell.
pub(crate) fn pure_processes(directory: &Path) -> Vec<u32> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pure = |pid: &u32| {
        let folder = PathBuf::from(format!("/proc/{pid}"));
        let words = std::fs::read(folder.join("cmdline")).unwrap_or_default();
        let mut words = words.split(|it| *it == 0);
        let program = words.next().unwrap_or_default();
        // Launchers of packages are scripts: then the second word is the program.
        let first: Vec<&[u8]> = [program].into_iter().chain(words.clone().take(1)).collect();
        first.iter().any(|it| it.ends_with(b"opencode"))
            && words.any(|it| it == b"--pure")
            && std::fs::read_link(folder.join("cwd")).is_ok_and(|cwd| cwd.starts_with(directory))
    };
    let pids = processes.flatten().filter_map(|it| it.file_name().to_str()?.parse().ok());
    let mut pids: Vec<u32> = pids.filter(pure).collect();
    pids.sort_unstable();
    pids
}

/// The search program that the client's tools need.
pub(crate) fn ripgrep(home: &Path) -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|it| it.is_absolute());
    let own = cache.unwrap_or_else(|| home.join(".cache")).join("opencode/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("rg{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).chain([own]).map(|folder| folder.join(&name)).find(|it| it.is_file())
}

/// What a command says on its output, if it ends well and in time.
fn run(command: &mut Command, limit: Duration) -> Result<String, String> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.map_err(|error| format!("it does not start: {error}"))?;
    let output = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(output) = output {
            // What was read until the fault is what there is.
            let _ = output.take(OUTPUT_BYTES_MAX).read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let deadline = Instant::now() + limit;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => std::thread::sleep(POLL),
            Ok(None) => {
                // It may have ended by itself in the meantime.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it did not end within {} s", limit.as_secs()));
            }
            Err(error) => return Err(format!("it was lost: {error}")),
        }
    };
    if !status.success() {
        return Err(status.to_string());
    }
    reader.join().map_err(|_| "its output could not be read".to_owned())
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

    #[test]
    fn a_list_of_sessions_tells_the_newest() {
        let list = r#"[{"id":"ses_1","title":"x","updated":1700000000000,"directory":"/p"}]"#;
        let expected = Session { id: "ses_1".to_owned(), time_ms: 1_700_000_000_000 };
        assert_eq!(session(list), Some(expected));
        assert_eq!(session("[]"), None);
        assert_eq!(session(""), None);
    }
}
