//! How languages write comments and strings, and what their definitions look like.

use std::path::Path;

/// A string literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quote {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    /// A backslash keeps the next character; else a doubled end does.
    pub(super) escapes: bool,
    /// It may hold line ends.
    pub(super) lines: bool,
}

/// How definitions are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// By syntax tree.
    Python,
    /// By headings.
    Markdown,
    /// Bodies in braces.
    Rust,
    Script,
    Go,
    Shell,
    /// Java, C, C#, Kotlin and their kin.
    Braces,
    /// By lines and their indentation.
    Lines,
    /// A file is one thing.
    Whole,
}

/// One language, or several that are alike in this.
#[derive(Debug)]
pub(super) struct Language {
    /// Extensions without the dot, in small letters.
    extensions: &'static [&'static str],
    /// File names in small letters.
    names: &'static [&'static str],
    pub(super) line: &'static [&'static str],
    pub(super) block: &'static [(&'static str, &'static str)],
    /// Block comments nest.
    pub(super) nests: bool,
    pub(super) quotes: &'static [Quote],
    pub(super) family: Family,
    /// A mark of a line comment counts at the beginning of a word only.
    pub(super) word: bool,
    /// A line end ends a statement.
    pub(super) newline_ends: bool,
}

const fn quote(mark: &'static str) -> Quote {
    Quote { open: mark, close: mark, escapes: true, lines: false }
}
const fn quote_of_lines(mark: &'static str) -> Quote {
    Quote { open: mark, close: mark, escapes: true, lines: true }
}
const fn doubled(mark: &'static str) -> Quote {
    Quote { open: mark, close: mark, escapes: false, lines: true }
}

const PLAIN: Language = Language {
    extensions: &[],
    names: &[],
    line: &[],
    block: &[],
    nests: false,
    quotes: &[],
    family: Family::Whole,
    word: false,
    newline_ends: false,
};

const C_BLOCK: &[(&str, &str)] = &[("/*", "*/")];
const MARKUP: &[(&str, &str)] = &[("<!--", "-->")];
const C_QUOTES: &[Quote] = &[quote_of_lines("\"\"\""), quote("\""), quote("'")];

