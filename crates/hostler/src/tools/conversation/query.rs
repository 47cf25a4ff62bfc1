//! `conv-query`.

use super::not_yet;
use crate::tools::{Annotations, Answer, Argument, Call, Group, Kind, Tool};

/// Search conversations.
pub(crate) const TOOL: Tool = Tool {
    name: "conv-query",
    title: "Search conversations",
    group: Group::Conversation,
    description: "Searches past conversations with agents in this project by meaning and by words, and \
                  returns the passages that fit best. Call it when the user refers to something that was \
                  said before.",
    arguments: &[
        Argument::required("query", Kind::Text, "what to look for, in words"),
        Argument::optional("limit", Kind::Number, "how many passages at most; 10 if not given"),
    ],
    output: &[],
    annotations: Annotations::Reads,
    run,
};

fn run(_: &Call<'_>) -> Result<Answer, String> {
    not_yet(
        "conversations are not indexed by this version; `hostler session search WORDS` searches the \
             record of sessions",
    )
}
