//! What a claim is about: paths, commands, names, numbers.

use super::super::clause::{Clause, contains};
use super::super::language::{Language, Noun, Venue};
use super::super::text::{Span, Text};

/// Something that a claim names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::claims) struct Object {
    /// As written.
    pub(in crate::claims) text: String,
    /// It is a path: without line numbers and symbols behind it.
    pub(in crate::claims) path: Option<String>,
    /// It was written as code.
    pub(in crate::claims) code: bool,
    /// The deed is said to be done to it; else it is only how or why (`from`, `with`, `per`).
    pub(in crate::claims) target: bool,
    /// The number of its token.
    pub(in crate::claims) at: usize,
}

/// After these a path is no target.
const CONTEXT: &[&str] = &[
    "from",
    "per",
    "following",
    "like",
    "using",
    "with",
    "via",
    "by",
    "against",
    "matching",
    "than",
    "see",
    "on",
    "unlike",
    "mirroring",
    "described",
    "defined",
    "outside",
    "of",
    "for",
    "through",
    "over",
    "used",
    "because",
    "since",
    "imported",
    "importing",
    "reads",
    "loads",
    "calls",
    "whenever",
    "that",
    "which",
    "where",
    "only",
    "run",
    "running",
    "between",
];

/// The objects among the tokens from `from` to before `to`.
pub(super) fn objects(text: &Text, clause: &Clause, from: usize, to: usize) -> Vec<Object> {
    let mut out: Vec<Object> = Vec::new();
    let tokens = &clause.tokens;
    let mut context = false;
    for at in from..to.min(tokens.len()) {
        let token = &tokens[at];
        let span = token.chars().next().and_then(|c| text.span(c)).filter(|_| token.chars().count() == 1);
        let written = match span {
            Some(Span::Code(code)) => code.clone(),
            Some(Span::Quote(quote)) => {
                out.push(Object { text: quote.clone(), path: None, code: false, target: !context, at });
                continue;
            }
            None if is_path(token, false) => cased(&clause.text, token),
            None => {
                if CONTEXT.contains(&token.as_str())
                    || (token == "to" && begins_purpose(tokens.get(at + 1), text))
                {
                    context = true;
                } else if matches!(token.as_str(), "and" | "to" | "into" | "in" | "as" | "at" | ",") {
                    let item = token == "," && tokens.get(at + 1).is_some_and(|it| it == "and")
                        || token == "and" && at.checked_sub(1).is_some_and(|it| tokens[it] == ",");
                    // "with x and y, and z": z is an item again.
                    context = context && !item;
                    // "from a to b": b is a target again; a comma ends "per x, y" as well.
                    context = context && matches!(token.as_str(), "and" | ",");
                }
                continue;
            }
        };
        let path = path_of(&written, span.is_some());
        out.push(Object { text: written, path, code: span.is_some(), target: !context, at });
    }
    out
}

/// Whether a verb follows "to": what it names is the purpose, not the target.
fn begins_purpose(next: Option<&String>, text: &Text) -> bool {
    next.is_some_and(|next| {
        let span = next.chars().next().is_some_and(|c| text.span(c).is_some());
        !span
            && !is_path(next, false)
            && !matches!(
                next.as_str(),
                "the" | "a" | "an" | "its" | "our" | "your" | "both" | "all" | "each" | "file" | "folder"
            )
    })
}

/// `token` as the clause writes it: tokens are lower case.
fn cased(text: &str, token: &str) -> String {
    text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '"' | ';'))
        .find(|word| word.to_lowercase().trim_end_matches(['.', ':', '!']) == token)
        .map_or_else(|| token.to_owned(), |word| word.trim_end_matches(['.', ':', '!']).to_owned())
}

/// Whether `text` names a file or folder.
pub(in crate::claims) fn is_path(text: &str, code: bool) -> bool {
    path_of(text, code).is_some()
}

/// The path that `text` names, without line numbers and what stands behind it; `None` when it names none.
pub(in crate::claims) fn path_of(text: &str, code: bool) -> Option<String> {
    let text = text.trim();
    if text.is_empty()
        || 300 < text.len()
        || text.contains([' ', '\n', '(', ')', '{', '}', '<', '>', '=', '"', '|', '$', '*', '?'])
    {
        return None;
    }
    if text.contains("://") || text.starts_with(['@', '-', '#', ':']) {
        return None;
    }
    let text = text.split("::").next().unwrap_or(text);
    let text = text.split('#').next().unwrap_or(text);
    let text = without_lines(text);
    let name = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if name.is_empty() || name.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let known = KNOWN_NAMES.iter().any(|known| name.eq_ignore_ascii_case(known));
    let extension = name.rsplit_once('.').map(|(stem, extension)| (stem, extension.to_ascii_lowercase()));
    let has_extension = extension.as_ref().is_some_and(|(stem, extension)| {
        EXTENSIONS.contains(&extension.as_str()) && (!stem.is_empty() || text.contains('/'))
    });
    let hidden = code
        && name.starts_with('.')
        && 2 < name.len()
        && name[1..].chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    let folder = text.ends_with('/') && 1 < text.len() && text.chars().any(char::is_alphanumeric);
    let rooted = text.starts_with("./")
        || text.starts_with("../")
        || text.starts_with("~/")
        || (text.starts_with('/') && code && 1 < text.matches('/').count());
    let bare_word = !code
        && !text.contains('/')
        && extension.as_ref().is_some_and(|(stem, _)| {
            matches!(
                *stem,
                "node"
                    | "next"
                    | "vue"
                    | "three"
                    | "d3"
                    | "socket"
                    | "chart"
                    | "express"
                    | "nuxt"
                    | "e"
                    | "i"
            )
        });
    let host = !text.contains('/')
        && extension
            .as_ref()
            .is_some_and(|(_, extension)| matches!(extension.as_str(), "com" | "org" | "io" | "net" | "dev"));
    ((known || has_extension || hidden || folder || rooted) && !bare_word && !host).then(|| text.to_owned())
}

