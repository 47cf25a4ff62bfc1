//! `hostler trace`.

mod check;
mod matrix;
mod review;
mod show;
mod summary;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use hostler_trace::settings;

use crate::dirs::Dirs;
use crate::exit::Exit;
use crate::project::Project;
use crate::trace::{Given, Trace};

/// What cites each requirement, and what tests of it came to
///
/// Requirements are read from the files that `trace.toml` names, or from those in usual places
/// (`requirements.*`, `docs/requirements.*`, `specs/*/spec.md`); tags are `@traces ID...` in comments of any language,
/// and the decorator of that name in Python. Without a further word it prints coverage and findings.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Args)]
struct Common {
    /// Read requirements from this file (.md, .csv, .tsv, .yaml, .json) instead of those that are configured
    #[arg(long, value_name = "FILE", global = true)]
    requirements: Vec<PathBuf>,
    /// Read results of tests from this file (`JUnit` XML, or what `cargo test` printed), folder of them, or `-` for
    /// standard input
    #[arg(long, value_name = "PATH", global = true)]
    results: Vec<PathBuf>,
    /// Read every file anew and remember nothing
    #[arg(long, global = true)]
    no_cache: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the matrix, write it into the project, or check that it is current
    Matrix(matrix::Args),
    /// Check coverage and findings: exit code 1 where something is not as asked
    Check(check::Args),
    /// Show everything about one requirement
    Show(show::Args),
    /// Say that what cites a requirement still fits its text; kept in `trace.lock`
    Review(review::Args),
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    let cwd = std::env::current_dir().context("there is no current folder; go to your project")?;
    let project = Project::find(&cwd);
    let state = if args.common.no_cache {
        None
    } else {
        // Without a home folder nothing is remembered, and everything else works.
        Dirs::from_env().ok().map(|dirs| dirs.project_state(&project.key()))
    };
    let given =
        Given { requirements: args.common.requirements.clone(), results: args.common.results.clone() };
    let root = root(&cwd, &project);
    let start = std::time::Instant::now();
    let Some(trace) = Trace::of(&root, state.as_deref(), &given)? else {
        bail!(
            "no requirements were found in `{}`; name their file with `--requirements FILE`, or in `trace.toml`",
            root.display()
        );
    };
    match &args.command {
        None => summary::run(&trace, start.elapsed(), json),
        Some(Command::Matrix(args)) => matrix::run(args, &trace, json),
        Some(Command::Check(args)) => check::run(args, &trace, json),
        Some(Command::Show(args)) => show::run(args, &trace, json),
        Some(Command::Review(args)) => review::run(args, &trace, json),
    }
}

/// The nearest folder at or above `cwd`, within the project, that has a `trace.toml`; else the project's top folder.
fn root(cwd: &Path, project: &Project) -> PathBuf {
    let start = std::fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_path_buf());
    // Without a repository nothing says where the project begins.
    let bounded = project.git_dir.is_some();
    let inside = start.ancestors().take_while(|it| !bounded || it.starts_with(&project.root));
    let found = inside.into_iter().find(|it| it.join(settings::FILE).is_file());
    found.map_or_else(|| project.root.clone(), Path::to_path_buf)
}

/// Now, to the second, as RFC 3339.
fn now() -> String {
    jiff::Timestamp::now().round(jiff::Unit::Second).unwrap_or_else(|_| jiff::Timestamp::now()).to_string()
}
