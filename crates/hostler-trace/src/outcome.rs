//! What tests came to: `JUnit` XML of any runner, and what `cargo test` prints; and which of them a tag sits on.

mod place;
mod program;
mod results;
mod tree;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde::Serialize;

pub use place::Files;
pub(crate) use results::{Judged, Results};

/// Most tests that one report gives.
pub const CASES_MAX: usize = 1_000_000;
/// Deepest nesting of a report.
const DEPTH_MAX: usize = 200;

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was not run.
    Skipped,
    /// It held, maybe after it was tried again.
    Passed,
    /// It did not hold.
    Failed,
}

impl Outcome {
    /// In a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Skipped => "skipped",
            Self::Passed => "passed",
            Self::Failed => "failed",
        }
    }
}

/// What wrote a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Runner {
    /// Anything that writes `JUnit` XML.
    Junit,
    /// `cargo test`, on its output.
    Cargo,
}

/// One test of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// The suite or test program around it.
    pub suite: String,
    /// Its class or module, as the runner spells it.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its file, if the runner tells.
    pub file: Option<String>,
    /// The file that its program begins at, from its package's folder, if the runner tells: `tests/it/main.rs`.
    pub source: Option<String>,
    /// Who tells.
    pub runner: Runner,
    /// How it ended.
    pub outcome: Outcome,
}

/// Why a report could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Not well-formed.
    #[error("`{path}` is no JUnit XML: {why}, at byte {at}")]
    Broken {
        /// The file.
        path: String,
        /// Where.
        at: u64,
        /// What the parser says.
        why: String,
    },
    /// Neither of the formats.
    #[error("`{path}` holds no test results; JUnit XML and what `cargo test` prints are read")]
    Nothing {
        /// The file.
        path: String,
    },
    /// More than [`CASES_MAX`].
    #[error("`{path}` holds more than {CASES_MAX} tests")]
    TooMany {
        /// The file.
        path: String,
    },
}

/// Reads one report.
///
/// # Errors
/// [`Error`] when it is broken or nothing that is known.
pub fn read(path: &str, text: &str) -> Result<Vec<Case>, Error> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let cases = if text.starts_with('<') { junit(path, text)? } else { libtest(text) };
    if CASES_MAX < cases.len() {
        return Err(Error::TooMany { path: path.to_owned() });
    }
    if cases.is_empty() && !text.starts_with('<') {
        return Err(Error::Nothing { path: path.to_owned() });
    }
    Ok(cases)
}

fn junit(path: &str, text: &str) -> Result<Vec<Case>, Error> {
    let mut reader = Reader::from_str(text);
    let mut out: Vec<Case> = Vec::new();
    let (mut suites, mut open, mut depth, mut known): (Vec<Suite>, Option<Case>, usize, bool) =
        (Vec::new(), None, 0, false);
    loop {
        let event = reader.read_event().map_err(|error| Error::Broken {
            path: path.to_owned(),
            at: reader.error_position(),
            why: error.to_string(),
        })?;
        match event {
            Event::Start(tag) => {
                depth += 1;
                if DEPTH_MAX < depth {
                    let why = format!("nested deeper than {DEPTH_MAX} levels");
                    return Err(Error::Broken { path: path.to_owned(), at: reader.buffer_position(), why });
                }
                match tag.local_name().as_ref() {
                    "testsuites" => known = true,
                    "testsuite" => {
                        known = true;
                        suites.push(Suite {
                            name: attribute(&tag, "name").unwrap_or_default(),
                            file: file(&tag),
                        });
                    }
                    "testcase" => open = Some(case(&tag, &suites)),
                    name => mark(open.as_mut(), name),
                }
            }
            Event::Empty(tag) => match tag.local_name().as_ref() {
                "testcase" => out.push(case(&tag, &suites)),
                "testsuites" | "testsuite" => known = true,
                name => mark(open.as_mut(), name),
            },
            Event::End(tag) => {
                depth = depth.saturating_sub(1);
                match tag.local_name().as_ref() {
                    "testsuite" => {
                        suites.pop();
                    }
                    "testcase" => out.extend(open.take()),
                    _ => {}
                }
            }
            Event::Eof if depth != 0 => {
                let why = "it ends in the middle".to_owned();
                return Err(Error::Broken { path: path.to_owned(), at: reader.buffer_position(), why });
            }
            Event::Eof => break,
            _ => {}
        }
        if CASES_MAX < out.len() {
            break;
        }
    }
    if !known && out.is_empty() {
        return Err(Error::Nothing { path: path.to_owned() });
    }
    Ok(out)
}

