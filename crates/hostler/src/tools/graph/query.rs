//! `kg-query`.

use super::not_yet;
use crate::tools::{Annotations, Answer, Argument, Call, Group, Kind, Tool};

/// Query the graph.
pub(crate) const TOOL: Tool = Tool {
    name: "kg-query",
    title: "Query the graph",
    group: Group::Graph,
    description: "Runs a read-only openCypher query over the graph of the project's code (files, symbols, \
                  calls, imports) and returns its rows. Call it for questions about structure that a text \
                  search cannot answer, such as who calls a function over several steps.",
    arguments: &[
        Argument::required("cypher", Kind::Text, "the query; it may read and not write"),
        Argument::optional(
            "parameters",
            Kind::Members,
            "values of the query's parameters, by name without `$`",
        ),
        Argument::optional("limit", Kind::Number, "how many rows at most; 50 if not given"),
    ],
    output: &[],
    annotations: Annotations::Reads,
    run,
};

fn run(_: &Call<'_>) -> Result<Answer, String> {
    not_yet("the graph of the project's code is not built by this version; search the files instead")
}
