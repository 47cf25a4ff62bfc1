//! What written code breaks: it does not parse any more, or (in the strict profile) a check finds an error in it.
//!
//! An edit is judged by the whole file after it against the file before it: who did not break it is not stopped for it.
//! Where the file before is not known, as with a part of it, nothing is judged: the end of the turn looks again.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use hostler_model::{Action, Event, Facts, Mode, Place};
use hostler_syntax::{Facts as Syntax, Language};

use super::written::{Written, resolve, want_edited, written};
use super::{Example, Guard, Hit};
use crate::checks::{self, Finding, Kind, Severity, Source};
use crate::{Case, Settings};

/// Most errors that are told of one call.
const TOLD_MAX: usize = 5;

/// Languages whose reader takes what the language's own compiler takes. The others' do not know every macro or dialect:
/// their errors wait for the end of the turn, where the compiler speaks.
const EXACT: &[Language] = &[
    Language::Python,
    Language::TypeScript,
    Language::Tsx,
    Language::JavaScript,
    Language::Rust,
    Language::Go,
    Language::Java,
];

/// Folders in which code may be broken on purpose, or is none before something is put into it.
const BROKEN_ON_PURPOSE: &[&str] =
    &["__fixtures__", "cookiecutter", "fixtures", "template", "templates", "testdata", "test_data"];

/// Checks that are guards of their own.
const GUARDED: &[&str] = &["syntax", "secret", "bare_except", "except_pass", "relative_import"];

/// A file that parsed, or is new, and would not parse.
pub(crate) const SYNTAX: Guard = Guard {
    id: "syntax-error",
    summary: "code that does not parse, in a file that did or is new",
    standard: Mode::Deny,
    strict: Mode::Deny,
    needs: |case, needs| {
        let Some(path) = code(case) else { return };
        match case.action() {
            Some(Action::Edit { .. }) => want_edited(case, needs),
            // What parses needs no comparison.
            Some(Action::Write { content, .. }) if !faults(&path, content).is_empty() => {
                needs.contents.insert(path);
            }
            _ => {}
        }
    },
    check: syntax,
    fires: &[
        Example::Write("src/a.py", "def f(:\n    return 1\n"),
        Example::Write("src/a.py", "for i in range(3):\n    pass\nbreak\n"),
        Example::Write("src/a.py", "def f():\n\treturn 1\n        return 2\n"),
    ],
    silent: &[
        Example::Write("src/a.py", "def f():\n    if (n := g()) > 3:\n        return n\n"),
        Example::Write("notes.md", "def f(:\n"),
        Example::Write("tests/fixtures/bad.py", "def f(:\n"),
        Example::Write("templates/{{name}}/a.py", "class {{name}}:\n    pass\n"),
        Example::Edit("src/a.py", "x = (", "y = ("),
        Example::Bash("python3 -c 'def f(:'"),
    ],
};

/// What the project's linter holds to be an error.
pub(crate) const LINT: Guard = Guard {
    id: "lint-error",
    summary: "what cannot work, as the project's linter says: E9, F63, F7, F831 of Python",
    standard: Mode::Off,
    strict: Mode::Deny,
    needs: |case, needs| {
        let Some(path) = code(case).filter(|path| Language::of(path) == Some(Language::Python)) else {
            return;
        };
        if let Some(Action::Edit { .. } | Action::Write { .. }) = case.action() {
            needs.contents.insert(path);
            needs.lint = true;
        }
    },
    check: |case, facts| {
        let Some(written) = whole(case, facts) else { return Vec::new() };
        let errors: Vec<_> = facts.lint.iter().flatten().take(TOLD_MAX).collect();
        // What does not parse is told as that, and once.
        if errors.is_empty() || !faults(&written.path, &written.after).is_empty() {
            return Vec::new();
        }
        errors
            .into_iter()
            .map(|error| Hit {
                problem: format!("{}: {} ({})", written.at(error.line), error.message, error.code),
                instead: Some("write what the linter accepts, without silencing its rule".to_owned()),
                snapshot: Vec::new(),
            })
            .collect()
    },
    fires: &[Example::Linted("src/a.py", "SAME = 1 is \"x\"\n", "use == to compare constant literals")],
    silent: &[
        Example::Write("src/a.py", "SAME = 1 == \"x\"\n"),
        Example::Linted("notes.md", "1 is \"x\"\n", "it is no code"),
        Example::Linted("src/a.py", "return 1\n", "`return` outside of a function"),
    ],
};

/// The file that a call writes, with its text before and after, as far as they are known: what a linter is asked about.
pub fn proposed(
    event: &Event,
    place: &Place,
    settings: &Settings,
    facts: &Facts,
) -> Option<(PathBuf, String, String)> {
    let case = Case { event, place, settings, shell: None };
    let written = whole(&case, facts)?;
    Some((written.path, written.before, written.after))
}

/// An error that a check finds in what a call adds.
pub(crate) const ERROR: Guard = Guard {
    id: "review-error",
    summary: "an error that a review finds in new code: too many branches, deep nesting, names against the convention",
    standard: Mode::Off,
    strict: Mode::Deny,
    needs: |case, needs| {
        if let (Some(path), Some(Action::Edit { .. } | Action::Write { .. })) = (code(case), case.action()) {
            needs.contents.insert(path);
        }
    },
    check: errors,
    fires: &[
        Example::Write("src/a.py", "def ComputeTotal(items):\n    return sum(items)\n"),
        Example::Write("src/a.py", "class basket:\n    total = 1\n"),
    ],
    silent: &[
        Example::Write("src/a.py", "def compute_total(items):\n    return sum(items)\n"),
        Example::Write("notes.md", "def ComputeTotal(items):\n"),
        Example::Write("src/a.py", "def f(:\n"),
        Example::Edit("src/a.py", "def ComputeTotal(a):\n    return 1", "def ComputeTotal(a):\n    return 2"),
    ],
};

