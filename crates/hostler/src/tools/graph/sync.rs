//! `kg-sync`.

use super::not_yet;
use crate::tools::{Annotations, Answer, Argument, Call, Group, Kind, Tool};

/// Sync the graph.
pub(crate) const TOOL: Tool = Tool {
    name: "kg-sync",
    title: "Sync the graph",
    group: Group::Graph,
    description: "Brings the graph of the project's code up to the files as they are now. Call it after many \
                  files changed at once, such as after a pull. Returns how many files were read.",
    arguments: &[Argument::optional(
        "full",
        Kind::Flag,
        "read every file again, not only those that changed",
    )],
    output: &[],
    annotations: Annotations::Sets,
    run,
};

fn run(_: &Call<'_>) -> Result<Answer, String> {
    not_yet(
        "the graph of the project's code is not built by this version; there is nothing to bring up to \
             date",
    )
}
