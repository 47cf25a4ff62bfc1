//! Results of tests as `JUnit` XML: only those that failed, with where and why.

use std::path::PathBuf;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::process::first_line;

/// More failures than this of one run are not told: the first ones are what is mended first.
const FAILURES_MAX: usize = 200;
/// As much of a failure's text is looked at, in bytes, for the line where it happened.
const TEXT_BYTES_MAX: usize = 64 * 1024;

/// A test that failed, or what failed before it could begin.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Failure {
    /// Class or module, and name.
    pub(super) name: String,
    /// Its file, if the report says.
    pub(super) file: Option<PathBuf>,
    /// Where the test begins, from 1, if the report says.
    pub(super) line: Option<usize>,
    /// What went wrong: one line.
    pub(super) message: String,
    /// The runner's own words.
    pub(super) text: String,
}

/// The failures and errors of a report.
pub(super) fn failures(xml: &str) -> Result<Vec<Failure>, String> {
    let mut reader = Reader::from_str(xml);
    let mut found: Vec<Failure> = Vec::new();
    let mut case = Failure::default();
    let mut inside = false;
    let mut any = false;
    loop {
        let event = reader.read_event().map_err(|error| format!("its report is no XML: {error}"))?;
        let is_empty = matches!(event, Event::Empty(_));
        match event {
            Event::Eof => break,
            Event::Start(start) | Event::Empty(start) => match start.name().as_ref() {
                "testsuite" | "testsuites" => any = true,
                "testcase" => case = named(&start),
                "failure" | "error" if found.len() < FAILURES_MAX => {
                    let message = attribute(&start, "message").unwrap_or_default();
                    found.push(Failure { message: first_line(message.lines()), ..case.clone() });
                    inside = !is_empty;
                }
                _ => {}
            },
            Event::End(end) if matches!(end.name().as_ref(), "failure" | "error") => inside = false,
            Event::Text(text) if inside => add(&mut found, &text.xml10_content()),
            Event::CData(text) if inside => add(&mut found, &text),
            Event::GeneralRef(reference) if inside => {
                let known = quick_xml::escape::resolve_predefined_entity(&reference).map(str::to_owned);
                let sign = reference.resolve_char_ref().ok().flatten().map(String::from);
                add(&mut found, &sign.or(known).unwrap_or_default());
            }
            _ => {}
        }
    }
    for failure in &mut found {
        if failure.message.is_empty() {
            failure.message = first_line(failure.text.lines());
        }
    }
    if any { Ok(found) } else { Err("its report holds no tests".to_owned()) }
}

fn named(start: &BytesStart<'_>) -> Failure {
    let class = attribute(start, "classname").unwrap_or_default();
    let name = attribute(start, "name").unwrap_or_default();
    Failure {
        name: [class, name].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("."),
        file: attribute(start, "file").map(PathBuf::from),
        // pytest counts from 0.
        line: attribute(start, "line").and_then(|it| it.parse::<usize>().ok()).map(|it| it + 1),
        ..Failure::default()
    }
}

/// An attribute's value.
pub(super) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let value = start.try_get_attribute(name).ok()??;
    Some(value.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok()?.into_owned())
}

fn add(found: &mut [Failure], text: &str) {
    if let Some(failure) = found.last_mut()
        && failure.text.len() + text.len() <= TEXT_BYTES_MAX
    {
        failure.text.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    // @traces REQ-020-062
    #[test]
    fn only_what_failed_is_told() {
        let found = failures(include_str!("recorded/pytest.xml")).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|it| (it.name.as_str(), it.file.clone(), it.line, it.message.as_str()))
            .collect();
        let file = Some(PathBuf::from("tests/test_a.py"));
        assert_eq!(
            found,
            [
                ("tests.test_a.TestF.test_bad", file.clone(), Some(6), "assert 1 == 2"),
                ("tests.test_a.test_fixture", file, Some(19), "failed on setup with \"ValueError: no\""),
            ]
        );
    }

    #[test]
    fn a_collection_error_is_a_failure() {
        let found = failures(include_str!("recorded/pytest-collection.xml")).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].name.as_str(), found[0].message.as_str()),
            ("tests.test_b", "collection failure")
        );
        assert!(found[0].text.contains("No module named 'nonexistent'"));
    }

    #[test]
    fn what_is_no_report_is_an_error() {
        assert!(failures("").is_err());
        assert!(failures("<html/>").is_err());
        assert_eq!(failures("<testsuites/>").unwrap(), []);
    }
}
