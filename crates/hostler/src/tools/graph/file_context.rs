//! `kg-file-context`.

use super::not_yet;
use crate::tools::{Annotations, Answer, Argument, Call, Group, Kind, Tool};

/// Context of a file.
pub(crate) const TOOL: Tool = Tool {
    name: "kg-file-context",
    title: "Context of a file",
    group: Group::Graph,
    description: "Tells what the graph knows of one file: its symbols, what it imports, who uses it, which \
                  tests cover it. Call it before you change a file that you do not know.",
    arguments: &[Argument::required(
        "file",
        Kind::Text,
        "path of the file, from the working directory or absolute",
    )],
    output: &[],
    annotations: Annotations::Reads,
    run,
};

fn run(_: &Call<'_>) -> Result<Answer, String> {
    not_yet(
        "the graph of the project's code is not built by this version; read the file, and search for its \
             names instead",
    )
}
