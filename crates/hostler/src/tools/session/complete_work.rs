//! `session-complete-work`.

use serde_json::json;

use super::{Argument, Kind, change, notes};
use crate::session::effect;
use crate::tools::{Annotations, Answer, Call, Group, Tool};

/// Completes deferred work.
pub(crate) const TOOL: Tool = Tool {
    name: "session-complete-work",
    title: "Complete deferred work",
    group: Group::Session,
    description: "Marks an item of deferred work as done. Call it when something that `session-status` lists as left \
                  to do is finished and checked. Takes the item's id, its text, or a part of the text that no other \
                  open item has; where several fit, nothing is changed and the answer lists them. Returns the item.",
    arguments: &[Argument::required(
        "work",
        Kind::Text,
        "the item's id such as `DW-001`, its text, or a part of its text",
    )],
    output: &[
        Argument::required("id", Kind::Text, "the item's id"),
        Argument::required("description", Kind::Text, "what was to be done"),
        Argument::required("completed", Kind::Flag, "false where it was completed before"),
    ],
    annotations: Annotations::Sets,
    run,
};

fn run(call: &Call<'_>) -> Result<Answer, String> {
    let now = effect::now();
    let applied =
        change(call.directory, |context| effect::complete_work(context, call.required("work"), &now))?;
    let item = &applied.value;
    let done = if item.changed { "completed" } else { "was completed before" };
    let text = format!(
        "{} {done}: {}{}",
        item.id,
        hostler_model::text::one_line(&item.description),
        notes(&applied)
    );
    let structured = json!({ "id": item.id, "description": item.description, "completed": item.changed });
    Ok(Answer::new(text, structured))
}
