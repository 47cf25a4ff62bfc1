//! `session-log-achievement`.

use serde_json::json;

use super::{Argument, Kind, SESSION, change, items, notes};
use crate::session::effect;
use crate::tools::{Annotations, Answer, Call, Group, Tool};

/// Adds to what was reached.
pub(crate) const TOOL: Tool = Tool {
    name: "session-log-achievement",
    title: "Log achievements",
    group: Group::Session,
    description: "Adds to what the active session reached: results that stand, such as a feature that works or a fault \
                  that is gone, proved by a test or a run. Call it when something is reached, not for steps on the \
                  way (`session-log-work`). Returns what was recorded; secrets are removed.",
    arguments: &[Argument::required("items", Kind::Texts, "what was reached, one text each")],
    output: &[SESSION, Argument::required("items", Kind::Lines, "what was recorded")],
    annotations: Annotations::Adds,
    run,
};

fn run(call: &Call<'_>) -> Result<Answer, String> {
    let (given, now) = (call.texts("items"), effect::now());
    let applied = change(call.directory, |context| effect::log_achievement(context, &given, &now))?;
    let seq = applied.value;
    let recorded: Vec<String> = given.iter().map(|it| effect::clean(it)).collect();
    let text = format!("Session #{seq}: achievements logged:{}{}", items(&recorded), notes(&applied));
    Ok(Answer::new(text, json!({ "session": seq, "items": recorded })))
}
