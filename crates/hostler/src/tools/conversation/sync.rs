//! `conv-sync`.

use super::not_yet;
use crate::tools::{Annotations, Answer, Call, Group, Tool};

/// Sync conversations.
pub(crate) const TOOL: Tool = Tool {
    name: "conv-sync",
    title: "Sync conversations",
    group: Group::Conversation,
    description: "Reads conversations with agents that are not indexed yet into the project's memory. Most \
                  often this happens by itself; call it before `conv-query` when a talk of just now must be \
                  found.",
    arguments: &[],
    output: &[],
    annotations: Annotations::Sets,
    run,
};

fn run(_: &Call<'_>) -> Result<Answer, String> {
    not_yet("conversations are not indexed by this version; there is nothing to bring up to date")
}