/// What is around a test.
struct Suite {
    name: String,
    file: Option<String>,
}

fn file(tag: &BytesStart<'_>) -> Option<String> {
    attribute(tag, "file").or_else(|| attribute(tag, "filepath")).filter(|it| !it.is_empty())
}

fn case(tag: &BytesStart<'_>, suites: &[Suite]) -> Case {
    let text = |name: &str| attribute(tag, name).unwrap_or_default();
    Case {
        suite: suites.last().map(|it| it.name.clone()).unwrap_or_default(),
        class: text("classname"),
        name: text("name"),
        // Some runners tell it once for all tests of a file.
        file: file(tag).or_else(|| suites.iter().rev().find_map(|it| it.file.clone())),
        source: None,
        runner: Runner::Junit,
        outcome: match text("status").as_str() {
            "skipped" | "disabled" | "notrun" | "ignored" => Outcome::Skipped,
            "failed" | "error" => Outcome::Failed,
            _ => Outcome::Passed,
        },
    }
}

/// What stands in a test says how it ended. A failure before a repetition that passed (`flakyFailure`) is none.
fn mark(case: Option<&mut Case>, name: &str) {
    let Some(case) = case else { return };
    match name {
        "failure" | "error" => case.outcome = Outcome::Failed,
        "skipped" | "disabled" => case.outcome = Outcome::Skipped,
        _ => {}
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag.attributes().flatten().find(|it| it.key.local_name().as_ref() == name)?;
    let raw = found.value.into_owned();
    Some(quick_xml::escape::unescape(&raw).map_or_else(|_| raw.clone(), std::borrow::Cow::into_owned))
}

/// Lines such as `test claims::tests::holds ... ok`, below the name of their program. What examples in the
/// documentation came to is told of lines, not of tests.
fn libtest(text: &str) -> Vec<Case> {
    let (mut out, mut suite, mut source, mut examples) = (Vec::new(), String::new(), None, false);
    for line in text.lines() {
        let line = without_colours(line);
        let line = line.trim();
        if let Some((what, program)) = line.strip_prefix("Running ").and_then(|it| it.split_once(" (")) {
            let file = program.trim_end_matches(')').rsplit(['/', '\\']).next().unwrap_or_default();
            let file = file.strip_suffix(".exe").unwrap_or(file);
            file.rsplit_once('-').map_or(file, |it| it.0).clone_into(&mut suite);
            let path = what.strip_prefix("unittests").unwrap_or(what).trim().replace('\\', "/");
            (source, examples) = (Some(path).filter(|it| !it.is_empty()), false);
        } else if line.starts_with("Doc-tests ") {
            examples = true;
        }
        let Some((name, result)) = line.strip_prefix("test ").and_then(|it| it.rsplit_once(" ... ")) else {
            continue;
        };
        let outcome = match result.split([' ', ',']).next() {
            _ if examples => continue,
            Some("ok") => Outcome::Passed,
            Some("FAILED") => Outcome::Failed,
            Some("ignored") => Outcome::Skipped,
            _ => continue,
        };
        out.push(Case {
            suite: suite.clone(),
            class: String::new(),
            name: name.split(" - ").next().unwrap_or(name).to_owned(),
            file: None,
            source: source.clone(),
            runner: Runner::Cargo,
            outcome,
        });
    }
    out
}

/// What a terminal takes for colours is left out.
fn without_colours(line: &str) -> std::borrow::Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return line.into();
    }
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + part.split_once('m').map_or("", |it| it.1)).into()
}

#[cfg(test)]
mod tests;
