//! `ty`, where the project configured it. It is young and finds what others do not: advice, never an error.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hostler_policy::checks::{Gate, Severity};

use super::{EXTENSIONS, chosen, configured};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::layout::Layout;
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, Job, Purpose, Report, Tool, exited, gitlab, takes_all};

/// Types.
pub(in super::super) const TY: Tool = Tool {
    name: "ty",
    gates: &[Gate::Safety],
    extensions: EXTENSIONS,
    effort: Effort::Types,
    purposes: &[Purpose::Stop, Purpose::Review],
    program: (&["ty"], Ecosystem::Python),
    files_max: None,
    choose: |layout, folder, _| {
        let configured = configuration(layout, folder);
        configured.is_some().then(|| chosen(layout, folder, configured))
    },
    takes: takes_all,
    arguments: Some(|job| Ok(arguments(job).into_iter().chain(job.paths()).collect())),
    text: None,
    read: |_, answer| findings(answer),
    fix: None,
    is_formatter: false,
    install: "install it with `uv add --dev ty` or `pip install ty`",
};

pub(super) fn configuration(layout: &Layout<'_>, folder: &Path) -> Option<PathBuf> {
    configured(layout, folder, "ty", &["ty.toml"], &[])
}

fn arguments(job: &Job<'_>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> =
        ["check", "--output-format", "gitlab", "--no-progress"].map(Into::into).to_vec();
    if let Some(python) = &job.environment.python {
        arguments.extend(["--python".into(), python.as_os_str().to_owned()]);
    }
    arguments
}

/// Reads the format that GitLab's reports of quality have.
fn findings(answer: &Answer) -> Result<Vec<Report>, String> {
    if !matches!(answer.code, 0 | 1) {
        return Err(exited(answer));
    }
    let report = |it: gitlab::Problem| {
        let prefix = format!("{}: ", it.rule);
        let message = it.description.strip_prefix(&prefix).unwrap_or(&it.description);
        let is_syntax = it.rule == "invalid-syntax";
        let (check, severity) =
            if is_syntax { ("syntax", Severity::Error) } else { ("type", Severity::Warn) };
        Report::new(it.path(), it.line(), check, severity, message).code(Some(it.rule.as_str()))
    };
    Ok(gitlab::problems(&answer.stdout)?.into_iter().map(report).collect())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::gates::tools::testing::answer;

    #[test]
    fn types_are_advice() {
        let found = findings(&answer(1, include_str!("../recorded/ty.json"), "")).unwrap();
        let message = "Return type does not match returned value: expected `str`, found `int`";
        let expected = Report::new("src/app/mod.py", 7, "type", Severity::Warn, message)
            .code(Some("invalid-explicit-return"));
        assert_eq!(found, [expected]);
    }
}
