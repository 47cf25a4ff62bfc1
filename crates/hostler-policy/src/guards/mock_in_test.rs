//! Mocks in tests. Off until a project turns it on: many good suites use them.
//!
//! Only test files count, since a library may well be about mocks, and only uses that lead to a mocking library:
//! `client.patch(…)` of an HTTP client is none.

use std::path::Path;

use hostler_model::{Facts, Mode, Needs};

use super::python::{Search, added, want_before};
use super::{Example, Guard, Hit};
use crate::Case;

const WORDS: &[&str] = &["ock", "patch", "create_autospec"];

pub(crate) const GUARD: Guard = Guard {
    id: "mock-in-test",
    summary: "mocks in Python tests: unittest.mock, MagicMock, patch, mocker",
    standard: Mode::Off,
    strict: Mode::Deny,
    needs: |case: &Case<'_>, needs: &mut Needs| want_before(case, needs, WORDS),
    check,
    fires: &[
        Example::Write("tests/test_a.py", "from unittest.mock import MagicMock\n"),
        Example::Write("test_a.py", "@patch('a.b')\ndef test_a(b):\n    b()\n"),
        Example::Write("src/a_test.py", "def test_a(mocker):\n    mocker.patch('a')\n"),
        Example::Write("conftest.py", "client = Mock()\n"),
        Example::Edit("tests/helpers.py", "x = 1", "x = AsyncMock()"),
    ],
    silent: &[
        Example::Write("tests/test_a.py", "# we never use MagicMock here\nassert add(1, 2) == 3\n"),
        Example::Write("tests/test_a.py", "def test_a(client):\n    client.patch('/users/1')\n"),
        Example::Write("tests/test_a.py", "def test_a(monkeypatch):\n    monkeypatch.setenv('A', '1')\n"),
        Example::Write("src/zoo.py", "from unittest.mock import MagicMock\n"),
        Example::Write("src/contest.py", "client = Mock()\n"),
        Example::Edit("tests/test_a.py", "m = MagicMock()", "mock = MagicMock()"),
    ],
};

fn check(case: &Case<'_>, facts: &Facts) -> Vec<Hit> {
    let search = Search {
        words: WORDS,
        pick: |syntax| syntax.mocks.into_iter().map(|it| (it.line, it.pattern)).collect(),
        parsed_only: false,
    };
    let Some((written, found)) = added(case, facts, &search) else { return Vec::new() };
    if !is_test(written.path.strip_prefix(&case.place.root).unwrap_or(&written.path)) {
        return Vec::new();
    }
    let mut patterns: Vec<(&str, usize)> = Vec::new();
    for (line, pattern) in &found {
        if !patterns.iter().any(|(seen, _)| seen == pattern) {
            patterns.push((pattern, *line));
        }
    }
    let listed: Vec<String> =
        patterns.iter().map(|(pattern, line)| format!("{pattern} (line {line})")).collect();
    vec![Hit {
        problem: format!("`{}` would use mocks: {}", written.shown, listed.join(", ")),
        instead: Some(
            "use the real implementation, a small fake written for the test, or an integration test"
                .to_owned(),
        ),
        snapshot: Vec::new(),
    }]
}

/// Whether the file, relative to the project, is a test by the usual names.
fn is_test(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem == "conftest"
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || path.parent().is_some_and(|it| it.iter().any(|folder| folder == "tests" || folder == "test"))
}

#[cfg(test)]
mod tests;
