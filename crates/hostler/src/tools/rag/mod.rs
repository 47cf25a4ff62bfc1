//! Retrieval: what `hostler rag` does, for agents. Both go through [`crate::rag`].

pub(crate) mod get;
pub(crate) mod index;
pub(crate) mod search;
pub(crate) mod status;

use super::schema::{Argument, Kind};
use super::{Annotations, Answer, Call, Group, Link, Tool};
use crate::rag::{Error, Place};

/// What an agent does about an error, where it is another thing than a person does on the command line.
fn refused(error: &Error) -> String {
    match error {
        Error::NoIndex(db) => {
            format!("there is no index at `{}`; make one with the tool `rag_index`", db.display())
        }
        other => other.to_string(),
    }
}

fn place(call: &Call<'_>) -> Result<Place, String> {
    Place::of(call.directory).map_err(|error| refused(&error))
}

/// Lines below an answer.
fn told(notes: &[String]) -> String {
    notes.iter().flat_map(|it| ["\nNote: ", it.as_str()]).collect()
}

/// A heading behind a place; nothing where there is none.
fn after(before: &str, heading: &str) -> String {
    if heading.is_empty() { String::new() } else { format!("{before}{heading}") }
}
