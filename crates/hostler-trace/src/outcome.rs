//! What tests came to: `JUnit` XML of any runner, and what `cargo test` prints; and which of them a tag sits on.

use std::collections::HashMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde::Serialize;

use crate::tag::{Kind, Owner};

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
    let (mut suites, mut open, mut depth, mut known): (Vec<String>, Option<Case>, usize, bool) =
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
                        suites.push(attribute(&tag, "name").unwrap_or_default());
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

fn case(tag: &BytesStart<'_>, suites: &[String]) -> Case {
    let text = |name: &str| attribute(tag, name).unwrap_or_default();
    Case {
        suite: suites.last().cloned().unwrap_or_default(),
        class: text("classname"),
        name: text("name"),
        file: attribute(tag, "file").or_else(|| attribute(tag, "filepath")).filter(|it| !it.is_empty()),
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

/// Lines such as `test claims::tests::holds ... ok`, below the name of their program.
fn libtest(text: &str) -> Vec<Case> {
    let (mut out, mut suite) = (Vec::new(), String::new());
    for line in text.lines() {
        let line = line.trim();
        if let Some((_, program)) = line.strip_prefix("Running ").and_then(|it| it.split_once(" (")) {
            let file = program.trim_end_matches(')').rsplit(['/', '\\']).next().unwrap_or_default();
            file.rsplit_once('-').map_or(file, |it| it.0).clone_into(&mut suite);
        } else if let Some(name) = line.strip_prefix("Doc-tests ") {
            name.clone_into(&mut suite);
        }
        let Some((name, result)) = line.strip_prefix("test ").and_then(|it| it.rsplit_once(" ... ")) else {
            continue;
        };
        let outcome = match result.split([' ', ',']).next() {
            Some("ok") => Outcome::Passed,
            Some("FAILED") => Outcome::Failed,
            Some("ignored") => Outcome::Skipped,
            _ => continue,
        };
        let name = name.split(" - ").next().unwrap_or(name).to_owned();
        out.push(Case { suite: suite.clone(), class: String::new(), name, file: None, outcome });
    }
    out
}

/// Tests by their last name.
#[derive(Debug)]
pub(crate) struct Results<'a> {
    cases: &'a [Case],
    words: Vec<Words>,
    by_leaf: HashMap<String, Vec<usize>>,
}

/// A test's names, taken apart.
#[derive(Debug)]
struct Words {
    /// Of the name, without parameters.
    name: Vec<String>,
    /// Of class and name.
    all: Vec<String>,
}

impl<'a> Results<'a> {
    pub(crate) fn new(cases: &'a [Case]) -> Self {
        let words: Vec<Words> = cases.iter().map(words).collect();
        let mut by_leaf: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, (words, case)) in words.iter().zip(cases).enumerate() {
            let leaf = words.name.last().cloned().unwrap_or_default();
            if leaf != case.name {
                by_leaf.entry(case.name.clone()).or_default().push(at);
            }
            by_leaf.entry(leaf).or_default().push(at);
        }
        Self { cases, words, by_leaf }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    /// How the tests ended that `owner` in the file `path` is, holds, or is part of; `None` where none of them is known.
    pub(crate) fn of(&self, path: &str, owner: &Owner) -> Option<Outcome> {
        let own = self.of_exactly(path, owner);
        match owner.path.split_last() {
            // What is defined in a test is part of it.
            Some((_, around)) if own.is_none() && !around.is_empty() => {
                let around = Owner { kind: Kind::Function, path: around.to_vec(), test: owner.test };
                self.of(path, &around)
            }
            _ => own,
        }
    }

    fn of_exactly(&self, path: &str, owner: &Owner) -> Option<Outcome> {
        let expected = expected(path, owner);
        let candidates: Vec<usize> = match (owner.kind, owner.path.last()) {
            (Kind::Function, Some(leaf)) => {
                let exact = self.by_leaf.get(leaf).cloned().unwrap_or_default();
                if exact.is_empty() { self.titled(leaf) } else { exact }
            }
            _ => (0..self.cases.len()).collect(),
        };
        let scored: Vec<(usize, usize)> = candidates
            .iter()
            .filter_map(|at| Some((*at, self.score(*at, path, owner, &expected)?)))
            .collect();
        let best = scored.iter().map(|it| it.1).max();
        let mut found: Vec<usize> = scored
            .into_iter()
            .filter(|it| Some(it.1) == best || owner.kind != Kind::Function)
            .map(|it| it.0)
            .collect();
        if found.is_empty() && owner.kind == Kind::Function {
            // A case that names its file was judged by that.
            let unplaced: Vec<usize> = candidates
                .into_iter()
                .filter(|at| self.cases.get(*at).is_some_and(|it| it.file.is_none()))
                .collect();
            found = self.only_one(&unplaced, owner);
        }
        found.into_iter().filter_map(|at| self.cases.get(at)).map(|it| it.outcome).max()
    }

    /// Runners of scripts join the titles around a test with its own.
    fn titled(&self, leaf: &str) -> Vec<usize> {
        let ends = |case: &Case| case.name.strip_suffix(leaf).is_some_and(|rest| rest.ends_with(' '));
        self.cases.iter().enumerate().filter(|(_, it)| ends(it)).map(|(at, _)| at).collect()
    }

    /// How well a test fits; `None`: it is another one.
    fn score(&self, at: usize, path: &str, owner: &Owner, expected: &[String]) -> Option<usize> {
        let (case, words) = (self.cases.get(at)?, self.words.get(at)?);
        if let Some(file) = &case.file {
            let same = ends_with_path(path, file) || ends_with_path(file, path);
            let holds = owner.path.iter().all(|name| {
                words.all.contains(name)
                    || case.name.contains(name.as_str())
                    || case.class.contains(name.as_str())
            });
            return (same && holds).then_some(usize::MAX);
        }
        if owner.kind != Kind::Function {
            // Everything below what is expected.
            let inside = |words: &[String]| {
                (1..=words.len()).rev().map(|end| common_suffix(&words[..end], expected)).max().unwrap_or(0)
            };
            let needed = owner.path.len().max(1);
            let score = inside(&words.all).max(inside(&words.name));
            return (needed <= score && !expected.is_empty()).then_some(score);
        }
        let suite = normal(&case.suite);
        let crate_fits =
            usize::from(expected.iter().any(|it| suite.starts_with(&normal(it)) && !suite.is_empty()));
        let by_name = common_suffix(&words.name, expected);
        let by_all = common_suffix(&words.all, expected);
        let whole = 1 < words.name.len() && by_name == words.name.len()
            || words.name.len() < words.all.len() && by_all == words.all.len()
            || by_all == expected.len() && owner.path.len() < by_all
            // A runner that tells nothing but the name, of a test at the top of its program.
            || words.all.len() == 1 && by_name == 1 && owner.path.len() == 1 && top_of_program(path);
        (whole && owner.path.len() <= by_name.max(by_all)).then_some(2 * by_name.max(by_all) + crate_fits)
    }

    /// The one test of this name, where it is told apart by nothing but that.
    fn only_one(&self, candidates: &[usize], owner: &Owner) -> Vec<usize> {
        let of = |at: &usize| self.cases.get(*at);
        let mut places: Vec<(&str, &str)> =
            candidates.iter().filter_map(of).map(|it| (it.suite.as_str(), it.class.as_str())).collect();
        places.sort_unstable();
        places.dedup();
        let around = owner.path.split_last().map_or(&[][..], |it| it.1);
        let named = |at: &usize| {
            of(at).is_some_and(|it| {
                around.iter().all(|name| {
                    [&it.class, &it.name, &it.suite].iter().any(|text| text.contains(name.as_str()))
                })
            })
        };
        // A class that is spelled as a path is told apart by it, and was not the one that is looked for.
        let spelled = candidates
            .iter()
            .any(|at| self.words.get(*at).is_some_and(|it| 1 < it.name.len() || 2 < it.all.len()));
        let titled =
            candidates.iter().filter_map(of).all(|it| it.class.contains(' ') || it.name.contains(' '));
        if places.len() == 1 && (!spelled || titled) {
            return candidates.iter().filter(|at| named(at)).copied().collect();
        }
        Vec::new()
    }
}

fn top_of_program(path: &str) -> bool {
    path.contains("tests/") && path.rsplit('.').next() == Some("rs")
}

fn normal(word: &str) -> String {
    word.replace('-', "_")
}

fn split(text: &str) -> Vec<String> {
    text.split(['.', '/', '\\', '$', '#'])
        .flat_map(|it| it.split("::"))
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
        .collect()
}

fn words(case: &Case) -> Words {
    // `test_add[1-2]`, `adds(int)`, `TestAdd/negative`.
    let cut = case
        .name
        .char_indices()
        .find(|(at, c)| *at != 0 && "[({".contains(*c))
        .map_or(case.name.len(), |it| it.0);
    let plain = case.name.get(..cut).unwrap_or_default();
    let plain = if plain.starts_with("Test") { plain.split('/').next().unwrap_or(plain) } else { plain };
    let name = if plain.contains(' ') { vec![plain.to_owned()] } else { split(plain) };
    let class = if case.class.contains(' ') { Vec::new() } else { split(&case.class) };
    let all = class.into_iter().chain(name.iter().cloned()).collect();
    Words { name, all }
}

/// The names that a runner can give to what `owner` is: folders and file without what is never told, then its own.
fn expected(path: &str, owner: &Owner) -> Vec<String> {
    let mut parts: Vec<String> = path.split('/').map(str::to_owned).collect();
    let file = parts.pop().unwrap_or_default();
    let (stem, extension) = file.split_once('.').unwrap_or((&file, ""));
    if extension == "go" {
        // Its package is the folder.
    } else if !matches!(stem, "mod" | "lib" | "main" | "__init__" | "index") {
        parts.push(stem.to_owned());
    }
    if extension == "rs" {
        if let Some(at) = parts.iter().rposition(|it| it == "src") {
            parts.drain(..=at);
        } else if let Some(at) = parts.iter().rposition(|it| it == "tests") {
            // `tests/it/main.rs` and `tests/it.rs` are programs, what is below the former are its modules.
            parts.drain(..(at + 2).min(parts.len()));
        }
    }
    // A class that is called as its file, as Java asks for.
    let by_class = matches!(extension, "java" | "kt" | "scala" | "groovy" | "cs" | "php" | "swift" | "dart");
    if by_class && parts.last() == owner.path.first() {
        parts.pop();
    }
    parts.extend(owner.path.iter().cloned());
    parts
}

fn common_suffix(one: &[String], other: &[String]) -> usize {
    one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count()
}

fn ends_with_path(path: &str, end: &str) -> bool {
    let end = end.trim_start_matches("./").replace('\\', "/");
    path == end || path.strip_suffix(&end).is_some_and(|rest| rest.ends_with('/'))
}

#[cfg(test)]
mod tests;
