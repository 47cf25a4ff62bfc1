//! Files that are too long when a turn ends.

use super::kind::PRODUCT;
use super::{Check, Example, Finding, Gate, LINES, Same, Settings, Severity, Source};

/// A text a hundred times.
macro_rules! hundred {
    ($text:literal) => {
        ten!(ten!($text))
    };
}

/// A text ten times.
macro_rules! ten {
    ($text:expr) => {
        concat!($text, $text, $text, $text, $text, $text, $text, $text, $text, $text)
    };
}

pub(super) const CHECK: Check = Check {
    id: "stop.file_lines",
    gate: Gate::Stop,
    severity: Severity::Error,
    summary: "files of more than 500 lines, at the end of a turn",
    same: Same::Symbol,
    kinds: PRODUCT,
    fires: &[Example("src/a.py", concat!(hundred!("x = 1\n\n\n\n\n"), "x = 1\n"))],
    silent: &[
        Example("src/a.py", hundred!("x = 1\n\n\n\n\n")),
        Example("tests/test_a.py", concat!(hundred!("x = 1\n\n\n\n\n"), "x = 1\n")),
        Example("src/a_pb2.py", concat!(hundred!("x = 1\n\n\n\n\n"), "x = 1\n")),
        Example("ci/a.py", concat!(hundred!("x = 1\n\n\n\n\n"), "x = 1\n")),
        Example("notes.txt", concat!(hundred!("x = 1\n\n\n\n\n"), "x = 1\n")),
    ],
    run,
};

fn run(source: &Source<'_>, settings: &Settings) -> Vec<Finding> {
    if source.language.is_none() || settings.leaves_out(source.path) {
        return Vec::new();
    }
    let (lines, max) = (source.text.lines().count() as u64, settings.stop_file_lines_max);
    let long = (max < lines).then(|| {
        CHECK
            .finding(1, format!("the file has {lines} lines, more than {max}"))
            .metric(lines)
            .code(LINES)
            .fix("move what belongs together into a file of its own")
    });
    long.into_iter().collect()
}
