//! `hostler session history` and `show`.

use hostler_ledger::context::Session;
use hostler_model::text::one_line;
use serde_json::{Value, json};

use super::{Here, Report};
use crate::output::panel::Panel;
use crate::session::effect::{Refused, moment};
use crate::session::{Error, describe};

/// List sessions, newest first
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How many
    #[arg(long, value_name = "NUMBER", default_value_t = 10)]
    limit: usize,
    /// All of them
    #[arg(long, conflicts_with = "limit")]
    all: bool,
}

/// Show everything that is recorded of a session
#[derive(Debug, clap::Args)]
pub(super) struct ShowArgs {
    /// Its number [default: the newest]
    number: Option<u64>,
}

pub(super) fn run(args: &Args, here: &Here) -> anyhow::Result<Report> {
    let sessions = here.sessions()?;
    let context = sessions.read()?;
    let limit = if args.all { usize::MAX } else { args.limit };
    let count = context.session_count();
    let mut panel = Panel::new(match count {
        1 => "1 session".to_owned(),
        count => format!("{count} sessions"),
    });
    let mut list: Vec<Value> = Vec::new();
    for (_, session) in context.newest_first().take(limit) {
        let number = format!("#{}", session.seq);
        let mark = format!("{number:<6}{}  {:<8}", time(&session.when), length(&session));
        panel.item(&mark, &one_line(&session.purpose));
        list.push(describe::session(&session));
    }
    if list.len() < count {
        panel.line(format!("… and {} more: hostler session history --all", count - list.len()));
    }
    let json = json!({ "file": sessions.file, "session_count": count, "sessions": list });
    Ok(Report::new(panel, json).with_notes(context.notes()))
}

pub(super) fn show(args: &ShowArgs, here: &Here) -> anyhow::Result<Report> {
    let context = here.sessions()?.read()?;
    let found = match args.number {
        Some(seq) => context.by_number(seq).ok_or(Error::Refused(Refused::UnknownSession { seq }))?,
        None => context.last().ok_or(Error::Refused(Refused::NoActive))?,
    };
    let session = found.1;
    let mut panel = Panel::new(format!("Session #{} | {}", session.seq, length(&session)));
    panel.line(format!("Purpose: {}", session.purpose));
    panel.line(format!("Began: {}", time(&session.when)));
    let facts = [
        ("Ended", session.ended.as_deref().map(time)),
        ("Outcome", session.outcome.clone()),
        ("Version", session.version.clone()),
        ("Branch", session.branch.clone()),
        ("Commit", session.commit.clone()),
        ("Tag", session.tag.clone()),
    ];
    for (label, fact) in facts {
        if let Some(fact) = fact {
            panel.line(format!("{label}: {fact}"));
        }
    }
    for host in &session.hosts {
        panel.line(format!("Host: {} {}", host.host, host.id));
    }
    list(&mut panel, "Objectives", session.objectives.iter().map(String::as_str));
    list(&mut panel, "Achievements", session.achievements.iter().map(String::as_str));
    if !session.choices.is_empty() {
        panel.rule().line("Choices:");
        for choice in &session.choices {
            panel.item("- ", &choice.choice).item("  ", &format!("Reason: {}", choice.reason));
        }
    }
    if !session.work_log.is_empty() {
        panel.rule().line("Work log:");
        for entry in &session.work_log {
            panel.item("- ", &format!("{} {}", time(&entry.when), entry.desc));
            for detail in &entry.details {
                panel.item("  - ", detail);
            }
        }
    }
    let json = json!({ "session": describe::session(&session) });
    Ok(Report::new(panel, json).with_notes(context.notes()))
}

fn list<'a>(panel: &mut Panel, title: &str, items: impl Iterator<Item = &'a str>) {
    let mut items = items.peekable();
    if items.peek().is_some() {
        panel.rule().line(format!("{title}:"));
    }
    for item in items {
        panel.item("- ", item);
    }
}

fn length(session: &Session) -> String {
    session.length.clone().unwrap_or_else(|| "active".to_owned())
}

/// A recorded time for people; what is no time is shown as it is.
fn time(text: &str) -> String {
    moment(text).map_or_else(|| text.to_owned(), |it| it.strftime("%Y-%m-%d %H:%M").to_string())
}
