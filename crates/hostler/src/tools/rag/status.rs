//! `rag_status`.

use super::{Annotations, Answer, Argument, Call, Group, Kind, Tool, place, refused};
use crate::rag;

/// What the index holds.
pub(crate) const TOOL: Tool = Tool {
    name: "rag_status",
    title: "State of the index",
    group: Group::Rag,
    description: "Shows what the index holds and how far it is behind the files: where it lies, of which folder it \
                  is, files and chunks, when it was last brought up to date, how many files are stale, what was \
                  passed over and why, and what makes its vectors. Call it when hits look wrong or are missing. Looks \
                  at every file's time, which takes a moment in large projects. Changes nothing.",
    arguments: &[],
    output: &[
        Argument::required("db", Kind::Text, "the database"),
        Argument::required("root", Kind::Text, "the folder that is indexed"),
        Argument::required("files", Kind::Number, "files in the index"),
        Argument::required("chunks", Kind::Number, "chunks in the index"),
        Argument::optional(
            "last_index_at",
            Kind::Text,
            "when it was last brought up to date, RFC 3339; none if never",
        ),
        Argument::required("stale_files", Kind::Number, "files that the next run would read or take out"),
        Argument::required("new_files", Kind::Number, "of these, new ones"),
        Argument::required("changed_files", Kind::Number, "of these, changed ones"),
        Argument::required("gone_files", Kind::Number, "of these, ones that are gone"),
        Argument::required("stale_note", Kind::Text, "why that could not be told; empty where it could"),
        Argument::required("skipped_binary", Kind::Number, "passed over: with a zero byte"),
        Argument::required("skipped_ext", Kind::Number, "passed over: by extension"),
        Argument::required("skipped_name", Kind::Number, "passed over: lock files and the like"),
        Argument::required("skipped_secret", Kind::Number, "passed over: keys, passwords, tokens"),
        Argument::required("skipped_size", Kind::Number, "passed over: too long"),
        Argument::required("skipped_ignored", Kind::Number, "passed over: by ignore files"),
        Argument::required("skipped_folders", Kind::Number, "passed over: folders of tools and builds"),
        Argument::required("skipped_links", Kind::Number, "passed over: links"),
        Argument::required("skipped_unreadable", Kind::Number, "passed over: could not be read"),
        Argument::required("embedding_mode", Kind::Text, "local, model, remote, or unindexed"),
        Argument::optional("embedding_name", Kind::Text, "what made the vectors"),
        Argument::optional("dims", Kind::Number, "numbers in a vector"),
        Argument::required("vectors", Kind::Number, "chunks that have a vector"),
        Argument::required("db_bytes", Kind::Number, "size of the database"),
        Argument::required("notes", Kind::Lines, "what is to be known besides"),
    ],
    annotations: Annotations::Reads,
    run,
};

fn run(call: &Call<'_>) -> Result<Answer, String> {
    let status = rag::status(&place(call)?, call.cancelled).map_err(|error| refused(&error))?;
    let structured = serde_json::to_value(&status).map_err(|error| error.to_string())?;
    let text = serde_json::to_string_pretty(&structured).map_err(|error| error.to_string())?;
    Ok(Answer::new(text, structured))
}
