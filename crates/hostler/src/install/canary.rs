//! Runs a registered hook as the client would, on a call that must be stopped.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use hostler_host::claude::canary::{self, Outcome};
use hostler_host::claude::settings::{Form, Registered};
use hostler_host::opencode::canary as bridge_canary;

use super::found::{Origin, Source};

/// The longest that is waited for, whatever the entry says.
const TIME_MAX: Duration = Duration::from_secs(60);
/// What the plugin waits for at most.
const BRIDGE_TIME_MAX: Duration = Duration::from_secs(10);
/// What the client waits for without a `timeout`, seconds.
const TIMEOUT_DEFAULT_S: i64 = 600;
/// More output than this is no reply.
const OUTPUT_BYTES_MAX: u64 = 1024 * 1024;

/// Starts `entry` with a payload about `rm -rf /` and says how it went.
///
/// State goes to a folder that is gone afterwards, so that nothing appears in the user's evidence; the
/// profile is `standard`, since `observe` stops nothing by design.
///
/// # Errors
/// Why the call was not stopped.
pub(crate) fn run(source: &Source, entry: &Registered) -> Result<Duration, String> {
    let limit = u64::try_from(entry.timeout_s.unwrap_or(TIMEOUT_DEFAULT_S)).unwrap_or(0);
    let mut command = command(entry);
    command.env("CLAUDECODE", "1");
    if let Origin::Plugin(_, root) = &source.origin {
        command.env("CLAUDE_PLUGIN_ROOT", root);
    }
    probe(&mut command, Duration::from_secs(limit).min(TIME_MAX), canary::payload, canary::judge)
}

/// Starts the bridge of `binary` as the plugin of `OpenCode` would, and asks it the same.
///
/// # Errors
/// Why the call was not stopped.
pub(crate) fn run_bridge(binary: &Path) -> Result<Duration, String> {
    let mut command = Command::new(binary);
    command.args(["bridge", "opencode"]).env("OPENCODE", "1").env("HOSTLER_DOCTOR", "1");
    let lines = |cwd: &str| bridge_canary::lines(cwd, env!("CARGO_PKG_VERSION"));
    probe(&mut command, BRIDGE_TIME_MAX, lines, bridge_canary::judge)
}

/// Asks a program in a project and a state of its own, which are gone afterwards.
fn probe(
    command: &mut Command,
    limit: Duration,
    payload: impl Fn(&str) -> String,
    judge: impl Fn(&str) -> Outcome,
) -> Result<Duration, String> {
    let folder = tempfile::Builder::new().prefix("hostler-doctor-").tempdir();
    let folder = folder.map_err(|error| format!("no temporary folder can be made: {error}"))?;
    let cwd = folder.path().join("project");
    let configuration = cwd.join(crate::config::PROJECT_FILE);
    // Without a configuration a project may be none that is looked after.
    configuration
        .parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(&configuration, "version = 1\n"))
        .map_err(|error| format!("no temporary folder can be made: {error}"))?;
    command
        .current_dir(&cwd)
        .env("CLAUDE_PROJECT_DIR", &cwd)
        .env("HOSTLER_PROFILE", "standard")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for variable in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
        command.env(variable, folder.path().join(variable));
    }
    let name = command.get_program().to_string_lossy().into_owned();
    let started = Instant::now();
    let mut child = command.spawn().map_err(|error| format!("`{name}` does not start: {error}"))?;
    let answer = converse(&mut child, &payload(&cwd.to_string_lossy()), limit);
    let took = started.elapsed();
    if answer.is_none() {
        // It may have ended by itself in the meantime.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| format!("`{name}` was lost: {error}"))?;
    let Some((stdout, stderr)) = answer else {
        return Err(format!("it did not answer within its {} s", limit.as_secs()));
    };
    match judge(&stdout) {
        Outcome::Denied => Ok(took),
        Outcome::NotDenied(said) if status.success() => Err(said),
        Outcome::NotDenied(said) => {
            let last = stderr.trim().lines().last().unwrap_or_default().to_owned();
            Err(format!("{said}; {status}{}{last}", if last.is_empty() { "" } else { ": " }))
        }
    }
}

fn command(entry: &Registered) -> Command {
    match &entry.form {
        Form::Exec(args) => {
            let mut command = Command::new(&entry.command);
            command.args(args);
            command
        }
        Form::Shell => {
            let mut command = Command::new("/bin/sh");
            command.arg("-c").arg(&entry.command);
            command
        }
    }
}

/// Both outputs, or nothing if they do not end in time.
fn converse(child: &mut Child, payload: &str, limit: Duration) -> Option<(String, String)> {
    let (sender, receiver) = mpsc::channel();
    let outputs: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|it| Box::new(it) as Box<dyn Read + Send>),
        child.stderr.take().map(|it| Box::new(it) as Box<dyn Read + Send>),
    ];
    for (index, output) in outputs.into_iter().enumerate() {
        let sender = sender.clone();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(output) = output {
                // What was read until the fault is what there is.
                let _ = output.take(OUTPUT_BYTES_MAX).read_to_end(&mut bytes);
            }
            let _ = sender.send((index, String::from_utf8_lossy(&bytes).into_owned()));
        });
    }
    if let Some(mut stdin) = child.stdin.take() {
        // A hook that does not read is judged by what it says.
        let _ = stdin.write_all(payload.as_bytes());
    }
    let deadline = Instant::now() + limit;
    let mut texts = [None, None];
    while texts.iter().any(Option::is_none) {
        let left = deadline.saturating_duration_since(Instant::now());
        let (index, text): (usize, String) = receiver.recv_timeout(left).ok()?;
        texts[index] = Some(text);
    }
    let [stdout, stderr] = texts;
    Some((stdout?, stderr?))
}

/// What is wrong with the file that an entry starts, and what to do.
pub(crate) fn check_program(path: &Path) -> Result<(), (String, &'static str)> {
    let again = "run `hostler init` with the binary that is to be used";
    if !path.is_absolute() {
        return Err((format!("`{}` is not an absolute path", path.display()), again));
    }
    let meta = match std::fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err((format!("`{}` is gone", path.display()), again));
        }
        Err(error) => return Err((format!("`{}` cannot be looked at: {error}", path.display()), again)),
    };
    if !meta.is_file() {
        return Err((format!("`{}` is no file", path.display()), again));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| std::fs::metadata(path).map_or(0, |it| it.permissions().mode());
        if mode(path) & 0o111 == 0 {
            return Err((format!("`{}` is not executable", path.display()), "`chmod +x` it"));
        }
        if mode(path) & 0o002 != 0 {
            return Err((
                format!("everybody may overwrite `{}`", path.display()),
                "`chmod o-w` it, and make sure that it still is what you installed",
            ));
        }
        let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        for folder in [path.parent(), real.parent()].into_iter().flatten() {
            // In a sticky folder only the owner may replace a file.
            if mode(folder) & 0o1002 == 0o002 {
                return Err((
                    format!("everybody may replace files in `{}`", folder.display()),
                    "`chmod o-w` it, or install the binary elsewhere",
                ));
            }
        }
    }
    Ok(())
}
