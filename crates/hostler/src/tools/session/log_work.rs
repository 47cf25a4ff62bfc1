//! `session-log-work`.

use serde_json::json;

use super::{Argument, Kind, SESSION, change, items, notes};
use crate::session::effect;
use crate::tools::{Annotations, Answer, Call, Group, Tool};

/// Adds to the work log.
pub(crate) const TOOL: Tool = Tool {
    name: "session-log-work",
    title: "Log work",
    group: Group::Session,
    description: "Adds an entry to the work log of the active session: what was just done. Call it after each finished \
                  step that somebody will want to know of later, with facts, not plans. Returns what was recorded; \
                  secrets are removed.",
    arguments: &[
        Argument::required("desc", Kind::Text, "what was done, in one sentence"),
        Argument::optional("details", Kind::Texts, "in detail, one text each: files, commands, results"),
    ],
    output: &[
        SESSION,
        Argument::required("desc", Kind::Text, "what was recorded"),
        Argument::required("details", Kind::Lines, "the details that were recorded"),
    ],
    annotations: Annotations::Adds,
    run,
};

fn run(call: &Call<'_>) -> Result<Answer, String> {
    let (desc, details, now) = (call.required("desc"), call.texts("details"), effect::now());
    let applied = change(call.directory, |context| effect::log_work(context, desc, &details, &now))?;
    let seq = applied.value;
    let entry = applied.context.by_number(seq).and_then(|(_, it)| it.work_log.last().cloned());
    let entry = entry.unwrap_or_default();
    let text = format!(
        "Session #{seq}: work logged: {}{}{}",
        hostler_model::text::one_line(&entry.desc),
        items(&entry.details),
        notes(&applied)
    );
    Ok(Answer::new(text, json!({ "session": seq, "desc": entry.desc, "details": entry.details })))
}
