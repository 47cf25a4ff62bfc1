//! States that an output tells: same or not, there or not, how many matches, which status, how healthy.

mod asked;
mod lines;

pub(super) use asked::{commands, review, search};
pub(super) use lines::lines;
pub(in crate::claims) use lines::{deed, metric};

use serde::{Deserialize, Serialize};

use super::ANSWERS_MAX;

/// What an output was asked for and said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// What was asked.
    pub question: Question,
    /// What it is about, lower case: a pattern, an address with its headers, a container, a program, a metric.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Where, or what was done: the paths of a search, the verb of a count.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The answer: `same`, `differ`, `there`, `missing`, a number, a number with its unit, words of a status. A `+`
    /// behind a number says that there may be more.
    pub said: String,
}

/// What can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// Whether two files are the same.
    Same,
    /// Whether a program is on the path.
    There,
    /// How many lines match a pattern.
    Matches,
    /// In how many files a pattern matches.
    MatchingFiles,
    /// The status of an answer over HTTP.
    Status,
    /// The exit status of a command.
    Exit,
    /// The state of a container, pod or service.
    Health,
    /// How many of something had something done to them.
    Counted,
    /// A number of a distribution: `p95`, `mean`.
    Metric,
    /// The version of a program.
    Version,
    /// The branch that is checked out.
    Branch,
    /// How many stashes there are.
    Stashes,
    /// Whether a check in continuous integration passed.
    Check,
    /// How many rows a table holds.
    Rows,
    /// What a subagent that reviewed says must change.
    Objection,
    /// Where branches did not go together.
    Conflict,
    /// A kind of answer that this version does not know.
    #[serde(other)]
    Unknown,
}

/// So much of an output's beginning and end is searched, in bytes.
const SEARCHED_BYTES: usize = 16 * 1024;
/// Longest text that is kept of a pattern or address, in characters.
const ABOUT_CHARS_MAX: usize = 160;
fn add(out: &mut Vec<Answer>, question: Question, about: &str, place: &str, said: impl Into<String>) {
    let cut = |text: &str| text.chars().take(ABOUT_CHARS_MAX).collect::<String>().to_lowercase();
    let answer = Answer { question, about: cut(about), place: cut(place), said: said.into() };
    // Counts are added up: two equal ones are two.
    if out.len() < ANSWERS_MAX && (question == Question::Counted || !out.contains(&answer)) {
        out.push(answer);
    }
}
