//! `hostler session`: the record of sessions, the same for every host.
//!
//! One file per command or pair of commands. What a command does to the record is an effect of
//! [`crate::session::effect`]; here it is read from the command line and told.

mod begin;
mod end;
mod history;
mod init;
mod log;
mod render;
mod search;
mod state;
mod status;
mod work;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use hostler_ledger::context;
use serde_json::{Value, json};

use crate::config::Config;
use crate::dirs::Dirs;
use crate::exit::Exit;
use crate::output;
use crate::output::panel::{Panel, Style};
use crate::project::Project;
use crate::session::{self, Applied, Sessions};

/// Keep the record of sessions: what was meant, done, reached, decided, and left to do
///
/// The record is `context.json`, nearest at or above the working directory; all work trees of a repository share
/// one. `context.md` beside it shows the last sessions.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Begin to keep sessions here: makes `context.json`
    Init(init::Args),
    /// Show the active session, the project's state and what is left to do
    Status(status::Args),
    /// Begin a session
    Begin(begin::BeginArgs),
    /// Close the active session
    End(end::Args),
    /// Add to the work log of the active session
    LogWork(log::WorkArgs),
    /// Add to what the active session reached
    LogAchievement(log::AchievementArgs),
    /// Record a decision and its reason in the active session
    LogChoice(log::ChoiceArgs),
    /// Add something that is left to do
    AddWork(work::AddArgs),
    /// Mark something that was left to do as done
    CompleteWork(work::CompleteArgs),
    /// Record version, branch, tests or status of the project
    UpdateState(state::Args),
    /// List sessions, newest first
    History(history::Args),
    /// Show everything that is recorded of a session
    Show(history::ShowArgs),
    /// Search the sessions and what is left to do
    Search(search::Args),
    /// Make `context.md` anew from the record
    Render(render::Args),
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    let here = Here::find()?;
    let done = match &args.command {
        Command::Init(args) => init::run(args, &here),
        Command::Status(args) => status::run(args, &here),
        Command::Begin(args) => begin::begin(args, &here),
        Command::End(args) => {
            return Ok(end::run(args, &here, json).unwrap_or_else(|error| fail(&error, json)));
        }
        Command::LogWork(args) => log::work(args, &here),
        Command::LogAchievement(args) => log::achievement(args, &here),
        Command::LogChoice(args) => log::choice(args, &here),
        Command::AddWork(args) => work::add(args, &here),
        Command::CompleteWork(args) => work::complete(args, &here),
        Command::UpdateState(args) => state::run(args, &here),
        Command::History(args) => history::run(args, &here),
        Command::Show(args) => history::show(args, &here),
        Command::Search(args) => search::run(args, &here),
        Command::Render(args) => render::run(args, &here),
    };
    match done {
        Ok(report) => report.with_notes(&here.config.faults).print(json),
        Err(error) => Ok(fail(&error, json)),
    }
}

fn fail(error: &anyhow::Error, json: bool) -> Exit {
    let exit = output::human::fail(error, json);
    if is_usage(error) { Exit::Usage } else { exit }
}

/// A dry run changes nothing and shows what would be.
#[derive(Debug, Clone, Copy, clap::Args)]
struct DryRun {
    /// Show what would be recorded, and record nothing
    #[arg(long)]
    dry_run: bool,
}

/// Where the command runs.
struct Here {
    cwd: PathBuf,
    project: Project,
    dirs: Dirs,
    config: Config,
}

/// No sessions are kept where the command runs.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct NotKept(String);

impl Here {
    fn find() -> anyhow::Result<Self> {
        let cwd = std::env::current_dir().context("cannot tell the working directory")?;
        let dirs = Dirs::from_env()?;
        let project = Project::find(&cwd);
        let config = Config::load(Some(&dirs), &project);
        Ok(Self { cwd, project, dirs, config })
    }

    fn sessions(&self) -> anyhow::Result<Sessions> {
        let found = Sessions::find(&self.cwd, &self.project, &self.dirs, &self.config);
        found.ok_or_else(|| {
            let here = self.dirs.tilde(&self.cwd);
            let why = match session::locate(&self.cwd, &self.project, Some(&self.dirs)) {
                Some(file) => format!(
                    "`activation.paths` of the configuration leaves `{}` out; add the project there, or work in \
                     one that it names",
                    self.dirs.tilde(&file)
                ),
                None => format!(
                    "no sessions are kept here: there is no `{}` at or above `{here}` in the project; make one \
                     with `hostler session init`",
                    session::locate::FILE
                ),
            };
            NotKept(why).into()
        })
    }

    /// For people.
    fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.project.root) {
            Ok(rest) => rest.display().to_string(),
            Err(_) => self.dirs.tilde(path),
        }
    }
}

/// What a command has to say, in both forms.
struct Report {
    panel: Panel,
    json: Value,
    /// Told on stderr, and in the JSON document.
    notes: Vec<String>,
}

impl Report {
    fn new(panel: Panel, json: Value) -> Self {
        Self { panel, json, notes: Vec::new() }
    }

    /// A change: `json` gets what all of them have.
    fn changed<T>(
        command: &str,
        dry_run: DryRun,
        applied: &Applied<T>,
        panel: Panel,
        mut json: Value,
    ) -> Self {
        json["command"] = command.into();
        json["dry_run"] = dry_run.dry_run.into();
        json["changed"] = applied.changed.into();
        let mut notes = applied.notes.clone();
        match &applied.view {
            None => {}
            Some(Ok(view)) => {
                json["view"] = json!({ "path": view.path, "changed": view.changed });
                notes.extend(view.problem.clone());
            }
            // The record is written; that its view is not takes nothing back.
            Some(Err(error)) => {
                json["view"] = Value::Null;
                notes.push(error.to_string());
            }
        }
        Self { panel, json, notes }
    }

    /// With this member of the document.
    fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.json[name] = value.into();
        self
    }

    fn with_notes(mut self, notes: &[String]) -> Self {
        self.notes.extend_from_slice(notes);
        self
    }

    fn print(mut self, json: bool) -> anyhow::Result<Exit> {
        for note in &self.notes {
            // Whoever closed stderr does not want to know.
            let _ = writeln!(std::io::stderr(), "note: {note}");
        }
        if json {
            self.json["notes"] = self.notes.into();
            output::json::print(&self.json)?;
        } else {
            let mut out = std::io::stdout().lock();
            out.write_all(self.panel.draw(Style::of_stdout()).as_bytes())?;
            out.flush()?;
        }
        Ok(Exit::Ok)
    }
}

/// Whether the command line has to change, and no file is at fault.
fn is_usage(error: &anyhow::Error) -> bool {
    let of_session = error.downcast_ref::<session::Error>().is_some_and(|error| {
        matches!(error, session::Error::Refused(_) | session::Error::Store(context::Error::Missing { .. }))
    });
    of_session || error.is::<NotKept>()
}

/// The beginning of a title: what was done, or would be.
fn done(dry_run: DryRun, done: &str, would: &str) -> String {
    if dry_run.dry_run { format!("would {would}") } else { done.to_owned() }
}

/// A text that says something.
fn text(value: &str) -> Result<String, String> {
    if value.trim().is_empty() {
        return Err("it is empty; say something".to_owned());
    }
    Ok(value.to_owned())
}
