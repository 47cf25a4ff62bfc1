//! Sources of requirements: Markdown, CSV and TSV, YAML, JSON.

mod data;
mod markdown;
mod table;

use std::path::Path;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::Pattern;

/// Most requirements that one source gives.
pub const REQUIREMENTS_MAX: usize = 200_000;

/// One requirement, as its source has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Requirement {
    /// Its name, e.g. `REQ-020-001`.
    pub id: String,
    /// The specification that it belongs to.
    pub spec: String,
    /// What it asks for. The first line is its title; what follows below a heading comes after it.
    pub text: String,
    /// The box that its source ticks; `None` where it has none.
    pub done: Option<bool>,
    /// The file, as the caller named it.
    pub source: String,
    /// The line in it, from 1.
    pub line: usize,
}

impl Requirement {
    /// The first line of its text.
    pub fn title(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }

    /// A digest of the text, white space aside: 16 hexadecimal digits that change when the words do.
    pub fn digest(&self) -> String {
        let words: Vec<&str> = self.text.split_whitespace().collect();
        let digest = Sha256::digest(words.join(" ").as_bytes());
        crate::hexadecimal(&digest, 8)
    }
}

/// Where the specification's name comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Spec {
    /// What the source says (a column, a key, front matter); else the file's name for Markdown, the id's prefix for tables
    /// and data.
    #[default]
    Auto,
    /// The id without its last part: `REQ-020` for `REQ-020-001`.
    Prefix,
    /// The file's name, or its folder's where the file is called `spec.md` or the like.
    File,
    /// This name.
    Named(String),
}

/// Names of columns and keys, where they are not those that are known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Columns {
    /// The id.
    pub id: Option<String>,
    /// The text.
    pub text: Option<String>,
    /// The specification.
    pub spec: Option<String>,
    /// The box.
    pub done: Option<String>,
}

/// How one source is read.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    /// What is an id.
    pub pattern: &'a Pattern,
    /// Where the specification's name comes from.
    pub spec: &'a Spec,
    /// Names of columns and keys.
    pub columns: &'a Columns,
}

/// Why a source could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Its name ends in nothing that is known.
    #[error("`{path}` is no format that is read; use .md, .csv, .tsv, .yaml, .yml or .json")]
    Format {
        /// The file.
        path: String,
    },
    /// It is broken.
    #[error("`{path}` line {line}: {why}")]
    Broken {
        /// The file.
        path: String,
        /// Where.
        line: usize,
        /// What the parser says.
        why: String,
    },
    /// A table without the column that was asked for.
    #[error("`{path}` has no column `{column}`; it has {known}")]
    Column {
        /// The file.
        path: String,
        /// The column that was asked for.
        column: String,
        /// Those that are there.
        known: String,
    },
    /// More than [`REQUIREMENTS_MAX`].
    #[error("`{path}` holds more than {REQUIREMENTS_MAX} requirements")]
    TooMany {
        /// The file.
        path: String,
    },
}

/// Reads one source; its format is told by `path`'s extension. An empty list means that nothing in it has an id.
///
/// # Errors
/// [`Error`] when the format is not known or the text is broken.
pub fn read(path: &str, text: &str, options: &Options<'_>) -> Result<Vec<Requirement>, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let extension = Path::new(path).extension().and_then(|it| it.to_str()).unwrap_or_default();
    let drafts = match extension.to_ascii_lowercase().as_str() {
        "md" | "markdown" | "mdx" => markdown::read(path, text, options)?,
        "csv" => table::read(path, text, None, options)?,
        "tsv" | "tab" => table::read(path, text, Some('\t'), options)?,
        "yaml" | "yml" => data::yaml(path, text, options)?,
        "json" => data::json(path, text, options)?,
        _ => return Err(Error::Format { path: path.to_owned() }),
    };
    if REQUIREMENTS_MAX < drafts.len() {
        return Err(Error::TooMany { path: path.to_owned() });
    }
    let prefix = matches!(options.spec, Spec::Prefix)
        || matches!(options.spec, Spec::Auto) && !matches!(extension, "md" | "markdown" | "mdx");
    Ok(drafts
        .into_iter()
        .map(|draft| {
            let spec = match (options.spec, draft.spec) {
                (Spec::Named(name), _) => name.clone(),
                (Spec::Auto, Some(spec)) if !spec.is_empty() => spec,
                _ if prefix => prefix_of(&draft.id).to_owned(),
                _ => name_of(path),
            };
            let (id, done, line) = (draft.id, draft.done, draft.line);
            Requirement { id, spec, text: tidy(&draft.text), done, source: path.to_owned(), line }
        })
        .collect())
}

