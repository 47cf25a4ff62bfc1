//! `hostler statusline`: one line about the session for the client to show, read off what stands there.
//!
//! The client starts it after every message, so it goes the short way: no argument parser, no journal, and of a long
//! record of sessions only what was looked up before. It never fails: what cannot be told is left out.

mod glance;
mod line;

use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::panic::catch_unwind;
use std::path::PathBuf;
use std::process::ExitCode;

use hostler_host::claude::status_line::{self, Told};
use hostler_ledger::{journal, state};
use hostler_model::SessionId;

use self::line::{Line, Style};
use crate::hook::{FINDINGS, STOPPED, World};
use crate::session::locate::Sessions;

/// What a client tells is some hundred bytes.
const PAYLOAD_BYTES_MAX: u64 = 1024 * 1024;
/// Columns where nobody says how many there are.
const WIDTH: usize = 120;
/// Columns of the terminal that the client keeps for itself.
const MARGIN: usize = 4;

/// Whether the words after `statusline` are for this path: anything but a call for help.
pub(crate) fn takes(mut arguments: impl Iterator<Item = OsString>) -> bool {
    !arguments.any(|word| word == "--help" || word == "-h" || word == "help")
}

/// Prints the line.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    std::panic::set_hook(Box::new(|_| {}));
    let style = style(arguments);
    let shown = catch_unwind(|| gather().print(style)).unwrap_or_else(|_| "hostler".to_owned());
    // A client that closed the pipe reads no line.
    let _ = writeln!(std::io::stdout(), "{shown}");
    ExitCode::SUCCESS
}

fn style(arguments: impl Iterator<Item = OsString>) -> Style {
    let words: Vec<String> = arguments.map(|word| word.to_string_lossy().into_owned()).collect();
    let columns = |text: &str| text.parse::<usize>().ok().filter(|columns| 0 < *columns);
    let value = |at: usize| words.get(at + 1).map(String::as_str);
    let width = words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix("--width") {
        Some("") => columns(value(at)?),
        Some(rest) => columns(rest.strip_prefix('=')?),
        None => None,
    });
    let told = std::env::var("COLUMNS").ok().and_then(|text| columns(&text));
    let told = told.map(|columns| columns.saturating_sub(MARGIN).max(1));
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let plain = no_color || dumb || words.iter().any(|word| word == "--plain");
    Style { color: !plain, width: width.or(told).unwrap_or(WIDTH) }
}

fn gather() -> Line {
    let told = told();
    let cwd = told.cwd.or_else(|| std::env::current_dir().ok()).unwrap_or_else(|| PathBuf::from("/"));
    let world = World::between(&cwd, told.project);
    let mut line = Line {
        context_percent: told.context_percent,
        branch: world.project.branch(),
        profile: world.config.settings.profile.name(),
        faulty: !world.config.faults.is_empty(),
        ..Line::default()
    };
    let session = told.session.and_then(|session| SessionId::parse(&session).ok());
    if let (Some(folder), Some(session)) = (world.state(), session) {
        let state = state::load(folder, &session).ok();
        let counter = |name: &str| state.as_ref().map_or(0, |state| state.counter(name));
        line.stopped = counter(STOPPED);
        line.findings = counter(FINDINGS);
        // The start of a session is recorded: without a record the client does not call us.
        line.silent = !journal::is_known(folder, &session);
    }
    if let Some(dirs) = &world.dirs {
        let sessions = Sessions::find(&cwd, &world.project, dirs, &world.config);
        line.session = sessions.and_then(|sessions| glance::session(&sessions));
    }
    line
}

/// What the client says on stdin; nothing where a person typed the command.
fn told() -> Told {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Told::default();
    }
    let mut payload = Vec::new();
    // What was read until the fault may still be enough.
    let _ = stdin.lock().take(PAYLOAD_BYTES_MAX).read_to_end(&mut payload);
    status_line::read(&payload)
}
