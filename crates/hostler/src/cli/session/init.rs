//! `hostler session init`.

use serde_json::json;

use super::{DryRun, Here, NotKept, Report, done};
use crate::output::panel::Panel;
use crate::session::effect::{self, Update};
use crate::session::{Sessions, describe, known, locate, render};

/// Begin to keep sessions here: makes `context.json`
///
/// In the top folder of the project, of the main work tree where there are several. What is not said is read
/// from the project: the version from `Cargo.toml`, `pyproject.toml` or `package.json`, the branch from git.
/// Where there is a record already nothing is changed.
#[derive(Debug, clap::Args)]
#[command(disable_version_flag = true)]
pub(super) struct Args {
    /// The project's version
    #[arg(long, value_parser = super::text)]
    version: Option<String>,
    /// The branch
    #[arg(long, value_parser = super::text)]
    branch: Option<String>,
    /// How many tests there are
    #[arg(long, value_name = "NUMBER")]
    test_count: Option<u64>,
    #[command(flatten)]
    dry_run: DryRun,
}

pub(super) fn run(args: &Args, here: &Here) -> anyhow::Result<Report> {
    let known = locate::locate(&here.cwd, &here.project, Some(&here.dirs));
    let sessions = match &known {
        Some(_) => here.sessions()?,
        None => new(here)?,
    };
    let state = effect::first_state(&Update {
        version: args.version.clone().or_else(|| known::version(&sessions.root)),
        branch: args.branch.clone().or_else(|| known::branch(&here.project)),
        test_count: args.test_count,
        ..Update::default()
    });
    let shown = here.shown(&sessions.file);
    // What is there and holds nothing is nobody's.
    let would = known.is_none();
    let created = if args.dry_run.dry_run { would } else { would && sessions.store.create(state.clone())? };
    let mut notes = Vec::new();
    if created && !args.dry_run.dry_run {
        match render::refresh(&sessions, false) {
            Ok(view) => notes.extend(view.problem),
            Err(error) => notes.push(error.to_string()),
        }
    }
    let mut json = json!({
        "command": "init",
        "dry_run": args.dry_run.dry_run,
        "changed": created,
        "file": sessions.file,
    });
    if !created {
        let context = sessions.read()?;
        let mut panel = Panel::new(format!("{shown} is there already"));
        panel.line(format!("Sessions: {}", context.session_count()));
        json["state"] = describe::state(context.state());
        return Ok(Report::new(panel, json).with_notes(context.notes()));
    }
    json["state"] = describe::state(&state);
    let or_unknown = |text: &str| if text.is_empty() { "unknown".to_owned() } else { text.to_owned() };
    let mut panel = Panel::new(done(args.dry_run, &format!("made {shown}"), &format!("make {shown}")));
    panel.line(format!("Version: {}", or_unknown(&state.version)));
    panel.line(format!("Branch: {}", or_unknown(&state.branch)));
    panel.rule().line("Next: start a session of the agent, or `hostler session begin --purpose TEXT`");
    Ok(Report::new(panel, json).with_notes(&notes))
}

fn new(here: &Here) -> anyhow::Result<Sessions> {
    let sessions = Sessions::new(&here.project, &here.dirs);
    let home = std::fs::canonicalize(&here.dirs.home).unwrap_or_else(|_| here.dirs.home.clone());
    let shown = here.dirs.tilde(&sessions.root);
    if sessions.root == home || sessions.root.parent().is_none() {
        return Err(NotKept(format!("`{shown}` is no project; go to one and run this again")).into());
    }
    if !locate::is_active(&sessions.root, &here.config.activation, Some(&here.dirs.home)) {
        let why = format!(
            "`activation.paths` of the configuration leaves `{shown}` out; add it there, then run this again"
        );
        return Err(NotKept(why).into());
    }
    let blank = |bytes: Vec<u8>| bytes.trim_ascii().is_empty();
    let is_regular = std::fs::metadata(&sessions.file).is_ok_and(|it| it.is_file());
    if sessions.file.exists() && !(is_regular && std::fs::read(&sessions.file).is_ok_and(blank)) {
        let why = format!(
            "`{}` is there and is no record of sessions; move it away, or keep sessions in another folder",
            here.dirs.tilde(&sessions.file)
        );
        return Err(NotKept(why).into());
    }
    Ok(sessions)
}
