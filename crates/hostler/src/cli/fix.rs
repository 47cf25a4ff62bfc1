//! `hostler fix`: layout and safe fixes, by the project's own programs.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::json;

use super::gate::named;
use crate::exit::Exit;
use crate::gates::changed::{self, Asked};
use crate::gates::fix::{Mend, mend};
use crate::gates::tools::Outcome;
use crate::gates::{self, render};
use crate::hook::World;
use crate::output;

/// What all programs together may take.
const TIME_MAX: Duration = Duration::from_secs(120);

/// Arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The files; else those that the session changed
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The session whose files are meant; else the one that did something last
    #[arg(long, value_name = "ID", conflicts_with = "files")]
    session: Option<String>,
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    let cwd = std::env::current_dir().context("cannot tell the working directory")?;
    let world = World::at(&cwd);
    let root = &world.project.root;
    let deadline = Instant::now() + TIME_MAX;
    let files = if args.files.is_empty() {
        let session = match &args.session {
            Some(id) => match named(&world, id) {
                Ok(session) => Some(session),
                Err(why) => {
                    writeln!(std::io::stderr(), "error: {why}")?;
                    return Ok(Exit::Usage);
                }
            },
            None => world.state().and_then(gates::session),
        };
        let session = world.state().zip(session.as_ref());
        changed::files(&Asked { project: &world.project, session, deadline }, None)
    } else {
        let mut paths = Vec::new();
        for file in &args.files {
            match std::fs::canonicalize(cwd.join(file)) {
                Ok(path) if path.is_file() => paths.push(path),
                Ok(_) => anyhow::bail!("`{}` is no regular file", file.display()),
                Err(error) => anyhow::bail!("`{}` cannot be read: {error}", file.display()),
            }
        }
        changed::bare(root, &paths)
    };
    let mended = mend(&Mend {
        root,
        files: &files,
        layout_only: false,
        deadline,
        tools: &world.config.gates.tools(world.config.settings.profile),
    });
    if json {
        output::json::print(&json!({
            "changed": mended.changed,
            "files": files.iter().map(|file| &file.name).collect::<Vec<_>>(),
            "runs": mended.runs.iter().map(render::run).collect::<Vec<_>>(),
            "faults": mended.faults,
        }))?;
    } else {
        let mut out = output::human::stdout();
        for name in &mended.changed {
            writeln!(out, "changed {name}")?;
        }
        if mended.changed.is_empty() {
            writeln!(out, "nothing to change in {}", render::counted(files.len(), "file"))?;
        }
        for run in &mended.runs {
            if let Outcome::NotRun { reason } = &run.outcome {
                writeln!(out, "not run: {}: {}", run.tool, render::cut(reason))?;
            }
        }
        for fault in &mended.faults {
            writeln!(out, "error: {fault}")?;
        }
    }
    Ok(if mended.faults.is_empty() { Exit::Ok } else { Exit::Io })
}
