//! `hostler session search`.

use hostler_policy::recall::{self, Limits, Match, Of, Query, Scope};
use serde_json::{Value, json};

use super::{Here, Report};
use crate::output::panel::Panel;
use crate::session::recall as records;

/// Search the sessions and the deferred work, newest first
///
/// Words are found in any case, whole or as the beginning of a word; Chinese, Japanese and Korean by pairs of
/// characters. Where more sessions match than are shown, those with the most of the words are.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What to look for
    #[arg(required = true, value_parser = word)]
    words: Vec<String>,
    /// Search all sessions
    #[arg(long, conflicts_with = "last")]
    all: bool,
    /// Search this many of the last sessions [default: as configured, 20]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    last: Option<u32>,
    /// Show this many matches [default: as configured, 10]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000))]
    results: Option<u32>,
}

pub(super) fn run(args: &Args, here: &Here) -> anyhow::Result<Report> {
    let query = Query::search(&args.words.join(" "));
    let sessions = here.sessions()?;
    let context = sessions.read()?;
    let configured = here.config.recall.limits;
    let size = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let limits = Limits {
        sessions: if args.all { None } else { args.last.map(size).or(configured.sessions) },
        results: args.results.map_or(configured.results, size),
    };
    let found = records::search(&context, &query, &limits);
    let count = context.session_count();
    let scope = Scope { sessions: count, damage: None };
    let mut panel = if found.matches.is_empty() {
        Panel::new(recall::nothing(&query, &found, scope))
    } else {
        Panel::new(format!("\"{}\": {}", query.shown(), recall::searched(&found, scope)))
    };
    if !found.matches.is_empty() {
        panel.rule();
    }
    for it in &found.matches {
        panel.item("- ", &recall::line(it));
    }
    if found.searched < count {
        panel.line(format!("Older sessions: hostler session search --all {}", query.shown()));
    } else if found.more {
        panel.line("More match: ask for them with --results NUMBER");
    }
    let json = json!({
        "file": sessions.file,
        "terms": query.terms().collect::<Vec<_>>(),
        "session_count": count,
        "searched": found.searched,
        "more": found.more,
        "matches": found.matches.iter().map(described).collect::<Vec<_>>(),
    });
    Ok(Report::new(panel, json).with_notes(context.notes()))
}

/// A word with something to look for in it.
fn word(value: &str) -> Result<String, String> {
    if Query::search(value).is_empty() {
        return Err("there is no letter or digit in it to look for".to_owned());
    }
    Ok(value.to_owned())
}

fn described(found: &Match) -> Value {
    let (session, date, work, state) = match &found.of {
        Of::Session { number, date } => (Some(number), Some(date), None, None),
        Of::Deferred { id, state } => (None, None, Some(id), Some(state)),
    };
    json!({
        "kind": found.kind.name(),
        "session": session,
        "date": date,
        "work": work,
        "state": state,
        "text": found.text,
        "terms": found.terms,
    })
}
