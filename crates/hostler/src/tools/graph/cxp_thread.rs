//! `kg-cxp-thread`.

use super::not_yet;
use crate::tools::{Annotations, Answer, Argument, Call, Group, Kind, Tool};

/// Thread of context.
pub(crate) const TOOL: Tool = Tool {
    name: "kg-cxp-thread",
    title: "Thread of context",
    group: Group::Graph,
    description: "Follows one thread of context packets (CXP) through the graph by its id: the packets of a \
                  piece of work in the order in which one led to the next, with session and author. Call it \
                  to learn how something came to be as it is.",
    arguments: &[
        Argument::required("thread_id", Kind::Text, "the id of the thread"),
        Argument::optional("limit", Kind::Number, "how many packets at most; 20 if not given"),
    ],
    output: &[],
    annotations: Annotations::Reads,
    run,
};

fn run(_: &Call<'_>) -> Result<Answer, String> {
    not_yet(
        "threads of context come with the graph, which this version does not build; `session-status` \
             shows what is recorded of sessions",
    )
}
