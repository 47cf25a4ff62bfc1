//! Findings that the code itself asks to leave out, in the words of the linters that people use.
//!
//! A note names rules of its own tool, or none and then means all. Rules are known here by the check that looks for the
//! same thing. A secret is left out by a note that names it, and not by one that means all: an agent writes such notes
//! in passing. Code that does not parse is always told.

use super::{Finding, Source};

/// How the rules of linters are called that look for what a check looks for: in lower case, without the group before a
/// slash, dot or colon. Those of one letter and digits are told by their beginning.
const RULES: &[(&str, &[&str])] = &[
    ("bare_except", &["e722", "b001", "bare-except", "w0702"]),
    ("except_pass", &["s110", "sim105", "b110"]),
    (
        "empty_catch",
        &[
            "no-empty",
            "noemptyblockstatements",
            "emptycatchblock",
            "emptyblock",
            "s108",
            "s2486",
            "redundant_pattern_matching",
            "staticcheck",
            "sa9003",
            "empty-block",
            "suppressedexception",
            "ca1031",
            "swallowedexception",
        ],
    ),
    ("unlogged_exception", &["ble001", "broad-except", "broad-exception-caught", "w0703", "w0718", "s112"]),
    (
        "debug_print",
        &[
            "t20",
            "t10",
            "no-console",
            "noconsole",
            "no-debugger",
            "nodebugger",
            "dbg_macro",
            "print_stdout",
            "forbidigo",
            "systemprintln",
            "s2228",
        ],
    ),
    (
        "todo",
        &[
            "fix",
            "td",
            "fixme",
            "w0511",
            "no-warning-comments",
            "godox",
            "todocomment",
            "todo",
            "s1135",
            "s1134",
        ],
    ),
    ("mutable_default", &["b006", "dangerous-default-value", "w0102"]),
    ("relative_import", &["tid252"]),
    (
        "secret",
        &[
            "s105",
            "s106",
            "s107",
            "b105",
            "b106",
            "b107",
            "hardcoded-password-string",
            "gosec",
            "g101",
            "s2068",
            "s6418",
        ],
    ),
    (
        "branches",
        &[
            "c901",
            "too-many-branches",
            "too-complex",
            "r0912",
            "plr0912",
            "complexity",
            "noexcessivecognitivecomplexity",
            "cognitive_complexity",
            "gocyclo",
            "cyclop",
            "gocognit",
            "cyclomaticcomplexity",
            "complexmethod",
            "cyclomaticcomplexmethod",
            "cyclomatic_complexity",
            "s3776",
            "s1541",
        ],
    ),
    (
        "nesting",
        &[
            "plr1702",
            "too-many-nested-blocks",
            "r1702",
            "max-depth",
            "excessive_nesting",
            "nestif",
            "nestedblockdepth",
            "nesting",
            "s134",
        ],
    ),
    (
        "line_length",
        &[
            "e501",
            "line-too-long",
            "c0301",
            "w505",
            "max-len",
            "lll",
            "linelength",
            "maxlinelength",
            "maximumlinelength",
            "line_length",
        ],
    ),
    (
        "function_length",
        &[
            "plr0915",
            "too-many-statements",
            "r0915",
            "max-lines-per-function",
            "too_many_lines",
            "funlen",
            "methodlength",
            "longmethod",
            "function_body_length",
            "s138",
        ],
    ),
    (
        "naming",
        &[
            "n801",
            "n802",
            "n803",
            "n806",
            "n815",
            "n816",
            "invalid-name",
            "c0103",
            "camelcase",
            "naming-convention",
            "usenamingconvention",
            "non_snake_case",
            "non_camel_case_types",
            "non_upper_case_globals",
            "nonstandard_style",
            "revive",
            "stylecheck",
            "st1003",
            "methodname",
            "typename",
            "constantname",
            "functionname",
            "functionnaming",
            "classnaming",
            "ca1707",
            "s100",
            "s101",
            "identifier_name",
            "type_name",
        ],
    ),
    (
        "god_object",
        &[
            "plr0904",
            "too-many-public-methods",
            "r0904",
            "max-classes-per-file",
            "toomanyfunctions",
            "toomanymethods",
            "type_body_length",
            "s1448",
        ],
    ),
    ("feature_envy", &["featureenvy"]),
    ("stop.stub", &["todo", "unimplemented", "no-empty-function", "not_implemented"]),
    (
        "stop.nesting",
        &[
            "plr1702",
            "too-many-nested-blocks",
            "r1702",
            "max-depth",
            "excessive_nesting",
            "nestif",
            "nestedblockdepth",
            "nesting",
            "s134",
        ],
    ),
    (
        "stop.god_class",
        &[
            "plr0904",
            "too-many-public-methods",
            "r0904",
            "toomanyfunctions",
            "toomanymethods",
            "largeclass",
            "type_body_length",
            "s1448",
        ],
    ),
    ("stop.file_lines", &["max-lines", "too-many-lines", "c0302", "filelength", "file_length", "s104"]),
];

