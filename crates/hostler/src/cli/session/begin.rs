//! `hostler session begin`.

use serde_json::json;

use super::status::title;
use super::{DryRun, Here, Report, text};
use crate::output::panel::Panel;
use crate::session::effect::{self, Begin};
use crate::session::{describe, known};

/// Begin a session
///
/// Numbers it, and records version, branch and commit. Where one is active nothing is changed: go on with it, end
/// it, or close it as it stands with `--force`.
#[derive(Debug, clap::Args)]
#[command(disable_version_flag = true)]
pub(super) struct BeginArgs {
    /// What it is for
    #[arg(long, value_parser = text, allow_hyphen_values = true)]
    purpose: String,
    /// What is to be reached (several, or repeated)
    #[arg(long, value_parser = text, num_args = 1.., value_name = "TEXT")]
    objectives: Vec<String>,
    /// The project's version [default: what its manifest says]
    #[arg(long, value_parser = text)]
    version: Option<String>,
    /// The branch [default: the one that is checked out]
    #[arg(long, value_parser = text)]
    branch: Option<String>,
    /// Close an active session as it stands first
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    dry_run: DryRun,
}

pub(super) fn begin(args: &BeginArgs, here: &Here) -> anyhow::Result<Report> {
    let sessions = here.sessions()?;
    let request = Begin {
        purpose: args.purpose.clone(),
        objectives: args.objectives.clone(),
        version: args.version.clone().or_else(|| known::version(&sessions.root)),
        branch: args.branch.clone().or_else(|| known::branch(&here.project)),
        commit: here.project.commit(),
        host: None,
        force: args.force,
    };
    let now = effect::now();
    let applied = sessions.apply(args.dry_run.dry_run, |context| effect::begin(context, &request, &now))?;
    let begun = &applied.value;
    let session = applied.context.by_number(begun.seq).map(|(_, it)| it).unwrap_or_default();
    let mut panel = Panel::new(if args.dry_run.dry_run {
        format!("would begin session #{}", begun.seq)
    } else {
        title(&applied.context, &now)
    });
    panel.line(format!("Purpose: {}", session.purpose));
    for objective in &session.objectives {
        panel.item("- ", objective);
    }
    if let Some(branch) = &session.branch {
        panel.line(format!("Branch: {branch}"));
    }
    if let Some(version) = &session.version {
        panel.line(format!("Version: {version}"));
    }
    if let Some(replaced) = begun.replaced {
        panel.line(format!("Session #{replaced} was active and is closed as it stood"));
    }
    let json = json!({ "session": describe::session(&session), "replaced": begun.replaced });
    Ok(Report::changed("begin", args.dry_run, &applied, panel, json))
}
