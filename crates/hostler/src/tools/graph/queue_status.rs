//! `kg-queue-status`.

use super::not_yet;
use crate::tools::{Annotations, Answer, Call, Group, Tool};

/// Status of the graph's queue.
pub(crate) const TOOL: Tool = Tool {
    name: "kg-queue-status",
    title: "Status of the graph's queue",
    group: Group::Graph,
    description: "Tells how many changed files wait to be read into the graph of the project's code. Call it \
                  to know whether answers of the graph may be older than the files.",
    arguments: &[],
    output: &[],
    annotations: Annotations::Reads,
    run,
};

fn run(_: &Call<'_>) -> Result<Answer, String> {
    not_yet("the graph of the project's code is not built by this version, so no file waits for it")
}