/// Checks that a note without names does not reach.
const NAMED_ONLY: &[&str] = &["secret"];
/// Checks that no note reaches.
const ALWAYS: &[&str] = &["syntax"];

/// What a note asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Note {
    /// The first and last line that it is about.
    lines: (usize, usize),
    /// The rules that it names, in lower case; empty: all of them.
    rules: Vec<String>,
}

/// `findings` without those that a comment or an attribute of the code suppresses.
pub(super) fn without(source: &Source<'_>, findings: Vec<Finding>) -> Vec<Finding> {
    if findings.is_empty() || !may_hold(source.text) {
        return findings;
    }
    let notes = notes(source);
    findings.into_iter().filter(|finding| !notes.iter().any(|note| note.reaches(finding))).collect()
}

impl Note {
    fn reaches(&self, finding: &Finding) -> bool {
        let check = finding.check.as_str();
        if !(self.lines.0..=self.lines.1).contains(&finding.line) || ALWAYS.contains(&check) {
            return false;
        }
        if self.rules.is_empty() {
            return !NAMED_ONLY.contains(&check);
        }
        let known = RULES.iter().find(|it| it.0 == check).map_or(&[][..], |it| it.1);
        self.rules.iter().any(|rule| rule == check || known.iter().any(|known| names(rule, known)))
    }
}

/// Whether `rule` as written is the `known` one: `clippy::todo` and `lint/suspicious/noConsole` end in it, and `FIX`
/// stands for `FIX001`.
fn names(rule: &str, known: &str) -> bool {
    let last = rule.rsplit(['/', ':', '.']).next().unwrap_or(rule);
    let code = known.bytes().last().is_some_and(|it| it.is_ascii_digit()) || known.len() <= 3;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    last == known
        || (code && last.strip_prefix(known).is_some_and(digits))
        // `S1` and `T` stand for all that begin so.
        || (code && last.len() < known.len() && known.strip_prefix(last).is_some_and(digits))
}

/// Words of which every note has one: most texts have none.
fn may_hold(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "noqa",
        "NOQA",
        "nosec",
        "pylint:",
        "allowlist secret",
        "gitleaks:",
        "eslint-",
        "biome-ignore",
        "allow(",
        "expect(",
        "Suppress",
        "NOSONAR",
        "NOPMD",
        "nolint",
        "NOLINT",
        "rubocop:",
        "swiftlint:",
        "phpcs:",
        "detekt:",
        "ktlint-",
        "SuppressMessage",
        "pragma warning",
        "CHECKSTYLE",
    ];
    WORDS.iter().any(|it| memchr::memmem::find(text.as_bytes(), it.as_bytes()).is_some())
}

/// Every note of the file.
fn notes(source: &Source<'_>) -> Vec<Note> {
    let end = source.text.lines().count().max(1);
    let mut notes = Vec::new();
    let mut open: Vec<(usize, Vec<String>)> = Vec::new();
    for (first, last, text, own_line) in remarks(source) {
        for (at, text) in text.lines().enumerate() {
            let line = first + at;
            let Some((reach, rules)) = read(text) else { continue };
            match reach {
                Reach::Line if own_line && follows_up(text) => {
                    notes.push(Note { lines: extent(source, last + 1), rules });
                }
                Reach::Line => notes.push(Note { lines: extent(source, line), rules }),
                Reach::Next => notes.push(Note { lines: (line, last + 1), rules }),
                Reach::File => notes.push(Note { lines: (1, end), rules }),
                Reach::Open if own_line => open.push((line, rules)),
                Reach::Open => notes.push(Note { lines: (line, line), rules }),
                Reach::Close => {
                    let (closed, left): (Vec<_>, Vec<_>) =
                        open.drain(..).partition(|it| rules.is_empty() || it.1 == rules);
                    notes.extend(closed.into_iter().map(|(from, rules)| Note { lines: (from, line), rules }));
                    open = left;
                }
            }
        }
    }
    notes.extend(open.into_iter().map(|(from, rules)| Note { lines: (from, end), rules }));
    notes.extend(attributes(source, end));
    notes
}

