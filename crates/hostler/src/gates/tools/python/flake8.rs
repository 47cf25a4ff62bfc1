//! `flake8`, where the project configured it.

use std::ffi::OsString;

use hostler_policy::checks::Gate;

use super::{EXTENSIONS, beside_configuration, flake8_configuration, lints_otherwise, verdicts};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::{Effort, Job, Purpose, Report, Tool, exited, takes_all};

/// Lints.
pub(in super::super) const FLAKE8: Tool = Tool {
    name: "flake8",
    gates: &[Gate::Lint, Gate::Stop],
    extensions: EXTENSIONS,
    effort: Effort::Lint,
    purposes: &[Purpose::Stop, Purpose::Review],
    program: (&["flake8"], Ecosystem::Python),
    files_max: Some(30),
    // Its patterns are relative to where it starts.
    choose: |layout, folder, _| {
        let configured = flake8_configuration(layout, folder);
        lints_otherwise(layout, folder).then(|| beside_configuration(layout, folder, configured))
    },
    takes: takes_all,
    arguments: Some(|job| Ok(arguments(job).into_iter().chain(job.paths()).collect())),
    text: Some(|job, path| {
        let mut arguments = arguments(job);
        arguments.extend(["--stdin-display-name".into(), path.as_os_str().to_owned(), "-".into()]);
        arguments
    }),
    read: |_, answer| match (answer.code, answer.stdout.trim()) {
        // What it found may have gone to a file that the project names.
        (1, "") => Err(exited(answer)),
        (0 | 1, _) => findings(&answer.stdout),
        _ => Err(exited(answer)),
    },
    fix: None,
    is_formatter: false,
    install: "install it with `uv add --dev flake8` or `pip install flake8`",
};

/// Between the fields of a line; no path or message has it.
const BETWEEN: char = '\u{1f}';

fn arguments(_: &Job<'_>) -> Vec<OsString> {
    let format = ["%(path)s", "%(row)d", "%(code)s", "%(text)s"].join(&BETWEEN.to_string());
    vec![format!("--format={format}").into()]
}

fn findings(output: &str) -> Result<Vec<Report>, String> {
    let mut found = Vec::new();
    for line in output.lines().filter(|it| !it.is_empty()) {
        let mut fields = line.splitn(4, BETWEEN);
        let (Some(path), Some(row), Some(code), Some(text)) =
            (fields.next(), fields.next().and_then(|it| it.parse().ok()), fields.next(), fields.next())
        else {
            return Err(format!("it printed `{}`", line.chars().take(80).collect::<String>()));
        };
        let reports = verdicts(code).into_iter();
        found.extend(
            reports.map(|(check, severity)| Report::new(path, row, check, severity, text).code(Some(code))),
        );
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::gates::tools::testing::rows;

    // @traces 021-TEST-UNIT-052..056 REQ-020-047
    #[test]
    fn each_code_counts_for_its_check() {
        let found = findings(include_str!("../recorded/flake8.txt")).unwrap();
        assert_eq!(
            rows(&found),
            [
                "src/a.py:1 lint warn F401",
                "src/a.py:4 lint warn E302",
                "src/a.py:5 lint warn F841",
                "src/a.py:5 stop.lint error F841",
                "src/a.py:5 lint warn E231",
                "src/a.py:6 lint error F632",
                "src/a.py:6 lint warn W291",
                "src/a.py:7 lint warn W291",
                "src/a.py:8 lint warn F841",
                "src/a.py:8 stop.lint error F841",
                "src/a.py:8 lint error F722",
                "src/a.py:8 lint warn F821",
                "src/a.py:8 stop.lint error F821",
                "src/b.py:1 syntax error E999",
            ]
        );
        assert!(findings("there was a problem\n").is_err());
    }
}
