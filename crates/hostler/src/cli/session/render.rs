//! `hostler session render`.

use serde_json::json;

use super::{DryRun, Here, Report};
use crate::output::panel::Panel;
use crate::session::render;

/// Make `context.md` anew from the record
///
/// It happens by itself with every change; this is for a template that is being written, for a file that hostler did
/// not make and therefore leaves alone, and for a record with the marks of a merge, which is put right first.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Replace a file that hostler did not make
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    dry_run: DryRun,
}

pub(super) fn run(args: &Args, here: &Here) -> anyhow::Result<Report> {
    let sessions = here.sessions()?;
    let shown = here.shown(&sessions.view());
    if args.dry_run.dry_run {
        let context = sessions.read()?;
        let rendered = render::render(&context, &sessions.root, &sessions.user);
        let mut panel = Panel::new(format!("would make {shown}"));
        panel.rule();
        for line in rendered.text.lines() {
            panel.line(line);
        }
        let json = json!({
            "command": "render",
            "dry_run": true,
            "path": sessions.view(),
            "text": rendered.text,
        });
        return Ok(Report::new(panel, json)
            .with_notes(context.notes())
            .with_notes(&rendered.problem.into_iter().collect::<Vec<_>>()));
    }
    // After a merge there may be nothing to record that would put it right.
    let repaired = match sessions.read()?.notes() {
        [] => Vec::new(),
        _ => sessions.store.update(|_| ())?.notes,
    };
    let view = render::refresh(&sessions, args.force)?;
    let state = if view.changed { "made anew" } else { "up to date" };
    let json = json!({ "command": "render", "dry_run": false, "path": view.path, "changed": view.changed });
    let notes: Vec<String> = repaired.into_iter().chain(view.problem).collect();
    Ok(Report::new(Panel::new(format!("{shown} | {state}")), json).with_notes(&notes))
}