/// Comments: first line, last line, text, and whether it has its line for itself. Where the text was not read, what
/// follows the mark of a comment in each line.
fn remarks<'a>(source: &Source<'a>) -> Vec<(usize, usize, &'a str, bool)> {
    if let Some(facts) = source.facts {
        let comments = facts.comments.iter().filter(|it| !source.is_doc_string(it));
        return comments.map(|it| (it.line, it.last_line, it.text.as_str(), it.is_own_line)).collect();
    }
    let lines = source.text.lines().enumerate();
    lines
        .filter_map(|(at, line)| {
            let mark = ["#", "//", "/*"].iter().filter_map(|it| line.find(it)).min()?;
            let own_line = line.get(..mark).is_some_and(|it| it.trim().is_empty());
            Some((at + 1, at + 1, line.get(mark..)?, own_line))
        })
        .collect()
}

/// How far a note reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Its own line.
    Line,
    /// The line after it.
    Next,
    /// The whole file.
    File,
    /// From here on, until it is closed; its own line where it stands behind code.
    Open,
    /// Up to here.
    Close,
}

/// What the words of a note mean, the longest first.
const WORDS: &[(&str, Reach)] = &[
    ("eslint-disable-next-line", Reach::Next),
    ("eslint-disable-line", Reach::Line),
    ("eslint-disable", Reach::Open),
    ("eslint-enable", Reach::Close),
    ("biome-ignore-all", Reach::File),
    ("biome-ignore", Reach::Next),
    ("flake8: noqa", Reach::File),
    ("flake8:noqa", Reach::File),
    ("ruff: noqa", Reach::File),
    ("ruff:noqa", Reach::File),
    ("pylint: skip-file", Reach::File),
    ("pylint: disable-next", Reach::Next),
    ("pylint: disable", Reach::Open),
    ("pylint: enable", Reach::Close),
    ("noqa", Reach::Line),
    ("nosec", Reach::Line),
    ("pragma: allowlist nextline secret", Reach::Next),
    ("pragma: allowlist secret", Reach::Line),
    ("gitleaks:allow", Reach::Line),
    ("NOLINTNEXTLINE", Reach::Next),
    ("NOLINTBEGIN", Reach::Open),
    ("NOLINTEND", Reach::Close),
    ("NOLINT", Reach::Line),
    ("nolint", Reach::Line),
    ("NOSONAR", Reach::Line),
    ("NOPMD", Reach::Line),
    ("CHECKSTYLE:OFF", Reach::Open),
    ("CHECKSTYLE:ON", Reach::Close),
    ("rubocop:disable", Reach::Open),
    ("rubocop:enable", Reach::Close),
    ("swiftlint:disable:next", Reach::Next),
    ("swiftlint:disable:this", Reach::Line),
    ("swiftlint:disable", Reach::Open),
    ("swiftlint:enable", Reach::Close),
    ("phpcs:ignore", Reach::Line),
    ("phpcs:disable", Reach::Open),
    ("phpcs:enable", Reach::Close),
];

/// Reads one line of a comment.
fn read(text: &str) -> Option<(Reach, Vec<String>)> {
    let (word, reach, rest) = WORDS.iter().find_map(|(word, reach)| {
        let at = find_word(text, word)?;
        Some((*word, *reach, text.get(at + word.len()..)?))
    })?;
    // Scanners of secrets say nothing about anything else.
    let about_secrets = matches!(word, "nosec" | "gitleaks:allow") || word.starts_with("pragma: allowlist");
    let rules = if about_secrets { vec!["secret".to_owned()] } else { rules(word, rest)? };
    Some((reach, rules))
}

/// Where `word` stands as a word, ASCII case ignored for `noqa`.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let (text, word) = if word.contains("noqa") { (lower.as_str(), word) } else { (text, word) };
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = text.get(..*at).and_then(|it| it.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|it| it.chars().next());
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
            && !after.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

/// The rules that a note names after its word; `None` where it is no note after all.
fn rules(word: &str, rest: &str) -> Option<Vec<String>> {
    let rest = rest.trim_end_matches("*/").trim_end();
    let list = if word.starts_with("pylint") {
        rest.trim_start().strip_prefix('=').or((word.ends_with("skip-file")).then_some(rest))?
    } else if word.contains("noqa") {
        // Without a colon it means all of them, whatever follows.
        rest.strip_prefix(':').unwrap_or_default()
    } else if word.starts_with("eslint") {
        rest.split(" -- ").next().unwrap_or_default()
    } else if word.starts_with("biome") {
        rest.split(':').next().unwrap_or_default()
    } else if word.contains("NOLINT") {
        rest.strip_prefix('(').and_then(|it| it.split(')').next()).unwrap_or_default()
    } else if word == "nolint" {
        rest.strip_prefix(':').and_then(|it| it.split(" //").next()).unwrap_or_default()
    } else if word.starts_with("NO") || word.starts_with("CHECKSTYLE") {
        ""
    } else {
        rest.split(" - ").next().unwrap_or_default()
    };
    let mut rules: Vec<String> = Vec::new();
    for part in list.split(',') {
        let mut words = part.split_whitespace().map(str::to_ascii_lowercase);
        // ruff and rubocop take blanks between codes as well; what is no code begins the reason.
        let all: Vec<String> = if word.contains("noqa") {
            words.take_while(|it| is_code(it)).collect()
        } else {
            words.next().into_iter().collect()
        };
        rules.extend(all);
    }
    rules.retain(|it| !matches!(it.as_str(), "all" | "*"));
    let named = !list.trim().is_empty();
    // A list of which nothing is a code names nothing of ours.
    if named && rules.is_empty() && !list.to_ascii_lowercase().contains("all") { None } else { Some(rules) }
}

