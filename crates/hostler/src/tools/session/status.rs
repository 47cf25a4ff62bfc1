//! `session-status`.

use super::{Argument, FILE, Here, Kind, STATE, WORK, refused, state_line, word};
use crate::session::{close, describe, effect};
use crate::tools::{Annotations, Answer, Call, Group, Tool};

/// Open work that is shown, if not all of it is asked for.
const WORK_SHOWN_MAX: usize = 5;

/// What is active, and what is left to do.
pub(crate) const TOOL: Tool = Tool {
    name: "session-status",
    title: "Session status",
    group: Group::Session,
    description: "Shows the project's active work session (number, purpose, how long, what was logged), the project's \
                  state (version, branch, tests) and deferred work by urgency. Call it when you begin to work, before \
                  you log anything, and to find the ids of deferred work. Changes nothing. Says \"No active session\" \
                  where none is active.",
    arguments: &[Argument::optional(
        "all",
        Kind::Flag,
        "list all deferred work, not only the 5 most urgent items",
    )],
    output: &[
        Argument::required("active", Kind::Flag, "whether a session is active"),
        Argument::optional(
            "session",
            Kind::Object(&[
                Argument::required("seq", Kind::Number, "its number"),
                Argument::required("when", Kind::Text, "when it began, RFC 3339 in UTC"),
                Argument::required("purpose", Kind::Text, "what it is for"),
                Argument::required("objectives", Kind::Lines, "what is to be reached"),
                Argument::required("achievements", Kind::Lines, "what was reached so far"),
            ]),
            "the active session",
        ),
        Argument::required("state", Kind::Object(STATE), "the project's state"),
        Argument::required(
            "work",
            Kind::Objects(WORK),
            "deferred work, most urgent first, as many items as asked for",
        ),
        Argument::required("work_count", Kind::Number, "how many items of deferred work are open"),
        Argument::required("session_count", Kind::Number, "how many sessions are recorded"),
    ],
    annotations: Annotations::Reads,
    run,
};

fn run(call: &Call<'_>) -> Result<Answer, String> {
    let here = Here::find(call.directory)?;
    // That none is kept here is an answer to this question, and no failure.
    let sessions = match here.sessions(call.directory) {
        Ok(sessions) => sessions,
        Err(why) => return Ok(Answer::new(why, nothing())),
    };
    let context = sessions.read().map_err(|error| refused(&error))?;
    let state = context.state();
    let open = effect::open_work(&context);
    let mut lines = Vec::new();
    if let Some((_, session)) = context.active() {
        let length = effect::length(&session.when, &effect::now());
        lines.push(format!("Session #{} | {} | {length}", session.seq, word(&state.status)));
        lines.push(format!("Purpose: {}", hostler_model::text::one_line(&session.purpose)));
        lines.extend(
            session.objectives.iter().map(|it| format!("Objective: {}", hostler_model::text::one_line(it))),
        );
        lines.push(format!(
            "Logged: {} work entries, {} achievements, {} choices",
            session.work_log.len(),
            session.achievements.len(),
            session.choices.len()
        ));
    } else {
        let last = context.last().map(|(_, last)| format!(" | last: #{}", last.seq)).unwrap_or_default();
        lines.push(format!("No active session{last}"));
        lines.push("Begin one with the tool `session-begin`".to_owned());
    }
    lines.extend(Some(state_line(state)).filter(|it| !it.is_empty()));
    lines.extend(close::left_words(&sessions));
    if !open.is_empty() {
        lines.push(format!("Left to do: {}", open.len()));
    }
    let shown = if call.flag("all") { open.len() } else { WORK_SHOWN_MAX };
    for work in open.iter().take(shown) {
        let text = hostler_model::text::one_line(&work.description);
        lines.push(format!("- {} {} {text}", work.priority.as_str(), work.id));
    }
    if shown < open.len() {
        lines.push(format!("… and {} more: call again with `all`", open.len() - shown));
    }
    lines.extend(context.notes().iter().map(|it| format!("Note ({FILE}): {it}")));
    let mut structured = describe::status(&context);
    structured["active"] = context.active().is_some().into();
    structured["work_count"] = open.len().into();
    if let Some(work) = structured["work"].as_array_mut() {
        work.truncate(shown);
    }
    Ok(Answer::new(lines.join("\n"), structured))
}

/// The structured answer where no sessions are kept.
fn nothing() -> serde_json::Value {
    let state = describe::state(&effect::first_state(&effect::Update::default()));
    serde_json::json!({ "active": false, "state": state, "work": [], "work_count": 0, "session_count": 0 })
}
