//! The project's own tools: found, run side by side with time limits, and read from their machine formats.
//!
//! A tool is one file with one const and one line in [`TOOLS`]. It ends in one of three ways: nothing to say, findings,
//! or it did not run and why. What did not run has not passed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hostler_policy::checks::{Finding, Gate};

/// Why tools are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A file was written: only tools that answer within a fraction of a second.
    Edit,
    /// A turn ends: linters, type checkers that the project configured, changed tests.
    Stop,
    /// Somebody asked: everything that can be found for the files, tests for test files.
    Review,
    /// Formatters and safe fixes write to the files, one after the other. Imports are never removed.
    Fix,
}

/// What is to be checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    /// The project's top folder, absolute. Configuration is searched from a file's folder up to here.
    pub(crate) root: &'a Path,
    /// The files, absolute or from the root. Findings name them in the same words.
    pub(crate) files: &'a [PathBuf],
    /// Gates whose tools run; empty: all.
    pub(crate) gates: &'a [Gate],
    /// Why.
    pub(crate) purpose: Purpose,
    /// No tool runs longer than this, whatever its own limit.
    pub(crate) deadline: Instant,
    /// What the user configured.
    pub(crate) settings: &'a ToolSettings,
}

/// How a tool ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It ran and has nothing to say about the files.
    Clean,
    /// What it found in the files asked for, by file and line. Other files' findings are left out.
    Findings(Vec<(PathBuf, Finding)>),
    /// It did not run, or its answer is not to be trusted: missing, crashed, out of time, not understood.
    NotRun {
        /// What was looked for and where, or what happened, and what to do.
        reason: String,
    },
}

/// One tool's run over the files of one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    /// The tool's name: `ruff check`, `mypy`, `cargo clippy`.
    pub(crate) tool: &'static str,
    /// Its version, where it could be had without starting it once more.
    pub(crate) version: Option<String>,
    /// What was started, the program first; empty if nothing was.
    pub(crate) command: Vec<String>,
    /// How it ended.
    pub(crate) outcome: Outcome,
    /// How long it took.
    pub(crate) took: Duration,
    /// The gate that it belongs to.
    pub(crate) gate: Gate,
}
