//! Secrets in text: formats of known providers, and literals that are assigned to names of secrets.
//!
//! Both ask whether a value is real. A value is not real when nothing is left of it after taking away what people
//! write in place of secrets; one such word inside a value proves nothing. Plain words, references, hashes and
//! identifiers are no secrets either. Everything here is linear in the text.

mod assigned;
mod formats;
mod value;

use std::path::Path;

/// Most secrets that each way of finding them tells of one text. More are no more reason to stop.
const FOUND_MAX: usize = 100;

/// A secret that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Secret<'text> {
    /// The line that it begins on, from 1.
    pub(crate) line: usize,
    /// What it is, with its article: "an AWS access key".
    pub(crate) what: String,
    /// The environment variable that it would be read from.
    pub(crate) variable: String,
    /// The secret itself: never to be shown.
    pub(crate) value: &'text str,
}

/// What kind of file a text is for, as far as secrets are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties of a file, not states of one")]
pub(crate) struct Kind {
    /// Values stand without quotes after `=`: shell, `.env`, Dockerfile, prose.
    pub(crate) bare_equals: bool,
    /// Values stand without quotes after `:`: YAML.
    pub(crate) bare_colon: bool,
    /// A test, a fixture or a template: made-up credentials are its business.
    pub(crate) test: bool,
    /// A lock file: full of checksums.
    pub(crate) lock: bool,
}

/// Extensions of languages in which what stands without quotes is code.
#[rustfmt::skip]
const CODE: &[&str] = &[
    "c", "cc", "cjs", "clj", "cpp", "cs", "css", "cxx", "dart", "erl", "ex", "exs", "fs", "go", "gradle",
    "groovy", "h", "hcl", "hpp", "hs", "html", "ipynb", "java", "jl", "js", "json", "jsonc", "jsx", "kt",
    "kts", "less", "lua", "m", "mjs", "ml", "mm", "nix", "php", "pl", "py", "pyi", "pyx", "r", "rb", "rs",
    "sass", "scala", "scss", "sql", "svelte", "swift", "tf", "toml", "ts", "tsx", "vue", "xml", "zig",
];

const TEST_FOLDERS: &[&str] = &[
    "__fixtures__",
    "__mocks__",
    "__tests__",
    "e2e",
    "fixtures",
    "spec",
    "specs",
    "test",
    "testdata",
    "testing",
    "tests",
];

const LOCK_FILES: &[&str] =
    &["go.sum", "npm-shrinkwrap.json", "package-lock.json", "packages.lock.json", "pnpm-lock.yaml"];

impl Kind {
    /// The kind of the file at `path`, relative to the project.
    pub(crate) fn of(path: &Path) -> Self {
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default().to_ascii_lowercase();
        // A dot file has no extension: `.env.local` is read by its first name.
        let extension = name.trim_start_matches('.').rsplit_once('.').map_or("", |(_, extension)| extension);
        let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
        let in_tests = path.parent().is_some_and(|it| {
            it.iter().any(|folder| TEST_FOLDERS.iter().any(|test| folder.eq_ignore_ascii_case(test)))
        });
        let test = in_tests
            || stem == "conftest"
            || stem.starts_with("test_")
            || [".test", ".spec", "_test", "_spec"].iter().any(|it| stem.ends_with(it));
        let template = ["example", "sample", "template", "dist"]
            .iter()
            .any(|it| name.split(['.', '-', '_']).any(|part| part == *it));
        let dotenv = name.starts_with(".env");
        Self {
            bare_equals: dotenv || !CODE.contains(&extension),
            bare_colon: matches!(extension, "yml" | "yaml" | "properties" | "conf" | "cfg" | "ini"),
            test: test || template,
            lock: extension == "lock" || LOCK_FILES.contains(&name.as_str()),
        }
    }
}

/// Every secret in `text`, by line.
pub(crate) fn find(text: &str, kind: Kind) -> Vec<Secret<'_>> {
    let mut found = formats::find(text, kind);
    if !kind.lock {
        let of_providers = found.len();
        for secret in assigned::find(text, kind) {
            let known = found.iter().take(of_providers).any(|it| overlap(it.value, secret.value));
            if !known {
                found.push(secret);
            }
        }
    }
    found.sort_by_key(|it| it.line);
    found
}

/// Whether two parts of one text share a byte.
fn overlap(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes().as_ptr_range(), b.as_bytes().as_ptr_range());
    a.start < b.end && b.start < a.end
}

/// Turns rising offsets into lines.
struct LineCounter<'text> {
    text: &'text str,
    offset: usize,
    line: usize,
}

impl<'text> LineCounter<'text> {
    fn new(text: &'text str) -> Self {
        Self { text, offset: 0, line: 1 }
    }

    fn line_at(&mut self, offset: usize) -> usize {
        let between = self.text.as_bytes().get(self.offset..offset).unwrap_or_default();
        self.line += between.split(|byte| *byte == b'\n').count() - 1;
        self.offset = self.offset.max(offset);
        self.line
    }
}

#[cfg(test)]
mod tests;