/// A code such as `E722`, or an id of a check.
fn is_code(word: &str) -> bool {
    word.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'.' | b'-'))
        && (word.bytes().any(|it| it.is_ascii_digit()) || super::Check::of(word).is_some())
}

/// Whether a note that has its line for itself is about what follows: in Go and PHP it is, in Python it is about itself.
fn follows_up(text: &str) -> bool {
    ["nolint", "phpcs:ignore"].iter().any(|it| text.contains(it))
}

/// What a note on `line` is about: a whole function or class where one begins there, as for linters.
fn extent(source: &Source<'_>, line: usize) -> (usize, usize) {
    // Python's notes are about the line that a finding stands on; Go's about the whole of what begins there.
    let whole = source.is(hostler_syntax::Language::Go);
    let function = source.functions().iter().find(|it| it.line == line).filter(|_| whole);
    (line, function.map_or(line, |it| it.last_line))
}

/// `#[allow(…)]`, `#[expect(…)]` and their inner forms of Rust; `@SuppressWarnings` of Java and `@Suppress` of Kotlin;
/// `#pragma warning disable` and `[SuppressMessage]` of C#.
fn attributes(source: &Source<'_>, end: usize) -> Vec<Note> {
    use hostler_syntax::Language::{CSharp, Java, Kotlin, Rust, Scala};
    let (starts, inner): (&[&str], &[&str]) = match source.language {
        Some(Rust) => (&["#[allow(", "#[expect("], &["#![allow(", "#![expect("]),
        Some(Java | Scala) => (&["@SuppressWarnings("], &[]),
        Some(Kotlin) => (&["@Suppress("], &["@file:Suppress("]),
        Some(CSharp) => {
            (&["[SuppressMessage("], &["[assembly: SuppressMessage(", "#pragma warning disable "])
        }
        _ => return Vec::new(),
    };
    let mut notes = Vec::new();
    let mut offset = 0;
    for (at, line) in source.text.split_inclusive('\n').enumerate() {
        let here = source.text.get(offset..).unwrap_or_default();
        offset += line.len();
        let text = line.trim_start();
        let found = |list: &[&str]| list.iter().find(|it| text.starts_with(**it)).map(|it| it.len());
        let (from, whole) = match (found(inner), found(starts)) {
            (Some(from), _) => (from, true),
            (None, Some(from)) => (from, false),
            (None, None) => continue,
        };
        let from = from + (line.len() - text.len());
        let list = here.get(from..).unwrap_or_default();
        let list = list.split([')', ']']).next().unwrap_or_default();
        let list = if text.starts_with("#pragma") { list.lines().next().unwrap_or_default() } else { list };
        let rules: Vec<String> = list
            .split([',', '{', '}', '\n'])
            .map(|it| it.trim().trim_matches('"').to_ascii_lowercase())
            .filter(|it| !it.is_empty() && !it.contains(char::is_whitespace) && !it.starts_with("reason"))
            .collect();
        if rules.is_empty() {
            continue;
        }
        let rules = if rules.iter().any(|it| it == "all" || it == "warnings") { Vec::new() } else { rules };
        let lines = if whole { (1, end) } else { item_at(source, at + 1) };
        notes.push(Note { lines, rules });
    }
    notes
}

/// The item that an attribute on `line` belongs to; else the line after it.
fn item_at(source: &Source<'_>, line: usize) -> (usize, usize) {
    let functions = source.functions().iter().map(|it| (it.first_line, it.line, it.last_line));
    let classes = source.classes().iter().map(|it| (it.first_line, it.line, it.last_line));
    let owner = functions.chain(classes).find(|(first, head, _)| (*first..=*head).contains(&line));
    owner.map_or((line, line + 1), |(first, _, last)| (first, last))
}

#[cfg(test)]
mod tests;
