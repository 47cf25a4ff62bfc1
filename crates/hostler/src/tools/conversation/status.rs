//! `conv-status`.

use super::not_yet;
use crate::tools::{Annotations, Answer, Call, Group, Tool};

/// Status of conversations.
pub(crate) const TOOL: Tool = Tool {
    name: "conv-status",
    title: "Status of conversations",
    group: Group::Conversation,
    description: "Tells how many conversations with agents are indexed in the project's memory and how many \
                  wait.",
    arguments: &[],
    output: &[],
    annotations: Annotations::Reads,
    run,
};

fn run(_: &Call<'_>) -> Result<Answer, String> {
    not_yet("conversations are not indexed by this version, so none waits")
}
