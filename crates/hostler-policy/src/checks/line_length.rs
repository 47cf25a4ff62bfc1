//! Long lines, in characters (E501). Exempt is what cannot be broken: a comment that is a link, and whatever is long
//! only for a note to a tool at its end.

use super::kind::CODE;
use super::{Check, Example, Finding, Gate, Same, Settings, Severity, Source};

/// What notes to tools at the end of a line begin with.
const NOTES: &[&str] = &[
    "# noqa",
    "# type:",
    "# pylint:",
    "# pragma:",
    "# nosec",
    "# pyright:",
    "# ty:",
    "# mypy:",
    "# fmt:",
    "// eslint-disable-line",
    "// nolint",
    "//nolint",
    "// NOLINT",
    "// NOSONAR",
    "// prettier-ignore",
];

pub(super) const CHECK: Check = Check {
    id: "line_length",
    gate: Gate::Complexity,
    severity: Severity::Warn,
    summary: "lines of more than 100 characters",
    same: Same::Line,
    kinds: CODE,
    fires: &[Example(
        "src/a.py",
        "TEXT = \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\n",
    )],
    silent: &[
        Example(
            "src/a.py",
            "TEXT = \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\n",
        ),
        Example(
            "src/a.py",
            "# https://example.com/pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp\n",
        ),
        Example(
            "src/a.py",
            "NAME = \"\u{65e5}\u{672c}\u{8a9e}\u{65e5}\u{672c}\u{8a9e}\u{65e5}\u{672c}\u{8a9e}\u{65e5}\u{672c}\u{8a9e}\
             \u{65e5}\u{672c}\u{8a9e}\u{65e5}\u{672c}\u{8a9e}\u{65e5}\u{672c}\u{8a9e}\u{65e5}\u{672c}\u{8a9e}\
             \u{65e5}\u{672c}\u{8a9e}\u{65e5}\u{672c}\u{8a9e}\u{65e5}\u{672c}\u{8a9e}\u{65e5}\u{672c}\u{8a9e}\
             \u{65e5}\u{672c}\u{8a9e}\u{65e5}\u{672c}\u{8a9e}\u{65e5}\u{672c}\u{8a9e}\u{65e5}\u{672c}\u{8a9e}\"\n",
        ),
        Example(
            "notes.txt",
            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n",
        ),
    ],
    run,
};

fn run(source: &Source<'_>, settings: &Settings) -> Vec<Finding> {
    if source.language.is_none() {
        return Vec::new();
    }
    let max = settings.line_chars_max;
    let mut found = Vec::new();
    for (at, line) in source.text.lines().enumerate() {
        // Characters are never more than bytes.
        if line.len() as u64 <= max {
            continue;
        }
        let chars = without_note(line.trim_end()).chars().count() as u64;
        if max < chars && !is_link(line) {
            found.push(
                CHECK
                    .finding(at + 1, format!("the line has {chars} characters, more than {max}"))
                    .metric(chars)
                    .fix("break it"),
            );
        }
    }
    found
}

fn without_note(line: &str) -> &str {
    let note = NOTES.iter().filter_map(|it| line.find(it)).min();
    note.and_then(|at| line.get(..at)).map_or(line, str::trim_end)
}

/// A comment, or a line of documentation, that is nothing but a link.
fn is_link(line: &str) -> bool {
    let text = line.trim().trim_start_matches(['#', '/', '*', '-', '!', ';', ':']).trim();
    !text.contains(char::is_whitespace) && text.contains("://")
}