const LANGUAGES: &[Language] = &[
    Language {
        extensions: &["py", "pyi", "pyw", "pyx"],
        names: &["sconstruct", "sconscript"],
        line: &["#"],
        quotes: &[quote_of_lines("\"\"\""), quote_of_lines("'''"), quote("\""), quote("'")],
        family: Family::Python,
        ..PLAIN
    },
    Language { extensions: &["md", "markdown", "mdx"], block: MARKUP, family: Family::Markdown, ..PLAIN },
    Language {
        extensions: &["rs"],
        line: &["//"],
        block: C_BLOCK,
        nests: true,
        quotes: &[quote_of_lines("\"")],
        family: Family::Rust,
        ..PLAIN
    },
    Language {
        extensions: &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"],
        line: &["//"],
        block: C_BLOCK,
        quotes: &[quote("\""), quote("'"), quote_of_lines("`")],
        family: Family::Script,
        newline_ends: true,
        ..PLAIN
    },
    Language {
        extensions: &["vue", "svelte", "astro"],
        line: &["//"],
        block: &[("<!--", "-->"), ("/*", "*/")],
        ..PLAIN
    },
    Language {
        extensions: &["go"],
        line: &["//"],
        block: C_BLOCK,
        quotes: &[quote("\""), quote("'"), doubled("`")],
        family: Family::Go,
        newline_ends: true,
        ..PLAIN
    },
    Language {
        extensions: &["java", "groovy", "gradle"],
        line: &["//"],
        block: C_BLOCK,
        quotes: C_QUOTES,
        family: Family::Braces,
        newline_ends: true,
        ..PLAIN
    },
    Language {
        extensions: &["scala", "sc", "kt", "kts", "swift", "dart"],
        line: &["//"],
        block: C_BLOCK,
        nests: true,
        quotes: C_QUOTES,
        family: Family::Braces,
        newline_ends: true,
        ..PLAIN
    },
    Language {
        extensions: &[
            "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "ino", "m", "mm", "cs", "cu", "cuh", "proto",
            "thrift", "idl", "glsl", "hlsl", "sol", "v", "sv", "svh", "zig", "d", "idr",
        ],
        line: &["//"],
        block: C_BLOCK,
        quotes: C_QUOTES,
        family: Family::Braces,
        ..PLAIN
    },
    Language {
        extensions: &["php", "phtml"],
        line: &["//", "#"],
        block: C_BLOCK,
        quotes: &[quote_of_lines("\""), quote_of_lines("'")],
        family: Family::Braces,
        ..PLAIN
    },
    Language { extensions: &["css", "scss", "sass", "less"], line: &["//"], block: C_BLOCK, ..PLAIN },
    Language {
        extensions: &["json5", "jsonc"],
        line: &["//"],
        block: C_BLOCK,
        quotes: &[quote("\""), quote("'")],
        ..PLAIN
    },
    Language {
        extensions: &["sh", "bash", "zsh", "ksh", "bats", "envrc"],
        names: &["bashrc", "profile", "pkgbuild"],
        line: &["#"],
        quotes: &[quote_of_lines("\""), Quote { open: "'", close: "'", escapes: false, lines: true }],
        family: Family::Shell,
        word: true,
        newline_ends: true,
        ..PLAIN
    },
    Language {
        extensions: &["rb", "rake", "gemspec", "ru", "cr"],
        names: &["rakefile", "gemfile", "vagrantfile", "podfile", "fastfile"],
        line: &["#"],
        block: &[("=begin", "=end")],
        quotes: &[quote("\""), quote("'")],
        family: Family::Lines,
        word: true,
        ..PLAIN
    },
    Language {
        extensions: &[
            "ex", "exs", "nim", "jl", "r", "pl", "pm", "t", "raku", "fish", "tcl", "awk", "coffee", "gd",
        ],
        line: &["#"],
        quotes: &[quote_of_lines("\"\"\""), quote("\""), quote("'")],
        family: Family::Lines,
        word: true,
        ..PLAIN
    },
    Language {
        extensions: &[
            "yaml",
            "yml",
            "toml",
            "cfg",
            "conf",
            "properties",
            "tf",
            "tfvars",
            "hcl",
            "nix",
            "mk",
            "cmake",
            "bzl",
            "star",
            "robot",
            "feature",
            "graphql",
            "gql",
            "dockerfile",
            "ps1",
            "psm1",
            "psd1",
        ],
        names: &[
            "makefile",
            "gnumakefile",
            "dockerfile",
            "containerfile",
            "cmakelists.txt",
            "justfile",
            "build",
            "workspace",
            "jenkinsfile",
            "codeowners",
        ],
        line: &["#"],
        block: &[("<#", "#>")],
        quotes: &[quote("\""), Quote { open: "'", close: "'", escapes: false, lines: false }],
        family: Family::Lines,
        word: true,
        ..PLAIN
    },
    Language {
        extensions: &[
            "sql",
            "psql",
            "ddl",
            "adb",
            "ads",
            "vhd",
            "vhdl",
            "elm",
            "lua",
            "hs",
            "lhs",
            "purs",
            "applescript",
        ],
        line: &["--"],
        block: &[("/*", "*/"), ("--[[", "]]"), ("{-", "-}")],
        quotes: &[quote("\""), Quote { open: "'", close: "'", escapes: false, lines: false }],
        family: Family::Lines,
        ..PLAIN
    },
    Language {
        extensions: &[
            "lisp", "lsp", "cl", "el", "clj", "cljs", "cljc", "edn", "scm", "ss", "rkt", "asm", "s", "ini",
            "inc", "reg", "ahk",
        ],
        line: &[";", "#|"],
        quotes: &[quote_of_lines("\"")],
        family: Family::Lines,
        ..PLAIN
    },
    Language {
        extensions: &["tex", "sty", "cls", "bib", "erl", "hrl", "pro", "mat", "ps"],
        line: &["%"],
        quotes: &[quote("\"")],
        family: Family::Lines,
        ..PLAIN
    },
    Language {
        extensions: &["f90", "f95", "f03", "f08", "f"],
        line: &["!"],
        quotes: &[quote("\""), quote("'")],
        family: Family::Lines,
        ..PLAIN
    },
    Language {
        extensions: &["vb", "vbs", "bas", "frm"],
        line: &["'"],
        quotes: &[Quote { open: "\"", close: "\"", escapes: false, lines: false }],
        family: Family::Lines,
        ..PLAIN
    },
    Language { extensions: &["bat", "cmd"], line: &["REM", "rem", "::"], word: true, ..PLAIN },
    Language {
        extensions: &["pas", "pp", "dpr", "ml", "mli", "fs", "fsi", "fsx"],
        line: &["//"],
        block: &[("(*", "*)")],
        quotes: &[quote("\"")],
        family: Family::Lines,
        ..PLAIN
    },
    Language {
        extensions: &[
            "html", "htm", "xhtml", "xml", "xsd", "xsl", "xslt", "svg", "plist", "csproj", "fxml", "xaml",
            "jsp", "erb", "hbs",
        ],
        block: MARKUP,
        ..PLAIN
    },
    Language {
        extensions: &["jinja", "jinja2", "j2", "twig"],
        block: &[("{#", "#}"), ("<!--", "-->")],
        ..PLAIN
    },
    Language { extensions: &["rst"], line: &[".. "], ..PLAIN },
    Language { extensions: &["adoc", "asciidoc"], line: &["//"], ..PLAIN },
];

