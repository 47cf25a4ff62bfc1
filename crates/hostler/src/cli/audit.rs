//! `hostler audit`: journals checked, shown, closed and exported, and what was found in the turns that they hold.

mod explain;
mod export;
mod findings;
mod key;
mod seal;
mod show;
mod verify;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use hostler_ledger::journal;
use hostler_ledger::redact::{preview, printable};

use crate::dirs::Dirs;
use crate::exit::Exit;
use crate::project::Project;

pub(super) use self::explain::{explain, is_finding};

/// Arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Check hashes, links, seals and signatures, and say what that excludes
    ///
    /// Ends with 0 when everything is in order, with 1 when a crash left a part of a line, with 4 when a
    /// chain or a signature is broken.
    Verify(verify::Args),
    /// Show what was recorded, oldest first; ends with 4 when a chain is broken
    Show(show::Args),
    /// List what was found in the agent's claims; ends with 1 when there is something, with 4 when a chain
    /// is broken: then there may be more
    Findings(findings::Args),
    /// Show how a finding came about, and how to switch its rule off
    Explain {
        /// The finding's id, as the report gives it: `361ac4e6-12.1`
        id: String,
    },
    /// Seal, sign and archive the journals of sessions that ended without it
    Seal(seal::Args),
    /// Show the public key that seals are signed with; made if there is none yet
    Key,
    /// Write records for other programs: as they are, as OpenTelemetry traces, as signed in-toto statements
    ///
    /// Ends with 4 when a chain is broken; nothing is stated (in-toto) about such a session.
    Export(export::Args),
    /// Answer turns from stdin with findings, line by line, for scoring against labels
    Rows(super::rows::Args),
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Verify(args) => verify::run(args, json),
        Command::Show(args) => show::run(args, json),
        Command::Findings(args) => findings::run(args, json),
        Command::Explain { id } => explain(id, json),
        Command::Seal(args) => seal::run(args, json),
        Command::Key => key::run(json),
        Command::Export(args) => export::run(args),
        Command::Rows(args) => super::rows::run(args),
    }
}

fn project_state() -> anyhow::Result<PathBuf> {
    let cwd = std::env::current_dir().context("cannot tell the working directory")?;
    Ok(Dirs::from_env()?.project_state(&Project::find(&cwd).key()))
}

/// The journals of each session whose name begins with `prefix`, in the order of its chain. A journal that cannot
/// be opened is `verify`'s business.
fn sessions(prefix: Option<&str>) -> anyhow::Result<BTreeMap<String, Vec<PathBuf>>> {
    let mut found: BTreeMap<String, Vec<(u64, PathBuf)>> = BTreeMap::new();
    for path in journal::files(&project_state()?)? {
        let Some(first) = journal::read(&path).ok().and_then(|mut records| records.next()) else { continue };
        let Some(session) = first.text(journal::SESSION) else { continue };
        if prefix.is_none_or(|prefix| session.starts_with(prefix)) {
            found.entry(session.to_owned()).or_default().push((first.sequence, path));
        }
    }
    let in_order = |mut files: Vec<(u64, PathBuf)>| {
        files.sort();
        files.into_iter().map(|(_, path)| path).collect()
    };
    Ok(found.into_iter().map(|(session, files)| (session, in_order(files))).collect())
}

/// Whether `prefix` begins no session's name, which is then said: a mistyped name must not look like a session
/// without findings.
fn is_unknown(prefix: Option<&str>) -> anyhow::Result<bool> {
    let Some(prefix) = prefix else { return Ok(false) };
    // One whose first record is damaged names no session; its file does.
    let named = |path: &PathBuf| path.file_name().is_some_and(|it| it.to_string_lossy().starts_with(prefix));
    if journal::files(&project_state()?)?.iter().any(named) || !sessions(Some(prefix))?.is_empty() {
        return Ok(false);
    }
    writeln!(
        std::io::stderr(),
        "error: no session of this project begins with `{}`; `hostler audit verify` lists the journals",
        preview(prefix, 100)
    )?;
    Ok(true)
}

/// Journals whose chain does not hold, and why: what is told of them may have been changed.
#[derive(Debug, Default)]
struct Broken(BTreeMap<PathBuf, String>);

impl Broken {
    /// Checks the journals of the sessions whose name begins with `prefix`.
    fn of(prefix: Option<&str>) -> anyhow::Result<Self> {
        let mut files = journal::files(&project_state()?)?;
        if let Some(prefix) = prefix {
            let told: Vec<PathBuf> = sessions(Some(prefix))?.into_values().flatten().collect();
            // One whose first record is damaged names no session; its file does.
            let named =
                |path: &PathBuf| path.file_name().is_some_and(|it| it.to_string_lossy().starts_with(prefix));
            files.retain(|path| named(path) || told.contains(path));
        }
        Ok(Self::among(&files))
    }

    fn among(files: &[PathBuf]) -> Self {
        let problem = |report: journal::Report| {
            let bad = report.bad?;
            // Archived between the two looks: it is read under its new name, or not at all.
            report
                .path
                .exists()
                .then(|| (report.path, format!("at record {}: {}", bad.sequence, bad.problem)))
        };
        Self(journal::verify_all(files).into_iter().filter_map(problem).collect())
    }

    /// What is wrong with a journal.
    fn why(&self, path: &Path) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// Tells it beside the output, and what the command ends with, `otherwise` if all is well.
    fn tell(&self, otherwise: Exit) -> anyhow::Result<Exit> {
        for (path, why) in &self.0 {
            let (path, why) = (path.display().to_string(), preview(why, 300));
            let path = printable(&path);
            writeln!(
                std::io::stderr(),
                "warning: the chain of `{path}` is broken ({why}): what it tells may have been changed; see `hostler audit verify`"
            )?;
        }
        Ok(if self.0.is_empty() { otherwise } else { Exit::Io })
    }
}

/// A moment: in the user's time zone for people, in UTC for programs.
pub(super) fn time(time_ms: i64, local: bool) -> String {
    let Ok(time) = jiff::Timestamp::from_millisecond(time_ms) else { return time_ms.to_string() };
    if local {
        time.to_zoned_datetime(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
    } else {
        time.to_string()
    }
}

/// Reads a moment: how long ago (`7d`, `24h`, `90m`), a day, or a time with its zone. Milliseconds since 1970.
pub(super) fn since(text: &str) -> Result<i64, String> {
    let zone = jiff::tz::TimeZone::system();
    if let Ok(span) = text.parse::<jiff::Span>() {
        let then = jiff::Timestamp::now().to_zoned_datetime(zone).checked_sub(span.abs());
        return then.map(|it| it.timestamp().as_millisecond()).map_err(|error| error.to_string());
    }
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Ok(time.as_millisecond());
    }
    let day = text.parse::<jiff::civil::Date>().and_then(|day| day.to_zoned_datetime(zone));
    day.map(|it| it.timestamp().as_millisecond())
        .map_err(|_| "use `7d`, `24h`, a day (`2026-11-30`) or a time (`2026-11-30T08:00:00Z`)".to_owned())
}
