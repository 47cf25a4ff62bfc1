//! `kg-flush-queue`.

use super::not_yet;
use crate::tools::{Annotations, Answer, Call, Group, Tool};

/// Flush the graph's queue.
pub(crate) const TOOL: Tool = Tool {
    name: "kg-flush-queue",
    title: "Flush the graph's queue",
    group: Group::Graph,
    description: "Reads every file that waits into the graph of the project's code now. Call it before a \
                  question to the graph that must see the latest changes.",
    arguments: &[],
    output: &[],
    annotations: Annotations::Sets,
    run,
};

fn run(_: &Call<'_>) -> Result<Answer, String> {
    not_yet("the graph of the project's code is not built by this version, so no file waits for it")
}
