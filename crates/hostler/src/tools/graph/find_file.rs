//! `kg-find-file`.

use super::not_yet;
use crate::tools::{Annotations, Answer, Argument, Call, Group, Kind, Tool};

/// Find a file.
pub(crate) const TOOL: Tool = Tool {
    name: "kg-find-file",
    title: "Find a file",
    group: Group::Graph,
    description: "Finds files in the graph of the project's code by a pattern over their paths, most \
                  connected first. Call it when you know roughly what a file is called.",
    arguments: &[
        Argument::required("pattern", Kind::Text, "a part of the path, or a pattern with `*`"),
        Argument::optional("limit", Kind::Number, "how many files at most; 20 if not given"),
    ],
    output: &[],
    annotations: Annotations::Reads,
    run,
};

fn run(_: &Call<'_>) -> Result<Answer, String> {
    not_yet(
        "the graph of the project's code is not built by this version; look for the file with a search \
             for names instead",
    )
}
