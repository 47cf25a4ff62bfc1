//! `go vet` over the packages of changed files.

use std::collections::BTreeMap;

use hostler_policy::checks::{Gate, Severity};
use serde::Deserialize;
use serde_json::Value;

use super::{EXTENSIONS, INSTALL, module, packages, place};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, Purpose, Report, Tool, exited, takes_all, words};

/// Types and suspicious code.
pub(in super::super) const VET: Tool = Tool {
    name: "go vet",
    gates: &[Gate::Lint, Gate::Safety],
    extensions: EXTENSIONS,
    effort: Effort::Types,
    purposes: &[Purpose::Stop, Purpose::Review],
    program: (&["go"], Ecosystem::System),
    files_max: None,
    choose: |layout, folder, _| module(layout, folder),
    takes: takes_all,
    arguments: Some(|job| Ok(words(&["vet", "-json"]).into_iter().chain(packages(job)).collect())),
    text: None,
    read: |job, answer| job.unless_broken_elsewhere(findings(answer)?),
    fix: None,
    is_formatter: false,
    install: INSTALL,
};

#[derive(Deserialize)]
struct Diagnostic {
    posn: String,
    message: String,
}

/// Reads a JSON value for each package, on either output by version, among lines of the compiler's.
fn findings(answer: &Answer) -> Result<Vec<Report>, String> {
    let mut found: Vec<Report> = Vec::new();
    for output in [&answer.stdout, &answer.stderr] {
        let is_line = |line: &&str| !line.starts_with(['{', '}', '\t', ' ']);
        for line in output.lines().filter(is_line).filter(|it| !it.starts_with('#')) {
            if let Some((path, row, message)) = place(line.strip_prefix("vet: ").unwrap_or(line)) {
                found.push(Report::new(path, row, "type", Severity::Error, message));
            }
        }
        let json: String = output.split_inclusive('\n').filter(|it| !is_line(it)).collect();
        let values = serde_json::Deserializer::from_str(&json).into_iter::<BTreeMap<String, Value>>();
        for package in values {
            let package = package.map_err(|error| format!("its JSON cannot be read: {error}"))?;
            found.extend(package.values().filter_map(Value::as_object).flatten().flat_map(
                |(analyzer, list)| {
                    // What is no list is an analyzer's own fault.
                    let list: Vec<Diagnostic> = Vec::deserialize(list).unwrap_or_default();
                    list.into_iter().filter_map(move |it| {
                        let posn = format!("{}: ", it.posn);
                        let (path, row, _) = place(&posn)?;
                        Some(
                            Report::new(path, row, "lint", Severity::Warn, &it.message)
                                .code(Some(analyzer.as_str())),
                        )
                    })
                },
            ));
        }
    }
    if answer.code == 0 || !found.is_empty() { Ok(found) } else { Err(exited(answer)) }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[track_caller]
    fn check(code: i32, output: &str, expected: &[(&str, &str, usize, &str)]) {
        for (stdout, stderr) in [(output, ""), ("", output)] {
            let answer = Answer { code, stdout: stdout.into(), stderr: stderr.into(), is_cut: false };
            let found = findings(&answer).unwrap();
            let found: Vec<_> = found
                .iter()
                .map(|it| {
                    let finding = &it.finding;
                    (
                        it.file.to_str().unwrap(),
                        finding.check.as_str(),
                        finding.line,
                        finding.message.as_str(),
                    )
                })
                .collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn diagnostics_and_compile_errors_are_findings() {
        check(
            0,
            include_str!("../recorded/go-vet.txt"),
            &[("/project/pkg/a.go", "lint", 6, "fmt.Printf format %d has arg \"x\" of wrong type string")],
        );
        check(
            2,
            include_str!("../recorded/go-vet-broken.txt"),
            &[(
                "pkg/b.go",
                "type",
                3,
                "cannot use \"x\" (untyped string constant) as int value in return statement",
            )],
        );
        let missing =
            Answer { code: 1, stdout: String::new(), stderr: "go: no module".into(), is_cut: false };
        assert!(findings(&missing).unwrap_err().contains("no module"));
    }
}
