//! `session-add-work`.

use serde_json::json;

use super::{Argument, Kind, WORK, change, notes};
use crate::session::describe;
use crate::session::effect::{self, Added, Became, PRIORITIES};
use crate::tools::{Annotations, Answer, Call, Group, Tool};

/// Adds deferred work.
pub(crate) const TOOL: Tool = Tool {
    name: "session-add-work",
    title: "Add deferred work",
    group: Group::Session,
    description: "Adds something that is left to do to the project's list of deferred work, which outlives sessions. \
                  Call it when you find work that does not belong to what you are doing now, instead of doing it or \
                  forgetting it. The same text is not added twice while it is open; a priority or notes that are new \
                  are taken over. Returns the item with its id. Works without an active session.",
    arguments: &[
        Argument::required("text", Kind::Text, "what is to be done"),
        Argument::optional("priority", Kind::OneOf(&PRIORITIES), "how urgent it is; P2 if not given"),
        Argument::optional("notes", Kind::Text, "what else is to be known"),
    ],
    output: &[
        Argument::required("work", Kind::Object(WORK), "the item"),
        Argument::required("added", Kind::Flag, "whether it is new"),
    ],
    annotations: Annotations::Sets,
    run,
};

fn run(call: &Call<'_>) -> Result<Answer, String> {
    let applied = change(call.directory, |context| {
        Ok(effect::add_work(context, call.required("text"), call.text("priority"), call.text("notes")))
    })?;
    let Added { item, became } = &applied.value;
    let same = |it: &&hostler_ledger::context::Work| it.id == item.id && it.description == item.description;
    let work = applied.context.work().iter().find(same).cloned().unwrap_or_default();
    let done = match became {
        Became::New => "added",
        Became::Known { .. } if item.changed => "was open already and is changed",
        Became::Known { .. } => "is open already",
    };
    let text = format!(
        "{} {done} ({}): {}{}",
        item.id,
        work.priority.as_str(),
        hostler_model::text::one_line(&item.description),
        notes(&applied)
    );
    let added = *became == Became::New;
    Ok(Answer::new(text, json!({ "work": describe::work(&work), "added": added })))
}
