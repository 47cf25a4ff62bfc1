//! `hostler review`: files looked at through the gates.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use hostler_policy::checks::{CHECKS, Gate};
use hostler_policy::guards::Scope;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::gates::changed::{self, Asked};
use crate::gates::review::{Look, Report, review};
use crate::gates::tools::Purpose;
use crate::gates::{self, record, render};
use crate::hook::World;
use crate::output;

/// What all gates together may take for one call; each tool has its own limit besides.
const TIME_MAX: Duration = Duration::from_secs(120);

/// Arguments.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub(crate) struct Args {
    /// The files
    #[arg(required_unless_present = "list", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Look through this gate only: 1 to 5, or `stop`; may be given several times
    #[arg(long, value_name = "GATE", value_parser = gate)]
    gate: Vec<Gate>,
    /// Judge everything in the files, and not only what is new
    #[arg(long)]
    whole: bool,
    /// Print a SARIF 2.1.0 log
    #[arg(long, conflicts_with = "human")]
    sarif: bool,
    /// Print text, which is the default
    #[arg(long)]
    human: bool,
    /// Name the checks with their gates
    #[arg(long)]
    list: bool,
}

fn gate(text: &str) -> Result<Gate, String> {
    let named = |gate: &&Gate| match gate.number() {
        Some(number) => number.to_string() == text,
        None => text == "stop",
    };
    Gate::ALL.iter().find(named).copied().ok_or_else(|| "use 1, 2, 3, 4, 5 or `stop`".to_owned())
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    if args.list {
        return list(json);
    }
    let cwd = std::env::current_dir().context("cannot tell the working directory")?;
    let world = World::at(&cwd);
    let root = &world.project.root;
    let mut paths = Vec::new();
    let mut outside = Vec::new();
    let scope = Scope::of(&world.config.settings.reviewed);
    for file in &args.files {
        let path = match std::fs::canonicalize(cwd.join(file)) {
            Ok(path) if path.is_file() => path,
            Ok(_) => return usage(file, "it is no regular file"),
            Err(error) => return usage(file, &error.to_string()),
        };
        let name = changed::name(root, &path).unwrap_or_else(|| path.display().to_string());
        if !scope.holds(&name) {
            outside.push(name);
        } else if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let deadline = Instant::now() + TIME_MAX;
    let session = world.state().and_then(gates::session);
    let asked = Asked { project: &world.project, session: world.state().zip(session.as_ref()), deadline };
    let files = if args.whole { changed::bare(root, &paths) } else { changed::named(&asked, &paths) };
    let report = review(&Look {
        root,
        files: &files,
        purpose: Purpose::Review,
        whole: args.whole,
        gates: &args.gate,
        deadline,
        checks: &world.config.settings.checks,
        tools: &world.config.gates.tools_as_asked(),
    });
    record::by_hand(&world, session.as_ref(), "review", &report);
    print(args, json, &report, &outside)?;
    Ok(if report.fails() { Exit::Finding } else { Exit::Ok })
}

fn print(args: &Args, json: bool, report: &Report, outside: &[String]) -> anyhow::Result<()> {
    if args.sarif {
        return output::json::print(&render::sarif(report));
    }
    if json && !args.human {
        let mut document = render::json(report);
        document["outside"] = outside.into();
        return output::json::print(&document);
    }
    let mut out = output::human::stdout();
    for name in outside {
        writeln!(out, "skipped: {name} is outside of `gates.paths`")?;
    }
    if report.files.is_empty() {
        writeln!(out, "nothing to review")?;
    } else {
        writeln!(out, "{}", render::human(report))?;
    }
    Ok(())
}

fn usage(file: &Path, why: &str) -> anyhow::Result<Exit> {
    writeln!(std::io::stderr(), "error: `{}` cannot be reviewed: {why}", file.display())?;
    Ok(Exit::Usage)
}

/// Every check of ours, in the order of gates.
fn list(json: bool) -> anyhow::Result<Exit> {
    if json {
        let checks: Vec<Value> = CHECKS
            .iter()
            .map(|check| {
                json!({
                    "check": check.id,
                    "gate": check.gate.number(),
                    "severity": check.severity.name(),
                    "summary": check.summary,
                })
            })
            .collect();
        output::json::print(&json!({ "checks": checks }))?;
        return Ok(Exit::Ok);
    }
    let mut out = output::human::stdout();
    for gate in Gate::ALL {
        match gate.number() {
            Some(number) => writeln!(out, "Gate {number}: {}", gate.title())?,
            None => writeln!(out, "At the end of a turn")?,
        }
        for check in CHECKS.iter().filter(|check| check.gate == gate) {
            writeln!(out, "  {:<20} {:<6} {}", check.id, check.severity.name(), check.summary)?;
        }
    }
    Ok(Exit::Ok)
}
