//! `rag_get`.

use serde_json::json;

use super::{Annotations, Answer, Argument, Call, Group, Kind, Tool, after, place, refused};
use crate::rag;

/// One chunk.
pub(crate) const TOOL: Tool = Tool {
    name: "rag_get",
    title: "Read a chunk",
    group: Group::Rag,
    description: "Reads the whole text of one hit of `rag_search` by its id, with path, heading and lines, as it was \
                  when it was indexed. Call it instead of reading a long file for one function. Ids change with their \
                  files, so take them from a search of now.",
    arguments: &[Argument::required("id", Kind::Number, "the id of a hit")],
    output: &[Argument::required(
        "chunk",
        Kind::Object(&[
            Argument::required("id", Kind::Number, "its number"),
            Argument::required("path", Kind::Text, "path from the root"),
            Argument::required("ordinal", Kind::Number, "its place in the file, from 0"),
            Argument::required("heading", Kind::Text, "where in the file it stands; may be empty"),
            Argument::required("start_line", Kind::Number, "first line, from 1"),
            Argument::required("end_line", Kind::Number, "last line, itself included"),
            Argument::required("text", Kind::Text, "all of it"),
        ]),
        "the chunk",
    )],
    annotations: Annotations::Reads,
    run,
};

fn run(call: &Call<'_>) -> Result<Answer, String> {
    let id = call.number("id").and_then(|it| i64::try_from(it).ok()).unwrap_or(i64::MAX);
    let chunk = rag::get(&place(call)?, id).map_err(|error| refused(&error))?;
    let heading = after(" heading: ", &chunk.heading);
    let head = format!("chunk {}: {}:{}-{}{heading}", chunk.id, chunk.path, chunk.start_line, chunk.end_line);
    let structured = json!({ "chunk": {
        "id": chunk.id,
        "path": chunk.path,
        "ordinal": chunk.ordinal,
        "heading": chunk.heading,
        "start_line": chunk.start_line,
        "end_line": chunk.end_line,
        "text": chunk.text,
    }});
    Ok(Answer::new(format!("{head}\n\n{}", chunk.text), structured))
}