/// A requirement as a format's reader found it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Draft {
    id: String,
    spec: Option<String>,
    text: String,
    done: Option<bool>,
    line: usize,
}

/// One space between words, no empty lines at either end.
fn tidy(text: &str) -> String {
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

fn prefix_of(id: &str) -> &str {
    id.rsplit_once('-').map_or(id, |(prefix, _)| prefix)
}

/// The file's name without its extension; its folder's where the name says nothing.
fn name_of(path: &str) -> String {
    const SAY_NOTHING: &[&str] =
        &["spec", "specification", "requirements", "readme", "index", "checklist", "tasks", "plan", "prd"];
    let path = Path::new(path);
    let part = |part: Option<&std::ffi::OsStr>| part.map(|it| it.to_string_lossy().into_owned());
    let stem = part(path.file_stem()).unwrap_or_default();
    if SAY_NOTHING.iter().any(|it| stem.eq_ignore_ascii_case(it)) {
        let folder = path.parent().and_then(Path::file_name);
        return part(folder).filter(|it| !it.is_empty() && it != "..").unwrap_or(stem);
    }
    stem
}

/// What a box or a status says; `None` for what is neither.
fn done(text: &str) -> Option<bool> {
    const YES: &[&str] = &[
        "[x]",
        "x",
        "yes",
        "y",
        "true",
        "1",
        "done",
        "implemented",
        "complete",
        "completed",
        "closed",
        "✓",
        "✔",
        "✅",
        "☑",
        "verified",
        "passed",
    ];
    const NO: &[&str] = &[
        "[ ]",
        "",
        "no",
        "n",
        "false",
        "0",
        "open",
        "todo",
        "pending",
        "planned",
        "draft",
        "new",
        "in progress",
        "in_progress",
        "proposed",
        "✗",
        "❌",
        "☐",
        "-",
        "none",
        "active",
        "approved",
    ];
    let word = text.trim().trim_matches(|c| matches!(c, '*' | '_' | '`')).to_lowercase();
    let known = |word: &str| {
        if YES.contains(&word) { Some(true) } else { NO.contains(&word).then_some(false) }
    };
    // `✅ Done`, `Implemented (v1)`: a sign says it by itself, and what stands in parentheses says more of it.
    let sign = word.split_whitespace().next().filter(|it| it.chars().all(|c| !c.is_ascii())).and_then(known);
    let rest = word.split('(').next().unwrap_or_default().trim();
    known(&word).or(sign).or_else(|| known(rest).filter(|_| !rest.is_empty()))
}

/// Which part of a requirement a column or key of this name holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Id,
    Text,
    Spec,
    Done,
}

/// Known names, the surest first.
const NAMES: &[(Part, &[&str])] = &[
    (Part::Id, &["id", "uid", "identifier", "requirement id", "req id", "req", "key", "number"]),
    (
        Part::Text,
        &[
            "text",
            "requirement",
            "statement",
            "description",
            "title",
            "summary",
            "criterion",
            "criteria",
            "name",
            "shall",
        ],
    ),
    (Part::Spec, &["spec", "specification", "document", "area", "module", "component", "section"]),
    (Part::Done, &["done", "checked", "implemented", "completed", "complete", "status", "state"]),
];

/// Which of `names` is this part: the one that is configured, else the first known one.
fn place(part: Part, names: &[String], columns: &Columns) -> Option<usize> {
    let configured = match part {
        Part::Id => &columns.id,
        Part::Text => &columns.text,
        Part::Spec => &columns.spec,
        Part::Done => &columns.done,
    };
    // `Req. ID`, `req_id` and `Req ID` are one name.
    let words = |name: &str| -> String {
        name.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let find = |wanted: &str| {
        let exact = names.iter().position(|it| it.trim().eq_ignore_ascii_case(wanted));
        exact.or_else(|| names.iter().position(|it| words(it) == words(wanted) && !words(it).is_empty()))
    };
    match configured {
        Some(name) => find(name),
        None => {
            NAMES.iter().filter(|(it, _)| *it == part).flat_map(|(_, known)| *known).find_map(|it| find(it))
        }
    }
}

#[cfg(test)]
mod tests;
