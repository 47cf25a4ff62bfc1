//! `rag_index`.

use std::cell::Cell;
use std::path::Path;

use super::{Annotations, Answer, Argument, Call, Group, Kind, Tool, place, refused, told};
use crate::rag::{self, Options, Place, Progress, Stage};

/// Brings the index up to date.
pub(crate) const TOOL: Tool = Tool {
    name: "rag_index",
    title: "Index the project",
    group: Group::Rag,
    description: "Brings the index that `rag_search` reads up to date with the files: reads what is new or changed, \
                  takes out what is gone, and keeps the rest. Call it when there is no index yet, after many files \
                  changed (a pull, another branch), or when `rag_status` says that files are stale; single changed \
                  files are noticed by `rag_search` itself. A second call right after it changes nothing. Returns how \
                  many files and chunks there are, and how many were read, taken out and passed over. Changes no file \
                  of the project.",
    arguments: &[Argument::optional(
        "root",
        Kind::Text,
        "folder to index; if not given, the one of the last run, else the project",
    )],
    output: &[
        Argument::required("root", Kind::Text, "the folder"),
        Argument::required("files", Kind::Number, "files in the index"),
        Argument::required("rechunked", Kind::Number, "files that were new or changed"),
        Argument::required("purged", Kind::Number, "files that were taken out"),
        Argument::required("renamed", Kind::Number, "files that were known under another path"),
        Argument::required("chunks", Kind::Number, "chunks in the index"),
        Argument::required("skipped_binary", Kind::Number, "passed over: with a zero byte"),
        Argument::required("skipped_ext", Kind::Number, "passed over: by extension"),
        Argument::required("skipped_name", Kind::Number, "passed over: lock files and the like"),
        Argument::required("skipped_secret", Kind::Number, "passed over: keys, passwords, tokens"),
        Argument::required("skipped_size", Kind::Number, "passed over: too long"),
        Argument::required("skipped_ignored", Kind::Number, "passed over: by ignore files"),
        Argument::required("skipped_folders", Kind::Number, "passed over: folders of tools and builds"),
        Argument::required("skipped_links", Kind::Number, "passed over: links"),
        Argument::required("skipped_unreadable", Kind::Number, "passed over: could not be read"),
        Argument::optional("dims", Kind::Number, "numbers in a vector"),
        Argument::required("mode", Kind::Text, "what makes vectors: local, model or remote"),
        Argument::required("ms", Kind::Number, "how long it took, in milliseconds"),
        Argument::required("notes", Kind::Lines, "what is to be known besides"),
    ],
    annotations: Annotations::Sets,
    run,
};

fn run(call: &Call<'_>) -> Result<Answer, String> {
    let root = call.text("root").map(Path::new);
    let place = match root {
        Some(root) => Place::of_root(call.directory, root).map_err(|error| refused(&error))?,
        None => place(call)?,
    };
    // Relative folders are the agent's, wherever the server was started.
    let root = root.map(|_| place.root.clone());
    let embedder = rag::configured(&place.config.rag).map_err(|error| refused(&error))?;
    let options = Options { root: root.as_deref(), ..Options::default() };
    let files = Cell::new(0);
    let mut progress = |it: Progress| {
        let (before, doing) = match it.stage {
            Stage::Read => {
                files.set(it.total);
                (0, "files")
            }
            Stage::Embed => (files.get(), "vectors"),
        };
        let message = format!("{} of {} {doing}", it.done, it.total);
        (call.progress)(float(before + it.done), Some(float(before + it.total)), &message);
    };
    let indexed = rag::index(&place, options, embedder.as_ref(), &mut progress, call.cancelled)
        .map_err(|error| refused(&error))?;
    let structured = serde_json::to_value(&indexed).map_err(|error| error.to_string())?;
    let text = format!("{}\nroot: {}", indexed.line(), indexed.root.display());
    Ok(Answer::new(text + &told(&indexed.notes), structured))
}

fn float(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
