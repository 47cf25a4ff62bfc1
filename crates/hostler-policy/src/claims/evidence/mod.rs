//! Tool calls and their results -> what was done, as far as their text tells.
//!
//! Extracted once, when the result arrives and its whole output is at hand; what is kept are the conclusions,
//! never the output. One [`Evidence`] per tool call, in the order of the calls.

mod command;
mod delegate;
mod failure;
mod mcp;
mod measure;
mod of;
mod output;
mod program;
mod state;
#[cfg(test)]
mod tests;
mod text;

pub use of::{Redact, Source, of, of_redacted};
pub use state::{Answer, Question};
pub(super) use state::{deed, metric};

use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::act::Act;

/// Version of the serialised form of [`Evidence`]. Fields are only added; readers default what is absent.
pub const VERSION: u32 = 1;

/// What one tool call proves.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Evidence {
    /// The tool's name in the host's words.
    pub tool: String,
    /// Who made the call.
    #[serde(skip_serializing_if = "Actor::is_agent")]
    pub by: Actor,
    /// By what kind of tool.
    #[serde(skip_serializing_if = "Channel::is_other")]
    pub channel: Channel,
    /// Made in an earlier turn: still evidence, but its failures are no longer this turn's to tell.
    /// Set by who assembles a turn, never stored.
    #[serde(skip)]
    pub earlier: bool,
    /// The tool reported success. A failure that is the answer (`grep` that finds nothing) keeps `ok: false`
    /// and has no [`Evidence::failure`] of kind [`FailureKind::Error`].
    pub ok: bool,
    /// What it did to files, or what it read. Only what took effect: nothing when the call failed before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileAct>,
    /// What it did otherwise, and took effect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deeds: Vec<Deed>,
    /// Programs that judge (tests, builds, linters, type checkers), with what they said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<Run>,
    /// It ran something whose effects its text does not tell (a project's script, `make`, a generator, a tool of
    /// an MCP server that may write, a subagent that does not say what it did): it may have made or changed files.
    #[serde(skip_serializing_if = "is_false")]
    pub opaque: bool,
    /// It failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// What succeeded, in the words of [`Failure::target`]: makes earlier failures of the same target good.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// Numbers that the output states, the last ones first; at most [`MEASURES_MAX`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<Measure>,
    /// Lines of the output that tell of problems (warnings, errors, skipped rows, vulnerabilities), shortened; at
    /// most [`NOTABLE_MAX`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notable: Vec<String>,
    /// Lower-case words of the call, each once: programs, subcommands, options' names, hosts, contexts, file names'
    /// stems, parts of an MCP server's and tool's name. For claims about what only a name tells.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// Of an output of more than 500 characters, the first [`LONG_WORDS_MAX`] words of 6 or more letters, in lower
    /// case, each once; only of shells, reads and MCP servers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub long_words: Vec<String>,
    /// `git status` was asked (or a commit said): nothing is left uncommitted, or something is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree_clean: Option<bool>,
    /// States that the output tells, beyond what runs and measures hold; in the order of the output, at most
    /// [`ANSWERS_MAX`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// One line for people: `Bash: pytest -q → 11 passed, 1 failed`.
    pub summary: String,
    /// Length of the output in bytes.
    #[serde(skip_serializing_if = "is_zero")]
    pub output_bytes: u64,
    /// The output is empty or white space.
    #[serde(skip_serializing_if = "is_false")]
    pub silent: bool,
}

/// At most this many [`Evidence::measures`].
pub const MEASURES_MAX: usize = 48;
/// At most this many [`Evidence::answers`].
pub const ANSWERS_MAX: usize = 32;
/// At most this many [`Evidence::long_words`].
pub const LONG_WORDS_MAX: usize = 40;
/// At most this many [`Evidence::notable`].
pub const NOTABLE_MAX: usize = 8;

/// The kind of tool that a call went through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    /// A tool of the host for files: read, write, edit, search.
    File,
    /// The shell.
    Shell,
    /// A tool of an MCP server.
    Mcp,
    /// A subagent.
    Delegate,
    /// The network.
    Web,
    /// Anything else.
    #[default]
    Other,
}

impl Channel {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    fn is_other(&self) -> bool {
        *self == Self::Other
    }
}

/// Who made a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Actor {
    /// The agent whose claims are audited.
    #[default]
    Agent,
    /// The user, in a shell of the host.
    User,
    /// A subagent of it.
    Subagent,
}

impl Actor {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    fn is_agent(&self) -> bool {
        *self == Self::Agent
    }
}

