//! `mypy`: as the project configured it; where it configured no type checker, on request, with what it knows by itself.

use std::ffi::OsString;
use std::path::PathBuf;

use hostler_policy::checks::{Gate, Severity};
use serde::Deserialize;

use super::{EXTENSIONS, beside_configuration, configured, type_checker};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::layout::Layout;
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, Job, Purpose, Report, Tool, Use, exited, takes_all};

/// Types.
pub(in super::super) const MYPY: Tool = Tool {
    name: "mypy",
    gates: &[Gate::Safety],
    extensions: EXTENSIONS,
    effort: Effort::Types,
    purposes: &[Purpose::Stop, Purpose::Review],
    program: (&["mypy"], Ecosystem::Python),
    files_max: None,
    // Paths in its configuration are relative to where it starts.
    choose: |layout, folder, request| {
        let configured = configuration(layout, folder);
        let is_theirs = configured.is_some() || layout.has_hook(folder, &["mypy"]);
        let is_ours = request.purpose == Purpose::Review && type_checker(layout, folder).is_none();
        let chosen = || beside_configuration(layout, folder, configured);
        (is_theirs || is_ours).then(|| Use { is_ours: !is_theirs, ..chosen() })
    },
    takes: takes_all,
    arguments: Some(|job| Ok(arguments(job).into_iter().chain(job.paths()).collect())),
    text: None,
    read: |_, answer| findings(answer),
    fix: None,
    is_formatter: false,
    install: "install it with `uv add --dev mypy` or `pip install mypy`",
};

pub(super) fn configuration(layout: &Layout<'_>, folder: &std::path::Path) -> Option<PathBuf> {
    configured(layout, folder, "mypy", &["mypy.ini", ".mypy.ini"], &["setup.cfg"])
}

fn arguments(job: &Job<'_>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["--output".into(), "json".into()];
    if let Some(python) = &job.environment.python {
        arguments.extend(["--python-executable".into(), python.as_os_str().to_owned()]);
    }
    if job.chosen.is_ours {
        arguments.extend(["--ignore-missing-imports", "--follow-imports", "silent"].map(Into::into));
        // A project that does not use it gets no folder from it.
        arguments.push("--cache-dir".into());
        arguments
            .push(job.layout.around.cache.as_ref().map_or("/dev/null".into(), |it| it.join("mypy").into()));
    }
    arguments
}

#[derive(Deserialize)]
struct Line {
    file: PathBuf,
    #[serde(rename = "line")]
    row: i64,
    message: String,
    code: Option<String>,
    severity: String,
}

/// Reads `mypy --output json`: a value a line.
fn findings(answer: &Answer) -> Result<Vec<Report>, String> {
    let mut found = Vec::new();
    for text in answer.stdout.lines().filter(|it| !it.trim().is_empty()) {
        let line: Line = serde_json::from_str(text)
            .map_err(|_| format!("{}; it has to be 1.11 or newer", exited(answer)))?;
        if line.severity != "error" {
            continue;
        }
        let check = if line.code.as_deref() == Some("syntax") { "syntax" } else { "type" };
        let at = usize::try_from(line.row).unwrap_or(1);
        found.push(Report::new(line.file, at, check, Severity::Error, &line.message).code(line.code));
    }
    // What stops it before it checks anything has the code 2, and a line of JSON where it is about the sources.
    if answer.code == 0 || !found.is_empty() { Ok(found) } else { Err(exited(answer)) }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::gates::tools::testing::{answer, rows};

    // @traces 021-TEST-UNIT-058
    #[test]
    fn errors_are_findings_and_notes_are_not() {
        let found = findings(&answer(1, include_str!("../recorded/mypy.jsonl"), "")).unwrap();
        assert_eq!(
            rows(&found),
            ["src/app/bad.py:1 syntax error syntax", "src/app/mod2.py:8 type error return-value",]
        );
    }

    #[test]
    fn what_is_no_answer_is_not_clean() {
        let missing = answer(2, "", "mypy: Invalid python executable '/nowhere'\n");
        assert!(findings(&missing).unwrap_err().contains("Invalid python executable"));
        assert!(findings(&answer(1, "a.py:1: error: text\n", "")).unwrap_err().contains("1.11"));
        assert_eq!(findings(&answer(0, "", "")).unwrap(), []);
    }
}
