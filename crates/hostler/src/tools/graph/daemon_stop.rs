//! `kg-daemon-stop`.

use super::not_yet;
use crate::tools::{Annotations, Answer, Call, Group, Tool};

/// Stop the graph's daemon.
pub(crate) const TOOL: Tool = Tool {
    name: "kg-daemon-stop",
    title: "Stop the graph's daemon",
    group: Group::Graph,
    description: "Stops the background process that keeps the graph of the project's code up to date. Call \
                  it only when the user asks for it.",
    arguments: &[],
    output: &[],
    annotations: Annotations::Changes,
    run,
};

fn run(_: &Call<'_>) -> Result<Answer, String> {
    not_yet("this version has no background process for the graph, so none runs")
}
