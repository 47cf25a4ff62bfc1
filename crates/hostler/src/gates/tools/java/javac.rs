//! `javac -Xlint`, where no builder knows better what a source needs.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use hostler_policy::checks::{Gate, Severity};

use super::{EXTENSIONS, GRADLE_FILES, MAVEN_FILES, source_root};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, Job, Purpose, Report, Tool, Use, exited, takes_all, words};

/// Types and lints.
pub(in super::super) const JAVAC: Tool = Tool {
    name: "javac",
    gates: &[Gate::Lint, Gate::Safety],
    extensions: EXTENSIONS,
    effort: Effort::Types,
    purposes: &[Purpose::Stop, Purpose::Review],
    program: (&["javac"], Ecosystem::System),
    files_max: None,
    choose: |layout, folder, _| {
        let is_built = [MAVEN_FILES, GRADLE_FILES].iter().any(|it| layout.nearest(folder, it).is_some());
        let chosen = Use { folder: layout.root().to_owned(), configured: None, is_ours: true };
        (!is_built).then_some(chosen)
    },
    takes: takes_all,
    arguments: Some(|job| {
        let mut arguments =
            words(&["-J-Duser.language=en", "-Xlint:all", "-proc:none", "-implicit:none", "-d"]);
        arguments.push(job.scratch()?.into());
        arguments.push("-sourcepath".into());
        arguments.push(sources(job));
        if job.chosen.folder.join("lib").is_dir() {
            arguments.extend(["-classpath".into(), job.chosen.folder.join("lib/*").into()]);
        }
        Ok(arguments.into_iter().chain(job.paths()).collect())
    }),
    text: None,
    read: |_, answer| findings(answer),
    fix: None,
    is_formatter: false,
    install: "install a JDK",
};

fn sources(job: &Job<'_>) -> OsString {
    let roots: BTreeSet<PathBuf> =
        job.files.iter().filter_map(|it| source_root(job.layout, &it.path)).collect();
    std::env::join_paths(roots).unwrap_or_default()
}

/// Reads `src/a/A.java:4: warning: [rawtypes] found raw type: List`.
fn findings(answer: &Answer) -> Result<Vec<Report>, String> {
    let found: Vec<Report> = answer.stderr.lines().filter_map(finding).collect();
    // Without its libraries everything of theirs is an error.
    let foreign = found.iter().find(|it| {
        let message = &it.finding.message;
        it.finding.severity == Severity::Error
            && message.starts_with("package ")
            && message.ends_with("does not exist")
    });
    if let Some(foreign) = foreign {
        return Err(format!(
            "{}: what the sources need is not known without a builder",
            foreign.finding.message
        ));
    }
    if answer.code == 0 || !found.is_empty() { Ok(found) } else { Err(exited(answer)) }
}

fn finding(line: &str) -> Option<Report> {
    let at = line.find(".java:")? + ".java".len();
    let (path, rest) = (line.get(..at)?, line.get(at + 1..)?);
    let (row, rest) = rest.split_once(": ")?;
    let row = row.parse().ok()?;
    if let Some(message) = rest.strip_prefix("error: ") {
        return Some(Report::new(path, row, "type", Severity::Error, message));
    }
    let (lint, message) = rest.strip_prefix("warning: [")?.split_once("] ")?;
    Some(Report::new(path, row, "lint", Severity::Warn, message).code(Some(lint)))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn lines_with_a_place_are_findings() {
        let answer =
            |stderr: &str| Answer { code: 1, stdout: String::new(), stderr: stderr.into(), is_cut: false };
        let found = findings(&answer(include_str!("../recorded/javac.txt"))).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|it| {
                let finding = &it.finding;
                (
                    finding.check.as_str(),
                    finding.line,
                    finding.severity,
                    finding.code.as_deref(),
                    finding.message.as_str(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("lint", 4, Severity::Warn, Some("rawtypes"), "found raw type: List"),
                ("lint", 4, Severity::Warn, Some("rawtypes"), "found raw type: ArrayList"),
                ("type", 5, Severity::Error, None, "incompatible types: String cannot be converted to int"),
            ]
        );
        let foreign = answer("src/A.java:3: error: package org.junit does not exist\n");
        assert!(findings(&foreign).unwrap_err().contains("org.junit"));
        assert!(findings(&answer("error: invalid flag")).unwrap_err().contains("invalid flag"));
    }
}
