//! `session-update-state`.

use hostler_ledger::context::Status;
use serde_json::json;

use super::{Argument, Kind, STATE, change, notes, state_line};
use crate::session::describe;
use crate::session::effect::{self, Update};
use crate::tools::{Annotations, Answer, Call, Group, Tool};

/// Records the project's state.
pub(crate) const TOOL: Tool = Tool {
    name: "session-update-state",
    title: "Update the project's state",
    group: Group::Session,
    description: "Records what is known anew of the project: version, branch, how the tests went, how many there are, \
                  status. Call it after a test run or a release, with what was really seen. What is not given stays \
                  as it is; at least one has to be given. Returns the whole state.",
    arguments: &[
        Argument::optional("version", Kind::Text, "the project's version"),
        Argument::optional("branch", Kind::Text, "the branch"),
        Argument::optional("test_state", Kind::Text, "how the tests went, in words: `214/214 passing`"),
        Argument::optional("test_count", Kind::Number, "how many tests there are"),
        Argument::optional("status", Kind::OneOf(&["active", "idle", "closed"]), "the project's status"),
    ],
    output: &[Argument::required("state", Kind::Object(STATE), "the project's state as it is now")],
    annotations: Annotations::Changes,
    run,
};

fn run(call: &Call<'_>) -> Result<Answer, String> {
    if call.arguments.is_empty() {
        let names: Vec<String> = TOOL.arguments.iter().map(|it| format!("`{}`", it.name)).collect();
        return Err(format!("nothing was given to record; give one of {}", names.join(", ")));
    }
    let given = |name: &str| call.text(name).map(str::to_owned);
    let update = Update {
        version: given("version"),
        branch: given("branch"),
        test_state: given("test_state"),
        test_count: call.number("test_count"),
        status: call.text("status").map(Status::parse),
    };
    let applied = change(call.directory, |context| effect::update_state(context, &update))?;
    let state = applied.context.state();
    let facts = Some(state_line(state)).filter(|it| !it.is_empty()).map(|it| format!(" | {it}"));
    let text = format!(
        "State updated. Status: {}{}{}",
        state.status.as_str(),
        facts.unwrap_or_default(),
        notes(&applied)
    );
    Ok(Answer::new(text, json!({ "state": describe::state(state) })))
}
