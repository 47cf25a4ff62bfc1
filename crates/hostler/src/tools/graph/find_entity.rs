//! `kg-find-entity`.

use super::not_yet;
use crate::tools::{Annotations, Answer, Argument, Call, Group, Kind, Tool};

/// Find a symbol.
pub(crate) const TOOL: Tool = Tool {
    name: "kg-find-entity",
    title: "Find a symbol",
    group: Group::Graph,
    description: "Finds classes, functions, types and other symbols in the graph of the project's code by \
                  name, with file, line and who uses them. Call it to find where something is defined.",
    arguments: &[
        Argument::required("name", Kind::Text, "the name or a part of it"),
        Argument::optional(
            "kind",
            Kind::OneOf(&["class", "function", "method", "type", "constant", "module"]),
            "only symbols of this kind",
        ),
        Argument::optional("limit", Kind::Number, "how many symbols at most; 20 if not given"),
    ],
    output: &[],
    annotations: Annotations::Reads,
    run,
};

fn run(_: &Call<'_>) -> Result<Answer, String> {
    not_yet(
        "the graph of the project's code is not built by this version; search the files for the name \
             instead",
    )
}
