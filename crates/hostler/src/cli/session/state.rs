//! `hostler session update-state`.

use hostler_ledger::context::Status;
use serde_json::json;

use super::{DryRun, Here, Report, done, text};
use crate::output::panel::Panel;
use crate::session::describe;
use crate::session::effect::{self, Update};

/// Record version, branch, tests or status of the project
#[derive(Debug, clap::Args)]
#[command(disable_version_flag = true)]
#[group(required = true, multiple = true, args = ["version", "branch", "test_state", "test_count", "status"])]
pub(super) struct Args {
    /// The project's version
    #[arg(long, value_parser = text)]
    version: Option<String>,
    /// The branch
    #[arg(long, value_parser = text)]
    branch: Option<String>,
    /// How the tests went, in words: "3/15 passing"
    #[arg(long, value_parser = text, value_name = "TEXT")]
    test_state: Option<String>,
    /// How many tests there are
    #[arg(long, value_name = "NUMBER")]
    test_count: Option<u64>,
    /// active, idle or closed
    #[arg(long, value_parser = status)]
    status: Option<Status>,
    #[command(flatten)]
    dry_run: DryRun,
}

pub(super) fn run(args: &Args, here: &Here) -> anyhow::Result<Report> {
    let update = Update {
        version: args.version.clone(),
        branch: args.branch.clone(),
        test_state: args.test_state.clone(),
        test_count: args.test_count,
        status: args.status.clone(),
    };
    let applied =
        here.sessions()?.apply(args.dry_run.dry_run, |context| effect::update_state(context, &update))?;
    let state = applied.context.state();
    let mut panel = Panel::new(done(args.dry_run, "state updated", "update the state"));
    panel.line(format!("Status: {}", state.status.as_str()));
    panel.line(format!("Version: {}", state.version));
    panel.line(format!("Branch: {}", state.branch));
    if let Some(tests) = super::status::tests(state) {
        panel.line(format!("Test State: {tests}"));
    }
    let json = json!({ "state": describe::state(state) });
    Ok(Report::changed("update-state", args.dry_run, &applied, panel, json))
}

fn status(value: &str) -> Result<Status, String> {
    match Status::parse(value) {
        Status::Other(_) => Err("it is none of active, idle, closed".to_owned()),
        known => Ok(known),
    }
}
