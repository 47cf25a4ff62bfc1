//! `pyright` and `basedpyright`, where the project configured one of them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hostler_policy::checks::{Gate, Severity};
use serde::Deserialize;

use super::{EXTENSIONS, configured};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::layout::Layout;
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, Job, Purpose, Report, Tool, Use, exited, takes_all};

/// Types.
pub(in super::super) const PYRIGHT: Tool = Tool {
    name: "pyright",
    gates: &[Gate::Safety],
    extensions: EXTENSIONS,
    effort: Effort::Types,
    purposes: &[Purpose::Stop, Purpose::Review],
    program: (&["pyright"], Ecosystem::Python),
    files_max: None,
    choose: |layout, folder, _| {
        let based = based_configuration(layout, folder).is_some();
        configuration(layout, folder).filter(|_| !based).map(started_at)
    },
    takes: takes_all,
    arguments: Some(|job| Ok(arguments(job))),
    text: None,
    read: |_, answer| findings(answer),
    fix: None,
    is_formatter: false,
    install: "install it with `uv add --dev pyright` or `pip install pyright`",
};

/// Types.
pub(in super::super) const BASEDPYRIGHT: Tool = Tool {
    name: "basedpyright",
    program: (&["basedpyright"], Ecosystem::Python),
    choose: |layout, folder, _| based_configuration(layout, folder).map(started_at),
    install: "install it with `uv add --dev basedpyright` or `pip install basedpyright`",
    ..PYRIGHT
};

pub(super) fn configuration(layout: &Layout<'_>, folder: &Path) -> Option<PathBuf> {
    configured(layout, folder, "pyright", &["pyrightconfig.json"], &[])
}

pub(super) fn based_configuration(layout: &Layout<'_>, folder: &Path) -> Option<PathBuf> {
    configured(layout, folder, "basedpyright", &[], &[])
}

fn started_at(file: PathBuf) -> Use {
    Use { folder: file.parent().unwrap_or(Path::new("/")).to_owned(), configured: Some(file), is_ours: false }
}

/// Files on its command line would make it forget the project's configuration.
fn arguments(job: &Job<'_>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["--outputjson".into(), "--project".into(), ".".into()];
    if let Some(python) = &job.environment.python {
        arguments.extend(["--pythonpath".into(), python.as_os_str().to_owned()]);
    }
    arguments
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    general_diagnostics: Vec<Diagnostic>,
}

#[derive(Deserialize)]
struct Diagnostic {
    file: PathBuf,
    severity: String,
    message: String,
    rule: Option<String>,
    range: Option<Range>,
}

#[derive(Deserialize)]
struct Range {
    start: Position,
}

#[derive(Deserialize)]
struct Position {
    line: usize,
}

/// Reads `--outputjson`. Lines count from 0 there.
fn findings(answer: &Answer) -> Result<Vec<Report>, String> {
    let read: Document = match (answer.code, serde_json::from_str(&answer.stdout)) {
        (0 | 1, Ok(read)) => read,
        _ => return Err(exited(answer)),
    };
    let report = |it: Diagnostic| {
        let severity = match it.severity.as_str() {
            "error" => Severity::Error,
            "warning" => Severity::Warn,
            _ => return None,
        };
        let line = it.range.map_or(1, |range| range.start.line + 1);
        // What does not parse has no rule.
        let check = if it.rule.is_none() && severity == Severity::Error { "syntax" } else { "type" };
        let message = it.message.lines().next().unwrap_or_default();
        Some(Report::new(it.file, line, check, severity, message).code(it.rule))
    };
    Ok(read.general_diagnostics.into_iter().filter_map(report).collect())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::gates::tools::testing::{answer, rows};

    #[test]
    fn diagnostics_are_findings_with_lines_from_one() {
        let found = findings(&answer(1, include_str!("../recorded/basedpyright.json"), "")).unwrap();
        assert_eq!(
            rows(&found),
            [
                "/project/src/app/bad.py:1 syntax error -",
                "/project/src/app/mod.py:7 type error reportReturnType",
                "/project/src/app/mod.py:6 type warn reportUnusedVariable",
            ]
        );
        let failed = answer(3, "", "bad config");
        assert!(findings(&failed).unwrap_err().contains("bad config"));
    }
}
