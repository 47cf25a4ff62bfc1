//! The format of GitLab's reports of code quality, which several tools write.

use std::path::PathBuf;

use serde::Deserialize;

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Problem {
    /// The tool's name for it.
    #[serde(rename = "check_name")]
    pub(super) rule: String,
    /// What is wrong.
    pub(super) description: String,
    /// `info`, `minor`, `major`, `critical` or `blocker`.
    #[serde(default)]
    pub(super) severity: String,
    location: Location,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Location {
    path: PathBuf,
    lines: Option<Lines>,
    positions: Option<Positions>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Lines {
    begin: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Positions {
    begin: Begin,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Begin {
    line: usize,
}

impl Problem {
    /// The file as the tool spells it.
    pub(super) fn path(&self) -> PathBuf {
        self.location.path.clone()
    }

    /// Where, from 1.
    pub(super) fn line(&self) -> usize {
        let location = &self.location;
        let lines = location.lines.as_ref().map(|it| it.begin);
        lines.or_else(|| location.positions.as_ref().map(|it| it.begin.line)).unwrap_or(1)
    }
}

/// Reads one report.
pub(super) fn problems(output: &str) -> Result<Vec<Problem>, String> {
    serde_json::from_str(output).map_err(|error| format!("its JSON cannot be read: {error}"))
}
