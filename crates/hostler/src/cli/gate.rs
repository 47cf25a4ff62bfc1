//! `hostler gate`: whether a turn could end now, by the same rules as at its end.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::Context;
use hostler_model::SessionId;
use serde_json::json;

use crate::exit::Exit;
use crate::gates::stop::{self, Turn};
use crate::gates::{self, record, render};
use crate::hook::World;
use crate::output;

/// What all of it may take; each tool has its own limit besides.
const TIME_MAX: Duration = Duration::from_secs(600);

/// Arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session whose changes are looked at; else the one that did something last
    #[arg(long, value_name = "ID", conflicts_with = "all")]
    session: Option<String>,
    /// Look at everything that differs from the last commit, whoever changed it
    #[arg(long)]
    all: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    let cwd = std::env::current_dir().context("cannot tell the working directory")?;
    let world = World::at(&cwd);
    let session = match &args.session {
        Some(id) => match named(&world, id) {
            Ok(session) => Some(session),
            Err(why) => {
                writeln!(std::io::stderr(), "error: {why}")?;
                return Ok(Exit::Usage);
            }
        },
        None if args.all => None,
        None => world.state().and_then(gates::session),
    };
    let profile = world.config.settings.profile;
    let turn = Turn {
        project: &world.project,
        session: world.state().zip(session.as_ref()),
        gates: &world.config.gates,
        settings: &world.config.settings,
        profile,
        deadline: Instant::now() + TIME_MAX,
    };
    let Some(checked) = stop::check(&turn, None, None) else {
        if json {
            output::json::print(
                &json!({ "verdict": "pass", "session": session.map(|it| it.to_string()), "findings": [], "files": [] }),
            )?;
        } else {
            writeln!(output::human::stdout(), "nothing changed that the gates look at")?;
        }
        return Ok(Exit::Ok);
    };
    record::by_hand(&world, session.as_ref(), "gate", &checked.report);
    let passes = checked.passes(profile);
    if json {
        let mut document = render::json(&checked.report);
        document["verdict"] = if passes { "pass" } else { "fail" }.into();
        document["session"] = session.map(|it| it.to_string()).into();
        document["omitted"] = checked.omitted.into();
        document["holding"] = checked
            .holding(profile)
            .iter()
            .map(|(name, it)| render::finding(name, it))
            .collect::<Vec<_>>()
            .into();
        if !passes {
            document["reason"] = checked.reason(profile).into();
        }
        output::json::print(&document)?;
    } else {
        let mut out = output::human::stdout();
        if passes {
            writeln!(out, "{}", render::human(&checked.report))?;
        } else {
            writeln!(out, "{}", checked.reason(profile))?;
        }
        if checked.omitted != 0 {
            writeln!(
                out,
                "{} further changed files were not looked at (`gates.files_max`)",
                checked.omitted
            )?;
        }
    }
    Ok(if passes { Exit::Ok } else { Exit::Finding })
}

/// The session of this name.
pub(super) fn named(world: &World, id: &str) -> Result<SessionId, String> {
    let session = SessionId::parse(id).map_err(|error| error.to_string())?;
    let known = world.state().is_some_and(|state| hostler_ledger::journal::is_known(state, &session));
    if known { Ok(session) } else { Err(format!("no session of this project is called `{id}`")) }
}
