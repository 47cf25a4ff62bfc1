//! `session-log-choice`.

use serde_json::json;

use super::{Argument, Kind, SESSION, change, notes};
use crate::session::effect;
use crate::tools::{Annotations, Answer, Call, Group, Tool};

/// Records a decision.
pub(crate) const TOOL: Tool = Tool {
    name: "session-log-choice",
    title: "Log a choice",
    group: Group::Session,
    description: "Records a decision and its reason in the active session, so that later sessions know why something \
                  is as it is. Call it when you chose between designs, libraries or ways to do a thing. Returns what \
                  was recorded; secrets are removed.",
    arguments: &[
        Argument::required("choice", Kind::Text, "what was decided"),
        Argument::required("reason", Kind::Text, "why, and what was decided against"),
    ],
    output: &[
        SESSION,
        Argument::required("choice", Kind::Text, "the decision that was recorded"),
        Argument::required("reason", Kind::Text, "its reason"),
    ],
    annotations: Annotations::Adds,
    run,
};

fn run(call: &Call<'_>) -> Result<Answer, String> {
    let (choice, reason, now) = (call.required("choice"), call.required("reason"), effect::now());
    let applied = change(call.directory, |context| effect::log_choice(context, choice, reason, &now))?;
    let seq = applied.value;
    let recorded = applied.context.by_number(seq).and_then(|(_, it)| it.choices.last().cloned());
    let recorded = recorded.unwrap_or_default();
    let text = format!(
        "Session #{seq}: choice logged: {} (reason: {}){}",
        hostler_model::text::one_line(&recorded.choice),
        hostler_model::text::one_line(&recorded.reason),
        notes(&applied)
    );
    let structured = json!({ "session": seq, "choice": recorded.choice, "reason": recorded.reason });
    Ok(Answer::new(text, structured))
}
