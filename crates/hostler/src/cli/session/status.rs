//! `hostler session status`.

use hostler_ledger::context::{Context, State, Status};

use super::{Here, Report};
use crate::output::panel::Panel;
use crate::session::{close, describe, effect};

/// Open work that is shown.
const WORK_SHOWN_MAX: usize = 5;

/// Show the active session, the project's state and what is left to do
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// All that is left to do, not only the first five
    #[arg(long)]
    all: bool,
}

pub(super) fn run(args: &Args, here: &Here) -> anyhow::Result<Report> {
    let sessions = here.sessions()?;
    let context = sessions.read()?;
    let state = context.state();
    let mut panel = Panel::new(title(&context, &effect::now()));
    if let Some((_, session)) = context.active() {
        panel.line(format!("Purpose: {}", session.purpose));
    } else {
        panel.line("Begin one: hostler session begin --purpose TEXT");
    }
    for (label, text) in [("Version", &state.version), ("Branch", &state.branch)] {
        if !text.is_empty() {
            panel.line(format!("{label}: {text}"));
        }
    }
    if let Some(tests) = tests(state) {
        panel.line(format!("Test State: {tests}"));
    }
    let left = close::left_words(&sessions);
    if !left.is_empty() {
        panel.rule();
        for line in &left {
            panel.line(line);
        }
        panel.line("`hostler session end` does what is left of it.");
    }
    let open = effect::open_work(&context);
    if !open.is_empty() {
        panel.rule().line(format!("Left to do: {}", open.len()));
    }
    let shown = if args.all { open.len() } else { WORK_SHOWN_MAX };
    for work in open.iter().take(shown) {
        let mark = format!("{} {} ", work.priority.as_str(), work.id);
        panel.item(&mark, &work.description);
    }
    if shown < open.len() {
        panel.line(format!("… and {} more: hostler session status --all", open.len() - shown));
    }
    let mut json = describe::status(&context);
    json["file"] = sessions.file.display().to_string().into();
    json["active"] = context.active().is_some().into();
    json["closes_left"] = left.into();
    Ok(Report::new(panel, json).with_notes(context.notes()))
}

/// Number, most urgent open work, status and time of the current session.
pub(super) fn title(context: &Context, now: &str) -> String {
    let Some((_, session)) = context.active() else {
        return match context.last() {
            Some((_, last)) => format!("No active session | last: #{}", last.seq),
            None => "No active session".to_owned(),
        };
    };
    let urgent = effect::open_work(context).first().map(|it| format!(" | {}", it.priority.as_str()));
    let status = match &context.state().status {
        Status::Idle => "Idle",
        Status::Other(word) => word,
        Status::Active | Status::Closed => "Active",
    };
    let length = effect::length(&session.when, now);
    format!("Session #{}{} | {status} | {length}", session.seq, urgent.unwrap_or_default())
}

/// How the tests are, in words.
pub(super) fn tests(state: &State) -> Option<String> {
    match (&state.test_state, state.test_count) {
        (Some(text), _) => Some(text.clone()),
        (None, Some(count)) => Some(format!("{count} tests")),
        (None, None) => None,
    }
}