/// `a.py:12:3` and `a.py:12-20` without their lines.
fn without_lines(text: &str) -> &str {
    match text.find(':') {
        Some(at) if 1 < at && text[at + 1..].starts_with(|c: char| c.is_ascii_digit()) => &text[..at],
        _ => text.trim_end_matches(':'),
    }
}

const KNOWN_NAMES: &[&str] = &[
    "dockerfile",
    "makefile",
    "readme",
    "license",
    "changelog",
    "gemfile",
    "rakefile",
    "procfile",
    "justfile",
    "vagrantfile",
    "jenkinsfile",
    "codeowners",
    "containerfile",
    "brewfile",
    "pipfile",
    "cmakelists.txt",
    "go.mod",
    "go.sum",
    "cargo.lock",
    ".gitignore",
    ".dockerignore",
    ".env",
    ".env.example",
    ".editorconfig",
    ".npmrc",
    ".nvmrc",
    ".eslintrc",
    ".prettierrc",
    ".gitattributes",
];

const EXTENSIONS: &[&str] = &[
    "rs",
    "py",
    "pyi",
    "ipynb",
    "js",
    "jsx",
    "mjs",
    "cjs",
    "ts",
    "tsx",
    "mts",
    "cts",
    "vue",
    "svelte",
    "astro",
    "java",
    "kt",
    "kts",
    "scala",
    "groovy",
    "gradle",
    "go",
    "c",
    "h",
    "cc",
    "cpp",
    "hpp",
    "cxx",
    "hh",
    "m",
    "mm",
    "cs",
    "fs",
    "vb",
    "rb",
    "erb",
    "rake",
    "php",
    "swift",
    "dart",
    "lua",
    "pl",
    "pm",
    "r",
    "jl",
    "ex",
    "exs",
    "erl",
    "hs",
    "ml",
    "clj",
    "zig",
    "nim",
    "sh",
    "bash",
    "zsh",
    "fish",
    "ps1",
    "bat",
    "cmd",
    "sql",
    "md",
    "mdx",
    "rst",
    "adoc",
    "txt",
    "pdf",
    "csv",
    "tsv",
    "json",
    "jsonc",
    "json5",
    "jsonl",
    "yaml",
    "yml",
    "toml",
    "ini",
    "cfg",
    "conf",
    "env",
    "xml",
    "html",
    "htm",
    "css",
    "scss",
    "sass",
    "less",
    "svg",
    "png",
    "jpg",
    "jpeg",
    "gif",
    "webp",
    "ico",
    "lock",
    "log",
    "tf",
    "tfvars",
    "tfstate",
    "pem",
    "crt",
    "key",
    "ndjson",
    "avro",
    "feature",
    "razor",
    "xaml",
    "csproj",
    "sln",
    "hcl",
    "proto",
    "graphql",
    "gql",
    "prisma",
    "tex",
    "bib",
    "docx",
    "xlsx",
    "pptx",
    "zip",
    "tar",
    "gz",
    "tgz",
    "whl",
    "jar",
    "wasm",
    "snap",
    "patch",
    "diff",
    "tmpl",
    "tpl",
    "j2",
    "hbs",
    "ejs",
    "pug",
    "plist",
    "service",
    "db",
    "sqlite",
    "mdc",
    "properties",
    "bazel",
    "cmake",
    "mk",
    "out",
    "bak",
    "example",
    "sol",
    "po",
    "ics",
    "tap",
    "har",
    "parquet",
];

/// The nouns that stand in `norm`.
pub(super) fn nouns(norm: &str, language: &Language) -> Vec<Noun> {
    language
        .nouns
        .iter()
        .filter(|(_, words)| contains(norm, language, words))
        .map(|(noun, _)| *noun)
        .collect()
}

/// The place that `norm` names.
pub(super) fn venue(norm: &str, language: &Language) -> Option<Venue> {
    language.venues.iter().find(|(_, words)| contains(norm, language, words)).map(|(venue, _)| *venue)
}

/// A number as a token has it; separators of thousands are read.
pub(super) fn number(token: &str, language: &Language) -> Option<u64> {
    let digits: String = token.chars().filter(|c| *c != ',').collect();
    if let Ok(number) = digits.parse() {
        return Some(number);
    }
    language.numbers.iter().find(|(word, _)| *word == token).map(|(_, number)| *number)
}
