//! `kg-daemon-status`.

use serde_json::json;

use crate::tools::{Annotations, Answer, Argument, Call, Group, Kind, Tool};

/// Status of the graph's daemon.
pub(crate) const TOOL: Tool = Tool {
    name: "kg-daemon-status",
    title: "Status of the graph's daemon",
    group: Group::Graph,
    description: "Tells whether the background process that keeps the graph of the project's code up to date \
                  runs. Changes nothing.",
    arguments: &[],
    output: &[Argument::required("running", Kind::Flag, "whether it runs")],
    annotations: Annotations::Reads,
    run,
};

#[expect(clippy::unnecessary_wraps, reason = "what every tool is")]
fn run(_: &Call<'_>) -> Result<Answer, String> {
    let text = "the background process of the graph does not run: this version has none";
    Ok(Answer::new(text, json!({ "running": false })))
}
