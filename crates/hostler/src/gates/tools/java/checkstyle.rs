//! `checkstyle`, where the project configured it.

use std::path::PathBuf;

use hostler_policy::checks::{Gate, Severity};
use quick_xml::Reader;
use quick_xml::events::Event;

use super::EXTENSIONS;
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::junit::attribute;
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, Purpose, Report, Tool, Use, exited, takes_all, words};

/// Lints. Its own default calls everything an error, so that word says nothing here.
pub(in super::super) const CHECKSTYLE: Tool = Tool {
    name: "checkstyle",
    gates: &[Gate::Lint],
    extensions: EXTENSIONS,
    effort: Effort::Lint,
    purposes: &[Purpose::Stop, Purpose::Review],
    program: (&["checkstyle"], Ecosystem::System),
    files_max: None,
    choose: |layout, folder, _| {
        let names = ["checkstyle.xml", "config/checkstyle/checkstyle.xml", ".checkstyle.xml"];
        let configured = layout.nearest(folder, &names)?;
        Some(Use { folder: layout.root().to_owned(), configured: Some(configured), is_ours: false })
    },
    takes: takes_all,
    arguments: Some(|job| {
        let configured = job.chosen.configured.clone().unwrap_or_default();
        Ok(words(&["-f", "xml", "-c"]).into_iter().chain([configured.into()]).chain(job.paths()).collect())
    }),
    text: None,
    read: |_, answer| findings(answer),
    fix: None,
    is_formatter: false,
    install: "install it from https://checkstyle.org",
};

/// Reads `<file name="…"><error line="…" …/></file>`. The exit code is the number of errors.
fn findings(answer: &Answer) -> Result<Vec<Report>, String> {
    let mut reader = Reader::from_str(&answer.stdout);
    let mut found = Vec::new();
    let mut file = None;
    loop {
        let event = reader.read_event().map_err(|error| format!("its report is no XML: {error}"))?;
        match event {
            Event::Eof => break,
            Event::Start(start) | Event::Empty(start) => match start.name().as_ref() {
                "file" => file = attribute(&start, "name").map(PathBuf::from),
                "error" => {
                    let line = attribute(&start, "line").and_then(|it| it.parse().ok()).unwrap_or(1);
                    let message = attribute(&start, "message").unwrap_or_default();
                    let severity = attribute(&start, "severity").unwrap_or_default();
                    let rule = attribute(&start, "source").unwrap_or_default();
                    let rule = rule.rsplit('.').next().unwrap_or_default().to_owned();
                    let severity = if severity == "info" { Severity::Info } else { Severity::Warn };
                    let file = file.clone().unwrap_or_default();
                    found.push(Report::new(file, line, "lint", severity, &message).code(Some(rule)));
                }
                _ => {}
            },
            _ => {}
        }
    }
    if answer.stdout.contains("<checkstyle") { Ok(found) } else { Err(exited(answer)) }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn errors_are_warnings() {
        let answer =
            |code, stdout: &str| Answer { code, stdout: stdout.into(), stderr: "why".into(), is_cut: false };
        let found = findings(&answer(2, include_str!("../recorded/checkstyle.xml"))).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|it| {
                (it.file.to_str().unwrap(), it.finding.line, it.finding.code.as_deref(), it.finding.severity)
            })
            .collect();
        assert_eq!(
            found,
            [
                ("/project/src/a/A.java", 2, Some("AvoidStarImportCheck"), Severity::Warn),
                ("/project/src/a/A.java", 5, Some("MethodNameCheck"), Severity::Warn),
            ]
        );
        assert!(findings(&answer(1, "")).unwrap_err().contains("why"));
    }
}