/// Data and texts without comments.
const NOTHING: &[&str] = &[
    "json", "csv", "tsv", "txt", "log", "lock", "ipynb", "jsonl", "ndjson", "po", "map", "patch", "diff",
    "snap",
];

/// What is not known by its name: marks that mostly begin a comment, at the beginning of a word.
const UNKNOWN: Language =
    Language { line: &["//", "#", "--", ";", "%"], block: C_BLOCK, word: true, ..PLAIN };

/// The language of a file by its name, else by the interpreter that its first line names; `None` where nothing in it is a
/// comment.
pub(super) fn of(path: &str, text: &str) -> Option<&'static Language> {
    let path = Path::new(path);
    let name = path.file_name().map(|it| it.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let extension = path.extension().map(|it| it.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let bare = name.trim_start_matches('.');
    let by_name = LANGUAGES
        .iter()
        .find(|it| it.names.contains(&bare) || it.names.iter().any(|it| bare.starts_with(&format!("{it}."))));
    let by_extension = || LANGUAGES.iter().find(|it| it.extensions.contains(&extension.as_str()));
    if let Some(found) = by_name.or_else(by_extension) {
        return Some(found);
    }
    if NOTHING.contains(&extension.as_str()) {
        return None;
    }
    let first = text.lines().next().unwrap_or_default();
    let interpreter = first.strip_prefix("#!").unwrap_or_default();
    let with = |extension: &str| LANGUAGES.iter().find(|it| it.extensions.contains(&extension));
    for (program, extension) in
        [("python", "py"), ("node", "js"), ("ruby", "rb"), ("perl", "pl"), ("sh", "sh")]
    {
        if interpreter.contains(program) {
            return with(extension);
        }
    }
    Some(&UNKNOWN)
}

/// Whether a file is one of tests by where it lies and what it is called.
pub fn is_test_path(path: &str) -> bool {
    const FOLDERS: &[&str] =
        &["test", "tests", "testing", "__tests__", "e2e", "testkit", "integration_tests", "androidtest"];
    let lower = path.replace('\\', "/").to_ascii_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    if matches!(name.rsplit_once('.'), Some((_, "md" | "markdown" | "mdx" | "rst" | "adoc"))) {
        return false;
    }
    if folders.split('/').any(|it| FOLDERS.contains(&it)) {
        return true;
    }
    let original = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = original.split('.').next().unwrap_or_default();
    let small = stem.to_ascii_lowercase();
    let middle =
        name.split('.').rev().skip(1).any(|it| matches!(it, "test" | "tests" | "spec" | "cy" | "e2e"));
    let camel = ["Test", "Tests", "IT", "Spec", "Specs", "TestCase"].iter().any(|it| {
        stem.strip_suffix(it)
            .is_some_and(|rest| rest.ends_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit()))
    });
    let leading =
        stem.strip_prefix("Test").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    middle
        || camel
        || leading
        || small.starts_with("test_")
        // `context_1.16_test.go` has a dot in its name.
        || ["_test", "_tests", "_spec", "-test", "-spec"].iter().any(|it| {
            small.ends_with(it) || name.rsplit_once('.').is_some_and(|(stem, _)| stem.ends_with(it))
        })
        || matches!(small.as_str(), "test" | "tests" | "conftest")
}
