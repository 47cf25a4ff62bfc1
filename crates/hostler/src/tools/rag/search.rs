//! `rag_search`.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

use super::{Annotations, Answer, Argument, Call, Group, Kind, Link, Tool, after, place, refused, told};
use crate::rag::{self, Hit, Request};

/// Finds places in the project.
pub(crate) const TOOL: Tool = Tool {
    name: "rag_search",
    title: "Search the project",
    group: Group::Rag,
    description: "Finds the functions, sections and passages of the project that fit a question, from an index and \
                  without reading files. Call it first when you do not know where something is done, with a question \
                  in plain words, with names (`parse_header`, `UserService.save`), or with a phrase in double quotes. \
                  Returns the best hits as path:first-last (score) heading with the beginning of each text, and the \
                  id that `rag_get` takes for all of it. Files that changed since they were indexed are indexed anew \
                  before you get their hits. Hits are pointers: read the lines before you rely on them.",
    arguments: &[
        Argument::required(
            "query",
            Kind::Text,
            "what to look for: a question, names, or a \"phrase in quotes\"",
        ),
        Argument::optional("k", Kind::Number, "how many hits, from 1 to 500; 8 if not given"),
        Argument::optional(
            "glob",
            Kind::Text,
            "only files whose path from the root fits, such as `docs/**/*.md` or `api/*`: `*` within a folder, `**` \
             across folders, `?` one character",
        ),
        Argument::optional("explain", Kind::Flag, "tell what each score is made of"),
    ],
    output: &[
        Argument::required(
            "hits",
            Kind::Objects(&[
                Argument::required("id", Kind::Number, "the chunk's number, for `rag_get`"),
                Argument::required("path", Kind::Text, "path from the root"),
                Argument::required("heading", Kind::Text, "where in the file it stands; may be empty"),
                Argument::required("start_line", Kind::Number, "first line, from 1"),
                Argument::required("end_line", Kind::Number, "last line, itself included"),
                Argument::required("score", Kind::Decimal, "the greater, the better"),
                Argument::required("snippet", Kind::Text, "how its text begins, 200 characters"),
                Argument::optional(
                    "parts",
                    Kind::Objects(&[
                        Argument::required("part", Kind::Text, "what it is for"),
                        Argument::required("value", Kind::Decimal, "what it adds to the score"),
                    ]),
                    "what the score is the sum of, if `explain` is set",
                ),
            ]),
            "the best first; none where nothing fits",
        ),
        Argument::optional("notes", Kind::Lines, "what is to be known besides"),
    ],
    annotations: Annotations::Reads,
    run,
};

fn run(call: &Call<'_>) -> Result<Answer, String> {
    let place = place(call)?;
    let embedder = rag::configured(&place.config.rag).map_err(|error| refused(&error))?;
    let request = Request {
        query: call.required("query"),
        k: call.number("k").map(|it| i64::try_from(it).unwrap_or(i64::MAX)),
        glob: call.text("glob"),
        explain: call.flag("explain"),
    };
    let answer = rag::search(&place, embedder.as_ref(), &request).map_err(|error| refused(&error))?;
    let lines: Vec<String> =
        answer.hits.iter().zip(1_usize..).map(|(hit, number)| line(hit, number)).collect();
    let text = if lines.is_empty() { "no hits".to_owned() } else { lines.join("\n") };
    let links = links(&answer.root, &answer.hits);
    let structured = json!({ "hits": answer.hits, "notes": answer.notes });
    Ok(Answer { links, ..Answer::new(text + &told(&answer.notes), structured) })
}

fn line(hit: &Hit, number: usize) -> String {
    let heading = after(" ", &hit.heading);
    let place = format!("{}:{}-{}", hit.path, hit.start_line, hit.end_line);
    let parts: Vec<String> = hit.parts.iter().map(|it| format!("\n   {it}")).collect();
    format!(
        "{number}. {place} ({:.4}){heading}\n   id {}: {}{parts}",
        hit.score,
        hit.id,
        hit.snippet,
        parts = parts.concat()
    )
}

/// The files of hits, once each.
fn links(root: &Path, hits: &[Hit]) -> Vec<Link> {
    let mut out: Vec<Link> = Vec::new();
    for hit in hits {
        if !out.iter().any(|it| it.name == hit.path) {
            out.push(Link { uri: uri(&root.join(&hit.path)), name: hit.path.clone() });
        }
    }
    out
}

/// The address of a file on this machine.
fn uri(path: &Path) -> String {
    let mut out = String::from("file://");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(char::from(*byte));
            }
            // Writing to a text does not fail.
            other => _ = write!(out, "%{other:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_file_has_no_sign_that_means_something() {
        assert_eq!(uri(Path::new("/a b/ü#?.rs")), "file:///a%20b/%C3%BC%23%3F.rs");
    }
}
