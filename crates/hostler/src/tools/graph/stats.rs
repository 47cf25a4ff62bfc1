//! `kg-stats`.

use super::not_yet;
use crate::tools::{Annotations, Answer, Call, Group, Tool};

/// Statistics of the graph.
pub(crate) const TOOL: Tool = Tool {
    name: "kg-stats",
    title: "Statistics of the graph",
    group: Group::Graph,
    description: "Counts the nodes and edges of the graph of the project's code by kind, as they are now. \
                  Call it to know what the graph covers.",
    arguments: &[],
    output: &[],
    annotations: Annotations::Reads,
    run,
};

fn run(_: &Call<'_>) -> Result<Answer, String> {
    not_yet("the graph of the project's code is not built by this version, so there is nothing to count")
}