/// Something done to a file, or with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileAct {
    /// [`Act::Create`], [`Act::Edit`], [`Act::Delete`], [`Act::Move`] (the new name), [`Act::Read`],
    /// [`Act::Search`] (names or matches only; a search that shows matching lines is a read as well).
    pub act: Act,
    /// Absolute where it could be resolved, else as written. A pattern or folder stands for everything below.
    pub path: String,
    /// The path is a folder or pattern and everything below it is meant.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tree: bool,
    /// How many times or parts (edits in one call, cells); 1 is the rule.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub times: u32,
    /// Of what was read, only a part was shown: its beginning, some lines, those that match.
    #[serde(default, skip_serializing_if = "is_false")]
    pub part: bool,
}

impl FileAct {
    /// `act`, once, on one file.
    pub fn new(act: Act, path: impl Into<String>) -> Self {
        Self { act, path: path.into(), tree: false, times: 1, part: false }
    }

    /// `act` on everything below a folder, or that a pattern names.
    pub fn tree(act: Act, path: impl Into<String>) -> Self {
        Self { tree: true, ..Self::new(act, path) }
    }
}

/// Something done that is no file effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deed {
    /// What.
    pub act: Act,
    /// On what: package, branch, remote, service, address; empty when the text does not tell.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub object: String,
}

/// A program that judges was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// [`Act::Test`], [`Act::Build`], [`Act::Lint`], [`Act::Typecheck`], [`Act::Format`], or [`Act::Run`] for other
    /// programs with a recognised summary.
    pub act: Act,
    /// The program, e.g. `pytest`, `cargo test`, `eslint`.
    pub program: String,
    /// Paths, packages, test names or filters that it was narrowed to; empty: the whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<String>,
    /// How often (loops); 1 is the rule.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub times: u32,
    /// What it said.
    #[serde(default)]
    pub outcome: RunOutcome,
}

/// What a run said.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunOutcome {
    /// It passed; `None` when neither the output nor the exit status tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passed: Option<bool>,
    /// Tests that passed, over all summaries of the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests_passed: Option<u64>,
    /// Tests that failed or broke.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests_failed: Option<u64>,
    /// Tests that were skipped or ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests_skipped: Option<u64>,
    /// Errors of a linter, compiler or type checker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<u64>,
    /// Warnings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<u64>,
    /// Packages, files or suites that passed, where the tool counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units_passed: Option<u64>,
    /// The output was cut or filtered on its way, and the tool prints several summaries: counts may be those of a
    /// part.
    #[serde(skip_serializing_if = "is_false")]
    pub partial: bool,
    /// Total line coverage in percent.
    #[serde(deserialize_with = "optional_number", skip_serializing_if = "Option::is_none")]
    pub coverage_percent: Option<f64>,
}

/// Why and on what a call failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// What it would have done: the acts that did not take effect, with their objects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<Deed>,
    /// What a later success has to be about to make it good: a file's path, or a program with its subcommand
    /// (`npm install`), always the same text for the same target.
    pub target: String,
    /// The line of the output that tells why, shortened.
    pub message: String,
}

/// What kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The exit status is the answer (`grep`, `diff`, `cmp`, `test`, `which`, `npm outdated`, `crontab -l`).
    Answer,
    /// A look at something that is not there or not readable; nothing was to be changed by it.
    Probe,
    /// A run of tests, linters, builds that found something wrong: its [`Run`] tells.
    Verdict,
    /// The user or a rule did not let it happen.
    Refused,
    /// The user interrupted it.
    Interrupted,
    /// Everything else: it should have worked and did not.
    Error,
}

/// A number that an output states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// The number, thousands separators removed.
    #[serde(deserialize_with = "number")]
    pub value: f64,
    /// The unit or the word that it counts, lower case: `ms`, `%`, `rows`, `files`; empty when it stands alone.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// The label or word before it, lower case: `execution time:` → `time`, `migrated` → `migrated`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(value: &bool) -> bool {
    !*value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_one(value: &u32) -> bool {
    *value == 1
}

fn one() -> u32 {
    1
}

/// Reads a number; journals hold fractions as strings, since readers disagree on how they are written.
struct Number;

impl Visitor<'_> for Number {
    type Value = f64;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a number")
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<f64, E> {
        Ok(value)
    }

    #[expect(clippy::cast_precision_loss, reason = "a number that an output states")]
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }

    #[expect(clippy::cast_precision_loss, reason = "a number that an output states")]
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<f64, E> {
        text.parse().map_err(E::custom)
    }
}

fn number<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    from.deserialize_any(Number)
}

fn optional_number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    number(from).map(Some)
}