/// Which files of a project are reviewed.
#[derive(Debug, Clone)]
pub struct Scope(Option<GlobSet>);

impl Scope {
    /// Those that one of `globs` names, from the project's top folder; without any all of them. What is no glob names
    /// nothing.
    pub fn of(globs: &[String]) -> Self {
        if globs.is_empty() {
            return Self(None);
        }
        let mut set = GlobSetBuilder::new();
        for glob in globs.iter().filter_map(|it| GlobBuilder::new(it).literal_separator(true).build().ok()) {
            set.add(glob);
        }
        Self(set.build().ok())
    }

    /// Whether the file of this name, with `/`, is one of them.
    pub fn holds(&self, name: &str) -> bool {
        self.0.as_ref().is_none_or(|set| set.is_match(name))
    }
}

/// The file of code that a call writes, absolute; `None` for anything else, and where the project has none looked at.
fn code(case: &Case<'_>) -> Option<PathBuf> {
    let path = resolve(case, super::written::target(case)?);
    let inside = path.strip_prefix(&case.place.root).ok()?;
    let on_purpose = inside.components().any(|part| match part {
        Component::Normal(part) => {
            part.to_str().is_some_and(|part| part.contains("{{") || BROKEN_ON_PURPOSE.contains(&part))
        }
        _ => false,
    });
    let reviewed = || Scope::of(&case.settings.reviewed).holds(&shown(case, &path));
    (Language::of(&path).is_some() && !on_purpose && reviewed()).then_some(path)
}

fn faults(path: &Path, text: &str) -> Vec<(usize, String)> {
    let Some(language) = Language::of(path).filter(|language| EXACT.contains(language)) else {
        return Vec::new();
    };
    // What is beyond a budget waits for the end of the turn, too.
    let read = hostler_syntax::faults(language, text).unwrap_or_default();
    read.into_iter().map(|fault| (fault.line, fault.message)).collect()
}

/// The whole file before and after; `None` when it is not known.
fn whole(case: &Case<'_>, facts: &Facts) -> Option<Written> {
    let path = code(case)?;
    // A file that was not asked for needs no look.
    facts.contents.get(&path)?;
    written(case, facts).filter(|written| !written.part)
}

fn syntax(case: &Case<'_>, facts: &Facts) -> Vec<Hit> {
    let Some(written) = whole(case, facts) else { return Vec::new() };
    let after = faults(&written.path, &written.after);
    if after.is_empty() || !faults(&written.path, &written.before).is_empty() {
        return Vec::new();
    }
    let kind = checks::kind(&shown(case, &written.path), &written.after, None);
    if matches!(kind, Kind::Generated | Kind::Vendored) {
        return Vec::new();
    }
    after
        .into_iter()
        .take(TOLD_MAX)
        .map(|(line, message)| Hit {
            problem: format!("{} does not parse: {message}", written.at(line)),
            instead: Some("write the change so that the whole file parses after it".to_owned()),
            snapshot: Vec::new(),
        })
        .collect()
}

fn errors(case: &Case<'_>, facts: &Facts) -> Vec<Hit> {
    let Some(written) = whole(case, facts) else { return Vec::new() };
    let Some(language) = Language::of(&written.path) else { return Vec::new() };
    let Ok(after) = hostler_syntax::facts(language, &written.after) else { return Vec::new() };
    if !after.errors.is_empty() {
        return Vec::new();
    }
    let name = shown(case, &written.path);
    let settings = &case.settings.checks;
    let review = |text: &str, syntax: &Syntax| {
        let kind = checks::kind(&name, text, Some(syntax));
        let source = Source { path: &name, text, language: Some(language), facts: Some(syntax), kind };
        let found: Vec<Finding> = checks::review(&source, settings)
            .into_iter()
            .filter(|it| it.severity == Severity::Error && !it.check.starts_with("stop."))
            .filter(|it| !GUARDED.contains(&it.check.as_str()))
            .collect();
        (kind, found)
    };
    let (kind, found) = review(&written.after, &after);
    if found.is_empty() {
        return Vec::new();
    }
    let source =
        Source { path: &name, text: &written.after, language: Some(language), facts: Some(&after), kind };
    let before = hostler_syntax::facts(language, &written.before).ok().filter(|_| !written.before.is_empty());
    let found = match &before {
        None => found,
        Some(syntax) => {
            let (kind, old) = review(&written.before, syntax);
            let before = Source {
                path: &name,
                text: &written.before,
                language: Some(language),
                facts: Some(syntax),
                kind,
            };
            checks::fresh(Some((&before, &old)), (&source, found))
        }
    };
    found
        .into_iter()
        .take(TOLD_MAX)
        .map(|finding| Hit {
            problem: format!("{}: {} ({})", written.at(finding.line), finding.message, finding.check),
            instead: finding.fix,
            snapshot: Vec::new(),
        })
        .collect()
}

/// From the project's top folder, with `/`.
fn shown(case: &Case<'_>, path: &Path) -> String {
    let inside = path.strip_prefix(&case.place.root).unwrap_or(path);
    inside.to_string_lossy().replace('\\', "/")
}
