//! `kg-daemon-start`.

use super::not_yet;
use crate::tools::{Annotations, Answer, Call, Group, Tool};

/// Start the graph's daemon.
pub(crate) const TOOL: Tool = Tool {
    name: "kg-daemon-start",
    title: "Start the graph's daemon",
    group: Group::Graph,
    description: "Starts the background process that keeps the graph of the project's code up to date. Most \
                  often it runs already; call it where `kg-daemon-status` says that it does not.",
    arguments: &[],
    output: &[],
    annotations: Annotations::Sets,
    run,
};

fn run(_: &Call<'_>) -> Result<Answer, String> {
    not_yet("this version has no background process for the graph")
}
